#include "report/report.h"

#include "analysis/holder_name.h"
#include "analysis/holders.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/workers.h"
#include "format/open.h"
#include "heap/builder.h"
#include "heap/names.h"
#include "heap/nearest_name.h"
#include "report/plan.h"

#include <stdlib.h>
#include <string.h>

struct report_name {
    const char *shown; /* NULL: snapshots contradict each other */
    UT_hash_handle hh;
};

struct hd_report *report_new(enum report_kind kind, const struct hd_options *opt)
{
    struct hd_report *r = alloc_zeroed(sizeof(*r));
    r->kind = kind;
    r->options = opt != NULL ? *opt : hd_default_options();
    r->options.types = r->options.excludes = NULL;
    r->options.iterations = NULL;
    return r;
}

void hd_report_free(struct hd_report *report)
{
    if (report == NULL)
        return;
    HASH_CLEAR(hh, report->names);
    free(report->warnings);
    arena_free(&report->arena);
    free(report);
}

const char *report_string(struct hd_report *r, const char *s)
{
    return s != NULL ? arena_strdup(&r->arena, s, strlen(s)) : NULL;
}

/* --- names --------------------------------------------------------------- */

const char *report_join_holder(struct hd_report *r, const char *const *holder, size_t len)
{
    struct text t = {0};
    if (holder == NULL)
        return NULL;
    holder_join(&t, holder, len);
    const char *joined = report_string(r, text_string(&t));
    text_free(&t);
    return joined;
}

const char *report_shown(const struct hd_report *r, const char *name)
{
    struct report_name *found;
    HASH_FIND_STR(r->names, name, found);
    return found != NULL && found->shown != NULL ? found->shown : name;
}

static void add_names(struct hd_report *r, const struct hd_snapshot *snap)
{
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        struct report_name *found;
        if (type->kind != TYPE_OBJECT || type->full_name == NULL)
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
}

/* --- snapshots and warnings ---------------------------------------------- */

static void add_warning(struct hd_report *r, struct hd_warning w)
{
    r->warnings =
        grow(r->warnings, r->warning_count, &r->warning_cap, sizeof(*r->warnings));
    r->warnings[r->warning_count++] = w;
}

void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot)
{
    bool one = snapshot < r->snapshot_count;
    add_warning(r,
                (struct hd_warning){.code = warning_texts[code].code,
                                    .message = warning_texts[code].message,
                                    .snapshot = snapshot,
                                    .path = one ? r->snapshots[snapshot].info.path : NULL,
                                    .count = HD_UNKNOWN,
                                    .line = HD_UNKNOWN});
}

void report_warn_detail(struct hd_report *r, enum warning_code code, size_t snapshot,
                        const char *message)
{
    report_warn(r, code, snapshot);
    r->warnings[r->warning_count - 1].message = report_string(r, message);
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

static void add_reader_warnings(struct hd_report *r, size_t k, const struct warnings *all)
{
    for (size_t i = 0; i < all->len; i++)
        add_reader_warning(r, k, &all->all[i]);
}

static struct report_snapshot describe(struct hd_report *r, const struct hd_snapshot *snap)
{
    struct report_snapshot s = {.info = snap->info,
                                .origin = snap->origin,
                                .weak_roots = snap->weak_roots,
                                .clock = snap->clock,
                                .clock_is_date = snap->clock_is_date};
    memcpy(s.roots_by_kind, snap->roots_by_kind, sizeof(s.roots_by_kind));
    memcpy(s.by_generation, snap->by_generation, sizeof(s.by_generation));
    s.info.path = report_string(r, s.info.path);
    s.info.producer = report_string(r, s.info.producer);
    s.info.time = report_string(r, s.info.time);
    s.info.process = report_string(r, s.info.process);
    s.info.host = report_string(r, s.info.host);
    s.info.container = report_string(r, s.info.container);
    s.info.program = report_string(r, s.info.program);
    s.info.started = report_string(r, s.info.started);
    s.info.runtime = report_string(r, s.info.runtime);
    s.origin.command = report_string(r, s.origin.command);
    s.origin.generation = report_string(r, s.origin.generation);
    s.origin.liveness = report_string(r, s.origin.liveness);
    s.origin.filters = report_string(r, s.origin.filters);
    return s;
}

void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count)
{
    r->snapshots = arena_array(&r->arena, struct report_snapshot, count);
    r->snapshot_count = count;
    for (size_t k = 0; k < count; k++) {
        r->snapshots[k] = describe(r, snaps[k]);
        add_names(r, snaps[k]);
        add_reader_warnings(r, k, &snaps[k]->warnings);
    }
}

