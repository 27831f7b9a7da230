/* Sorting, indices, partitions and largest elements: examples, special numbers, dtypes, what is rejected. */
#include <math.h>

#include "support/hooks.h"
#include "support/rows.h"

/* Sorted, also in place, and the indices of that. */
static void check_row(tess_dtype dtype, int n, const double *in, const double *want, const double *indices,
                      const tess_sort_opts *opts)
{
    tess_array a = row_of(dtype, n, in), out = { 0 };
    CHECK_OK(tess_sort(&out, &a, 3, opts));
    CHECK(out.dtype == dtype && row_is(&out, n, want));
    tess_release(&out);
    CHECK_OK(tess_argsort(&out, &a, -1, opts));
    CHECK(out.dtype == TESS_I64 && row_is(&out, n, indices));
    CHECK_OK(tess_sort(&a, &a, -1, opts));
    CHECK(row_is(&a, n, want));
    tess_release(&a);
    tess_release(&out);
}

static const tess_sort_opts down = { .descending = 1 };

TEST(examples)
{
    const double in[5] = { 3, 1, 4, 1, 5 };
    for (tess_dtype dtype = TESS_I8; dtype <= TESS_F64; dtype++) {
        check_row(dtype, 5, in, (double[]){ 1, 1, 3, 4, 5 }, (double[]){ 1, 3, 0, 2, 4 }, NULL);
        check_row(dtype, 5, in, (double[]){ 5, 4, 3, 1, 1 }, (double[]){ 4, 2, 0, 1, 3 }, &down);
    }
    check_row(TESS_BOOL, 4, (double[]){ 1, 0, 1, 0 }, (double[]){ 0, 0, 1, 1 }, (double[]){ 1, 3, 0, 2 }, NULL);
    check_row(TESS_BOOL, 4, (double[]){ 1, 0, 1, 0 }, (double[]){ 1, 1, 0, 0 }, (double[]){ 0, 2, 1, 3 }, &down);
    check_row(TESS_I16, 3, (double[]){ 2, -3, -1 }, (double[]){ -3, -1, 2 }, (double[]){ 1, 2, 0 }, NULL);
}

TEST(nans_come_last_both_ways)
{
    const double inf = INFINITY, nan = NAN, in[6] = { 1, nan, -inf, nan, inf, -2 };
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++) {
        check_row(dtype, 6, in, (double[]){ -inf, -2, 1, inf, nan, nan }, (double[]){ 2, 5, 0, 4, 1, 3 }, NULL);
        check_row(dtype, 6, in, (double[]){ inf, 1, -2, -inf, nan, nan }, (double[]){ 4, 0, 5, 2, 1, 3 }, &down);
    }
}

/* Zeros are equal to argsort; sort puts -0 first, last if descending. NaNs keep their bits. */
TEST(zeros_of_both_signs_and_bits_of_nans)
{
    const double in[4] = { 0.0, -0.0, 0.0, -0.0 };
    check_row(TESS_F32, 4, in, (double[]){ -0.0, -0.0, 0.0, 0.0 }, (double[]){ 0, 1, 2, 3 }, NULL);
    check_row(TESS_F64, 4, in, (double[]){ 0.0, 0.0, -0.0, -0.0 }, (double[]){ 0, 1, 2, 3 }, &down);
    const uint32_t bits[3] = { 0xffc00001, 0x7fc00002, 0 };
    tess_array     a = constant(TESS_F32, 1, 1, 1, 3, 0);
    memcpy(a.data, bits, sizeof bits);
    CHECK_OK(tess_sort(&a, &a, 3, NULL));
    const uint32_t *got = a.data;
    CHECK(got[0] == 0 && got[1] == 0x7fc00002 && got[2] == 0xffc00001);
    tess_release(&a);
}

static tess_array bytes_as_bools(int n, const uint8_t *bytes)
{
    tess_array a = constant(TESS_BOOL, 1, 1, 1, n, 0);
    memcpy(a.data, bytes, (size_t)n);
    return a;
}

