/* Products of matrices against naive loops: integers exactly, for every dtype, form, layout and sizes about those
 * of blocks, with every instruction set and with a BLAS; others within their rounding errors, and with the same bits for
 * every layout, number of threads and instruction set that fuses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/isas.h"
#include "support/layouts.h"

static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64, TESS_I64, TESS_U64 };
enum { N_DTYPES = 6 };

/* ---- Elements as pairs of numbers ---- */

typedef struct number {
    double re, im;
} number;

static number read_element(const tess_array *a, const int64_t position[4])
{
    number      z = { 0, 0 };
    const void *at = element_at(a, position);
    float       f[2];
    switch (a->dtype) {
    case TESS_F32: memcpy(f, at, 4), z.re = (double)f[0]; break;
    case TESS_C32: memcpy(f, at, 8), z.re = (double)f[0], z.im = (double)f[1]; break;
    case TESS_F64: memcpy(&z.re, at, 8); break;
    case TESS_C64: memcpy(&z, at, 16); break;
    default: {
        int64_t i;
        memcpy(&i, at, 8);
        z.re = (double)i;
    }
    }
    return z;
}

static void write_element(const tess_array *a, const int64_t position[4], number z)
{
    void       *at = element_at(a, position);
    const float f[2] = { (float)z.re, (float)z.im };
    switch (a->dtype) {
    case TESS_F32: memcpy(at, f, 4); break;
    case TESS_C32: memcpy(at, f, 8); break;
    case TESS_F64: memcpy(at, &z.re, 8); break;
    case TESS_C64: memcpy(at, &z, 16); break;
    default: {
        const int64_t i = (int64_t)z.re;
        memcpy(at, &i, 8);
    }
    }
}

static void set_whole(void *context, const int64_t position[4])
{
    const number z = { (double)test_random_in(-8, 8), (double)test_random_in(-8, 8) };
    write_element(context, position, z);
}

static void set_any(void *context, const int64_t position[4])
{
    const number z = { test_random_unit() * 2 - 1, test_random_unit() * 2 - 1 };
    write_element(context, position, z);
}

static void set_nan(void *context, const int64_t position[4])
{
    write_element(context, position, (number){ (double)NAN, (double)NAN });
}

/* ---- Reference ---- */

typedef struct problem {
    tess_shape       shape; /* of out */
    int64_t          k;
    tess_dtype       dtype;
    tess_matmul_opts opts;
    guarded          a, b, out;
    number          *before; /* out, in order */
    int              threads;
    char             what[256];
} problem;

/* An element of a or b as the product sees it. */
static number factor(const tess_array *x, int32_t form, int64_t b, int64_t d, int64_t h, int64_t w)
{
    const bool    turned = form == TESS_MATRIX_TRANSPOSE || form == TESS_MATRIX_CONJUGATE;
    const int64_t position[4] = { x->shape.b == 1 ? 0 : b, x->shape.d == 1 ? 0 : d, turned ? w : h, turned ? h : w };
    number        z = read_element(x, position);
    if (form == TESS_MATRIX_CONJUGATE) z.im = -z.im;
    return z;
}

typedef struct wanted {
    long double re, im, size; /* size: sum of magnitudes, for the error */
} wanted;

/* Of a row of a and a column of b. */
static wanted want_at(const problem *p, const number *row, const number *column, number before, bool whole)
{
    wanted       s = { 0, 0, 0 };
    double       re = 0, im = 0; /* integers are exact in these */
    const double alpha = p->opts.alpha != 0 ? p->opts.alpha : 1;
    for (int64_t k = 0; k < p->k; k++) {
        const number x = row[k], y = column[k];
        if (whole) {
            re += x.re * y.re - x.im * y.im, im += x.re * y.im + x.im * y.re;
            continue;
        }
        s.re += (long double)x.re * (long double)y.re - (long double)x.im * (long double)y.im;
        s.im += (long double)x.re * (long double)y.im + (long double)x.im * (long double)y.re;
        s.size += (long double)((fabs(x.re) + fabs(x.im)) * (fabs(y.re) + fabs(y.im)));
    }
    s.re = (s.re + (long double)re) * (long double)alpha, s.im = (s.im + (long double)im) * (long double)alpha;
    if (p->opts.beta != 0) {
        s.re += (long double)(p->opts.beta * before.re), s.im += (long double)(p->opts.beta * before.im);
        s.size += (long double)(fabs(before.re) + fabs(before.im));
    }
    return s;
}

