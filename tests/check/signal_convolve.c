/* Convolution, rank filters, footprints and means against naive loops, on every instruction set: any layout of all
 * arrays, every border, any number of threads, nothing written outside the output. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/signal.h"

static const char *isa_now;

/* Runs cases once per instruction set of this processor. */
static void on_each_isa(void (*cases)(void))
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        isa_now = isa->name;
        cases();
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

static layout random_layout(bool output)
{
    return (layout)test_random_in(0, (output ? n_output_layouts : n_layouts) - 1);
}

static bool next_position(int64_t position[4], tess_shape shape)
{
    for (int k = 3; k >= 0; k--) {
        if (++position[k] < shape.dim[k]) return true;
        position[k] = 0;
    }
    return false;
}

/* Of arrays that have elements. */
#define EACH_POSITION(position, shape)                                                                                 \
    int64_t position[4] = { 0 };                                                                                       \
    for (bool more_ = true; more_; more_ = next_position(position, shape))

static int64_t odd(int64_t most) { return 2 * test_random_in(0, most) + 1; }

static tess_shape random_shape(void)
{
    return TESS_SHAPE(test_random_in(1, 2), test_random() % 2 ? 1 : test_random_in(1, 5), test_random_in(1, 20),
                      test_random() % 5 ? test_random_in(1, 40) : test_random_in(100, 300));
}

/* The element of `in` for a position that may lie outside: NULL is what is outside. */
static const unsigned char *element_for(const tess_array *in, const int64_t position[4], int border)
{
    int64_t at[4] = { position[0] };
    for (int k = 1; k < 4; k++) {
        at[k] = tess_border_index((tess_border)border, position[k], in->shape.dim[k]);
        if (at[k] < 0) return NULL;
    }
    return element_at(in, at);
}

/* Does the window around a result lie inside? */
static bool is_inside(tess_shape shape, const int64_t position[4], const int64_t size[3])
{
    for (int k = 0; k < 3; k++)
        if (position[k + 1] < size[k] / 2 || position[k + 1] + size[k] / 2 >= shape.dim[k + 1]) return false;
    return true;
}

/* ---- Convolution ---- */

/* Elements of one dtype, f32, f64 or c32, with or without a complex filter. */
typedef struct convolve_case {
    tess_dtype dtype, filter_dtype;
    int        border;
    bool       correlate;
    int64_t    size[3];
    guarded    in, out, filter;
    char       what[200];
} convolve_case;

static void set_numbers(const tess_array *a)
{
    const bool wide = tess_dtype_real(a->dtype) == TESS_F64;
    EACH_POSITION(position, a->shape)
    {
        unsigned char *at = element_at(a, position);
        for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
            const double x = (double)test_random_in(-1000000, 1000000) / 65536.0 + 0.1;
            const float  y = (float)x;
            if (wide) memcpy(at + 8 * i, &x, 8);
            else memcpy(at + 4 * i, &y, 4);
        }
    }
}

static double part_of(const unsigned char *element, tess_dtype dtype, int part)
{
    float  y;
    double x;
    if (!element) return part ? 0 : 2.5;
    if (part >= tess_dtype_reals(dtype)) return 0;
    if (tess_dtype_real(dtype) == TESS_F64) return memcpy(&x, element + 8 * part, 8), x;
    return memcpy(&y, element + 4 * part, 4), (double)y;
}

static double fused(double x, double y, double sum, bool wide)
{
    return wide ? fma(x, y, sum) : (double)fmaf((float)x, (float)y, (float)sum);
}

/* The chain of fused operations that the header promises. */
static void naive_sum(const convolve_case *c, const int64_t position[4], double sums[2])
{
    const tess_array *in = &c->in.view, *filter = &c->filter.view;
    const bool        wide = tess_dtype_real(c->dtype) == TESS_F64;
    const bool        complex_filter = tess_dtype_kind(c->filter_dtype) == TESS_KIND_COMPLEX;
    EACH_POSITION(k, filter->shape)
    {
        int64_t from[4] = { position[0] }, at[4] = { 0 };
        for (int d = 1; d < 4; d++) {
            from[d] = position[d] + k[d] - c->size[d - 1] / 2;
            at[d] = c->correlate ? k[d] : c->size[d - 1] - 1 - k[d];
        }
        const unsigned char *x = element_for(in, from, c->border), *w = element_at(filter, at);
        const bool           zero = !x && c->border == TESS_BORDER_ZERO;
        const double         re = zero ? 0 : part_of(x, c->dtype, 0), im = zero ? 0 : part_of(x, c->dtype, 1);
        const double         a = part_of(w, c->filter_dtype, 0), b = part_of(w, c->filter_dtype, 1);
        sums[0] = fused(a, re, sums[0], wide);
        sums[1] = fused(a, im, sums[1], wide);
        if (!complex_filter) continue;
        sums[0] = fused(-b, im, sums[0], wide);
        sums[1] = fused(b, re, sums[1], wide);
    }
}