/* Whatever their bytes, bools are 0 or 1, equal ones keep their order, and results are 0 or 1. */
TEST(bools_of_any_bytes)
{
    tess_array a = bytes_as_bools(6, (uint8_t[]){ 7, 0, 255, 1, 0, 2 }), out = { 0 }, indices = { 0 };
    CHECK_OK(tess_sort(&out, &a, 3, NULL));
    CHECK(memcmp(out.data, (uint8_t[]){ 0, 0, 1, 1, 1, 1 }, 6) == 0);
    CHECK_OK(tess_sort(&out, &a, 3, &down));
    CHECK(memcmp(out.data, (uint8_t[]){ 1, 1, 1, 1, 0, 0 }, 6) == 0);
    CHECK_OK(tess_partition(&out, &a, 1, 3));
    CHECK(memcmp(out.data, (uint8_t[]){ 0, 0, 1, 1, 1, 1 }, 6) == 0);
    tess_release(&out);
    CHECK_OK(tess_argsort(&indices, &a, 3, NULL));
    CHECK(row_is(&indices, 6, (double[]){ 1, 4, 0, 2, 3, 5 }));
    CHECK_OK(tess_argsort(&indices, &a, 3, &down));
    CHECK(row_is(&indices, 6, (double[]){ 0, 2, 3, 5, 1, 4 }));
    tess_release(&indices);
    CHECK_OK(tess_topk(&out, &indices, &a, 5, 3, NULL));
    CHECK(memcmp(out.data, (uint8_t[]){ 1, 1, 1, 1, 0 }, 5) == 0 && row_is(&indices, 5, (double[]){ 0, 2, 3, 5, 1 }));
    double median = -1;
    CHECK_OK(tess_host_median(&median, &a));
    CHECK(median == 1);
    tess_release(&out);
    tess_release(&indices);
    tess_release(&a);
}

TEST(partitions)
{
    const double in[7] = { 5, 2, 9, 2, 7, 1, 2 }, sorted[7] = { 1, 2, 2, 2, 5, 7, 9 };
    for (int k = -7; k < 7; k++) {
        tess_array a = row_of(TESS_F32, 7, in), out = { 0 };
        const int  index = k < 0 ? k + 7 : k;
        CHECK_OK(tess_partition(&out, &a, k, 3));
        const float *x = out.data;
        for (int i = 0; i < 7; i++) CHECK(i < index ? x[i] <= x[index] : x[i] >= x[index]);
        CHECK((double)x[index] == sorted[index]);
        CHECK(row_is(&a, 7, in));
        CHECK_OK(tess_partition(&a, &a, k, 3));
        CHECK(memcmp(a.data, out.data, 7 * sizeof *x) == 0);
        tess_release(&a);
        tess_release(&out);
    }
}

TEST(largest_and_smallest)
{
    const double         nan = NAN, in[6] = { 5, 2, nan, 7, 5, 7 };
    const tess_topk_opts smallest = { .smallest = 1 };
    tess_array           a = row_of(TESS_F64, 6, in), values = { 0 }, indices = { 0 };
    CHECK_OK(tess_topk(&values, &indices, &a, 3, 3, NULL));
    CHECK(row_is(&values, 3, (double[]){ 7, 7, 5 }) && row_is(&indices, 3, (double[]){ 3, 5, 0 }));
    CHECK_OK(tess_topk(&values, NULL, &a, 3, 3, &smallest));
    CHECK(row_is(&values, 3, (double[]){ 2, 5, 5 }));
    CHECK_OK(tess_topk(NULL, &indices, &a, 3, -1, &smallest));
    CHECK(row_is(&indices, 3, (double[]){ 1, 0, 4 }));
    tess_release(&values);
    tess_release(&indices);
    CHECK_OK(tess_topk(&values, &indices, &a, 6, 3, NULL));
    CHECK(row_is(&values, 6, (double[]){ 7, 7, 5, 5, 2, nan }) && row_is(&indices, 6, (double[]){ 3, 5, 0, 4, 1, 2 }));
    tess_release(&values);
    tess_release(&indices);
    CHECK_OK(tess_topk(&values, &indices, &a, 0, 3, NULL));
    CHECK_DIMS(values.shape, 1, 1, 1, 0);
    CHECK_DIMS(indices.shape, 1, 1, 1, 0);
    tess_release(&values);
    tess_release(&indices);
    tess_release(&a);
}

TEST(each_axis)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(2, 3, 4, 5), TESS_I32, tess_cpu(), 119, -1));
    for (int axis = 0; axis < 4; axis++) {
        CHECK_OK(tess_sort(&a, &a, axis, NULL));
        CHECK_OK(tess_argsort(&out, &a, axis, NULL));
        CHECK(value_at(&out, 1, 2, 3, 4) == (double)(a.shape.dim[axis] - 1));
    }
    for (int i = 0; i < 120; i++) CHECK(((int32_t *)a.data)[i] == i);
    tess_release(&a);
    tess_release(&out);
}

