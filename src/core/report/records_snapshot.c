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
NAMES(untold)

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
          "As given on the command line; for a file of a folder the folder's path, '/' and "
          "the file's name; '-' is standard input."),
    FIELD("format", WORD(info.format, format_word), NEVER_NULL,
          "What the bytes of the file are."),
    FIELD("producer", TEXT(info.producer), MAY_BE_NULL,
          "The tool that wrote the file, if the file says so."),
    FIELD(
        "time", TEXT(info.time), MAY_BE_NULL,
        "When the snapshot was taken: ISO 8601 in the writer's local time, without a zone.",
        FILE_DATE),
    FIELD("pid", UINT64(info.pid), MAY_BE_NULL, "Id of the process on its machine."),
    FIELD("process", TEXT(info.process), MAY_BE_NULL,
          "Name of the process or of its executable."),
    FIELD("objects", UINT64(info.objects), MAY_BE_NULL,
          "Objects in the file, without root groups and objects that are only referred to. "
          "Raw: of a sampled file not scaled up."),
    FIELD("references", UINT64(info.references), MAY_BE_NULL,
          "References from an object to an object; null without a graph."),
    FIELD("roots", UINT64(info.roots), MAY_BE_NULL,
          "References from a root group to an object, repeated ones counted; in heap text "
          "the strong root records."),
    FIELD("types", UINT64(info.types), MAY_BE_NULL,
          "Types, by canonical name, that have at least one object."),
    FIELD("bytes", UINT64(info.bytes), MAY_BE_NULL,
          "Sum of the shallow sizes of the objects, in bytes. Raw, as `objects`; null when "
          "the size of any object is unknown."),
    FIELD("reachable_objects", UINT64(info.reachable_objects), MAY_BE_NULL,
          "Objects on a chain of references from a root."),
    FIELD("reachable_bytes", UINT64(info.reachable_bytes), MAY_BE_NULL,
          "Sum of their shallow sizes, in bytes."),
    FIELD("has_graph", TRUTH(info.has_graph), NEVER_NULL,
          "Whether the file tells which object refers to which."),
    FIELD("has_roots", TRUTH(info.has_roots), NEVER_NULL,
          "Whether the file tells what keeps objects alive."),
    FIELD("has_generations", TRUTH(info.has_generations), NEVER_NULL,
          "Whether the file tells in which generation an object lies."),
    FIELD("sampled", TRUTH(info.sampled), NEVER_NULL,
          "Whether the file holds a sample of the heap; tables and totals are then scaled "
          "up, and counts are estimates."),
    FIELD("complete", TRUTH(info.complete), NEVER_NULL,
          "False when objects may be missing."),
    FIELD("xxh3", XXH3(info.xxh3), MAY_BE_NULL,
          "XXH3 (64 bits) of the decompressed bytes, 16 hexadecimal digits; null but in "
          "`info`.",
          "\"pattern\": \"^[0-9a-f]{16}$\""),
    FIELD("host", TEXT(info.host), MAY_BE_NULL,
          "Name of the machine, or of the container that stands for one."),
    FIELD("container", TEXT(info.container), MAY_BE_NULL, "Id of the container."),
    FIELD("program", TEXT(info.program), MAY_BE_NULL,
          "What was started, without its arguments: the executable, and the assembly if it "
          "is `dotnet`."),
    FIELD("started", TEXT(info.started), MAY_BE_NULL,
          "When the process was started: ISO 8601 without zone, UTC."),
    FIELD("runtime", TEXT(info.runtime), MAY_BE_NULL, "Version of the .NET runtime."),
    FIELD("processor", TEXT(info.processor), MAY_BE_NULL,
          "That the process ran on, x86-64 or aarch64, as far as known: of core dumps."),
    FIELD("holds_garbage", TRUTH(info.holds_garbage), NEVER_NULL,
          "Whether objects that no root reaches are in it as a matter of course, as in a "
          "core dump: results count those that are reached, and counts_reachable says so."),
    FIELD("has_fields", TRUTH(info.has_fields), NEVER_NULL,
          "Whether the fields of references are known."),
    FIELD("has_owners", TRUTH(info.has_owners), NEVER_NULL,
          "Whether it tells who owns what: it has references and roots, or is a digest of "
          "what had."),
    FIELD("source_xxh3", XXH3(info.source_xxh3), MAY_BE_NULL,
          "Of a digest the xxh3 of the snapshot that it was made of, or its own where that "
          "was no file; of any other snapshot as xxh3.",
          "\"pattern\": \"^[0-9a-f]{16}$\""),
    FIELD("redacted", TRUTH(info.redacted), NEVER_NULL,
          "Whether it is a core dump whose values were overwritten (`convert --redact`)."),
    FIELD("free", MADE(free_space), MAY_BE_NULL,
          "Free space between objects, which is part of no total: bytes, number of blocks, "
          "the largest, and bytes by generation, each null if unknown. Null: not known.",
          "\"type\": [\"object\", \"null\"]"),
};
const RECORD_OF(
    snapshot, "snapshot", snapshot_fields,
    "One snapshot, in raw numbers of its file. What the file does not tell is null.");
