/* pe_image.h - a program or library of Windows as it lies in memory: its directories and
 * exports.
 *
 * Headers and tables may be missing or lie: every read is checked, a name is looked for by
 * halves. It must not know whose names. docs/formats/minidump.md. */
#ifndef PE_IMAGE_H
#define PE_IMAGE_H

#include "clr/process/memory.h"

struct pe_image {
    const struct memory *memory;
    uint64_t base, headers; /* addresses of "MZ" and of "PE" */
};

/* A place in it, relative to its base; size 0: there is none. */
struct pe_range {
    uint32_t at, size;
};

enum { PE_EXPORTS = 0, PE_DEBUG = 6, PE_CLI_HEADER = 14 };

/* The one whose first byte is at base. False: its headers are not there. */
bool pe_image_at(struct pe_image *e, const struct memory *m, uint64_t base);

/* One of its data directories. */
struct pe_range pe_directory(const struct pe_image *e, unsigned n);

/* Where what is mapped at relative stands in the file. False: in no section. */
bool pe_in_file(const struct pe_image *e, uint32_t relative, uint32_t *offset);

/* The address of what it exports by that name; 0: nothing, or it is told to be elsewhere.
 */
uint64_t pe_export(const struct pe_image *e, const char *name);

#endif
