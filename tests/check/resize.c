/* Windows, sub-regions and blocks against naive loops, on every instruction set: any layout of both arrays, any number
 * of threads, nothing written outside the output. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/layouts.h"

static const tess_dtype dtypes[] = { TESS_U8, TESS_F16, TESS_F32, TESS_C32, TESS_C64, TESS_VEC3_F32, TESS_MAT44_F64 };
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

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

/* ---- Arrays ---- */

static layout random_layout(bool output)
{
    return (layout)test_random_in(0, (output ? n_output_layouts : n_layouts) - 1);
}

/* Advance `position` in b, d, h, w order; false at the end. */
static bool next_position(int64_t position[4], tess_shape shape)
{
    for (int k = 3; k >= 0; k--) {
        if (++position[k] < shape.dim[k]) return true;
        position[k] = 0;
    }
    return false;
}

static bool has_elements(tess_shape s) { return s.b && s.d && s.h && s.w; }

#define EACH_POSITION(position, shape)                                                                                 \
    int64_t position[4] = { 0 };                                                                                       \
    for (bool more_ = has_elements(shape); more_; more_ = next_position(position, shape))

static void set_bytes(const tess_array *a)
{
    EACH_POSITION(position, a->shape)
    {
        unsigned char *at = element_at(a, position);
        for (size_t i = 0; i < tess_dtype_size(a->dtype); i++) at[i] = (unsigned char)test_random();
    }
}

static void choose_threads(void) { CHECK_OK(tess_threads_set((int)test_random_in(1, 3))); }

/* ---- Windows ---- */

/* The border, by going back into the array as often as it takes. -1: outside. */
static int64_t border_of(int border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) return i;
    if (n == 0 || border == TESS_BORDER_ZERO || border == TESS_BORDER_VALUE || border == TESS_BORDER_NOTHING) return -1;
    if (border == TESS_BORDER_CLAMP) return i < 0 ? 0 : n - 1;
    if (n == 1) return 0;
    while (i < 0 || i >= n) {
        if (border == TESS_BORDER_PERIODIC) i += i < 0 ? n : -n;
        else if (border == TESS_BORDER_MIRROR) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}

TEST(border_index)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++)
        for (int64_t n = 1; n < 6; n++)
            for (int64_t i = -20; i < 20; i++)
                CHECK_I64(tess_border_index((tess_border)border, i, n), border_of(border, i, n));
}

/* One element of a window is that of `in` at `source`, what is outside, or what was there. */
static bool is_right(const unsigned char *got, const unsigned char *was, const tess_array *in, const int64_t source[4],
                     int border, const unsigned char *outside)
{
    int64_t      position[4];
    const size_t size = tess_dtype_size(in->dtype);
    bool         inside = true;
    for (int k = 0; k < 4; k++) {
        position[k] = border_of(border, source[k], in->shape.dim[k]);
        inside = inside && position[k] >= 0;
    }
    const unsigned char *want = inside ? element_at(in, position) : border == TESS_BORDER_NOTHING ? was : outside;
    return memcmp(got, want, size) == 0;
}

/* Bytes of what is outside: 0, or 7 in each real, 7+3i in a complex number. */
static void set_outside(unsigned char bytes[128], tess_dtype dtype, int border)
{
    tess_array one = { 0 }, numbers = { 0 };
    memset(bytes, 0, 128);
    if (border != TESS_BORDER_VALUE) return;
    CHECK_OK(tess_full(&one, TESS_SHAPE(1, 1, 1, 1), dtype, tess_cpu(), 7));
    if (tess_dtype_kind(dtype) == TESS_KIND_COMPLEX) {
        CHECK_OK(tess_imag_view(&numbers, &one));
        CHECK_OK(tess_fill(&numbers, 3));
    }
    memcpy(bytes, one.data, tess_dtype_size(dtype));
    tess_release(&one);
}

static tess_resize_opts opts_for(tess_dtype dtype, int border)
{
    const bool value = border == TESS_BORDER_VALUE;
    return (tess_resize_opts){ .border = border,
                               .value = value ? 7 : 0,
                               .value_imag = value && tess_dtype_kind(dtype) == TESS_KIND_COMPLEX ? 3 : 0 };
}

/* What an output held before, contiguous. */
static unsigned char *bytes_of(const tess_array *a)
{
    const size_t   size = tess_dtype_size(a->dtype);
    unsigned char *bytes = malloc((size_t)tess_n_elements(a) * size + 1), *at = bytes;
    EACH_POSITION(position, a->shape)
    {
        memcpy(at, element_at(a, position), size);
        at += size;
    }
    return bytes;
}

typedef struct window_case {
    int        border;
    tess_dtype dtype;
    guarded    in, out;
    tess_shape left, shape;
    char       what[200];
} window_case;

static void describe(window_case *c, const char *name, layout layout_in, layout layout_out)
{
    const int64_t *n = c->in.view.shape.dim, *m = c->shape.dim, *l = c->left.dim;
    snprintf(c->what, sizeof c->what, "%s: %s %s {%d,%d,%d,%d} left {%d,%d,%d,%d} to {%d,%d,%d,%d} border %d, %s to %s",
             isa_now, name, tess_dtype_name(c->dtype), (int)n[0], (int)n[1], (int)n[2], (int)n[3], (int)l[0], (int)l[1],
             (int)l[2], (int)l[3], (int)m[0], (int)m[1], (int)m[2], (int)m[3], c->border, layout_names[layout_in],
             layout_names[layout_out]);
}

