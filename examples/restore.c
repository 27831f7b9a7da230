/* Restoration of a disc: three filters remove noise, and two deconvolutions undo blur. Each prints the root mean square
 * difference from the undisturbed disc, which should decrease. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 128 };

/* The undisturbed disc, what is given, and what is made of it. */
typedef struct images {
    tess_array disc, given, psf, out, difference;
} images;

static void release(images *s)
{
    tess_release(&s->disc);
    tess_release(&s->given);
    tess_release(&s->psf);
    tess_release(&s->out);
    tess_release(&s->difference);
}

static tess_status describe(const char *name, images *s, const tess_array *a)
{
    double norm = 0;
    TESS_TRY(tess_sub(&s->difference, a, &s->disc));
    TESS_TRY(tess_host_norm(&norm, &s->difference, NULL));
    printf("%-24s error %.4f\n", name, norm / SIZE);
    return TESS_OK;
}

static tess_status make_disc(images *s)
{
    TESS_TRY(tess_zeros(&s->disc, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    for (int64_t h = 0; h < SIZE; h++)
        for (int64_t w = 0; w < SIZE; w++) {
            const int64_t y = h - SIZE / 2, x = w - SIZE / 2;
            TESS_TRY(tess_set_f64(&s->disc, 0, 0, h, w, y * y + x * x < 40 * 40 ? 2 : 1));
        }
    return TESS_OK;
}

static tess_status remove_noise(images *s)
{
    const tess_nl_means_opts known = { .noise = 0.2 };
    TESS_TRY(tess_empty(&s->given, s->disc.shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&s->given, 0, 0.2, 1, NULL));
    TESS_TRY(tess_add(&s->given, &s->given, &s->disc));
    TESS_TRY(describe("noise of 0.2", s, &s->given));
    TESS_TRY(tess_bilateral(&s->out, &s->given, 0.5, 2, NULL));
    TESS_TRY(describe("bilateral filter", s, &s->out));
    TESS_TRY(tess_nl_means(&s->out, &s->given, 0.16, &known));
    TESS_TRY(describe("non-local means", s, &s->out));
    TESS_TRY(tess_anisotropic_diffusion(&s->out, &s->given, 0.5, 40, NULL));
    TESS_TRY(describe("anisotropic diffusion", s, &s->out));
    return TESS_OK;
}

/* A Gaussian in the centre of 15 x 15 elements, with which the disc is blurred. */
static tess_status make_psf(images *s)
{
    tess_array point = { 0 };
    TESS_TRY(tess_zeros(&point, TESS_SHAPE(1, 1, 15, 15), TESS_F32, tess_cpu()));
    TESS_TRY(tess_set_f64(&point, 0, 0, 7, 7, 1));
    const tess_status status = tess_gaussian_filter(&s->psf, &point, 0, 2, 2, NULL);
    tess_release(&point);
    return status;
}

static tess_status undo_blur(images *s)
{
    const tess_convolve_opts mirror = { .border = TESS_BORDER_MIRROR };
    TESS_TRY(make_psf(s));
    TESS_TRY(tess_convolve(&s->given, &s->disc, &s->psf, &mirror));
    TESS_TRY(describe("blur", s, &s->given));
    for (int64_t n = 10; n <= 40; n *= 2) {
        char name[32];
        TESS_TRY(tess_richardson_lucy(&s->out, &s->given, &s->psf, n, NULL));
        snprintf(name, sizeof name, "Richardson-Lucy, %d", (int)n);
        TESS_TRY(describe(name, s, &s->out));
    }
    TESS_TRY(tess_wiener_deconvolve(&s->out, &s->given, &s->psf, 1e-4, NULL));
    TESS_TRY(describe("Wiener filter", s, &s->out));
    return TESS_OK;
}

int main(void)
{
    images      s = { .disc = { .data = NULL } };
    tess_status status = make_disc(&s);
    if (status == TESS_OK) status = remove_noise(&s);
    if (status == TESS_OK) status = undo_blur(&s);
    if (status) fputs(tess_error_trace(), stderr);
    release(&s);
    return status != TESS_OK;
}