/* A matrix of a or b as the product sees it, row after row or column after column. */
static number *factors(const tess_array *x, int32_t form, int64_t b, int64_t d, int64_t rows, int64_t columns,
                       bool by_rows)
{
    const int64_t outer = by_rows ? rows : columns, inner = by_rows ? columns : rows;
    number       *z = malloc(sizeof *z * (size_t)(rows * columns + 1));
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < inner; j++)
            z[i * inner + j] = by_rows ? factor(x, form, b, d, i, j) : factor(x, form, b, d, j, i);
    return z;
}

static bool check_matrix(const problem *p, int64_t b, int64_t d, const number *before, bool whole)
{
    const double  unit = tess_dtype_real(p->dtype) == TESS_F32 ? 0x1p-23 : 0x1p-52;
    const int64_t columns = p->shape.w;
    number       *x = factors(&p->a.view, p->opts.form_a, b, d, p->shape.h, p->k, true);
    number       *y = factors(&p->b.view, p->opts.form_b, b, d, p->k, columns, false);
    bool          good = true;
    for (int64_t h = 0; h < p->shape.h; h++)
        for (int64_t w = 0; w < columns && good; w++) {
            const number      got = read_element(&p->out.view, (int64_t[]){ b, d, h, w });
            const wanted      want = want_at(p, x + h * p->k, y + w * p->k, before[h * columns + w], whole);
            const long double slack = whole ? 0 : (long double)(unit * sqrt((double)p->k + 4)) * want.size * 2;
            if (fabsl((long double)got.re - want.re) <= slack && fabsl((long double)got.im - want.im) <= slack)
                continue;
            good =
                test_failed(__FILE__, __LINE__, "%s: at {%d,%d,%d,%d} %.17g and %.17gi, not %.17g and %.17gi", p->what,
                            (int)b, (int)d, (int)h, (int)w, got.re, got.im, (double)want.re, (double)want.im);
        }
    free(x);
    free(y);
    return good;
}

static void check_result(const problem *p, bool whole)
{
    const number *before = p->before;
    for (int64_t b = 0; b < p->shape.b; b++)
        for (int64_t d = 0; d < p->shape.d; d++, before += p->shape.h * p->shape.w)
            if (!check_matrix(p, b, d, before, whole)) return;
}

/* ---- Cases ---- */

static const char *isa_now = "";

static void describe(problem *p, const char *const names[3])
{
    static const char *const forms[] = { "", "", "^T", "^H" };
    snprintf(p->what, sizeof p->what,
             "%s %s: {%d,%d} of %d by %d by %d, a%s %s, b%s %s, out %s, alpha %g, beta %g, %d threads", isa_now,
             tess_dtype_name(p->dtype), (int)p->shape.b, (int)p->shape.d, (int)p->shape.h, (int)p->shape.w, (int)p->k,
             forms[p->opts.form_a], names[0], forms[p->opts.form_b], names[1], names[2], p->opts.alpha, p->opts.beta,
             p->threads);
}

static tess_shape turned_shape(tess_shape shape, int32_t form)
{
    return form == TESS_MATRIX_TRANSPOSE || form == TESS_MATRIX_CONJUGATE
               ? TESS_SHAPE(shape.b, shape.d, shape.w, shape.h)
               : shape;
}

static void keep_before(problem *p)
{
    int64_t i = 0;
    p->before = malloc(sizeof *p->before * (size_t)(tess_n_elements(&p->out.view) + 1));
    for (int64_t b = 0; b < p->shape.b; b++)
        for (int64_t d = 0; d < p->shape.d; d++)
            for (int64_t h = 0; h < p->shape.h; h++)
                for (int64_t w = 0; w < p->shape.w; w++)
                    p->before[i++] = read_element(&p->out.view, (int64_t[]){ b, d, h, w });
}

