/* Phase randomisation above a frequency: a counter-based random phase for each pair of opposite frequencies. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/text.h"
#include "ops/signal/filter.h"
#include "ops/signal/shells.h"
#include "tessera/ewise.h"
#include "tessera/op.h"

#define OPTIONS                                                                                                        \
    TESS__NEED_FREQUENCY("frequency", "above which phases become random"),                                             \
        TESS__NEED(TESS_ARG_U64, "seed", "equal seeds give equal phases"),                                             \
        TESS__FIRST_BATCH(tess_phase_randomize_opts, first_batch, "index of the first batch; phases depend on it"),    \
        TESS__FILTER_ROWS(tess_phase_randomize_opts)
static const tess_arg_info args[] = {
    TESS__OUT("out", "the spectrum with random phases; may be exactly in if the layout stays"),
    TESS__IN("in", "a complex spectrum"),
    TESS__FILTER_SHAPE,
    OPTIONS,
};
static const tess_arg_info image_args[] = { TESS__OUT("out", "the array with random phases; may be exactly in"),
                                            TESS__IMAGE_IN, OPTIONS };
TESS__CALL(phase_randomize, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].u64, opts)
TESS__CALL(phase_randomize_image, v[0].out, v[1].in, v[2].f64, v[3].u64, opts)
const tess_function_info tess__info_phase_randomize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, phase_randomize, "fsc", "Random phases above a frequency, as of a real array.",
                  args, tess_phase_randomize_opts);
const tess_function_info tess__info_phase_randomize_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, phase_randomize_image, "fsc", "Real arrays with random phases above a frequency.",
                  image_args, tess_phase_randomize_opts);

/* Of a frequency and its opposite, both as indices from 0 to n-1 along each axis, the one that comes first counts the
 * phase, and the other has it with the opposite sign. The generator is splitmix64 (Steele, Lea and Flood, 2014) of the
 * count; its constants are values, since the language has no numbers of 64 bits. What an index of the output is moved
 * by to be one of a full spectrum that begins with frequency 0, and what such an index is moved by to be one of the
 * input, are values, too. What half a spectrum has not is the conjugate of what is at the opposite frequency. */
/* clang-format off */
#define RANDOMIZE(name, C, f)                                                                                          \
    TESS_IWISE(name, (view(C,x), in(f64,row), in(f64,column), val(f64,limit), val(i64,to_d), val(i64,to_h),            \
                      val(i64,to_w), val(i64,from_d), val(i64,from_h), val(i64,from_w), val(i64,is_half),              \
                      val(i64,n_d), val(i64,n_h), val(i64,n_w), val(i64,first), val(u64,seed), val(u64,step),          \
                      val(u64,mix_a), val(u64,mix_b), out(C,z)),                                                       \
        i64 i_d = (d + to_d) % n_d; i64 i_h = (h + to_h) % n_h; i64 i_w = (w + to_w) % n_w;                            \
        i64 o_d = (n_d - i_d) % n_d; i64 o_h = (n_h - i_h) % n_h; i64 o_w = (n_w - i_w) % n_w;                         \
        i64 mirrored = is_half != 0 && 2*i_w > n_w ? 1 : 0;                                                            \
        i64 s_d = ((mirrored != 0 ? o_d : i_d) + from_d) % n_d;                                                        \
        i64 s_h = ((mirrored != 0 ? o_h : i_h) + from_h) % n_h;                                                        \
        i64 s_w = ((mirrored != 0 ? o_w : i_w) + from_w) % n_w;                                                        \
        f x_re = tessm_real(tess_at(x, b, s_d, s_h, s_w));                                                             \
        f y_im = tessm_imag(tess_at(x, b, s_d, s_h, s_w));                                                             \
        f x_im = mirrored != 0 ? -y_im : y_im;                                                                         \
        i64 here = (i_d*n_h + i_h)*n_w + i_w;                                                                          \
        i64 there = (o_d*n_h + o_h)*n_w + o_w;                                                                         \
        i64 least = here < there ? here : there;                                                                       \
        u64 s = seed + (u64)((first + b)*n_d*n_h*n_w + least + 1)*step;                                                \
        s = (s ^ (s >> 30))*mix_a;                                                                                     \
        s = (s ^ (s >> 27))*mix_b;                                                                                     \
        s = s ^ (s >> 31);                                                                                             \
        f64 angle = (f64)(i64)(s >> 11)*6.28318530717958647693 / 9007199254740992.0;                                   \
        f64 size = (f64)tessm_hypot(x_re, x_im);                                                                       \
        f64 re = size*tessm_cos(angle);                                                                                \
        f64 im = here < there ? size*tessm_sin(angle) : 0.0 - size*tessm_sin(angle);                                   \
        i32 keeps = row + column > limit && here != there ? 0 : 1;                                                     \
        z = tessm_complex(keeps != 0 ? x_re : (f)re, keeps != 0 ? x_im : (f)im); )
RANDOMIZE(phase_randomize_c16, c16, f32)
RANDOMIZE(phase_randomize_c32, c32, f32)
RANDOMIZE(phase_randomize_c64, c64, f64)
#undef RANDOMIZE
/* clang-format on */

typedef struct randomize {
    double   frequency;
    uint64_t seed;
    int64_t  first; /* batch */
} randomize;

