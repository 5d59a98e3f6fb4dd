/* Implements hash.h, with the random numbers of Windows. */
#define _CRT_RAND_S
#include <stdlib.h>

#include "base/hash.h"

#include <pthread.h>

static uint64_t seed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_seed(void)
{
    unsigned low = 0, high = 0;
    rand_s(&low);
    rand_s(&high);
    seed = (uint64_t)high << 32 | low;
}

uint64_t hash_seed(void)
{
    pthread_once(&once, choose_seed);
    return seed;
}
