#include "heap/process_facts.h"

#include "base/say.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool is_count;
} facts_table[] = {
    [HD_FACT_RESIDENT] = {"resident", false},
    [HD_FACT_PRIVATE] = {"private", false},
    [HD_FACT_FILES] = {"files", false},
    [HD_FACT_SHARED] = {"shared", false},
    [HD_FACT_SWAPPED] = {"swapped", false},
    [HD_FACT_LIMIT] = {"limit", false},
    [HD_FACT_USED] = {"limit_used", false},
    [HD_FACT_OF_GC] = {"of_gc", false},
    [HD_FACT_OF_ARENAS] = {"of_arenas", false},
    [HD_FACT_OF_BRK] = {"of_brk", false},
    [HD_FACT_OF_STACKS] = {"of_stacks", false},
    [HD_FACT_OF_CODE] = {"of_code", false},
    [HD_FACT_OF_FILES] = {"of_files", false},
    [HD_FACT_OF_SHARED] = {"of_shared", false},
    [HD_FACT_OF_LARGE] = {"of_large", false},
    [HD_FACT_OF_SMALL] = {"of_small", false},
    [HD_FACT_GC_COMMITTED] = {"gc_committed", false},
    [HD_FACT_GC_FREE] = {"gc_free", false},
    [HD_FACT_FRAGMENTED] = {"fragmented", false},
    [HD_FACT_FREE_GEN0] = {"fragmented_gen0", false},
    [HD_FACT_FREE_GEN1] = {"fragmented_gen1", false},
    [HD_FACT_FREE_GEN2] = {"fragmented_gen2", false},
    [HD_FACT_FREE_LOH] = {"fragmented_loh", false},
    [HD_FACT_FREE_POH] = {"fragmented_poh", false},
    [HD_FACT_LARGEST_FREE] = {"largest_free", false},
    [HD_FACT_FREE_BLOCKS] = {"free_blocks", true},
    [HD_FACT_GC_HEAPS] = {"gc_heaps", true},
    [HD_FACT_PINNED] = {"pinned_objects", true},
    [HD_FACT_THREADS] = {"threads", true},
    [HD_FACT_SOCKETS] = {"sockets", true},
    [HD_FACT_REGULAR] = {"open_files", true},
    [HD_FACT_PIPES] = {"pipes", true},
    [HD_FACT_OTHERS] = {"other_handles", true},
    [HD_FACT_MAPPINGS] = {"mappings", true},
    [HD_FACT_UPTIME] = {"uptime_seconds", true},
    [HD_FACT_GC_PAUSE] = {"gc_pause_ppm", true},
    [HD_FACT_SINCE_GEN2] = {"since_gen2_seconds", true},
};
_Static_assert(HD_FACT_COUNT <= 64, "known has a bit for each");

uint64_t hd_fact(const struct hd_process_facts *facts, enum hd_fact fact)
{
    return facts->known >> fact & 1 ? facts->at[fact] : HD_UNKNOWN;
}

const char *hd_fact_name(enum hd_fact fact)
{
    return fact < HD_FACT_COUNT ? facts_table[fact].name : NULL;
}

bool hd_fact_is_count(enum hd_fact fact)
{
    return fact < HD_FACT_COUNT && facts_table[fact].is_count;
}

void hd_fact_set(struct hd_process_facts *facts, enum hd_fact fact, uint64_t value)
{
    if (value == HD_UNKNOWN)
        return;
    facts->known |= (uint64_t)1 << fact;
    facts->at[fact] = value;
}

/* The sum of known numbers, HD_UNKNOWN - 1 at most. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return b < HD_UNKNOWN - 1 - a ? a + b : HD_UNKNOWN - 1;
}

/* a if either is unknown. */
static uint64_t sum_of_known(uint64_t a, uint64_t b)
{
    return a == HD_UNKNOWN || b == HD_UNKNOWN ? a : sum_of(a, b);
}

uint64_t process_facts_size(const struct hd_process_facts *facts)
{
    return sum_of_known(hd_fact(facts, HD_FACT_RESIDENT), hd_fact(facts, HD_FACT_SWAPPED));
}

void process_facts_add(struct hd_process_facts *facts, const struct hd_process_facts *more)
{
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        if (hd_fact(facts, f) == HD_UNKNOWN)
            hd_fact_set(facts, f, hd_fact(more, f));
    if (facts->threads[0].name[0] == '\0')
        memcpy(facts->threads, more->threads, sizeof(facts->threads));
}

