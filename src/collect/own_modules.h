/* own_modules.h - which modules of a process are of the program itself, and not of packages
 * or the framework.
 *
 * A build writes NAME.deps.json next to a program, with each library and its kind. It must
 * not know where the file is. docs/sites.md. */
#ifndef OWN_MODULES_H
#define OWN_MODULES_H

#include "base/input.h"
#include "base/text.h"

/* Appends the names of files that are built of projects, "Shop.dll", each with a NUL. False
 * if it is no such file, or names none; then nothing is appended. O(size of the file). */
bool own_modules_of_deps(struct bytes json, struct text *names);

/* True if the file of a module is one of these, by its name without folders. */
bool own_modules_have(const struct text *names, const char *path);

/* Without such a file: true unless the name of the file is one of the framework's. */
bool own_modules_may_be(const char *path);

/* The length of the folder in a path, without its last separator; of either system. */
size_t own_modules_folder(const char *path);

/* True if the module is NAME.dll or NAME.exe. */
bool own_modules_is_named(const char *path, const char *name);

#endif
