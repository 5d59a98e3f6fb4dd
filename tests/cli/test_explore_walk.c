/* A random walk over all keys, in all views, with every kind of input. Inputs without a
 * feature (a tree, objects, a second snapshot) are included, so its keys are also pressed
 * where they do nothing. The walk is the same in every run. */
#include "cli/browsed.h"
#include "render/written.h"
#include "support/made_fields.h"
#include "support/random.h"

#include <criterion/parameterized.h>
#include <unistd.h>

/* --- inputs ---------------------------------------------------------------------- */

static struct hd_snapshot *graph(uint32_t k)
{
    return shop(10 * (k + 1));
}

static struct hd_snapshot *still_graph(uint32_t k)
{
    (void)k;
    return shop(10);
}

static struct hd_snapshot *table(uint32_t k)
{
    return shop_table(10 * (k + 1));
}

static struct hd_snapshot *counts(uint32_t k)
{
    return table_of("App.Order", 10 * (k + 1), HD_UNKNOWN);
}

static struct hd_snapshot *nothing(uint32_t k)
{
    struct forge f = {0};
    (void)k;
    return forge_finish(&f);
}

static struct hd_snapshot *without_roots(uint32_t k)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Order", 96, 2 + k);
    forge_reference(&f, first, first + 1);
    return forge_finish(&f);
}

static struct hd_snapshot *graph_then_table(uint32_t k)
{
    return k % 2 == 0 ? graph(k) : table(k);
}

static struct hd_snapshot *framework_only(uint32_t k)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "System.String", 40, 10 * (k + 1));
    for (node_id i = 0; i < 10 * (k + 1); i++)
        forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, first + i);
    return forge_finish(&f);
}

