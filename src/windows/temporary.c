/* What temporary.h asks for. A file that is open can be removed if whoever opened it
 * allowed that, and goes when it is closed: so a console's handler, which is another
 * thread, can remove it while it is written. */
#include "cli/guard/temporary.h"

#include "cli/terminal/exit_hook.h"
#include "windows/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static char path[PATH_MAX];
static volatile LONG is_there;

/* Ctrl-C, the window closed, the user gone: the program ends as it would have. */
static BOOL WINAPI end(DWORD why)
{
    if (signals_take(why))
        return TRUE;
    exit_hook();
    return FALSE;
}

void temporary_listen(void)
{
    static bool listens;
    if (listens)
        return;
    listens = true;
    exit_hook_at_last(temporary_remove);
    SetConsoleCtrlHandler(end, TRUE);
    atexit(temporary_remove);
}

static bool name_beside(const char *target, unsigned number)
{
    static const char name[] = ".heapdrift-";
    enum { ROOM_FOR_NUMBER = 16 };
    const char *last = strrchr(target, '/'), *other = strrchr(target, '\\');
    last = other != NULL && (last == NULL || other > last) ? other : last;
    size_t folder = last != NULL ? (size_t)(last - target) + 1 : 0;
    if (folder + sizeof(name) + ROOM_FOR_NUMBER > sizeof(path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path, target, folder);
    snprintf(path + folder, sizeof(path) - folder, "%s%08x", name, number);
    return true;
}

static int error_of(DWORD last)
{
    switch (last) {
    case ERROR_PATH_NOT_FOUND:
    case ERROR_FILE_NOT_FOUND:
    case ERROR_INVALID_NAME:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    default:
        return EIO;
    }
}

FILE *temporary_open(const char *target)
{
    static const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    enum { MOST_TRIES = 100 };
    HANDLE file = INVALID_HANDLE_VALUE;
    temporary_listen();
    for (unsigned i = 0; i < MOST_TRIES && file == INVALID_HANDLE_VALUE; i++) {
        if (!name_beside(target, (unsigned)GetCurrentProcessId() * MOST_TRIES + i))
            return NULL;
        file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE | WRITE_DAC, share, NULL,
                           CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        if (file == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS) {
            errno = error_of(GetLastError());
            return NULL;
        }
    }
    if (file == INVALID_HANDLE_VALUE) {
        errno = EEXIST;
        return NULL;
    }
    is_there = 1;
    int fd = _open_osfhandle((intptr_t)file, _O_BINARY);
    FILE *to = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (to == NULL) {
        CloseHandle(file);
        temporary_remove();
        errno = ENOMEM;
    }
    return to;
}

bool temporary_rename(const char *target)
{
    if (!MoveFileExA(path, target, MOVEFILE_REPLACE_EXISTING)) {
        errno = error_of(GetLastError());
        return false;
    }
    is_there = 0;
    return true;
}

void temporary_remove(void)
{
    if (InterlockedExchange(&is_there, 0) != 0)
        DeleteFileA(path);
}

/* rmdir /s /q in cmd, which PowerShell does not know. */
const char *folder_remover(void)
{
    return NULL;
}
