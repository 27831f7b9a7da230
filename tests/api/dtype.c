/* Element types: names, sizes, kinds, and parsing. */
#include "support/test.h"

TEST(every_type_has_a_name_that_parses_back)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++) {
        tess_dtype back = TESS_DTYPE_NONE;
        CHECK_OK(tess_dtype_parse(&back, tess_dtype_name(dtype)));
        CHECK_I64(back, dtype);
        CHECK(tess_dtype_size(dtype) == (size_t)tess_dtype_reals(dtype) * tess_dtype_size(tess_dtype_real(dtype)));
    }
}

TEST(sizes_are_those_of_the_c_types)
{
#define SIZE(NAME, name, type, REAL) CHECK_I64((int64_t)tess_dtype_size(TESS_##NAME), (int64_t)sizeof(type));
    TESS_SCALAR_DTYPES(SIZE)
#undef SIZE
#define SIZE(NAME, name, REAL, real, rows, columns)                                                                    \
    CHECK_I64((int64_t)tess_dtype_size(TESS_##NAME), (int64_t)sizeof(tess_##name));                                    \
    CHECK_I64(tess_dtype_reals(TESS_##NAME), (rows) * (columns));
    TESS_COMPOUND_DTYPES(SIZE)
#undef SIZE
}

TEST(numpy_names_parse)
{
    static const struct {
        const char *name;
        tess_dtype  dtype;
    } names[] = { { "float32", TESS_F32 }, { "complex64", TESS_C32 }, { "complex128", TESS_C64 },
                  { "uint8", TESS_U8 },    { "int64", TESS_I64 },     { "float16", TESS_F16 } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tess_dtype dtype = TESS_DTYPE_NONE;
        CHECK_OK(tess_dtype_parse(&dtype, names[i].name));
        CHECK_I64(dtype, names[i].dtype);
    }
}

TEST(parse_refuses)
{
    tess_dtype dtype = TESS_F32;
    CHECK_FAILS(tess_dtype_parse(NULL, "f32"), TESS_EARG, "dtype_parse: dtype is NULL");
    CHECK_FAILS(tess_dtype_parse(&dtype, NULL), TESS_EARG, "dtype_parse: name is NULL");
    CHECK_FAILS(tess_dtype_parse(&dtype, "f31"), TESS_EPARSE, "name is \"f31\"", "f16 to f64");
    CHECK_FAILS(tess_dtype_parse(&dtype, ""), TESS_EPARSE, "name is \"\"");
    CHECK_FAILS(tess_dtype_parse(&dtype, "none"), TESS_EPARSE, "name is \"none\"");
    CHECK_I64(dtype, TESS_F32);
}

TEST(kinds_and_reals)
{
    CHECK(tess_dtype_kind(TESS_BOOL) == TESS_KIND_BOOL);
    CHECK(tess_dtype_kind(TESS_I16) == TESS_KIND_INT);
    CHECK(tess_dtype_kind(TESS_U64) == TESS_KIND_UINT);
    CHECK(tess_dtype_kind(TESS_F16) == TESS_KIND_FLOAT);
    CHECK(tess_dtype_kind(TESS_C16) == TESS_KIND_COMPLEX);
    CHECK(tess_dtype_kind(TESS_MAT34_F64) == TESS_KIND_COMPOUND);
    CHECK_I64(tess_dtype_real(TESS_C64), TESS_F64);
    CHECK_I64(tess_dtype_real(TESS_MAT33_F32), TESS_F32);
    CHECK_I64(tess_dtype_real(TESS_I8), TESS_I8);
    CHECK_I64(tess_dtype_complex(TESS_F32), TESS_C32);
    CHECK_I64(tess_dtype_complex(TESS_C64), TESS_C64);
    CHECK_I64(tess_dtype_complex(TESS_I32), TESS_DTYPE_NONE);
}

TEST(numbers_that_are_no_type)
{
    static const tess_dtype bad[] = { TESS_DTYPE_NONE, -1, TESS_DTYPE_COUNT, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_TEXT(tess_dtype_name(bad[i]), "none");
        CHECK(tess_dtype_size(bad[i]) == 0);
        CHECK(tess_dtype_kind(bad[i]) == TESS_KIND_NONE);
        CHECK_I64(tess_dtype_reals(bad[i]), 0);
        CHECK_I64(tess_dtype_real(bad[i]), TESS_DTYPE_NONE);
    }
}
