#include "support/filters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

static const char *const function_names[] = { "lowpass",      "highpass",          "bandpass",      "bfactor",
                                              "dose_weight",  "filter_curve",      "phase_shift",   "fourier_wedge",
                                              "fourier_cone", "fourier_ellipsoid", "fourier_cross", "ctf_apply",
                                              "ctf_flip",     "ctf_wiener" };
static const double      pi = 3.14159265358979323846;
static const char *const layout_of[] = { "", "h", "hc", "f", "fc" };

static double between(double low, double high) { return low + (high - low) * test_random_unit(); }

/* ---- Cases ---- */

static tess_shape any_shape(void)
{
    const int64_t rank = test_random_in(1, 3), b = test_random_in(1, 4);
    return TESS_SHAPE(b, rank > 2 ? test_random_in(2, 6) : 1, rank > 1 ? test_random_in(2, 9) : 1,
                      test_random_in(1, rank > 1 ? 19 : 60));
}

static void choose_dtypes(filter_case *c)
{
    static const tess_dtype dtypes[] = { TESS_C32, TESS_C32, TESS_C64, TESS_C16, TESS_F32, TESS_F64, TESS_F16 };
    c->out_dtype = c->in_dtype = dtypes[test_random_in(0, 6)];
    if (test_random_in(0, 4) == 0) c->out_dtype = tess_dtype_real(c->in_dtype);
    if (test_random_in(0, 4) == 0) c->in_dtype = TESS_DTYPE_NONE;
}

static void choose_range(filter_case *c)
{
    const bool one_dimension = c->shape.d == 1 && c->shape.h == 1 && c->from <= TESS_FFT_HC && c->to <= TESS_FFT_HC;
    if (test_random_in(0, 3)) return;
    c->stop = test_random_in(0, 1) ? between(0.3, 0.6) : 0;
    c->start = one_dimension ? between(0.01, 0.2) : 0;
    if (c->start > 0 && c->stop == 0 && c->shape.w < 3) c->stop = 0.5;
    c->no_endpoint = test_random_in(0, 1);
}

/* Of pixels of several sizes, now and then of axes that are not at right angles. */
static void choose_metric(filter_case *c)
{
    const bool skew = test_random_in(0, 1);
    if (c->function > FILTER_CURVE || test_random_in(0, 1)) return;
    c->metric = (tess_metric){ .dd = between(0.3, 3), .hh = between(0.3, 3), .ww = between(0.3, 3) };
    if (!skew) return;
    c->metric.dh = between(-0.4, 0.4) * sqrt(c->metric.dd * c->metric.hh);
    c->metric.dw = between(-0.4, 0.4) * sqrt(c->metric.dd * c->metric.ww);
    c->metric.hw = between(-0.4, 0.4) * sqrt(c->metric.hh * c->metric.ww);
}

/* Parameters of each batch: those of all, somewhat changed. */
static void choose_parameters(filter_case *c)
{
    const bool   band = c->function == FILTER_BANDPASS;
    const double one[] = { c->function == FILTER_LOWPASS ? c->high : c->low,
                           c->function == FILTER_LOWPASS ? c->high_width : c->low_width };
    const double two[] = { c->low, c->high, c->low_width, c->high_width };
    if (c->function > FILTER_BANDPASS || test_random_in(0, 2)) return;
    c->columns = band ? 2 * test_random_in(1, 2) : test_random_in(1, 2);
    for (int b = 0; b < 8; b++)
        for (int k = 0; k < 4; k++) c->parameters[b][k] = (band ? two[k] : one[k % 2]) * between(0.5, 1.5);
}