/* Shapes of a and b as they lie in memory; their B and D are 1 here and there. */
static void choose_shapes(const problem *p, tess_shape *a, tess_shape *b)
{
    tess_shape sa = { { p->shape.b, p->shape.d, p->shape.h, p->k } };
    tess_shape sb = { { p->shape.b, p->shape.d, p->k, p->shape.w } };
    if (test_random_in(0, 2) == 0) sa.b = 1;
    if (test_random_in(0, 2) == 0) sb.b = sa.b == 1 ? sb.b : 1;
    if (test_random_in(0, 2) == 0) sb.d = 1;
    *a = turned_shape(sa, p->opts.form_a);
    *b = turned_shape(sb, p->opts.form_b);
}

/* With arrays that were made. What is in out must not be read if beta is 0: it is not a number then. */
static void check_made(problem *p, bool whole)
{
    const bool unread = p->opts.beta == 0 && p->dtype != TESS_I64 && p->dtype != TESS_U64;
    each_index(p->a.view.shape, whole ? set_whole : set_any, &p->a.view);
    each_index(p->b.view.shape, whole ? set_whole : set_any, &p->b.view);
    each_index(p->out.view.shape, unread ? set_nan : whole ? set_whole : set_any, &p->out.view);
    keep_before(p);
    guarded_snapshot(&p->out);
    CHECK_OK(tess_threads_set(p->threads));
    if (CHECK_OK(tess_matmul(&p->out.view, &p->a.view, &p->b.view, &p->opts))) check_result(p, whole);
    (void)guarded_check(&p->out, p->what);
    free(p->before);
    guarded_free(&p->a);
    guarded_free(&p->b);
    guarded_free(&p->out);
}

/* One product in these layouts. */
static void check_layouts(tess_dtype dtype, tess_shape shape, int64_t k, bool whole, const tess_matmul_opts *opts,
                          const layout kinds[3])
{
    problem    p = { .shape = shape, .k = k, .dtype = dtype, .opts = *opts, .threads = (int)test_random_in(1, 3) };
    tess_shape sa, sb;
    choose_shapes(&p, &sa, &sb);
    describe(&p, (const char *[]){ layout_names[kinds[0]], layout_names[kinds[1]], layout_names[kinds[2]] });
    if (!test_wants_case(p.what)) return;
    guarded_make(&p.a, kinds[0], sa, dtype);
    guarded_make(&p.b, kinds[1], sb, dtype);
    guarded_make(&p.out, kinds[2], shape, dtype);
    check_made(&p, whole);
}

/* In random ones. */
static void check_product(tess_dtype dtype, tess_shape shape, int64_t k, bool whole)
{
    const tess_matmul_opts opts = { .form_a = (int32_t)test_random_in(0, 3),
                                    .form_b = (int32_t)test_random_in(0, 3),
                                    .alpha = (double)test_random_in(-1, 2),
                                    .beta = (double)test_random_in(-1, 2) };
    const layout kinds[3] = { (layout)test_random_in(0, n_layouts - 1), (layout)test_random_in(0, n_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1) };
    check_layouts(dtype, shape, k, whole, &opts, kinds);
}

static const int64_t sizes[] = { 1, 3, 31, 63, 64, 65, 129, 257 };
enum { N_SIZES = 8 };

static int64_t some_size(int64_t most)
{
    int64_t n = sizes[test_random_in(0, N_SIZES - 1)];
    while (n > most) n = sizes[test_random_in(0, N_SIZES - 1)];
    return n;
}

/* Each size in each place. */
static void check_sizes(tess_dtype dtype, bool whole)
{
    for (int s = 0; s < N_SIZES; s++)
        for (int at = 0; at < 3; at++) {
            if (!test_takes_case()) continue;
            const int64_t most = sizes[s] > 100 ? 64 : 129;
            int64_t       n[3] = { some_size(most), some_size(most), some_size(whole ? most : 31) };
            n[at] = sizes[s];
            check_product(dtype, TESS_SHAPE(1, 1, n[0], n[1]), n[2], whole);
        }
    for (int i = 0; i < test_fewer(12); i++)
        check_product(dtype, TESS_SHAPE(test_random_in(1, 5), test_random_in(1, 3), some_size(64), some_size(64)),
                      test_random_in(0, 40), whole);
}

