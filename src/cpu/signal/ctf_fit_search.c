/* Exhaustive search for the defocus, astigmatism and phase shift of a power spectrum.
 *
 * Along a direction the spectrum of an astigmatic CTF is that of an isotropic one. So each sector is correlated
 * with the CTFs of a grid of defoci once; the correlation of a whole spectrum with an astigmatic CTF is the sum
 * over sectors, each looked up at the defocus of its direction. A phase shift rotates a pair of such sums, and its
 * best value follows from them. */
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/ctf.op.h"

/* Nanoseconds of a shell of a sector at a defocus, and of a sector of an astigmatic CTF. */
#define COST_OF_SHELL 5.0
#define COST_OF_SECTOR 2.0

enum { PRODUCTS = TESS__FIT_PRODUCTS, RUN = TESS__FIT_RUN, SECTORS = TESS__FIT_SECTORS, ROWS = TESS__FIT_ROWS };

typedef struct search {
    const tess__fit_points     *sectors;
    const tess__ctf_fit        *work;
    const tess__signal_kernels *kernels;
    int64_t                     shells;       /* that are looked at */
    int64_t                     padded;       /* length of rows of them: the rest is 0 */
    int64_t                     n;            /* defoci of the table */
    int64_t                     stride;       /* of its rows: runs may end behind n */
    int64_t                     margin;       /* defoci on either side, for astigmatism */
    double                      start, step;  /* of the table, micrometre */
    double                      penalty;      /* of the merit, for the square of an astigmatism */
    double                      cosine, sine; /* of twice the lowest phase shift */
    double                      direction[SECTORS][2];
    tess__workspaces            waves;  /* [3][shell]: half turns, -cos, -sin */
    double                     *rows;   /* [sector][ROWS][shell] */
    double                     *known;  /* [shell]: half turns at defocus 0 */
    double                     *square; /* [shell]: half turns a micrometre */
    double                     *table;  /* [sector][PRODUCTS][defocus] */
    tess__fit_result           *best;   /* of each mean defocus */
} search;

/* ---- Tables ---- */

/* Rows of a sector: weights; polynomials, orthonormal under these by Gram and Schmidt; values without what the
 * polynomials have in them. All but the weights are then multiplied by them. */
static void make_rows(const search *s, int64_t sector)
{
    const int64_t n = s->padded;
    double *const rows = s->rows + sector * ROWS * n, *const weight = rows + TESS__FIT_ROW_WEIGHT * n;
    for (int64_t i = 0; i < s->shells; i++) weight[i] = s->sectors->weight[i * SECTORS + sector];
    for (int k = 0; k <= TESS__FIT_POLYNOMIALS; k++) {
        const bool    is_value = k == TESS__FIT_POLYNOMIALS;
        double *const row = rows + (is_value ? TESS__FIT_ROW_VALUE : TESS__FIT_ROW_BASIS + k) * n;
        double        before = 0, norm = 0;
        for (int64_t i = 0; i < s->shells; i++)
            row[i] = is_value ? s->sectors->value[i * SECTORS + sector]
                              : s->sectors->polynomial[i * TESS__FIT_POLYNOMIALS + k];
        for (int64_t i = 0; i < n; i++) before += weight[i] * row[i] * row[i];
        for (int j = 0; j < k; j++) {
            const double *const other = rows + (TESS__FIT_ROW_BASIS + j) * n;
            double              sum = 0;
            for (int64_t i = 0; i < n; i++) sum += weight[i] * other[i] * row[i];
            for (int64_t i = 0; i < n; i++) row[i] -= sum * other[i];
        }
        for (int64_t i = 0; i < n; i++) norm += weight[i] * row[i] * row[i];
        const double scale = is_value ? 1 : norm > 1e-9 * before ? 1 / sqrt(norm) : 0;
        for (int64_t i = 0; i < n; i++) row[i] *= scale;
    }
    for (int k = TESS__FIT_ROW_VALUE; k < ROWS; k++)
        for (int64_t i = 0; i < n; i++) rows[k * n + i] *= weight[i];
}

static void make_all_rows(void *context, int64_t first, int64_t last)
{
    for (int64_t sector = first; sector < last; sector++) make_rows(context, sector);
}

/* -cos and -sin of the phase of a defocus at the radii of the shells: with a phase shift p, CTF^2 goes as
 * c cos 2p + s sin 2p. */
static const double *make_wave(const search *s, double *turns, double defocus)
{
    double *const c = turns + s->padded, *const d = c + s->padded;
    for (int64_t i = 0; i < s->padded; i++) turns[i] = s->known[i] - s->square[i] * defocus;
    s->kernels->fit_waves(c, d, turns, s->padded);
    for (int64_t i = 0; i < 2 * s->padded; i++) c[i] = -c[i];
    return c;
}