static void check_window(window_case *c)
{
    unsigned char          outside[128];
    unsigned char         *before = bytes_of(&c->out.view);
    const size_t           size = tess_dtype_size(c->dtype);
    const tess_resize_opts opts = opts_for(c->dtype, c->border);
    tess_shape             right;
    int64_t                number = 0;
    for (int k = 0; k < 4; k++) right.dim[k] = c->shape.dim[k] - c->in.view.shape.dim[k] - c->left.dim[k];
    set_outside(outside, c->dtype, c->border);
    choose_threads();
    CHECK_OK(tess_pad(&c->out.view, &c->in.view, c->left, right, &opts));
    EACH_POSITION(position, c->shape)
    {
        int64_t source[4];
        for (int k = 0; k < 4; k++) source[k] = position[k] - c->left.dim[k];
        if (!is_right(element_at(&c->out.view, position), before + number++ * (int64_t)size, &c->in.view, source,
                      c->border, outside)) {
            (void)test_failed(__FILE__, __LINE__, "%s: wrong", c->what);
            break;
        }
    }
    (void)guarded_check(&c->out, c->what);
    (void)guarded_check(&c->in, c->what);
    free(before);
}

static void window_case_of(int border, tess_dtype dtype, bool large)
{
    window_case c = { .border = border, .dtype = dtype };
    tess_shape  shape;
    const bool  takes = border >= TESS_BORDER_CLAMP && border <= TESS_BORDER_REFLECT;
    for (int k = 0; k < 4; k++) {
        shape.dim[k] = test_random_in(takes ? 1 : 0, large && k == 3 ? 300 : k >= 2 ? 12 : 4);
        c.left.dim[k] = test_random_in(0, 2) ? test_random_in(-3, large && k == 3 ? 40 : 6) : 0;
        const int64_t right = test_random_in(0, 2) ? test_random_in(-3, large && k == 3 ? 40 : 6) : 0;
        c.shape.dim[k] = shape.dim[k] + c.left.dim[k] + right;
        if (c.shape.dim[k] < 0) c.shape.dim[k] = 0;
    }
    const layout in = random_layout(false), out = random_layout(true);
    guarded_make(&c.in, in, shape, dtype);
    guarded_make(&c.out, out, c.shape, dtype);
    set_bytes(&c.in.view);
    guarded_snapshot(&c.in);
    describe(&c, "pad", in, out);
    if (test_wants_case(c.what)) check_window(&c);
    guarded_free(&c.in);
    guarded_free(&c.out);
}

static void windows(void)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++)
        for (int d = 0; d < N_DTYPES; d++)
            for (int i = 0; i < test_fewer(40); i++) window_case_of(border, dtypes[d], i % 8 == 0);
}

TEST(pad) { on_each_isa(windows); }

/* Long rows, and rows that axes were merged into, are shared among threads. */
TEST(large_windows)
{
    static const tess_shape shapes[][3] = {
        { { { 1, 1, 1, 100000 } }, { { 0, 0, 0, 333 } }, { { 1, 1, 1, 101000 } } },
        { { { 1, 1, 100000, 1 } }, { { 0, 0, -5, 0 } }, { { 1, 1, 150001, 1 } } },
        { { { 3, 20, 50, 7 } }, { { 1, 2, 0, 0 } }, { { 5, 19, 50, 7 } } },
        { { { 2, 1, 300, 200 } }, { { 0, 0, 9, -7 } }, { { 2, 1, 320, 220 } } },
        { { { 60, 2, 110, 120 } }, { { 0, 0, -5, -7 } }, { { 60, 2, 100, 100 } } }, /* rows fetched before their turn */
        { { { 50, 1, 140, 150 } }, { { 0, 0, 5, 11 } }, { { 50, 1, 150, 173 } } },
    };
    isa_now = "best";
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) {
            if (!test_takes_case()) continue;
            window_case  c = { .border = border, .dtype = TESS_F32, .left = shapes[s][1], .shape = shapes[s][2] };
            const layout in = border % 2 ? layout_contiguous : layout_column_major, out = layout_contiguous;
            guarded_make(&c.in, in, shapes[s][0], TESS_F32);
            guarded_make(&c.out, out, c.shape, TESS_F32);
            set_bytes(&c.in.view);
            guarded_snapshot(&c.in);
            describe(&c, "pad", in, out);
            check_window(&c);
            guarded_free(&c.in);
            guarded_free(&c.out);
        }
    CHECK_OK(tess_threads_set(0));
}

/* From 8 MiB on, rows are written by non-temporal stores: long rows and short ones, at any offset in a line; `many`: of more
 * runs than are listed at a time. */
static void nt_case(int border, tess_dtype dtype, const char *isa, bool many)
{
    static const layout in[] = { layout_contiguous, layout_misaligned, layout_subregion,
                                 layout_reversed,   layout_broadcast,  layout_stepped },
                        out[] = { layout_contiguous, layout_misaligned, layout_subregion };
    const layout  from = many ? layout_contiguous : in[test_random_in(0, 5)], to = out[test_random_in(0, 2)];
    const int64_t size = (int64_t)tess_dtype_size(dtype), w = test_random_in(0, 2) ? test_random_in(130, 600) : 5003;
    window_case   c = { .border = border, .dtype = dtype };
    c.left = TESS_SHAPE(0, test_random_in(-1, 1), test_random_in(-3, 9), test_random_in(-9, 40));
    c.shape = TESS_SHAPE(test_random_in(1, 3), 2, 1, w);
    c.shape.h = (17 << 19) / size / (2 * c.shape.b * w) + 1;
    const tess_shape shape = { { c.shape.b, 2, c.shape.h > 9 ? c.shape.h - 9 : 1, many ? 7 : w - 17 } };
    guarded_make(&c.in, from, shape, dtype);
    guarded_make(&c.out, to, c.shape, dtype);
    isa_now = isa ? isa : "best";
    CHECK_OK(tess_cpu_limit_set(isa));
    set_bytes(&c.in.view);
    guarded_snapshot(&c.in);
    describe(&c, "large pad", from, to);
    if (test_wants_case(c.what)) check_window(&c);
    guarded_free(&c.in);
    guarded_free(&c.out);
}

