/* session.h - the snapshots of a zip or of a folder that Visual Studio's profiler wrote, in
 * order of time.
 *
 * A .diagsession is a zip: a folder per resource, named by a GUID; manifest.json with the
 * time and the process of each snapshot; metadata.xml with the time at which each resource
 * was added. docs/formats/diagsession.md. Names in these are compared with the names of
 * existing files, and are never opened as paths. */
#ifndef SESSION_H
#define SESSION_H

#include "base/input.h"

/* A snapshot of a series: an existing file, or one named only by the manifest. */
struct session_part {
    const char *name;      /* of the file in its zip or folder; NULL if missing */
    unsigned entry;        /* in a zip: struct packed */
    struct hd_error error; /* set if unreadable */
    double time;           /* from the manifest, in its unit; for sorting only */
    uint64_t process;      /* HD_UNKNOWN if unknown */
};

struct session {
    struct session_part *all;
    size_t count;
    bool order_is_unknown; /* undefined by manifest and names */
};

/* Returns the snapshots among the files of a zip or folder: the wanted ones, and those
 * named by its manifest. Lives in a. */
struct session session_of(const struct zip_listing *files, struct arena *a);

/* True if path is a zip with several snapshots, which are then those of *s. */
bool session_of_zip(const char *path, bool (*wanted)(struct bytes head), struct session *s,
                    struct arena *a);

/* True for the files that define the order of snapshots. */
bool session_keeps(const char *name);

/* Compares runs of digits by value, everything else by bytes; leading zeros decide only
 * between names that are equal without them. */
int natural_order(const char *a, const char *b);

/* True for a file named by a GUID or another number of 16 hexadecimal digits or more, which
 * has no order. */
bool name_is_random(const char *path);

/* False for such a name, and for one without a digit, such as "before.gcdump", unless it
 * has one letter. The path begins below the folder or zip given by the user. */
bool name_has_order(const char *path);

#endif
