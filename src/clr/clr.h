/* clr.h - the only header of this house for the other houses: .NET in memory, from core
 * files, minidumps and live processes to objects.
 *
 * Snapshots of dumps are reached through the lists of readers and writers (format/reader.h,
 * format/snapshot_writer.h); symbols and full names through include/heapdrift.h. This
 * header has what collecting needs to know about processes before there is a dump. Must not
 * depend on collecting, reports, or the command line. */
#ifndef CLR_H
#define CLR_H

#include "base/arena.h"
#include "base/input.h"

#include <stdbool.h>

/* --- processors ------------------------------------------------------------------ */

/* Differences of the system, its loader and the C library between processors, and Windows.
 * All are 64-bit and little-endian; another one is a row in elf_image.c.
 * docs/formats/core-dump.md, "Processors". */

/* Numbers from ELF files, <elf.h>; for Windows from PE files. */
enum { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183, MACHINE_WINDOWS = 0x8664 };

enum { MAX_REGISTERS = 34, NO_REGISTER = MAX_REGISTERS };

struct processor {
    const char *name;   /* "aarch64", as in the kernel */
    uint32_t machine;   /* e_machine of ELF files */
    uint32_t registers; /* general ones, in the kernel's order (NT_PRSTATUS), or that of a
                           CONTEXT of Windows */
    uint32_t stack_pointer;       /* its index */
    uint32_t thread_pointer;      /* its index, or NO_REGISTER: it is in a note */
    uint32_t thread_pointer_note; /* its type, after that of the registers; or 0 */
    uint32_t relative;            /* type of relocation: the bias and a number */
};

#define PROCESSORS_READ "x86-64 and aarch64"

/* Returns the processor of this program; NULL: unsupported. */
const struct processor *processor_here(void);

/* --- runtimes -------------------------------------------------------------------- */

/* Oldest and newest .NET tested: core dumps, minidumps, and collection on Windows;
 * documents have the same ranges (tests/cli/docs.bats). Later ones are read if their
 * self-description is supported. */
#define RUNTIME_OLDEST 8
#define RUNTIME_NEWEST 11
#define RUNTIME_NEWEST_MINIDUMP 11
#define RUNTIME_NEWEST_WINDOWS 10
#define RUNTIME_OLDEST_READ ".NET 8"

/* True if a runtime's version ("8.0.31") is older than the supported ones. */
bool runtime_is_too_old(const char *version);

/* True if it is supported on other processors, but not on this one. */
bool runtime_is_of_others(const char *version, const struct processor *p);

/* True if a mapped file is the runtime, or a collector that DOTNET_GCName may select. */
bool runtime_library_is(const char *path);

/* --- heapdrift's notes ----------------------------------------------------------- */

/* Name and types of the notes that heapdrift adds to core files. Other tools skip notes
 * with unknown names. docs/formats/core-dump.md. */
#define CORE_NOTE "heapdrift"
enum {
    CORE_NOTE_REDACTION = 0x68640001, /* clr/process/process_image.h */
    CORE_NOTE_FACTS                   /* a line of heap/process_facts.h, without a NUL */
};

/* --- lines of source ------------------------------------------------------------- */

/* Lines of source code for instructions, from the portable PDB of a module, in a separate
 * file or embedded. Symbols of another build, Windows PDBs and damaged ones are ignored.
 * managed/sequence_points.c. */

struct clr_source;

struct clr_line {
    struct bytes file; /* untrusted UTF-8, without folders, not NUL-terminated */
    uint32_t line;     /* from 1; 0: unknown */
};

#define CLR_NO_OFFSET UINT32_MAX

/* Opens a module and its symbol file, which may be -1. Both are regular files owned by the
 * caller; the module must stay open until clr_source_free(). NULL if the module has no
 * metadata. Allocates less than 200 MiB, for any files. */
struct clr_source *clr_source_open(int module, int symbols);
void clr_source_free(struct clr_source *s); /* NULL is fine */

/* True if the method with that token has that name and type. Events of the runtime
 * attribute a generic method to the module of its arguments. Names as in events:
 * "Shop.Cart`1+Line[System.Int32]". */
bool clr_source_has(const struct clr_source *s, uint32_t token, const char *type,
                    const char *method);

/* An instruction of a method, by its IL offset or CLR_NO_OFFSET. `until` is 0, or a later
 * offset: then it is the first instruction between both that allocates, else those that
 * call; without either the line is unknown. */
struct clr_instruction {
    uint32_t token, offset, until;
};

/* Finds the last visible line that begins at or before an instruction, or else the first;
 * without an offset only the file. For a method that only starts a state machine, finds the
 * state machine's first line. False if the symbols lack the method. O(lines of the method).
 * The file belongs to s. */
bool clr_source_line(const struct clr_source *s, const struct clr_instruction *at,
                     struct clr_line *line);

/* --- live processes -------------------------------------------------------------- */

/* Bytes of the process at an address, owned by the caller. */
struct memory_piece {
    uint64_t address, size;
    const unsigned char *bytes;
};

/* A mapped part of a file: addresses [start, end), from offset in the file. */
struct image_mapping {
    uint64_t start, end, offset;
    const char *path;
    uint64_t version; /* on Windows: its four numbers, the first uppermost; else 0 */
};

/* A running process: its mapped files by start, and the memory of its program and its
 * runtime's libraries. */
struct clr_process {
    uint64_t program_headers; /* clr_program_headers() */
    struct image_mapping *mappings;
    size_t mapping_count;
    const struct memory_piece *pieces;
    size_t piece_count;
};

/* Returns the address of the main program's headers from an auxiliary vector; 0:
 * missing. */
uint64_t clr_program_headers(struct bytes vector);

/* Returns the address of gc_structures_invalid_cnt, 32 bits: while it is 0 the heap may be
 * walked. 0 and err (HD_UNSUPPORTED) if there is no .NET runtime, or an unknown one. a is
 * for scratch. */
uint64_t clr_heap_count_address(const struct clr_process *p, struct arena *a,
                                struct hd_error *err);

#endif
