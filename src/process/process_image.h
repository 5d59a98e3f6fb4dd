/* process_image.h - a process at one moment: its memory, its mapped files, its threads.
 *
 * Made of a core file (core_file.h), of a minidump (minidump.h) or of a process that stands
 * still. It must not know what a runtime is. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "process/memory.h"
#include "process/processor.h"

/* Part of a file that is mapped: [start, end), from offset on. */
struct image_mapping {
    uint64_t start, end, offset;
    const char *path;
    uint64_t version; /* of Windows: its four numbers, the first uppermost; else 0 */
};

struct image_thread {
    uint64_t id;
    uint64_t registers[MOST_REGISTERS]; /* as many as the processor has */
    uint64_t thread_pointer;            /* what the C library keeps of it, on top of its
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

/* What to do instead, behind why a file is refused. */
#define TAKE_GCDUMP \
    "; take a gcdump of the process with `heapdrift collect PID -o app.gcdump`"

/* What it is made of, in words. */
struct image_kind {
    const char *name;       /* "core dump": a ... of .NET 10 */
    const char *library;    /* what the runtime's file is called */
    char separator;         /* of folders, in the process; in paths of mappings it is '/' */
    const char *lacks_heap; /* what is said of one without: "without the heap" */
    const char *take_heap;  /* how one with it is taken: "; take ..." */
};

/* Of a dump without values (write_core_file.h): what it says in place of what is not in it
 * any more. Strings may be NULL: unknown, or none. */
struct image_redaction {
    bool is_redacted;
    const char *process, *runtime; /* names; a version */
    const char *lacking;           /* why objects may be missing; NULL: none are */
    uint64_t unread, unread_at;    /* bytes of the heap that were no objects; the first */
};

struct process_image {
    struct memory memory;           /* with what was read from mapped files (core_file.h) */
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

/* A core or a minidump, by its first bytes. False and err: it cannot be read. */
bool process_image_open(struct process_image *p, struct bytes file, struct arena *a,
                        struct hd_error *err);
void process_image_close(struct process_image *p);

#endif
