#include "cli/options/fleet_options.h"

#include "cli/guard/allocate.h"
#include "cli/options/option_traits.h"
#include "cli/options/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *take_store(struct settings *s, const char *value)
{
    s->store = value;
    return value[0] != '\0' ? NULL : "a file or postgresql://...";
}

const char *take_max_heap(struct settings *s, const char *value)
{
    const char *wrong = parse_size(value, &s->max_heap);
    return wrong == NULL && s->max_heap == 0 ? "more than 0" : wrong;
}

const char *take_lock(struct settings *s, const char *value)
{
    s->lock = value;
    return value[0] != '\0' ? NULL : "a file name";
}

const char *take_keep(struct settings *s, const char *value)
{
    return parse_age(value, &s->keep_seconds);
}

const char *take_service(struct settings *s, const char *value)
{
    s->service = value;
    return value[0] != '\0' ? NULL : "a name";
}

const char *take_host(struct settings *s, const char *value)
{
    s->host = value;
    return value[0] != '\0' ? NULL : "a name";
}

const char *take_build(struct settings *s, const char *value)
{
    s->build = value;
    return value[0] != '\0' ? NULL : "a version";
}

const char *take_label(struct settings *s, const char *value)
{
    if (value[0] == '=' || strchr(value, '=') == NULL)
        return "NAME=VALUE";
    s->labels = more((void *)s->labels, (s->label_count + 1) * sizeof(*s->labels));
    s->labels[s->label_count++] = value;
    return NULL;
}

const char *take_limit(struct settings *s, const char *value)
{
    const char *wrong = parse_size(value, &s->limit);
    return wrong == NULL && s->limit == 0 ? "more than 0" : wrong;
}

const char *take_since(struct settings *s, const char *value)
{
    struct moment m;
    s->since = value;
    return parse_moment(value, &m);
}

const char *take_until(struct settings *s, const char *value)
{
    struct moment m;
    s->until = value;
    const char *wrong = parse_moment(value, &m);
    return wrong == NULL && m.is_open ? "a time such as 1h, 2026-11-22, 2026-11-22T14:05Z"
                                      : wrong;
}

const char *take_fleet_by(struct settings *s, const char *value)
{
    int by = option_word_index(s, "by", value);
    s->fleet_by = (enum hd_fleet_by)by;
    return by >= 0 ? NULL : s->wanted;
}

const char *take_min_span(struct settings *s, const char *value)
{
    return parse_duration(value, &s->min_span_ms);
}

const char *take_max_hosts(struct settings *s, const char *value)
{
    s->max_hosts_given = true;
    return parse_hosts(value, &s->max_hosts, &s->max_hosts_share);
}

const char *take_min_hosts(struct settings *s, const char *value)
{
    s->min_hosts_given = true;
    return parse_hosts(value, &s->min_hosts, &s->min_hosts_share);
}

/* "3/16" */
const char *take_shard(struct settings *s, const char *value)
{
    static const char wrong[] = "I/N, from 1/1 to N/N, such as 3/16";
    enum { MOST_SHARDS = 100000 };
    unsigned long shard, shards;
    char *end, *behind;
    errno = 0;
    shard = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '/' || end[1] < '0' || end[1] > '9')
        return wrong;
    shards = strtoul(end + 1, &behind, 10);
    if (errno != 0 || *behind != '\0' || shard < 1 || shard > shards ||
        shards > MOST_SHARDS)
        return wrong;
    s->shard = (unsigned)shard;
    s->shards = (unsigned)shards;
    return NULL;
}

const char *take_merge(struct settings *s, const char *value)
{
    (void)value;
    s->merge = true;
    return NULL;
}

const char *take_save(struct settings *s, const char *value)
{
    (void)value;
    s->save = true;
    return NULL;
}
