/* owner.h - finds the user whose share of time and attention a process uses. */
#ifndef OWNER_H
#define OWNER_H

#include <stdint.h>
#include <sys/types.h>

/* Returns the number of its user. A user namespace may have 65,536 users: in one that is
 * not ours it is the number of the user that made the outermost one, unless that was root.
 */
uint64_t process_owner(pid_t pid, uid_t uid);

#endif
