/* json_tree.h - the ownership tree as JSON, for every report that has one. */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include "base/json_out.h"

/* Add "compared", "least", "holders", "suspects" and "nodes" of m->tree. */
void json_add_tree(json_t *o, const struct hd_model *m);

#endif
