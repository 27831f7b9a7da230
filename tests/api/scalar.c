/* Numbers as arguments, and the dtype in which numbers and arrays meet. */
#include <math.h>

#include "support/arrays.h"

/* ---- The numbers themselves ---- */

enum { PLAIN = TESS_SCALAR | TESS_READ_ONLY, WEAK = PLAIN | TESS_WEAK };

/* One element on the CPU that nobody owns. */
static bool is_scalar(const tess_array *a, tess_dtype dtype, uint32_t flags)
{
    CHECK_DIMS(a->shape, 1, 1, 1, 1);
    return a->dtype == dtype && a->flags == flags && a->data && !a->buffer && a->device.kind == TESS_CPU &&
           a->device.index == 0 && tess_n_elements(a) == 1;
}

TEST(each_kind_has_its_dtype_and_value)
{
    const tess_array i8 = tess_i8(-8), i16 = tess_i16(-16), i32 = tess_i32(-32), i64 = tess_i64(INT64_MIN);
    const tess_array u8 = tess_u8(200), u16 = tess_u16(60000), u32 = tess_u32(4000000000u), u64 = tess_u64(UINT64_MAX);
    const tess_array f32 = tess_f32(0.1f), f64 = tess_f64(0.1), num = tess_num(0.1);
    CHECK(is_scalar(&i8, TESS_I8, PLAIN) && *(int8_t *)i8.data == -8);
    CHECK(is_scalar(&i16, TESS_I16, PLAIN) && *(int16_t *)i16.data == -16);
    CHECK(is_scalar(&i32, TESS_I32, PLAIN) && *(int32_t *)i32.data == -32);
    CHECK(is_scalar(&i64, TESS_I64, PLAIN) && *(int64_t *)i64.data == INT64_MIN);
    CHECK(is_scalar(&u8, TESS_U8, PLAIN) && *(uint8_t *)u8.data == 200);
    CHECK(is_scalar(&u16, TESS_U16, PLAIN) && *(uint16_t *)u16.data == 60000);
    CHECK(is_scalar(&u32, TESS_U32, PLAIN) && *(uint32_t *)u32.data == 4000000000u);
    CHECK(is_scalar(&u64, TESS_U64, PLAIN) && *(uint64_t *)u64.data == UINT64_MAX);
    CHECK(is_scalar(&f32, TESS_F32, PLAIN) && *(float *)f32.data == 0.1f);
    CHECK(is_scalar(&f64, TESS_F64, PLAIN) && *(double *)f64.data == 0.1);
    CHECK(is_scalar(&num, TESS_F64, WEAK) && *(double *)num.data == 0.1);
}

TEST(complex_ones_have_two_parts)
{
    const tess_array c32 = tess_c32(1.5f, -2), c64 = tess_c64(0.1, 0.2);
    CHECK(is_scalar(&c32, TESS_C32, PLAIN) && ((float *)c32.data)[0] == 1.5f && ((float *)c32.data)[1] == -2);
    CHECK(is_scalar(&c64, TESS_C64, PLAIN) && ((double *)c64.data)[0] == 0.1 && ((double *)c64.data)[1] == 0.2);
}

/* Two in one expression, and one that is kept until the end of its block. */
TEST(each_lives_as_long_as_its_block)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 3), out = { 0 };
    for (int i = 0; i < 3; i++) {
        const tess_array *kept = &tess_num(i), *other = &tess_num(10 * i);
        CHECK_OK(tess_clamp(&out, &a, kept, other));
        CHECK(kept->data != other->data && *(double *)kept->data == i && *(double *)other->data == 10 * i);
        CHECK(value_at(&out, 0, 0, 0, 0) == i);
    }
    tess_release(&out);
    tess_release(&a);
}

TEST(they_are_read_by_other_functions_too)
{
    tess_array out = { 0 };
    double     x = 0;
    CHECK_OK(tess_copy(&out, &tess_i16(7)));
    CHECK(out.dtype == TESS_I16 && out.flags == 0 && value_at(&out, 0, 0, 0, 0) == 7);
    CHECK_OK(tess_get_f64(&x, &tess_num(2.5), 0, 0, 0, 0));
    CHECK(x == 2.5);
    tess_release(&out);
}

