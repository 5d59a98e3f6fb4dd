#include "format/gcdump/gcdump_names.h"

#include "base/hash.h"
#include "heap/place.h"

#include <ctype.h>
#include <string.h>

/* Of all lines, of one, and how many are read. */
enum { MOST_BYTES = 512 << 10, MOST_LINE = 4096, MOST_LINES = 1 << 16 };

static const char key[] = "heapdrift: full ";

/* --- writing ------------------------------------------------------------------------ */

/* A line stays a line: no name has such bytes but in programs that want to be odd. */
static bool can_be_written(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return !utf8_is_damaged(name);
}

void gcdump_names_write(struct text *log, const struct hd_snapshot *snap)
{
    size_t before = log->len;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        bool is_used = type->kind == TYPE_PSEUDO || type->raw.count > 0;
        if (type->full_name == NULL || !is_used || strcmp(type->full_name, type->name) == 0)
            continue;
        size_t len =
            strlen(key) + strlen(type->name) + 1 + strlen(type->full_name) + strlen("\r\n");
        if (len > MOST_LINE || len > MOST_BYTES - (log->len - before) ||
            !can_be_written(type->name) || !can_be_written(type->full_name))
            continue;
        if (log->len > 0 && log->data[log->len - 1] != '\n')
            text_add_string(log, "\r\n");
        text_add_string(log, key);
        text_add_string(log, type->name);
        text_add_char(log, '\t');
        text_add_string(log, type->full_name);
        text_add_string(log, "\r\n");
    }
}

/* --- what can be true ---------------------------------------------------------------- */

/* Of "Node<A>[]" "Node", of "<Main>d__5<A>" "<Main>d__5". */
static size_t class_len(const char *name)
{
    const char *start = name;
    if (*start == '<' && strchr(start, '>') != NULL)
        start = strchr(start, '>') + 1;
    return (size_t)(start - name) + strcspn(start, "<[`");
}

/* Whether "+Node" stands in it, with nothing of the class behind. */
static bool has_nested(const char *full, const char *class, size_t len)
{
    for (const char *at = full; len > 0 && (at = strchr(at, '+')) != NULL;) {
        at++;
        if (strncmp(at, class, len) == 0 && strchr("<[`+,>", at[len]) != NULL)
            return true; /* or at the end: strchr finds the 0 */
    }
    return false;
}

static bool can_be_of(const char *name, const char *full)
{
    struct place place = place_of(name), declared = place_of(full);
    if (!place_is_variable(&place))
        return has_nested(full, name, class_len(name));
    return place.kind == declared.kind && place.field.at != NULL &&
           name_part_equals(place.field, declared.field);
}

/* --- reading ------------------------------------------------------------------------- */

struct gcdump_name {
    const char *name, *full;
    UT_hash_handle hh;
};

static void take(struct gcdump_names *n, struct builder *b, const char *line, size_t len)
{
    const char *tab = memchr(line, '\t', len);
    struct gcdump_name *found;
    if (tab == NULL)
        return;
    const char *name = builder_name(b, line, (size_t)(tab - line));
    const char *full = builder_name(b, tab + 1, len - (size_t)(tab + 1 - line));
    HASH_FIND_STR(n->all, name, found);
    if (found != NULL || !can_be_of(name, full))
        return;
    found = arena_alloc(&n->arena, sizeof(*found));
    *found = (struct gcdump_name){.name = name, .full = full};
    HASH_ADD_KEYPTR(hh, n->all, found->name, strlen(name), found);
}

void gcdump_names_read(struct gcdump_names *n, struct builder *b, const char *log)
{
    unsigned lines = 0;
    n->arena.account = builder_account(b);
    for (const char *line = log; line != NULL && *line != '\0' && lines < MOST_LINES;) {
        size_t len = strcspn(line, "\r\n");
        if (len <= MOST_LINE && strncmp(line, key, sizeof(key) - 1) == 0) {
            take(n, b, line + sizeof(key) - 1, len - (sizeof(key) - 1));
            lines++;
        }
        line += len;
        line += strspn(line, "\r\n");
    }
}

const char *gcdump_names_find(const struct gcdump_names *n, const char *name)
{
    struct gcdump_name *found = NULL;
    if (name != NULL)
        HASH_FIND_STR(n->all, name, found);
    return found != NULL ? found->full : NULL;
}

void gcdump_names_free(struct gcdump_names *n)
{
    HASH_CLEAR(hh, n->all);
    arena_free(&n->arena);
}
