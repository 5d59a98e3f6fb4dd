#include "analysis/subject.h"

#include <string.h>

enum { DEEPEST_LEVEL = 8 };

bool subject_has_namespace(const char *type)
{
    size_t generic = strcspn(type, "<");
    return memchr(type, '.', generic) != NULL;
}

static bool is_generic(const char *type)
{
    return strchr(type, '<') != NULL;
}

bool subject_is_plain(const char *type)
{
    size_t len = strlen(type);
    if (strncmp(type, "System.", 7) == 0 || strncmp(type, "Microsoft.", 10) == 0)
        return true;
    if (len == 0 || type[0] == '<' || type[0] == '[' || type[len - 1] == ']')
        return true;
    return is_generic(type) && !subject_has_namespace(type);
}

/* A class of the program, or a static variable. */
static bool is_named(const char *name)
{
    static const char variable[] = "[static var ";
    return !subject_is_plain(name) || strncmp(name, variable, sizeof(variable) - 1) == 0;
}

/* As many heads may stand as deep as there are objects: nobody walks up for each. */
static path_id *find_named_above(const struct trie *t, struct arena *a)
{
    struct arena scratch = {0};
    const struct full_trie *f = &t->full[t->snapshots - 1];
    bool *named = arena_array(&scratch, bool, t->labels.len);
    path_id *above = arena_array(a, path_id, f->len);
    for (size_t l = 0; l < t->labels.len; l++)
        named[l] = is_named(t->labels.all[l].name);
    for (path_id p = 1; p < f->len; p++)
        above[p] = named[f->label[p]] ? p : above[f->parent[p]];
    arena_free(&scratch);
    return above;
}

struct subject_tree subject_tree_of(const struct trie *t, const bool *grows,
                                    struct arena *a)
{
    struct subject_tree tree = {t, grows, arena_array(a, path_id, t->len),
                                arena_array(a, path_id, t->len), find_named_above(t, a)};
    for (path_id p = 0; p < t->len; p++)
        tree.first_child[p] = tree.next_sibling[p] = NO_PATH;
    for (path_id p = (path_id)t->len; p-- > 1;) {
        tree.next_sibling[p] = tree.first_child[t->parent[p]];
        tree.first_child[t->parent[p]] = p;
    }
    return tree;
}

static const char *name_of(const struct trie *t, path_id p)
{
    return t->labels.all[t->label[p]].name;
}

static int64_t delta(const struct trie *t, const uint64_t *values, path_id p)
{
    const uint64_t *at = &values[p * t->snapshots];
    return (int64_t)(at[t->snapshots - 1] - at[0]);
}

/* Grows at least half as much as the head. */
static bool is_candidate(const struct subject_tree *tree, path_id child, path_id head)
{
    int64_t more = delta(tree->t, tree->t->count, head);
    return more > 0 && tree->grows[child] &&
           2 * delta(tree->t, tree->t->count, child) >= more;
}

static bool is_better(const struct trie *t, path_id p, path_id best)
{
    if (best == NO_PATH)
        return true;
    int64_t a = delta(t, t->retained, p), b = delta(t, t->retained, best);
    return a != b ? a > b : strcmp(name_of(t, p), name_of(t, best)) < 0;
}

/* The candidates of one level become those of the next; the list is a queue in a. */
struct level {
    path_id *all;
    size_t len;
};

static path_id best_named(const struct trie *t, const struct level *level)
{
    path_id best = NO_PATH;
    for (size_t i = 0; i < level->len; i++) {
        const char *name = name_of(t, level->all[i]);
        if (!subject_is_plain(name) && subject_has_namespace(name) &&
            is_better(t, level->all[i], best))
            best = level->all[i];
    }
    return best;
}

static void next_level(const struct subject_tree *tree, struct level *level, path_id head,
                       struct arena *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < level->len; i++)
        for (path_id c = tree->first_child[level->all[i]]; c != NO_PATH;
             c = tree->next_sibling[c])
            count += is_candidate(tree, c, head);
    path_id *all = arena_array(scratch, path_id, count);
    count = 0;
    for (size_t i = 0; i < level->len; i++)
        for (path_id c = tree->first_child[level->all[i]]; c != NO_PATH;
             c = tree->next_sibling[c])
            if (is_candidate(tree, c, head))
                all[count++] = c;
    *level = (struct level){all, count};
}

/* 1. The first level that has a class of the program, in a namespace. */
static const char *from_levels(const struct subject_tree *tree, path_id head)
{
    struct arena scratch = {0};
    struct level level = {&head, 1};
    path_id found = NO_PATH;
    for (int depth = 0; depth <= DEEPEST_LEVEL && level.len > 0 && found == NO_PATH;
         depth++) {
        found = best_named(tree->t, &level);
        if (found == NO_PATH)
            next_level(tree, &level, head, &scratch);
    }
    arena_free(&scratch);
    return found != NO_PATH ? name_of(tree->t, found) : NULL;
}

/* 2. Down the child that gained most, to anything that is not plain. */
static const char *down_the_largest(const struct subject_tree *tree, path_id head)
{
    path_id at = head;
    for (int steps = 0; at != NO_PATH; steps++) {
        if (!subject_is_plain(name_of(tree->t, at)))
            return name_of(tree->t, at);
        if (steps == DEEPEST_LEVEL)
            break;
        path_id best = NO_PATH;
        for (path_id c = tree->first_child[at]; c != NO_PATH; c = tree->next_sibling[c])
            if (is_candidate(tree, c, head) && is_better(tree->t, c, best))
                best = c;
        at = best;
    }
    return NULL;
}

/* 3. Up the whole path in the last snapshot, to a class of the program or a variable. */
const char *subject_above(const struct labels *l, const struct full_trie *f, path_id at)
{
    for (; at != NO_PATH && at != 0; at = f->parent[at])
        if (is_named(l->all[f->label[at]].name))
            return l->all[f->label[at]].name;
    return NULL;
}

static const char *above_head(const struct subject_tree *tree, path_id head)
{
    const struct trie *t = tree->t;
    size_t last = t->snapshots - 1;
    const struct full_trie *f = &t->full[last];
    path_id full = t->full_of[head * t->snapshots + last];
    path_id named = full != NO_PATH ? tree->named_above[full] : 0;
    return named != 0 ? t->labels.all[f->label[named]].name : NULL;
}

const char *subject_of(const struct subject_tree *tree, path_id head,
                       enum subject_place *place)
{
    const struct trie *t = tree->t;
    enum subject_place found = SUBJECT_WITHIN;
    const char *name = from_levels(tree, head);
    if (name == NULL)
        name = down_the_largest(tree, head);
    if (name == NULL) {
        name = above_head(tree, head);
        found = name != NULL ? SUBJECT_ABOVE : SUBJECT_NOWHERE;
    }
    if (place != NULL)
        *place = found;
    return name != NULL ? name : name_of(t, head);
}
