/* sandbox.h - the commands that read snapshots give up, before they read anything, what
 * they do not need: docs/sandbox.md says what is left. It knows which files the command
 * line names; what the kernel is told is in landlock.h and system_calls.h. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "cli/options/settings.h"

/* Give it up, before the first thread starts; and what is left of another one. Where the
 * kernel can refuse nothing, or
 * --no-sandbox was given, or the command is none of those, all stays as it is. False after
 * saying on stderr what the kernel has and did not do. */
bool sandbox_enter(struct settings *s);

/* The same for record, when its store is open: file is that of hd_store_file(), NULL for a
 * server, which may be connected to again. */
bool sandbox_enter_with_store(struct settings *s, const char *file);

/* The same for what reads a store: before its file is opened, which may need files beside
 * it; NULL: a server to which there is a connection, the only one from now on. Not for what
 * the command line names besides: sandbox_enter() follows where that is read. */
bool sandbox_enter_to_read_store(struct settings *s, const char *file);

/* The store is open: give up what is beside its file, but for its log. False as above. */
bool sandbox_narrow_to_store(const struct settings *s, const char *file);

/* For a process that answers clients at sockets it has, and does nothing else: no file, no
 * other socket. False as above. */
bool sandbox_enter_to_serve(const struct settings *s);

/* The snapshots are read, and no files of modules will be: give up those too. For
 * s->sandbox_is_wide, while there is one thread. False as above. */
bool sandbox_narrow(const struct settings *s);

#endif
