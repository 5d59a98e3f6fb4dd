#include "base/fast_serialization.h"

#include "base/little_endian.h"

#include <string.h>

bool fast_serialization_entry(struct bytes head, struct bytes *name)
{
    /* Behind the signature: three tags, two versions of 4 bytes, the name's length. */
    static const char begins[] = FAST_SERIALIZATION_HEAD;
    enum {
        TAGS_AT = sizeof(begins) - 1,
        LENGTH_AT = TAGS_AT + 11,
        NAME_AT = LENGTH_AT + 4
    };
    enum { LONGEST = 256 };
    if (head.size < NAME_AT || memcmp(head.data, begins, TAGS_AT) != 0)
        return false;
    uint32_t len = le_u32(head.data + LENGTH_AT);
    *name = (struct bytes){head.data + NAME_AT, len};
    return len > 0 && len <= LONGEST && len <= head.size - NAME_AT;
}
