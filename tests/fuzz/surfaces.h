/* surfaces.h - what harnesses run: a function for each way in. An input is a frame
 * (frame.h), whose parts are what the function says. */
#ifndef SURFACES_H
#define SURFACES_H

#include "base/input.h"

/* Parts: snapshots of any format, in order of time. */
void surface_snapshots(struct bytes input);

/* No frame: what a process knows of its types (types.c). */
void surface_types(struct bytes input);

/* No frame: the file of --symbols (symbols.c). */
void surface_symbols(struct bytes input);

/* The first part is packed as its first byte says, or is as it is; the others plain. It
 * comes from a file, as only those are unpacked. */
void surface_packed(struct bytes input);

/* Parts: a manifest.json, a metadata.xml (session.c). */
void surface_session(struct bytes input);

/* Parts: a digest; what differs from it, or another that is made so, as the head says;
 * which byte of that is changed to what (delta.c). */
void surface_delta(struct bytes input);

/* Parts: the file of a store, or what a small one is changed by, as the last byte of the
 * head says: its bytes; its rows, and a value of those; how a table is said to be; SQL
 * (store.c). */
void surface_store(struct bytes input);

/* Parts: a heapdrift.yml, a baseline. A series of tables or of graphs is held against it.
 */
void surface_budget(struct bytes input);

/* Parts: a baseline, a heapdrift.yml. */
void surface_baseline(struct bytes input);

/* Parts: arguments, each ended by a zero byte; what the file of an @FILE says. */
void surface_options(struct bytes input);

/* Parts: what a process at a diagnostics socket sends over each connection. */
void surface_peer(struct bytes input);

/* Parts: the stream of a session that follows objects, that of one that lists methods; the
 * head has the collections of both snapshots (movement.c). */
void surface_movement(struct bytes input);

/* Parts: heaps in a few bytes, made so that all of them can be read: names of everything
 * that somebody obeys, numbers of all sizes. What is written is looked at. */
void surface_writers(struct bytes input);

#endif
