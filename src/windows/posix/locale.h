/* The program has no locale but "C", so there is nothing to change. */
#ifndef WINDOWS_LOCALE_H
#define WINDOWS_LOCALE_H

#include_next <locale.h>

#include <stdbool.h>

#define LC_CTYPE_MASK 1
#define LC_ALL_MASK 2

typedef bool locale_t;

/* "C" is there. That of the environment ("") only where the console has UTF-8: elsewhere
 * the names in the environment count. */
locale_t newlocale(int mask, const char *name, locale_t base);
void freelocale(locale_t locale);

static inline locale_t uselocale(locale_t locale)
{
    return locale;
}

#endif
