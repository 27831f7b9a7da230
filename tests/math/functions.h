/* The functions under test as tables: what is known of each, and the compiled code of each build of them. */
#ifndef TESS_MATH_FUNCTIONS_H
#define TESS_MATH_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef enum pair_kind { NO_PAIRS, PLANE, POWER, SUM } pair_kind;

enum {
#define FUNCTION(name, ...) FN_##name,
#include "functions.def"
#undef FUNCTION
    FN_COUNT
};

typedef struct fn_info {
    const char *name;
    int         arity;
    pair_kind   pairs;
    double      bar_f32, bar_f64; /* largest error allowed, in ulp */
    double      low, high;        /* arguments of interest */
    double      least, most;      /* bounds of the result */
} fn_info;

extern const fn_info fn_infos[FN_COUNT];

/* The number of the function of this name, or -1. */
int fn_find(const char *name);

/* One function, compiled. Those of one argument ignore y. `fast` and `slow` are NULL where there is no such pair. */
typedef struct fn_f32 {
    float (*call)(float x, float y);
    void (*loop)(float *out, const float *x, const float *y, size_t n);
    void (*fast)(float *out, const float *x, size_t n);
    int (*slow)(float x);
} fn_f32;

typedef struct fn_f64 {
    double (*call)(double x, double y);
    void (*loop)(double *out, const double *x, const double *y, size_t n);
    void (*fast)(double *out, const double *x, size_t n);
    int (*slow)(double x);
} fn_f64;

typedef struct fn_build {
    fn_f32 f32[FN_COUNT];
    fn_f64 f64[FN_COUNT];
} fn_build;

/* The same file, compiled as the library is, and with -ffp-contract=fast. */
extern const fn_build fn_build_plain, fn_build_contracted;

#endif
