/* Properties of labels, and the watershed: examples, special shapes, outputs, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/rows.h"
#include "tessera/distance.h"
#include "tessera/morphology.h"
#include "tessera/scalar.h"

/* An image of a few rows. */
static tess_array image_of(tess_dtype dtype, int h, int w, const double *values)
{
    tess_array a = constant(dtype, 1, 1, h, w, 0);
    for (int i = 0; i < h * w; i++) CHECK_OK(tess_set_f64(&a, 0, 0, i / w, i % w, values[i]));
    return a;
}

/* ---- Properties ---- */

typedef struct properties {
    tess_array areas, bounds, centres, covariances, sums, means, minima, maxima, centres_of_mass;
} properties;

static tess_status measure(properties *p, const tess_array *labels, const tess_array *image, int64_t n)
{
    tess_label_properties_opts o = { .bounds = &p->bounds, .centres = &p->centres, .covariances = &p->covariances };
    o.n = n;
    if (image) {
        o.sums = &p->sums;
        o.means = &p->means;
        o.minima = &p->minima;
        o.maxima = &p->maxima;
        o.centres_of_mass = &p->centres_of_mass;
    }
    return tess_label_properties(&p->areas, labels, image, &o);
}

static void drop(properties *p)
{
    tess_array *const all[] = { &p->areas, &p->bounds, &p->centres, &p->covariances,    &p->sums,
                                &p->means, &p->minima, &p->maxima,  &p->centres_of_mass };
    for (int k = 0; k < 9; k++) tess_release(all[k]);
}

TEST(properties_of_an_image)
{
    tess_array labels = image_of(TESS_I32, 3, 4, (double[]){ 1, 1, 0, 3, 1, 1, 0, 3, -2, 9, 0, 3 });
    tess_array image = image_of(TESS_F32, 3, 4, (double[]){ 1, 2, 50, 4, 3, 6, 50, -4, 50, 50, 50, 3 });
    properties p = { 0 };
    CHECK_OK(measure(&p, &labels, &image, 3));
    CHECK(p.areas.dtype == TESS_I64 && p.bounds.dtype == TESS_I64 && p.centres.dtype == TESS_F64);
    CHECK_DIMS(p.areas.shape, 1, 1, 1, 3);
    CHECK_DIMS(p.bounds.shape, 1, 1, 3, 6);
    CHECK_DIMS(p.centres.shape, 1, 1, 3, 3);
    CHECK_DIMS(p.covariances.shape, 1, 1, 3, 9);
    CHECK(IS(&p.areas, 4, 0, 3));
    CHECK(IS(&p.bounds, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 3, 4));
    CHECK(IS(&p.centres, 0, 0.5, 0.5, NAN, NAN, NAN, 0, 1, 3));
    CHECK(IS(&p.sums, 12, 0, 3));
    CHECK(IS(&p.means, 3, NAN, 1));
    CHECK(IS(&p.minima, 1, NAN, -4));
    CHECK(IS(&p.maxima, 6, NAN, 4));
    CHECK(IS(&p.centres_of_mass, 0, 0.75, 8.0 / 12, NAN, NAN, NAN, 0, 2.0 / 3, 3));
    CHECK(value_at(&p.covariances, 0, 0, 0, 4) == 0.25 && value_at(&p.covariances, 0, 0, 0, 5) == 0);
    CHECK(value_at(&p.covariances, 0, 0, 2, 4) == (3 * 3 - 1) / 12.0 && isnan(value_at(&p.covariances, 0, 0, 1, 8)));
    tess_release(&labels);
    tess_release(&image);
    drop(&p);
}

