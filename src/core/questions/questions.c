#include "questions/questions.h"

#include "base/error.h"
#include "heap/names.h"
#include "report/phrases.h"
#include "report/report.h"
#include "series/type_rank.h"

#include <string.h>

static bool can_be_born(const struct hd_comparison *c, const struct hd_options *opt,
                        struct hd_error *err)
{
    if (opt->born_first == 0 || opt->born_last < opt->born_first)
        return fail(err, HD_USAGE, "snapshots are numbered from 1");
    if (c->count < 2)
        return fail(err, HD_USAGE, "new objects need two snapshots to compare");
    return opt->born_last <= c->count ||
           fail(err, HD_USAGE, "no snapshot %u: there are %zu", opt->born_last, c->count);
}

static bool align(struct series *s, const struct hd_comparison *c,
                  const struct hd_options *opt, struct arena *scratch, struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), HD_BY_TYPE, NULL};
    struct series_warnings none = {0};
    return series_align(s, c->snaps, c->count, &ask, scratch, &none, err);
}

bool since_find(struct since *since, struct hd_comparison *c, const struct hd_options *opt,
                bool born, struct hd_error *err)
{
    struct arena scratch = {0};
    struct series s = {.usable_count = 0};
    *since = (struct since){0};
    bool ok = (!born || can_be_born(c, opt, err)) &&
              (c->count < 2 || align(&s, c, opt, &scratch, err));
    bool known = ok && s.usable_count > 0 && s.usable[s.usable_count - 1] + 1 == c->count;
    if (ok && (born || (known && s.usable_count > 1)))
        ok = steps_ages(c, &s, &since->ages, err);
    if (ok && born && (!known || since->ages.source == HD_SAME_UNKNOWN))
        ok = fail(err, HD_USAGE, "which objects are new is unknown: %s",
                  known ? steps_why_unknown(&s)
                        : "the last snapshot cannot be compared with the others");
    if (ok && known)
        memcpy(since->snapshot, s.usable, sizeof(since->snapshot));
    /* The requested snapshots among those that can be compared; may be empty. */
    since->born = (struct since_range){1, 0};
    for (size_t i = ok && born ? s.usable_count : 0; i-- > 0;)
        if (s.usable[i] + 1 >= opt->born_first && s.usable[i] + 1 <= opt->born_last) {
            since->born.first = (unsigned char)i;
            if (since->born.last < i)
                since->born.last = (unsigned char)i;
        }
    arena_free(&scratch);
    return ok;
}

void since_free(struct since *since)
{
    ages_free(&since->ages);
}

/* --- classes with names of the framework ----------------------------------------- */

static bool is_disguised(enum type_origin origin, const char *name)
{
    return origin == ORIGIN_PROGRAM && !names_is_array(name) &&
           names_is_framework(name_part(name), NAME_CLASS);
}

struct disguised disguised_of_tree(const struct ownership_tree *t, struct arena *scratch)
{
    struct disguised d = {.len = 0};
    if (t == NULL)
        return d;
    d.names = arena_array(scratch, const char *, t->labels.len);
    for (size_t i = 0; i < t->labels.len; i++)
        if (is_disguised(t->labels.all[i].origin, t->labels.all[i].name))
            d.names[d.len++] = t->labels.all[i].name;
    return d;
}

struct disguised disguised_of_snapshots(struct hd_snapshot *const *snaps, size_t count,
                                        struct arena *scratch)
{
    struct disguised d = {.len = 0};
    size_t most = 0;
    for (size_t k = 0; k < count; k++)
        most += snaps[k]->type_count;
    d.names = arena_array(scratch, const char *, most);
    for (size_t k = 0; k < count; k++)
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind == TYPE_OBJECT &&
                is_disguised(type_origin_of(type->module), type->name))
                d.names[d.len++] = type->name;
        }
    return d;
}

const char *looking_honest(const struct clue_search *l, const char *name)
{
    for (size_t i = 0; i < l->disguised.len; i++)
        if (strcmp(l->disguised.names[i], name) == 0)
            return "[of the program]";
    return name;
}

/* --- ways ------------------------------------------------------------------------ */

/* Only near types are evidence, and every case examines all. */
enum { MAX_ABOVE = 64 };

void looking_add_way(struct clue_search *l, const char *const *types, size_t len,
                     enum hd_root_kind root, double share)
{
    size_t far = len > MAX_ABOVE ? len - MAX_ABOVE : 0;
    const char **names = arena_array(l->scratch, const char *, len);
    for (size_t i = far; i < len; i++)
        names[i] = looking_honest(l, types[i]);
    if (len > 0)
        l->clues.ways[l->clues.way_count++] = (struct hint_way){
            .types = names + far, .len = len - far, .root = root, .share = share};
}

