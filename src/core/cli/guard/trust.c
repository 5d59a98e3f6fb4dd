/* Walk a path name by name with a handle on each folder, so that the way cannot be changed
 * between check and use.
 *
 * O_PATH. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/trust.h"

#include "cli/guard/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- users --------------------------------------------------------------------------- */

bool trust_user(unsigned user)
{
    const char *caller = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
    char *end = NULL;
    unsigned long number = caller != NULL ? strtoul(caller, &end, 10) : 0;
    return user == 0 || user == geteuid() ||
           (caller != NULL && end != caller && *end == '\0' && user == number);
}

static bool anybody_writes(const struct stat *st)
{
    return (st->st_mode & S_IWOTH) != 0;
}

/* The bit covers everyone in an access list except owner and others. A private group is
 * root's, or the one with the number of its only user. */
static bool group_writes(const struct stat *st, const char *at)
{
    bool is_private = st->st_gid == 0 || st->st_gid == st->st_uid;
    return (st->st_mode & S_IWGRP) != 0 &&
           (!is_private || lgetxattr(at, "system.posix_acl_access", NULL, 0) > 0);
}

bool trust_is_public(const struct stat *folder)
{
    return !trust_user(folder->st_uid) || anybody_writes(folder) ||
           group_writes(folder, "");
}

/* --- a walk -------------------------------------------------------------------------- */

enum { MAX_LINKS = 40 };

struct trust_walk {
    enum trust_rule rule;
    int folder;          /* O_PATH */
    struct stat above;   /* of folder */
    char at[PATH_MAX];   /* its name without links; "" is the root */
    char left[PATH_MAX]; /* names left */
    char name[NAME_MAX + 1];
    struct stat st; /* of name; st_mode 0 if it does not exist */
    bool is_magic;  /* name is a link of /proc to something without a name */
    int links;
    bool is_strict;                        /* without exceptions */
    char fault[PATH_MAX + 60];             /* the first; "": no fault */
    char culprit[PATH_MAX + NAME_MAX + 2]; /* its name */
};

/* Names of exceptions, as they were given and without links. */
static struct {
    char (*all)[PATH_MAX];
    size_t count;
    bool is_known;
} exceptions;

/* At or below an exception. */
static bool is_exception(const char *at)
{
    for (size_t i = 0; i < exceptions.count; i++) {
        const char *one = exceptions.all[i];
        size_t len = strcmp(one, "/") == 0 ? 0 : strlen(one);
        if (strcmp(one, "*") == 0 ||
            (strncmp(one, at, len) == 0 && (at[len] == '\0' || at[len] == '/')))
            return true;
    }
    return false;
}

static void __attribute__((format(printf, 3, 4)))
trust_blame(struct trust_walk *w, const char *at, const char *format, ...)
{
    va_list words;
    if (w->fault[0] != '\0' || (!w->is_strict && is_exception(at)))
        return;
    va_start(words, format);
    vsnprintf(w->fault, sizeof(w->fault), format, words);
    va_end(words);
    snprintf(w->culprit, sizeof(w->culprit), "%s", at);
}

/* True for a link that a user with write access to the folder may have made to another
 * user's file. */
static bool has_strange_name(const struct trust_walk *w, const struct stat *st)
{
    bool is_owners = !trust_user(st->st_uid) && st->st_uid == w->above.st_uid;
    return S_ISREG(st->st_mode) && st->st_nlink > 1 && trust_is_public(&w->above) &&
           !is_owners;
}

/* For writing: as fs.protected_symlinks and fs.protected_fifos, but always, and in every
 * folder. */
static void trust_judge(struct trust_walk *w, const struct stat *st, const char *at)
{
    static const char in_public[] = "%s belongs to user %u, in a folder of everybody";
    const bool is_strange = !trust_user(st->st_uid), is_link = S_ISLNK(st->st_mode);
    const bool is_file = S_ISREG(st->st_mode), is_folder = S_ISDIR(st->st_mode);
    const bool is_sticky = is_folder && (st->st_mode & S_ISVTX) != 0;
    const bool is_found = w->rule == TRUST_FOUND, is_named = w->rule == TRUST_NAMED;
    const bool is_written = !is_found && !is_named;
    const bool is_replaced = is_file && w->rule != TRUST_KEPT;
    at = *at != '\0' ? at : "/";
    if (is_found && is_strange)
        trust_blame(w, at, "%s belongs to user %u", at, st->st_uid);
    else if (is_written && is_strange && is_link)
        trust_blame(w, at, "%s is a link of user %u", at, st->st_uid);
    else if (is_strange && anybody_writes(&w->above) &&
             (is_named || (is_written && !is_replaced && !is_folder)))
        trust_blame(w, at, in_public, at, st->st_uid);
    else if (anybody_writes(st) && !is_sticky &&
             (is_found ? !is_link : is_named && (is_file || is_folder)))
        trust_blame(w, at, "anybody can write to %s", at);
    else if (is_found && !is_link && !is_sticky && group_writes(st, at))
        trust_blame(w, at, "others than its owner can write to %s", at);
    if (w->rule != TRUST_LINKS && has_strange_name(w, st))
        trust_blame(w, at, "%s has another name, in a folder of others", at);
}

