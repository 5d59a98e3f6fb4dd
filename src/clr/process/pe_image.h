/* pe_image.h - a Windows program or library in memory: its directories and exports.
 *
 * Headers and tables may be missing or invalid: every read is checked; names are found by
 * binary search. Must not depend on particular names. docs/formats/minidump.md. */
#ifndef PE_IMAGE_H
#define PE_IMAGE_H

#include "clr/process/memory.h"

struct pe_image {
    const struct memory *memory;
    uint64_t base, headers; /* addresses of "MZ" and of "PE" */
};

/* A range relative to the base; size 0 if missing. */
struct pe_range {
    uint32_t at, size;
};

enum { PE_EXPORTS = 0, PE_DEBUG = 6, PE_CLI_HEADER = 14 };

/* Opens the image whose first byte is at base. False: its headers are missing. */
bool pe_image_at(struct pe_image *e, const struct memory *m, uint64_t base);

/* Returns a data directory. */
struct pe_range pe_directory(const struct pe_image *e, unsigned n);

/* Converts a relative address to an offset in the file. False: in no section. */
bool pe_in_file(const struct pe_image *e, uint32_t relative, uint32_t *offset);

/* Returns the address of an export; 0 if missing or forwarded. */
uint64_t pe_export(const struct pe_image *e, const char *name);

#endif
