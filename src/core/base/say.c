#include "base/say.h"

#include "base/text.h"
#include "heapdrift.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- one number or name -------------------------------------------------------------- */

void format_count(struct text *t, uint64_t n)
{
    if (n == HD_UNKNOWN) {
        text_add_char(t, '-');
        return;
    }
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text_add_char(t, ',');
        text_add_char(t, digits[i]);
    }
}

static bool add_sign(struct text *t, uint64_t first, uint64_t last)
{
    if (first == HD_UNKNOWN || last == HD_UNKNOWN) {
        text_add_char(t, '-');
        return false;
    }
    if (last != first)
        text_add_char(t, last > first ? '+' : '-');
    return true;
}

static uint64_t distance(uint64_t first, uint64_t last)
{
    return last > first ? last - first : first - last;
}

void format_delta(struct text *t, uint64_t first, uint64_t last)
{
    if (add_sign(t, first, last))
        format_count(t, distance(first, last));
}

static void add_binary(struct text *t, double bytes, unsigned more)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    char s[48];
    size_t unit = 0;
    if (bytes < 1024) {
        c_snprintf(s, sizeof(s), "%.0f B", bytes);
    } else {
        /* 1023.6 KiB would be printed as 1024. */
        for (bytes /= 1024; bytes >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units);
             bytes /= 1024)
            unit++;
        int decimals = bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
        c_snprintf(s, sizeof(s), "%.*f %s", decimals + (int)more, bytes, units[unit]);
    }
    text_add_string(t, s);
}

void format_size_to(struct text *t, uint64_t bytes, unsigned more)
{
    if (bytes == HD_UNKNOWN)
        text_add_char(t, '-');
    else
        add_binary(t, (double)bytes, more);
}

void format_size(struct text *t, uint64_t bytes)
{
    format_size_to(t, bytes, 0);
}

void format_size_delta(struct text *t, uint64_t first, uint64_t last)
{
    if (add_sign(t, first, last))
        add_binary(t, (double)distance(first, last), 0);
}

void format_size_signed(struct text *t, int64_t bytes)
{
    format_size_delta(t, bytes < 0 ? (uint64_t)-bytes : 0, bytes < 0 ? 0 : (uint64_t)bytes);
}

void format_percent(struct text *t, double share)
{
    char s[32];
    if (share > 0 && share < 0.0005)
        snprintf(s, sizeof(s), "<0.1 %%");
    else
        c_snprintf(s, sizeof(s), "%.*f %%", share < 0.0995 && share > 0 ? 1 : 0,
                   100 * share);
    text_add_string(t, s);
}

void format_duration(struct text *t, uint64_t seconds)
{
    static const struct {
        uint64_t seconds;
        const char *name;
    } units[] = {{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}};
    enum { COUNT = sizeof(units) / sizeof(*units) };
    size_t i = 0;
    while (i + 1 < COUNT && seconds < units[i].seconds)
        i++;
    format_count(t, seconds / units[i].seconds);
    text_add_string(t, units[i].name);
    const uint64_t rest = seconds % units[i].seconds;
    if (i + 1 == COUNT || rest < units[i + 1].seconds)
        return;
    text_add_char(t, ' ');
    format_count(t, rest / units[i + 1].seconds);
    text_add_string(t, units[i + 1].name);
}

void format_plural(struct text *t, uint64_t n, const char *noun)
{
    format_count(t, n);
    text_add_char(t, ' ');
    text_add_string(t, noun);
    if (n != 1)
        text_add_char(t, 's');
}

void format_name(struct text *t, const char *name)
{
    struct text valid = {0};
    text_add_utf8(&valid, name, strlen(name));
    text_add_visible(t, valid.data, valid.len, false);
    text_free(&valid);
}

/* --- sentences ------------------------------------------------------------------------ */

void sentence_free(struct sentence *s)
{
    text_free(&s->words);
}

void sentence_end_name(struct sentence *s, size_t from)
{
    assert(s->name_count < SENTENCE_NAMES);
    s->names[s->name_count++] = (struct sentence_name){from, s->words.len};
}

void say_sentence(struct sentence *to, const struct say_part *parts)
{
    for (const struct say_part *p = parts; p->add != NULL; p++)
        p->add(to, p);
}