static void check_sums(const convolve_case *c)
{
    guarded           before;
    const tess_array *out = &c->out.view;
    guarded_make(&before, layout_contiguous, out->shape, out->dtype);
    CHECK_OK(tess_copy(&before.view, out));
    const tess_convolve_opts o = { .border = c->border,
                                   .correlate = c->correlate,
                                   .method = TESS_CONVOLVE_DIRECT,
                                   .value = c->border == TESS_BORDER_VALUE ? 2.5 : 0 };
    tess_array               view = *out;
    CHECK_OK(tess_convolve(&view, &c->in.view, &c->filter.view, &o));
    EACH_POSITION(position, out->shape)
    {
        double     sums[2] = { 0, 0 };
        const bool written = c->border != TESS_BORDER_NOTHING || is_inside(out->shape, position, c->size);
        bool       right = true;
        if (written) naive_sum(c, position, sums);
        for (int part = 0; part < tess_dtype_reals(out->dtype); part++)
            right = right && part_of(element_at(out, position), out->dtype, part) ==
                                 (written ? sums[part] : part_of(element_at(&before.view, position), out->dtype, part));
        if (right) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)position[0], (int)position[1],
                          (int)position[2], (int)position[3]);
        break;
    }
    (void)guarded_check(&c->out, c->what);
    guarded_free(&before);
}

static void convolve_case_of(tess_dtype dtype, tess_dtype filter_dtype, int border)
{
    convolve_case    c = { .dtype = dtype, .filter_dtype = filter_dtype, .border = border };
    const tess_shape shape = random_shape();
    c.correlate = test_random() % 2;
    c.size[0] = shape.d > 1 ? odd(1) : 1;
    c.size[1] = shape.d > 1 || shape.h > 1 ? odd(3) : 1;
    c.size[2] = odd(4);
    guarded_make(&c.in, random_layout(false), shape, dtype);
    guarded_make(&c.out, random_layout(true), shape, dtype);
    guarded_make(&c.filter, random_layout(true), TESS_SHAPE(1, c.size[0], c.size[1], c.size[2]), filter_dtype);
    snprintf(c.what, sizeof c.what, "%s: %s by %s {%d,%d,%d,%d} window %d %d %d border %d", isa_now,
             tess_dtype_name(dtype), tess_dtype_name(filter_dtype), (int)shape.b, (int)shape.d, (int)shape.h,
             (int)shape.w, (int)c.size[0], (int)c.size[1], (int)c.size[2], border);
    set_numbers(&c.in.view);
    set_numbers(&c.out.view);
    set_numbers(&c.filter.view);
    guarded_snapshot(&c.out);
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    if (test_wants_case(c.what)) check_sums(&c);
    guarded_free(&c.in);
    guarded_free(&c.out);
    guarded_free(&c.filter);
}

static void convolve_cases(void)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++)
        for (int i = 0; i < 4; i++) {
            convolve_case_of(TESS_F32, TESS_F32, border);
            convolve_case_of(TESS_F64, TESS_F64, border);
            convolve_case_of(TESS_C32, TESS_F32, border);
            convolve_case_of(TESS_C64, TESS_C64, border);
        }
}

TEST(convolve_by_a_chain_of_fused_operations) { on_each_isa(convolve_cases); }

/* ---- Separable convolution ---- */

typedef struct separable_case {
    int               border;
    guarded           in, out, filter[3];
    const tess_array *filters[3];
    int64_t           size[3];
    char              what[100];
} separable_case;

