/* houses.h - declare the functions and lists that the program needs from the houses collect
 * and fleet. A build that lacks a house, as Windows lacks fleet, links
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

/* Chooses the run of a store that the options name, prints it, and fetches its snapshots
 * into s->stored. True as well if they name files. If several runs match, the one with the
 * newest last snapshot among those with enough snapshots. False after a message. */
bool stored_run_fetch(struct settings *s);
void stored_run_free(struct stored_run *r); /* NULL is fine */

/* Appends its snapshots: their names are a host and a time. */
void stored_run_add(const struct stored_run *r, struct hd_inputs *to);

/* Returns the options that name it, to be pasted after a command, without any password.
 * They live as long as it. */
const char *const *stored_run_words(const struct stored_run *r, size_t *count);

/* --- the agent ------------------------------------------------------------------------ */

/* Call first in main(): does not return in a process that was started, by running this
 * program again, as the metrics server. */
void metrics_server_take_over(int count, char *const *arguments);

/* Returns "" or the reason why it is not an address: ":9464", "127.0.0.1:9464",
 * "[::1]:9464", or the absolute path of a socket. */
const char *metrics_address_problem(const char *address);

/* Records snapshots in the store until a signal, --count, or the end of a process that was
 * given by number alone. is_once, for `collect`: --count snapshots, or one, without jitter;
 * the first failure ends it. EXIT_DONE, or EXIT_TROUBLE if a snapshot was lost or there was
 * none. */
int sidecar_run(struct settings *s, bool is_once);

#endif
