#include "cli/live/record_output.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct record_output_list {
    json_t *snapshots, *thinned;
};

/* --- text ------------------------------------------------------------ */

static void put(struct hd_sink to, const char *s)
{
    to.write(to.context, s, strlen(s));
}

/* "2026-11-21T12:00:00Z". */
static void time_text(double seconds, char *text, size_t size)
{
    time_t t = (time_t)seconds;
    struct tm tm;
    text[0] = '\0';
    if (gmtime_r(&t, &tm) != NULL)
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static double taken_of(const struct hd_snapshot *snap, const struct hd_recording *how)
{
    return how->taken > 0 ? how->taken : hd_time_taken(snap);
}

static const char *service_of(struct hd_snapshot *snap, const struct hd_recording *how)
{
    return how->run->service != NULL ? how->run->service : hd_run_of(snap).service;
}

static void put_facts(struct hd_sink to, struct hd_snapshot *snap,
                      const struct hd_recording *how)
{
    char when[32];
    hd_put_name(to, service_of(snap, how));
    if (how->run->build != NULL) {
        put(to, " ");
        hd_put_name(to, how->run->build);
    }
    if (how->run->host != NULL) {
        put(to, " on ");
        hd_put_name(to, how->run->host);
    }
    time_text(taken_of(snap, how), when, sizeof(when));
    put(to, ", ");
    put(to, when);
}

/* In one piece, at once: who is killed next leaves no half of it. */
static void say(const char *path, struct hd_snapshot *snap, const struct hd_recording *how,
                enum hd_recorded what)
{
    struct hd_memory line = {0};
    struct hd_sink to = hd_sink_memory(&line);
    hd_put_name(to, input_name(path));
    put(to, what == HD_RECORDED ? ": recorded: " : ": already recorded");
    if (what == HD_RECORDED)
        put_facts(to, snap, how);
    put(to, "\n");
    fwrite(line.bytes, 1, line.size, stdout);
    fflush(stdout);
    hd_memory_free(&line);
}

/* --- JSON ------------------------------------------------------------ */

static json_t *made(json_t *value)
{
    if (value == NULL)
        no_memory(0);
    return value;
}

/* jansson takes UTF-8 only: what a name prints as is that. */
static json_t *string_or_null(const char *s)
{
    struct hd_memory printed = {0};
    if (s == NULL)
        return made(json_null());
    json_t *value = json_string(s);
    if (value != NULL)
        return value;
    hd_put_name(hd_sink_memory(&printed), s);
    value = made(json_string(printed.bytes != NULL ? printed.bytes : ""));
    hd_memory_free(&printed);
    return value;
}

static json_t *count_or_null(uint64_t n)
{
    return made(n <= INT64_MAX ? json_integer((json_int_t)n) : json_null());
}

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, made(value)) != 0)
        no_memory(0);
}

static struct record_output_list *list_of(struct record_output *t)
{
    if (t->list == NULL) {
        t->list = zeroed(1, sizeof(*t->list));
        t->list->snapshots = made(json_array());
        t->list->thinned = made(json_null());
    }
    return t->list;
}

static json_t *add(struct record_output *t, const char *path, const char *result)
{
    json_t *o = made(json_object());
    set(o, "path", string_or_null(path));
    set(o, "result", json_string(result));
    if (json_array_append_new(list_of(t)->snapshots, o) != 0)
        no_memory(0);
    return o;
}

static void add_facts(json_t *o, struct hd_snapshot *snap, const struct hd_recording *how)
{
    const struct hd_info *info = hd_snapshot_info(snap);
    char when[32];
    time_text(taken_of(snap, how), when, sizeof(when));
    set(o, "service", string_or_null(service_of(snap, how)));
    set(o, "host", string_or_null(how->run->host));
    set(o, "build", string_or_null(how->run->build));
    set(o, "pid", count_or_null(how->run->pid != HD_UNKNOWN ? how->run->pid : info->pid));
    set(o, "taken", json_string(when));
    set(o, "objects", count_or_null(info->objects));
    set(o, "bytes", count_or_null(info->bytes));
}

/* --- both ------------------------------------------------------------ */

void record_output_add(struct record_output *t, const char *path, struct hd_snapshot *snap,
                       const struct hd_recording *how, enum hd_recorded what)
{
    if (!t->is_json) {
        say(path, snap, how, what);
        return;
    }
    json_t *o = add(t, path, what == HD_RECORDED ? "recorded" : "already-recorded");
    add_facts(o, snap, how);
    set(o, "error", json_null());
}

void record_output_failure(struct record_output *t, const char *path,
                           const struct hd_error *err)
{
    static const char *const unknown[] = {"service", "host",    "build", "pid",
                                          "taken",   "objects", "bytes"};
    if (!t->is_json)
        return;
    json_t *o = add(t, path, "failed");
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        set(o, unknown[i], json_null());
    set(o, "error", string_or_null(err->message));
}

void record_output_thinned(struct record_output *t, const struct hd_thinned *done)
{
    if (!t->is_json) {
        printf("thinned out: %" PRIu64 " snapshot%s and %" PRIu64 " series went, %" PRIu64
               " snapshot%s left\n",
               done->snapshots, done->snapshots == 1 ? "" : "s", done->series, done->left,
               done->left == 1 ? " is" : "s are");
        return;
    }
    json_t *o = made(json_object());
    set(o, "snapshots", count_or_null(done->snapshots));
    set(o, "series", count_or_null(done->series));
    set(o, "left", count_or_null(done->left));
    json_decref(list_of(t)->thinned);
    t->list->thinned = o;
}

void record_output_end(struct record_output *t, const char *store)
{
    if (!t->is_json)
        return;
    struct record_output_list *list = list_of(t);
    json_t *all = made(json_object());
    set(all, "schema", json_string("heapdrift-record"));
    set(all, "schema_version", json_integer(1));
    set(all, "tool_version", json_string(hd_version()));
    set(all, "store", string_or_null(store));
    set(all, "snapshots", list->snapshots);
    set(all, "thinned", list->thinned);
    /* ASCII only: nothing in it is obeyed by a terminal. */
    char *text = json_dumps(all, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    if (text == NULL)
        no_memory(0);
    puts(text);
    free(text);
    json_decref(all);
    free(list);
    t->list = NULL;
}
