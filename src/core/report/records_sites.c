/* The code that allocated leaking objects: sites of a suspect with their stacks, and their
 * coverage. */
#include "report/records.h"

#define A_METHOD "as the program's language writes it: Shop.Checkout.Add"

/* --- code ---------------------------------------------------------------------------- */

#define T struct hd_code
static const struct record_field code_fields[] = {
    FIELD("method", TEXT(method), NEVER_NULL, "The method, " A_METHOD "."),
    FIELD("file", TEXT(file), MAY_BE_NULL,
          "Name of the source file, without folders; null without symbols."),
    FIELD("line", UINT64(line), MAY_BE_NULL,
          "Line in the source file, from 1; null as `file`."),
    FIELD("own", TRUTH(is_own), NEVER_NULL,
          "True if the method belongs to the program: neither to the framework nor to a "
          "package."),
};
static const RECORD_OF(code, "code", code_fields, "A place in code.");
#undef T

#define T struct hd_site_stack
static const struct record_field stack_fields[] = {
    FIELD("samples", UINT64(samples), NEVER_NULL, "Samples with this stack."),
    FIELD("frames", RECORDS(frames, frame_count, record_code), NEVER_NULL,
          "Methods on the stack, the innermost first, at most 100."),
};
static const RECORD_OF(site_stack, "site_stack", stack_fields,
                       "Samples with the same stack.");
#undef T

/* --- sites --------------------------------------------------------------------------- */

#define T struct hd_site
KNOWN(has_intervals, x->at != NULL)

static json_t *code_at(const struct hd_code *code, const struct record_walk *w)
{
    return code != NULL ? record_json(&record_code, code, w) : json_null();
}

VALUE(site_code, code_at(x->code, w))
VALUE(site_caller, code_at(x->caller, w))

static const struct record_field site_fields[] = {
    FIELD("at", MADE_RECORD(site_code, record_code), NEVER_NULL,
          "The innermost method of the program on the stacks or, if there is none, the "
          "innermost outside of the framework, else the innermost of all; with the line "
          "of most samples."),
    FIELD("caller", MADE_RECORD(site_caller, record_code), MAY_BE_NULL,
          "The next method of the program above, of most samples with that line; null if "
          "they have none."),
    FIELD("samples", UINT64(samples), NEVER_NULL, "Samples that the method allocated."),
    FIELD("new", SERIES(at), MAY_BE_NULL,
          "Samples by the interval before each snapshot; null for the first. Null as a "
          "whole if intervals are unknown.",
          NULL, has_intervals),
    FIELD("stacks", RECORDS(stacks, stack_count, record_site_stack), NEVER_NULL,
          "Stacks, most samples first, at most 5."),
};
const RECORD_OF(site, "site", site_fields, "A method that allocated samples.");
#undef T

#define T struct hd_allocations
KNOWN(has_intervals_too, x->at != NULL)

static const struct record_field sampling_fields[] = {
    FIELD("samples", UINT64(samples), NEVER_NULL,
          "Sampled objects that were added after the first snapshot, are in the last, and "
          "are at or below the growth site of the suspect."),
    FIELD("new", SERIES(at), MAY_BE_NULL,
          "Samples by the interval before each snapshot; null for the first. Null as a "
          "whole if intervals are unknown.",
          NULL, has_intervals_too),
    FIELD("in_every_interval", TRUTH(in_every_interval), NEVER_NULL,
          "True if there are samples of every interval."),
    FIELD("every_interval_sampled", TRUTH(is_whole), NEVER_NULL,
          "True if allocations were sampled in every interval; if not, zero samples means "
          "unknown, never too few."),
    FIELD("bytes_per_sample", UINT64(per_sample), MAY_BE_NULL,
          "Allocated bytes per sample, on average; null if unknown."),
    FIELD("unnamed", UINT64(unnamed), NEVER_NULL,
          "Samples of the whole heap without names of methods: the process had ended or "
          "did not list them, or they exceed a limit."),
    FIELD("wait_seconds", UINT64(wait_seconds), MAY_BE_NULL,
          "Seconds until a sample is likely, at the current rate of growth. Null with "
          "samples, and if the rate is unknown."),
};
const RECORD_OF(sampling, "sampling", sampling_fields,
                "Quality of the samples. Null if allocations were not sampled.");
#undef T
