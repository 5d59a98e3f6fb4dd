#include "format/nettrace/trace_process.h"

#include "base/calendar.h"
#include "trace/trace_bytes.h"

#include <math.h>
#include <string.h>

void trace_process_take(struct text *command, struct bytes payload)
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
