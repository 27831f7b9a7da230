/* Matrices of transforms: numbers or compound elements as rows [A | t] of f64, and their inverses. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/device.h"

/* ---- Rows ---- */

typedef struct compound {
    tess_dtype real;
    int        rows, columns;
} compound;

static compound compound_of(tess_dtype dtype)
{
    static const compound all[] = {
#define ROW(NAME, name, REAL, real, rows, columns) { TESS_##REAL, rows, columns },
        TESS_COMPOUND_DTYPES(ROW)
#undef ROW
    };
    return all[dtype - TESS_SCALAR_DTYPE_COUNT];
}

/* Matrices as numbers {n,1,rows,columns}; compound elements along h or w, which no transform takes, stay what they
 * are. */
static tess_array numbers_of(const tess_array *matrices)
{
    tess_array view = *matrices;
    if (view.dtype < TESS_SCALAR_DTYPE_COUNT || view.shape.h != 1 || view.shape.w != 1) return view;
    const compound c = compound_of(view.dtype);
    const int64_t  each = (int64_t)c.rows * c.columns;
    view.dtype = c.real;
    for (int k = 0; k < 4; k++) view.strides.dim[k] *= each;
    view.shape.h = c.rows;
    view.shape.w = c.columns;
    view.strides.h = c.columns;
    view.strides.w = 1;
    return view;
}

static bool fits(const tess_array *numbers, int dims)
{
    const tess_shape s = numbers->shape;
    if (numbers->dtype >= TESS_SCALAR_DTYPE_COUNT) return false;
    return s.d == 1 && ((s.h == dims && (s.w == dims || s.w == dims + 1)) || (s.h == dims + 1 && s.w == dims + 1));
}

tess_status tess__transform_rows(tess_array *rows, const char *fn, const tess_array *matrices, int dims)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_array(fn, "matrices", matrices));
    TESS_CHECK(tess_dtype_kind(matrices->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `matrices` is %s; a real type is needed", fn, tess_dtype_name(matrices->dtype));
    tess_array from = numbers_of(matrices), to;
    TESS_CHECK(fits(&from, dims), TESS_ESHAPE,
               "%s: `matrices` is %s of shape %s; expected numbers {n,1,%d,%d}, {n,1,%d,%d} or {n,1,%d,%d}, or "
               "mat%d%d, mat%d%d or mat%d%d {n,1,1,1}",
               fn, tess_dtype_name(matrices->dtype), tess__shape_text(text, matrices->shape.dim), dims, dims + 1,
               dims + 1, dims + 1, dims, dims, dims, dims + 1, dims + 1, dims + 1, dims, dims);
    TESS_TRY(tess__make(fn, rows, TESS_SHAPE(from.shape.b, 1, dims, dims + 1), TESS_F64, matrices->device, true));
    to = *rows;
    from.shape.h = dims;
    to.shape.w = from.shape.w;
    const tess_status status = tess_cast(&to, &from, TESS_F64, NULL);
    if (status) tess_release(rows);
    return status;
}

/* ---- Inverses ---- */

/* The adjugate of the linear part, and its determinant. */
static double adjugate(double *out, const double *m, int dims)
{
    const int n = dims + 1;
    if (dims == 2) {
        out[0] = m[n + 1];
        out[1] = -m[1];
        out[2] = -m[n];
        out[3] = m[0];
        return m[0] * m[n + 1] - m[1] * m[n];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { /* the cofactor of row j, column i */
            const double *a = m + (j + 1) % 3 * n, *b = m + (j + 2) % 3 * n;
            const int     k = (i + 1) % 3, l = (i + 2) % 3;
            out[i * 3 + j] = a[k] * b[l] - a[l] * b[k];
        }
    return m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
}

/* Below this part of the product of the lengths of its rows, a determinant is 0 to the precision of numbers. */
#define SINGULAR 0x1p-49

static tess_status invert(double *m, const char *fn, int dims, int64_t batch)
{
    double       inverse[9], moved[3], lengths = 1;
    const int    n = dims + 1;
    const double determinant = adjugate(inverse, m, dims);
    char         text[32];
    for (int i = 0; i < dims; i++) {
        double square = 0;
        for (int j = 0; j < dims; j++) square += m[i * n + j] * m[i * n + j];
        lengths *= sqrt(square);
    }
    TESS_CHECK(fabs(determinant) > SINGULAR * lengths && isfinite(determinant), TESS_ERANGE,
               "%s: `matrices`[%" PRId64 "] has determinant %s; with `opts->forward` it must be invertible", fn, batch,
               tess__number_text(text, determinant));
    for (int i = 0; i < dims; i++) {
        moved[i] = 0;
        for (int j = 0; j < dims; j++) {
            inverse[i * dims + j] /= determinant;
            moved[i] -= inverse[i * dims + j] * m[j * n + dims];
        }
    }
    for (int i = 0; i < dims; i++) {
        for (int j = 0; j < dims; j++) m[i * n + j] = inverse[i * dims + j];
        m[i * n + dims] = moved[i];
    }
    return TESS_OK;
}

tess_status tess__transform_invert(tess_array *rows, const char *fn, int dims)
{
    TESS_TRY(tess__check_waits(fn, rows->device));
    if (rows->device.kind != TESS_CPU) {
        tess_array        here = { .data = NULL };
        const tess_device device = rows->device;
        TESS_TRY(tess_to_device(&here, rows, tess_cpu()));
        tess_release(rows);
        *rows = here;
        TESS_TRY(tess__sync(fn, device));
    }
    TESS_TRY(tess__sync(fn, tess_cpu()));
    for (int64_t b = 0; b < rows->shape.b; b++)
        TESS_TRY(invert((double *)rows->data + b * dims * (dims + 1), fn, dims, b));
    return TESS_OK;
}
