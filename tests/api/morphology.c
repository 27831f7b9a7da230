/* Morphology, filled holes, reconstruction, means of boxes, the Sobel filter and centres of mass: examples, special
 * shapes, outputs, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/rows.h"
#include "tessera/signal.h"

/* An image of a few rows. */
static tess_array image_of(tess_dtype dtype, int h, int w, const double *values)
{
    tess_array a = constant(dtype, 1, 1, h, w, 0);
    for (int i = 0; i < h * w; i++) CHECK_OK(tess_set_f64(&a, 0, 0, i / w, i % w, values[i]));
    return a;
}

/* ---- Erosion and dilation ---- */

TEST(minima_and_maxima_of_a_box)
{
    tess_array in = ROW(TESS_I16, 4, 1, 9, 2, 3), out = { 0 };
    CHECK_OK(tess_grey_erode(&out, &in, NULL));
    CHECK(out.dtype == TESS_I16 && IS(&out, 1, 1, 1, 2, 2));
    CHECK_OK(tess_grey_dilate(&out, &in, NULL));
    CHECK(IS(&out, 4, 9, 9, 9, 3));
    CHECK_OK(tess_grey_dilate(&out, &in, &(tess_grey_opts){ .window = TESS_SHAPE(1, 1, 1, 9) }));
    CHECK(IS(&out, 9, 9, 9, 9, 9));
    CHECK_OK(tess_grey_open(&out, &in, NULL));
    CHECK(IS(&out, 1, 1, 2, 2, 2));
    CHECK_OK(tess_grey_close(&out, &in, NULL));
    CHECK(IS(&out, 4, 4, 9, 3, 3));
    CHECK_OK(tess_white_tophat(&out, &in, NULL));
    CHECK(IS(&out, 3, 0, 7, 0, 1));
    CHECK_OK(tess_black_tophat(&out, &in, NULL));
    CHECK(IS(&out, 0, 3, 0, 1, 0));
    CHECK_OK(tess_morphological_gradient(&out, &in, NULL));
    CHECK(IS(&out, 3, 8, 8, 7, 1));
    tess_release(&in);
    tess_release(&out);
}

TEST(borders_of_morphology)
{
    tess_array in = ROW(TESS_F32, 4, 1, 9), out = { 0 };
    CHECK_OK(tess_grey_erode(&out, &in, &(tess_grey_opts){ .border = TESS_BORDER_ZERO }));
    CHECK(IS(&out, 0, 1, 0));
    CHECK_OK(tess_grey_dilate(&out, &in, &(tess_grey_opts){ .border = TESS_BORDER_VALUE, .value = 20 }));
    CHECK(IS(&out, 20, 9, 20));
    CHECK_OK(tess_grey_dilate(&out, &in, &(tess_grey_opts){ .border = TESS_BORDER_PERIODIC }));
    CHECK(IS(&out, 9, 9, 9));
    tess_release(&in);
    tess_release(&out);
}

/* Dilation reflects the footprint, so that opening and closing stay in place. */
TEST(footprints)
{
    tess_array     in = ROW(TESS_U8, 0, 0, 7, 0, 0), ahead = ROW(TESS_F64, 0, 0, 1), out = { 0 };
    tess_grey_opts o = { .footprint = &ahead };
    CHECK_OK(tess_grey_dilate(&out, &in, &o));
    CHECK(IS(&out, 0, 0, 0, 7, 0));
    CHECK_OK(tess_grey_erode(&out, &in, &o));
    CHECK(IS(&out, 0, 7, 0, 0, 0));
    CHECK_OK(tess_grey_open(&out, &in, &o));
    CHECK(IS(&out, 0, 0, 7, 0, 0));
    tess_array all = ROW(TESS_I8, 1, 2, 3);
    o.footprint = &all; /* a box */
    CHECK_OK(tess_grey_dilate(&out, &in, &o));
    CHECK(IS(&out, 0, 7, 7, 7, 0));
    tess_release(&in);
    tess_release(&ahead);
    tess_release(&all);
    tess_release(&out);
}