/* One pass along an axis, from `in` to `out`, both contiguous. */
static void naive_pass(const tess_array *out, const tess_array *in, const separable_case *c, int axis)
{
    EACH_POSITION(position, out->shape)
    {
        float sum = 0, x, w;
        for (int64_t k = 0; k < c->size[axis]; k++) {
            int64_t       from[4] = { position[0], position[1], position[2], position[3] };
            const int64_t at[4] = { 0, 0, 0, c->size[axis] - 1 - k };
            from[axis + 1] += k - c->size[axis] / 2;
            const unsigned char *element = element_for(in, from, c->border);
            x = c->border == TESS_BORDER_VALUE ? 2.5F : 0;
            if (element) memcpy(&x, element, 4);
            memcpy(&w, element_at(c->filters[axis], at), 4);
            sum = fmaf(w, x, sum);
        }
        memcpy(element_at(out, position), &sum, 4);
    }
}

static void check_separable(separable_case *c)
{
    const tess_separable_opts o = { .border = c->border, .value = c->border == TESS_BORDER_VALUE ? 2.5 : 0 };
    const tess_shape          shape = c->in.view.shape;
    tess_array                passes[2] = { { .data = NULL } };
    int                       last = 0;
    CHECK_OK(tess_copy(&passes[0], &c->in.view));
    CHECK_OK(tess_empty(&passes[1], shape, TESS_F32, tess_cpu()));
    for (int axis = 2; axis >= 0; axis--)
        if (c->filters[axis]) naive_pass(&passes[1 - last], &passes[last], c, axis), last = 1 - last;
    CHECK_OK(tess_convolve_separable(&c->out.view, &c->in.view, c->filters[0], c->filters[1], c->filters[2], &o));
    EACH_POSITION(position, shape)
    {
        if (c->border == TESS_BORDER_NOTHING && !is_inside(shape, position, c->size)) continue;
        if (memcmp(element_at(&c->out.view, position), element_at(&passes[last], position), 4) == 0) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: wrong", c->what);
        break;
    }
    (void)guarded_check(&c->out, c->what);
    tess_release(&passes[0]);
    tess_release(&passes[1]);
}

static void separable_cases(void)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++)
        for (int used = 1; used < 8; used++) {
            separable_case   c = { .border = border };
            const tess_shape shape = random_shape();
            guarded_make(&c.in, random_layout(false), shape, TESS_F32);
            guarded_make(&c.out, random_layout(true), shape, TESS_F32);
            set_numbers(&c.in.view);
            set_numbers(&c.out.view);
            guarded_snapshot(&c.out);
            for (int k = 0; k < 3; k++) {
                guarded_make(&c.filter[k], random_layout(true), TESS_SHAPE(1, 1, 1, odd(3)), TESS_F32);
                set_numbers(&c.filter[k].view);
                c.filters[k] = used & 1 << k ? &c.filter[k].view : NULL;
                c.size[k] = c.filters[k] ? c.filters[k]->shape.w : 1;
            }
            snprintf(c.what, sizeof c.what, "%s: separable, axes %d, border %d", isa_now, used, border);
            CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
            if (test_wants_case(c.what)) check_separable(&c);
            for (int k = 0; k < 3; k++) guarded_free(&c.filter[k]);
            guarded_free(&c.in);
            guarded_free(&c.out);
        }
}

TEST(convolve_along_one_axis_after_the_other) { on_each_isa(separable_cases); }

/* ---- Ranks ---- */

