/* Chains of references from a root: their frames, their owner, their change. */
#include "report/records.h"

#include <string.h>

NAMES(root_kind)
NAMES(generation)
NAMES(service)
NAMES(chain_status)

/* --- a frame ------------------------------------------------------------------------- */

#define T struct hd_frame

VALUE(frame_types, json_strings(x->types, x->type_count))

/* For a repeated pattern, of each of its types. */
VALUE(frame_fields,
      x->repeat_max > 1 ? json_strings(x->fields, x->type_count) : json_null())

static const struct record_field frame_fields_[] = {
    FIELD("types", MADE(frame_types), NEVER_NULL,
          "The type, or the types of the pattern in order. Names in brackets are groups of "
          "roots.",
          "\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 1, "
          "\"maxItems\": 3"),
    FIELD("repeat_min", UINT32(repeat_min), NEVER_NULL,
          "How often the pattern follows itself in the shortest chain of the group; 1: it "
          "is no repetition.",
          ONE_OR_MORE),
    FIELD("repeat_max", UINT32(repeat_max), NEVER_NULL, "The same in the longest chain.",
          ONE_OR_MORE),
    FIELD("generation", CHOICE(generation, generation_word, HD_GEN_UNKNOWN), MAY_BE_NULL,
          "The youngest generation of the example's objects in this frame; null when not "
          "known."),
    FIELD("field", TEXT(field), MAY_BE_NULL,
          "By which field the frame leads on to the next one: _items, Extra.Item3 of a "
          "struct in it, [] of an array, [].value of a struct in an array; null at the "
          "end, when not known, and when the instances looked at have several."),
    FIELD("fields", MADE(frame_fields), MAY_BE_NULL,
          "Inside a repeated pattern, by which field each of its types leads to the next, "
          "and the last to the first again; null when nothing is repeated.",
          "\"type\": [\"array\", \"null\"], \"items\": {\"type\": [\"string\", \"null\"]}, "
          "\"minItems\": 1, \"maxItems\": 3"),
};
static const RECORD_OF(
    frame, "frame", frame_fields_,
    "A step of a chain: a type, or a pattern of types that is repeated (a linked list).");
#undef T

/* --- a chain ------------------------------------------------------------------------- */

#define T struct hd_chain_row

static const struct record_field owner_fields[] = {
    FIELD("type", TEXT(chain.owner), NEVER_NULL, "Canonical name."),
    FIELD("frames_above", SIZE(frames_above), NEVER_NULL,
          "How many frames of the whole chain stand above the one that has the owner. "
          "Which they are differs from snapshot to snapshot."),
    FIELD("service", CHOICE(chain.service, service_word, HD_SERVICE_COUNT), MAY_BE_NULL,
          "Whether the container of Microsoft.Extensions.DependencyInjection holds it: as "
          "a singleton, or in a way that does not tell; null: it does not, as far as is "
          "known."),
    FIELD("of", TEXT(chain.owner_of), MAY_BE_NULL,
          "The program's own class, or the static variable, nearest above an owner that is "
          "not the program's own, on every way to the instances. Only suspects of a diff "
          "that was ranked by graphs have it; null: none."),
};
const RECORD_OF(
    owner, "owner", owner_fields,
    "What owns the instances of a chain: the nearest static variable, class of the "
    "program, service or single object above them. Chains of one status are the same from "
    "there down. Null if there is none, as where several roots share the instances.");

static const struct record_field example_fields[] = {
    FIELD("object", UINT32(chain.example), NEVER_NULL,
          "Number of the object, from 0, in the file of the last snapshot looked at that "
          "has the chain."),
    FIELD("address", ADDRESS(address), MAY_BE_NULL,
          "Address of the object; null when the file has none.", SCHEMA_ADDRESS),
    FIELD("generation", CHOICE(generation, generation_word, HD_GEN_UNKNOWN), MAY_BE_NULL,
          "Where it lies; null when unknown."),
};
static const RECORD_OF(example, NULL, example_fields, "One instance of the group.");

KNOWN(has_owner, x->chain.owner != NULL)

static const struct record_field chain_fields[] = {
    FIELD("root_kind", CHOICE(chain.kind, root_kind_word, HD_ROOT_KIND_COUNT), NEVER_NULL,
          "Why the chain is alive."),
    FIELD("status", CHOICE(status, chain_status_word, HD_CHAIN_STATUS_COUNT), MAY_BE_NULL,
          "How the group changed since the baseline; null when there is one snapshot, or "
          "samples or counts do not tell."),
    FIELD("frames", RECORDS(chain.frames, chain.frame_count, record_frame), NEVER_NULL,
          "The chain from the root down to the instance.", "\"minItems\": 1"),
    FIELD("share", REAL(chain.share), NEVER_NULL,
          "Share of the instances in the last snapshot that have this chain, estimated "
          "from the sample unless `exact`; 0 when gone.",
          A_SHARE),
    FIELD("share_low", REAL(chain.low), NEVER_NULL,
          "Lower end of the 95 % Wilson interval of `share`.", A_SHARE),
    FIELD("share_high", REAL(chain.high), NEVER_NULL, "Upper end of it.", A_SHARE),
    FIELD("instances", SERIES(instances), MAY_BE_NULL,
          "Instances with this chain per snapshot; null unless all were looked at in every "
          "snapshot (--exact, or few)."),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that its instances retain in the last snapshot: known of a chain that all "
          "instances of a suspect of basis graph have (--exact, or few). Null otherwise."),
    FIELD("exact", TRUTH(chain.exact), NEVER_NULL,
          "Whether every instance was looked at; then `share` is no estimate."),
    FIELD("example", GROUP(record_example), NEVER_NULL, NULL),
    FIELD("frames_omitted", SIZE(frames_omitted), NEVER_NULL,
          "Frames cut out of the middle of `frames` because of --depth."),
    FIELD("owner", GROUP(record_owner), MAY_BE_NULL, NULL, NULL, has_owner),

};
const RECORD_OF(
    chain, "chain", chain_fields,
    "A group of instances whose chains of references from a root are the same.");

static const struct record_field chain_of_roots_fields[] = {
    FIELDS_OF(SAME(record_chain)),
    FIELD("held_by", TEXT(held_by), MAY_BE_NULL,
          "The owner in a few words: static s_all, singleton PriceFeed, Session; null "
          "without one."),
    FIELD("hint", TEXT(hint), MAY_BE_NULL,
          "What a chain of this kind usually is: the name of a section of docs/hints.md; "
          "null when nothing is known.",
          SCHEMA_HINT),
};
const RECORD_OF(
    chain_of_roots, "root_chain", chain_of_roots_fields,
    "A group of instances whose chains of references from a root are the same.");
#undef T
