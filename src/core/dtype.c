/* Table of element types, and queries of it. */
#include "core/dtype.h"

#include <string.h>

#define KIND_BOOL TESS_KIND_BOOL
#define KIND_I8 TESS_KIND_INT
#define KIND_I16 TESS_KIND_INT
#define KIND_I32 TESS_KIND_INT
#define KIND_I64 TESS_KIND_INT
#define KIND_U8 TESS_KIND_UINT
#define KIND_U16 TESS_KIND_UINT
#define KIND_U32 TESS_KIND_UINT
#define KIND_U64 TESS_KIND_UINT
#define KIND_F16 TESS_KIND_FLOAT
#define KIND_F32 TESS_KIND_FLOAT
#define KIND_F64 TESS_KIND_FLOAT
#define KIND_C16 TESS_KIND_COMPLEX
#define KIND_C32 TESS_KIND_COMPLEX
#define KIND_C64 TESS_KIND_COMPLEX

const tess__dtype_row tess__dtypes[TESS_DTYPE_COUNT] = { { "none", 0, TESS_DTYPE_NONE, 0, TESS_KIND_NONE },
#define SCALAR(NAME, name, type, REAL)                                                                                 \
    { #name, sizeof(type), TESS_##REAL, KIND_##NAME == TESS_KIND_COMPLEX ? 2 : 1, KIND_##NAME },
                                                         TESS_SCALAR_DTYPES(SCALAR)
#undef SCALAR
#define COMPOUND(NAME, name, REAL, real, rows, columns)                                                                \
    { #name, sizeof(tess_##name), TESS_##REAL, (rows) * (columns), TESS_KIND_COMPOUND },
                                                             TESS_COMPOUND_DTYPES(COMPOUND)
#undef COMPOUND
};

static const tess__dtype_row *row_of(tess_dtype dtype)
{
    return &tess__dtypes[tess__dtype_valid(dtype) ? dtype : TESS_DTYPE_NONE];
}

const char *tess_dtype_name(tess_dtype dtype) { return row_of(dtype)->name; }

size_t tess_dtype_size(tess_dtype dtype) { return row_of(dtype)->size; }

tess_kind tess_dtype_kind(tess_dtype dtype) { return (tess_kind)row_of(dtype)->kind; }

tess_dtype tess_dtype_real(tess_dtype dtype) { return row_of(dtype)->real; }

int tess_dtype_reals(tess_dtype dtype) { return row_of(dtype)->reals; }

tess_dtype tess_dtype_complex(tess_dtype dtype)
{
    for (tess_dtype c = TESS_C16; c <= TESS_C64; c++)
        if (c == dtype || tess__dtypes[c].real == dtype) return c;
    return TESS_DTYPE_NONE;
}

/* NumPy's names, where they differ from ours. */
static const struct {
    const char *name;
    tess_dtype  dtype;
} numpy_names[] = {
    { "int8", TESS_I8 },       { "int16", TESS_I16 },      { "int32", TESS_I32 },   { "int64", TESS_I64 },
    { "uint8", TESS_U8 },      { "uint16", TESS_U16 },     { "uint32", TESS_U32 },  { "uint64", TESS_U64 },
    { "float16", TESS_F16 },   { "float32", TESS_F32 },    { "float64", TESS_F64 }, { "complex32", TESS_C16 },
    { "complex64", TESS_C32 }, { "complex128", TESS_C64 },
};

tess_status tess_dtype_parse(tess_dtype *dtype, const char *name)
{
    TESS_CHECK(dtype, TESS_EARG, "dtype_parse: `dtype` is `NULL`; a pointer to the result is needed");
    TESS_CHECK(name, TESS_EARG, "dtype_parse: `name` is `NULL`; a name such as \"f32\" is needed");
    for (tess_dtype t = 1; t < TESS_DTYPE_COUNT; t++) {
        if (strcmp(name, tess__dtypes[t].name) == 0) {
            *dtype = t;
            return TESS_OK;
        }
    }
    for (size_t i = 0; i < sizeof numpy_names / sizeof *numpy_names; i++) {
        if (strcmp(name, numpy_names[i].name) == 0) {
            *dtype = numpy_names[i].dtype;
            return TESS_OK;
        }
    }
    TESS_FAIL(TESS_EPARSE,
              "dtype_parse: `name` is \"%.40s\"; expected bool, i8 to i64, u8 to u64, f16 to f64, c16 to c64, vec2_f32 "
              "to vec4_f64, mat22_f32 to mat44_f64 or a NumPy name",
              name);
}