TEST(masks_of_bools_and_special_numbers)
{
    tess_array mask = ROW(TESS_BOOL, 0, 1, 1, 1, 0), in = ROW(TESS_F32, 1, NAN, -0.0, 0, 2), out = { 0 }, made = { 0 };
    CHECK_OK(tess_morphological_gradient(&out, &mask, NULL));
    CHECK(out.dtype == TESS_BOOL && IS(&out, 1, 1, 0, 1, 1));
    CHECK_OK(tess_grey_erode(&made, &in, NULL));
    CHECK(IS(&made, 1, -0.0, -0.0, -0.0, 0));
    CHECK_OK(tess_grey_dilate(&made, &in, NULL));
    CHECK(IS(&made, NAN, NAN, NAN, 2, 2));
    tess_release(&mask);
    tess_release(&in);
    tess_release(&out);
    tess_release(&made);
}

/* No elements; one; a volume whose batches and planes are reversed. */
TEST(special_shapes_of_morphology)
{
    tess_array empty = { 0 }, one = ROW(TESS_F64, 3), out = { 0 }, volume = { 0 }, turned, same = { 0 }, back;
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_grey_open(&out, &empty, NULL));
    CHECK_DIMS(out.shape, 2, 0, 3, 4);
    tess_release(&out);
    CHECK_OK(tess_uniform_filter(&out, &empty, TESS_SHAPE(1, 3, 3, 3), NULL));
    CHECK_DIMS(out.shape, 2, 0, 3, 4);
    tess_release(&out);
    CHECK_OK(tess_morph_reconstruct(&out, &empty, &empty, NULL));
    CHECK_DIMS(out.shape, 2, 0, 3, 4);
    tess_release(&out);
    CHECK_OK(tess_fill_holes(&out, &empty, NULL));
    CHECK(out.dtype == TESS_BOOL);
    tess_release(&out);
    CHECK_OK(tess_grey_close(&out, &one, &(tess_grey_opts){ .window = TESS_SHAPE(1, 5, 5, 5) }));
    CHECK(IS(&out, 3));
    CHECK_OK(tess_uniform_filter(&out, &one, TESS_SHAPE(1, 3, 3, 3), NULL));
    CHECK(IS(&out, 3.0 / 27));
    CHECK_OK(tess_morph_reconstruct(&out, &one, &one, NULL));
    CHECK(IS(&out, 3));
    tess_release(&out);
    CHECK_OK(tess_arange(&volume, TESS_SHAPE(2, 3, 4, 5), TESS_I32, tess_cpu(), 0, 1));
    CHECK_OK(tess_reverse(&turned, &volume, TESS_B | TESS_D | TESS_W));
    CHECK_OK(tess_grey_erode(&out, &turned, NULL));
    CHECK_OK(tess_grey_erode(&same, &volume, NULL));
    CHECK_OK(tess_reverse(&back, &out, TESS_B | TESS_D | TESS_W));
    CHECK(value_at(&back, 1, 2, 3, 4) == value_at(&same, 1, 2, 3, 4) && value_at(&same, 1, 2, 3, 4) == 93);
    CHECK(value_at(&back, 0, 1, 1, 1) == value_at(&same, 0, 1, 1, 1) && value_at(&same, 0, 1, 1, 1) == 0);
    tess_release(&empty);
    tess_release(&one);
    tess_release(&out);
    tess_release(&volume);
    tess_release(&same);
}