/* Everything that has a direction in images alone. */
static void choose_ctf(filter_case *c)
{
    const bool image = c->shape.d == 1, odd = image && test_random_in(0, 2) == 0;
    c->ctf = (tess_ctf){ .pixel_size = { between(0.8, 2), between(0.8, 2) },
                         .defocus = between(-2, 3),
                         .astigmatism = image ? between(-0.2, 0.2) : 0,
                         .angle = between(-2, 2),
                         .voltage = test_random_in(0, 1) ? 200 : 0,
                         .amplitude = between(0, 0.2),
                         .cs = test_random_in(0, 3) ? between(0, 2.7) : 0,
                         .phase_shift = between(0, 1),
                         .bfactor = test_random_in(0, 1) ? between(0, 60) : 0,
                         .scale = test_random_in(0, 1) ? between(0.5, 1.5) : 0,
                         .tetrafoil = image ? between(-1, 1) : 0,
                         .tetrafoil_angle = between(-1, 1) };
    if (odd) c->ctf.tilt[0] = between(-1, 1), c->ctf.tilt[1] = between(-1, 1);
    if (odd) c->ctf.trefoil = between(-1, 1), c->ctf.trefoil_angle = between(-1, 1);
    c->abs = c->function == FILTER_CTF && test_random_in(0, 3) == 0;
    c->squared = c->function == FILTER_CTF && !c->abs && test_random_in(0, 3) == 0;
    c->snr = between(1, 30);
    if (test_random_in(0, 1)) {
        c->columns = odd ? 17 : test_random_in(8, 13);
        for (int b = 0; b < 8; b++) {
            memcpy(c->parameters[b], &c->ctf, sizeof c->ctf);
            c->parameters[b][2] += 0.1 * b;
            c->parameters[b][9] -= 5 * b;
        }
        if (odd && !c->abs && !c->squared) c->out_dtype = tess_dtype_complex(c->out_dtype);
    }
    if (odd && !c->abs && !c->squared) {
        if (c->in_dtype) c->in_dtype = tess_dtype_complex(c->in_dtype);
        if (!c->in_dtype) c->out_dtype = tess_dtype_complex(c->out_dtype);
    }
}

static void choose_shift(filter_case *c)
{
    c->columns = c->shape.d > 1 ? 3 : test_random_in(c->shape.h > 1 ? 2 : 1, 3);
    c->last = test_random_in(0, 1) ? between(0.1, 0.5) : 0;
    c->real_nyquist = test_random_in(0, 1);
    c->start = c->stop = 0;
    c->no_endpoint = false;
    c->out_dtype = tess_dtype_complex(c->out_dtype);
    if (c->in_dtype) c->in_dtype = c->out_dtype;
    for (int b = 0; b < 8; b++)
        for (int k = 0; k < 3; k++) c->parameters[b][k] = between(-20, 20);
}

/* Parameters of each batch: those of all, somewhat changed. */
static void choose_mask(filter_case *c)
{
    const double angle = between(-2, 2);
    c->sizes[0] = c->function == FILTER_WEDGE ? angle : between(0.05, c->function == FILTER_CONE ? 1.5 : 0.4);
    c->sizes[1] = c->function == FILTER_WEDGE ? angle + between(0, 3.1) : between(0.05, 0.4);
    c->sizes[2] = between(0.05, 0.4);
    c->width = test_random_in(0, 2) ? between(0.01, 0.3) : 0;
    c->keep = test_random_in(0, 1) ? between(0.05, 0.2) : 0;
    c->invert = test_random_in(0, 1);
    if (test_random_in(0, 1))
        for (int k = 0; k < 3; k++) c->direction[k] = between(-3, 3);
    if (test_random_in(0, 1)) c->axes = TESS_D << test_random_in(0, 2);
    if (c->axes && c->function == FILTER_CROSS) c->axes |= TESS_D << test_random_in(0, 2);
    if (test_random_in(0, 1)) return;
    c->columns = c->function == FILTER_WEDGE       ? test_random_in(2, 3)
                 : c->function == FILTER_CONE      ? 1 + 3 * test_random_in(0, 1)
                 : c->function == FILTER_ELLIPSOID ? 3
                                                   : test_random_in(1, 2);
    for (int b = 0; b < 8; b++) {
        double *own = c->parameters[b];
        for (int k = 0; k < 3; k++) own[k] = c->sizes[k] * between(0.9, 1);
        if (c->function == FILTER_WEDGE) own[1] = own[0] + between(0, 3.1), own[2] = between(0.01, 0.3);
        if (c->function == FILTER_CROSS) own[1] = between(0.01, 0.3);
        if (c->function == FILTER_CONE) own[1] = between(-1, 1), own[2] = between(-1, 1), own[3] = between(1, 2);
    }
}

