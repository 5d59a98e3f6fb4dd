/* Strings in a reply: what they say of their length is not believed. */
#include "collect/ipc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A reply of these bytes, behind what a string read before has left there. */
static struct reply *reply_of(const void *bytes, size_t size)
{
    struct reply *r = calloc(1, sizeof(*r));
    memset(r->payload, 'x', sizeof(r->payload));
    memcpy(r->payload, bytes, size);
    r->size = size;
    return r;
}

static bool reads(const void *bytes, size_t size, const char *text, size_t end)
{
    struct reply *r = reply_of(bytes, size);
    struct text t = {0};
    size_t at = 0;
    bool ok = reply_string(r, &at, &t);
    cr_expect(!ok || at == end, "%zu", at);
    cr_expect(!ok || strcmp(text_string(&t), text) == 0, "%s", text_string(&t));
    text_free(&t);
    free(r);
    return ok;
}

Test(ipc, reads_a_string_of_the_length_that_it_says)
{
    cr_expect(reads("\3\0\0\0h\0i\0\0\0", 10, "hi", 10));
    cr_expect(reads("\2\0\0\0h\0i\0", 8, "hi", 8), "the NUL is not needed");
    cr_expect(reads("\2\0\0\0h\0i\0j\0", 10, "hi", 8), "what follows is not of it");
    cr_expect(reads("\0\0\0\0", 4, "", 4));
    cr_expect(reads("\2\0\0\0\x3d\xd8\0\xde", 8, "\xf0\x9f\x98\x80", 8));
}

Test(ipc, refuses_a_string_that_is_longer_than_its_reply)
{
    static const char hi[] = "\3\0\0\0h\0i\0\0\0";
    for (size_t size = 0; size < 10; size++)
        cr_expect_not(reads(hi, size, "", 0), "%zu bytes of 10", size);
    cr_expect_not(reads("\4\0\0\0h\0i\0\0\0", 10, "", 0), "one more than there are");
    cr_expect_not(reads("\377\377\377\377h\0i\0\0\0", 10, "", 0));
    cr_expect_not(reads("\3\0\0\200h\0i\0\0\0", 10, "", 0), "its bytes wrap around");
}

/* A surrogate at the end does not look at what lies behind the string. */
Test(ipc, keeps_to_the_string_where_half_a_character_ends_it)
{
    cr_expect(reads("\1\0\0\0\x3d\xd8\0\xde", 8, "\xed\xa0\xbd", 6));
}

/* The first that does not fit leaves nothing of the one before. */
Test(ipc, replaces_the_string_that_was_read_before)
{
    struct reply *r = reply_of("\1\0\0\0a\0\1\0\0\0b\0\2\0\0\0c\0", 18);
    struct text t = {0};
    size_t at = 0;
    cr_expect(reply_string(r, &at, &t));
    cr_expect_str_eq(text_string(&t), "a");
    cr_expect(reply_string(r, &at, &t));
    cr_expect_str_eq(text_string(&t), "b");
    cr_expect_not(reply_string(r, &at, &t));
    cr_expect_eq(t.len, 0);
    text_free(&t);
    free(r);
}