/* Elements that the kernel knows, and two others. Sanitizers take the first two. */
TEST(windows_past_the_caches)
{
    static const struct {
        int         border;
        tess_dtype  dtype;
        const char *isa;
        bool        many;
    } cases[] = {
        { TESS_BORDER_MIRROR, TESS_F32, NULL, true },       { TESS_BORDER_VALUE, TESS_C64, NULL, false },
        { TESS_BORDER_ZERO, TESS_F16, NULL, false },        { TESS_BORDER_CLAMP, TESS_C32, NULL, false },
        { TESS_BORDER_PERIODIC, TESS_F32, NULL, false },    { TESS_BORDER_REFLECT, TESS_C64, NULL, false },
        { TESS_BORDER_MIRROR, TESS_F32, "base", false },    { TESS_BORDER_CLAMP, TESS_VEC3_F32, NULL, false },
        { TESS_BORDER_VALUE, TESS_MAT44_F64, NULL, false },
    };
    enum { CASES = sizeof cases / sizeof *cases };
    for (int i = 0; i < CASES && i < test_fewer(2 * CASES); i++)
        nt_case(cases[i].border, cases[i].dtype, cases[i].isa, cases[i].many);
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

/* ---- Sub-regions ---- */

static const tess_dtype integers[] = { TESS_I8, TESS_I16, TESS_I32, TESS_I64, TESS_U8, TESS_U16, TESS_U32, TESS_U64 };

typedef struct regions {
    guarded origins;
    int64_t (*position)[4];
    int64_t n;
    int     k;
} regions;

/* n random origins around an array of this shape. */
static void regions_make(regions *r, int64_t n, int k, tess_shape whole)
{
    const tess_dtype dtype = integers[test_random_in(0, 7)];
    r->n = n;
    r->k = k;
    r->position = calloc((size_t)n + 1, sizeof *r->position);
    guarded_make(&r->origins, random_layout(true), TESS_SHAPE(n, 1, 1, k), dtype);
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < k; c++) {
            const int     axis = 4 - k + c;
            const bool    negative = tess_dtype_kind(dtype) == TESS_KIND_INT;
            const int64_t position = test_random_in(negative ? -6 : 0, whole.dim[axis] + 3);
            r->position[i][axis] = position;
            CHECK_OK(tess_set_i64(&r->origins.view, i, 0, 0, c, position));
        }
    for (int64_t i = 0; i < n && k < 4; i++) r->position[i][0] = whole.b == 1 ? 0 : i;
    guarded_snapshot(&r->origins);
}

static void regions_free(regions *r)
{
    free(r->position);
    guarded_free(&r->origins);
}

static tess_shape random_shape(int64_t least, int64_t batches)
{
    return TESS_SHAPE(batches, test_random_in(least, 4), test_random_in(least, 12), test_random_in(least, 30));
}

static void extract_case(int border, tess_dtype dtype)
{
    const int        k = (int)test_random_in(2, 4);
    const int64_t    n = test_random_in(0, 7), batches = k == 4 ? test_random_in(1, 3) : test_random_in(0, 1) ? 1 : n;
    const tess_shape whole = random_shape(1, batches ? batches : 1);
    const tess_resize_opts opts = opts_for(dtype, border);
    tess_shape             shape = random_shape(0, 1);
    unsigned char          outside[128];
    regions                r;
    guarded                in, out;
    regions_make(&r, n, k, whole);
    guarded_make(&in, random_layout(false), whole, dtype);
    guarded_make(&out, random_layout(true), TESS_SHAPE(n, shape.d, shape.h, shape.w), dtype);
    set_bytes(&in.view);
    set_outside(outside, dtype, border);
    guarded_snapshot(&in);
    unsigned char *before = bytes_of(&out.view);
    int64_t        number = 0;
    choose_threads();
    CHECK_OK(tess_extract(&out.view, &in.view, &r.origins.view, shape, &opts));
    EACH_POSITION(position, out.view.shape)
    {
        int64_t source[4] = { r.position[position[0]][0] };
        for (int d = 1; d < 4; d++) source[d] = r.position[position[0]][d] + position[d];
        if (!is_right(element_at(&out.view, position), before + number++ * (int64_t)tess_dtype_size(dtype), &in.view,
                      source, border, outside)) {
            (void)test_failed(__FILE__, __LINE__, "%s: extract %s, border %d: wrong", isa_now, tess_dtype_name(dtype),
                              border);
            break;
        }
    }
    (void)guarded_check(&out, "extract");
    (void)guarded_check(&in, "extract");
    free(before);
    guarded_free(&in);
    guarded_free(&out);
    regions_free(&r);
}

static void extracts(void)
{
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++)
        for (int d = 0; d < N_DTYPES; d++)
            for (int i = 0; i < 20; i++) extract_case(border, dtypes[d]);
}