TEST(results_are_converted_to_the_dtype_of_out)
{
    tess_array a = row_of(TESS_F32, 3, (double[]){ 300, 2.5, -1 }), small = constant(TESS_U8, 1, 1, 1, 3, 0);
    CHECK_OK(tess_sort(&small, &a, 3, NULL));
    CHECK(row_is(&small, 3, (double[]){ 0, 2, 255 }));
    CHECK_OK(tess_argsort(&small, &a, 3, NULL));
    CHECK(row_is(&small, 3, (double[]){ 2, 1, 0 }));
    tess_release(&a);
    tess_release(&small);
}

TEST(empty_arrays)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 3, 4), TESS_F16, tess_cpu()));
    for (int axis = 0; axis < 4; axis++) {
        tess_array out = { 0 }, indices = { 0 };
        CHECK_OK(tess_sort(&out, &a, axis, NULL));
        CHECK_OK(tess_argsort(&indices, &a, axis, NULL));
        CHECK_DIMS(out.shape, 2, 0, 3, 4);
        CHECK_DIMS(indices.shape, 2, 0, 3, 4);
        if (axis != 1) CHECK_OK(tess_partition(&out, &a, 0, axis));
        tess_release(&out);
        tess_release(&indices);
    }
    tess_release(&a);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = { 0 }, out = { 0 }, indices = { 0 };
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 50, 2000), TESS_F32, tess_cpu(), 0, -1));
    CHECK_OK(tess_sort(&out, &a, 3, NULL));
    CHECK_OK(tess_argsort(&indices, &a, 3, NULL));
    CHECK_OK(tess_partition(&out, &out, 7, 2));
    tess_release(&a);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(value_at(&out, 0, 0, 7, 0) == -(42 * 2000 + 1999) && value_at(&indices, 0, 0, 9, 0) == 1999);
    tess_release(&out);
    tess_release(&indices);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

typedef tess_status sort_fn(tess_array *out, const tess_array *in, int axis, const tess_sort_opts *opts);

static tess_status part(tess_array *out, const tess_array *in, int axis, const tess_sort_opts *opts)
{
    (void)opts;
    TESS_TRY(tess_partition(out, in, 0, axis));
    return TESS_OK;
}

static tess_status top(tess_array *out, const tess_array *in, int axis, const tess_sort_opts *opts)
{
    TESS_TRY(tess_topk(NULL, out, in, in && axis >= -4 && axis < 4 ? in->shape.dim[axis & 3] : 0, axis,
                       (const tess_topk_opts *)(const void *)opts));
    return TESS_OK;
}

static const struct {
    sort_fn    *function;
    const char *name, *out;
} sorts[] = { { tess_sort, "sort", "out" },
              { tess_argsort, "argsort", "out" },
              { part, "partition", "out" },
              { top, "topk", "indices" } };
enum { SORTS = 4 };

