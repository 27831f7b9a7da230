/* Spectrum filter kernel: a block has some rows of the output, whose constants lie in shared memory; a thread has some
 * columns, each at every row and, where batches share the multipliers, in every batch.
 *
 * The program defines IN and OUT, dtypes (IN is 0 where the filter itself is written), KIND, FORM, the edge of a pass
 * filter or the mode of a CTF or a mask, FLAGS: 1 of an envelope, 2 of complex multipliers, and BATCHES: how many
 * batches with the same multipliers a thread has at most. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/signal/spectrum_filter_params.h"

#define ENVELOPED (FLAGS & 1)
#define ODD (FLAGS & 2)

enum {
    THREADS = TESS__GPU_FILTER_THREADS,
    ROWS = TESS__GPU_FILTER_ROWS,
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
    element<OUT>::stored          *to;
    const element<SOURCE>::stored *from[2]; /* the row of coefficients, and that of the mirrored ones */
    int64_t                        batches;
    double                         fd, fh; /* frequencies in D and H, */
    tess__metric_row              line;   /* and their squares with those in W */
#if KIND == TESS__FILTER_CTF
    tess__ctf_row ctf;
#elif KIND == TESS__FILTER_AXES
    tess_c64        factor; /* of D and H */
    const tess_c64 *factors;
#elif KIND == TESS__FILTER_IMAGE
    const multiplier *image;
#elif KIND == TESS__FILTER_CURVE || KIND == TESS__FILTER_WHITEN
    const double *curve;
#else
    tess__filter_values values;
    const double       *norms; /* DOSE */
#endif
};

__shared__ row_values rows[ROWS];

static __device__ const tess_c64 *factor_at(const tess__gpu_array &a, int64_t b, int64_t index)
{
    return (const tess_c64 *)a.data + b * a.stride[0] + index * a.stride[3];
}

/* The row at frequencies `fd` and `fh` of a batch. */
static __device__ void set_multipliers(row_values &r, const tess__gpu_spectrum_filter &p, const int64_t position[4],
                                       double fd, double fh)
{
    const int64_t              b = position[0], offset = b * p.table.stride[0];
    const tess__filter_values *values = (const tess__filter_values *)p.values + (p.n_values > 1 ? b : 0);
    r.fd = fd, r.fh = fh;
    r.line = tess__metric_row_of(&p.spec.metric, fd, fh);
#if KIND == TESS__FILTER_CTF
    if (p.values) r.ctf = tess__ctf_row_of(&values->ctf, fd, fh);
    else r.ctf = tess__ctf_row_of(&p.shared.ctf, fd, fh);
#elif KIND == TESS__FILTER_AXES
    r.factor = tess__filter_product_c64(*factor_at(p.factors[1], b, position[1]),
                                        *factor_at(p.factors[2], b, position[2]), 1.0);
    r.factors = factor_at(p.factors[3], b, 0);
#elif KIND == TESS__FILTER_IMAGE
    r.image =
        (const multiplier *)p.table.data + offset + position[1] * p.table.stride[1] + position[2] * p.table.stride[2];
#elif KIND == TESS__FILTER_CURVE || KIND == TESS__FILTER_WHITEN
    r.curve = (const double *)p.table.data + offset;
#else
    if (p.values) r.values = *values;
    else r.values = p.shared;
    r.norms = (const double *)p.table.data + position[1] * p.table.stride[1] + position[2] * p.table.stride[2];
#endif
    (void)offset;
    (void)values;
}

/* Where the coefficients of a row of the output lie in the input, or those of the negative frequencies. */
static __device__ int64_t source_of(const tess__gpu_spectrum_filter &p, const int64_t position[4], bool mirrored)
{
    int64_t offset = position[0] * p.in.stride[0];
#pragma unroll
    for (int d = 1; d < 3; d++) {
        const int64_t k = tess__frequency_at(p.axis[d].out, p.axis[d].n, position[d]);
        offset += tess__frequency_index(p.axis[d].in, p.axis[d].n, mirrored ? -k : k) * p.in.stride[d];
    }
    return offset;
}