/* Those that are used where they lie: any a, rows of b and out that are contiguous. */
static void check_small(tess_dtype dtype)
{
    static const int64_t small[] = { 1, 2, 3, 4, 5, 7, 8, 9, 13, 17, 29 };
    for (int m = 0; m < 11; m++)
        for (int n = m % 2; n < 11; n += 2) {
            if (!test_takes_case()) continue;
            const tess_matmul_opts opts = { .form_a = (int32_t)test_random_in(0, 3),
                                            .alpha = (double)test_random_in(-1, 2) };
            const layout           kinds[3] = { (layout)test_random_in(0, n_layouts - 1), 0, 0 };
            check_layouts(dtype, TESS_SHAPE(2, 1, small[m], small[n]), small[(m + 3 * n) % 11], true, &opts, kinds);
        }
    for (int i = 2; i < 5; i++) check_product(dtype, TESS_SHAPE(3, 2, i, i), i, true);
}

/* About the edges of every tile and vector, where they lie and not; b turned in memory is taken by its rows. */
static void check_edges(tess_dtype dtype)
{
    for (int64_t n = 1; n <= 35; n++) {
        if (!test_takes_case()) continue;
        const int64_t          m = 1 + n * 7 % 27, k = 1 + n * 5 % 19;
        const tess_matmul_opts opts = { .form_a = (int32_t)test_random_in(0, 3),
                                        .form_b = n % 2 ? TESS_MATRIX_CONJUGATE : TESS_MATRIX_AS_IS,
                                        .alpha = (double)test_random_in(-1, 2),
                                        .beta = n % 5 == 4 ? 2 : 0 };
        const layout           kinds[3] = { (layout)test_random_in(0, n_layouts - 1),
                                  n % 2 ? layout_column_major : layout_contiguous, layout_contiguous };
        check_layouts(dtype, n % 2 ? TESS_SHAPE(1, 1, m, n) : TESS_SHAPE(2, 2, m, n), k, true, &opts, kinds);
    }
}

/* Few columns, or few steps: rows of a are used where they lie, in slices of the depth. */
static void check_thin(tess_dtype dtype)
{
    static const int64_t cases[][3] = { { 250, 2, 300 }, { 61, 5, 513 }, { 245, 8, 257 }, { 26, 15, 270 },
                                        { 14, 32, 260 }, { 300, 70, 8 }, { 37, 300, 31 }, { 5, 290, 32 } };
    for (int i = 0; i < 8; i++)
        for (int beta = 0; beta < 3; beta += 2) {
            if (!test_takes_case()) continue;
            const tess_matmul_opts opts = { .form_a = (int32_t)test_random_in(0, 3), .alpha = -1, .beta = beta };
            const layout           kinds[3] = { (layout)test_random_in(0, n_layouts - 1), 0, 0 };
            check_layouts(dtype, TESS_SHAPE(1, 1, cases[i][0], cases[i][1]), cases[i][2], true, &opts, kinds);
        }
}

/* One row or one column, about the sizes of tasks, chains and slices of the depth. */
static void check_vectors(tess_dtype dtype, bool whole)
{
    static const int64_t rows[] = { 2, 7, 8, 17, 63, 65, 130, 257, 1023, 4100 };
    static const int64_t depths[] = { 3, 31, 32, 35, 255, 257, 289, 520 };
    for (int i = 0; i < 10; i++)
        for (int j = i % 2; j < 8; j += 2) {
            if (test_takes_case()) check_product(dtype, TESS_SHAPE(1, 1, rows[i], 1), depths[j], whole);
            if (test_takes_case()) check_product(dtype, TESS_SHAPE(1, 1, 1, rows[i]), depths[j], whole);
        }
}

