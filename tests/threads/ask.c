/* Ask one comparison from several threads at once, for ThreadSanitizer (make tsan): a
 * program by itself, since Criterion cannot begin under it. Says nothing when all is well;
 * whether answers are right is for tests/compare.
 *
 *   ask SNAPSHOT SNAPSHOT... */
#include "heapdrift.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKERS = 8 };

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

static void *run(void *context)
{
    struct asker *a = context;
    struct hd_error err = {0};
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
