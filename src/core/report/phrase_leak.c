/* A leak as a sentence: the counted objects, their gain, and the holder; and the path from
 * its root as a line. Must not depend on format or width. */
#include "report/phrases.h"

#include "base/text.h"
#include "heap/names.h"
#include "heap/place.h"
#include "ranking/confidence.h"
#include "ranking/hints.h"
#include "report/text_parts.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <string.h>

/* --- holder -------------------------------------------------------------- */

/* Appends "Instances" for "<Instances>k__BackingField", the field of an auto-property. */
static void add_field_name(struct text *t, struct name_part field)
{
    static const char end[] = ">k__BackingField";
    const size_t tail = sizeof(end) - 1;
    bool of_property = field.len > tail + 1 && field.at[0] == '<' &&
                       memcmp(field.at + field.len - tail, end, tail) == 0;
    text_add(t, field.at + of_property, field.len - (of_property ? tail + 1 : 0));
}

static void add_variable(struct sentence *to, const struct say_part *p)
{
    const struct hd_report *r = p->of;
    bool declared = report_is_declared(r, p->words);
    struct place place = place_of(p->words), shown = place_of(report_shown(r, p->words));
    if (declared && place_is_variable(&shown))
        place = shown;
    bool has_field = place.field.at != NULL;
    struct text type = {0}, word = {0}, field = {0};
    if (declared && has_field) {
        text_add(&type, place.type.at, place.type.len);
        format_short_name(&word, text_string(&type));
        say(&word, ".");
    }
    add_field_name(&field, has_field ? place.field : place.type);
    format_short_name(&word, text_string(&field));
    say(to, place.kind == PLACE_STATIC ? "static " : "thread static ");
    sentence_add_name(to, &word);
    text_free(&type);
    text_free(&field);
}

struct say_part as_variable(const struct hd_report *r, const char *name)
{
    return (struct say_part){.add = add_variable, .words = name, .of = r};
}

