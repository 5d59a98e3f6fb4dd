#include "owners/preorder.h"

void preorder(const uint32_t *parent, size_t count, uint32_t *at, uint32_t *size,
              uint32_t *next)
{
    for (size_t i = 0; i < count; i++)
        size[i] = 1;
    for (size_t i = count; i-- > 1;)
        size[parent[i]] += size[i];
    at[0] = 0;
    next[0] = 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t position = next[parent[i]];
        next[parent[i]] += size[i];
        next[i] = position + 1;
        at[position] = i;
    }
}
