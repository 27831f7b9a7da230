/* Averages of a power spectrum along lines of equal phase of a CTF, and up to where they agree with the CTF. */
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/ctf_phase.op.h"

#define COST 15.0 /* nanoseconds of a coefficient */

enum { TERMS = 7 /* polynomials of the background */, PARTS = 16 /* of the rows, each with sums of its own */ };

static const double half_window = 0.75; /* periods of CTF^2: windows have one and a half */
static const double threshold = 0.5;    /* of the correlation */

typedef struct curves {
    const tess__ctf_fit *work;
    const double        *power;
    tess__ctf_ellipse    ellipse;
    int64_t              size;          /* the smaller one of the spectrum */
    int64_t              shells, first; /* `first`: the lowest shell of the range of the fit */
    double              *measured, *model, *agreement;
    double              *half_turns, *mean, *count, *background, *basis;
    double              *parts; /* [PARTS][2][shells]: sums and counts */
} curves;

/* ---- Averages ---- */

static void add_row(const curves *c, double *sum, double *count, int64_t h)
{
    const tess__fit_range *r = &c->work->range;
    const int64_t          width = r->w / 2 + 1, k = h < (r->h + 1) / 2 ? h : h - r->h;
    for (int64_t w = k < 0 ? 1 : 0; w < width; w++) {
        const double f = tess__ctf_isotropic(&c->ellipse, (double)k / (double)r->h, (double)w / (double)r->w);
        const double at = f * (double)c->size + 0.5;
        if (!(at < (double)c->shells)) continue;
        sum[(int64_t)at] += c->power[h * width + w];
        count[(int64_t)at] += 1;
    }
}

static void add_parts(void *context, int64_t first, int64_t last)
{
    const curves *c = context;
    const int64_t rows = c->work->range.h;
    for (int64_t part = first; part < last; part++) {
        double *const sum = c->parts + 2 * part * c->shells;
        for (int64_t h = rows * part / PARTS; h < rows * (part + 1) / PARTS; h++) add_row(c, sum, sum + c->shells, h);
    }
}

/* The mean power at each frequency of the isotropic CTF. */
static void average(curves *c)
{
    const tess__fit_range *r = &c->work->range;
    const double           cost = COST * (double)r->h * (double)(r->w / 2 + 1) / PARTS;
    tess__parallel(PARTS, tess__grain(PARTS, cost), add_parts, c);
    for (int64_t i = 0; i < c->shells; i++) {
        for (int part = 0; part < PARTS; part++) {
            const double *sum = c->parts + 2 * part * c->shells;
            c->mean[i] += sum[i];
            c->count[i] += sum[c->shells + i];
        }
        c->mean[i] /= c->count[i] > 0 ? c->count[i] : 1;
    }
}

/* Measured, without background, and model: of the isotropic CTF, whose pixels are of the mean size. */
static void compare(const curves *c, const tess_ctf *ctf)
{
    const int64_t n = c->shells - c->first;
    tess_ctf      isotropic = *ctf;
    double        columns[TESS__CTF_COLUMNS];
    isotropic.pixel_size[0] = isotropic.pixel_size[1] = c->work->pixel;
    isotropic.astigmatism = isotropic.tetrafoil = 0;
    memcpy(columns, &isotropic, sizeof columns);
    const tess__ctf_values values = tess__ctf_values_of(columns);
    const tess__ctf_row    row = tess__ctf_row_of(&values, 0, 0);
    for (int64_t i = 0; i < c->shells; i++) {
        double cosine, sine;
        c->half_turns[i] = tess__ctf_even(&row, (double)i / (double)c->size);
        tess__fit_wave(c->half_turns[i], &cosine, &sine);
        c->model[i] = 0.5 - 0.5 * cosine;
    }
    for (int64_t i = 0; i < n; i++)
        tess__fit_chebyshev(c->basis + i * TERMS, n > 1 ? 2 * (double)i / (double)(n - 1) - 1 : 0, TERMS);
    tess__fit_background(c->background, c->mean + c->first, c->count + c->first, c->basis, n, TERMS);
    for (int64_t i = 0; i < n; i++) c->measured[c->first + i] = c->mean[c->first + i] / c->background[i] - 1;
}

/* ---- Agreement ---- */

static double correlation(const double *a, const double *b, int64_t n)
{
    double mean_a = 0, mean_b = 0, aa = 0, ab = 0, bb = 0;
    for (int64_t i = 0; i < n; i++) mean_a += a[i] / (double)n, mean_b += b[i] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* The correlation of both in a window around each shell; none from where shells are coarser than half a ring. */
static void agree(const curves *c)
{
    for (int64_t i = c->first; i < c->shells; i++) {
        const double t = c->half_turns[i];
        int64_t      low = tess__max(i - 2, c->first), high = tess__min(i + 2, c->shells - 1);
        if (i > c->first && fabs(t - c->half_turns[i - 1]) > 0.5) return;
        while (low > c->first && fabs(c->half_turns[low - 1] - t) <= half_window) low--;
        while (high < c->shells - 1 && fabs(c->half_turns[high + 1] - t) <= half_window) high++;
        c->agreement[i] = correlation(c->measured + low, c->model + low, high - low + 1);
    }
}

/* Where the agreement, once it has been above the threshold, falls below it. */
static double find_resolution(const curves *c)
{
    const double size = (double)c->size;
    int64_t      i = c->first;
    while (i < c->shells && c->agreement[i] < threshold) i++;
    if (i == c->shells) return 0;
    while (i + 1 < c->shells && c->agreement[i + 1] >= threshold) i++;
    if (i + 1 == c->shells) return (double)i / size;
    return ((double)i + (c->agreement[i] - threshold) / (c->agreement[i] - c->agreement[i + 1])) / size;
}

/* ---- Curves ---- */

/* Storage of `c`, to be freed, and where its curves are; NULL if there is no memory. */
static double *lay_out(curves *c, double *out)
{
    const int64_t shells = c->shells;
    const size_t  size = (size_t)((4 + TERMS + 2 * PARTS) * shells) * sizeof(double);
    double *const storage = tess__alloc(size);
    if (!storage) return NULL;
    memset(storage, 0, size);
    memset(out, 0, (size_t)(3 * shells) * sizeof *out);
    c->measured = out;
    c->model = out + shells;
    c->agreement = out + 2 * shells;
    c->half_turns = storage;
    c->mean = storage + shells;
    c->count = storage + 2 * shells;
    c->background = storage + 3 * shells;
    c->basis = storage + 4 * shells;
    c->parts = c->basis + TERMS * shells;
    return storage;
}

bool tess__fit_curves(double *out, double *resolution, const tess__ctf_fit *work, const double *power,
                      const tess_ctf *ctf)
{
    const int64_t smaller = tess__min(work->range.h, work->range.w), shells = smaller / 2 + 1;
    curves        c = { .work = work, .power = power, .size = smaller, .shells = shells };
    double        columns[TESS__CTF_COLUMNS];
    memcpy(columns, ctf, sizeof columns);
    c.ellipse = tess__ctf_ellipse_of(columns);
    c.first = tess__min((int64_t)ceil(work->range.low * work->pixel * (double)smaller), shells - 1);
    double *const storage = lay_out(&c, out);
    if (!storage) return false;
    average(&c);
    compare(&c, ctf);
    agree(&c);
    *resolution = find_resolution(&c);
    tess__free(storage);
    return true;
}
