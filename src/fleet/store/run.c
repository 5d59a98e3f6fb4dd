/* Which run of which process a snapshot is of. */
#include "base/hash.h"
#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "fleet/store/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- facts in a snapshot -------------------------------------------------------------- */

/* The last word of "dotnet /app/Shop.dll" or "C:\app\Shop.exe", as a name. */
static const char *name_of_program(struct arena *a, const char *program)
{
    static const char *const endings[] = {".dll", ".exe"};
    const char *space = strrchr(program, ' ');
    const char *name = path_file_name(space != NULL ? space + 1 : program);
    const char *backslash = strrchr(name, '\\');
    name = backslash != NULL ? backslash + 1 : name;
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (path_ends_in(name, endings[i]) && len > strlen(endings[i]))
            len -= strlen(endings[i]);
    return arena_strdup(a, name, len);
}

static bool is_known(const char *s)
{
    return s != NULL && s[0] != '\0';
}

struct hd_run hd_run_of(struct hd_snapshot *snap)
{
    const struct hd_info *info = &snap->info;
    struct hd_run run = hd_unknown_run();
    if (is_known(info->program))
        run.service = name_of_program(&snap->arena, info->program);
    if (!is_known(run.service) && is_known(info->process))
        run.service = name_of_program(&snap->arena, info->process);
    run.host = info->host;
    run.process = info->process;
    run.pid = info->pid;
    run.started = calendar_parse(info->started);
    run.instance = snap->identity.instance;
    return run;
}

double hd_time_taken(const struct hd_snapshot *snap)
{
    return snap->clock_is_date && isfinite(snap->clock) ? snap->clock : NAN;
}

/* --- what is stored ------------------------------------------------------------------ */

struct hd_run run_stored(const struct hd_run *given, struct hd_snapshot *snap,
                         struct arena *a)
{
    struct hd_run own = hd_run_of(snap), run = given != NULL ? *given : own;
    run.service = store_clean(a, is_known(run.service) ? run.service : own.service);
    run.host = store_clean(a, is_known(run.host) ? run.host : own.host);
    run.process = store_clean(a, is_known(run.process) ? run.process : own.process);
    run.build = store_clean(a, run.build);
    run.pid = run.pid != HD_UNKNOWN ? run.pid : own.pid;
    run.started = isfinite(run.started) ? run.started : own.started;
    run.instance = run.instance != 0 ? run.instance : own.instance;
    return run;
}

static void add_part(struct text *t, const char *s)
{
    text_add(t, s, strlen(s) + 1);
}

const char *run_key(const struct hd_run *run, struct arena *a)
{
    struct text t = {0};
    char number[64];
    add_part(&t, run->service);
    add_part(&t, run->host);
    add_part(&t, run->process);
    add_part(&t, run->build);
    if (run->instance != 0)
        snprintf(number, sizeof(number), "instance %016" PRIx64, run->instance);
    else
        snprintf(number, sizeof(number), "pid %" PRIu64 " started %.0f", run->pid,
                 isfinite(run->started) ? run->started : -1.0);
    add_part(&t, number);
    XXH128_hash_t hash = XXH3_128bits(t.data, t.len);
    text_free(&t);
    return arena_printf(a, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

const char *run_instance(const struct hd_run *run, struct arena *a)
{
    return run->instance != 0 ? arena_printf(a, "%016" PRIx64, run->instance) : "";
}

/* --- labels -------------------------------------------------------------------------- */

const char *run_labels(const struct hd_run *run, struct arena *a)
{
    size_t capacity = MAX_LABELS;
    json_t *all = json_object();
    if (all == NULL)
        out_of_memory(0);
    for (size_t i = 0; i < run->label_count; i++) {
        const char *name = store_clean(a, run->labels[i].name);
        const char *value = store_clean(a, run->labels[i].value);
        /* Quotes, colon, comma; and each byte may be written as six. */
        size_t size = 6 * (strlen(name) + strlen(value)) + 6;
        if (name[0] == '\0' || size > capacity)
            continue;
        capacity -= size;
        json_put(all, name, json_string_or_null(value));
    }
    char *text = json_dumps(all, JSON_SORT_KEYS | JSON_COMPACT);
    if (text == NULL)
        out_of_memory(0);
    const char *kept = arena_strdup(a, text, strlen(text));
    free(text);
    json_decref(all);
    return kept;
}

static int run_by_name(const void *x, const void *y)
{
    const struct hd_label *a = x, *b = y;
    return strcmp(a->name, b->name);
}

void run_parse_labels(struct hd_run *run, const char *text, struct arena *a)
{
    const char *name;
    json_t *value, *all = json_loads(text, 0, NULL);
    size_t capacity = json_object_size(all);
    struct hd_label *labels = arena_array(a, struct hd_label, capacity + 1);
    run->labels = labels;
    run->label_count = 0;
    json_object_foreach(all, name, value)
    {
        const char *s = json_string_value(value);
        if (s != NULL && run->label_count < capacity)
            labels[run->label_count++] = (struct hd_label){
                arena_strdup(a, name, strlen(name)), arena_strdup(a, s, strlen(s))};
    }
    json_decref(all);
    if (run->label_count > 0)
        qsort(labels, run->label_count, sizeof(*labels), run_by_name);
}
