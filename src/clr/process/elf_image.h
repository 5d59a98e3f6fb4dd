/* elf_image.h - ELF files of 64 bits with the lowest byte first: their headers and notes;
 * and a program or library as it lies in memory: where its symbols are.
 *
 * Of what a dump has of a library it is mostly a few pages, those that its writer looked at
 * when it asked for a symbol: so symbols are looked up in the GNU hash table, never listed.
 * The same for a file on disk, laid out as the loader would. It must not know whose
 * symbols. docs/formats/core-dump.md, "File". */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include "clr/process/memory.h"

/* --- processors ------------------------------------------------------------------ */

/* By the number in ELF files, or MACHINE_WINDOWS: x86-64 under Windows. NULL: cannot be
 * read. */
const struct processor *processor_of(unsigned machine);

/* --- files ----------------------------------------------------------------------- */

/* <elf.h>: where things stand in the header, and sizes. */
enum {
    ELF_CLASS = 4, /* 2: 64 bits */
    ELF_DATA = 5,  /* 2: the highest byte first */
    ELF_TYPE = 16,
    ELF_MACHINE = 18,
    ELF_SEGMENTS = 32,
    ELF_SECTIONS = 40,
    ELF_SEGMENT_SIZE = 54,
    ELF_SEGMENT_COUNT = 56,
    ELF_SECTION_SIZE = 58,
    ELF_SECTION_COUNT = 60,
    ELF_HEADER = 64,
    ELF_PROGRAM_HEADER = 56,
    ELF_SECTION_HEADER = 64,
    ELF_SYMBOL = 24,
    PT_LOAD = 1,
    PT_DYNAMIC = 2,
    PT_NOTE = 4
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, in_file, in_memory;
};

/* The program header that stands there. */
struct elf_segment elf_segment_of(const unsigned char *at);

struct elf_note {
    uint32_t type;
    struct bytes name, payload;
};

/* Takes the next note from what is left; false at the end, or where it is cut. */
bool elf_note_next(struct bytes *left, struct elf_note *note);

/* --- images ---------------------------------------------------------------------- */

enum { MAX_IMAGE_SEGMENTS = 64 }; /* of a program: a dozen */

struct elf_image {
    const struct memory *memory;
    uint64_t bias;                  /* what is added to the addresses in the file */
    uint64_t dynamic, dynamic_size; /* address; size 0: has none */
    bool is_relocated; /* false: a file, whose pointers are those of its relocations */
    const struct processor *processor; /* that it is for; NULL: unknown */
};

/* The one whose first byte is at base. False if there is none, or not its headers. */
bool elf_image_at(struct elf_image *e, const struct memory *m, uint64_t base);

/* A file as if it were loaded at base: memory gets its segments, in a, and must stay as
 * long as e. */
bool elf_image_of_file(struct elf_image *e, struct memory *m, struct bytes file,
                       uint64_t base, struct arena *a);

/* The segments of a file that nothing writes to once it is loaded at base: their number. */
size_t elf_constant_pieces(struct bytes file, uint64_t base,
                           struct memory_piece pieces[MAX_IMAGE_SEGMENTS]);

/* The address and size of a symbol that it defines; address 0 if it does not, or the pages
 * that would tell are not there. */
struct elf_symbol {
    uint64_t address, size;
};

struct elf_symbol elf_symbol(const struct elf_image *e, const char *name);

/* A pointer in it: of a file, what the loader would make of it (a RELATIVE relocation). */
uint64_t elf_pointer(const struct elf_image *e, uint64_t address, bool *ok);

/* The build id, borrowed; size 0: has none, or not there. */
struct bytes elf_build_id(const struct elf_image *e, uint64_t base);

#endif
