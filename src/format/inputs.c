/* Which files a path stands for: itself, or what lies in a folder. */
#include "base/arena.h"
#include "base/error.h"
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

/* Reading a pipe would wait for whoever writes into it. What nothing is known of is opened,
 * which tells why, but for links that lead nowhere. */
static bool may_be_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno != ENOENT && errno != ELOOP;
    return S_ISREG(st.st_mode);
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
        if (may_be_file(file))
            add(inputs, file, true);
    }
    closedir(folder);
    if (why != 0)
        return fail(err, HD_IO, "%s", strerror(why));
    if (inputs->count == before)
        return fail(err, HD_NOT_A_SNAPSHOT, "a folder without snapshots");
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

bool hd_inputs_add(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    if (inputs->memory == NULL)
        inputs->memory = alloc_zeroed(sizeof(*inputs->memory));
    struct hd_error own = {0};
    path = arena_strdup(&inputs->memory->arena, path, strlen(path));
    if (add_path(inputs, path, &own))
        return true;
    add(inputs, path, false)->error = own;
    if (err != NULL && err->status == HD_OK)
        *err = own;
    return false;
}

void hd_inputs_free(struct hd_inputs *inputs)
{
    free(inputs->all);
    if (inputs->memory != NULL)
        arena_free(&inputs->memory->arena);
    free(inputs->memory);
    *inputs = (struct hd_inputs){0};
}