/* A number that compares as the element does; all NaNs are one, the largest. */
static uint64_t sortable(const unsigned char *element, tess_dtype dtype)
{
    const size_t    size = tess_dtype_size(dtype);
    const tess_kind kind = tess_dtype_kind(dtype);
    const uint64_t  sign = (uint64_t)1 << (8 * size - 1);
    uint64_t        bits = 0;
    memcpy(&bits, element, size);
    if (kind == TESS_KIND_BOOL) return bits != 0;
    if (kind == TESS_KIND_UINT) return bits;
    if (kind == TESS_KIND_INT) return bits ^ sign;
    const uint64_t infinity = size == 2 ? 0x7c00 : size == 4 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
    if ((bits & (sign - 1)) > infinity) return UINT64_MAX;
    return bits & sign ? (sign - 1) - (bits & (sign - 1)) : bits | sign;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void set_bytes(const tess_array *a)
{
    EACH_POSITION(position, a->shape)
    {
        unsigned char *at = element_at(a, position);
        for (size_t i = 0; i < tess_dtype_size(a->dtype); i++) at[i] = (unsigned char)test_random();
        if (a->dtype == TESS_BOOL) at[0] &= 1;
    }
}

typedef struct rank_case {
    tess_dtype dtype;
    int        border;
    int64_t    size[3], rank;
    guarded    in, out, before;
    char       what[200];
} rank_case;

static uint64_t naive_rank(const rank_case *c, const int64_t position[4], uint64_t *window)
{
    const unsigned char outside[8] = { 0 };
    int64_t             n = 0;
    EACH_POSITION(k, TESS_SHAPE(1, c->size[0], c->size[1], c->size[2]))
    {
        const int64_t at[4] = { position[0], position[1] + k[1] - c->size[0] / 2, position[2] + k[2] - c->size[1] / 2,
                                position[3] + k[3] - c->size[2] / 2 };
        const unsigned char *x = element_for(&c->in.view, at, c->border);
        window[n++] = sortable(x ? x : outside, c->dtype);
    }
    qsort(window, (size_t)n, sizeof *window, compare);
    return window[c->rank];
}

static void check_ranks(rank_case *c)
{
    const tess_rank_opts o = { .border = c->border };
    const tess_shape     window = TESS_SHAPE(1, c->size[0], c->size[1], c->size[2]), shape = c->in.view.shape;
    uint64_t            *sorted = malloc((size_t)(window.d * window.h * window.w) * sizeof *sorted);
    CHECK_OK(tess_copy(&c->before.view, &c->out.view));
    CHECK_OK(tess_rank_filter(&c->out.view, &c->in.view, window, c->rank, &o));
    EACH_POSITION(position, shape)
    {
        const bool     written = c->border != TESS_BORDER_NOTHING || is_inside(shape, position, c->size);
        const uint64_t got = sortable(element_at(&c->out.view, position), c->dtype);
        const uint64_t want =
            written ? naive_rank(c, position, sorted) : sortable(element_at(&c->before.view, position), c->dtype);
        if (got == want) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)position[0], (int)position[1],
                          (int)position[2], (int)position[3]);
        break;
    }
    (void)guarded_check(&c->out, c->what);
    free(sorted);
}

static void rank_case_of(tess_dtype dtype, int border, tess_shape window)
{
    rank_case        c = { .dtype = dtype, .border = border, .size = { window.d, window.h, window.w } };
    const tess_shape shape = random_shape();
    const int64_t    n = window.d * window.h * window.w;
    c.rank = test_random() % 2 ? n / 2 : test_random() % 2 ? test_random_in(0, n - 1) : test_random() % 2 ? 0 : n - 1;
    guarded_make(&c.in, random_layout(false), shape, dtype);
    guarded_make(&c.out, random_layout(true), shape, dtype);
    guarded_make(&c.before, layout_contiguous, shape, dtype);
    snprintf(c.what, sizeof c.what, "%s: %s {%d,%d,%d,%d} window %d %d %d rank %d border %d", isa_now,
             tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, (int)window.d,
             (int)window.h, (int)window.w, (int)c.rank, border);
    set_bytes(&c.in.view);
    set_bytes(&c.out.view);
    guarded_snapshot(&c.out);
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    if (test_wants_case(c.what)) check_ranks(&c);
    guarded_free(&c.in);
    guarded_free(&c.out);
    guarded_free(&c.before);
}

