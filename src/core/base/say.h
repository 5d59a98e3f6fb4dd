/* say.h - write sentences as they are read: say(t, "grew from ", first, " to ", last, " (",
 * as_percent(share), ")").
 *
 * Each argument is a part. Strings are our own words, added as they are; unsigned integers
 * are counts, 1,234,567; everything else is wrapped in a function that returns a part:
 * as_size(), as_percent(), as_name() ... An argument of any other type does not compile: a
 * signed integer, a double, a character. Units that need more than base are parts of their
 * own, defined elsewhere: a function that returns a struct say_part.
 *
 * Unknown numbers, HD_UNKNOWN, are "-". */
#ifndef SAY_H
#define SAY_H

#include "base/text.h"

/* Words, and the places of names in them: names are read from files, so each format escapes
 * them its own way. {0} is empty. */
enum { SENTENCE_NAMES = 6 };
struct sentence {
    struct text words;
    struct sentence_name {
        size_t from, to; /* bytes of words */
    } names[SENTENCE_NAMES];
    size_t name_count;
};

void sentence_free(struct sentence *s);

/* Marks the words from byte `from` on as a name. At most SENTENCE_NAMES. */
void sentence_end_name(struct sentence *s, size_t from);

/* A piece of a sentence: the function that appends it, and its arguments. */
struct say_part {
    void (*add)(struct sentence *to, const struct say_part *p);
    const char *words;
    const void *of;
    union {
        uint64_t n;
        double x;
    };
    uint64_t last; /* of a change from n */
};

/* Appends the parts to `to`, a struct text or a struct sentence; at most 16. In a text the
 * places of names are not recorded. */
#define say(to, ...)                       \
    _Generic((to), struct text *           \
             : say_text, struct sentence * \
             : say_sentence)(to, (const struct say_part[]){SAY_PARTS(__VA_ARGS__), {0}})

/* --- parts ------------------------------------------------------------------------- */

struct say_part as_size(uint64_t bytes);       /* 96 B, 1.84 MiB, 188 KiB */
struct say_part as_size_signed(int64_t bytes); /* +1.84 MiB */
struct say_part as_percent(double share);      /* 7.9 %, 31 %, <0.1 % */
struct say_part as_duration(uint64_t seconds); /* 45 s, 2 h 10 min, 3 d 4 h */
struct say_part as_digits(uint64_t n);         /* 1234567, to be typed as it is */
struct say_part as_hex(uint64_t n);            /* 0x7f3a */
struct say_part as_number(double x);           /* 0.5, 1e+20: as %g prints it */
struct say_part as_change(uint64_t first, uint64_t last);      /* +1,234 */
struct say_part as_size_change(uint64_t first, uint64_t last); /* -1.84 MiB */
struct say_part as_plural(uint64_t n, const char *noun);       /* 1 chain, 2 chains */

/* 28–33; 28 of equal ones. */
struct say_part as_range(uint64_t least, uint64_t most);

/* The noun alone, for a count that is printed elsewhere: "chain", "chains". */
struct say_part as_noun(uint64_t n, const char *noun);

/* A name from a file: valid UTF-8, controls and commands of build servers visible. */
struct say_part as_name(const char *name);

/* The text, which must not be the destination. */
struct say_part as_text(const struct text *t);

/* --- the same for one number, appended to a text ----------------------------------- */

void format_count(struct text *t, uint64_t n);                    /* 1,234,567 */
void format_delta(struct text *t, uint64_t first, uint64_t last); /* +1,234 */

/* 96 B, 1.84 MiB, 188 KiB: three digits, binary units. */
void format_size(struct text *t, uint64_t bytes);
/* With `more` additional decimals, to tell similar sizes apart. */
void format_size_to(struct text *t, uint64_t bytes, unsigned more);
void format_size_delta(struct text *t, uint64_t first, uint64_t last);
void format_size_signed(struct text *t, int64_t bytes); /* +1.84 MiB */
void format_percent(struct text *t, double share);      /* 7.9 %, 31 % */

/* Two units at most: "45 s", "3 min 20 s", "2 h 10 min", "3 d 4 h". */
void format_duration(struct text *t, uint64_t seconds);

void format_plural(struct text *t, uint64_t n, const char *noun); /* 1 chain, 2 chains */

/* Appends a name in valid UTF-8, control characters (C0, C1) visible: \t, \n, \x1b;
 * commands of build servers are broken up: #\x23[error]. */
void format_name(struct text *t, const char *name);

/* --- called by say() ----------------------------------------------------------------- */

void say_text(struct text *to, const struct say_part *parts);
void say_sentence(struct sentence *to, const struct say_part *parts);

/* Parts for arguments of other types. */
struct say_part say_words(const char *words);
struct say_part say_count(uint64_t n);
struct say_part say_same(struct say_part p);

#define SAY_PART(x) \
    _Generic((x), char * : say_words, const char * : say_words, unsigned char : say_count, \
             unsigned short : say_count, unsigned : say_count, unsigned long : say_count,  \
             unsigned long long : say_count, struct say_part : say_same)(x)

/* SAY_PART() of each argument. */
#define SAY_1(x) SAY_PART(x)
#define SAY_2(x, ...) SAY_PART(x), SAY_1(__VA_ARGS__)
#define SAY_3(x, ...) SAY_PART(x), SAY_2(__VA_ARGS__)
#define SAY_4(x, ...) SAY_PART(x), SAY_3(__VA_ARGS__)
#define SAY_5(x, ...) SAY_PART(x), SAY_4(__VA_ARGS__)
#define SAY_6(x, ...) SAY_PART(x), SAY_5(__VA_ARGS__)
#define SAY_7(x, ...) SAY_PART(x), SAY_6(__VA_ARGS__)
#define SAY_8(x, ...) SAY_PART(x), SAY_7(__VA_ARGS__)
#define SAY_9(x, ...) SAY_PART(x), SAY_8(__VA_ARGS__)
#define SAY_10(x, ...) SAY_PART(x), SAY_9(__VA_ARGS__)
#define SAY_11(x, ...) SAY_PART(x), SAY_10(__VA_ARGS__)
#define SAY_12(x, ...) SAY_PART(x), SAY_11(__VA_ARGS__)
#define SAY_13(x, ...) SAY_PART(x), SAY_12(__VA_ARGS__)
#define SAY_14(x, ...) SAY_PART(x), SAY_13(__VA_ARGS__)
#define SAY_15(x, ...) SAY_PART(x), SAY_14(__VA_ARGS__)
#define SAY_16(x, ...) SAY_PART(x), SAY_15(__VA_ARGS__)
#define SAY_NTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, nth, ...) nth
#define SAY_PARTS(...)                                                                  \
    SAY_NTH(__VA_ARGS__, SAY_16, SAY_15, SAY_14, SAY_13, SAY_12, SAY_11, SAY_10, SAY_9, \
            SAY_8, SAY_7, SAY_6, SAY_5, SAY_4, SAY_3, SAY_2, SAY_1, 0)                  \
    (__VA_ARGS__)

#endif
