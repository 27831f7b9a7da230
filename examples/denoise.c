/* Hot pixels, noise and edges in images: outlier removal, a median filter, a Gaussian blur, an opening, and the
 * magnitude of the Sobel gradient. */
#include <stdio.h>

#include "tessera.h"

/* A bright square on a dark ground, with noise and a few hot pixels. */
static tess_status make_image(tess_array *image)
{
    tess_array square = { 0 };
    TESS_TRY(tess_empty(image, TESS_SHAPE(1, 1, 96, 96), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(image, 10, 2, 1, NULL));
    TESS_TRY(tess_subregion(&square, image, (tess_region){ .h = tess_from_to(32, 64), .w = tess_from_to(32, 64) }));
    TESS_TRY(tess_add(&square, &square, &tess_num(20)));
    for (int64_t i = 0; i < 5; i++) TESS_TRY(tess_set_f64(image, 0, 0, 7 + 17 * i, 90 - 13 * i, 1000));
    return TESS_OK;
}

static tess_status describe(const char *name, const tess_array *a)
{
    double mean = 0, std = 0, most = 0;
    TESS_TRY(tess_host_mean_std(&mean, &std, a, NULL));
    TESS_TRY(tess_host_max(&most, a));
    printf("%-24s mean %6.2f  std %6.2f  maximum %7.2f\n", name, mean, std, most);
    return TESS_OK;
}

static tess_status run(tess_array *image, tess_array *out, tess_array *edges)
{
    tess_array               count = { 0 };
    const tess_rank_opts     mirror = { .border = TESS_BORDER_MIRROR };
    const tess_gaussian_opts blur = { .border = TESS_BORDER_MIRROR };
    const tess_grey_opts     box = { .window = TESS_SHAPE(1, 1, 5, 5) };
    const tess_sobel_opts    clamp = { .border = TESS_BORDER_CLAMP };
    TESS_TRY(make_image(image));
    TESS_TRY(describe("as recorded", image));
    TESS_TRY(tess_remove_outliers(image, image, 6, &(tess_outliers_opts){ .count = &count }));
    printf("%d hot pixels\n", (int)*(int64_t *)count.data);
    tess_release(&count);
    TESS_TRY(describe("without hot pixels", image));
    TESS_TRY(tess_median_filter(out, image, TESS_SHAPE(1, 1, 5, 5), &mirror));
    TESS_TRY(describe("median 5 x 5", out));
    TESS_TRY(tess_gaussian_filter(out, image, 0, 1.5, 1.5, &blur));
    TESS_TRY(describe("gaussian of sigma 1.5", out));
    TESS_TRY(tess_sobel(edges, out, 0, &clamp));
    TESS_TRY(describe("edges", edges));
    TESS_TRY(tess_grey_open(edges, out, &box));
    TESS_TRY(describe("opened by 5 x 5", edges));
    return TESS_OK;
}

int main(void)
{
    tess_array        image = { 0 }, out = { 0 }, edges = { 0 };
    const tess_status status = run(&image, &out, &edges);
    if (status) fputs(tess_error_trace(), stderr);
    tess_release(&image);
    tess_release(&out);
    tess_release(&edges);
    return status != TESS_OK;
}
