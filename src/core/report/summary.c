/* The summary of a report, its first lines: a label and a sentence for each leak, the
 * remedy, and the facts that support it. Limits of the snapshots are stated, too: no
 * all-clear without evidence. Must not depend on format or width. */
#include "report/phrases.h"

#include "heap/place.h"
#include "ranking/hints.h"
#include "report/process_account.h"
#include "report/text_parts.h"

#include <assert.h>
#include <string.h>

/* --- lines ---------------------------------------------------------------- */

/* Three leaks, the number of others, the remedy, and a reservation or two. */
enum { MAX_LEAKS = 3, MAX_LINES = 8 };

/* The rest of a line of 80 columns. */
enum { LINE_COLUMNS = 66, LABEL_COLUMNS = 80 - LINE_COLUMNS };

static struct hd_line *append(struct hd_report *r, struct hd_line **to, size_t *len,
                              const char *label, struct sentence *h)
{
    struct arena *a = &r->arena;
    if (*to == NULL)
        *to = arena_array(a, struct hd_line, MAX_LINES);
    struct hd_span *names = arena_array(a, struct hd_span, h->name_count);
    for (size_t i = 0; i < h->name_count; i++)
        names[i] = (struct hd_span){h->names[i].from, h->names[i].to};
    assert(*len < MAX_LINES);
    struct hd_line *line = &(*to)[(*len)++];
    *line = (struct hd_line){.label = label,
                             .text = arena_strdup(a, text_string(&h->words), h->words.len),
                             .names = names,
                             .name_count = h->name_count};
    sentence_free(h);
    return line;
}

struct hd_line *summary_add(struct hd_report *r, const char *label, struct sentence *h)
{
    return append(r, &r->summary.verdict, &r->summary.verdict_len, label, h);
}

static void add_fact(struct hd_report *r, const char *label, struct sentence *h)
{
    if (h->words.len > 0)
        append(r, &r->summary.facts, &r->summary.fact_len, label, h);
    else
        sentence_free(h);
}

const char *summary_line(struct hd_report *r)
{
    struct text t = {0};
    for (size_t i = 0; i < r->summary.verdict_len; i++) {
        const struct hd_line *l = &r->summary.verdict[i];
        if (l->command == NULL)
            say(&t, i > 0 ? "; " : "", l->label != NULL ? l->label : "",
                l->label != NULL ? " " : "", l->text);
    }
    return report_keep_text(r, &t);
}

/* --- leaks ---------------------------------------------------------------- */

static bool gain_the_same(const struct hd_tally *x, const struct hd_tally *y, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (x[k].count - x[k - 1].count != y[k].count - y[k - 1].count)
            return false;
    return true;
}

/* True if the native kind and the suspect have the same cause, which the hint of the
 * suspect explains: they gain the same in every step. */
static bool comes_with(const struct hd_native_memory *n, const struct hd_report *r,
                       const struct hd_suspect *s)
{
    struct leak_counts c = leak_counts_of(r, s);
    const struct hint *hint = hint_named(s->hint);
    return hint != NULL && hint->breadth == HINT_OF_PART && c.len == r->snapshot_count &&
           gain_the_same(n->at, c.at, c.len);
}

/* True if the first chain to the suspect passes through the counted objects of another:
 * its title may be a single object that holds them. */
static bool passes_through(const struct hd_suspect *s, const struct hd_suspect *above)
{
    const struct hd_chain *c = s->chains.len > 0 ? &s->chains.all[0].chain : NULL;
    for (size_t i = 0; c != NULL && i + 1 < c->frame_count; i++)
        for (unsigned k = 0; k < c->frames[i].type_count; k++)
            if (strcmp(c->frames[i].types[k], above->counted) == 0)
                return true;
    return false;
}

/* Suspects with a separate line. Others share their cause, and so the remedy: they are
 * inside each counted object, or the same objects in another place. */
