/* Snapshots, their warnings, and the processes available for snapshots. */
#include "base/say.h"
#include "heap/root_kind.h"
#include "heap/warning.h"
#include "report/records.h"

#include <string.h>

/* Formats that are recognized only for advice are not listed. */
static const char *format_word(unsigned i)
{
    const char *name = NULL;
    for (size_t k = 0; (name = hd_input_format_name(k)) != NULL; k++)
        if (strcmp(name, "foreign") != 0 && i-- == 0)
            return name;
    return NULL;
}

static const char *warning_word(unsigned i)
{
    return i < WARN_CODE_COUNT ? warning_texts[i].code : NULL;
}

NAMES(generation)
NAMES(survivors_unknown)

/* --- a snapshot ---------------------------------------------------------------------- */

#define T struct hd_snapshot_facts

static json_t *free_space(const void *of, const struct record_walk *w)
{
    static const struct {
        const char *key;
        enum hd_fact fact;
    } members[] = {{"bytes", HD_FACT_FRAGMENTED},     {"blocks", HD_FACT_FREE_BLOCKS},
                   {"largest", HD_FACT_LARGEST_FREE}, {"gen0", HD_FACT_FREE_GEN0},
                   {"gen1", HD_FACT_FREE_GEN1},       {"gen2", HD_FACT_FREE_GEN2},
                   {"loh", HD_FACT_FREE_LOH},         {"poh", HD_FACT_FREE_POH}};
    const struct hd_process_facts *facts = &((const T *)of)->facts;
    (void)w;
    if (hd_fact(facts, HD_FACT_FRAGMENTED) == HD_UNKNOWN)
        return json_null();
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
        json_put(o, members[i].key, json_number_or_null(hd_fact(facts, members[i].fact)));
    return o;
}

