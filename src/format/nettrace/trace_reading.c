#include "format/nettrace/trace_reading.h"

#include "base/calendar.h"
#include "base/error.h"
#include "heap/told_same.h"
#include "trace/nettrace.h"

#include <math.h>
#include <string.h>

/* --- around the objects -------------------------------------------------------- */

bool trace_reading_wants_range(const struct reading *r, uint64_t time)
{
    return time >= r->walk->first_node_time &&
           (r->walk->gc_end == HD_UNKNOWN || time <= r->walk->gc_end);
}

static bool parse_range(struct reading *r, struct nettrace *t, struct bytes payload)
{
    struct range range;
    if (!heap_range_parse(payload, r->header.pointer_size, &range))
        return nettrace_refuse(t, "a generation's range is too short");
    r->ranges = account_grow(&r->b->account, r->ranges, r->range_count, &r->range_cap,
                             sizeof(*r->ranges));
    r->ranges[r->range_count++] = range;
    return true;
}

static void parse_roots(struct reading *r, const struct bulk *b)
{
    uint64_t weak = trace_root_events_roots(&r->outside, b, r->header.pointer_size);
    uint64_t *all = &r->b->snap->weak_roots;
    if (weak > 0)
        *all = *all == HD_UNKNOWN ? weak : *all + weak;
}

static bool parse_bulk(struct reading *r, struct nettrace *t, enum trace_heap_event kind,
                       const struct bulk *b)
{
    switch (kind) {
    case EVENT_TYPES:
        return trace_types_define(&r->types, b) ||
               nettrace_refuse(t, "a type crosses the end of its event");
    case EVENT_STATICS:
        return trace_root_events_statics(&r->outside, b) ||
               nettrace_refuse(t, "a static variable crosses the end of its event");
    case EVENT_ROOTS:
        parse_roots(r, b);
        return true;
    case EVENT_PAIRS:
        trace_root_events_pairs(&r->outside, b, r->header.pointer_size);
        return true;
    case EVENT_WRAPPERS:
        trace_root_events_wrappers(&r->outside, b);
        return true;
    default:
        return true;
    }
}

/* It stands behind the walk. Of each object it says 15 bytes at most, in base64. */
static void parse_told(struct reading *r, struct bytes payload)
{
    enum { NUMBERS = 128, PER_OBJECT = 20 };
    const struct heap_walk *w = r->walk != NULL ? r->walk : r->survey.walks;
    if (w != NULL)
        told_event_add(&r->told, payload, NUMBERS + PER_OBJECT * w->nodes.records,
                       &r->b->account);
}

void trace_reading_told(struct reading *r)
{
    struct hd_snapshot *snap = r->b->snap;
    const struct text *told = &r->told.told;
    if (!told_event_is_whole(&r->told))
        return;
    snap->untold = untold_named(told->data, told->len);
    if (snap->untold == HD_UNTOLD_NOTHING)
        snap->told = told_same_parse(told->data, told->len, &snap->arena);
}

bool trace_reading_around(struct reading *r, struct nettrace *t, enum trace_heap_event kind,
                          struct bytes payload)
{
    struct bulk b;
    switch (kind) {
    case EVENT_RANGE:
        return parse_range(r, t, payload);
    case EVENT_MODULE:
        return trace_types_module(&r->types, payload) ||
               nettrace_refuse(t, "a module's event is too short");
    case EVENT_COMMAND:
        trace_process_parse(&r->command, payload);
        return true;
    case EVENT_TOLD:
        parse_told(r, payload);
        return true;
    default:
        if (!bulk_parse(kind, payload, r->header.pointer_size, &b))
            return nettrace_refuse(t, "more records than fit into the event");
        return parse_bulk(r, t, kind, &b);
    }
}

/* --- generations --------------------------------------------------------------- */

/* Behind all ranges comes the rest of the world: what lies there is frozen. */
void trace_reading_build_ranges(struct reading *r)
{
    struct hd_snapshot *snap = r->b->snap;
    if (r->range_count == 0)
        return;
    r->ranges = account_grow(&r->b->account, r->ranges, r->range_count, &r->range_cap,
                             sizeof(*r->ranges));
    r->ranges[r->range_count++] = (struct range){0, UINT64_MAX, HD_GEN_FROZEN};
    snap->ranges = ranges_build(r->ranges, r->range_count, &snap->arena);
    snap->info.has_generations = true;
}

/* --- counting ------------------------------------------------------------------ */

static bool count_object(struct reading *r, uint32_t type, uint64_t size,
                         enum hd_generation gen)
{
    return builder_object(r->b, type, size, gen) ||
           fail(r->err, HD_BAD_FORMAT, "the sum of all sizes exceeds 2^64 - 1");
}

