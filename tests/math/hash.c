/* The same bits from every build: single calls, vectorised loops, contraction by the compiler, other machines. */
#include "hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "functions.h"
#include "inputs.h"

enum { BLOCK = 1024 };

static inputs_f32 hard_f32;
static inputs_f64 hard_f64;

void hash_begin(void)
{
    inputs_make_f32(&hard_f32, NULL, 0);
    inputs_make_f64(&hard_f64, NULL, 0);
}

void hash_end(void)
{
    inputs_free(hard_f32.at);
    inputs_free(hard_f64.at);
}

static void add(uint64_t *hash, uint64_t bits)
{
    *hash = (*hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
}

#define T float
#define BITS uint32_t
#define SUFFIX f32
#include "hash.c.inc"

#define T double
#define BITS uint64_t
#define SUFFIX f64
#include "hash.c.inc"
