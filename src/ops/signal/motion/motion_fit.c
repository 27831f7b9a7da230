/* The polynomial model of local motion, fitted by iteratively reweighted least squares.
 *
 * The first rounds have Huber's weights, which find the way from plain least squares; those that follow have Tukey's
 * biweights, with which outliers do not count at all. Both measure distances, along both axes together, in robust
 * standard deviations: the median distance over that of a normal distribution. Times are divided by the largest before,
 * so that powers of them are alike in size. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/arrays/deliver.h"
#include "ops/signal/motion/motion.h"
#include "tessera/device.h"
#include "tessera/linalg.h"
#include "tessera/motion.h"

static const char fn[] = "motion_fit";

static const tess_arg_info args[] = {
    TESS__OUT("coefficients", "coefficients for shifts along h, then along w, {2,1,1,18}; f64 if newly allocated",
              .axes = "2,1,1,18"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "shifts",
                  "shifts of p patches in n frames, {p,1,n,2}, pixels", .sample = "b,1,1,2", .axes = "p,1,n,2"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "positions",
                  "positions (y, x) of the patches, {p,1,1,2}, as fractions of the size from the middle",
                  .sample = "b,1,1,2", .axes = "p,1,1,2"),
    TESS__OPT_FLAGGED_ARRAY(tess_motion_fit_opts, times, TESS_ARG_HOST, "times of the frames, {1,1,1,n}",
                            .axes = "1,1,1,n"),
    TESS__OPT_FLAGGED_ARRAY(tess_motion_fit_opts, weights, TESS_ARG_HOST, "weight of each shift, 0 or more, {p,1,n,1}",
                            .axes = "p,1,n,1"),
    TESS__OPT_F64(tess_motion_fit_opts, outliers, "", 4.685, 0, 1e6,
                  "robust standard deviations beyond which shifts are rejected; 0: keep all"),
    TESS__FLAG(tess_motion_fit_opts, offsets, "fit a constant offset of each patch in addition to the model"),
    TESS__FIELD(tess_motion_fit_opts, unused, int32_t, TESS_ARG_I32, 0, 0, 0, NULL, "", "must be 0"),
    TESS__OPT_RESULT(tess_motion_fit_opts, residual, tess_array *, "receives the weighted RMS residual, {1,1,1,1}",
                     .axes = "1,1,1,1"),
    TESS__OPT_RESULT(tess_motion_fit_opts, kept, tess_array *, "receives the final weight of each shift, {p,1,n,1}",
                     .axes = "p,1,n,1"),
};
TESS__CALL(motion_fit, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_motion_fit =
    TESS__OP_OPTS(TESS_CUT_NONE, motion_fit, "motion", "Fit a polynomial of position and time to shifts of patches.",
                  args, tess_motion_fit_opts);

/* Rounds of each kind, at most; weights that change by less than STEADY end them. */
enum { POWERS = 3, COLUMNS = TESS_MOTION_COEFFICIENTS, HUBER_ROUNDS = 5, TUKEY_ROUNDS = 30 };
static const double STEADY = 1e-4;

/* Huber's constant, of 95 % efficiency; the median distance of normal errors along two axes, in standard deviations. */
static const double HUBER = 1.345, MEDIAN_DISTANCE = 1.17741002251547469;

/* What is fitted, in f64 on the host: m = patches x n shifts. */
typedef struct fit {
    tess_array shifts, positions, times, prior; /* of the call; prior: weights, {p,1,n,1} */
    tess_array rows;                            /* {1,1,m,18}: terms of each shift */
    tess_array a, b, x;                         /* {1,1,m,18}, {1,1,m,2}, {1,1,18,2}: weighted equations */
    tess_array weights, far, sorted;            /* {1,1,1,m}: weights and distances of this round */
    int64_t    patches, n, m;
    double     last; /* time that times are divided by */
    bool       has_offsets;
} fit;

static void release(fit *f)
{
    tess_array *all[] = { &f->shifts, &f->positions, &f->times, &f->prior,  &f->rows,   &f->a,
                          &f->b,      &f->x,         &f->far,   &f->sorted, &f->weights };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}

/* ---- Equations ---- */

