/* Spectrum filter kernel: some threads to a row of the output, each every so many elements, and, where batches share
 * the multipliers, each element of every batch.
 *
 * The program defines IN and OUT, dtypes (IN is 0 where the filter itself is written), KIND, FORM, the edge of a pass
 * filter or the mode of a CTF, ENVELOPED, and ODD: multipliers are complex. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/signal/spectrum_filter_params.h"

enum {
    THREADS = 128,
    SOURCE = IN ? IN : OUT,
    IS_DOUBLE = real_of<SOURCE>::value == TESS_F64,
    REAL = IS_DOUBLE ? TESS_F64 : TESS_F32
};
typedef element<REAL>::held                                           real;
typedef element<IS_DOUBLE ? TESS_C64 : TESS_C32>::held                complex;
typedef element<ODD ? (IS_DOUBLE ? TESS_C64 : TESS_C32) : REAL>::held multiplier;

/* ---- Multipliers ---- */

/* What is the same along a row of a batch. */
struct row_values {
    tess__filter_spec          spec;
    const tess__filter_values *values, *all_values;
    int64_t                    n_values, batches;
    double                     plane; /* square of the frequency in D and H */
    tess__ctf_row              ctf;
    const double              *curve;
    const multiplier          *image;
    int64_t                    stride;
    tess_c64                   factor; /* of D and H */
    const tess_c64            *factors;
};

static __device__ const tess_c64 *factor_at(const tess__gpu_array &a, int64_t b, int64_t index)
{
    return (const tess_c64 *)a.data + b * a.stride[0] + index * a.stride[3];
}

static __device__ row_values row_of(const tess__gpu_spectrum_filter &p, const int64_t position[4])
{
    row_values    r;
    const int64_t k_d = tess__filter_cycles(p.axis[1].out, p.axis[1].n, position[1]);
    const int64_t k_h = tess__filter_cycles(p.axis[2].out, p.axis[2].n, position[2]);
    const double  fd = tess__filter_frequency(&p.axis[1], k_d), fh = tess__filter_frequency(&p.axis[2], k_h);
    const int64_t offset = position[0] * p.table.stride[0];
    r.spec = p.spec;
    r.spec.kind = KIND;
    r.spec.edge = r.spec.mode = FORM;
    r.values = p.values ? (const tess__filter_values *)p.values + (p.n_values > 1 ? position[0] : 0) : &p.shared;
    r.all_values = p.values ? (const tess__filter_values *)p.values : &p.shared;
    r.n_values = p.values ? p.n_values : 1;
    r.batches = p.batches;
    r.plane = __builtin_fma(fd, fd, fh * fh);
    if (KIND == TESS__FILTER_CTF) r.ctf = tess__ctf_row_of(&r.values->ctf, fd, fh);
    r.curve = (const double *)p.table.data + offset;
    r.image =
        (const multiplier *)p.table.data + offset + position[1] * p.table.stride[1] + position[2] * p.table.stride[2];
    r.stride = KIND == TESS__FILTER_AXES ? p.factors[3].stride[3] : p.table.stride[3];
#if KIND == TESS__FILTER_AXES
    r.factor = tess__filter_product_c64(*factor_at(p.factors[1], position[0], position[1]),
                                        *factor_at(p.factors[2], position[0], position[2]), 1.0);
    r.factors = factor_at(p.factors[3], position[0], 0);
#endif
    return r;
}

/* The functions of both precisions. */
template <bool IS_F64> struct precision {
    static __device__ double value(const tess__ctf_row &r, double fw, double noise)
    {
        return tess__ctf_form_f64(FORM, tess__ctf_value_f64(&r, fw, ENVELOPED), noise);
    }
    static __device__ tess_c64 turn(const tess__ctf_row &r, double fw) { return tess__ctf_turn_c64(&r, fw, FORM); }
    static __device__ tess_c64 product(tess_c64 x, tess_c64 m, double im) { return tess__filter_product_c64(x, m, im); }
    static __device__ double   power(tess_c64 x) { return tess__filter_power_c64(x); }
};
template <> struct precision<false> {
    static __device__ float value(const tess__ctf_row &r, double fw, double noise)
    {
        return tess__ctf_form_f32(FORM, tess__ctf_value_f32(&r, fw, ENVELOPED), noise);
    }
    static __device__ tess_c32 turn(const tess__ctf_row &r, double fw) { return tess__ctf_turn_c32(&r, fw, FORM); }
    static __device__ tess_c32 product(tess_c32 x, tess_c32 m, float im) { return tess__filter_product_c32(x, m, im); }
    static __device__ float    power(tess_c32 x) { return tess__filter_power_c32(x); }
};

static __device__ multiplier ctf_at(const row_values &r, double fw)
{
    const real value = precision<IS_DOUBLE>::value(r.ctf, fw, r.spec.noise);
#if ODD
    complex turn = precision<IS_DOUBLE>::turn(r.ctf, fw);
    turn.re = value * turn.re, turn.im = value * turn.im;
    return turn;
#else
    return value;
#endif
}

