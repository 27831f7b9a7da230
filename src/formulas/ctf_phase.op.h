/* Frequencies at which two CTFs have the same phase: those of an astigmatic CTF in an isotropic one, and those of one
 * isotropic CTF in another.
 *
 * With x = r^2 the phase of an isotropic CTF, in half turns, is the parabola quartic x^2 + defocus x - offset. Of the
 * two x at which it has a value, that is meant at which it grows or falls as the other CTF does: so a CTF leads to
 * itself.
 */
#ifndef TESS_FORMULAS_CTF_PHASE_OP_H
#define TESS_FORMULAS_CTF_PHASE_OP_H

#include "formulas/ctf.op.h"
#include "tessera/constants.h"

/* The x at which quartic x^2 + defocus x is `phase`, on the branch where the slope has the sign of `slope`; NaN if
 * there is none. Written without cancellation; beyond the vertex by rounding alone is at the vertex. */
TESS_FN double tess__ctf_branch(double quartic, double defocus, double phase, double slope)
{
    const double square = __builtin_fma(defocus, defocus, 4.0 * quartic * phase),
                 near_zero = -1e-12 * defocus * defocus;
    const double rounded = ((square < 0.0) & (square > near_zero)) ? 0.0 : square;
    const double root = __builtin_copysign(__builtin_sqrt(rounded), slope);
    const double near = 2.0 * phase / (defocus + root), far = (root - defocus) / (2.0 * quartic);
    const double curved = (root < 0.0) == (defocus < 0.0) ? near : far;
    return quartic == 0.0 ? phase / defocus : curved;
}

/* An isotropic CTF: mean defocus, and the pixel size along h. */
typedef struct tess__ctf_line {
    double quartic, defocus, offset, pixel, scale;
} tess__ctf_line;

TESS_FN tess__ctf_line tess__ctf_line_of(const double *p)
{
    tess__ctf_line line;
    const double   wavelength = tess__ctf_wavelength(p[TESS__CTF_VOLTAGE] == 0.0 ? 300.0 : p[TESS__CTF_VOLTAGE]);
    line.quartic = 0.5e7 * p[TESS__CTF_CS] * wavelength * wavelength * wavelength;
    line.defocus = -1e4 * wavelength * p[TESS__CTF_DEFOCUS];
    line.offset = (p[TESS__CTF_PHASE_SHIFT] + tess__ctf_amplitude_phase(p[TESS__CTF_AMPLITUDE])) / TESS_PI;
    line.pixel = p[TESS__CTF_PIXEL_H];
    line.scale = tess__ctf_scale(p[TESS__CTF_SCALE]);
    return line;
}

/* The frequency at which `to` has the phase of `from` at f; NaN if there is none. */
TESS_FN double tess__ctf_same_phase(const tess__ctf_line *from, const tess__ctf_line *to, double f)
{
    const double r = f / from->pixel, x = r * r, slope = __builtin_fma(2.0 * from->quartic, x, from->defocus);
    const double phase = __builtin_fma(from->quartic, x, from->defocus) * x + (to->offset - from->offset);
    return __builtin_sqrt(tess__ctf_branch(to->quartic, to->defocus, phase, slope)) * to->pixel;
}

/* An astigmatic CTF: x^2 and y^2 in units of its isotropic one, whose pixels are of the mean size. */
typedef struct tess__ctf_ellipse {
    double inverse_h, inverse_w;
    double quartic, defocus; /* those above, divided by the wavelength */
    double along, across;    /* astigmatism times cosine and sine of twice its angle */
    double tetra_c, tetra_s; /* tetrafoil, in the unit of quartic, times those of four times its angle */
    double pixel;
} tess__ctf_ellipse;

TESS_FN tess__ctf_ellipse tess__ctf_ellipse_of(const double *p)
{
    tess__ctf_ellipse e;
    const double      wavelength = tess__ctf_wavelength(p[TESS__CTF_VOLTAGE] == 0.0 ? 300.0 : p[TESS__CTF_VOLTAGE]);
    const double      pixel_h = p[TESS__CTF_PIXEL_H];
    const double      pixel_w = p[TESS__CTF_PIXEL_W] == 0.0 ? pixel_h : p[TESS__CTF_PIXEL_W];
    const double      twice = 2.0 * p[TESS__CTF_ANGLE], four = 4.0 * p[TESS__CTF_TETRAFOIL_ANGLE];
    const double      tetrafoil = 0.5e7 * p[TESS__CTF_TETRAFOIL] * wavelength * wavelength;
    e.inverse_h = 1.0 / pixel_h;
    e.inverse_w = 1.0 / pixel_w;
    e.quartic = 0.5e7 * p[TESS__CTF_CS] * wavelength * wavelength;
    e.defocus = -1e4 * p[TESS__CTF_DEFOCUS];
    e.along = -1e4 * p[TESS__CTF_ASTIGMATISM] * tess__cos_f64(twice);
    e.across = -1e4 * p[TESS__CTF_ASTIGMATISM] * tess__sin_f64(twice);
    e.tetra_c = tetrafoil * tess__cos_f64(four);
    e.tetra_s = tetrafoil * tess__sin_f64(four);
    e.pixel = 0.5 * (pixel_h + pixel_w);
    return e;
}

/* The frequency at which the isotropic CTF has the phase of the astigmatic one at (fh, fw). */
TESS_FN double tess__ctf_isotropic(const tess__ctf_ellipse *e, double fh, double fw)
{
    const double y = fh * e->inverse_h, x = fw * e->inverse_w, square = __builtin_fma(y, y, x * x);
    const double cosine = (x - y) * (x + y), sine = 2.0 * x * y; /* of twice the angle, times r^2 */
    const double ellipse = __builtin_fma(e->along, cosine, e->across * sine);
    const double foil = __builtin_fma(e->tetra_c, (cosine - sine) * (cosine + sine), 2.0 * e->tetra_s * cosine * sine);
    const double defocus = __builtin_fma(e->defocus, square, ellipse);
    const double quartic = __builtin_fma(e->quartic * square, square, foil);
    const double s = tess__ctf_branch(e->quartic, e->defocus, quartic + defocus, 2.0 * quartic + defocus);
    return square == 0.0 ? 0.0 : __builtin_sqrt(s) * e->pixel;
}

#endif
