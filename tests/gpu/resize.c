/* Window extraction, insertion and binning on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"

static const tess_dtype moved[] = { TESS_F32, TESS_U8, TESS_VEC3_F32, TESS_C64, TESS_F16, TESS_MAT44_F64, TESS_C32 };
enum { N_MOVED = sizeof moved / sizeof moved[0] };

/* An array on the host, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void set_bytes(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *at = element_at(a, position);
    for (size_t i = 0; i < tess_dtype_size(a->dtype); i++) at[i] = (unsigned char)test_random();
}

static layout random_layout(layout n) { return (layout)test_random_in(0, (int64_t)n - 1); }

static void make_any(pair *p, tess_shape shape, tess_dtype dtype, tess_device device, layout n)
{
    guarded_make(&p->host, random_layout(n), shape, dtype);
    each_index(shape, set_bytes, &p->host.view);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

/* Floats with fractions, or small integers. */
static void make_numbers(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    guarded_make(&p->host, random_layout(n_output_layouts), shape, dtype);
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX)
        CHECK_OK(tess_random_uniform(&p->host.view, -2, 3, test_random(), NULL));
    else CHECK_OK(tess_random_integers(&p->host.view, 0, dtype == TESS_BOOL ? 1 : 100, test_random(), NULL));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

static void check_same(const pair *p, const char *what, const tess_array *in)
{
    if (test_same_bits(&p->gpu, &p->host.view)) return;
    const int64_t *a = in->shape.dim, *b = p->host.view.shape.dim;
    (void)test_failed(__FILE__, __LINE__, "%s, %s: {%d,%d,%d,%d} to {%d,%d,%d,%d}", what, tess_dtype_name(in->dtype),
                      (int)a[0], (int)a[1], (int)a[2], (int)a[3], (int)b[0], (int)b[1], (int)b[2], (int)b[3]);
}

/* Now and then rows of several chunks. */
static tess_shape random_shape(void)
{
    const int64_t most = test_random() % 4 ? 9 : test_large() ? 2000 : 300;
    return TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 3), test_random_in(1, 5), test_random_in(1, most));
}

/* ---- Crops and pads ---- */

static void check_pad(tess_dtype dtype, tess_device device)
{
    const int        border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    tess_resize_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair             in, out;
    tess_shape       left, right, shape = random_shape(), larger;
    for (int k = 0; k < 4; k++) {
        left.dim[k] = test_random_in(-1, k == 3 ? 20 : 3);
        right.dim[k] = test_random_in(-1, k == 3 ? 40 : 3);
        if (test_random() % 2) left.dim[k] = right.dim[k] = 0;
        while (shape.dim[k] + left.dim[k] + right.dim[k] < 1) right.dim[k]++;
        larger.dim[k] = shape.dim[k] + left.dim[k] + right.dim[k];
    }
    make_any(&in, shape, dtype, device, n_layouts);
    make_any(&out, larger, dtype, device, n_output_layouts);
    CHECK_OK(tess_pad(&out.host.view, &in.host.view, left, right, &o));
    CHECK_OK(tess_pad(&out.gpu, &in.gpu, left, right, &o));
    check_same(&out, "pad", &in.host.view);
    drop(&in);
    drop(&out);
}

TEST(pads_with_every_border)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 700 : 120); i++) check_pad(moved[i % (test_large() ? N_MOVED : 3)], device);
}

/* ---- Sub-regions ---- */

static void make_origins(pair *p, int64_t n, int64_t k, tess_shape whole, tess_shape region, tess_device device)
{
    guarded_make(&p->host, random_layout(n_output_layouts), TESS_SHAPE(n, 1, 1, k), TESS_I32);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            const int axis = (int)(4 - k + c);
            CHECK_OK(tess_set_f64(&p->host.view, i, 0, 0, c,
                                  (double)test_random_in(-region.dim[axis], whole.dim[axis] + 1)));
        }
    if (n > 1 && test_random() % 4 == 0) CHECK_OK(tess_set_f64(&p->host.view, 1, 0, 0, k - 1, -2e9));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

/* A batch for each of them, or one for all; any, if origins name it. */
static tess_shape random_whole(int64_t n, int64_t k)
{
    tess_shape whole = random_shape();
    if (k < 4) whole.b = test_random() & 1 ? n : 1;
    return whole;
}

