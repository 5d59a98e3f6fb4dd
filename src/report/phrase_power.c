/* What a leak has to be so that the snapshots show it, in a sentence: who reads that
 * nothing keeps growing learns what that is worth. */
#include "report/phrases.h"

static void add_amount(struct text *t, const struct hd_report *r, uint64_t amount)
{
    if (r->diff.types.bytes_known) {
        format_size(t, amount);
        return;
    }
    format_count(t, amount);
    text_add_string(t, " objects");
}

/* "in these 5 steps would have shown" */
static void add_steps(struct text *t, size_t steps)
{
    if (steps == 1) {
        text_add_string(t, " in this step would have shown");
        return;
    }
    text_add_string(t, " in these ");
    format_count(t, steps);
    text_add_string(t, " steps would have shown");
}

/* "25 objects and 75.0 KiB"; so many objects alone where none is so small that they have
 * less. */
static void add_objects(struct text *t, uint64_t objects, uint64_t bytes)
{
    enum { SMALLEST_OBJECT = 24 };
    format_count(t, objects);
    text_add_string(t, " objects");
    if (bytes / SMALLEST_OBJECT < objects)
        return;
    text_add_string(t, " and ");
    format_size(t, bytes);
}

static void add_by_age(struct text *t, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    text_add_string(t, "A leak of ");
    add_objects(t, p->objects, p->bytes);
    text_add_string(t, " or more");
    add_steps(t, p->steps);
    text_add_string(t, "; of fewer objects, one of ");
    add_amount(t, r, p->large);
}

static void add_by_counts(struct text *t, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    text_add_string(t, "By counts alone, a leak of ");
    add_amount(t, r, p->large);
    text_add_string(t, " or more");
    add_steps(t, p->steps);
    if (p->even == HD_UNKNOWN)
        return;
    text_add_string(t, "; with even steps, one of ");
    add_objects(t, p->even, p->bytes);
}

bool phrase_power(struct text *t, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->would_show.steps == 0 || d->no_match != NULL)
        return false;
    if (d->would_show.objects != HD_UNKNOWN)
        add_by_age(t, r);
    else
        add_by_counts(t, r);
    return true;
}

bool phrase_power_of_verdict(struct text *t, const struct hd_report *r)
{
    bool clears = r->kind == HD_REPORT_CHECK ? r->check.verdict == HD_PASS
                                             : r->diff.suspect_count == 0;
    return clears && phrase_power(t, r);
}
