/* The verdict of a diff in a sentence, for who reads no further: what piles up, how much of
 * the heap that is, and what holds it; or that nothing keeps growing. What the snapshots
 * cannot show is said behind it, so that nobody is calmed without a reason. It knows no
 * format and no width. */
#include "report/phrases.h"

#include "heap/place.h"
#include "ranking/power.h"
#include "report/text_growth.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

/* A name is a word of a sentence here: longer ones are cut. */
enum { NAME_COLUMNS = 48, ENOUGH_SNAPSHOTS = 4 };

static void say(struct headline *h, const char *words)
{
    text_add_string(&h->words, words);
}

/* What comes from a file has to be known as such: formats escape it. */
static void end_name(struct headline *h, size_t from)
{
    assert(h->name_count < HEADLINE_NAMES);
    h->names[h->name_count++] = (struct headline_name){from, h->words.len};
}

static void say_name(struct headline *h, const char *name)
{
    struct text plain = {0};
    format_short_name(&plain, name);
    size_t from = h->words.len;
    format_shorten(&h->words, text_string(&plain), plain.len, NAME_COLUMNS, false);
    end_name(h, from);
    text_free(&plain);
}

/* Of a namespace and a file all parts count. */
static void say_whole_name(struct headline *h, const char *name)
{
    struct text whole = {0};
    format_name(&whole, name);
    size_t from = h->words.len;
    format_shorten(&h->words, text_string(&whole), whole.len, NAME_COLUMNS, false);
    end_name(h, from);
    text_free(&whole);
}

/* "six", "24" */
static void say_number(struct headline *h, size_t n)
{
    static const char *const words[] = {"no",   "one",    "two",   "three", "four",
                                        "five", "six",    "seven", "eight", "nine",
                                        "ten",  "eleven", "twelve"};
    if (n < sizeof(words) / sizeof(*words))
        say(h, words[n]);
    else
        format_count(&h->words, n);
}

/* --- what holds it ------------------------------------------------------- */

/* A name that is put together of parts. */
static void say_parts(struct headline *h, struct text *parts)
{
    size_t from = h->words.len;
    format_shorten(&h->words, text_string(parts), parts->len, NAME_COLUMNS, false);
    end_name(h, from);
    text_free(parts);
}

/* Whether what stands before the name of a variable is the class that declares it. Most
 * files have the type of the value there. */
static bool is_declared(const struct hd_report *r, const char *name)
{
    bool declared = r->snapshot_count > 0;
    for (size_t k = 0; k < r->snapshot_count; k++)
        declared &= r->snapshots[k].info.has_fields;
    return declared || report_full_name(r, name) != NULL;
}

/* "[static var App.Shop.s_all]": "static s_all"; "static Shop.s_all" where Shop declares
 * it. */
static void say_variable(struct headline *h, const struct hd_report *r, const char *name)
{
    bool declared = is_declared(r, name);
    struct place place = place_of(name), shown = place_of(report_shown(r, name));
    if (declared && place_is_variable(&shown))
        place = shown;
    bool has_field = place.field.at != NULL;
    struct name_part last = has_field ? place.field : place.type;
    struct text type = {0}, word = {0}, field = {0};
    if (declared && has_field) {
        text_add(&type, place.type.at, place.type.len);
        format_short_name(&word, text_string(&type));
        text_add_char(&word, '.');
    }
    text_add(&field, last.at, last.len);
    format_short_name(&word, text_string(&field));
    say(h, place.kind == PLACE_STATIC ? "the static " : "the thread static ");
    say_parts(h, &word);
    text_free(&type);
    text_free(&field);
}

static bool is_variable(const char *name)
{
    struct place place = place_of(name);
    return place_is_variable(&place);
}

/* The last one that is such, or NULL. */
static const char *nearest(const struct hd_suspect *s,
                           bool (*is_such)(const struct place *))
{
    for (size_t i = s->holder_len; i-- > 0;) {
        struct place place = place_of(s->holder[i]);
        if (is_such(&place))
            return s->holder[i];
    }
    return NULL;
}

/* By its name alone: one without a namespace may be a nested one of the framework. */
static bool is_class_of_program(const struct place *p)
{
    return p->kind == PLACE_TYPE && names_is_of_program(p->type.at) &&
           !names_is_array(p->type.at);
}

static bool is_object(const struct place *p)
{
    return p->kind == PLACE_TYPE;
}

/* A type that holds, and the field by which it does, if that is known. */
struct owner {
    const char *type, *field;
    enum hd_service service;
    const char *of; /* the program's own that has it, if it is not its own */
};

