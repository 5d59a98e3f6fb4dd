#include "budget/unmatched.h"

#include "heap/names.h"

#include <string.h>
#include <strings.h>

/* Looking for one costs as much as all names are long, and more patterns are wrong for one
 * reason mostly. */
enum { MOST_GUESSES = 16 };

static const struct series *names_for(const struct evidence *e, const struct rule *rule)
{
    return rule->kind == HD_RULE_HOLDER ? e->holders
           : rule->kind == HD_RULE_TYPE ? e->types
                                        : NULL;
}

static bool matches_something(const struct evidence *e, const char *pattern,
                              const struct series *s)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (evidence_matches(e, pattern, s->rows[i].name))
            return true;
    return false;
}

/* --- upper and lower case ------------------------------------------------ */

/* The pattern with the ends that it spells out as the name has them, if it then matches;
 * else NULL. */
static const char *in_case_of(const char *pattern, const char *name, struct arena *a)
{
    size_t len = strlen(pattern), there = strlen(name);
    size_t head = strcspn(pattern, "*?"), tail = 0;
    while (head < len && strchr("*?", pattern[len - 1 - tail]) == NULL)
        tail++;
    if (head == len)
        head = 0, tail = len;
    if (head + tail > there || strncasecmp(pattern, name, head) != 0 ||
        strncasecmp(pattern + len - tail, name + there - tail, tail) != 0)
        return NULL;
    char *right = arena_strdup(a, pattern, len);
    memcpy(right, name, head);
    memcpy(right + len - tail, name + there - tail, tail);
    return names_match(right, name) ? right : NULL;
}

/* --- typing errors ------------------------------------------------------- */

/* What of a name the pattern spells: all of it, what stands behind its last dot, or so
 * many parts of its namespace as the pattern has before ".*". */
static const char *comparable(const char *name, const char *pattern, size_t dots,
                              bool is_namespace, struct arena *a)
{
    if (is_namespace) {
        size_t end = 0, left = dots;
        while (name[end] != '\0' && strchr("<[+", name[end]) == NULL &&
               (name[end] != '.' || left-- > 0))
            end++;
        return name[end] == '.' ? arena_strdup(a, name, end) : NULL;
    }
    const char *dot = strrchr(name, '.');
    bool whole = strchr(pattern, '.') != NULL || dot == NULL || strchr(name, '<') != NULL;
    return whole ? name : dot + 1;
}

static const char *nearest(const char *pattern, const struct series *s, struct arena *a)
{
    struct arena scratch = {0};
    size_t len = strlen(pattern), count = 0, dots = 0;
    bool is_namespace = len > 2 && strcmp(pattern + len - 2, ".*") == 0;
    size_t literal = is_namespace ? len - 2 : len;
    const char **words = arena_array(&scratch, const char *, s->row_count + 1);
    const char *found = NULL;
    for (size_t i = 0; i < literal; i++)
        dots += pattern[i] == '.';
    for (size_t i = 0; i < s->row_count; i++) {
        const char *word =
            comparable(s->rows[i].name, pattern, dots, is_namespace, &scratch);
        size_t size = word != NULL ? strlen(word) : 0;
        bool near = word != NULL && size <= literal + 3 && literal <= size + 3;
        if (near && (count == 0 || strcmp(words[count - 1], word) != 0))
            words[count++] = word;
    }
    if (strcspn(pattern, "*?") == literal + is_namespace)
        found = hd_nearest_word(arena_strdup(&scratch, pattern, literal), words);
    if (found != NULL)
        found = arena_printf(a, "%s%s", found, is_namespace ? ".*" : "");
    arena_free(&scratch);
    return found;
}

/* --- all of it ----------------------------------------------------------- */

static const char *guess(const char *pattern, const struct series *s, struct arena *a)
{
    for (size_t i = 0; i < s->row_count; i++) {
        const char *right = in_case_of(pattern, s->rows[i].name, a);
        if (right != NULL)
            return right;
    }
    return nearest(pattern, s, a);
}

void unmatched_find(const char **meant, const struct hd_budgets *b,
                    const struct evidence *e, struct arena *a)
{
    size_t guesses = 0;
    for (size_t i = 0; i < b->rule_count && guesses < MOST_GUESSES; i++) {
        const struct series *s = names_for(e, &b->rules[i]);
        if (s == NULL || matches_something(e, b->rules[i].pattern, s))
            continue;
        guesses++;
        meant[i] = guess(b->rules[i].pattern, s, a);
    }
}