TEST(they_cannot_be_written)
{
    tess_array scalar = tess_num(1);
    CHECK_FAILS(tess_fill(&scalar, 2), TESS_EWRITE, "fill: ", "out is read-only");
    CHECK_FAILS(tess_add(&scalar, &tess_num(1), &tess_num(2)), TESS_EWRITE, "add: ", "out is read-only");
    CHECK(*(double *)scalar.data == 1);
}

TEST(views_of_them_are_read_in_full)
{
    const tess_array z = tess_c32(3, 4);
    tess_array       parts = { 0 }, wide = { 0 }, bits = { 0 }, out = { 0 };
    CHECK_OK(tess_reinterpret(&parts, &z, TESS_F32));
    CHECK_OK(tess_add(&out, &parts, &tess_f32(1)));
    CHECK_DIMS(out.shape, 1, 1, 1, 2);
    CHECK(value_at(&out, 0, 0, 0, 0) == 4 && value_at(&out, 0, 0, 0, 1) == 5);
    tess_release(&out);
    CHECK_OK(tess_broadcast(&wide, &tess_num(2), TESS_SHAPE(1, 1, 2, 3)));
    CHECK_OK(tess_add(&out, &wide, &tess_f32(1)));
    CHECK_DIMS(out.shape, 1, 1, 2, 3);
    CHECK(all_are(&out, 3));
    tess_release(&out);
    CHECK_OK(tess_reinterpret(&bits, &tess_num(0.5), TESS_I64));
    CHECK_OK(tess_bit_and(&out, &bits, &tess_i64(INT64_MAX)));
    CHECK(out.dtype == TESS_I64 && *(int64_t *)out.data == INT64_C(0x3fe0000000000000));
    tess_release(&out);
}

/* Released like any other array, which frees nothing. */
TEST(they_may_be_released)
{
    tess_array scalar = tess_num(1);
    tess_release(&scalar);
    CHECK(is_zeroed(&scalar));
}

/* ---- Weak numbers ---- */

/* The dtype of a sum, and its value unless that is NaN. */
static bool sum_is(tess_dtype dtype, const tess_array *number, tess_dtype want, double value)
{
    tess_array a = constant(dtype, 1, 1, 1, 2, 1), out[2] = { { .dtype = 0 } };
    bool       good = CHECK_OK(tess_add(&out[0], &a, number)) && CHECK_OK(tess_add(&out[1], number, &a));
    for (int i = 0; i < 2 && good; i++) {
        tess_c64 z = { 0, 0 };
        good = out[i].dtype == want && CHECK_OK(tess_get_c64(&z, &out[i], 0, 0, 0, 1)) && z.im == 0 &&
               (z.re == value || isnan(value));
    }
    tess_release(&a);
    tess_release(&out[0]);
    tess_release(&out[1]);
    return good;
}

TEST(weak_numbers_take_on_the_dtype_they_meet)
{
    CHECK(sum_is(TESS_U8, &tess_num(1), TESS_U8, 2));
    CHECK(sum_is(TESS_U8, &tess_num(255), TESS_U8, 0));
    CHECK(sum_is(TESS_U8, &tess_num(-0.0), TESS_U8, 1));
    CHECK(sum_is(TESS_I8, &tess_num(-128), TESS_I8, -127));
    CHECK(sum_is(TESS_I64, &tess_num(0x1p62), TESS_I64, 0x1p62));
    CHECK(sum_is(TESS_U64, &tess_num(0x1p63), TESS_U64, 0x1p63));
    CHECK(sum_is(TESS_F16, &tess_num(0.5), TESS_F16, 1.5));
    CHECK(sum_is(TESS_F32, &tess_num(2.5), TESS_F32, 3.5));
    CHECK(sum_is(TESS_F32, &tess_num(1e300), TESS_F32, INFINITY));
    CHECK(sum_is(TESS_F64, &tess_num(0.1), TESS_F64, 1.1));
    CHECK(sum_is(TESS_C16, &tess_num(2), TESS_C16, 3));
    CHECK(sum_is(TESS_C32, &tess_num(2.5), TESS_C32, 3.5));
    CHECK(sum_is(TESS_C64, &tess_num(2.5), TESS_C64, 3.5));
}