/* The class of the program that is next above the instances, but not above their owner;
 * else the owner. What is above has no part in it, but whose a package's object is. */
static struct owner program_above(const struct hd_suspect *s, const char *counted)
{
    const struct hd_chain *c = s->chains.len > 0 ? &s->chains.all[0].chain : NULL;
    if (c == NULL)
        return (struct owner){.type = nearest(s, is_class_of_program)};
    bool owned = c->owner_frame < c->frame_count;
    if (owned && c->owner_of != NULL)
        return (struct owner){.type = c->owner, .of = c->owner_of};
    size_t top = owned ? c->owner_frame + 1 : 0;
    for (size_t i = c->frame_count; i-- > top + 1;) {
        const struct hd_frame *f = &c->frames[i - 1];
        const char *type = f->types[0];
        if (f->is_program && f->type_count == 1 && !place_is_root(type) &&
            !names_is_array(type) && strcmp(type, counted) != 0 &&
            strcmp(type, s->type) != 0)
            return (struct owner){.type = type, .field = f->field};
    }
    /* What piles up may be its own owner: one that a root refers to. */
    if (!owned || strcmp(c->owner, counted) == 0 || strcmp(c->owner, s->type) == 0)
        return (struct owner){0};
    const struct hd_frame *f = &c->frames[c->owner_frame];
    return (struct owner){.type = c->owner,
                          .field = f->type_count == 1 ? f->field : NULL,
                          .service = c->service};
}

/* "Session.Log" */
static void say_owner(struct headline *h, const struct hd_report *r, const struct owner *o)
{
    struct text word = {0};
    format_short_name(&word, report_shown(r, o->type));
    format_field(&word, o->type, o->field);
    say(h, o->service == HD_SERVICE_SINGLETON ? "the singleton " : "");
    say_parts(h, &word);
    if (o->of == NULL)
        return;
    say(h, " of ");
    if (is_variable(o->of))
        say_variable(h, r, o->of);
    else
        say_name(h, report_shown(r, o->of));
}

static const char *const held_by_kind[HD_ROOT_KIND_COUNT] = {
    [HD_ROOT_STATIC] = "a static variable",
    [HD_ROOT_THREAD_STATIC] = "a thread static variable",
    [HD_ROOT_STRONG_HANDLE] = "a strong handle",
    [HD_ROOT_PINNED_HANDLE] = "a pinned handle",
    [HD_ROOT_REF_COUNTED_HANDLE] = "a COM reference",
    [HD_ROOT_DEPENDENT_HANDLE] = "a dependent handle",
    [HD_ROOT_STACK] = "a local variable",
    [HD_ROOT_FINALIZER] = "the finalizer queue"};

/* The variable that says something, else the class of the program that is next to it, else
 * what is known of the root. False and nothing said if nothing is. */
static bool say_holder(struct headline *h, const struct hd_report *r,
                       const struct hd_suspect *s, const char *counted, const char *joint)
{
    const char *field = nearest(s, place_tells);
    struct owner owner = program_above(s, counted);
    const char *kind = s->chains.len > 0 ? held_by_kind[s->chains.all[0].chain.kind] : NULL;
    if (field == NULL && owner.type == NULL)
        field = nearest(s, place_is_variable);
    if (field == NULL && owner.type == NULL && r->options.by == HD_BY_HOLDER)
        owner.type = nearest(s, is_object);
    if (field == NULL && owner.type == NULL && kind == NULL)
        return false;
    say(h, joint);
    if (field != NULL) {
        say_variable(h, r, field);
    } else if (owner.type != NULL && is_variable(owner.type)) {
        say_variable(h, r, owner.type);
    } else if (owner.type != NULL) {
        say_owner(h, r, &owner);
    } else {
        say(h, kind);
    }
    return true;
}

/* Whether one chain stands for nearly all, for most, or for few of the instances. */
static void say_held(struct headline *h, const struct hd_report *r,
                     const struct hd_suspect *s, const char *counted)
{
    double share = s->chains.len > 0 ? s->chains.all[0].chain.share : 1;
    if (s->basis == HD_BASIS_TYPE)
        say(h, ", held in changing places");
    else if (share < 0.5)
        say(h, ", held in several ways");
    else
        say_holder(h, r, s, counted, share < 0.9 ? ", mostly held by " : ", held by ");
}

/* --- the first suspect --------------------------------------------------- */

