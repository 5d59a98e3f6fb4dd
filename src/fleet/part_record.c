/* A record as a line of JSON, and back. Numbers are exact both ways; what is unknown is
 * null. A line is a stranger's: every number is looked at. */
#include "fleet/part.h"

#include <math.h>
#include <string.h>

/* --- to write ---------------------------------------------------------------- */

static json_t *finding(const struct hd_run_finding *f, size_t count)
{
    json_t *o = json_object();
    json_put(o, "rank", json_integer(f->rank));
    json_put(o, "type", json_string_or_null(f->type));
    json_put(o, "subject", json_string_or_null(f->subject));
    json_put(o, "holder", json_string_or_null(f->holder));
    json_put(o, "hint", json_string_or_null(f->hint));
    json_put(o, "score", json_real_or_null(f->score));
    json_put(o, "score_share", json_real_or_null(f->score_share));
    json_put(o, "per_hour", json_real_or_null(f->per_hour));
    json_put(o, "retained", json_numbers(f->retained, count));
    return o;
}

json_t *part_record(const struct hd_run_record *r)
{
    json_t *o = json_object(), *findings = json_array();
    for (size_t i = 0; i < r->finding_count; i++)
        json_append(findings, finding(&r->findings[i], r->count));
    json_put(o, "series", json_number_or_null(r->series));
    json_put(o, "service", json_string_or_null(r->run.service));
    json_put(o, "host", json_string_or_null(r->run.host));
    json_put(o, "process", json_string_or_null(r->run.process));
    json_put(o, "build", json_string_or_null(r->run.build));
    json_put(o, "pid", json_number_or_null(r->run.pid));
    json_put(o, "started", json_real_or_null(r->run.started));
    json_put(o, "limit", json_number_or_null(r->run.limit));
    json_put(o, "recorded", json_number_or_null(r->recorded));
    json_put(o, "damaged", json_number_or_null(r->damaged));
    json_put(o, "judgement", json_string(hd_judgement_name(r->judgement)));
    json_put(o, "doubt", json_string(hd_doubt_name(r->doubt)));
    json_put(o, "why", json_string_or_null(r->why));
    json_put(o, "confidence", json_string(hd_confidence_name(r->confidence)));
    json_put(o, "times", json_reals(r->times, r->count));
    json_put(o, "heap", json_numbers(r->heap, r->count));
    json_put(o, "heap_per_hour", json_real_or_null(r->heap_per_hour));
    json_put(o, "findings", findings);
    return o;
}

/* --- to read ------------------------------------------------------------------- */

static bool number_of(const json_t *value, uint64_t *n)
{
    *n = HD_UNKNOWN;
    if (json_is_null(value))
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *n = (uint64_t)json_integer_value(value);
    return true;
}

bool part_number(const json_t *object, const char *key, uint64_t *n)
{
    return number_of(json_object_get(object, key), n);
}

static bool real_of(const json_t *value, double none, double *x)
{
    *x = json_is_number(value) ? json_number_value(value) : none;
    return json_is_null(value) || (json_is_number(value) && isfinite(*x));
}

bool part_real(const json_t *object, const char *key, double none, double *x)
{
    return real_of(json_object_get(object, key), none, x);
}

bool part_string(const json_t *object, const char *key, const char **s)
{
    const json_t *value = json_object_get(object, key);
    *s = json_string_value(value);
    return json_is_null(value) || json_is_string(value);
}

/* The number of the word; -1. */
static int word(const json_t *object, const char *key, const char *(*name)(unsigned))
{
    const char *s = json_string_value(json_object_get(object, key));
    for (unsigned i = 0; s != NULL && name(i) != NULL; i++)
        if (strcmp(name(i), s) == 0)
            return (int)i;
    return -1;
}

static const char *judgement_name(unsigned i)
{
    return hd_judgement_name((enum hd_judgement)i);
}

static const char *doubt_name(unsigned i)
{
    return hd_doubt_name((enum hd_doubt)i);
}

static const char *confidence_name(unsigned i)
{
    return hd_confidence_name((enum hd_confidence)i);
}

