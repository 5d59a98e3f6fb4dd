/* Resolves a path to input files: itself, or the files in a folder. */
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "format/open.h"
#include "format/session.h"

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

static struct hd_input *add_input(struct hd_inputs *inputs, const char *path,
                                  bool from_folder)
{
    struct hd_inputs_memory *m = inputs->memory;
    struct hd_input *added = APPEND(inputs->all, inputs->count, m->cap);
    *added = (struct hd_input){.path = path, .from_folder = from_folder};
    return added;
}

/* Without the suffix of compression. */
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

static int inputs_by_name(const void *a, const void *b)
{
    const struct hd_input *x = a, *y = b;
    return natural_order(x->path, y->path);
}

/* Reading a pipe would block on its writer. If stat() fails otherwise, the file is added,
 * and opening reports why. A dangling link may be a snapshot that was moved away. */
static void add_found(struct hd_inputs *inputs, const char *path)
{
    struct stat st;
    bool is_there = stat(path, &st) == 0;
    if (!is_there && (errno == ENOENT || errno == ELOOP))
        fail(&add_input(inputs, path, true)->error, HD_NOT_A_SNAPSHOT, "a dangling link");
    else if (!is_there || S_ISREG(st.st_mode))
        add_input(inputs, path, true);
}

/* Appends the files of a folder, and the paths of the folders in it to *deeper if that is
 * not NULL. Links to folders are not followed: they may lead to the same files. */
static bool list_folder(struct hd_inputs *inputs, const char *path,
                        struct hd_inputs *deeper, struct hd_error *err)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return fail(err, HD_IO, "%s", strerror(errno));
    size_t before = inputs->count, len = strlen(path);
    const char *slash = len > 0 && path[len - 1] == '/' ? "" : "/";
    /* An error is not the end: half of a folder would be another series. */
    for (const struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        const char *file =
            arena_printf(&inputs->memory->arena, "%s%s%s", path, slash, entry->d_name);
        struct stat st;
        if (deeper != NULL && lstat(file, &st) == 0 && S_ISDIR(st.st_mode))
            add_input(deeper, file, true);
        else
            add_found(inputs, file);
    }
    int why = errno;
    closedir(folder);
    if (why != 0)
        return fail(err, HD_IO, "%s", strerror(why));
    if (inputs->count > before)
        qsort(inputs->all + before, inputs->count - before, sizeof(*inputs->all),
              inputs_by_name);
    return true;
}

/* Decides by the name alone only if no file may be opened. */
static bool is_snapshot_file(const struct hd_inputs *inputs, const char *path)
{
    return has_name_of_snapshot(path) || (!inputs->names_only && hd_path_is_snapshot(path));
}

static size_t count_snapshots(const struct hd_inputs *inputs, size_t from)
{
    size_t n = 0;
    for (size_t i = from; i < inputs->count; i++)
        n += inputs->all[i].error.status == HD_OK &&
             is_snapshot_file(inputs, inputs->all[i].path);
    return n;
}

static bool has_manifest(const struct hd_inputs *inputs, size_t from)
{
    for (size_t i = from; i < inputs->count; i++)
        if (session_keeps(inputs->all[i].path))
            return true;
    return false;
}

/* Appends the files of subfolders that have snapshots or a manifest, or of all if names
 * alone decide. Two folders with a series each are not one series. */
static bool add_deeper(struct hd_inputs *inputs, struct hd_inputs *deeper,
                       struct hd_error *err)
{
    const char *series = NULL;
    qsort(deeper->all, deeper->count, sizeof(*deeper->all), inputs_by_name);
    for (size_t i = 0; i < deeper->count; i++) {
        const char *folder = deeper->all[i].path;
        size_t before = inputs->count;
        if (!list_folder(inputs, folder, NULL, err))
            return false;
        size_t snapshots = count_snapshots(inputs, before);
        if (snapshots == 0 && !inputs->names_only && !has_manifest(inputs, before))
            inputs->count = before;
        if (snapshots > 1 && series != NULL && !inputs->names_only)
            return fail(err, HD_UNSUPPORTED,
                        "\"%s\" and \"%s\" in this folder have several snapshots each; "
                        "name one folder",
                        path_file_name(series), path_file_name(folder));
        series = snapshots > 1 ? folder : series;
    }
    return true;
}

/* Returns the bytes of a file of at most 1 MiB, in a; empty for a larger or missing one. */
static struct bytes small_file(const char *path, struct arena *a)
{
    enum { MAX_BYTES = 1 << 20 };
    struct input *in =
        input_open(path, &(struct input_options){.max_memory = MAX_BYTES}, NULL);
    struct bytes all = {0}, copy = {0};
    if (in != NULL && input_all(in, &all, NULL) && all.size > 0 && all.size <= MAX_BYTES)
        copy =
            (struct bytes){memcpy(arena_alloc(a, all.size), all.data, all.size), all.size};
    input_close(in);
    return copy;
}

/* Sorts the files of an unpacked session by its manifest, and drops those that are not
 * snapshots. */