TEST(numbers_that_integers_cannot_hold_make_f64)
{
    CHECK(sum_is(TESS_U8, &tess_num(256), TESS_F64, 257));
    CHECK(sum_is(TESS_U8, &tess_num(300), TESS_F64, 301));
    CHECK(sum_is(TESS_U8, &tess_num(2.5), TESS_F64, 3.5));
    CHECK(sum_is(TESS_U8, &tess_num(-1), TESS_F64, 0));
    CHECK(sum_is(TESS_I8, &tess_num(128), TESS_F64, 129));
    CHECK(sum_is(TESS_I8, &tess_num(-129), TESS_F64, -128));
    CHECK(sum_is(TESS_I64, &tess_num(0x1p63), TESS_F64, 0x1p63));
    CHECK(sum_is(TESS_I64, &tess_num(-0x1p63), TESS_I64, -0x1p63));
    CHECK(sum_is(TESS_U64, &tess_num(0x1p64), TESS_F64, 0x1p64));
    CHECK(sum_is(TESS_I32, &tess_num(NAN), TESS_F64, NAN));
    CHECK(sum_is(TESS_I32, &tess_num(INFINITY), TESS_F64, INFINITY));
}

TEST(weak_numbers_with_bool_are_i64_or_f64)
{
    CHECK(sum_is(TESS_BOOL, &tess_num(2), TESS_I64, 3));
    CHECK(sum_is(TESS_BOOL, &tess_num(0.5), TESS_F64, 1.5));
    CHECK(sum_is(TESS_BOOL, &tess_num(1e30), TESS_F64, 1e30));
}

TEST(weak_numbers_alone_are_f64)
{
    tess_array out = { 0 };
    CHECK_OK(tess_add(&out, &tess_num(1), &tess_num(2)));
    CHECK_DIMS(out.shape, 1, 1, 1, 1);
    CHECK(out.dtype == TESS_F64 && out.flags == 0 && value_at(&out, 0, 0, 0, 0) == 3);
    tess_release(&out);
    CHECK_OK(tess_sqrt(&out, &tess_num(4)));
    CHECK(out.dtype == TESS_F64 && value_at(&out, 0, 0, 0, 0) == 2);
    tess_release(&out);
}

/* The weakest has no say, wherever it stands: the others meet first. */
TEST(weak_numbers_among_three)
{
    tess_array a = constant(TESS_U8, 1, 1, 1, 2, 3), f = constant(TESS_F32, 1, 1, 1, 2, 2), out = { 0 };
    CHECK_OK(tess_fma(&out, &tess_num(300), &a, &f));
    CHECK(out.dtype == TESS_F32 && all_are(&out, 902));
    tess_release(&out);
    CHECK_OK(tess_clamp(&out, &a, &tess_num(0), &tess_num(2)));
    CHECK(out.dtype == TESS_U8 && all_are(&out, 2));
    tess_release(&out);
    CHECK_OK(tess_clamp(&out, &a, &tess_num(0), &tess_num(1000)));
    CHECK(out.dtype == TESS_F64 && all_are(&out, 3));
    tess_release(&out);
    CHECK_OK(tess_clamp(&out, &a, &tess_num(0.5), &tess_num(2)));
    CHECK(out.dtype == TESS_F64 && all_are(&out, 2));
    tess_release(&out);
    tess_release(&a);
    tess_release(&f);
}

TEST(numbers_with_a_dtype_promote_as_arrays)
{
    CHECK(sum_is(TESS_U8, &tess_i8(1), TESS_I16, 2));
    CHECK(sum_is(TESS_U8, &tess_f32(0.5f), TESS_F32, 1.5));
    CHECK(sum_is(TESS_F32, &tess_f64(0.1), TESS_F64, 1.1));
    CHECK(sum_is(TESS_I32, &tess_f32(1), TESS_F64, 2));
    CHECK(sum_is(TESS_BOOL, &tess_u8(2), TESS_U8, 3));
    CHECK(sum_is(TESS_F16, &tess_i64(2), TESS_F64, 3));
    CHECK(sum_is(TESS_F32, &tess_c32(2, 0), TESS_C32, 3));
    CHECK(sum_is(TESS_I32, &tess_c32(2, 0), TESS_C64, 3));
    CHECK(sum_is(TESS_I64, &tess_u64(2), TESS_F64, 3));
}

