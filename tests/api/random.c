/* Random numbers: sequences, parts of them, ranges, dtypes, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/math/random.op.h"

static hooks h;

static bool same_bytes(const tess_array *x, const tess_array *y)
{
    return memcmp(x->data, y->data, (size_t)tess_n_bytes(x)) == 0;
}

/* ---- Words ---- */

TEST(philox_gives_the_published_words)
{
    static const uint32_t rows[3][10] = {
        { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
        { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
          0x6d5451fd },
        { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
          0x24126ea1 },
    };
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        tess_random_philox(out, rows[i], rows[i] + 4);
        CHECK(memcmp(out, rows[i] + 6, sizeof out) == 0);
    }
}

/* The counter is the number of the block, then the draw and the stream. */
TEST(elements_are_words_of_their_indices)
{
    const uint64_t         seed = UINT64_C(0x0123456789abcdef);
    const tess_random_opts opts = { .stream = 7, .offset = (UINT64_C(1) << 34) - 6 };
    tess_array             f32 = constant(TESS_F32, 1, 1, 3, 5, 0), f64 = constant(TESS_F64, 1, 1, 3, 5, 0);
    CHECK_OK(tess_random_uniform(&f32, 0, 1, seed, &opts));
    CHECK_OK(tess_random_uniform(&f64, 0, 1, seed, &opts));
    for (uint64_t i = 0; i < 15; i++) {
        const uint64_t index = opts.offset + i;
        const uint32_t key[2] = { 0x89abcdef, 0x01234567 };
        const uint32_t four[4] = { (uint32_t)(index / 4), (uint32_t)(index / 4 >> 32), 0, 7 };
        const uint32_t two[4] = { (uint32_t)(index / 2), (uint32_t)(index / 2 >> 32), 0, 7 };
        uint32_t       w[4];
        tess_random_philox(w, four, key);
        CHECK(value_at(&f32, 0, 0, (int64_t)i / 5, (int64_t)i % 5) == ldexp(w[index % 4] >> 8, -24));
        tess_random_philox(w, two, key);
        const uint64_t bits = (uint64_t)w[index % 2 * 2 + 1] << 32 | w[index % 2 * 2];
        CHECK(value_at(&f64, 0, 0, (int64_t)i / 5, (int64_t)i % 5) == ldexp((double)(bits >> 11), -53));
    }
    tess_release(&f32);
    tess_release(&f64);
}

/* ---- Sequences ---- */

static tess_status draw(int kind, tess_array *out, uint64_t seed, const tess_random_opts *opts)
{
    switch (kind) {
    case 0: TESS_TRY(tess_random_uniform(out, -2, 3, seed, opts)); break;
    case 1: TESS_TRY(tess_random_normal(out, 1, 2, seed, opts)); break;
    case 2: TESS_TRY(tess_random_lognormal(out, 0, 0.5, seed, opts)); break;
    case 3: TESS_TRY(tess_random_exponential(out, 2, seed, opts)); break;
    case 4: TESS_TRY(tess_random_poisson(out, &tess_f64(12.5), seed, opts)); break;
    default: TESS_TRY(tess_random_integers(out, -5, 2000, seed, opts)); break;
    }
    return TESS_OK;
}
enum { KINDS = 6 };

TEST(seeds_and_streams_give_other_numbers)
{
    for (int kind = 0; kind < KINDS; kind++) {
        tess_array a = constant(TESS_F32, 1, 1, 1, 100, 0), b = constant(TESS_F32, 1, 1, 1, 100, 0);
        CHECK_OK(draw(kind, &a, 1, NULL));
        CHECK_OK(draw(kind, &b, 1, &(tess_random_opts){ .stream = 0 }));
        CHECK(same_bytes(&a, &b));
        CHECK_OK(draw(kind, &b, 2, NULL));
        CHECK(!same_bytes(&a, &b));
        CHECK_OK(draw(kind, &b, UINT64_C(1) << 32 | 1, NULL));
        CHECK(!same_bytes(&a, &b));
        CHECK_OK(draw(kind, &b, 1, &(tess_random_opts){ .stream = UINT32_MAX }));
        CHECK(!same_bytes(&a, &b));
        tess_release(&a);
        tess_release(&b);
    }
}