bool trace_reading_count(struct reading *r, uint32_t type, uint64_t size, uint64_t address)
{
    const struct hd_snapshot *snap = r->b->snap;
    return count_object(r, type, size,
                        snap->info.has_generations ? ranges_find(&snap->ranges, address)
                                                   : HD_GEN_UNKNOWN);
}

/* Neighbours in memory mostly follow each other, so a range is looked up for thousands. */
bool trace_reading_count_nodes(struct reading *r)
{
    const struct graph *g = r->b->graph;
    struct range around = {0, 0, HD_GEN_UNKNOWN};
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t address = trace_nodes_address(&r->nodes, n);
        if (address < around.start || address >= around.end)
            around = ranges_around(&r->b->snap->ranges, address);
        if (!count_object(r, g->type[n], graph_size(g, n), around.generation))
            return false;
    }
    return true;
}

/* --- the process --------------------------------------------------------------- */

void trace_process_parse(struct text *command, struct bytes payload)
{
    struct trace_fields f = {payload.data, payload.data + payload.size, false};
    struct bytes line = trace_wide(&f);
    text_clear(command);
    trace_wide_text(command, f.failed ? payload : line);
}

/* One word of a command line, which may stand in quotes. */
static struct bytes whole_word(struct bytes *line)
{
    const unsigned char *p = line->data, *end = p + line->size;
    while (p < end && *p == ' ')
        p++;
    bool quoted = p < end && *p == '"';
    p += quoted;
    const unsigned char *start = p;
    while (p < end && *p != (quoted ? '"' : ' '))
        p++;
    struct bytes word = {start, (size_t)(p - start)};
    p += quoted && p < end;
    *line = (struct bytes){p, (size_t)(end - p)};
    return word;
}

static struct bytes without_folder(struct bytes word)
{
    for (size_t i = word.size; i > 0; i--)
        if (word.data[i - 1] == '/' || word.data[i - 1] == '\\')
            return (struct bytes){word.data + i, word.size - i};
    return word;
}

static struct bytes next_word(struct bytes *line)
{
    return without_folder(whole_word(line));
}

static bool drop_end(struct bytes *word, const char *end)
{
    size_t len = strlen(end);
    if (word->size <= len || memcmp(word->data + word->size - len, end, len) != 0)
        return false;
    word->size -= len;
    return true;
}

static bool is(struct bytes word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

void trace_process_name(struct hd_snapshot *snap, struct text *command)
{
    if (command->len == 0)
        return;
    struct bytes line = {(const unsigned char *)text_string(command), command->len};
    struct bytes name = next_word(&line);
    drop_end(&name, ".exe");
    if (is(name, "dotnet")) {
        struct bytes program = next_word(&line);
        if (is(program, "exec"))
            program = next_word(&line);
        if (drop_end(&program, ".dll"))
            name = program;
    }
    if (name.size > 0)
        snap->info.process = arena_strdup(&snap->arena, (const char *)name.data, name.size);
}

/* A file's name ends in .dll: a host's own options do not. */
static bool is_assembly(struct bytes word)
{
    return word.size > 4 && memcmp(word.data + word.size - 4, ".dll", 4) == 0;
}

void trace_process_program(struct hd_snapshot *snap, struct text *command)
{
    struct bytes line = {(const unsigned char *)text_string(command), command->len};
    struct bytes word = whole_word(&line), name = without_folder(word);
    struct text program = {0};
    text_add(&program, word.data, word.size);
    drop_end(&name, ".exe");
    while (is(name, "dotnet") && line.size > 0) {
        word = whole_word(&line);
        if (!is_assembly(word))
            continue;
        text_add_char(&program, ' ');
        text_add(&program, word.data, word.size);
        break;
    }
    if (program.len > 0)
        snap->info.program = arena_strdup(&snap->arena, program.data, program.len);
    text_free(&program);
}

void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks)
{
    double since = ticks >= h->sync_ticks ? (double)(ticks - h->sync_ticks)
                                          : -(double)(h->sync_ticks - ticks);
    double seconds = h->sync_time + since / (double)h->frequency;
    const double last = 253402300799; /* of year 9999 */
    char text[CALENDAR_TIME];
    if (isnan(seconds) || seconds < 0 || seconds > last ||
        !calendar_time((int64_t)seconds, text))
        return;
    snap->info.time = arena_strdup(&snap->arena, text, strlen(text));
    snap->clock = seconds;
    snap->clock_is_date = true;
}
