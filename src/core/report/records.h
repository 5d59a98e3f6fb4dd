/* records.h - the fields of every record of a report, and of every document made from them.
 * JSON, its schemas and CSV are generated from these tables, and so are the columns of
 * lists for people: documents, the browser and the page. A new column changes only the
 * tables. */
#ifndef RECORDS_H
#define RECORDS_H

#include "base/record.h"
#include "report/report.h"

/* Incremented when a key changes its meaning or is removed. */
enum { SCHEMA_VERSION = 1 };

extern const struct record record_snapshot, record_warning, record_generations,
    record_chain, record_chain_of_roots, record_owner, record_marked;

/* Fields of struct hd_model after schema, schema_version and tool_version. */
extern const struct record record_diff, record_check, record_top, record_roots, record_info,
    record_processes, record_tree, record_object, record_fleet, record_objects,
    record_statics;
extern const struct record *const document_records[HD_REPORT_KIND_COUNT];

/* Records for rows of tables. */
extern const struct record record_object_row, record_field, record_static_row;
extern const struct record record_suspect, record_any_object;
extern const struct record record_row, record_top_row, record_rule_cells, record_file,
    record_failed_cells, record_process, record_node, record_account_row,
    record_process_growth, record_site, record_sampling;
void csv_fleet(struct csv_writer *csv, const struct hd_fleet_answer *a);

/* The model being walked. */
#define MODEL ((const struct hd_model *)w->context)

/* Fields of struct hd_model that several documents have. */
#define FIELD_SNAPSHOTS(least)                                                          \
    FIELD("snapshots", RECORDS(snapshots, snapshot_count, record_snapshot), NEVER_NULL, \
          "The snapshots in order of time.", "\"minItems\": " least ", \"maxItems\": 50")
#define FIELD_WARNINGS                                                              \
    FIELD("warnings", RECORDS(warnings, warning_count, record_warning), NEVER_NULL, \
          "Warnings about the snapshots and their order.")
#define FIELD_COUNTS_REACHABLE                                                             \
    FIELD("counts_reachable", TRUTH(counts_reachable), NEVER_NULL,                         \
          "True if only objects on a chain from a root are counted: with --reachable, or " \
          "if a snapshot contains garbage.")
#define FIELD_BY                                                     \
    FIELD("by", CHOICE(by, unit_word, HD_BY_HOLDER + 1), NEVER_NULL, \
          "Unit of a row of `types` (--by).")
#define FIELD_FULL_NAME(m)                                                             \
    FIELD("full_name", TEXT(m), MAY_BE_NULL,                                           \
          "Name of the type with its outer class; null if `type` has the outer class " \
          "already or the file has none.")

#define FILE_DATE "\"pattern\": \"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\""
#define SCHEMA_ADDRESS "\"pattern\": \"^0x[0-9a-f]{1,16}$\""
#define SCHEMA_HINT "\"pattern\": \"^[a-z]+(-[a-z]+)*$\""
#define A_COUNT "\"type\": \"integer\", \"minimum\": 0"
#define A_BOOLEAN "\"type\": \"boolean\""
#define TWO_SNAPSHOTS \
    "\"type\": \"array\", \"items\": {" A_COUNT "}, \"minItems\": 2, \"maxItems\": 2"
#define ONE_OR_MORE "\"minimum\": 1"
#define A_SHARE "\"minimum\": 0, \"maximum\": 1"

/* --- a tree as profilers see one --------------------------------------------------- */

/* Every place is a stack of frames, whose names are numbered. The top is not a frame,
 * except patterns if there are several. Names are those of the model: a writer replaces
 * characters that its format cannot contain. */

/* Frames of the longest stack. Paths of types are short; a longer one, in a hostile file,
 * loses its middle, or output would grow with the square of the depth. */
enum { TREE_MAX_FRAMES = 256 };

#define NO_FRAME SIZE_MAX

struct tree_frames {
    const struct hd_tree *tree;
    const char **names; /* distinct, in the order of the tree; methods once per line */
    const struct hd_code **codes; /* per name: NULL unless it is a line of a method */
    size_t count;
    size_t *name_of; /* per node, or NO_FRAME */
    const char *
        *root_kind; /* per node: kind of the roots above it, or below a holder; or NULL */
    size_t *depth;  /* per node: frames of its whole stack */
    size_t *high;   /* per node: end of the upper half of a long stack */
    size_t gap;     /* name for the omitted part of a long stack, if there is one */
    struct arena arena;
};

struct tree_frames tree_frames_of(const struct hd_tree *t);
void tree_frames_free(struct tree_frames *f);

/* Writes the numbers of the names on the way from the top to a node into TREE_MAX_FRAMES
 * places; returns their number. */
size_t tree_stack(const struct tree_frames *f, size_t node, size_t *stack);

#endif
