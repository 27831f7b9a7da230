/* Contrast transfer function (CTF) of an electron microscope: constants of a set of parameters, and values along a row.
 *
 * Phases are counted in half turns, so that they are reduced without rounding. Along a row, at fixed frequencies of D
 * and H, both the even phase (defocus, astigmatism, Cs, tetrafoil) and the odd one (beam tilt, trefoil) are polynomials
 * of the frequency of W: defocus(angle) r^2 is a quadratic form of x and y, and so on.
 */
#ifndef TESS_FORMULAS_CTF_OP_H
#define TESS_FORMULAS_CTF_OP_H

#include "formulas/filter_spec.op.h"
#include "tessera/constants.h"
#include "tessera/dtype.h"
#include "tessera/math/complex.op.h"
#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"
#include "tessera/math/half_turns.op.h"

/* Constants of a CTF; lengths in 1/angstrom, phases in half turns. */
typedef struct tess__ctf_values {
    double inverse_h, inverse_w; /* of the pixel sizes */
    double xx, xy, yy;           /* of the quadratic form */
    double r4, tetra_c, tetra_s; /* of r^4, r^4 cos 4 angle, r^4 sin 4 angle */
    double offset;               /* of phase shift and amplitude contrast */
    double tilt_y, tilt_x;       /* of r^2 y and r^2 x */
    double trefoil_c, trefoil_s; /* of r^3 cos 3 angle, r^3 sin 3 angle */
    double decay;                /* of r^2 in the exponent of the envelope */
    double scale;
} tess__ctf_values;

/* The polynomials of a row in the frequency of W, in cycles per pixel; lowest power first. */
typedef struct tess__ctf_row {
    double even[5], odd[4], decay[2], scale;
    float  scale_f32; /* the same, rounded once a row */
} tess__ctf_row;

/* Relativistic wavelength in angstrom: h c / sqrt(E (2 m c^2 + E)). */
TESS_FN double tess__ctf_wavelength(double kilovolts)
{
    const double energy = 1000.0 * TESS_ELEMENTARY_CHARGE * kilovolts;
    const double rest = 2.0 * TESS_ELECTRON_MASS * TESS_SPEED_OF_LIGHT * TESS_SPEED_OF_LIGHT;
    return 1e10 * TESS_PLANCK * TESS_SPEED_OF_LIGHT / __builtin_sqrt(energy * (rest + energy));
}

/* The phase that amplitude contrast stands for. */
TESS_FN double tess__ctf_amplitude_phase(double amplitude)
{
    return tess__atan_f64(amplitude / __builtin_sqrt((1.0 - amplitude) * (1.0 + amplitude)));
}

/* The factor of all values: 0 stands for 1, and a negative zero for 0. */
TESS_FN double tess__ctf_scale(double scale)
{
    const double zero = 1.0 / scale > 0.0 ? 1.0 : 0.0;
    return scale == 0.0 ? zero : scale;
}

