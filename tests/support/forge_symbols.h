/* forge_symbols.h - readable builders of the portable PDB of a module, for tests.
 *
 *     struct metadata_forge f = {0};
 *     struct text points = {0};
 *     forge_symbols_id(&f, forged_id);
 *     uint32_t file = forge_document(&f, '/', (const char *[]){"src", "Cart.cs", NULL});
 *     forge_point(&points, &(struct forged_point){.offset = 0, .line = 10});
 *     forge_debug(&f, file, &points);
 *     ... forge_metadata_bytes(&f) ...
 *
 * From the description of the format; must not share code with the reader. */
#ifndef FORGE_SYMBOLS_H
#define FORGE_SYMBOLS_H

#include "support/forge_metadata.h"

enum { FORGED_ID = 20 };

/* Includes the number of methods in f->other_methods. */
void forge_symbols_id(struct metadata_forge *f, const unsigned char id[FORGED_ID]);

/* A name from parts, which end with NULL, joined by separator (0: no separator). Returns
 * the row. */
uint32_t forge_document(struct metadata_forge *f, char separator, const char *const *parts);

/* Sequence points, each stored as the difference from the previous one. */
struct forged_points {
    struct text blob;
    uint32_t offset, line;
    bool has_points, has_line;
};

/* Begins the points of a method. document is stored only if the table has no document. */
void forge_points_begin(struct forged_points *p, uint32_t document);
void forge_point(struct forged_points *p, uint32_t offset, uint32_t line, uint32_t lines);
void forge_hidden_point(struct forged_points *p, uint32_t offset);
void forge_points_document(struct forged_points *p, uint32_t document);

/* Adds the points of the next method; frees p. */
void forge_method_points(struct metadata_forge *f, uint32_t document,
                         struct forged_points *p);

/* The body of method is in code. */
void forge_state_machine(struct metadata_forge *f, uint32_t code, uint32_t method);

/* Adds a debug directory to the image of a file: an entry of symbols with this id and, if
 * not empty, an embedded file, deflated without compression. */
void forge_debug_directory(struct text *image, const unsigned char id[FORGED_ID],
                           struct bytes embedded);

#endif