void process_facts_sum(struct hd_process_facts *facts, const struct hd_process_facts *more)
{
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++) {
        uint64_t n = hd_fact(more, f), before = hd_fact(facts, f);
        hd_fact_set(facts, f, before == HD_UNKNOWN ? n : sum_of_known(before, n));
    }
}

/* --- threads by name ------------------------------------------------------------- */

enum { THREAD_NAME = sizeof(((struct hd_process_facts *)NULL)->threads[0].name) };

/* True if the rest of a name may be the begin of a character that the kernel cut. */
static bool is_cut_character(const unsigned char *at, size_t left)
{
    if (left > 3 || *at < 0xC0 || *at >= 0xF8)
        return false;
    for (size_t i = 1; i < left; i++)
        if (at[i] < 0x80 || at[i] >= 0xC0)
            return false;
    return true;
}

/* Copies the first whole characters of a name; other bytes become '?'. */
static void copy_thread_name(char to[THREAD_NAME], const char *name)
{
    const unsigned char *at = (const unsigned char *)name;
    size_t left = strlen(name), len = 0;
    while (left > 0) {
        size_t valid = utf8_length(at, left), size = valid > 0 ? valid : 1;
        if (len + size >= THREAD_NAME || (valid == 0 && is_cut_character(at, left)))
            break;
        memcpy(to + len, valid > 0 ? (const char *)at : "?", size);
        len += size;
        at += size;
        left -= size;
    }
    to[len] = '\0';
}

void thread_tally_add(struct thread_tally *t, const char *name)
{
    char copy[THREAD_NAME];
    size_t i = 0;
    copy_thread_name(copy, name);
    while (i < t->count && strcmp(t->all[i].name, copy) != 0)
        i++;
    if (i == sizeof(t->all) / sizeof(*t->all) || copy[0] == '\0')
        return;
    if (i == t->count)
        memcpy(t->all[t->count++].name, copy, sizeof(copy));
    t->all[i].count++;
}

static int by_frequency(const void *a, const void *b)
{
    const struct thread_name *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

void thread_tally_put(struct thread_tally *t, struct hd_process_facts *facts)
{
    if (t->count > 0)
        qsort(t->all, t->count, sizeof(*t->all), by_frequency);
    for (size_t i = 0; i < t->count && i < HD_MAX_THREAD_NAMES; i++) {
        memcpy(facts->threads[i].name, t->all[i].name, sizeof(t->all[i].name));
        facts->threads[i].count = t->all[i].count;
    }
}

/* --- parts --------------------------------------------------------------------- */

const char *hd_process_part_name(enum hd_process_part part)
{
    static const char *const names[] = {
        [HD_PART_OBJECTS] = "objects", [HD_PART_FREE] = "free",
        [HD_PART_GC] = "collector",    [HD_PART_CODE] = "code",
        [HD_PART_STACKS] = "stacks",   [HD_PART_FILES] = "files",
        [HD_PART_NATIVE] = "native"};
    return part < HD_PART_COUNT ? names[part] : NULL;
}

/* Subtracts n, but at most *left, from *left. Returns the amount; HD_UNKNOWN if n is. */
static uint64_t take(uint64_t *left, uint64_t n)
{
    if (n == HD_UNKNOWN)
        return n;
    n = n < *left ? n : *left;
    *left -= n;
    return n;
}

/* Parts that were measured at another time than the size, or are committed but not
 * resident, may exceed the total: each part in turn is cut to the remainder. */
uint64_t hd_process_parts(const struct hd_process_facts *facts, uint64_t objects,
                          uint64_t parts[HD_PART_COUNT])
{
    uint64_t size = process_facts_size(facts), of_gc = hd_fact(facts, HD_FACT_OF_GC);
    uint64_t left = size, unused = hd_fact(facts, HD_FACT_FRAGMENTED);
    for (int p = 0; p < HD_PART_COUNT; p++)
        parts[p] = HD_UNKNOWN;
    if (size == HD_UNKNOWN)
        return size;
    uint64_t committed = hd_fact(facts, HD_FACT_GC_COMMITTED);
    /* Committed memory is mostly resident: less than a quarter means that another range was
     * classified as the collector's; more, that blocks next to its range were. */
    if (committed != HD_UNKNOWN &&
        (of_gc == HD_UNKNOWN || of_gc < committed / 4 || of_gc > committed))
        of_gc = committed;
    uint64_t of_heap = of_gc != HD_UNKNOWN ? of_gc : size;
    parts[HD_PART_CODE] = take(&left, hd_fact(facts, HD_FACT_OF_CODE));
    parts[HD_PART_STACKS] = take(&left, hd_fact(facts, HD_FACT_OF_STACKS));
    parts[HD_PART_FILES] = take(&left, sum_of_known(hd_fact(facts, HD_FACT_OF_FILES),
                                                    hd_fact(facts, HD_FACT_OF_SHARED)));
    of_heap = take(&left, of_heap);
    parts[HD_PART_NATIVE] = left;
    parts[HD_PART_OBJECTS] = take(&of_heap, objects);
    parts[HD_PART_FREE] = take(&of_heap, unused);
    if (of_gc != HD_UNKNOWN)
        parts[HD_PART_GC] = of_heap;
    else
        parts[HD_PART_NATIVE] += of_heap;
    return size;
}

/* --- as text ------------------------------------------------------------------ */

static const char thread_key[] = "thread";

void process_facts_put(const struct hd_process_facts *facts, struct text *to)
{
    const char *between = "";
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++) {
        if (hd_fact(facts, f) == HD_UNKNOWN)
            continue;
        say(to, between, hd_fact_name(f), "=", as_digits(facts->at[f]));
        between = " ";
    }
    for (size_t i = 0; i < HD_MAX_THREAD_NAMES && facts->threads[i].name[0] != '\0'; i++) {
        say(to, between, thread_key, "=", as_digits(facts->threads[i].count), ":");
        text_add_word(to, facts->threads[i].name);
        between = " ";
    }
}