TEST(bad_arguments)
{
    tess_array a = numbers(TESS_I64, 1, 1, 3, 4), out = { 0 }, other = numbers(TESS_I64, 1, 1, 4, 3);
    tess_array locked = read_only(numbers(TESS_I64, 1, 1, 3, 4)), gpu = on_gpu(a), still = { 0 };
    tess_array there = on_gpu(other);
    there.shape = a.shape, there.strides = a.strides;
    tess_array wide = constant(TESS_I64, 1, 1, 3, 8, 0), half = { 0 }, repeated = { 0 }, unmade = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 3, 4, 1), v = constant(TESS_VEC2_F32, 1, 1, 3, 4, 1);
    CHECK_OK(tess_slice(&half, &wide, 3, 0, 4, 1));
    CHECK_OK(tess_slice(&still, &wide, 3, 1, 5, 1));
    CHECK_OK(tess_slice(&repeated, &wide, 3, 0, 1, 1));
    CHECK_OK(tess_broadcast(&repeated, &repeated, a.shape));
    for (int k = 0; k < SORTS; k++) {
        sort_fn    *sort = sorts[k].function;
        const char *name = sorts[k].name;
        CHECK_FAILS(sort(NULL, &a, 0, NULL), TESS_EARG, name, "NULL");
        CHECK_FAILS(sort(&out, NULL, 0, NULL), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(sort(&out, &unmade, 0, NULL), TESS_EARG, name, "in ");
        CHECK_FAILS(sort(&out, &a, 4, NULL), TESS_ERANGE, name, "axis is 4");
        CHECK_FAILS(sort(&out, &a, -5, NULL), TESS_ERANGE, name, "axis is -5");
        CHECK_FAILS(sort(&out, &a, TESS_W, NULL), TESS_ERANGE, name, "axis is 128");
        CHECK_FAILS(sort(&other, &a, 0, NULL), TESS_ESHAPE, name, sorts[k].out, "has shape {1,1,4,3}", "{1,1,3,4}");
        CHECK_FAILS(sort(&locked, &a, 0, NULL), TESS_EWRITE, name, sorts[k].out);
        CHECK_FAILS(sort(&repeated, &a, 0, NULL), TESS_EWRITE, name, sorts[k].out);
        CHECK_FAILS(sort(&half, &still, 0, NULL), TESS_EALIAS, name, sorts[k].out, "shares memory with in");
        CHECK_FAILS(sort(&out, &gpu, 0, NULL), TESS_EDEVICE, name);
        CHECK_FAILS(sort(&there, &a, 0, NULL), TESS_EDEVICE, name, sorts[k].out, "on gpu:0");
        CHECK_FAILS(sort(&out, &z, 0, NULL), TESS_EDTYPE, name, "in is c32", "no order");
        CHECK_FAILS(sort(&out, &v, 0, NULL), TESS_EDTYPE, name, "in is vec2_f32");
        CHECK_FAILS(sort(&v, &a, 0, NULL), TESS_EDTYPE, name, sorts[k].out, "vec2_f32");
        if (k == 2) continue;
        CHECK_FAILS(sort(&out, &a, 0, &(tess_sort_opts){ .descending = 2 }), TESS_ERANGE, name, "is 2");
        CHECK_FAILS(sort(&out, &a, 0, &(tess_sort_opts){ .reserved = { 0, 1 } }), TESS_EARG, name, "reserved");
        CHECK(is_zeroed(&out));
    }
    CHECK_FAILS(tess_argsort(&a, &a, 0, NULL), TESS_EALIAS, "argsort", "out", "in");
    tess_release(&a);
    tess_release(&other);
    tess_release(&locked);
    tess_release(&wide);
    tess_release(&z);
    tess_release(&v);
}

TEST(bad_indices)
{
    tess_array a = numbers(TESS_F32, 1, 1, 2, 300), out = { 0 }, f = numbers(TESS_F32, 1, 1, 2, 300);
    tess_array small = constant(TESS_U8, 1, 1, 2, 300, 0), none = { 0 }, tiny = constant(TESS_I8, 1, 1, 2, 3, 0);
    tess_array twice = constant(TESS_I64, 1, 1, 2, 3, 0);
    CHECK_FAILS(tess_argsort(&f, &a, 3, NULL), TESS_EDTYPE, "argsort: out is f32", "integers");
    CHECK_FAILS(tess_argsort(&small, &a, 3, NULL), TESS_EDTYPE, "argsort: out is u8", "up to 299", "wider");
    CHECK_FAILS(tess_topk(NULL, &tiny, &a, 3, 3, NULL), TESS_EDTYPE, "topk: indices is i8", "up to 299");
    CHECK_FAILS(tess_topk(NULL, NULL, &a, 3, 3, NULL), TESS_EARG, "topk: values and indices");
    CHECK_FAILS(tess_topk(&out, NULL, &a, -1, 3, NULL), TESS_ERANGE, "topk: k is -1", "0 to 300", "axis 3");
    CHECK_FAILS(tess_topk(&out, NULL, &a, 301, 3, NULL), TESS_ERANGE, "topk: k is 301");
    CHECK_FAILS(tess_topk(&out, &tiny, &a, 3, 3, NULL), TESS_EDTYPE, "topk: indices is i8");
    CHECK_FAILS(tess_topk(&twice, &twice, &a, 3, 3, NULL), TESS_EALIAS, "topk: values (", "memory with indices");
    CHECK(is_zeroed(&out));
    CHECK_FAILS(tess_partition(&out, &a, 300, 3), TESS_ERANGE, "partition: kth is 300", "-300 to 299");
    CHECK_FAILS(tess_partition(&out, &a, -301, 3), TESS_ERANGE, "partition: kth is -301");
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 1, 1, 0), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_partition(&out, &none, 0, 3), TESS_ERANGE, "partition: kth is 0", "size 0");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&f);
    tess_release(&small);
    tess_release(&tiny);
    tess_release(&twice);
    tess_release(&none);
}