static void rank_cases(void)
{
    static const tess_shape windows[] = { { { 1, 1, 1, 3 } }, { { 1, 1, 1, 5 } }, { { 1, 1, 7, 1 } },
                                          { { 1, 1, 3, 3 } }, { { 1, 1, 5, 5 } }, { { 1, 3, 1, 3 } },
                                          { { 1, 1, 1, 1 } } };
    for (tess_dtype dtype = TESS_BOOL; dtype <= TESS_F64; dtype++)
        for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) {
            if (border == TESS_BORDER_VALUE) continue; /* 0, as ZERO, in the naive loop */
            rank_case_of(dtype, border, windows[test_random() % 7]);
            rank_case_of(dtype, border, TESS_SHAPE(1, odd(1), odd(3), odd(4)));
        }
    rank_case_of(TESS_U8, TESS_BORDER_MIRROR, TESS_SHAPE(1, 1, 17, 19));
    rank_case_of(TESS_I8, TESS_BORDER_CLAMP, TESS_SHAPE(1, 3, 11, 9));
    rank_case_of(TESS_I16, TESS_BORDER_REFLECT, TESS_SHAPE(1, 1, 29, 31));
    rank_case_of(TESS_U16, TESS_BORDER_PERIODIC, TESS_SHAPE(1, 1, 35, 27));
    rank_case_of(TESS_F32, TESS_BORDER_MIRROR, TESS_SHAPE(1, 1, 21, 21));
    rank_case_of(TESS_F64, TESS_BORDER_CLAMP, TESS_SHAPE(1, 1, 1, 1023));
    rank_case_of(TESS_U32, TESS_BORDER_REFLECT, TESS_SHAPE(1, 3, 11, 5));
    rank_case_of(TESS_I64, TESS_BORDER_ZERO, TESS_SHAPE(1, 1, 301, 1));
}

TEST(ranks_of_all_dtypes_and_borders) { on_each_isa(rank_cases); }

/* ---- Footprints ---- */

/* Erosion, or dilation by the reflected footprint. */
static uint64_t naive_extreme(const rank_case *c, const tess_array *footprint, const int64_t position[4], bool dilates)
{
    const unsigned char outside[8] = { 0 };
    uint64_t            found = 0;
    bool                any = false;
    EACH_POSITION(k, footprint->shape)
    {
        int64_t at[4] = { position[0] };
        if (!*element_at(footprint, k)) continue;
        for (int d = 1; d < 4; d++) {
            const int64_t offset = k[d] - c->size[d - 1] / 2;
            at[d] = position[d] + (dilates ? -offset : offset);
        }
        const unsigned char *x = element_for(&c->in.view, at, c->border);
        const uint64_t       other = sortable(x ? x : outside, c->dtype);
        if (!any || (dilates ? other > found : other < found)) found = other;
        any = true;
    }
    return found;
}

static void check_extremes(const rank_case *c, const tess_array *footprint, bool dilates)
{
    const tess_grey_opts o = { .border = c->border, .footprint = footprint };
    tess_array           out = c->out.view;
    CHECK_OK(dilates ? tess_grey_dilate(&out, &c->in.view, &o) : tess_grey_erode(&out, &c->in.view, &o));
    EACH_POSITION(position, out.shape)
    {
        if (sortable(element_at(&out, position), c->dtype) == naive_extreme(c, footprint, position, dilates)) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)position[0], (int)position[1],
                          (int)position[2], (int)position[3]);
        break;
    }
    (void)guarded_check(&c->out, c->what);
}

static void footprint_case_of(tess_dtype dtype, int border)
{
    rank_case        c = { .dtype = dtype, .border = border, .size = { odd(1), odd(2), odd(4) } };
    const tess_shape shape = random_shape();
    const bool       dilates = test_random() % 2;
    guarded          footprint;
    guarded_make(&c.in, random_layout(false), shape, dtype);
    guarded_make(&c.out, random_layout(true), shape, dtype);
    guarded_make(&footprint, random_layout(false), TESS_SHAPE(1, c.size[0], c.size[1], c.size[2]), TESS_BOOL);
    snprintf(c.what, sizeof c.what, "%s: %s {%d,%d,%d,%d} footprint %d %d %d border %d", isa_now,
             tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, (int)c.size[0],
             (int)c.size[1], (int)c.size[2], border);
    set_bytes(&c.in.view);
    set_bytes(&c.out.view);
    set_bytes(&footprint.view);
    *element_at(&footprint.view, (int64_t[]){ 0, 0, 0, c.size[2] - 1 }) = 1;
    guarded_snapshot(&c.out);
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    if (test_wants_case(c.what)) check_extremes(&c, &footprint.view, dilates);
    guarded_free(&c.in);
    guarded_free(&c.out);
    guarded_free(&footprint);
}

static void footprint_cases(void)
{
    for (tess_dtype dtype = TESS_BOOL; dtype <= TESS_F64; dtype++)
        for (int border = TESS_BORDER_ZERO; border < TESS_BORDER_NOTHING; border++)
            if (border != TESS_BORDER_VALUE) footprint_case_of(dtype, border);
}