struct leaks {
    const struct hd_suspect *all[MAX_LEAKS];
    size_t len, more;              /* more: without a line for lack of space */
    const struct hd_suspect *part; /* the first of other objects, or NULL */
    const struct hd_suspect *part_of;
    size_t parts;
};

/* True if both are the same objects, at two places. */
static bool is_same(const struct hd_suspect *x, const struct hd_suspect *y)
{
    return strcmp(x->counted, y->counted) == 0 && strcmp(x->title, y->title) == 0;
}

static const struct hd_suspect *leak_with(const struct leaks *l, const struct hd_report *r,
                                          const struct hd_suspect *s)
{
    struct leak_counts own = leak_counts_of(r, s);
    for (size_t i = 0; i < l->len; i++) {
        struct leak_counts c = leak_counts_of(r, l->all[i]);
        if (c.len == own.len && gain_the_same(c.at, own.at, c.len) &&
            (is_same(l->all[i], s) || passes_through(s, l->all[i])))
            return l->all[i];
    }
    return NULL;
}

static struct leaks leaks_of(const struct hd_report *r)
{
    struct leaks l = {.len = 0};
    for (size_t i = 0; i < r->diff.suspect_count; i++) {
        const struct hd_suspect *s = &r->diff.suspects[i], *of = leak_with(&l, r, s);
        if (of == NULL && l.len < MAX_LEAKS) {
            l.all[l.len++] = s;
        } else if (of == NULL) {
            l.more++;
        } else if (strcmp(of->counted, s->counted) != 0) {
            l.part_of = l.parts == 0 ? of : l.part_of;
            l.part = l.parts++ == 0 ? s : l.part;
        }
    }
    return l;
}

/* True if native memory is the main finding, not a few objects that accompany another
 * one. */
static bool leads(const struct hd_native_memory *n, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    return n != NULL && d->suspect_count > 0 &&
           d->suspects[0].suspicion == HD_SUSPECT_STEADY &&
           strcmp(d->suspects[0].type, n->type) != 0 && !comes_with(n, r, &d->suspects[0]);
}

/* Adds the remedy below its leak. */
static void add_fix(struct hd_report *r, const char *hint_name)
{
    const struct hint *hint = hint_named(hint_name);
    struct sentence h = {0};
    struct text command = {0};
    if (hint == NULL)
        return;
    say(&h, hint->fix);
    phrase_hint_command(&command, hint->id);
    summary_add(r, "FIX", &h)->command = report_keep_text(r, &command);
}

/* Adds the first suspects in the order of ranks; label is for the first line. The remedy
 * follows the first line. */
static void add_leaks(struct hd_report *r, const char *label, bool has_fix)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_native_memory *native_memory = phrase_native_memory_of(d);
    const struct leaks l = leaks_of(r);
    if (leads(native_memory, r)) {
        struct sentence h = {0};
        phrase_native_memory(&h.words, native_memory);
        sentence_capitalize(&h, 0);
        summary_add(r, label, &h);
        if (has_fix)
            add_fix(r, native_memory->hint);
        has_fix = false;
    }
    for (size_t i = 0; i < l.len; i++) {
        struct sentence h = {0};
        /* More time, or the right order, may still clear it. A check has a verdict of its
         * own. */
        bool is_open = d->time_limit > HD_TIME_UNKNOWN || heading_times_fall(r);
        if (is_open && strcmp(label, "LEAK") == 0)
            say(&h, "so far, ");
        phrase_leak(&h, r, l.all[i], l.len > 1);
        summary_add(r, label, &h);
        if (has_fix)
            add_fix(r, l.all[i]->hint);
        has_fix = false;
    }
    if (l.more > 0) {
        struct sentence h = {0};
        say(&h, "and ", l.more, " more");
        summary_add(r, NULL, &h);
    }
}

/* True if a suspect is called a leak: only with four snapshots, of one program. */
static bool is_leak(const struct hd_diff *d)
{
    return d->suspect_count > 0 && report_is_enough(d->usable_count) &&
           d->confidence > HD_CONFIDENCE_LOW;
}

