/* Runs before main(): makes streams binary, the console UTF-8, and converts backslashes in
 * paths. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

/* Converts the backslashes of a word, or of its part after =, if it is the path of a file:
 * patterns and names of types may contain backslashes too. Pipes and devices are not
 * changed, since checking them would open them. */
static void straighten(char *word)
{
    char *value = word[0] == '-' || word[0] == '@' ? strpbrk(word, "=@") : NULL;
    char *path = value != NULL ? value + 1 : word, *last = strrchr(path, '\\');
    struct stat st;
    if (last == NULL || strncmp(path, "\\\\.\\", 4) == 0)
        return;
    /* The file or its parent folder exists. */
    *last = '\0';
    bool is_path = stat(path, &st) == 0;
    *last = '\\';
    if (!is_path && stat(path, &st) != 0)
        return;
    for (char *at = path; (at = strchr(at, '\\')) != NULL;)
        *at = '/';
}

/* The linker puts the first in place of main(), which then has the second name. */
int __wrap_main(int argc, char **argv);
int __real_main(int argc, char **argv);

/* Original code page of the console. */
static UINT characters;

static void give_back(void)
{
    SetConsoleOutputCP(characters);
}

int __wrap_main(int argc, char **argv)
{
    static const DWORD outputs[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    char folder[MAX_PATH + 1];
    /* The program writes UTF-8. Files and pipes get it as it is. */
    characters = GetConsoleOutputCP();
    if (characters != 0 && characters != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(give_back);
    /* Folder for temporary files. */
    DWORD len = getenv("TMPDIR") == NULL ? GetTempPathA(sizeof(folder), folder) : 0;
    if (len > 0 && len <= MAX_PATH) {
        folder[len - 1] = '\0';
        for (char *at = folder; (at = strchr(at, '\\')) != NULL;)
            *at = '/';
        _putenv_s("TMPDIR", folder);
    }
    /* A console that takes the sequences of a terminal is one. */
    for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
        HANDLE console = GetStdHandle(outputs[i]);
        DWORD mode;
        if (GetConsoleMode(console, &mode) &&
            SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) &&
            getenv("TERM") == NULL)
            _putenv_s("TERM", "xterm");
    }
    _fmode = _O_BINARY;
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    /* Else a console gets each byte alone. */
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    for (int i = 1; i < argc; i++)
        straighten(argv[i]);
    return __real_main(argc, argv);
}

/* --- the console, its characters, and how many processors there are ---------------- */

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
    (void)mask, (void)base;
    return name[0] != '\0' || GetConsoleOutputCP() == CP_UTF8;
}

void freelocale(locale_t locale)
{
    (void)locale;
}

const char *nl_langinfo_l(int item, locale_t locale)
{
    (void)item, (void)locale;
    return "UTF-8";
}

long sysconf(int name)
{
    SYSTEM_INFO info;
    (void)name;
    GetSystemInfo(&info);
    return (long)info.dwNumberOfProcessors;
}
