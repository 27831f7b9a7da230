/* Averages of a power spectrum along lines of equal phase of a CTF, and up to where they agree with the CTF. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/minmax.h"
#include "formulas/ctf.op.h"
#include "ops/signal/ctf_fit.h"

enum { TERMS = 7 /* polynomials of the background */ };

static const double half_window = 0.75; /* periods of CTF^2: windows have one and a half */
static const double threshold = 0.5;    /* of the correlation */

typedef struct curves {
    int64_t shells, first; /* `first`: the lowest shell of the range of the fit */
    double *measured, *model, *agreement;
    double *half_turns, *mean, *count, *background, *basis;
} curves;

/* The mean power at each frequency of the isotropic CTF. */
static void average(const curves *c, const tess__fit_task *task, const double *power, const tess_ctf *ctf)
{
    const int64_t width = task->shape.w / 2 + 1, n = task->shape.h;
    const double  shells = (double)tess__min(task->shape.h, task->shape.w);
    for (int64_t h = 0; h < n; h++) {
        const int64_t k = h < (n + 1) / 2 ? h : h - n;
        for (int64_t w = k < 0 ? 1 : 0; w < width; w++) {
            const double f =
                tess_ctf_isotropic_frequency(ctf, (double)k / (double)n, (double)w / (double)task->shape.w);
            const double at = f * shells + 0.5;
            if (!(at < (double)c->shells)) continue;
            c->mean[(int64_t)at] += power[h * width + w];
            c->count[(int64_t)at] += 1;
        }
    }
    for (int64_t i = 0; i < c->shells; i++) c->mean[i] /= c->count[i] > 0 ? c->count[i] : 1;
}

/* Measured, without background, and model. */
static void compare(const curves *c, const tess__fit_task *task, const tess_ctf *ctf)
{
    const int64_t  n = c->shells - c->first;
    const double   size = (double)tess__min(task->shape.h, task->shape.w);
    const tess_ctf isotropic = tess_ctf_isotropic(ctf);
    for (int64_t i = 0; i < c->shells; i++) {
        double cosine, sine;
        c->half_turns[i] = tess_ctf_phase_at(&isotropic, 0, (double)i / size) / TESS__PI;
        tess__fit_wave(c->half_turns[i], &cosine, &sine);
        c->model[i] = 0.5 - 0.5 * cosine;
    }
    for (int64_t i = 0; i < n; i++)
        tess__fit_chebyshev(c->basis + i * TERMS, n > 1 ? 2 * (double)i / (double)(n - 1) - 1 : 0, TERMS);
    tess__fit_background(c->background, c->mean + c->first, c->count + c->first, c->basis, n, TERMS);
    for (int64_t i = 0; i < n; i++) c->measured[c->first + i] = c->mean[c->first + i] / c->background[i] - 1;
}

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
static double find_resolution(const curves *c, double size)
{
    int64_t i = c->first;
    while (i < c->shells && c->agreement[i] < threshold) i++;
    if (i == c->shells) return 0;
    while (i + 1 < c->shells && c->agreement[i + 1] >= threshold) i++;
    if (i + 1 == c->shells) return (double)i / size;
    return ((double)i + (c->agreement[i] - threshold) / (c->agreement[i] - c->agreement[i + 1])) / size;
}

tess_status tess__fit_curves(double *out, double *resolution, const tess__fit_task *task, const double *power,
                             const tess_ctf *ctf)
{
    const int64_t smaller = tess__min(task->shape.h, task->shape.w), shells = smaller / 2 + 1;
    const size_t  size = (size_t)((4 + TERMS) * shells) * sizeof(double);
    curves        c = { .shells = shells };
    double *const storage = tess__alloc(size);
    TESS_CHECK(storage, TESS_ENOMEM, "ctf_fit: no memory for %zu bytes", size);
    memset(storage, 0, size);
    memset(out, 0, (size_t)(3 * shells) * sizeof *out);
    c.first = tess__min((int64_t)ceil(task->low * task->pixel * (double)smaller), shells - 1);
    c.measured = out;
    c.model = out + shells;
    c.agreement = out + 2 * shells;
    c.half_turns = storage;
    c.mean = storage + shells;
    c.count = storage + 2 * shells;
    c.background = storage + 3 * shells;
    c.basis = storage + 4 * shells;
    average(&c, task, power, ctf);
    compare(&c, task, ctf);
    agree(&c);
    *resolution = find_resolution(&c, (double)smaller);
    tess__free(storage);
    return TESS_OK;
}
