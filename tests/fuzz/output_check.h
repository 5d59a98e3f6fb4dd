/* output_check.h - a sink that checks output: a snapshot must not inject commands for a
 * terminal, build server, browser or parser. */
#ifndef OUTPUT_CHECK_H
#define OUTPUT_CHECK_H

#include "base/text.h"
#include "heapdrift.h"

struct output_check {
    struct text text; /* the whole output, except of a page or a binary format */
    bool is_binary, is_json, is_ascii, is_page;
};

/* For output format number i. */
struct output_check output_check_of(size_t i, bool ascii);
struct output_check output_check_of_text(void);
struct hd_sink output_check_sink(struct output_check *check);

/* abort()s on an error; frees the text. */
void output_check_end(struct output_check *check);

#endif
