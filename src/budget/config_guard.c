/* The events of libyaml come one by one, before anything is built of them. */
#include "budget/config_guard.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>
#include <yaml.h>

enum { DEEPEST = 32 };

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

bool config_is_harmless(struct bytes all, struct hd_error *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0;
    bool ok = true, ends = false;
    if (!yaml_parser_initialize(&parser))
        out_of_memory(0);
    /* An empty input has no address. */
    yaml_parser_set_input_string(&parser, all.size > 0 ? all.data : (const uint8_t *)"",
                                 all.size);
    while (ok && !ends && yaml_parser_parse(&parser, &event)) {
        uint64_t line = event.start_mark.line + 1;
        depth += deeper(&event);
        ends = event.type == YAML_STREAM_END_EVENT;
        if (depth > DEEPEST)
            ok =
                fail_at_line(err, line, "too-deep", "lists and keys are nested too deeply");
        else if (has_zero(&event))
            ok = fail_at_line(err, line, "bad-value", "has a character of value 0");
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}
