/* User and group ids, which Windows lacks. */
#ifndef WINDOWS_SYS_TYPES_H
#define WINDOWS_SYS_TYPES_H

#include_next <sys/types.h>

typedef unsigned uid_t;
typedef unsigned gid_t;

#endif
