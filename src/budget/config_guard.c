/* The events of libyaml come one by one, before anything is built of them. */
#include "budget/config_guard.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>
#include <yaml.h>

/* A file of budgets needs neither anchors nor directives. */
enum { DEEPEST = 32, MOST_ANCHORS = 100, MOST_DIRECTIVES = 4000 };

/* How much deeper it is behind an event. */
static int deeper(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return -1;
    default:
        return 0;
    }
}

static bool has_zero(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT &&
           memchr(event->data.scalar.value, '\0', event->data.scalar.length) != NULL;
}

static bool has_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return false;
    }
}

/* Percent signs that may begin a line, in any encoding and with any line end that libyaml
 * takes: no limit such as 5% is one, unless the file is UTF-16. */
static size_t possible_directives(struct bytes all)
{
    static const uint8_t ends[] = {'\0', '\r', '\n', 0x85, 0xA8, 0xA9};
    size_t n = 0;
    for (size_t i = 1; i < all.size; i++)
        n += all.data[i] == '%' && memchr(ends, all.data[i - 1], sizeof(ends)) != NULL;
    return n;
}

/* What has been seen of a file so far. */
struct seen {
    int depth, anchors;
};

static bool is_harmless(struct seen *seen, const yaml_event_t *event, struct hd_error *err)
{
    uint64_t line = event->start_mark.line + 1;
    seen->depth += deeper(event);
    seen->anchors += has_anchor(event);
    if (seen->depth > DEEPEST)
        return fail_at_line(err, line, "too-deep", "lists and keys are nested too deeply");
    if (seen->anchors > MOST_ANCHORS)
        return fail_at_line(err, line, "too-many", "more than %d anchors (&name)",
                            MOST_ANCHORS);
    return !has_zero(event) ||
           fail_at_line(err, line, "bad-value", "has a character of value 0");
}

bool config_is_harmless(struct bytes all, struct hd_error *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    struct seen seen = {0};
    bool ok = true, ends = false;
    if (possible_directives(all) > MOST_DIRECTIVES)
        return fail_at_line(err, 0, "too-many", "more than %d lines that begin with %%",
                            MOST_DIRECTIVES);
    if (!yaml_parser_initialize(&parser))
        out_of_memory(0);
    /* An empty input has no address. */
    yaml_parser_set_input_string(&parser, all.size > 0 ? all.data : (const uint8_t *)"",
                                 all.size);
    while (ok && !ends && yaml_parser_parse(&parser, &event)) {
        ends = event.type == YAML_STREAM_END_EVENT;
        ok = is_harmless(&seen, &event, err);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}