static void check_extract(tess_dtype dtype, tess_device device)
{
    const int              border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const tess_resize_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    const int64_t          n = test_random_in(1, 6), k = test_random_in(2, 4);
    const tess_shape       whole = random_whole(n, k);
    tess_shape             region = random_shape(), all;
    pair                   in, out, origins;
    region.b = 1;
    all = region;
    all.b = n;
    make_any(&in, whole, dtype, device, n_layouts);
    make_any(&out, all, dtype, device, n_output_layouts);
    make_origins(&origins, n, k, whole, region, device);
    CHECK_OK(tess_extract(&out.host.view, &in.host.view, &origins.host.view, region, &o));
    CHECK_OK(tess_extract(&out.gpu, &in.gpu, &origins.gpu, region, &o));
    check_same(&out, "extract", &in.host.view);
    drop(&in);
    drop(&out);
    drop(&origins);
}

TEST(sub_regions_cut_out)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 700 : 100); i++) check_extract(moved[i % (test_large() ? N_MOVED : 2)], device);
}

static void check_insert(tess_dtype dtype, int how, tess_device device)
{
    const int64_t    n = test_random_in(1, test_random() % 4 ? 6 : 300), k = test_random_in(2, 4);
    const tess_shape whole = random_whole(n, k);
    tess_shape       region = random_shape();
    pair             in, out, origins, weights, sums;
    tess_insert_opts host = { .add = how > 0 }, gpu = host;
    region.b = n;
    if (region.w > 20) region.w = 20;
    make_numbers(&in, region, dtype, device);
    make_numbers(&out, whole, dtype, device);
    make_numbers(&sums, whole, TESS_F32, device);
    make_origins(&origins, n, k, whole, region, device);
    make_numbers(&weights, TESS_SHAPE(n, 1, region.h, region.w), TESS_F32, device);
    const tess_array two = tess_num(2);
    if (how >= 2) host.weights = &weights.host.view, gpu.weights = &weights.gpu;
    if (how == 3) host.weight_sums = &sums.host.view, gpu.weight_sums = &sums.gpu;
    if (how == 4) host.weights = gpu.weights = &two;
    CHECK_OK(tess_insert(&out.host.view, &in.host.view, &origins.host.view, &host));
    CHECK_OK(tess_insert(&out.gpu, &in.gpu, &origins.gpu, &gpu));
    check_same(&out, "insert", &in.host.view);
    check_same(&sums, "insert: sums of weights", &in.host.view);
    drop(&in);
    drop(&out);
    drop(&sums);
    drop(&origins);
    drop(&weights);
}

TEST(sub_regions_put_in)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_C32, TESS_U8, TESS_F16, TESS_I64, TESS_F64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 600 : 60); i++)
        check_insert(dtypes[test_large() ? i % 6 : i % 5 == 2], i % 5, device);
}

/* More than a block of threads looks at in one go, most of them nowhere near a tile; and batches that origins name. */
static void check_many(tess_shape whole, int64_t n, int64_t k, bool add, tess_device device)
{
    const tess_shape       region = TESS_SHAPE(n, 1, 3, 5);
    const tess_insert_opts o = { .add = add };
    pair                   in, out, origins;
    make_numbers(&in, region, TESS_F32, device);
    make_numbers(&out, whole, TESS_F32, device);
    make_origins(&origins, n, k, whole, region, device);
    CHECK_OK(tess_insert(&out.host.view, &in.host.view, &origins.host.view, &o));
    CHECK_OK(tess_insert(&out.gpu, &in.gpu, &origins.gpu, &o));
    check_same(&out, "insert of many", &in.host.view);
    drop(&in);
    drop(&out);
    drop(&origins);
}

TEST(many_sub_regions_put_in)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    check_many(TESS_SHAPE(1, 1, 40, 90), 17000, 2, true, device);
    check_many(TESS_SHAPE(30, 2, 9, 20), 300, 4, false, device);
    check_many(TESS_SHAPE(2000, 1, 3, 4), 300, 4, true, device);
    if (test_large()) check_many(TESS_SHAPE(1, 3, 500, 700), 100000, 3, true, device);
}

/* ---- Blocks ---- */

static void check_bin(tess_dtype dtype, tess_shape shape, tess_shape factors, tess_bin_opts o, tess_device device)
{
    pair       in;
    tess_array host = { .data = NULL }, gpu = { .data = NULL };
    make_numbers(&in, shape, dtype, device);
    CHECK_OK(tess_bin(&host, &in.host.view, factors, &o));
    CHECK_OK(tess_bin(&gpu, &in.gpu, factors, &o));
    if (!test_same_bits(&gpu, &host))
        (void)test_failed(__FILE__, __LINE__, "bin of %s {%d,%d,%d,%d} by {%d,%d,%d,%d}, sum %d",
                          tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w,
                          (int)factors.b, (int)factors.d, (int)factors.h, (int)factors.w, (int)o.sum);
    tess_release(&host);
    tess_release(&gpu);
    drop(&in);
}