TESS_FN tess__ctf_values tess__ctf_values_of(const double *p)
{
    tess__ctf_values v;
    const double     voltage = p[TESS__CTF_VOLTAGE] == 0.0 ? 300.0 : p[TESS__CTF_VOLTAGE];
    const double     wavelength = tess__ctf_wavelength(voltage), wavelength2 = wavelength * wavelength;
    const double     pixel_h = p[TESS__CTF_PIXEL_H];
    const double     pixel_w = p[TESS__CTF_PIXEL_W] == 0.0 ? pixel_h : p[TESS__CTF_PIXEL_W];
    const double     twice = 2.0 * p[TESS__CTF_ANGLE], thrice = 3.0 * p[TESS__CTF_TREFOIL_ANGLE];
    const double     four = 4.0 * p[TESS__CTF_TETRAFOIL_ANGLE];
    const double     defocus = -1e4 * wavelength * p[TESS__CTF_DEFOCUS];
    const double     astigmatism = -1e4 * wavelength * p[TESS__CTF_ASTIGMATISM];
    const double     ellipse = astigmatism * tess__cos_f64(twice);
    const double     quartic = 0.5e7 * wavelength2 * wavelength;
    const double     tilt = 2e-3 * 1e7 * p[TESS__CTF_CS] * wavelength2;
    const double     trefoil = 2e4 / 3.0 * p[TESS__CTF_TREFOIL] * wavelength2;
    v.inverse_h = 1.0 / pixel_h;
    v.inverse_w = 1.0 / pixel_w;
    v.xx = defocus + ellipse;
    v.yy = defocus - ellipse;
    v.xy = 2.0 * (astigmatism * tess__sin_f64(twice));
    v.r4 = quartic * p[TESS__CTF_CS];
    v.tetra_c = quartic * p[TESS__CTF_TETRAFOIL] * tess__cos_f64(four);
    v.tetra_s = quartic * p[TESS__CTF_TETRAFOIL] * tess__sin_f64(four);
    v.offset = (p[TESS__CTF_PHASE_SHIFT] + tess__ctf_amplitude_phase(p[TESS__CTF_AMPLITUDE])) / TESS_PI;
    v.tilt_y = tilt * p[TESS__CTF_TILT_H];
    v.tilt_x = tilt * p[TESS__CTF_TILT_W];
    v.trefoil_c = trefoil * tess__cos_f64(thrice);
    v.trefoil_s = trefoil * tess__sin_f64(thrice);
    v.decay = -0.25 * p[TESS__CTF_BFACTOR];
    v.scale = tess__ctf_scale(p[TESS__CTF_SCALE]);
    return v;
}

/* The row at frequencies `fd` and `fh`, cycles per pixel; pixels are as deep as high. */
TESS_FN tess__ctf_row tess__ctf_row_of(const tess__ctf_values *v, double fd, double fh)
{
    tess__ctf_row r;
    const double  y = fh * v->inverse_h, z = fd * v->inverse_h, y2 = y * y, s = __builtin_fma(z, z, y2);
    const double  w = v->inverse_w, w2 = w * w;
    const double  y3 = y2 * y;
    r.even[0] = __builtin_fma(s, __builtin_fma(v->r4, s, v->yy), __builtin_fma(v->tetra_c, y2 * y2, -v->offset));
    r.even[1] = __builtin_fma(v->xy, y, -4.0 * v->tetra_s * y3) * w;
    r.even[2] = __builtin_fma(2.0 * v->r4, s, __builtin_fma(-6.0 * v->tetra_c, y2, v->xx)) * w2;
    r.even[3] = 4.0 * v->tetra_s * y * w2 * w;
    r.even[4] = (v->r4 + v->tetra_c) * w2 * w2;
    r.odd[0] = __builtin_fma(v->tilt_y * y, s, -(v->trefoil_s * y3));
    r.odd[1] = __builtin_fma(v->tilt_x, s, -3.0 * v->trefoil_c * y2) * w;
    r.odd[2] = __builtin_fma(v->tilt_y, y, 3.0 * v->trefoil_s * y) * w2;
    r.odd[3] = (v->tilt_x + v->trefoil_c) * w2 * w;
    r.decay[0] = v->decay * s;
    r.decay[1] = v->decay * w2;
    r.scale = v->scale;
    r.scale_f32 = (float)v->scale;
    return r;
}

TESS_FN double tess__ctf_even(const tess__ctf_row *r, double f)
{
    const double high = __builtin_fma(__builtin_fma(r->even[4], f, r->even[3]), f, r->even[2]);
    return __builtin_fma(__builtin_fma(high, f, r->even[1]), f, r->even[0]);
}

TESS_FN double tess__ctf_odd(const tess__ctf_row *r, double f)
{
    return __builtin_fma(__builtin_fma(__builtin_fma(r->odd[3], f, r->odd[2]), f, r->odd[1]), f, r->odd[0]);
}