static const struct record_field snapshot_fields[] = {
    FIELD("path", TEXT(info.path), NEVER_NULL,
          "Path as given on the command line; for a file of a folder the folder's path, "
          "'/' and the file's name; '-' is standard input."),
    FIELD("format", WORD(info.format, format_word), NEVER_NULL, "Format of the file."),
    FIELD("producer", TEXT(info.producer), MAY_BE_NULL,
          "The tool that wrote the file; null if the file does not name it."),
    FIELD("time", TEXT(info.time), MAY_BE_NULL,
          "Time of the snapshot: ISO 8601 in the writer's local time, without a zone; null "
          "if unknown.",
          FILE_DATE),
    FIELD("pid", UINT64(info.pid), MAY_BE_NULL,
          "Id of the process on its machine; null if unknown."),
    FIELD("process", TEXT(info.process), MAY_BE_NULL,
          "Name of the process or of its executable; null if unknown."),
    FIELD("objects", UINT64(info.objects), MAY_BE_NULL,
          "Objects in the file, without root groups and objects that are only referred to. "
          "Raw: not scaled up for a sampled file. Null if unknown."),
    FIELD("references", UINT64(info.references), MAY_BE_NULL,
          "References from an object to an object; null without a graph."),
    FIELD("roots", UINT64(info.roots), MAY_BE_NULL,
          "References from a root group to an object, repeated ones counted; in heap text "
          "the strong root records. Null if unknown."),
    FIELD("types", UINT64(info.types), MAY_BE_NULL,
          "Types, by canonical name, that have at least one object; null if unknown."),
    FIELD("bytes", UINT64(info.bytes), MAY_BE_NULL,
          "Shallow bytes of the objects. Raw, as `objects`; null if the size of any object "
          "is unknown."),
    FIELD("reachable_objects", UINT64(info.reachable_objects), MAY_BE_NULL,
          "Objects on a chain of references from a root; null if unknown."),
    FIELD("reachable_bytes", UINT64(info.reachable_bytes), MAY_BE_NULL,
          "Shallow bytes of the objects on a chain of references from a root; null if "
          "unknown."),
    FIELD("has_graph", TRUTH(info.has_graph), NEVER_NULL,
          "True if the file has the references between objects."),
    FIELD("has_roots", TRUTH(info.has_roots), NEVER_NULL, "True if the file has roots."),
    FIELD("has_generations", TRUTH(info.has_generations), NEVER_NULL,
          "True if the file has the generations of objects."),
    FIELD("sampled", TRUTH(info.sampled), NEVER_NULL,
          "True if the file has a sample of the heap; tables and totals are then scaled "
          "up, and counts are estimates."),
    FIELD("complete", TRUTH(info.complete), NEVER_NULL, "False if objects may be missing."),
    FIELD("xxh3", XXH3(info.xxh3), MAY_BE_NULL,
          "XXH3 (64 bits) of the decompressed bytes, 16 hexadecimal digits; null except in "
          "`info`.",
          "\"pattern\": \"^[0-9a-f]{16}$\""),
    FIELD("host", TEXT(info.host), MAY_BE_NULL,
          "Name of the machine or the container; null if unknown."),
    FIELD("container", TEXT(info.container), MAY_BE_NULL,
          "Id of the container; null if there is none, or unknown."),
    FIELD("program", TEXT(info.program), MAY_BE_NULL,
          "The program without its arguments: the executable, and the assembly if the "
          "executable is `dotnet`; null if unknown."),
    FIELD("started", TEXT(info.started), MAY_BE_NULL,
          "Start of the process: ISO 8601 without zone, UTC; null if unknown."),
    FIELD("runtime", TEXT(info.runtime), MAY_BE_NULL,
          "Version of the .NET runtime; null if unknown."),
    FIELD("processor", TEXT(info.processor), MAY_BE_NULL,
          "Processor of the process, x86-64 or aarch64; null except for core dumps."),
    FIELD("holds_garbage", TRUTH(info.holds_garbage), NEVER_NULL,
          "True if the file has unreachable objects by design, as a core dump has: results "
          "count reachable objects, and counts_reachable is true."),
    FIELD("has_fields", TRUTH(info.has_fields), NEVER_NULL,
          "True if the fields of references are known."),
    FIELD("has_owners", TRUTH(info.has_owners), NEVER_NULL,
          "True if owners can be computed: the file has references and roots, or is a "
          "digest of a file that has."),
    FIELD("source_xxh3", XXH3(info.source_xxh3), MAY_BE_NULL,
          "xxh3 of the snapshot from which a digest was made, or the digest's own if that "
          "was no file; equals xxh3 for any other snapshot. Null if unknown.",
          "\"pattern\": \"^[0-9a-f]{16}$\""),
    FIELD("redacted", TRUTH(info.redacted), NEVER_NULL,
          "True for a core dump with overwritten values (`convert --redact`)."),
    FIELD("free", MADE(free_space), MAY_BE_NULL,
          "Free space between objects, which is in no total: bytes, number of blocks, the "
          "largest block, and bytes by generation, each null if unknown. Null if unknown "
          "as a whole.",
          "\"type\": [\"object\", \"null\"]"),
};
const RECORD_OF(snapshot, "snapshot", snapshot_fields,
                "One snapshot, in raw numbers of its file. Unknown values are null.");
#undef T

/* --- info ---------------------------------------------------------------------------- */

#define T struct hd_tally
static const struct record_field tally_fields[] = {
    FIELD("objects", UINT64(count), NEVER_NULL, "Number of objects."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "Shallow bytes of the objects; null if unknown."),
};
const RECORD_OF(tally, "tally", tally_fields,
                "Number and size of the objects of a generation.");
#undef T

struct by_generation {
    struct hd_tally at[HD_GENERATION_COUNT];
};

#define T struct by_generation
#define OF_GENERATION(name, g) FIELD(name, RECORD(at[g], record_tally), NEVER_NULL, NULL)
static const struct record_field by_generation_fields[] = {
    OF_GENERATION("gen0", HD_GEN0),          OF_GENERATION("gen1", HD_GEN1),
    OF_GENERATION("gen2", HD_GEN2),          OF_GENERATION("loh", HD_GEN_LOH),
    OF_GENERATION("poh", HD_GEN_POH),        OF_GENERATION("frozen", HD_GEN_FROZEN),
    OF_GENERATION("unknown", HD_GEN_UNKNOWN)};