#undef T

/* --- info ---------------------------------------------------------------------------- */

#define T struct hd_tally
static const struct record_field tally_fields[] = {
    FIELD("objects", UINT64(count), NEVER_NULL, "Number of objects."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL, "Sum of their shallow sizes, in bytes."),
};
const RECORD_OF(tally, "tally", tally_fields, "How many, and how large.");
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
const RECORD_OF(
    generations, "generations", by_generation_fields,
    "Objects per generation; `unknown` lie in no range of addresses that the file gives.");
#undef T

#define T struct hd_error
KNOWN(is_at_byte, x->where == HD_AT_BYTE)
KNOWN(is_at_line, x->where == HD_AT_LINE)
VALUE(error_message, json_string_or_null(x->message))

static const struct record_field error_fields[] = {
    FIELD("message", MADE(error_message), NEVER_NULL, "One line without the file's name.",
          "\"type\": \"string\", \"minLength\": 1"),
    FIELD("kind", TEXT(kind), MAY_BE_NULL,
          "For text inputs the kind of mistake, as the pages of docs/formats list them.",
          "\"pattern\": \"^[a-z0-9-]+$\""),
    FIELD("offset", UINT64(at), MAY_BE_NULL, "Where in a binary file: byte from 0.", NULL,
          is_at_byte),
    FIELD("line", UINT64(at), MAY_BE_NULL, "Where in a text: line from 1.", ONE_OR_MORE,
          is_at_line),
};
static const RECORD_OF(error, NULL, error_fields,
                       "Why not, for the person who has to fix it.");
#undef T

#define T struct hd_snapshot_facts

KNOWN(has_generations, x->info.has_generations)
KNOWN(is_told, x->told_survivors != HD_UNKNOWN)

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

VALUE(told_source, json_string("events"))

static const struct record_field told_fields[] = {
    FIELD("source", MADE(told_source), NEVER_NULL,
          "The collector told it, between the two.", "\"enum\": [\"events\"]"),
    FIELD("survivors", UINT64(told_survivors), NEVER_NULL,
          "Of those objects, how many are still there."),
    FIELD("of", UINT64(told_of), NEVER_NULL, "How many objects the snapshot before had."),
};
static const RECORD_OF(told, NULL, told_fields,
                       "What its file tells of the objects of the snapshot before it in "
                       "the series that was collected; null: nothing.");

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
          "Raw objects per generation; null when the file has no generations. `unknown` "
          "are those that lie in no range of addresses the file gives.",
          NULL, has_generations),
    FIELD("roots_by_kind", MADE(roots_by_kind), MAY_BE_NULL,
          "References from root groups per kind of root, kinds without any left out; sums "
          "to `roots`. Null when the file tells no roots or its references were not read.",
          "\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"type\": "
          "\"integer\", \"minimum\": 1}"),
    FIELD("weak_roots", UINT64(weak_roots), MAY_BE_NULL,
          "Records of weak handles in heap text, which keep nothing alive; null for other "
          "formats."),
    FIELD("identity", GROUP(record_told), MAY_BE_NULL, NULL, NULL, is_told),
    FIELD("untold", CHOICE(untold, untold_word, HD_UNTOLD_COUNT), MAY_BE_NULL,
          "Why the collector told nothing of the snapshot before, though somebody listened "
          "(see heapdrift-diff); null: it did, nobody listened, or nobody knows."),
    FIELD(
        "process_facts", MADE(process_facts), MAY_BE_NULL,
        "What the process took when the snapshot was taken, in bytes and counts, each null "
        "if unknown (docs/process.md); `parts` sum to `size`, what is resident or swapped "
        "out. Null: the file tells nothing.",
        "\"type\": [\"object\", \"null\"]"),
    FIELD("command", TEXT(origin.command), MAY_BE_NULL,
          "The command that printed a type table, if the file shows it."),
    FIELD("generation", WORD(origin.generation, one_generation_word), MAY_BE_NULL,
          "The generation that all rows of a type table are of, if the file says so."),
    FIELD("liveness", WORD(origin.liveness, liveness_word), MAY_BE_NULL,
          "Which objects a type table counts: all, only those that a root keeps alive, or "
          "only garbage."),
    FIELD("filters", TEXT(origin.filters), MAY_BE_NULL,
          "Filters that a type table was made with, as given to the command; empty for "
          "none."),

    IN_TABLES("error", CSV_CELL(add_error)),
};
const struct record record_file = {
    .name = "snapshot",
    .doc = "A file that was read, in raw numbers. What the file does not tell is null.",
    FIELDS(file_fields),
    .csv = "path format producer time pid process objects references roots types bytes "
           "reachable_objects reachable_bytes sampled complete error"};

