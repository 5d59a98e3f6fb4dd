/* rounds - random heaps, written in every form and read back to the same.
 *
 *     rounds [ROUNDS [SEED]]
 *
 * Each round makes a heap (model.h), writes it as other tools do (forms.h), reads that
 * with one and with several threads, converts the result to every target, reads those, and
 * reads one of the files compressed in every way. The results must equal the heap, as far
 * as the form can store it. A failure prints its round, which reproduces it: every round
 * has its own seed. Every LARGE_ONE-th heap is large enough for type tables to be read by
 * several threads. */
#define _GNU_SOURCE /* memfd_create */

#include "rounds/forms.h"
#include "support/rewritten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { USUAL = 300, SMALL_HEAP = 40, LARGE_HEAP = 30000, LARGE_ONE = 100, THREADS = 4 };

struct rounds {
    uint64_t seed, round, failed;
    uint64_t read, written; /* snapshots */
    const struct model *model;
    const char *form; /* current */
};

static void complain(struct rounds *s, const char *how, const char *what)
{
    printf("round %" PRIu64 " (seed %" PRIu64 "): %s, %s: %s\n", s->round, s->seed, s->form,
           how, what);
    s->failed++;
}

static void expect_model(struct rounds *s, const struct hd_snapshot *snap,
                         const struct model_view *view, const struct hd_error *err,
                         const char *how)
{
    s->read++;
    const char *what = snap != NULL ? model_differs(s->model, snap, view) : err->message;
    if (what != NULL)
        complain(s, how, what);
}

/* --- files ----------------------------------------------------------------------- */

static int file_of(const struct text *bytes, char path[64])
{
    int fd = memfd_create("rounds", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes->data, bytes->len) != (ssize_t)bytes->len) {
        perror("rounds");
        exit(1);
    }
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* All compressions, next to each other. */
static void read_packed(struct rounds *s, const struct form *f)
{
    char paths[PACKINGS][64];
    int files[PACKINGS];
    struct hd_input inputs[PACKINGS] = {0};
    for (unsigned i = 0; i < PACKINGS; i++) {
        struct text bytes = packed(&f->bytes, i);
        files[i] = file_of(&bytes, paths[i]);
        inputs[i].path = paths[i];
        text_free(&bytes);
    }
    for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
        const struct hd_read_options how = {.threads = threads};
        struct hd_comparison *c = hd_comparison_open(inputs, PACKINGS, &how);
        size_t count;
        const struct hd_info_entry *all = hd_comparison_entries(c, &count);
        for (size_t i = 0; i < count; i++) {
            /* Graphs of those in between may have been dropped. */
            struct model_view view = f->view;
            view.graph &= all[i].snap != NULL && all[i].snap->graph != NULL;
            expect_model(s, all[i].snap, &view, &all[i].error, packings[i]);
        }
        hd_comparison_free(c);
    }
    for (unsigned i = 0; i < PACKINGS; i++)
        close(files[i]);
}

/* --- conversions ------------------------------------------------------------------- */

static bool holds_graph(const char *target)
{
    return strncmp(target, "table-", 6) != 0 && strcmp(target, "digest") != 0;
}

/* Objects keep their order if they have no addresses. */
static uint32_t *order_in(const struct model *m, const struct hd_snapshot *snap,
                          const struct model_view *view)
{
    uint32_t *order = alloc_zeroed(array_bytes(m->count + 1, sizeof(*order))), next = 0;
    for (node_id n = 0; n < snap->graph->node_count && next < m->count; n++) {
        if (snap->types[snap->graph->type[n]].kind != TYPE_OBJECT)
            continue;
        order[next] = view->order != NULL ? view->order[next] : next;
        for (uint32_t i = 0; snap->graph->addresses != NULL && i < m->count; i++)
            if (m->objects[i].address == graph_address(snap->graph, n))
                order[next] = i;
        next++;
    }
    return order;
}

static void convert(struct rounds *s, struct hd_snapshot *snap,
                    const struct model_view *view)
{
    struct hd_target target;
    bool large = s->model->count > SMALL_HEAP;
    uint32_t *order = view->graph && !large ? order_in(s->model, snap, view) : NULL;
    for (size_t i = 0; hd_target(i, &target); i++) {
        struct hd_error err = {0};
        char *data = NULL;
        size_t size;
        if (target.redacts || (target.needs_graph && !view->graph))
            continue;
        struct model_view after = *view;
        after.order = order;
        after.graph = holds_graph(target.name) && !large;
        after.generations &= strcmp(target.name, "gcdump") == 0;
        struct hd_snapshot *again = rewritten(snap, target.name, &data, &size, &err);
        s->written++;
        expect_model(s, again, &after, &err, target.name);
        hd_snapshot_close(again);
        free(data);
    }
    free(order);
}

/* --- rounds -------------------------------------------------------------------------- */

static void read_form(struct rounds *s, const struct form *f)
{
    for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
        for (int tables = 0; tables < 2; tables++) {
            const struct hd_read_options how = {
                .threads = threads, .tables_only = tables, .to_write = true};
            struct hd_error err = {0};
            struct model_view view = f->view;
            view.graph &= !tables;
            struct hd_snapshot *snap =
                hd_snapshot_from_memory(f->bytes.data, f->bytes.len, &how, &err);
            expect_model(s, snap, &view, &err,
                         threads > 1 ? "several threads" : "one thread");
            if (snap != NULL && !tables && threads == 1)
                convert(s, snap, &view);
            hd_snapshot_close(snap);
        }
    }
}

static void run_round(struct rounds *s)
{
    struct random r = random_from(s->seed * UINT64_C(0x9E3779B97F4A7C15) + s->round);
    struct model m;
    bool large = s->round % LARGE_ONE == LARGE_ONE - 1;
    for (int i = 0; i < 4; i++) /* the first numbers of neighboring seeds are similar */
        random_u64(&r);
    model_make(&m, &r, large ? LARGE_HEAP : SMALL_HEAP);
    s->model = &m;
    uint32_t chosen = random_below(&r, FORMS);
    for (unsigned i = 0; i < FORMS; i++) {
        struct form f = form_of(&m, i, &r);
        s->form = f.name;
        read_form(s, &f);
        if (i == chosen)
            read_packed(s, &f);
        form_free(&f);
    }
    model_free(&m);
}

int main(int argc, char **argv)
{
    struct rounds s = {.seed = 1};
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : USUAL;
    if (argc > 2)
        s.seed = strtoull(argv[2], NULL, 10);
    for (; s.round < rounds && s.failed < 20; s.round++)
        run_round(&s);
    printf("rounds: %" PRIu64 " heaps, read %" PRIu64 " times, of which converted %" PRIu64
           ": %" PRIu64 " differ\n",
           s.round, s.read, s.written, s.failed);
    return s.failed > 0;
}