static bool fail(int why)
{
    errno = why;
    return false;
}

/* Takes the handle. */
static bool trust_enter(struct trust_walk *w, int folder)
{
    if (folder < 0)
        return false;
    if (w->folder >= 0)
        close(w->folder);
    w->folder = folder;
    return fstat(folder, &w->above) == 0;
}

static bool enter_root(struct trust_walk *w)
{
    w->at[0] = '\0';
    if (!trust_enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)))
        return false;
    trust_judge(w, &w->above, w->at);
    return true;
}

static bool put_before(struct trust_walk *w, const char *text)
{
    char whole[2 * PATH_MAX];
    int len = snprintf(whole, sizeof(whole), "%s/%s", text, w->left);
    if (len < 0 || len >= (int)sizeof(w->left))
        return fail(ENAMETOOLONG);
    memcpy(w->left, whole, (size_t)len + 1);
    return true;
}

static bool follow(struct trust_walk *w, const char *text)
{
    if (++w->links > MAX_LINKS)
        return fail(ELOOP);
    if (w->rule >= TRUST_LINKS && w->fault[0] != '\0')
        return fail(EPERM);
    return put_before(w, text) && (text[0] != '/' || enter_root(w));
}

/* Takes the next of the names left; false after the last. */
static bool take_name(struct trust_walk *w)
{
    size_t begin = strspn(w->left, "/"), len = strcspn(w->left + begin, "/");
    if (len == 0 || len > NAME_MAX)
        return fail(len == 0 ? EISDIR : ENAMETOOLONG);
    memcpy(w->name, w->left + begin, len);
    w->name[len] = '\0';
    memmove(w->left, w->left + begin + len, strlen(w->left + begin + len) + 1);
    return true;
}

/* Steps to a name other than "." and "..". */
static bool step(struct trust_walk *w, bool *ended)
{
    char at[PATH_MAX + NAME_MAX + 2], text[PATH_MAX];
    struct stat *st = &w->st;
    ssize_t len = 0;
    snprintf(at, sizeof(at), "%s/%s", w->at, w->name);
    *ended = w->left[strspn(w->left, "/")] == '\0';
    if (fstatat(w->folder, w->name, st, AT_SYMLINK_NOFOLLOW) != 0) {
        *st = (struct stat){0};
        return *ended && errno == ENOENT;
    }
    trust_judge(w, st, at);
    const bool is_link = S_ISLNK(st->st_mode);
    if (is_link && (len = readlinkat(w->folder, w->name, text, sizeof(text) - 1)) < 0)
        return false;
    text[len] = '\0';
    /* "pipe:[4711]", below /proc/self/fd. */
    w->is_magic = *ended && is_link && strncmp(w->at, "/proc/", 6) == 0 && text[0] != '/' &&
                  strchr(text, '[') != NULL;
    if (w->is_magic || (*ended && !is_link))
        return true;
    *ended = false;
    if (is_link)
        return follow(w, text);
    if (strlen(at) >= sizeof(w->at))
        return fail(ENAMETOOLONG);
    strcpy(w->at, at);
    const int how = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return trust_enter(w, openat(w->folder, w->name, how));
}

/* A relative path that is read begins at the root as well: a user who can exchange the
 * working folder decides, too. */
