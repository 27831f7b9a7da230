/* Maps of two half sets: names of their files, and the Fourier shell correlation between them. */
#include "particles/half_sets.h"

#include <stdio.h>
#include <string.h>

#include "files/output.h"

tess_status half_map_names(job *j, const char *name, char names[2][4096])
{
    const char *pattern = job_text(j, name, NULL), *mark = "{half}";
    char        called[48];
    names[0][0] = names[1][0] = 0;
    if (!pattern) return TESS_OK;
    const char *at = strstr(pattern, mark);
    TESS_CHECK(at, TESS_EARG, "--%s: '%s' has no {half} in it, which becomes 1 and 2", name, pattern);
    for (int k = 0; k < 2; k++) {
        const int n =
            snprintf(names[k], sizeof names[k], "%.*s%d%s", (int)(at - pattern), pattern, k + 1, at + strlen(mark));
        TESS_CHECK(n > 0 && (size_t)n < sizeof names[k], TESS_EARG, "--%s: the name is too long", name);
        (void)snprintf(called, sizeof called, "--%s", name);
        TESS_TRY(output_check_name(j, called, names[k]));
    }
    return TESS_OK;
}

static tess_status resolution_at(double *frequency, const tess_array *curve, tess_shape shape, double threshold)
{
    tess_array        out = { 0 };
    const tess_status status =
        tess_fsc_resolution(&out, curve, shape, &(tess_fsc_resolution_opts){ .threshold = tess_given(threshold) });
    if (status == TESS_OK) *frequency = *(double *)out.data;
    tess_release(&out);
    return status;
}

tess_status tell_resolution(job *j, const tess_array *one, const tess_array *two, double pixel_size)
{
    tess_array   spectra[2] = { { .data = NULL } }, curve = { 0 };
    double       at[2] = { 0, 0 };
    const double scale = pixel_size > 0 ? pixel_size : 1;
    tess_status  status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[0], one, NULL));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[1], two, NULL));
    TESS_GOTO(done, status, tess_fsc(&curve, &spectra[0], &spectra[1], one->shape, &(tess_fsc_opts){ .nearest = 1 }));
    TESS_GOTO(done, status, resolution_at(&at[0], &curve, one->shape, 0.143));
    TESS_GOTO(done, status, resolution_at(&at[1], &curve, one->shape, 0.5));
    job_note(j, "FSC 0.143 = %.4g %s, 0.5 = %.4g %s (no mask)", scale / at[0], pixel_size > 0 ? "A" : "px",
             scale / at[1], pixel_size > 0 ? "A" : "px");
done:
    tess_release(&spectra[0]);
    tess_release(&spectra[1]);
    tess_release(&curve);
    return status;
}
