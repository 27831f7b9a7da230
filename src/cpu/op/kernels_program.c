/* Gather, scatter, iota, fused and lane kernels of the virtual machine. Built once per instruction set. */
#include <string.h>

#include "cpu/convert/add_types.h"
#include "cpu/ewise/kernels.h"
#include "cpu/memory/bytes.h"
#include "cpu/op/kernels.h"
#include "cpu/template.h"
#include "lang/codegen/bytecode.h"
#include "lang/front/tree.h"
#include "tessera/math/interp.op.h"
#include "tessera/op.h"

/* ---- Elements of views ---- */

#define T bytes1
#define SUFFIX 1
#include "cpu/op/gather.c.inc"
#define T bytes2
#define SUFFIX 2
#include "cpu/op/gather.c.inc"
#define T bytes4
#define SUFFIX 4
#include "cpu/op/gather.c.inc"
#define T bytes8
#define SUFFIX 8
#include "cpu/op/gather.c.inc"
#define T bytes16
#define SUFFIX 16
#include "cpu/op/gather.c.inc"

/* Coefficients of spectra at frequencies. These are read by their dtype, since some are conjugated. */
#define SPECTRUM(NAME, t, T, REAL)                                                                                     \
    static void spectrum_##t(void *out, const tess__frame *w, const void *const *p, const int64_t *s, int64_t n)       \
    {                                                                                                                  \
        const tess_view_##t v = tess__view_##t(w->data, w->stride, w->shape, w->border, w->number, w->fault);          \
        const int64_t      *b = p[0], *d = p[1], *h = p[2], *x = p[3];                                                 \
        for (int64_t i = 0; i < n; i++)                                                                                \
            ((T *)out)[i] = tess__at_##t(&v, b[i * s[0]], d[i * s[1]], h[i * s[2]], x[i * s[3]]);                      \
    }
TESS_SCALAR_DTYPES(SPECTRUM)

/* ---- Scatter ---- */

#include "cpu/op/scatter.c.inc"

/* ---- Indices ---- */

#define IOTA(t)                                                                                                        \
    static void iota_##t(void *out, int64_t first, int64_t n)                                                          \
    {                                                                                                                  \
        TYPE(t) *o = out;                                                                                              \
        if (first >= INT32_MIN && first <= INT32_MAX - n) {                                                            \
            const int32_t from = (int32_t)first, count = (int32_t)n;                                                   \
            TESS_IVDEP for (int32_t i = 0; i < count; i++) o[i] = (TYPE(t))(from + i);                                 \
        } else {                                                                                                       \
            for (int64_t i = 0; i < n; i++) o[i] = (TYPE(t))(int64_t)((uint64_t)first + (uint64_t)i);                  \
        }                                                                                                              \
    }
IOTA(i32)
IOTA(i64)
IOTA(f32)
IOTA(f64)

/* ---- Fused operations ---- */

#define T float
#define SUFFIX f32
#define ROOT(x) __builtin_sqrtf(x)
#include "cpu/op/fused.c.inc"
#define T double
#define SUFFIX f64
#define ROOT(x) __builtin_sqrt(x)
#include "cpu/op/fused.c.inc"

/* ---- Lanes ---- */

_Static_assert((int)TESS__ROW_LANES == (int)TESS_ROW_LANES, "kernels count lanes as loops do");

