/* Shapes, distances, components and masks: examples, faults of others that must not come back, and bad arguments. */
#include <math.h>

#include "support/test.h"

static double at(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    double x = (double)NAN;
    CHECK_OK(tess_get_f64(&x, a, b, d, h, w));
    return x;
}

static double sum_of(const tess_array *a)
{
    double x = (double)NAN;
    CHECK_OK(tess_host_sum(&x, a));
    return x;
}

/* Rows of numbers for shapes, one batch: {1,n,1,k}. */
static tess_array rows(const double *numbers, int64_t b, int64_t n, int64_t k)
{
    tess_array a = { .data = NULL }, view;
    CHECK_OK(tess_wrap(&view, (void *)(uintptr_t)numbers, TESS_SHAPE(b, n, 1, k), TESS_F64, NULL));
    CHECK_OK(tess_cast(&a, &view, TESS_F64, NULL));
    return a;
}

/* ---- Shapes ---- */

TEST(a_circle_has_its_pixels)
{
    tess_array mask = { .data = NULL };
    CHECK_OK(tess_draw_sphere(&mask, NULL, &tess_num(2), &(tess_draw_opts){ .shape = TESS_SHAPE(1, 1, 7, 8) }));
    CHECK(mask.dtype == TESS_F32);
    CHECK_DIMS(mask.shape, 1, 1, 7, 8);
    CHECK(sum_of(&mask) == 13);
    CHECK(at(&mask, 0, 0, 3, 4) == 1 && at(&mask, 0, 0, 3, 6) == 1 && at(&mask, 0, 0, 4, 6) == 0);
    tess_release(&mask);
}

TEST(a_radius_of_0_is_one_pixel)
{
    tess_array mask = { .data = NULL };
    CHECK_OK(tess_zeros(&mask, TESS_SHAPE(1, 5, 5, 5), TESS_U8, tess_cpu()));
    CHECK_OK(tess_draw_sphere(&mask, NULL, &tess_num(0), &(tess_draw_opts){ .value = 9 }));
    CHECK(sum_of(&mask) == 9 && at(&mask, 0, 2, 2, 2) == 9);
    tess_release(&mask);
}

TEST(the_edge_is_a_raised_cosine_outside)
{
    tess_array mask = { .data = NULL };
    CHECK_OK(tess_draw_sphere(&mask, NULL, &tess_num(3),
                              &(tess_draw_opts){ .shape = TESS_SHAPE(1, 1, 21, 21), .width = 4 }));
    CHECK(at(&mask, 0, 0, 10, 13) == 1);
    CHECK(fabs(at(&mask, 0, 0, 10, 14) - (0.5 + 0.5 * cos(acos(-1) / 4))) < 1e-7);
    CHECK(fabs(at(&mask, 0, 0, 10, 15) - 0.5) < 1e-7);
    CHECK(at(&mask, 0, 0, 10, 17) == 0);
    tess_release(&mask);
}

/* noa adds shapes up, so that a mask exceeds its value where they meet. */
TEST(noa_shapes_that_overlap_exceed_the_value)
{
    const double   places[] = { 5, 5, 5, 7, 6, 6 };
    tess_array     centres = rows(places, 1, 3, 2), mask = { .data = NULL };
    double         most;
    tess_draw_opts o = { .shape = TESS_SHAPE(1, 1, 12, 12), .centres = &centres, .width = 2, .value = 0.75 };
    CHECK_OK(tess_draw_sphere(&mask, NULL, &tess_num(3), &o));
    CHECK_OK(tess_host_max(&most, &mask));
    CHECK(most == 0.75);
    o.inverted = 1;
    tess_array inverted = { .data = NULL }, sum = { .data = NULL };
    CHECK_OK(tess_draw_sphere(&inverted, NULL, &tess_num(3), &o));
    CHECK_OK(tess_add(&sum, &mask, &inverted));
    CHECK(fabs(sum_of(&sum) - 0.75 * 144) < 1e-4);
    tess_release(&centres);
    tess_release(&mask);
    tess_release(&inverted);
    tess_release(&sum);
}