TEST(extract) { on_each_isa(extracts); }

/* Is position + origin of the region inside? Then `target` is that. */
static bool lands(int64_t target[4], const int64_t origin[4], const int64_t position[4], tess_shape whole)
{
    for (int k = 0; k < 4; k++) {
        target[k] = origin[k] + (k ? position[k] : 0);
        if (target[k] < 0 || target[k] >= whole.dim[k]) return false;
    }
    return true;
}

static void insert_case(tess_dtype dtype)
{
    const int     k = (int)test_random_in(2, 4);
    const int64_t n = test_random_in(0, 9), batches = k == 4 ? test_random_in(1, 3) : n && test_random_in(0, 1) ? n : 1;
    const tess_shape whole = random_shape(1, batches);
    const size_t     size = tess_dtype_size(dtype);
    tess_shape       shape = random_shape(0, n);
    regions          r;
    guarded          in, out;
    tess_array       want = { 0 };
    regions_make(&r, n, k, whole);
    guarded_make(&in, random_layout(false), shape, dtype);
    guarded_make(&out, random_layout(true), whole, dtype);
    set_bytes(&in.view);
    set_bytes(&out.view);
    guarded_snapshot(&in);
    guarded_snapshot(&out);
    CHECK_OK(tess_copy(&want, &out.view));
    EACH_POSITION(position, shape)
    {
        int64_t target[4];
        if (lands(target, r.position[position[0]], position, whole))
            memcpy(element_at(&want, target), element_at(&in.view, position), size);
    }
    choose_threads();
    CHECK_OK(tess_insert(&out.view, &in.view, &r.origins.view, NULL));
    bool good = true;
    EACH_POSITION(at, whole) good = good && memcmp(element_at(&want, at), element_at(&out.view, at), size) == 0;
    if (!good) (void)test_failed(__FILE__, __LINE__, "%s: insert %s: wrong", isa_now, tess_dtype_name(dtype));
    (void)guarded_check(&out, "insert");
    (void)guarded_check(&in, "insert");
    tess_release(&want);
    guarded_free(&in);
    guarded_free(&out);
    regions_free(&r);
}

static void inserts(void)
{
    for (int d = 0; d < N_DTYPES; d++)
        for (int i = 0; i < 60; i++) insert_case(dtypes[d]);
}

TEST(insert) { on_each_isa(inserts); }

static double number_at(const tess_array *a, const int64_t position[4])
{
    double value = 0;
    CHECK_OK(tess_get_f64(&value, a, position[0], position[1], position[2], position[3]));
    return value;
}

static void set_numbers(const tess_array *a, int64_t most)
{
    tess_array one = *a; /* so that a broadcast array can be set, too */
    one.shape = TESS_SHAPE(1, 1, 1, 1);
    EACH_POSITION(position, a->shape)
    {
        one.data = element_at(a, position);
        CHECK_OK(tess_set_f64(&one, 0, 0, 0, 0, (double)test_random_in(0, most)));
    }
}

/* Small integers, so that sums are exact in whatever they are made. */
static void add_case(tess_dtype dtype)
{
    static const tess_dtype weight_dtypes[] = { TESS_F32, TESS_F64, TESS_U8, TESS_F16 };
    const int64_t           n = test_random_in(1, 9);
    const tess_shape        whole = random_shape(1, test_random_in(0, 1) ? n : 1), shape = random_shape(1, n);
    tess_shape              repeated = shape;
    const bool              weighted = test_random_in(0, 3) != 0, counted = test_random_in(0, 1);
    regions                 r;
    guarded                 in, out, weights, sums;
    tess_array              want = { 0 }, want_sums = { 0 };
    for (int d = 0; d < 4; d++)
        if (test_random_in(0, 2) == 0) repeated.dim[d] = 1;
    regions_make(&r, n, (int)test_random_in(2, 3), whole);
    guarded_make(&in, random_layout(false), shape, dtype);
    guarded_make(&out, random_layout(true), whole, dtype);
    guarded_make(&weights, random_layout(false), repeated, weight_dtypes[test_random_in(0, 3)]);
    guarded_make(&sums, random_layout(true), whole, weight_dtypes[test_random_in(0, 1)]);
    set_numbers(&in.view, 3);
    set_numbers(&out.view, 3);
    set_numbers(&weights.view, 2);
    set_numbers(&sums.view, 9);
    guarded_snapshot(&out);
    guarded_snapshot(&sums);
    CHECK_OK(tess_cast(&want, &out.view, TESS_F64, NULL));
    CHECK_OK(tess_cast(&want_sums, &sums.view, TESS_F64, NULL));
    EACH_POSITION(position, shape)
    {
        int64_t target[4], at[4];
        if (!lands(target, r.position[position[0]], position, whole)) continue;
        for (int d = 0; d < 4; d++) at[d] = repeated.dim[d] == 1 ? 0 : position[d];
        const double weight = weighted ? number_at(&weights.view, at) : 1;
        *(double *)(void *)element_at(&want, target) += weight * number_at(&in.view, position);
        if (counted) *(double *)(void *)element_at(&want_sums, target) += weight;
    }
    choose_threads();
    CHECK_OK(tess_insert(&out.view, &in.view, &r.origins.view,
                         &(tess_insert_opts){ .add = 1,
                                              .weights = weighted ? &weights.view : NULL,
                                              .weight_sums = counted ? &sums.view : NULL }));
    bool good = true;
    EACH_POSITION(at, whole)
    good = good && number_at(&want, at) == number_at(&out.view, at) &&
           number_at(&want_sums, at) == number_at(&sums.view, at);
    if (!good) (void)test_failed(__FILE__, __LINE__, "%s: adding %s: wrong", isa_now, tess_dtype_name(dtype));
    (void)guarded_check(&out, "insert");
    (void)guarded_check(&sums, "insert");
    tess_release(&want);
    tess_release(&want_sums);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&weights);
    guarded_free(&sums);
    regions_free(&r);
}