static void check_whole_numbers(void)
{
    for (int d = 0; d < N_DTYPES; d++) {
        check_sizes(dtypes[d], true);
        check_small(dtypes[d]);
        check_edges(dtypes[d]);
        check_thin(dtypes[d]);
        check_vectors(dtypes[d], true);
        if (test_takes_case()) check_product(dtypes[d], TESS_SHAPE(1, 1, 129, 129), 129, true);
        if (test_takes_case()) check_product(dtypes[d], TESS_SHAPE(1, 1, 257, 65), 257, true);
        if (test_takes_case()) check_product(dtypes[d], TESS_SHAPE(3, 1, 131, 130), 140, true);
    }
}

TEST(whole_numbers_are_exact)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        isa_now = isa->name;
        check_whole_numbers();
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

TEST(others_are_near)
{
    for (int d = 0; d < 4; d++) {
        check_sizes(dtypes[d], false);
        check_vectors(dtypes[d], false);
    }
    CHECK_OK(tess_threads_set(0));
}

/* ---- With a BLAS ---- */

/* These run as a child, since TESS_BLAS is read once: it names a library that counts its calls (tests/blas), and
 * COUNTING_BLAS_TO the one that multiplies, or none: then it does that itself. */

/* Matrices that a BLAS takes, and others. */
typedef enum matrix_layout {
    ROWS,
    COLUMNS,
    PADDED_ROWS,
    PADDED_COLUMNS,
    N_TAKEN,
    STEPPED = N_TAKEN,
    N_MATRICES
} matrix_layout;

static bool by_columns(matrix_layout kind) { return kind == COLUMNS || kind == PADDED_COLUMNS; }

static void make_matrix(guarded *g, matrix_layout kind, tess_shape shape, tess_dtype dtype)
{
    const int64_t pad = kind == PADDED_ROWS || kind == PADDED_COLUMNS ? test_random_in(1, 9) : 0;
    tess_shape    wide = by_columns(kind) ? turned_shape(shape, TESS_MATRIX_TRANSPOSE) : shape;
    wide.w += pad;
    guarded_make(g, kind == STEPPED ? layout_reversed : layout_contiguous, wide, dtype);
    g->view.shape.w -= pad;
    if (by_columns(kind)) CHECK_OK(tess_transpose(&g->view, &g->view));
}

/* A conjugated matrix is taken if it lies as out does: a BLAS conjugates what it transposes. */
static bool takes(tess_dtype dtype, int32_t form, matrix_layout kind, matrix_layout out)
{
    const bool conjugates = form == TESS_MATRIX_CONJUGATE && tess_dtype_real(dtype) != dtype;
    return kind < N_TAKEN && out < N_TAKEN && (!conjugates || by_columns(kind) == by_columns(out));
}

static int64_t (*calls_of)(int);

/* One product, and whether the function of its dtype, number d, was called for each of its matrices. */
static void check_by_blas(int d, const tess_matmul_opts *opts, const matrix_layout kinds[3], bool whole)
{
    static const char *const names[] = { "rows", "columns", "padded rows", "padded columns", "reversed" };
    problem                  p = { .shape = TESS_SHAPE(test_random_in(3, 6) / 3, test_random_in(3, 6) / 3, 129, 131),
                                   .k = 140,
                                   .dtype = dtypes[d],
                                   .opts = *opts,
                                   .threads = (int)test_random_in(1, 3) };
    const int64_t            batch = p.shape.b * p.shape.d, before = calls_of(d);
    const bool               taken =
        takes(p.dtype, opts->form_a, kinds[0], kinds[2]) && takes(p.dtype, opts->form_b, kinds[1], kinds[2]);
    tess_shape sa, sb;
    choose_shapes(&p, &sa, &sb);
    describe(&p, (const char *[]){ names[kinds[0]], names[kinds[1]], names[kinds[2]] });
    if (!test_wants_case(p.what)) return;
    make_matrix(&p.a, kinds[0], sa, p.dtype);
    make_matrix(&p.b, kinds[1], sb, p.dtype);
    make_matrix(&p.out, kinds[2], p.shape, p.dtype);
    check_made(&p, whole);
    if (calls_of(d) - before != (taken ? batch : 0))
        (void)test_failed(__FILE__, __LINE__, "%s: the BLAS was called %" PRId64 " times", p.what,
                          calls_of(d) - before);
}