/* Is frequency 0 in the middle of an axis? */
static bool is_centred(int layout, int axis, int64_t n)
{
    return tess__fft_axis_of(layout, axis, n).order == TESS__FFT_CENTRED;
}

/* Squares of frequencies: the sums of those of D and H, and those of W, in place of the frequencies. */
static tess_status square(tess_array axes[3], tess_array *row)
{
    for (int k = 0; k < 3; k++) TESS_TRY(tess_mul(&axes[k], &axes[k], &axes[k]));
    TESS_TRY(tess_add(row, &axes[0], &axes[1]));
    return TESS_OK;
}

/* A call that was checked, whose `to` is set. */
static tess_status run(const tess__filter_call *c, const randomize *r)
{
    static tess_op_def *const ops[3] = { &phase_randomize_c16, &phase_randomize_c32, &phase_randomize_c64 };
    const uint64_t            step = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t            mix_a = UINT64_C(0xbf58476d1ce4e5b9), mix_b = UINT64_C(0x94d049bb133111eb);
    const tess_shape          n = c->shape;
    const double              limit = r->frequency * r->frequency;
    const int64_t             half = tess__fft_is_half(c->range.from);
    int64_t                   to[4], from[4];
    const tess_array         *in = c->in;
    tess_array                axes[3] = { { .data = NULL } }, row = { .data = NULL }, copy = { .data = NULL };
    tess_status               status = TESS_OK;
    for (int k = 1; k < 4; k++) {
        to[k] = is_centred(c->range.to, k, n.dim[k]) ? n.dim[k] - n.dim[k] / 2 : 0;
        from[k] = is_centred(c->range.from, k, n.dim[k]) ? n.dim[k] / 2 : 0;
    }
    TESS_GOTO(done, status, tess__copy_in_place(&copy, c->fn, c->out, &in));
    TESS_GOTO(done, status, tess__filter_frequencies(axes, c, c->out->device));
    TESS_GOTO(done, status, square(axes, &row));
    TESS_GOTO(done, status,
              tess_call(ops[c->out->dtype - TESS_C16], in, &row, &axes[2], limit, to[1], to[2], to[3], from[1], from[2],
                        from[3], half, n.d, n.h, n.w, r->first, r->seed, step, mix_a, mix_b, c->out));
done:
    for (int k = 0; k < 3; k++) tess_release(&axes[k]);
    tess_release(&row);
    tess_release(&copy);
    return status;
}

static tess_status check_limit(const char *fn, double frequency)
{
    char text[32];
    TESS_CHECK(frequency >= 0 && frequency <= 1, TESS_ERANGE,
               "%s: frequency is %s; 0 to 1 cycles per pixel are allowed", fn, tess__number_text(text, frequency));
    return TESS_OK;
}

tess_status tess_phase_randomize(tess_array *out, const tess_array *in, tess_shape shape, double frequency,
                                 uint64_t seed, const tess_phase_randomize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_phase_randomize_opts o;
    const char               *fn = "phase_randomize";
    const randomize           r = { frequency, seed, o.first_batch };
    TESS_TRY(tess__resolve(&tess__info_phase_randomize, opts, &o));
    tess__filter_call call = { .fn = fn, .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o) };
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_spectrum(fn, "in", in,
                                  (tess__fft_variant){ "shape", shape, "opts->from", o.from, .any_b = false }));
    TESS_TRY(tess__check_coefficients(fn, "in", in));
    TESS_TRY(check_limit(fn, frequency));
    const bool made = tess__is_empty_out(out);
    TESS_CHECK(made || out->dtype == in->dtype, TESS_EDTYPE, "%s: out has dtype %s and in %s; equal dtypes are needed",
               fn, tess_dtype_name(out->dtype), tess_dtype_name(in->dtype));
    TESS_TRY(tess__filter_check(&call));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) status = run(&call, &r);
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Real arrays ---- */

typedef struct image_phases {
    tess__filter_range range;
    randomize          how;
} image_phases;

static tess_status randomize_spectra(const void *context, tess_array *spectra, tess_shape shape, int64_t first)
{
    const image_phases     *p = context;
    const tess__filter_call call = {
        .fn = "phase_randomize_image", .out = spectra, .in = spectra, .shape = shape, .range = p->range
    };
    const randomize how = { p->how.frequency, p->how.seed, p->how.first + first };
    TESS_TRY(run(&call, &how));
    return TESS_OK;
}

tess_status tess_phase_randomize_image(tess_array *out, const tess_array *in, double frequency, uint64_t seed,
                                       const tess_phase_randomize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_phase_randomize_opts o;
    const char               *fn = "phase_randomize_image";
    TESS_TRY(tess__resolve(&tess__info_phase_randomize_image, opts, &o));
    TESS_TRY(tess__image_check(fn, out, in));
    TESS_TRY(check_limit(fn, frequency));
    image_phases           p = { TESS__FILTER_RANGE(o), { frequency, seed, o.first_batch } };
    const tess__image_call image = { .fn = fn, .out = out, .in = in, .filter = randomize_spectra, .context = &p };
    p.range.from = p.range.to = TESS_FFT_H;
    const tess__filter_call call = { .fn = fn, .shape = in->shape, .range = p.range };
    TESS_TRY(tess__filter_check_range(&call));
    TESS_TRY(tess__image_run(&image));
    return TESS_OK;
}