static void choose_radial(filter_case *c)
{
    c->pixel_size = between(0.8, 2);
    c->bfactor = between(-5, 80);
    c->critical_factor = test_random_in(0, 1) ? between(0.5, 1) : 0;
    c->normalize = test_random_in(0, 1);
    c->last = test_random_in(0, 1) ? between(0.3, 0.8) : 0;
    c->columns = c->function == FILTER_CURVE  ? test_random_in(1, 20)
                 : c->function == FILTER_DOSE ? 1
                                              : test_random_in(0, 2);
    for (int b = 0; b < 8; b++)
        for (int k = 0; k < 20; k++) c->parameters[b][k] = c->function == FILTER_DOSE ? between(0, 60) : between(-1, 1);
    if (c->function != FILTER_BFACTOR) return;
    for (int b = 0; b < 8; b++) c->parameters[b][0] = between(-5, 50), c->parameters[b][1] = between(0.8, 2);
}

void filter_choose(filter_case *c, filter_function function)
{
    *c = (filter_case){ .function = function, .shape = any_shape() };
    c->from = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC);
    c->to = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC);
    choose_dtypes(c);
    choose_range(c);
    choose_metric(c);
    c->edge = (int)test_random_in(TESS_FILTER_COSINE, TESS_FILTER_BUTTERWORTH);
    c->order = (int)test_random_in(1, 6);
    c->centred = c->edge == TESS_FILTER_COSINE && function <= FILTER_BANDPASS && test_random_in(0, 1);
    c->low = between(0, 0.4);
    c->high = between(0, 0.8);
    c->low_width = test_random_in(0, 2) ? between(0, 0.3) : 0;
    c->high_width = test_random_in(0, 2) ? between(0, 0.3) : 0;
    choose_parameters(c);
    if (function >= FILTER_BFACTOR && function <= FILTER_CURVE) choose_radial(c);
    if (function == FILTER_SHIFT) choose_shift(c);
    if (function >= FILTER_WEDGE && function <= FILTER_CROSS) choose_mask(c);
    if (function >= FILTER_CTF) choose_ctf(c);
    (void)snprintf(c->text, sizeof c->text, "%s %s to %s, %s to %s, {%d,%d,%d,%d}, edge %d%s, %d columns, metric %g %g",
                   function_names[function], layout_of[c->from], layout_of[c->to],
                   c->in_dtype ? tess_dtype_name(c->in_dtype) : "none", tess_dtype_name(c->out_dtype), (int)c->shape.b,
                   (int)c->shape.d, (int)c->shape.h, (int)c->shape.w, c->edge, c->centred ? " centred" : "",
                   (int)c->columns, c->metric.ww, c->metric.hw);
}

tess_shape filter_shape(const filter_case *c, int order)
{
    return order <= TESS_FFT_HC ? tess_rfft_shape(c->shape) : c->shape;
}

void filter_parameters(guarded *g, const filter_case *c)
{
    guarded_make(g, (enum layout)test_random_in(0, n_output_layouts - 1), TESS_SHAPE(c->shape.b, 1, 1, c->columns),
                 TESS_F64);
    for (int64_t b = 0; b < c->shape.b; b++)
        for (int64_t k = 0; k < c->columns; k++) {
            const int64_t position[4] = { b, 0, 0, k };
            memcpy(element_at(&g->view, position), &c->parameters[b][k], sizeof(double));
        }
}

static tess_status call_radial(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *own)
{
    const tess_bfactor_opts      b = { .start = c->start,
                                       .stop = c->stop,
                                       .parameters = own,
                                       .metric = c->metric,
                                       .from = c->from,
                                       .to = c->to,
                                       .no_endpoint = c->no_endpoint };
    const tess_dose_weight_opts  d = { .start = c->start,
                                       .stop = c->stop,
                                       .critical_factor = c->critical_factor,
                                       .metric = c->metric,
                                       .normalize = c->normalize,
                                       .from = c->from,
                                       .to = c->to,
                                       .no_endpoint = c->no_endpoint };
    const tess_filter_curve_opts u = { .start = c->start,
                                       .stop = c->stop,
                                       .last = c->last,
                                       .metric = c->metric,
                                       .from = c->from,
                                       .to = c->to,
                                       .no_endpoint = c->no_endpoint };
    if (c->function == FILTER_BFACTOR) return tess_bfactor(out, in, c->shape, c->bfactor, c->pixel_size, &b);
    if (c->function == FILTER_DOSE) return tess_dose_weight(out, in, c->shape, own, c->pixel_size, &d);
    return tess_filter_curve(out, in, c->shape, own, &u);
}

