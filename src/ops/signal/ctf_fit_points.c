/* Samples of a power spectrum for the fit of a CTF: rings, the smooth background by Gamma regression, sectors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/minmax.h"
#include "formulas/ctf.op.h"
#include "ops/signal/ctf_fit.h"

/* ---- Storage ---- */

void tess__fit_release(tess__fit_points *points)
{
    tess__free(points->storage);
    *points = (tess__fit_points){ .storage = NULL };
}

/* Storage of samples and rings; to be released. */
static tess_status reserve(tess__fit_points *p, int64_t n, int64_t rings)
{
    const size_t numbers = (size_t)(6 * n + (2 + TESS__FIT_POLYNOMIALS) * rings + 1), size = numbers * sizeof(double);
    p->storage = tess__alloc(size);
    TESS_CHECK(p->storage, TESS_ENOMEM, "ctf_fit: no memory for %zu bytes", size);
    p->n = n;
    p->rings = rings;
    p->value = p->storage;
    p->weight = p->value + n;
    p->fixed = p->weight + n;
    p->square = p->fixed + n;
    p->cosine = p->square + n;
    p->sine = p->cosine + n;
    p->radius = p->sine + n;
    p->polynomial = p->radius + rings;
    p->first = (int64_t *)(void *)(p->polynomial + TESS__FIT_POLYNOMIALS * rings);
    return TESS_OK;
}

/* ---- Background ---- */

void tess__fit_chebyshev(double *row, double x, int terms)
{
    row[0] = 1;
    if (terms > 1) row[1] = x;
    for (int k = 2; k < terms; k++) row[k] = 2 * x * row[k - 1] - row[k - 2];
}

bool tess__fit_solve(double *a, int stride, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j <= k; j++) {
            double sum = a[k * stride + j];
            for (int i = 0; i < j; i++) sum -= a[k * stride + i] * a[j * stride + i];
            if (j < k) a[k * stride + j] = sum / a[j * stride + j];
            else if (sum > 0) a[k * stride + k] = sqrt(sum);
            else return false;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++) b[k] -= a[k * stride + i] * b[i];
        b[k] /= a[k * stride + k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++) b[k] -= a[i * stride + k] * b[i];
        b[k] /= a[k * stride + k];
    }
    return true;
}

enum { MAX_TERMS = 12, ROUNDS = 12 };

/* Weighted least squares of the basis for `target`. */
static bool project(double *coefficient, const double *target, const double *weights, const double *basis, int64_t n,
                    int terms)
{
    double a[MAX_TERMS * MAX_TERMS] = { 0 };
    memset(coefficient, 0, (size_t)terms * sizeof *coefficient);
    for (int64_t i = 0; i < n; i++) {
        const double *row = basis + i * terms;
        for (int k = 0; k < terms; k++) {
            for (int j = 0; j <= k; j++) a[k * terms + j] += weights[i] * row[k] * row[j];
            coefficient[k] += weights[i] * row[k] * target[i];
        }
    }
    for (int k = 0; k < terms; k++) a[k * terms + k] += 1e-9 * a[0];
    return tess__fit_solve(a, terms, coefficient, terms);
}

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Fisher's scoring: with a logarithmic link its weights are constant. It begins at the logarithms; steps are limited,
 * so that a single peak does not throw it off. */
void tess__fit_background(double *background, const double *values, const double *weights, const double *basis,
                          int64_t n, int terms)
{
    double coefficient[MAX_TERMS], largest = 0;
    for (int64_t i = 0; i < n; i++) largest = values[i] > largest ? values[i] : largest;
    for (int64_t i = 0; i < n; i++) {
        const double value = values[i] > 1e-6 * largest ? values[i] : 1e-6 * largest;
        background[i] = tess__log_f64(value);
    }
    for (int round = 0; round < ROUNDS && project(coefficient, background, weights, basis, n, terms); round++) {
        for (int64_t i = 0; i < n; i++) {
            const double level = product(coefficient, basis + i * terms, terms);
            const double excess = values[i] * tess__exp_f64(-level) - 1;
            background[i] = level + (excess > 2 ? 2 : excess);
        }
    }
    for (int64_t i = 0; i < n; i++) background[i] = tess__exp_f64(product(coefficient, basis + i * terms, terms));
}