/* Every dtype and forms of a and b, with one in `share` of the layouts of out; all else at random. */
static void check_all_by_blas(bool whole, int share)
{
    for (int d = 0; d < 4; d++)
        for (int32_t form_a = TESS_MATRIX_AS_IS; form_a <= TESS_MATRIX_CONJUGATE; form_a++)
            for (int32_t form_b = TESS_MATRIX_AS_IS; form_b <= TESS_MATRIX_CONJUGATE; form_b++)
                for (int out = 0; out < N_MATRICES; out++) {
                    const tess_matmul_opts opts = { .form_a = form_a,
                                                    .form_b = form_b,
                                                    .alpha = (double)test_random_in(-1, 2),
                                                    .beta = (double)test_random_in(0, 1) * 2 };
                    const matrix_layout    kinds[3] = { (matrix_layout)test_random_in(0, N_MATRICES - 1),
                                                        (matrix_layout)test_random_in(0, N_TAKEN - 1),
                                                        (matrix_layout)out };
                    if (test_random_in(1, share) == 1 && test_takes_case()) check_by_blas(d, &opts, kinds, whole);
                }
}

/* Too little work, a vector, and numbers that a BLAS does not know are ours. */
static void check_others_beside_blas(void)
{
    int64_t before = 0, after = 0;
    for (int d = 0; d < 4; d++) before += calls_of(d);
    for (int d = 0; d < N_DTYPES; d++) {
        check_product(dtypes[d], TESS_SHAPE(1, 1, 127, 128), 128, true);
        check_product(dtypes[d], TESS_SHAPE(1, 1, 1, 4100), 520, true);
        check_product(dtypes[d], TESS_SHAPE(1, 1, 4100, 1), 520, true);
    }
    check_product(TESS_I64, TESS_SHAPE(1, 1, 129, 131), 140, true);
    for (int d = 0; d < 4; d++) after += calls_of(d);
    CHECK_I64(after - before, 0);
}

static void check_as_child(void)
{
    void *library = dlopen(COUNTING_BLAS, RTLD_NOW | RTLD_LOCAL);
    isa_now = "BLAS";
    CHECK(strncmp(tess_linalg_provider(), COUNTING_BLAS, strlen(tess_linalg_provider())) == 0);
    if (!CHECK(library != NULL)) return;
    *(void **)&calls_of = dlsym(library, "counting_blas_calls");
    if (!CHECK(calls_of != NULL)) return;
    check_all_by_blas(true, 6);
    check_all_by_blas(false, 20);
    check_others_beside_blas();
    (void)dlclose(library);
}

enum { PASSED, FAILED, NO_BLAS = 3 };