/* Half turns without whole ones, -1/2 to 1/2; `flip` has the sign of an odd number of them as its top bit. */
TESS_FN double tess__ctf_reduced(double half_turns, uint64_t *flip)
{
    const double shifted = half_turns + 0x1.8p52;
    *flip = tess__bits_of_f64(shifted) << 63;
    return half_turns - (shifted - 0x1.8p52);
}

/* sin(pi t) for t in half turns, |t| below 2^51. */
TESS_FN double tess__sin_half_turns_f64(double half_turns)
{
    uint64_t     flip;
    const double t = tess__ctf_reduced(half_turns, &flip);
    return tess__f64_of_bits(tess__bits_of_f64(tess__sin_wide_f64(TESS_PI * t, 0.0)) ^ flip);
}

/* The same in f32 after reduction. */
TESS_FN float tess__sin_half_turns_f32(double half_turns)
{
    uint64_t    flip;
    const float y = tess__sin_pi_f32((float)tess__ctf_reduced(half_turns, &flip));
    return tess__f32_of_bits(tess__bits_of_f32(y) ^ (uint32_t)(flip >> 32));
}

/* exp of an exponent that is 0 or below in most cases; 1 without one. */
TESS_FN double tess__ctf_envelope_f64(const tess__ctf_row *r, double f)
{
    return tess__exp_f64(__builtin_fma(r->decay[1] * f, f, r->decay[0]));
}

TESS_FN float tess__ctf_envelope_f32(const tess__ctf_row *r, double f)
{
    return tess__exp_f32((float)__builtin_fma(r->decay[1] * f, f, r->decay[0]));
}

/* The wanted form of a value: `mode` is a constant where it matters. */
TESS_FN double tess__ctf_form_f64(int mode, double value, double noise)
{
    if (mode == TESS__CTF_ABS) return __builtin_fabs(value);
    if (mode == TESS__CTF_SQUARED) return value * value;
    if (mode == TESS__CTF_FLIP) return value < 0.0 ? -1.0 : 1.0;
    if (mode == TESS__CTF_WIENER) return value / __builtin_fma(value, value, noise);
    return value;
}

TESS_FN float tess__ctf_form_f32(int mode, float value, double noise)
{
    if (mode == TESS__CTF_ABS) return __builtin_fabsf(value);
    if (mode == TESS__CTF_SQUARED) return value * value;
    if (mode == TESS__CTF_FLIP) return value < 0.0f ? -1.0f : 1.0f;
    if (mode == TESS__CTF_WIENER) return value / __builtin_fmaf(value, value, (float)noise);
    return value;
}

/* The even factor at frequency f of W; `enveloped`: it decays. */
TESS_FN double tess__ctf_value_f64(const tess__ctf_row *r, double f, int enveloped)
{
    const double y = -tess__sin_half_turns_f64(tess__ctf_even(r, f)) * r->scale;
    return enveloped ? y * tess__ctf_envelope_f64(r, f) : y;
}

TESS_FN float tess__ctf_value_f32(const tess__ctf_row *r, double f, int enveloped)
{
    const float y = -tess__sin_half_turns_f32(tess__ctf_even(r, f)) * r->scale_f32;
    return enveloped ? y * tess__ctf_envelope_f32(r, f) : y;
}

/* exp(i pi odd phase), or its conjugate to undo the effect. */
TESS_FN tess_c64 tess__ctf_turn_c64(const tess__ctf_row *r, double f, int mode)
{
    tess_c64     z;
    const double odd = tess__ctf_odd(r, f), phase = mode >= TESS__CTF_FLIP ? -odd : odd;
    z.re = tess__sin_half_turns_f64(phase + 0.5);
    z.im = tess__sin_half_turns_f64(phase);
    return z;
}

TESS_FN tess_c32 tess__ctf_turn_c32(const tess__ctf_row *r, double f, int mode)
{
    tess_c32     z;
    const double odd = tess__ctf_odd(r, f), phase = mode >= TESS__CTF_FLIP ? -odd : odd;
    z.re = tess__sin_half_turns_f32(phase + 0.5);
    z.im = tess__sin_half_turns_f32(phase);
    return z;
}

#endif
