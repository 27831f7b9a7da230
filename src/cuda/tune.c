/* For measurements. */
#include "cuda/tune.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static tess__cuda_tune tune = { .bytes = 64, .threads = 256, .cache = 0, .order = 0, .tile_cache = 0 };
static pthread_once_t  once = PTHREAD_ONCE_INIT;

static void read_tune(void)
{
    const char *text = getenv("TESS_TUNE_EWISE");
    if (text)
        (void)sscanf(text, "%d,%d,%d,%d,%d", &tune.bytes, &tune.threads, &tune.cache, &tune.order, &tune.tile_cache);
}

const tess__cuda_tune *tess__cuda_tuned(void)
{
    (void)pthread_once(&once, read_tune);
    return &tune;
}
