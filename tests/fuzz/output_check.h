/* output_check.h - a sink that looks at what is written: that no terminal, build server,
 * browser or parser is told by a snapshot what to do. */
#ifndef OUTPUT_CHECK_H
#define OUTPUT_CHECK_H

#include "base/text.h"
#include "heapdrift.h"

struct output_check {
    struct text text; /* all of it, but of a page or what is binary */
    bool is_binary, is_json, is_ascii, is_page;
};

/* Of output format number i. */
struct output_check output_check_of(size_t i, bool ascii);
struct output_check output_check_of_text(void);
struct hd_sink output_check_sink(struct output_check *check);

/* abort()s if something is wrong; the text is freed. */
void output_check_end(struct output_check *check);

#endif