struct say_part as_place(const struct hd_report *r, const char *name)
{
    return place_names_variable(name) ? as_variable(r, name)
                                      : as_long_type(report_shown(r, name));
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

/* Decides by the name alone: a type without a namespace may be a nested one of the
 * framework. */
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
struct phrase_leak_owner {
    const char *type, *field;
    enum hd_service service;
    const char *of; /* the program's own class above, if the type is not its own */
};

/* Returns the class of the program nearest above the instances, but below their owner; else
 * the owner. Types above the owner are irrelevant, except the program's class that owns a
 * package's object. */
static struct phrase_leak_owner program_above(const struct hd_suspect *s,
                                              const char *counted)
{
    const struct hd_chain *c = s->chains.len > 0 ? &s->chains.all[0].chain : NULL;
    if (c == NULL)
        return (struct phrase_leak_owner){.type = nearest(s, is_class_of_program)};
    bool owned = c->owner_frame < c->frame_count;
    if (owned && c->owner_of != NULL)
        return (struct phrase_leak_owner){.type = c->owner, .of = c->owner_of};
    size_t top = owned ? c->owner_frame + 1 : 0;
    for (size_t i = c->frame_count; i-- > top + 1;) {
        const struct hd_frame *f = &c->frames[i - 1];
        const char *type = f->types[0];
        if (f->is_program && f->type_count == 1 && !place_is_root(type) &&
            !names_is_array(type) && strcmp(type, counted) != 0 &&
            strcmp(type, s->type) != 0)
            return (struct phrase_leak_owner){.type = type, .field = f->field};
    }
    /* The accumulating object may be its own owner: one that a root refers to. */
    if (!owned || strcmp(c->owner, counted) == 0 || strcmp(c->owner, s->type) == 0)
        return (struct phrase_leak_owner){0};
    const struct hd_frame *f = &c->frames[c->owner_frame];
    return (struct phrase_leak_owner){.type = c->owner,
                                      .field = f->type_count == 1 ? f->field : NULL,
                                      .service = c->service};
}

/* "singleton Session.Log", "Cache of static s_all" */
static void add_owner(struct sentence *h, const struct hd_report *r,
                      const struct phrase_leak_owner *o)
{
    struct text word = {0};
    if (place_names_variable(o->type)) {
        say(h, as_variable(r, o->type));
        return;
    }
    format_short_name(&word, report_shown(r, o->type));
    format_field(&word, o->type, o->field);
    say(h, o->service == HD_SERVICE_SINGLETON ? "singleton " : "");
    sentence_add_name(h, &word);
    if (o->of != NULL)
        say(h, " of ",
            place_names_variable(o->of) ? as_variable(r, o->of)
                                        : as_type(report_shown(r, o->of)));
}

const char *phrase_owner(struct hd_report *r, const char *type, enum hd_service service)
{
    struct sentence h = {0};
    if (type == NULL)
        return NULL;
    add_owner(&h, r, &(struct phrase_leak_owner){.type = type, .service = service});
    const char *words = report_string(r, text_string(&h.words));
    sentence_free(&h);
    return words;
}

static const char *const root_words[HD_ROOT_KIND_COUNT] = {
    [HD_ROOT_STATIC] = "a static variable",
    [HD_ROOT_THREAD_STATIC] = "a [ThreadStatic] variable",
    [HD_ROOT_STRONG_HANDLE] = "a strong handle",
    [HD_ROOT_PINNED_HANDLE] = "a pinned handle",
    [HD_ROOT_REF_COUNTED_HANDLE] = "a COM reference",
    [HD_ROOT_DEPENDENT_HANDLE] = "a dependent handle",
    [HD_ROOT_STACK] = "a local variable",
    [HD_ROOT_FINALIZER] = "the finalizer queue"};

/* Appends the informative variable, else the class of the program next to it, else the
 * phrase of the hint, else the kind of root. False, without output, if all are unknown, or
 * it is the subject of the sentence. */
static bool phrase_leak_add_holder(struct sentence *h, const struct hd_report *r,
                                   const struct hd_suspect *s, const char *joint)
{
    if (r->options.by == HD_BY_TYPE && place_names_variable(s->title))
        return false;
    const struct hint *hint = hint_named(s->hint);
    const char *field = nearest(s, place_tells);
    struct phrase_leak_owner owner = program_above(s, s->counted);
    /* A class of the framework is less informative than the hint's phrase. */
    if (hint != NULL && hint->holder != NULL && owner.type != NULL && owner.of == NULL &&
        names_is_framework(name_part(owner.type), NAME_WHOLE))
        owner.type = NULL;
    /* the owner is the subject already */
    if (field == NULL && owner.type != NULL && strcmp(owner.type, s->title) == 0)
        return false;
    const char *words = hint != NULL && hint->holder != NULL ? hint->holder
                        : s->chains.len > 0 ? root_words[s->chains.all[0].chain.kind]
                                            : NULL;
    if (field == NULL && owner.type == NULL && (hint == NULL || hint->holder == NULL))
        field = nearest(s, place_is_variable);
    if (field == NULL && owner.type == NULL && r->options.by == HD_BY_HOLDER)
        owner.type = nearest(s, is_object);
    if (field == NULL && owner.type == NULL && words == NULL)
        return false;
    say(h, joint);
    if (field != NULL)
        say(h, as_variable(r, field));
    else if (owner.type != NULL)
        add_owner(h, r, &owner);
    else
        say(h, words);
    return true;
}

#define NEARLY_ALL 0.9

/* The share of the instances that one chain or one owner has. */
static double share_of_one(const struct hd_suspect *s)
{
    return s->chains.len > 0 ? fmax(s->chains.all[0].chain.share, s->chains.owner_share)
                             : 1;
}

bool phrase_has_changing_owners(const struct hd_suspect *s)
{
    return s->basis == HD_BASIS_TYPE &&
           (s->chains.len == 0 || share_of_one(s) < NEARLY_ALL);
}

/* Appends the holder, with a word for the share of the first chain: nearly all, most, or
 * few of the instances. */
static void add_held(struct sentence *h, const struct hd_report *r,
                     const struct hd_suspect *s, bool brief)
{
    const double most = 0.5;
    const struct hint *hint = hint_named(s->hint);
    double share = share_of_one(s);
    const char *joint = brief ? ", held by " : ", kept alive by ";
    if (phrase_has_changing_owners(s))
        say(h, joint,
            hint != NULL && hint->holder != NULL ? hint->holder
                                                 : "different owners over time");
    else if (share < most)
        say(h, brief ? ", held in several ways" : ", kept alive through several paths");
    else
        phrase_leak_add_holder(
            h, r, s, share < NEARLY_ALL && !brief ? ", mostly kept alive by " : joint);
}

/* --- one leak -------------------------------------------------------------- */

struct leak_counts leak_counts_of(const struct hd_report *r, const struct hd_suspect *s)
{
    struct leak_counts c;
    c.len = hd_suspect_counts(s, r->snapshot_count, c.at);
    return c;
}

bool leak_grows_in_size(const struct leak_counts *c)
{
    return c->at[c->len - 1].count <= c->at[c->len > 2 ? 1 : 0].count;
}

/* "Node objects", where the sentence is about their owner; "calls" of a method. */
static struct say_part as_counted(const struct hd_report *r, const struct hd_suspect *s,
                                  uint64_t count)
{
    struct async_method m;
    if (r->options.by == HD_BY_TYPE && async_method_of(&m, s->counted))
        return as_noun(count, "call");
    return r->options.by == HD_BY_TYPE && strcmp(s->counted, s->title) != 0
               ? as_objects(report_shown(r, s->counted), true, count)
               : as_noun(count, "object");
}

void phrase_leak(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s,
                 bool brief)
{
    struct leak_counts c = leak_counts_of(r, s);
    struct text since = {0};
    uint64_t last = c.at[c.len - 1].count, snapshots = r->diff.usable_count;
    bool bytes = r->diff.by_graph || r->diff.types.bytes_known;
    struct say_part share = as_percent(text_gain_share(&r->diff, r->snapshot_count, s));
    static const char *const units[] = {
        [HD_BY_NAMESPACE] = "namespace ", [HD_BY_MODULE] = "module "};
    struct text method = {0};
    bool variable = place_names_variable(s->title);
    if (r->options.by == HD_BY_HOLDER) {
        if (s->holder_len == 0 || !phrase_leak_add_holder(h, r, s, ""))
            say(h, "one holder");
    } else if (r->options.by != HD_BY_TYPE) {
        say(h, units[r->options.by], as_whole_name(s->title));
    } else if (!variable && format_method(&method, s->title, true)) {
        say(h, as_whole_name(text_string(&method)));
    } else {
        say(h, brief && !variable ? as_type(report_shown(r, s->title))
                                  : as_place(r, s->title));
    }
    text_free(&method);
    if (leak_grows_in_size(&c))
        say(h, ": ", last, " ", as_counted(r, s, last),
            last == 1 ? " that grows" : " that grow");
    else
        say(h, ": ", c.at[0].count, " → ", last, " ", as_counted(r, s, 0));
    if (!brief)
        say(h, snapshots == 2 ? " between " : " in ", as_plural(snapshots, "snapshot"));
    if (text_since(&since, r, s->cohorts))
        say(h, ", ", as_text(&since));
    text_free(&since);
    if (s->per_iteration != HD_UNKNOWN)
        say(h, ", exactly ", s->per_iteration, " per iteration");
    /* ", +3.31 MiB, 66 % of the heap"; in brief ", +3.31 MiB (66 %)" */
    struct hd_cell gain = text_gain_cell(&r->diff, r->snapshot_count, s);
    say(h, ", ");
    if (bytes)
        say(h, as_size_change(gain.a, gain.b));
    if (bytes && brief)
        say(h, " (", share, ")");
    else
        say(h, bytes ? ", " : "", share, bytes ? " of the heap" : " of the objects");
    if (r->options.by == HD_BY_TYPE)
        add_held(h, r, s, brief);
}

/* --- the way from its root ------------------------------------------------- */

/* A frame by its short name: generic arguments are in the chain below. */
static void add_frame(struct sentence *h, const struct hd_report *r,
                      const struct hd_chain *c, size_t frame)
{
    const struct hd_frame *f = &c->frames[frame];
    struct text name = {0}, plain = {0};
    if (place_names_variable(f->types[0])) {
        say(h, as_variable(r, f->types[0]));
        return;
    }
    if (place_is_root(f->types[0]) && root_words[c->kind] != NULL) {
        say(h, root_words[c->kind]);
        return;
    }
    format_short_name(&name, f->shown[0] != NULL ? f->shown[0] : f->types[0]);
    const char *s = text_string(&name), *open = strchr(s, '<'), *end = strrchr(s, '>');
    bool cut = open != NULL && end != NULL && open > s && !place_is_root(s);
    text_add(&plain, s, cut ? (size_t)(open - s) : name.len);
    say(&plain, cut ? end + 1 : "");
    sentence_add_name(h, &plain);
    text_free(&name);
}

/* The rest of a line of 80 columns. */
enum { PATH_COLUMNS = 66, MAX_PATH_FRAMES = SENTENCE_NAMES };

/* The visible frames of a path, root first, limited by width. */
struct shown_frames {
    size_t at[MAX_PATH_FRAMES], wide[MAX_PATH_FRAMES]; /* in columns */
    size_t count;
    size_t columns; /* available */
};

/* Returns the joint between the shown frame i and the one before it; "…" replaces omitted
 * frames. */
static const char *joint_of(const struct shown_frames *f, const struct hd_chain_row *row,
                            size_t i)
{
    if (i == 0)
        return "";
    size_t before = f->at[i - 1], at = f->at[i];
    bool cut = row->frames_omitted > 0 && before < row->omitted_at && at >= row->omitted_at;
    return cut || at > before + 1 ? " → … → " : " → ";
}

/* Adds one, unless the line gets too long for it. */
static void show_frame(struct shown_frames *to, const struct hd_report *r,
                       const struct hd_chain_row *row, size_t frame)
{
    struct shown_frames more = *to;
    struct sentence h = {0};
    size_t i = to->count, columns = 0;
    for (size_t k = 0; k < to->count; k++)
        if (to->at[k] == frame)
            return;
    if (to->count == MAX_PATH_FRAMES || frame >= row->chain.frame_count)
        return;
    for (; i > 0 && more.at[i - 1] > frame; i--) {
        more.at[i] = more.at[i - 1];
        more.wide[i] = more.wide[i - 1];
    }
    add_frame(&h, r, &row->chain, frame);
    more.at[i] = frame;
    more.wide[i] = printed_columns(text_string(&h.words), h.words.len, false);
    more.count++;
    for (size_t k = 0; k < more.count; k++) {
        const char *joint = joint_of(&more, row, k);
        columns += printed_columns(joint, strlen(joint), false) + more.wide[k];
    }
    if (to->count < 2 || columns <= to->columns)
        *to = more;
    sentence_free(&h);
}

/* True if the object has the class of the instances, and each refers to the next. */
static bool is_list(const struct hd_chain *c, size_t frame)
{
    return strcmp(c->frames[frame].types[0], c->frames[c->frame_count - 1].types[0]) == 0;
}

/* Shows the root and the accumulating instances; between them the owner, where one becomes
 * many, and below the owner classes of the program, the nearest first. */
void phrase_path(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s)
{
    const double almost_all = 0.995, most = 0.5;
    struct shown_frames shown = {.columns = PATH_COLUMNS};
    struct text share = {0};
    if (s->chains.len == 0)
        return;
    const struct hd_chain_row *row = &s->chains.all[0];
    const struct hd_chain *c = &row->chain;
    size_t n = c->frame_count, root = 0;
    if (n == 0 || c->share == 0)
        return;
    while (root + 1 < n && place_is_root(c->frames[root].types[0]) &&
           place_is_root(c->frames[root + 1].types[0]))
        root++;
    /* The normal case, all instances in one growing chain, is not mentioned. */
    bool is_one_of_many = c->share < most && s->chains.owner_share >= most;
    if (is_one_of_many || row->status != HD_CHAIN_GROWING || c->share < almost_all) {
        say(&share, "  (");
        if (is_one_of_many)
            say(&share, as_percent(s->chains.owner_share));
        else
            text_brief_share(&share, row);
        say(&share, ")");
        shown.columns -= printed_columns(text_string(&share), share.len, false);
    }
    show_frame(&shown, r, row, root);
    show_frame(&shown, r, row, n - 1);
    size_t owner =
        c->owner_frame != HD_NO_OWNER && c->owner_frame > root ? c->owner_frame : root + 1;
    show_frame(&shown, r, row, owner);
    if (n - 1 > root && !is_one_of_many && !is_list(c, n - 2))
        show_frame(&shown, r, row, n - 2);
    for (size_t i = n; i-- > owner && !is_one_of_many;)
        if (c->frames[i].is_program && !is_list(c, i))
            show_frame(&shown, r, row, i);
    for (size_t i = 0; i < shown.count; i++) {
        say(h, joint_of(&shown, row, i));
        add_frame(h, r, c, shown.at[i]);
    }
    say(h, as_text(&share));
    text_free(&share);
}

/* --- verdicts ----------------------------------------------------------------------- */

/* Verdicts without a leak, and their confidence: growth that leveled off or is unexplained,
 * and limits of the snapshots. No all-clear without evidence. Must not depend on format or
 * width. */

/* --- no leak, or unknown ----------------------------------------------------- */

/* Begins another sentence or reason, after a joint. Returns where to write it. */
static struct sentence *begin_next(struct sentence *h, const char *joint)
{
    say(h, h->words.len > 0 ? joint : "");
    return h;
}

/* "Nothing is growing now. Metric gained 128 KiB (8.0 % of the heap), then leveled off: a
 * full cache, or load that stopped?" */
static void say_leveled_off(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_leveled_off *most =
        d->leveled_off_count > 0 ? &d->leveled_off[0] : NULL;
    bool one = most != NULL && most->share == d->growth.leveled_off_share;
    say(begin_next(h, " "), "Nothing is growing now. ");
    if (one)
        say(h, as_place(r, most->title), " gained ",
            as_size((uint64_t)(most->growth + 0.5)), " (", as_percent(most->share),
            " of the heap), then leveled off");
    else
        say(h, "The heap grew by ", as_percent(d->growth.leveled_off_share),
            ", then leveled off");
    if (!one && most != NULL)
        say(h, " (most: ", as_place(r, most->title), ", ",
            as_size_signed((int64_t)(most->growth + 0.5)), ")");
    say(h, ": a full cache, or load that stopped?");
}

/* A clause as a sentence. */
static void add_clause(struct sentence *h, struct text *clause)
{
    size_t from = begin_next(h, " ")->words.len;
    say(h, as_text(clause), ".");
    sentence_capitalize(h, from);
    text_free(clause);
}

/* Appends "it fills ever more slowly, as a cache or a set that is nearly complete does" or
 * "CircuitRegistry keeps closed circuits for 3 min: watch for longer than 7 min". */
void phrase_reservation(struct text *t, const struct hd_suspect *s)
{
    if (s->reservation == HD_RESERVED_FILLS) {
        say(t,
            "it fills ever more slowly, as a cache or a set that is nearly complete does");
        return;
    }
    if (s->reservation == HD_RESERVED_PER_TYPE) {
        say(t, as_type(s->lifetime.holder), " keeps ", s->lifetime.keeps,
            " for each type that the program uses: watch until it has used all");
        return;
    }
    say(t, as_type(s->lifetime.holder), " keeps ", s->lifetime.keeps, " for ",
        as_duration(s->lifetime.seconds));
    if (s->lifetime.setting != NULL)
        say(t, " (", s->lifetime.setting, ")");
    say(t, ": watch for longer than ", as_duration(s->lifetime.watch));
}

/* Returns the number of steps in which the count rose. */
static size_t rising_steps(const struct leak_counts *c)
{
    size_t up = 0;
    for (size_t i = 1; i < c->len; i++)
        up += c->at[i].count > c->at[i - 1].count;
    return up;
}

/* Appends "Order rose in every step, 35 → 77, and may leak: take more snapshots." or "Page:
 * 35 → 77 objects, but it fills ever more slowly: ..." */
static void say_undecided(struct sentence *h, const struct hd_report *r)
{
    const struct hd_suspect *s = r->diff.undecided;
    struct leak_counts c = leak_counts_of(r, s);
    uint64_t first = c.at[0].count, last = c.at[c.len - 1].count;
    struct text why = {0};
    if (s->reservation == HD_RESERVED_NOT) {
        bool always = rising_steps(&c) + 1 == c.len;
        say(h, as_place(r, s->title), always ? " rose in every step, " : " grew, ", first,
            " → ", last, ", and may leak: ",
            always ? "take more snapshots."
                   : "its objects cannot be told apart; use watch.");
        return;
    }
    phrase_reservation(&why, s);
    say(h, as_place(r, s->title), ": ", first, " → ", as_plural(last, "object"), ", but ",
        as_text(&why), ".");
    text_free(&why);
}

/* Returns the row below the threshold with more than half of the unexplained growth, such
 * as an array that doubles when full, or a single jump; or NULL. */
static const struct hd_suspect *most_of_open_growth(const struct hd_report *r)
{
    const struct hd_diff *d = &r->found.diff;
    const struct hd_suspect *most = NULL;
    for (size_t i = 0; i < d->below_threshold_count; i++) {
        const struct hd_suspect *s = &d->below_threshold[i];
        if (s->more > r->diff.growth.rest / 2 && (most == NULL || s->more > most->more))
            most = s;
    }
    return most;
}

/* Appends "BigArrayLeak.Points: one Point[] grew, 1.31 MiB → 3.94 MiB, which is most of the
 * growth: take more snapshots, further apart." if it is a single object that grew. */
static bool say_growing_array(struct sentence *h, const struct hd_report *r,
                              const struct hd_suspect *one)
{
    size_t first = 0, last = r->snapshot_count - 1;
    while (one->held != NULL && first < last && one->held[first] == HD_UNKNOWN)
        first++;
    if (one->held == NULL || one->held[first] != 1 || one->held[last] != 1)
        return false;
    say(begin_next(h, " "), as_place(r, one->title), ": one ",
        as_type(report_shown(r, one->type)), " grew, ", as_size(one->retained[first]),
        " → ", as_size(one->retained[last]),
        ", which is most of the growth: take more snapshots, further apart.");
    return true;
}

/* Appends "Unexplained growth: 36 % of the heap since snapshot 3; ... Most is Order,
 * +125 KiB." */
static void say_open_growth(struct sentence *h, const struct hd_report *r)
{
    const struct hd_growth *g = &r->diff.growth;
    const struct hd_suspect *most = most_of_open_growth(r);
    struct text open = {0};
    if (most != NULL && say_growing_array(h, r, most))
        return;
    phrase_open_growth(&open, g->open_share, g->since);
    add_clause(h, &open);
    if (most != NULL)
        say(h, " Most is ", as_place(r, most->title), ", ",
            as_size_signed((int64_t)most->more), ".");
}

/* Growth that rules out an all-clear: in the heap itself, or of unknown parts. */
void phrase_other_growth(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_growth *g = &d->growth;
    const struct hd_native_memory *native_memory = phrase_native_memory_of(d);
    struct text hidden = {0}, pools = {0}, outside = {0};
    /* no all-clear if no row was shown */
    if (d->hidden_count > 0 || (d->types.len == 0 && r->found.diff.types.len > 0)) {
        phrase_hidden(&hidden, d->hidden_count);
        add_clause(h, &hidden);
        return;
    }
    if (hd_diff_is_reserved(d)) {
        say_undecided(begin_next(h, " "), r);
    } else if (g->is_open) {
        say_open_growth(h, r);
    } else if (g->has_leveled_off) {
        say_leveled_off(h, r);
    }
    if (d->undecided != NULL && !hd_diff_is_reserved(d) && !g->is_open)
        say_undecided(begin_next(h, " "), r);
    if (g->pools_are_reported) {
        phrase_pools(&pools, g);
        add_clause(h, &pools);
    }
    if (native_memory != NULL) {
        phrase_native_memory(&outside, native_memory);
        add_clause(h, &outside);
    }
    if (d->process != NULL && d->process->is_undivided) {
        phrase_outside(&outside, d->process);
        add_clause(h, &outside);
    }
}

void phrase_none(struct sentence *h, const struct hd_report *r)
{
    size_t snapshots = r->diff.usable_count;
    const struct hd_diff *all = &r->found.diff;
    /* Rows below the threshold, but above noise; between two snapshots any growth deserves
     * the exact words. */
    bool is_near = snapshots == 2 && all->below_threshold_count > 0;
    for (size_t i = 0; i < all->below_threshold_count; i++)
        is_near |= text_gain_share(&r->diff, r->snapshot_count, &all->below_threshold[i]) >=
                   TEXT_NOISE_SHARE;
    if (is_near) {
        say(h, "above ");
        text_line(&h->words, r);
        say(h, " ");
    }
    say(h, snapshots == 2 ? "between " : "in ", as_plural(snapshots, "snapshot"));
    heading_add_span(&h->words, r);
}

/* --- how sure ----------------------------------------------------------------- */

/* Begins another reason against higher confidence, after "; ". */
static struct sentence *reason(struct sentence *to)
{
    return begin_next(to, "; ");
}

/* True if the verdict itself states that the snapshots are too few to call a suspect a
 * leak. A check whose rules need no more snapshots decides without mentioning it. */
static bool verdict_says_few(const struct hd_report *r)
{
    const struct hd_check *c = &r->check;
    if (r->kind != HD_REPORT_CHECK)
        return true;
    for (size_t i = 0; i < c->rule_count && c->verdict == HD_INCONCLUSIVE; i++)
        if (c->rules[i].reason.code == HD_REASON_NOT_ENOUGH)
            return true;
    return false;
}

static void doubt_number(struct sentence *to, const struct hd_report *r)
{
    const size_t n = r->snapshot_count, usable = r->diff.usable_count;
    bool none = r->found.diff.suspect_count == 0;
    if (!report_is_enough(usable) && r->diff.suspect_count == 0)
        say(reason(to), as_plural(usable, "snapshot"),
            " cannot tell a leak from warm-up: take four or more");
    else if (!report_is_enough(usable) && !verdict_says_few(r))
        say(reason(to), "fewer than four cannot tell a leak from warm-up");
    else if (report_is_enough(usable) && none && !power_is_high(usable, r->diff.identity))
        say(reason(to), "a slow leak may not show in ", as_plural(usable, "snapshot"),
            ": take six");
    if (usable < n)
        say(reason(to), n - usable, " of ", as_plural(n, "snapshot"),
            " could not be compared");
}

/* Doubts that concern memory outside the objects, too. */
static void doubt_origins(struct sentence *to, const struct hd_report *r)
{
    bool sampled = false;
    for (size_t k = 0; k < r->snapshot_count; k++)
        sampled |= r->snapshots[k].info.sampled;
    if (sampled)
        say(reason(to), "counts are estimates from a sample");
    if (report_is_warned(r, WARN_DIFFERENT_PROGRAM))
        say(reason(to), "the snapshots seem to be of different programs");
    else if (report_is_warned(r, WARN_DIFFERENT_PROCESS))
        say(reason(to), "the snapshots are not of one process");
    if (heading_times_fall(r))
        say(reason(to), "the snapshots are out of order");
}

static void doubt_inputs(struct sentence *to, const struct hd_report *r)
{
    doubt_origins(to, r);
    if (!r->diff.by_graph && r->options.by == HD_BY_TYPE)
        say(reason(to), report_is_warned(r, WARN_MOSTLY_UNREACHABLE)
                            ? "most roots are unknown, so holders are, too"
                            : "without references the holders are unknown");
    if (r->options.gen2)
        say(reason(to), "only gen2, LOH, POH and frozen segments count");
    if (r->options.reachable && !r->leaves_garbage)
        say(reason(to), "only reachable objects count");
}

bool phrase_has_doubts(const struct hd_report *r)
{
    struct sentence doubts = {0};
    doubt_number(&doubts, r);
    doubt_inputs(&doubts, r);
    bool any = doubts.words.len > 0;
    sentence_free(&doubts);
    return any || r->diff.confidence < HD_CONFIDENCE_HIGH;
}

static void doubt_growth(struct sentence *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->suspect_count == 0 && d->process != NULL && d->process->is_undivided)
        say(reason(to), "what the process gained is unknown");
    if (d->suspect_count == 0 && d->hidden_count > 0)
        say(reason(to), "some suspects are hidden");
    if (d->suspect_count + d->hidden_count > 0)
        return;
    if (hd_diff_is_reserved(d))
        say(reason(to), "what grew may be kept by design");
    else if (d->growth.is_open)
        say(reason(to), "part of the growth is unexplained");
    else if (d->undecided != NULL)
        say(reason(to), "what grew may be a leak");
    if (d->growth.is_open || !d->growth.has_leveled_off)
        return;
    const struct hd_tally *at = d->types.totals;
    size_t n = r->snapshot_count;
    bool at_first_only = n > 2 && d->types.bytes_known && at[1].bytes > at[0].bytes &&
                         at[n - 1].bytes <= at[1].bytes;
    say(reason(to), at_first_only ? "all growth is from snapshot 1 to 2, as in a warm-up"
                                  : "what leveled off may grow again under load");
}

