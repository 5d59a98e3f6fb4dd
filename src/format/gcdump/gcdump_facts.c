#include "format/gcdump/gcdump_facts.h"

#include "heap/told_same.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "heapdrift: "

/* The host has a field of its own. */
static const struct {
    const char *key;
    size_t field;
} facts[] = {
    {PREFIX "container ", offsetof(struct hd_info, container)},
    {PREFIX "program ", offsetof(struct hd_info, program)},
    {PREFIX "started ", offsetof(struct hd_info, started)},
    {PREFIX "runtime ", offsetof(struct hd_info, runtime)},
};

static const char instance_key[] = PREFIX "instance ", told_key[] = PREFIX "same 1 ",
                  untold_key[] = PREFIX "same 0 ";

/* The rest of the first line that begins with key, of *len bytes; or NULL. */
static const char *find(const char *log, const char *key, size_t *len)
{
    size_t key_len = strlen(key);
    for (const char *line = log; *line != '\0'; line += strspn(line, "\r\n")) {
        size_t all = strcspn(line, "\r\n");
        if (strncmp(line, key, key_len) == 0) {
            *len = all - key_len;
            return line + key_len;
        }
        line += all;
    }
    return NULL;
}

static bool has(struct text *log, const char *key)
{
    size_t len;
    return find(text_string(log), key, &len) != NULL;
}

static void begin_line(struct text *log, const char *key)
{
    if (log->len > 0 && log->data[log->len - 1] != '\n')
        text_add_string(log, "\r\n");
    text_add_string(log, key);
}

void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap)
{
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        const char *fact =
            *(const char *const *)((const char *)&snap->info + facts[i].field);
        if (fact == NULL || has(log, facts[i].key))
            continue;
        begin_line(log, facts[i].key);
        for (; *fact != '\0'; fact++)
            text_add_char(log, iscntrl((unsigned char)*fact) ? '?' : *fact);
        text_add_string(log, "\r\n");
    }
    if (snap->identity.instance != 0 && !has(log, instance_key)) {
        char number[24];
        snprintf(number, sizeof(number), "%016" PRIx64 "\r\n", snap->identity.instance);
        begin_line(log, instance_key);
        text_add_string(log, number);
    }
    if (snap->told != NULL && !has(log, told_key)) {
        begin_line(log, told_key);
        told_same_put(snap->told, log);
        text_add_string(log, "\r\n");
    }
    if (snap->untold != HD_UNTOLD_NOTHING && !has(log, untold_key)) {
        begin_line(log, untold_key);
        text_add_string(log, hd_untold_name(snap->untold));
        text_add_string(log, "\r\n");
    }
}

void gcdump_facts_read(struct hd_snapshot *snap, const char *log)
{
    enum { MOST = 1024 };
    size_t len;
    const char *found;
    if (log == NULL)
        return;
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        const char **fact = (const char **)((char *)&snap->info + facts[i].field);
        found = find(log, facts[i].key, &len);
        if (*fact == NULL && found != NULL && len > 0 && len <= MOST)
            *fact = arena_strdup(&snap->arena, found, len);
    }
    found = find(log, instance_key, &len);
    if (found != NULL && len == 16)
        snap->identity.instance = strtoull(found, NULL, 16);
    found = find(log, told_key, &len);
    if (found != NULL)
        snap->told = told_same_parse(found, len, &snap->arena);
    found = find(log, untold_key, &len);
    if (found != NULL)
        snap->untold = untold_named(found, len);
}
