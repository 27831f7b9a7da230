/* What is known of each function under test. */
#include "functions.h"

#include <math.h>
#include <string.h>

/* Bounds are checked in double precision; pi / 2 as the largest float below it is further in. */
#define HALF_PI 0x1.921fb6p0

const fn_info fn_infos[FN_COUNT] = {
#define FUNCTION(name, arity, pairs, bar_f32, bar_f64, truth, low, high, least, most)                                  \
    { #name, arity, pairs, bar_f32, bar_f64, low, high, least, most },
#include "functions.def"
#undef FUNCTION
};

int fn_find(const char *name)
{
    for (int i = 0; i < FN_COUNT; i++)
        if (strcmp(fn_infos[i].name, name) == 0) return i;
    return -1;
}
