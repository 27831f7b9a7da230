/* The polynomial model of local motion: least squares with outliers dropped, and its shifts.
 *
 * A shift is the sum over j = 1, 2, 3 and six terms g(x, y) = 1, x, x^2, y, y^2, xy of a coefficient times t^j g. Times
 * are divided by the largest before the fit, so that powers of them are alike in size. */
#include <inttypes.h>
#include <math.h>

#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/stream.h"
#include "core/table.h"
#include "core/text.h"
#include "ops/op/library.h"
#include "ops/signal/motion/motion.h"
#include "tessera/device.h"
#include "tessera/linalg.h"
#include "tessera/motion.h"

static const tess_arg_info fit_args[] = {
    TESS__OUT("coefficients", "{2,1,1,18}: of shifts along h, then along w; f64 if it is made"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "shifts", "of p patches in n frames, {p,1,n,2}, pixels"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "positions",
                  "(y, x) of the patches, {p,1,1,2}, fractions of the size from the middle"),
    TESS__OPT_FLAGGED_ARRAY(tess_motion_fit_opts, times, TESS_ARG_HOST, "of the frames, {1,1,1,n}"),
    TESS__OPT_F64(tess_motion_fit_opts, outliers, "", 3, -1e6, 1e6,
                  "standard deviations beyond which observations are dropped, once; below 0: none are"),
    TESS__OPT_RESULT(tess_motion_fit_opts, residual, tess_array *,
                     "receives the root mean square of what is left over, {1,1,1,1}"),
};
TESS__CALL(motion_fit, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_motion_fit =
    TESS__OP_OPTS(TESS_CUT_NONE, motion_fit, "motion", "Fit a polynomial of position and time to shifts of patches.",
                  fit_args, tess_motion_fit_opts);

static const tess_arg_info shifts_args[] = {
    TESS__OUT("shifts", "{p,1,n,2}, pixels (h, w); f64 if it is made"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "coefficients", "of the model, {2,1,1,18}"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "positions",
                  "(y, x), {p,1,1,2}, fractions of the size from the middle"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "times", "{1,1,1,n}, 0 at the first frame"),
};
TESS__CALL(motion_shifts, v[0].out, v[1].in, v[2].in, v[3].in)
const tess_function_info tess__info_motion_shifts = TESS__OP(
    TESS_CUT_NONE, motion_shifts, "motion", "Shifts of a model of local motion at positions and times.", shifts_args);

enum { TERMS = 6, POWERS = 3, COLUMNS = TESS_MOTION_COEFFICIENTS };

static void set_terms(double terms[TERMS], double y, double x)
{
    const double values[TERMS] = { 1, x, x * x, y, y * y, x * y };
    for (int k = 0; k < TERMS; k++) terms[k] = values[k];
}

static void set_row(double row[COLUMNS], double y, double x, double t)
{
    double terms[TERMS];
    set_terms(terms, y, x);
    for (int k = 0; k < TERMS; k++) {
        row[POWERS * k] = terms[k] * t;
        row[POWERS * k + 1] = terms[k] * t * t;
        row[POWERS * k + 2] = terms[k] * t * t * t;
    }
}

/* What is fitted, in f64 on the host: a row an observation. */
typedef struct fit {
    tess_array shifts, positions, times; /* of the call */
    tess_array a, b, x;                  /* {1,1,m,18}, {1,1,m,2}, {1,1,18,2} */
    double     last;                     /* time that times are divided by */
    int64_t    m;                        /* observations that count */
    double     squares;                  /* of what is left over, of all that count along both axes */
} fit;

static void release(fit *f)
{
    tess_array *all[] = { &f->shifts, &f->positions, &f->times, &f->a, &f->b, &f->x };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}

static tess_status set_times(fit *f, const char *fn, const tess_array *given, int64_t n)
{
    const double *times;
    if (given) TESS_TRY(tess__motion_numbers(fn, "opts->times", &f->times, given, TESS_SHAPE(1, 1, 1, n)));
    else {
        TESS_TRY(tess__make(fn, &f->times, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu(), false));
        for (int64_t i = 0; i < n; i++) ((double *)f->times.data)[i] = (double)i;
    }
    times = f->times.data;
    f->last = 0;
    for (int64_t i = 0; i < n; i++) f->last = fmax(f->last, fabs(times[i]));
    if (f->last == 0) f->last = 1;
    return TESS_OK;
}

static tess_status set_equations(fit *f, const char *fn)
{
    const int64_t patches = f->shifts.shape.b, n = f->shifts.shape.h;
    const double *positions = f->positions.data, *times = f->times.data, *shifts = f->shifts.data;
    f->m = patches * n;
    TESS_TRY(tess__make(fn, &f->a, TESS_SHAPE(1, 1, f->m, COLUMNS), TESS_F64, tess_cpu(), false));
    TESS_TRY(tess__make(fn, &f->b, TESS_SHAPE(1, 1, f->m, 2), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < f->m; i++) {
        const double *at = positions + 2 * (i / n);
        set_row((double *)f->a.data + i * COLUMNS, at[0], at[1], times[i % n] / f->last);
        for (int k = 0; k < 2; k++) ((double *)f->b.data)[2 * i + k] = shifts[2 * i + k];
    }
    return TESS_OK;
}

static double distance(const fit *f, int64_t i, int axis)
{
    const double *row = (const double *)f->a.data + i * COLUMNS, *x = f->x.data;
    double        sum = ((const double *)f->b.data)[2 * i + axis];
    for (int k = 0; k < COLUMNS; k++) sum -= row[k] * x[2 * k + axis];
    return sum;
}

static tess_status solve(fit *f, const char *fn)
{
    tess_array a = f->a, b = f->b;
    a.shape.h = b.shape.h = f->m;
    tess_release(&f->x);
    TESS_TRY(tess_lstsq(&f->x, &a, &b, NULL));
    TESS_TRY(tess__sync(fn, tess_cpu()));
    f->squares = 0;
    for (int64_t i = 0; i < f->m; i++)
        for (int k = 0; k < 2; k++) f->squares += distance(f, i, k) * distance(f, i, k);
    return TESS_OK;
}

/* Observations that are not outliers along either axis come first, in their order; false if that is all of them. */
static bool drop_outliers(fit *f, double limit)
{
    double  squares[2] = { 0, 0 };
    double *a = f->a.data, *b = f->b.data;
    int64_t kept = 0;
    for (int64_t i = 0; i < f->m; i++)
        for (int k = 0; k < 2; k++) squares[k] += distance(f, i, k) * distance(f, i, k);
    const double far[2] = { limit * sqrt(squares[0] / (double)f->m), limit * sqrt(squares[1] / (double)f->m) };
    for (int64_t i = 0; i < f->m; i++) {
        if (fabs(distance(f, i, 0)) > far[0] || fabs(distance(f, i, 1)) > far[1]) continue;
        for (int k = 0; k < COLUMNS; k++) a[kept * COLUMNS + k] = a[i * COLUMNS + k];
        for (int k = 0; k < 2; k++) b[2 * kept + k] = b[2 * i + k];
        kept++;
    }
    const bool any = kept < f->m && kept > 0;
    if (any) f->m = kept;
    return any;
}

/* Coefficients of times that were not divided. */
static tess_status give_coefficients(tess_array *out, const fit *f)
{
    double        found[2][COLUMNS];
    const double *x = f->x.data;
    tess_array    all;
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < COLUMNS; k++) found[axis][k] = x[2 * k + axis] / pow(f->last, k % POWERS + 1);
    TESS_TRY(tess_wrap(&all, found, TESS_SHAPE(2, 1, 1, COLUMNS), TESS_F64, NULL));
    TESS_TRY(tess__motion_give("motion_fit", out, &all));
    return TESS_OK;
}

static tess_status run_fit(tess_array *coefficients, fit *f, const tess_motion_fit_opts *o)
{
    const char *fn = "motion_fit";
    if (f->shifts.shape.b * f->shifts.shape.h == 0) {
        TESS_TRY(tess_fill(coefficients, 0));
        f->m = 0;
    } else {
        TESS_TRY(set_equations(f, fn));
        TESS_TRY(solve(f, fn));
        if (o->outliers > 0 && drop_outliers(f, o->outliers)) TESS_TRY(solve(f, fn));
        TESS_TRY(give_coefficients(coefficients, f));
    }
    if (!o->residual) return TESS_OK;
    TESS_TRY(tess__motion_output(fn, "opts->residual", o->residual, TESS_SHAPE(1, 1, 1, 1), tess_cpu()));
    TESS_TRY(tess_set_f64(o->residual, 0, 0, 0, 0, f->m ? sqrt(f->squares / (2 * (double)f->m)) : 0));
    return TESS_OK;
}

/* Shifts of p patches in n frames, on the host. */
static tess_status check_patches(const char *fn, const tess_array *shifts)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "shifts", shifts));
    TESS_CHECK(shifts->shape.d == 1 && shifts->shape.w == 2, TESS_ESHAPE,
               "%s: shifts has shape %s; {p,1,n,2} is needed: (h, w) of p patches in n frames", fn,
               tess__shape_text(text, shifts->shape.dim));
    return TESS_OK;
}