/* Wide integers are not taken through f64 where the result is an integer. */
TEST(wide_integers_are_exact)
{
    tess_array a = { 0 };
    CHECK_OK(tess_sub(&a, &tess_i64(INT64_MAX), &tess_i64(1)));
    CHECK(*(int64_t *)a.data == INT64_MAX - 1);
    tess_release(&a);
    CHECK_OK(tess_sub(&a, &tess_u64(UINT64_MAX), &tess_num(1)));
    CHECK(a.dtype == TESS_U64 && *(uint64_t *)a.data == UINT64_MAX - 1);
    tess_release(&a);
}

/* ---- Promotion ---- */

/* Bits of the integers that a real type holds without a gap; bool has 1. */
static int whole_bits(tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    const int        bits = 8 * (int)tess_dtype_size(real);
    switch (tess_dtype_kind(real)) {
    case TESS_KIND_BOOL: return 1;
    case TESS_KIND_INT: return bits - 1;
    case TESS_KIND_UINT: return bits;
    default: return bits == 16 ? 11 : bits == 32 ? 24 : 53;
    }
}

/* Does every number of `a` stay what it is in `b`? 64-bit integers count as held by f64, as in NumPy. */
static bool holds(tess_dtype b, tess_dtype a)
{
    const tess_kind from = tess_dtype_kind(a), to = tess_dtype_kind(b), real = tess_dtype_kind(tess_dtype_real(b));
    const bool      wide = real == TESS_KIND_FLOAT && tess_dtype_real(b) == TESS_F64;
    if (from == TESS_KIND_COMPLEX && to != TESS_KIND_COMPLEX) return false;
    if (from == TESS_KIND_FLOAT && real != TESS_KIND_FLOAT) return false;
    if (from == TESS_KIND_INT && (to == TESS_KIND_UINT || to == TESS_KIND_BOOL)) return false;
    if (from == TESS_KIND_UINT && to == TESS_KIND_BOOL) return false;
    return whole_bits(a) <= whole_bits(b) || wide;
}

/* The first type, from small to large, that holds both. */
static tess_dtype smallest(tess_dtype a, tess_dtype b)
{
    static const tess_dtype order[] = { TESS_BOOL, TESS_U8,  TESS_I8,  TESS_U16, TESS_I16, TESS_U32, TESS_I32, TESS_U64,
                                        TESS_I64,  TESS_F16, TESS_F32, TESS_F64, TESS_C16, TESS_C32, TESS_C64 };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (holds(order[i], a) && holds(order[i], b)) return order[i];
    return TESS_DTYPE_NONE;
}

TEST(promotion_is_to_the_smallest_type_that_holds_both)
{
    for (tess_dtype a = 1; a < TESS_SCALAR_DTYPE_COUNT; a++)
        for (tess_dtype b = 1; b < TESS_SCALAR_DTYPE_COUNT; b++) {
            if (tess_dtype_promote(a, b) == smallest(a, b)) continue;
            (void)test_failed(__FILE__, __LINE__, "%s and %s meet as %s, not %s", tess_dtype_name(a),
                              tess_dtype_name(b), tess_dtype_name(tess_dtype_promote(a, b)),
                              tess_dtype_name(smallest(a, b)));
        }
    CHECK(tess_dtype_promote(TESS_I32, TESS_F32) == TESS_F64 && tess_dtype_promote(TESS_I64, TESS_U64) == TESS_F64);
    CHECK(tess_dtype_promote(TESS_I8, TESS_U8) == TESS_I16 && tess_dtype_promote(TESS_U16, TESS_F16) == TESS_F32);
    CHECK(tess_dtype_promote(TESS_F64, TESS_C32) == TESS_C64 && tess_dtype_promote(TESS_BOOL, TESS_BOOL) == TESS_BOOL);
}

TEST(promotion_is_symmetric_and_a_type_meets_itself)
{
    for (tess_dtype a = -2; a < TESS_DTYPE_COUNT + 2; a++)
        for (tess_dtype b = -2; b < TESS_DTYPE_COUNT + 2; b++) {
            CHECK(tess_dtype_promote(a, b) == tess_dtype_promote(b, a));
            if (a == b && a > 0 && a < TESS_DTYPE_COUNT) CHECK(tess_dtype_promote(a, a) == a);
        }
}