const RECORD_OF(generations, "generations", by_generation_fields,
                "Objects per generation; `unknown` counts objects outside the address "
                "ranges that the file gives.");
#undef T

#define T struct hd_error
KNOWN(is_at_byte, x->where == HD_AT_BYTE)
KNOWN(is_at_line, x->where == HD_AT_LINE)
VALUE(error_message, json_string_or_null(x->message))

static const struct record_field error_fields[] = {
    FIELD("message", MADE(error_message), NEVER_NULL, "One line without the file's name.",
          "\"type\": \"string\", \"minLength\": 1"),
    FIELD("kind", TEXT(kind), MAY_BE_NULL,
          "Kind of mistake, for text inputs, as listed in docs/formats; null for others.",
          "\"pattern\": \"^[a-z0-9-]+$\""),
    FIELD("offset", UINT64(at), MAY_BE_NULL,
          "Offset in a binary file in bytes, from 0; null otherwise.", NULL, is_at_byte),
    FIELD("line", UINT64(at), MAY_BE_NULL, "Line of a text, from 1; null otherwise.",
          ONE_OR_MORE, is_at_line),
};
static const RECORD_OF(
    error, NULL, error_fields,
    "Reason why the file cannot be read, for the person who has to fix it.");
#undef T

#define T struct hd_snapshot_facts

KNOWN(has_generations, x->info.has_generations)
KNOWN(has_survivors, x->traced_survivors != HD_UNKNOWN)

static bool is_failed(const void *of)
{
    return ((const T *)of)->error.status != HD_OK;
}

static json_t *roots_by_kind(const void *of, const struct record_walk *w)
{
    const T *s = of;
    (void)w;
    if (!s->info.has_roots || s->info.references == HD_UNKNOWN)
        return json_null();
    json_t *o = json_object();
    for (int k = 0; k < HD_ROOT_KIND_COUNT; k++)
        if (s->roots_by_kind[k] > 0)
            json_put(o, root_kind_names[k], json_number_or_null(s->roots_by_kind[k]));
    return o;
}

VALUE(survivor_map_source, json_string("events"))

static const struct record_field survivor_map_fields[] = {
    FIELD("source", MADE(survivor_map_source), NEVER_NULL,
          "Source of the information: the collector, between the two snapshots.",
          "\"enum\": [\"events\"]"),
    FIELD("survivors", UINT64(traced_survivors), NEVER_NULL, "Objects that survived."),
    FIELD("of", UINT64(traced_objects), NEVER_NULL, "Objects of the snapshot before."),
};
static const RECORD_OF(survivor_map, NULL, survivor_map_fields,
                       "Information in the file on the objects of the snapshot before in "
                       "the collected series; null if there is none.");

static const char *liveness_word(unsigned i)
{
    static const char *const all[] = {"all", "live", "dead"};
    return i < 3 ? all[i] : NULL;
}

static const char *one_generation_word(unsigned i)
{
    return i < HD_GEN_UNKNOWN ? generation_word(i) : NULL;
}

WORDS(add_error, say(t, x->error.kind != NULL ? x->error.kind : "",
                     x->error.kind != NULL ? ": " : "", x->error.message))

static json_t *process_facts(const void *of, const struct record_walk *w)
{
    const T *s = of;
    uint64_t parts[HD_PART_COUNT];
    (void)w;
    if (s->facts.known == 0)
        return json_null();
    json_t *o = json_object(), *threads = json_object(), *of_size = json_object();
    struct text name = {0}; /* the kernel may have cut it inside a character */
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        json_put(o, hd_fact_name(f), json_number_or_null(hd_fact(&s->facts, f)));
    for (size_t i = 0; i < HD_MAX_THREAD_NAMES && s->facts.threads[i].name[0] != '\0';
         i++) {
        text_clear(&name);
        text_add_utf8(&name, s->facts.threads[i].name, strlen(s->facts.threads[i].name));
        json_put(threads, text_string(&name), json_integer(s->facts.threads[i].count));
    }
    text_free(&name);
    json_put(o, "threads_by_name", threads);
    json_put(o, "size",
             json_number_or_null(hd_process_parts(&s->facts, s->info.bytes, parts)));
    for (enum hd_process_part p = 0; p < HD_PART_COUNT; p++)
        json_put(of_size, hd_process_part_name(p), json_number_or_null(parts[p]));
    json_put(o, "parts", of_size);
    return o;
}

