/* follow_folder.h - files that appear in folders, each handed over once when it is
 * complete: `record --follow`. It does not know what is in them.
 *
 * Folders are gone through again and again, with what lies below them; inotify only tells
 * when that is worth while, so network file systems, lost events and folders that come
 * later need nothing else. dotnet-monitor writes under the last name unless it has an
 * intermediateDirectoryPath, and holds a lock (flock) as every FileStream of .NET with
 * FileShare.None does. So a file is complete when it has not changed for two seconds and
 * nobody has such a lock or has it open for writing; where the kernel cannot tell the last
 * (another owner, a network), when it has not changed for half a minute.
 *
 * Others may write to such a folder and exchange files at any time: what is handed over is
 * the file that was looked at. Links of others are left out, and so are further names that
 * they may have given to files of somebody else (trust.h).
 *
 * Memory: 150 bytes and the path for each of 100,000 files at most. */
#ifndef FOLLOW_FOLDER_H
#define FOLLOW_FOLDER_H

#include "collect/live/collecting.h"

enum followed {
    FOLLOWED,        /* done with, until it changes */
    FOLLOWED_FAILED, /* the same, and it was said of that file why */
    FOLLOWED_NOT_NOW /* the reason will pass: all is tried again later */
};

struct follow_how {
    const char *const *folders;
    size_t count;
    bool quiet;
    /* opened: the name to open it by, which others cannot exchange. is_told:
     * FOLLOWED_FAILED was the answer for that file before. */
    enum followed (*take)(void *context, const char *path, const char *opened,
                          bool is_told);
    void (*rest)(void *context); /* called between two looks at the folders */
    void *context;
};

/* Until a signal. */
void follow_folders(const struct follow_how *how, struct collector *c);

#endif
