/* Central slices of a Fourier transform: from a frequency of a slice to one of the volume, and back; curved slices of
 * an Ewald sphere; windowed sincs.
 *
 * A slice has frequencies q = (y, x), in cycles per pixel. S^-1 q = g are those without its scaling, and the curve
 * z = g_y^2 / 2R_y + g_x^2 / 2R_x, about which the rotation turns: f = R (z, g_y, g_x) is the frequency of the volume.
 */
#ifndef TESS_FORMULAS_GEOMETRY_FOURIER_SLICES_OP_H
#define TESS_FORMULAS_GEOMETRY_FOURIER_SLICES_OP_H

#include "formulas/geometry/spectrum_taps.op.h"
#include "tessera/constants.h"

/* Where a slice, or another spectrum, lies in the frequencies of the volume. */
typedef struct tess__slice_frame {
    double rotation[9];
    double scale[4]; /* from frequencies of the slice: S^-1 */
    double curve[2]; /* 1 / 2R, along y and x */
} tess__slice_frame;

/* The frame of a batch; arrays of numbers that follow each other, `scale` may be NULL. */
TESS_FN tess__slice_frame tess__slice_frame_of(const double *rotation, const double *scale, const double curve[2])
{
    tess__slice_frame m;
    for (int i = 0; i < 9; i++) m.rotation[i] = rotation[i];
    for (int i = 0; i < 4; i++) m.scale[i] = scale ? scale[i] : i == 0 || i == 3 ? 1.0 : 0.0;
    m.curve[0] = curve[0];
    m.curve[1] = curve[1];
    return m;
}

/* Frequency q of a slice, z, y, x, as one before its rotation; returns the square of its length. */
TESS__FAST_FN double tess__slice_curved(double g[3], const tess__slice_frame *m, const double q[3])
{
    g[1] = __builtin_fma(m->scale[1], q[2], m->scale[0] * q[1]);
    g[2] = __builtin_fma(m->scale[3], q[2], m->scale[2] * q[1]);
    g[0] = __builtin_fma(m->curve[0] * g[1], g[1], __builtin_fma(m->curve[1] * g[2], g[2], q[0]));
    return __builtin_fma(g[0], g[0], __builtin_fma(g[1], g[1], g[2] * g[2]));
}

/* Component k of a 3 x 3 matrix times a column. */
TESS__FAST_FN double tess__slice_turned(const double *matrix, int k, const double g[3])
{
    const double *row = matrix + 3 * k;
    return __builtin_fma(row[2], g[2], __builtin_fma(row[1], g[1], row[0] * g[0]));
}

/* A coordinate of the volume, whose frequencies in samples are those in cycles per pixel times `target`; 1 if the
 * frequency is one of those up to the cutoff. */
TESS__FAST_FN int tess__slice_to_volume(double c[3], const tess__slice_frame *m, const double q[3],
                                        const double target[3], double cutoff)
{
    double       g[3];
    const double square = tess__slice_curved(g, m, q);
    for (int k = 0; k < 3; k++) c[k] = tess__slice_turned(m->rotation, k, g) * target[k];
    return square <= cutoff * cutoff;
}

/* How a slice is asked for a frequency of the volume. */
typedef struct tess__slice_inverse {
    double rotation[9]; /* from the volume */
    double scale[4];    /* to frequencies of the slice: S */
    double curve[2];
} tess__slice_inverse;

TESS_FN tess__slice_inverse tess__slice_inverse_of(const double *rotation, const double *scale, const double curve[2])
{
    const tess__slice_frame m = tess__slice_frame_of(rotation, scale, curve);
    tess__slice_inverse     s;
    for (int i = 0; i < 9; i++) s.rotation[i] = m.rotation[i];
    for (int i = 0; i < 4; i++) s.scale[i] = m.scale[i];
    s.curve[0] = m.curve[0];
    s.curve[1] = m.curve[1];
    return s;
}

/* How far frequency f of the volume is from a slice, along its normal, in cycles per pixel; c is the place in it, in
 * samples of its sizes n. */
TESS__FAST_FN double tess__slice_from_volume(double c[3], const tess__slice_inverse *s, const double f[3],
                                             const int64_t n[3])
{
    const double z = tess__slice_turned(s->rotation, 0, f);
    const double y = tess__slice_turned(s->rotation, 1, f), x = tess__slice_turned(s->rotation, 2, f);
    c[0] = 0.0;
    c[1] = __builtin_fma(s->scale[1], x, s->scale[0] * y) * (double)n[1];
    c[2] = __builtin_fma(s->scale[3], x, s->scale[2] * y) * (double)n[2];
    return z - __builtin_fma(s->curve[0] * y, y, s->curve[1] * x * x);
}

/* Is a place of a slice, in samples, among its frequencies? */
TESS__FAST_FN int tess__slice_has(const double c[3], const int64_t n[3])
{
    return __builtin_fabs(c[1]) <= (double)(n[1] / 2) && __builtin_fabs(c[2]) <= (double)(n[2] / 2);
}

/* A windowed sinc at z: sinc(pi z / f) times Blackman's window of half width b, with 1/f and 1/b; |z| is at most b. */
TESS_FN double tess__slice_window(double z, double sinc, double window)
{
    const double a = TESS_PI * z * sinc, c = tess__cos_fast_f64(TESS_PI * z * window);
    const double peak = a == 0.0 ? 1.0 : tess__sin_fast_f64(a) / a;
    return peak * __builtin_fma(0.08, __builtin_fma(2.0 * c, c, -1.0), __builtin_fma(0.5, c, 0.42));
}

/* The phase factor exp(-2 pi i turns). */
TESS__FAST_FN void tess__slice_phase(double z[2], double turns)
{
    const double r = turns - __builtin_rint(turns);
    const double s = tess__sin_pi_f64(r), c = tess__sin_pi_f64(0.5 - __builtin_fabs(r));
    z[0] = __builtin_fma(-2.0 * s, s, 1.0);
    z[1] = -2.0 * s * c;
}

#endif