/* The number of labels is that of all batches; outputs may be given, and are small floats. */
TEST(properties_of_batches)
{
    tess_array labels = constant(TESS_U8, 2, 1, 1, 5, 0), given = constant(TESS_F32, 2, 1, 2, 3, 7), areas = { 0 };
    CHECK_OK(tess_set_f64(&labels, 0, 0, 0, 1, 2));
    CHECK_OK(tess_set_f64(&labels, 1, 0, 0, 3, 1));
    CHECK_OK(tess_set_f64(&labels, 1, 0, 0, 4, 1));
    CHECK_OK(tess_label_properties(&areas, &labels, NULL, &(tess_label_properties_opts){ .centres = &given }));
    CHECK_DIMS(areas.shape, 2, 1, 1, 2);
    CHECK(IS(&areas, 0, 1, 2, 0) && IS(&given, NAN, NAN, NAN, 0, 0, 1, 0, 0, 3.5, NAN, NAN, NAN));
    tess_release(&areas);
    CHECK_OK(tess_label_properties(&areas, &labels, NULL, &(tess_label_properties_opts){ .n = 1 }));
    CHECK_DIMS(areas.shape, 2, 1, 1, 1);
    CHECK(IS(&areas, 0, 2));
    tess_release(&labels);
    tess_release(&given);
    tess_release(&areas);
}

/* Of a volume, all of them, with the covariance of a box; a mask of bools is one label. */
TEST(properties_of_a_box)
{
    tess_array mask = constant(TESS_BOOL, 1, 3, 5, 7, 1);
    properties p = { 0 };
    CHECK_OK(measure(&p, &mask, NULL, 0));
    CHECK(IS(&p.areas, 105) && IS(&p.bounds, 0, 0, 0, 3, 5, 7) && IS(&p.centres, 1, 2, 3));
    CHECK(IS(&p.covariances, 8 / 12.0, 0, 0, 0, 2, 0, 0, 0, 4));
    tess_release(&mask);
    drop(&p);
}

TEST(properties_of_nothing)
{
    tess_array empty = { 0 }, zeros = constant(TESS_I16, 2, 1, 3, 4, 0), areas = { 0 }, bounds = { 0 };
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 1, 0, 4), TESS_I32, tess_cpu()));
    CHECK_OK(tess_label_properties(&areas, &empty, NULL, NULL));
    CHECK_DIMS(areas.shape, 2, 1, 1, 0);
    tess_release(&areas);
    CHECK_OK(tess_label_properties(&areas, &empty, NULL, &(tess_label_properties_opts){ .n = 2, .bounds = &bounds }));
    CHECK(IS(&areas, 0, 0, 0, 0) && all_are(&bounds, 0));
    tess_release(&areas);
    tess_release(&bounds);
    CHECK_OK(tess_label_properties(&areas, &zeros, NULL, &(tess_label_properties_opts){ .bounds = &bounds }));
    CHECK_DIMS(areas.shape, 2, 1, 1, 0);
    CHECK_DIMS(bounds.shape, 2, 1, 0, 6);
    tess_release(&areas);
    CHECK_OK(tess_label_properties(&areas, &zeros, NULL, &(tess_label_properties_opts){ .n = TESS_ZERO_INT }));
    CHECK_DIMS(areas.shape, 2, 1, 1, 0);
    tess_release(&empty);
    tess_release(&zeros);
    tess_release(&areas);
    tess_release(&bounds);
}

/* NaNs count as in tess_min; an infinity and its negative have no sum. */
TEST(properties_of_special_values)
{
    tess_array labels = ROW(TESS_I64, 1, 1, 2, 2, 3, 3, 4),
               image = ROW(TESS_F64, 1, NAN, NAN, 2, INFINITY, -INFINITY, -0.0);
    properties p = { 0 };
    CHECK_OK(measure(&p, &labels, &image, 0));
    CHECK(IS(&p.minima, NAN, NAN, -INFINITY, -0.0) && IS(&p.maxima, NAN, NAN, INFINITY, -0.0));
    CHECK(IS(&p.sums, NAN, NAN, NAN, 0) && IS(&p.means, NAN, NAN, NAN, 0));
    tess_release(&labels);
    tess_release(&image);
    drop(&p);
}

