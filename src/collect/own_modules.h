/* own_modules.h - distinguishes modules of the program from those of packages and the
 * framework.
 *
 * A build writes NAME.deps.json next to a program, with each library and its kind. Must not
 * depend on the location of the file. docs/sites.md. */
#ifndef OWN_MODULES_H
#define OWN_MODULES_H

#include "base/input.h"
#include "base/text.h"

/* Appends the names of files built from projects, "Shop.dll", NUL-terminated. False, with
 * names unchanged, if the file is invalid or lists no such files. O(size of the file). */
bool own_modules_of_deps(struct bytes json, struct text *names);

/* True if the file name of a module is in the list. */
bool own_modules_have(const struct text *names, const char *path);

/* Guess without such a file: true unless the file name is one of the framework's. */
bool own_modules_may_be(const char *path);

/* Returns the length of the folder in a path, without its last separator; for both
 * systems. */
size_t own_modules_folder(const char *path);

/* True if the module is NAME.dll or NAME.exe. */
bool own_modules_is_named(const char *path, const char *name);

#endif
