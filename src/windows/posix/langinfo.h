/* Character set of a locale. */
#ifndef WINDOWS_LANGINFO_H
#define WINDOWS_LANGINFO_H

#include <locale.h>

#define CODESET 1

const char *nl_langinfo_l(int item, locale_t locale);

#endif
