/* text_records.h - the records of a heap text: a letter and fields, one per line.
 *
 * It knows how records are written and which may stand where. What they add up to is the
 * section's business (text_section.h), which file or thread they come from the caller's. */
#ifndef TEXT_RECORDS_H
#define TEXT_RECORDS_H

#include "format/span.h"
#include "format/text/text_scan.h"
#include "format/text/text_section.h"

struct text_records {
    struct scan scan; /* at the beginning of a line, when one is to be read */
    struct hd_error *err;
    unsigned size_base; /* 16 or 10 */

    /* Kept by the caller. */
    uint64_t line; /* of the record at hand, from 1 */
    bool in_section;
    struct span open; /* name of that section */
    struct section *section;
    struct text_totals *totals;

    /* Of the begin or end record read last; the name is good until the next line. */
    struct span name;
    uint64_t version, stamp;

    struct text rest; /* of a line; freed by the caller */
};

enum text_record {
    TEXT_BAD,    /* refused: err tells */
    TEXT_BLANK,  /* nothing on the line */
    TEXT_RECORD, /* went to the section */
    TEXT_BEGIN,  /* of a section */
    TEXT_END
};

/* Read the line at hand; scan_next_line() goes on to the next. */
enum text_record text_record_read(struct text_records *t);

/* Fail since the text ends inside a section; false. */
bool text_records_truncated(struct text_records *t);

#endif