TEST(parts_make_up_the_whole)
{
    static const tess_dtype dtypes[] = { TESS_F16, TESS_F32, TESS_F64, TESS_C32, TESS_C64 };
    for (int kind = 0; kind < KINDS; kind++)
        for (int d = 0; d < (kind < 5 ? 5 : 3); d++)
            for (int64_t cut = 0; cut <= 700; cut += 1 + cut / 2) {
                tess_array whole = constant(dtypes[d], 1, 1, 1, 700, 0), parts = constant(dtypes[d], 1, 1, 1, 700, 0);
                tess_array first = { 0 }, second = { 0 };
                CHECK_OK(tess_slice(&first, &parts, 3, 0, cut, 1));
                CHECK_OK(tess_slice(&second, &parts, 3, cut, 700, 1));
                CHECK_OK(draw(kind, &whole, 9, &(tess_random_opts){ .offset = 1001 }));
                CHECK_OK(draw(kind, &first, 9, &(tess_random_opts){ .offset = 1001 }));
                CHECK_OK(draw(kind, &second, 9, &(tess_random_opts){ .offset = 1001 + (uint64_t)cut }));
                CHECK(same_bytes(&whole, &parts));
                tess_release(&whole);
                tess_release(&parts);
            }
}

TEST(complex_numbers_are_twice_as_many_reals)
{
    tess_array z = constant(TESS_C32, 1, 1, 1, 333, 0), x = constant(TESS_F32, 1, 1, 1, 666, 0);
    for (int kind = 0; kind < 5; kind++) { /* the mean of Poisson numbers is one for all */
        CHECK_OK(draw(kind, &z, 3, &(tess_random_opts){ .offset = 5 }));
        CHECK_OK(draw(kind, &x, 3, &(tess_random_opts){ .offset = 10 }));
        CHECK(same_bytes(&z, &x));
    }
    tess_release(&z);
    tess_release(&x);
}

/* ---- Ranges ---- */

/* Also where low + u (high - low) would be rounded to high. */
TEST(high_is_left_out)
{
    static const double ranges[][2] = { { 0, 1 }, { 1, 2 }, { -1, 0 }, { -3, -2.5 }, { 1000, 1001 }, { 5, 5 } };
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++)
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
            tess_array a = constant(dtype, 1, 1, 1, 50000, 0), wide = { 0 };
            CHECK_OK(tess_random_uniform(&a, ranges[i][0], ranges[i][1], 4, NULL));
            CHECK_OK(tess_cast(&wide, &a, TESS_F64, NULL));
            const double *x = wide.data;
            for (int k = 0; k < 50000; k++)
                if (!CHECK(x[k] >= ranges[i][0] && (x[k] < ranges[i][1] || ranges[i][0] == ranges[i][1]))) break;
            tess_release(&a);
            tess_release(&wide);
        }
}

/* Numbers that f32 holds, but few between them. */
TEST(ranges_of_one_step)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 500, 0), b = constant(TESS_F16, 1, 1, 1, 500, 0);
    CHECK_OK(tess_random_uniform(&a, 1, 1 + 0x1p-23, 4, NULL));
    CHECK(all_are(&a, 1));
    CHECK_OK(tess_random_uniform(&a, 1, 1 + 0x1p-40, 4, NULL));
    CHECK(all_are(&a, 1));
    CHECK_OK(tess_random_uniform(&b, -0x1p-24, 0, 4, NULL));
    CHECK(all_are(&b, -0x1p-24));
    CHECK_OK(tess_random_uniform(&b, 1 - 0x1p-11, 1, 4, NULL));
    CHECK(all_are(&b, 1 - 0x1p-11));
    tess_release(&a);
    tess_release(&b);
}

