/* Runs every operator of support/defined.h and prints a hash of each result. C11 and C++17: all compilers and all their
 * options must print the same. */
#include <stdio.h>
#include <stdlib.h>

#include "support/defined.h"

#ifdef __cplusplus
#define NO_ARRAY                                                                                                       \
    {                                                                                                                  \
    }
#else
#define NO_ARRAY                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }
#endif

static uint64_t state = 1;

static uint32_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

/* Numbers from -50 to 50 with a few that are huge: none is NaN, whose bits are the machine's. */
static tess_c64 number(double re, double im)
{
    tess_c64 z;
    z.re = re;
    z.im = im;
    return z;
}

static tess_array numbers(tess_dtype dtype, int64_t b, int64_t h, int64_t w)
{
    tess_array a = NO_ARRAY;
    need(tess_zeros(&a, TESS_SHAPE(b, 1, h, w), dtype, tess_cpu()));
    for (int64_t i = 0; i < b; i++)
        for (int64_t j = 0; j < h; j++)
            for (int64_t k = 0; k < w; k++) {
                const double x = ((double)next_random() - 1073741824.0) / 21474836.48;
                const bool   real = dtype == TESS_F32 || dtype == TESS_F64;
                const double huge = real && next_random() % 500 == 0 ? x * 1e9 : x;
                if (tess_dtype_kind(dtype) == TESS_KIND_COMPLEX) need(tess_set_c64(&a, i, 0, j, k, number(x, -x / 2)));
                else need(tess_set_f64(&a, i, 0, j, k, real ? huge : (double)(int)(x < 0 ? -x : x)));
            }
    return a;
}