/* --- the facts ------------------------------------------------------------------ */

static void add_heap(struct hd_report *r)
{
    enum { BARS = 16 };
    const struct hd_diff *d = &r->diff;
    const struct hd_growth *g = &d->growth;
    const size_t n = r->snapshot_count;
    const struct hd_tally *first = &d->types.totals[0], *last = &d->types.totals[n - 1];
    bool bytes = d->types.bytes_known;
    struct hd_tally bars[SERIES_MAX_SNAPSHOTS];
    struct sentence h = {0};
    for (size_t k = 0; k < n; k++)
        bars[k].count = bytes ? d->types.totals[k].bytes : d->types.totals[k].count;
    say(&h, bytes ? as_size(first->bytes) : say_count(first->count), " → ",
        bytes ? as_size(last->bytes) : say_count(last->count), "  ");
    format_trend_of(&h.words, bars, n, BARS);
    say(&h, "  ",
        bytes ? as_size_change(first->bytes, last->bytes)
              : as_change(first->count, last->count));
    if (bytes && heading_add_rate(&h.words, r, " (", first->bytes, last->bytes))
        say(&h, ")");
    /* Causes of growth: the leaks, and the growth without an explanation. */
    if (g->known && d->suspect_count > 0 && d->hidden_count == 0) {
        const char *what = is_leak(d) ? "leak" : "suspect";
        say(&h, ", ", as_noun(is_leak(d) ? leaks_of(r).len : 2, what), " ",
            as_size_signed(g->suspects));
        if (g->unexplained)
            say(&h, ", unexplained ", as_size_signed(g->rest));
    }
    add_fact(r, bytes ? "heap" : "objects", &h);
}

static void add_process(struct hd_report *r)
{
    struct sentence h = {0};
    phrase_process(&h, r);
    add_fact(r, "process", &h);
}

static void add_free_trend(struct hd_report *r)
{
    struct sentence h = {0};
    phrase_free_trend(&h, r);
    add_fact(r, "free", &h);
}

/* Adds the sites of the first suspect; -v has those of the others. A narrow place gets one
 * line. */
static void add_allocated(struct hd_report *r)
{
    struct sentence h = {0}, brief = {0};
    const struct hd_suspect *s = r->diff.suspect_count > 0 ? &r->diff.suspects[0] : NULL;
    if (s == NULL || s->allocated == NULL)
        return;
    phrase_allocated(&h, s, SIZE_MAX);
    phrase_allocated(&brief, s, LINE_COLUMNS);
    size_t columns = printed_columns(text_string(&h.words), h.words.len, false);
    struct hd_line *line =
        append(r, &r->summary.facts, &r->summary.fact_len, "allocated", &h);
    if (columns > LINE_COLUMNS) {
        line->brief = report_keep_text(r, &brief.words);
        line->brief_below = (unsigned)columns + LABEL_COLUMNS;
    }
    sentence_free(&brief);
}

static struct sentence *also(struct sentence *h)
{
    say(h, h->words.len > 0 ? ", " : "");
    return h;
}

/* Names the kinds of descriptors that are opened and not closed. */
static void add_opened(struct sentence *h, const struct hd_report *r)
{
    const struct hd_process_growth *g = r->diff.process;
    for (enum hd_fact f = HD_FACT_SOCKETS; g != NULL && f <= HD_FACT_OTHERS; f++)
        if (g->is_opened[f])
            say(also(h), process_account_name(f), " ",
                hd_fact(&r->snapshots[g->first].facts, f), " → ",
                hd_fact(&r->snapshots[g->last].facts, f), ", more in every step");
}