/* Old noa has Fourier masks of full layouts alone. */
TEST(fourier_masks_sit_at_frequency_0_in_all_layouts)
{
    const tess_shape shape = TESS_SHAPE(1, 6, 9, 10);
    tess_array       mask[4] = { { .data = NULL } }, moved = { .data = NULL }, half;
    for (int layout = TESS_FFT_H; layout <= TESS_FFT_FC; layout++)
        CHECK_OK(tess_draw_sphere(&mask[layout - 1], NULL, &tess_num(2.5),
                                  &(tess_draw_opts){ .shape = shape, .layout = layout, .width = 2 }));
    for (int layout = TESS_FFT_H; layout <= TESS_FFT_FC; layout++)
        CHECK(at(&mask[layout - 1], 0, layout & 1 ? 0 : 3, layout & 1 ? 0 : 4, layout == TESS_FFT_FC ? 5 : 0) == 1);
    CHECK_DIMS(mask[0].shape, 1, 6, 9, 6);
    CHECK_OK(tess_fft_remap(&moved, &mask[3], shape, TESS_FFT_FC, TESS_FFT_F));
    CHECK(memcmp(moved.data, mask[2].data, (size_t)tess_n_bytes(&moved)) == 0);
    CHECK_OK(tess_slice(&half, &mask[2], 3, 0, 6, 1));
    tess_array equal = { .data = NULL };
    CHECK_OK(tess_equal(&equal, &half, &mask[0]));
    CHECK(sum_of(&equal) == 6 * 9 * 6);
    for (int k = 0; k < 4; k++) tess_release(&mask[k]);
    tess_release(&moved);
    tess_release(&equal);
}

TEST(masks_of_each_batch)
{
    const double radii[] = { 1, 2, 0 };
    tess_array   sizes = rows(radii, 3, 1, 1), image = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&image, TESS_SHAPE(1, 1, 9, 9), TESS_F32, tess_cpu(), 2));
    CHECK_OK(tess_draw_sphere(&out, &image, &sizes, NULL));
    CHECK_DIMS(out.shape, 3, 1, 9, 9);
    CHECK(sum_of(&out) == 2 * (5 + 13 + 1));
    tess_release(&sizes);
    tess_release(&image);
    tess_release(&out);
}

TEST(operators_on_an_image)
{
    static const double wanted[][2] = { { 0, 15 }, { 3, 8 }, { 0, 3 }, { 3, 5 }, { 3, 5 } }; /* outside, inside */
    tess_array          image = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&image, TESS_SHAPE(1, 1, 9, 9), TESS_I64, tess_cpu(), 3));
    for (int op = TESS_DRAW_MULTIPLY; op <= TESS_DRAW_REPLACE; op++) {
        CHECK_OK(tess_draw_sphere(&out, &image, &tess_num(2), &(tess_draw_opts){ .op = op, .value = 5 }));
        CHECK(out.dtype == TESS_I64 && at(&out, 0, 0, 0, 0) == wanted[op - 1][0]);
        CHECK(at(&out, 0, 0, 4, 4) == wanted[op - 1][1]);
    }
    tess_release(&image);
    tess_release(&out);
}

TEST(what_is_masked_is_0_and_what_is_kept_keeps_all_bits)
{
    tess_array    image = { .data = NULL }, large = { .data = NULL };
    const int64_t most = INT64_MAX - 1;
    CHECK_OK(tess_full(&image, TESS_SHAPE(1, 1, 9, 9), TESS_F32, tess_cpu(), (double)NAN));
    CHECK_OK(tess_draw_sphere(&image, &image, &tess_num(2), NULL));
    CHECK(at(&image, 0, 0, 0, 0) == 0 && isnan(at(&image, 0, 0, 4, 4)));
    CHECK_OK(tess_zeros(&large, TESS_SHAPE(1, 1, 9, 9), TESS_I64, tess_cpu()));
    for (int64_t i = 0; i < 81; i++) ((int64_t *)large.data)[i] = most;
    CHECK_OK(tess_draw_sphere(&large, &large, &tess_num(2.2), &(tess_draw_opts){ .width = 1 }));
    CHECK_I64(((int64_t *)large.data)[4 * 9 + 4], most);
    CHECK_I64(((int64_t *)large.data)[4 * 9 + 6], most);
    CHECK_I64(((int64_t *)large.data)[0], 0);
    tess_release(&image);
    tess_release(&large);
}

