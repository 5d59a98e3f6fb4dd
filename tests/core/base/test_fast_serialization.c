#include "base/cursor.h"

#include <criterion/criterion.h>
#include <string.h>

static const char file[] =
    FAST_SERIALIZATION_HEAD "\x04\x04\x01\1\0\0\0\1\0\0\0\5\0\0\0Trace\6";

static bool entry_of(const void *data, size_t size, struct bytes *name)
{
    return fast_serialization_entry((struct bytes){data, size}, name);
}

Test(fast_serialization, names_the_type_of_the_entry_object)
{
    struct bytes name;
    cr_assert(entry_of(file, sizeof(file) - 1, &name));
    cr_expect_eq(name.size, 5);
    cr_expect_eq(memcmp(name.data, "Trace", 5), 0);
}

Test(fast_serialization, knows_no_name_that_is_not_all_there)
{
    struct bytes name;
    size_t whole = sizeof(file) - 2; /* without the end tags */
    cr_expect(entry_of(file, whole, &name));
    for (size_t size = 0; size < whole; size++)
        cr_expect_not(entry_of(file, size, &name), "%zu", size);
}

Test(fast_serialization, refuses_other_files_and_endless_names)
{
    struct bytes name;
    for (size_t i = 0; i < sizeof(FAST_SERIALIZATION_HEAD) - 1; i++) {
        char other[sizeof(file)];
        memcpy(other, file, sizeof(file));
        other[i] ^= 1;
        cr_expect_not(entry_of(other, sizeof(file) - 1, &name), "%zu", i);
    }
    char large[400];
    memset(large, 'x', sizeof(large));
    memcpy(large, file, sizeof(file) - 1);
    large[35] = 0;
    large[36] = 1;
    cr_expect(entry_of(large, sizeof(large), &name));
    large[35] = 1;
    cr_expect_not(entry_of(large, sizeof(large), &name), "257 bytes");
    large[35] = large[36] = 0;
    cr_expect_not(entry_of(large, sizeof(large), &name), "none");
}