static bool read_words(const json_t *line, struct hd_run_record *r)
{
    int judgement = word(line, "judgement", judgement_name);
    int doubt = word(line, "doubt", doubt_name);
    int confidence = word(line, "confidence", confidence_name);
    if (judgement < 0 || doubt < 0 || confidence < 0)
        return false;
    r->judgement = (enum hd_judgement)judgement;
    r->doubt = (enum hd_doubt)doubt;
    r->confidence = (enum hd_confidence)confidence;
    return (judgement == HD_JUDGED) == (doubt == HD_DOUBT_NONE);
}

/* As many as there are times. */
static bool read_numbers(const json_t *array, size_t count, const uint64_t **to,
                         struct arena *a)
{
    if (!json_is_array(array) || json_array_size(array) != count)
        return false;
    uint64_t *all = arena_array(a, uint64_t, count);
    *to = all;
    for (size_t k = 0; k < count; k++)
        if (!number_of(json_array_get(array, k), &all[k]))
            return false;
    return true;
}

static bool read_times(const json_t *array, struct hd_run_record *r, struct arena *a)
{
    r->count = json_array_size(array);
    if (!json_is_array(array) || r->count > HD_MAX_SNAPSHOTS)
        return false;
    double *all = arena_array(a, double, r->count);
    r->times = all;
    for (size_t k = 0; k < r->count; k++)
        if (!real_of(json_array_get(array, k), NAN, &all[k]) || isnan(all[k]) ||
            (k > 0 && all[k] < all[k - 1]))
            return false;
    return true;
}

static bool read_finding(const json_t *from, size_t count, struct hd_run_finding *f,
                         struct arena *a)
{
    uint64_t rank;
    bool ok = part_number(from, "rank", &rank) && rank > 0 && rank <= UINT32_MAX &&
              part_string(from, "type", &f->type) && f->type != NULL &&
              part_string(from, "subject", &f->subject) &&
              part_string(from, "holder", &f->holder) &&
              part_string(from, "hint", &f->hint) &&
              part_real(from, "score", NAN, &f->score) &&
              part_real(from, "score_share", NAN, &f->score_share) &&
              part_real(from, "per_hour", NAN, &f->per_hour) && f->score >= 0 &&
              f->score_share >= 0;
    f->rank = (unsigned)rank;
    return ok && read_numbers(json_object_get(from, "retained"), count, &f->retained, a);
}

static bool read_findings(const json_t *array, struct hd_run_record *r, struct arena *a)
{
    if (!json_is_array(array))
        return false;
    r->finding_count = json_array_size(array);
    struct hd_run_finding *all = arena_array(a, struct hd_run_finding, r->finding_count);
    r->findings = all;
    for (size_t i = 0; i < r->finding_count; i++)
        if (!read_finding(json_array_get(array, i), r->count, &all[i], a))
            return false;
    return true;
}

static bool read_run(const json_t *line, struct hd_run *run)
{
    *run = hd_unknown_run();
    return part_string(line, "service", &run->service) &&
           part_string(line, "host", &run->host) &&
           part_string(line, "process", &run->process) &&
           part_string(line, "build", &run->build) && part_number(line, "pid", &run->pid) &&
           part_real(line, "started", NAN, &run->started) &&
           part_number(line, "limit", &run->limit);
}

bool part_read_record(const json_t *line, struct hd_run_record *r, struct arena *a)
{
    uint64_t recorded, damaged;
    *r = (struct hd_run_record){0};
    if (!part_number(line, "series", &r->series) || !read_run(line, &r->run) ||
        !part_number(line, "recorded", &recorded) || recorded == HD_UNKNOWN ||
        !part_number(line, "damaged", &damaged) || damaged > recorded)
        return false;
    r->recorded = (size_t)recorded;
    r->damaged = (size_t)damaged;
    return read_words(line, r) && part_string(line, "why", &r->why) &&
           read_times(json_object_get(line, "times"), r, a) &&
           read_numbers(json_object_get(line, "heap"), r->count, &r->heap, a) &&
           part_real(line, "heap_per_hour", NAN, &r->heap_per_hour) &&
           read_findings(json_object_get(line, "findings"), r, a);
}