static tess_status call_shift(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *own)
{
    const tess_phase_shift_opts o = {
        .cutoff = c->last, .real_nyquist = c->real_nyquist, .from = c->from, .to = c->to
    };
    return tess_phase_shift(out, in, c->shape, own, &o);
}

static tess_status call_ctf(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *own)
{
    const tess_ctf_opts o = { .start = c->start,
                              .stop = c->stop,
                              .parameters = own,
                              .abs = c->abs,
                              .squared = c->squared,
                              .from = c->from,
                              .to = c->to,
                              .no_endpoint = c->no_endpoint };
    const tess_ctf     *ctf = own ? NULL : &c->ctf;
    if (c->function == FILTER_FLIP) return tess_ctf_flip(out, in, c->shape, ctf, &o);
    if (c->function == FILTER_WIENER) return tess_ctf_wiener(out, in, c->shape, ctf, c->snr, &o);
    if (!in && c->start == 0) return tess_ctf_image(out, c->shape, ctf, &o);
    return tess_ctf_apply(out, in, c->shape, ctf, &o);
}

#define MASK_OPTIONS                                                                                                   \
    .width = c->width, .keep = c->keep, .start = c->start, .stop = c->stop, .parameters = own, .invert = c->invert,    \
    .from = c->from, .to = c->to, .no_endpoint = c->no_endpoint

static tess_status call_mask(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *own)
{
    const tess_fourier_wedge_opts     wedge = { MASK_OPTIONS, .axis = c->axes };
    const tess_fourier_ellipsoid_opts ellipsoid = { MASK_OPTIONS };
    const tess_fourier_cross_opts     cross = { MASK_OPTIONS, .axes = c->axes };
    const tess_fourier_cone_opts cone = { MASK_OPTIONS, .direction_d = c->direction[0], .direction_h = c->direction[1],
                                          .direction_w = c->direction[2] };
    if (c->function == FILTER_WEDGE) return tess_fourier_wedge(out, in, c->shape, c->sizes[0], c->sizes[1], &wedge);
    if (c->function == FILTER_CONE) return tess_fourier_cone(out, in, c->shape, c->sizes[0], &cone);
    if (c->function == FILTER_CROSS) return tess_fourier_cross(out, in, c->shape, c->sizes[0], &cross);
    return tess_fourier_ellipsoid(out, in, c->shape, c->sizes[0], c->sizes[1], c->sizes[2], &ellipsoid);
}

tess_status filter_call(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *parameters)
{
    const bool               low = c->function == FILTER_LOWPASS;
    const tess_lowpass_opts  one = { .width = low ? c->high_width : c->low_width,
                                     .start = c->start,
                                     .stop = c->stop,
                                     .parameters = parameters,
                                     .metric = c->metric,
                                     .edge = c->edge,
                                     .order = c->order,
                                     .from = c->from,
                                     .to = c->to,
                                     .no_endpoint = c->no_endpoint,
                                     .centred = c->centred };
    const tess_bandpass_opts two = { .low_width = c->low_width,
                                     .high_width = c->high_width,
                                     .start = c->start,
                                     .stop = c->stop,
                                     .parameters = parameters,
                                     .metric = c->metric,
                                     .edge = c->edge,
                                     .order = c->order,
                                     .from = c->from,
                                     .to = c->to,
                                     .no_endpoint = c->no_endpoint,
                                     .centred = c->centred };
    if (c->function >= FILTER_CTF) return call_ctf(c, out, in, parameters);
    if (c->function >= FILTER_WEDGE) return call_mask(c, out, in, parameters);
    if (c->function == FILTER_SHIFT) return call_shift(c, out, in, parameters);
    if (c->function >= FILTER_BFACTOR) return call_radial(c, out, in, parameters);
    if (low) return tess_lowpass(out, in, c->shape, c->high, &one);
    if (c->function == FILTER_HIGHPASS) return tess_highpass(out, in, c->shape, c->low, &one);
    return tess_bandpass(out, in, c->shape, c->low, c->high, &two);
}

/* ---- What they should give ---- */

