/* Least squares of a CTF to a power spectrum by Levenberg and Marquardt's method, with what is linear (background,
 * height of the rings) eliminated: variable projection.
 *
 * Model of value - 1 at a sample: sum over k of b_k T_k(r) - a exp(-decay r^2 / high^2) cos(2 pi t). A restraint of the
 * astigmatism is two more squares, of its components. */
#include <math.h>
#include <string.h>

#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/ctf.op.h"

#define COST 12.0 /* nanoseconds of a sample */

/* Columns of the normal equations: what is linear, then the derivatives by the parameters for a = 1, then the
 * values. */
enum { HEIGHT = TESS__FIT_POLYNOMIALS, LINEAR, VALUE = LINEAR + TESS__FIT_PARAMETERS, COLUMNS, ROUNDS = 40 };

/* Columns are multiples of quantities of a sample, the same all along a shell. */
#define ONE TESS__FIT_ONE
static const int quantity_of[COLUMNS] = { ONE,
                                          ONE,
                                          ONE,
                                          ONE,
                                          ONE,
                                          TESS__FIT_COS,
                                          TESS__FIT_SIN_SQUARE,
                                          TESS__FIT_SIN_COSINE,
                                          TESS__FIT_SIN_SINE,
                                          TESS__FIT_SIN,
                                          TESS__FIT_COS,
                                          TESS__FIT_DATA };

/* The problem: which parameters are fitted, shells up to where, and what the square of an astigmatism costs. */
typedef struct problem {
    const tess__fit_points *points;
    const tess__ctf_fit    *work;
    int64_t                 shells;
    double                  count; /* of coefficients */
    bool                    is_free[TESS__FIT_PARAMETERS];
    double                  restraint;
} problem;

/* Normal equations at some parameters, and what follows for the linear ones. */
typedef struct state {
    double parameter[TESS__FIT_PARAMETERS];
    double normal[COLUMNS][COLUMNS]; /* lower half */
    double linear[LINEAR];
    double background, squares; /* sums of squares that are left by the background alone, and by the model */
} state;

/* ---- Normal equations ---- */

typedef struct shell_sums {
    const tess__fit_points *points;
    const double           *parameter;
    tess__fit_shell_fn     *sum;
} shell_sums;

static void sum_shells(void *context, int64_t first, int64_t last)
{
    const shell_sums       *c = context;
    const tess__fit_points *p = c->points;
    for (int64_t shell = first; shell < last; shell++)
        c->sum(p->sums[shell], p, p->first[shell], p->first[shell + 1], c->parameter);
}

/* Multiples of the quantities at a shell that the columns are: with t, the model grows by 2 pi exp(...) sin(2 pi t). */
static void make_multiples(double multiple[COLUMNS], const double *q, const tess__fit_points *p, int64_t shell,
                           double high)
{
    const double rho = p->radius[shell] * p->radius[shell] / (high * high);
    const double envelope = tess__exp_f64(-q[TESS__FIT_DECAY] * rho), slope = -2 * TESS_PI * envelope;
    memcpy(multiple, p->polynomial + shell * TESS__FIT_POLYNOMIALS, TESS__FIT_POLYNOMIALS * sizeof *multiple);
    multiple[HEIGHT] = -envelope;
    multiple[LINEAR + TESS__FIT_DEFOCUS] = multiple[LINEAR + TESS__FIT_COSINE] = multiple[LINEAR + TESS__FIT_SINE] =
        slope;
    multiple[LINEAR + TESS__FIT_SHIFT] = slope / TESS_PI;
    multiple[LINEAR + TESS__FIT_DECAY] = rho * envelope;
    multiple[VALUE] = 1;
}

