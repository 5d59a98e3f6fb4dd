/* so_far.h - what the snapshots of `watch` show while it goes on.
 *
 * A process of its own, the program begun anew, compares after each snapshot from the third
 * on, since that may take more memory than there is. */
#ifndef SO_FAR_H
#define SO_FAR_H

#include "collect/live/collecting.h"

/* That process is asked for it by "so-far COUNT FOLDER". */
#define SO_FAR "so-far "

struct so_far {
    size_t wanted;      /* snapshots in all */
    pid_t child;        /* that compares; 0: none */
    int from;           /* what it prints */
    size_t asked, told; /* of how many snapshots; 0: none */
    char words[1024];
};

/* True if -o names app.digest: app-1.digest and so on, instead of a folder. */
bool watch_keeps_digests(const struct settings *s);

/* The path of the snapshot with that number, from 1. */
void so_far_name(const struct settings *s, const char *folder, size_t number, char *path,
                 size_t size);

/* In the child, with what follows SO_FAR. An exit status. */
int so_far_print(const struct settings *all, const char *errand);

/* Begins to compare count snapshots, if there are enough, and time and somebody to be told.
 */
void so_far_begin(struct so_far *f, const struct collector *c, const char *folder,
                  size_t count);

/* Shows what there is: on a terminal in a line that is written over, with how long it is
 * until the next snapshot, else in a line when there is news. */
void so_far_show(struct so_far *f, const struct collector *c, size_t count, double left);

/* A comparison that is still at work is too late. */
void so_far_end(struct so_far *f);

#endif