/* Only the last warning of a snapshot can be new: that most of it is garbage. */
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
    if (err != NULL && err->snapshot == 0)
        err->snapshot = (unsigned)k + 1;
    return false;
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
    return report->suspect_count;
}

static bool has_undecided_rule(const struct hd_report *report)
{
    for (size_t i = 0; i < report->rule_count; i++)
        if (report->rules[i].status == RULE_INCONCLUSIVE || report->rules[i].is_lenient)
            return true;
    return false;
}

bool hd_report_conclusive(const struct hd_report *report)
{
    for (size_t k = 0; k < report->snapshot_count; k++)
        if (!report->snapshots[k].info.complete || report->snapshots[k].info.sampled)
            return false;
    if (report->no_match != NULL)
        return false;
    if (report->kind == REPORT_CHECK)
        return !has_undecided_rule(report);
    if (report->growth.is_open || report->growth.has_stopped)
        return false;
    return report->kind != REPORT_DIFF || report->fit_count >= SERIES_ENOUGH_SNAPSHOTS;
}

/* --- rows ---------------------------------------------------------------- */

static const char arrow[] = " → ";

/* A holder as people read it: each type of its path by the name that is shown. */
static void add_shown_path(struct text *t, const struct hd_report *r, const char *name)
{
    struct text type = {0};
    for (const char *end; (end = strstr(name, arrow)) != NULL; name = end + strlen(arrow)) {
        text_clear(&type);
        text_add(&type, name, (size_t)(end - name));
        text_add_string(t, report_shown(r, text_string(&type)));
        text_add_string(t, arrow);
    }
    text_add_string(t, report_shown(r, name));
    text_free(&type);
}

bool report_matches(const struct hd_report *r, const char *pattern, const char *name)
{
    struct text path = {0};
    if (names_match(pattern, name))
        return true;
    if (r->names == NULL)
        return false;
    if (strstr(name, arrow) == NULL) {
        const char *shown = report_shown(r, name);
        return shown != name && names_match(pattern, shown);
    }
    add_shown_path(&path, r, name);
    bool matches = names_match(pattern, text_string(&path));
    text_free(&path);
    return matches;
}

static bool matches_any(const struct hd_report *r, const char *const *patterns,
                        size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (report_matches(r, patterns[i], name))
            return true;
    return false;
}

bool report_excludes(const struct hd_report *r, const struct hd_options *opt,
                     const char *name)
{
    return matches_any(r, opt->excludes, opt->exclude_count, name);
}

bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name)
{
    if (opt->type_count > 0 && !matches_any(r, opt->types, opt->type_count, name))
        return false;
    if (report_excludes(r, opt, name))
        return false;
    return !opt->app_only || !names_is_framework(name);
}

bool report_retained(const struct hd_report *r, const struct report_suspect *s,
                     uint64_t *first, uint64_t *last)
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

void report_no_match(struct text *out, const struct hd_report *r, const char *pattern,
                     const char *const *names, size_t count)
{
    struct text nearest = {0};
    text_add_string(out, "no ");
    text_add_string(out, report_unit(r));
    text_add_string(out, " matches ");
    text_add_string(out, pattern);
    if (nearest_name(&nearest, pattern, names, count)) {
        text_add_string(out, "; did you mean ");
        text_add(out, nearest.data, nearest.len);
        text_add_char(out, '?');
    } else {
        text_add_string(out, "; `heapdrift top` lists them");
    }
    text_free(&nearest);
}

size_t report_rows(const struct hd_report *r, size_t len)
{
    enum { USUAL_ROWS = 20 };
    size_t most = r->options.rows == HD_DEFAULT_ROWS ? USUAL_ROWS : r->options.rows;
    return most == 0 || len < most ? len : most;
}