static void print_hash(const char *name, const tess_array *a)
{
    const unsigned char *bytes = (const unsigned char *)a->data;
    uint64_t             hash = 14695981039346656037u;
    for (int64_t i = 0; i < tess_n_bytes(a); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

static void show(const char *name, tess_array *a)
{
    print_hash(name, a);
    tess_release(a);
}

static void element_wise(tess_array *x, tess_array *y)
{
    tess_array z = NO_ARRAY, u = NO_ARRAY, columns = NO_ARRAY;
    need(tess_call(&fuse, x, y, 2.5f, &z));
    show("fuse", &z);
    need(tess_transpose(&columns, x));
    need(tess_call(&fuse, &columns, &columns, 2.5f, &z));
    show("fuse, transposed", &z);
    need(tess_call(&length, x, y, &z));
    show("length", &z);
    need(tess_call(&blend, x, y, &z));
    show("blend", &z);
    u = numbers(TESS_F32, 2, 9, 1234);
    need(tess_call(&awkward, x, y, &u, 4, 7u, &z));
    show("awkward", &z);
    show("awkward, inout", &u);
    tess_array v = numbers(TESS_F64, 2, 9, 1234), w = numbers(TESS_F64, 2, 9, 1234);
    need(tess_call(&trigonometric, &v, &w, &z));
    show("trigonometric", &z);
    show("trigonometric, inout", &w);
    tess_release(&v);
    tess_array pairs = numbers(TESS_F32, 1, 3, 1400), c = NO_ARRAY;
    need(tess_reinterpret(&c, &pairs, TESS_C32));
    need(tess_call(&parts, &c, &c, &z, &u));
    show("parts", &z);
    show("parts, real", &u);
    tess_array wide = NO_ARRAY;
    need(tess_cast(&wide, &c, TESS_C64, NULL));
    need(tess_call(&analytic, &c, &wide, &z, &v, &u));
    show("analytic, c32", &z);
    show("analytic, c64", &v);
    show("analytic, f32", &u);
    tess_release(&wide);
    tess_release(&pairs);
}

static void several_types(void)
{
    tess_array a = numbers(TESS_U8, 1, 3, 300), b = numbers(TESS_I16, 1, 3, 300), c = numbers(TESS_F16, 1, 3, 300);
    tess_array d = NO_ARRAY, p = NO_ARRAY, q = NO_ARRAY, r = NO_ARRAY, s = NO_ARRAY;
    need(tess_full(&d, TESS_SHAPE(1, 1, 3, 1), TESS_BOOL, tess_cpu(), 1));
    need(tess_call(&mixed, &a, &b, &c, &d, 0.3, &p, &q, &r, &s));
    show("mixed, i32", &p);
    show("mixed, f64", &q);
    show("mixed, bool", &r);
    show("mixed, f16", &s);
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&d);
}

static void index_wise(tess_array *x)
{
    tess_array z = NO_ARRAY, near = NO_ARRAY, line = NO_ARRAY, curve = NO_ARRAY, mat = NO_ARRAY;
    need(tess_zeros(&z, x->shape, TESS_F32, tess_cpu()));
    need(tess_zeros(&near, x->shape, TESS_F32, tess_cpu()));
    need(tess_zeros(&line, x->shape, TESS_F32, tess_cpu()));
    need(tess_zeros(&curve, x->shape, TESS_F32, tess_cpu()));
    need(tess_zeros(&mat, TESS_SHAPE(2, 1, 2, 3), TESS_F32, tess_cpu()));
    for (int i = 0; i < 12; i++) need(tess_set_f64(&mat, i / 6, 0, i / 3 % 2, i % 3, 0.1 + 0.37 * (i % 5)));
    need(tess_call(&zero, x, &z));
    print_hash("zero", &z);
    need(tess_call(&clamp, x, &z));
    print_hash("clamp", &z);
    need(tess_call(&warp, x, &mat, &z));
    show("warp", &z);
    need(tess_call(&between, x, 1.7f, &near, &line, &curve));
    show("nearest", &near);
    show("linear", &line);
    show("cubic", &curve);
    tess_array wide = numbers(TESS_F64, 2, 9, 7), waves = NO_ARRAY, smooth = NO_ARRAY, deep = NO_ARRAY;
    need(tess_zeros(&waves, TESS_SHAPE(2, 1, 9, 33), TESS_F32, tess_cpu()));
    need(tess_call(&windows, x, &wide, 1.7f, &waves, &smooth, &deep));
    show("lanczos", &waves);
    show("smooth", &smooth);
    show("volume", &deep);
    tess_array both = numbers(TESS_C64, 2, 9, 7), half = numbers(TESS_F16, 2, 9, 7), deeper = NO_ARRAY;
    need(tess_zeros(&waves, TESS_SHAPE(2, 1, 9, 33), TESS_F32, tess_cpu()));
    need(tess_call(&slopes, x, &both, 1.7f, &waves, &smooth, &deeper));
    show("slope", &waves);
    show("slopes", &smooth);
    show("slopes of a volume", &deeper);
    need(tess_zeros(&waves, TESS_SHAPE(2, 1, 9, 33), TESS_F32, tess_cpu()));
    need(tess_call(&beyond, x, &half, &wide, 1.7f, 0.25f, &waves, &deep));
    show("value", &waves);
    show("nothing", &deep);
    tess_array some = numbers(TESS_C32, 2, 9, 7), few = numbers(TESS_C16, 2, 9, 7), found = NO_ARRAY;
    need(tess_zeros(&found, TESS_SHAPE(2, 1, 9, 33), TESS_C32, tess_cpu()));
    need(tess_call(&spectra, &some, &both, x, &few, 1.7f, &found, &deeper, &waves));
    show("spectrum", &found);
    show("centred spectrum", &deeper);
    show("full spectrum", &waves);
    tess_release(&some);
    tess_release(&few);
    tess_release(&found);
    tess_release(&both);
    tess_release(&half);
    tess_release(&deeper);
    tess_release(&wide);
    tess_release(&mat);
    tess_array bins = NO_ARRAY;
    need(tess_zeros(&bins, TESS_SHAPE(2, 1, 1, 60), TESS_I32, tess_cpu()));
    need(tess_call(&histogram, x, -10.0f, 0.7f, &bins));
    show("histogram", &bins);
}

static void reductions(tess_array *x, tess_array *y)
{
    tess_array sum = NO_ARRAY, most = NO_ARRAY, mask = numbers(TESS_U8, 2, 9, 1234);
    need(tess_call(&squares, x, y, &sum));
    show("squares", &sum);
    need(tess_zeros(&sum, TESS_SHAPE(2, 1, 1, 1234), TESS_F32, tess_cpu()));
    need(tess_call(&cosines, x, &sum));
    show("cosines", &sum);
    need(tess_call(&masked, x, &mask, &sum, &most));
    show("masked sum", &sum);
    show("masked maximum", &most);
    need(tess_call(&moments, x, &sum, &most));
    show("mean", &sum);
    show("variance", &most);
    tess_release(&mask);
}

int main(void)
{
    tess_array x = numbers(TESS_F32, 2, 9, 1234), y = numbers(TESS_F32, 2, 9, 1234);
    element_wise(&x, &y);
    several_types();
    index_wise(&x);
    reductions(&x, &y);
    tess_release(&x);
    tess_release(&y);
    return 0;
}
