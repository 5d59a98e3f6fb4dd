#include "score/window.h"
#include "owners/tree_paths.h"

#include <stdio.h>
#include <stdlib.h>

void window_begin(struct window *w, struct hd_snapshot *const *snaps, size_t len)
{
    static const struct series_question nothing;
    struct series_warnings warnings = {0};
    *w = (struct window){.len = len};
    if (!series_align(&w->series, snaps, len, &nothing, &w->arena, &warnings, NULL))
        abort();
    ownership_tree_begin(&w->tree, len);
    for (size_t k = 0; k < len; k++)
        ownership_tree_add(&w->tree, k, snaps[k], SELECT_ALL);
    ownership_tree_align(&w->tree);
}

void window_free(struct window *w)
{
    ownership_tree_free(&w->tree);
    arena_free(&w->arena);
}

struct judgement judge_window(struct window *w)
{
    struct leak_ranking *h = &w->ranking;
    *h = leak_ranking_of(&w->tree, &w->series, NULL, &usual_line, &w->arena);
    struct judgement j = {0};
    while (j.suspects < h->len && h->all[j.suspects].suspicion != HD_SUSPECT_NOT)
        j.suspects++;
    const char **leveled_off = arena_array(&w->arena, const char *, h->leveled_off_count);
    for (; j.leveled_off_count < h->leveled_off_count; j.leveled_off_count++)
        leveled_off[j.leveled_off_count] =
            w->tree.labels.all[h->leveled_off[j.leveled_off_count].label].name;
    j.leveled_off = leveled_off;
    j.inconclusive = h->growth.open.grew && j.suspects == 0;
    return j;
}

const char *window_name(const struct window *w, size_t row)
{
    return w->tree.labels.all[w->ranking.all[row].label].name;
}

double window_share(const struct window *w, size_t row)
{
    return w->ranking.all[row].score / (double)w->tree.retained[w->len - 1];
}

void window_print_row(const struct window *w, size_t row)
{
    const struct ranked_type *type = &w->ranking.all[row];
    printf("    %zu. %.0f %s: ", row + 1, type->score, window_name(w, row));
    struct arena scratch = {0};
    const label_id *path;
    size_t len = tree_full_path(&w->tree, type->head, w->len - 1, &path, &scratch);
    for (size_t p = 0; p < len; p++)
        printf("%s%s", p > 0 ? " > " : "", w->tree.labels.all[path[p]].name);
    printf(" (");
    for (size_t k = 0; k < w->len; k++)
        printf("%s%llu", k > 0 ? ", " : "", (unsigned long long)type->count[k]);
    printf(")\n");
    arena_free(&scratch);
}