/* Adds a line about facts that only -v prints. */
static void add_also(struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_native_memory *native_memory = phrase_native_memory_of(d);
    struct sentence h = {0};
    const struct leaks l = leaks_of(r);
    size_t smaller = 0;
    /* Without suspects the verdict has sentences about the rest, except that a failing
     * check has the rules there. */
    bool fails = r->kind == HD_REPORT_CHECK && r->check.verdict == HD_FAIL;
    bool rest = d->suspect_count > 0 || fails;
    if (l.parts > 0)
        say(also(&h), as_place(r, l.part->counted), " in each ",
            as_place(r, l.part_of->counted));
    if (l.parts > 1)
        say(also(&h), l.parts - 1, " more parts");
    if (rest && native_memory != NULL && !leads(native_memory, r))
        say(also(&h), native_memory->last, " ", native_memory->what,
            ", more in every step");
    if (rest && d->growth.pools_are_reported)
        say(also(&h), "buffer pools and threads ", as_size_signed(d->growth.pools));
    add_opened(&h, r);
    if (d->leveled_off_count > 0 && (rest || !d->growth.has_leveled_off))
        say(also(&h), d->leveled_off_count, " leveled off (",
            as_place(r, d->leveled_off[0].title), ", ",
            as_size_signed((int64_t)(d->leveled_off[0].growth + 0.5)), ")");
    if (rest && d->hidden_count > 0)
        phrase_hidden(&also(&h)->words, d->hidden_count);
    for (size_t i = 0; i < d->below_threshold_count; i++)
        smaller += !report_has_leveled_off(d, d->below_threshold[i].type);
    if (smaller > 0)
        say(also(&h), smaller, " smaller");
    add_fact(r, "also", &h);
}

/* --- the whole verdict ----------------------------------------------------------- */

/* No remedy without a known leak. */
static void add_leaks_or_growth(struct hd_report *r, const char *leak)
{
    bool sure = is_leak(&r->diff);
    add_leaks(r, sure ? leak : "GREW", sure);
}

/* A sentence that is not ours alone: a pattern of the command line is in it. */
static void add_unusable(struct hd_report *r, const char *label)
{
    const struct hd_diff *d = &r->diff;
    struct sentence h = {0};
    struct text why = {0};
    r->summary.severity = HD_SEVERITY_UNSURE;
    if (d->usable_count < 2) {
        say(&h, "Fewer than two of the snapshots can be compared.");
    } else {
        phrase_no_match(&why, r->options.by, d->no_match);
        sentence_add_words(&h, &why);
    }
    text_free(&why);
    summary_add(r, label, &h);
}

static void add_no_leak(struct hd_report *r, const char *sure, const char *unsure)
{
    struct sentence h = {0};
    phrase_other_growth(&h, r);
    bool has_finding = h.words.len > 0, clear = !has_finding && !phrase_has_doubts(r);
    const char *label = clear ? sure : unsure;
    r->summary.severity = clear ? HD_SEVERITY_GOOD : HD_SEVERITY_UNSURE;
    if (!has_finding) {
        /* unless the label states it */
        say(&h, strcmp(label, "NO LEAK FOUND") == 0 ? "" : "No leak found ");
        phrase_none(&h, r);
        say(&h, clear ? "" : ", but one cannot be ruled out");
    }
    summary_add(r, label, &h);
}

/* Adds growth of the space between the objects. */
static bool add_fragmented(struct hd_report *r, const char *unsure)
{
    const struct hd_free_growth *g = r->diff.free;
    struct text words = {0};
    struct sentence h = {0};
    if (g == NULL || !g->is_finding)
        return false;
    r->summary.severity = HD_SEVERITY_UNSURE;
    phrase_free(&words, g);
    sentence_add_words(&h, &words);
    text_free(&words);
    summary_add(r, unsure, &h);
    add_fix(r, g->hint);
    return true;
}

