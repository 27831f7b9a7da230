/* Objects that touch, in a noisy image: divided by a watershed, counted and measured. */
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

enum { SIDE = 128 };

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

/* Three discs, of which two overlap, and noise. */
static void make_image(tess_array *image)
{
    double     places[] = { 40, 44, 52, 70, 96, 96 }, radii[] = { 18, 14, 12 };
    tess_array centres, sizes, noise = { 0 };
    need(tess_wrap(&centres, places, TESS_SHAPE(1, 3, 1, 2), TESS_F64, NULL));
    need(tess_wrap(&sizes, radii, TESS_SHAPE(1, 3, 1, 1), TESS_F64, NULL));
    need(tess_draw_sphere(image, NULL, &sizes,
                          &(tess_draw_opts){ .shape = TESS_SHAPE(1, 1, SIDE, SIDE), .centres = &centres, .width = 2 }));
    need(tess_empty(&noise, image->shape, TESS_F32, tess_cpu()));
    need(tess_random_normal(&noise, 0, 0.1, 1, NULL));
    need(tess_add(image, image, &noise));
    tess_release(&noise);
}

/* Labels of the objects above a threshold: floods of the distance from the background, upside down. A smooth one has a
 * single minimum in each object. */
static void divide(tess_array *labels, const tess_array *image)
{
    tess_array inside = { 0 }, far = { 0 }, smooth = { 0 };
    need(tess_greater(&inside, image, &tess_num(0.5)));
    need(tess_distance_transform(&far, &inside, NULL));
    need(tess_gaussian_filter(&smooth, &far, 0, 2, 2, NULL));
    need(tess_neg(&smooth, &smooth));
    need(tess_watershed(labels, &smooth, NULL, &(tess_watershed_opts){ .mask = &inside }));
    tess_release(&inside);
    tess_release(&far);
    tess_release(&smooth);
}

static double number(const tess_array *a, int64_t h, int64_t w)
{
    double value;
    need(tess_get_f64(&value, a, 0, 0, h, w));
    return value;
}

int main(void)
{
    tess_array image = { 0 }, labels = { 0 }, areas = { 0 }, centres = { 0 }, means = { 0 };
    make_image(&image);
    divide(&labels, &image);
    need(tess_label_properties(&areas, &labels, &image,
                               &(tess_label_properties_opts){ .centres = &centres, .means = &means }));
    printf("label  area  centre y, x   mean\n");
    for (int64_t k = 0; k < areas.shape.w; k++)
        printf("%5d %5.0f  %6.1f, %5.1f  %.3f\n", (int)k + 1, number(&areas, 0, k), number(&centres, k, 1),
               number(&centres, k, 2), number(&means, 0, k));
    tess_release(&image);
    tess_release(&labels);
    tess_release(&areas);
    tess_release(&centres);
    tess_release(&means);
    return 0;
}