/* ---- Samples ---- */

/* A coefficient of a half spectrum. */
typedef struct sample {
    double  x, y, r2; /* 1/angstrom */
    int64_t ring;     /* -1: outside the range, or the conjugate of another */
} sample;

int64_t tess__fit_rings(const tess__fit_task *task) { return (int64_t)((task->high - task->low) / task->step) + 1; }

static sample sample_at(const tess__fit_task *task, int64_t h, int64_t w)
{
    const tess_ctf *ctf = &task->ctf;
    const int64_t   n = task->shape.h, k = h < (n + 1) / 2 ? h : h - n;
    sample          s = { .ring = -1 };
    s.y = (double)k / ((double)n * ctf->pixel_size[0]);
    s.x = (double)w / ((double)task->shape.w * ctf->pixel_size[1]);
    s.r2 = s.x * s.x + s.y * s.y;
    const bool twice = w == 0 && k < 0;
    if (!twice && s.r2 >= task->low * task->low && s.r2 <= task->high * task->high)
        s.ring = tess__clamp((int64_t)((sqrt(s.r2) - task->low) / task->step), 0, tess__fit_rings(task) - 1);
    return s;
}

int64_t tess__fit_count(const tess__fit_task *task)
{
    int64_t n = 0;
    for (int64_t h = 0; h < task->shape.h; h++)
        for (int64_t w = 0; w <= task->shape.w / 2; w++) n += sample_at(task, h, w).ring >= 0;
    return n;
}

/* Sums over rings: how many samples, of their radii, of the power. */
static bool count_rings(int64_t *count, double *radius, double *sum, const tess__fit_task *task, const double *power)
{
    const int64_t width = task->shape.w / 2 + 1;
    bool          usable = true;
    for (int64_t h = 0; h < task->shape.h; h++) {
        for (int64_t w = 0; w < width; w++) {
            const sample s = sample_at(task, h, w);
            const double value = power[h * width + w];
            if (s.ring < 0) continue;
            usable = usable && value >= 0 && value <= DBL_MAX;
            count[s.ring]++;
            radius[s.ring] += sqrt(s.r2);
            sum[s.ring] += value;
        }
    }
    return usable;
}

/* Samples in the order of rings; `next` is where the next one of each ring goes. */
static void place_samples(tess__fit_points *p, const tess__fit_task *task, const double *power, int64_t *next)
{
    const int64_t width = task->shape.w / 2 + 1;
    double        columns[TESS__CTF_COLUMNS];
    memcpy(columns, &task->ctf, sizeof columns);
    const tess__ctf_values values = tess__ctf_values_of(columns);
    for (int64_t h = 0; h < task->shape.h; h++) {
        const double        fh = sample_at(task, h, 0).y * task->ctf.pixel_size[0];
        const tess__ctf_row row = tess__ctf_row_of(&values, 0, fh);
        for (int64_t w = 0; w < width; w++) {
            const sample s = sample_at(task, h, w);
            if (s.ring < 0) continue;
            const int64_t i = next[s.ring]++;
            p->value[i] = power[h * width + w];
            p->weight[i] = 1;
            p->fixed[i] = tess__ctf_even(&row, (double)w / (double)task->shape.w);
            p->square[i] = task->rate * s.r2;
            p->cosine[i] = task->rate * (s.x * s.x - s.y * s.y);
            p->sine[i] = task->rate * 2 * s.x * s.y;
        }
    }
}

/* Values become relative to the background, which is linear between the radii of rings. */
static bool remove_background(tess__fit_points *p, const tess__fit_task *task, const double *mean,
                              const double *weights, double *background)
{
    double squares = 0;
    tess__fit_background(background, mean, weights, p->polynomial, p->rings, TESS__FIT_POLYNOMIALS);
    for (int64_t ring = 0; ring < p->rings; ring++) {
        const int64_t other = ring + 1 < p->rings ? ring + 1 : ring - 1;
        const double  distance = p->radius[other] - p->radius[ring];
        const double  slope = distance == 0 ? 0 : (background[other] - background[ring]) / distance;
        for (int64_t i = p->first[ring]; i < p->first[ring + 1]; i++) {
            const double r = sqrt(p->square[i] / task->rate);
            const double level = background[ring] + slope * (r - p->radius[ring]);
            p->value[i] = level > 0 ? p->value[i] / level - 1 : 0;
            squares += p->value[i] * p->value[i];
        }
    }
    return squares > 1e-12 * (double)p->n && squares <= DBL_MAX;
}

