#include "report/report.h"

#include "base/error.h"
#include "base/hash.h"
#include "format/open.h"
#include "heap/builder.h"
#include "heap/names.h"
#include "heap/place.h"
#include "report/phrases.h"
#include "report/process_account.h"
#include "report/text_parts.h"
#include "report/view.h"
#include "series/ranking_constants.h"

#include <stdlib.h>
#include <string.h>

struct report_name {
    const char *shown; /* NULL: snapshots contradict each other */
    UT_hash_handle hh;
};

struct hd_report *report_new(enum hd_report_kind kind, const struct hd_options *opt)
{
    struct hd_report *r = alloc_zeroed(sizeof(*r));
    r->kind = kind;
    r->options = opt != NULL ? *opt : hd_default_options();
    r->options.types = r->options.excludes = NULL;
    r->options.iterations = NULL;
    r->rows = r->options.rows != HD_DEFAULT_ROWS ? r->options.rows : REPORT_USUAL_ROWS;
    return r;
}

/* --- options and defaults -------------------------------------------------- */

void hd_set_default_options(struct hd_options *opt, size_t size)
{
    const struct hd_options usual = {.size = size,
                                     .rows = HD_DEFAULT_ROWS,
                                     .min_share = usual_line.share,
                                     .min_steady_share = usual_line.steady_share,
                                     .chains = 3,
                                     .samples = 32,
                                     .depth = HD_USUAL_DEPTH,
                                     .least_kept_share = 0.005};
    memset(opt, 0, size);
    memcpy(opt, &usual, size < sizeof(usual) ? size : sizeof(usual));
}

bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err)
{
    if (theirs != NULL)
        return options_copy(ours, sizeof(*ours), OPTIONS_END(struct hd_options, exact),
                            theirs, err);
    *ours = hd_default_options();
    return true;
}

/* --- limits of the snapshots ------------------------------------------------- */

static bool can_find_garbage(const struct hd_snapshot *snap)
{
    return snap->info.has_owners && !snap->read.tables_only;
}

/* A digest was folded without regard to fields. */
static bool parts_fields(const struct hd_snapshot *snap)
{
    return snap->info.has_fields && snap->digest == NULL;
}

static void warn_garbage(struct hd_report *r, struct hd_snapshot *const *snaps,
                         size_t count, size_t k)
{
    size_t other = 0;
    while (other < count && can_find_garbage(snaps[other]))
        other++;
    if (other == count || !can_find_garbage(snaps[k])) {
        report_warn(r, WARN_GARBAGE_COUNTED, k);
        return;
    }
    struct text t = {0};
    say(&t,
        "garbage is counted too: ", heading_file(r->snapshots, r->snapshot_count, other),
        " does not have the reachable objects");
    report_warn_text(r, WARN_GARBAGE_COUNTED, k, &t);
}

static bool names_by_class(const struct hd_snapshot *snap)
{
    return parts_fields(snap) && !snap->read.plain_names;
}

/* Files opened together are normalized; a caller who opened them separately may not know
 * the difference. */
static void warn_names(struct hd_report *r, struct hd_snapshot *const *snaps, size_t count)
{
    for (size_t k = 1; k < count; k++) {
        if (!snaps[0]->info.has_roots || !snaps[k]->info.has_roots ||
            names_by_class(snaps[k]) == names_by_class(snaps[0]))
            continue;
        report_warn(r, WARN_NAMES_DIFFER, names_by_class(snaps[k]) ? k : 0);
        return;
    }
}

/* Warns if the counted objects are not those expected; after the snapshots are
 * described. */
