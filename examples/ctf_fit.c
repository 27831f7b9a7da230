/* CTF fit: simulates a micrograph, estimates its defocus, and flips its phases with the result.
 *
 * With a folder as argument, writes the figures of docs/ctf.md: rings.mrc, with the power spectrum on the left and
 * CTF^2 of the fit on the right, and curves.tsv. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 2048, PATCH = 256 };

/* White structure multiplied by the CTF, and as much noise. */
static tess_status simulate(tess_array *image, const tess_ctf *ctf)
{
    const tess_shape shape = TESS_SHAPE(1, 1, SIZE, SIZE);
    tess_array       noise = { 0 }, spectrum = { 0 };
    TESS_TRY(tess_empty(image, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&noise, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(image, 0, 1, 1, NULL));
    TESS_TRY(tess_random_normal(&noise, 0, 1, 2, NULL));
    TESS_TRY(tess_fft_r2c(&spectrum, image, NULL));
    TESS_TRY(tess_ctf_apply(&spectrum, &spectrum, shape, ctf, NULL));
    TESS_TRY(tess_fft_c2r(image, &spectrum, shape, NULL));
    TESS_TRY(tess_add(image, image, &noise));
    tess_release(&noise);
    tess_release(&spectrum);
    return TESS_OK;
}

static void print(const char *name, const tess_ctf *ctf)
{
    printf("%-6s defocus %.3f um, astigmatism %.3f um at %.1f degrees\n", name, ctf->defocus, ctf->astigmatism,
           180 / TESS_PI * ctf->angle);
}

/* Measured rings beside those of the fit, zero frequency in the middle. */
static tess_status write_rings(const char *folder, const tess_array *power, const tess_array *fits)
{
    const tess_ctf_opts squared = { .parameters = fits, .squared = 1, .to = TESS_FFT_FC };
    tess_array          rings = { 0 }, model = { 0 }, left, right;
    char                path[512];
    (void)snprintf(path, sizeof path, "%s/rings.mrc", folder);
    TESS_TRY(tess_maximum(&rings, power, &tess_num(1))); /* the mean is 0 */
    TESS_TRY(tess_log(&rings, &rings));
    TESS_TRY(tess_normalize(&rings, &rings, 0, NULL));
    TESS_TRY(tess_like(&model, &rings));
    TESS_TRY(tess_ctf_image(&model, model.shape, NULL, &squared));
    TESS_TRY(tess_normalize(&model, &model, 0, NULL));
    TESS_TRY(tess_slice(&left, &rings, 3, PATCH / 2, PATCH, 1));
    TESS_TRY(tess_slice(&right, &model, 3, PATCH / 2, PATCH, 1));
    TESS_TRY(tess_copy(&left, &right));
    TESS_TRY(tess_write(path, &rings, NULL));
    tess_release(&rings);
    tess_release(&model);
    return TESS_OK;
}

static int write_curves(const char *folder, const tess_array *curves, double pixel_size)
{
    const int64_t n = curves->shape.w;
    const double *c = curves->data;
    char          path[512];
    (void)snprintf(path, sizeof path, "%s/curves.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    (void)fprintf(file, "frequency\tmeasured\tCTF^2\tagreement\n");
    for (int64_t i = PATCH / 32; i < n; i++)
        (void)fprintf(file, "%.5f\t%.4f\t%.4f\t%.4f\n", (double)i / PATCH / pixel_size, 2 * c[i], c[n + i],
                      c[2 * n + i]);
    return fclose(file);
}

static tess_status run(const char *folder)
{
    const tess_average_power_opts hann = { .window = TESS_POWER_WINDOW_HANN, .layout = TESS_FFT_FC };
    const tess_ctf known = { .pixel_size = { 1.4, 1.4 }, .voltage = 300, .amplitude = 0.07, .cs = 2.7, .bfactor = 40 };
    const tess_shape patch = TESS_SHAPE(1, 1, PATCH, PATCH);
    tess_ctf         truth = known;
    tess_array       image = { 0 }, power = { 0 }, fits = { 0 }, scores = { 0 }, resolutions = { 0 }, curves = { 0 };
    tess_array       spectrum = { 0 };
    double           score, resolution;
    tess_ctf_set_defoci(&truth, 1.35, 1.15, 0.6);
    TESS_TRY(simulate(&image, &truth));
    TESS_TRY(tess_average_power(&power, &image, patch, &hann));
    TESS_TRY(tess_ctf_fit(&fits, &scores, &resolutions, &power, patch, &known,
                          &(tess_ctf_fit_opts){ .layout = TESS_FFT_FC, .curves = &curves }));
    TESS_TRY(tess_get_f64(&score, &scores, 0, 0, 0, 0));
    TESS_TRY(tess_get_f64(&resolution, &resolutions, 0, 0, 0, 0));
    print("truth", &truth);
    print("fit", fits.data);
    printf("correlation %.2f; rings up to %.1f angstrom\n", score, tess_frequency_to_resolution(resolution, 1.4));
    TESS_TRY(tess_fft_r2c(&spectrum, &image, NULL));
    TESS_TRY(tess_ctf_flip(&spectrum, &spectrum, image.shape, NULL, &(tess_ctf_opts){ .parameters = &fits }));
    if (folder) {
        TESS_TRY(write_rings(folder, &power, &fits));
        if (write_curves(folder, &curves, 1.4) != 0) printf("%s: cannot be written\n", folder);
    }
    tess_array *all[] = { &image, &power, &fits, &scores, &resolutions, &curves, &spectrum };
    for (int i = 0; i < 7; i++) tess_release(all[i]);
    return TESS_OK;
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : NULL) == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
