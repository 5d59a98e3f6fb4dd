/* The nearest right word for a mistyped one: of options, commands, keys of heapdrift.yml.
 */
#include "heapdrift.h"

#include <string.h>

enum { LONGEST_WORD = 40 };

/* Insertions, deletions, replacements, swaps of neighbours (the restricted
 * Damerau-Levenshtein distance). */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return LONGEST_WORD;
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3],
               *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *hd_nearest_word(const char *word, const char *const *all)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* more is another word */
    for (; *all != NULL; all++) {
        size_t d = distance(word, *all);
        if (d < least) {
            least = d;
            best = *all;
        }
    }
    return best;
}
