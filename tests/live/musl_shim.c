/* Functions of glibc that Debian's libstdc++ and libgcc need, for programs with musl: so
 * .NET's runtime for Alpine runs without Alpine. Built with musl-gcc under the name of
 * glibc's loader, which libstdc++ requires. Good enough for a test only. */
#define _GNU_SOURCE
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded = 0;
unsigned __cpu_model[4];

int __cpu_indicator_init(void)
{
    return 0;
}

size_t __strftime_l(char *s, size_t size, const char *format, const struct tm *t,
                    locale_t l)
{
    return strftime_l(s, size, format, t, l);
}

unsigned arc4random(void)
{
    unsigned n = 0;
    return getrandom(&n, sizeof(n), 0) == sizeof(n) ? n : 4;
}

/* --- where to unwind ------------------------------------------------------------- */

struct dl_find_object {
    unsigned long long flags;
    void *start, *end, *map, *eh_frame;
    unsigned long long reserved[7];
};

struct wanted {
    ElfW(Addr) pc;
    struct dl_find_object *found;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct wanted *w = context;
    ElfW(Addr) low = (ElfW(Addr)) - 1, high = 0, frame = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        ElfW(Addr) begin = info->dlpi_addr + p->p_vaddr, end = begin + p->p_memsz;
        if (p->p_type == PT_LOAD && begin < low)
            low = begin;
        if (p->p_type == PT_LOAD && end > high)
            high = end;
        if (p->p_type == PT_GNU_EH_FRAME)
            frame = begin;
    }
    if (w->pc < low || w->pc >= high || frame == 0)
        return 0;
    *w->found = (struct dl_find_object){
        .start = (void *)low, .end = (void *)high, .eh_frame = (void *)frame};
    return 1;
}

int _dl_find_object(void *pc, struct dl_find_object *found)
{
    struct wanted w = {(ElfW(Addr))pc, found};
    return dl_iterate_phdr(look_at, &w) == 1 ? 0 : -1;
}

/* --- destructors of threads ------------------------------------------------------ */

struct destructor {
    void (*run)(void *object);
    void *object;
    struct destructor *next;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void run_all(void *first)
{
    for (struct destructor *d = first, *next; d != NULL; d = next) {
        next = d->next;
        d->run(d->object);
        free(d);
    }
}

static void make_key(void)
{
    pthread_key_create(&key, run_all);
}

int __cxa_thread_atexit_impl(void (*run)(void *object), void *object, void *library)
{
    struct destructor *d = malloc(sizeof(*d));
    (void)library;
    pthread_once(&once, make_key);
    if (d == NULL)
        return -1;
    *d = (struct destructor){run, object, pthread_getspecific(key)};
    return pthread_setspecific(key, d);
}