/* Adds growth outside of the objects. Memory of the collector is managed, too. */
static bool add_outside(struct hd_report *r, const char *unsure)
{
    const struct hd_process_growth *g = r->diff.process;
    struct text words = {0};
    struct sentence h = {0};
    if (add_fragmented(r, unsure))
        return true;
    if (g == NULL || !g->is_outside)
        return false;
    bool is_sure =
        g->where != HD_PART_FREE && g->where != HD_PART_GC && report_is_one_process(r);
    r->summary.severity = HD_SEVERITY_UNSURE;
    phrase_outside(&words, g);
    sentence_add_words(&h, &words);
    text_free(&words);
    summary_add(r, is_sure && strcmp(unsure, "UNSURE") == 0 ? "NOT MANAGED" : unsure, &h);
    add_fix(r, g->hint);
    return true;
}

/* Adds a leak, an all-clear or an unsure verdict, with its label. */
static void add_diff(struct hd_report *r, const char *leak, const char *none,
                     const char *unsure)
{
    const struct hd_diff *d = &r->diff;
    if (d->usable_count < 2 || d->no_match != NULL) {
        add_unusable(r, unsure);
    } else if (is_leak(d)) {
        r->summary.severity = HD_SEVERITY_BAD;
        add_leaks_or_growth(r, leak);
    } else if (d->suspect_count > 0) {
        struct sentence h = {0};
        r->summary.severity = HD_SEVERITY_UNSURE;
        if (report_is_enough(r->diff.usable_count))
            say(&h,
                "These snapshots may not be comparable; what follows grew from one to the "
                "next.");
        else
            say(&h, r->diff.usable_count == 2 ? "Two" : "Three",
                " snapshots cannot tell a leak from warm-up: take four or more, under ",
                "the same load.");
        summary_add(r, unsure, &h);
        add_leaks_or_growth(r, "GREW");
    } else if (!add_outside(r, unsure)) {
        add_no_leak(r, none, unsure);
    }
}

/* Adds "type MyApp.*: MyApp.Order: +120 instances, limit +0 instances"; for an undecided
 * rule its reason. */
static void add_finding(struct hd_report *r, const char *label, const struct hd_finding *f)
{
    struct sentence h = {0};
    struct text name = {0}, words = {0};
    if (f->kind != HD_RULE_SUSPECTS) {
        text_rule_name(&name, f);
        sentence_add_name(&h, &name);
        say(&h, ": ");
    }
    if (f->status == HD_FOUND_FAIL) {
        phrase_observed(&h.words, f);
        say(&h, ", limit ");
        phrase_limit(&h.words, f);
    } else if (phrase_reason(&words, f)) {
        sentence_add_words(&h, &words);
    } else {
        say(&h, "undecided");
    }
    text_free(&words);
    summary_add(r, label, &h);
}

/* Adds the findings that decided the check, except suspects, which have sentences of their
 * own. Returns their number. */
static size_t add_findings(struct hd_report *r, const char *label,
                           enum hd_finding_status status)
{
    const struct hd_check *c = &r->check;
    size_t found = 0;
    for (size_t i = 0; i < c->rule_count; i++) {
        if (c->rules[i].status != status || c->rules[i].is_suspect)
            continue;
        if (found++ < 2)
            add_finding(r, label, &c->rules[i]);
    }
    return found;
}

/* The first label of a check is its verdict. If only suspects are over a limit, and two or
 * three snapshots are too few to call one a leak, the number of rules is printed there;
 * returns true then. */
static bool add_failed(struct hd_report *r, bool suspects)
{
    bool others = add_findings(r, "FAIL", HD_FOUND_FAIL) > 0;
    bool leak_says_it = !others && suspects && is_leak(&r->diff);
    bool counted = !others && !leak_says_it;
    if (counted) {
        struct sentence h = {0};
        text_verdict(&h.words, r);
        say(&h, ".");
        summary_add(r, "FAIL", &h);
    }
    if (suspects)
        add_leaks_or_growth(r, leak_says_it ? "FAIL" : "LEAK");
    r->summary.severity = HD_SEVERITY_BAD;
    return counted;
}