#define WIDEN(name, op)                                                                                                \
    static void widen_##name(double *lanes, const float *x, int64_t sx, int64_t n)                                     \
    {                                                                                                                  \
        for (int64_t done = 0; done < n; done += TESS_LANES) {                                                         \
            const int64_t m = n - done < TESS_LANES ? n - done : TESS_LANES;                                           \
            const float  *a = x + done * sx;                                                                           \
            if (sx == 1) {                                                                                             \
                TESS_IVDEP for (int64_t i = 0; i < m; i++) lanes[i] = lanes[i] op(double) a[i];                        \
            } else {                                                                                                   \
                const double                                                      y = (double)*a;                      \
                TESS_IVDEP for (int64_t i = 0; i < m; i++) lanes[i] = lanes[i] op y;                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
WIDEN(add, +)
WIDEN(mul, *)

static inline float product(float x, float y) { return x * y; }
static inline float distance(float x, float y) { return (x - y) * (x - y); }

/* Whole groups of elements, with the few lanes of a row in registers; then the tail, or all for many lanes. */
#define PAIRS(name)                                                                                                    \
    static inline int64_t groups_of_##name(double *lanes, const float *x, const float *y, int64_t sx, int64_t sy,      \
                                           int64_t n)                                                                  \
    {                                                                                                                  \
        double  s[TESS_ROW_LANES];                                                                                     \
        int64_t i = 0;                                                                                                 \
        for (int k = 0; k < TESS_ROW_LANES; k++) s[k] = lanes[k];                                                      \
        for (; i + TESS_ROW_LANES <= n; i += TESS_ROW_LANES)                                                           \
            for (int k = 0; k < TESS_ROW_LANES; k++) s[k] += (double)name(x[(i + k) * sx], y[(i + k) * sy]);           \
        for (int k = 0; k < TESS_ROW_LANES; k++) lanes[k] = s[k];                                                      \
        return i;                                                                                                      \
    }                                                                                                                  \
    static void add_##name(double *lanes, int32_t n_lanes, const float *x, const float *y, int64_t sx, int64_t sy,     \
                           int64_t n)                                                                                  \
    {                                                                                                                  \
        int64_t done = 0;                                                                                              \
        if (n_lanes == TESS_ROW_LANES && n >= TESS_ROW_LANES)                                                          \
            done = sx == 1 && sy == 1 ? groups_of_##name(lanes, x, y, 1, 1, n)                                         \
                                      : groups_of_##name(lanes, x, y, sx, sy, n);                                      \
        for (; done < n; done += TESS_LANES) {                                                                         \
            const int64_t m = n - done < TESS_LANES ? n - done : TESS_LANES;                                           \
            const float  *a = x + done * sx, *b = y + done * sy;                                                       \
            if (sx == 1 && sy == 1) {                                                                                  \
                TESS_IVDEP for (int64_t i = 0; i < m; i++) lanes[i] += (double)name(a[i], b[i]);                       \
            } else {                                                                                                   \
                for (int64_t i = 0; i < m; i++) lanes[i] += (double)name(a[i * sx], b[i * sy]);                        \
            }                                                                                                          \
        }                                                                                                              \
    }
PAIRS(product)
PAIRS(distance)

void TESS__FILL_KERNELS(op, program)(tess__op_kernels *k);

void TESS__FILL_KERNELS(op, program)(tess__op_kernels *k)
{
    k->at[0] = at_1, k->at[1] = at_2, k->at[2] = at_4, k->at[3] = at_8, k->at[4] = at_16;
#define ENTRY(NAME, t, T, REAL) k->spectrum_at[TESS_##NAME] = spectrum_##t;
    TESS_SCALAR_DTYPES(ENTRY)
#undef ENTRY
#define ENTRY(t) k->add_to[DTYPE(t)] = add_to_##t, k->add_row[DTYPE(t)] = add_row_##t;
    ALL_REALS(ENTRY)
#undef ENTRY
    k->add_to[TESS_C16] = add_to_c16, k->add_to[TESS_C32] = add_to_c32, k->add_to[TESS_C64] = add_to_c64;
    k->add_row[TESS_C16] = add_row_c16, k->add_row[TESS_C32] = add_row_c32, k->add_row[TESS_C64] = add_row_c64;
    fill_fused_f32(k->fused[0]);
    fill_fused_f64(k->fused[1]);
    k->iota[TESS_I32] = iota_i32, k->iota[TESS_I64] = iota_i64;
    k->iota[TESS_F32] = iota_f32, k->iota[TESS_F64] = iota_f64;
    k->widen[TESS__WIDEN_ADD] = widen_add;
    k->widen[TESS__WIDEN_MUL] = widen_mul;
    k->add_pairs[0] = add_product;
    k->add_pairs[1] = add_distance;
}