TEST(no_spread_gives_the_mean)
{
    tess_array a = constant(TESS_F64, 1, 1, 1, 50, 7);
    CHECK_OK(tess_random_normal(&a, -4, 0, 1, NULL));
    CHECK(all_are(&a, -4));
    CHECK_OK(tess_random_lognormal(&a, 0, 0, 1, NULL));
    CHECK(all_are(&a, 1));
    CHECK_OK(tess_random_exponential(&a, 0, 1, NULL));
    CHECK(all_are(&a, 0));
    CHECK_OK(tess_random_poisson(&a, &tess_num(0), 1, NULL));
    CHECK(all_are(&a, 0));
    CHECK_OK(tess_random_integers(&a, 9, 9, 1, NULL));
    CHECK(all_are(&a, 9));
    tess_release(&a);
}

TEST(integers_reach_both_ends)
{
    for (tess_dtype dtype = TESS_BOOL; dtype <= TESS_F64; dtype++) {
        tess_array    a = constant(dtype, 1, 1, 1, 2000, 0);
        const int64_t high = dtype == TESS_BOOL ? 1 : 20;
        int           seen[21] = { 0 };
        CHECK_OK(tess_random_integers(&a, 0, high, 5, NULL));
        for (int i = 0; i < 2000; i++) {
            const double x = value_at(&a, 0, 0, 0, i);
            if (CHECK(x >= 0 && x <= (double)high && x == floor(x))) seen[(int)x]++;
        }
        for (int64_t i = 0; i <= high; i++) CHECK(seen[i] > 0);
        tess_release(&a);
    }
}

TEST(integers_of_all_64_bits)
{
    tess_array a = constant(TESS_I64, 1, 1, 1, 4000, 0);
    uint64_t   all = 0, none = 0;
    CHECK_OK(tess_random_integers(&a, INT64_MIN, INT64_MAX, 5, NULL));
    for (int i = 0; i < 4000; i++) all |= ((uint64_t *)a.data)[i], none |= ~((uint64_t *)a.data)[i];
    CHECK(all == UINT64_MAX && none == UINT64_MAX);
    tess_release(&a);
}

/* Whatever the kernels do in groups, the scalar functions say what an element is. */
TEST(integers_that_are_drawn_again)
{
    const int64_t highs[] = { 6,          3 * (INT64_C(1) << 30),  (INT64_C(1) << 31),
                              UINT32_MAX, UINT32_MAX + INT64_C(1), 3 * (INT64_C(1) << 61) };
    tess_array    a = constant(TESS_I64, 1, 1, 1, 3000, 0);
    for (size_t k = 0; k < sizeof highs / sizeof *highs; k++) {
        CHECK_OK(tess_random_integers(&a, 0, highs[k], 77, &(tess_random_opts){ .stream = 3, .offset = 13 }));
        for (uint64_t i = 0; i < 3000; i++)
            if (!CHECK(((uint64_t *)a.data)[i] == tess__random_to(77, 3, 13 + i, (uint64_t)highs[k], 0))) break;
    }
    tess_release(&a);
}

