/* Points in time in UTC; like timegm() it brings a day that no month has to one that is. */
#ifndef WINDOWS_TIME_H
#define WINDOWS_TIME_H

#include_next <time.h>

#define timegm(tm) _mkgmtime(tm)

#endif