/* One label along each axis, of nearly as many elements as sums of squares allow: (k^2 - 1) / 12. */
TEST(properties_of_long_arrays)
{
    const int64_t k = 3300000;
    tess_array    one = constant(TESS_U8, 1, 1, 1, 1, 1), line, areas = { 0 }, covariances = { 0 };
    for (int axis = 1; axis < 4; axis++) {
        tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
        shape.dim[axis] = k;
        CHECK_OK(tess_broadcast(&line, &one, shape));
        const tess_label_properties_opts o = { .covariances = &covariances, .n = 1 };
        CHECK_OK(tess_label_properties(&areas, &line, NULL, &o));
        const double want = (double)(k * k - 1) / 12, got = value_at(&covariances, 0, 0, 0, (axis - 1) * 4);
        CHECK(IS(&areas, 3300000) && fabs(got - want) <= want * 1e-15);
        tess_release(&areas);
        tess_release(&covariances);
    }
    tess_release(&one);
}

/* Of contiguous arrays. */
static bool same_bits(const tess_array *a, const tess_array *b)
{
    return tess_same_shape(a, b) && memcmp(a->data, b->data, (size_t)tess_n_bytes(a)) == 0;
}

/* The same bits for any number of threads, and for the parts of an array that a view picks. */
TEST(properties_do_not_depend_on_threads_or_strides)
{
    const tess_shape shape = TESS_SHAPE(1, 24, 150, 120);
    tess_array       labels = { 0 }, image = { 0 }, wide = { 0 }, view;
    properties       one = { 0 }, many = { 0 }, strided = { 0 };
    CHECK_OK(tess_empty(&labels, shape, TESS_I32, tess_cpu()));
    CHECK_OK(tess_empty(&image, shape, TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < tess_n_elements(&labels); i++) {
        ((int32_t *)labels.data)[i] = (int32_t)test_random_in(0, 9);
        ((float *)image.data)[i] = (float)test_random_unit();
    }
    CHECK_OK(tess_empty(&wide, TESS_SHAPE(1, 24, 120, 300), TESS_F32, tess_cpu()));
    CHECK_OK(tess_slice(&view, &wide, 3, 0, 300, 2));
    CHECK_OK(tess_permute(&view, &view, 0, 1, 3, 2));
    CHECK_OK(tess_copy(&view, &image));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(measure(&one, &labels, &image, 0));
    CHECK_OK(tess_threads_set(5));
    CHECK_OK(measure(&many, &labels, &image, 0));
    CHECK_OK(measure(&strided, &labels, &view, 0));
    CHECK_OK(tess_threads_set(0));
    CHECK(same_bits(&many.sums, &one.sums) && same_bits(&many.centres_of_mass, &one.centres_of_mass));
    CHECK(same_bits(&many.covariances, &one.covariances) && same_bits(&many.bounds, &one.bounds));
    CHECK(same_bits(&strided.sums, &one.sums) && same_bits(&strided.maxima, &one.maxima));
    tess_release(&labels);
    tess_release(&image);
    tess_release(&wide);
    drop(&one);
    drop(&many);
    drop(&strided);
}

TEST(properties_reject)
{
    tess_array labels = ROW(TESS_I32, 1, 2, 3), image = ROW(TESS_F32, 1, 2, 3), longer = ROW(TESS_F32, 1, 2, 3, 4);
    tess_array z = constant(TESS_C32, 1, 1, 1, 3, 0), large = ROW(TESS_U64, 1e19), out = { 0 }, sums = { 0 }, vast;
    tess_array areas = { 0 };
    CHECK_FAILS(tess_label_properties(NULL, &labels, NULL, NULL), TESS_EARG, "label_properties: out is NULL");
    CHECK_FAILS(tess_label_properties(&out, NULL, NULL, NULL), TESS_EARG, "label_properties: labels is NULL");
    CHECK_FAILS(tess_label_properties(&out, &image, NULL, NULL), TESS_EDTYPE,
                "label_properties: labels is f32; integers or bool are needed");
    CHECK_FAILS(tess_label_properties(&out, &labels, NULL, &(tess_label_properties_opts){ .sums = &sums }), TESS_EARG,
                "label_properties: image is NULL; opts->sums needs an image");
    CHECK_FAILS(tess_label_properties(&out, &labels, &longer, NULL), TESS_ESHAPE,
                "label_properties: image has shape {1,1,1,4} and labels {1,1,1,3}");
    CHECK_FAILS(tess_label_properties(&out, &labels, &z, NULL), TESS_EDTYPE, "label_properties: image is c32");
    CHECK_FAILS(tess_label_properties(&out, &labels, NULL, &(tess_label_properties_opts){ .n = -3 }), TESS_ERANGE,
                "label_properties: opts->n is -3");
    CHECK_FAILS(tess_label_properties(&image, &labels, NULL, NULL), TESS_EDTYPE, "label_properties: out has dtype f32",
                "i64");
    CHECK_FAILS(tess_label_properties(&out, &labels, NULL, &(tess_label_properties_opts){ .centres = &labels }),
                TESS_EDTYPE, "label_properties: opts->centres is i32; f16, f32 or f64 is needed");
    CHECK_FAILS(tess_label_properties(&out, &labels, NULL, &(tess_label_properties_opts){ .bounds = &out }),
                TESS_EALIAS, "label_properties: ");
    CHECK_FAILS(
        tess_label_properties(&out, &large, NULL, NULL), TESS_ERANGE,
        "label_properties: the largest of labels is 10000000000000000000; without opts->n, labels up to 2^53 are "
        "allowed");
    CHECK_OK(tess_label_properties(&areas, &large, NULL, &(tess_label_properties_opts){ .n = 2 }));
    CHECK(IS(&areas, 0, 0));
    tess_release(&areas);
    CHECK_OK(tess_broadcast(&vast, &labels, TESS_SHAPE(1, 1, 1 << 25, 3)));
    CHECK_FAILS(tess_label_properties(&out, &vast, NULL, &(tess_label_properties_opts){ .covariances = &sums }),
                TESS_ERANGE, "label_properties: labels has shape {1,1,33554432,3}; covariances need smaller arrays");
    CHECK(out.data == NULL && sums.data == NULL);
    tess_release(&labels);
    tess_release(&image);
    tess_release(&longer);
    tess_release(&z);
    tess_release(&large);
}

/* ---- Watershed ---- */

TEST(floods_meet_at_the_ridge)
{
    tess_array image = ROW(TESS_F32, 3, 1, 2, 5, 4, 0, 1), markers = ROW(TESS_I16, 0, 7, 0, 0, 0, -3, 0), out = { 0 };
    CHECK_OK(tess_watershed(&out, &image, &markers, NULL));
    CHECK(out.dtype == TESS_I16 && IS(&out, 7, 7, 7, 7, -3, -3, -3));
    CHECK_OK(tess_watershed(&out, &image, &markers, &(tess_watershed_opts){ .line = 1 }));
    CHECK(IS(&out, 7, 7, 7, 0, -3, -3, -3));
    tess_array mask = ROW(TESS_F32, 1, 1, 1, 0, 1, 1, NAN);
    CHECK_OK(tess_watershed(&markers, &image, &markers, &(tess_watershed_opts){ .mask = &mask })); /* in place */
    CHECK(IS(&markers, 7, 7, 7, 0, -3, -3, -3));
    tess_release(&out);
    CHECK_OK(tess_watershed(&out, &image, NULL, NULL)); /* from the minima */
    CHECK(out.dtype == TESS_I32 && IS(&out, 1, 1, 1, 1, 2, 2, 2));
    tess_release(&image);
    tess_release(&markers);
    tess_release(&mask);
    tess_release(&out);
}

/* A plateau is divided by distance; where both floods are as far, the one that began first has it. */
TEST(plateaus_are_divided)
{
    tess_array flat = constant(TESS_U8, 1, 1, 1, 8, 3), markers = ROW(TESS_I32, 1, 0, 0, 0, 0, 0, 0, 2), out = { 0 };
    CHECK_OK(tess_watershed(&out, &flat, &markers, NULL));
    CHECK(IS(&out, 1, 1, 1, 1, 2, 2, 2, 2));
    CHECK_OK(tess_set_f64(&markers, 0, 0, 0, 6, 2));
    CHECK_OK(tess_watershed(&out, &flat, &markers, NULL));
    CHECK(IS(&out, 1, 1, 1, 1, 2, 2, 2, 2));
    tess_release(&out);
    CHECK_OK(tess_watershed(&out, &flat, NULL, NULL));
    CHECK(all_are(&out, 1));
    tess_release(&flat);
    tess_release(&markers);
    tess_release(&out);
}

/* A flood stays at its level in a hollow behind a ridge: it has not the lead of another one there. */
TEST(hollows_are_flooded_at_the_level_of_the_ridge)
{
    tess_array image = ROW(TESS_F64, 5, 9, 0, 0, 0, 0, 6, 5), markers = ROW(TESS_I8, 1, 0, 0, 0, 0, 0, 0, 2),
               out = { 0 };
    CHECK_OK(tess_watershed(&out, &image, &markers, NULL));
    CHECK(IS(&out, 1, 1, 2, 2, 2, 2, 2, 2));
    tess_release(&image);
    tess_release(&markers);
    tess_release(&out);
}

/* Batches are separate; corners connect with `full`; elements that no flood reaches are 0. */
TEST(floods_across_corners_and_batches)
{
    tess_array image = constant(TESS_I32, 2, 1, 2, 2, 0), markers = constant(TESS_U16, 2, 1, 2, 2, 0), out = { 0 };
    tess_array mask = image_of(TESS_BOOL, 2, 2, (double[]){ 1, 0, 0, 1 }), both;
    CHECK_OK(tess_broadcast(&both, &mask, image.shape));
    CHECK_OK(tess_set_f64(&markers, 1, 0, 0, 0, 5));
    CHECK_OK(tess_watershed(&out, &image, &markers, &(tess_watershed_opts){ .mask = &both }));
    CHECK(out.dtype == TESS_U16 && IS(&out, 0, 0, 0, 0, 5, 0, 0, 0));
    CHECK_OK(tess_watershed(&out, &image, &markers, &(tess_watershed_opts){ .mask = &both, .full = 1 }));
    CHECK(IS(&out, 0, 0, 0, 0, 5, 0, 0, 5));
    tess_release(&image);
    tess_release(&markers);
    tess_release(&mask);
    tess_release(&out);
}

/* NaNs are flooded last, and zeros of both signs are one level. */
TEST(floods_of_special_values)
{
    tess_array image = ROW(TESS_F32, 0.0, -0.0, NAN, INFINITY, 3, NAN), out = { 0 };
    CHECK_OK(tess_watershed(&out, &image, NULL, NULL));
    CHECK(IS(&out, 1, 1, 1, 2, 2, 2));
    tess_release(&image);
    tess_release(&out);
}

TEST(floods_of_nothing)
{
    tess_array empty = { 0 }, one = ROW(TESS_F64, 3), out = { 0 };
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_watershed(&out, &empty, NULL, NULL));
    CHECK_DIMS(out.shape, 2, 0, 3, 4);
    tess_release(&out);
    CHECK_OK(tess_watershed(&out, &one, NULL, NULL));
    CHECK(IS(&out, 1));
    CHECK_OK(tess_watershed(&out, &one, &tess_i32(4), NULL));
    CHECK(IS(&out, 4));
    tess_release(&empty);
    tess_release(&one);
    tess_release(&out);
}