static bool trust_begin(struct trust_walk *w, const char *path)
{
    char here[PATH_MAX];
    bool is_named = getcwd(here, sizeof(here)) != NULL && here[0] == '/';
    int len = snprintf(w->left, sizeof(w->left), "%s", path);
    if (len >= (int)sizeof(w->left))
        return fail(ENAMETOOLONG);
    if (path[0] == '/')
        return enter_root(w);
    if (w->rule < TRUST_LINKS && is_named)
        return put_before(w, here) && enter_root(w);
    snprintf(w->at, sizeof(w->at), "%s", is_named && here[1] != '\0' ? here : "");
    return trust_enter(w, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Walks to the last name. False with errno; the caller closes the folder in any case. */
static bool walk(struct trust_walk *w, const char *path)
{
    bool ended = false;
    if (!trust_begin(w, path))
        return false;
    while (!ended && take_name(w)) {
        if (strcmp(w->name, ".") == 0)
            continue;
        if (strcmp(w->name, "..") == 0) {
            char *slash = strrchr(w->at, '/');
            if (slash != NULL)
                *slash = '\0';
            if (!trust_enter(w, openat(w->folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)))
                return false;
        } else if (!step(w, &ended)) {
            return false;
        }
    }
    return ended;
}

/* Keeps errno. */
static void trust_end(struct trust_walk *w)
{
    int why = errno;
    if (w->folder >= 0)
        close(w->folder);
    errno = why;
}

/* --- exceptions ---------------------------------------------------------------------- */

/* As realpath(), by links of trusted users. */
static bool resolve(const char *path, char whole[PATH_MAX])
{
    struct trust_walk w = {.rule = TRUST_LINKS, .folder = -1, .is_strict = true};
    bool ended = walk(&w, path), is_folder = !ended && errno == EISDIR;
    int len =
        snprintf(whole, PATH_MAX, "%s%s%s", w.at, ended ? "/" : "", ended ? w.name : "");
    trust_end(&w);
    return (ended || is_folder) && w.fault[0] == '\0' && len < PATH_MAX;
}

/* A link of another user is not resolved: it may have replaced the intended file. */
static void add_list(const char *list)
{
    char name[PATH_MAX], whole[PATH_MAX];
    for (size_t len; list != NULL && *(list += strspn(list, ":")) != '\0'; list += len) {
        len = strcspn(list, ":");
        snprintf(name, sizeof(name), "%.*s", (int)len, list);
        exceptions.all = more(exceptions.all, (exceptions.count + 2) * PATH_MAX);
        strcpy(exceptions.all[exceptions.count++], name);
        if (resolve(name, whole))
            strcpy(exceptions.all[exceptions.count++], whole);
    }
}

/* A build server checks out the configured sources, whoever owns them in the container of
 * the job. */
static struct trust_walk walk_by(enum trust_rule rule)
{
    static const char *const lists[] = {"HEAPDRIFT_TRUST", "GITHUB_WORKSPACE",
                                        "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"};
    for (size_t i = 0; !exceptions.is_known && i < sizeof(lists) / sizeof(*lists); i++)
        add_list(getenv(lists[i]));
    exceptions.is_known = true;
    return (struct trust_walk){.rule = rule, .folder = -1};
}

/* --- what is asked ------------------------------------------------------------------- */

bool trust_allows(const char *path, enum trust_rule rule, char why[TRUST_REASON])
{
    struct trust_walk w = walk_by(rule);
    if (strcmp(path, "-") == 0)
        return true;
    bool ended = walk(&w, path);
    trust_end(&w);
    if (rule == TRUST_FOUND && ended && w.st.st_mode != 0 && !S_ISREG(w.st.st_mode)) {
        snprintf(why, TRUST_REASON, "is not a regular file");
        return false;
    }
    if (rule == TRUST_FOUND && !ended && errno != ENOENT)
        trust_blame(&w, path, "%s", strerror(errno));
    /* Faults on the way to an excepted file do not matter. */
    if (rule < TRUST_LINKS)
        snprintf(w.culprit, sizeof(w.culprit), "%s/%s", w.at, w.name);
    if (w.fault[0] == '\0' || (rule < TRUST_LINKS && is_exception(w.culprit)))
        return true;
    snprintf(why, TRUST_REASON, "refused: %s; HEAPDRIFT_TRUST=%s allows it", w.fault,
             w.culprit);
    return false;
}

int trust_open_folder(const char *path, char *name)
{
    struct trust_walk w = walk_by(TRUST_LINKS);
    if (walk(&w, path)) {
        strcpy(name, w.name);
        return w.folder;
    }
    trust_end(&w);
    return -1;
}

/* The opened file must be the one that was checked. */
static int open_last(const struct trust_walk *w, int flags)
{
    struct stat st;
    flags |= O_CLOEXEC | O_NOCTTY | (w->is_magic ? 0 : O_NOFOLLOW);
    int fd = openat(w->folder, w->name, flags, 0666);
    bool is_new = w->st.st_mode == 0 && (flags & O_CREAT) != 0;
    if (fd < 0 || w->is_magic || is_new ||
        (fstat(fd, &st) == 0 && st.st_dev == w->st.st_dev && st.st_ino == w->st.st_ino))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

static int open_walked(const char *path, enum trust_rule rule, int flags,
                       struct trust_walk *w)
{
    *w = walk_by(rule);
    bool ended = walk(w, path);
    if (ended && w->fault[0] != '\0')
        errno = EPERM;
    int fd = ended && w->fault[0] == '\0' ? open_last(w, flags) : -1;
    trust_end(w);
    return fd;
}

FILE *trust_fopen(const char *path, const char *mode)
{
    struct trust_walk w;
    struct stat st;
    bool appends = mode[0] == 'a';
    /* A pipe without a reader is an error if a file is expected. */
    int flags =
        (appends ? O_APPEND | O_CREAT : 0) | (appends || mode[1] == 'n' ? O_NONBLOCK : 0);
    int fd = open_walked(path, TRUST_LINKS, O_WRONLY | flags, &w);
    bool fits = fd >= 0 && fstat(fd, &st) == 0 && (appends || !S_ISREG(st.st_mode));
    FILE *file = fits ? fdopen(fd, appends ? "a" : "w") : NULL;
    if (fd >= 0 && file == NULL) {
        int why = fits ? errno : EEXIST;
        close(fd);
        errno = why;
    }
    return file;
}

int trust_open_known(const char *path, const struct stat *known)
{
    struct trust_walk w;
    int fd = open_walked(path, TRUST_FOLLOWED, O_RDONLY | O_NONBLOCK, &w);
    if (fd < 0 || (S_ISREG(w.st.st_mode) && w.st.st_dev == known->st_dev &&
                   w.st.st_ino == known->st_ino))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}
