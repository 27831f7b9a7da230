/* Phase randomisation above a frequency: a counter-based random phase for each pair of opposite frequencies. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/text.h"
#include "ops/fft/rows.h"
#include "ops/signal/shells.h"
#include "tessera/op.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the spectrum with random phases; may be exactly in"),
    TESS__IN("in", "a complex spectrum"),
    TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum"),
    TESS__NEED(TESS_ARG_F64, "frequency", "cycles per pixel above which phases become random"),
    TESS__NEED(TESS_ARG_U64, "seed", "equal seeds give equal phases"),
    TESS__OPT_CHOICE(tess_phase_randomize_opts, layout, TESS_FFT_H, tess__fft_layouts, "of both"),
};
TESS__CALL(phase_randomize, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].u64, opts)
const tess_function_info tess__info_phase_randomize =
    TESS__OP_OPTS(TESS_CUT_NONE, phase_randomize, "fsc", "Random phases above a frequency, as of a real array.", args,
                  tess_phase_randomize_opts);

/* Of a frequency and its opposite, both as indices from 0 to n-1 along each axis, the one that comes first counts the
 * phase, and the other has it with the opposite sign. The generator is splitmix64 (Steele, Lea and Flood, 2014) of the
 * count; its constants are values, since the language has no numbers of 64 bits. */
/* clang-format off */
#define RANDOMIZE(name, C, f)                                                                                          \
    TESS_IWISE(name, (in(C,x), in(f64,row), in(f64,column), val(f64,limit), val(i64,first_d), val(i64,first_h),        \
                      val(i64,first_w), val(i64,n_d), val(i64,n_h), val(i64,n_w), val(u64,seed), val(u64,step),        \
                      val(u64,mix_a), val(u64,mix_b), out(C,z)),                                                       \
        i64 i_d = (d + first_d) % n_d; i64 i_h = (h + first_h) % n_h; i64 i_w = (w + first_w) % n_w;                   \
        i64 here = (i_d*n_h + i_h)*n_w + i_w;                                                                          \
        i64 there = ((n_d - i_d) % n_d*n_h + (n_h - i_h) % n_h)*n_w + (n_w - i_w) % n_w;                               \
        i64 least = here < there ? here : there;                                                                       \
        u64 s = seed + (u64)(b*n_d*n_h*n_w + least + 1)*step;                                                          \
        s = (s ^ (s >> 30))*mix_a;                                                                                     \
        s = (s ^ (s >> 27))*mix_b;                                                                                     \
        s = s ^ (s >> 31);                                                                                             \
        f64 angle = (f64)(i64)(s >> 11)*6.28318530717958647693 / 9007199254740992.0;                                   \
        f64 size = (f64)tessm_abs(x);                                                                                  \
        f64 re = size*tessm_cos(angle);                                                                                \
        f64 im = here < there ? size*tessm_sin(angle) : 0.0 - size*tessm_sin(angle);                                   \
        f x_re = tessm_real(x); f x_im = tessm_imag(x);                                                                \
        i32 keeps = tessm_sqrt(row + column) > limit && here != there ? 0 : 1;                                         \
        z = tessm_complex(keeps != 0 ? x_re : (f)re, keeps != 0 ? x_im : (f)im); )
RANDOMIZE(phase_randomize_c16, c16, f32)
RANDOMIZE(phase_randomize_c32, c32, f32)
RANDOMIZE(phase_randomize_c64, c64, f64)
#undef RANDOMIZE
/* clang-format on */

/* What an index is moved by to be one of a full spectrum that begins with frequency 0. */
static int64_t first_of(int layout, int axis, int64_t n)
{
    return tess__fft_axis_of(layout, axis, n).order == TESS__FFT_CENTRED ? n - n / 2 : 0;
}

static tess_status run(tess_array *out, const tess_array *in, tess_shape shape, double frequency, uint64_t seed,
                       int layout)
{
    static tess_op_def *const ops[3] = { &phase_randomize_c16, &phase_randomize_c32, &phase_randomize_c64 };
    const uint64_t            step = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t            mix_a = UINT64_C(0xbf58476d1ce4e5b9), mix_b = UINT64_C(0x94d049bb133111eb);
    int64_t                   first[4];
    tess_array                squares[2] = { { .data = NULL }, { .data = NULL } }, copy = { .data = NULL };
    tess_status               status = TESS_OK;
    for (int k = 1; k < 4; k++) first[k] = first_of(layout, k, shape.dim[k]);
    TESS_GOTO(done, status, tess__copy_in_place(&copy, "phase_randomize", out, &in));
    TESS_GOTO(done, status,
              tess__fft_squares(&squares[0], &squares[1], shape, layout, TESS_D | TESS_H | TESS_W, out->device));
    TESS_GOTO(done, status,
              tess_call(ops[out->dtype - TESS_C16], in, &squares[0], &squares[1], frequency, first[1], first[2],
                        first[3], shape.d, shape.h, shape.w, seed, step, mix_a, mix_b, out));
done:
    tess_release(&squares[0]);
    tess_release(&squares[1]);
    tess_release(&copy);
    return status;
}

tess_status tess_phase_randomize(tess_array *out, const tess_array *in, tess_shape shape, double frequency,
                                 uint64_t seed, const tess_phase_randomize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_phase_randomize_opts o;
    char                      text[32];
    const char               *fn = "phase_randomize";
    TESS_TRY(tess__resolve(&tess__info_phase_randomize, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const tess__fft_variant form = { "shape", shape, "opts->layout", o.layout, .any_b = false };
    TESS_TRY(tess__check_spectrum(fn, "in", in, form));
    TESS_TRY(tess__check_coefficients(fn, "in", in));
    TESS_CHECK(frequency >= 0 && frequency <= 1, TESS_ERANGE,
               "%s: frequency is %s; 0 to 1 cycles per pixel are allowed", fn, tess__number_text(text, frequency));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__spectrum_output(fn, out, form, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, in, shape, frequency, seed, o.layout));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
