/* Sorting, indices, partitions, largest elements and medians against naive loops: dtype x axis x length x layout, for
 * several numbers of threads and every instruction set. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cpu/isa.h"
#include "support/isas.h"
#include "support/layouts.h"

static const tess_shape shapes[] = {
    { { 1, 1, 1, 1 } },    { { 2, 3, 4, 5 } },    { { 1, 2, 33, 35 } },   { { 1, 7, 3, 131 } },
    { { 3, 1, 2, 1300 } }, { { 1, 1, 1100, 9 } }, { { 1, 1, 1, 20000 } }, { { 1, 1, 1, 140000 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- Data ---- */

/* Few different numbers, many, or random bits. */
static void set_numbers(tess_array *a)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
    const int64_t       n = tess_n_elements(a), size = (int64_t)tess_dtype_size(a->dtype), way = test_random_in(0, 3);
    unsigned char      *bytes = a->data;
    for (int64_t i = 0; i < n * size; i++)
        bytes[i] = (unsigned char)(a->dtype == TESS_BOOL ? test_random() & 1 : test_random());
    if (way == 0) return;
    tess_array numbers = { 0 };
    CHECK_OK(tess_empty(&numbers, a->shape, TESS_F64, tess_cpu()));
    double *x = numbers.data;
    for (int64_t i = 0; i < n; i++) {
        x[i] = way == 1 ? (double)test_random_in(0, 4) : (test_random_unit() - 0.5) * 200;
        if (way == 3 && test_random_in(0, 9) == 0) x[i] = odd[test_random_in(0, 4)];
    }
    CHECK_OK(tess_cast(a, &numbers, a->dtype, NULL));
    tess_release(&numbers);
}

/* ---- Reference: indices sorted by the C library, in wide numbers ---- */

typedef struct entry {
    double  f;
    int64_t i;
    int64_t index;
} entry;

