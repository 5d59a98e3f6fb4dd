/* out.h - output that remembers its first write error, so that a writer can write
 * straight on and its caller looks once, at the end.
 *
 * Small pieces are put together: a sink sees blocks, and nothing before the first of them
 * is full. Whoever begins one ends it with out_finish() or out_abandon(). */
#ifndef OUT_H
#define OUT_H

#include "base/text.h"
#include "heapdrift.h"

struct out {
    struct hd_sink to;
    int failed; /* errno of the first failure */
    bool ascii; /* write the ASCII form of everything */
    struct text pending;
    size_t lines; /* that have ended */
};

void out_bytes(struct out *o, const char *s, size_t len);
void out_string(struct out *o, const char *s);
void out_text(struct out *o, const struct text *t);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Write what is pending; false and err if any byte was lost. */
bool out_finish(struct out *o, struct hd_error *err);

/* Drop what is pending: the writer failed. */
void out_abandon(struct out *o);

#endif
