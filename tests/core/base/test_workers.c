#include "base/workers.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

enum { ITEMS = 100, NEVER = ITEMS };

struct job {
    pthread_mutex_t lock;
    size_t begun[ITEMS]; /* how often */
    size_t order[ITEMS];
    size_t len;
    size_t fails; /* item that fails */
};

static bool work(void *context, size_t i)
{
    struct job *j = context;
    pthread_mutex_lock(&j->lock);
    j->begun[i]++;
    j->order[j->len++] = i;
    pthread_mutex_unlock(&j->lock);
    return i != j->fails;
}

static void run(struct job *j, size_t count, unsigned threads, size_t fails)
{
    *j = (struct job){.fails = fails};
    pthread_mutex_init(&j->lock, NULL);
    workers_run(count, threads, work, j);
    pthread_mutex_destroy(&j->lock);
}

Test(workers, every_item_is_worked_on_once_whatever_the_number_of_threads)
{
    static const unsigned threads[] = {0, 1, 2, 8, 1000};
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        struct job j;
        run(&j, ITEMS, threads[t], NEVER);
        cr_expect_eq(j.len, ITEMS);
        for (size_t i = 0; i < ITEMS; i++)
            cr_expect_eq(j.begun[i], 1, "%u threads, item %zu", threads[t], i);
    }
}

Test(workers, one_thread_works_in_order)
{
    struct job j;
    run(&j, ITEMS, 1, NEVER);
    for (size_t i = 0; i < ITEMS; i++)
        cr_expect_eq(j.order[i], i);
}

Test(workers, without_items_there_is_no_work)
{
    struct job j;
    run(&j, 0, 4, NEVER);
    cr_expect_eq(j.len, 0);
}

Test(workers, after_a_failure_no_more_items_are_begun)
{
    struct job j;
    run(&j, ITEMS, 1, 3);
    cr_expect_eq(j.len, 4);
    /* Later items may have begun, but all before the failing one must have. */
    run(&j, ITEMS, 4, 3);
    for (size_t i = 0; i <= 3; i++)
        cr_expect_eq(j.begun[i], 1);
}
