/* Implements dump_file.h. The runtime on Windows writes a minidump and does not share the
 * file while it does, so it gets a name next to the requested one, and the content is
 * copied. */
#include "collect/dump_file.h"

#include "base/error.h"

#include <errno.h>
#include <io.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

/* Next to the open file, or in the folder for temporary files. Not all programs accept
 * "\\?\C:\x". */
bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err)
{
    enum { LONGEST = 4000 };
    static const char prefix[] = "\\\\?\\";
    size_t cut = strlen(prefix);
    char name[LONGEST];
    HANDLE file = (HANDLE)_get_osfhandle(fileno(to));
    DWORD len = GetFinalPathNameByHandleA(file, name, sizeof(name), 0);
    *f = (struct dump_file){.fd = -1};
    if (len == 0 || len >= sizeof(name)) {
        len = GetTempPathA(sizeof(name), name);
        if (len == 0 || len + sizeof("heapdrift") > sizeof(name))
            return fail(err, HD_IO, "no folder for the dump: set TEMP");
        memcpy(name + len, "heapdrift", sizeof("heapdrift"));
    }
    bool is_drive =
        strncmp(name, prefix, cut) == 0 && name[cut] != '\0' && name[cut + 1] == ':';
    f->ours = f->path =
        arena_printf(arena, "%s-%ld.dmp", name + (is_drive ? cut : 0), (long)t->pid);
    return true;
}

uint64_t dump_file_size(struct dump_file *f)
{
    struct stat st;
    return stat(f->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

bool dump_file_copy_to(struct dump_file *f, FILE *to, struct hd_error *err)
{
    static const char magic[] = "MDMP";
    char block[1 << 16] = "";
    FILE *from = fopen(f->path, "rb");
    if (from == NULL && errno == ENOENT)
        return fail(err, HD_UNSUPPORTED, "the runtime wrote no dump to %.200s", f->path);
    if (from == NULL)
        return fail(err, HD_IO, "cannot read the dump %.150s: %s", f->path,
                    strerror(errno));
    size_t n = fread(block, 1, sizeof(block), from);
    bool ok = n >= strlen(magic) && memcmp(block, magic, strlen(magic)) == 0;
    if (!ok)
        fail(err, HD_UNSUPPORTED, "the runtime has not written a minidump");
    for (; ok && n > 0; n = fread(block, 1, sizeof(block), from))
        ok = fwrite(block, 1, n, to) == n ||
             fail(err, HD_IO, "cannot write: %s", strerror(errno));
    if (ok && ferror(from))
        ok = fail(err, HD_IO, "cannot read the dump: %s", strerror(errno));
    if (ok && fflush(to) != 0)
        ok = fail(err, HD_IO, "cannot write: %s", strerror(errno));
    fclose(from);
    return ok;
}

void dump_file_close(struct dump_file *f)
{
    if (f->ours != NULL)
        unlink(f->ours);
    *f = (struct dump_file){.fd = -1};
}
