/* Elements of a chunk between memory and a kernel: converted, mapped, without NaNs. */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "cpu/reduce.h"
#include "cpu/reduce_complex.h"
#include "cpu/template.h"
#include "tessera/math/f64.op.h"
#include "tessera/array.h"

static const void *convert(const void *in, tess_dtype from, tess_dtype to, int64_t n, void *room)
{
    if (from == to || to == TESS_DTYPE_NONE) return in;
    const tess__conversion c = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          ones[2] = { 1, 1 };
    char *const            p[2] = { room, (char *)(uintptr_t)in };
    c.row(p, ones, n, &c);
    return room;
}

/* ---- Maps: from x (and y) to `out`, which may be x's own room: no element is read after its place is written ---- */

static void magnitudes_f32(float *out, const float *x, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = fabsf(x[i]);
}

static void magnitudes_f64(double *out, const double *x, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = fabs(x[i]);
}

static void complex_magnitudes(double *out, const double *z, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = tess__hypot_f64(z[2 * i], z[2 * i + 1]);
}

static void products(double *out, const double *x, const double *y, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = x[i] * y[i];
}

static void complex_products(double *out, const double *x, const double *y, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++)
    {
        double re = x[2 * i], im = x[2 * i + 1];
        tess__multiply_c64(&re, &im, y[2 * i], y[2 * i + 1]);
        out[2 * i] = re;
        out[2 * i + 1] = im;
    }
}

static void distances(double *out, const double *x, const double *y, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = (x[i] - y[i]) * (x[i] - y[i]);
}

static void complex_distances(double *out, const double *x, const double *y, int64_t n)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++)
    {
        const double re = x[2 * i] - y[2 * i], im = x[2 * i + 1] - y[2 * i + 1];
        out[i] = re * re + im * im;
    }
}

static const void *map(const tess__method *m, const void *x, const void *y, int64_t n, void *room)
{
    switch (m->map) {
    case TESS__MAP_NONE: return x;
    case TESS__MAP_ABS:
        if (m->mapped == TESS_F32) magnitudes_f32(room, x, n);
        else magnitudes_f64(room, x, n);
        return room;
    case TESS__MAP_COMPLEX_ABS: complex_magnitudes(room, x, n); return room;
    case TESS__MAP_PRODUCT: products(room, x, y, n); return room;
    case TESS__MAP_COMPLEX_PRODUCT: complex_products(room, x, y, n); return room;
    case TESS__MAP_DISTANCE: distances(room, x, y, n); return room;
    default: complex_distances(room, x, y, n); return room;
    }
}

/* ---- NaNs left out ---- */

#define T uint16_t
#define PARTS 1
#define SUFFIX f16
#define IS_NUMBER(x) (((x)&0x7fff) <= 0x7c00)
#include "cpu/reduce_compact.c.inc"
#define T float
#define PARTS 1
#define SUFFIX f32
#define IS_NUMBER(x) ((x) == (x))
#include "cpu/reduce_compact.c.inc"
#define T double
#define PARTS 1
#define SUFFIX f64
#define IS_NUMBER(x) ((x) == (x))
#include "cpu/reduce_compact.c.inc"
#define T uint16_t
#define PARTS 2
#define SUFFIX c16
#define IS_NUMBER(x) (((x)&0x7fff) <= 0x7c00)
#include "cpu/reduce_compact.c.inc"
#define T float
#define PARTS 2
#define SUFFIX c32
#define IS_NUMBER(x) ((x) == (x))
#include "cpu/reduce_compact.c.inc"
#define T double
#define PARTS 2
#define SUFFIX c64
#define IS_NUMBER(x) ((x) == (x))
#include "cpu/reduce_compact.c.inc"

/* By dtype; the others have no NaN. */
static int64_t (*const compact[TESS_SCALAR_DTYPE_COUNT])(void *out, const void *in, int64_t n) = {
    [TESS_F16] = compact_f16, [TESS_F32] = compact_f32, [TESS_F64] = compact_f64,
    [TESS_C16] = compact_c16, [TESS_C32] = compact_c32, [TESS_C64] = compact_c64,
};

void tess__prepare_chunk(const tess__method *m, tess__chunk *c, const tess_dtype stored[2], bool skip_nan,
                         tess__chunk_room *room)
{
    c->x = convert(c->x, stored[0], m->read[0], c->n, room->x);
    if (c->y) c->y = convert(c->y, stored[1], m->read[1], c->n, room->y);
    c->x = map(m, c->x, c->y, c->n, room->x);
    if (!skip_nan || !compact[m->mapped]) return;
    c->n = compact[m->mapped](room->x, c->x, c->n);
    c->x = room->x;
}