struct steps {
    const char **types;
    size_t len;
    size_t owner; /* first type of the frame with the owner, or SIZE_MAX */
};

static struct steps steps_of(const struct hd_chain *c, struct arena *scratch)
{
    struct steps s = {0};
    s.types = arena_array(scratch, const char *, c->frame_count * 2 * HD_MAX_FRAME_TYPES);
    s.owner = SIZE_MAX;
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct hd_frame *f = &c->frames[i];
        unsigned times = f->repeat_min > 1 ? 2 : 1;
        s.owner = i == c->owner_frame ? s.len : s.owner;
        for (unsigned k = 0; k < times * f->type_count; k++)
            s.types[s.len++] = f->types[k % f->type_count];
    }
    return s;
}

void looking_add_chain(struct clue_search *l, const struct hd_chain *c)
{
    struct steps s = steps_of(c, l->scratch);
    looking_add_way(l, s.types, s.len > 0 ? s.len - 1 : 0, c->kind, c->share);
}

/* --- hints of a chain ------------------------------------------------------------ */

enum { DEEPEST = 5, MAX_UP = 16 };

/* The hint if element i accumulated, with the elements below it on the way. */
static const struct hint *hint_at(const struct steps *s, size_t i, enum hd_root_kind root,
                                  const struct disguised *disguised)
{
    struct arena scratch = {0};
    struct hint_below below[DEEPEST];
    struct clue_search l = {.disguised = *disguised, .scratch = &scratch};
    l.clues.type = looking_honest(&l, s->types[i]);
    l.clues.below = below;
    for (size_t k = i + 1; k < s->len && k <= i + DEEPEST; k++)
        below[l.clues.below_count++] =
            (struct hint_below){looking_honest(&l, s->types[k]), (unsigned)(k - i)};
    looking_add_way(&l, s->types, i, root, 1);
    const struct hint *hint = hint_for(&l.clues);
    arena_free(&scratch);
    return hint;
}

const char *hint_of_chain(const struct hd_chain *c, const struct disguised *disguised,
                          enum hint_breadth broadest)
{
    struct arena scratch = {0};
    const struct hint *best = NULL;
    if (c->kind == HD_ROOT_UNREACHABLE)
        return NULL;
    struct steps s = steps_of(c, &scratch);
    for (size_t up = 0; up < s.len && up < MAX_UP; up++) {
        size_t i = s.len - 1 - up;
        if (up > 0 && (s.owner == SIZE_MAX || i < s.owner))
            break;
        const struct hint *hint = hint_at(&s, i, c->kind, disguised);
        bool says_enough = hint != NULL && hint->breadth <= broadest;
        if (says_enough && (best == NULL || hint->breadth < best->breadth))
            best = hint;
    }
    arena_free(&scratch);
    return best != NULL ? best->id : NULL;
}

/* --- types that were asked for ------------------------------------------------------ */

const char **report_patterns(struct hd_report *r, const struct hd_options *opt)
{
    const char **all = arena_array(&r->arena, const char *, opt->type_count);
    for (size_t i = 0; i < opt->type_count; i++)
        all[i] = report_string(r, opt->types[i]);
    return all;
}

const char *asked_pattern(struct hd_report *r, const struct hd_options *opt)
{
    struct text joined = {0};
    for (size_t i = 0; i < opt->type_count; i++)
        say(&joined, i > 0 ? " " : "", opt->types[i]);
    return report_keep_text(r, &joined);
}

void report_warn_series(struct hd_report *r, const struct series_warning *w)
{
    if (w->detail != NULL)
        report_warn_detail(r, w->code, w->snapshot, w->detail);
    else
        report_warn(r, w->code, w->snapshot);
    if (w->times > 1)
        r->warnings[r->warning_count - 1].count = w->times;
}

void report_warn_unmatched(struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.unmatched_count; i++) {
        struct text message = {0};
        phrase_no_match(&message, r->options.by, &r->diff.unmatched[i]);
        report_warn_text(r, WARN_NO_SUCH_TYPE, (size_t)-1, &message);
    }
}

bool asked_types_fail(const struct hd_report *r, const char *pattern,
                      const struct hd_snapshot *snap, struct hd_error *err)
{
    struct arena scratch = {0};
    struct text message = {0};
    const char **names = arena_array(&scratch, const char *, snap->type_count);
    size_t count = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        if (type_has_row(&snap->types[t]))
            names[count++] = report_shown(r, snap->types[t].name);
    struct hd_no_match none = report_no_match(pattern, names, count, &scratch);
    phrase_no_match(&message, HD_BY_TYPE, &none);
    fail(err, HD_USAGE, "%s", text_string(&message));
    text_free(&message);
    arena_free(&scratch);
    return false;
}
