#include "format/session.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "format/span.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names ----------------------------------------------------------------------- */

static size_t digits(const char *s)
{
    size_t n = 0;
    while (isdigit((unsigned char)s[n]))
        n++;
    return n;
}

int natural_order(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        if (!isdigit((unsigned char)*x) || !isdigit((unsigned char)*y)) {
            if (*x != *y)
                return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
            x++;
            y++;
            continue;
        }
        x += strspn(x, "0");
        y += strspn(y, "0");
        size_t x_len = digits(x), y_len = digits(y);
        int order = x_len != y_len ? (x_len < y_len ? -1 : 1) : memcmp(x, y, x_len);
        if (order != 0)
            return order;
        x += x_len;
        y += y_len;
    }
    if (*x != *y)
        return *x == '\0' ? -1 : 1;
    return strcmp(a, b);
}

/* A time such as 20261128T164301 has digits only, and fewer. */
bool name_is_random(const char *path)
{
    enum { MIN_DIGITS = 16 };
    const char *name = path_file_name(path);
    size_t hex = 0, letters = 0;
    for (; isxdigit((unsigned char)*name) || *name == '-' || *name == '{'; name++) {
        hex += isxdigit((unsigned char)*name) != 0;
        letters += isalpha((unsigned char)*name) != 0;
    }
    return hex >= MIN_DIGITS && letters > 0 &&
           (*name == '.' || *name == '}' || *name == '\0');
}

bool name_has_order(const char *path)
{
    const char *name = path_file_name(path);
    size_t stem = strcspn(name, ".");
    return !name_is_random(path) && (stem == 1 || strpbrk(path, "0123456789") != NULL);
}

/* Names of a zip that Windows wrote may have its slashes. */
static const char *base_name(const char *path)
{
    const char *name = path_file_name(path), *last = strrchr(name, '\\');
    return last != NULL ? last + 1 : name;
}

bool session_keeps(const char *name)
{
    const char *base = base_name(name);
    return strcmp(base, "manifest.json") == 0 || strcmp(base, "metadata.xml") == 0;
}

/* More than any command accepts: each is searched among all files. */
enum { MAX_PARTS = 1000 };

/* --- session under construction -------------------------------------------------- */

struct session_builder {
    const struct zip_listing *files;
    struct arena *arena;
    struct session session;
    size_t cap;
};

static struct session_part *add_session_part(struct session_builder *m)
{
    struct session *s = &m->session;
    struct session_part *added = APPEND(s->all, s->count, m->cap);
    *added = (struct session_part){.time = NAN, .process = HD_UNKNOWN};
    return added;
}

static bool is_in(const struct session *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].name == name)
            return true;
    return false;
}

/* Finds the file of a manifest entry by its last name. A path, or the name of several
 * files, is an error of the part. */
static void find_file(struct session_builder *m, const struct span name,
                      struct session_part *part)
{
    size_t found = 0;
    const struct zip_file *file = NULL;
    for (size_t i = 0; i < m->files->count; i++)
        if (span_is(name, base_name(m->files->all[i].name))) {
            file = &m->files->all[i];
            found++;
        }
    if (found == 1 && is_in(&m->session, file->name))
        fail(&part->error, HD_BAD_FORMAT, "the manifest names \"%s\" twice",
             excerpt_of(name).text);
    else if (found == 1)
        *part = (struct session_part){.name = file->name,
                                      .entry = file->entry,
                                      .time = part->time,
                                      .process = part->process};
    else
        fail(&part->error, HD_BAD_FORMAT,
             found == 0 ? "the manifest names \"%s\", which is missing"
                        : "the manifest names \"%s\", of which there are several",
             excerpt_of(name).text);
}

/* --- manifest.json --------------------------------------------------------------- */

static bool is_member(const struct json_scan *j, const char *name)
{
    return span_is((struct span){j->string.data, j->string.len}, name);
}

/* Reads one heap of a snapshot; native ones have no file for us. */
static void read_heap(struct json_scan *j, struct session_builder *m, double time,
                      uint64_t process)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        if (!json_scan_name(j))
            return;
        if (m->session.count == MAX_PARTS) {
            cursor_fail(&j->at, "too many snapshots");
            return;
        }
        if (!is_member(j, "GCDumpFileName")) {
            json_scan_skip(j);
        } else if (json_scan_string(j)) {
            struct session_part part = {.time = time, .process = process};
            find_file(m, (struct span){j->string.data, j->string.len}, &part);
            *add_session_part(m) = part;
        }
    }
}

/* Reads a snapshot; its members may be in any order. */
static void read_snapshot(struct json_scan *j, struct session_builder *m)
{
    size_t before = m->session.count;
    double time = NAN;
    uint64_t process = HD_UNKNOWN;
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        if (!json_scan_name(j))
            return;
        if (is_member(j, "SnapshotTime"))
            time = json_scan_real(j);
        else if (is_member(j, "ProcessId"))
            process = json_scan_number(j);
        else if (is_member(j, "Heaps")) {
            json_scan_enter(j, '[');
            for (bool one = true; json_scan_more(j, ']', one); one = false)
                read_heap(j, m, time, process);
        } else {
            json_scan_skip(j);
        }
    }
    for (size_t i = before; i < m->session.count; i++) {
        m->session.all[i].time = time;
        m->session.all[i].process = process;
    }
}