/* "high for leaks above 32.0 KiB (2 % of the heap); slower leaks need a longer run" */
static void add_power(struct sentence *h, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    if (p->steps == 0)
        return;
    say(h, " for leaks above ",
        r->diff.types.bytes_known ? as_size(p->large) : as_plural(p->large, "object"));
    if (r->options.min_bytes > 0)
        return;
    say(h, " (");
    text_line(&h->words, r);
    say(h, ")");
}

/* "+1,200 objects in every step", "in 4 of 5 steps" */
static void add_steps(struct sentence *h, const struct hd_report *r,
                      const struct hd_suspect *s)
{
    struct leak_counts c = leak_counts_of(r, s);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 1; i < c.len; i++) {
        uint64_t before = c.at[i - 1].count, now = c.at[i].count;
        uint64_t more = now > before ? now - before : 0;
        least = more < least ? more : least;
        most = more > most ? more : most;
    }
    if (most == 0 || leak_grows_in_size(&c))
        return;
    if (least > 0)
        say(h, ", +", as_range(least, most), " ", as_noun(most, "object"),
            " in every step");
    else
        say(h, ", grew in ", rising_steps(&c), " of ", as_plural(c.len - 1, "step"));
}

/* Appends the survivors, the evidence for a suspect by age. */
static void add_survived(struct sentence *h, const struct hd_report *r,
                         const struct hd_suspect *s)
{
    const struct hd_cohorts *b = s->cohorts;
    uint64_t arrived = 0, survived = 0;
    if (!text_shows_cohorts(r, b))
        return;
    for (size_t j = 1; j < b->count; j++) {
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        arrived += c.arrived;
        survived += c.survived;
    }
    if (arrived == 0 || s->suspicion != HD_SUSPECT_AGE)
        return;
    say(h, ", ", survived, " of ", arrived, " new objects survived");
}

