#include "fuzz/meter.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* For builds with sanitizers, which need about three times as long. */
#define MAX_NS INT64_C(1000000000)

static atomic_llong held;  /* bytes, since meter_begin() */
static atomic_bool counts; /* whether allocations count now */
static uint64_t most;
static int64_t began, left_out;

uint64_t meter_limit(size_t size)
{
    return (UINT64_C(64) << 20) + 100 * (uint64_t)size;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#ifdef METER_HAS_HOOKS
/* From the run-time libraries of both compilers; only one of them has a header for it. */
int __sanitizer_install_malloc_and_free_hooks(void (*took)(const volatile void *at,
                                                           size_t size),
                                              void (*gave_back)(const volatile void *at));
size_t __sanitizer_get_allocated_size(const volatile void *at);

static void took(const volatile void *at, size_t size)
{
    (void)at;
    long long all = atomic_fetch_add(&held, (long long)size) + (long long)size;
    if (!atomic_load(&counts) || all <= 0 || (uint64_t)all <= most)
        return;
    atomic_store(&counts, false);
    fprintf(stderr, "meter: %lld bytes of memory are held, %" PRIu64 " are allowed\n", all,
            most);
    abort();
}

static void gave_back(const volatile void *at)
{
    if (at != NULL)
        atomic_fetch_sub(&held, (long long)__sanitizer_get_allocated_size(at));
}

static void watch_memory(void)
{
    static bool watches;
    if (!watches)
        __sanitizer_install_malloc_and_free_hooks(took, gave_back);
    watches = true;
}
#else
/* Not available in other builds. */
static void watch_memory(void)
{
}
#endif

void meter_begin(size_t size)
{
    watch_memory();
    most = meter_limit(size);
    atomic_store(&held, 0);
    left_out = 0;
    began = now();
    atomic_store(&counts, true);
}

void meter_pause(void)
{
    atomic_store(&counts, false);
    left_out -= now();
}

void meter_go_on(void)
{
    left_out += now();
    atomic_store(&counts, true);
}

void meter_end(void)
{
    atomic_store(&counts, false);
    int64_t took_ns = now() - began - left_out;
    if (took_ns <= MAX_NS)
        return;
    fprintf(stderr, "meter: %.2f s of the processor, 1 s is allowed\n",
            (double)took_ns / 1e9);
    abort();
}
