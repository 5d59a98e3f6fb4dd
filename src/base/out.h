/* out.h - output that remembers its first write error, so that a writer can write
 * straight on and its caller looks once, at the end. */
#ifndef OUT_H
#define OUT_H

#include "base/text.h"
#include "heapdrift.h"

struct out {
    FILE *file;
    int failed; /* errno of the first failure */
};

void out_bytes(struct out *o, const char *s, size_t len);
void out_string(struct out *o, const char *s);
void out_text(struct out *o, const struct text *t);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Flush; false and err if any byte was lost. */
bool out_finish(struct out *o, struct hd_error *err);

#endif
