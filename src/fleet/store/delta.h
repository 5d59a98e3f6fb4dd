/* delta.h - bytes as what differs from others: zstd with those in front of it. For digests
 * of one series, most of which is equal. It does not know what the bytes say, nor where
 * they are kept. */
#ifndef STORE_DELTA_H
#define STORE_DELTA_H

#include "base/account.h"
#include "base/input.h"

/* What makes whole of base; of {0}, a file like any other that zstd packed. False if both
 * together are too large for that. */
bool delta_make(struct bytes whole, struct bytes base, struct hd_memory *delta);

/* The other way round. Charged to a before it is taken. False and err of a delta to another
 * base, of one that is damaged, and of one that stands for more than any digest would. */
bool delta_apply(struct bytes delta, struct bytes base, struct account *a,
                 struct hd_memory *whole, struct hd_error *err);

#endif