static void additions(void)
{
    static const tess_dtype numbers[] = { TESS_U8, TESS_I16, TESS_I32, TESS_I64, TESS_F16, TESS_F32, TESS_F64 };
    for (size_t d = 0; d < sizeof numbers / sizeof *numbers; d++)
        for (int i = 0; i < 40; i++) add_case(numbers[d]);
}

TEST(insert_with_weights) { on_each_isa(additions); }

/* The sum of each element depends on the order alone. */
TEST(sums_do_not_depend_on_threads)
{
    tess_array in = { 0 }, out = { 0 }, first = { 0 }, origins = { 0 }, weights = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(700, 1, 20, 30), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&weights, TESS_SHAPE(1, 1, 20, 30), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&origins, TESS_SHAPE(700, 1, 1, 2), TESS_I16, tess_cpu()));
    for (int i = 0; i < 700 * 600; i++) ((float *)in.data)[i] = (float)test_random_unit() - 0.3f;
    for (int i = 0; i < 600; i++) ((float *)weights.data)[i] = (float)test_random_unit();
    for (int i = 0; i < 1400; i++) ((int16_t *)origins.data)[i] = (int16_t)test_random_in(-10, 90);
    for (int threads = 1; threads <= 5; threads++) {
        CHECK_OK(tess_threads_set(threads));
        memset(&out, 0, sizeof out);
        CHECK_OK(tess_zeros(&out, TESS_SHAPE(1, 1, 100, 100), TESS_F32, tess_cpu()));
        CHECK_OK(tess_insert(&out, &in, &origins, &(tess_insert_opts){ .add = 1, .weights = &weights }));
        if (threads == 1) first = out;
        else CHECK(memcmp(out.data, first.data, 40000) == 0);
        if (threads > 1) tess_release(&out);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&first);
    tess_release(&in);
    tess_release(&origins);
    tess_release(&weights);
}

/* ---- Many sub-regions ---- */

enum { MANY = 17000, SIDE = 24 };

/* What element (y, x) of image b is for MIRROR. */
static float mirrored(const tess_array *image, int64_t b, int64_t y, int64_t x)
{
    const tess_shape *n = &image->shape;
    const int64_t     h = border_of(TESS_BORDER_MIRROR, y, n->h), w = border_of(TESS_BORDER_MIRROR, x, n->w);
    return ((const float *)image->data)[(b * n->h + h) * n->w + w];
}

static bool are_cut_right(const tess_array *cuts, const tess_array *image, const int64_t (*position)[4])
{
    const float *x = cuts->data;
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t y = 0; y < SIDE; y++)
            for (int64_t k = 0; k < SIDE; k++)
                if (*x++ != mirrored(image, position[i][0], position[i][2] + y, position[i][3] + k)) return false;
    return true;
}

static void put_one_by_one(const tess_array *image, const tess_array *cuts, const int64_t (*position)[4])
{
    const tess_shape *n = &image->shape;
    const float      *x = cuts->data;
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t y = position[i][2]; y < position[i][2] + SIDE; y++)
            for (int64_t k = position[i][3]; k < position[i][3] + SIDE; k++, x++)
                if (y >= 0 && y < n->h && k >= 0 && k < n->w)
                    ((float *)image->data)[(position[i][0] * n->h + y) * n->w + k] = *x;
}

static void set_random(const tess_array *a)
{
    for (int64_t i = 0; i < tess_n_elements(a); i++) ((float *)a->data)[i] = (float)test_random_unit();
}

