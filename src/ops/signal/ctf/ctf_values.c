/* Contrast transfer function: single values, and their inverses. */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "formulas/ctf_phase.op.h"
#include "ops/signal/ctf/ctf.h"

/* ---- Descriptions ---- */

static const tess_arg_info wavelength_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "wavelength", "angstrom"),
    TESS__NEED(TESS_ARG_F64, "voltage", "kilovolt"),
};
static tess_status call_ctf_wavelength(const tess_value *v, const void *opts)
{
    (void)opts;
    *(double *)v[0].result = tess_ctf_wavelength(v[1].f64);
    return TESS_OK;
}
const tess_function_info tess__info_ctf_wavelength = TESS__OP(
    TESS_CUT_NONE, ctf_wavelength, "ctf", "Wavelength of electrons at an acceleration voltage.", wavelength_args);

#define FIELD(field, name, unit, fallback, min, max, ...)                                                              \
    TESS__STRUCT_F64(tess_ctf, field, name, unit, fallback, min, max, __VA_ARGS__)
#define REAL(field, unit, ...) FIELD(field, #field, unit, 0, -DBL_MAX, DBL_MAX, __VA_ARGS__)
const tess_arg_info tess__ctf_fields[] = {
    FIELD(pixel_size[0], "pixel_size", "angstrom", 0, TESS__POSITIVE, DBL_MAX, "pixel size along h; required",
          .sample = "1.5"),
    FIELD(pixel_size[1], "pixel_size_w", "angstrom", 0, 0, DBL_MAX, "pixel size along w; 0: same as along h"),
    REAL(defocus, "micrometre", "mean defocus of both directions; underfocus is positive", .sample = "1"),
    REAL(astigmatism, "micrometre", "half the difference of defocus between both directions", .sample = "0.125"),
    REAL(angle, "radians", "direction of the larger defocus, from the w axis to the h axis", .sample = "0.5"),
    FIELD(voltage, "voltage", "kilovolt", 300, TESS__POSITIVE, DBL_MAX, "acceleration voltage"),
    FIELD(amplitude, "amplitude", "", 0, 0, 1, "amplitude contrast, below 1", .sample = "0.1"),
    REAL(cs, "millimetre", "spherical aberration", .sample = "2.7"),
    REAL(phase_shift, "radians", "phase shift of a phase plate"),
    REAL(bfactor, "square angstrom", "B-factor of the envelope exp(-bfactor r^2 / 4); positive values damp"),
    FIELD(scale, "scale", "", 1, -DBL_MAX, DBL_MAX, "factor applied to all values"),
    REAL(tetrafoil, "millimetre", "four-fold astigmatism"),
    REAL(tetrafoil_angle, "radians", "direction of the tetrafoil"),
    FIELD(tilt[0], "tilt_h", "milliradian", 0, -DBL_MAX, DBL_MAX, "beam tilt along h"),
    FIELD(tilt[1], "tilt_w", "milliradian", 0, -DBL_MAX, DBL_MAX, "beam tilt along w"),
    REAL(trefoil, "micrometre", "three-fold astigmatism"),
    REAL(trefoil_angle, "radians", "direction of the trefoil"),
    { .name = NULL },
};
#undef FIELD
#undef REAL
_Static_assert(sizeof tess__ctf_fields / sizeof *tess__ctf_fields == TESS_CTF_COLUMNS + 1, "a field for each column");

#define CTF TESS__CTF_ROW(0, "parameters of the CTF")
#define RESULT(name, help) TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, name, help)
#define FREQUENCY_H TESS__NEED(TESS_ARG_F64, "fh", "frequency along h, cycles per pixel")
#define FREQUENCY_W TESS__NEED(TESS_ARG_F64, "fw", "frequency along w, cycles per pixel")