TEST(poisson_takes_a_mean_for_each_element)
{
    tess_array means = { 0 }, out = constant(TESS_U8, 1, 1, 200, 3, 0);
    CHECK_OK(tess_zeros(&means, TESS_SHAPE(1, 1, 1, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_set_f64(&means, 0, 0, 0, 1, 5));
    CHECK_OK(tess_set_f64(&means, 0, 0, 0, 2, 1e6));
    CHECK_OK(tess_random_poisson(&out, &means, 8, NULL));
    double sum = 0;
    for (int i = 0; i < 200; i++) {
        CHECK(value_at(&out, 0, 0, i, 0) == 0);
        CHECK(value_at(&out, 0, 0, i, 2) == 255); /* clamped */
        sum += value_at(&out, 0, 0, i, 1);
    }
    CHECK(fabs(sum / 200 - 5) < 0.8);
    tess_release(&means);
    tess_release(&out);
}

/* A mean and an index give a number, wherever the element stands and whatever the others are. */
TEST(poisson_in_place)
{
    tess_array a = constant(TESS_F64, 1, 1, 40, 50, 20), b = constant(TESS_F64, 1, 1, 40, 50, 0);
    CHECK_OK(tess_random_poisson(&b, &tess_f32(20), 6, NULL));
    CHECK_OK(tess_random_poisson(&a, &a, 6, NULL));
    CHECK(same_bytes(&a, &b));
    tess_release(&a);
    tess_release(&b);
}

/* ---- Orders ---- */

static bool is_order(const tess_array *a)
{
    bool          seen[3000] = { false };
    const int64_t n = tess_n_elements(a);
    tess_array    wide = { 0 };
    bool          good = CHECK_OK(tess_cast(&wide, a, TESS_I64, NULL));
    for (int64_t i = 0; i < n && good; i++) {
        const int64_t x = ((int64_t *)wide.data)[i];
        good = x >= 0 && x < n && !seen[x];
        if (good) seen[x] = true;
    }
    tess_release(&wide);
    return good;
}

TEST(permutations_hold_every_number_once)
{
    for (int64_t n = 0; n < 3000; n += 1 + n / 3) {
        tess_array a = constant(TESS_I16, 1, 1, 1, n, -1);
        CHECK_OK(tess_random_permutation(&a, 11, NULL));
        CHECK(is_order(&a));
        tess_release(&a);
    }
    tess_array full = constant(TESS_U8, 1, 1, 16, 16, 0);
    CHECK_OK(tess_random_permutation(&full, 12, &(tess_random_opts){ .stream = 1 }));
    CHECK(is_order(&full));
    tess_release(&full);
}

/* The shuffle of 0, 1, 2 … is the permutation; every slice stays whole; in place and not; any dtype. */
TEST(shuffles_are_permutations_of_slices)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++)
        for (int axis = 0; axis < 4; axis++) {
            tess_array a = { 0 }, out = { 0 }, order = { 0 };
            CHECK_OK(tess_empty(&a, TESS_SHAPE(3, 4, 5, 6), dtype, tess_cpu()));
            for (int64_t i = 0; i < tess_n_bytes(&a); i++) ((unsigned char *)a.data)[i] = (unsigned char)(i % 251 & 1);
            if (dtype != TESS_BOOL)
                for (int64_t i = 0; i < tess_n_bytes(&a); i++) ((unsigned char *)a.data)[i] = (unsigned char)(i % 251);
            order = constant(TESS_I64, 1, 1, 1, a.shape.dim[axis], 0);
            CHECK_OK(tess_random_permutation(&order, 21, NULL));
            CHECK_OK(tess_random_shuffle(&out, &a, axis, 21, NULL));
            for (int64_t i = 0; i < a.shape.dim[axis]; i++) {
                tess_array x = { 0 }, y = { 0 }, x_copy = { 0 }, y_copy = { 0 };
                CHECK_OK(tess_slice(&x, &out, axis, i, i + 1, 1));
                CHECK_OK(tess_slice(&y, &a, axis, ((int64_t *)order.data)[i], ((int64_t *)order.data)[i] + 1, 1));
                CHECK_OK(tess_copy(&x_copy, &x));
                CHECK_OK(tess_copy(&y_copy, &y));
                CHECK(same_bytes(&x_copy, &y_copy));
                tess_release(&x_copy);
                tess_release(&y_copy);
            }
            CHECK_OK(tess_random_shuffle(&a, &a, axis - 4, 21, NULL));
            CHECK(same_bytes(&a, &out));
            tess_release(&a);
            tess_release(&out);
            tess_release(&order);
        }
}

