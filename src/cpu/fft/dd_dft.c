/* Double-double DFT of a table: numbers are pairs of doubles, about 106 bits, so that the result, rounded to double at
 * the end, is as good as a double can be. Simple and slow: for plans alone.
 */
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "cpu/fft/plan1d.h"
#include "core/twiddle.h"

typedef struct pair {
    double high, low;
} pair;

typedef struct complex_pair {
    pair re, im;
} complex_pair;

static pair plus(pair a, pair b)
{
    const double s = a.high + b.high, t = s - a.high;
    const double low = ((a.high - (s - t)) + (b.high - t)) + (a.low + b.low), high = s + low;
    return (pair){ high, low - (high - s) };
}

static pair times(pair a, pair b)
{
    const double p = a.high * b.high, low = fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high), high = p + low;
    return (pair){ high, low - (high - p) };
}

static complex_pair plus_product(complex_pair c, complex_pair a, complex_pair b)
{
    const pair im = times(a.im, b.im), minus = { -im.high, -im.low };
    c.re = plus(c.re, plus(times(a.re, b.re), minus));
    c.im = plus(c.im, plus(times(a.re, b.im), times(a.im, b.re)));
    return c;
}

/* n numbers, `stride` apart, of a table, with twiddle factors `step` apart in theirs; the result is contiguous. */
static void transform(complex_pair *out, const complex_pair *in, int64_t n, int64_t stride,
                      const complex_pair *twiddles, int64_t step, complex_pair *workspace)
{
    int64_t r = 2;
    while (n % r && r * r <= n) r++;
    if (n % r) r = n;
    const int64_t m = n > 1 ? n / r : 1;
    if (m == 1) {
        memcpy(workspace, in, sizeof *in);
        for (int64_t j = 1; j < n; j++) workspace[j] = in[j * stride];
    }
    for (int64_t j = 0; m > 1 && j < r; j++)
        transform(workspace + j * m, in + j * stride, m, stride * r, twiddles, step * r, out);
    for (int64_t k = 0; k < n; k++) {
        complex_pair sum = workspace[k % m];
        for (int64_t j = 1; j < r && n > 1; j++)
            sum = plus_product(sum, workspace[j * m + k % m], twiddles[j * k % n * step]);
        out[k] = sum;
    }
}

bool tess__fft_dd_spectrum(double *x, int64_t n)
{
    complex_pair *workspace = tess__alloc((size_t)(4 * n) * sizeof *workspace);
    if (!workspace) return false;
    complex_pair *in = workspace, *out = workspace + n, *twiddles = workspace + 2 * n, *more = workspace + 3 * n;
    for (int64_t j = 0; j < n; j++) {
        tess__twiddle       low;
        const tess__twiddle factor = tess__twiddle_dd(j, n, &low);
        twiddles[j] = (complex_pair){ { factor.re, low.re }, { factor.im, low.im } };
        in[j] = (complex_pair){ { x[2 * j], 0 }, { x[2 * j + 1], 0 } };
    }
    transform(out, in, n, 1, twiddles, 1, more);
    for (int64_t k = 0; k < n; k++) x[2 * k] = out[k].re.high, x[2 * k + 1] = out[k].im.high;
    tess__free(workspace);
    return true;
}
