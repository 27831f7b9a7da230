/* Operators of your own: from text, and compiled with the program. One definition runs on arrays of any shape and
 * stride. */
#include <stdio.h>

#include "tessera.h"

/* Compiled: as fast as a loop written by hand. */
TESS_EWISE(my_hypot, (in(f32, x), in(f32, y), out(f32, z)), z = tessm_sqrt(x * x + y * y);)

/* Values that belong together are a struct. */
TESS_STRUCT(plane, (f32 offset, f32 slope[2]))
TESS_IWISE(flatten, (in(f32, x), val(plane, p), out(f32, z)),
           z = x - (p.offset + p.slope[0] * (f32)h + p.slope[1] * (f32)w);)

static tess_status make(tess_op **op, const char *text)
{
    TESS_TRY(tess_op_text(op, text));
    printf("%s\n", tess_op_source(*op));
    return TESS_OK;
}

static tess_status show(const char *name, const tess_array *a)
{
    char text[1024];
    TESS_TRY(tess_format(text, sizeof text, NULL, a, NULL));
    printf("%s = %s\n\n", name, text);
    return TESS_OK;
}

/* Two inputs, a number and a function in one pass. */
static tess_status fuse(tess_array *x, tess_array *y)
{
    tess_op   *f = NULL;
    tess_array z = { 0 };
    TESS_TRY(make(&f, "op fuse(in f32 x, in f32 y, val f32 a, out f32 z) { z = a*x + cos(y); }"));
    TESS_TRY(tess_call(f, x, y, 2.0f, &z)); /* z is made, with the common shape */
    TESS_TRY(show("fuse", &z));
    TESS_TRY(tess_call(&my_hypot, x, y, &z));
    TESS_TRY(show("hypot", &z));
    tess_op_release(f);
    tess_release(&z);
    return TESS_OK;
}

/* What is left of a tilted background. */
static tess_status level(tess_array *x)
{
    const plane tilt = { .offset = 1, .slope = { 4, 1 } };
    tess_array  z = { 0 };
    TESS_TRY(tess_call(&flatten, x, tess_struct(plane, &tilt), &z));
    TESS_TRY(show("without the tilt", &z));
    tess_release(&z);
    return TESS_OK;
}

/* Each image by its own mean and standard deviation: outputs of size 1 say what is reduced. */
static tess_status normalise(tess_array *x)
{
    tess_op   *mean_std = NULL, *norm = NULL;
    tess_array m = { 0 }, s = { 0 }, y = { 0 };
    TESS_TRY(make(&mean_std, "op mean_std(in f32 x, acc sum f64 s, acc sum f64 q, out f32 mean, out f32 sd) {"
                             "  f64 v = x; s += v; q += v*v;"
                             "} post {"
                             "  f64 m = s / count; mean = (f32)m; sd = (f32)sqrt(max(q/count - m*m, (f64)0)); }"));
    TESS_TRY(make(&norm, "op norm(in f32 x, in f32 mean, in f32 sd, out f32 y) { y = sd > 0 ? (x - mean) / sd : 0; }"));
    TESS_TRY(tess_empty(&m, TESS_SHAPE(x->shape.b, 1, 1, 1), TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&s, m.shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_call(mean_std, x, &m, &s));
    TESS_TRY(tess_call(norm, x, &m, &s, &y)); /* m and s are broadcast */
    TESS_TRY(show("mean", &m));
    TESS_TRY(show("normalised", &y));
    tess_op_release(mean_std);
    tess_op_release(norm);
    tess_release(&m);
    tess_release(&s);
    tess_release(&y);
    return TESS_OK;
}

/* Two accumulators, to numbers of the program. */
static tess_status masked(tess_array *x)
{
    tess_op   *stats = NULL;
    tess_array mask = { 0 };
    double     sum = 0;
    float      largest = 0;
    TESS_TRY(make(&stats, "op stats(in f32 x, in u8 m, acc sum f64 s, acc max f32 mx, out f64 sum, out f32 largest) {"
                          "  if (m != 0) { s += x; mx = max(mx, x); } }"));
    TESS_TRY(tess_zeros(&mask, x->shape, TESS_U8, tess_cpu()));
    TESS_TRY(tess_set_i64(&mask, 0, 0, 1, 1, 1));
    TESS_TRY(tess_set_i64(&mask, 1, 0, 0, 2, 1));
    TESS_TRY(tess_call(stats, x, &mask, &sum, &largest)); /* waits for the result */
    printf("masked: sum %g, largest %g\n\n", sum, (double)largest);
    tess_op_release(stats);
    tess_release(&mask);
    return TESS_OK;
}

/* Adds values at positions that the operator computes. */
static tess_status histogram(tess_array *x)
{
    tess_op   *hist = NULL;
    tess_array bins = { 0 };
    TESS_TRY(make(&hist, "op hist(in f32 x, val f32 lo, val f32 inv, scatter i32 bins) {"
                         "  i64 k = clamp((i64)floor((x - lo)*inv), 0, shape(bins,3) - 1);"
                         "  bins[b,0,0,k] += 1; }"));
    TESS_TRY(tess_zeros(&bins, TESS_SHAPE(x->shape.b, 1, 1, 4), TESS_I32, tess_cpu()));
    TESS_TRY(tess_call(hist, x, 0, 0.25, &bins));
    TESS_TRY(show("histogram of each image", &bins));
    tess_op_release(hist);
    tess_release(&bins);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array x = { 0 }, y = { 0 };
    tess_op   *wrong = NULL;
    TESS_TRY(tess_arange(&x, TESS_SHAPE(2, 1, 2, 4), TESS_F32, tess_cpu(), 0, 1));
    TESS_TRY(tess_full(&y, TESS_SHAPE(1, 1, 1, 4), TESS_F32, tess_cpu(), 2));
    TESS_TRY(fuse(&x, &y));
    TESS_TRY(level(&x));
    TESS_TRY(normalise(&x));
    TESS_TRY(masked(&x));
    TESS_TRY(histogram(&x));
    if (tess_op_text(&wrong, "op fuse(in f32 a, in f32 b, out f32 c) { c = a*2 + coz(b); }") != TESS_OK)
        puts(tess_error_message()); /* what is wrong, where, and what would be right */
    tess_release(&x);
    tess_release(&y);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
