/* process_image.h - a process at one moment: its memory, its mapped files, its threads.
 *
 * Made of a core file (core_file.c), of a minidump (minidump.c) or of a process that stands
 * still. It must not know what a runtime is. docs/formats/core-dump.md, minidump.md. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "base/out.h"
#include "clr/process/elf_image.h"

struct image_thread {
    uint64_t id;
    uint64_t registers[MAX_REGISTERS]; /* as many as the processor has */
    const char *name;                  /* UTF-8; NULL unknown, as in all ELF cores */
    uint64_t thread_pointer;           /* what the C library keeps of it, on top of its
                                          stack; of Windows that top; 0 unknown */
};

/* A file that was mapped and is on disk as well. Only ELF files and .NET assemblies (PE)
 * are looked at. */
enum image_file_state {
    IMAGE_FILE_MISSING,   /* no such file, or none that can be read */
    IMAGE_FILE_DIFFERENT, /* another one than was mapped */
    IMAGE_FILE_LIKELY,    /* nothing of it is in the dump; the size fits */
    IMAGE_FILE_SAME       /* by its build id, or what of it is in the dump */
};

struct image_file {
    const char *path;   /* as in the mappings */
    uint64_t base;      /* where its first byte is mapped first */
    struct bytes bytes; /* all of it if it is the same or likely so, else none */
    enum image_file_state state;
};

/* What it is made of, in words. */
struct image_kind {
    const char *name;       /* "core dump": a ... of .NET 10 */
    const char *library;    /* what the runtime's file is called */
    char separator;         /* of folders, in the process; in paths of mappings it is '/' */
    const char *lacks_heap; /* what is said of one without: "without the heap" */
    const char *take_heap;  /* how one with it is taken: "; take ..." */
};

/* Of a process that is read without a file as well. */
extern const struct image_kind core_kind;

/* Of a dump without values (core_file_write): what it says in place of what is not in it
 * any more. Strings may be NULL: unknown, or none. */
struct image_redaction {
    bool is_redacted;
    const char *process, *runtime; /* names; a version */
    const char *lacking;           /* why objects may be missing; NULL: none are */
    struct bytes facts;            /* for CORE_NOTE_FACTS; size 0: none */
    uint64_t unread, unread_at;    /* bytes of the heap that were no objects; the first */
};

struct process_image {
    struct memory memory;           /* with what was read from mapped files */
    struct image_mapping *mappings; /* by start */
    size_t mapping_count;
    struct image_file *files; /* in order of their first mapping */
    size_t file_count;
    struct image_thread *threads; /* in the order of the dump */
    size_t thread_count;
    const struct processor *processor; /* whose registers they are */
    const struct image_kind *kind;     /* never NULL where a runtime is looked for */
    uint64_t pid;                      /* HD_UNKNOWN if not told */
    const char *name;                  /* the kernel's 15 characters, or NULL */
    const char *command;               /* its arguments, perhaps cut; or NULL */

    int64_t time;             /* when it was taken, seconds since 1970; 0 unknown */
    uint64_t program_headers; /* address of those of the main program; 0 unknown */
    uint64_t page;            /* size of one of the kernel's; 0 unknown */
    struct bytes facts;       /* CORE_NOTE_FACTS of a core; size 0: none */
    uint64_t cut_at, lost;    /* the file ends there, and so many bytes of memory would
                                 follow; lost is 0 for a whole one */
    struct image_redaction redaction;
};

/* Puts p's mappings in order; where they overlap each ends where the next begins. */
void image_mappings_sort(struct process_image *p);

/* The mapping that an address lies in; NULL. O(log mappings). */
const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address);

/* The file on disk whose beginning is mapped at base; NULL if there is none that may be
 * used. */
const struct image_file *image_file_at(const struct process_image *p, uint64_t base);

/* A core or a minidump, by its first bytes. file must stay as long as the image; arrays and
 * what is taken from disk live in a. False and err: HD_UNSUPPORTED for other machines and
 * systems, HD_BAD_FORMAT where the file is cut or wrong. Nothing is allocated on the word
 * of the file. */
bool process_image_open(struct process_image *p, struct bytes file, struct arena *a,
                        struct hd_error *err);

/* Unmaps files; what was taken from them is no longer to be looked at. */
void process_image_close(struct process_image *p);

/* --- core files ------------------------------------------------------------------ */

/* createdump, gcore and the kernel write ELF cores; what they leave out of mapped files is
 * read from disk where the file is still the one that was mapped. */

/* Whether these bytes begin a core; of whichever machine. */
bool core_file_is(struct bytes head);
bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err);

/* CORE_NOTE_REDACTION says what else a reader of a dump without values needs to know, and
 * people what the file is: strings "key=value", each with a NUL behind it.
 * docs/formats/core-dump.md. */

/* Writes a core that has of p's memory only what was looked at (memory.h), and these
 * threads, as many as p has. Nothing is copied as it stands: notes are made anew and have
 * no command line, no environment, no list of mapped files but the runtime. runtime is
 * where libcoreclr.so, or the program that contains it, is mapped. What cannot be written o
 * remembers. */
void core_file_write(const struct process_image *p, const struct image_thread *threads,
                     uint64_t runtime, const struct image_redaction *say, struct out *o);

/* --- minidumps ------------------------------------------------------------------- */

/* Task Manager, procdump, dotnet-dump and createdump write them (MiniDumpWriteDump). Those
 * with all memory have what is needed of programs, too: nothing is read from other files.
 */

/* Whether these bytes begin one; of whichever processor. */
bool minidump_is(struct bytes head);
bool minidump_open(struct process_image *p, struct bytes file, struct arena *a,
                   struct hd_error *err);

/* --- mapped files ---------------------------------------------------------------- */

/* A core of the kernel or of gdb lacks all that was mapped and never written to: the code
 * and constants of programs, and the metadata of assemblies. A file of that path is used
 * if it is the one that was mapped. docs/formats/core-dump.md, "File". */

/* Look for the files of p's mappings; fill p->files, and put what can be relied on behind
 * the dump's own bytes in p->memory. Only regular files at absolute paths are opened, and
 * used if they are ELF or PE. */
void mapped_files_add(struct process_image *p, struct arena *a);

/* One line about assemblies that would be needed and are not here, or are others by now:
 * "/app/Shop.dll and others"; in a. NULL: none. */
const char *mapped_files_lacking(const struct process_image *p, struct arena *a);

#endif
