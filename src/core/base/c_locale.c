#include "base/c_locale.h"

#include "base/alloc.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Of this thread only. Returns what was before. */
static locale_t c_locale_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    /* The only reason that POSIX has for "C". */
    if (c_locale == (locale_t)0)
        out_of_memory(0);
    return uselocale(c_locale);
}

int c_vsnprintf(char *s, size_t size, const char *fmt, va_list args)
{
    locale_t before = c_locale_enter();
    int n = vsnprintf(s, size, fmt, args);
    uselocale(before);
    return n;
}

int c_snprintf(char *s, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = c_vsnprintf(s, size, fmt, args);
    va_end(args);
    return n;
}

double c_strtod(const char *s, char **end)
{
    locale_t before = c_locale_enter();
    double value = strtod(s, end);
    uselocale(before);
    return value;
}

bool ascii_is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool ascii_same_word(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}
