/* Asks one comparison from several threads concurrently, for ThreadSanitizer (make tsan):
 * a program of its own, since Criterion cannot start under it. Silent on success; the
 * correctness of answers is tested in tests/core/compare.
 *
 *     ask SNAPSHOT SNAPSHOT... */
#include "heapdrift.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUESTIONS = 8, ASKERS = 12 };

struct asker {
    struct hd_comparison *c;
    int number;
    bool failed;
};

static int nothing(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

static struct hd_report *ask(struct hd_comparison *c, int number, struct hd_error *err)
{
    static const char *const types[] = {"System.String"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    switch (number % 4) {
    case 0:
        return hd_report_roots(c, &opt, err);
    case 1:
        return hd_report_info(c);
    case 2:
        opt.by = HD_BY_HOLDER;
        return hd_report_diff(c, &opt, err);
    default:
        opt.type_count = 0;
        return hd_report_tree(c, &opt, err);
    }
}

/* Single objects of a snapshot, while others ask; the next one closes them immediately. */
static bool look_at_objects(struct hd_comparison *c, int number, struct hd_error *err)
{
    hd_objects_close(hd_objects_open(c, 1));
    struct hd_objects *o = hd_objects_open(c, (size_t)number % 2);
    struct hd_object_list *list = NULL;
    if (hd_objects_wait(o, err))
        list = hd_objects_of_type(o, "System.String", HD_OBJECTS_BY_NUMBER, err);
    bool ok = list != NULL;
    for (size_t i = 0, count = 0; ok && i < hd_object_list_count(list); i += 100)
        free(hd_object_groups(o, hd_object_list_get(list, i), HD_REFERRED_BY, &count));
    hd_object_list_free(list);
    hd_objects_close(o);
    return ok;
}

static void *run(void *context)
{
    struct asker *a = context;
    struct hd_error err = {0};
    if (a->number >= QUESTIONS) {
        a->failed = !look_at_objects(a->c, a->number, &err);
        if (a->failed)
            fprintf(stderr, "ask: objects: %s\n", err.message);
        return NULL;
    }
    struct hd_report *r = ask(a->c, a->number, &err);
    a->failed = r == NULL ||
                !hd_report_write(r, "json", NULL, (struct hd_sink){.write = nothing}, &err);
    if (a->failed)
        fprintf(stderr, "ask: question %d: %s\n", a->number, err.message);
    hd_report_free(r);
    return NULL;
}

int main(int argc, char **argv)
{
    struct hd_inputs inputs = {0};
    struct hd_read_options how = {.size = sizeof(how), .threads = 4, .reach_later = true};
    for (int i = 1; i < argc; i++)
        if (!hd_inputs_add(&inputs, argv[i], NULL))
            return 2;
    struct hd_comparison *c = hd_comparison_open(inputs.all, inputs.count, &how);
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    bool failed = false;
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.c = c, .number = i};
        if (pthread_create(&threads[i], NULL, run, &askers[i]) != 0)
            return 2;
    }
    for (int i = 0; i < ASKERS; i++) {
        pthread_join(threads[i], NULL);
        failed |= askers[i].failed;
    }
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
    return failed;
}
