/* Exhaustive search for the defocus, astigmatism and phase shift of a power spectrum.
 *
 * Along a direction the spectrum of an astigmatic CTF is that of an isotropic one. So each sector is correlated
 * with the CTFs of a grid of defoci once; the correlation of a whole spectrum with an astigmatic CTF is the sum
 * over sectors, each looked up at the defocus of its direction. A phase shift rotates a pair of such sums, and its
 * best value follows from them. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "formulas/ctf.op.h"
#include "ops/signal/ctf_fit.h"

/* Defocus goes in steps that move the outermost rings by an eighth of a period, and are not finer than this: the
 * refinement goes further out. */
static const double eighth = 0.125, finest_step = 0.02;

double tess__fit_search_limit(const tess__fit_task *task)
{
    const double limit = sqrt(eighth / (finest_step * task->rate));
    return limit < task->high ? limit : task->high;
}

/* Products of a sector with the CTF^2 of a defocus (c) and with the same a quarter of a period on (s), backgrounds
 * removed. */
typedef struct products {
    double value_c, value_s; /* with the spectrum */
    double cc, cs, ss;       /* with each other */
} products;

enum { WEIGHT, VALUE, BASIS, ROWS = BASIS + TESS__FIT_POLYNOMIALS };

typedef struct search {
    const tess__fit_points *sectors;
    const tess__fit_task   *task;
    int64_t                 rings;       /* that are looked at */
    int64_t                 n;           /* defoci of the table */
    int64_t                 margin;      /* of them on either side, for astigmatism */
    double                  start, step; /* of the table, micrometre */
    double                 *rows;        /* [sector][ROWS][ring] */
    double                 *wave;        /* [2][ring]: of one defocus */
    double                 *known;       /* [ring]: half turns at defocus 0 */
    products               *table;       /* [sector][defocus] */
    tess__fit_result       *best;        /* of each mean defocus */
} search;

/* ---- Tables ---- */

static double dot(const double *a, const double *b, int64_t n)
{
    double even = 0, odd = 0;
    for (int64_t i = 0; i + 1 < n; i += 2) even += a[i] * b[i], odd += a[i + 1] * b[i + 1];
    return n % 2 ? even + odd + a[n - 1] * b[n - 1] : even + odd;
}

/* Rows of a sector: weights; polynomials, orthonormal under these by Gram and Schmidt; values without what the
 * polynomials have in them. All but the weights are then multiplied by them. */
static void make_rows(const search *s, int sector)
{
    const int64_t n = s->rings;
    double *const rows = s->rows + sector * ROWS * n, *const weight = rows + WEIGHT * n;
    for (int64_t i = 0; i < n; i++) weight[i] = s->sectors->weight[i * TESS__FIT_SECTORS + sector];
    for (int k = 0; k <= TESS__FIT_POLYNOMIALS; k++) {
        const bool    is_value = k == TESS__FIT_POLYNOMIALS;
        double *const row = rows + (is_value ? VALUE : BASIS + k) * n;
        double        before = 0, norm = 0;
        for (int64_t i = 0; i < n; i++)
            row[i] = is_value ? s->sectors->value[i * TESS__FIT_SECTORS + sector]
                              : s->sectors->polynomial[i * TESS__FIT_POLYNOMIALS + k];
        for (int64_t i = 0; i < n; i++) before += weight[i] * row[i] * row[i];
        for (int j = 0; j < k; j++) {
            const double *const other = rows + (BASIS + j) * n;
            double              sum = 0;
            for (int64_t i = 0; i < n; i++) sum += weight[i] * other[i] * row[i];
            for (int64_t i = 0; i < n; i++) row[i] -= sum * other[i];
        }
        for (int64_t i = 0; i < n; i++) norm += weight[i] * row[i] * row[i];
        const double scale = is_value ? 1 : norm > 1e-9 * before ? 1 / sqrt(norm) : 0;
        for (int64_t i = 0; i < n; i++) row[i] *= scale;
    }
    for (int k = VALUE; k < ROWS; k++)
        for (int64_t i = 0; i < n; i++) rows[k * n + i] *= weight[i];
}

/* -cos and -sin of the phase of a defocus at the radii of the rings: with a phase shift p, CTF^2 goes as
 * c cos 2p + s sin 2p. */