static int64_t cycles_of(int order, int axis, int64_t n, int64_t index)
{
    if (axis == 3 && order <= TESS_FFT_HC) return index;
    if (order == TESS_FFT_HC || order == TESS_FFT_FC) return index - n / 2;
    return index < (n + 1) / 2 ? index : index - n;
}

static double frequency_of(const filter_case *c, int axis, int64_t k)
{
    const int64_t n = c->shape.dim[axis];
    if (n == 1) return 0;
    const double highest = (double)(n / 2) / (double)n, stop = c->stop > 0 ? c->stop : highest;
    const double start = axis == 3 ? c->start : 0;
    if (c->start == 0 && c->stop == 0 && !c->no_endpoint) return (double)k / (double)n;
    return start + (double)k * (stop - start) / (double)(n / 2 + c->no_endpoint);
}

static double low_side(const filter_case *c, double f, double cutoff, double width)
{
    if (c->edge == TESS_FILTER_BUTTERWORTH) return 1 / sqrt(1 + pow(cutoff / f, 2.0 * c->order));
    if (f >= cutoff) return 1;
    if (width <= 1e-6) return 0;
    if (c->edge == TESS_FILTER_GAUSSIAN) return exp(-pow((cutoff - f) / width, 2) / 2);
    return f <= cutoff - width ? 0 : 0.5 * (1 + cos(pi * (cutoff - f) / width));
}

static double high_side(const filter_case *c, double f, double cutoff, double width)
{
    if (c->edge == TESS_FILTER_BUTTERWORTH) return 1 / sqrt(1 + pow(f / cutoff, 2.0 * c->order));
    if (f <= cutoff) return 1;
    if (width <= 1e-6) return 0;
    if (c->edge == TESS_FILTER_GAUSSIAN) return exp(-pow((f - cutoff) / width, 2) / 2);
    return f >= cutoff + width ? 0 : 0.5 * (1 + cos(pi * (f - cutoff) / width));
}

static double pass_at(const filter_case *c, double f, int64_t b)
{
    double        low = c->low, low_width = c->low_width, high = c->high, high_width = c->high_width;
    const double *own = c->parameters[b];
    if (c->columns && c->function == FILTER_BANDPASS) low = own[0], high = own[1];
    if (c->columns > 2) low_width = own[2], high_width = own[3];
    if (c->columns && c->function != FILTER_BANDPASS) low = high = own[0];
    if (c->columns == 2 && c->function != FILTER_BANDPASS) low_width = high_width = own[1];
    if (c->centred) {
        const double low_begin = fmax(low - low_width / 2, 0), high_begin = fmax(high - high_width / 2, 0);
        low += low_width / 2, low_width = low - low_begin;
        high_width = high + high_width / 2 - high_begin, high = high_begin;
    }
    const double m = c->function == FILTER_LOWPASS ? 1 : low_side(c, f, low, low_width);
    return c->function == FILTER_HIGHPASS ? m : m * high_side(c, f, high, high_width);
}

static double dose_at(const filter_case *c, double f, int64_t b)
{
    const double k = f / c->pixel_size, factor = c->critical_factor > 0 ? c->critical_factor : 1;
    const double critical = factor * (0.245 * pow(k, -1.665) + 2.81);
    double       sum = 0;
    for (int64_t i = 0; i < c->shape.b; i++) sum += exp(-c->parameters[i][0] / critical);
    return exp(-c->parameters[b][0] / (2 * critical)) / (c->normalize ? sqrt(sum) : 1);
}

static double curve_at(const filter_case *c, double f, int64_t b)
{
    const double  at = f / (c->last > 0 ? c->last : 0.5) * (double)(c->columns - 1);
    const int64_t i = (int64_t)at;
    if (i >= c->columns - 1) return c->parameters[b][c->columns - 1];
    return c->parameters[b][i] * (1 - (at - (double)i)) + c->parameters[b][i + 1] * (at - (double)i);
}

static double bfactor_at(const filter_case *c, double f, int64_t b)
{
    const double value = c->columns ? c->parameters[b][0] : c->bfactor;
    const double pixel = c->columns > 1 ? c->parameters[b][1] : c->pixel_size;
    return exp(-value * f * f / (pixel * pixel) / 4);
}

