/* open.h - turns an input into a snapshot: finds the reader, runs the builder. */
#ifndef OPEN_H
#define OPEN_H

#include "base/input.h"
#include "format/reader.h"
#include "heap/snapshot.h"

/* Names for the types that a snapshot has by number: a program or its symbols, of any
 * kind. */
struct hd_symbols {
    /* Names the types of snap, and those in its source. False and HD_USAGE if they are of
     * another build. A snapshot without such types is unchanged. */
    bool (*apply)(const struct hd_symbols *s, struct hd_snapshot *snap,
                  struct hd_error *err);
};

/* Copies the options of a caller, with defaults for unknown ones (base/error.h). */
bool read_options_copy(struct hd_read_options *ours, const struct hd_read_options *theirs,
                       struct hd_error *err);

/* Reads in, which the snapshot then owns (it is closed on failure too). path is for hd_info
 * only. */
struct hd_snapshot *snapshot_read(struct input *in, const char *path,
                                  const struct hd_read_options *opt, struct hd_error *err);

/* hd_snapshot_from_memory() with a name; how is copied already. */
struct hd_snapshot *snapshot_open_memory(const char *name, const void *data, size_t size,
                                         const struct hd_read_options *how,
                                         struct hd_error *err);

/* Parses "FILE#2", the second snapshot of FILE (of a zip, its second one), unless a file
 * has that very name. Returns the number, from 1, and the length of FILE; 0 and the whole
 * length without. */
unsigned snapshot_number(const char *path, size_t *len);

/* True if path is a zip with several snapshots (format/session.h), which lives in a. */
struct session;
struct arena;
bool snapshot_session(const char *path, struct session *s, struct arena *a);

/* Reads the graph again if it was dropped. False and err if that fails, or if the file has
 * changed; a snapshot that never had a graph is unchanged. */
bool snapshot_need_graph(struct hd_snapshot *snap, struct hd_error *err);

/* Computes reachability in a graph if it is unknown (hd_read_options.reach_later); errors
 * as above. */
bool snapshot_need_reach(struct hd_snapshot *snap, struct hd_error *err);

/* Computes the XXH3 of the unpacked bytes, by reading them again. False on failure. */
bool snapshot_checksum(const struct hd_snapshot *snap, uint64_t *sum);

/* Frees the memory of a graph that may be dropped (hd_snapshot.may_drop) and is large
 * enough to matter. */
void snapshot_release_graph(struct hd_snapshot *snap);

/* Returns how a file names static variables, by its format. Pipes are not examined, since
 * that would consume bytes. */
enum static_names snapshot_static_names(const char *path,
                                        const struct hd_read_options *opt);

#endif
