/* sandbox.h - the commands that read snapshots give up, before they read anything, what
 * they do not need: docs/sandbox.md says what is left. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* The needs of a command, and the rules in force. */
struct sandbox {
    const char *const *inputs; /* snapshots, and folders of them */
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

/* Give it up, before the first thread starts; and what is left of another one. Where the
 * kernel can refuse nothing, or it is off, all stays as it is. False after saying on stderr
 * what the kernel has and did not do. */
bool sandbox_enter(struct sandbox *s);

/* The same for record, when its store is open: file is that of hd_store_file(), NULL for a
 * server, which may be connected to again. */
bool sandbox_enter_with_store(struct sandbox *s, const char *file);

/* The same for what reads a store: before its file is opened, which may need files beside
 * it; NULL: a server to which there is a connection, the only one from now on. Not for what
 * the command line names besides: sandbox_enter() follows where that is read. */
bool sandbox_enter_to_read_store(struct sandbox *s, const char *file);

/* The store is open: give up what is beside its file, but for its log. False as above. */
bool sandbox_narrow_to_store(const struct sandbox *s, const char *file);

/* For a process that answers clients at sockets it has, and does nothing else: no file, no
 * other socket. False as above. */
bool sandbox_enter_to_serve(bool is_off);

/* The snapshots are read, and no files of modules will be: give up those too. For a sandbox
 * that is wide, while there is one thread. False as above. */
bool sandbox_narrow(const struct sandbox *s);

#endif
