#include "format/trace_process.h"

#include "format/trace_bytes.h"
#include "format/trace_types.h"

#include <math.h>
#include <string.h>
#include <time.h>

void trace_process_take(struct text *command, struct bytes payload)
{
    struct trace_fields f = {payload.data, payload.data + payload.size, false};
    struct bytes line = trace_wide(&f);
    text_clear(command);
    trace_types_utf8(command, f.failed ? payload : line);
}

/* One word of a command line, which may stand in quotes; without its folder. */
static struct bytes next_word(struct bytes *line)
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
    for (size_t i = word.size; i > 0; i--)
        if (word.data[i - 1] == '/' || word.data[i - 1] == '\\')
            return (struct bytes){word.data + i, word.size - i};
    return word;
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

void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks)
{
    double since = ticks >= h->sync_ticks ? (double)(ticks - h->sync_ticks)
                                          : -(double)(h->sync_ticks - ticks);
    double seconds = h->sync_time + since / (double)h->frequency;
    const double last = 253402300799; /* of year 9999 */
    if (isnan(seconds) || seconds < 0 || seconds > last)
        return;
    time_t whole = (time_t)seconds;
    struct tm tm;
    char text[32];
    if (gmtime_r(&whole, &tm) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        return;
    snap->info.time = arena_strdup(&snap->arena, text, strlen(text));
    snap->clock = seconds;
    snap->clock_is_date = true;
}
