/* so_far.h - intermediate results of `watch`.
 *
 * A child, in which the program is executed again, compares after each snapshot from the
 * third on, since that may need more memory than there is. */
#ifndef SO_FAR_H
#define SO_FAR_H

#include "collect/live/collector.h"

/* Task of the child: "so-far COUNT FOLDER". */
#define SO_FAR "so-far "

struct so_far {
    size_t wanted; /* total of snapshots */
    pid_t child;   /* the comparison; or 0 */
    int from;      /* its output */
    size_t asked,
        answered; /* number of snapshots in the last request and last result; or 0 */
    char words[1024];
};

/* True if -o names app.digest: app-1.digest and so on, instead of a folder. */
bool watch_keeps_digests(const struct settings *s);

/* Returns the path of a snapshot by its number, from 1. */
void so_far_name(const struct settings *s, const char *folder, size_t number, char *path,
                 size_t size);

/* Runs in the child, with the text after SO_FAR. Returns an exit status. */
int so_far_print(const struct settings *all, const char *task);

/* Starts a comparison of count snapshots, if there are enough, time, and a reader. */
void so_far_begin(struct so_far *f, const struct collector *c, const char *folder,
                  size_t count);

/* Shows the current result: on a terminal in a line that is overwritten, with the time
 * until the next snapshot, else in a line when it changes. */
void so_far_show(struct so_far *f, const struct collector *c, size_t count, double left);

/* Cancels a running comparison. */
void so_far_end(struct so_far *f);

#endif