/* The exit status of this program's test of this name with these variables. */
static int status_of(const char *test, const char *provider, const char *another)
{
    char        variables[3][512];
    int         status = -1;
    const pid_t child = fork();
    if (child == 0) {
        (void)snprintf(variables[0], sizeof variables[0], "TESS_BLAS=%s", provider);
        (void)snprintf(variables[1], sizeof variables[1], "COUNTING_BLAS_TO=%s", another);
        const char *sample = getenv("TESS_TEST_SAMPLE");
        (void)snprintf(variables[2], sizeof variables[2], "TESS_TEST_SAMPLE=%s", sample ? sample : "1");
        char name[64] = "";
        (void)snprintf(name, sizeof name, "%s", test);
        if (*another && !dlopen(another, RTLD_NOW | RTLD_LOCAL)) _exit(NO_BLAS);
        execve("/proc/self/exe", (char *[]){ "matmul", name, NULL },
               (char *[]){ variables[0], variables[1], variables[2], "OPENBLAS_NUM_THREADS=2", NULL });
        _exit(2);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_child(void) { return getenv("COUNTING_BLAS_TO") != NULL; }

TEST(a_blas_is_called_for_what_it_takes)
{
    if (is_child()) check_as_child();
    else CHECK_I64(status_of("a_blas_is_called_for_what_it_takes", COUNTING_BLAS, ""), PASSED);
}

TEST(an_installed_blas_gives_the_same)
{
    static const char *const known[] = { "libopenblas.so.0", "libcblas.so.3", "libblas.so.3" };
    int                      status = NO_BLAS;
    if (is_child()) {
        check_as_child();
        return;
    }
    for (int i = 0; i < 3 && status == NO_BLAS; i++)
        status = status_of("an_installed_blas_gives_the_same", COUNTING_BLAS, known[i]);
    if (status == NO_BLAS) test_skip("no BLAS is installed (libopenblas0-pthread)");
    else CHECK_I64(status, PASSED);
}

/* ---- The same bits ---- */

/* The product of contiguous arrays again: from other layouts, into another, with other threads. */
static void check_bits(const tess_array *a, const tess_array *b, const tess_array *want)
{
    guarded      x, y, out;
    tess_array   got = { 0 };
    const layout kinds[3] = { (layout)test_random_in(0, n_output_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1) };
    const int    threads = (int)test_random_in(1, 3);
    guarded_make(&x, kinds[0], a->shape, a->dtype);
    guarded_make(&y, kinds[1], b->shape, b->dtype);
    guarded_make(&out, kinds[2], want->shape, want->dtype);
    CHECK_OK(tess_copy(&x.view, a));
    CHECK_OK(tess_copy(&y.view, b));
    CHECK_OK(tess_threads_set(threads));
    CHECK_OK(tess_matmul(&out.view, &x.view, &y.view, NULL));
    CHECK_OK(tess_copy(&got, &out.view));
    if (memcmp(got.data, want->data, (size_t)tess_n_bytes(want)) != 0)
        (void)test_failed(__FILE__, __LINE__, "%s %s: other bits from %s and %s to %s with %d threads", isa_now,
                          tess_dtype_name(a->dtype), layout_names[kinds[0]], layout_names[kinds[1]],
                          layout_names[kinds[2]], threads);
    tess_release(&got);
    guarded_free(&x);
    guarded_free(&y);
    guarded_free(&out);
}

/* Processors of the x86 family before v3 have no fused multiplication. */
static bool fuses(const char *isa)
{
#if defined(__x86_64__)
    return strcmp(isa, "v3") == 0 || strcmp(isa, "v4") == 0;
#else
    return isa != NULL;
#endif
}

TEST(same_bits_everywhere)
{
    static const int64_t cases[][3] = { { 5, 7, 9 },       { 64, 64, 64 },   { 65, 130, 300 }, { 200, 70, 513 },
                                        { 3, 3, 3 },       { 4, 2, 5 },      { 70, 1, 513 },   { 1, 70, 513 },
                                        { 3, 1, 3 },       { 33, 37, 70 },   { 13, 9, 20 },    { 4, 4, 4 },
                                        { 6, 3, 40 },      { 25, 17, 9 },    { 300, 6, 513 },  { 300, 16, 257 },
                                        { 5, 1, 31 },      { 1, 5, 32 },     { 7, 1, 32 },     { 1, 9, 47 },
                                        { 9, 1, 289 },     { 1, 300, 290 },  { 600, 1, 67 },   { 1, 1, 600 },
                                        { 1, 1100, 1030 }, { 1100, 1, 1030 } };
    for (int d = 0; d < 4; d++)
        for (int c = 0; c < 26; c++) {
            tess_array a = { 0 }, b = { 0 }, want = { 0 };
            CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 2, cases[c][0], cases[c][2]), dtypes[d], tess_cpu()));
            CHECK_OK(tess_empty(&b, TESS_SHAPE(1, 2, cases[c][2], cases[c][1]), dtypes[d], tess_cpu()));
            each_index(a.shape, set_any, &a);
            each_index(b.shape, set_any, &b);
            for (const tess__isa *isa = tess__isas; isa->name; isa++) {
                if (!isa->supported() || !fuses(isa->name)) continue;
                CHECK_OK(tess_cpu_limit_set(isa->name));
                isa_now = isa->name;
                CHECK_OK(tess_threads_set(1));
                if (!want.data) CHECK_OK(tess_matmul(&want, &a, &b, NULL));
                for (int i = 0; i < 4; i++) check_bits(&a, &b, &want);
            }
            tess_release(&a);
            tess_release(&b);
            tess_release(&want);
        }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