void say_text(struct text *to, const struct say_part *parts)
{
    struct sentence s = {.words = *to};
    for (const struct say_part *p = parts; p->add != NULL; p++) {
        p->add(&s, p);
        s.name_count = 0;
    }
    *to = s.words;
}

/* --- parts ---------------------------------------------------------------------------- */

static void add_words(struct sentence *to, const struct say_part *p)
{
    text_add_string(&to->words, p->words);
}

struct say_part say_words(const char *words)
{
    return (struct say_part){.add = add_words, .words = words};
}

static void add_count(struct sentence *to, const struct say_part *p)
{
    format_count(&to->words, p->n);
}

struct say_part say_count(uint64_t n)
{
    return (struct say_part){.add = add_count, .n = n};
}

struct say_part say_same(struct say_part p)
{
    return p;
}

static void add_size(struct sentence *to, const struct say_part *p)
{
    format_size(&to->words, p->n);
}

struct say_part as_size(uint64_t bytes)
{
    return (struct say_part){.add = add_size, .n = bytes};
}

static void add_size_change(struct sentence *to, const struct say_part *p)
{
    format_size_delta(&to->words, p->n, p->last);
}

struct say_part as_size_change(uint64_t first, uint64_t last)
{
    return (struct say_part){.add = add_size_change, .n = first, .last = last};
}

struct say_part as_size_signed(int64_t bytes)
{
    return bytes < 0 ? as_size_change((uint64_t)-bytes, 0)
                     : as_size_change(0, (uint64_t)bytes);
}

static void add_percent(struct sentence *to, const struct say_part *p)
{
    format_percent(&to->words, p->x);
}

struct say_part as_percent(double share)
{
    return (struct say_part){.add = add_percent, .x = share};
}

static void add_duration(struct sentence *to, const struct say_part *p)
{
    format_duration(&to->words, p->n);
}

struct say_part as_duration(uint64_t seconds)
{
    return (struct say_part){.add = add_duration, .n = seconds};
}

static void add_digits(struct sentence *to, const struct say_part *p)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, p->n);
    text_add_string(&to->words, digits);
}

struct say_part as_digits(uint64_t n)
{
    return (struct say_part){.add = add_digits, .n = n};
}

static void add_hex(struct sentence *to, const struct say_part *p)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%" PRIx64, p->n);
    text_add_string(&to->words, digits);
}

struct say_part as_hex(uint64_t n)
{
    return (struct say_part){.add = add_hex, .n = n};
}

static void add_number(struct sentence *to, const struct say_part *p)
{
    char digits[32];
    c_snprintf(digits, sizeof(digits), "%g", p->x);
    text_add_string(&to->words, digits);
}

struct say_part as_number(double x)
{
    return (struct say_part){.add = add_number, .x = x};
}

static void add_change(struct sentence *to, const struct say_part *p)
{
    format_delta(&to->words, p->n, p->last);
}

struct say_part as_change(uint64_t first, uint64_t last)
{
    return (struct say_part){.add = add_change, .n = first, .last = last};
}

static void add_range(struct sentence *to, const struct say_part *p)
{
    say(to, p->n, p->last > p->n ? "–" : "");
    if (p->last > p->n)
        say(to, p->last);
}

struct say_part as_range(uint64_t least, uint64_t most)
{
    return (struct say_part){.add = add_range, .n = least, .last = most};
}

static void add_plural(struct sentence *to, const struct say_part *p)
{
    format_plural(&to->words, p->n, p->words);
}

struct say_part as_plural(uint64_t n, const char *noun)
{
    return (struct say_part){.add = add_plural, .n = n, .words = noun};
}

static void add_noun(struct sentence *to, const struct say_part *p)
{
    text_add_string(&to->words, p->words);
    text_add_string(&to->words, p->n == 1 ? "" : "s");
}

struct say_part as_noun(uint64_t n, const char *noun)
{
    return (struct say_part){.add = add_noun, .n = n, .words = noun};
}

static void say_add_name(struct sentence *to, const struct say_part *p)
{
    size_t from = to->words.len;
    format_name(&to->words, p->words);
    sentence_end_name(to, from);
}

struct say_part as_name(const char *name)
{
    return (struct say_part){.add = say_add_name, .words = name};
}

static void add_text(struct sentence *to, const struct say_part *p)
{
    const struct text *t = p->of;
    text_add(&to->words, t->data, t->len);
}

struct say_part as_text(const struct text *t)
{
    return (struct say_part){.add = add_text, .of = t};
}
