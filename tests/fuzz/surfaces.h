/* surfaces.h - the functions of harnesses: one for each surface. An input is a frame
 * (frame.h); each function defines its parts. */
#ifndef SURFACES_H
#define SURFACES_H

#include "base/input.h"

/* Parts: snapshots of any format, in order of time. */
void surface_snapshots(struct bytes input);

/* No frame: type data in the memory of a process (types.c). */
void surface_types(struct bytes input);

/* No frame: the file of --symbols (symbols.c). */
void surface_symbols(struct bytes input);

/* The first part is compressed according to its first byte, or plain; the others are plain.
 * Read from a file, since only files are decompressed. */
void surface_packed(struct bytes input);

/* Parts: a manifest.json, a metadata.xml (session.c). */
void surface_session(struct bytes input);

/* Parts: a digest; a delta to it, or another digest to make one from, chosen by the head;
 * the byte to change in the delta (delta.c). */
void surface_delta(struct bytes input);

/* Parts: the file of a store, or changes to a small one; the last byte of the head chooses
 * their kind: bytes; rows, and a value for them; the definition of a table; SQL (store.c).
 */
void surface_store(struct bytes input);

/* Parts: a heapdrift.yml, a baseline. Applied to a series of tables or of graphs. */
void surface_budget(struct bytes input);

/* Parts: a baseline, a heapdrift.yml. */
void surface_baseline(struct bytes input);

/* Parts: arguments, each ended by a zero byte; the contents of an @FILE. */
void surface_options(struct bytes input);

/* Parts: what a process at a diagnostics socket sends over each connection. */
void surface_peer(struct bytes input);

/* Parts: the stream of a session that follows objects, that of one that lists methods; the
 * head has the collections of both snapshots (movement.c). */
void surface_movement(struct bytes input);

/* Parts: heaps in a few bytes, always readable: names with control sequences of every kind,
 * numbers of all sizes. Checks the output. */
void surface_writers(struct bytes input);

#endif