static void warn_objects(struct hd_report *r, struct hd_snapshot *const *snaps,
                         size_t count)
{
    for (size_t k = 0; !r->options.reachable && k < count; k++)
        if (snaps[k]->info.holds_garbage)
            warn_garbage(r, snaps, count, k);
    warn_names(r, snaps, count);
    size_t stored = 0; /* only one, so that the warning is not repeated */
    while (stored < count &&
           (snaps[stored]->digest == NULL || !snaps[stored]->info.has_owners))
        stored++;
    bool has_chains = r->kind == HD_REPORT_DIFF || r->kind == HD_REPORT_ROOTS;
    if (stored < count && has_chains && r->options.chains > 0)
        report_warn(r, WARN_STORED_SAMPLES, stored);
    for (size_t k = 0; r->wants_fields && k < count; k++)
        if (!parts_fields(snaps[k]))
            report_warn(r, WARN_FIELDS_UNKNOWN, k);
}

enum ownership_fields report_ownership_fields(const struct hd_options *opt)
{
    return opt->fields ? OWNERSHIP_PARTS_FIELDS
           : opt->tree ? OWNERSHIP_TELLS_FIELDS
                       : OWNERSHIP_NO_FIELDS;
}

/* Chooses the counted objects and the fields for chains, as the snapshots of c allow: only
 * reachable objects if one snapshot holds garbage and all can separate it; no fields unless
 * all have them. Must be called before anything is counted. */
static void choose_objects(struct hd_report *r, const struct hd_comparison *c,
                           struct hd_options *opt)
{
    if (!opt->reachable && comparison_leaves_garbage(c))
        opt->reachable = r->leaves_garbage = true;
    r->wants_fields = opt->fields;
    for (size_t k = 0; k < c->count; k++)
        opt->fields &= parts_fields(c->snaps[k]);
    r->options.reachable = opt->reachable;
    r->options.fields = opt->fields;
}

struct hd_report *
answer_question(enum hd_report_kind kind, struct hd_comparison *c,
                const struct hd_options *opt,
                bool (*answer)(struct hd_report *r, struct hd_comparison *c,
                               struct hd_options *opt, struct hd_error *err),
                const void *asked, struct hd_error *err)
{
    /* The snapshot at fault is read from the error, so we use our own: the caller's may be
     * NULL, or set already. */
    struct hd_error own = {0};
    struct hd_options options;
    struct hd_report *r = NULL;
    bool ok = false;
    if (report_options(&options, opt, &own) && comparison_begin(c, &own)) {
        r = report_new(kind, &options);
        r->asked = asked;
        choose_objects(r, c, &options);
        ok = answer(r, c, &options, &own);
        comparison_end(c);
    }
    if (ok) {
        report_summarize(r);
        report_add_account(r);
        report_publish(r);
        return r;
    }
    hd_report_free(r);
    if (err != NULL && err->status == HD_OK)
        *err = own;
    return NULL;
}

void hd_report_free(struct hd_report *report)
{
    if (report == NULL)
        return;
    HASH_CLEAR(hh, report->names);
    if (report->maker != NULL)
        report->maker->release(report);
    free(report->warnings);
    arena_free(&report->arena);
    free(report);
}

const char *report_string(struct hd_report *r, const char *s)
{
    return s != NULL ? arena_strdup(&r->arena, s, strlen(s)) : NULL;
}

void report_keep(struct hd_report *r, const char **const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *strings[i] = report_string(r, *strings[i]);
}

static struct hd_field keep_field(struct hd_report *r, struct hd_field f)
{
    const char **const strings[] = {&f.name,    &f.declared_by, &f.type, &f.member,
                                    &f.to_type, &f.text,        &f.words};
    report_keep(r, strings, sizeof(strings) / sizeof(*strings));
    return f;
}

struct hd_field *report_fields(struct hd_report *r, const struct hd_field *from, size_t len)
{
    struct hd_field *to = arena_array(&r->arena, struct hd_field, len);
    for (size_t i = 0; i < len; i++) {
        to[i] = keep_field(r, from[i]);
        if (from[i].boxed == NULL)
            continue;
        struct hd_field *boxed = arena_alloc(&r->arena, sizeof(*boxed));
        *boxed = keep_field(r, *from[i].boxed);
        to[i].boxed = boxed;
    }
    return to;
}

