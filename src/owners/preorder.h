/* preorder.h - a tree in preorder, without lists of children. */
#ifndef PREORDER_H
#define PREORDER_H

#include <stddef.h>
#include <stdint.h>

/* Numbers stand behind their parents, 0 is above all. at[position]: the numbers in
 * preorder. size[i]: so many are at or below i, side by side. next is written over. All
 * have room for count, of which there is one at least. O(count). */
void preorder(const uint32_t *parent, size_t count, uint32_t *at, uint32_t *size,
              uint32_t *next);

#endif
