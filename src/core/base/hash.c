#include "base/hash.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* In a sandbox without /dev, seed with the clock and addresses. */
static void choose_seed(void)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &seed, sizeof(seed)) != (ssize_t)sizeof(seed)) {
        struct timespec t = {0};
        clock_gettime(CLOCK_REALTIME, &t);
        uint64_t parts[] = {(uint64_t)t.tv_sec, (uint64_t)t.tv_nsec, (uint64_t)getpid(),
                            (uint64_t)(uintptr_t)&t, (uint64_t)(uintptr_t)&seed};
        seed = XXH3_64bits(parts, sizeof(parts));
    }
    if (fd >= 0)
        close(fd);
}

uint64_t hash_seed(void)
{
    pthread_once(&once, choose_seed);
    return seed;
}
