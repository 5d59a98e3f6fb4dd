#include "collect/live/run_folder.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PROGRAM = 40, MAX_OF_A_MINUTE = 99 };

/* Omitted characters of the program's name become a single "-". */
void run_folder_name(const char *program, uint64_t pid, time_t when, char *name,
                     size_t size)
{
    char words[MAX_PROGRAM + 1], number[24] = "", at[32] = "";
    struct tm local = {0};
    size_t len = 0;
    for (const char *c = program != NULL ? program : ""; *c != '\0' && len < MAX_PROGRAM;
         c++)
        if ((isalnum((unsigned char)*c) && (unsigned char)*c < 0x80) ||
            strchr("._-", *c) != NULL)
            words[len++] = *c;
        else if (len > 0 && words[len - 1] != '-')
            words[len++] = '-';
    while (len > 0 && strchr("-.", words[len - 1]) != NULL)
        len--;
    words[len] = '\0';
    if (pid > 0)
        snprintf(number, sizeof(number), "-%" PRIu64, pid);
    if (localtime_r(&when, &local) != NULL)
        strftime(at, sizeof(at), "-%Y%m%d-%H%M", &local);
    snprintf(name, size, "heapdrift%s%s%s%s", len > 0 ? "-" : "", words, number, at);
}

/* mkdir follows no link, so whatever others put below /tmp is an older one at the most. */
static bool make_below(const char *folder, const char *name, mode_t mode, char *path,
                       size_t size)
{
    for (int i = 1; i <= MAX_OF_A_MINUTE; i++) {
        int len = i == 1 ? snprintf(path, size, "%s%s", folder, name)
                         : snprintf(path, size, "%s%s-%d", folder, name, i);
        if (len < 0 || (size_t)len >= size) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (mkdir(path, mode) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Returns candidate number i, "TMPDIR/" and similar ones; false after the last. A container
 * image with one program often has only shared memory. */
static bool elsewhere(size_t i, char *folder, size_t size)
{
    const char *below[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
    if (i >= sizeof(below) / sizeof(below[0]))
        return false;
    bool is_named = below[i] != NULL && below[i][0] != '\0';
    int len = snprintf(folder, size, "%s/", is_named ? below[i] : "/tmp");
    if (len < 0 || (size_t)len >= size)
        folder[0] = '\0';
    return true;
}

enum { FOLDER_SIZE = 1024 };

bool run_folder_make(const char *name, char *path, size_t size, int *why)
{
    char folder[FOLDER_SIZE];
    *why = 0;
    if (make_below("", name, 0777, path, size))
        return true;
    *why = errno;
    for (size_t i = 0; elsewhere(i, folder, sizeof(folder)); i++)
        if (folder[0] != '\0' && make_below(folder, name, 0700, path, size))
            return true;
    return false;
}

bool run_folder_make_temporary(char *path, size_t size)
{
    char folder[FOLDER_SIZE];
    for (size_t i = 0; elsewhere(i, folder, sizeof(folder)); i++) {
        int len = snprintf(path, size, "%sheapdrift-XXXXXX", folder);
        if (folder[0] != '\0' && len > 0 && (size_t)len < size && mkdtemp(path) != NULL)
            return true;
    }
    return false;
}