const char *report_keep_text(struct hd_report *r, struct text *t)
{
    const char *s = report_string(r, text_string(t));
    text_free(t);
    return s;
}

/* --- names --------------------------------------------------------------- */

const char *report_join_holder(struct hd_report *r, const char *const *holder, size_t len)
{
    struct text t = {0};
    if (holder == NULL)
        return NULL;
    holder_join(&t, holder, len);
    return report_keep_text(r, &t);
}

const char *report_shown(const struct hd_report *r, const char *name)
{
    struct report_name *found;
    HASH_FIND_STR(r->names, name, found);
    return found != NULL && found->shown != NULL ? found->shown : name;
}

const char *report_full_name(const struct hd_report *r, const char *name)
{
    const char *shown = report_shown(r, name);
    return strcmp(shown, name) != 0 ? shown : NULL;
}

bool report_has_fields(const struct hd_report *r)
{
    bool has_fields = r->snapshot_count > 0;
    for (size_t k = 0; k < r->snapshot_count; k++)
        has_fields &= r->snapshots[k].info.has_fields;
    return has_fields;
}

bool report_is_declared(const struct hd_report *r, const char *name)
{
    return report_has_fields(r) || report_shown(r, name) != name;
}

/* --- snapshots and warnings ---------------------------------------------- */

void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot)
{
    bool one = snapshot < r->snapshot_count;
    struct hd_warning w =
        (struct hd_warning){.code = warning_texts[code].code,
                            .message = warning_texts[code].message,
                            .snapshot = snapshot,
                            .path = one ? r->snapshots[snapshot].info.path : NULL,
                            .count = HD_UNKNOWN,
                            .line = HD_UNKNOWN};
    r->warnings =
        grow(r->warnings, r->warning_count, &r->warning_cap, sizeof(*r->warnings));
    r->warnings[r->warning_count++] = w;
}

bool report_is_warned(const struct hd_report *r, enum warning_code code)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, warning_texts[code].code) == 0)
            return true;
    return false;
}

bool report_is_one_process(const struct hd_report *r)
{
    return !report_is_warned(r, WARN_DIFFERENT_PROGRAM) &&
           !report_is_warned(r, WARN_DIFFERENT_PROCESS);
}

void report_warn_detail(struct hd_report *r, enum warning_code code, size_t snapshot,
                        const char *message)
{
    report_warn(r, code, snapshot);
    r->warnings[r->warning_count - 1].message = report_string(r, message);
}

void report_warn_text(struct hd_report *r, enum warning_code code, size_t snapshot,
                      struct text *message)
{
    report_warn_detail(r, code, snapshot, text_string(message));
    text_free(message);
}

static void add_reader_warning(struct hd_report *r, size_t k, const struct warning *w)
{
    report_warn(r, w->code, k);
    struct hd_warning *added = &r->warnings[r->warning_count - 1];
    if (w->detail != NULL)
        added->message = report_string(r, w->detail);
    added->count = w->count > 0 ? w->count : HD_UNKNOWN;
    added->line = w->line > 0 ? w->line : HD_UNKNOWN;
}

static struct hd_snapshot_facts report_make_describe(struct hd_report *r,
                                                     const struct hd_snapshot *snap)
{
    struct hd_snapshot_facts s = {.info = snap->info,
                                  .origin = snap->origin,
                                  .weak_roots = snap->weak_roots,
                                  .traced_survivors = HD_UNKNOWN,
                                  .traced_objects = HD_UNKNOWN,
                                  .sampled = HD_UNKNOWN,
                                  .methods = HD_UNKNOWN,
                                  .survivors_unknown = snap->survivors_unknown,
                                  .facts = snap->facts,
                                  .clock = snap->clock,
                                  .clock_is_date = snap->clock_is_date};
    if (snap->survivor_map != NULL) {
        s.traced_survivors = snap->survivor_map->survivors;
        s.traced_objects = snap->survivor_map->older.objects;
    } else if (snap->digest != NULL && snap->digest->ages.moment_count > 0) {
        s.traced_survivors = snap->digest->ages.survivors;
        s.traced_objects = snap->digest->ages.of;
    }
    const struct allocation_sites *sites =
        snap->digest != NULL ? snap->digest->sites : snap->sites;
    if (sites != NULL) {
        s.sampled = sites->object_count;
        s.methods = allocation_sites_methods(sites);
    }
    memcpy(s.roots_by_kind, snap->roots_by_kind, sizeof(s.roots_by_kind));
    memcpy(s.by_generation, snap->by_generation, sizeof(s.by_generation));
    const char **const strings[] = {
        &s.info.path,       &s.info.producer,  &s.info.time,      &s.info.process,
        &s.info.host,       &s.info.container, &s.info.program,   &s.info.started,
        &s.info.runtime,    &s.info.processor, &s.origin.command, &s.origin.generation,
        &s.origin.liveness, &s.origin.filters};
    report_keep(r, strings, sizeof(strings) / sizeof(*strings));
    return s;
}

