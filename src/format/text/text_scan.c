#include "format/text/text_scan.h"

#include <string.h>

const unsigned char scan_digits[256] = {
    ['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
    ['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['A'] = 0x1A, ['B'] = 0x1B,
    ['C'] = 0x1C, ['D'] = 0x1D, ['E'] = 0x1E, ['F'] = 0x1F, ['a'] = 0x1A, ['b'] = 0x1B,
    ['c'] = 0x1C, ['d'] = 0x1D, ['e'] = 0x1E, ['f'] = 0x1F,
};

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* --- blocks -------------------------------------------------------------- */

struct scan scan_begin(struct input *in, struct hd_error *err)
{
    static const unsigned char nothing[1];
    return (struct scan){.at = nothing, .end = nothing, .in = in, .err = err};
}

/* Whether a byte is at hand, of the next block if need be. */
static bool has_byte(struct scan *s)
{
    if (s->at < s->end)
        return true;
    if (s->ended)
        return false;
    struct bytes block = {0};
    s->failed = account_is_over(s->account) ? !account_fail(s->account, s->err)
                                            : !input_next(s->in, &block, s->err);
    s->ended = s->failed || block.size == 0;
    if (s->ended)
        return false;
    s->at = block.data;
    s->end = block.data + block.size;
    return true;
}

int scan_peek(struct scan *s)
{
    return has_byte(s) ? *s->at : -1;
}

/* --- words --------------------------------------------------------------- */

void scan_blanks(struct scan *s)
{
    while (is_blank(scan_peek(s)))
        s->at++;
}

static bool at_line_end(struct scan *s)
{
    int c = scan_peek(s);
    return c == '\n' || c < 0;
}

/* A byte at a time: words that matter are short, or cut by the end of a block. */
void scan_word(struct scan *s)
{
    bool last_is_cr = false;
    s->word_len = 0;
    s->word_nul = false;
    for (; !at_line_end(s) && !is_blank(*s->at); s->at++) {
        if (s->word_len < SCAN_WORD_KEPT)
            s->word[s->word_len] = (char)*s->at;
        s->word_len++;
        s->word_nul |= *s->at == '\0';
        last_is_cr = *s->at == '\r';
    }
    /* One CR belongs to the line end; every other is an ordinary byte. */
    if (last_is_cr && at_line_end(s))
        s->word_len--;
}

int scan_letter(struct scan *s)
{
    if (s->end - s->at >= 2 && is_blank(s->at[1]) && *s->at > ' ')
        return *s->at++;
    scan_word(s);
    return s->word_len == 1 && is_blank(scan_peek(s)) ? (unsigned char)s->word[0] : 0;
}

bool parse_number(const char *word, uint64_t len, unsigned base, uint64_t *value)
{
    enum { MAX_DIGITS = 16 };
    if (len == 0 || len > MAX_DIGITS)
        return false;
    uint64_t v = 0;
    for (uint64_t i = 0; i < len; i++) {
        unsigned code = scan_digits[(unsigned char)word[i]];
        if (code == 0 || (code & 15) >= base)
            return false;
        v = v * base + (code & 15);
    }
    *value = v;
    return true;
}

enum scan_token scan_number(struct scan *s, unsigned base, uint64_t *value)
{
    scan_blanks(s);
    scan_word(s);
    if (s->word_len == 0)
        return SCAN_LINE_END;
    return parse_number(s->word, s->word_len, base, value) ? SCAN_NUMBER : SCAN_BAD;
}

/* --- lines --------------------------------------------------------------- */

/* Where the line ends, as far as the block at hand shows. */
static const unsigned char *line_stop(const struct scan *s)
{
    const unsigned char *lf = memchr(s->at, '\n', (size_t)(s->end - s->at));
    return lf != NULL ? lf : s->end;
}

bool scan_rest(struct scan *s, struct text *rest)
{
    bool clean = true;
    text_clear(rest);
    scan_blanks(s);
    while (!at_line_end(s)) {
        size_t len = (size_t)(line_stop(s) - s->at);
        clean = clean && memchr(s->at, '\0', len) == NULL;
        size_t before = rest->cap;
        text_add(rest, s->at, len);
        account_charge(s->account, rest->cap - before);
        s->at += len;
    }
    if (rest->len > 0 && rest->data[rest->len - 1] == '\r')
        rest->len--;
    while (rest->len > 0 && is_blank(rest->data[rest->len - 1]))
        rest->len--;
    return clean;
}

bool scan_skip(struct scan *s)
{
    bool clean = true;
    while (!at_line_end(s)) {
        size_t len = (size_t)(line_stop(s) - s->at);
        clean = clean && memchr(s->at, '\0', len) == NULL;
        s->at += len;
    }
    return clean;
}

/* The last byte stays: who reads on finds at least that. */
uint64_t scan_blank_lines(struct scan *s)
{
    uint64_t lines = 0;
    const unsigned char *p = s->at;
    for (; s->end - p > 1; p++) {
        if (*p == '\n') {
            lines++;
            s->at = p + 1;
        } else if (!is_blank(*p) && !(*p == '\r' && p[1] == '\n')) {
            break;
        }
    }
    return lines;
}

bool scan_next_line(struct scan *s)
{
    if (scan_peek(s) == '\n')
        s->at++;
    return scan_peek(s) >= 0;
}
