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

static int64_t compact_f16(uint16_t *out, const uint16_t *x, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        out[kept] = x[i];
        kept += (x[i] & 0x7fff) <= 0x7c00;
    }
    return kept;
}

static int64_t compact_f32(float *out, const float *x, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const float u = x[i];
        out[kept] = u;
        kept += u == u;
    }
    return kept;
}

static int64_t compact_f64(double *out, const double *x, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const double u = x[i];
        out[kept] = u;
        kept += u == u;
    }
    return kept;
}

static int64_t compact_c16(uint16_t *out, const uint16_t *z, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint16_t re = z[2 * i], im = z[2 * i + 1];
        out[2 * kept] = re, out[2 * kept + 1] = im;
        kept += (re & 0x7fff) <= 0x7c00 && (im & 0x7fff) <= 0x7c00;
    }
    return kept;
}

static int64_t compact_c32(float *out, const float *z, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const float re = z[2 * i], im = z[2 * i + 1];
        out[2 * kept] = re, out[2 * kept + 1] = im;
        kept += re == re && im == im;
    }
    return kept;
}

static int64_t compact_c64(double *out, const double *z, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const double re = z[2 * i], im = z[2 * i + 1];
        out[2 * kept] = re, out[2 * kept + 1] = im;
        kept += re == re && im == im;
    }
    return kept;
}

static void leave_out_nans(tess__chunk *c, tess_dtype dtype, void *room)
{
    switch (dtype) {
    case TESS_F16: c->n = compact_f16(room, c->x, c->n); break;
    case TESS_F32: c->n = compact_f32(room, c->x, c->n); break;
    case TESS_F64: c->n = compact_f64(room, c->x, c->n); break;
    case TESS_C16: c->n = compact_c16(room, c->x, c->n); break;
    case TESS_C32: c->n = compact_c32(room, c->x, c->n); break;
    case TESS_C64: c->n = compact_c64(room, c->x, c->n); break;
    default: return;
    }
    c->x = room;
}

void tess__prepare_chunk(const tess__method *m, tess__chunk *c, const tess_dtype stored[2], bool skip_nan,
                         tess__chunk_room *room)
{
    c->x = convert(c->x, stored[0], m->read[0], c->n, room->x);
    if (c->y) c->y = convert(c->y, stored[1], m->read[1], c->n, room->y);
    c->x = map(m, c->x, c->y, c->n, room->x);
    if (skip_nan) leave_out_nans(c, m->mapped, room->x);
}