void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count)
{
    r->snapshots = arena_array(&r->arena, struct hd_snapshot_facts, count);
    r->snapshot_count = count;
    for (size_t k = 0; k < count; k++) {
        r->snapshots[k] = report_make_describe(r, snaps[k]);
        const struct hd_snapshot *snap = snaps[k];
        for (type_id t = 0; t < snap->type_count; t++) {
            const struct type *type = &snap->types[t];
            struct report_name *found;
            if (type->full_name == NULL)
                continue;
            HASH_FIND_STR(r->names, type->name, found);
            if (found == NULL) {
                found = arena_alloc(&r->arena, sizeof(*found));
                found->shown = report_string(r, type->full_name);
                const char *key = report_string(r, type->name);
                HASH_ADD_KEYPTR(hh, r->names, key, strlen(key), found);
            } else if (found->shown != NULL && strcmp(found->shown, type->full_name) != 0) {
                found->shown = NULL;
            }
        }
        for (size_t i = 0; i < snaps[k]->warnings.len; i++)
            add_reader_warning(r, k, &snaps[k]->warnings.all[i]);
    }
    if (r->kind != HD_REPORT_INFO && r->kind != HD_REPORT_OBJECT)
        warn_objects(r, snaps, count);
}

/* Only the last warning of a snapshot can be new: that most of its objects are garbage. */
static void refresh_reach(struct hd_report *r, size_t k, const struct hd_snapshot *snap,
                          size_t end_of_warnings)
{
    struct hd_info *info = &r->snapshots[k].info;
    if (info->reachable_objects == snap->info.reachable_objects)
        return;
    info->reachable_objects = snap->info.reachable_objects;
    info->reachable_bytes = snap->info.reachable_bytes;
    const struct warnings *all = &snap->warnings;
    if (all->len == 0 || all->all[all->len - 1].code != WARN_MOSTLY_UNREACHABLE)
        return;
    add_reader_warning(r, k, &all->all[all->len - 1]);
    struct hd_warning *at = &r->warnings[end_of_warnings - 1],
                      added = r->warnings[r->warning_count - 1];
    memmove(at + 1, at, (r->warning_count - end_of_warnings) * sizeof(*at));
    *at = added;
}

static bool need_reach(struct hd_snapshot *snap, size_t k, struct hd_error *err)
{
    if (snapshot_need_reach(snap, err))
        return true;
    return comparison_blame(err, k);
}

bool report_refresh_reach(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, struct hd_error *err)
{
    size_t end = 0;
    for (size_t k = 0; k < count; k++) {
        if (!need_reach(snaps[k], k, err))
            return false;
        end += snaps[k]->warnings.len;
        refresh_reach(r, k, snaps[k], end);
    }
    return true;
}

const struct hd_warning *hd_report_warnings(const struct hd_report *report, size_t *count)
{
    *count = report->warning_count;
    return report->warnings;
}

size_t hd_report_suspects(const struct hd_report *report)
{
    return report->maker != NULL ? report->maker->suspects(report)
                                 : report->diff.suspect_count;
}