TEST(empty_arrays)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    for (int kind = 0; kind < KINDS; kind++) CHECK_OK(draw(kind, &a, 1, NULL));
    for (int axis = 0; axis < 4; axis++) {
        CHECK_OK(tess_random_shuffle(&out, &a, axis, 1, NULL));
        CHECK_DIMS(out.shape, 2, 0, 3, 4);
        tess_release(&out);
    }
    tess_release(&a);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = constant(TESS_F64, 1, 1, 100, 200, 0), b = constant(TESS_F64, 1, 1, 100, 200, 30), want = { 0 };
    CHECK_OK(tess_random_poisson(&a, &b, 5, NULL));
    CHECK_OK(tess_random_shuffle(&want, &a, 2, 5, NULL));
    tess_release(&a);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    a = constant(TESS_F64, 1, 1, 100, 200, 0);
    CHECK_OK(tess_random_poisson(&a, &tess_f32(30), 5, NULL));
    CHECK_OK(tess_random_shuffle(&a, &a, 2, 5, NULL));
    tess_release(&b);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(same_bytes(&a, &want));
    tess_release(&a);
    tess_release(&want);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

static tess_status draw_order(int kind, tess_array *out, uint64_t seed, const tess_random_opts *opts)
{
    if (kind < KINDS) TESS_TRY(draw(kind, out, seed, opts));
    else TESS_TRY(tess_random_permutation(out, seed, opts));
    return TESS_OK;
}

static const char *const names[KINDS + 1] = { "random_uniform",     "random_normal",  "random_lognormal",
                                              "random_exponential", "random_poisson", "random_integers",
                                              "random_permutation" };

TEST(bad_outputs_and_options)
{
    for (int kind = 0; kind <= KINDS; kind++) {
        const tess_dtype dtype = kind < KINDS ? TESS_F32 : TESS_I32;
        tess_array       a = constant(dtype, 1, 1, 3, 4, 0), zeroed = { 0 }, gpu = on_gpu(a), locked = read_only(a);
        tess_array       one = constant(dtype, 1, 1, 1, 1, 0), repeated = { 0 };
        CHECK_OK(tess_broadcast(&repeated, &one, a.shape));
        repeated.flags = 0;
        CHECK_FAILS(draw_order(kind, NULL, 1, NULL), TESS_EARG, names[kind], "out is NULL");
        CHECK_FAILS(draw_order(kind, &zeroed, 1, NULL), TESS_EARG, names[kind], "out", "zeroed");
        CHECK_FAILS(draw_order(kind, &locked, 1, NULL), TESS_EWRITE, names[kind], "out is read-only");
        CHECK_FAILS(draw_order(kind, &repeated, 1, NULL), TESS_EWRITE, names[kind], "axis 2 is broadcast");
        CHECK_FAILS(draw_order(kind, &gpu, 1, NULL), TESS_EDEVICE, names[kind]);
        CHECK_FAILS(draw_order(kind, &a, 1, &(tess_random_opts){ .unused = 3 }), TESS_ERANGE, names[kind],
                    "opts->unused is 3; it must be 0");
        CHECK_FAILS(draw_order(kind, &a, 1, &(tess_random_opts){ .offset = UINT64_MAX }), TESS_ERANGE, names[kind],
                    "offset is");
        CHECK_FAILS(draw_order(kind, &a, 1, &(tess_random_opts){ .offset = (UINT64_C(1) << 62) + 1 }), TESS_ERANGE,
                    names[kind], "opts->offset is 4611686018427387905; 0 to 2^62 is allowed");
        CHECK_FAILS(draw_order(kind, &a, 1, &(tess_random_opts){ .reserved = { 0, 0, 1 } }), TESS_EARG, names[kind],
                    "reserved");
        CHECK(all_are(&a, 0));
        CHECK_OK(draw_order(kind, &a, 1, &(tess_random_opts){ .offset = UINT64_C(1) << 62 }));
        tess_release(&a);
        tess_release(&one);
    }
}

