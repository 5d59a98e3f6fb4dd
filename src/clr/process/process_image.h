/* process_image.h - a process at one moment: its memory, its mapped files, its threads.
 *
 * Built from a core file (core_file.c), a minidump (minidump.c) or a frozen process. Must
 * not depend on the runtime. docs/formats/core-dump.md, minidump.md. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "base/out.h"
#include "clr/process/elf_image.h"

struct image_thread {
    uint64_t id;
    uint64_t registers[MAX_REGISTERS]; /* as the processor has them */
    const char *name;                  /* UTF-8; NULL: unknown, as in all ELF cores */
    uint64_t thread_pointer; /* data of the C library, on top of the stack; on Windows that
                                top; 0: unknown */
};

/* A mapped file that is also on disk. Only ELF files and .NET assemblies (PE) are used. */
enum image_file_state {
    IMAGE_FILE_MISSING,   /* no such file, or unreadable */
    IMAGE_FILE_DIFFERENT, /* not the file that was mapped */
    IMAGE_FILE_LIKELY,    /* only its size could be compared, and fits */
    IMAGE_FILE_SAME       /* by its build id, or its parts in the dump */
};

struct image_file {
    const char *path;   /* as in the mappings */
    uint64_t base;      /* address of its beginning, first mapping */
    struct bytes bytes; /* the whole file if same or likely, else empty */
    enum image_file_state state;
};

/* Words for its source. */
struct image_kind {
    const char *name;       /* "core dump": a ... of .NET 10 */
    const char *library;    /* file name of the runtime */
    char separator;         /* of folders, in the process; paths of mappings have '/' */
    const char *lacks_heap; /* of a dump without it: "without the heap" */
    const char *take_heap;  /* how to write one with it: "; take ..." */
};

/* Also for a process that is read without a file. */
extern const struct image_kind core_kind;

/* Facts of a redacted dump (core_file_write) that replace omitted data. Strings may be
 * NULL: unknown, or missing. */
struct image_redaction {
    bool is_redacted;
    const char *process, *runtime; /* names; version */
    const char *lacking;           /* why objects may be missing; or NULL */
    struct bytes facts;            /* for CORE_NOTE_FACTS; may be empty */
    uint64_t unread,
        unread_at; /* bytes of the heap that are not objects; address of the first */
};

struct process_image {
    struct memory memory;           /* including parts of mapped files */
    struct image_mapping *mappings; /* by start */
    size_t mapping_count;
    struct image_file *files; /* in order of their first mapping */
    size_t file_count;
    struct image_thread *threads; /* in the order of the dump */
    size_t thread_count;
    const struct processor *processor; /* of its registers */
    const struct image_kind *kind;     /* not NULL for runtime_find() */
    uint64_t pid;                      /* HD_UNKNOWN if missing */
    const char *name;                  /* the kernel's 15 characters, or NULL */
    const char *command;               /* arguments, possibly truncated; or NULL */

    int64_t time;             /* of the dump, seconds since 1970; 0: unknown */
    uint64_t program_headers; /* address, of the main program; 0: unknown */
    uint64_t page;            /* size of the kernel's pages; 0: unknown */
    struct bytes facts;       /* CORE_NOTE_FACTS of a core; may be empty */
    uint64_t cut_at, lost;    /* end of a truncated file, and the number of missing bytes of
                                 memory; lost is 0 for a complete one */
    struct image_redaction redaction;
};

/* Sorts the mappings; an overlapped one ends where the next begins. */
void image_mappings_sort(struct process_image *p);

/* Returns the mapping of an address; NULL. O(log mappings). */
const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address);

/* Returns the usable file on disk whose beginning is mapped at base, or NULL. */
const struct image_file *image_file_at(const struct process_image *p, uint64_t base);

/* Opens a core or a minidump, by its first bytes. file must stay valid as long as the
 * image; arrays and parts of files on disk are in a. False and err: HD_UNSUPPORTED for
 * other machines and systems, HD_BAD_FORMAT if the file is truncated or invalid. Sizes in
 * the file do not determine allocations. */
bool process_image_open(struct process_image *p, struct bytes file, struct arena *a,
                        struct hd_error *err);

/* Unmaps files; their parts in memory become invalid. */
void process_image_close(struct process_image *p);

/* --- core files ------------------------------------------------------------------ */

/* createdump, gcore and the kernel write ELF cores; omitted parts of mapped files are read
 * from disk if the file is unchanged. */

/* True if these bytes begin a core of any machine. */
bool core_file_is(struct bytes head);
bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err);

/* CORE_NOTE_REDACTION has other facts that readers of a redacted dump need, and a
 * description for people: strings "key=value", NUL-terminated.
 * docs/formats/core-dump.md. */

/* Writes a core with only the recorded bytes of p's memory (memory.h), and p->thread_count
 * threads. Notes are rewritten, without command line, environment, or mapped files except
 * the runtime. runtime is the address of libcoreclr.so, or the program that contains it.
 * Write errors are in o. */
void core_file_write(const struct process_image *p, const struct image_thread *threads,
                     uint64_t runtime, const struct image_redaction *say, struct out *o);

/* --- minidumps ------------------------------------------------------------------- */

/* Task Manager, procdump, dotnet-dump and createdump write minidumps (MiniDumpWriteDump).
 * Those with all memory include the required parts of programs: no other files are read. */

/* True if these bytes begin a minidump of any processor. */
bool minidump_is(struct bytes head);
bool minidump_open(struct process_image *p, struct bytes file, struct arena *a,
                   struct hd_error *err);

/* --- mapped files ---------------------------------------------------------------- */

/* A core of the kernel or of gdb lacks unmodified mapped memory: code and constants of
 * programs, and the metadata of assemblies. A file with the same path is used if it is the
 * one that was mapped. docs/formats/core-dump.md, "File". */

/* Finds the files of p's mappings; sets p->files, and adds reliable parts to p->memory,
 * with lower precedence than the dump. Only regular files at absolute paths are opened, and
 * used if they are ELF or PE. */
void mapped_files_add(struct process_image *p, struct arena *a);

/* Returns a line about required assemblies that are missing or changed: "/app/Shop.dll and
 * others"; in a; or NULL. */
const char *mapped_files_lacking(const struct process_image *p, struct arena *a);

#endif
