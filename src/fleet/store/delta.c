#include "fleet/store/delta.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <zstd.h>

/* 19 makes deltas of an ASP.NET service smaller by a seventh, and takes thirty times as
 * long; 9 takes twice the memory and makes them no smaller, but what stands alone. */
enum { LEVEL = 8, LEVEL_ALONE = 9 };

/* As far back as one can refer: whoever reads takes as much memory as both are large. */
enum { MIN_WINDOW = 17, MAX_WINDOW = 27 };

/* Below the first number nobody waits. Equal digests come to some thousand to 1 of what is
 * left, but not of what that and the base take together. */
enum { NEVER_TOO_MUCH = 64 << 20, MAX_TIMES_BASE = 16 };

/* What fails is memory, then. */
static void need(size_t result)
{
    if (ZSTD_isError(result))
        out_of_memory(0);
}

static int window_of(uint64_t size)
{
    int bits = MIN_WINDOW;
    while (bits <= MAX_WINDOW && (UINT64_C(1) << bits) < size)
        bits++;
    return bits;
}

bool delta_make(struct bytes whole, struct bytes base, struct hd_memory *delta)
{
    int window = window_of((uint64_t)whole.size + base.size);
    if (window > MAX_WINDOW)
        return false;
    size_t room = ZSTD_compressBound(whole.size);
    char *packed = alloc_resize(NULL, room + 1);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    if (c == NULL)
        out_of_memory(0);
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel,
                                base.size > 0 ? LEVEL : LEVEL_ALONE));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, 1));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1));
    need(ZSTD_CCtx_refPrefix(c, base.data, base.size));
    size_t size = ZSTD_compress2(c, packed, room, whole.data, whole.size);
    need(size);
    ZSTD_freeCCtx(c);
    packed[size] = '\0';
    *delta = (struct hd_memory){packed, size, room + 1};
    return true;
}

/* How large it says that it is; false and err of what is no frame, or too much. */
static bool size_of(struct bytes delta, struct bytes base, uint64_t *size,
                    struct hd_error *err)
{
    unsigned long long n = ZSTD_getFrameContentSize(delta.data, delta.size);
    if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN)
        return fail(err, HD_BAD_FORMAT, "a damaged difference to another digest");
    *size = n;
    return (n <= NEVER_TOO_MUCH ||
            n / MAX_TIMES_BASE <= (uint64_t)base.size + delta.size) ||
           fail(err, HD_BAD_FORMAT,
                "a difference to another digest that stands for %llu bytes", n);
}

bool delta_apply(struct bytes delta, struct bytes base, struct account *a,
                 struct hd_memory *whole, struct hd_error *err)
{
    uint64_t size = 0;
    if (!size_of(delta, base, &size, err))
        return false;
    account_charge(a, size);
    if (account_is_over(a))
        return account_fail(a, err);
    unsigned char *bytes = alloc_resize(NULL, (size_t)size + 1);
    ZSTD_DCtx *d = ZSTD_createDCtx();
    if (d == NULL)
        out_of_memory(0);
    need(ZSTD_DCtx_refPrefix(d, base.data, base.size));
    size_t got = ZSTD_decompressDCtx(d, bytes, (size_t)size, delta.data, delta.size);
    ZSTD_freeDCtx(d);
    if (ZSTD_isError(got) || got != size) {
        free(bytes);
        return fail(err, HD_BAD_FORMAT,
                    "does not fit the digest that it is a difference to");
    }
    bytes[size] = '\0';
    *whole = (struct hd_memory){(char *)bytes, (size_t)size, (size_t)size + 1};
    return true;
}