TEST(bad_dtypes)
{
    tess_array i = constant(TESS_I32, 1, 1, 1, 4, 0), z = constant(TESS_C32, 1, 1, 1, 4, 0);
    tess_array v = constant(TESS_VEC3_F64, 1, 1, 1, 4, 0), f = constant(TESS_F32, 1, 1, 1, 4, 0);
    tess_array t = constant(TESS_BOOL, 1, 1, 1, 4, 0), many = constant(TESS_I8, 1, 1, 1, 129, 0);
    for (int kind = 0; kind < 4; kind++) {
        CHECK_FAILS(draw(kind, &i, 1, NULL), TESS_EDTYPE, names[kind], "out is i32; a float or complex type is needed");
        CHECK_FAILS(draw(kind, &v, 1, NULL), TESS_EDTYPE, names[kind], "out is vec3_f64");
    }
    CHECK_FAILS(draw(4, &t, 1, NULL), TESS_EDTYPE, names[4], "out is bool; an integer, float or complex type");
    CHECK_FAILS(tess_random_poisson(&f, &z, 1, NULL), TESS_EDTYPE, names[4], "means is c32; a real");
    CHECK_FAILS(tess_random_poisson(&f, &v, 1, NULL), TESS_EDTYPE, names[4], "means is vec3_f64");
    CHECK_FAILS(draw(5, &z, 1, NULL), TESS_EDTYPE, names[5], "out is c32; a real");
    CHECK_FAILS(draw(5, &v, 1, NULL), TESS_EDTYPE, names[5], "out is vec3_f64");
    CHECK_FAILS(tess_random_permutation(&f, 1, NULL), TESS_EDTYPE, names[6], "out is f32; an integer");
    CHECK_FAILS(tess_random_permutation(&t, 1, NULL), TESS_EDTYPE, names[6], "out is bool; an integer");
    CHECK_FAILS(tess_random_permutation(&many, 1, NULL), TESS_EDTYPE, names[6], "out is i8 and has 129 elements",
                "128");
    tess_release(&i);
    tess_release(&z);
    tess_release(&v);
    tess_release(&f);
    tess_release(&t);
    tess_release(&many);
}