static int compare_up(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (isnan(a->f) != isnan(b->f)) return isnan(a->f) ? 1 : -1;
    if (!isnan(a->f) && a->f != b->f) return a->f < b->f ? -1 : 1;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int compare_down(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (isnan(a->f) || isnan(b->f)) return compare_up(x, y);
    if (a->f != b->f) return a->f > b->f ? -1 : 1;
    if (a->i != b->i) return a->i > b->i ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

typedef struct sort_case {
    tess_array in, indices; /* contiguous; the indices are those of a stable sort */
    int        axis;
    bool       descending;
    char       what[200];
} sort_case;

static void find_indices(sort_case *c)
{
    tess_array      wide = { 0 };
    const tess_kind kind = tess_dtype_kind(c->in.dtype);
    const int64_t   n = c->in.shape.dim[c->axis], step = c->in.strides.dim[c->axis];
    CHECK_OK(tess_cast(&wide, &c->in,
                       kind == TESS_KIND_FLOAT  ? TESS_F64
                       : kind == TESS_KIND_UINT ? TESS_U64
                                                : TESS_I64,
                       NULL));
    CHECK_OK(tess_empty(&c->indices, c->in.shape, TESS_I64, tess_cpu()));
    entry *line = malloc((size_t)n * sizeof *line);
    for (int64_t k = 0; line && k < tess_n_elements(&c->in) / n; k++) {
        const int64_t first = k / step * n * step + k % step;
        for (int64_t i = 0; i < n; i++) {
            const int64_t whole = ((int64_t *)wide.data)[first + i * step];
            line[i] = (entry){ 0, 0, i };
            if (kind == TESS_KIND_FLOAT) line[i].f = ((double *)wide.data)[first + i * step];
            else line[i].i = kind == TESS_KIND_UINT ? (int64_t)((uint64_t)whole ^ UINT64_C(1) << 63) : whole;
        }
        qsort(line, (size_t)n, sizeof *line, c->descending ? compare_down : compare_up);
        for (int64_t i = 0; i < n; i++) ((int64_t *)c->indices.data)[first + i * step] = line[i].index;
    }
    free(line);
    tess_release(&wide);
}

/* Element i of line k, as a number; NaNs are one, beyond infinity. */
static double number_of(const tess_array *a, int axis, int64_t line, int64_t i)
{
    int64_t at[4];
    for (int d = 3; d >= 0; d--) {
        if (d == axis) at[d] = i;
        else at[d] = line % a->shape.dim[d], line /= a->shape.dim[d];
    }
    double x = 0;
    CHECK_OK(tess_get_f64(&x, a, at[0], at[1], at[2], at[3]));
    return isnan(x) ? (double)INFINITY : isinf(x) ? copysign(DBL_MAX, x) : x;
}

static double sorted_of(const sort_case *c, int64_t line, int64_t i)
{
    return number_of(&c->in, c->axis, line, (int64_t)number_of(&c->indices, c->axis, line, i));
}

static bool fail(const sort_case *c, const char *why)
{
    return test_failed(__FILE__, __LINE__, "%s: %s", c->what, why);
}

/* ---- One layout ---- */

static void check_sort(const sort_case *c, const tess_array *in, layout to)
{
    const tess_sort_opts opts = { .descending = c->descending };
    const int64_t        n = in->shape.dim[c->axis], lines = tess_n_elements(in) / n;
    guarded              out, indices;
    guarded_make(&out, to, in->shape, in->dtype);
    guarded_make(&indices, to, in->shape, TESS_I64);
    CHECK_OK(tess_sort(&out.view, in, c->axis, &opts));
    CHECK_OK(tess_argsort(&indices.view, in, c->axis, &opts));
    bool good = true;
    for (int64_t k = 0; k < lines && good; k++)
        for (int64_t i = 0; i < n && good; i++) {
            if (number_of(&out.view, c->axis, k, i) != sorted_of(c, k, i)) good = fail(c, "sort is wrong");
            if (number_of(&indices.view, c->axis, k, i) != number_of(&c->indices, c->axis, k, i))
                good = fail(c, "argsort is wrong");
        }
    (void)guarded_check(&out, c->what);
    (void)guarded_check(&indices, c->what);
    guarded_free(&out);
    guarded_free(&indices);
}

static void check_parts(const sort_case *c, const tess_array *in, layout to)
{
    const int64_t n = in->shape.dim[c->axis], lines = tess_n_elements(in) / n, k = test_random_in(0, n - 1);
    guarded       out;
    tess_array    values = { 0 }, indices = { 0 }, middle = { 0 };
    bool          good = true;
    guarded_make(&out, to, in->shape, in->dtype);
    CHECK_OK(tess_topk(&values, &indices, in, k, c->axis, &(tess_topk_opts){ .smallest = !c->descending }));
    CHECK_OK(tess_partition(&out.view, in, k, c->axis));
    CHECK_OK(tess_quantile(&middle, in, n > 1 ? (double)k / (double)(n - 1) : 0, TESS_B << c->axis,
                           &(tess_quantile_opts){ .method = TESS_QUANTILE_NEAREST }));
    for (int64_t l = 0; l < lines && good; l++) {
        for (int64_t i = 0; i < k && good; i++)
            if (number_of(&values, c->axis, l, i) != sorted_of(c, l, i) ||
                number_of(&indices, c->axis, l, i) != number_of(&c->indices, c->axis, l, i))
                good = fail(c, "topk is wrong");
        const double kth = number_of(&out.view, c->axis, l, k);
        if (!c->descending && kth != sorted_of(c, l, k)) good = fail(c, "partition is wrong");
        for (int64_t i = 0; i < n && good; i++) {
            const double x = number_of(&out.view, c->axis, l, i);
            if (i < k ? x > kth : x < kth) good = fail(c, "partition is not one");
        }
        const double q = number_of(&middle, c->axis, l, 0);
        if (!isinf(q) && q != kth) good = fail(c, "quantile is wrong");
    }
    (void)guarded_check(&out, c->what);
    guarded_free(&out);
    tess_release(&values);
    tess_release(&indices);
    tess_release(&middle);
}

static void check_case(const char *isa, tess_dtype dtype, tess_shape shape, int axis)
{
    static const int threads[] = { 1, 2, 3 };
    const layout     from = (layout)test_random_in(0, n_output_layouts - 1),
                 to = (layout)test_random_in(0, n_output_layouts - 1);
    const int n_threads = threads[test_random_in(0, 2)];
    sort_case c = { .axis = axis, .descending = test_random_in(0, 1) };
    guarded   in;
    snprintf(c.what, sizeof c.what, "%s: %s of {%d,%d,%d,%d} along %d, %s to %s%s, %d threads", isa,
             tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, axis, layout_names[from],
             layout_names[to], c.descending ? ", descending" : "", n_threads);
    if (!test_wants_case(c.what)) return;
    CHECK_OK(tess_empty(&c.in, shape, dtype, tess_cpu()));
    set_numbers(&c.in);
    find_indices(&c);
    guarded_make(&in, from, shape, dtype);
    CHECK_OK(tess_copy(&in.view, &c.in));
    guarded_snapshot(&in);
    CHECK_OK(tess_threads_set(n_threads));
    check_sort(&c, &in.view, to);
    check_parts(&c, &in.view, to);
    (void)guarded_check(&in, c.what);
    guarded_free(&in);
    tess_release(&c.in);
    tess_release(&c.indices);
}

TEST(against_plain_loops)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) {
            test_skip_part("an instruction set that this processor has not");
            continue;
        }
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (tess_dtype dtype = 1; dtype <= TESS_F64; dtype++)
            for (int s = 0; s < N_SHAPES; s++)
                for (int axis = 0; axis < 4; axis++)
                    if ((shapes[s].dim[axis] > 1 || s == 0) && isa_has_turn(isa) && test_takes_case())
                        check_case(isa->name, dtype, shapes[s], axis);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

/* Elements where a long line is sampled (cpu/sort/select.c) are far from all others: what the sample says is wrong. */
TEST(samples_that_mislead)
{
    enum { N = 1 << 18, SAMPLES = 1 << 12 };
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 1, N), TESS_F32, tess_cpu(), 0, 1));
    float   *x = a.data;
    uint64_t state = 1;
    for (int i = 0; i < SAMPLES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t piece = N / SAMPLES, at = i * piece + (int64_t)((state >> 33) % (uint64_t)piece);
        x[at] = -1.0f - (float)i;
    }
    tess_array sorted = { 0 };
    CHECK_OK(tess_sort(&sorted, &a, 3, NULL));
    const float *want = sorted.data;
    for (int threads = 1; threads <= 3; threads++) {
        CHECK_OK(tess_threads_set(threads));
        double median = 0;
        CHECK_OK(tess_host_median(&median, &a));
        CHECK(median == ((double)want[N / 2 - 1] + (double)want[N / 2]) / 2);
        CHECK_OK(tess_partition(&out, &a, N / 3, 3));
        const float *got = out.data;
        bool         good = got[N / 3] == want[N / 3];
        for (int i = 0; i < N; i++) good = good && (i < N / 3 ? got[i] <= got[N / 3] : got[i] >= got[N / 3]);
        CHECK(good);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
    tess_release(&out);
    tess_release(&sorted);
}