TEST(morphology_rejects)
{
    tess_array in = ROW(TESS_F32, 1, 2, 3, 4), none = ROW(TESS_U8, 0, 0, 0), even = ROW(TESS_U8, 1, 1), out = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 1, 4, 0), other = constant(TESS_F64, 1, 1, 1, 4, 0);
    CHECK_FAILS(tess_grey_erode(NULL, &in, NULL), TESS_EARG, "grey_erode: out is NULL");
    CHECK_FAILS(tess_grey_erode(&out, &z, NULL), TESS_EDTYPE, "grey_erode: in is c32");
    CHECK_FAILS(tess_grey_erode(&other, &in, NULL), TESS_EDTYPE, "grey_erode: out has dtype f64", "f32");
    CHECK_FAILS(tess_grey_erode(&in, &in, NULL), TESS_EALIAS, "grey_erode: out");
    CHECK_FAILS(tess_grey_open(&in, &in, NULL), TESS_EALIAS, "grey_open: out");
    CHECK_FAILS(tess_grey_dilate(&out, &in, &(tess_grey_opts){ .border = TESS_BORDER_NOTHING }), TESS_EARG,
                "grey_dilate: opts->border is \"nothing\"");
    CHECK_FAILS(tess_grey_dilate(&out, &in, &(tess_grey_opts){ .window = TESS_SHAPE(1, 1, 2, 3) }), TESS_ESHAPE,
                "grey_dilate: opts->window has shape {1,1,2,3}", "odd sizes");
    CHECK_FAILS(tess_grey_close(&out, &in, &(tess_grey_opts){ .footprint = &even }), TESS_ESHAPE,
                "grey_close: opts->footprint has shape {1,1,1,2}", "odd sizes");
    CHECK_FAILS(tess_white_tophat(&out, &in, &(tess_grey_opts){ .footprint = &none }), TESS_EARG,
                "white_tophat: all elements of opts->footprint are 0", "nonzero");
    CHECK_FAILS(tess_black_tophat(&out, &in, &(tess_grey_opts){ .footprint = &none, .window = TESS_SHAPE(1, 1, 1, 3) }),
                TESS_EARG, "black_tophat: both opts->window and opts->footprint");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&none);
    tess_release(&even);
    tess_release(&z);
    tess_release(&other);
}

/* ---- Holes ---- */

TEST(holes_are_filled)
{
    const double ring[] = { 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1 };
    tess_array   in = image_of(TESS_F32, 4, 5, ring), out = { 0 };
    CHECK_OK(tess_fill_holes(&out, &in, NULL));
    CHECK(out.dtype == TESS_BOOL && IS(&out, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1));
    CHECK_OK(tess_fill_holes(&in, &in, NULL)); /* in place */
    CHECK(IS(&in, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1));
    tess_release(&in);
    tess_release(&out);
}

/* A hole that touches the background at a corner. */
TEST(holes_across_corners)
{
    tess_array in = image_of(TESS_U8, 4, 4, (double[]){ 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1 }), out = { 0 };
    CHECK_OK(tess_fill_holes(&out, &in, NULL));
    CHECK(IS(&out, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1));
    CHECK_OK(tess_fill_holes(&out, &in, &(tess_fill_holes_opts){ .full = 1 }));
    CHECK(IS(&out, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1));
    tess_array signal = ROW(TESS_F32, 0, 1, 0, NAN, 0);
    tess_release(&out);
    CHECK_OK(tess_fill_holes(&out, &signal, NULL));
    CHECK(IS(&out, 0, 1, 1, 1, 0));
    CHECK_FAILS(tess_fill_holes(NULL, &in, NULL), TESS_EARG, "fill_holes: out is NULL");
    CHECK_FAILS(tess_fill_holes(&out, NULL, NULL), TESS_EARG, "fill_holes: in is NULL");
    tess_release(&in);
    tess_release(&out);
    tess_release(&signal);
}

/* ---- Reconstruction ---- */

TEST(reconstructions)
{
    tess_array marker = ROW(TESS_I32, 0, 5, 0, 0, 0, 2), mask = ROW(TESS_I32, 3, 4, 4, 1, 7, 7), out = { 0 };
    CHECK_OK(tess_morph_reconstruct(&out, &marker, &mask, NULL));
    CHECK(out.dtype == TESS_I32 && IS(&out, 3, 4, 4, 1, 2, 2));
    CHECK_OK(tess_morph_reconstruct(&marker, &marker, &mask, NULL)); /* in place */
    CHECK(IS(&marker, 3, 4, 4, 1, 2, 2));
    tess_array high = ROW(TESS_I32, 9, 9, 9, 0, 9, 9);
    CHECK_OK(tess_morph_reconstruct(&out, &high, &mask, &(tess_morph_reconstruct_opts){ .by_erosion = 1 }));
    CHECK(IS(&out, 4, 4, 4, 1, 7, 7));
    tess_release(&marker);
    tess_release(&mask);
    tess_release(&high);
    tess_release(&out);
}

