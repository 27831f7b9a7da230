/* Fit of the CTF: waves, sums of products over the samples of a shell, and correlations of sectors. Built once per
 * instruction set.
 *
 * Sums are made in LANES parts, of which sample i goes to number i modulo LANES, and which are added in pairs: so the
 * order of additions is the same for vectors of any length. */
#include <math.h>
#include <string.h>

#include "cpu/signal/ctf_fit.h"
#include "cpu/signal/kernels.h"
#include "cpu/template.h"

enum { LANES = TESS__FIT_LANES, BLOCK = 128 };

/* Sum of a[i] b[i]; n is a multiple of LANES. */
static inline double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    double lane[LANES] = { 0 };
    for (int64_t i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void waves(double *restrict cosine, double *restrict sine, const double *restrict half_turns, int64_t n)
{
    for (int64_t i = 0; i < n; i++) tess__fit_wave(half_turns[i], &cosine[i], &sine[i]);
}

/* ---- Shells ---- */

typedef struct block {
    _Alignas(64) double plain[TESS__FIT_QUANTITIES][BLOCK];
    _Alignas(64) double weighted[TESS__FIT_QUANTITIES][BLOCK];
} block;

/* Quantities of n samples from number `at` on, up to a multiple of LANES followed by zeros. */
static int64_t load(block *restrict to, const tess__fit_points *p, int64_t at, int64_t n, const double *q)
{
    const int64_t padded = (n + LANES - 1) / LANES * LANES;
    const double *restrict fixed = p->fixed + at, *restrict square = p->square + at, *restrict cosine = p->cosine + at;
    const double *restrict sine = p->sine + at, *restrict value = p->value + at, *restrict weight = p->weight + at;
    const double defocus = q[TESS__FIT_DEFOCUS], along = q[TESS__FIT_COSINE], across = q[TESS__FIT_SINE];
    const double shift = q[TESS__FIT_SHIFT] / TESS_PI;
    for (int k = 0; k < TESS__FIT_QUANTITIES && padded > n; k++) {
        memset(&to->plain[k][padded - LANES], 0, LANES * sizeof(double));
        memset(&to->weighted[k][padded - LANES], 0, LANES * sizeof(double));
    }
    for (int64_t i = 0; i < n; i++) {
        const double t = fixed[i] - square[i] * defocus - cosine[i] * along - sine[i] * across - shift;
        double       c, s;
        tess__fit_wave(t, &c, &s);
        to->plain[TESS__FIT_ONE][i] = 1;
        to->plain[TESS__FIT_COS][i] = c;
        to->plain[TESS__FIT_SIN][i] = s;
        to->plain[TESS__FIT_SIN_SQUARE][i] = s * square[i];
        to->plain[TESS__FIT_SIN_COSINE][i] = s * cosine[i];
        to->plain[TESS__FIT_SIN_SINE][i] = s * sine[i];
        to->plain[TESS__FIT_DATA][i] = value[i];
    }
    for (int k = 0; k < TESS__FIT_QUANTITIES; k++)
        for (int64_t i = 0; i < n; i++) to->weighted[k][i] = weight[i] * to->plain[k][i];
    return padded;
}

static void shell(tess__fit_sums sums, const tess__fit_points *p, int64_t first, int64_t last, const double *q)
{
    block b;
    memset(sums, 0, sizeof(tess__fit_sums));
    for (int64_t at = first; at < last; at += BLOCK) {
        const int64_t n = load(&b, p, at, last - at < BLOCK ? last - at : BLOCK, q);
        for (int k = 0; k < TESS__FIT_QUANTITIES; k++)
            for (int j = 0; j <= k; j++) sums[k][j] += dot(b.weighted[k], b.plain[j], n);
    }
}

/* ---- Sectors ---- */

static void products(double *to, const double *rows, const double *c, const double *s, int64_t n)
{
    const double *const weight = rows + TESS__FIT_ROW_WEIGHT * n, *const value = rows + TESS__FIT_ROW_VALUE * n;
    double cc[LANES] = { 0 }, cs[LANES] = { 0 }, ss[LANES] = { 0 }, sum[3] = { 0 };
    for (int64_t i = 0; i < n; i += LANES) {
        for (int l = 0; l < LANES; l++) cc[l] += weight[i + l] * c[i + l] * c[i + l];
        for (int l = 0; l < LANES; l++) cs[l] += weight[i + l] * c[i + l] * s[i + l];
        for (int l = 0; l < LANES; l++) ss[l] += weight[i + l] * s[i + l] * s[i + l];
    }
    for (int l = 0; l < LANES; l++) sum[0] += cc[l], sum[1] += cs[l], sum[2] += ss[l];
    for (int k = TESS__FIT_ROW_BASIS; k < TESS__FIT_ROWS; k++) {
        const double of_c = dot(rows + k * n, c, n), of_s = dot(rows + k * n, s, n);
        sum[0] -= of_c * of_c;
        sum[1] -= of_c * of_s;
        sum[2] -= of_s * of_s;
    }
    to[TESS__FIT_VALUE_C] = dot(value, c, n);
    to[TESS__FIT_VALUE_S] = dot(value, s, n);
    to[TESS__FIT_CC] = sum[0];
    to[TESS__FIT_CS] = sum[1];
    to[TESS__FIT_SS] = sum[2];
}

static void totals(double sums[TESS__FIT_PRODUCTS][TESS__FIT_RUN], const double *table, int64_t stride,
                   const int64_t offset[TESS__FIT_SECTORS])
{
    for (int k = 0; k < TESS__FIT_PRODUCTS; k++) {
        double total[TESS__FIT_RUN] = { 0 };
        for (int sector = 0; sector < TESS__FIT_SECTORS; sector++) {
            const double *restrict row = table + (sector * TESS__FIT_PRODUCTS + k) * stride + offset[sector];
            for (int i = 0; i < TESS__FIT_RUN; i++) total[i] += row[i];
        }
        memcpy(sums[k], total, sizeof total);
    }
}

static void scores(double to[TESS__FIT_RUN], double sums[TESS__FIT_PRODUCTS][TESS__FIT_RUN], double c, double s)
{
    for (int i = 0; i < TESS__FIT_RUN; i++) {
        const double norm =
            c * c * sums[TESS__FIT_CC][i] + 2 * c * s * sums[TESS__FIT_CS][i] + s * s * sums[TESS__FIT_SS][i];
        const double product = c * sums[TESS__FIT_VALUE_C][i] + s * sums[TESS__FIT_VALUE_S][i];
        to[i] = norm > 0 ? product / sqrt(norm) : 0;
    }
}

void TESS__FILL_KERNELS(signal, ctf_fit)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, ctf_fit)(tess__signal_kernels *kernels)
{
    kernels->fit_waves = waves;
    kernels->fit_shell = shell;
    kernels->fit_products = products;
    kernels->fit_totals = totals;
    kernels->fit_scores = scores;
}
