/* Every way to find line ends gives the same bits as looking at one byte after the other.
 */
#include "format/text/text_marks.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <ctype.h>

enum { WORDS = 64, BYTES = WORDS * TEXT_WORD };

static void expect_bits(const struct text_marker *m, const unsigned char *text,
                        size_t words)
{
    uint64_t ends[WORDS], stops[WORDS];
    bool nul = false;
    bool clean = m->mark(text, words, ends, stops);
    for (size_t i = 0; i < words * TEXT_WORD; i++) {
        unsigned end = ends[i / TEXT_WORD] >> i % TEXT_WORD & 1;
        unsigned stop = stops[i / TEXT_WORD] >> i % TEXT_WORD & 1;
        cr_assert_eq(end, text[i] == '\n', "%s: byte %zu is %#x", m->name, i, text[i]);
        bool hex = text[i] < 128 && isxdigit(text[i]);
        cr_assert_eq(stop, !hex, "%s: byte %zu is %#x", m->name, i, text[i]);
        nul |= text[i] == 0;
    }
    cr_expect_eq(clean, !nul, "%s", m->name);
}

Test(text_marks, are_the_same_for_every_byte_and_marker)
{
    unsigned char text[BYTES];
    struct random random = random_from(1);
    for (size_t k = 0; text_markers[k] != NULL; k++) {
        if (!text_markers[k]->works())
            continue;
        for (size_t i = 0; i < BYTES; i++)
            text[i] = (unsigned char)(i < 1024 ? i : random_u64(&random));
        expect_bits(text_markers[k], text, WORDS);
        for (size_t i = 0; i < BYTES; i++)
            text[i] |= text[i] == 0;
        expect_bits(text_markers[k], text, WORDS);
        expect_bits(text_markers[k], text + 7, 3);
        expect_bits(text_markers[k], text, 0);
    }
}

Test(text_marks, sees_a_nul_anywhere)
{
    for (size_t k = 0; text_markers[k] != NULL; k++)
        for (size_t at = 0; text_markers[k]->works() && at < 3 * TEXT_WORD; at++) {
            unsigned char text[3 * TEXT_WORD];
            memset(text, 'x', sizeof(text));
            text[at] = 0;
            expect_bits(text_markers[k], text, 3);
        }
}

Test(text_marks, has_plain_c_as_the_last_way)
{
    size_t last = 0;
    while (text_markers[last + 1] != NULL)
        last++;
    cr_expect_str_eq(text_markers[last]->name, "plain");
    cr_expect(text_markers[last]->works());
    cr_expect(text_marker_best()->works());
}