static void make_wave(const search *s, double defocus)
{
    for (int64_t i = 0; i < s->rings; i++) {
        const double r2 = s->sectors->radius[i] * s->sectors->radius[i];
        double       cosine, sine;
        tess__fit_wave(s->known[i] - s->task->rate * r2 * defocus, &cosine, &sine);
        s->wave[i] = -cosine;
        s->wave[s->rings + i] = -sine;
    }
}

static products correlate(const search *s, int sector)
{
    const int64_t       n = s->rings;
    const double *const rows = s->rows + sector * ROWS * n, *const c = s->wave, *const d = s->wave + n;
    const double *const weight = rows + WEIGHT * n;
    products            p = { .value_c = dot(rows + VALUE * n, c, n), .value_s = dot(rows + VALUE * n, d, n) };
    for (int64_t i = 0; i < n; i++) {
        p.cc += weight[i] * c[i] * c[i];
        p.cs += weight[i] * c[i] * d[i];
        p.ss += weight[i] * d[i] * d[i];
    }
    for (int k = BASIS; k < ROWS; k++) {
        const double of_c = dot(rows + k * n, c, n), of_s = dot(rows + k * n, d, n);
        p.cc -= of_c * of_c;
        p.cs -= of_c * of_s;
        p.ss -= of_s * of_s;
    }
    return p;
}

static void make_table(const search *s)
{
    tess_ctf ctf = s->task->ctf;
    ctf.tetrafoil = 0; /* small, and not the same in all directions: left to the refinement */
    for (int64_t i = 0; i < s->rings; i++)
        s->known[i] = tess_ctf_phase_at(&ctf, 0, s->sectors->radius[i] * ctf.pixel_size[1]) / TESS__PI;
    for (int sector = 0; sector < TESS__FIT_SECTORS; sector++) make_rows(s, sector);
    for (int64_t i = 0; i < s->n; i++) {
        make_wave(s, s->start + (double)i * s->step);
        for (int sector = 0; sector < TESS__FIT_SECTORS; sector++) s->table[sector * s->n + i] = correlate(s, sector);
    }
}

/* ---- Sums over sectors ---- */

static double correlation(const products *p, double shift)
{
    const double c = tess__cos_f64(2 * shift), s = tess__sin_f64(2 * shift);
    const double norm = c * c * p->cc + 2 * c * s * p->cs + s * s * p->ss;
    return norm > 0 ? (c * p->value_c + s * p->value_s) / sqrt(norm) : 0;
}

/* The correlation at the best phase shift of the range: where the pair of sums points to, or an end of the range. */
static double best_shift(const search *s, const products *p, double *shift)
{
    const double *range = s->task->shift;
    *shift = range[0];
    double best = correlation(p, range[0]);
    if (!tess__fit_shifts(s->task)) return best;
    double inner = 0.5 * tess__atan2_f64(p->value_s, p->value_c);
    inner += TESS__PI * ceil((range[0] - inner) / TESS__PI);
    const double tried[2] = { range[1], inner <= range[1] ? inner : range[1] };
    for (int k = 0; k < 2; k++) {
        const double value = correlation(p, tried[k]);
        if (value > best) best = value, *shift = tried[k];
    }
    return best;
}

/* Table entries of each sector for an astigmatism, relative to those of the mean defocus. */
static void make_offsets(const search *s, int64_t offset[TESS__FIT_SECTORS], double cosine, double sine)
{
    for (int k = 0; k < TESS__FIT_SECTORS; k++) {
        const double twice = 2 * TESS__PI * (((double)k + 0.5) / TESS__FIT_SECTORS - 0.5);
        const double defocus = cosine * tess__cos_f64(twice) + sine * tess__sin_f64(twice);
        offset[k] = (int64_t)floor(defocus / s->step + 0.5) + k * s->n;
    }
}

