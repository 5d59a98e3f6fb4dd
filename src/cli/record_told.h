/* record_told.h - what `record` says on standard output: a line per snapshot as soon as it
 * is stored, or one JSON document at the end (docs/json-schema/heapdrift-record.json). */
#ifndef RECORD_TOLD_H
#define RECORD_TOLD_H

#include "heapdrift_store.h"

/* {0} is text. */
struct record_told {
    bool is_json;
    struct record_told_list *list;
};

void record_told_add(struct record_told *t, const char *path, struct hd_snapshot *snap,
                     const struct hd_recording *how, enum hd_recorded what);
void record_told_failure(struct record_told *t, const char *path,
                         const struct hd_error *err);
void record_told_thinned(struct record_told *t, const struct hd_thinned *done);

/* Write the document, if it is one. store: its name. */
void record_told_end(struct record_told *t, const char *store);

#endif