static tess_status set_times(fit *f, const tess_array *given)
{
    const double *times;
    if (given) TESS_TRY(tess__motion_numbers(fn, "opts->times", &f->times, given, TESS_SHAPE(1, 1, 1, f->n)));
    else {
        TESS_TRY(tess__make(fn, &f->times, TESS_SHAPE(1, 1, 1, f->n), TESS_F64, tess_cpu(), false));
        for (int64_t i = 0; i < f->n; i++) ((double *)f->times.data)[i] = (double)i;
    }
    times = f->times.data;
    f->last = 0;
    for (int64_t i = 0; i < f->n; i++) f->last = fmax(f->last, fabs(times[i]));
    if (f->last == 0) f->last = 1;
    return TESS_OK;
}

static tess_status check_finite(const char *arg, const tess_array *a)
{
    const double *numbers = a->data;
    char          text[32];
    for (int64_t i = 0; i < tess_n_elements(a); i++)
        TESS_CHECK(isfinite(numbers[i]), TESS_ERANGE, "%s: number %" PRId64 " of `%s` is %s; finite numbers are needed",
                   fn, i, arg, tess__number_text(text, numbers[i]));
    return TESS_OK;
}

static tess_status set_prior(fit *f, const tess_array *given)
{
    const tess_shape shape = TESS_SHAPE(f->patches, 1, f->n, 1);
    if (given) TESS_TRY(tess__motion_numbers(fn, "opts->weights", &f->prior, given, shape));
    else {
        TESS_TRY(tess__make(fn, &f->prior, shape, TESS_F64, tess_cpu(), false));
        for (int64_t i = 0; i < f->m; i++) ((double *)f->prior.data)[i] = 1;
    }
    for (int64_t i = 0; i < f->m; i++) {
        const double weight = ((const double *)f->prior.data)[i];
        TESS_CHECK(weight >= 0 && isfinite(weight), TESS_ERANGE,
                   "%s: `opts->weights` has %g for frame %" PRId64 " of patch %" PRId64 "; 0 or more is allowed", fn,
                   weight, i % f->n, i / f->n);
    }
    return TESS_OK;
}

static tess_status set_rows(fit *f)
{
    const double *times = f->times.data;
    TESS_TRY(tess__make(fn, &f->rows, TESS_SHAPE(1, 1, f->m, COLUMNS), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < f->m; i++) {
        const double *at = (const double *)f->positions.data + 2 * (i / f->n), t = times[i % f->n] / f->last;
        double       *row = (double *)f->rows.data + i * COLUMNS, terms[TESS__MOTION_TERMS];
        tess__motion_terms(terms, at[0], at[1]);
        for (int k = 0; k < TESS__MOTION_TERMS; k++) {
            row[POWERS * k] = terms[k] * t;
            row[POWERS * k + 1] = terms[k] * t * t;
            row[POWERS * k + 2] = terms[k] * t * t * t;
        }
    }
    return TESS_OK;
}

static tess_status make_room(fit *f)
{
    const tess_shape one = TESS_SHAPE(1, 1, 1, f->m);
    TESS_TRY(tess__make(fn, &f->a, TESS_SHAPE(1, 1, f->m, COLUMNS), TESS_F64, tess_cpu(), false));
    TESS_TRY(tess__make(fn, &f->b, TESS_SHAPE(1, 1, f->m, 2), TESS_F64, tess_cpu(), false));
    TESS_TRY(tess__make(fn, &f->far, one, TESS_F64, tess_cpu(), true));
    TESS_TRY(tess__make(fn, &f->sorted, one, TESS_F64, tess_cpu(), false));
    return tess__make(fn, &f->weights, one, TESS_F64, tess_cpu(), false);
}

/* The weighted mean of columns of a patch's values, {n,columns}; 0 where nothing of it counts. */
static void mean_of_patch(double *mean, const fit *f, const double *values, int columns, int64_t patch)
{
    const double *weights = (const double *)f->weights.data + patch * f->n;
    double        total = 0;
    for (int k = 0; k < columns; k++) mean[k] = 0;
    for (int64_t i = 0; i < f->n; i++) total += weights[i];
    for (int64_t i = 0; i < f->n && total > 0; i++)
        for (int k = 0; k < columns; k++) mean[k] += weights[i] / total * values[(patch * f->n + i) * columns + k];
}

/* Times the root of its weight, and with offsets less the mean of its patch: that leaves the constant out. */
static void set_equations(tess_array *out, const fit *f, const tess_array *of, int columns)
{
    const double *values = of->data, *weights = f->weights.data;
    double        mean[COLUMNS] = { 0 };
    for (int64_t i = 0; i < f->m; i++) {
        if (f->has_offsets && i % f->n == 0) mean_of_patch(mean, f, values, columns, i / f->n);
        for (int k = 0; k < columns; k++)
            ((double *)out->data)[i * columns + k] = sqrt(weights[i]) * (values[i * columns + k] - mean[k]);
    }
}

/* ---- Rounds ---- */

/* What the model leaves over of shift i, without the constant of its patch. */
static void set_rest(double rest[2], const fit *f, int64_t i)
{
    const double *row = (const double *)f->rows.data + i * COLUMNS, *x = f->x.data;
    for (int axis = 0; axis < 2; axis++) {
        rest[axis] = ((const double *)f->shifts.data)[2 * i + axis];
        for (int k = 0; k < COLUMNS; k++) rest[axis] -= row[k] * x[2 * k + axis];
    }
}

/* Distances of all shifts from the model. f->b becomes what is left over. */
static void measure(fit *f)
{
    double *rest = f->b.data, mean[2] = { 0, 0 };
    for (int64_t i = 0; i < f->m; i++) set_rest(rest + 2 * i, f, i);
    for (int64_t i = 0; i < f->m; i++) {
        if (f->has_offsets && i % f->n == 0) mean_of_patch(mean, f, rest, 2, i / f->n);
        ((double *)f->far.data)[i] = hypot(rest[2 * i] - mean[0], rest[2 * i + 1] - mean[1]);
    }
}

static tess_status solve(fit *f)
{
    set_equations(&f->a, f, &f->rows, COLUMNS);
    set_equations(&f->b, f, &f->shifts, 2);
    tess_release(&f->x);
    TESS_TRY(tess_lstsq(&f->x, &f->a, &f->b, NULL));
    TESS_TRY(tess__sync(fn, tess_cpu()));
    measure(f);
    return TESS_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The robust standard deviation along an axis of the shifts that may count. */
static double scale_of(const fit *f)
{
    const double *far = f->far.data, *prior = f->prior.data;
    double       *sorted = f->sorted.data;
    int64_t       n = 0;
    for (int64_t i = 0; i < f->m; i++)
        if (prior[i] > 0) sorted[n++] = far[i];
    if (n == 0) return 0;
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]) / MEDIAN_DISTANCE;
}