static const struct record_field file_fields[] = {
    FIELDS_OF(SAME(record_snapshot)),
    FIELD("generations", RECORD(by_generation, record_generations), MAY_BE_NULL,
          "Raw objects per generation; null if the file has no generations. `unknown` "
          "counts objects outside the address ranges that the file gives.",
          NULL, has_generations),
    FIELD(
        "roots_by_kind", MADE(roots_by_kind), MAY_BE_NULL,
        "References from root groups per kind of root, without kinds that have none; they "
        "sum to `roots`. Null if the file has no roots or its references were not read.",
        "\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"type\": "
        "\"integer\", \"minimum\": 1}"),
    FIELD("weak_roots", UINT64(weak_roots), MAY_BE_NULL,
          "Records of weak handles in heap text, which keep nothing alive; null for other "
          "formats."),
    FIELD("identity", GROUP(record_survivor_map), MAY_BE_NULL, NULL, NULL, has_survivors),
    FIELD("untold",
          CHOICE(survivors_unknown, survivors_unknown_word, HD_SURVIVORS_UNKNOWN_COUNT),
          MAY_BE_NULL,
          "Reason why the snapshot has no survivors of the one before although GC events "
          "were traced (see heapdrift-diff); null if it has, if nothing was traced, or if "
          "unknown."),
    FIELD("process_facts", MADE(process_facts), MAY_BE_NULL,
          "Memory of the process when the snapshot was taken, in bytes and counts, each "
          "null if unknown (docs/process.md); `parts` sum to `size`, the resident and "
          "swapped-out memory. Null if the file has none.",
          "\"type\": [\"object\", \"null\"]"),
    FIELD("command", TEXT(origin.command), MAY_BE_NULL,
          "The command that printed a type table; null if the file does not show it."),
    FIELD(
        "generation", WORD(origin.generation, one_generation_word), MAY_BE_NULL,
        "The generation of all rows of a type table; null if the file does not give one."),
    FIELD("liveness", WORD(origin.liveness, liveness_word), MAY_BE_NULL,
          "Objects that a type table counts: all, only those that a root keeps alive, or "
          "only garbage; null if unknown."),
    FIELD("filters", TEXT(origin.filters), MAY_BE_NULL,
          "Filters that a type table was made with, as given to the command; empty if "
          "there are none; null if unknown."),

    IN_TABLES("error", CSV_CELL(add_error)),
};
const struct record record_file = {
    .name = "snapshot",
    .doc = "A readable file, in raw numbers. Unknown values are null.",
    FIELDS(file_fields),
    .csv = "path format producer time pid process objects references roots types bytes "
           "reachable_objects reachable_bytes sampled complete error"};

static const struct record_field failed_fields[] = {
    FIELD("path", TEXT(info.path), NEVER_NULL, "As in a snapshot."),
    FIELD("error", RECORD(error, record_error), NEVER_NULL, NULL),
};
static const RECORD_OF(failed, "failed", failed_fields,
                       "A file that cannot be read, in place of a snapshot.");

/* As a row of a table: the error is the only known value. */
WORDS(add_nothing, )

static const struct record_field failed_cells[] = {
    IN_TABLES("path", TEXT(info.path)),
    IN_TABLES("-", CSV_CELL(add_nothing)),
    IN_TABLES("error", CSV_CELL(add_error)),
};
const struct record record_failed_cells = {FIELDS(failed_cells),
                                           .csv = "path - - - - - - - - - - - - - - error"};
