/* text.h - a growable byte string; UTF-8, as ASCII, from UTF-16; numbers and letters of the
 * C locale; paths.
 *
 * Type names are bytes: they are stored and compared unchanged, and only the writers care
 * whether they are UTF-8. A {0} text is empty. */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* malloc'd, not NUL-terminated; NULL while empty */
    size_t len, cap;
};

void text_add(struct text *t, const void *bytes, size_t len);
void text_add_char(struct text *t, char c);
void text_add_string(struct text *t, const char *s);

/* The UTF-8 form of a code point up to U+10FFFF; surrogates are written as
 * three bytes too, and become U+FFFD when printed (text_add_utf8). */
void text_add_code_point(struct text *t, uint32_t code);

/* bytes, with everything that is not UTF-8 replaced by U+FFFD (one per
 * offending byte; one per lone surrogate). */
void text_add_utf8(struct text *t, const void *bytes, size_t len);

/* True if a terminal, an editor or a browser obeys the character instead of showing it: C0,
 * DEL, C1, line ends of Unicode, and bidirectional controls (with which "gnp.exe" is read
 * as "exe.png": CVE-2021-42574). */
bool text_is_control(uint32_t code);

/* True if a command of a build server begins at byte i: "::error::" where a line may begin,
 * "##vso[" and "##[error]" anywhere, of which the second # counts. */
bool text_is_command(const char *s, size_t len, size_t i);

/* Appends UTF-8 with controls and commands escaped, "\x1b", "\u202e", "#\x23vso[". Tabs and
 * line ends are written as "\t", "\r", "\n", or kept (keep_lines). */
void text_add_visible(struct text *t, const char *s, size_t len, bool keep_lines);

/* Returns the content as a C string; valid until the next change. */
const char *text_string(struct text *t);

static inline void text_clear(struct text *t)
{
    t->len = 0;
}
void text_free(struct text *t);

/* Returns the length in bytes of the UTF-8 sequence at s (1 to 4), or 0 if it is invalid:
 * overlong, surrogate, truncated, out of range. */
size_t utf8_length(const unsigned char *s, size_t left);

/* Returns the code point of the valid sequence of n bytes at s. */
uint32_t utf8_decode(const unsigned char *s, size_t n);

/* ED A0..BF 80..BF: half of a UTF-16 pair. UTF-8 must not have it, but names may. */
bool utf8_is_lone_surrogate(const unsigned char *s, size_t left);

/* True if other bytes are not UTF-8. */
bool utf8_is_damaged(const char *s);

/* Columns that a terminal needs for it: 2 for wide characters, 0 for combining ones. */
size_t utf8_columns(const char *s, size_t len);

/* --- ascii ------------------------------------------------------------------------ */

/* UTF-8 for outputs that show only ASCII.
 *
 * Arrows, bars, dashes and lines of trees have a plain form; any other character is written
 * as its number, "caf\u{e9}". Must not depend on the content of the text. */

/* Appends the text in ASCII. */
void text_add_ascii(struct text *t, const char *s, size_t len);

/* Returns the columns of s in print: those of its ASCII form, or of itself. */
size_t printed_columns(const char *s, size_t len, bool ascii);

/* --- utf16 ------------------------------------------------------------------------ */

/* UTF-16 to UTF-8, and surrogate pairs. .NET's strings are unvalidated UTF-16: a surrogate
 * may be alone. It is preserved, as three bytes (text.h), so that two names that differ
 * stay two. */

enum utf16_order { UTF16_LITTLE, UTF16_BIG };

/* The first and the second of a pair. */
static inline bool utf16_is_high(uint32_t unit)
{
    return unit >> 10 == 0x36;
}

static inline bool utf16_is_low(uint32_t unit)
{
    return unit >> 10 == 0x37;
}

/* Between a pair and its code point, which is 0x10000 or more. */
uint32_t utf16_join(uint32_t high, uint32_t low);
void utf16_split(uint32_t code, uint32_t *high, uint32_t *low);

/* Appends count units of two bytes; NUL is one like any other. */
void text_add_utf16(struct text *t, const unsigned char *units, size_t count,
                    enum utf16_order order);

/* --- c locale --------------------------------------------------------------------- */

/* Numbers and letters of the C locale, whatever setlocale() or uselocale() is set to: a
 * caller under de_DE must not get "1,9" in a CSV, nor 1 for "1.9". For everything with a
 * decimal point, and for letters of ASCII. Integers are the same everywhere. */

int c_vsnprintf(char *s, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
int c_snprintf(char *s, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
double c_strtod(const char *s, char **end);

bool ascii_is_alnum(char c);

/* True if two words differ at most in case. */
bool ascii_same_word(const char *a, const char *b);

/* --- word ------------------------------------------------------------------------- */

/* A name as a word of a line: blanks, which end a word, controls, which end a line, '%' and
 * bytes beyond ASCII are "%20". */
void text_add_word(struct text *t, const char *name);

/* Returns the length of the word for a name of len bytes. */
size_t text_word_length(const char *name, size_t len);

/* Returns the next byte of the name that the word from *at < end encodes, and moves *at
 * past it. NUL only if the word has an unescaped one. */
char text_take_char(const char **at, const char *end);

/* --- path ------------------------------------------------------------------------- */

/* The parts of a path, by its letters: the file system is not read. */

/* Returns the part after the last slash; all of a path that ends in one. */
const char *path_file_name(const char *path);

/* True also if path equals `end`. */
bool path_ends_in(const char *path, const char *end);

#endif
