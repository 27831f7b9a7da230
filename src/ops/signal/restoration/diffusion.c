/* Anisotropic diffusion of Perona and Malik: explicit steps between two arrays with a halo of one element. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/check/text.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/op/library.h"
#include "ops/signal/restoration/restoration.h"
#include "tessera/op.h"
#include "tessera/restoration.h"

static const tess_choice conductances[] = {
    { "exponential", TESS_CONDUCTANCE_EXPONENTIAL, "exp(-(g / kappa)^2)" },
    { "rational", TESS_CONDUCTANCE_RATIONAL, "1 / (1 + (g / kappa)^2)" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the filtered array; may be the input itself"),
    TESS__IN("in", "real numbers; any strides"),
    TESS__NEED(TESS_ARG_F64, "kappa", "height of edges that are kept, in units of the values", .sample = "0.5"),
    TESS__NEED(TESS_ARG_I64, "iterations", "number of iterations", .sample = "2"),
    TESS__OPT_CHOICE(tess_diffusion_opts, conductance, TESS_CONDUCTANCE_EXPONENTIAL, conductances,
                     "decrease of conductance with the difference of neighbours"),
    TESS__UNUSED_ROW(tess_diffusion_opts),
    TESS__AUTO_F64(tess_diffusion_opts, step, "", "1 / (4 axes)", TESS__POSITIVE, 0.5,
                   "step of an iteration, at most 1 / (2 axes)"),
};
TESS__CALL(anisotropic_diffusion, v[0].out, v[1].in, v[2].f64, v[3].i64, opts)
const tess_function_info tess__info_anisotropic_diffusion =
    TESS__OP_OPTS(TESS_CUT_BATCHES, anisotropic_diffusion, "restoration",
                  "Remove noise and keep edges by anisotropic diffusion.", args, tess_diffusion_opts);

#include "ops/signal/restoration/diffusion.def"

static tess_op_def *const operators[2][2][3] = {
    { { &diffusion_exponential_1_f32, &diffusion_exponential_2_f32, &diffusion_exponential_3_f32 },
      { &diffusion_exponential_1_f64, &diffusion_exponential_2_f64, &diffusion_exponential_3_f64 } },
    { { &diffusion_rational_1_f32, &diffusion_rational_2_f32, &diffusion_rational_3_f32 },
      { &diffusion_rational_1_f64, &diffusion_rational_2_f64, &diffusion_rational_3_f64 } },
};

/* Two arrays whose axes of more than one element have a halo, and what happens between them. */
typedef struct diffusion {
    const char  *fn;
    tess_op_def *op;
    tess_array   arrays[2];
    int          axes[3], n_axes; /* those of more than one element */
    double       scale, step;
} diffusion;

static void release(diffusion *f)
{
    tess_release(&f->arrays[0]);
    tess_release(&f->arrays[1]);
}

/* All elements, moved along one axis, without the halo. */
static tess_status part(tess_array *view, const diffusion *f, const tess_array *a, int axis, int64_t by)
{
    *view = *a;
    for (int i = 0; i < f->n_axes; i++) {
        const int     k = f->axes[i];
        const int64_t first = k == axis ? 1 + by : 1;
        TESS_TRY(tess_slice(view, view, k, first, first + a->shape.dim[k] - 2, 1));
    }
    return TESS_OK;
}

/* The halo along an axis becomes its neighbours, so that nothing flows there. */
static tess_status fill_halo(const diffusion *f, const tess_array *a, int axis)
{
    const int64_t n = a->shape.dim[axis] - 2;
    tess_array    low, high, from, to;
    TESS_TRY(part(&low, f, a, axis, -1));
    TESS_TRY(part(&high, f, a, axis, 1));
    TESS_TRY(tess_slice(&to, &low, axis, 0, 1, 1));
    TESS_TRY(tess_slice(&from, &low, axis, 1, 2, 1));
    TESS_TRY(tess_copy(&to, &from));
    TESS_TRY(tess_slice(&to, &high, axis, n - 1, n, 1));
    TESS_TRY(tess_slice(&from, &high, axis, n - 2, n - 1, 1));
    TESS_TRY(tess_copy(&to, &from));
    return TESS_OK;
}

