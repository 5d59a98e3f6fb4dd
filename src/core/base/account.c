#include "base/account.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

bool account_fail(const struct account *a, struct hd_error *err)
{
    return fail_about(err, HD_ABOUT_MEMORY, HD_TOO_BIG,
                      "exceeds the memory limit of %llu bytes",
                      (unsigned long long)a->limit);
}

void *account_grow(struct account *a, void *items, size_t len, size_t *cap,
                   size_t item_size)
{
    size_t before = *cap;
    void *grown = grow(items, len, cap, item_size);
    account_charge(a, (uint64_t)(*cap - before) * item_size);
    return grown;
}

void account_free(struct account *a, void *items, size_t cap, size_t item_size)
{
    account_release(a, (uint64_t)cap * item_size);
    free(items);
}