/* Rounds seconds up to whole minutes. */
static uint64_t minutes_up(double seconds)
{
    const double minute = 60;
    return (uint64_t)(ceil(floor(seconds) / minute) * minute);
}

/* Adds what time limits: a leak and objects that live long look alike. */
static void doubt_time(struct sentence *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->suspect_count == 0 || !report_is_enough(d->usable_count))
        return;
    switch (d->time_limit) {
    case HD_TIME_UNKNOWN:
        if (heading_times_fall(r))
            break;
        say(reason(to), "no times: long-lived objects are not ruled out");
        break;
    case HD_TIME_SHORT:
        say(reason(to), "some live for minutes by design: watch for longer than ",
            as_duration(rank_by.sure_seconds));
        break;
    case HD_TIME_YOUNG:
        say(reason(to), "the process was ", as_duration((uint64_t)d->uptime_seconds),
            " old at first, so caches may still fill: watch when it is older than ",
            as_duration(minutes_up((rank_by.old_spans - 1) * d->span_seconds)));
        break;
    default:
        break;
    }
}

/* Appends the confidence in growth outside of the objects: high only after enough time and
 * start-up. */
static bool add_confidence_outside(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_process_growth *g =
        d->process != NULL && d->process->is_outside ? d->process : NULL;
    struct sentence why = {0};
    if (d->suspect_count > 0 || (g == NULL && (d->free == NULL || !d->free->is_finding)))
        return false;
    bool is_long = d->span_seconds >= rank_by.sure_seconds;
    doubt_origins(&why, r);
    bool is_high = why.words.len == 0 && is_long && g != NULL && g->where != HD_PART_FREE &&
                   g->where != HD_PART_GC && g->known >= rank_by.sure_snapshots_by_counts;
    enum hd_confidence level = !report_is_one_process(r) ? HD_CONFIDENCE_LOW
                               : is_high                 ? HD_CONFIDENCE_HIGH
                                                         : HD_CONFIDENCE_MEDIUM;
    say(h, confidence_names[level], ": ",
        as_plural(g != NULL ? g->known : d->usable_count, "snapshot"));
    heading_add_span(&h->words, r);
    if (why.words.len > 0)
        say(h, "; ", as_text(&why.words));
    if (!is_long)
        say(h, "; what starts may grow for minutes: watch for longer than ",
            as_duration(rank_by.sure_seconds));
    sentence_free(&why);
    return true;
}