TEST(reconstructions_across_corners)
{
    tess_array marker = image_of(TESS_F32, 2, 2, (double[]){ 5, 0, 0, 0 }),
               mask = image_of(TESS_F32, 2, 2, (double[]){ 9, 1, 2, 9 }), out = { 0 };
    CHECK_OK(tess_morph_reconstruct(&out, &marker, &mask, NULL));
    CHECK(IS(&out, 5, 1, 2, 2));
    CHECK_OK(tess_morph_reconstruct(&out, &marker, &mask, &(tess_morph_reconstruct_opts){ .full = 1 }));
    CHECK(IS(&out, 5, 1, 2, 5));
    tess_release(&marker);
    tess_release(&mask);
    tess_release(&out);
}

TEST(reconstruction_rejects)
{
    tess_array a = ROW(TESS_F32, 1, 2, 3), longer = ROW(TESS_F32, 1, 2, 3, 4), wide = ROW(TESS_F64, 1, 2, 3),
               out = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 1, 3, 0);
    CHECK_FAILS(tess_morph_reconstruct(NULL, &a, &a, NULL), TESS_EARG, "morph_reconstruct: out is NULL");
    CHECK_FAILS(tess_morph_reconstruct(&out, &a, &longer, NULL), TESS_ESHAPE,
                "morph_reconstruct: mask has shape {1,1,1,4} and marker {1,1,1,3}");
    CHECK_FAILS(tess_morph_reconstruct(&out, &a, &wide, NULL), TESS_EDTYPE, "morph_reconstruct: mask is f64", "f32");
    CHECK_FAILS(tess_morph_reconstruct(&out, &z, &z, NULL), TESS_EDTYPE, "morph_reconstruct: marker is c32");
    CHECK_FAILS(tess_morph_reconstruct(&a, &a, &a, NULL), TESS_EALIAS, "morph_reconstruct: out", "mask");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&longer);
    tess_release(&wide);
    tess_release(&z);
}

/* ---- Means ---- */

/* An infinity stays within its windows. */
TEST(means_of_a_box)
{
    tess_array in = ROW(TESS_U8, 3, 0, 6, 9, 3), out = { 0 }, odd = ROW(TESS_F64, 3, INFINITY, 6, 9, 3);
    CHECK_OK(tess_uniform_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), NULL));
    CHECK(out.dtype == TESS_F32 && IS(&out, 1, 3, 5, 6, 4));
    CHECK_OK(
        tess_uniform_filter(&out, &in, TESS_SHAPE(1, 1, 3, 3), &(tess_uniform_opts){ .border = TESS_BORDER_MIRROR }));
    CHECK(IS(&out, 2, 3, 5, 6, 5));
    tess_release(&out);
    CHECK_OK(tess_uniform_filter(&out, &odd, TESS_SHAPE(1, 1, 1, 3), NULL));
    CHECK(IS(&out, INFINITY, INFINITY, INFINITY, 6, 4));
    tess_array              kept = ROW(TESS_F64, 7, 7, 7, 7, 7), none = { 0 };
    const tess_uniform_opts nothing = { .border = TESS_BORDER_NOTHING };
    CHECK_OK(tess_uniform_filter(&kept, &in, TESS_SHAPE(1, 1, 1, 3), &nothing));
    CHECK(IS(&kept, 7, 3, 5, 6, 7));
    CHECK_FAILS(tess_uniform_filter(&none, &in, TESS_SHAPE(1, 1, 1, 3), &nothing), TESS_EARG,
                "uniform_filter: out is zeroed");
    CHECK_FAILS(tess_uniform_filter(&none, &in, TESS_SHAPE(1, 1, 1, 4), NULL), TESS_ESHAPE,
                "uniform_filter: window has shape {1,1,1,4}", "odd sizes");
    CHECK_FAILS(tess_uniform_filter(&odd, &odd, TESS_SHAPE(1, 1, 1, 3), NULL), TESS_EALIAS, "uniform_filter: out");
    CHECK_FAILS(tess_uniform_filter(NULL, &in, TESS_SHAPE(1, 1, 1, 3), NULL), TESS_EARG, "uniform_filter: out is NULL");
    tess_release(&in);
    tess_release(&odd);
    tess_release(&out);
    tess_release(&kept);
}