#undef T

#define T struct hd_model
static const struct record_field info_fields[] = {
    FIELD("snapshots",
          RECORDS_OR(snapshots, snapshot_count, record_file, is_failed, &record_failed),
          NEVER_NULL, "One entry per file, in order; an unreadable file has an `error`."),
    FIELD_WARNINGS,
};
const RECORD_OF(info, "info", info_fields, "Format and contents of each file.");
#undef T

/* --- warnings ------------------------------------------------------------------------ */

#define T struct hd_warning
KNOWN(is_of_one, x->snapshot < w->snapshots)

static const struct record_field warning_fields[] = {
    FIELD("code", WORD(code, warning_word), NEVER_NULL,
          "Kind of warning; docs/warnings.md explains each."),
    FIELD("snapshot", SIZE(snapshot), MAY_BE_NULL,
          "Index of the snapshot, from 0; null for all together.", NULL, is_of_one),
    FIELD("message", TEXT(message), NEVER_NULL, "The warning as text, one line.",
          "\"minLength\": 1"),
    FIELD("count", UINT64(count), MAY_BE_NULL,
          "Occurrences in the file; null if it does not apply."),
    FIELD("line", UINT64(line), MAY_BE_NULL,
          "First line of the file where it occurs, from 1; null if it does not apply.",
          ONE_OR_MORE),
};
const RECORD_OF(warning, "warning", warning_fields,
                "A warning about the snapshots or their order.");
#undef T

/* --- processes ----------------------------------------------------------------------- */

#define T struct hd_process
static const struct record_field process_fields[] = {
    FIELD("pid", UINT64(pid), NEVER_NULL,
          "Process id as seen from here; for a process of another container that is not "
          "visible from here, its id in that container."),
    FIELD("name", TEXT(name), MAY_BE_NULL,
          "Name of the program; for `dotnet app.dll` it is app."),
    FIELD("runtime", TEXT(runtime), MAY_BE_NULL, "Version of the runtime."),
    FIELD("user", TEXT(user), MAY_BE_NULL, "Owner of the process."),
    FIELD("command", TEXT(command), MAY_BE_NULL, "Command line."),
    FIELD("socket", TEXT(socket), NEVER_NULL,
          "Path of its diagnostics socket, on Windows of the pipe, for --diagnostic-port."),
    FIELD("problem", TEXT(problem), MAY_BE_NULL,
          "Reason why no snapshot can be taken of the process; null if one can."),
    FIELD("host", TEXT(host), MAY_BE_NULL,
          "Host name inside the process: in a container that of the container, in "
          "Kubernetes that of the pod."),
    FIELD("container", TEXT(container), MAY_BE_NULL,
          "Id of the process's container; text shows the first 12 digits. Null outside "
          "containers."),
    FIELD("started", TEXT(started), MAY_BE_NULL,
          "Start of the process: ISO 8601 without zone, UTC."),
    FIELD("uptime_seconds", UINT64(uptime), MAY_BE_NULL, "Seconds since the start."),
    FIELD("memory_bytes", UINT64(memory), MAY_BE_NULL,
          "Resident memory (RSS) in bytes: heap, rest of the runtime, program.",
          ONE_OR_MORE),
};
const struct record record_process = {
    .name = "process",
    .doc = "A process. Unknown values are null.",
    FIELDS(process_fields),
    .csv = "pid name runtime user command socket problem host container started "
           "uptime_seconds memory_bytes"};
#undef T

#define T struct hd_process_list
static const struct record_field processes_fields[] = {
    FIELD("processes", RECORDS(all, count, record_process), NEVER_NULL,
          "The processes that --name chooses, by pid or in the order of --sort."),
};
static const RECORD_OF(process_list, NULL, processes_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field processes_document_fields[] = {
    FIELDS_OF(PART_AT(processes, record_process_list)),
};
const RECORD_OF(processes, "ps", processes_document_fields,
                "Processes with a .NET runtime that has a diagnostics socket.");
#undef T
