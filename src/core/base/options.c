#include "base/options.h"

#include "base/error.h"

#include <string.h>

bool options_copy(void *ours, size_t known, size_t first, const void *theirs,
                  struct hd_error *err)
{
    size_t size = 0;
    memset(ours, 0, known);
    if (theirs == NULL)
        return true;
    memcpy(&size, theirs, sizeof(size));
    size = size > 0 ? size : first;
    if (size < sizeof(size))
        return fail(err, HD_USAGE, "options of %zu bytes: no size set", size);
    memcpy(ours, theirs, size < known ? size : known);
    const unsigned char *bytes = theirs;
    for (size_t i = known; i < size; i++)
        if (bytes[i] != 0)
            return fail(err, HD_USAGE, "an option unknown to this version of the library");
    memcpy(ours, &known, sizeof(known));
    return true;
}
