/* Samples of a power spectrum for the fit of a CTF: rings, relative to a smooth background, and means over sectors. */
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

/* Storage of samples and rings; to be released. */
static bool reserve(tess__fit_points *p, int64_t n, int64_t rings)
{
    const int64_t of_ring = 2 + TESS__FIT_POLYNOMIALS + TESS__FIT_QUANTITIES * TESS__FIT_QUANTITIES;
    p->storage = tess__alloc((size_t)(6 * n + of_ring * rings + 1) * sizeof(double));
    if (!p->storage) return false;
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
    p->sums = (tess__fit_sums *)(void *)(p->polynomial + TESS__FIT_POLYNOMIALS * rings);
    p->first = (int64_t *)(void *)(p->sums + rings);
    return true;
}

/* ---- Samples ---- */

/* Sums over rings: how many samples, of their radii, of the power. */
typedef struct ring_sums {
    int64_t *count;
    double  *radius, *power, *weights, *background;
    double  *storage;
} ring_sums;

/* The end of the columns of a row that can be in the range. */
static int64_t columns_of(const tess__fit_range *r, double y)
{
    const double  x2 = r->high * r->high - y * y, x = x2 > 0 ? sqrt(x2) : 0;
    const int64_t width = r->w / 2 + 1;
    const double  end = x * (double)r->w * r->pixel_w + 2;
    return end < (double)width ? (int64_t)end : width;
}

/* False if there is a number that no power has. */
static bool count_rings(const ring_sums *sums, const tess__fit_range *r, const double *power)
{
    const int64_t width = r->w / 2 + 1;
    bool          usable = true;
    for (int64_t h = 0; h < r->h; h++) {
        const int64_t end = columns_of(r, tess__fit_sample_at(r, h, 0).y);
        for (int64_t w = 0; w < end; w++) {
            const tess__fit_sample s = tess__fit_sample_at(r, h, w);
            const double           value = power[h * width + w];
            if (s.ring < 0) continue;
            usable = usable && value >= 0 && value <= DBL_MAX;
            sums->count[s.ring]++;
            sums->radius[s.ring] += sqrt(s.r2);
            sums->power[s.ring] += value;
        }
    }
    return usable;
}

/* Samples in the order of rings; `next` is where the next one of each ring goes. */
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
            if (s.ring < 0) continue;
            const int64_t i = next[s.ring]++;
            p->value[i] = power[h * width + w];
            p->weight[i] = 1;
            p->fixed[i] = tess__ctf_even(&row, (double)w / (double)r->w);
            p->square[i] = r->rate * s.r2;
            p->cosine[i] = r->rate * (s.x * s.x - s.y * s.y);
            p->sine[i] = r->rate * 2 * s.x * s.y;
        }
    }
}

/* Values become relative to the background, which is linear between the radii of rings. False if nothing is left. */
static bool remove_background(tess__fit_points *p, const ring_sums *sums, double rate)
{
    const double *background = sums->background;
    double        squares = 0;
    tess__fit_background(sums->background, sums->power, sums->weights, p->polynomial, p->rings, TESS__FIT_POLYNOMIALS);
    for (int64_t ring = 0; ring < p->rings; ring++) {
        const int64_t other = ring + 1 < p->rings ? ring + 1 : ring - 1;
        const double  distance = p->radius[other] - p->radius[ring];
        const double  slope = distance == 0 ? 0 : (background[other] - background[ring]) / distance;
        for (int64_t i = p->first[ring]; i < p->first[ring + 1]; i++) {
            const double r = sqrt(p->square[i] / rate);
            const double level = background[ring] + slope * (r - p->radius[ring]);
            p->value[i] = level > 0 ? p->value[i] / level - 1 : 0;
            squares += p->value[i] * p->value[i];
        }
    }
    p->count = (double)p->n;
    p->variance = squares / p->count;
    return squares > 1e-12 * (double)p->n && squares <= DBL_MAX;
}

/* Radii of the rings, polynomials and where their samples begin. */
static void lay_out_rings(tess__fit_points *p, const tess__fit_range *r, const ring_sums *sums)
{
    int64_t n = 0;
    for (int64_t ring = 0; ring < p->rings; ring++) {
        const double middle = r->low + ((double)ring + 0.5) * r->step;
        p->first[ring] = n;
        p->radius[ring] = sums->count[ring] > 0 ? sums->radius[ring] / (double)sums->count[ring] : middle;
        const double x = (2 * p->radius[ring] - r->low - r->high) / (r->high - r->low);
        tess__fit_chebyshev(p->polynomial + ring * TESS__FIT_POLYNOMIALS, x, TESS__FIT_POLYNOMIALS);
        n += sums->count[ring];
    }
    p->first[p->rings] = n;
}

static bool make_sums(ring_sums *sums, int64_t rings)
{
    const size_t size = (size_t)(5 * rings) * sizeof(double);
    sums->storage = tess__alloc(size);
    if (!sums->storage) return false;
    memset(sums->storage, 0, size);
    sums->radius = sums->storage;
    sums->power = sums->radius + rings;
    sums->weights = sums->power + rings;
    sums->background = sums->weights + rings;
    sums->count = (int64_t *)(void *)(sums->background + rings);
    return true;
}

bool tess__fit_gather(tess__fit_points *p, const tess__ctf_fit *work, const double *power, bool *usable)
{
    const int64_t rings = tess__fit_rings(&work->range);
    ring_sums     sums;
    int64_t       n = 0;
    if (!make_sums(&sums, rings)) return false;
    *usable = count_rings(&sums, &work->range, power);
    for (int64_t ring = 0; ring < rings; ring++) n += sums.count[ring];
    const bool reserved = reserve(p, n, rings);
    if (reserved && *usable) {
        lay_out_rings(p, &work->range, &sums);
        for (int64_t ring = 0; ring < rings; ring++) {
            sums.weights[ring] = (double)sums.count[ring];
            sums.power[ring] /= sums.count[ring] > 0 ? sums.weights[ring] : 1;
            sums.count[ring] = p->first[ring];
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

static void average_rings(void *context, int64_t first, int64_t last)
{
    const sectors          *c = context;
    tess__fit_points       *s = c->to;
    const tess__fit_points *p = c->from;
    double *const           to[] = { s->value, s->fixed, s->square, s->cosine, s->sine, s->weight };
    double *const           from[] = { p->value, p->fixed, p->square, p->cosine, p->sine };
    for (int64_t ring = first; ring < last; ring++) {
        const int64_t begin = TESS__FIT_SECTORS * ring, end = begin + TESS__FIT_SECTORS;
        s->first[ring] = begin;
        for (int k = 0; k < 6; k++) memset(to[k] + begin, 0, TESS__FIT_SECTORS * sizeof(double));
        for (int64_t i = p->first[ring]; i < p->first[ring + 1]; i++) {
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
    const double cost = COST * (double)p->n / (double)p->rings;
    if (!reserve(s, TESS__FIT_SECTORS * p->rings, p->rings)) return false;
    s->count = p->count;
    s->variance = p->variance;
    memcpy(s->radius, p->radius, (size_t)p->rings * sizeof *s->radius);
    memcpy(s->polynomial, p->polynomial, (size_t)(TESS__FIT_POLYNOMIALS * p->rings) * sizeof *s->polynomial);
    s->first[p->rings] = s->n;
    tess__parallel(p->rings, tess__grain(p->rings, cost), average_rings, &context);
    return true;
}
