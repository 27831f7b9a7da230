/* Samples at given coordinates, their adjoint, and zoom: examples, borders, empty arrays, every bad argument with its
 * message. Random ones are compared with SciPy in tests/oracle/geometry_coordinates.py. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/transform.h"

/* Points {1,1,n,k}. */
static tess_array points_of(int n, int k, const double *numbers_)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, n, k), TESS_F64, tess_cpu()));
    memcpy(a.data, numbers_, (size_t)(n * k) * sizeof(double));
    return a;
}

static void check_numbers_(int line, const tess_array *a, int n, const double *want)
{
    tess_array row = { 0 };
    CHECK(tess_n_elements(a) == n);
    CHECK_OK(tess_reshape(&row, a, TESS_SHAPE(1, 1, 1, n)));
    for (int i = 0; i < n; i++)
        if (!(fabs(value_at(&row, 0, 0, 0, i) - want[i]) < 1e-6) &&
            !(isnan(value_at(&row, 0, 0, 0, i)) && isnan(want[i])))
            (void)test_failed(__FILE__, line, "element %d is %g, not %g", i, value_at(&row, 0, 0, 0, i), want[i]);
}
#define CHECK_NUMBERS(a, n, ...) check_numbers_(__LINE__, a, n, (double[]){ __VA_ARGS__ })

/* ---- Samples ---- */