TEST(matrices_about_the_centre_and_of_coordinates)
{
    const double quarter[] = { 0, 1, -1, 0 }, moved[] = { 1, 0, 3, 0, 1, 0 }, halves[] = { 0, 3 };
    tess_array   turn = { .data = NULL }, move = { .data = NULL }, size = rows(halves, 1, 1, 2), out = { .data = NULL };
    tess_draw_opts o = { .shape = TESS_SHAPE(1, 1, 11, 11) };
    CHECK_OK(tess_wrap(&turn, (void *)(uintptr_t)quarter, TESS_SHAPE(1, 1, 2, 2), TESS_F64, NULL));
    CHECK_OK(tess_wrap(&move, (void *)(uintptr_t)moved, TESS_SHAPE(1, 1, 2, 3), TESS_F64, NULL));
    CHECK_OK(tess_draw_cuboid(&out, NULL, &size, &o));
    CHECK(sum_of(&out) == 7 && at(&out, 0, 0, 5, 8) == 1 && at(&out, 0, 0, 5, 9) == 0);
    o.inverse = &turn;
    CHECK_OK(tess_draw_cuboid(&out, NULL, &size, &o));
    CHECK(sum_of(&out) == 7 && at(&out, 0, 0, 8, 5) == 1 && at(&out, 0, 0, 5, 8) == 0);
    o.inverse = &move;
    CHECK_OK(tess_draw_cuboid(&out, NULL, &size, &o));
    CHECK(sum_of(&out) == 7 && at(&out, 0, 0, 2, 8) == 1 && at(&out, 0, 0, 5, 5) == 0);
    tess_release(&turn);
    tess_release(&move);
    tess_release(&size);
    tess_release(&out);
}

TEST(lines_cylinders_and_tori)
{
    const double a[] = { 1, 2 }, b[] = { 1, 7 }, ring[] = { 4, 1 }, rod[] = { 1, 2 };
    tess_array   from = rows(a, 1, 1, 2), to = rows(b, 1, 1, 2), sizes = rows(ring, 1, 1, 2), rods = rows(rod, 1, 1, 2);
    tess_array   out = { .data = NULL };
    CHECK_OK(tess_draw_line(&out, NULL, &from, &to, NULL, &(tess_draw_opts){ .shape = TESS_SHAPE(1, 1, 5, 10) }));
    CHECK(sum_of(&out) == 6 && at(&out, 0, 0, 1, 2) == 1 && at(&out, 0, 0, 1, 7) == 1 && at(&out, 0, 0, 1, 8) == 0);
    tess_release(&out);
    CHECK_OK(tess_draw_torus(&out, NULL, &sizes, &(tess_draw_opts){ .shape = TESS_SHAPE(1, 1, 13, 13) }));
    CHECK(at(&out, 0, 0, 6, 6) == 0 && at(&out, 0, 0, 6, 9) == 1 && at(&out, 0, 0, 6, 12) == 0);
    tess_release(&out);
    CHECK_OK(tess_draw_cylinder(&out, NULL, &rods, &(tess_draw_opts){ .shape = TESS_SHAPE(1, 7, 7, 7) }));
    CHECK(sum_of(&out) == 25 && at(&out, 0, 1, 3, 4) == 1 && at(&out, 0, 0, 3, 3) == 0);
    tess_release(&out);
    tess_release(&from);
    tess_release(&to);
    tess_release(&sizes);
    tess_release(&rods);
}

TEST(nothing_to_draw_and_nothing_to_draw_into)
{
    tess_array none = { .data = NULL }, out = { .data = NULL }, empty = { .data = NULL };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 0, 1, 1), TESS_F32, tess_cpu()));
    CHECK_OK(tess_draw_sphere(&out, NULL, &none, &(tess_draw_opts){ .shape = TESS_SHAPE(2, 1, 3, 4), .inverted = 1 }));
    CHECK(sum_of(&out) == 24);
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 1, 0, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_draw_sphere(&empty, NULL, &tess_num(3), NULL));
    tess_release(&none);
    tess_release(&out);
    tess_release(&empty);
}

