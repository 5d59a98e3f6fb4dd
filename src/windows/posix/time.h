/* Times in UTC; like timegm() it normalises invalid days of a month. */
#ifndef WINDOWS_TIME_H
#define WINDOWS_TIME_H

#include_next <time.h>

#define timegm(tm) _mkgmtime(tm)

#endif
