/* render.h - the renderers of documents, by themselves: their writers are in writer.c.
 *
 * To add one: write src/report/render_<name>.c that walks a document, has one function that
 * escapes a run, and ends in a const struct writer; list that in writer.c. */
#ifndef RENDER_H
#define RENDER_H

#include "base/out.h"
#include "document/document.h"

void render_text(const struct document *d, const struct hd_write_options *opt,
                 struct out *o);
void render_markdown(const struct document *d, const struct hd_write_options *opt,
                     struct out *o);

#endif
