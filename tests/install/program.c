/* A program of a user's: adds up a transposed copy. */
#include <stdio.h>
#include <tessera.h>

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
    if (run(&sum) != TESS_OK) {
        fputs(tess_error_trace(), stderr);
        return 1;
    }
    printf("%s %g\n", tess_version(), sum);
    return sum == 180 && tess_version_number() == TESS_VERSION_NUMBER ? 0 : 1;
}
