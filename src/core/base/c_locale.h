/* c_locale.h - numbers and letters as the C locale has them, whatever setlocale() or
 * uselocale() said: a caller under de_DE must not get "1,9" in a CSV, nor 1 for "1.9".
 *
 * For everything with a decimal point, and for letters of ASCII. Integers are the same
 * everywhere. */
#ifndef C_LOCALE_H
#define C_LOCALE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

int c_vsnprintf(char *s, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));
int c_snprintf(char *s, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
double c_strtod(const char *s, char **end);

bool ascii_is_alnum(char c);

/* Whether two words differ at most in capitals. */
bool ascii_same_word(const char *a, const char *b);

#endif