/* Of so many elements that several threads sort them. */
TEST(watersheds_do_not_depend_on_threads)
{
    tess_array image = { 0 }, one = { 0 }, many = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, 380, 400), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < tess_n_elements(&image); i++) ((float *)image.data)[i] = (float)test_random_in(0, 1 << 12);
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_watershed(&one, &image, NULL, NULL));
    CHECK_OK(tess_threads_set(4));
    CHECK_OK(tess_watershed(&many, &image, NULL, NULL));
    CHECK_OK(tess_threads_set(0));
    CHECK(same_bits(&one, &many));
    tess_release(&image);
    tess_release(&one);
    tess_release(&many);
}

/* 256 minima, or markers of such a number. */
TEST(labels_must_fit)
{
    tess_array in = { 0 }, out = { 0 }, markers = { 0 };
    CHECK_OK(tess_zeros(&in, TESS_SHAPE(1, 1, 1, 511), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&out, in.shape, TESS_U8, tess_cpu()));
    for (int i = 0; i < 511; i++) ((float *)in.data)[i] = (float)(1 - i % 2);
    CHECK_FAILS(tess_label(&out, &in, NULL), TESS_ERANGE,
                "label: out is u8, which cannot hold the label 256; i32 can hold it");
    for (int i = 0; i < 511; i++) ((float *)in.data)[i] = (float)(i % 2);
    CHECK_FAILS(tess_watershed(&out, &in, NULL, NULL), TESS_ERANGE,
                "watershed: out is u8, which cannot hold the label 256; i32 can hold it");
    CHECK_OK(tess_zeros(&markers, in.shape, TESS_I64, tess_cpu()));
    ((int64_t *)markers.data)[7] = -1;
    CHECK_FAILS(tess_watershed(&out, &in, &markers, NULL), TESS_ERANGE,
                "watershed: out is u8, which cannot hold the label -1; i32 can hold it");
    for (int i = 0; i < 511; i++) CHECK(((uint8_t *)out.data)[i] == 0);
    ((int64_t *)markers.data)[7] = 255;
    CHECK_OK(tess_watershed(&out, &in, &markers, NULL));
    for (int i = 0; i < 511; i++) CHECK(((uint8_t *)out.data)[i] == 255);
    tess_release(&in);
    tess_release(&out);
    tess_release(&markers);
}