TEST(footprints_of_all_dtypes_and_borders) { on_each_isa(footprint_cases); }

/* ---- Means ---- */

/* Sums of integers are exact, so that means are what is nearest to them. */
static double naive_mean(const tess_array *in, const int64_t position[4], const int64_t size[3], int border, int part)
{
    double sum = 0;
    EACH_POSITION(k, TESS_SHAPE(1, size[0], size[1], size[2]))
    {
        const int64_t        at[4] = { position[0], position[1] + k[1] - size[0] / 2, position[2] + k[2] - size[1] / 2,
                                       position[3] + k[3] - size[2] / 2 };
        const unsigned char *x = element_for(in, at, border);
        if (x) sum += part_of(x, in->dtype, part);
        else if (border == TESS_BORDER_VALUE && part == 0) sum += 3;
    }
    return sum / (double)(size[0] * size[1] * size[2]);
}

static void check_means(rank_case *c)
{
    const tess_uniform_opts o = { .border = c->border, .value = c->border == TESS_BORDER_VALUE ? 3 : 0 };
    const tess_array       *out = &c->out.view;
    tess_array              view = *out;
    CHECK_OK(tess_copy(&c->before.view, out));
    CHECK_OK(tess_uniform_filter(&view, &c->in.view, TESS_SHAPE(1, c->size[0], c->size[1], c->size[2]), &o));
    EACH_POSITION(position, out->shape)
    {
        const bool written = c->border != TESS_BORDER_NOTHING || is_inside(out->shape, position, c->size);
        bool       right = true;
        for (int part = 0; part < tess_dtype_reals(c->dtype); part++) {
            double want = written ? naive_mean(&c->in.view, position, c->size, c->border, part)
                                  : part_of(element_at(&c->before.view, position), c->dtype, part);
            if (tess_dtype_real(c->dtype) == TESS_F32) want = (double)(float)want;
            right = right && part_of(element_at(out, position), c->dtype, part) == want;
        }
        if (right) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)position[0], (int)position[1],
                          (int)position[2], (int)position[3]);
        break;
    }
    (void)guarded_check(&c->out, c->what);
}

static void set_integers(const tess_array *a)
{
    EACH_POSITION(position, a->shape)
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const double x = (double)test_random_in(-1000, 1000);
        const float  y = (float)x;
        if (tess_dtype_real(a->dtype) == TESS_F64) memcpy(element_at(a, position) + 8 * i, &x, 8);
        else memcpy(element_at(a, position) + 4 * i, &y, 4);
    }
}

static void mean_case_of(tess_dtype dtype, int border, tess_shape window)
{
    rank_case        c = { .dtype = dtype, .border = border, .size = { window.d, window.h, window.w } };
    const tess_shape shape = random_shape();
    guarded_make(&c.in, random_layout(false), shape, dtype);
    guarded_make(&c.out, random_layout(true), shape, dtype);
    guarded_make(&c.before, layout_contiguous, shape, dtype);
    snprintf(c.what, sizeof c.what, "%s: means of %s {%d,%d,%d,%d} window %d %d %d border %d", isa_now,
             tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, (int)window.d,
             (int)window.h, (int)window.w, border);
    set_integers(&c.in.view);
    set_integers(&c.out.view);
    guarded_snapshot(&c.out);
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    if (test_wants_case(c.what)) check_means(&c);
    guarded_free(&c.in);
    guarded_free(&c.out);
    guarded_free(&c.before);
}

static void mean_cases(void)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) {
        mean_case_of(TESS_F32, border, TESS_SHAPE(1, odd(1), odd(3), odd(4)));
        mean_case_of(TESS_F64, border, TESS_SHAPE(1, odd(2), odd(3), 1));
        mean_case_of(TESS_C32, border, TESS_SHAPE(1, odd(1), 1, odd(4)));
        mean_case_of(TESS_C64, border, TESS_SHAPE(1, 1, odd(3), odd(9)));
    }
    mean_case_of(TESS_F32, TESS_BORDER_MIRROR, TESS_SHAPE(1, 1, 31, 45));
    mean_case_of(TESS_F32, TESS_BORDER_PERIODIC, TESS_SHAPE(1, 1, 1, 501));
}

TEST(means_of_all_borders) { on_each_isa(mean_cases); }