/* More elements than memory can hold, by a broadcast of one. */
TEST(more_than_memory_can_hold)
{
    tess_array one = constant(TESS_U8, 1, 1, 1, 1, 3), many = { 0 }, out = { 0 }, indices = { 0 };
    double     median = -1;
    for (int bits = 57; bits <= 60; bits++) {
        CHECK_OK(tess_broadcast(&many, &one, TESS_SHAPE(1, 1, 1, INT64_C(1) << bits)));
        CHECK_FAILS(tess_topk(&out, &indices, &many, 1, 3, NULL), TESS_ENOMEM, "topk", "memory");
        CHECK_FAILS(tess_sort(&out, &many, 3, NULL), TESS_ENOMEM, "sort", "memory");
        CHECK_FAILS(tess_partition(&out, &many, 1, 3), TESS_ENOMEM, "partition", "memory");
        CHECK_FAILS(tess_host_median(&median, &many), TESS_ENOMEM, "median", "memory");
        CHECK_FAILS(tess_unique(&out, &indices, NULL, NULL, &many), TESS_ENOMEM, "unique", "memory");
        CHECK_FAILS(tess_compress(&out, NULL, &many, &many), TESS_ENOMEM, "compress", "memory");
        CHECK_OK(tess_broadcast(&many, &one, TESS_SHAPE(1, 1, INT64_C(1) << (bits - 3), 8)));
        CHECK_FAILS(tess_topk(&out, &indices, &many, 1, 2, NULL), TESS_ENOMEM, "topk", "memory");
        CHECK(is_zeroed(&out) && is_zeroed(&indices));
    }
    tess_release(&one);
}

static hooks h;

TEST(allocations_that_fail)
{
    tess_array a = numbers(TESS_F32, 1, 1, 30, 40), out = { 0 };
    hooks_on(&h);
    atomic_store(&h.for_good, true);
    for (int k = 0; k < SORTS; k++)
        for (int at = 1; at <= 2; at++) { /* the array, the workspace */
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, at);
            CHECK_FAILS(sorts[k].function(&out, &a, 2, NULL), TESS_ENOMEM, sorts[k].name, "memory", "bytes");
            CHECK(is_zeroed(&out));
        }
    atomic_store(&h.fail_at, 0);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    tess_release(&a);
}

/* Long enough to be sorted by all threads: element i is 7919 i modulo 1000. */
static void check_long_unique(tess_dtype dtype)
{
    enum { N = 200000, VALUES = 1000 };
    tess_array in = { 0 }, out[4] = { { .dtype = 0 } };
    int64_t    first[VALUES];
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 1, N), dtype, tess_cpu()));
    for (int64_t i = N - 1; i >= 0; i--) {
        const int64_t value = 7919 * i % VALUES;
        first[value] = i;
        if (dtype == TESS_F64) ((double *)in.data)[i] = (double)value;
        else ((float *)in.data)[i] = (float)value;
    }
    CHECK_OK(tess_unique(&out[0], &out[1], &out[2], &out[3], &in));
    CHECK_I64(out[0].shape.w, VALUES);
    bool right = true;
    for (int64_t k = 0; k < VALUES; k++)
        right = right && value_at(&out[0], 0, 0, 0, k) == (double)k && ((int64_t *)out[1].data)[k] == N / VALUES &&
                ((int64_t *)out[2].data)[k] == first[k];
    for (int64_t i = 0; i < N; i++) right = right && ((int64_t *)out[3].data)[i] == 7919 * i % VALUES;
    CHECK(right);
    for (int k = 0; k < 4; k++) tess_release(&out[k]);
    tess_release(&in);
}

TEST(unique_of_long_arrays)
{
    CHECK_OK(tess_threads_set(2));
    check_long_unique(TESS_F32); /* keys and indices in one word */
    check_long_unique(TESS_F64); /* in two */
    CHECK_OK(tess_threads_set(0));
}