tess_status tess_motion_fit(tess_array *coefficients, const tess_array *shifts, const tess_array *positions,
                            const tess_motion_fit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    const char          *fn = "motion_fit";
    tess_motion_fit_opts o;
    fit                  f = { .m = 0 };
    tess_status          status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_motion_fit, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "coefficients", coefficients));
    TESS_TRY(check_patches(fn, shifts));
    TESS_TRY(tess__check_numbers(fn, "positions", positions));
    const bool made = tess__is_empty_out(coefficients);
    TESS_GOTO(done, status, tess__motion_numbers(fn, "shifts", &f.shifts, shifts, shifts->shape));
    TESS_GOTO(done, status,
              tess__motion_numbers(fn, "positions", &f.positions, positions, TESS_SHAPE(shifts->shape.b, 1, 1, 2)));
    TESS_GOTO(done, status, set_times(&f, fn, o.times, shifts->shape.h));
    TESS_GOTO(done, status,
              tess__motion_output(fn, "coefficients", coefficients, TESS_SHAPE(2, 1, 1, COLUMNS), shifts->device));
    TESS_GOTO(done, status, run_fit(coefficients, &f, &o));
done:
    release(&f);
    return tess__finish(tess__error_under(status, fn), coefficients, made);
}

/* ---- Shifts ---- */