bool hd_report_conclusive(const struct hd_report *report)
{
    if (report->maker != NULL)
        return report->maker->is_conclusive(report);
    for (size_t k = 0; k < report->snapshot_count; k++)
        if (!report->snapshots[k].info.complete || report->snapshots[k].info.sampled)
            return false;
    if (report->diff.no_match != NULL)
        return false;
    bool undecided = false; /* some rule */
    for (size_t i = 0; i < report->check.rule_count; i++)
        undecided |= report->check.rules[i].status == HD_FOUND_INCONCLUSIVE ||
                     report->check.rules[i].is_lenient;
    if (report->kind == HD_REPORT_CHECK)
        return !undecided;
    if (report->diff.suspect_count + report->diff.hidden_count == 0 &&
        (report->diff.growth.is_open || report->diff.growth.has_leveled_off ||
         hd_diff_is_reserved(&report->diff) || hd_diff_grows_outside(&report->diff)))
        return false;
    return report->kind != HD_REPORT_DIFF ||
           report->diff.usable_count >= rank_by.enough_snapshots;
}

bool report_has_leveled_off(const struct hd_diff *d, const char *type)
{
    for (size_t i = 0; i < d->leveled_off_count; i++)
        if (strcmp(d->leveled_off[i].type, type) == 0)
            return true;
    return false;
}

bool report_is_enough(size_t snapshots)
{
    return snapshots >= rank_by.enough_snapshots;
}

/* --- rows ---------------------------------------------------------------- */

/* A type, or a holder, as people read it: each place by the name that is shown. */
static void add_shown(struct text *t, const struct hd_report *r, const char *name)
{
    struct text place = {0};
    for (const char *end; *(end = holder_place_end(name)) != '\0';
         name = end + strlen(HOLDER_ARROW)) {
        text_clear(&place);
        text_add(&place, name, (size_t)(end - name));
        say(t, report_shown(r, text_string(&place)), HOLDER_ARROW);
    }
    say(t, report_shown(r, name));
    text_free(&place);
}

bool report_matches(const struct hd_report *r, const char *pattern, const char *name)
{
    struct text shown = {0};
    if (names_match(pattern, name))
        return true;
    if (r->names == NULL)
        return false;
    add_shown(&shown, r, name);
    bool matches = names_match(pattern, text_string(&shown));
    text_free(&shown);
    return matches;
}

bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name)
{
    struct view v = view_of(opt);
    return view_shows(&v, r, name);
}

bool report_retained(const struct hd_report *r, const struct hd_suspect *s, uint64_t *first,
                     uint64_t *last)
{
    bool known = false;
    for (size_t k = 0; s->retained != NULL && k < r->snapshot_count; k++) {
        if (s->retained[k] == HD_UNKNOWN)
            continue;
        *first = known ? *first : s->retained[k];
        *last = s->retained[k];
        known = true;
    }
    return known;
}

struct hd_no_match report_no_match(const char *pattern, const char *const *names,
                                   size_t count, struct arena *a)
{
    struct text nearest = {0};
    struct hd_no_match none = {.pattern = arena_strdup(a, pattern, strlen(pattern))};
    if (nearest_name(&nearest, pattern, names, count))
        none.nearest = arena_strdup(a, nearest.data, nearest.len);
    text_free(&nearest);
    return none;
}

size_t report_rows(const struct hd_report *r, size_t len)
{
    return r->rows == 0 || len < r->rows ? len : r->rows;
}

const char *const unit_names[] = {[HD_BY_TYPE] = "type",
                                  [HD_BY_NAMESPACE] = "namespace",
                                  [HD_BY_MODULE] = "module",
                                  [HD_BY_HOLDER] = "holder"};

const char *report_unit(const struct hd_report *r)
{
    return unit_names[r->options.by];
}

enum selection report_selection(const struct hd_options *opt)
{
    return (opt->gen2 ? SELECT_GEN2 : 0U) | (opt->reachable ? SELECT_REACHABLE : 0U);
}