static void correlate_defoci(void *context, int64_t first, int64_t last)
{
    search     *s = context;
    char *const workspace = tess__workspace_acquire(&s->waves);
    for (int64_t at = first; at < last; at++) {
        const double *wave = make_wave(s, (double *)(void *)workspace, s->start + (double)at * s->step);
        for (int64_t sector = 0; sector < SECTORS; sector++) {
            double products[PRODUCTS];
            s->kernels->fit_products(products, s->rows + sector * ROWS * s->padded, wave, wave + s->padded, s->padded);
            for (int k = 0; k < PRODUCTS; k++) s->table[(sector * PRODUCTS + k) * s->stride + at] = products[k];
        }
    }
    tess__workspace_release(&s->waves, workspace);
}

/* Half turns at defocus 0: tetrafoil, which is small and not the same in all directions, is left to the refinement. */
static void make_known(const search *s)
{
    double columns[TESS__CTF_COLUMNS];
    memcpy(columns, &s->work->ctf, sizeof columns);
    columns[TESS__CTF_TETRAFOIL] = 0;
    const tess__ctf_values values = tess__ctf_values_of(columns);
    const tess__ctf_row    row = tess__ctf_row_of(&values, 0, 0);
    for (int64_t i = 0; i < s->shells; i++) {
        const double r = s->sectors->radius[i];
        s->known[i] = tess__ctf_even(&row, r * s->work->range.pixel_w);
        s->square[i] = s->work->range.rate * r * r;
    }
}

static void make_table(search *s)
{
    const double rows = (double)(s->padded * ROWS), of_sector = rows * ROWS, of_defocus = COST_OF_SHELL * SECTORS;
    make_known(s);
    tess__parallel(SECTORS, tess__grain(SECTORS, of_sector), make_all_rows, s);
    tess__parallel(s->n, tess__grain(s->n, of_defocus * (double)s->padded), correlate_defoci, s);
}

/* ---- Sums over sectors ---- */

static double correlation(double p[PRODUCTS][RUN], int i, double c, double s)
{
    const double norm = c * c * p[TESS__FIT_CC][i] + 2 * c * s * p[TESS__FIT_CS][i] + s * s * p[TESS__FIT_SS][i];
    return norm > 0 ? (c * p[TESS__FIT_VALUE_C][i] + s * p[TESS__FIT_VALUE_S][i]) / sqrt(norm) : 0;
}

/* The correlation at the best phase shift of the range: where the pair of sums points to, or an end of the range.
 * `best` is that at its beginning. */
static double best_shift(const search *s, double p[PRODUCTS][RUN], int i, double best, double *shift)
{
    const double *range = s->work->shift;
    const double  c = p[TESS__FIT_VALUE_C][i], d = p[TESS__FIT_VALUE_S][i], length = sqrt(c * c + d * d);
    const double  end = correlation(p, i, tess__cos_f64(2 * range[1]), tess__sin_f64(2 * range[1]));
    *shift = range[0];
    if (end > best) best = end, *shift = range[1];
    const double inner = length > 0 ? correlation(p, i, c / length, d / length) : 0;
    if (!(inner > best)) return best;
    double at = 0.5 * tess__atan2_f64(d, c);
    at += TESS_PI * ceil((range[0] - at) / TESS_PI);
    if (at > range[1]) return best;
    *shift = at;
    return inner;
}

/* Table entries of each sector for an astigmatism, relative to those of the mean defocus. */
static void make_offsets(const search *s, int64_t offset[SECTORS], double cosine, double sine)
{
    for (int k = 0; k < SECTORS; k++) {
        const double defocus = cosine * s->direction[k][0] + sine * s->direction[k][1];
        offset[k] = (int64_t)floor(defocus / s->step + 0.5);
    }
}

/* An astigmatism at a run of n mean defoci, the first of which is number `first`. */
static void try_run(const search *s, double cosine, double sine, int64_t first, int n)
{
    int64_t      offset[SECTORS];
    double       sums[PRODUCTS][RUN], scores[RUN];
    const double penalty = s->penalty * (cosine * cosine + sine * sine);
    make_offsets(s, offset, cosine, sine);
    s->kernels->fit_totals(sums, s->table + s->margin + first, s->stride, offset);
    s->kernels->fit_scores(scores, sums, s->cosine, s->sine);
    for (int i = 0; i < n; i++) {
        tess__fit_result *best = &s->best[first + i];
        double            shift = s->work->shift[0];
        const double      score = tess__fit_shifts(s->work) ? best_shift(s, sums, i, scores[i], &shift) : scores[i];
        const double      merit = score - penalty;
        if (merit <= best->merit) continue;
        best->merit = merit;
        best->parameter[TESS__FIT_COSINE] = cosine;
        best->parameter[TESS__FIT_SINE] = sine;
        best->parameter[TESS__FIT_SHIFT] = shift;
    }
}