#include "ops/signal/motion_model.def"

static tess_status run_shifts(tess_array *shifts, const tess_array *coefficients, const tess_array *positions,
                              const tess_array *times)
{
    const int64_t patches = positions->shape.b, n = times->shape.w;
    tess_array    all = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make("motion_shifts", &all, TESS_SHAPE(patches, 1, n, 2), TESS_F64, tess_cpu(), false));
    if (tess__has_elements(&all))
        TESS_GOTO(done, status, tess_call(&motion_shift, coefficients, positions, times, &all));
    TESS_GOTO(done, status, tess__motion_give("motion_shifts", shifts, &all));
done:
    tess_release(&all);
    return status;
}

tess_status tess_motion_shifts(tess_array *shifts, const tess_array *coefficients, const tess_array *positions,
                               const tess_array *times)
{
    TESS__FLOAT_SCOPE();
    const char             *fn = "motion_shifts";
    const char *const       names[3] = { "coefficients", "positions", "times" };
    const tess_array *const given[3] = { coefficients, positions, times };
    tess_array              numbers[3] = { { .data = NULL } };
    tess_status             status = TESS_OK;
    TESS_TRY(tess__check_pointer(fn, "shifts", shifts));
    for (int k = 0; k < 3; k++) TESS_TRY(tess__check_numbers(fn, names[k], given[k]));
    const int64_t    patches = positions->shape.b, n = times->shape.w;
    const tess_shape wanted[3] = { TESS_SHAPE(2, 1, 1, COLUMNS), TESS_SHAPE(patches, 1, 1, 2), TESS_SHAPE(1, 1, 1, n) };
    const bool       made = tess__is_empty_out(shifts);
    for (int k = 0; k < 3; k++)
        TESS_GOTO(done, status, tess__motion_numbers(fn, names[k], &numbers[k], given[k], wanted[k]));
    TESS_GOTO(done, status,
              tess__motion_output(fn, "shifts", shifts, TESS_SHAPE(patches, 1, n, 2), coefficients->device));
    TESS_GOTO(done, status, run_shifts(shifts, &numbers[0], &numbers[1], &numbers[2]));
done:
    for (int k = 0; k < 3; k++) tess_release(&numbers[k]);
    return tess__finish(tess__error_under(status, fn), shifts, made);
}