/* What a sentence counts: objects of one name, from first to last. */
struct counted {
    const char *name;
    uint64_t first, last;
    bool is_subject; /* the name is that of the title */
};

static uint64_t gained(const struct counted *c)
{
    return c->last > c->first ? c->last - c->first : 0;
}

/* Of a title that goes along with the type: one object of the program for each two of the
 * type, or more. A holder of them is none. */
static bool count_subject(struct counted *c, const struct hd_report *r,
                          const struct hd_suspect *s)
{
    const struct hd_type_table *all = &r->found.diff.types;
    for (size_t i = 0; i < all->len; i++) {
        if (strcmp(all->rows[i].type, s->subject) != 0)
            continue;
        struct counted subject = {s->subject, all->rows[i].at[0].count,
                                  all->rows[i].at[r->snapshot_count - 1].count, true};
        if (gained(&subject) == 0 || 2 * gained(&subject) < gained(c))
            return false;
        *c = subject;
        return true;
    }
    return false;
}

static struct counted count_of(const struct hd_report *r, const struct hd_suspect *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    bool at_place;
    size_t n = hd_suspect_counts(s, r->snapshot_count, at, &at_place);
    struct counted c = {s->type, at[0].count, at[n - 1].count,
                        strcmp(s->type, s->subject) == 0};
    if (!c.is_subject && !at_place)
        count_subject(&c, r, s);
    return c;
}

/* "in six snapshots", "between two snapshots" */
static void say_snapshots(struct headline *h, const struct hd_report *r)
{
    say(h, r->diff.usable_count == 2 ? " between " : " in ");
    say_number(h, r->diff.usable_count);
    say(h, " snapshots");
}

static void say_count(struct headline *h, const struct counted *c, const char *unit)
{
    say(h, ": ");
    format_count(&h->words, c->first);
    say(h, " → ");
    format_count(&h->words, c->last);
    say(h, unit);
}

/* ", +3.31 MiB, 66 % of the heap" */
static void say_gain(struct headline *h, const struct hd_report *r,
                     const struct hd_suspect *s)
{
    say(h, ", ");
    if (r->diff.by_graph || r->diff.types.bytes_known) {
        text_gain(&h->words, r, s);
        say(h, ", ");
    }
    format_percent(&h->words, text_gain_share(r, s));
    say(h,
        r->diff.types.bytes_known || r->diff.by_graph ? " of the heap" : " of the objects");
}

/* ", since snapshot 13 (14:05 UTC)" */
static void say_since(struct headline *h, const struct hd_report *r,
                      const struct hd_suspect *s)
{
    struct text since = {0};
    if (text_since(&since, r, s->births)) {
        say(h, ", ");
        say(h, text_string(&since));
    }
    text_free(&since);
}

/* "Session objects pile up: 0 → 6,000 in six snapshots" */
static void say_objects(struct headline *h, const struct hd_report *r,
                        const struct hd_suspect *s, const struct counted *c)
{
    bool two = r->diff.usable_count == 2, larger = gained(c) == 0;
    struct text method = {0};
    bool is_call = format_method(&method, c->name, true);
    if (is_call)
        say_whole_name(h, text_string(&method));
    else
        say_name(h, report_shown(r, c->name));
    text_free(&method);
    say(h, is_call ? " calls" : " objects");
    if (larger)
        say(h, two ? " grew in size" : " grow in size");
    else if (two)
        say(h, " grew in number");
    else
        say(h, s->suspicion == HD_SUSPECT_AGE      ? " come and stay"
               : s->suspicion == HD_SUSPECT_STEADY ? " are added in every step"
                                                   : " pile up");
    if (!larger)
        say_count(h, c, "");
    say_snapshots(h, r);
}

/* Of a row that stands for a namespace, a module, a holder. */
static void say_unit(struct headline *h, const struct hd_report *r,
                     const struct hd_suspect *s, const struct counted *c)
{
    const bool two = r->diff.usable_count == 2;
    if (r->options.by != HD_BY_HOLDER) {
        say(h, r->options.by == HD_BY_MODULE ? "Module " : "Namespace ");
        say_whole_name(h, s->subject);
    } else if (s->holder_len > 0 && say_holder(h, r, s, s->type, "What ")) {
        say(h, " holds");
    } else {
        say(h, "What one holder holds");
    }
    say(h, two ? " grew" : " keeps growing");
    say_count(h, c, " objects");
    say_snapshots(h, r);
}

