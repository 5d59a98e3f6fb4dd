/* metrics_server.h - /metrics, /healthz and /livez over HTTP, for `watch --listen`. It
 * knows neither what the text says nor what is watched.
 *
 * A process of its own answers: this program once more, so that nothing of the watcher is
 * in its memory, which has no rights (rights_give_up(), sandbox_enter_to_serve()), no file,
 * no environment and nothing of the store, so that whatever clients send costs no snapshot,
 * and that it can tell when the watcher hangs. The watcher leaves its text and its next
 * deadline in memory that both see, and waits for nobody. Clients: 32 at once, 4 KiB of
 * request, five seconds; of more the oldest one goes. Our own and no library, since all
 * that is needed is GET of three paths: libmicrohttpd would bring GnuTLS into the static
 * program. */
#ifndef METRICS_SERVER_H
#define METRICS_SERVER_H

#include "cli/options/houses.h"

struct metrics_server;

/* Listen and begin to answer; NULL after saying why not. */
struct metrics_server *metrics_server_begin(const struct settings *s, const char *address);

enum watch_activity { WATCH_WAITS, WATCH_LOOKS, WATCH_TAKES, WATCH_STORES };

/* The watcher turns, and is about to do that; it will be back within so many seconds, or
 * hangs. */
void metrics_server_beat(struct metrics_server *m, enum watch_activity what,
                         double seconds);

/* What /healthz says from the next text on, in lines; "" it is well. /livez does not. */
void metrics_server_say_ill(struct metrics_server *m, const char *why);

/* What /metrics says from now on; of more than a mebibyte whole lines are left out. */
void metrics_server_publish(struct metrics_server *m, const char *text, size_t size);

/* Begin anew if it has ended: between snapshots, when there is one thread and no lock. */
void metrics_server_keep(struct metrics_server *m);

/* NULL is fine. */
void metrics_server_end(struct metrics_server *m);

#endif
