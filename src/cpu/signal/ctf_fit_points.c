/* Samples of a power spectrum for the fit of a CTF: shells, relative to a smooth background, and means over sectors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/ctf.op.h"

#define COST 20.0 /* nanoseconds to find the sector of a sample */

/* ---- Storage ---- */

void tess__fit_release(tess__fit_points *points)
{
    tess__free(points->storage);
    *points = (tess__fit_points){ .storage = NULL };
}

/* Storage of samples and shells; to be released. */
static bool reserve(tess__fit_points *p, int64_t n, int64_t shells)
{
    const int64_t of_shell = 2 + TESS__FIT_POLYNOMIALS + TESS__FIT_QUANTITIES * TESS__FIT_QUANTITIES;
    p->storage = tess__alloc((size_t)(6 * n + of_shell * shells + 1) * sizeof(double));
    if (!p->storage) return false;
    p->n = n;
    p->shells = shells;
    p->value = p->storage;
    p->weight = p->value + n;
    p->fixed = p->weight + n;
    p->square = p->fixed + n;
    p->cosine = p->square + n;
    p->sine = p->cosine + n;
    p->radius = p->sine + n;
    p->polynomial = p->radius + shells;
    p->sums = (tess__fit_sums *)(void *)(p->polynomial + TESS__FIT_POLYNOMIALS * shells);
    p->first = (int64_t *)(void *)(p->sums + shells);
    return true;
}

/* ---- Samples ---- */

/* Sums over shells: how many samples, of their radii, of the power. */
typedef struct shell_sums {
    int64_t *count;
    double  *radius, *power, *weights, *background;
    double  *storage;
} shell_sums;

/* The end of the columns of a row that can be in the range. */
static int64_t columns_of(const tess__fit_range *r, double y)
{
    const double  x2 = r->high * r->high - y * y, x = x2 > 0 ? sqrt(x2) : 0;
    const int64_t width = r->w / 2 + 1;
    const double  end = x * (double)r->w * r->pixel_w + 2;
    return end < (double)width ? (int64_t)end : width;
}

/* False if there is a number that no power has. */
static bool count_shells(const shell_sums *sums, const tess__fit_range *r, const double *power)
{
    const int64_t width = r->w / 2 + 1;
    bool          usable = true;
    for (int64_t h = 0; h < r->h; h++) {
        const int64_t end = columns_of(r, tess__fit_sample_at(r, h, 0).y);
        for (int64_t w = 0; w < end; w++) {
            const tess__fit_sample s = tess__fit_sample_at(r, h, w);
            const double           value = power[h * width + w];
            if (s.shell < 0) continue;
            usable = usable && value >= 0 && value <= DBL_MAX;
            sums->count[s.shell]++;
            sums->radius[s.shell] += sqrt(s.r2);
            sums->power[s.shell] += value;
        }
    }
    return usable;
}

/* Samples in the order of shells; `next` is where the next one of each shell goes. */
static void place_samples(tess__fit_points *p, const tess__ctf_fit *work, const double *power, int64_t *next)
{
    const tess__fit_range *r = &work->range;
    const int64_t          width = r->w / 2 + 1;
    double                 columns[TESS__CTF_COLUMNS];
    memcpy(columns, &work->ctf, sizeof columns);
    const tess__ctf_values values = tess__ctf_values_of(columns);
    for (int64_t h = 0; h < r->h; h++) {
        const double        y = tess__fit_sample_at(r, h, 0).y;
        const tess__ctf_row row = tess__ctf_row_of(&values, 0, y * r->pixel_h);
        const int64_t       end = columns_of(r, y);
        for (int64_t w = 0; w < end; w++) {
            const tess__fit_sample s = tess__fit_sample_at(r, h, w);
            if (s.shell < 0) continue;
            const int64_t i = next[s.shell]++;
            p->value[i] = power[h * width + w];
            p->weight[i] = 1;
            p->fixed[i] = tess__ctf_even(&row, (double)w / (double)r->w);
            p->square[i] = r->rate * s.r2;
            p->cosine[i] = r->rate * (s.x * s.x - s.y * s.y);
            p->sine[i] = r->rate * 2 * s.x * s.y;
        }
    }
}

/* Values become relative to the background, which is linear between the radii of shells. False if nothing is left. */
static bool remove_background(tess__fit_points *p, const shell_sums *sums, double rate)
{
    const double *background = sums->background;
    double        squares = 0;
    tess__fit_background(sums->background, sums->power, sums->weights, p->polynomial, p->shells, TESS__FIT_POLYNOMIALS);
    for (int64_t shell = 0; shell < p->shells; shell++) {
        const int64_t other = shell + 1 < p->shells ? shell + 1 : shell - 1;
        const double  distance = p->radius[other] - p->radius[shell];
        const double  slope = distance == 0 ? 0 : (background[other] - background[shell]) / distance;
        for (int64_t i = p->first[shell]; i < p->first[shell + 1]; i++) {
            const double r = sqrt(p->square[i] / rate);
            const double level = background[shell] + slope * (r - p->radius[shell]);
            p->value[i] = level > 0 ? p->value[i] / level - 1 : 0;
            squares += p->value[i] * p->value[i];
        }
    }
    p->count = (double)p->n;
    p->variance = squares / p->count;
    return squares > 1e-12 * (double)p->n && squares <= DBL_MAX;
}