TEST(points_are_y_x)
{
    tess_array in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 };
    tess_array points = points_of(4, 2, (double[]){ 0, 0, 1, 1.5, 0.5, 3, 2, 4 });
    CHECK_OK(tess_map_coordinates(&out, &in, &points, NULL));
    CHECK(out.dtype == TESS_F32 && out.shape.b == 1 && out.shape.d == 1 && out.shape.h == 1 && out.shape.w == 4);
    CHECK_NUMBERS(&out, 4, 0, 5.5, 5, 0);
    CHECK_OK(tess_map_coordinates(&out, &in, &points, &(tess_coordinates_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_NUMBERS(&out, 4, 0, 5.5, 5, 11);
    tess_release(&out);
    tess_release(&in);
    tess_release(&points);
}

TEST(points_of_volumes_are_z_y_x)
{
    tess_array in = numbers(TESS_F64, 1, 2, 3, 4), out = { 0 };
    tess_array points = points_of(2, 3, (double[]){ 0.5, 1, 2, 1, 2, 3 });
    CHECK_OK(tess_map_coordinates(&out, &in, &points, NULL));
    CHECK_NUMBERS(&out, 2, 12, 23);
    tess_release(&out);
    in.shape = TESS_SHAPE(1, 1, 3, 4); /* an image is a volume of depth 1 */
    CHECK_OK(tess_map_coordinates(&out, &in, &points, &(tess_coordinates_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_NUMBERS(&out, 2, 6, 11);
    in.shape = TESS_SHAPE(1, 2, 3, 4);
    tess_release(&out);
    tess_release(&in);
    tess_release(&points);
}

/* A warp: for each element of the result where it comes from. */
TEST(points_in_rows_give_images_and_volumes)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), grid = { 0 }, out = { 0 }, vectors = { 0 };
    CHECK_OK(tess_empty(&grid, TESS_SHAPE(1, 4, 3, 2), TESS_F32, tess_cpu()));
    for (int i = 0; i < 12; i++) {
        ((float *)grid.data)[2 * i] = (float)(i / 3 % 2);
        ((float *)grid.data)[2 * i + 1] = (float)(2 - i % 3);
    }
    CHECK_OK(tess_map_coordinates(&out, &in, &grid, NULL));
    CHECK(out.shape.d == 1 && out.shape.h == 4 && out.shape.w == 3);
    CHECK_NUMBERS(&out, 12, 2, 1, 0, 5, 4, 3, 2, 1, 0, 5, 4, 3);
    tess_array volume = { 0 };
    CHECK_OK(tess_empty(&volume, TESS_SHAPE(1, 2, 2, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_map_coordinates(&volume, &in, &grid, NULL));
    CHECK_NUMBERS(&volume, 12, 2, 1, 0, 5, 4, 3, 2, 1, 0, 5, 4, 3);
    CHECK_OK(tess_fill(&volume, 0));
    vectors = grid;
    vectors.dtype = TESS_VEC2_F32;
    vectors.shape = TESS_SHAPE(1, 2, 2, 3);
    vectors.strides = (tess_strides){ { 12, 6, 3, 1 } };
    CHECK_OK(tess_map_coordinates(&volume, &in, &vectors, NULL));
    CHECK_NUMBERS(&volume, 12, 2, 1, 0, 5, 4, 3, 2, 1, 0, 5, 4, 3);
    tess_array reversed = { 0 }, swapped = { 0 };
    CHECK_OK(tess_reverse(&reversed, &vectors, TESS_D)); /* rows that are not equally far apart */
    CHECK_OK(tess_map_coordinates(&swapped, &in, &reversed, NULL));
    CHECK(swapped.shape.d == 2 && swapped.shape.h == 2 && swapped.shape.w == 3);
    CHECK_NUMBERS(&swapped, 12, 2, 1, 0, 5, 4, 3, 2, 1, 0, 5, 4, 3);
    tess_release(&swapped);
    tess_release(&volume);
    tess_release(&grid);
    tess_release(&out);
    tess_release(&in);
}

TEST(batches_of_images_and_of_points)
{
    tess_array in = numbers(TESS_F32, 3, 1, 2, 2), point = points_of(1, 2, (double[]){ 1, 0 }), out = { 0 };
    tess_array many = points_of(3, 2, (double[]){ 0, 0, 0, 1, 1, 1 });
    many.shape = TESS_SHAPE(3, 1, 1, 2);
    many.strides.b = 2;
    CHECK_OK(tess_map_coordinates(&out, &in, &point, NULL));
    CHECK_NUMBERS(&out, 3, 2, 6, 10);
    CHECK_OK(tess_map_coordinates(&out, &in, &many, NULL));
    CHECK_NUMBERS(&out, 3, 0, 5, 11);
    in.shape.b = 1;
    CHECK_OK(tess_map_coordinates(&out, &in, &many, NULL));
    CHECK_NUMBERS(&out, 3, 0, 1, 3);
    in.shape.b = 3;
    tess_release(&in);
    tess_release(&point);
    tess_release(&many);
    tess_release(&out);
}

TEST(points_outside)
{
    tess_array in = numbers(TESS_F64, 1, 1, 1, 3), out = constant(TESS_F64, 1, 1, 1, 5, 9);
    tess_array points = points_of(5, 2, (double[]){ 0, -0.25, 0, 2.25, 0, 5, 0, NAN, 0, 1.5 });
    CHECK_OK(tess_map_coordinates(&out, &in, &points, &(tess_coordinates_opts){ .border = TESS_BORDER_NOTHING }));
    CHECK_NUMBERS(&out, 5, 0, 2, 9, 9, 1.5);
    CHECK_OK(
        tess_map_coordinates(&out, &in, &points, &(tess_coordinates_opts){ .border = TESS_BORDER_VALUE, .value = 4 }));
    CHECK_NUMBERS(&out, 5, 1, 2.5, 4, NAN, 1.5);
    CHECK_OK(tess_map_coordinates(&out, &in, &points,
                                  &(tess_coordinates_opts){ .border = TESS_BORDER_CLAMP, .cut = 1, .value = -1 }));
    CHECK_NUMBERS(&out, 5, -1, -1, -1, NAN, 1.5);
    CHECK_OK(tess_map_coordinates(&out, &in, &points,
                                  &(tess_coordinates_opts){ .interp = TESS_INTERP_NEAREST, .cut = 1, .value = -1 }));
    CHECK_NUMBERS(&out, 5, -1, -1, -1, NAN, 2);
    CHECK_OK(tess_map_coordinates(&out, &in, &points, &(tess_coordinates_opts){ .interp = TESS_INTERP_NEAREST }));
    CHECK_NUMBERS(&out, 5, 0, 2, 0, NAN, 2);
    tess_release(&in);
    tess_release(&points);
    tess_release(&out);
}

TEST(splines_go_through_the_elements)
{
    const tess_coordinates_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE,
                                      .border = TESS_BORDER_REFLECT,
                                      .prefilter = 1 };
    tess_array                  in = constant(TESS_F64, 1, 1, 4, 5, 0), out = { 0 };
    tess_array                  points = points_of(3, 2, (double[]){ 0, 0, 3, 4, 2, 1 });
    ((double *)in.data)[0] = 7;
    ((double *)in.data)[19] = -3;
    CHECK_OK(tess_map_coordinates(&out, &in, &points, &o));
    CHECK_NUMBERS(&out, 3, 7, -3, 0);
    tess_release(&in);
    tess_release(&points);
    tess_release(&out);
}

/* Coordinates in other dtypes, and images too. */
TEST(dtypes_of_coordinates)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I32, TESS_F16, TESS_F32, TESS_F64 };
    for (int i = 0; i < 5; i++) {
        tess_array in = numbers(TESS_I16, 1, 1, 3, 4), points = numbers(dtypes[i], 1, 1, 2, 2), out = { 0 };
        CHECK_OK(tess_map_coordinates(&out, &in, &points, NULL));
        CHECK(out.dtype == TESS_F32);
        CHECK_NUMBERS(&out, 2, 1, 11);
        tess_release(&in);
        tess_release(&points);
        tess_release(&out);
    }
}

/* ---- The adjoint ---- */

TEST(values_are_distributed_by_weights)
{
    tess_array in = numbers(TESS_F64, 1, 1, 1, 4), out = { 0 };
    tess_array points = points_of(4, 2, (double[]){ 0, 0, 1, 1.25, 0.5, 2, 0, 7 });
    CHECK_OK(tess_map_coordinates_adjoint(&out, &in, &points, TESS_SHAPE(1, 1, 2, 3), NULL));
    CHECK_NUMBERS(&out, 6, 0, 0, 1, 0, 0.75, 1.25);
    CHECK_OK(tess_map_coordinates_adjoint(&out, &in, &points, TESS_SHAPE(1, 1, 2, 3),
                                          &(tess_coordinates_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_NUMBERS(&out, 6, 0, 0, 4, 0, 0.75, 1.25);
    ((double *)points.data)[2] = NAN;
    CHECK_OK(tess_map_coordinates_adjoint(&out, &in, &points, TESS_SHAPE(1, 1, 2, 3), NULL));
    CHECK_NUMBERS(&out, 6, 0, 0, 1, 0, 0, 1);
    tess_release(&in);
    tess_release(&points);
    tess_release(&out);
}

TEST(batches_add_to_their_own_image_or_to_one)
{
    tess_array in = numbers(TESS_F32, 3, 1, 1, 1), out = { 0 };
    tess_array points = points_of(1, 3, (double[]){ 1, 0, 0 });
    CHECK_OK(tess_map_coordinates_adjoint(&out, &in, &points, TESS_SHAPE(3, 2, 1, 1), NULL));
    CHECK_NUMBERS(&out, 6, 0, 0, 0, 1, 0, 2);
    tess_release(&out);
    CHECK_OK(tess_map_coordinates_adjoint(&out, &in, &points, TESS_SHAPE(1, 2, 1, 1), NULL));
    CHECK_NUMBERS(&out, 2, 0, 3);
    tess_release(&out);
    tess_release(&in);
    tess_release(&points);
}

/* ---- Zoom ---- */

TEST(zoom_aligns_elements_or_edges)
{
    tess_array in = numbers(TESS_F64, 1, 1, 1, 3), out = { 0 };
    CHECK_OK(tess_zoom(&out, &in, 1, 1, 5.0 / 3, NULL));
    CHECK_NUMBERS(&out, 5, 0, 0.5, 1, 1.5, 2);
    tess_release(&out);
    CHECK_OK(tess_zoom(&out, &in, 1, 1, 2, &(tess_zoom_opts){ .pixel_grid = 1, .border = TESS_BORDER_CLAMP }));
    CHECK_NUMBERS(&out, 6, 0, 0.25, 0.75, 1.25, 1.75, 2);
    tess_release(&out);
    CHECK_OK(tess_zoom(&out, &in, 1, 2.5, 0.01, NULL)); /* halves go to even, sizes are at least 1 */
    CHECK(out.shape.h == 2 && out.shape.w == 1);
    CHECK_NUMBERS(&out, 2, 0, 0);
    tess_release(&out);
    tess_release(&in);
}

TEST(zoom_of_volumes_and_batches)
{
    tess_array in = numbers(TESS_F32, 2, 2, 2, 2), out = { 0 };
    CHECK_OK(tess_zoom(&out, &in, 1.5, 1, 1, NULL));
    CHECK(out.shape.b == 2 && out.shape.d == 3 && out.shape.h == 2 && out.shape.w == 2);
    CHECK(value_at(&out, 1, 1, 0, 1) == 11);
    tess_release(&out);
    tess_release(&in);
}

TEST(zoom_blurs_before_it_shrinks)
{
    tess_array           in = constant(TESS_F32, 1, 1, 1, 64, 0), out = { 0 };
    const tess_zoom_opts o = { .antialias = 1, .pixel_grid = 1 };
    for (int i = 0; i < 64; i += 2) ((float *)in.data)[i] = 1;
    CHECK_OK(tess_zoom(&out, &in, 1, 1, 0.25, &o));
    for (int64_t i = 0; i < 16; i++) CHECK(fabs(value_at(&out, 0, 0, 0, i) - 0.5) < 0.05);
    CHECK_OK(tess_zoom(&out, &in, 1, 1, 0.25, &(tess_zoom_opts){ .pixel_grid = 1, .interp = TESS_INTERP_NEAREST }));
    CHECK(all_are(&out, 1) || all_are(&out, 0));
    tess_release(&out);
    CHECK_OK(tess_zoom(&out, &in, 1, 2, 1, &o)); /* nothing shrinks */
    CHECK(value_at(&out, 0, 0, 0, 2) == 1 && value_at(&out, 0, 0, 1, 3) == 0);
    tess_release(&out);
    tess_release(&in);
}

/* ---- Empty arrays, bad arguments ---- */

TEST(nothing_of_nothing)
{
    tess_array in = numbers(TESS_F32, 1, 1, 3, 3), none = { 0 }, out = { 0 }, nowhere = { 0 };
    tess_array point = points_of(1, 2, (double[]){ 0, 0 });
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 1, 0, 2), TESS_F64, tess_cpu()));
    CHECK_OK(tess_map_coordinates(&out, &in, &none, NULL));
    CHECK(out.shape.w == 0);
    CHECK_OK(tess_map_coordinates_adjoint(&nowhere, &out, &none, in.shape, NULL));
    CHECK(all_are(&nowhere, 0));
    tess_release(&out);
    tess_array empty = in;
    empty.shape.h = 0;
    CHECK_FAILS(tess_map_coordinates(&out, &empty, &point, NULL), TESS_ESHAPE,
                "map_coordinates: in has shape {1,1,0,3} and the result {1,1,1,1}; in must not be empty");
    CHECK_OK(tess_zoom(&out, &empty, 1, 2, 2, NULL));
    CHECK(out.shape.h == 0 && out.shape.w == 6);
    tess_release(&out);
    tess_release(&in);
    tess_release(&none);
    tess_release(&point);
    tess_release(&nowhere);
}

TEST(bad_coordinates)
{
    tess_array image = numbers(TESS_F32, 2, 1, 4, 4), volume = numbers(TESS_F32, 1, 3, 4, 4), out = { 0 };
    tess_array point = points_of(1, 2, (double[]){ 0, 0 }), four = points_of(1, 4, (double[]){ 0, 0, 0, 0 });
    tess_array complex = constant(TESS_C32, 1, 1, 1, 2, 0), many = constant(TESS_F64, 3, 1, 1, 2, 0);
    tess_array vectors = { 0 };
    CHECK_OK(tess_zeros(&vectors, TESS_SHAPE(1, 1, 1, 1), TESS_VEC4_F32, tess_cpu()));
#define FAILS(status, text, in, points)                                                                                \
    CHECK_FAILS(tess_map_coordinates(&out, in, points, NULL), status, "map_coordinates: " text)
    FAILS(TESS_ESHAPE, "coordinates are y, x, and in is a volume of shape {1,3,4,4}; expected z, y, x", &volume,
          &point);
    FAILS(TESS_ESHAPE, "coordinates has shape {1,1,1,4}; expected y, x {b,n,m,2} or z, y, x {b,n,m,3}", &image, &four);
    FAILS(TESS_EDTYPE, "coordinates is c32; a real type is needed", &image, &complex);
    FAILS(TESS_EDTYPE, "coordinates is vec4_f32", &image, &vectors);
    FAILS(TESS_ESHAPE, "in has 2 batches and coordinates 3; expected one batch, or the same number of both", &image,
          &many);
    FAILS(TESS_EARG, "coordinates is NULL", &image, NULL);
    FAILS(TESS_EARG, "in is NULL", NULL, &point);
#undef FAILS
    tess_array wrong = numbers(TESS_F32, 2, 1, 1, 3), there = on_gpu(point);
    CHECK_FAILS(tess_map_coordinates(&wrong, &image, &point, NULL), TESS_ESHAPE, "map_coordinates: out has shape");
    CHECK_FAILS(tess_map_coordinates(NULL, &image, &point, NULL), TESS_EARG, "map_coordinates: out is NULL");
    CHECK_FAILS(tess_map_coordinates(&out, &image, &there, NULL), TESS_EDEVICE, "map_coordinates");
    tess_release(&wrong);
    tess_release(&image);
    tess_release(&volume);
    tess_release(&point);
    tess_release(&four);
    tess_release(&complex);
    tess_release(&many);
    tess_release(&vectors);
}

TEST(bad_values)
{
    tess_array       in = numbers(TESS_F32, 2, 1, 1, 3), out = { 0 }, points = constant(TESS_F64, 1, 1, 3, 2, 0);
    tess_array       many = constant(TESS_F64, 3, 1, 3, 2, 0);
    const tess_shape shape = TESS_SHAPE(1, 1, 4, 4);
#define FAILS(text, values, points, shape)                                                                             \
    CHECK_FAILS(tess_map_coordinates_adjoint(&out, values, points, shape, NULL), TESS_ESHAPE,                          \
                "map_coordinates_adjoint: " text)
    FAILS("coordinates has 3 batches and in 2; expected one batch or the same number", &in, &many, shape);
    FAILS("shape has 3 batches and in 2; expected one batch or the same number", &in, &points, TESS_SHAPE(3, 1, 4, 4));
    FAILS("coordinates are y, x, and shape is a volume of shape {1,2,4,4}; expected z, y, x", &in, &points,
          TESS_SHAPE(1, 2, 4, 4));
    FAILS("in has shape {2,1,1,3} and shape is {1,1,0,4}; it must not be empty", &in, &points, TESS_SHAPE(1, 1, 0, 4));
    points.shape.h = 2;
    FAILS("in has shape {2,1,1,3}; expected one value for each of the points {1,1,1,2}", &in, &points, shape);
#undef FAILS
    tess_release(&in);
    tess_release(&points);
    tess_release(&many);
}

TEST(bad_options)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 4), out = { 0 }, point = points_of(1, 2, (double[]){ 0, 0 });
#define FAILS(status, text, ...)                                                                                       \
    CHECK_FAILS(tess_map_coordinates(&out, &in, &point, &(tess_coordinates_opts){ __VA_ARGS__ }), status,              \
                "map_coordinates: " text)
    FAILS(TESS_EARG, "opts->value is 3, which needs opts->border to be \"value\", not \"zero\"", .value = 3);
    FAILS(TESS_EDTYPE, "opts->value_imag is 1, but in is f32; complex elements are needed", .border = TESS_BORDER_VALUE,
          .value_imag = 1);
    FAILS(TESS_EARG, "out is zeroed and opts->border is \"nothing\"", .border = TESS_BORDER_NOTHING);
    FAILS(TESS_EARG, "opts->cut is 1 and opts->border is \"nothing\"; expected another border", .cut = 1,
          .border = TESS_BORDER_NOTHING);
    FAILS(TESS_EARG, "opts->prefilter is 1; opts->interp must be \"cubic_bspline\", not \"linear\"", .prefilter = 1);
#undef FAILS
    tess_release(&point);
#define FAILS(status, text, d, h, w, ...)                                                                              \
    CHECK_FAILS(tess_zoom(&out, &in, d, h, w, &(tess_zoom_opts){ __VA_ARGS__ }), status, "zoom: " text)
    FAILS(TESS_ERANGE, "factor_h is 0; it must be finite and above 0", 1, 0, 1, .interp = 0);
    FAILS(TESS_ERANGE, "factor_w is nan; it must be finite and above 0", 1, 1, (double)NAN, .interp = 0);
    FAILS(TESS_ERANGE, "factor_d is 2, but in holds images; expected 1", 2, 1, 1, .interp = 0);
    FAILS(TESS_ESHAPE, "factor_w is 1e+20: this makes 4e+20 elements along an axis", 1, 1, 1e20, .interp = 0);
    FAILS(TESS_EARG, "opts->antialias is 1 and opts->border is \"nothing\"; expected another border", 1, 0.5, 0.5,
          .antialias = 1, .border = TESS_BORDER_NOTHING);
    FAILS(TESS_EARG, "opts->antialias is 1 and opts->value_imag is 2; expected 0", 1, 0.5, 0.5, .antialias = 1,
          .border = TESS_BORDER_VALUE, .value_imag = 2);
#undef FAILS
    tess_array made = numbers(TESS_F32, 1, 1, 7, 8);
    CHECK_FAILS(tess_zoom(&made, &in, 1, 2, 2, NULL), TESS_ESHAPE, "zoom: out has shape {1,1,7,8}");
    CHECK_FAILS(tess_zoom(&in, &in, 1, 1, 1, NULL), TESS_EALIAS, "zoom");
    const tess_zoom_opts antialias = { .antialias = 1 }; /* what is blurred does not overlap, but its input does */
    CHECK_FAILS(tess_zoom(&made, &in, 1, 0.5, 0.5, &antialias), TESS_ESHAPE, "zoom: out has shape {1,1,7,8}");
    tess_array part = in;
    part.shape = TESS_SHAPE(1, 1, 2, 2);
    CHECK_FAILS(tess_zoom(&part, &in, 1, 0.5, 0.5, &antialias), TESS_EALIAS, "zoom");
    tess_release(&made);
    tess_release(&in);
}