/* --- units --------------------------------------------------------------- */

struct hd_snapshot *const *report_units(struct hd_comparison *c,
                                        const struct hd_options *opt, struct hd_error *err)
{
    if (opt->by == HD_BY_HOLDER)
        return comparison_holders(c, report_selection(opt), err);
    for (size_t k = 0; opt->reachable && k < c->count; k++)
        if (!need_reach(c->snaps[k], k, err))
            return NULL;
    return c->snaps;
}

/* --- chains -------------------------------------------------------------- */

struct chain_options report_chain_options(const struct hd_report *r)
{
    return (struct chain_options){.samples = r->options.samples,
                                  .seed = r->options.seed,
                                  .exact = r->options.exact,
                                  .fields = r->options.fields};
}

/* Frames of a chain by default, and the minimum above the owner. */
enum { USUAL_DEPTH = 64, USUAL_HEAD = 16 };

/* Shortens a chain in the middle: the ends are most informative, its root and the object.
 * By default the lower end begins at the owner. */
static void keep_ends(struct hd_chain_row *c, uint32_t wish)
{
    struct hd_chain *chain = &c->chain;
    c->frames_omitted = chain->frames_skipped;
    c->omitted_at = chain->skipped_at;
    size_t depth = wish == HD_USUAL_DEPTH ? USUAL_DEPTH : wish;
    if (depth == 0 || chain->frame_count <= depth)
        return;
    size_t tail = depth / 2, below = chain->frame_count - chain->owner_frame;
    if (wish == HD_USUAL_DEPTH && chain->owner_frame != HD_NO_OWNER && below > tail)
        tail = below < depth - USUAL_HEAD ? below : depth - USUAL_HEAD;
    size_t head = depth - tail;
    size_t less = chain->frame_count - depth;
    c->frames_omitted += less;
    c->omitted_at = head;
    memmove(&chain->frames[head], &chain->frames[chain->frame_count - tail],
            tail * sizeof(*chain->frames));
    chain->frame_count = depth;
    if (chain->owner_frame == HD_NO_OWNER || chain->owner_frame < head)
        return;
    bool kept = chain->owner_frame >= head + less;
    chain->owner_frame = kept ? chain->owner_frame - less : HD_NO_OWNER;
}

static struct hd_chain_row report_chain_of(struct hd_report *r,
                                           const struct hd_snapshot *snap,
                                           const struct grown_chain *grown,
                                           size_t snapshots)
{
    struct hd_chain_row c = {
        .chain = grown->chain, .status = grown->status, .generation = HD_GEN_UNKNOWN};
    c.retained = HD_UNKNOWN;
    c.frames_above = c.chain.owner_frame;
    if (c.chain.owner != NULL && c.frames_above > c.chain.skipped_at)
        c.frames_above += c.chain.frames_skipped;
    c.chain.owner = report_string(r, c.chain.owner);
    keep_ends(&c, r->options.depth);
    struct hd_frame *frames = arena_array(&r->arena, struct hd_frame, c.chain.frame_count);
    for (size_t i = 0; i < c.chain.frame_count; i++) {
        frames[i] = c.chain.frames[i];
        frames[i].field = report_string(r, frames[i].field);
        for (unsigned t = 0; t < frames[i].type_count; t++) {
            frames[i].types[t] = report_string(r, frames[i].types[t]);
            frames[i].shown[t] = report_shown(r, frames[i].types[t]);
            frames[i].fields[t] = report_string(r, frames[i].fields[t]);
        }
    }
    c.chain.frames = frames;
    c.in_full = r->options.depth != HD_USUAL_DEPTH || r->kind == HD_REPORT_ROOTS;
    if (grown->instances != NULL) {
        c.instances = arena_array(&r->arena, uint64_t, snapshots);
        memcpy(c.instances, grown->instances, snapshots * sizeof(*c.instances));
    }
    /* a vanished chain has no example in this snapshot */
    if (grown->chain.count > 0) {
        if (snap->graph != NULL)
            c.address = graph_address(snap->graph, grown->chain.example);
        c.generation = grown->chain.example_generation;
    }
    return c;
}