TEST(blocks_added_up)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_C32, TESS_I64, TESS_U8,  TESS_F16, TESS_BOOL,
                                         TESS_I16, TESS_U64, TESS_F64, TESS_I32, TESS_C64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 500 : 40); i++) {
        const tess_bin_opts o = { .sum = i & 1, .partial = (int32_t)(test_random() & 1) };
        tess_shape          shape = random_shape(), factors;
        for (int k = 0; k < 4; k++) factors.dim[k] = test_random_in(1, k == 3 ? 8 : 3);
        if (test_large() && i % 7 == 0) factors.w = test_random_in(5, 40);
        if (!test_large()) factors.w = 2, shape.w += 1; /* a program for each dtype */
        check_bin(dtypes[i / 2 % (test_large() ? 11 : 3)], shape, factors, o, device);
    }
}

TEST(blocks_of_three)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    check_bin(TESS_F32, TESS_SHAPE(1, 2, 7, 29), TESS_SHAPE(1, 1, 3, 3), (tess_bin_opts){ .partial = 1 }, device);
}

/* Rows that begin at multiples of 16 bytes, where they are contiguous: several results by a thread, and those at the
 * ends of axes one by one. */
TEST(blocks_in_packs)
{
    static const tess_shape factors[] = {
        { { 1, 1, 2, 2 } }, { { 2, 1, 3, 3 } }, { { 1, 1, 8, 8 } }, { { 1, 1, 2, 1 } }
    };
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 24); i++)
        check_bin(test_large() && i % 3 == 0 ? TESS_U8 : TESS_F32,
                  TESS_SHAPE(3, 3, test_random_in(8, 19), 16 * test_random_in(1, 4)), factors[i % 4],
                  (tess_bin_opts){ .partial = (int32_t)(test_random() & 1) }, device);
}

/* Sums of two rows of two f32 numbers that overflow on the way, and others beside them. */
TEST(quads_that_overflow)
{
    tess_device device;
    tess_array  in = { 0 }, there = { 0 }, host = { 0 }, gpu = { 0 };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 6, 34), TESS_F32, tess_cpu()));
    for (int i = 0; i < 6 * 34; i++)
        ((float *)in.data)[i] = i % 5 == 0 ? 3e38f : i % 7 == 0 ? -3e38f : (float)test_random_unit() - 0.4f;
    CHECK_OK(tess_to_device(&there, &in, device));
    for (int32_t sum = 0; sum < 2; sum++) {
        const tess_bin_opts o = { .sum = sum };
        CHECK_OK(tess_bin(&host, &in, TESS_SHAPE(1, 1, 2, 2), &o));
        CHECK_OK(tess_bin(&gpu, &there, TESS_SHAPE(1, 1, 2, 2), &o));
        CHECK(test_same_bits(&gpu, &host));
    }
    tess_release(&in);
    tess_release(&there);
    tess_release(&host);
    tess_release(&gpu);
}

/* Runs of rows that are added up apart: the same bits. */
TEST(large_blocks_added_up)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    const tess_bin_opts o = { .partial = 1 };
    check_bin(TESS_F32, TESS_SHAPE(1, 1, 20, 4500), TESS_SHAPE(1, 1, 20, 4500), o, device);
    check_bin(TESS_F32, TESS_SHAPE(1, 3, 50, 70), TESS_SHAPE(1, 2, 30, 40), o, device);
    check_bin(TESS_I64, TESS_SHAPE(2, 1, 50, 70), TESS_SHAPE(2, 1, 30, 7), o, device);
    if (test_large()) check_bin(TESS_U8, TESS_SHAPE(1, 3, 5000, 5000), TESS_SHAPE(1, 2, 5000, 1), o, device);
}

/* More than 2^31 elements. */
TEST(a_large_array_padded)
{
    tess_device device;
    tess_array  in = { .data = NULL }, out = { .data = NULL }, row = { .data = NULL }, want = { .data = NULL };
    if (!test_gpu(&device)) return;
    if (!test_large()) return;
    CHECK_OK(tess_empty(&in, TESS_SHAPE(3, 1, 1 << 15, 1 << 15), TESS_U8, device));
    CHECK_OK(tess_random_integers(&in, 0, 255, 1, NULL));
    CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, 1, 3), TESS_SHAPE(0, 0, 2, 4),
                      &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
    for (int k = 0; k < 2; k++) {
        tess_array view;
        CHECK_OK(tess_subregion_text(&view, k ? &in : &out, k ? "2, 0, 32767, :" : "2, 0, 32769, 3:32771"));
        CHECK(test_fetch(k ? &want : &row, &view));
    }
    CHECK(test_same_bits(&row, &want));
    tess_release(&in);
    tess_release(&out);
    tess_release(&row);
    tess_release(&want);
}