/* ---- Sobel ---- */

TEST(sobel_of_one_axis_and_of_several)
{
    tess_array in = image_of(TESS_F32, 3, 3, (double[]){ 0, 3, 6, 4, 7, 10, 8, 11, 14 }), out = { 0 }, slope = { 0 };
    const tess_sobel_opts clamp = { .border = TESS_BORDER_CLAMP };
    CHECK_OK(tess_sobel(&out, &in, TESS_W, &clamp));
    CHECK(value_at(&out, 0, 0, 1, 1) == 24);
    CHECK_OK(tess_derivative(&slope, &in, 2,
                             &(tess_derivative_opts){ .kind = TESS_DERIVATIVE_SOBEL, .border = TESS_BORDER_CLAMP }));
    CHECK(value_at(&slope, 0, 0, 1, 1) == 32);
    CHECK_OK(tess_sobel(&out, &in, 0, &clamp));
    CHECK(value_at(&out, 0, 0, 1, 1) == 40);
    tess_array z = constant(TESS_C32, 1, 1, 3, 3, 0), none = { 0 };
    CHECK_FAILS(tess_sobel(&none, &in, TESS_B, NULL), TESS_ERANGE, "sobel: axes is 1");
    CHECK_FAILS(tess_sobel(&none, &z, 0, NULL), TESS_EDTYPE, "sobel: in is c32");
    CHECK_FAILS(tess_sobel(&in, &in, 0, NULL), TESS_EALIAS, "sobel: out");
    CHECK_FAILS(tess_sobel(&out, &in, 0, &(tess_sobel_opts){ .border = TESS_BORDER_NOTHING }), TESS_EARG,
                "sobel: opts->border is \"nothing\"");
    CHECK_OK(tess_sobel(&none, &z, TESS_H, NULL));
    CHECK(none.dtype == TESS_C32);
    tess_release(&in);
    tess_release(&out);
    tess_release(&slope);
    tess_release(&z);
    tess_release(&none);
}

/* ---- Centres of mass ---- */

TEST(centres_of_mass)
{
    tess_array image = image_of(TESS_U8, 2, 4, (double[]){ 0, 0, 1, 0, 0, 0, 0, 3 }), out = { 0 };
    CHECK_OK(tess_centre_of_mass(&out, &image));
    CHECK_DIMS(out.shape, 1, 1, 1, 2);
    CHECK(out.dtype == TESS_F64 && IS(&out, 0.75, 2.75));
    tess_array volume = constant(TESS_F32, 2, 3, 1, 5, 1), given = constant(TESS_F32, 2, 1, 1, 3, 0);
    CHECK_OK(tess_set_f64(&volume, 1, 2, 0, 0, -9));
    CHECK_OK(tess_centre_of_mass(&given, &volume));
    CHECK(IS(&given, 1, 0, 2, -1, 0, 6));
    tess_array zeros = constant(TESS_F32, 1, 1, 1, 3, 0), z = constant(TESS_C32, 1, 1, 1, 3, 0), none = { 0 };
    CHECK_OK(tess_centre_of_mass(&none, &zeros));
    CHECK(IS(&none, NAN));
    tess_release(&none);
    CHECK_FAILS(tess_centre_of_mass(&none, &z), TESS_EDTYPE, "centre_of_mass: in is c32");
    CHECK_FAILS(tess_centre_of_mass(NULL, &z), TESS_EARG, "centre_of_mass: out is NULL");
    CHECK_FAILS(tess_centre_of_mass(&image, &volume), TESS_EDTYPE, "centre_of_mass: out is u8");
    CHECK_FAILS(tess_centre_of_mass(&given, &image), TESS_ESHAPE, "centre_of_mass: out");
    tess_release(&image);
    tess_release(&out);
    tess_release(&volume);
    tess_release(&given);
    tess_release(&zeros);
    tess_release(&z);
}