const char *report_unit(const struct hd_report *r)
{
    static const char *const names[] = {[HD_BY_TYPE] = "type",
                                        [HD_BY_NAMESPACE] = "namespace",
                                        [HD_BY_MODULE] = "module",
                                        [HD_BY_HOLDER] = "holder"};
    return names[r->options.by];
}

enum selection report_selection(const struct hd_options *opt)
{
    return (opt->gen2 ? SELECT_GEN2 : 0U) | (opt->reachable ? SELECT_REACHABLE : 0U);
}

/* --- units --------------------------------------------------------------- */

struct holding {
    struct hd_snapshot **units;
    struct hd_snapshot *const *snaps;
    size_t count;
    enum selection selection;
    const struct holder_parts *parts;
    struct hd_snapshot **of_parts; /* parts->count of them for each snapshot */
    struct plan plan;
    struct hd_error errors[HD_MAX_SNAPSHOTS];
};

static bool hold_one(void *context, size_t k)
{
    struct holding *h = context;
    struct hd_snapshot *snap = h->snaps[k];
    struct hd_error *err = &h->errors[k];
    bool known = snap->info.has_roots && !snap->read.tables_only;
    bool ok = known ? snapshot_need_reach(snap, err) &&
                          series_can_select(snap, h->selection, err) &&
                          snapshot_need_graph(snap, err)
                    : fail_about(err, HD_ABOUT_HOLDERS, HD_USAGE,
                                 "needs a graph with roots, which is not in this snapshot "
                                 "or was not read");
    if (!ok)
        return false;
    size_t parts = h->parts != NULL ? h->parts->count : 0;
    h->units[k] = holders_of(snap, h->selection, h->parts,
                             parts > 0 ? &h->of_parts[k * parts] : NULL);
    if (k + 1 < h->count && !h->plan.keep)
        snapshot_release_graph(snap);
    return true;
}

bool report_begin_holders(struct hd_snapshot **units, struct hd_snapshot *const *snaps,
                          size_t count, const struct hd_options *opt,
                          const struct holder_parts *parts, struct hd_snapshot **of_parts,
                          struct hd_error *err)
{
    struct holding h = {.units = units,
                        .snaps = snaps,
                        .count = count,
                        .selection = report_selection(opt),
                        .parts = parts,
                        .of_parts = of_parts};
    if (!plan_graphs(&h.plan, snaps, count, plan_dominators, opt, err))
        return false;
    workers_run(count, h.plan.at_once, hold_one, &h);
    for (size_t k = 0; k < count; k++) {
        if (h.errors[k].status == HD_OK)
            continue;
        if (err != NULL && err->status == HD_OK) {
            *err = h.errors[k];
            err->snapshot = (unsigned)k + 1;
        }
        return false;
    }
    return true;
}

bool report_begin_units(struct hd_snapshot **units, struct hd_snapshot *const *snaps,
                        size_t count, const struct hd_options *opt, struct hd_error *err)
{
    if (opt->by == HD_BY_HOLDER)
        return report_begin_holders(units, snaps, count, opt, NULL, NULL, err);
    for (size_t k = 0; k < count; k++) {
        units[k] = snaps[k];
        if (opt->reachable && !need_reach(snaps[k], k, err))
            return false;
    }
    return true;
}

void report_end_units(struct hd_snapshot **units, struct hd_snapshot *const *snaps,
                      size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (units[k] != snaps[k])
            snapshot_free(units[k]);
}

/* --- chains -------------------------------------------------------------- */

struct chain_options report_chain_options(const struct hd_report *r)
{
    return (struct chain_options){
        .samples = r->options.samples, .seed = r->options.seed, .exact = r->options.exact};
}

/* How many frames are kept unless the options say it, and of them at least so many above
 * the owner. */
enum { USUAL_DEPTH = 64, USUAL_HEAD = 16 };

/* The first and the last frames say most: where it hangs, and what it is. Without a wish
 * the last ones are those from the owner down. */