/* All lines from one. */
TEST(broadcast_input)
{
    for (int axis = 0; axis < 4; axis++) {
        tess_array in = { 0 }, whole = { 0 }, full = { 0 }, want = { 0 }, got = { 0 };
        tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
        shape.dim[axis] = 9;
        CHECK_OK(tess_empty(&in, shape, TESS_F32, tess_cpu()));
        set_numbers(&in);
        CHECK_OK(tess_broadcast(&whole, &in, TESS_SHAPE(9, 9, 9, 9)));
        CHECK_OK(tess_copy(&full, &whole));
        for (int other = 0; other < 4; other++) {
            CHECK_OK(tess_argsort(&want, &full, other, NULL));
            CHECK_OK(tess_argsort(&got, &whole, other, NULL));
            CHECK(memcmp(want.data, got.data, (size_t)tess_n_bytes(&want)) == 0);
        }
        tess_release(&in);
        tess_release(&full);
        tess_release(&want);
        tess_release(&got);
    }
}

/* ---- The same bits by every instruction set ---- */

enum { AS_BITS, ALL_EQUAL, RISING, FALLING, FEW_DIFFERENT, ODD_ONES, MISLEADING, PATTERNS };

static int compare_keys(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Where pivot in cpu/sort/quick.c.inc looks, the keys that are not set yet become the next larger ones; the pivot. */
static uint64_t set_sample(uint64_t *key, const int64_t *at, int64_t left, int64_t lanes, uint64_t *used)
{
    uint64_t      some[64];
    const int64_t count = left < 8192 ? 2 * lanes : 4 * lanes;
    for (int64_t i = 0; i < count; i++) {
        uint64_t *one = key + at[((uint64_t)i * 0x9e3779b9u & UINT32_MAX) * (uint64_t)left >> 32];
        if (*one == 0) *one = ++*used;
        some[i] = *one;
    }
    qsort(some, (size_t)count, sizeof *some, compare_keys);
    return some[count / 2];
}

/* Keys whose smallest ones lie where pivots are taken from, each time that the others have been parted by one as part
 * there does it, so that hardly any are. */
static void mislead(uint64_t *key, int64_t n, int64_t lanes)
{
    uint64_t used = 0;
    int64_t *at = malloc(2 * (size_t)n * sizeof *at), *next = at ? at + n : NULL;
    for (int64_t i = 0; at && i < n; i++) at[i] = i, key[i] = 0;
    for (int64_t left = at ? n : 0; left > 32 * lanes && used < (uint64_t)n / 2;) {
        const uint64_t pivot = set_sample(key, at, left, lanes, &used);
        int64_t        back = left;
        for (int64_t first = 0; first < left; first += lanes) {
            const int64_t end = left - first < lanes ? left : first + lanes;
            for (int64_t i = end; i-- > first;)
                if (key[at[i]] == 0 || key[at[i]] >= pivot) next[--back] = at[i];
        }
        left -= back;
        memcpy(at, next + back, (size_t)left * sizeof *at);
    }
    for (int64_t i = 0; at && i < n; i++)
        if (key[i] == 0) key[i] = ++used;
    free(at);
}

static void set_pattern(tess_array *a, int pattern)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0 };
    const int64_t       n = tess_n_elements(a), size = (int64_t)tess_dtype_size(a->dtype);
    uint64_t           *bits = malloc((size_t)n * sizeof *bits);
    for (int64_t i = 0; bits && i < n; i++) {
        const uint64_t random = (uint64_t)test_random() << 32 ^ (uint64_t)test_random();
        bits[i] = pattern == AS_BITS     ? random
                  : pattern == ALL_EQUAL ? UINT64_MAX
                  : pattern == RISING    ? (uint64_t)i
                  : pattern == FALLING   ? (uint64_t)-i
                                         : UINT64_MAX - random % 3;
    }
    if (bits && pattern == MISLEADING) mislead(bits, n, 64 / size);
    for (int64_t i = 0; bits && i < n; i++) {
        char        *to = (char *)a->data + i * size;
        const double x = odd[test_random_in(0, 6)];
        const float  y = (float)x;
        memcpy(to, bits + i, (size_t)size);
        if (pattern == ODD_ONES && a->dtype == TESS_F64) memcpy(to, &x, sizeof x);
        if (pattern == ODD_ONES && a->dtype == TESS_F32) memcpy(to, &y, sizeof y);
    }
    free(bits);
}