/* Names with a special meaning for a terminal, a shell or a table. */
static struct hd_snapshot *hostile(uint32_t k)
{
    enum { NAMES = 74, NAME = 64 };
    static const char *const bits[] = {
        "\033[2J", "\033]52;c;eA==\a", "\xE2\x80\xAE", "\xFF\xFE", "類型", "e\xCC\x81",
        "\n\t",    "|`<b>&",           "$(id)",        "%s%n"};
    enum { BITS = sizeof(bits) / sizeof(bits[0]) };
    struct forge f = {0};
    node_id last = forge_object(&f, "App.Top", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.\033[2J.s_all", last);
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[NAME];
        snprintf(name, sizeof(name), "App%u.%s%s", i, bits[i % BITS],
                 bits[i / BITS % BITS]);
        node_id first = forge_objects(&f, name, 4096 * (k + 1), 4 * (k + 1));
        for (uint32_t n = 0; n < 4 * (k + 1); n++)
            forge_reference(&f, last, first + n);
        last = first;
    }
    return forge_finish(&f);
}

/* Types with names of 300 characters, which differ at the end only. */
static struct hd_snapshot *long_names(uint32_t k)
{
    enum { NAMES = 5, LONG = 300 };
    struct forge f = {0};
    node_id last = forge_object(&f, "App.Top", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Top.s_all", last);
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[LONG + 1];
        memset(name, 'x', LONG);
        name[20] = name[200] = '.';
        name[LONG - 1] = (char)('a' + i);
        name[LONG] = '\0';
        node_id first = forge_objects(&f, name, 64, 10 * (k + 1));
        for (uint32_t n = 0; n < 10 * (k + 1); n++)
            forge_reference(&f, last, first + n);
        last = first;
    }
    return forge_finish(&f);
}

/* The size is unknown in the first. */
static struct hd_snapshot *process(uint32_t k)
{
    struct hd_snapshot *snap = graph(k);
    if (k > 0)
        hd_fact_set(&snap->facts, HD_FACT_RESIDENT, (UINT64_C(1) << 20) * k);
    hd_fact_set(&snap->facts, HD_FACT_OF_BRK, (UINT64_C(1) << 18) * k);
    hd_fact_set(&snap->facts, HD_FACT_THREADS, k);
    return snap;
}

static struct hd_snapshot *core(uint32_t k)
{
    (void)k;
    return made_fields();
}

/* Borrows bytes until the end of the test. */
static struct hd_snapshot *digest(uint32_t k)
{
    static struct hd_memory bytes[MAX_FILES];
    struct hd_error err = {0};
    struct hd_snapshot *whole = graph(k);
    cr_assert(hd_snapshot_write(whole, "digest", hd_sink_memory(&bytes[k]), NULL, &err));
    hd_snapshot_close(whole);
    return hd_snapshot_from_memory(bytes[k].bytes, bytes[k].size, NULL, &err);
}

static const struct input {
    const char *name;
    size_t count;
    struct hd_snapshot *(*make)(uint32_t k);
    bool has_objects; /* and no key hides them */
} inputs[] = {{"graphs", 4, graph, true},
              {"two graphs", 2, graph, true},
              {"one graph", 1, graph, true},
              {"graphs that do not grow", 3, still_graph, true},
              {"graphs without types of the program", 3, framework_only, false},
              {"graphs without roots", 2, without_roots, true},
              {"one graph without roots", 1, without_roots, true},
              {"tables", 4, table, false},
              {"one table", 1, table, false},
              {"tables of counts", 4, counts, false},
              {"empty tables", 2, nothing, false},
              {"one empty table", 1, nothing, false},
              {"graphs and tables", 4, graph_then_table, false},
              {"digests", 4, digest, false},
              {"one digest", 1, digest, false},
              {"processes", 4, process, true},
              {"fifty processes", 50, process, true},
              {"hostile names", 4, hostile, true},
              {"long names", 4, long_names, true},
              {"fifty graphs", 50, graph, true},
              {"fifty tables", 50, table, false},
              {"one core", 1, core, true},
              {"cores", 2, core, true}};

enum { INPUTS = sizeof(inputs) / sizeof(inputs[0]) };

/* --- keys ------------------------------------------------------------------------ */

static const uint32_t keys[] = {PRESS_UP,
                                PRESS_DOWN,
                                PRESS_PAGE_UP,
                                PRESS_PAGE_DOWN,
                                PRESS_HOME,
                                PRESS_END,
                                PRESS_LEFT,
                                PRESS_RIGHT,
                                PRESS_ENTER,
                                PRESS_BACK,
                                PRESS_ESCAPE,
                                PRESS_TAB,
                                PRESS_BACK_TAB,
                                PRESS_CLICK,
                                PRESS_WHEEL_UP,
                                PRESS_WHEEL_DOWN,
                                PRESS_NOTHING,
                                '1',
                                '2',
                                '3',
                                '4',
                                '/',
                                'n',
                                'N',
                                's',
                                'a',
                                'd',
                                'm',
                                'e',
                                'c',
                                'C',
                                'v',
                                'y',
                                '?',
                                '<',
                                '>',
                                '+',
                                '-',
                                '*',
                                'f',
                                'g',
                                'G',
                                'h',
                                'j',
                                'k',
                                'l',
                                'b',
                                ' ',
                                'q',
                                'x',
                                '#',
                                0x15,
                                0xE9,
                                0x10FFFF};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* Views by name, and the prompt at the bottom, which also reads keys. */
static const char *const views[] = {"suspects", "tree",   "types",   "help",
                                    "objects",  "object", "process", "prompt"};

enum {
    VIEWS = sizeof(views) / sizeof(views[0]),
    ALL_HAVE = 4,
    PROMPT = VIEWS - 1,
    PROCESS = PROMPT - 1
};

static size_t view_of(const struct explore *e)
{
    size_t v = 0;
    if (e->prompt != PROMPT_NONE)
        return PROMPT;
    while (strcmp(views[v], explore_view(e)->kind->name) != 0)
        cr_assert_lt(++v, PROMPT, "a view of which this test does not know");
    return v;
}

/* --- the walk -------------------------------------------------------------------- */

/* Two of three are the keys pressed least in this view. */
static size_t next_key(struct random *r, const unsigned *pressed)
{
    size_t at = random_below(r, KEYS), least = at;
    if (random_below(r, 3) == 0)
        return at;
    for (size_t i = 0; i < KEYS; i++)
        if (pressed[(at + i) % KEYS] < pressed[least])
            least = (at + i) % KEYS;
    return least;
}

/* Searches and exports persist: files are written to the working directory. */
static void walk(struct browser *b, unsigned pressed[VIEWS][KEYS])
{
    enum { STEPS = 10000 };
    struct random r = random_from(7);
    for (int i = 0; i < STEPS; i++) {
        unsigned width = 20 + random_below(&r, 120), height = 5 + random_below(&r, 50);
        size_t view = view_of(&b->e), k = next_key(&r, pressed[view]);
        pressed[view][k]++;
        explore_press(&b->e, (struct press){keys[k], random_below(&r, width),
                                            random_below(&r, height)});
        if (random_below(&r, 2) == 0)
            settle(b);
        explore_draw(&b->e, &b->grid, width, height);
        expect_sound(&b->grid);
    }
}

static void expect_all_pressed(const struct input *in, unsigned pressed[VIEWS][KEYS])
{
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t k = 0; k < KEYS; k++)
            if (v == PROCESS ? in->make == process
                             : v < ALL_HAVE || v == PROMPT || in->has_objects)
                cr_expect_gt(pressed[v][k], 0, "%s: %s: key %zu", in->name, views[v], k);
}

/* By number: pointers are invalid in the process of a test. */
ParameterizedTestParameters(explore, bears_all_keys_in_all_views_of)
{
    static unsigned numbers[INPUTS];
    for (unsigned i = 0; i < INPUTS; i++)
        numbers[i] = i;
    return cr_make_param_array(unsigned, numbers, INPUTS);
}

ParameterizedTest(unsigned *number, explore, bears_all_keys_in_all_views_of)
{
    static unsigned pressed[VIEWS][KEYS];
    const struct input *in = &inputs[*number];
    struct scratch scratch = {0};
    struct browser b = {.count = in->count};
    scratch_open(&scratch);
    cr_assert_eq(chdir(scratch.folder), 0);
    for (uint32_t k = 0; k < in->count; k++) {
        b.snaps[k] = in->make(k);
        cr_assert_not_null(b.snaps[k], "%s", in->name);
    }
    begin(&b);
    walk(&b, pressed);
    expect_all_pressed(in, pressed);
    end(&b);
    scratch_remove(&scratch);
}