static void try_astigmatism(const search *s, double cosine, double sine)
{
    int64_t offset[TESS__FIT_SECTORS];
    make_offsets(s, offset, cosine, sine);
    for (int64_t i = s->margin; i < s->n - s->margin; i++) {
        products sum = { .cc = 0 };
        double   shift;
        for (int k = 0; k < TESS__FIT_SECTORS; k++) {
            const products *p = &s->table[offset[k] + i];
            sum.value_c += p->value_c;
            sum.value_s += p->value_s;
            sum.cc += p->cc;
            sum.cs += p->cs;
            sum.ss += p->ss;
        }
        const double      score = best_shift(s, &sum, &shift);
        tess__fit_result *best = &s->best[i - s->margin];
        if (score <= best->score) continue;
        best->score = score;
        best->parameter[TESS__FIT_COSINE] = cosine;
        best->parameter[TESS__FIT_SINE] = sine;
        best->parameter[TESS__FIT_SHIFT] = shift;
    }
}

static void try_all(const search *s)
{
    const double  most = s->task->max_astigmatism, step = 1.5 * s->step;
    const int64_t n = (int64_t)(most / step);
    for (int64_t i = -n; i <= n; i++)
        for (int64_t j = -n; j <= n; j++)
            if (i * i + j * j <= n * n) try_astigmatism(s, (double)i * step, (double)j * step);
}

/* The largest local maxima over mean defoci, the best first. */
static int choose(tess__fit_result found[TESS__FIT_CANDIDATES], const search *s)
{
    const int64_t n = s->n - 2 * s->margin;
    int           count = 0;
    for (int64_t i = 0; i < n; i++) {
        const double score = s->best[i].score;
        if (score <= 0 || (i > 0 && s->best[i - 1].score >= score) || (i + 1 < n && s->best[i + 1].score > score))
            continue;
        int at = count;
        while (at > 0 && found[at - 1].score < score) at--;
        if (at == TESS__FIT_CANDIDATES) continue;
        if (count < TESS__FIT_CANDIDATES) count++;
        memmove(&found[at + 1], &found[at], (size_t)(count - 1 - at) * sizeof *found);
        found[at] = s->best[i];
        found[at].parameter[TESS__FIT_DEFOCUS] = s->start + (double)(i + s->margin) * s->step;
    }
    return count;
}

/* ---- The search ---- */

static tess_status search_with(search *s, tess__fit_result found[TESS__FIT_CANDIDATES], int *n)
{
    const int64_t means = s->n - 2 * s->margin;
    const size_t  rows = (size_t)(TESS__FIT_SECTORS * ROWS + 3) * (size_t)s->rings * sizeof(double);
    const size_t  table = (size_t)(TESS__FIT_SECTORS * s->n) * sizeof(products);
    const size_t  size = rows + table + (size_t)means * sizeof(tess__fit_result);
    char *const   storage = tess__alloc(size);
    TESS_CHECK(storage, TESS_ENOMEM, "ctf_fit: no memory for %zu bytes", size);
    memset(storage, 0, size);
    s->rows = (double *)(void *)storage;
    s->wave = s->rows + TESS__FIT_SECTORS * ROWS * s->rings;
    s->known = s->wave + 2 * s->rings;
    s->table = (products *)(void *)(storage + rows);
    s->best = (tess__fit_result *)(void *)(storage + rows + table);
    make_table(s);
    try_all(s);
    *n = choose(found, s);
    tess__free(storage);
    return TESS_OK;
}

tess_status tess__fit_search(tess__fit_result found[TESS__FIT_CANDIDATES], int *n, const tess__fit_points *sectors,
                             const tess__fit_task *task)
{
    const double limit = tess__fit_search_limit(task), range = task->defocus[1] - task->defocus[0];
    search       s = { .sectors = sectors, .task = task };
    while (s.rings < sectors->rings && sectors->radius[s.rings] <= limit) s.rings++;
    const double  longest = eighth / (task->rate * limit * limit);
    const int64_t steps = (int64_t)ceil(range / longest) + 1;
    s.step = fmax(range / (double)steps, 0.25 * longest); /* astigmatism takes it too, however narrow the range is */
    s.margin = (int64_t)ceil(task->max_astigmatism / s.step) + 1;
    s.n = steps + 1 + 2 * s.margin;
    s.start = task->defocus[0] + 0.5 * (range - (double)steps * s.step) - (double)s.margin * s.step;
    TESS_TRY(search_with(&s, found, n));
    return TESS_OK;
}