/* ---- Columns of a matrix times a vector ---- */

/* -1 times a row by a matrix, plus twice what was in out: all are whole numbers, and sums are exact. */
static void check_row(const tess_array *row, const tess_array *matrix, const int64_t *want, int threads)
{
    const tess_matmul_opts opts = { .alpha = -1, .beta = 2 };
    tess_array             out = { 0 };
    CHECK_OK(tess_arange(&out, TESS_SHAPE(1, 1, 1, matrix->shape.w), TESS_F32, tess_cpu(), 0, 1));
    CHECK_OK(tess_threads_set(threads));
    CHECK_OK(tess_matmul(&out, row, matrix, &opts));
    for (int64_t w = 0; w < matrix->shape.w; w++) {
        const double got = read_element(&out, (int64_t[]){ 0, 0, 0, w }).re, sum = (double)(2 * w - want[w]);
        if (!(got == sum)) {
            (void)test_failed(__FILE__, __LINE__, "column %d with %d threads: %.9g, not %.9g", (int)w, threads, got,
                              sum);
            break;
        }
    }
    tess_release(&out);
}

/* So large that blocks of its rows are the threads' tasks. */
static void check_large(int64_t steps, int64_t n)
{
    tess_array row = { 0 }, matrix = { 0 };
    int64_t   *want = calloc((size_t)n, sizeof *want);
    CHECK_OK(tess_empty(&row, TESS_SHAPE(1, 1, 1, steps), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&matrix, TESS_SHAPE(1, 1, steps, n), TESS_F32, tess_cpu()));
    float *v = row.data, *x = matrix.data;
    for (int64_t k = 0; k < steps; k++) {
        v[k] = (float)test_random_in(-8, 8);
        for (int64_t w = 0; w < n; w++) {
            const int64_t factor = (k * 7 + w * 5) % 17 - 8;
            x[k * n + w] = (float)factor;
            want[w] += (int64_t)v[k] * factor;
        }
    }
    for (int threads = 1; threads <= 17; threads += threads < 3 ? 1 : 7) check_row(&row, &matrix, want, threads);
    CHECK_OK(tess_threads_set(0));
    tess_release(&row);
    tess_release(&matrix);
    free(want);
}

TEST(rows_of_large_matrices_are_shared)
{
    check_large(9000, 1000); /* in several rounds, if there are two threads */
    check_large(1200, 5000);
    check_large(150000, 9);
}

/* One row after the other, as large narrow matrices are read, gives the bits of the other order. */
TEST(rows_are_read_in_either_order)
{
    enum { N = 37, DEPTH = 75 };
    _Alignas(64) double x[N * DEPTH], v[DEPTH], sums[2][2 * N]; /* TESS__GEMV_BYTES for each column */
    for (int i = 0; i < N * DEPTH; i++) x[i] = test_random_unit() - 0.5;
    for (int i = 0; i < DEPTH; i++) v[i] = test_random_unit() - 0.5;
    for (int d = 0; d < 2; d++)
        for (int depth = 1; depth <= DEPTH; depth += depth < 36 ? 1 : 39) {
            const tess__matmul_kernel *kernel = tess__cpu_kernels()->linalg.matmul[dtypes[d]];
            float                      narrow[N * DEPTH], by[DEPTH];
            for (int i = 0; i < N * DEPTH; i++) narrow[i] = (float)x[i];
            for (int i = 0; i < DEPTH; i++) by[i] = (float)v[i];
            const void *matrix = d == 0 ? (void *)narrow : x, *vector = d == 0 ? (void *)by : v;
            tess__gemv  in = { matrix, vector, 1, N, N, depth, false };
            for (int i = 0; i < 2; i++, in.sequential = true) kernel->gemv(sums[i], &in);
            if (memcmp(sums[0], sums[1], N * (size_t)tess_dtype_size(dtypes[d])) != 0)
                (void)test_failed(__FILE__, __LINE__, "%s, %d steps", tess_dtype_name(dtypes[d]), depth);
        }
}
