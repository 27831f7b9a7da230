/* Least squares of a CTF to a power spectrum by Levenberg and Marquardt's method, with what is linear (background,
 * height of the rings) eliminated: variable projection.
 *
 * Model of value - 1 at a sample: sum over k of b_k T_k(r) - a exp(-decay r^2 / high^2) cos(2 pi t). */
#include <math.h>
#include <string.h>

#include "formulas/ctf.op.h"
#include "ops/signal/ctf_fit.h"

/* Columns of the normal equations: what is linear, then the derivatives by the parameters for a = 1, then the
 * values. */
enum { HEIGHT = TESS__FIT_POLYNOMIALS, LINEAR, VALUE = LINEAR + TESS__FIT_PARAMETERS, COLUMNS, ROUNDS = 40 };

/* Quantities of a sample of which columns are multiples that are the same all along a ring. */
enum { ONE, COS, SIN, SIN_SQUARE, SIN_COSINE, SIN_SINE, DATA, QUANTITIES };

static const int quantity_of[COLUMNS] = {
    ONE, ONE, ONE, ONE, ONE, COS, SIN_SQUARE, SIN_COSINE, SIN_SINE, SIN, COS, DATA
};

/* Normal equations at some parameters, and what follows for the linear ones. */
typedef struct state {
    double parameter[TESS__FIT_PARAMETERS];
    double normal[COLUMNS][COLUMNS]; /* lower half */
    double linear[LINEAR];
    double background, squares; /* sums of squares that are left by the background alone, and by the model */
    double count;
} state;

static void add_ring(double sums[QUANTITIES][QUANTITIES], const double *q, const tess__fit_points *p, int64_t ring)
{
    memset(sums, 0, QUANTITIES * sizeof *sums);
    for (int64_t i = p->first[ring]; i < p->first[ring + 1]; i++) {
        const double t = p->fixed[i] - p->square[i] * q[TESS__FIT_DEFOCUS] - p->cosine[i] * q[TESS__FIT_COSINE] -
                         p->sine[i] * q[TESS__FIT_SINE] - q[TESS__FIT_SHIFT] / TESS__PI;
        double v[QUANTITIES] = { 1 };
        if (p->weight[i] == 0) continue;
        tess__fit_wave(t, &v[COS], &v[SIN]);
        v[SIN_SQUARE] = v[SIN] * p->square[i];
        v[SIN_COSINE] = v[SIN] * p->cosine[i];
        v[SIN_SINE] = v[SIN] * p->sine[i];
        v[DATA] = p->value[i];
        for (int k = 0; k < QUANTITIES; k++)
            for (int j = 0; j <= k; j++) sums[k][j] += p->weight[i] * v[k] * v[j];
    }
}

/* Multiples of the quantities at a ring that the columns are: with t, the model grows by 2 pi exp(...) sin(2 pi t). */
static void make_multiples(double multiple[COLUMNS], const double *q, const tess__fit_points *p, int64_t ring,
                           double high)
{
    const double rho = p->radius[ring] * p->radius[ring] / (high * high);
    const double envelope = tess__exp_f64(-q[TESS__FIT_DECAY] * rho), slope = -2 * TESS__PI * envelope;
    memcpy(multiple, p->polynomial + ring * TESS__FIT_POLYNOMIALS, TESS__FIT_POLYNOMIALS * sizeof *multiple);
    multiple[HEIGHT] = -envelope;
    multiple[LINEAR + TESS__FIT_DEFOCUS] = multiple[LINEAR + TESS__FIT_COSINE] = multiple[LINEAR + TESS__FIT_SINE] =
        slope;
    multiple[LINEAR + TESS__FIT_SHIFT] = slope / TESS__PI;
    multiple[LINEAR + TESS__FIT_DECAY] = rho * envelope;
    multiple[VALUE] = 1;
}

/* Sum of squares that the first n columns leave of the values; their coefficients. */
static double project(double *coefficient, const state *s, int n)
{
    double a[COLUMNS][COLUMNS], left = s->normal[VALUE][VALUE];
    memcpy(a, s->normal, sizeof a);
    for (int k = 0; k < n; k++) {
        coefficient[k] = s->normal[VALUE][k];
        a[k][k] *= 1 + 1e-12;
    }
    if (!tess__fit_solve(&a[0][0], COLUMNS, coefficient, n)) return left;
    for (int k = 0; k < n; k++) left -= coefficient[k] * s->normal[VALUE][k];
    return left;
}

