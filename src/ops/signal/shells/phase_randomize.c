/* Phase randomisation above a frequency: a counter-based random phase for each pair of opposite frequencies. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/signal/filter.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/op.h"

#define OPTIONS                                                                                                        \
    TESS__NEED_FREQUENCY("frequency", "frequency above which phases are randomised"),                                  \
        TESS__NEED(TESS_ARG_U64, "seed", "seed of the phases; equal seeds give equal phases"),                         \
        TESS__FIRST_BATCH(tess_phase_randomize_opts, first_batch, "index of the first batch; phases depend on it"),    \
        TESS__FILTER_ROWS(tess_phase_randomize_opts)
static const tess_arg_info args[] = {
    TESS__OUT("out", "the spectrum with random phases; may be the input itself if the layouts agree"),
    TESS__IN("in", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__FILTER_SHAPE,
    OPTIONS,
};
static const tess_arg_info image_args[] = { TESS__OUT("out", "the array with random phases; may be the input itself"),
                                            TESS__IMAGE_IN, OPTIONS };
TESS__CALL(phase_randomize, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].u64, opts)
TESS__CALL(phase_randomize_image, v[0].out, v[1].in, v[2].f64, v[3].u64, opts)
const tess_function_info tess__info_phase_randomize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, phase_randomize, "fsc", "Randomise the phases of spectra above a frequency.", args,
                  tess_phase_randomize_opts, .work_bytes = 48);
const tess_function_info tess__info_phase_randomize_image = TESS__OP_OPTS(
    TESS_CUT_BATCHES, phase_randomize_image, "fsc", "Randomise the phases of real arrays above a frequency.",
    image_args, tess_phase_randomize_opts, .work_bytes = 48);

#include "ops/signal/shells/phase_randomize.def"

typedef struct randomize {
    double   frequency;
    uint64_t seed;
    int64_t  first; /* batch */
} randomize;

/* Squares of frequencies: the sums of those of D and H, and those of W, in place of the frequencies. */
static tess_status square(tess_array axes[3], tess_array *row)
{
    for (int k = 0; k < 3; k++) TESS_TRY(tess_mul(&axes[k], &axes[k], &axes[k]));
    TESS_TRY(tess_add(row, &axes[0], &axes[1]));
    return TESS_OK;
}

static phase_rule rule_of(const tess__filter_call *c, const randomize *r)
{
    phase_rule rule = { .limit = r->frequency * r->frequency,
                        .first = r->first,
                        .seed = r->seed,
                        .step = UINT64_C(0x9e3779b97f4a7c15),
                        .mix = { UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb) } };
    for (int k = 0; k < 3; k++) {
        const int64_t n = rule.n[k] = c->shape.dim[1 + k];
        const bool    is_centred = tess__fft_axis_of(c->range.to, 1 + k, n).order == TESS__FFT_CENTRED;
        rule.to[k] = is_centred ? n - n / 2 : 0;
    }
    return rule;
}

/* A call that was checked, whose `to` is set: the coefficients in their new layout, then phases where they are. */
static tess_status run(const tess__filter_call *c, const randomize *r)
{
    static tess_op_def *const ops[3] = { &phase_randomize_c16, &phase_randomize_c32, &phase_randomize_c64 };
    const phase_rule          rule = rule_of(c, r);
    tess_array                axes[3] = { { .data = NULL } }, row = { .data = NULL };
    tess_status               status = TESS_OK;
    TESS_GOTO(done, status, tess__filter_frequencies(axes, c, c->out->device));
    TESS_GOTO(done, status, square(axes, &row));
    TESS_GOTO(done, status,
              tess_fft_remap(c->out, c->in, c->shape, (tess_fft_layout)c->range.from, (tess_fft_layout)c->range.to));
    TESS_GOTO(done, status,
              tess_call(ops[c->out->dtype - TESS_C16], &row, &axes[2], tess_struct(phase_rule, &rule), c->out));
done:
    for (int k = 0; k < 3; k++) tess_release(&axes[k]);
    tess_release(&row);
    return status;
}

static tess_status check_limit(const char *fn, double frequency)
{
    char text[32];
    TESS_CHECK(frequency >= 0 && frequency <= 1, TESS_ERANGE,
               "%s: `frequency` is %s; 0 to 1 cycles per pixel are allowed", fn, tess__number_text(text, frequency));
    return TESS_OK;
}

tess_status tess_phase_randomize(tess_array *out, const tess_array *in, tess_shape shape, double frequency,
                                 uint64_t seed, const tess_phase_randomize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_phase_randomize_opts o;
    const char               *fn = "phase_randomize";
    TESS_TRY(tess__resolve(&tess__info_phase_randomize, opts, &o));
    const randomize   r = { frequency, seed, o.first_batch };
    tess__filter_call call = { .fn = fn, .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o) };
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_spectrum(fn, "in", in,
                                  (tess__fft_variant){ "shape", shape, "opts->from", o.from, .any_b = false }));
    TESS_TRY(tess__check_coefficients(fn, "in", in));
    TESS_TRY(check_limit(fn, frequency));
    const bool made = tess__is_empty_out(out);
    TESS_CHECK(made || out->dtype == in->dtype, TESS_EDTYPE,
               "%s: `out` has dtype %s and in %s; equal dtypes are needed", fn, tess_dtype_name(out->dtype),
               tess_dtype_name(in->dtype));
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
    TESS__CALL_SCOPE();
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
