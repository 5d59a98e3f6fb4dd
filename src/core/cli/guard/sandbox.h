/* sandbox.h - drop rights that commands do not need, before they read snapshots:
 * docs/sandbox.md lists the remaining ones. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* The needs of a command, and the rules in force. */
struct sandbox {
    const char *const *inputs; /* snapshots, and folders with snapshots */
    size_t input_count;
    const struct used_files *files; /* other ones; inputs in it do not count */
    bool is_off;                    /* --no-sandbox */
    bool is_verbose;                /* print the rules in force */
    bool has_terminal;              /* curses looks it up */
    bool writes_here;               /* to names that the user chooses later */

    int version; /* of Landlock, if it is in force; else 0 */
    bool is_entered;
    bool is_wide; /* files of modules may still be read, for core dumps */
};

/* Where Kubernetes has facts about the pod of a process. */
#define SANDBOX_PODINFO "/etc/podinfo"

/* Drops rights, before the first thread starts; and remaining rights of an earlier sandbox.
 * True without kernel support, or if it is off. False after a message on stderr if the
 * kernel supports it and failed. */
bool sandbox_enter(struct sandbox *s);

/* The same for record, when its store is open: file is that of hd_store_file(), NULL for a
 * server, to which it may reconnect. */
bool sandbox_enter_with_store(struct sandbox *s, const char *file);

/* The same for reading a store: before its file is opened, which may need files next to it;
 * NULL: a server, with one connection, the only one from now on. Not for other files of the
 * command line: call sandbox_enter() where those are read. */
bool sandbox_enter_to_read_store(struct sandbox *s, const char *file);

/* The store is open: drops the files next to its own, except its log. False as above. */
bool sandbox_narrow_to_store(const struct sandbox *s, const char *file);

/* For a process that only answers clients at sockets it has: no files, no other sockets.
 * False as above. */
bool sandbox_enter_to_serve(bool is_off);

/* The snapshots are read, and no files of modules will be: drops access to those too. For a
 * sandbox that is wide, while there is one thread. False as above. */
bool sandbox_narrow(const struct sandbox *s);

#endif