/* So many that they are taken by tiles of the array, and lists of them in parts; some reach beyond its ends. */
TEST(many_regions_in_any_order)
{
    tess_array image = { 0 }, cuts = { 0 }, origins = { 0 }, want = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(2, 1, 331, 617), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&origins, TESS_SHAPE(MANY, 1, 1, 4), TESS_I64, tess_cpu()));
    int64_t(*position)[4] = origins.data;
    for (int i = 0; i < MANY; i++) {
        position[i][0] = test_random_in(0, 1), position[i][1] = 0;
        position[i][2] = test_random_in(-40, 340), position[i][3] = test_random_in(-40, 630);
    }
    for (int threads = 1; threads <= 3; threads++) {
        CHECK_OK(tess_threads_set(threads));
        set_random(&image);
        CHECK_OK(tess_extract(&cuts, &image, &origins, TESS_SHAPE(1, 1, SIDE, SIDE),
                              &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
        CHECK(are_cut_right(&cuts, &image, (const int64_t(*)[4])position));
        set_random(&cuts);
        CHECK_OK(tess_copy(&want, &image));
        put_one_by_one(&want, &cuts, (const int64_t(*)[4])position);
        CHECK_OK(tess_insert(&image, &cuts, &origins, NULL));
        CHECK(memcmp(image.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&image);
    tess_release(&cuts);
    tess_release(&origins);
    tess_release(&want);
}

/* Results of more than 8 MiB whose rows are as long as most of the input's. */
TEST(wide_regions_in_any_order)
{
    enum { N = 150, H = 40, W = 500 };
    tess_array image = { 0 }, cuts = { 0 }, origins = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, 300, 700), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&origins, TESS_SHAPE(N, 1, 1, 2), TESS_I64, tess_cpu()));
    int64_t(*position)[2] = origins.data;
    set_random(&image);
    for (int i = 0; i < N; i++) position[i][0] = test_random_in(-60, 310), position[i][1] = test_random_in(-100, 300);
    for (int threads = 1; threads <= 2; threads++) {
        CHECK_OK(tess_threads_set(threads));
        CHECK_OK(tess_extract(&cuts, &image, &origins, TESS_SHAPE(1, 1, H, W),
                              &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
        const float *x = cuts.data;
        bool         same = true;
        for (int64_t i = 0; i < N; i++)
            for (int64_t y = 0; y < H; y++)
                for (int64_t k = 0; k < W; k++)
                    same &= *x++ == mirrored(&image, 0, position[i][0] + y, position[i][1] + k);
        CHECK(same);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&image);
    tess_release(&cuts);
    tess_release(&origins);
}

/* Few windows onto an array of more tiles than there is memory for: elements that are all one. */
TEST(regions_of_a_broadcast_number)
{
    tess_array one = { 0 }, wide = { 0 }, origins = { 0 }, cuts = { 0 };
    CHECK_OK(tess_full(&one, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), 7));
    CHECK_OK(tess_broadcast(&wide, &one, TESS_SHAPE(1, 1, 1 << 25, 1 << 25)));
    CHECK_OK(tess_empty(&origins, TESS_SHAPE(300, 1, 1, 2), TESS_I64, tess_cpu()));
    for (int i = 0; i < 600; i++) ((int64_t *)origins.data)[i] = test_random_in(0, 33000000);
    CHECK_OK(tess_extract(&cuts, &wide, &origins, TESS_SHAPE(1, 1, 64, 64), NULL));
    bool same = true;
    for (int64_t i = 0; i < tess_n_elements(&cuts); i++) same &= ((const float *)cuts.data)[i] == 7;
    CHECK(same);
    tess_release(&one); /* wide is a view of it */
    tess_release(&origins);
    tess_release(&cuts);
}

/* ---- Blocks ---- */

typedef struct bin_case {
    tess_dtype    dtype;
    tess_shape    factors;
    tess_bin_opts opts;
} bin_case;

/* Real `part` of the block that result `position` stands for, as an exact sum, if it is one of integers. */
static long double block_sum(const tess_array *in, const bin_case *c, const int64_t position[4], int part,
                             int64_t *count, long double *magnitudes)
{
    tess_shape  shape;
    long double sum = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t left = in->shape.dim[k] - position[k] * c->factors.dim[k];
        shape.dim[k] = left < c->factors.dim[k] ? left : c->factors.dim[k];
    }
    *count = 0;
    *magnitudes = 0;
    EACH_POSITION(offset, shape)
    {
        int64_t  at[4];
        tess_c64 z = { 0, 0 };
        for (int k = 0; k < 4; k++) at[k] = position[k] * c->factors.dim[k] + offset[k];
        CHECK_OK(tess_get_c64(&z, in, at[0], at[1], at[2], at[3]));
        const double x = part ? z.im : z.re;
        sum += (long double)x;
        *magnitudes += fabsl((long double)x);
        ++*count;
    }
    return sum;
}

static void check_blocks(const tess_array *out, const tess_array *in, const bin_case *c)
{
    const bool single = tess_dtype_real(out->dtype) == TESS_F32;
    EACH_POSITION(position, out->shape)
    for (int part = 0; part < (tess_dtype_kind(out->dtype) == TESS_KIND_COMPLEX ? 2 : 1); part++) {
        int64_t           count;
        long double       size;
        const long double sum = block_sum(in, c, position, part, &count, &size);
        tess_c64          z = { 0, 0 };
        CHECK_OK(tess_get_c64(&z, out, position[0], position[1], position[2], position[3]));
        const long double want = c->opts.sum ? sum : sum / (long double)count,
                          slack = (c->opts.sum ? size : size / (long double)count) * ldexpl((long double)count, -53);
        const long double got = (long double)(part ? z.im : z.re), ulp = fabsl(want) * ldexpl(1, single ? -23 : -52);
        const long double narrow = count == 4 && in->dtype == TESS_F32 ? size * ldexpl(1, -23) : 0;
        if (!(fabsl(got - want) <= ulp + slack + narrow)) {
            (void)test_failed(__FILE__, __LINE__, "%s: bin %s by {%d,%d,%d,%d}: %.17Lg, not %.17Lg", isa_now,
                              tess_dtype_name(c->dtype), (int)c->factors.b, (int)c->factors.d, (int)c->factors.h,
                              (int)c->factors.w, got, want);
            return;
        }
    }
}

/* Random numbers; of floats, of different sizes. */
static tess_array random_numbers(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 }, wide = { 0 };
    CHECK_OK(tess_empty(&wide, shape, TESS_C64, tess_cpu()));
    for (int64_t i = 0; i < 2 * tess_n_elements(&wide); i++)
        ((double *)wide.data)[i] = floor(ldexp(test_random_unit(), (int)test_random_in(4, 15))) / 8 -
                                   (tess_dtype_kind(dtype) == TESS_KIND_UINT ? 0 : 50);
    if (tess_dtype_kind(dtype) == TESS_KIND_COMPLEX) CHECK_OK(tess_cast(&a, &wide, dtype, NULL));
    else CHECK_OK(tess_cast(&a, &wide, dtype, &(tess_cast_opts){ .part = TESS_PART_REAL }));
    tess_release(&wide);
    return a;
}