/* The multiplier of element w, and through `level` whether it is exactly 0 or 1. */
static __device__ multiplier multiplier_at(const row_values &r, double fw, int64_t w, int *level)
{
    const double f2 = __builtin_fma(fw, fw, r.plane);
    *level = TESS__FILTER_EDGE;
#if KIND == TESS__FILTER_CTF
    return ctf_at(r, fw);
#elif KIND == TESS__FILTER_AXES
    const tess_c64 z = tess__filter_axes_at(&r.spec, r.factor, r.factors[w * r.stride], f2);
    multiplier     m;
    m.re = (real)z.re, m.im = (real)z.im;
    return m;
#elif KIND == TESS__FILTER_IMAGE
    return r.image[w * r.stride];
#elif KIND == TESS__FILTER_CURVE
    return (real)tess__filter_curve_at(&r.spec, r.curve, r.stride, f2);
#elif KIND == TESS__FILTER_BFACTOR
    return (real)tess__exp_f64(r.values->rate * f2);
#elif KIND == TESS__FILTER_DOSE
    const double inverse = tess__filter_inverse_dose(r.values, f2), factor = tess__exp_f64(r.values->rate * inverse);
    if (!r.spec.normalize) return (real)factor;
    return (real)(factor * tess__filter_dose_norm(r.all_values, r.n_values, r.batches, inverse));
#else
    *level = tess__filter_class(r.values, f2);
    if (*level == TESS__FILTER_EDGE) return (real)tess__filter_pass_at(&r.spec, r.values, f2);
    return *level == TESS__FILTER_PASSES ? (real)1 : (real)0;
#endif
}

/* ---- Products ---- */

/* z m, of the conjugate of z where `im` is -1. */
static __device__ complex product(complex z, multiplier m, real im)
{
#if ODD
    return precision<IS_DOUBLE>::product(z, m, im);
#else
    complex y;
    y.re = z.re * m, y.im = z.im * (m * im);
    return y;
#endif
}

/* x of dtype FROM, times m, as TO. */
template <int TO, int FROM>
static __device__ typename element<TO>::held result_of(typename element<FROM>::held x, multiplier m, bool mirrored)
{
    if constexpr (element<FROM>::kind != KIND_COMPLEX) return x * m;
    else {
        const complex y = product(x, m, mirrored ? (real)-1 : (real)1);
        if constexpr (element<TO>::kind != KIND_COMPLEX) return precision<IS_DOUBLE>::power(y);
        else return y;
    }
}

/* The filter itself. */
template <int TO, typename M> static __device__ typename element<TO>::held filter_of(M m)
{
    if constexpr (element<TO>::kind == KIND_COMPLEX && !ODD) {
        complex z;
        z.re = m, z.im = 0;
        return z;
    } else {
        return m;
    }
}

static __device__ element<OUT>::held nothing()
{
    element<OUT>::held zero = {};
    return zero;
}

/* Where the coefficient of an element lies in the input. */
static __device__ int64_t source_of(const tess__gpu_spectrum_filter &p, const int64_t position[4], int64_t w,
                                    bool *mirrored)
{
    const int64_t k_w = tess__filter_cycles(p.axis[3].out, p.axis[3].n, w);
    int64_t       offset = tess__filter_index(p.axis[3].in, p.axis[3].n, k_w) * p.in.stride[3];
    *mirrored = tess__filter_mirrored(&p.axis[3], k_w);
#pragma unroll
    for (int d = 1; d < 3; d++) {
        const int64_t k = tess__filter_cycles(p.axis[d].out, p.axis[d].n, position[d]);
        offset += tess__filter_index(p.axis[d].in, p.axis[d].n, *mirrored ? -k : k) * p.in.stride[d];
    }
    return offset + position[0] * p.in.stride[0];
}

TESS_KERNEL(THREADS, tess__gpu_spectrum_filter, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       position[4];
    if (item >= p.rows.n) return;
    grid_position(position, p.rows, item);
    const row_values r = row_of(p, position);
    for (int64_t w = position[3]; w < p.width; w += p.rows.size[3]) {
        int                   level;
        const int64_t         k = tess__filter_cycles(p.axis[3].out, p.axis[3].n, w);
        const multiplier      m = multiplier_at(r, tess__filter_frequency(&p.axis[3], k), w, &level);
        element<OUT>::stored *to = (element<OUT>::stored *)p.out.data + position[0] * p.out.stride[0] +
                                   position[1] * p.out.stride[1] + position[2] * p.out.stride[2] + w * p.out.stride[3];
#if IN == 0
        for (int64_t b = 0; b < p.loops; b++) to[b * p.out.stride[0]] = element<OUT>::store(filter_of<OUT>(m));
#else
        bool                           mirrored;
        const int64_t                  offset = source_of(p, position, w, &mirrored);
        const element<SOURCE>::stored *from = (const element<SOURCE>::stored *)p.in.data + offset;
#pragma unroll 4
        for (int64_t b = 0; b < p.loops; b++) {
            element<OUT>::held y = nothing();
            if (level != TESS__FILTER_STOPS)
                y = result_of<OUT, SOURCE>(element<SOURCE>::load(from[b * p.in.stride[0]]), m, mirrored);
            to[b * p.out.stride[0]] = element<OUT>::store(y);
        }
#endif
    }
}