static void evaluate(state *s, const tess__fit_points *p, const tess__fit_task *task, double radius)
{
    double sums[QUANTITIES][QUANTITIES], multiple[COLUMNS], background[LINEAR];
    memset(s->normal, 0, sizeof s->normal);
    s->count = 0;
    for (int64_t ring = 0; ring < p->rings && p->radius[ring] <= radius; ring++) {
        add_ring(sums, s->parameter, p, ring);
        make_multiples(multiple, s->parameter, p, ring, task->high);
        s->count += sums[ONE][ONE];
        for (int k = 0; k < COLUMNS; k++)
            for (int j = 0; j <= k; j++) {
                const int a = quantity_of[k], b = quantity_of[j];
                s->normal[k][j] += multiple[k] * multiple[j] * (a >= b ? sums[a][b] : sums[b][a]);
            }
    }
    s->background = project(background, s, TESS__FIT_POLYNOMIALS);
    memset(s->linear, 0, sizeof s->linear);
    s->squares = project(s->linear, s, LINEAR);
    if (!(s->linear[HEIGHT] > 0)) s->squares = s->background; /* rings turned inside out fit nothing */
}

/* The matrix of the linearised problem: derivatives by the parameters are for the height of the rings. */
static void make_matrix(double a[VALUE][VALUE], double *b, const state *s, const bool is_free[TESS__FIT_PARAMETERS])
{
    const double height = s->linear[HEIGHT];
    for (int k = 0; k < VALUE; k++) {
        const double of_k = k < LINEAR ? 1 : is_free[k - LINEAR] ? height : 0;
        b[k] = of_k * s->normal[VALUE][k];
        for (int j = 0; j < LINEAR; j++) b[k] -= of_k * s->linear[j] * (k >= j ? s->normal[k][j] : s->normal[j][k]);
        for (int j = 0; j <= k; j++)
            a[k][j] = of_k * (j < LINEAR ? 1 : is_free[j - LINEAR] ? height : 0) * s->normal[k][j];
        if (of_k == 0) a[k][k] = 1;
    }
}

/* Parameters within their ranges. */
static void limit(double *q, const tess__fit_task *task)
{
    const double most = task->max_astigmatism;
    const double astigmatism = sqrt(q[TESS__FIT_COSINE] * q[TESS__FIT_COSINE] + q[TESS__FIT_SINE] * q[TESS__FIT_SINE]);
    if (astigmatism > most) {
        q[TESS__FIT_COSINE] *= most / astigmatism;
        q[TESS__FIT_SINE] *= most / astigmatism;
    }
    q[TESS__FIT_DEFOCUS] = fmin(fmax(q[TESS__FIT_DEFOCUS], task->defocus[0]), task->defocus[1]);
    q[TESS__FIT_SHIFT] = fmin(fmax(q[TESS__FIT_SHIFT], task->shift[0]), task->shift[1]);
    q[TESS__FIT_DECAY] = fmin(fmax(q[TESS__FIT_DECAY], 0), 12);
}

/* Standard deviations, from the curvature of the sum of squares. */
static void estimate_errors(double *error, const state *s, const bool is_free[TESS__FIT_PARAMETERS])
{
    const double freedom = s->count - VALUE, variance = freedom > 0 ? s->squares / freedom : 0;
    for (int k = 0; k < TESS__FIT_PARAMETERS; k++) {
        double a[VALUE][VALUE], b[VALUE];
        make_matrix(a, b, s, is_free);
        memset(b, 0, sizeof b);
        b[LINEAR + k] = 1;
        for (int j = 0; j < VALUE; j++) a[j][j] *= 1 + 1e-12;
        error[k] = is_free[k] && tess__fit_solve(&a[0][0], VALUE, b, VALUE) ? sqrt(fabs(variance * b[LINEAR + k])) : 0;
    }
}

void tess__fit_refine(tess__fit_result *fit, const tess__fit_points *points, const tess__fit_task *task, double radius)
{
    const bool astigmatic = task->max_astigmatism > 0;
    const bool is_free[TESS__FIT_PARAMETERS] = { true, astigmatic, astigmatic, tess__fit_shifts(task), true };
    double     damping = 1e-3;
    state      now, next;
    memcpy(now.parameter, fit->parameter, sizeof now.parameter);
    limit(now.parameter, task);
    evaluate(&now, points, task, radius);
    for (int round = 0; round < ROUNDS && damping < 1e6; round++) {
        double a[VALUE][VALUE], b[VALUE];
        make_matrix(a, b, &now, is_free);
        for (int k = 0; k < VALUE; k++) a[k][k] *= 1 + (k < LINEAR ? 1e-12 : damping);
        if (!tess__fit_solve(&a[0][0], VALUE, b, VALUE)) {
            damping *= 8;
            continue;
        }
        memcpy(next.parameter, now.parameter, sizeof next.parameter);
        for (int k = 0; k < TESS__FIT_PARAMETERS; k++) next.parameter[k] += is_free[k] ? b[LINEAR + k] : 0;
        limit(next.parameter, task);
        evaluate(&next, points, task, radius);
        const double gain = now.squares - next.squares;
        if (gain > 0) now = next;
        if (gain >= 0 && gain <= 1e-10 * now.squares) break;
        damping *= gain > 0 ? 0.125 : 8;
    }
    memcpy(fit->parameter, now.parameter, sizeof fit->parameter);
    estimate_errors(fit->error, &now, is_free);
    fit->score = now.background > 0 && now.squares < now.background ? sqrt(1 - now.squares / now.background) : 0;
}