static double huber(double far, double limit) { return far <= limit ? 1 : limit / far; }

static double tukey(double far, double limit)
{
    const double u = far / limit;
    return u < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

/* Weights by the distances; the largest change of one, as a part of its prior weight. */
static double reweigh(fit *f, double limit, double (*rule)(double, double))
{
    const double *far = f->far.data, *prior = f->prior.data;
    double       *weights = f->weights.data, largest = 0;
    for (int64_t i = 0; i < f->m; i++) {
        if (prior[i] == 0) continue;
        const double weight = prior[i] * rule(far[i], limit);
        largest = fmax(largest, fabs(weight - weights[i]) / prior[i]);
        weights[i] = weight;
    }
    return largest;
}

static tess_status run_rounds(fit *f, double outliers)
{
    double change = 1;
    for (int64_t i = 0; i < f->m; i++) ((double *)f->weights.data)[i] = ((const double *)f->prior.data)[i];
    TESS_TRY(solve(f));
    for (int k = 0; k < HUBER_ROUNDS + TUKEY_ROUNDS && outliers > 0 && change > STEADY; k++) {
        const bool   first = k < HUBER_ROUNDS;
        const double scale = scale_of(f);
        if (scale == 0) break;
        change = first ? 1 + reweigh(f, HUBER * scale, huber) : reweigh(f, outliers * scale, tukey);
        TESS_TRY(solve(f));
    }
    return TESS_OK;
}

/* ---- Results ---- */

/* Coefficients of times that were not divided. */
static void set_coefficients(double found[2][COLUMNS], const fit *f)
{
    const double *x = f->x.data;
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < COLUMNS; k++) found[axis][k] = x[2 * k + axis] / pow(f->last, k % POWERS + 1);
}

static double residual_of(const fit *f)
{
    const double *far = f->far.data, *weights = f->weights.data;
    double        squares = 0, total = 0;
    for (int64_t i = 0; i < f->m; i++) squares += weights[i] * far[i] * far[i], total += weights[i];
    return total > 0 ? sqrt(squares / (2 * total)) : 0;
}