static void add_shell(state *s, const problem *p, int64_t shell)
{
    double multiple[COLUMNS];
    make_multiples(multiple, s->parameter, p->points, shell, p->work->range.high);
    for (int k = 0; k < COLUMNS; k++)
        for (int j = 0; j <= k; j++) {
            const int    a = quantity_of[k], b = quantity_of[j];
            const double sum = a >= b ? p->points->sums[shell][a][b] : p->points->sums[shell][b][a];
            s->normal[k][j] += multiple[k] * multiple[j] * sum;
        }
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

static void evaluate(state *s, const problem *p)
{
    const double cost = COST * (double)p->points->first[p->shells] / (double)p->shells;
    shell_sums   sums = { p->points, s->parameter, tess__cpu_kernels()->signal.fit_shell };
    double       background[LINEAR];
    tess__parallel(p->shells, tess__grain(p->shells, cost), sum_shells, &sums);
    memset(s->normal, 0, sizeof s->normal);
    for (int64_t shell = 0; shell < p->shells; shell++) add_shell(s, p, shell);
    s->background = project(background, s, TESS__FIT_POLYNOMIALS);
    memset(s->linear, 0, sizeof s->linear);
    s->squares = project(s->linear, s, LINEAR);
    if (!(s->linear[HEIGHT] > 0)) s->squares = s->background; /* rings turned inside out fit nothing */
}

/* ---- Steps ---- */

static double square_of(const double *parameter)
{
    const double c = parameter[TESS__FIT_COSINE], s = parameter[TESS__FIT_SINE];
    return c * c + s * s;
}

/* What is minimised: the squares of the model and those of the restraint. */
static double objective(const state *s, const problem *p)
{
    return s->squares + p->restraint * square_of(s->parameter);
}

/* The correlation of spectrum and model times the length of the spectrum: its square is what the rings explain. */
static double gain_of(const state *s) { return s->squares < s->background ? sqrt(s->background - s->squares) : 0; }

/* The matrix of the linearised problem: derivatives by the parameters are for the height of the rings. */
static void make_matrix(double a[VALUE][VALUE], double *b, const state *s, const problem *p)
{
    const double height = s->linear[HEIGHT];
    for (int k = 0; k < VALUE; k++) {
        const double of_k = k < LINEAR ? 1 : p->is_free[k - LINEAR] ? height : 0;
        b[k] = of_k * s->normal[VALUE][k];
        for (int j = 0; j < LINEAR; j++) b[k] -= of_k * s->linear[j] * (k >= j ? s->normal[k][j] : s->normal[j][k]);
        for (int j = 0; j <= k; j++)
            a[k][j] = of_k * (j < LINEAR ? 1 : p->is_free[j - LINEAR] ? height : 0) * s->normal[k][j];
        if (of_k == 0) a[k][k] = 1;
    }
    for (int k = TESS__FIT_COSINE; k <= TESS__FIT_SINE; k++) {
        a[LINEAR + k][LINEAR + k] += p->restraint;
        b[LINEAR + k] -= p->restraint * s->parameter[k];
    }
}

/* Parameters within their ranges. */
static void limit(double *q, const tess__ctf_fit *work)
{
    const double most = work->max_astigmatism;
    const double astigmatism = sqrt(square_of(q));
    if (astigmatism > most) {
        q[TESS__FIT_COSINE] *= most / astigmatism;
        q[TESS__FIT_SINE] *= most / astigmatism;
    }
    q[TESS__FIT_DEFOCUS] = fmin(fmax(q[TESS__FIT_DEFOCUS], work->defocus[0]), work->defocus[1]);
    q[TESS__FIT_SHIFT] = fmin(fmax(q[TESS__FIT_SHIFT], work->shift[0]), work->shift[1]);
    q[TESS__FIT_DECAY] = fmin(fmax(q[TESS__FIT_DECAY], 0), 12);
}

/* Of a coefficient, if the model is right. */
static double variance_of(const state *s, const problem *p)
{
    const double freedom = p->count - VALUE;
    return freedom > 0 ? s->squares / freedom : 0;
}

/* Standard deviations, from the curvature of the sum of squares. */
static void estimate_errors(double *error, const state *s, const problem *p)
{
    const double variance = variance_of(s, p);
    for (int k = 0; k < TESS__FIT_PARAMETERS; k++) {
        double a[VALUE][VALUE], b[VALUE];
        make_matrix(a, b, s, p);
        memset(b, 0, sizeof b);
        b[LINEAR + k] = 1;
        for (int j = 0; j < VALUE; j++) a[j][j] *= 1 + 1e-12;
        error[k] =
            p->is_free[k] && tess__fit_solve(&a[0][0], VALUE, b, VALUE) ? sqrt(fabs(variance * b[LINEAR + k])) : 0;
    }
}

/* The step that the linearised problem, damped, asks for; false if it has no solution. */
static bool step(state *next, const state *now, const problem *p, double damping)
{
    double a[VALUE][VALUE], b[VALUE];
    make_matrix(a, b, now, p);
    for (int k = 0; k < VALUE; k++) a[k][k] *= 1 + (k < LINEAR ? 1e-12 : damping);
    if (!tess__fit_solve(&a[0][0], VALUE, b, VALUE)) return false;
    for (int k = 0; k < TESS__FIT_PARAMETERS; k++)
        next->parameter[k] = now->parameter[k] + (p->is_free[k] ? b[LINEAR + k] : 0);
    limit(next->parameter, p->work);
    evaluate(next, p);
    return true;
}

static problem problem_of(const tess__fit_points *points, const tess__ctf_fit *work, double radius)
{
    const bool astigmatic = work->max_astigmatism > 0;
    problem    p = { .points = points,
                     .work = work,
                     .is_free = { true, astigmatic, astigmatic, tess__fit_shifts(work), true } };
    while (p.shells < points->shells && points->radius[p.shells] <= radius) p.shells++;
    for (int64_t i = 0; i < points->first[p.shells]; i++) p.count += points->weight[i];
    return p;
}

void tess__fit_refine(tess__fit_result *fit, const tess__fit_points *points, const tess__ctf_fit *work, double radius)
{
    problem p = problem_of(points, work, radius);
    double  damping = 1e-3;
    state   now, next;
    if (p.shells == 0) return;
    memcpy(now.parameter, fit->parameter, sizeof now.parameter);
    limit(now.parameter, work);
    evaluate(&now, &p);
    p.restraint = 2 * gain_of(&now) * tess__fit_penalty(points, work);
    for (int round = 0; round < ROUNDS && damping < 1e6; round++) {
        if (!step(&next, &now, &p, damping)) {
            damping *= 8;
            continue;
        }
        const double gain = objective(&now, &p) - objective(&next, &p);
        if (gain > 0) now = next;
        if (gain >= 0 && gain <= 1e-10 * now.squares) break;
        damping *= gain > 0 ? 0.125 : 8;
    }
    memcpy(fit->parameter, now.parameter, sizeof fit->parameter);
    estimate_errors(fit->error, &now, &p);
    fit->score = now.background > 0 && now.squares < now.background ? sqrt(1 - now.squares / now.background) : 0;
    fit->merit = gain_of(&now) - tess__fit_penalty(points, work) * square_of(now.parameter);
}