/* If only suspects are undecided, the first one has the reason. */
static void add_undecided(struct hd_report *r, bool suspects)
{
    const struct hd_check *c = &r->check;
    bool has_finding = add_findings(r, "INCONCLUSIVE", HD_FOUND_INCONCLUSIVE) > 0;
    for (size_t i = 0; i < c->rule_count && !has_finding; i++)
        if (c->rules[i].status == HD_FOUND_INCONCLUSIVE) {
            add_finding(r, "INCONCLUSIVE", &c->rules[i]);
            has_finding = true;
        }
    if (suspects)
        add_leaks_or_growth(r, "LEAK");
    r->summary.severity = HD_SEVERITY_UNSURE;
}

static void add_passed(struct hd_report *r, bool suspects)
{
    bool outside = hd_diff_grows_outside(&r->diff) && r->diff.no_match == NULL;
    if (suspects || outside) {
        struct sentence h = {0};
        say(&h, "All budgets are kept.");
        summary_add(r, "PASS", &h);
        if (suspects)
            add_leaks_or_growth(r, "LEAK");
        else if (!add_outside(r, "UNSURE"))
            add_no_leak(r, "UNSURE", "UNSURE");
    } else {
        add_diff(r, "LEAK", "PASS", "PASS");
    }
    r->summary.severity = HD_SEVERITY_GOOD;
}

static void add_check(struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    bool suspects = d->suspect_count > 0 && d->usable_count >= 2 && d->no_match == NULL;
    bool counted = false;
    switch (r->check.verdict) {
    case HD_FAIL:
        counted = add_failed(r, suspects);
        break;
    case HD_INCONCLUSIVE:
        add_undecided(r, suspects);
        break;
    case HD_PASS:
        add_passed(r, suspects);
        break;
    }
    if (!counted) {
        struct sentence h = {0};
        text_verdict(&h.words, r);
        add_fact(r, "budgets", &h);
    }
}

/* --- one snapshot ---------------------------------------------------------------- */

/* The child that retains most, or HD_NO_NODE. */
static size_t largest_child(const struct hd_tree *t, size_t node)
{
    size_t best = HD_NO_NODE;
    for (size_t i = node + 1; i < t->nodes[node].end; i = t->nodes[i].end)
        if (t->nodes[i].kind != HD_NODE_OTHERS &&
            (best == HD_NO_NODE || t->nodes[i].owned->bytes > t->nodes[best].owned->bytes))
            best = i;
    return best;
}

static const char *node_name(const struct hd_tree_node *n)
{
    return n->full_name != NULL ? n->full_name : n->type;
}

/* Returns, below the owner, the first class of the program with several objects that owns
 * most of its bytes; or HD_NO_NODE. */
static size_t contents_of(const struct hd_tree *t, size_t owner)
{
    uint64_t half = t->nodes[owner].owned->bytes / 2;
    size_t several = HD_NO_NODE;
    for (size_t i = largest_child(t, owner);
         i != HD_NO_NODE && t->nodes[i].owned->bytes >= half; i = largest_child(t, i)) {
        if (t->nodes[i].is_single)
            continue;
        if (names_is_of_program(t->nodes[i].type) && !names_is_array(t->nodes[i].type))
            return i;
        several = several == HD_NO_NODE ? i : several;
    }
    return several;
}

/* True if chains of the largest objects may be missing: the owner found would be one of a
 * small rest. */
static bool lacks_owners(const struct hd_report *r)
{
    const struct hd_info *info = &r->snapshots[0].info;
    return !info->complete || info->sampled || report_is_warned(r, WARN_MOSTLY_UNREACHABLE);
}