TEST(compounds_meet_only_themselves)
{
    for (tess_dtype a = -2; a < TESS_DTYPE_COUNT + 2; a++)
        for (tess_dtype b = -2; b < TESS_DTYPE_COUNT + 2; b++)
            if (a >= TESS_SCALAR_DTYPE_COUNT || b >= TESS_SCALAR_DTYPE_COUNT || a <= 0 || b <= 0)
                CHECK(tess_dtype_promote(a, b) == (a == b && a > 0 && a < TESS_DTYPE_COUNT ? a : TESS_DTYPE_NONE));
}

/* Signed and unsigned integers that need one more size than a float they meet, before or after: as in NumPy. */
static bool depends_on_order(tess_dtype a, tess_dtype b, tess_dtype c)
{
    const tess_dtype all[3] = { a, b, c };
    bool             is_signed = false, is_unsigned = false, is_float = false;
    for (int k = 0; k < 3; k++) {
        const tess_kind kind = tess_dtype_kind(all[k]);
        is_signed |= kind == TESS_KIND_INT;
        is_unsigned |= kind == TESS_KIND_UINT;
        is_float |= kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX;
    }
    return is_signed && is_unsigned && is_float;
}

TEST(promotion_is_associative_but_for_signs_and_floats)
{
    for (tess_dtype a = 1; a < TESS_SCALAR_DTYPE_COUNT; a++)
        for (tess_dtype b = 1; b < TESS_SCALAR_DTYPE_COUNT; b++)
            for (tess_dtype c = 1; c < TESS_SCALAR_DTYPE_COUNT; c++)
                CHECK(depends_on_order(a, b, c) || tess_dtype_promote(tess_dtype_promote(a, b), c) ==
                                                       tess_dtype_promote(a, tess_dtype_promote(b, c)));
}

/* NumPy's result_type of i8, u16 and f32 is f32, in any order. */
TEST(three_arrays_meet_alike_in_any_order)
{
    static const tess_dtype triples[][4] = { { TESS_I8, TESS_U16, TESS_F32, TESS_F32 },
                                             { TESS_I16, TESS_U16, TESS_F32, TESS_F32 },
                                             { TESS_I8, TESS_U8, TESS_F16, TESS_F16 },
                                             { TESS_I64, TESS_U64, TESS_F32, TESS_F64 } };
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int t = 0; t < 4; t++)
        for (int o = 0; o < 6; o++) {
            tess_array x[3], out = { 0 };
            for (int k = 0; k < 3; k++) x[k] = constant(triples[t][orders[o][k]], 1, 1, 1, 1, 1);
            CHECK_OK(tess_clamp(&out, &x[0], &x[1], &x[2]));
            if (out.dtype != triples[t][3])
                (void)test_failed(__FILE__, __LINE__, "%s, %s and %s meet as %s, not %s", tess_dtype_name(x[0].dtype),
                                  tess_dtype_name(x[1].dtype), tess_dtype_name(x[2].dtype), tess_dtype_name(out.dtype),
                                  tess_dtype_name(triples[t][3]));
            for (int k = 0; k < 3; k++) tess_release(&x[k]);
            tess_release(&out);
        }
}

TEST(copies_and_casts_take_numbers_in_the_call)
{
    tess_array out = { 0 }, bytes = { 0 };
    CHECK_OK(tess_full(&out, TESS_SHAPE(1, 1, 2, 3), TESS_F64, tess_cpu(), 0));
    CHECK_OK(tess_full(&bytes, TESS_SHAPE(1, 1, 2, 3), TESS_U8, tess_cpu(), 0));
    CHECK_OK(tess_copy(&out, &tess_f64(3.5)));
    CHECK_OK(tess_cast(&bytes, &tess_num(300), TESS_U8, NULL));
    CHECK_FAILS(tess_cast(&bytes, &tess_num(300), TESS_U8, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE,
                "300", "u8");
    for (int i = 0; i < 6; i++) {
        CHECK(((double *)out.data)[i] == 3.5);
        CHECK(((uint8_t *)bytes.data)[i] == 255);
    }
    tess_release(&out);
    tess_release(&bytes);
}
