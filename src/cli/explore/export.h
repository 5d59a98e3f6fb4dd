/* export.h - what a view lists, as a file: Markdown as it is seen, or CSV with exact
 * numbers. The suffix of the name decides. */
#ifndef EXPLORE_EXPORT_H
#define EXPLORE_EXPORT_H

#include "cli/explore/explore.h"

enum exported { EXPORTED, EXPORT_EXISTS, EXPORT_FAILED };

/* All rows of the view that is open. why says what was written, or what went wrong. A file
 * that is there is replaced only if that is wanted; none is left half written. */
enum exported export_view(struct explore *e, const char *path, bool replace, char *why,
                          size_t size);

#endif