/* ---- Memory ---- */

static hooks h;

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    const tess_coordinates_opts o = { .interp = TESS_INTERP_CUBIC_BSPLINE,
                                      .border = TESS_BORDER_REFLECT,
                                      .prefilter = 1 };
    bool                        done[2] = { false, false };
    hooks_on(&h);
    tess_array in = numbers(TESS_I16, 1, 1, 5, 6), points = numbers(TESS_I16, 1, 1, 3, 2);
    tess_array values = numbers(TESS_I16, 1, 1, 1, 3);
    for (int k = 1; !(done[0] && done[1]) && k < 200; k++)
        for (int i = 0; i < 2; i++) {
            tess_array out = { 0 };
            const long live = atomic_load(&h.live);
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, k);
            const tess_status status = i ? tess_map_coordinates_adjoint(&out, &values, &points, in.shape, &o)
                                         : tess_map_coordinates(&out, &in, &points, &o);
            atomic_store(&h.fail_at, 0);
            done[i] = status == TESS_OK;
            if (!done[i]) CHECK(status == TESS_ENOMEM && out.data == NULL && strstr(tess_error_message(), "memory"));
            tess_release(&out);
            CHECK(done[i] || atomic_load(&h.live) == live);
        }
    CHECK(done[0] && done[1]);
    tess_release(&in);
    tess_release(&points);
    tess_release(&values);
    hooks_off();
}