static void shift_at(const filter_case *c, const int64_t k[4], double f, int64_t b, double m[2])
{
    double turns = 0, scale = 1;
    m[0] = 1;
    if (c->last > 0 && f > c->last) return;
    for (int d = 1; d < 4; d++) {
        const int64_t n = c->shape.dim[d], column = d - 4 + c->columns;
        if (n == 1) continue;
        const double turned = c->parameters[b][column] * (double)k[d] / (double)n;
        if (c->real_nyquist && (2 * k[d] == n || 2 * k[d] == -n)) scale *= cos(2 * pi * turned);
        else turns += turned;
    }
    m[0] = scale * cos(2 * pi * turns);
    m[1] = -scale * sin(2 * pi * turns);
}

/* Distances outside a shape, by angles and norms. */
static double wedge_distance(const filter_case *c, const double f[4], const double sizes[3])
{
    const int    axis = c->axes ? c->axes : c->shape.d > 1 ? TESS_H : TESS_D;
    const double low = axis == TESS_W ? f[2] : f[3], high = axis == TESS_D ? f[2] : f[1];
    double       least = INFINITY;
    double       angle = fmod(atan2(high, low) - sizes[0], pi);
    if (angle < 0) angle += pi;
    if (angle <= sizes[1] - sizes[0] || hypot(low, high) == 0) return 0;
    for (int k = 0; k < 2; k++) least = fmin(least, fabs(high * cos(sizes[k]) - low * sin(sizes[k])));
    return least;
}

static double cone_distance(const filter_case *c, const double f[4], double aperture, const double own[3])
{
    double axis[3] = { c->shape.d > 1, c->shape.d == 1 && c->shape.h > 1, c->shape.d == 1 && c->shape.h == 1 };
    double length = 0, along = 0, f2 = 0;
    if (c->direction[0] != 0) memcpy(axis, c->direction, sizeof axis);
    if (own) memcpy(axis, own, sizeof axis);
    for (int k = 0; k < 3; k++) length += axis[k] * axis[k], along += axis[k] * f[k + 1], f2 += f[k + 1] * f[k + 1];
    if (f2 == 0) return 0;
    const double angle = acos(fmin(fabs(along) / sqrt(length * f2), 1));
    return sqrt(f2) * sin(angle - aperture);
}

static double ellipsoid_distance(const double f[4], const double radii[3])
{
    double ratio = 0, f2 = 0;
    for (int k = 0; k < 3; k++) ratio += pow(f[k + 1] / radii[k], 2), f2 += f[k + 1] * f[k + 1];
    return ratio <= 1 ? 0 : sqrt(f2) - sqrt(f2 / ratio);
}

static double cross_distance(const filter_case *c, const double f[4], double half_width)
{
    double least = INFINITY;
    for (int k = 1; k < 4; k++) {
        const bool   counts = c->axes ? c->axes & TESS_B << k : c->shape.dim[k] > 1;
        const double distance = k == 1 ? hypot(f[2], f[3]) : k == 2 ? hypot(f[1], f[3]) : hypot(f[1], f[2]);
        if (counts) least = fmin(least, distance);
    }
    return (isinf(least) ? 0 : least) - half_width;
}

static double mask_edge(double beyond, double width)
{
    return beyond <= 1e-12 ? 1 : beyond >= width ? 0 : 0.5 + 0.5 * cos(pi * beyond / width);
}

static double mask_at(const filter_case *c, const double f[4], double radius, int64_t b)
{
    const double *own = c->columns ? c->parameters[b] : c->sizes;
    double        width = c->width, beyond;
    if (c->function == FILTER_WEDGE && c->columns == 3) width = own[2];
    if (c->function == FILTER_CROSS && c->columns == 2) width = own[1];
    if (c->function == FILTER_WEDGE) beyond = wedge_distance(c, f, own);
    else if (c->function == FILTER_CONE) beyond = cone_distance(c, f, own[0], c->columns == 4 ? own + 1 : NULL);
    else if (c->function == FILTER_ELLIPSOID) beyond = ellipsoid_distance(f, own);
    else beyond = cross_distance(c, f, own[0]);
    const double m = c->invert ? 1 - mask_edge(beyond, width) : mask_edge(beyond, width);
    return c->keep > 0 ? fmax(m, mask_edge(radius - c->keep, width)) : m;
}

