/* trust.h - check whether another user can decide which file a path of the command line
 * names.
 *
 * A user who may replace a file, or a folder or link on the way to it, decides which file
 * is read or written. Every name on the way is checked, links as well, as ssh (StrictModes)
 * and git (safe.directory) do. Trusted users are root, the user of this process, and for
 * root the user of sudo. A folder that all users may write to is fine if it is sticky and
 * the next name belongs to a trusted user.
 *
 * HEAPDRIFT_TRUST has the exceptions, separated by colons: a file, a folder and all below
 * it, or "*" for everything. The folder that a build server has checked out is one, too.
 *
 * Must not depend on a command. */
#ifndef TRUST_H
#define TRUST_H

#include "cli/terminal/messages.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

enum trust_rule {
    TRUST_FOUND, /* found, not named by the user: only trusted users may own or write
                    anything */
    TRUST_NAMED, /* the user did: its owners are trusted, the public is not */
    TRUST_LINKS, /* written: only links of trusted users are followed */
    TRUST_KEPT, /* the same for a file that is appended to: in a public folder, another user
                   may still have it open */
    TRUST_FOLLOWED /* read, found in a folder of others: the same, and no further names */
};

enum { TRUST_REASON = 3 * PATH_MAX };

/* True if path may be used by that rule, is "-", or cannot be opened anyway. Otherwise why
 * has the fault and the remedy: "belongs to user 1000; HEAPDRIFT_TRUST=/w/heapdrift.yml
 * allows it".
 */
bool trust_allows(const char *path, enum trust_rule rule, char why[TRUST_REASON]);

/* Prints "heapdrift: PATH: why" unless trust_allows(). */
static inline bool trust_check(const char *path, enum trust_rule rule)
{
    char why[TRUST_REASON];
    return trust_allows(path, rule, why) || trouble(path, why);
}

/* True for the users that are trusted. */
bool trust_user(unsigned user);

/* True if untrusted users may add names to a folder, by its mode. */
bool trust_is_public(const struct stat *folder);

/* Opens the folder of the file at path (O_PATH) by TRUST_LINKS, so that it cannot be
 * exchanged afterwards; name, of NAME_MAX + 1 bytes, is that of the file after all links,
 * whether it exists or not. -1 with errno; EPERM: there is a link of an untrusted user. */
int trust_open_folder(const char *path, char *name);

/* By TRUST_LINKS, mode "w": opens an existing file that is not a regular one, such as a
 * pipe; "wn": the same without waiting for a reader; "a": appends to any file. NULL with
 * errno. */
FILE *trust_fopen(const char *path, const char *mode);

/* Opens a regular file to be read by TRUST_FOLLOWED, if it still is the known one. -1 with
 * errno. */
int trust_open_known(const char *path, const struct stat *known);

#endif