/* Coefficients, residual and weights into the outputs that are wanted. */
static tess_status give(const tess__outputs *out, fit *f, const tess_motion_fit_opts *o, double found[2][COLUMNS],
                        double residual)
{
    tess_array        all, left, weights = { .data = NULL };
    const tess_array *results[TESS__MAX_OUTPUTS] = { &all };
    tess_status       status = TESS_OK;
    int               n = 1;
    TESS_TRY(tess_wrap(&all, found, TESS_SHAPE(2, 1, 1, COLUMNS), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&left, &residual, TESS_SHAPE(1, 1, 1, 1), TESS_F64, NULL));
    if (f->m) TESS_TRY(tess_reshape(&weights, &f->weights, TESS_SHAPE(f->patches, 1, f->n, 1)));
    else TESS_TRY(tess__make(fn, &weights, TESS_SHAPE(f->patches, 1, f->n, 1), TESS_F64, tess_cpu(), true));
    if (out->n > n && o->residual) results[n++] = &left;
    if (out->n > n) results[n] = &weights;
    status = tess__deliver(out, results);
    if (!f->m) tess_release(&weights);
    return status;
}

/* One observation has nothing to be fitted to: all coefficients are 0. */
static tess_status run(const tess__outputs *out, fit *f, const tess_motion_fit_opts *o)
{
    double found[2][COLUMNS] = { { 0 } }, residual = 0;
    if (f->m > 0) {
        TESS_TRY(set_rows(f));
        TESS_TRY(make_room(f));
        TESS_TRY(run_rounds(f, o->outliers));
        set_coefficients(found, f);
        residual = residual_of(f);
    }
    return give(out, f, o, found, residual);
}

/* ---- The call ---- */

static tess_status check(const tess_array *coefficients, const tess_array *shifts, const tess_array *positions)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "coefficients", coefficients));
    TESS_TRY(tess__check_numbers(fn, "shifts", shifts));
    TESS_CHECK(shifts->shape.d == 1 && shifts->shape.w == 2, TESS_ESHAPE,
               "%s: `shifts` has shape %s; {p,1,n,2} is needed: (h, w) of p patches in n frames", fn,
               tess__shape_text(text, shifts->shape.dim));
    return tess__check_numbers(fn, "positions", positions);
}

static tess_status read_inputs(fit *f, const tess_array *shifts, const tess_array *positions,
                               const tess_motion_fit_opts *o)
{
    f->patches = shifts->shape.b;
    f->n = shifts->shape.h;
    f->m = f->patches * f->n;
    f->has_offsets = o->offsets != 0;
    TESS_TRY(tess__motion_numbers(fn, "shifts", &f->shifts, shifts, shifts->shape));
    TESS_TRY(tess__motion_numbers(fn, "positions", &f->positions, positions, TESS_SHAPE(f->patches, 1, 1, 2)));
    TESS_TRY(set_times(f, o->times));
    TESS_TRY(check_finite("shifts", &f->shifts));
    TESS_TRY(check_finite("positions", &f->positions));
    TESS_TRY(check_finite("opts->times", &f->times));
    return set_prior(f, o->weights);
}

tess_status tess_motion_fit(tess_array *coefficients, const tess_array *shifts, const tess_array *positions,
                            const tess_motion_fit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_motion_fit_opts o;
    fit                  f = { .m = 0 };
    tess_status          status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_motion_fit, opts, &o));
    TESS_TRY(check(coefficients, shifts, positions));
    tess__outputs out = { .fn = fn };
    TESS_TRY(tess__wants_numbers(&out, "coefficients", coefficients, TESS_SHAPE(2, 1, 1, COLUMNS), shifts->device));
    TESS_TRY(tess__wants_numbers(&out, "opts->residual", o.residual, TESS_SHAPE(1, 1, 1, 1), tess_cpu()));
    TESS_TRY(tess__wants_numbers(&out, "opts->kept", o.kept, TESS_SHAPE(shifts->shape.b, 1, shifts->shape.h, 1),
                                 tess_cpu()));
    tess__reads(&out, "shifts", shifts);
    tess__reads(&out, "positions", positions);
    tess__reads(&out, "opts->times", o.times);
    tess__reads(&out, "opts->weights", o.weights);
    TESS_GOTO(done, status, read_inputs(&f, shifts, positions, &o));
    TESS_GOTO(done, status, tess__outputs_take(&out));
    TESS_GOTO(done, status, run(&out, &f, &o));
done:
    release(&f);
    return tess__outputs_end(&out, tess__error_under(status, fn));
}