TEST(bad_parameters)
{
    const double inf = INFINITY, nan = NAN;
    tess_array   f = constant(TESS_F32, 1, 1, 1, 4, 0), g = constant(TESS_F16, 1, 1, 1, 4, 0);
    tess_array   w = constant(TESS_F64, 1, 1, 1, 4, 0), u = constant(TESS_U8, 1, 1, 1, 4, 0);
    CHECK_FAILS(tess_random_uniform(&f, 2, 1, 1, NULL), TESS_ERANGE, "random_uniform: high is 1; 2 to", "f32");
    CHECK_FAILS(tess_random_uniform(&f, nan, 1, 1, NULL), TESS_ERANGE, "random_uniform: low is nan");
    CHECK_FAILS(tess_random_uniform(&f, 0, nan, 1, NULL), TESS_ERANGE, "random_uniform: high is nan");
    CHECK_FAILS(tess_random_uniform(&f, -inf, 1, 1, NULL), TESS_ERANGE, "random_uniform: low is -inf");
    CHECK_FAILS(tess_random_uniform(&f, 0, 1e39, 1, NULL), TESS_ERANGE, "random_uniform: high is 1e+39");
    CHECK_FAILS(tess_random_uniform(&g, 0, 65505, 1, NULL), TESS_ERANGE, "random_uniform: high is 65505", "f16");
    CHECK_FAILS(tess_random_uniform(&w, -1e308, 1e308, 1, NULL), TESS_ERANGE, "random_uniform: high - low is inf");
    CHECK_FAILS(tess_random_normal(&f, nan, 1, 1, NULL), TESS_ERANGE, "random_normal: mean is nan");
    CHECK_FAILS(tess_random_normal(&f, 0, -1, 1, NULL), TESS_ERANGE, "random_normal: std is -1; 0 to");
    CHECK_FAILS(tess_random_normal(&f, 0, inf, 1, NULL), TESS_ERANGE, "random_normal: std is inf");
    CHECK_FAILS(tess_random_lognormal(&f, inf, 1, 1, NULL), TESS_ERANGE, "random_lognormal: mean is inf");
    CHECK_FAILS(tess_random_lognormal(&f, 0, nan, 1, NULL), TESS_ERANGE, "random_lognormal: std is nan");
    CHECK_FAILS(tess_random_exponential(&f, -1, 1, NULL), TESS_ERANGE, "random_exponential: scale is -1; 0 to");
    CHECK_FAILS(tess_random_exponential(&f, nan, 1, NULL), TESS_ERANGE, "random_exponential: scale is nan");
    CHECK_FAILS(tess_random_integers(&u, -1, 5, 1, NULL), TESS_ERANGE, "random_integers: low is -1; 0 to 255", "u8");
    CHECK_FAILS(tess_random_integers(&u, 0, 256, 1, NULL), TESS_ERANGE, "random_integers: high is 256; 0 to 255");
    CHECK_FAILS(tess_random_integers(&u, 9, 8, 1, NULL), TESS_ERANGE, "random_integers: high is 8; 9 to 255");
    CHECK_FAILS(tess_random_integers(&g, 0, 2049, 1, NULL), TESS_ERANGE, "high is 2049; 0 to 2048", "f16");
    CHECK_FAILS(tess_random_integers(&f, -16777217, 0, 1, NULL), TESS_ERANGE, "low is -16777217; -16777216 to");
    CHECK(all_are(&f, 0) && all_are(&g, 0) && all_are(&w, 0) && all_are(&u, 0));
    tess_release(&f);
    tess_release(&g);
    tess_release(&w);
    tess_release(&u);
}

TEST(bad_means)
{
    const double bad[] = { -1, -1e-300, 0x1.0000000000001p53, INFINITY, -INFINITY, NAN };
    tess_array   out = constant(TESS_F64, 1, 2, 3, 4, 7), means = constant(TESS_F64, 1, 2, 3, 4, 1), part = { 0 };
    tess_array   other = constant(TESS_F64, 1, 1, 1, 3, 1), gpu = on_gpu(means), zeroed = { 0 };
    CHECK_FAILS(tess_random_poisson(&out, NULL, 1, NULL), TESS_EARG, "random_poisson: means is NULL");
    CHECK_FAILS(tess_random_poisson(&out, &zeroed, 1, NULL), TESS_EARG, "random_poisson: means is a released");
    CHECK_FAILS(tess_random_poisson(&out, &other, 1, NULL), TESS_ESHAPE, "random_poisson: means has shape {1,1,1,3}");
    CHECK_FAILS(tess_random_poisson(&out, &gpu, 1, NULL), TESS_EDEVICE, "random_poisson: means is on gpu");
    CHECK_OK(tess_slice(&part, &out, 3, 0, 1, 1));
    CHECK_FAILS(tess_random_poisson(&out, &part, 1, NULL), TESS_EALIAS, "random_poisson: out", "means");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OK(tess_set_f64(&means, 0, 1, 2, 3, bad[i]));
        CHECK_FAILS(tess_random_poisson(&out, &means, 1, NULL), TESS_ERANGE, "random_poisson: means is ",
                    "at {0,1,2,3}; 0 to 2^53 is allowed");
        CHECK_FAILS(tess_random_poisson(&out, &tess_f64(bad[i]), 1, NULL), TESS_ERANGE, "random_poisson: means is ",
                    "; 0 to 2^53 is allowed");
    }
    CHECK(all_are(&out, 7));
    CHECK_OK(tess_random_poisson(&out, &tess_f64(0x1p53), 1, NULL));
    tess_release(&out);
    tess_release(&means);
    tess_release(&other);
}

