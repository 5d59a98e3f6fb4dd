/* What nameless.h asks for, and temporary.h of files without a name. A file has a name
 * here, but goes when it is closed, however that comes. One in memory is a file that the
 * system need not write while there is room.
 */
#include "cli/live/nameless.h"
#include "cli/guard/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

static FILE *open_as(const char *prefix)
{
    enum { MOST_TRIES = 100, MOST = 32768 };
    static LONG made;
    char path[MOST];
    HANDLE file = INVALID_HANDLE_VALUE;
    for (int i = 0; i < MOST_TRIES && file == INVALID_HANDLE_VALUE; i++) {
        int len =
            snprintf(path, sizeof(path), "%s%08lx%04lx", prefix, GetCurrentProcessId(),
                     (unsigned long)InterlockedIncrement(&made));
        if (len < 0 || (size_t)len >= sizeof(path))
            break;
        file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE | DELETE,
                           FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                           NULL);
    }
    int fd = file != INVALID_HANDLE_VALUE
                 ? _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT)
                 : -1;
    if (fd >= 0)
        return fdopen(fd, "w+b");
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    errno = EACCES;
    return NULL;
}

FILE *nameless_in_memory(void)
{
    char folder[MAX_PATH + 1], prefix[MAX_PATH + 16];
    if (GetTempPathA(sizeof(folder), folder) == 0)
        folder[0] = '\0';
    snprintf(prefix, sizeof(prefix), "%sheapdrift-", folder);
    return open_as(prefix);
}

FILE *temporary_nameless(const char *path)
{
    enum { MOST = 32768 };
    char prefix[MOST];
    struct stat st;
    bool is_file = stat(path, &st) != 0 || S_ISREG(st.st_mode);
    int len = snprintf(prefix, sizeof(prefix), "%s.", path);
    if (!is_file || len < 0 || (size_t)len >= sizeof(prefix))
        return nameless_in_memory();
    return open_as(prefix);
}

void nameless_path(FILE *file, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

const char *nameless_excuse(void)
{
    return NULL;
}

bool nameless_is_in_memory(FILE *file)
{
    (void)file;
    return false;
}

uint64_t nameless_memory(FILE *file)
{
    (void)file;
    return 0;
}
