/* Factorisation of an FFT length into radices, a cost model of it, and the cheapest length of at least n. */
#include "cpu/fft/factors.h"

/* Nanoseconds of a stage for each element, as measured on one core (Neoverse-V1, f32); 0: no kernel. */
static const double cost_of_radix[] = { 0, 0, .25, .40, .37, .48, .44, .50, .44, .59, .53, .75, .50, .95, 0, .75, .57 };
#define PASS 0.3 /* nanoseconds of one more pass over the elements */
enum { KERNELS = sizeof cost_of_radix / sizeof *cost_of_radix };

/* The same where one vector fills the lanes. */
static const double stockham_cost[KERNELS] = { 0,   0,   .29, .44, .39, .51, .49, .56, .50,
                                               .72, .66, 1.0, .70, 1.1, 0,   0,   .78 };

bool tess__fft_has_kernel(int64_t r) { return r < KERNELS && cost_of_radix[r] > 0; }

/* Radices in the order of their size, and what they cost together. */
typedef struct choice {
    int32_t radix[TESS__FFT_MAX_STAGES];
    int     n;
    double  cost;
} choice;

/* The cheapest radices, none above the bound, whose product is n, which has only prime factors with kernels. `sofar`
 * are the ones chosen already. */
static void choose(choice *best, choice *sofar, int64_t n, int max, const double *costs)
{
    if (best->n && sofar->cost >= best->cost) return;
    if (n == 1) {
        *best = *sofar;
        return;
    }
    for (int r = max; r > 1; r--) {
        if (costs[r] == 0 || n % r) continue;
        sofar->radix[sofar->n++] = r;
        sofar->cost += costs[r];
        choose(best, sofar, n / r, r, costs);
        sofar->n--;
        sofar->cost -= costs[r];
    }
}

int tess__fft_factors(int32_t *radices, int64_t n)
{
    int64_t small = 1;
    int     n_radices = 0;
    for (int p = 2; p <= 13; p++)
        for (; n % p == 0; n /= p) small *= p;
    /* Large primes first, since the first stage has no twiddle factors; then the others, large ones first. */
    int32_t primes[TESS__FFT_MAX_STAGES];
    int     n_primes = 0;
    for (int64_t p = 17; p * p <= n; p += 2)
        for (; n % p == 0; n /= p) primes[n_primes++] = (int32_t)p;
    if (n > 1) primes[n_primes++] = (int32_t)n;
    while (n_primes > 0) radices[n_radices++] = primes[--n_primes];
    choice best = { .n = 0 }, sofar = { .n = 0 };
    if (small > 1) choose(&best, &sofar, small, KERNELS - 1, cost_of_radix);
    for (int i = 0; i < best.n; i++) radices[n_radices++] = best.radix[i];
    return n_radices;
}

int64_t tess__fft_largest_prime(int64_t n)
{
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= n; p++)
        for (; n % p == 0; n /= p) largest = p;
    return n > 1 ? n : largest;
}

bool tess__fft_is_smooth(int64_t n) { return tess__fft_has_kernel(tess__fft_largest_prime(n)) || n == 1; }

static bool is_power_of_two(int32_t r) { return (r & (r - 1)) == 0; }

int tess__fft_stockham_factors(int32_t *radices, int64_t n)
{
    choice best = { .n = 0 }, sofar = { .n = 0 };
    choose(&best, &sofar, n, KERNELS - 1, stockham_cost);
    for (int i = 0; i < best.n; i++) radices[i] = best.radix[i];
    int first = 0;
    while (first < best.n && !is_power_of_two(radices[first])) first++;
    if (first == best.n) return best.n;
    const int32_t radix = radices[first];
    for (int i = first; i > 0; i--) radices[i] = radices[i - 1];
    radices[0] = radix;
    return best.n;
}

/* Of a prime without a kernel: the cheapest algorithm. Rader costs a little less than this, and has larger errors. */
int tess__fft_prime_way(int64_t r, double *cost)
{
    const int64_t n = tess__fft_convolution_size(2 * r - 1);
    const double  costs[] = { [TESS__FFT_DIRECT] = 0.06 * (double)r,
                              [TESS__FFT_RADER] = 2 * tess__fft_cost(r - 1) + 1.7,
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
    double  min = 0;
    for (int64_t a = 1; a < 2 * n; a *= 3)
        for (int64_t b = a; b < 2 * n; b *= 5)
            for (int64_t c = b; c < 2 * n; c *= 7) {
                int64_t size = c;
                int     bits = 0;
                while (size < n) size *= 2;
                while (size >> bits > 1) bits++;
                /* No radix does more than a doubling in so many nanoseconds. */
                if (best && (double)size * (0.13 * bits + PASS) >= min) continue;
                const double cost = (double)size * (tess__fft_cost(size) + PASS);
                if (best && cost >= min) continue;
                best = size;
                min = cost;
            }
    return best;
}
