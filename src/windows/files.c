/* Implements POSIX file functions for Windows: names are UTF-8, as the manifest of the
 * program declares. */
#include "base/hash.h"

#include <aclapi.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

/* --- errors ---------------------------------------------------------------------- */

static int error_of(DWORD last)
{
    static const struct {
        DWORD last;
        int error;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},    {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},      {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},      {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},     {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_INVALID_HANDLE, EBADF},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].last == last)
            return known[i].error;
    return EIO;
}

static int failed(void)
{
    errno = error_of(GetLastError());
    return -1;
}

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* --- which file ------------------------------------------------------------------ */

/* Files without identity (standard input, under wine) are treated as pipes. Accounts have
 * no numbers. Converts times from units of 100 ns since 1601 to seconds since 1970. */
static int stat_of(HANDLE file, struct windows_stat *st)
{
    static const int64_t units = 10000000, years = INT64_C(11644473600);
    BY_HANDLE_FILE_INFORMATION info;
    PSID owner;
    PSECURITY_DESCRIPTOR all;
    DWORD type = GetFileType(file);
    *st = (struct windows_stat){.st_mode = type == FILE_TYPE_CHAR ? S_IFCHR : S_IFIFO};
    if (type != FILE_TYPE_DISK || !GetFileInformationByHandle(file, &info))
        return file != INVALID_HANDLE_VALUE ? 0 : failed();
    bool folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    int64_t written = (int64_t)((uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 |
                                info.ftLastWriteTime.dwLowDateTime);
    *st = (struct windows_stat){
        .st_dev = info.dwVolumeSerialNumber,
        .st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
        .st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow),
        .st_mtim = {.tv_sec = written / units - years,
                    .tv_nsec = (long)(written % units) * 100},
        .st_mode = folder ? S_IFDIR : S_IFREG};
    if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL,
                        NULL, NULL, &all) == ERROR_SUCCESS) {
        st->st_uid = (unsigned)XXH3_64bits(owner, GetLengthSid(owner));
        LocalFree(all);
    }
    return 0;
}

int windows_fstat(int fd, struct windows_stat *st)
{
    return stat_of(handle_of(fd), st);
}

/* Opens the file of a descriptor again, for a position of its own; INVALID_HANDLE_VALUE.
 * Open files have the same path as on Linux. */
static HANDLE open_again(int fd, DWORD access)
{
    return ReOpenFile(handle_of(fd), access, SHARED, 0);
}

static bool is_open_file(const char *path, int *fd)
{
    int end = 0;
    return sscanf(path, "/proc/self/fd/%d%n", fd, &end) == 1 && path[end] == '\0';
}

