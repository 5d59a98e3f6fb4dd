/* elf_image.h - 64-bit little-endian ELF files: headers and notes; and the symbols of a
 * program or library in memory.
 *
 * A dump usually has only a few pages of a library, those that its writer read for a
 * symbol: so symbols are looked up in the GNU hash table, never listed. The same for a file
 * on disk, laid out like the loader would. Must not depend on particular symbols.
 * docs/formats/core-dump.md, "File". */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include "clr/process/memory.h"

/* --- processors ------------------------------------------------------------------ */

/* Returns a processor by its number in ELF files, or MACHINE_WINDOWS: x86-64 on Windows.
 * NULL: unsupported. */
const struct processor *processor_of(unsigned machine);

/* --- files ----------------------------------------------------------------------- */

/* <elf.h>: offsets in the header, and sizes. */
enum {
    ELF_CLASS = 4, /* 2: 64 bits */
    ELF_DATA = 5,  /* 2: big-endian */
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

/* Decodes a program header. */
struct elf_segment elf_segment_of(const unsigned char *at);

struct elf_note {
    uint32_t type;
    struct bytes name, payload;
};

/* Reads the next note and advances *left; false at the end, or if it is truncated. */
bool elf_note_next(struct bytes *left, struct elf_note *note);

/* --- images ---------------------------------------------------------------------- */

enum { MAX_IMAGE_SEGMENTS = 64 }; /* a program has a dozen */

struct elf_image {
    const struct memory *memory;
    uint64_t bias;                  /* to be added to addresses in the file */
    uint64_t dynamic, dynamic_size; /* address; size, or 0 */
    bool is_relocated; /* false: a file, whose pointers are in its relocations */
    const struct processor *processor; /* of its code; NULL: unknown */
};

/* Opens the image whose first byte is at base. False if its headers are missing. */
bool elf_image_at(struct elf_image *e, const struct memory *m, uint64_t base);

/* Opens a file as if loaded at base: memory gets its segments, allocated in a, and must
 * stay valid as long as e. */
bool elf_image_of_file(struct elf_image *e, struct memory *m, struct bytes file,
                       uint64_t base, struct arena *a);

/* Finds the segments of a file that are never written after loading at base; returns their
 * number. */
size_t elf_constant_pieces(struct bytes file, uint64_t base,
                           struct memory_piece pieces[MAX_IMAGE_SEGMENTS]);

/* Address and size of a defined symbol; address 0 if it is undefined, or the required pages
 * are missing. */
struct elf_symbol {
    uint64_t address, size;
};

struct elf_symbol elf_symbol(const struct elf_image *e, const char *name);

/* Reads a pointer; in a file, the loader's value for it (a RELATIVE relocation). */
uint64_t elf_pointer(const struct elf_image *e, uint64_t address, bool *ok);

/* Returns the build id, borrowed; size 0 if missing. */
struct bytes elf_build_id(const struct elf_image *e, uint64_t base);

#endif