TEST(bad_shapes)
{
    const double   three[] = { 1, 2, 3 }, bad[] = { -1, (double)NAN };
    tess_array     z = { .data = NULL }, image = { .data = NULL }, spectrum = { .data = NULL };
    tess_array     sizes = rows(three, 1, 1, 3), negative = rows(bad, 1, 1, 1), nan = rows(bad + 1, 1, 1, 1);
    tess_array     many = rows(three, 3, 1, 1), out = { .data = NULL }, volume = { .data = NULL };
    tess_array     vectors = { .data = NULL }, none = rows((const double[4]){ 0 }, 1, 1, 4);
    tess_draw_opts o = { .layout = TESS_FFT_H };
    CHECK_OK(tess_zeros(&volume, TESS_SHAPE(1, 2, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&vectors, TESS_SHAPE(1, 1, 1, 1), TESS_VEC3_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&image, TESS_SHAPE(2, 1, 6, 6), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&spectrum, TESS_SHAPE(1, 1, 6, 4), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_draw_sphere(NULL, &image, &tess_num(1), NULL), TESS_EARG, "draw_sphere", "out is NULL");
    CHECK_FAILS(tess_draw_sphere(&out, &image, NULL, NULL), TESS_EARG, "draw_sphere", "radii is NULL");
    CHECK_FAILS(tess_draw_sphere(&out, NULL, &tess_num(1), NULL), TESS_ESHAPE, "in is NULL and out is zeroed",
                "opts->shape");
    CHECK_FAILS(tess_draw_sphere(&out, &spectrum, &tess_num(1), &o), TESS_ESHAPE, "opts->shape is not given",
                "a half spectrum");
    CHECK_FAILS(tess_draw_ellipsoid(&out, &image, &sizes, NULL), TESS_ESHAPE,
                "draw_ellipsoid: semiaxes is f64 {1,1,1,3}", "vec2");
    CHECK_FAILS(tess_draw_sphere(&out, &image, &negative, NULL), TESS_ERANGE,
                "radii has -1; it must be finite and not negative");
    CHECK_FAILS(tess_draw_sphere(&out, &image, &nan, NULL), TESS_ERANGE, "radii has", "must be finite");
    CHECK_FAILS(tess_draw_sphere(&out, &image, &many, NULL), TESS_ESHAPE, "shapes of 3 batches, and in has 2;");
    CHECK_FAILS(tess_draw_sphere(&out, &volume, &vectors, NULL), TESS_EDTYPE,
                "draw_sphere: radii is vec3_f32 {1,1,1,1}; one number per item is needed");
    o = (tess_draw_opts){ .inverse = &none };
    CHECK_FAILS(tess_draw_sphere(&out, &volume, &tess_num(1), &o), TESS_ERANGE,
                "draw_sphere: opts->inverse has a quaternion 0, 0, 0, 0; its length must be above 0");
    o = (tess_draw_opts){ .inverse = &sizes };
    CHECK_FAILS(tess_draw_sphere(&out, &image, &tess_num(1), &o), TESS_ESHAPE, "opts->inverse", "2x2, 2x3, 3x3");
    o = (tess_draw_opts){ .centres = &sizes };
    CHECK_FAILS(tess_draw_sphere(&out, &image, &tess_num(1), &o), TESS_ESHAPE, "opts->centres is f64 {1,1,1,3}");
    CHECK_FAILS(tess_draw_line(&out, &image, &sizes, &sizes, NULL, &o), TESS_ERANGE, "draw_line: opts->centres");
    o = (tess_draw_opts){ .op = TESS_DRAW_MAX };
    CHECK_FAILS(tess_draw_sphere(&out, &spectrum, &tess_num(1), &o), TESS_EDTYPE, "in is c32", "no minimum or maximum");
    CHECK_FAILS(tess_draw_sphere(&image, &spectrum, &tess_num(1), NULL), TESS_EDTYPE, "in is c32 and out is f32");
    o = (tess_draw_opts){ .width = -1 };
    CHECK_FAILS(tess_draw_sphere(&out, &image, &tess_num(1), &o), TESS_ERANGE, "width is -1");
    o = (tess_draw_opts){ .shape = TESS_SHAPE(2, 1, 6, 7) };
    CHECK_FAILS(tess_draw_sphere(&out, &image, &tess_num(1), &o), TESS_ESHAPE, "in has shape {2,1,6,6}");
    CHECK_FAILS(tess_draw_ellipsoid(&out, &image, &(tess_array){ .data = NULL }, NULL), TESS_EARG, "semiaxes");
    CHECK(out.data == NULL);
    tess_release(&z);
    tess_release(&image);
    tess_release(&spectrum);
    tess_release(&sizes);
    tess_release(&negative);
    tess_release(&nan);
    tess_release(&volume);
    tess_release(&vectors);
    tess_release(&none);
    tess_release(&many);
}

/* ---- Distances and components ---- */

TEST(distances_of_a_row_and_of_nothing)
{
    const uint8_t       row[] = { 1, 1, 0, 1, 1, 1, 0 };
    static const double wanted[] = { 2, 1, 0, 1, 2, 1, 0 };
    tess_array          in, out = { .data = NULL };
    CHECK_OK(tess_wrap(&in, (void *)(uintptr_t)row, TESS_SHAPE(1, 1, 1, 7), TESS_U8, NULL));
    CHECK_OK(tess_distance_transform(&out, &in, NULL));
    for (int i = 0; i < 7; i++) CHECK(((float *)out.data)[i] == (float)wanted[i]);
    CHECK_OK(tess_distance_transform(&out, &in, &(tess_distance_transform_opts){ .step_w = 3, .squared = 1 }));
    for (int i = 0; i < 7; i++) CHECK(((float *)out.data)[i] == (float)(9 * wanted[i] * wanted[i]));
    tess_array all;
    CHECK_OK(tess_slice(&all, &in, 3, 3, 6, 1));
    tess_array far = { .data = NULL };
    CHECK_OK(tess_distance_transform(&far, &all, NULL));
    CHECK(isinf(at(&far, 0, 0, 0, 1)));
    tess_release(&out);
    tess_release(&far);
}

TEST(components_by_faces_and_by_corners)
{
    const uint8_t image[] = { 1, 0, 1, 0, 1, 0, 1, 0, 0 };
    tess_array    in, out = { .data = NULL }, counts = { .data = NULL };
    CHECK_OK(tess_wrap(&in, (void *)(uintptr_t)image, TESS_SHAPE(1, 1, 3, 3), TESS_U8, NULL));
    CHECK_OK(tess_label(&out, &in, &(tess_label_opts){ .counts = &counts }));
    CHECK(out.dtype == TESS_I32 && at(&counts, 0, 0, 0, 0) == 4 && at(&out, 0, 0, 2, 0) == 4);
    CHECK_OK(tess_label(&out, &in, &(tess_label_opts){ .counts = &counts, .full = 1 }));
    CHECK(at(&counts, 0, 0, 0, 0) == 1 && at(&out, 0, 0, 2, 0) == 1 && at(&out, 0, 0, 2, 2) == 0);
    tess_release(&out);
    tess_release(&counts);
}

TEST(a_mask_grows_and_has_an_edge)
{
    tess_array map = { .data = NULL }, mask = { .data = NULL };
    CHECK_OK(tess_zeros(&map, TESS_SHAPE(1, 1, 21, 21), TESS_F32, tess_cpu()));
    CHECK_OK(tess_set_f64(&map, 0, 0, 10, 10, 2));
    CHECK_OK(tess_set_f64(&map, 0, 0, 0, 0, 2));
    CHECK_OK(tess_set_f64(&map, 0, 0, 10, 11, 2));
    CHECK_OK(tess_mask_create(&mask, &map, 1, &(tess_mask_create_opts){ .extend = 2, .width = 4, .keep_largest = 1 }));
    CHECK(at(&mask, 0, 0, 10, 8) == 1 && at(&mask, 0, 0, 0, 0) == 0 && at(&mask, 0, 0, 10, 4) == 0);
    CHECK(fabs(at(&mask, 0, 0, 10, 6) - 0.5) < 1e-7);
    CHECK_OK(tess_mask_create(&map, &map, 1, &(tess_mask_create_opts){ .extend = -1, .inverted = 1 }));
    CHECK(sum_of(&map) == 441);
    tess_release(&map);
    tess_release(&mask);
}

TEST(otsu_parts_two_classes)
{
    tess_array images = { .data = NULL }, thresholds = { .data = NULL }, part;
    CHECK_OK(tess_zeros(&images, TESS_SHAPE(3, 1, 4, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_set_f64(&images, 0, 0, 1, 1, 2));
    CHECK_OK(tess_set_f64(&images, 0, 0, 2, 3, 2));
    CHECK_OK(tess_index(&part, &images, 0, 1));
    CHECK_OK(tess_fill(&part, 7));
    CHECK_OK(tess_set_f64(&images, 2, 0, 0, 0, -8));
    CHECK_OK(tess_otsu(&thresholds, &images, NULL));
    CHECK(thresholds.dtype == TESS_F64);
    CHECK_DIMS(thresholds.shape, 3, 1, 1, 1);
    CHECK(at(&thresholds, 0, 0, 0, 0) == 1);
    CHECK(at(&thresholds, 1, 0, 0, 0) == 7);
    CHECK(at(&thresholds, 2, 0, 0, 0) == -4);
    CHECK_OK(tess_otsu(&thresholds, &images, &(tess_otsu_opts){ .bins = 2 }));
    CHECK(at(&thresholds, 0, 0, 0, 0) == 1);
    CHECK_OK(tess_set_f64(&images, 2, 0, 0, 0, (double)INFINITY));
    CHECK_FAILS(tess_otsu(&thresholds, &images, NULL), TESS_ERANGE, "otsu: batch 2 of in has elements from 0 to inf");
    CHECK_FAILS(tess_otsu(&thresholds, &images, &(tess_otsu_opts){ .bins = 1 }), TESS_ERANGE, "otsu", "bins", "2");
    CHECK_FAILS(tess_otsu(NULL, &images, NULL), TESS_EARG, "otsu: out is NULL");
    CHECK_FAILS(tess_otsu(&thresholds, NULL, NULL), TESS_EARG, "otsu: in is NULL");
    CHECK_FAILS(tess_otsu(&images, &images, NULL), TESS_EALIAS, "otsu: out (", "shares memory with in (");
    tess_release(&images);
    tess_release(&thresholds);
}

TEST(otsu_of_nothing)
{
    tess_array none = { .data = NULL }, out = { .data = NULL }, pair = { .data = NULL };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 2, 3, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_otsu(&out, &none, NULL));
    CHECK_DIMS(out.shape, 0, 1, 1, 1);
    tess_release(&out);
    tess_release(&none);
    CHECK_OK(tess_empty(&none, TESS_SHAPE(2, 1, 0, 4), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_otsu(&out, &none, NULL), TESS_ESHAPE, "otsu: in has shape", "it must not be empty");
    CHECK_OK(tess_zeros(&pair, TESS_SHAPE(1, 1, 4, 4), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_otsu(&out, &pair, NULL), TESS_EDTYPE, "otsu: in is c32; a real type is needed");
    tess_release(&none);
    tess_release(&pair);
}

TEST(nothing_has_no_distances_and_no_components)
{
    tess_array none = { .data = NULL }, out[4] = { { .data = NULL } }, counts = { .data = NULL };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(3, 2, 0, 4), TESS_BOOL, tess_cpu()));
    CHECK_OK(tess_distance_transform(&out[0], &none, NULL));
    CHECK_OK(tess_label(&out[1], &none, &(tess_label_opts){ .counts = &counts }));
    CHECK_OK(tess_dilate(&out[2], &none, 2));
    CHECK_OK(tess_mask_create(&out[3], &none, 0.5, NULL));
    CHECK_DIMS(out[3].shape, 3, 2, 0, 4);
    CHECK(at(&counts, 2, 0, 0, 0) == 0);
    for (int k = 0; k < 4; k++) tess_release(&out[k]);
    tess_release(&none);
    tess_release(&counts);
}

TEST(bad_masks)
{
    tess_array in = { .data = NULL }, out = { .data = NULL }, whole = { .data = NULL }, pair = { .data = NULL };
    CHECK_OK(tess_zeros(&in, TESS_SHAPE(1, 1, 4, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&whole, TESS_SHAPE(1, 1, 4, 4), TESS_I32, tess_cpu()));
    CHECK_OK(tess_zeros(&pair, TESS_SHAPE(1, 1, 4, 4), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_distance_transform(&whole, &in, NULL), TESS_EDTYPE, "distance_transform: out is i32");
    CHECK_FAILS(tess_distance_transform(&out, &pair, NULL), TESS_EDTYPE, "distance_transform: in", "c32");
    CHECK_FAILS(tess_distance_transform(NULL, &in, NULL), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_distance_transform(&out, &in, &(tess_distance_transform_opts){ .step_h = -2 }), TESS_ERANGE,
                "step_h is -2");
    CHECK_FAILS(tess_dilate(&out, &in, -1), TESS_ERANGE, "dilate: radius is -1");
    CHECK_FAILS(tess_erode(&out, &in, (double)NAN), TESS_ERANGE, "erode: radius is nan");
    CHECK_FAILS(tess_label(&in, &in, NULL), TESS_EDTYPE, "label: out is f32; integers are needed");
    CHECK_FAILS(tess_label(&out, &in, &(tess_label_opts){ .counts = &whole }), TESS_ESHAPE, "opts->counts");
    CHECK_FAILS(tess_mask_create(&out, &in, (double)NAN, NULL), TESS_ERANGE, "mask_create: threshold is NaN");
    CHECK_FAILS(tess_mask_create(&out, &pair, 1, NULL), TESS_EDTYPE, "mask_create: in");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&whole);
    tess_release(&pair);
}
