/* The console, its characters, and how many processors there are. */
#include <errno.h>
#include <io.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <windows.h>

int ioctl(int fd, int request, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    (void)request;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info)) {
        errno = ENOTTY;
        return -1;
    }
    size->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    size->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

locale_t newlocale(int mask, const char *name, locale_t base)
{
    (void)mask;
    (void)base;
    return name[0] != '\0' || GetConsoleOutputCP() == CP_UTF8;
}

void freelocale(locale_t locale)
{
    (void)locale;
}

const char *nl_langinfo_l(int item, locale_t locale)
{
    (void)item;
    (void)locale;
    return "UTF-8";
}

long sysconf(int name)
{
    SYSTEM_INFO info;
    (void)name;
    GetSystemInfo(&info);
    return (long)info.dwNumberOfProcessors;
}