static const char *type_at(const struct hd_chain *c, size_t frame)
{
    return c->frames[frame].types[0];
}

/* True for chains of about the same length that differ in one frame. */
static bool is_near_copy(const struct hd_chain *a, const struct hd_chain *b)
{
    size_t x = a->frame_count, y = b->frame_count;
    size_t shorter = x < y ? x : y, longer = x < y ? y : x;
    if (a->kind != b->kind || longer - shorter > 1)
        return false;
    size_t front = 0, back = 0;
    while (front < shorter && strcmp(type_at(a, front), type_at(b, front)) == 0)
        front++;
    while (back + front < shorter &&
           strcmp(type_at(a, x - 1 - back), type_at(b, y - 1 - back)) == 0)
        back++;
    return front + back + 1 >= longer;
}

/* Chooses `wanted` chains, the most frequent first; near copies of chosen ones only for
 * lack of others. */
static size_t report_make_choose(const struct grown_chains *all, size_t wanted, bool *taken)
{
    size_t count = 0;
    if (wanted >= all->len) {
        for (size_t i = 0; i < all->len; i++)
            count += taken[i] = all->all[i].chain.frame_count > 0;
        return count;
    }
    for (int copies = 0; copies < 2; copies++) {
        for (size_t i = 0; i < all->len && count < wanted; i++) {
            bool copy = false;
            for (size_t j = 0; j < i && !copies && !copy; j++)
                copy = taken[j] && is_near_copy(&all->all[i].chain, &all->all[j].chain);
            if (taken[i] || copy || all->all[i].chain.frame_count == 0)
                continue;
            taken[i] = true;
            count++;
        }
    }
    return count;
}

/* Returns the share of instances that the owner of the first chain has. */
static double share_of_owner(const struct grown_chains *grown)
{
    double share = 0;
    const struct hd_chain *first = grown->len > 0 ? &grown->all[0].chain : NULL;
    for (size_t i = 0; i < grown->len && first->owner != NULL; i++) {
        const struct hd_chain *c = &grown->all[i].chain;
        if (c->owner != NULL && c->kind == first->kind &&
            strcmp(c->owner, first->owner) == 0)
            share += c->share;
    }
    return share;
}

struct hd_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                  const struct chains *const *in, size_t count)
{
    enum { MAX_TO_CHOOSE_FROM = 200 };
    struct arena scratch = {0};
    const struct grown_chains found = chain_growth(in, count, &scratch);
    struct grown_chains grown = {.all = found.all};
    /* The others have no instance now, and too few of their earlier instances were sampled
     * to call them gone. */
    for (size_t i = 0; i < found.len; i++)
        if (found.all[i].chain.count > 0 || found.all[i].status == HD_CHAIN_GONE)
            grown.all[grown.len++] = found.all[i];
    struct hd_chains all = {.instances = in[count - 1]->instances,
                            .samples = in[count - 1]->samples,
                            .owner_share = share_of_owner(&grown)};
    size_t most = grown.len < MAX_TO_CHOOSE_FROM ? grown.len : MAX_TO_CHOOSE_FROM;
    bool *taken = arena_array(&scratch, bool, grown.len);
    struct grown_chains first = {grown.all, r->options.chains > most ? grown.len : most};
    size_t chosen = report_make_choose(&first, r->options.chains, taken);
    all.all = arena_array(&r->arena, struct hd_chain_row, chosen);
    for (size_t i = 0; i < grown.len; i++) {
        all.available += grown.all[i].chain.frame_count > 0;
        if (taken[i]) {
            all.all[all.len++] = report_chain_of(r, snap, &grown.all[i], count);
        } else if (grown.all[i].chain.count > 0) {
            all.omitted++;
            all.omitted_share += grown.all[i].chain.share;
        }
    }
    arena_free(&scratch);
    return all;
}