TEST(watershed_rejects)
{
    tess_array a = ROW(TESS_F32, 1, 2, 3), markers = ROW(TESS_I32, 1, 0, 0), longer = ROW(TESS_I32, 1, 2, 3, 4);
    tess_array z = constant(TESS_C32, 1, 1, 1, 3, 0), out = { 0 };
    CHECK_FAILS(tess_watershed(NULL, &a, &markers, NULL), TESS_EARG, "watershed: out is NULL");
    CHECK_FAILS(tess_watershed(&out, NULL, &markers, NULL), TESS_EARG, "watershed: image is NULL");
    CHECK_FAILS(tess_watershed(&out, &z, &markers, NULL), TESS_EDTYPE, "watershed: image is c32");
    CHECK_FAILS(tess_watershed(&out, &a, &a, NULL), TESS_EDTYPE,
                "watershed: markers is f32; integers or bool are needed");
    CHECK_FAILS(tess_watershed(&out, &a, &longer, NULL), TESS_ESHAPE,
                "watershed: markers has shape {1,1,1,4} and image {1,1,1,3}; they must be equal");
    CHECK_FAILS(tess_watershed(&out, &a, &markers, &(tess_watershed_opts){ .mask = &longer }), TESS_ESHAPE,
                "watershed: opts->mask has shape {1,1,1,4}");
    CHECK_FAILS(tess_watershed(&out, &a, &markers, &(tess_watershed_opts){ .mask = &z }), TESS_EDTYPE,
                "watershed: opts->mask is c32");
    CHECK_FAILS(tess_watershed(&out, &a, &markers, &(tess_watershed_opts){ .line = 2 }), TESS_ERANGE,
                "watershed: opts->line is 2");
    CHECK_FAILS(tess_watershed(&a, &a, &markers, NULL), TESS_EDTYPE, "watershed: out is f32; integers are needed");
    tess_array integers = ROW(TESS_I32, 1, 2, 3);
    CHECK_FAILS(tess_watershed(&integers, &integers, &markers, NULL), TESS_EALIAS, "watershed: out", "image");
    CHECK_FAILS(tess_watershed(&integers, &a, &markers, &(tess_watershed_opts){ .mask = &integers }), TESS_EALIAS,
                "watershed: out", "opts->mask");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&markers);
    tess_release(&longer);
    tess_release(&z);
    tess_release(&integers);
}
