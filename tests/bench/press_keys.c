/* press-keys - measures the browser's time from a key to the screen, without a terminal.
 *
 *     press-keys SNAPSHOT...
 *
 * prints "KEY MILLISECONDS" for each of a fixed sequence of keys, when all indexes are
 * built, and the time for building them. A screen of 200 by 60. */
#include "cli/explore/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void press(struct explore *e, struct grid *g, const char *name, uint32_t key)
{
    double begin = now();
    explore_press(e, (struct press){.key = key});
    explore_draw(e, g, 200, 60);
    printf("%-10s %8.3f\n", name, (now() - begin) * 1e3);
}

/* Through all panes, and from the largest type to the referrers of one of its objects. */
static const struct {
    const char *name;
    uint32_t key;
} keys[] = {
    {"3", '3'},
    {"s", 's'},
    {"s", 's'},
    {"s", 's'},
    {"a", 'a'},
    {"a", 'a'},
    {"d", 'd'},
    {"down", PRESS_DOWN},
    {"up", PRESS_UP},
    {"m", 'm'},
    {"G", 'G'},
    {"g", 'g'},
    {"d", 'd'},
    {"2", '2'},
    {"*", '*'},
    {"*", '*'},
    {"s", 's'},
    {"f", 'f'},
    {"f", 'f'},
    {"down", PRESS_DOWN},
    {"G", 'G'},
    {"up", PRESS_UP},
    {"up", PRESS_UP},
    {"g", 'g'},
    {"down", PRESS_DOWN},
    {"down", PRESS_DOWN},
    {"down", PRESS_DOWN},
    {"right", PRESS_RIGHT},
    {"down", PRESS_DOWN},
    {"enter", PRESS_ENTER},
    {"s", 's'},
    {"s", 's'},
    {"back", PRESS_BACK},
    {"3", '3'},
    {"s", 's'},
    {"s", 's'},
    {"d", 'd'},
    {"g", 'g'},
    {"enter", PRESS_ENTER},
    {"G", 'G'},
    {"s", 's'},
    {"G", 'G'},
    {"s", 's'},
    {"page-up", PRESS_PAGE_UP},
    {"enter", PRESS_ENTER},
    {"down", PRESS_DOWN},
    {"enter", PRESS_ENTER},
    {"end", PRESS_END},
    {"enter", PRESS_ENTER},
    {"end", PRESS_END},
    {"enter", PRESS_ENTER},
    {"s", 's'},
    {"back", PRESS_BACK},
    {"back", PRESS_BACK},
    {"1", '1'},
    {"enter", PRESS_ENTER},
};

static void search(struct explore *e, struct grid *g)
{
    static const char text[] = "/no such name";
    press(e, g, "3", '3');
    for (const char *c = text; *c != '\0'; c++)
        explore_press(e, (struct press){.key = (unsigned char)*c});
    press(e, g, "search", PRESS_ENTER);
}

static void browse(struct explore *e)
{
    struct grid g = {0};
    double begin = now();
    if (!hd_objects_wait(e->objects, NULL))
        puts("indexes    failed");
    printf("%-10s %8.3f\n", "indexes", (now() - begin) * 1e3);
    explore_press(e, (struct press){.key = PRESS_NOTHING});
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        press(e, &g, keys[i].name, keys[i].key);
    search(e, &g);
    grid_free(&g);
}

int main(int argc, char **argv)
{
    struct hd_inputs inputs = {0};
    struct hd_error err = {0};
    struct hd_read_options how = {.size = sizeof(how), .threads = 2, .reach_later = true};
    struct hd_options ask = hd_default_options();
    for (int i = 1; i < argc; i++)
        hd_inputs_add(&inputs, argv[i], &err);
    ask.rows = 0;
    ask.tree = true;
    struct hd_comparison *c = hd_comparison_open(inputs.all, inputs.count, &how);
    struct hd_report *report =
        inputs.count > 1 ? hd_report_diff(c, &ask, &err) : hd_report_top(c, &ask, &err);
    if (report == NULL) {
        fprintf(stderr, "press-keys: %s\n", err.message);
        return 2;
    }
    struct explore e;
    explore_begin(&e, c, report, &ask);
    browse(&e);
    explore_end(&e);
    hd_report_free(report);
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
    return 0;
}
