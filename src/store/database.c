#include "store/database.h"

#include "base/error.h"

#include <string.h>

extern const struct database sqlite_database, postgres_database;

const struct database *const databases[] = {&postgres_database, &sqlite_database, NULL};

static bool takes(const struct database *d, const char *url)
{
    for (const char *const *p = d->prefixes; p != NULL && *p != NULL; p++)
        if (strncmp(url, *p, strlen(*p)) == 0)
            return true;
    return d->prefixes == NULL;
}

/* "mysql://host/name"; no file is called so by chance. */
static bool names_server(const char *url)
{
    size_t len =
        strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return len > 1 && strncmp(url + len, "://", 3) == 0 && strncmp(url, "file:", 5) != 0;
}

const struct database *database_for(const char *url, struct hd_error *err)
{
    for (const struct database *const *d = databases; *d != NULL; d++)
        if (takes(*d, url) && ((*d)->prefixes != NULL || !names_server(url)))
            return *d;
    fail(err, HD_UNSUPPORTED,
         "not a store: a store is a file (SQLite) or postgresql://...");
    return NULL;
}
