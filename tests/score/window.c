#include "score/window.h"

#include <stdio.h>
#include <stdlib.h>

void window_begin(struct window *w, struct hd_snapshot *const *snaps, size_t len)
{
    static const struct ranking_rules all_rules;
    static const struct series_question nothing;
    struct series_warnings warnings = {0};
    *w = (struct window){.len = len};
    if (!series_align(&w->series, snaps, len, &nothing, &w->arena, &warnings, NULL))
        abort();
    trie_begin(&w->trie, len);
    for (size_t k = 0; k < len; k++)
        trie_add(&w->trie, k, snaps[k], SELECT_ALL, &all_rules);
    trie_align(&w->trie, &all_rules);
}

void window_free(struct window *w)
{
    trie_free(&w->trie);
    arena_free(&w->arena);
}

struct judgement judge_window(struct window *w, const struct ranking_rules *rules)
{
    struct headed *h = &w->headed;
    *h = headed_rank(&w->trie, &w->series, NULL, rules, &usual_line, &w->arena);
    struct judgement j = {.tells_rest = !rules->no_types};
    while (j.suspects < h->len && h->all[j.suspects].suspicion != HD_SUSPECT_NOT)
        j.suspects++;
    if (!j.tells_rest)
        return j;
    const char **stopped = arena_array(&w->arena, const char *, h->stopped_count);
    for (; j.stopped_count < h->stopped_count; j.stopped_count++)
        stopped[j.stopped_count] =
            w->trie.labels.all[h->stopped[j.stopped_count].label].name;
    j.stopped = stopped;
    j.inconclusive = h->growth.open.grew && j.suspects == 0;
    return j;
}

const char *window_name(const struct window *w, size_t row)
{
    return w->trie.labels.all[w->headed.all[row].label].name;
}

double window_share(const struct window *w, size_t row)
{
    return w->headed.all[row].score / (double)w->trie.retained[w->len - 1];
}

void window_print_row(const struct window *w, size_t row)
{
    const struct headed_type *type = &w->headed.all[row];
    printf("    %zu. %.0f %s: ", row + 1, type->score, window_name(w, row));
    struct arena scratch = {0};
    const label_id *path;
    size_t len = headed_full_path(&w->trie, type->head, w->len - 1, &path, &scratch);
    for (size_t p = 0; p < len; p++)
        printf("%s%s", p > 0 ? " > " : "", w->trie.labels.all[path[p]].name);
    printf(" (");
    for (size_t k = 0; k < w->len; k++)
        printf("%s%llu", k > 0 ? ", " : "", (unsigned long long)type->count[k]);
    printf(")\n");
    arena_free(&scratch);
}