/* Steps of astigmatism from 0 to the highest. */
static int64_t steps_of(const search *s) { return (int64_t)(s->work->max_astigmatism / (1.5 * s->step)); }

/* All astigmatisms at runs of mean defoci. */
static void try_runs(void *context, int64_t first, int64_t last)
{
    const search *s = context;
    const double  step = 1.5 * s->step;
    const int64_t steps = steps_of(s), means = s->n - 2 * s->margin;
    for (int64_t run = first; run < last; run++) {
        const int n = (int)tess__min(means - run * RUN, RUN);
        for (int64_t i = -steps; i <= steps; i++)
            for (int64_t j = -steps; j <= steps; j++)
                if (i * i + j * j <= steps * steps) try_run(s, (double)i * step, (double)j * step, run * RUN, n);
    }
}

static void try_all(search *s)
{
    const int64_t runs = (s->n - 2 * s->margin + RUN - 1) / RUN, steps = steps_of(s);
    const double  cost = COST_OF_SECTOR * SECTORS * RUN * 3 * (double)(steps * steps + 1);
    for (int k = 0; k < SECTORS; k++) {
        const double twice = 2 * TESS_PI * (((double)k + 0.5) / SECTORS - 0.5);
        s->direction[k][0] = tess__cos_f64(twice);
        s->direction[k][1] = tess__sin_f64(twice);
    }
    s->cosine = tess__cos_f64(2 * s->work->shift[0]);
    s->sine = tess__sin_f64(2 * s->work->shift[0]);
    tess__parallel(runs, tess__grain(runs, cost), try_runs, s);
}

/* The largest local maxima over mean defoci, the best first. */
static int choose(tess__fit_result found[TESS__FIT_CANDIDATES], const search *s)
{
    const int64_t n = s->n - 2 * s->margin;
    int           count = 0;
    for (int64_t i = 0; i < n; i++) {
        const double merit = s->best[i].merit;
        if (merit <= 0 || (i > 0 && s->best[i - 1].merit >= merit) || (i + 1 < n && s->best[i + 1].merit > merit))
            continue;
        int at = count;
        while (at > 0 && found[at - 1].merit < merit) at--;
        if (at == TESS__FIT_CANDIDATES) continue;
        if (count < TESS__FIT_CANDIDATES) count++;
        memmove(&found[at + 1], &found[at], (size_t)(count - 1 - at) * sizeof *found);
        found[at] = s->best[i];
        found[at].parameter[TESS__FIT_DEFOCUS] = s->start + (double)(i + s->margin) * s->step;
    }
    return count;
}

/* ---- The search ---- */

static bool search_with(search *s, tess__fit_result found[TESS__FIT_CANDIDATES], int *n)
{
    const int64_t means = s->n - 2 * s->margin, rows = SECTORS * ROWS * s->padded,
                  table = SECTORS * PRODUCTS * s->stride;
    const size_t  of_table = (size_t)(rows + 2 * s->padded + table) * sizeof(double);
    const size_t  size = of_table + (size_t)means * sizeof(tess__fit_result);
    double *const storage = tess__alloc(size);
    if (!storage || !tess__workspaces_make(&s->waves, 3 * (size_t)s->padded * sizeof(double), s->n)) {
        tess__free(storage);
        return false;
    }
    memset(storage, 0, size);
    s->rows = storage;
    s->known = s->rows + rows;
    s->square = s->known + s->padded;
    s->table = s->square + s->padded;
    s->best = (tess__fit_result *)(void *)(s->table + table);
    make_table(s);
    try_all(s);
    *n = choose(found, s);
    tess__workspaces_free(&s->waves);
    tess__free(storage);
    return true;
}

bool tess__fit_search(tess__fit_result found[TESS__FIT_CANDIDATES], int *n, const tess__fit_points *sectors,
                      const tess__ctf_fit *work)
{
    const double limit = tess__fit_search_limit(&work->range), range = work->defocus[1] - work->defocus[0];
    const double longest = TESS__FIT_EIGHTH / (work->range.rate * limit * limit);
    search       s = { .sectors = sectors, .work = work, .kernels = &tess__cpu_kernels()->signal };
    while (s.shells < sectors->shells && sectors->radius[s.shells] <= limit) s.shells++;
    s.padded = (s.shells + TESS__FIT_LANES - 1) / TESS__FIT_LANES * TESS__FIT_LANES;
    const int64_t steps = (int64_t)ceil(range / longest) + 1;
    s.step = fmax(range / (double)steps, 0.25 * longest); /* astigmatism takes it too, however narrow the range is */
    s.margin = (int64_t)ceil(work->max_astigmatism / s.step) + 1;
    s.n = steps + 1 + 2 * s.margin;
    s.stride = s.n + RUN;
    s.start = work->defocus[0] + 0.5 * (range - (double)steps * s.step) - (double)s.margin * s.step;
    s.penalty = tess__fit_penalty(sectors, work);
    return search_with(&s, found, n);
}