int windows_stat(const char *path, struct windows_stat *st)
{
    int fd;
    /* To open a pipe is to be its client. */
    if (strncmp(path, "\\\\.\\pipe\\", 9) == 0 || strncmp(path, "//./pipe/", 9) == 0) {
        *st = (struct windows_stat){.st_mode = S_IFIFO};
        bool is_there = WaitNamedPipeA(path, 1) || GetLastError() == ERROR_SEM_TIMEOUT;
        return is_there ? 0 : failed();
    }
    HANDLE file = is_open_file(path, &fd)
                      ? open_again(fd, GENERIC_READ)
                      : CreateFileA(path, FILE_READ_ATTRIBUTES | READ_CONTROL, SHARED, NULL,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return failed();
    int result = stat_of(file, st);
    CloseHandle(file);
    return result;
}

char *mkdtemp(char *path)
{
    enum { MAX_TRIES = 100 };
    char *end = path + strlen(path);
    for (unsigned i = 0; i < MAX_TRIES; i++) {
        unsigned number = (unsigned)GetCurrentProcessId() * MAX_TRIES + i;
        for (int k = 1; k <= 6; k++, number /= 26)
            end[-k] = (char)('a' + number % 26);
        if ((mkdir)(path) == 0)
            return path;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

/* Files for the owner alone get an access list without inheritance from their folder. */
int fchmod(int fd, mode_t mode)
{
    enum { OTHERS = 077, CAPACITY = 256 };
    union {
        ACL list;
        char buffer[CAPACITY];
    } all;
    SECURITY_DESCRIPTOR to;
    PSID owner;
    PSECURITY_DESCRIPTOR current;
    HANDLE file = handle_of(fd);
    if ((mode & OTHERS) != 0)
        return 0;
    DWORD last = GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner,
                                 NULL, NULL, NULL, &current);
    if (last == ERROR_SUCCESS) {
        bool ok =
            InitializeAcl(&all.list, sizeof(all), ACL_REVISION) &&
            AddAccessAllowedAce(&all.list, ACL_REVISION, FILE_ALL_ACCESS, owner) &&
            InitializeSecurityDescriptor(&to, SECURITY_DESCRIPTOR_REVISION) &&
            SetSecurityDescriptorDacl(&to, TRUE, &all.list, FALSE) &&
            SetSecurityDescriptorControl(&to, SE_DACL_PROTECTED, SE_DACL_PROTECTED) &&
            SetKernelObjectSecurity(
                file, DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION, &to);
        last = ok ? ERROR_SUCCESS : GetLastError();
        LocalFree(current);
    }
    SetLastError(last);
    return last == ERROR_SUCCESS ? 0 : failed();
}

ssize_t readlink(const char *path, char *to, size_t size)
{
    (void)path;
    (void)to;
    (void)size;
    errno = EINVAL;
    return -1;
}

/* --- reading --------------------------------------------------------------------- */

static void blame_folder(const char *path)
{
    struct windows_stat st;
    int why = errno;
    bool folder = why == EACCES && windows_stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    errno = folder ? EISDIR : why;
}

int windows_open(const char *path, int flags)
{
    int fd;
    if (is_open_file(path, &fd))
        return _open_osfhandle((intptr_t)open_again(fd, GENERIC_READ), O_BINARY);
    fd = _open(path, flags | O_BINARY);
    if (fd < 0)
        blame_folder(path);
    return fd;
}

FILE *windows_fopen(const char *path, const char *mode)
{
    FILE *file = (fopen)(path, mode);
    if (file == NULL)
        blame_folder(path);
    return file;
}

static unsigned at_most(size_t size)
{
    enum { MAX_BYTES = 1 << 30 };
    return size < MAX_BYTES ? (unsigned)size : MAX_BYTES;
}

static OVERLAPPED at(off_t place)
{
    return (OVERLAPPED){.Offset = (DWORD)place,
                        .OffsetHigh = (DWORD)((uint64_t)place >> 32)};
}

/* Reading moves the position, at which another thread may be writing. */
ssize_t pread(int fd, void *to, size_t size, off_t place)
{
    OVERLAPPED from = at(place);
    DWORD got = 0;
    HANDLE self = GetCurrentProcess(), own = INVALID_HANDLE_VALUE, copy;
    if (DuplicateHandle(self, handle_of(fd), self, &copy, FILE_WRITE_DATA, FALSE, 0)) {
        CloseHandle(copy);
        own = open_again(fd, GENERIC_READ);
    }
    HANDLE file = own != INVALID_HANDLE_VALUE ? own : handle_of(fd);
    bool ok = ReadFile(file, to, at_most(size), &got, &from) ||
              GetLastError() == ERROR_HANDLE_EOF;
    int result = ok ? 0 : failed();
    if (own != INVALID_HANDLE_VALUE)
        CloseHandle(own);
    return ok ? (ssize_t)got : result;
}

/* --- writing --------------------------------------------------------------------- */

/* A write to a pipe fails only if it has no reader; the C library reports EINVAL. */
static bool is_pipe(int fd)
{
    return GetFileType(handle_of(fd)) == FILE_TYPE_PIPE;
}

/* Other objects, such as consoles, are signalled when they have input. */
static int look(struct pollfd *one)
{
    HANDLE file = handle_of(one->fd);
    DWORD there;
    bool pipe = is_pipe(one->fd);
    bool has_input =
        pipe ? !PeekNamedPipe(file, NULL, 0, NULL, &there, NULL) || there > 0
             : GetFileType(file) != FILE_TYPE_CHAR || WaitForSingleObject(file, 0) == 0;
    one->revents = (one->events & POLLOUT) != 0 && pipe       ? POLLERR
                   : (one->events & POLLIN) != 0 && has_input ? POLLIN
                                                              : 0;
    return one->revents != 0;
}

int poll(struct pollfd *all, unsigned count, int timeout)
{
    enum { LOOK_MS = 10 };
    uint64_t begin = GetTickCount64();
    for (;;) {
        int ready = 0;
        for (unsigned i = 0; i < count; i++)
            ready += look(&all[i]);
        uint64_t gone = GetTickCount64() - begin;
        if (ready > 0 || (timeout >= 0 && gone >= (uint64_t)timeout))
            return ready;
        uint64_t left = timeout >= 0 ? (uint64_t)timeout - gone : LOOK_MS;
        Sleep(left < LOOK_MS ? (DWORD)left : LOOK_MS);
    }
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t place)
{
    OVERLAPPED to = at(place);
    DWORD put = 0;
    bool ok = WriteFile(handle_of(fd), from, at_most(size), &put, &to);
    return ok ? (ssize_t)put : failed();
}

size_t windows_fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    size_t written = (fwrite)(bytes, size, count, file);
    if (written < count && is_pipe(_fileno(file)))
        errno = EPIPE;
    return written;
}

int windows_vfprintf(FILE *file, const char *format, va_list arguments)
{
    enum { USUAL = 1024 };
    char usual[USUAL], *text = usual;
    va_list again;
    va_copy(again, arguments);
    int len = vsnprintf(usual, sizeof(usual), format, arguments);
    if (len >= USUAL) {
        text = malloc((size_t)len + 1);
        len = text != NULL ? vsnprintf(text, (size_t)len + 1, format, again) : -1;
    }
    va_end(again);
    if (len > 0 && windows_fwrite(text, 1, (size_t)len, file) != (size_t)len)
        len = -1;
    if (text != usual)
        free(text);
    return len;
}

int windows_fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = windows_vfprintf(file, format, arguments);
    va_end(arguments);
    return len;
}

int windows_fflush(FILE *file)
{
    int result = (fflush)(file);
    if (result != 0 && is_pipe(_fileno(file)))
        errno = EPIPE;
    return result;
}

/* --- mappings -------------------------------------------------------------------- */

/* A file that is mapped cannot become shorter, but on other machines. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)protection;
    if ((flags & MAP_FIXED) != 0) {
        /* For pages that are not locked, this removes them from the working set. */
        VirtualUnlock(address, size);
        return address;
    }
    HANDLE file = handle_of(fd);
    HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    void *bytes = mapping == NULL
                      ? NULL
                      : MapViewOfFile(mapping, FILE_MAP_READ,
                                      (DWORD)((uint64_t)offset >> 32), (DWORD)offset, size);
    if (bytes == NULL)
        failed();
    if (mapping != NULL)
        CloseHandle(mapping);
    return bytes != NULL ? bytes : MAP_FAILED;
}

int munmap(void *address, size_t size)
{
    (void)size;
    return UnmapViewOfFile(address) ? 0 : failed();
}
