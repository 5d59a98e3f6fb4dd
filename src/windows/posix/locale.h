/* Only the locale "C" is supported, so uselocale() has no effect. */
#ifndef WINDOWS_LOCALE_H
#define WINDOWS_LOCALE_H

#include_next <locale.h>

#include <stdbool.h>

#define LC_CTYPE_MASK 1
#define LC_ALL_MASK 2

typedef bool locale_t;

/* "C" always exists. The locale of the environment ("") only if the console uses UTF-8:
 * elsewhere the environment variables decide. */
locale_t newlocale(int mask, const char *name, locale_t base);
void freelocale(locale_t locale);

static inline locale_t uselocale(locale_t locale)
{
    return locale;
}

#endif