/* Index of the name, or of the next free entry; HD_MAX_THREAD_NAMES if full. */
static size_t thread_index(const struct hd_process_facts *facts, const char *name)
{
    size_t i = 0;
    while (i < HD_MAX_THREAD_NAMES && facts->threads[i].name[0] != '\0' &&
           strcmp(facts->threads[i].name, name) != 0)
        i++;
    return i;
}

/* "3:.NET%20TP%20Worker"; the rest of a name that is too long is cut. */
static void parse_thread(struct hd_process_facts *facts, const char *at, const char *end)
{
    char *after, name[sizeof(facts->threads[0].name)] = "";
    unsigned long long count = strtoull(at, &after, 10);
    if (count == 0 || count > UINT32_MAX || after >= end || *after != ':' ||
        after + 1 == end)
        return;
    at = after + 1;
    for (size_t len = 0; at < end && len < sizeof(name) - 1; len++)
        name[len] = text_take_char(&at, end);
    size_t i = thread_index(facts, name);
    if (i == HD_MAX_THREAD_NAMES || facts->threads[i].count != 0)
        return;
    facts->threads[i].count = (uint32_t)count;
    memcpy(facts->threads[i].name, name, sizeof(name));
}

static bool key_is(const char *key, const char *at, size_t len)
{
    return strlen(key) == len && memcmp(key, at, len) == 0;
}

static void parse_fact(struct hd_process_facts *facts, const char *at, const char *end)
{
    const char *is = memchr(at, '=', (size_t)(end - at));
    if (is == NULL || is + 1 == end || !isdigit((unsigned char)is[1]))
        return;
    size_t len = (size_t)(is - at);
    if (key_is(thread_key, at, len)) {
        parse_thread(facts, is + 1, end);
        return;
    }
    char *after;
    uint64_t value = strtoull(is + 1, &after, 10); /* HD_UNKNOWN on overflow */
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        if (after == end && key_is(hd_fact_name(f), at, len) &&
            hd_fact(facts, f) == HD_UNKNOWN)
            hd_fact_set(facts, f, value);
}

void process_facts_parse(struct hd_process_facts *facts, const char *line, size_t len)
{
    char copy[MAX_PROCESS_LINE + 1]; /* ends in a NUL, where numbers end */
    struct hd_process_facts more = {0};
    if (len == 0 || len > MAX_PROCESS_LINE)
        return;
    memcpy(copy, line, len);
    copy[len] = '\0';
    for (const char *at = copy; *at != '\0';) {
        size_t part = strcspn(at, " ");
        parse_fact(&more, at, at + part);
        at += part + strspn(at + part, " ");
    }
    process_facts_add(facts, &more);
}
