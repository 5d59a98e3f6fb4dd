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
          "Repetitions of the pattern in the shortest chain of the group; 1 if it is not "
          "repeated.",
          ONE_OR_MORE),
    FIELD("repeat_max", UINT32(repeat_max), NEVER_NULL,
          "Repetitions of the pattern in the longest chain.", ONE_OR_MORE),
    FIELD("generation", CHOICE(generation, generation_word, HD_GEN_UNKNOWN), MAY_BE_NULL,
          "Youngest generation of the example's objects in this frame; null if unknown."),
    FIELD("field", TEXT(field), MAY_BE_NULL,
          "Field that refers to the next frame: _items, Extra.Item3 of a struct in the "
          "object, [] of an array, [].value of a struct in an array; null at the end, if "
          "unknown, or if the sampled instances have several."),
    FIELD("fields", MADE(frame_fields), MAY_BE_NULL,
          "Fields inside a repeated pattern: from each type to the next, and from the last "
          "to the first; null if nothing is repeated.",
          "\"type\": [\"array\", \"null\"], \"items\": {\"type\": [\"string\", \"null\"]}, "
          "\"minItems\": 1, \"maxItems\": 3"),
};
static const RECORD_OF(
    frame, "frame", frame_fields_,
    "A step of a chain: a type, or a repeated pattern of types (a linked list).");
#undef T

/* --- a chain ------------------------------------------------------------------------- */

#define T struct hd_chain_row

static const struct record_field owner_fields[] = {
    FIELD("type", TEXT(chain.owner), NEVER_NULL, "Canonical name."),
    FIELD("frames_above", SIZE(frames_above), NEVER_NULL,
          "Frames of the whole chain above the frame with the owner. Their types differ "
          "from snapshot to snapshot."),
    FIELD("service", CHOICE(chain.service, service_word, HD_SERVICE_COUNT), MAY_BE_NULL,
          "How the container of Microsoft.Extensions.DependencyInjection keeps the owner "
          "alive: as a singleton, or in an unknown way; null if it does not, as far as is "
          "known."),
    FIELD("of", TEXT(chain.owner_of), MAY_BE_NULL,
          "The nearest class of the program, or static variable, that is above an owner of "
          "another assembly on every path to the instances; null if there is none, or "
          "outside of the suspects of a diff that was ranked by graphs."),
};
const RECORD_OF(
    owner, "owner", owner_fields,
    "Owner of the instances of a chain: the nearest static variable, class of the program, "
    "service or single object above them. Chains with the same status are equal below the "
    "owner. Null if there is none, for example because several roots share the instances.");

static const struct record_field example_fields[] = {
    FIELD("object", UINT32(chain.example), NEVER_NULL,
          "Number of the object, from 0, in the file of the last examined snapshot that "
          "has the chain."),
    FIELD("address", ADDRESS(address), MAY_BE_NULL,
          "Address of the object; null if the file has none.", SCHEMA_ADDRESS),
    FIELD("generation", CHOICE(generation, generation_word, HD_GEN_UNKNOWN), MAY_BE_NULL,
          "Generation of the object; null if unknown."),
};
static const RECORD_OF(example, NULL, example_fields, "One instance of the group.");

KNOWN(has_owner, x->chain.owner != NULL)

static const struct record_field chain_fields[] = {
    FIELD("root_kind", CHOICE(chain.kind, root_kind_word, HD_ROOT_KIND_COUNT), NEVER_NULL,
          "Kind of the root."),
    FIELD("status", CHOICE(status, chain_status_word, HD_CHAIN_STATUS_COUNT), MAY_BE_NULL,
          "Change of the group since the baseline; null with one snapshot, or if samples "
          "or counts cannot show it."),
    FIELD("frames", RECORDS(chain.frames, chain.frame_count, record_frame), NEVER_NULL,
          "The chain from the root down to the instance.", "\"minItems\": 1"),
    FIELD("share", REAL(chain.share), NEVER_NULL,
          "Share of the instances in the last snapshot that have this chain, estimated "
          "from a sample unless `exact`; 0 for a chain that is gone.",
          A_SHARE),
    FIELD("share_low", REAL(chain.low), NEVER_NULL,
          "Lower end of the 95 % Wilson interval of `share`.", A_SHARE),
    FIELD("share_high", REAL(chain.high), NEVER_NULL,
          "Upper end of the 95 % Wilson interval of `share`.", A_SHARE),
    FIELD("instances", SERIES(instances), MAY_BE_NULL,
          "Instances with this chain, one value per snapshot; null unless every instance "
          "was examined in every snapshot (--exact, or few instances)."),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that the instances retain in the last snapshot; null unless all instances "
          "of a suspect with basis graph have this chain and were examined (--exact, or "
          "few instances)."),
    FIELD("exact", TRUTH(chain.exact), NEVER_NULL,
          "True if every instance was examined; then `share` is no estimate."),
    FIELD("example", GROUP(record_example), NEVER_NULL, NULL),
    FIELD("frames_omitted", SIZE(frames_omitted), NEVER_NULL,
          "Frames omitted from the middle of `frames` by --depth."),
    FIELD("owner", GROUP(record_owner), MAY_BE_NULL, NULL, NULL, has_owner),

};
const RECORD_OF(chain, "chain", chain_fields,
                "A group of instances with the same chain of references from a root.");

static const struct record_field chain_of_roots_fields[] = {
    FIELDS_OF(SAME(record_chain)),
    FIELD("held_by", TEXT(held_by), MAY_BE_NULL,
          "The owner in a few words: static s_all, singleton PriceFeed, Session; null "
          "without an owner."),
    FIELD(
        "hint", TEXT(hint), MAY_BE_NULL,
        "Hint for a chain of this kind: a section of docs/hints.md; null if there is none.",
        SCHEMA_HINT),
};
const RECORD_OF(chain_of_roots, "root_chain", chain_of_roots_fields,
                "A group of instances with the same chain of references from a root.");
#undef T
