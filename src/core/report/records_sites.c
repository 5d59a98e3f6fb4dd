/* The code that allocated leaking objects: sites of a suspect with their stacks, and their
 * coverage. */
#include "report/records.h"

#define A_METHOD "as the program's language writes it: Shop.Checkout.Add"

/* --- code ---------------------------------------------------------------------------- */

#define T struct hd_code
static const struct record_field code_fields[] = {
    FIELD("method", TEXT(method), NEVER_NULL, "The method, " A_METHOD "."),
    FIELD("file", TEXT(file), MAY_BE_NULL,
          "Name of the source file, without folders; null if no symbols tell it."),
    FIELD("line", UINT64(line), MAY_BE_NULL, "Line in it, from 1; null as `file`."),
    FIELD(
        "own", TRUTH(is_own), NEVER_NULL,
        "Whether it is of the program itself: neither of the framework nor of a package."),
};
static const RECORD_OF(code, "code", code_fields, "A place in code.");
#undef T

#define T struct hd_site_stack
static const struct record_field stack_fields[] = {
    FIELD("samples", UINT64(samples), NEVER_NULL, "Samples with this stack."),
    FIELD("frames", RECORDS(frames, frame_count, record_code), NEVER_NULL,
          "The methods on it, the innermost first; 100 at most."),
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
          "innermost of all; where most of its samples are from."),
    FIELD("caller", MADE_RECORD(site_caller, record_code), MAY_BE_NULL,
          "The next method of the program above it; null if there is none."),
    FIELD("samples", UINT64(samples), NEVER_NULL, "Samples that it allocated."),
    FIELD("new", SERIES(at), MAY_BE_NULL,
          "How many of them were allocated in the interval that each snapshot ends; null "
          "of the first. Null as a whole when intervals are not known.",
          NULL, has_intervals),
    FIELD("stacks", RECORDS(stacks, stack_count, record_site_stack), NEVER_NULL,
          "Their stacks, those with most samples first, 5 at most."),
};
const RECORD_OF(site, "site", site_fields, "A method that allocated samples.");
#undef T

#define T struct hd_allocations
KNOWN(has_intervals_too, x->at != NULL)

static const struct record_field sampling_fields[] = {
    FIELD("samples", UINT64(samples), NEVER_NULL,
          "Sampled objects that the first snapshot does not have, the last one has, and "
          "that are where the suspect grows or below."),
    FIELD("new", SERIES(at), MAY_BE_NULL,
          "How many of them were allocated in the interval that each snapshot ends; null "
          "of the first. Null as a whole when intervals are not known.",
          NULL, has_intervals_too),
    FIELD("in_every_interval", TRUTH(in_every_interval), NEVER_NULL,
          "Whether some of each interval are there."),
    FIELD("every_interval_sampled", TRUTH(is_whole), NEVER_NULL,
          "Whether allocations were sampled in all of them; if not, no sample is unknown, "
          "never too little."),
    FIELD("bytes_per_sample", UINT64(per_sample), MAY_BE_NULL,
          "Allocated bytes that one sample stands for, about; null when unknown."),
    FIELD("unnamed", UINT64(unnamed), NEVER_NULL,
          "Samples of the whole heap whose methods have no names: the process ended before "
          "it was asked."),
    FIELD("wait_seconds", UINT64(wait_seconds), MAY_BE_NULL,
          "Without samples: until one is likely, at the rate of growth so far. Null with "
          "samples, and when the rate is not known."),
};
const RECORD_OF(sampling, "sampling", sampling_fields,
                "How far sites are known. Null where nobody sampled allocations.");
#undef T