/* Functions of a CTF and of numbers: described, they are checked first. */
#define DESCRIBE(name, help_, expression)                                                                              \
    static tess_status call_##name(const tess_value *v, const void *opts)                                              \
    {                                                                                                                  \
        const tess_ctf *ctf = v[1].structure;                                                                          \
        (void)opts;                                                                                                    \
        TESS_TRY(tess__check_pointer(#name, "ctf", ctf));                                                              \
        TESS_TRY(tess__check_ctf(#name, "ctf->", ctf));                                                                \
        *(double *)v[0].result = expression;                                                                           \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    const tess_function_info tess__info_##name = TESS__OP(TESS_CUT_NONE, name, "ctf", help_, name##_args)

static const tess_arg_info ctf_phase_at_args[] = { RESULT("phase", "phase in radians"), CTF, FREQUENCY_H, FREQUENCY_W };
static const tess_arg_info ctf_value_at_args[] = { RESULT("value", "CTF value, with envelope and scale"), CTF,
                                                   FREQUENCY_H, FREQUENCY_W };
static const tess_arg_info ctf_envelope_at_args[] = {
    RESULT("envelope", "value of the envelope, exp(-bfactor r^2 / 4)"), CTF, FREQUENCY_H, FREQUENCY_W
};
static const tess_arg_info ctf_odd_phase_at_args[] = { RESULT("phase", "phase in radians"), CTF, FREQUENCY_H,
                                                       FREQUENCY_W };
static const tess_arg_info ctf_isotropic_frequency_args[] = {
    RESULT("frequency", "frequency in cycles per pixel of the mean size"), CTF, FREQUENCY_H, FREQUENCY_W
};
static const tess_arg_info ctf_defocus_at_args[] = {
    RESULT("defocus", "defocus in micrometre"),
    CTF,
    TESS__NEED(TESS_ARG_F64, "angle", "direction in radians, from the w axis to the h axis"),
};
static const tess_arg_info ctf_frequency_at_args[] = {
    RESULT("frequency", "frequency in cycles per pixel"),
    CTF,
    TESS__NEED(TESS_ARG_F64, "phase", "phase in radians; zeros of the CTF are at multiples of pi"),
};
DESCRIBE(ctf_phase_at, "Phase of the CTF at a frequency.", tess_ctf_phase_at(ctf, v[2].f64, v[3].f64));
DESCRIBE(ctf_value_at, "Value of the CTF at a frequency.", tess_ctf_value_at(ctf, v[2].f64, v[3].f64));
DESCRIBE(ctf_envelope_at, "Envelope of the CTF at a frequency.", tess_ctf_envelope_at(ctf, v[2].f64, v[3].f64));
DESCRIBE(ctf_odd_phase_at, "Phase added by beam tilt and trefoil at a frequency.",
         tess_ctf_odd_phase_at(ctf, v[2].f64, v[3].f64));
DESCRIBE(ctf_isotropic_frequency, "Frequency of the same phase in the isotropic CTF.",
         tess_ctf_isotropic_frequency(ctf, v[2].f64, v[3].f64));
DESCRIBE(ctf_defocus_at, "Defocus in a direction.", tess_ctf_defocus_at(ctf, v[2].f64));
static tess_status call_ctf_frequency_at(const tess_value *v, const void *opts)
{
    const tess_ctf *ctf = v[1].structure;
    (void)opts;
    TESS_TRY(tess__check_pointer("ctf_frequency_at", "ctf", ctf));
    TESS_TRY(tess__check_ctf("ctf_frequency_at", "ctf->", ctf));
    TESS_TRY(tess_ctf_frequency_at(v[0].result, ctf, v[2].f64));
    return TESS_OK;
}
const tess_function_info tess__info_ctf_frequency_at =
    TESS__OP(TESS_CUT_NONE, ctf_frequency_at, "ctf", "Lowest frequency at which the isotropic CTF has a phase.",
             ctf_frequency_at_args);

/* ---- Checks ---- */

static const char *const field_names[] = {
    "pixel_size[0]", "pixel_size[1]", "defocus", "astigmatism", "angle",           "voltage", "amplitude", "cs",
    "phase_shift",   "bfactor",       "scale",   "tetrafoil",   "tetrafoil_angle", "tilt[0]", "tilt[1]",   "trefoil",
    "trefoil_angle",
};
_Static_assert(sizeof field_names / sizeof *field_names == TESS_CTF_COLUMNS, "names of the fields of a tess_ctf");

tess_status tess__check_ctf(const char *fn, const char *prefix, const tess_ctf *ctf)
{
    char   text[32];
    double columns[TESS_CTF_COLUMNS];
    memcpy(columns, ctf, sizeof columns);
    for (int k = 0; k < TESS_CTF_COLUMNS; k++)
        TESS_CHECK(isfinite(columns[k]), TESS_ERANGE, "%s: `%s%s` is %s; a finite number is needed", fn, prefix,
                   field_names[k], tess__number_text(text, columns[k]));
    TESS_CHECK(ctf->pixel_size[0] > 0, TESS_ERANGE, "%s: `%spixel_size[0]` is %s angstrom; it must be above 0", fn,
               prefix, tess__number_text(text, ctf->pixel_size[0]));
    TESS_CHECK(ctf->pixel_size[1] >= 0, TESS_ERANGE,
               "%s: `%spixel_size[1]` is %s angstrom; it must be above 0, or 0 to use that of h", fn, prefix,
               tess__number_text(text, ctf->pixel_size[1]));
    TESS_CHECK(ctf->voltage >= 0, TESS_ERANGE, "%s: `%svoltage` is %s kilovolt; it must be above 0, or 0 for 300", fn,
               prefix, tess__number_text(text, ctf->voltage));
    TESS_CHECK(ctf->amplitude >= 0 && ctf->amplitude < 1, TESS_ERANGE,
               "%s: `%samplitude` is %s; it must be at least 0 and below 1", fn, prefix,
               tess__number_text(text, ctf->amplitude));
    return TESS_OK;
}

/* ---- Single values ---- */

/* Numbers that are passed by value are kept in memory, where the floating-point environment holds the arithmetic. */
double tess_ctf_wavelength(double voltage)
{
    TESS__FLOAT_SCOPE();
    const volatile double given = voltage;
    const volatile double wavelength = tess__ctf_wavelength(given);
    return wavelength;
}

static tess__ctf_row row_at(const tess_ctf *ctf, double fh)
{
    double columns[TESS__CTF_COLUMNS];
    memcpy(columns, ctf, sizeof columns);
    const tess__ctf_values values = tess__ctf_values_of(columns);
    return tess__ctf_row_of(&values, 0, fh);
}

double tess_ctf_phase_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return TESS_PI * tess__ctf_even(&row, fw);
}

double tess_ctf_value_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return tess__ctf_value_f64(&row, fw, 1);
}

double tess_ctf_envelope_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return tess__ctf_envelope_f64(&row, fw);
}

double tess_ctf_odd_phase_at(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    const tess__ctf_row row = row_at(ctf, fh);
    return TESS_PI * tess__ctf_odd(&row, fw);
}

double tess_ctf_defocus_at(const tess_ctf *ctf, double angle)
{
    TESS__FLOAT_SCOPE();
    return ctf->defocus + ctf->astigmatism * tess__cos_f64(2 * (angle - ctf->angle));
}

static double voltage_of(const tess_ctf *ctf) { return ctf->voltage == 0 ? 300 : ctf->voltage; }

/* The smallest x = r^2, 0 or more, with quartic x^2 + defocus x = phase, all in half turns; NaN if there is none.
 * Written without cancellation, so that a small Cs is not a special case but for 0. */
static double solve_square(double quartic, double defocus, double phase)
{
    if (phase == 0) return 0;
    if (quartic == 0) return phase / defocus;
    const double root = sqrt(fma(defocus, defocus, 4 * quartic * phase));
    const double sum = -0.5 * (defocus + copysign(root, defocus));
    const double one = sum / quartic, two = -phase / sum;
    if (one >= 0 && two >= 0) return fmin(one, two);
    return one >= 0 ? one : two;
}

tess_status tess_ctf_frequency_at(double *frequency, const tess_ctf *ctf, double phase)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    char text[32];
    TESS_TRY(tess__check_pointer("ctf_frequency_at", "frequency", frequency));
    TESS_TRY(tess__check_pointer("ctf_frequency_at", "ctf", ctf));
    const double wavelength = tess__ctf_wavelength(voltage_of(ctf));
    const double quartic = 0.5e7 * ctf->cs * wavelength * wavelength * wavelength;
    const double offset = ctf->phase_shift + tess__ctf_amplitude_phase(ctf->amplitude);
    const double x = solve_square(quartic, -1e4 * wavelength * ctf->defocus, (phase + offset) / TESS_PI);
    TESS_CHECK(x >= 0 && x <= DBL_MAX, TESS_ERANGE, "ctf_frequency_at: `phase` is %s; no frequency of this CTF has it",
               tess__number_text(text, phase));
    *frequency = sqrt(x) * ctf->pixel_size[0];
    return TESS_OK;
}

double tess_ctf_isotropic_frequency(const tess_ctf *ctf, double fh, double fw)
{
    TESS__FLOAT_SCOPE();
    double row[TESS_CTF_COLUMNS];
    memcpy(row, ctf, sizeof row);
    const tess__ctf_ellipse ellipse = tess__ctf_ellipse_of(row);
    return tess__ctf_isotropic(&ellipse, fh, fw);
}

/* ---- Forms of the parameters ---- */

tess_ctf tess_ctf_isotropic(const tess_ctf *ctf)
{
    TESS__FLOAT_SCOPE();
    tess_ctf isotropic = *ctf;
    if (ctf->pixel_size[1] != 0) isotropic.pixel_size[0] = 0.5 * (ctf->pixel_size[0] + ctf->pixel_size[1]);
    isotropic.pixel_size[1] = isotropic.pixel_size[0];
    isotropic.astigmatism = isotropic.angle = 0;
    isotropic.tetrafoil = isotropic.tetrafoil_angle = 0;
    isotropic.tilt[0] = isotropic.tilt[1] = 0;
    isotropic.trefoil = isotropic.trefoil_angle = 0;
    return isotropic;
}

void tess_ctf_set_defoci(tess_ctf *ctf, double u, double v, double angle)
{
    TESS__FLOAT_SCOPE();
    const volatile double of_u = u, of_v = v, of_angle = angle;
    ctf->defocus = 0.5 * (of_u + of_v);
    ctf->astigmatism = 0.5 * fabs(of_u - of_v);
    ctf->angle = of_u < of_v ? of_angle + 0.5 * TESS_PI : of_angle;
}
