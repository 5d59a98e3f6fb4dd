/* houses.h - the functions and lists that the program needs from the houses collect and
 * fleet. A build without one of them, as that for Windows is without fleet, links
 * src/absent/commands/HOUSE.c instead. */
#ifndef HOUSES_H
#define HOUSES_H

#include "cli/options/settings.h"

/* Commands in the order of --help; each list ends with NULL. */
extern const struct command *const collect_commands[], *const fleet_commands[];

/* --- a run of a store instead of files ------------------------------------------------
 *
 * The digests are in memory before the sandbox is entered: the code that reads them has no
 * right to the store, nor to a network. */

struct stored_run;

/* If the options name a run of a store, choose one, say which, and fetch its snapshots,
 * into s->stored; else nothing. If several runs match, the one is chosen whose last
 * snapshot is the newest, among those that have enough of them. False after saying why
 * there is none. */
bool stored_run_fetch(struct settings *s);
void stored_run_free(struct stored_run *r); /* NULL is fine */

/* Append its snapshots: their names are a host and a time. */
void stored_run_add(const struct stored_run *r, struct hd_inputs *to);

/* The options that name it, to be pasted after a command, without any password. They
 * live as long as it. */
const char *const *stored_run_words(const struct stored_run *r, size_t *count);

/* --- the agent ------------------------------------------------------------------------ */

/* To be called first in main(): does not return in a process that the metrics server was
 * begun in, by running this program again. */
void metrics_server_take_over(int count, char *const *arguments);

/* "" or the reason why it is no address: ":9464", "127.0.0.1:9464", "[::1]:9464", or the
 * absolute path of a socket. */
const char *metrics_address_problem(const char *address);

/* Records snapshots in the store until a signal, --count, or the end of a process that was
 * named by its number alone. is_once, of `collect`: --count snapshots, or one, and no
 * jitter; the first failure ends it. EXIT_DONE, or EXIT_TROUBLE if a snapshot was lost or
 * none could be taken. */
int sidecar_run(struct settings *s, bool is_once);

#endif