static __device__ void set_row(row_values &r, const tess__gpu_spectrum_filter &p, int64_t number)
{
    int64_t position[4];
    grid_position(position, p.rows, number);
    position[0] *= BATCHES;
    r.batches = p.batches - position[0] < BATCHES ? p.batches - position[0] : BATCHES;
    const int64_t k_d = tess__frequency_at(p.axis[1].out, p.axis[1].n, position[1]);
    const int64_t k_h = tess__frequency_at(p.axis[2].out, p.axis[2].n, position[2]);
    set_multipliers(r, p, position, tess__filter_frequency(&p.axis[1], k_d), tess__filter_frequency(&p.axis[2], k_h));
    r.to = (element<OUT>::stored *)p.out.data + grid_offset(p.out.stride, position);
    r.from[0] = (const element<SOURCE>::stored *)p.in.data + source_of(p, position, false);
    r.from[1] = (const element<SOURCE>::stored *)p.in.data + source_of(p, position, true);
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

static __device__ multiplier ctf_at(const tess__ctf_row &r, double fw, double noise)
{
    const real value = precision<IS_DOUBLE>::value(r, fw, noise);
#if ODD
    complex turn = precision<IS_DOUBLE>::turn(r, fw);
    turn.re = value * turn.re, turn.im = value * turn.im;
    return turn;
#else
    return value;
#endif
}

/* The multiplier of element w, and through `level` whether it is exactly 0 or 1. */
static __device__ multiplier multiplier_at(const tess__gpu_spectrum_filter &p, const row_values &r, double fw,
                                           int64_t w, int *level)
{
    const double f2 = tess__metric_square(&r.line, fw);
    *level = TESS__FILTER_EDGE;
    (void)f2;
    (void)w;
#if KIND == TESS__FILTER_CTF
    return ctf_at(r.ctf, fw, p.spec.noise);
#elif KIND == TESS__FILTER_AXES
    const tess_c64 z = tess__filter_axes_at(&p.spec, r.factor, r.factors[w * p.factors[3].stride[3]], f2);
    multiplier     m;
    m.re = (real)z.re, m.im = (real)z.im;
    return m;
#elif KIND == TESS__FILTER_IMAGE
    return r.image[w * p.table.stride[3]];
#elif KIND == TESS__FILTER_CURVE
    return (real)tess__filter_curve_at(&p.spec, r.curve, p.table.stride[3], f2);
#elif KIND == TESS__FILTER_WHITEN
    const double most = IS_DOUBLE ? TESS__FILTER_MOST_F64 : TESS__FILTER_MOST_F32;
    return (real)tess__filter_whiten_at(&p.spec, r.curve, p.table.stride[3], f2, most);
#elif KIND == TESS__FILTER_DOSE
    const double inverse = tess__filter_inverse_dose(&r.values, f2);
    const double factor = p.spec.normalize == TESS__DOSE_NORMS ? 1.0 : tess__exp_f64(r.values.rate * inverse);
    if (p.spec.normalize == TESS__DOSE_PLAIN) return (real)factor;
    if (p.spec.normalize == TESS__DOSE_NORM_TABLE) return (real)(factor * r.norms[w * p.table.stride[3]]);
    const tess__filter_values *all = p.values ? (const tess__filter_values *)p.values : &r.values;
    return (real)(factor * tess__filter_dose_norm(all, p.values ? p.n_values : 1, p.all_batches, inverse));
#else
    const double               f[3] = { r.fd, r.fh, fw };
    const tess__filter_values *v = &r.values;
    tess__filter_spec          spec = p.spec, *s = &spec;
    spec.edge = spec.mode = FORM;
    switch (KIND) {
#define FILTER(NAME, name, cost, cuts, constants, multiplier)                                                          \
    case TESS__FILTER_##NAME:                                                                                          \
        *level = cuts ? tess__filter_class(v, f2) : TESS__FILTER_EDGE;                                                 \
        return *level == TESS__FILTER_EDGE ? (real)(multiplier) : (real)(*level == TESS__FILTER_PASSES);
#include "formulas/filters.def"
    }
    (void)f;
    return 0;
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

/* A column: its frequency, and its offsets in rows of the output and of the input. */
struct column {
    double  fw;
    int64_t w, to, from;
    bool    mirrored;
};

/* One column of one row, in its batches. */
static __device__ void filter_column(const tess__gpu_spectrum_filter &p, const row_values &r, const column &c)
{
    int                   level;
    const multiplier      m = multiplier_at(p, r, c.fw, c.w, &level);
    element<OUT>::stored *to = r.to + c.to;
#if IN == 0
#pragma unroll
    for (int b = 0; b < BATCHES; b++)
        if (b < r.batches) to[b * p.out.stride[0]] = element<OUT>::store(filter_of<OUT>(m));
#else
    const element<SOURCE>::stored *from = r.from[c.mirrored] + c.from;
    element<SOURCE>::held          x[BATCHES] = {};
#pragma unroll
    for (int b = 0; b < BATCHES; b++)
        if (b < r.batches && level != TESS__FILTER_STOPS) x[b] = element<SOURCE>::load(from[b * p.in.stride[0]]);
#pragma unroll
    for (int b = 0; b < BATCHES; b++)
        if (b < r.batches)
            to[b * p.out.stride[0]] = element<OUT>::store(
                level == TESS__FILTER_STOPS ? nothing() : result_of<OUT, SOURCE>(x[b], m, c.mirrored));
#endif
}

static __device__ column column_at(const tess__gpu_spectrum_filter &p, int64_t w)
{
    column        c;
    const int64_t k = tess__frequency_at(p.axis[3].out, p.axis[3].n, w);
    c.fw = tess__filter_frequency(&p.axis[3], k);
    c.w = w;
    c.to = w * p.out.stride[3];
    c.from = tess__frequency_index(p.axis[3].in, p.axis[3].n, k) * p.in.stride[3];
    c.mirrored = tess__filter_mirrored(&p.axis[3], k);
    return c;
}

TESS_KERNEL(THREADS, tess__gpu_spectrum_filter, p)
{
    const int64_t group = (int64_t)blockIdx.x / p.chunks, first = group * p.group;
    const int     n = p.rows.n - first < p.group ? (int)(p.rows.n - first) : p.group;
    if ((int)threadIdx.x < n) set_row(rows[threadIdx.x], p, first + threadIdx.x);
    const int     at_once = THREADS / p.threads, y = (int)threadIdx.x / p.threads;
    const int64_t begin = (int64_t)blockIdx.x % p.chunks * p.chunk;
    const int64_t end = begin + p.chunk < p.width ? begin + p.chunk : p.width;
    __syncthreads();
    for (int64_t w = begin + (int)threadIdx.x % p.threads; w < end; w += p.threads) {
        const column c = column_at(p, w);
        if (p.threads == THREADS && n == ROWS) {
#pragma unroll 4
            for (int i = 0; i < ROWS; i++) filter_column(p, rows[i], c);
        } else {
            for (int i = y; i < n; i += at_once) filter_column(p, rows[i], c);
        }
    }
}
