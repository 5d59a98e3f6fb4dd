#include "store/libpq.h"

#ifdef HAVE_LIBPQ

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* A pointer to data is none to a function in C; it is to POSIX. */
static bool find(void *library, const char *name, void *function, struct hd_error *err)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL || fail(err, HD_UNSUPPORTED, "libpq.so.5 here has no %s", name);
}

bool libpq_load(struct libpq *pq, struct hd_error *err)
{
    /* What others of its libraries leave for the end of the process must stay. */
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return fail(err, HD_UNSUPPORTED,
                    "PostgreSQL needs its library here, libpq.so.5 (Debian: libpq5)");
    bool ok = true;
#define LIBPQ_FIND(name) ok = ok && find(library, #name, (void *)&pq->name, err);
    LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
    dlclose(library);
    return ok;
}

#else
typedef int libpq_is_left_out; /* a file of C has something in it */
#endif
