/* text_scan.h - words of a text whose lines may be larger than memory.
 *
 * Takes the text block after block and never looks back, so nothing here grows
 * with a line or with the file, save what the caller asks to have collected.
 * Words are cut at blanks (space and tab); a line ends at LF, at CR LF or at
 * the end of the file. It must not know what the words mean.
 *
 * The reader stands at a byte. What reads words stops in front of the blank or
 * the line end behind them; only scan_next_line() goes past a line end. Once the
 * input fails, the text ends there, and `failed` is set. */
#ifndef TEXT_SCAN_H
#define TEXT_SCAN_H

#include "base/account.h"
#include "base/input.h"
#include "base/text.h"

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

enum scan_token { SCAN_NUMBER, SCAN_LINE_END, SCAN_BAD };

/* in stands at the beginning and is used up. */
struct scan scan_begin(struct input *in, struct hd_error *err);

/* The byte at hand, or -1 at the end of the text. */
int scan_peek(struct scan *s);
void scan_blanks(struct scan *s);

/* Everything up to a blank or line end: nothing, if one of them is at hand. */
void scan_word(struct scan *s);

/* If the word at hand is one byte with a blank behind it, go past it and return
 * it; else 0, and the word has been read as by scan_word(). */
int scan_letter(struct scan *s);

/* The next word of the line as a number of 1 to 16 digits, hex or decimal. If it
 * is none, SCAN_BAD, and the word tells why. */
enum scan_token scan_number(struct scan *s, unsigned base, uint64_t *value);

/* The rest of the line without blanks around it; false if it holds a NUL. */
bool scan_rest(struct scan *s, struct text *rest);

/* Go to the end of the line; false if there is a NUL on the way. */
bool scan_skip(struct scan *s);

/* At the beginning of a line: go past lines of nothing but blanks, as far as the block at
 * hand shows them, and return how many. A kilobyte can unpack to millions of them. */
uint64_t scan_blank_lines(struct scan *s);

/* From the end of a line to the next line. False if the text ends here. */
bool scan_next_line(struct scan *s);

/* The number that is all of the len bytes at word, 1 to 16 digits. */
bool parse_number(const char *word, uint64_t len, unsigned base, uint64_t *value);

/* 0x10 + what a hex digit stands for; 0 for every other byte. */
extern const unsigned char scan_digits[256];

/* scan_number() for base 16. The usual case is inline: a space, a number, a space
 * or LF, none of it cut by the end of a block. It is nearly all that the millions
 * of references in a dump need. */
static inline enum scan_token scan_hex(struct scan *s, uint64_t *value)
{
    enum { MAX_DIGITS = 16, USUAL_BYTES = 1 + MAX_DIGITS + 1 };
    if (s->end - s->at < USUAL_BYTES)
        return scan_number(s, 16, value);
    const unsigned char *first = s->at + (*s->at == ' '), *p = first;
    uint64_t v = 0;
    for (unsigned digit; p < first + MAX_DIGITS && (digit = scan_digits[*p]) != 0; p++)
        v = v << 4 | (digit & 15);
    if (p == first || (*p != ' ' && *p != '\n'))
        return scan_number(s, 16, value);
    s->at = p;
    *value = v;
    return SCAN_NUMBER;
}

#endif
