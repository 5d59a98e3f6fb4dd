/* Which files a path stands for: itself, or what lies in a folder. */
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/text.h"
#include "format/open.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hd_inputs_memory {
    struct arena arena;
    size_t cap;
};

static struct hd_input *add(struct hd_inputs *inputs, const char *path, bool from_folder)
{
    struct hd_inputs_memory *m = inputs->memory;
    inputs->all = grow(inputs->all, inputs->count, &m->cap, sizeof(*inputs->all));
    struct hd_input *added = &inputs->all[inputs->count++];
    *added = (struct hd_input){.path = path, .from_folder = from_folder};
    return added;
}

static size_t digits(const char *s)
{
    size_t n = 0;
    while (isdigit((unsigned char)s[n]))
        n++;
    return n;
}

/* Runs of digits by their value, everything else by its bytes; leading zeros decide
 * only between names that are equal without them. */
static int natural_order(const char *a, const char *b)
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

static int by_name(const void *a, const void *b)
{
    const struct hd_input *x = a, *y = b;
    return natural_order(x->path, y->path);
}

/* NULL at the end, or with errno in *why: half of a folder would be another series. */
static const struct dirent *next_of(DIR *folder, int *why)
{
    errno = 0;
    const struct dirent *entry = readdir(folder);
    *why = entry == NULL ? errno : 0;
    return entry;
}

static bool leads_nowhere(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 && (errno == ENOENT || errno == ELOOP);
}

/* Reading a pipe would wait for whoever writes into it. What nothing is known of is opened,
 * which tells why. A link may be a snapshot that was moved away. */
static void add_found(struct hd_inputs *inputs, const char *path)
{
    struct stat st;
    if (leads_nowhere(path))
        fail(&add(inputs, path, true)->error, HD_NOT_A_SNAPSHOT, "a dangling link");
    else if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
        add(inputs, path, true);
}

static bool add_folder(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return fail(err, HD_IO, "%s", strerror(errno));
    size_t before = inputs->count, len = strlen(path);
    const char *slash = len > 0 && path[len - 1] == '/' ? "" : "/";
    int why = 0;
    for (const struct dirent *entry; (entry = next_of(folder, &why)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        const char *file =
            arena_printf(&inputs->memory->arena, "%s%s%s", path, slash, entry->d_name);
        add_found(inputs, file);
    }
    closedir(folder);
    if (why != 0)
        return fail(err, HD_IO, "%s", strerror(why));
    if (inputs->count == before)
        return fail(err, HD_NOT_A_SNAPSHOT, "no snapshots in this folder");
    qsort(inputs->all + before, inputs->count - before, sizeof(*inputs->all), by_name);
    return true;
}

static bool add_path(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    struct stat st = {0};
    size_t len;
    unsigned number = snapshot_number(path, &len);
    const char *file = arena_strdup(&inputs->memory->arena, path, len);
    if (strcmp(path, "-") != 0 && stat(file, &st) != 0)
        return fail(err, HD_IO, "%s", strerror(errno));
    if (S_ISDIR(st.st_mode) && number > 0)
        return fail(err, HD_IO, "%s", strerror(EISDIR));
    if (S_ISDIR(st.st_mode))
        return add_folder(inputs, path, err);
    add(inputs, path, false);
    return true;
}

static const char *own_name(struct hd_inputs *inputs, const char *name)
{
    if (inputs->memory == NULL)
        inputs->memory = alloc_zeroed(sizeof(*inputs->memory));
    return arena_strdup(&inputs->memory->arena, name, strlen(name));
}

void hd_inputs_add_memory(struct hd_inputs *inputs, const char *name, const void *bytes,
                          size_t size)
{
    struct hd_input *added = add(inputs, own_name(inputs, name), false);
    added->bytes = bytes;
    added->size = size;
}

bool hd_inputs_add(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    struct hd_error own = {0};
    path = own_name(inputs, path);
    if (add_path(inputs, path, &own))
        return true;
    add(inputs, path, false)->error = own;
    if (err != NULL && err->status == HD_OK)
        *err = own;
    return false;
}

/* --- what is missed ------------------------------------------------------ */

/* Without what says how it is packed. */
static size_t unpacked_length(const char *name)
{
    static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
        if (path_ends_in(name, packed[i]))
            return len - strlen(packed[i]);
    return len;
}

static bool has_name_of_snapshot(const char *path)
{
    static const char *const suffixes[] = {".gcdump", ".nettrace", ".digest", ".core",
                                           ".dmp"};
    size_t len = unpacked_length(path);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        size_t tail = strlen(suffixes[i]);
        if (len >= tail && memcmp(path + len - tail, suffixes[i], tail) == 0)
            return true;
    }
    return false;
}

/* The path with one mark in the place of each number of the name: the same for all of a
 * series. False if the name has no number. */
static bool numbering_of(struct text *t, const char *path)
{
    const char mark = '/'; /* no name has it */
    const char *name = path_file_name(path);
    size_t len = unpacked_length(name);
    bool any = false;
    text_clear(t);
    text_add(t, path, (size_t)(name - path));
    for (size_t i = 0, n; i<len; i += n> 0 ? n : 1) {
        n = digits(name + i);
        any |= n > 0;
        if (n > 0)
            text_add_char(t, mark);
        else
            text_add_char(t, name[i]);
    }
    return any;
}

struct numbering {
    UT_hash_handle hh;
    char key[];
};

static struct numbering *find_numbering(struct numbering *all, const struct text *t)
{
    struct numbering *found;
    HASH_FIND(hh, all, t->data, t->len, found);
    return found;
}

static void add_numbering(struct numbering **all, const struct text *t, struct arena *a)
{
    if (find_numbering(*all, t) != NULL)
        return;
    struct numbering *added = arena_alloc(a, sizeof(*added) + t->len);
    memcpy(added->key, t->data, t->len);
    HASH_ADD_KEYPTR(hh, *all, added->key, t->len, added);
}

void hd_inputs_claim(const struct hd_input *inputs, size_t count, bool *skipped)
{
    struct arena arena = {0};
    struct numbering *all = NULL;
    struct text key = {0};
    for (size_t i = 0; i < count; i++)
        if (inputs[i].from_folder && !skipped[i] && numbering_of(&key, inputs[i].path))
            add_numbering(&all, &key, &arena);
    for (size_t i = 0; i < count; i++)
        if (skipped[i] &&
            (has_name_of_snapshot(inputs[i].path) ||
             (numbering_of(&key, inputs[i].path) && find_numbering(all, &key) != NULL)))
            skipped[i] = false;
    HASH_CLEAR(hh, all);
    text_free(&key);
    arena_free(&arena);
}

void hd_inputs_free(struct hd_inputs *inputs)
{
    free(inputs->all);
    if (inputs->memory != NULL)
        arena_free(&inputs->memory->arena);
    free(inputs->memory);
    *inputs = (struct hd_inputs){0};
}