static void run_bin_case(const bin_case *c, tess_shape shape)
{
    tess_array in = random_numbers(shape, c->dtype), out = { 0 }, same = { 0 };
    guarded    from, to;
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_bin(&out, &in, c->factors, &c->opts));
    check_blocks(&out, &in, c);
    guarded_make(&from, random_layout(true), shape, c->dtype);
    guarded_make(&to, random_layout(true), out.shape, out.dtype);
    CHECK_OK(tess_copy(&from.view, &in));
    choose_threads();
    CHECK_OK(tess_bin(&to.view, &from.view, c->factors, &c->opts));
    CHECK_OK(tess_copy(&same, &to.view));
    if (memcmp(same.data, out.data, (size_t)tess_n_bytes(&out)) != 0)
        (void)test_failed(__FILE__, __LINE__, "%s: bin %s: other bits in other layouts", isa_now,
                          tess_dtype_name(c->dtype));
    (void)guarded_check(&to, "bin");
    tess_release(&in);
    tess_release(&out);
    tess_release(&same);
    guarded_free(&from);
    guarded_free(&to);
}

static void bins(void)
{
    static const tess_shape factors[] = { { { 1, 1, 2, 2 } }, { { 1, 1, 4, 4 } },  { { 1, 2, 2, 2 } },
                                          { { 2, 1, 3, 1 } }, { { 1, 1, 1, 5 } },  { { 1, 3, 7, 4 } },
                                          { { 1, 1, 1, 1 } }, { { 9, 9, 50, 90 } } };
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
            for (int o = 0; o < 4; o++) {
                const bin_case c = { dtype, factors[f], { .sum = o & 1, .partial = o >> 1 } };
                tess_shape     shape = random_shape(1, test_random_in(1, 3));
                if (test_random_in(0, 3) == 0) shape.w = 1;
                if (test_random_in(0, 3) == 0) shape.h = 1;
                run_bin_case(&c, shape);
            }
}

TEST(bin) { on_each_isa(bins); }

/* ---- Small blocks, to the last bit ---- */

/* Any bits: of floats, -0, infinities, NaN and subnormal numbers too. */
static void set_any_bits(const tess_array *a)
{
    static const double special[] = {
        -0.0, 0.0, INFINITY, -INFINITY, NAN, 3e38, -3e38, 1e-45, -1e-40, 1.7e308, 5e-324
    };
    for (int64_t i = 0; i < tess_n_bytes(a); i++) ((unsigned char *)a->data)[i] = (unsigned char)test_random();
    for (int64_t i = 0; i < tess_n_elements(a) && tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT; i++) {
        const double x = test_random_in(0, 20) ? ldexp(test_random_unit() - 0.5, (int)test_random_in(-9, 9))
                                               : special[test_random_in(0, 10)];
        if (a->dtype == TESS_F32) ((float *)a->data)[i] = (float)x;
        else ((double *)a->data)[i] = x;
    }
}

/* The sum of 2 x 2 elements of f32 in f32, if it is finite. */
static bool quad_sum(double *sum, const tess_array *a, int64_t row, int64_t column)
{
    float x[4];
    for (int k = 0; k < 4; k++) x[k] = (float)number_at(a, (int64_t[4]){ 0, 0, row + k / 2, column + k % 2 });
    const volatile float upper = x[0] + x[1], lower = x[2] + x[3];
    *sum = (double)(float)(upper + lower);
    return isfinite(*sum);
}

/* The sum of h x w elements, in the order of src/cpu/resize/bin.c. */
static double small_sum(const tess_array *a, int64_t row, int64_t column, int64_t h, int64_t w)
{
    double sum = 0;
    for (int64_t y = 0; y < h; y++) {
        double x[4] = { 0 };
        for (int64_t k = 0; k < w; k++) x[k] = number_at(a, (int64_t[4]){ 0, 0, row + y, column + k });
        const double two = w > 1 ? x[0] + x[1] : x[0], all = w < 3 ? two : two + (w == 3 ? x[2] : x[2] + x[3]);
        sum = y == 0 ? all : sum + all;
    }
    return sum;
}

static void check_small_blocks(tess_dtype dtype, int64_t h, int64_t w, bool sum)
{
    const int64_t n = 67;
    tess_array    in = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 2 * h, n * w), dtype, tess_cpu()));
    set_any_bits(&in);
    CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(1, 1, h, w), &(tess_bin_opts){ .sum = sum }));
    for (int64_t i = 0; i < 2 * n; i++) {
        const double got = number_at(&out, (int64_t[4]){ 0, 0, i / n, i % n });
        double       want = small_sum(&in, i / n * h, i % n * w, h, w), narrow;
        if (dtype == TESS_F32 && h == 2 && w == 2 && quad_sum(&narrow, &in, i / n * h, i % n * w)) want = narrow;
        if (!sum) want /= (double)(h * w);
        if (dtype == TESS_F32) want = (double)(float)want;
        if (isnan(want) ? isnan(got) : memcmp(&want, &got, sizeof got) == 0) continue;
        (void)test_failed(__FILE__, __LINE__, "%s: %s of %d x %d %s: %a, not %a", isa_now, sum ? "sum" : "mean", (int)h,
                          (int)w, tess_dtype_name(dtype), got, want);
        break;
    }
    tess_release(&in);
    tess_release(&out);
}