static void say_suspect(struct headline *h, const struct hd_report *r,
                        const struct hd_suspect *s)
{
    struct counted c = count_of(r, s);
    bool is_type = r->options.by == HD_BY_TYPE;
    if (is_type)
        say_objects(h, r, s, &c);
    else
        say_unit(h, r, s, &c);
    say_since(h, r, s);
    if (s->per_iteration != HD_UNKNOWN) {
        say(h, ", exactly ");
        format_count(&h->words, s->per_iteration);
        say(h, " per iteration");
    }
    say_gain(h, r, s);
    if (is_type)
        say_held(h, r, s, c.name);
}

static void say_more_suspects(struct headline *h, size_t more)
{
    if (more == 0)
        return;
    say(h, "; and ");
    format_count(&h->words, more);
    say(h, more == 1 ? " more suspect" : " more suspects");
}

/* Whether that is the news, and not a few objects that go along with it. */
static bool leads(const struct hd_native *n, const struct hd_diff *d)
{
    return n != NULL && d->suspect_count > 0 && strcmp(d->suspects[0].type, n->type) != 0 &&
           d->suspects[0].suspicion == HD_SUSPECT_STEADY;
}

/* --- nothing ------------------------------------------------------------- */

/* What stays below the line, but is more than noise; between two snapshots all that grew is
 * worth the exact words. */
static bool is_near(const struct hd_report *r)
{
    const struct hd_diff *all = &r->found.diff;
    for (size_t i = 0; i < all->minor_count; i++)
        if (text_gain_share(r, &all->minor[i]) >= TEXT_NOISE_SHARE)
            return true;
    return r->diff.usable_count == 2 && all->minor_count > 0;
}

static void say_nothing(struct headline *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const bool two = d->usable_count == 2;
    if (d->growth.is_open && d->hidden_count == 0) {
        say(h, "Inconclusive: ");
        phrase_open_growth(&h->words, d->growth.open_share, d->growth.since);
        return;
    }
    if (d->hidden_count > 0) {
        say(h, two ? "Nothing of what is shown grew"
                   : "Nothing of what is shown keeps growing");
        return;
    }
    if (r->options.by != HD_BY_TYPE || d->growth.pools_are_told || !d->by_graph ||
        phrase_native_of(d) != NULL) {
        say(h, "No ");
        say(h, report_unit(r));
    } else {
        say(h, "Nothing");
    }
    say(h, two ? " grew" : " keeps growing");
    if (is_near(r)) {
        say(h, " by ");
        text_line(&h->words, r);
        say(h, " or more");
    }
    if (two)
        say_snapshots(h, r);
}

/* --- what cannot be said ------------------------------------------------- */

/* "... But this; that." */
struct doubts {
    struct headline *h;
    size_t count;
};

static struct text *doubt(struct doubts *d)
{
    say(d->h, d->count++ == 0 ? ". But " : "; ");
    return &d->h->words;
}

static void doubt_words(struct doubts *d, const char *words)
{
    text_add_string(doubt(d), words);
}

/* "Order rose in every step, 35 → 77, and may leak" */
static void doubt_undecided(struct doubts *to, const struct hd_report *r,
                            const struct hd_suspect *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    bool at_place;
    size_t n = hd_suspect_counts(s, r->snapshot_count, at, &at_place);
    doubt(to);
    say_name(to->h, s->subject);
    say(to->h, " rose in every step, ");
    format_count(&to->h->words, at[0].count);
    say(to->h, " → ");
    format_count(&to->h->words, at[n - 1].count);
    say(to->h, ", and may leak: take more snapshots");
}

static void doubt_growth(struct doubts *to, const struct hd_report *r)
{
    const struct hd_growth *g = &r->diff.growth;
    bool none = r->diff.suspect_count + r->diff.hidden_count == 0;
    if (g->has_stopped && none)
        phrase_has_stopped(doubt(to), g->stopped_share);
    if (r->diff.undecided != NULL && none && !g->is_open)
        doubt_undecided(to, r, r->diff.undecided);
    if (g->pools_are_told)
        phrase_pools(doubt(to), g);
    if (!g->unexplained || none)
        return;
    struct text *t = doubt(to);
    if (isnan(g->explained)) {
        text_add_string(t, "the heap keeps growing by what no suspect holds");
        return;
    }
    text_add_string(t, r->found.diff.suspect_count == 1 ? "this explains only "
                                                        : "the suspects explain only ");
    format_percent(t, g->explained);
    text_add_string(t, " of all growth");
}