static void compare_isas(const tess_array *in, const tess_sort_opts *opts, const char *what)
{
    tess_array want = { 0 }, indices = { 0 }, got = { 0 };
    CHECK_OK(tess_cpu_limit_set(tess__isas[0].name));
    CHECK_OK(tess_sort(&want, in, 3, opts));
    CHECK_OK(tess_argsort(&indices, in, 3, opts));
    for (const tess__isa *isa = tess__isas + 1; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_sort(&got, in, 3, opts));
        if (memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) != 0)
            test_failed(__FILE__, __LINE__, "%s: %s: sort has other bits", isa->name, what);
        tess_release(&got);
        CHECK_OK(tess_argsort(&got, in, 3, opts));
        if (memcmp(got.data, indices.data, (size_t)tess_n_bytes(&indices)) != 0)
            test_failed(__FILE__, __LINE__, "%s: %s: argsort has other indices", isa->name, what);
        tess_release(&got);
    }
    tess_release(&want);
    tess_release(&indices);
}

TEST(same_bits_by_all)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_I32, TESS_U32, TESS_F64, TESS_I64, TESS_U64 };
    static const int64_t    lengths[] = {
           1,   2,   7,   8,   9,   15,  16,  17,  31,  32,  33,   63,   64,   65,    127,
           128, 129, 255, 256, 257, 300, 511, 512, 513, 600, 1025, 4096, 9000, 20000, 70000
    };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                char                 what[80];
                const tess_sort_opts opts = { .descending = pattern != MISLEADING && test_random_in(0, 1) };
                if (!test_takes_case()) continue;
                tess_array in = { 0 };
                CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 1, lengths[l]), dtypes[d], tess_cpu()));
                snprintf(what, sizeof what, "%s, %d elements, pattern %d", tess_dtype_name(dtypes[d]), (int)lengths[l],
                         pattern);
                set_pattern(&in, pattern);
                compare_isas(&in, &opts, what);
                tess_release(&in);
            }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

/* Lines so long that they are dealt out by classes: even numbers, few that are far from all others, and ones that are
 * nearly all the same; also where threads share them. */
TEST(lines_dealt_out)
{
    enum { N = (1 << 22) + 5 };
    for (int pattern = 0; pattern < 3; pattern++) {
        if (pattern > 0 && !test_takes_case()) continue;
        tess_array in = { 0 }, out = { 0 }, indices = { 0 };
        CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 1, N), TESS_U64, tess_cpu()));
        uint64_t *x = in.data;
        for (int64_t i = 0; i < N; i++) {
            const uint64_t random = (uint64_t)test_random() << 32 ^ (uint64_t)test_random();
            x[i] = pattern == 0 ? random : pattern == 1 ? random >> 40 : 7;
            if (pattern > 0 && i % 99991 == 0) x[i] = random;
        }
        for (int threads = 1; threads <= 3; threads++) {
            CHECK_OK(tess_threads_set(threads));
            CHECK_OK(tess_sort(&out, &in, 3, NULL));
            CHECK_OK(tess_argsort(&indices, &in, 3, NULL));
            const uint64_t *sorted = out.data;
            const int64_t  *at = indices.data;
            bool            good = true;
            for (int64_t i = 0; i < N && good; i++) {
                good = at[i] >= 0 && at[i] < N && x[at[i]] == sorted[i];
                if (i > 0)
                    good = good && (sorted[i - 1] < sorted[i] || (sorted[i - 1] == sorted[i] && at[i - 1] < at[i]));
            }
            CHECK(good);
        }
        tess_release(&in);
        tess_release(&out);
        tess_release(&indices);
    }
    CHECK_OK(tess_threads_set(0));
}
