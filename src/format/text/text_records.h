/* text_records.h - the records of a heap text: a letter and fields, one per line.
 *
 * It knows how records are written and which may stand where. What they add up to is the
 * section's business (text_section.h), which file or thread they come from the caller's. */
#ifndef TEXT_RECORDS_H
#define TEXT_RECORDS_H

#include "base/account.h"
#include "base/input.h"
#include "base/text.h"
#include "format/span.h"
#include "format/text/text_section.h"

/* --- scanning ------------------------------------------------------------------ */

/* Words of a text whose lines may be larger than memory.
 *
 * Takes the text block after block and never looks back, so nothing here grows with a line
 * or with the file, save what the caller asks to have collected. Words are cut at blanks
 * (space and tab); a line ends at LF, at CR LF or at the end of the file. It must not know
 * what the words mean.
 *
 * The reader stands at a byte. What reads words stops in front of the blank or the line
 * end behind them; only scan_next_line() goes past a line end. Once the input fails, the
 * text ends there, and `failed` is set. */

enum { SCAN_WORD_KEPT = 48 };

struct scan {
    const unsigned char *at, *end; /* what is left of the block */
    struct input *in;
    struct hd_error *err;
    struct account *account; /* looked at from block to block; NULL: nobody counts */
    bool ended, failed;

    /* The word that scan_word() read last, and its beginning. */
    uint64_t word_len;
    bool word_nul; /* it holds a NUL */
    char word[SCAN_WORD_KEPT];
};

/* in stands at the beginning and is used up. */
struct scan scan_begin(struct input *in, struct hd_error *err);

/* The byte at hand, or -1 at the end of the text. */
int scan_peek(struct scan *s);

/* At the beginning of a line: go past lines of nothing but blanks, as far as the block at
 * hand shows them, and return how many. A kilobyte can unpack to millions of them. */
uint64_t scan_blank_lines(struct scan *s);

/* From the end of a line to the next line. False if the text ends here. */
bool scan_next_line(struct scan *s);

/* --- records ------------------------------------------------------------------- */

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