static tess_status iterate(const diffusion *f, const tess_array *from, const tess_array *to)
{
    tess_array c, z, side[6];
    TESS_TRY(part(&c, f, from, -1, 0));
    TESS_TRY(part(&z, f, to, -1, 0));
    for (int i = 0; i < f->n_axes; i++) {
        TESS_TRY(fill_halo(f, from, f->axes[i]));
        TESS_TRY(part(&side[2 * i], f, from, f->axes[i], -1));
        TESS_TRY(part(&side[2 * i + 1], f, from, f->axes[i], 1));
    }
    if (f->n_axes == 1) TESS_TRY(tess_call(f->op, &c, &side[0], &side[1], f->scale, f->step, &z));
    else if (f->n_axes == 2)
        TESS_TRY(tess_call(f->op, &c, &side[0], &side[1], &side[2], &side[3], f->scale, f->step, &z));
    else
        TESS_TRY(
            tess_call(f->op, &c, &side[0], &side[1], &side[2], &side[3], &side[4], &side[5], f->scale, f->step, &z));
    return TESS_OK;
}

static tess_status run(diffusion *f, tess_array *out, const tess_array *in, int64_t iterations)
{
    const tess_dtype dtype = tess__half_to_single(tess__float_of(in->dtype));
    tess_shape       shape = in->shape;
    tess_array       inner;
    for (int i = 0; i < f->n_axes; i++) shape.dim[f->axes[i]] += 2;
    for (int i = 0; i < 2; i++) TESS_TRY(tess__make(f->fn, &f->arrays[i], shape, dtype, in->device, false));
    TESS_TRY(part(&inner, f, &f->arrays[0], -1, 0));
    TESS_TRY(tess_cast(&inner, in, dtype, NULL));
    if (f->n_axes == 0) iterations = 0; /* there are no neighbours */
    for (int64_t i = 0; i < iterations; i++) TESS_TRY(iterate(f, &f->arrays[i % 2], &f->arrays[1 - i % 2]));
    TESS_TRY(part(&inner, f, &f->arrays[iterations % 2], -1, 0));
    TESS_TRY(tess_cast(out, &inner, out->dtype, NULL));
    return TESS_OK;
}

/* The axes, the operator and the step, which must be small enough to be stable. */
static tess_status set(diffusion *f, const tess_array *in, double kappa, const tess_diffusion_opts *o)
{
    const bool wide = tess__float_of(in->dtype) == TESS_F64;
    char       text[2][32];
    for (int k = 1; k < 4; k++)
        if (in->shape.dim[k] > 1) f->axes[f->n_axes++] = k;
    const int n = f->n_axes ? f->n_axes : 1;
    f->op = operators[o->conductance == TESS_CONDUCTANCE_RATIONAL][wide][n - 1];
    f->scale = 1 / kappa;
    f->step = o->step > 0 ? o->step : 0.25 / n;
    TESS_CHECK(f->step <= 0.5 / n, TESS_ERANGE,
               "%s: `opts->step` is %s; along %d axes it must be at most %s, or iterations are not stable", f->fn,
               tess__number_text(text[0], f->step), n, tess__number_text(text[1], 0.5 / n));
    return TESS_OK;
}

tess_status tess_anisotropic_diffusion(tess_array *out, const tess_array *in, double kappa, int64_t iterations,
                                       const tess_diffusion_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    diffusion           f = { .fn = "anisotropic_diffusion" };
    tess_diffusion_opts o;
    tess_status         status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_anisotropic_diffusion, opts, &o));
    TESS_TRY(tess__restoration_arrays(f.fn, out, in, TESS_BORDER_CLAMP));
    TESS_TRY(tess__restoration_positive(f.fn, "kappa", kappa, DBL_MAX));
    TESS_TRY(tess__restoration_iterations(f.fn, iterations));
    TESS_TRY(set(&f, in, kappa, &o));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like(f.fn, out, in, tess__float_of(in->dtype)));
    if (tess__has_elements(out)) status = run(&f, out, in, iterations);
    release(&f);
    return tess__finish(tess__error_under(status, f.fn), out, made);
}