static void add_owner_of_most(struct sentence *h, const struct hd_report *r)
{
    const struct hd_tree *t = &r->found.tree;
    const struct hd_tally *heap = r->top.types.totals; /* as in the column below */
    size_t owner = 0;
    /* groups of roots are not owners: descend */
    while (owner != HD_NO_NODE && (t->nodes[owner].kind == HD_NODE_HEAP ||
                                   (t->nodes[owner].kind == HD_NODE_ROOTS &&
                                    !place_names_variable(t->nodes[owner].type))))
        owner = largest_child(t, owner);
    if (owner == HD_NO_NODE)
        return;
    const struct hd_tree_node *n = &t->nodes[owner];
    say(h, n->kind == HD_NODE_ROOTS ? as_variable(r, n->type) : as_long_type(node_name(n)),
        " retains ", as_size(n->owned->bytes), ", ",
        as_percent((double)n->owned->bytes / (double)heap->bytes), " of the heap");
    size_t held = contents_of(t, owner);
    if (held == HD_NO_NODE)
        return;
    uint64_t count = t->nodes[held].at->count;
    say(h, ", mostly in ", count, " ",
        as_objects(node_name(&t->nodes[held]), false, count));
}

/* Without owners, the type with the most bytes. */
static void add_type_of_most(struct sentence *h, const struct hd_report *r)
{
    const struct hd_type_table *t = &r->top.types;
    const struct hd_type_row *most = t->len > 0 ? &t->rows[0] : NULL;
    for (size_t i = 1; i < t->len && t->bytes_known; i++)
        most = t->rows[i].at->bytes > most->at->bytes ? &t->rows[i] : most;
    if (most == NULL || !t->bytes_known || t->totals->bytes == 0)
        return;
    /* a table may have a part of the heap only */
    bool of_a_part =
        report_is_warned(r, WARN_FILTERED) || report_is_warned(r, WARN_INCOMPLETE);
    say(h, as_long_type(report_shown(r, most->type)), " takes ", as_size(most->at->bytes),
        ", ", as_percent((double)most->at->bytes / (double)t->totals->bytes),
        of_a_part ? " of the listed types, in " : " of the heap, in ",
        as_plural(most->at->count, "object"));
}

/* --- the whole top --------------------------------------------------------------- */

static void add_most(struct hd_report *r)
{
    struct sentence h = {0};
    const struct hd_tree *t = &r->found.tree;
    if (t->len > 0 && t->reachable->bytes > 0 && !lacks_owners(r))
        add_owner_of_most(&h, r);
    else if (r->options.by == HD_BY_TYPE)
        add_type_of_most(&h, r);
    if (h.words.len > 0)
        summary_add(r, "MOST", &h);
    sentence_free(&h);
}

void report_summarize(struct hd_report *r)
{
    bool is_tree = r->kind == HD_REPORT_TREE && r->snapshot_count > 1;
    bool is_check = r->kind == HD_REPORT_CHECK;
    struct sentence confidence = {0}, path = {0};
    r->summary = (struct hd_summary){.severity = HD_SEVERITY_UNSURE};
    if (r->kind == HD_REPORT_TOP)
        add_most(r);
    if (!is_check && r->kind != HD_REPORT_DIFF && !is_tree)
        return;
    if (is_check)
        add_check(r);
    else
        add_diff(r, "LEAK", "NO LEAK FOUND", "UNSURE");
    r->diff.headline = summary_line(r);
    /* These warnings are in the summary already. */
    static const char *const said[] = {"few-snapshots", "growth-stopped",
                                       "unexplained-growth", "pool-growth"};
    for (size_t i = 0; i < r->warning_count; i++)
        for (size_t k = 0; k < sizeof(said) / sizeof(*said); k++)
            r->warnings[i].in_summary |= strcmp(r->warnings[i].code, said[k]) == 0;
    if (r->diff.usable_count < 2 || r->diff.no_match != NULL)
        return;
    add_heap(r);
    add_free_trend(r);
    add_process(r);
    phrase_confidence(&confidence, r);
    add_fact(r, "confidence", &confidence);
    if (r->diff.suspect_count == 1) /* -v has those of several */
        phrase_path(&path, r, &r->diff.suspects[0]);
    add_fact(r, "path", &path);
    add_allocated(r);
    add_also(r);
}