static void small_blocks(void)
{
    static const tess_dtype kinds[] = { TESS_F32, TESS_F64, TESS_I8, TESS_U8, TESS_I16, TESS_U16 };
    for (int d = 0; d < 6; d++)
        for (int64_t h = 1; h <= 4; h++)
            for (int64_t w = 1; w <= 4; w++)
                for (int times = 0; times < 4; times++)
                    if (test_takes_case()) check_small_blocks(kinds[d], h, w, times % 2);
}

TEST(small_blocks_to_the_last_bit) { on_each_isa(small_blocks); }

/* Sums that overflow f32 on the way, and NaN, change no other result, in any layout. */
static void quads(void)
{
    enum { H = 6, W = 2 * 211 };
    tess_array in = { 0 }, out = { 0 }, same = { 0 };
    guarded    from;
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu()));
    set_any_bits(&in);
    for (int k = 0; k < 4; k++) ((float *)in.data)[k / 2 * W + k % 2] = 3e38f;
    for (int sum = 0; sum < 2; sum++) {
        const tess_bin_opts opts = { .sum = sum };
        CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(1, 1, 2, 2), &opts));
        CHECK(((float *)out.data)[0] == (sum ? INFINITY : 3e38f));
        for (int kind = 0; kind < n_output_layouts; kind++) {
            guarded_make(&from, (layout)kind, in.shape, TESS_F32);
            CHECK_OK(tess_copy(&from.view, &in));
            CHECK_OK(tess_bin(&same, &from.view, TESS_SHAPE(1, 1, 2, 2), &opts));
            for (int64_t i = 0; i < tess_n_elements(&out); i++) {
                const float a = ((float *)out.data)[i], b = ((float *)same.data)[i];
                if (!(isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0))
                    (void)test_failed(__FILE__, __LINE__, "%s: %s: result %d", isa_now, layout_names[kind], (int)i);
            }
            guarded_free(&from);
        }
    }
    tess_release(&in);
    tess_release(&out);
    tess_release(&same);
}

TEST(quads_in_every_layout) { on_each_isa(quads); }

/* From 8 MiB on, results are written by non-temporal stores, some by two interleaved parts of a row: the same as of one row of
 * blocks after the other, which are compared with a loop above. */
TEST(blocks_past_the_caches)
{
    static const bin_case cases[] = { { TESS_U8, { { 1, 1, 2, 2 } }, { .partial = 1 } },
                                      { TESS_F64, { { 1, 1, 2, 4 } }, { .sum = 1 } },
                                      { TESS_F32, { { 1, 1, 4, 2 } }, { .partial = 1 } },
                                      { TESS_I16, { { 1, 1, 3, 3 } }, { .sum = 0 } },
                                      { TESS_F32, { { 1, 1, 2, 2 } }, { .partial = 1 } } };
    static const int64_t  heights[] = { 1401, 1900, 5801, 2000, 2901 }, widths[] = { 3003, 4423, 3011, 5000, 3003 };
    CHECK_OK(tess_threads_set(2));
    for (int i = 0; i < 5; i++) {
        const bin_case *c = &cases[i];
        tess_array in = random_numbers(TESS_SHAPE(1, 1, heights[i], widths[i]), c->dtype), out = { 0 }, row = { 0 };
        bool       same = true;
        CHECK_OK(tess_bin(&out, &in, c->factors, &c->opts));
        CHECK(tess_n_bytes(&out) > 8 << 20);
        for (int64_t h = 0; h < out.shape.h; h++) {
            tess_array  rows = in;
            const char *from = in.data, *to = out.data;
            rows.data = (char *)(uintptr_t)(from + h * c->factors.h * widths[i] * (int64_t)tess_dtype_size(c->dtype));
            rows.shape.h = heights[i] - h * c->factors.h < c->factors.h ? heights[i] - h * c->factors.h : c->factors.h;
            CHECK_OK(tess_bin(&row, &rows, c->factors, &c->opts));
            same = same && memcmp(row.data, to + h * tess_n_bytes(&row), (size_t)tess_n_bytes(&row)) == 0;
        }
        CHECK(same);
        tess_release(&in);
        tess_release(&out);
        tess_release(&row);
    }
    CHECK_OK(tess_threads_set(0));
}

/* Rows longer than what is added in one go, and sums beyond 32 bits. */
TEST(long_blocks)
{
    static const tess_dtype kinds[] = { TESS_U16, TESS_F32, TESS_F64, TESS_I8, TESS_F16, TESS_C32 };
    isa_now = "best";
    for (size_t d = 0; d < sizeof kinds / sizeof *kinds; d++)
        for (int o = 0; o < 4; o++) {
            const tess_bin_opts opts = { .sum = o & 1, .partial = o >> 1 };
            if (!test_takes_case()) continue;
            run_bin_case(&(bin_case){ kinds[d], TESS_SHAPE(1, 1, 3, 5000), opts }, TESS_SHAPE(1, 1, 7, 12001));
            run_bin_case(&(bin_case){ kinds[d], TESS_SHAPE(1, 1, 2, 2), opts }, TESS_SHAPE(1, 1, 5, 5003));
            run_bin_case(&(bin_case){ kinds[d], TESS_SHAPE(1, 1, 4, 4), opts }, TESS_SHAPE(1, 1, 7, 9003));
            run_bin_case(&(bin_case){ kinds[d], TESS_SHAPE(1, 1, 9000, 3), opts }, TESS_SHAPE(1, 1, 10000, 7));
        }
    CHECK_OK(tess_threads_set(0));
}
