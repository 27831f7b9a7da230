/* A program of a user's: adds up a transposed copy, and the roots that an operator of its own makes. */
#include <stdio.h>
#include <tessera.h>

/* A square root that is not inlined, at -O0, is libm's. */
TESS_EWISE(root, (in(f32, x), out(f32, y)), y = tessm_sqrt(x);)

static tess_status add_roots(double *sum)
{
    tess_array a = { 0 };
    tess_array b = { 0 };
    TESS_TRY(tess_full(&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32, tess_cpu(), 9));
    TESS_TRY(tess_call(&root, &a, &b));
    for (int w = 0; w < 4; w++) *sum += (double)TESS_AT(float, b, 0, 0, 0, w);
    tess_release(&a);
    tess_release(&b);
    return TESS_OK;
}

static tess_status run(double *sum)
{
    tess_array a = { 0 };
    tess_array b = { 0 };
    TESS_TRY(tess_arange(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 0, 1));
    TESS_TRY(tess_permute_copy(&b, &a, 0, 1, 3, 2));
    for (int h = 0; h < 4; h++)
        for (int w = 0; w < 3; w++) *sum += (double)TESS_AT(float, b, 0, 0, h, w) * (h + 1);
    tess_release(&a);
    tess_release(&b);
    return TESS_OK;
}

int main(void)
{
    double sum = 0;
    if (run(&sum) != TESS_OK || add_roots(&sum) != TESS_OK) {
        fputs(tess_error_trace(), stderr);
        return 1;
    }
    printf("%s %g\n", tess_version(), sum);
    return sum == 192 && tess_version_number() == TESS_VERSION_NUMBER ? 0 : 1;
}
