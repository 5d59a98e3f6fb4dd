/* fields.h - by which field an object refers to another, for inputs that tell.
 *
 * A heap in memory (a core dump) says at which offset a reference stands, and its metadata
 * which field that is. Names belong to pairs of type and offset, some hundreds in all, so
 * nothing is kept per reference: the object's memory is looked at again. A graph has them
 * or not (graph.fields); they live as long as the graph. Several threads may ask at once.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "base/arena.h"
#include "heap/graph.h"
#include "heapdrift.h"

/* What stands in an object that refers to none: whether it can change as long as the object
 * lives. */
enum contents { CONTENTS_UNKNOWN, CONTENTS_FIXED, CONTENTS_MUTABLE };

typedef uint32_t field_id; /* of a name; the same name has one id in a graph */
#define NO_FIELD UINT32_MAX

struct fields {
    const char *const *names; /* by field_id: "_items", "Extra.Item3", "[]", "[].value" */
    uint32_t name_count;

    /* Of node n's references, in the order of its edges: ids[i] is that of edge
     * edge_begin[n] + i. NO_FIELD for what is no field: handles, roots. */
    void (*of_node)(const void *context, node_id n, field_id *ids);

    /* The values of node n's fields or elements, by offset: at most `most` from number
     * `first` on, in a; *count gets how many there are in all. with_text: the contents of
     * strings too, of most_text characters at most. NULL and 0 where nothing is known. */
    const struct hd_field *(*values)(const void *context, node_id n, uint64_t first,
                                     size_t most, bool with_text, size_t most_text,
                                     struct arena *a, size_t *len, uint64_t *count);

    /* What node n says besides its fields, and references to it as well: what is in a box,
     * a Version (hd_field.boxed); of a Uri a REFERENCE with its text, where asked for. NULL
     * of others. */
    const struct hd_field *(*self)(const void *context, node_id n, size_t most_text,
                                   struct arena *a);

    /* All static variables, in an order that stays, with text as values has it; in a.
     * bytes and retained of each are left to who asks. NULL: they are not told. */
    const struct hd_static *(*statics)(const void *context, size_t most_text,
                                       struct arena *a, size_t *len);

    /* A hash of what stands in node n, of its first 256 bytes: FIXED of strings, MUTABLE of
     * arrays and structs without references. UNKNOWN of all that has references, which the
     * collector changes, and of what is not there. It is secret as values are: for
     * comparing, never to be shown or written. NULL: nothing is known of any. */
    enum contents (*contents)(const void *context, node_id n, uint64_t *hash);

    void (*free)(void *context);
    void *context;
};

/* The name of the field by which node from refers to node to, the first of several; NULL if
 * unknown. Takes as long as from has references. */
const char *field_between(const struct graph *g, node_id from, node_id to);

void fields_free(struct fields *f); /* NULL is fine; f is malloc'd */

#endif
