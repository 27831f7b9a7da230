/* Statistics in vectors, without a loop: factorials, densities in logarithms, and a mixture of two distributions.
 *
 * The first programs of the Kotlin array library viktor, for those who come from it. The density of N(0, 1) has the
 * factor 1 / sqrt(2 pi).
 */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

static int wrong;

static void expect(const char *what, double got, double want)
{
    const bool good = got == want || fabs(got - want) <= 1e-12 * fabs(want);
    printf("%-52s %.15g%s\n", what, got, good ? "" : "  WRONG");
    wrong += !good;
}

/* f[i] = i!, as the exponential of a running sum of logarithms. */
static tess_status factorials(void)
{
    tess_array f = { 0 };
    double     last = 0, tenth = 0, hundredth = 0;
    TESS_TRY(tess_arange(&f, TESS_SHAPE(1, 1, 1, 1000), TESS_F64, tess_cpu(), 0, 1)); /* f[i] = i */
    TESS_TRY(tess_set_f64(&f, 0, 0, 0, 0, 1));                                        /* 0! is 1 */
    TESS_TRY(tess_log(&f, &f));
    TESS_TRY(tess_cumsum(&f, &f, 3, NULL)); /* f[i] = log(i!) */
    TESS_TRY(tess_get_f64(&last, &f, 0, 0, 0, 999));
    TESS_TRY(tess_exp(&f, &f));
    TESS_TRY(tess_get_f64(&tenth, &f, 0, 0, 0, 10));
    TESS_TRY(tess_get_f64(&hundredth, &f, 0, 0, 0, 100));
    expect("10!", tenth, 3628800);
    expect("100!, to the precision of its logarithm", round(hundredth / 1e149), 933262154);
    expect("log(999!)", last, lgamma(1000));
    TESS_TRY(tess_get_f64(&last, &f, 0, 0, 0, 999));
    expect("999! is too large", last, (double)INFINITY);
    tess_release(&f);
    return TESS_OK;
}

/* Densities of observations under N(0, 1), and, since they may underflow, their logarithms. */
static tess_status gaussian_density(const tess_array *o)
{
    tess_array d = { 0 }, log_d = { 0 };
    double     total = 0, likelihood = 0, squares = 0, first = 0;
    TESS_TRY(tess_mul(&d, o, o));
    TESS_TRY(tess_div(&d, &d, &tess_num(-2)));
    TESS_TRY(tess_exp(&d, &d));
    TESS_TRY(tess_div(&d, &d, &tess_num(sqrt(2 * TESS_PI))));

    TESS_TRY(tess_mul(&log_d, o, o));
    TESS_TRY(tess_div(&log_d, &log_d, &tess_num(-2)));
    TESS_TRY(tess_sub(&log_d, &log_d, &tess_num(0.5 * log(2 * TESS_PI))));
    TESS_TRY(tess_host_sum(&likelihood, &log_d)); /* of all observations together: a product of densities */

    TESS_TRY(tess_get_f64(&first, &d, 0, 0, 0, 0));
    expect("density at -2", first, exp(-2.0) / sqrt(2 * TESS_PI));
    TESS_TRY(tess_log(&d, &d));
    TESS_TRY(tess_host_sum(&total, &d));
    TESS_TRY(tess_host_norm(&squares, o, NULL));
    expect("log likelihood under N(0, 1)", likelihood, -0.5 * squares * squares - 500 * log(2 * TESS_PI));
    expect("the same from the densities", total, likelihood);
    tess_release(&d);
    tess_release(&log_d);
    return TESS_OK;
}

/* Did each observation come from N(0, 1) or from N(3, 1)? log_p[i, j] is the logarithm of the probability that
 * observation j came from component i, times its density there. */
static tess_status gaussian_mixture(const tess_array *o)
{
    const tess_array rows[2] = { *o, *o };
    tess_array       log_p = { 0 }, second = { 0 }, first = { 0 }, log_l = { 0 }, components = { 0 };
    double           likelihood = 0, sum = 0, p = 0;
    int64_t          of_second = 0;
    TESS_TRY(tess_concatenate(&log_p, rows, 2, 2));
    TESS_TRY(tess_index(&first, &log_p, 2, 0));
    TESS_TRY(tess_index(&second, &log_p, 2, 1));
    TESS_TRY(tess_sub(&second, &second, &tess_num(3))); /* through the view: only the second row */
    TESS_TRY(tess_mul(&log_p, &log_p, &log_p));
    TESS_TRY(tess_div(&log_p, &log_p, &tess_num(-2)));
    TESS_TRY(tess_add(&log_p, &log_p, &tess_num(log(0.5) - 0.5 * log(2 * TESS_PI))));

    TESS_TRY(tess_logaddexp(&log_l, &first, &second));
    TESS_TRY(tess_host_sum(&likelihood, &log_l));
    TESS_TRY(tess_logsumexp(&log_l, &log_p, TESS_H, NULL)); /* the same, for any number of components */
    TESS_TRY(tess_host_sum(&sum, &log_l));
    expect("log likelihood under the mixture", likelihood, sum);

    TESS_TRY(tess_argmax(&components, &log_p, TESS_H, NULL)); /* 0 or 1 for each observation */
    TESS_TRY(tess_host_count_nonzero(&of_second, &components));
    expect("observations that are nearer to 3 than to 0", (double)of_second, 500);

    TESS_TRY(tess_log_normalize(&log_p, &log_p, TESS_H)); /* what the observation says of the components */
    TESS_TRY(tess_get_f64(&p, &first, 0, 0, 0, 0));
    expect("probability that -2 came from N(0, 1)", exp(p), 1 / (1 + exp(-0.5 * 25 + 0.5 * 4)));
    tess_release(&log_p);
    tess_release(&log_l);
    tess_release(&components);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array o = { 0 };
    TESS_TRY(tess_linspace(&o, TESS_SHAPE(1, 1, 1, 1000), TESS_F64, tess_cpu(), -2, 5, NULL));
    TESS_TRY(factorials());
    TESS_TRY(gaussian_density(&o));
    TESS_TRY(gaussian_mixture(&o));
    tess_release(&o);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return wrong > 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