static void doubt_snapshots(struct doubts *to, const struct hd_report *r)
{
    const size_t n = r->snapshot_count, fit = r->diff.usable_count;
    bool sampled = false;
    for (size_t k = 0; k < n; k++)
        sampled |= r->snapshots[k].info.sampled;
    if (fit < ENOUGH_SNAPSHOTS) {
        doubt(to);
        say_number(to->h, fit);
        say(to->h, r->diff.suspect_count > 0 ? " snapshots cannot tell a leak from warm-up"
                                             : " snapshots are too few to be sure");
    }
    if (fit >= ENOUGH_SNAPSHOTS && r->found.diff.suspect_count == 0 &&
        !power_is_high(fit, r->diff.identity)) {
        doubt_words(to, "a slow leak may not show in ");
        say_number(to->h, fit);
        say(to->h, " snapshots: take six");
    }
    if (fit < n) {
        doubt(to);
        say_number(to->h, n - fit);
        say(to->h, " of ");
        say_number(to->h, n);
        say(to->h, " snapshots could not be compared");
    }
    if (sampled)
        doubt_words(to, "counts are estimates of a sample");
}

static bool is_warned(const struct hd_report *r, const char *code)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, code) == 0)
            return true;
    return false;
}

/* What takes confidence and was not said yet; what no table tells; what was not looked at.
 */
static void doubt_rest(struct doubts *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (is_warned(r, "different-program"))
        doubt_words(to, "the snapshots seem to be of different programs");
    else if (is_warned(r, "different-process"))
        doubt_words(to, "the snapshots are not of one process");
    if (!d->by_graph && r->options.by == HD_BY_TYPE)
        doubt_words(to, "what holds what is not known");
    if (r->options.gen2)
        doubt_words(to, "only objects in gen2, LOH, POH and frozen segments count");
    if (r->options.reachable && !r->leaves_garbage)
        doubt_words(to, "only objects on a chain from a root count");
    bool said = to->count > 0 || (d->growth.is_open && d->suspect_count == 0);
    if (!said && d->confidence < HD_CONFIDENCE_HIGH) {
        doubt_words(to, "the confidence is ");
        say(to->h, confidence_names[d->confidence]);
    }
}

static void doubt_hidden(struct doubts *to, const struct hd_report *r)
{
    if (r->diff.hidden_count > 0)
        phrase_hidden(doubt(to), r->diff.hidden_count);
}

/* --- all of it ----------------------------------------------------------- */

static void phrase_without_rows(struct headline *h, const struct hd_report *r)
{
    h->tone = HD_TONE_UNSURE;
    if (r->diff.usable_count < 2) {
        say(h, "Inconclusive: fewer than two of the snapshots can be compared.");
        return;
    }
    struct text why = {0};
    phrase_no_match(&why, r->options.by, r->diff.no_match);
    say(h, "Nothing can be said: ");
    size_t from = h->words.len;
    format_name(&h->words, text_string(&why));
    end_name(h, from);
    say(h, why.data[why.len - 1] == '?' ? "" : ".");
    text_free(&why);
}

void phrase_verdict(struct headline *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_native *native = phrase_native_of(d);
    struct doubts doubts = {.h = to};
    *to = (struct headline){0};
    if (d->usable_count < 2 || d->no_match != NULL) {
        phrase_without_rows(to, r);
        return;
    }
    if (d->suspect_count > 0) {
        if (leads(native, d)) {
            phrase_native(&to->words, native, NULL);
            to->words.data[0] = (char)toupper((unsigned char)to->words.data[0]);
        } else {
            say_suspect(to, r, &d->suspects[0]);
        }
        say_more_suspects(to, d->suspect_count - !leads(native, d));
    } else {
        say_nothing(to, r);
    }
    doubt_hidden(&doubts, r);
    if (native != NULL && !leads(native, d))
        phrase_native(doubt(&doubts), native,
                      d->suspect_count > 0 ? d->suspects[0].type : NULL);
    doubt_growth(&doubts, r);
    doubt_snapshots(&doubts, r);
    doubt_rest(&doubts, r);
    const char *end = text_string(&to->words);
    say(to, end[to->words.len - 1] == '?' ? "" : ".");
    bool sure = (doubts.count == 0 && !d->growth.is_open) ||
                (d->suspect_count > 0 && d->usable_count > 2);
    to->tone = !sure ? HD_TONE_UNSURE : d->suspect_count > 0 ? HD_TONE_BAD : HD_TONE_GOOD;
}

void headline_free(struct headline *h)
{
    text_free(&h->words);
}
