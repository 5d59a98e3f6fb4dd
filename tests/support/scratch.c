#include "support/scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void scratch_open(struct scratch *s)
{
    const char *below = getenv("TMPDIR");
    int len = snprintf(s->folder, sizeof(s->folder), "%s/heapdrift-test-XXXXXX",
                       below != NULL && below[0] != '\0' ? below : "/tmp");
    cr_assert_lt((size_t)len, sizeof(s->folder));
    cr_assert_not_null(mkdtemp(s->folder), "%s: %s", s->folder, strerror(errno));
}

const char *scratch_path(struct scratch *s, const char *name)
{
    return arena_printf(&s->arena, "%s/%s", s->folder, name);
}

const char *scratch_file(struct scratch *s, const char *name, const void *data, size_t size)
{
    const char *path = scratch_path(s, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s: %s", path, strerror(errno));
    cr_assert(size == 0 || fwrite(data, size, 1, file) == 1, "%s", path);
    cr_assert_eq(fclose(file), 0, "%s", path);
    return path;
}

const char *scratch_folder(struct scratch *s, const char *name)
{
    const char *path = scratch_path(s, name);
    cr_assert_eq(mkdir(path, 0700), 0, "%s: %s", path, strerror(errno));
    return path;
}

/* Folders are one or two deep. */
static void remove_all(struct scratch *s, const char *folder)
{
    DIR *d = opendir(folder);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        const char *path = arena_printf(&s->arena, "%s/%s", folder, e->d_name);
        if (unlink(path) != 0)
            remove_all(s, path);
    }
    if (d != NULL)
        closedir(d);
    rmdir(folder);
}

void scratch_remove(struct scratch *s)
{
    remove_all(s, s->folder);
    arena_free(&s->arena);
}