static const struct record_field failed_fields[] = {
    FIELD("path", TEXT(info.path), NEVER_NULL, "As in a snapshot."),
    FIELD("error", RECORD(error, record_error), NEVER_NULL, NULL),
};
static const RECORD_OF(failed, "failed", failed_fields,
                       "A file that cannot be read, in the place of a snapshot.");

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
          NEVER_NULL,
          "One entry per file, in order; a file that cannot be read has an `error`."),
    FIELD_WARNINGS,
};
const RECORD_OF(info, "info", info_fields, "What each file is and holds.");
#undef T

/* --- warnings ------------------------------------------------------------------------ */

#define T struct hd_warning
KNOWN(is_of_one, x->snapshot < w->snapshots)

static const struct record_field warning_fields[] = {
    FIELD("code", WORD(code, warning_word), NEVER_NULL,
          "What it is; docs/warnings.md explains each."),
    FIELD("snapshot", SIZE(snapshot), MAY_BE_NULL,
          "Which snapshot is meant, by its place from 0; null for all together.", NULL,
          is_of_one),
    FIELD("message", TEXT(message), NEVER_NULL, "The same in words, one line.",
          "\"minLength\": 1"),
    FIELD("count", UINT64(count), MAY_BE_NULL, "How often it occurs in the file."),
    FIELD("line", UINT64(line), MAY_BE_NULL,
          "First line of the file where it occurs, from 1.", ONE_OR_MORE),
};
const RECORD_OF(warning, "warning", warning_fields,
                "Something that one should know about the snapshots or their order.");
#undef T

/* --- processes ----------------------------------------------------------------------- */

#define T struct hd_process
static const struct record_field process_fields[] = {
    FIELD("pid", UINT64(pid), NEVER_NULL,
          "As seen from here; of a process in another container that is not visible from "
          "here, its pid in there."),
    FIELD("name", TEXT(name), MAY_BE_NULL,
          "Name of the program; of `dotnet app.dll` it is app."),
    FIELD("runtime", TEXT(runtime), MAY_BE_NULL, "Version of the runtime."),
    FIELD("user", TEXT(user), MAY_BE_NULL, "Whose process it is."),
    FIELD("command", TEXT(command), MAY_BE_NULL, "Command line."),
    FIELD("socket", TEXT(socket), NEVER_NULL,
          "Path of its diagnostics socket, on Windows of the pipe, for --diagnostic-port."),
    FIELD("problem", TEXT(problem), MAY_BE_NULL,
          "Why no snapshot can be taken of it; null if one can."),
    FIELD("host", TEXT(host), MAY_BE_NULL,
          "Name of the machine that it sees: of one in a container that of the container, "
          "in Kubernetes of the pod."),
    FIELD("container", TEXT(container), MAY_BE_NULL,
          "Id of the container that it is in; text shows 12 digits of it."),
    FIELD("started", TEXT(started), MAY_BE_NULL,
          "When it was started: ISO 8601 without zone, UTC."),
    FIELD("uptime_seconds", UINT64(uptime), MAY_BE_NULL, "Seconds since then."),
    FIELD("memory_bytes", UINT64(memory), MAY_BE_NULL,
          "What it has in memory (RSS): the heap, the rest of the runtime, the program.",
          ONE_OR_MORE),
};
const struct record record_process = {
    .name = "process",
    .doc = "What is not known is null.",
    FIELDS(process_fields),
    .csv = "pid name runtime user command socket problem host container started "
           "uptime_seconds memory_bytes"};
#undef T

#define T struct hd_process_list
static const struct record_field processes_fields[] = {
    FIELD("processes", RECORDS(all, count, record_process), NEVER_NULL,
          "Those that --name chooses, by pid or as --sort says."),
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