/* Radii of the rings, polynomials and where their samples begin. */
static void lay_out_rings(tess__fit_points *p, const tess__fit_task *task, const int64_t *count, double *radius)
{
    int64_t n = 0;
    for (int64_t ring = 0; ring < p->rings; ring++) {
        const double middle = task->low + ((double)ring + 0.5) * task->step;
        p->first[ring] = n;
        p->radius[ring] = count[ring] > 0 ? radius[ring] / (double)count[ring] : middle;
        const double x = (2 * p->radius[ring] - task->low - task->high) / (task->high - task->low);
        tess__fit_chebyshev(p->polynomial + ring * TESS__FIT_POLYNOMIALS, x, TESS__FIT_POLYNOMIALS);
        n += count[ring];
    }
    p->first[p->rings] = n;
}

tess_status tess__fit_gather(tess__fit_points *p, const tess__fit_task *task, const double *power, bool *usable)
{
    const int64_t rings = tess__fit_rings(task);
    const size_t  size = (size_t)(5 * rings) * sizeof(double);
    double *const sums = tess__alloc(size);
    tess_status   status = TESS_OK;
    TESS_CHECK(sums, TESS_ENOMEM, "ctf_fit: no memory for %zu bytes", size);
    memset(sums, 0, size);
    double *const radius = sums, *const sum = sums + rings, *const weights = sums + 2 * rings;
    double *const  background = sums + 3 * rings;
    int64_t *const count = (int64_t *)(void *)(sums + 4 * rings);
    *usable = count_rings(count, radius, sum, task, power);
    int64_t n = 0;
    for (int64_t ring = 0; ring < rings; ring++) n += count[ring];
    TESS_GOTO(done, status, reserve(p, n, rings));
    lay_out_rings(p, task, count, radius);
    for (int64_t ring = 0; ring < rings; ring++) {
        weights[ring] = (double)count[ring];
        sum[ring] /= count[ring] > 0 ? weights[ring] : 1;
        count[ring] = p->first[ring];
    }
    if (*usable) place_samples(p, task, power, count);
    if (*usable) *usable = remove_background(p, task, sum, weights, background);
done:
    tess__free(sums);
    return status;
}

/* ---- Sectors ---- */

static int sector_of(double cosine, double sine)
{
    const double turn = tess__atan2_f64(sine, cosine) / (2 * TESS__PI) + 0.5;
    const int    sector = (int)(turn * TESS__FIT_SECTORS);
    return sector < TESS__FIT_SECTORS ? sector : TESS__FIT_SECTORS - 1;
}

tess_status tess__fit_sectors(tess__fit_points *s, const tess__fit_points *p)
{
    TESS_TRY(reserve(s, TESS__FIT_SECTORS * p->rings, p->rings));
    double *const to[] = { s->value, s->fixed, s->square, s->cosine, s->sine };
    double *const from[] = { p->value, p->fixed, p->square, p->cosine, p->sine };
    memcpy(s->radius, p->radius, (size_t)p->rings * sizeof *s->radius);
    memcpy(s->polynomial, p->polynomial, (size_t)(TESS__FIT_POLYNOMIALS * p->rings) * sizeof *s->polynomial);
    for (int k = 0; k < 5; k++) memset(to[k], 0, (size_t)s->n * sizeof(double));
    memset(s->weight, 0, (size_t)s->n * sizeof(double));
    for (int64_t ring = 0; ring < p->rings; ring++) {
        s->first[ring] = TESS__FIT_SECTORS * ring;
        for (int64_t i = p->first[ring]; i < p->first[ring + 1]; i++) {
            const int64_t at = s->first[ring] + sector_of(p->cosine[i], p->sine[i]);
            s->weight[at] += p->weight[i];
            for (int k = 0; k < 5; k++) to[k][at] += from[k][i];
        }
    }
    s->first[p->rings] = s->n;
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < 5; k++) to[k][i] /= s->weight[i] > 0 ? s->weight[i] : 1;
    return TESS_OK;
}