/* On an asynchronous stream it is the stream that learns of a bad mean. */
TEST(bad_means_of_a_stream)
{
    tess_stream *stream = NULL;
    tess_array   out = constant(TESS_F64, 1, 1, 1, 4, 7), means = constant(TESS_F64, 1, 1, 1, 4, -1);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_random_poisson(&out, &means, 1, NULL));
    CHECK_FAILS(tess_stream_sync(stream), TESS_ERANGE, "random_poisson: means is -1 at {0,0,0,0}");
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(all_are(&out, 7));
    tess_stream_free(stream);
    tess_release(&out);
    tess_release(&means);
}

TEST(bad_shuffles)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, other = numbers(TESS_F32, 1, 1, 4, 3);
    tess_array locked = read_only(other), gpu = on_gpu(a), zeroed = { 0 }, wide = constant(TESS_F32, 1, 1, 3, 8, 0);
    tess_array x = { 0 }, y = { 0 }, f64 = constant(TESS_F64, 1, 1, 3, 4, 0);
    CHECK_OK(tess_slice(&x, &wide, 3, 0, 4, 1));
    CHECK_OK(tess_slice(&y, &wide, 3, 1, 5, 1));
    CHECK_FAILS(tess_random_shuffle(NULL, &a, 0, 1, NULL), TESS_EARG, "random_shuffle: out is NULL");
    CHECK_FAILS(tess_random_shuffle(&out, NULL, 0, 1, NULL), TESS_EARG, "random_shuffle: in is NULL");
    CHECK_FAILS(tess_random_shuffle(&out, &zeroed, 0, 1, NULL), TESS_EARG, "random_shuffle: in is a released");
    CHECK_FAILS(tess_random_shuffle(&out, &a, 4, 1, NULL), TESS_ERANGE, "random_shuffle: axis is 4");
    CHECK_FAILS(tess_random_shuffle(&other, &a, 0, 1, NULL), TESS_ESHAPE, "random_shuffle: out has shape {1,1,4,3}");
    CHECK_FAILS(tess_random_shuffle(&f64, &a, 0, 1, NULL), TESS_EDTYPE, "random_shuffle: out has dtype f64; f32");
    CHECK_FAILS(tess_random_shuffle(&locked, &other, 0, 1, NULL), TESS_EWRITE, "random_shuffle: out is read-only");
    CHECK_FAILS(tess_random_shuffle(&x, &y, 0, 1, NULL), TESS_EALIAS, "random_shuffle: out", "in");
    CHECK_FAILS(tess_random_shuffle(&out, &gpu, 0, 1, NULL), TESS_EDEVICE, "random_shuffle");
    CHECK_FAILS(tess_random_shuffle(&out, &a, 0, 1, &(tess_random_opts){ .unused = -1 }), TESS_ERANGE, "unused is -1");
    CHECK_FAILS(tess_random_shuffle(&out, &a, 0, 1, &(tess_random_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&other);
    tess_release(&wide);
    tess_release(&f64);
}

TEST(allocations_that_fail)
{
    tess_array a = numbers(TESS_I32, 1, 1, 30, 40), out = { 0 };
    hooks_on(&h);
    atomic_store(&h.for_good, true);
    for (int at = 1; at <= 2; at++) { /* the array, the order */
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, at);
        CHECK_FAILS(tess_random_shuffle(&out, &a, 2, 1, NULL), TESS_ENOMEM, "random_shuffle", "memory");
        CHECK(is_zeroed(&out));
    }
    atomic_store(&h.calls, 0);
    atomic_store(&h.fail_at, 1);
    CHECK_FAILS(tess_random_permutation(&a, 1, NULL), TESS_ENOMEM, "random_permutation", "memory", "bytes");
    atomic_store(&h.fail_at, 0);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK(value_at(&a, 0, 0, 29, 39) == 1199);
    tess_release(&a);
}
