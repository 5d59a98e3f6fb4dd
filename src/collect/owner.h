/* owner.h - which user a process counts against, where what a user's processes cost is not
 * to be at the expense of those of others. */
#ifndef OWNER_H
#define OWNER_H

#include <stdint.h>
#include <sys/types.h>

/* Its user. In a user namespace that is not ours, which may have 65,536 users: who made the
 * outermost one, unless that was root. */
uint64_t process_owner(pid_t pid, uid_t uid);

#endif
