/* clr.h - the one header of the rooms process and format/core for the rest of the program:
 * .NET in memory, from core files, minidumps and live processes to objects.
 *
 * Snapshots of dumps come by the lists of readers and writers (format/reader.h,
 * format/snapshot_writer.h); symbols and full names by include/heapdrift.h. What is left is
 * what collecting has to know of processes before there is a dump. These rooms must not
 * know of collecting, reports, nor the command line. */
#ifndef CLR_H
#define CLR_H

#include "base/arena.h"
#include "base/input.h"

#include <stdbool.h>

/* --- processors ------------------------------------------------------------------ */

/* What the system, its loader and the C library do otherwise on another processor, or
 * Windows on the same. All of 64 bits with the lowest byte first; another one is a row in
 * elf_image.c. docs/formats/core-dump.md, "Processors". */

/* The numbers of ELF files, <elf.h>; of Windows that of PE files. */
enum { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183, MACHINE_WINDOWS = 0x8664 };

enum { MAX_REGISTERS = 34, NO_REGISTER = MAX_REGISTERS };

struct processor {
    const char *name;             /* "aarch64", as the kernel calls it */
    uint32_t machine;             /* e_machine of ELF files */
    uint32_t registers;           /* general ones, in the kernel's order (NT_PRSTATUS), or
                                     that of a CONTEXT of Windows */
    uint32_t stack_pointer;       /* which of them */
    uint32_t thread_pointer;      /* which of them, or NO_REGISTER: it stands in a note */
    uint32_t thread_pointer_note; /* of that type, behind that of the registers; 0: none */
    uint32_t relative;            /* type of relocation: the bias and a number */
};

#define PROCESSORS_READ "x86-64 and aarch64"

/* The one that this program runs on; NULL: none of those that can be read. */
const struct processor *processor_here(void);

/* --- runtimes -------------------------------------------------------------------- */

/* The oldest and the newest .NET that were tried: core dumps, minidumps, and collection on
 * Windows; documents name the same ranges (tests/cli/docs.bats). Later ones are read if
 * they describe themselves in a known way. */
#define RUNTIME_OLDEST 8
#define RUNTIME_NEWEST 11
#define RUNTIME_NEWEST_MINIDUMP 11
#define RUNTIME_NEWEST_WINDOWS 10
#define RUNTIME_OLDEST_READ ".NET 8"

/* Whether a runtime of that version ("8.0.31") is older than those that can be read. */
bool runtime_is_too_old(const char *version);

/* Whether it is one that is read on other processors, and not on this one. */
bool runtime_is_of_others(const char *version, const struct processor *p);

/* Whether a mapped file is the runtime, or a collector that DOTNET_GCName may choose. */
bool runtime_library_is(const char *path);

/* --- notes of our own ------------------------------------------------------------ */

/* Name and types of the notes that heapdrift adds to core files. Other tools skip notes of
 * unknown names. docs/formats/core-dump.md. */
#define CORE_NOTE "heapdrift"
enum {
    CORE_NOTE_REDACTION = 0x68640001, /* clr/process/process_image.h */
    CORE_NOTE_FACTS                   /* a line of heap/process_facts.h, without a NUL */
};

/* --- lines of source ------------------------------------------------------------- */

/* Which line of source code an instruction of a method is of: by the portable PDB of its
 * module, which is a file next to it or part of it. Symbols of another build, symbols of
 * Windows and damaged ones count as none. managed/sequence_points.c. */

struct clr_source;

struct clr_line {
    struct bytes file; /* UTF-8 of anybody, without folders, not closed by a NUL */
    uint32_t line;     /* from 1; 0: unknown */
};

#define CLR_NO_OFFSET UINT32_MAX

/* Reads a module's file, and the file with its symbols; -1: there is none. Both are regular
 * files and stay the caller's, the module open until clr_source_free(). NULL if the module
 * has no metadata. Allocates less than 200 MiB, whatever the files contain. */
struct clr_source *clr_source_open(int module, int symbols);
void clr_source_free(struct clr_source *s); /* NULL is fine */

/* True if the method of that token has that name there, and so has its type. The events of
 * the runtime count a generic method to the module of its arguments. Names as in events:
 * "Shop.Cart`1+Line[System.Int32]". */
bool clr_source_has(const struct clr_source *s, uint32_t token, const char *type,
                    const char *method);

/* An instruction of a method, by its offset in IL or CLR_NO_OFFSET. `until` is 0, or a
 * later offset: the first instruction between the two that allocates counts, else those
 * that call; without any of these the line is not known. */
struct clr_instruction {
    uint32_t token, offset, until;
};

/* Finds the last visible line that begins at or before an instruction, or else the first;
 * without an offset the file alone. For a method that only begins a state machine it is the
 * first line of that. False if the symbols have none of it. O(lines of the method). The
 * file lives as long as s. */
bool clr_source_line(const struct clr_source *s, const struct clr_instruction *at,
                     struct clr_line *line);

/* --- live processes -------------------------------------------------------------- */

/* Bytes of the process from an address on, which belong to somebody else. */
struct memory_piece {
    uint64_t address, size;
    const unsigned char *bytes;
};

/* Part of a file that is mapped: [start, end), from offset on. */
struct image_mapping {
    uint64_t start, end, offset;
    const char *path;
    uint64_t version; /* of Windows: its four numbers, the first uppermost; else 0 */
};

/* What is known of a process that runs: its mapped files by start, and the memory of its
 * program and its runtime's libraries. */
struct clr_process {
    uint64_t program_headers; /* clr_program_headers() */
    struct image_mapping *mappings;
    size_t mapping_count;
    const struct memory_piece *pieces;
    size_t piece_count;
};

/* The address of the program headers of the main program, in an auxiliary vector; 0: it
 * does not say. */
uint64_t clr_program_headers(struct bytes vector);

/* The address of gc_structures_invalid_cnt, 32 bits: while it is 0 there the heap may be
 * walked. 0 and err, HD_UNSUPPORTED, if there is no .NET runtime in it, or one that is not
 * known. a is for scratch. */
uint64_t clr_heap_count_address(const struct clr_process *p, struct arena *a,
                                struct hd_error *err);

#endif