static bool read_manifest(struct session_builder *m, struct bytes text)
{
    enum { MARK = 3 };
    bool has_mark = text.size >= MARK && memcmp(text.data, "\xEF\xBB\xBF", MARK) == 0;
    struct bytes json = {text.data + (has_mark ? MARK : 0),
                         text.size - (has_mark ? MARK : 0)};
    struct json_scan j = json_scan_over(json, NULL);
    json_scan_enter(&j, '{');
    for (bool first = true; json_scan_more(&j, '}', first); first = false) {
        if (!json_scan_name(&j))
            break;
        if (!is_member(&j, "Snapshots")) {
            json_scan_skip(&j);
            continue;
        }
        json_scan_enter(&j, '[');
        for (bool one = true; json_scan_more(&j, ']', one); one = false)
            read_snapshot(&j, m);
    }
    bool ok = json_scan_ok(&j) && m->session.count > 0;
    json_scan_free(&j);
    if (!ok)
        m->session.count = 0;
    return ok;
}

/* --- metadata.xml ---------------------------------------------------------------- */

/* Returns the value of an attribute of an element, verbatim: entities are not expanded, and
 * a name with one matches no file. May be empty. */
static struct span attribute(struct span element, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 1; i + len + 2 < element.len; i++) {
        const char *at = element.data + i;
        char quote = at[len + 1];
        if (memcmp(at, name, len) != 0 || at[len] != '=' ||
            isspace((unsigned char)at[-1]) == 0 || (quote != '"' && quote != '\''))
            continue;
        const char *value = at + len + 2;
        const char *end =
            memchr(value, quote, (size_t)(element.data + element.len - value));
        if (end != NULL)
            return (struct span){value, (size_t)(end - value)};
    }
    return (struct span){"", 0};
}

/* Reads the times at which resources were added, for snapshots with one. Elements are found
 * by their first letters: the rest of XML is skipped. */
static void read_metadata(struct session_builder *m, struct bytes text)
{
    static const char begin[] = "<Resource ";
    struct span left = {(const char *)text.data, text.size};
    uint64_t first = 0; /* a double has too few digits for the time since 1601 */
    while (left.len > sizeof(begin)) {
        const char *at = memchr(left.data, '<', left.len);
        if (at == NULL)
            return;
        struct span element = {at, left.len - (size_t)(at - left.data)};
        const char *end = memchr(at, '>', element.len);
        if (end == NULL)
            return;
        left = (struct span){end + 1, element.len - (size_t)(end + 1 - at)};
        element.len = (size_t)(end - at);
        struct span name = attribute(element, "Name");
        uint64_t added;
        if (!span_begins(element, begin) || name.len == 0 ||
            !span_number(attribute(element, "TimeAddedUTC"), &added))
            continue;
        first = first == 0 ? added : first;
        for (size_t i = 0; i < m->session.count; i++)
            if (span_is(name, base_name(m->session.all[i].name)))
                m->session.all[i].time = (double)(int64_t)(added - first);
    }
}

/* --- order ----------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct session_part *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->name != NULL && y->name != NULL)
        return natural_order(x->name, y->name);
    return (x->name == NULL) - (y->name == NULL);
}

static int session_by_name(const void *a, const void *b)
{
    const struct session_part *x = a, *y = b;
    return natural_order(x->name, y->name);
}

static struct bytes text_of(const struct zip_listing *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(base_name(files->all[i].name), name) == 0 && files->all[i].text.size > 0)
            return files->all[i].text;
    return (struct bytes){0};
}

/* Snapshots of two processes are not one series, and only the user can choose. */
static void check_processes(struct session *s)
{
    uint64_t one = HD_UNKNOWN;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t process = s->all[i].process;
        if (process == HD_UNKNOWN)
            continue;
        if (one != HD_UNKNOWN && process != one)
            fail(&s->all[i].error, HD_UNSUPPORTED,
                 "of process %" PRIu64 ", and an earlier snapshot is of process %" PRIu64
                 "; name the snapshots of one process: FILE#1, FILE#2, ...",
                 process, one);
        one = one == HD_UNKNOWN ? process : one;
    }
}

struct session session_of(const struct zip_listing *files, struct arena *a)
{
    struct session_builder m = {.files = files, .arena = a};
    struct session *s = &m.session;
    struct bytes manifest = text_of(files, "manifest.json");
    bool has_manifest = manifest.size > 0 && read_manifest(&m, manifest);
    for (size_t i = 0; i < files->count; i++) {
        const struct zip_file *file = &files->all[i];
        if (!file->is_wanted || is_in(s, file->name))
            continue;
        struct session_part *part = add_session_part(&m);
        part->name = file->name;
        part->entry = file->entry;
    }
    if (!has_manifest)
        read_metadata(&m, text_of(files, "metadata.xml"));
    bool timed = s->count > 0, has_order = false;
    for (size_t i = 0; i < s->count; i++) {
        timed &= !isnan(s->all[i].time);
        has_order |= !has_manifest && name_has_order(s->all[i].name);
    }
    s->order_is_unknown = s->count > 1 && !timed && !has_order;
    if (timed)
        qsort(s->all, s->count, sizeof(*s->all), by_time);
    else if (!has_manifest && s->count > 0)
        qsort(s->all, s->count, sizeof(*s->all), session_by_name);
    if (has_manifest)
        check_processes(s);
    struct session_part *all = arena_array(a, struct session_part, s->count);
    if (s->count > 0)
        memcpy(all, s->all, s->count * sizeof(*all));
    free(s->all);
    s->all = all;
    return *s;
}

bool session_of_zip(const char *path, bool (*wanted)(struct bytes head), struct session *s,
                    struct arena *a)
{
    unsigned char magic[4];
    struct stat st;
    *s = (struct session){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct zip_listing files = {0};
    struct packed from = {.fd = fd, .wanted = wanted};
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    from.size = ok ? (uint64_t)st.st_size : 0;
    ok = ok && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
         memcmp(magic, "PK\3\4", sizeof(magic)) == 0 &&
         zip_list(&from, session_keeps, &files, a, NULL);
    close(fd);
    if (ok)
        *s = session_of(&files, a);
    return s->count > 1;
}
