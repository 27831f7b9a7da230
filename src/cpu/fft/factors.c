/* The radices of a length, what a transform of it costs, and lengths that cost little. */
#include "cpu/fft/factors.h"

/* Nanoseconds of a stage for each element, as measured on one core (Neoverse-V1, f32); 0: no kernel. */
static const double cost_of_radix[] = { 0, 0, .25, .40, .36, .48, 0, .50, .44, 0, 0, .75, 0, .95, 0, 0, .58 };
enum { KERNELS = sizeof cost_of_radix / sizeof *cost_of_radix };

bool tess__fft_has_kernel(int64_t r) { return r < KERNELS && cost_of_radix[r] > 0; }

/* Radices of the power of two: as few stages of up to 16 as there can be, and these alike. */
static int twos(int32_t *radices, int e)
{
    const int n = (e + 3) / 4;
    for (int i = 0; i < n; i++) radices[i] = 1 << (e / n + (i < e % n));
    return n;
}

int tess__fft_factors(int32_t *radices, int64_t n)
{
    int32_t odd[TESS__FFT_MAX_STAGES];
    int     n_odd = 0, e = 0;
    for (; n % 2 == 0; n /= 2) e++;
    for (int64_t p = 3; p * p <= n; p += 2)
        for (; n % p == 0; n /= p) odd[n_odd++] = (int32_t)p;
    if (n > 1) odd[n_odd++] = (int32_t)n;
    /* The largest first: the first stage has no twiddles. */
    int n_radices = 0;
    while (n_odd > 0) radices[n_radices++] = odd[--n_odd];
    return n_radices + twos(radices + n_radices, e);
}

/* Of a prime without a kernel: the cheapest way. */
int tess__fft_prime_way(int64_t r, double *cost)
{
    const int64_t n = tess__fft_convolution_size(2 * r - 1);
    const double  costs[] = { [TESS__FFT_DIRECT] = 0.06 * (double)r,
                              [TESS__FFT_RADER] = 2 * tess__fft_cost(r - 1) + 1,
                              [TESS__FFT_BLUESTEIN] = (2 * tess__fft_cost(n) + 1) * (double)n / (double)r };
    int           way = TESS__FFT_DIRECT;
    for (int i = 0; i < 3; i++)
        if (costs[i] < costs[way]) way = i;
    if (cost) *cost = costs[way];
    return way;
}

double tess__fft_cost(int64_t n)
{
    int32_t   radices[TESS__FFT_MAX_STAGES];
    const int n_radices = tess__fft_factors(radices, n);
    double    cost = 0;
    for (int i = 0; i < n_radices; i++) {
        double more = 0;
        if (tess__fft_has_kernel(radices[i])) more = cost_of_radix[radices[i]];
        else (void)tess__fft_prime_way(radices[i], &more);
        cost += more;
    }
    return cost;
}

int64_t tess__fft_convolution_size(int64_t n)
{
    int64_t best = 0;
    double  least = 0;
    for (int64_t a = 1; a < 2 * n; a *= 3)
        for (int64_t b = a; b < 2 * n; b *= 5)
            for (int64_t c = b; c < 2 * n; c *= 7) {
                int64_t size = c;
                while (size < n) size *= 2;
                const double cost = (double)size * (tess__fft_cost(size) + 0.3);
                if (best && cost >= least) continue;
                best = size;
                least = cost;
            }
    return best;
}