static void order_by_manifest(struct hd_inputs *inputs, const char *folder, size_t from)
{
    struct arena *arena = &inputs->memory->arena;
    struct zip_listing files = {arena_array(arena, struct zip_file, inputs->count - from),
                                inputs->count - from};
    if (!has_manifest(inputs, from))
        return;
    for (size_t i = 0; i < files.count; i++) {
        const char *path = inputs->all[from + i].path;
        files.all[i] = (struct zip_file){.name = path, .entry = (unsigned)i + 1};
        if (session_keeps(path))
            files.all[i].text = small_file(path, arena);
        else
            files.all[i].is_wanted = inputs->all[from + i].error.status == HD_OK &&
                                     is_snapshot_file(inputs, path);
    }
    struct session session = session_of(&files, arena);
    if (session.count == 0)
        return;
    inputs->count = from;
    for (size_t i = 0; i < session.count; i++) {
        const struct session_part *part = &session.all[i];
        struct hd_input *added =
            add_input(inputs, part->name != NULL ? part->name : folder, true);
        added->error = part->error;
        added->is_ordered = !session.order_is_unknown;
    }
}

/* "before.gcdump" and "after.gcdump" have an order that only the user knows. */
static void note_order(struct hd_inputs *inputs, const char *folder, size_t from)
{
    for (size_t i = from; i < inputs->count; i++)
        if (inputs->all[i].is_ordered ||
            name_has_order(inputs->all[i].path + strlen(folder)))
            return;
    for (size_t i = from; i < inputs->count; i++)
        inputs->all[i].has_no_order = true;
}

static bool add_folder(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    struct hd_inputs deeper = {.memory = alloc_zeroed(sizeof(*deeper.memory))};
    size_t before = inputs->count;
    bool ok = list_folder(inputs, path, &deeper, err);
    if (ok && deeper.count > 0 && count_snapshots(inputs, before) == 0)
        ok = add_deeper(inputs, &deeper, err);
    free(deeper.all);
    free(deeper.memory);
    if (ok && !inputs->names_only)
        order_by_manifest(inputs, path, before);
    note_order(inputs, path, before);
    if (!ok)
        inputs->count = before;
    return ok && (inputs->count > before ||
                  fail(err, HD_NOT_A_SNAPSHOT, "no snapshots in this folder"));
}

/* Adds a file; for a zip, each of its snapshots as "FILE#2", which snapshot_number()
 * parses. */
static void add_file(struct hd_inputs *inputs, const char *path)
{
    struct arena scratch = {0}, *arena = &inputs->memory->arena;
    struct session s = {.count = 0};
    bool has_parts = !inputs->names_only && snapshot_session(path, &s, &scratch);
    for (size_t i = 0; has_parts && i < s.count; i++) {
        struct hd_input *added =
            add_input(inputs, arena_printf(arena, "%s#%zu", path, i + 1), false);
        added->error = s.all[i].error;
        added->zip = (struct hd_zip_part){s.all[i].entry, s.order_is_unknown};
    }
    if (!has_parts)
        add_input(inputs, path, false);
    arena_free(&scratch);
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
    if (S_ISREG(st.st_mode) && number == 0)
        add_file(inputs, path);
    else
        add_input(inputs, path, false);
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
    struct hd_input *added = add_input(inputs, own_name(inputs, name), false);
    added->bytes = bytes;
    added->size = size;
}

bool hd_inputs_add(struct hd_inputs *inputs, const char *path, struct hd_error *err)
{
    struct hd_error own = {0};
    path = own_name(inputs, path);
    if (add_path(inputs, path, &own))
        return true;
    add_input(inputs, path, false)->error = own;
    if (err != NULL && err->status == HD_OK)
        *err = own;
    return false;
}

/* --- missing files ------------------------------------------------------- */

/* The path with one mark in the place of each number of the name: the same for all of a
 * series. False if the name has no number. */
static bool numbering_of(struct text *t, const char *path)
{
    const char mark = '/'; /* occurs in no name */
    const char *name = path_file_name(path);
    size_t len = unpacked_length(name);
    bool any = false;
    text_clear(t);
    text_add(t, path, (size_t)(name - path));
    for (size_t i = 0, n; i<len; i += n> 0 ? n : 1) {
        n = strspn(name + i, "0123456789");
        any |= n > 0;
        if (n > 0)
            text_add_char(t, mark);
        else
            text_add_char(t, name[i]);
    }
    return any;
}

struct name_number {
    UT_hash_handle hh;
    char key[];
};

static struct name_number *find_numbering(struct name_number *all, const struct text *t)
{
    struct name_number *found;
    HASH_FIND(hh, all, t->data, t->len, found);
    return found;
}

void hd_inputs_claim(const struct hd_input *inputs, size_t count, bool *skipped)
{
    struct arena arena = {0};
    struct name_number *all = NULL;
    struct text key = {0};
    for (size_t i = 0; i < count; i++)
        if (inputs[i].from_folder && !skipped[i] && numbering_of(&key, inputs[i].path)) {
            if (find_numbering(all, &key) == NULL) {
                struct name_number *added = arena_alloc(&arena, sizeof(*added) + key.len);
                memcpy(added->key, key.data, key.len);
                HASH_ADD_KEYPTR(hh, all, added->key, key.len, added);
            }
        }
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
