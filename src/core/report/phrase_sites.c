/* The allocation sites of a suspect, in a line. Must not depend on format. */
#include "report/phrases.h"

#include "heap/names.h"
#include "report/text_parts.h"

#include <string.h>

/* --- code --------------------------------------------------------------------------- */

/* Returns the begin of the last part of a name that ends before `end`: after a dot outside
 * of brackets. */
static const char *last_part(const char *name, const char *end)
{
    int depth = 0;
    const char *at = end;
    for (; at > name; at--) {
        char c = at[-1];
        depth += (c == '>' || c == ']' || c == ')') - (c == '<' || c == '[' || c == '(');
        if (c == '.' && depth <= 0 && at < end)
            return at;
    }
    return name;
}

const char *short_method(const char *method)
{
    const char *end = method + strlen(method);
    const char *at = last_part(method, end);
    while (at > method && at[-1] == '.') /* ".ctor" has one of its own */
        at--;
    return last_part(method, at);
}

enum { SHOWN_LINES = 3 };

/* Lines within a method. */
struct code_lines {
    uint64_t all[SHOWN_LINES + 1];
    size_t len;
};

static void learn_line(struct code_lines *l, uint64_t line)
{
    size_t i = 0;
    while (i < l->len && l->all[i] != line)
        i++;
    if (i == l->len && i <= SHOWN_LINES && line != HD_UNKNOWN)
        l->all[l->len++] = line;
}

/* Appends "Checkout.Add (Checkout.cs:42, 57)". */
static void add_code(struct sentence *h, const struct hd_code *c, bool in_full,
                     const struct code_lines *lines)
{
    struct text word = {0};
    format_name(&word, in_full ? c->method : short_method(c->method));
    sentence_add_name(h, &word);
    text_free(&word);
    if (c->file == NULL)
        return;
    say(h, " (");
    format_name(&word, c->file);
    sentence_add_name(h, &word);
    text_free(&word);
    for (size_t i = 0; i < lines->len && i < SHOWN_LINES; i++)
        say(h, i == 0 ? ":" : ", ", as_digits(lines->all[i]));
    say(h, lines->len > SHOWN_LINES ? ", …)" : ")");
}

void phrase_code(struct sentence *h, const struct hd_code *code)
{
    h->name_count = 0; /* the caller needs only words */
    struct code_lines line = {.len = 0};
    learn_line(&line, code->line);
    add_code(h, code, false, &line);
}

/* --- samples ------------------------------------------------------------------------ */

/* Fewer samples locate the code, but do not prove that all is from there. */
enum { ENOUGH_SAMPLES = 3 };

/* Level of detail, from full to least. */
enum detail { IN_FULL, SHORT_NAMES, WITHOUT_INTERVALS, WITHOUT_CALLER, DETAILS };

/* Returns all lines of the method that allocated, the one with most samples first: the
 * samples of a site are those of the method. */
static struct code_lines lines_of(const struct hd_site *site)
{
    struct code_lines l = {.len = 0};
    learn_line(&l, site->code->line);
    for (size_t i = 0; i < site->stack_count; i++) {
        const struct hd_site_stack *s = &site->stacks[i];
        size_t k = 0;
        while (k < s->frame_count && strcmp(s->frames[k].method, site->code->method) != 0)
            k++;
        if (k < s->frame_count)
            learn_line(&l, s->frames[k].line);
    }
    return l;
}

static void add_site(struct sentence *h, const struct hd_allocations *a, enum detail detail)
{
    const struct hd_site *site = &a->sites[0];
    bool is_sure = a->samples >= ENOUGH_SAMPLES;
    struct code_lines lines = lines_of(site);
    add_code(h, site->code, detail == IN_FULL, &lines);
    if (site->caller != NULL && detail < WITHOUT_CALLER) {
        struct text word = {0};
        format_name(&word, short_method(site->caller->method));
        say(h, " ← ");
        sentence_add_name(h, &word);
        text_free(&word);
    }
    if (!is_sure)
        say(h, ", as far as seen: ", as_plural(a->samples, "sample"));
    else
        say(h, "   ", site->samples, " of ", as_plural(a->samples, "sample"));
    if (is_sure && a->in_every_interval && detail < WITHOUT_INTERVALS)
        say(h, ", in every interval");
}

/* Appends minutes, or hours if there are many. */
static void add_wait(struct sentence *h, uint64_t seconds)
{
    enum { MINUTE = 60, HOUR = 3600, MINUTES = 2 * HOUR };
    bool hours = seconds > MINUTES;
    uint64_t unit = hours ? HOUR : MINUTE, n = seconds / unit + (seconds % unit != 0);
    say(h, ", at most about ", n, " more ", as_noun(n, hours ? "hour" : "minute"));
}

/* A suspect of ten times the usual distance between samples should have one. */
static void add_reason(struct sentence *h, const struct hd_allocations *a)
{
    enum { CERTAIN = 10, USUAL = 102400 };
    uint64_t each = a->per_sample != HD_UNKNOWN ? a->per_sample : USUAL;
    if (a->unnamed > 0) {
        say(h, "unknown: ", as_plural(a->unnamed, "sample"), " without names of methods");
    } else if (a->grown != HD_UNKNOWN && a->grown / CERTAIN >= each) {
        say(h, "unknown: none of its objects was sampled");
    } else if (!a->is_whole) {
        say(h, "unknown: not every interval was sampled");
    } else {
        say(h, "too little for a sample");
        if (a->grown != HD_UNKNOWN)
            say(h, ": ", as_size(a->grown), " so far");
        if (a->wait_seconds != HD_UNKNOWN)
            add_wait(h, a->wait_seconds);
    }
}

void phrase_allocated(struct sentence *h, const struct hd_suspect *s, size_t columns)
{
    const struct hd_allocations *a = s->allocated;
    if (a == NULL)
        return;
    if (a->site_count == 0) {
        add_reason(h, a);
        return;
    }
    for (enum detail detail = IN_FULL; detail < DETAILS; detail++) {
        struct sentence line = {0};
        add_site(&line, a, detail);
        bool fits =
            printed_columns(text_string(&line.words), line.words.len, false) <= columns;
        sentence_free(&line);
        if (fits || detail + 1 == DETAILS) {
            add_site(h, a, detail);
            return;
        }
    }
}

void phrase_rule_allocated(struct text *t, const struct hd_model *m,
                           const struct hd_finding *rule)
{
    const struct hd_diff *d = m->diff;
    struct sentence h = {0};
    for (size_t i = 0; rule->is_suspect && i < d->suspect_count; i++)
        if (strcmp(d->suspects[i].type, rule->type) == 0 && h.words.len == 0)
            phrase_allocated(&h, &d->suspects[i], SIZE_MAX);
    say(t, as_text(&h.words));
    sentence_free(&h);
}

bool phrase_witness(struct text *t, const struct hd_suspect *s)
{
    const struct hd_allocations *a = s->allocated;
    if (a == NULL || !a->in_every_interval || s->cohorts == NULL ||
        !s->cohorts->accumulates)
        return false;
    say(t, "allocated in every interval, and ",
        s->cohorts->died == 0 ? "all objects survive" : "the objects survive");
    return true;
}