void phrase_confidence(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (add_confidence_outside(h, r))
        return;
    struct sentence why = {0};
    bool suspects = d->suspect_count > 0;
    bool clears = d->suspect_count + d->hidden_count == 0 && !d->growth.is_open &&
                  !d->growth.has_leveled_off && d->undecided == NULL &&
                  !hd_diff_grows_outside(d) && report_is_enough(d->usable_count);
    bool undivided = !suspects && d->process != NULL && d->process->is_undivided;
    say(h, confidence_names[undivided && d->confidence > HD_CONFIDENCE_MEDIUM
                                ? HD_CONFIDENCE_MEDIUM
                                : d->confidence]);
    if (clears)
        add_power(h, r);
    doubt_number(&why, r);
    doubt_inputs(&why, r);
    doubt_growth(&why, r);
    doubt_time(&why, r);
    if (suspects) {
        say(h, ": ", as_plural(d->usable_count, "snapshot"));
        heading_add_span(&h->words, r);
        if (r->options.by == HD_BY_TYPE && d->usable_count > 2)
            add_steps(h, r, &d->suspects[0]);
        add_survived(h, r, &d->suspects[0]);
    }
    if (why.words.len > 0)
        say(h, suspects || clears ? "; " : ": ", as_text(&why.words));
    else if (clears && d->would_show.steps > 0)
        say(h, "; slower leaks need a longer run");
    sentence_free(&why);
}
