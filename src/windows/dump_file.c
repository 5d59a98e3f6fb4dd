/* What dump_file.h asks for. The runtime of Windows writes a minidump, and shares the file
 * with nobody while it does: so it gets a name beside the one that is wanted, and what is
 * there is copied. */
#include "collect/dump_file.h"

#include "base/error.h"

#include <errno.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

/* "\\?\C:\x" is of use to whoever knows it only. */
static const char *plain(const char *path)
{
    static const char prefix[] = "\\\\?\\";
    size_t len = strlen(prefix);
    bool is_drive =
        strncmp(path, prefix, len) == 0 && path[len] != '\0' && path[len + 1] == ':';
    return is_drive ? path + len : path;
}

/* The name of an open file, or of one in the folder for temporary files. */
static bool name_it(FILE *to, char *name, size_t size)
{
    HANDLE file = (HANDLE)_get_osfhandle(fileno(to));
    DWORD len = GetFinalPathNameByHandleA(file, name, (DWORD)size, 0);
    if (len > 0 && len < size)
        return true;
    len = GetTempPathA((DWORD)size, name);
    if (len == 0 || len + sizeof("heapdrift") > size)
        return false;
    memcpy(name + len, "heapdrift", sizeof("heapdrift"));
    return true;
}

bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err)
{
    enum { LONGEST = 4000 };
    char name[LONGEST];
    *f = (struct dump_file){.fd = -1};
    if (!name_it(to, name, sizeof(name)))
        return fail(err, HD_IO, "no folder for the dump: set TEMP");
    f->ours = f->path = arena_printf(arena, "%s-%ld.dmp", plain(name), (long)t->pid);
    return true;
}

uint64_t dump_file_size(struct dump_file *f)
{
    struct stat st;
    return stat(f->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static bool copy(FILE *from, FILE *to, struct hd_error *err)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    size_t n;
    while ((n = fread(block, 1, BLOCK, from)) > 0)
        if (fwrite(block, 1, n, to) != n)
            return fail(err, HD_IO, "cannot write: %s", strerror(errno));
    if (ferror(from))
        return fail(err, HD_IO, "cannot read the dump: %s", strerror(errno));
    return fflush(to) == 0 || fail(err, HD_IO, "cannot write: %s", strerror(errno));
}

bool dump_file_copy_to(struct dump_file *f, FILE *to, struct hd_error *err)
{
    static const char magic[] = "MDMP";
    char head[4] = "";
    FILE *from = fopen(f->path, "rb");
    if (from == NULL && errno == ENOENT)
        return fail(err, HD_UNSUPPORTED, "the runtime wrote no dump to %.200s", f->path);
    if (from == NULL)
        return fail(err, HD_IO, "cannot read the dump %.150s: %s", f->path,
                    strerror(errno));
    bool ok = fread(head, 1, sizeof(head), from) == sizeof(head) &&
              memcmp(head, magic, sizeof(head)) == 0;
    if (!ok)
        fail(err, HD_UNSUPPORTED, "the runtime has not written a minidump");
    rewind(from);
    ok = ok && copy(from, to, err);
    fclose(from);
    return ok;
}

void dump_file_close(struct dump_file *f)
{
    if (f->ours != NULL)
        unlink(f->ours);
    *f = (struct dump_file){.fd = -1};
}
