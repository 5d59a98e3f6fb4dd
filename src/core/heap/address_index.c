#include "heap/address_index.h"

#include <stdlib.h>

/* regions: a terabyte, with a table of a megabyte */
enum { MAX_SPAN = 1 << 18 };

static bool find_regions(struct address_index *x, const uint64_t *address, size_t len)
{
    uint64_t low = UINT64_MAX, high = 0, any = 8;
    for (size_t i = 0; i < len; i++) {
        low = address[i] < low ? address[i] : low;
        high = address[i] > high ? address[i] : high;
        any |= address[i];
    }
    x->shift = (unsigned)__builtin_ctzll((unsigned long long)any);
    x->first = region_of(low);
    if (x->shift < 2 || region_of(high) - x->first >= MAX_SPAN)
        return false;
    x->span = (size_t)(region_of(high) - x->first) + 1;
    x->number = alloc_zeroed(array_bytes(x->span, sizeof(*x->number)));
    for (size_t i = 0; i < len; i++)
        x->number[region_of(address[i]) - x->first] = 1;
    size_t regions = 0;
    for (size_t r = 0; r < x->span; r++)
        if (x->number[r] != 0)
            x->number[r] = (uint32_t)++regions;
    x->len = regions << (REGION_BITS - x->shift - 6);
    return x->len <= len;
}

/* False: two are equal. */
static bool mark_spots(struct address_index *x, const uint64_t *address, size_t len)
{
    uint32_t before = 0;
    bool differ = true;
    x->words = alloc_zeroed(array_bytes(x->len, sizeof(*x->words)));
    for (size_t i = 0; i < len; i++) {
        uint64_t spot = address_index_spot(x, address[i]);
        uint64_t bit = UINT64_C(1) << spot % 64, *bits = &x->words[spot / 64].bits;
        differ &= (*bits & bit) == 0;
        *bits |= bit;
    }
    for (size_t w = 0; w < x->len; w++) {
        x->words[w].before = before;
        before += (uint32_t)__builtin_popcountll(x->words[w].bits);
    }
    return differ;
}

bool address_index_make(struct address_index *x, const uint64_t *address, size_t len)
{
    *x = (struct address_index){0};
    bool ok = find_regions(x, address, len) && mark_spots(x, address, len);
    if (!ok)
        address_index_free(x);
    return ok;
}

void address_index_make_any(struct address_index *x, uint64_t *address, size_t len)
{
    *x = (struct address_index){0};
    if (len > 0 && address_index_make(x, address, len)) {
        free(address);
        return;
    }
    uint64_t *spare = alloc_resize(NULL, array_bytes(len, sizeof(*spare)));
    radix_sort(address, NULL, len, spare, NULL);
    free(spare);
    x->sorted = address;
    x->len = len;
}

void address_index_free(struct address_index *x)
{
    free(x->number);
    free(x->words);
    free(x->sorted);
    *x = (struct address_index){0};
}

static bool is_before(const void *all, size_t i, const void *address)
{
    return ((const uint64_t *)all)[i] < *(const uint64_t *)address;
}

uint32_t address_index_search(const struct address_index *x, uint64_t address)
{
    size_t at = search_first(x->sorted, 0, x->len, is_before, &address);
    return at < x->len && x->sorted[at] == address ? (uint32_t)at : UINT32_MAX;
}