/* By angles and their cosines; the library has polynomials. */
static void ctf_at(const filter_case *c, const double f[4], int64_t b, double m[2])
{
    tess_ctf p = c->ctf;
    memset(&p, 0, c->columns ? sizeof p : 0);
    memcpy(&p, c->columns ? c->parameters[b] : (const double *)&c->ctf, c->columns ? (size_t)c->columns * 8 : sizeof p);
    const double kv = p.voltage > 0 ? p.voltage : 300, e = 1000 * 1.602176634e-19 * kv;
    const double l =
        1e10 * 6.62607015e-34 * 299792458.0 / sqrt(e * (2 * 9.1093837015e-31 * 299792458.0 * 299792458.0 + e));
    const double z = f[1] / p.pixel_size[0], y = f[2] / p.pixel_size[0], x = f[3] / p.pixel_size[1];
    const double r = sqrt(x * x + y * y + z * z), angle = atan2(y, x);
    const double defocus = 1e4 * (p.defocus + p.astigmatism * cos(2 * (angle - p.angle)));
    const double cs = 1e7 * (p.cs + p.tetrafoil * cos(4 * (angle - p.tetrafoil_angle)));
    const double k3 = asin(p.amplitude);
    const double phase = -pi * l * defocus * r * r + pi / 2 * cs * l * l * l * pow(r, 4) - p.phase_shift - k3;
    const double odd = 2 * pi * 1e7 * p.cs * l * l * r * r * 1e-3 * (y * p.tilt[0] + x * p.tilt[1]) +
                       2 * pi / 3 * 1e4 * p.trefoil * l * l * pow(r, 3) * cos(3 * (angle - p.trefoil_angle));
    double value = -sin(phase) * (p.scale > 0 ? p.scale : 1);
    if (c->function == FILTER_FLIP) value = value < 0 ? -1 : 1;
    else value *= exp(-p.bfactor * r * r / 4);
    if (c->function == FILTER_WIENER) value /= value * value + 1 / c->snr;
    if (c->abs) value = fabs(value);
    if (c->squared) value *= value;
    const bool turned = !c->abs && !c->squared, back = c->function != FILTER_CTF;
    m[0] = value * (turned ? cos(odd) : 1);
    m[1] = turned ? value * sin(back ? -odd : odd) : 0;
}

static int64_t index_of(int order, int axis, int64_t n, int64_t k)
{
    if (axis == 3 && order <= TESS_FFT_HC) return k < 0 ? -k : k;
    if (order == TESS_FFT_HC || order == TESS_FFT_FC) k += n / 2;
    return (k % n + n) % n;
}

static double square_of(const filter_case *c, const double f[4])
{
    const tess_metric *g = &c->metric;
    const double       d = f[1], h = f[2], w = f[3];
    if (g->ww == 0) return d * d + h * h + w * w;
    return g->dd * d * d + g->hh * h * h + g->ww * w * w + 2 * (g->dh * d * h + g->dw * d * w + g->hw * h * w);
}

void filter_want(const filter_case *c, const int64_t position[4], double multiplier[2], int64_t source[4],
                 bool *mirrored)
{
    int64_t k[4] = { 0 };
    double  f[4] = { 0 };
    for (int d = 1; d < 4; d++) {
        k[d] = cycles_of(c->to, d, c->shape.dim[d], position[d]);
        f[d] = frequency_of(c, d, k[d]);
    }
    const double length = sqrt(square_of(c, f));
    *mirrored = c->from <= TESS_FFT_HC && k[3] < 0 && 2 * k[3] != -c->shape.w;
    source[0] = position[0];
    for (int d = 1; d < 4; d++) source[d] = index_of(c->from, d, c->shape.dim[d], *mirrored ? -k[d] : k[d]);
    multiplier[1] = 0;
    if (c->function >= FILTER_CTF) ctf_at(c, f, position[0], multiplier);
    else if (c->function >= FILTER_WEDGE) multiplier[0] = mask_at(c, f, length, position[0]);
    else if (c->function == FILTER_SHIFT) shift_at(c, k, length, position[0], multiplier);
    else if (c->function == FILTER_CURVE) multiplier[0] = curve_at(c, length, position[0]);
    else if (c->function == FILTER_DOSE) multiplier[0] = dose_at(c, length, position[0]);
    else if (c->function == FILTER_BFACTOR) multiplier[0] = bfactor_at(c, length, position[0]);
    else multiplier[0] = pass_at(c, length, position[0]);
}