/* Radii of the shells, polynomials and where their samples begin. */
static void lay_out_shells(tess__fit_points *p, const tess__fit_range *r, const shell_sums *sums)
{
    int64_t n = 0;
    for (int64_t shell = 0; shell < p->shells; shell++) {
        const double middle = r->low + ((double)shell + 0.5) * r->step;
        p->first[shell] = n;
        p->radius[shell] = sums->count[shell] > 0 ? sums->radius[shell] / (double)sums->count[shell] : middle;
        const double x = (2 * p->radius[shell] - r->low - r->high) / (r->high - r->low);
        tess__fit_chebyshev(p->polynomial + shell * TESS__FIT_POLYNOMIALS, x, TESS__FIT_POLYNOMIALS);
        n += sums->count[shell];
    }
    p->first[p->shells] = n;
}

static bool make_sums(shell_sums *sums, int64_t shells)
{
    const size_t size = (size_t)(5 * shells) * sizeof(double);
    sums->storage = tess__alloc(size);
    if (!sums->storage) return false;
    memset(sums->storage, 0, size);
    sums->radius = sums->storage;
    sums->power = sums->radius + shells;
    sums->weights = sums->power + shells;
    sums->background = sums->weights + shells;
    sums->count = (int64_t *)(void *)(sums->background + shells);
    return true;
}

bool tess__fit_gather(tess__fit_points *p, const tess__ctf_fit *work, const double *power, bool *usable)
{
    const int64_t shells = tess__fit_shells(&work->range);
    shell_sums    sums;
    int64_t       n = 0;
    if (!make_sums(&sums, shells)) return false;
    *usable = count_shells(&sums, &work->range, power);
    for (int64_t shell = 0; shell < shells; shell++) n += sums.count[shell];
    const bool reserved = reserve(p, n, shells);
    if (reserved && *usable) {
        lay_out_shells(p, &work->range, &sums);
        for (int64_t shell = 0; shell < shells; shell++) {
            sums.weights[shell] = (double)sums.count[shell];
            sums.power[shell] /= sums.count[shell] > 0 ? sums.weights[shell] : 1;
            sums.count[shell] = p->first[shell];
        }
        place_samples(p, work, power, sums.count);
        *usable = remove_background(p, &sums, work->range.rate);
    }
    tess__free(sums.storage);
    return reserved;
}

/* ---- Sectors ---- */

typedef struct sectors {
    tess__fit_points       *to;
    const tess__fit_points *from;
} sectors;

static int sector_of(double cosine, double sine)
{
    const double turn = tess__atan2_f64(sine, cosine) / (2 * TESS_PI) + 0.5;
    const int    sector = (int)(turn * TESS__FIT_SECTORS);
    return sector < TESS__FIT_SECTORS ? sector : TESS__FIT_SECTORS - 1;
}

static void average_shells(void *context, int64_t first, int64_t last)
{
    const sectors          *c = context;
    tess__fit_points       *s = c->to;
    const tess__fit_points *p = c->from;
    double *const           to[] = { s->value, s->fixed, s->square, s->cosine, s->sine, s->weight };
    double *const           from[] = { p->value, p->fixed, p->square, p->cosine, p->sine };
    for (int64_t shell = first; shell < last; shell++) {
        const int64_t begin = TESS__FIT_SECTORS * shell, end = begin + TESS__FIT_SECTORS;
        s->first[shell] = begin;
        for (int k = 0; k < 6; k++) memset(to[k] + begin, 0, TESS__FIT_SECTORS * sizeof(double));
        for (int64_t i = p->first[shell]; i < p->first[shell + 1]; i++) {
            const int64_t at = begin + sector_of(p->cosine[i], p->sine[i]);
            s->weight[at] += p->weight[i];
            for (int k = 0; k < 5; k++) to[k][at] += from[k][i];
        }
        for (int64_t i = begin; i < end; i++)
            for (int k = 0; k < 5; k++) to[k][i] /= s->weight[i] > 0 ? s->weight[i] : 1;
    }
}

bool tess__fit_sectors(tess__fit_points *s, const tess__fit_points *p)
{
    sectors      context = { s, p };
    const double cost = COST * (double)p->n / (double)p->shells;
    if (!reserve(s, TESS__FIT_SECTORS * p->shells, p->shells)) return false;
    s->count = p->count;
    s->variance = p->variance;
    memcpy(s->radius, p->radius, (size_t)p->shells * sizeof *s->radius);
    memcpy(s->polynomial, p->polynomial, (size_t)(TESS__FIT_POLYNOMIALS * p->shells) * sizeof *s->polynomial);
    s->first[p->shells] = s->n;
    tess__parallel(p->shells, tess__grain(p->shells, cost), average_shells, &context);
    return true;
}