static void keep_ends(struct report_chain *c, uint32_t wish)
{
    struct chain *chain = &c->chain;
    c->frames_omitted = chain->frames_skipped;
    c->omitted_at = chain->skipped_at;
    size_t depth = wish == HD_USUAL_DEPTH ? USUAL_DEPTH : wish;
    if (depth == 0 || chain->frame_count <= depth)
        return;
    size_t tail = depth / 2, below = chain->frame_count - chain->owner_frame;
    if (wish == HD_USUAL_DEPTH && chain->owner_frame != NO_OWNER && below > tail)
        tail = below < depth - USUAL_HEAD ? below : depth - USUAL_HEAD;
    size_t head = depth - tail;
    size_t less = chain->frame_count - depth;
    c->frames_omitted += less;
    c->omitted_at = head;
    memmove(&chain->frames[head], &chain->frames[chain->frame_count - tail],
            tail * sizeof(*chain->frames));
    chain->frame_count = depth;
    if (chain->owner_frame == NO_OWNER || chain->owner_frame < head)
        return;
    bool kept = chain->owner_frame >= head + less;
    chain->owner_frame = kept ? chain->owner_frame - less : NO_OWNER;
}

static struct report_chain report_chain_of(struct hd_report *r,
                                           const struct hd_snapshot *snap,
                                           const struct grown_chain *grown,
                                           size_t snapshots)
{
    struct report_chain c = {
        .chain = grown->chain, .status = grown->status, .generation = GEN_UNKNOWN};
    c.retained = HD_UNKNOWN;
    c.frames_above = c.chain.owner_frame;
    if (c.chain.owner != NULL && c.frames_above > c.chain.skipped_at)
        c.frames_above += c.chain.frames_skipped;
    c.chain.owner = report_string(r, c.chain.owner);
    keep_ends(&c, r->options.depth);
    struct frame *frames = arena_array(&r->arena, struct frame, c.chain.frame_count);
    for (size_t i = 0; i < c.chain.frame_count; i++) {
        frames[i] = c.chain.frames[i];
        for (unsigned t = 0; t < frames[i].type_count; t++) {
            frames[i].types[t] = report_string(r, frames[i].types[t]);
            frames[i].shown[t] = report_shown(r, frames[i].types[t]);
        }
    }
    c.chain.frames = frames;
    bool all = r->options.depth != HD_USUAL_DEPTH || r->kind == REPORT_ROOTS;
    c.brief = report_brief_of(&c.chain, all, &r->arena);
    if (grown->instances != NULL) {
        c.instances = arena_array(&r->arena, uint64_t, snapshots);
        memcpy(c.instances, grown->instances, snapshots * sizeof(*c.instances));
    }
    /* The example of a chain that is gone is not in this snapshot. */
    if (grown->chain.count > 0) {
        c.address = graph_address(snap->graph, grown->chain.example);
        if (snap->info.has_generations)
            c.generation = ranges_find(&snap->ranges, c.address);
    }
    return c;
}

static const char *type_at(const struct chain *c, size_t frame)
{
    return c->frames[frame].types[0];
}

/* Chains of about the same length that differ in one frame say the same twice. */
static bool is_near_copy(const struct chain *a, const struct chain *b)
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

/* Take the wanted number, the most frequent first; near copies of what is taken only if
 * nothing else is left. */
static size_t choose(const struct grown_chains *all, size_t wanted, bool *taken)
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

struct report_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                      const struct chains *const *in, size_t count)
{
    enum { MOST_TO_CHOOSE_FROM = 200 };
    struct arena scratch = {0};
    struct grown_chains grown = chain_growth(in, count, &scratch);
    struct report_chains all = {.instances = in[count - 1]->instances,
                                .samples = in[count - 1]->samples};
    size_t most = grown.len < MOST_TO_CHOOSE_FROM ? grown.len : MOST_TO_CHOOSE_FROM;
    bool *taken = arena_array(&scratch, bool, grown.len);
    struct grown_chains first = {grown.all, r->options.chains > most ? grown.len : most};
    size_t chosen = choose(&first, r->options.chains, taken);
    all.all = arena_array(&r->arena, struct report_chain, chosen);
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
