/* Masks as a job: against single calls and plain loops, the same bits for files, threads and slabs, cancellation, every
 * failing allocation, and every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { D = 10, H = 12, W = 14, N = 5 };

static const tess_meta meta = { .pixel_size = { 3, 3, 3 } };

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the map", &meta));
    return source;
}

/* Two blobs on a little noise; image or volume k of n is a bit different. */
static tess_array blobs(tess_dtype dtype, int64_t n, int64_t d)
{
    tess_array a = { 0 }, noise = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(n, d, H, W), dtype, tess_cpu()));
    CHECK_OK(tess_like(&noise, &a));
    CHECK_OK(tess_random_normal(&noise, 0, 0.01, 3, NULL));
    for (int64_t i = 0; i < n * d * H * W; i++) {
        const double x = (double)(i % W), y = (double)(i / W % H), z = d > 1 ? (double)(i / (H * W) % d) : 5;
        const double k = (double)(i / (d * H * W));
        const double one = exp(-((x - 7) * (x - 7) + (y - 6) * (y - 6) + (z - 5) * (z - 5)) / 18);
        const double two = exp(-((x - 1) * (x - 1) + (y - 1) * (y - 1) + (z - 5) * (z - 5)) / 2);
        CHECK_OK(tess_set_f64(&a, i / (d * H * W), i / (H * W) % d, i / W % H, i % W, one + two + 0.02 * k));
    }
    CHECK_OK(tess_add(&a, &a, &noise));
    tess_release(&noise);
    return a;
}

static tess_array make(const tess_source *in, const tess_make_mask_opts *o)
{
    tess_make_mask_result r = { 0 };
    CHECK_OK(tess_make_mask(&r, in, o, NULL));
    const tess_array mask = r.mask;
    r.mask = (tess_array){ 0 };
    tess_make_mask_result_release(&r);
    return mask;
}

/* ---- Masks of maps ---- */

/* The cut-off is 3 / 15 = 0.2 cycles per pixel, and the edge a raised cosine over two shells of the smallest side. */
TEST(masks_of_maps_are_filtered_and_grown)
{
    tess_array                map = blobs(TESS_F32, 1, D), filtered = { 0 }, otsu = { 0 }, want = { 0 };
    const tess_source         in = source_of(&map);
    const tess_make_mask_opts o = { .extend = 1.5, .soft = 3, .largest = 1 };
    tess_make_mask_result     r = { 0 };
    double                    least, most, threshold;
    int64_t                   n;
    CHECK_OK(tess_lowpass_image(&filtered, &map, 0.2 - 1.0 / D, &(tess_lowpass_opts){ .width = 0.2 + 1.0 / D - 0.1 }));
    CHECK_OK(tess_otsu(&otsu, &filtered, NULL));
    CHECK_OK(tess_host_max(&threshold, &otsu));
    CHECK_OK(tess_mask_create(&want, &filtered, threshold,
                              &(tess_mask_create_opts){ .extend = 1.5, .width = 3, .keep_largest = 1 }));
    CHECK_OK(tess_make_mask(&r, &in, &o, NULL));
    CHECK(r.mask.dtype == TESS_F32 && same_values(&r.mask, &want) && r.cutoff == 0.2);
    CHECK_DIMS(r.statistics.shape, 1, 1, 1, 5);
    CHECK_OK(tess_host_minmax(&least, &most, &filtered));
    CHECK_OK(tess_host_count_nonzero(&n, &want));
    CHECK(value_at(&r.statistics, 0, 0, 0, 0) == threshold && value_at(&r.statistics, 0, 0, 0, 1) == least);
    CHECK(value_at(&r.statistics, 0, 0, 0, 2) == most && value_at(&r.statistics, 0, 0, 0, 3) == (double)n);
    CHECK(value_at(&r.statistics, 0, 0, 0, 4) == (double)n / (D * H * W) && n > 0);
    tess_make_mask_result_release(&r);
    tess_array *made[] = { &map, &filtered, &otsu, &want };
    for (size_t i = 0; i < 4; i++) tess_release(made[i]);
}

TEST(each_image_has_a_threshold_of_its_own)
{
    tess_array            stack = blobs(TESS_F64, N, 1);
    const tess_source     in = source_of(&stack);
    tess_make_mask_result r = { 0 };
    CHECK_OK(tess_make_mask(&r, &in, &(tess_make_mask_opts){ .lowpass = TESS_ZERO }, NULL));
    CHECK(r.cutoff == 0);
    CHECK_DIMS(r.mask.shape, N, 1, H, W);
    for (int64_t i = 0; i < N; i++) {
        tess_array one, otsu = { 0 };
        CHECK_OK(tess_index(&one, &stack, 0, i));
        CHECK_OK(tess_otsu(&otsu, &one, NULL));
        const double threshold = value_at(&otsu, 0, 0, 0, 0);
        CHECK(value_at(&r.statistics, 0, 0, i, 0) == threshold);
        for (int64_t k = 0; k < H * W; k++)
            CHECK(value_at(&r.mask, i, 0, k / W, k % W) == (value_at(&stack, i, 0, k / W, k % W) >= threshold));
        tess_release(&otsu);
    }
    tess_make_mask_result_release(&r);
    tess_release(&stack);
}

/* A cut-off beyond Nyquist is Nyquist, and one in cycles per pixel the same as in angstrom; 0 is a threshold. */
TEST(filters_and_thresholds_are_those_given)
{
    tess_array                map = blobs(TESS_F32, 1, D);
    const tess_source         in = source_of(&map);
    const tess_make_mask_opts angstrom = { .threshold = 0.3, .lowpass = 20 },
                              cycles = { .threshold = 0.3, .cutoff = 0.15 };
    const tess_make_mask_opts other = { .threshold = 0.3, .lowpass = 40, .pixel_size = 6 };
    tess_array                a = make(&in, &angstrom), b = make(&in, &cycles), c = make(&in, &other);
    tess_array                all = make(&in, &(tess_make_mask_opts){ .threshold = -9, .lowpass = TESS_ZERO });
    tess_array                some = make(&in, &(tess_make_mask_opts){ .threshold = TESS_ZERO, .lowpass = TESS_ZERO });
    CHECK(same_values(&a, &b) && same_values(&a, &c) && all_are(&all, 1));
    for (int64_t i = 0; i < D * H * W; i++)
        CHECK(((const float *)some.data)[i] == (((const float *)map.data)[i] >= 0 ? 1 : 0));
    tess_make_mask_result r = { 0 };
    CHECK_OK(tess_make_mask(&r, &in, &(tess_make_mask_opts){ .lowpass = 2 }, NULL));
    CHECK(r.cutoff == 0.5);
    tess_make_mask_result_release(&r);
    tess_array *made[] = { &map, &a, &b, &c, &all, &some };
    for (size_t i = 0; i < 6; i++) tess_release(made[i]);
}

/* ---- Shapes ---- */

static tess_array row_of(const double *numbers, int64_t rows, int64_t columns)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(rows, 1, 1, columns), TESS_F64, tess_cpu()));
    memcpy(a.data, numbers, (size_t)(rows * columns) * sizeof *numbers);
    return a;
}

/* A voxel is covered where its centre is; the mask is all that one of the shapes covers. */
TEST(shapes_cover_voxels_by_their_centres)
{
    tess_array        map = constant(TESS_U8, 1, D, H, W, 0), sphere = row_of((double[]){ 3, 1.5 }, 2, 1);
    tess_array        box = row_of((double[]){ 2, 4, 12 }, 1, 3), cube = row_of((double[]){ 5 }, 1, 1);
    tess_array        cylinder = row_of((double[]){ 2, 8 }, 1, 2), shell = row_of((double[]){ 2, 4 }, 1, 2);
    tess_array        ellipsoid = row_of((double[]){ 4, 3, 2 }, 1, 3), centre = row_of((double[]){ 4, 6.5, 5 }, 1, 3);
    tess_array        flat = { 0 };
    const tess_source in = source_of(&map);
    CHECK_OK(tess_reshape(&flat, &sphere, TESS_SHAPE(1, 1, 2, 1)));
    const tess_make_mask_opts opts[] = { { .sphere = &flat, .centre = &centre },
                                         { .box = &box },
                                         { .box = &cube },
                                         { .cylinder = &cylinder },
                                         { .shell = &shell, .centre = &centre },
                                         { .ellipsoid = &ellipsoid },
                                         { .sphere = &sphere, .box = &box, .cylinder = &cylinder } };
    for (int k = 0; k < 7; k++) {
        tess_array got = make(&in, &opts[k]);
        const bool moved = opts[k].centre != NULL;
        for (int64_t i = 0; i < D * H * W; i++) {
            const double z = (double)(i / (H * W)) - (moved ? 4 : D / 2),
                         y = (double)(i / W % H) - (moved ? 6.5 : H / 2);
            const double x = (double)(i % W) - (moved ? 5 : W / 2), r = sqrt(x * x + y * y + z * z);
            const bool   in_box = fabs(z) <= 1 && fabs(y) <= 2 && fabs(x) <= 6;
            const bool   in_cylinder = hypot(x, y) <= 2 && fabs(z) <= 4;
            const bool   want[7] = { r <= 3,
                                     in_box,
                                     fmax(fabs(x), fmax(fabs(y), fabs(z))) <= 2.5,
                                     in_cylinder,
                                     r <= 4 && r >= 2,
                                     z * z / 16 + y * y / 9 + x * x / 4 <= 1,
                                     r <= 3 || in_box || in_cylinder };
            const bool   at_edge = k == 4 && fabs(r - 2) < 1e-9; /* outer and inner sphere share their edges */
            if (!at_edge) CHECK(((const float *)got.data)[i] == (want[k] ? 1 : 0));
        }
        tess_release(&got);
    }
    tess_array *made[] = { &map, &sphere, &box, &cube, &cylinder, &shell, &ellipsoid, &centre };
    for (size_t i = 0; i < 8; i++) tess_release(made[i]);
}

TEST(shapes_of_images_have_soft_edges)
{
    tess_array        stack = constant(TESS_F32, N, 1, H, W, 0), circle = row_of((double[]){ 3 }, 1, 1);
    const tess_source in = source_of(&stack);
    tess_array        got = make(&in, &(tess_make_mask_opts){ .sphere = &circle, .soft = 2.5 });
    for (int64_t i = 0; i < N * H * W; i++) {
        const double r = hypot((double)(i % W) - W / 2, (double)(i / W % H) - H / 2) - 3;
        const double want = r <= 0 ? 1 : r >= 2.5 ? 0 : 0.5 + 0.5 * cos(3.141592653589793 * r / 2.5);
        CHECK(fabs(((const float *)got.data)[i] - want) < 2e-6);
    }
    tess_array cylinder = make(&in, &(tess_make_mask_opts){ .cylinder = &circle, .soft = 2.5 });
    CHECK(same_values(&cylinder, &got));
    tess_release(&stack);
    tess_release(&circle);
    tess_release(&got);
    tess_release(&cylinder);
}

/* ---- Other masks ---- */

/* One mask for all images, and one for each, in the order of the steps; the values outside are kept or replaced. */
TEST(masks_are_joined_and_applied)
{
    tess_array        stack = blobs(TESS_F32, N, 1), one = { 0 }, each = { 0 };
    const tess_source in = source_of(&stack);
    CHECK_OK(tess_empty(&one, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_uniform(&one, 0, 1, 1, NULL));
    CHECK_OK(tess_empty(&each, TESS_SHAPE(N, 1, H, W), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_uniform(&each, 0, 1, 2, NULL));
    CHECK_OK(tess_set_f64(&one, 0, 0, 3, 4, 0));
    CHECK_OK(tess_set_f64(&stack, 2, 0, 3, 4, (double)NAN));
    const tess_source         a = source_of(&one), b = source_of(&each);
    const tess_source *const  both[] = { &b, &a, NULL };
    const tess_make_mask_opts steps = { .use = &a, .masks = both, .join = "or, not and" };
    const tess_make_mask_opts applied = { .use = &a, .apply = 1, .outside = -2 };
    const tess_make_mask_opts given = { .is_mask = 1, .masks = both };
    tess_array                joined = make(&in, &steps), times = make(&in, &applied), least = make(&b, &given);
    for (int64_t i = 0; i < N * H * W; i++) {
        const float m = ((const float *)one.data)[i % (H * W)], e = (float)((const double *)each.data)[i];
        const float want = fminf(1 - fmaxf(m, e), m), value = ((const float *)stack.data)[i];
        CHECK(((const float *)joined.data)[i] == want);
        CHECK(((const float *)least.data)[i] == fminf(m, e));
        CHECK(((const float *)times.data)[i] == (m == 0 ? -2 : value * m + (1 - m) * -2));
    }
    tess_array *made[] = { &stack, &one, &each, &joined, &times, &least };
    for (size_t i = 0; i < 6; i++) tess_release(made[i]);
}

/* ---- The same bits ---- */

TEST(masks_have_the_same_bits_for_files_threads_and_slabs)
{
    for (int volumes = 0; volumes < 2; volumes++) {
        tess_array            map = blobs(TESS_F32, N, volumes ? D : 1), into = { 0 };
        const tess_source     in = source_of(&map);
        tess_source           file = { 0 };
        tess_sink             sink;
        tess_make_mask_opts   o = { .soft = 2, .extend = -0.5, .apply = 1, .pixel_size = 3 };
        tess_make_mask_result one = { 0 }, two = { 0 }, three = { 0 };
        CHECK_OK(tess_write(in_folder("map.npy"), &map, &(tess_write_opts){ .overwrite = 1 }));
        CHECK_OK(tess_source_open(&file, in_folder("map.npy"), NULL));
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(tess_make_mask(&one, &in, &o, NULL));
        CHECK_OK(tess_threads_set(2));
        CHECK_OK(tess_make_mask(&two, &file, &o, NULL));
        CHECK_OK(tess_sink_array(&sink, &into));
        o.sink = &sink;
        CHECK_OK(tess_make_mask(&three, &in, &o, &(tess_context){ .slab = 1 }));
        CHECK_OK(tess_threads_set(0));
        CHECK(same_values(&one.mask, &two.mask) && same_values(&one.mask, &into) && !three.mask.data);
        CHECK(same_values(&one.statistics, &two.statistics) && same_values(&one.statistics, &three.statistics));
        tess_make_mask_result_release(&one);
        tess_make_mask_result_release(&two);
        tess_make_mask_result_release(&three);
        tess_source_close(&file);
        tess_release(&map);
        tess_release(&into);
    }
}

/* ---- What can go wrong ---- */

#define MAKE(...) tess_make_mask(&r, &in, &(tess_make_mask_opts){ __VA_ARGS__ }, NULL)

TEST(bad_masks_and_maps)
{
    tess_array map = blobs(TESS_F32, 1, D), complex = constant(TESS_C32, 1, 1, 4, 4, 0),
               big = constant(TESS_F32, 1, D, H, W, 2);
    tess_array        small = constant(TESS_F32, 1, D, H, 3, 1), two = constant(TESS_F32, 2, D, H, W, 1);
    const tess_source in = source_of(&map), wrong = source_of(&complex), zeroed = { 0 }, out_of = source_of(&big);
    const tess_source narrow = source_of(&small), many = source_of(&two);
    const tess_source *const masks[] = { &in, &zeroed, NULL }, *const good[] = { &in, NULL };
    const tess_sink       no_sink = { 0 };
    tess_source           plain = { 0 };
    tess_make_mask_result r = { 0 }, dirty = { .cutoff = 1 };
    CHECK_FAILS(tess_make_mask(NULL, &in, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_make_mask(&dirty, &in, NULL, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(tess_make_mask(&r, NULL, NULL, NULL), TESS_EARG, "images is NULL");
    CHECK_FAILS(tess_make_mask(&r, &zeroed, NULL, NULL), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(tess_make_mask(&r, &wrong, NULL, NULL), TESS_EDTYPE, "complex numbers");
    CHECK_FAILS(MAKE(.soft = -1), TESS_ERANGE, "opts->soft is -1");
    CHECK_FAILS(MAKE(.lowpass = 10, .cutoff = 0.2), TESS_EARG, "opts->lowpass and opts->cutoff");
    CHECK_FAILS(MAKE(.outside = 1), TESS_EARG, "opts->outside requires opts->apply");
    CHECK_FAILS(MAKE(.use = &in, .soft = 2), TESS_EARG, "opts->use takes a mask unchanged");
    CHECK_FAILS(MAKE(.is_mask = 1, .use = &in), TESS_EARG, "opts->is_mask");
    CHECK_FAILS(MAKE(.is_mask = 1), TESS_EARG, "opts->is_mask requires opts->masks or opts->join");
    CHECK_FAILS(MAKE(.use = &out_of), TESS_ERANGE, "the mask the map has values from 2 to 2");
    CHECK_FAILS(MAKE(.use = &narrow), TESS_ESHAPE, "3 x 12 x 10 pixels; 14 x 12 x 10 are needed");
    CHECK_FAILS(MAKE(.use = &many), TESS_ESHAPE, "has 2 masks; 1 is needed");
    CHECK_FAILS(MAKE(.use = &zeroed), TESS_EARG, "opts->use is a zeroed source");
    CHECK_FAILS(MAKE(.masks = masks), TESS_ERANGE, "values from");
    CHECK_FAILS(MAKE(.is_mask = 1, .masks = good, .join = "xor"), TESS_EARG, "opts->join is \"xor\"");
    CHECK_FAILS(MAKE(.use = &many, .join = "and"), TESS_ESHAPE, "2 masks");
    CHECK_FAILS(MAKE(.is_mask = 1, .join = "not and"), TESS_EARG, "opts->join is \"not and\"",
                "opts->masks has only 0");
    CHECK_FAILS(MAKE(.join = "not not not not not not not not not not not not not not not not not"), TESS_ERANGE,
                "more than 16 steps");
    CHECK_FAILS(tess_make_mask(&r, &out_of, &(tess_make_mask_opts){ .is_mask = 1, .join = "not" }, NULL), TESS_ERANGE,
                "the map has values from 2 to 2; a mask must have values from 0 to 1");
    CHECK_FAILS(MAKE(.sink = &no_sink), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_make_mask(&r, &in, NULL, &(tess_context){ .memory = 1024 }), TESS_ENOMEM, "context->memory");
    CHECK_OK(tess_source_array(&plain, &map, "plain", NULL));
    CHECK_FAILS(tess_make_mask(&r, &plain, NULL, NULL), TESS_EARG, "plain is low-pass filtered to 15 A first",
                "opts->pixel_size", "opts->lowpass");
    CHECK_OK(tess_set_f64(&map, 0, 1, 2, 3, (double)INFINITY));
    CHECK_FAILS(MAKE(.lowpass = TESS_ZERO), TESS_ERANGE, "NaN or infinite");
    CHECK(!r.mask.data && !r.statistics.data);
    tess_make_mask_result_release(NULL);
    tess_array *made[] = { &map, &complex, &big, &small, &two };
    for (size_t i = 0; i < 5; i++) tess_release(made[i]);
}

TEST(bad_shapes)
{
    tess_array map = constant(TESS_F32, 1, D, H, W, 0), images = constant(TESS_F32, 1, 1, H, W, 0), flat = { 0 };
    tess_array two = row_of((double[]){ 6, 3 }, 1, 2), none = row_of((double[]){ -1 }, 1, 1),
               deep = numbers(TESS_F64, 2, 2, 1, 1);
    tess_array        hollow = row_of((double[]){ 2, 5 }, 1, 2), three = row_of((double[]){ 1, 2, (double)NAN }, 1, 3);
    tess_array        complex = constant(TESS_C32, 1, 1, 1, 1, 1), radius = row_of((double[]){ 3 }, 1, 1);
    const tess_source in = source_of(&map), image = source_of(&images);
    tess_make_mask_result r = { 0 };
    CHECK_FAILS(MAKE(.sphere = &flat), TESS_EARG, "opts->sphere is zeroed");
    CHECK_FAILS(MAKE(.sphere = &two), TESS_ESHAPE, "opts->sphere has rows of 2 numbers; a radius, 1 in all");
    CHECK_FAILS(MAKE(.sphere = &none), TESS_ERANGE, "opts->sphere has a length of -1 pixels in row 0");
    CHECK_FAILS(MAKE(.sphere = &deep), TESS_ESHAPE, "opts->sphere has the shape {2,2,1,1}");
    CHECK_FAILS(MAKE(.sphere = &complex), TESS_EDTYPE, "opts->sphere has complex numbers");
    CHECK_FAILS(MAKE(.shell = &two), TESS_ERANGE, "opts->shell has the radii 6, 3 pixels in row 0; the smaller one");
    CHECK_FAILS(MAKE(.shell = &hollow, .soft = 2), TESS_ERANGE, "must be less than the inner radius");
    CHECK_FAILS(MAKE(.box = &two), TESS_ESHAPE, "opts->box has rows of 2 numbers");
    CHECK_FAILS(MAKE(.box = &three), TESS_ERANGE, "opts->box has a length of nan pixels in row 0");
    CHECK_FAILS(MAKE(.sphere = &radius, .centre = &three), TESS_ERANGE, "opts->centre has nan");
    CHECK_FAILS(MAKE(.sphere = &radius, .centre = &two), TESS_ESHAPE, "opts->centre has 2 numbers; z, y, x are needed");
    CHECK_FAILS(MAKE(.centre = &three), TESS_EARG, "opts->centre requires a shape");
    CHECK_FAILS(MAKE(.sphere = &radius, .extend = 1), TESS_EARG, "a mask is made from shapes or from a map");
    CHECK_FAILS(MAKE(.sphere = &radius, .lowpass = TESS_ZERO), TESS_EARG, "from shapes or from a map");
    CHECK_FAILS(tess_make_mask(&r, &image, &(tess_make_mask_opts){ .cylinder = &two }, NULL), TESS_ESHAPE,
                "opts->cylinder has rows of 2 numbers");
    tess_array *made[] = { &map, &images, &two, &none, &deep, &hollow, &three, &complex, &radius };
    for (size_t i = 0; i < 9; i++) tess_release(made[i]);
}

/* ---- Reports, cancellation, memory ---- */

typedef struct watch {
    int64_t n, cancel_at;
    int     warnings;
} watch;

static int32_t progress(void *user, const tess_progress *p)
{
    watch *w = user;
    CHECK(strcmp(p->stage, "images") == 0 && p->total == N);
    return w->n++ == w->cancel_at;
}

static void warning(void *user, const char *text)
{
    CHECK(strstr(text, "the map: the mask is empty") && strstr(text, "the threshold is 9"));
    ((watch *)user)->warnings++;
}

TEST(masks_report_warn_and_stop)
{
    tess_array            stack = blobs(TESS_F32, N, 1);
    const tess_source     in = source_of(&stack);
    watch                 all = { .cancel_at = -1 };
    tess_context          c = { .progress = progress, .warning = warning, .user = &all, .slab = 1 };
    tess_make_mask_result r = { 0 };
    CHECK_OK(tess_make_mask(&r, &in, &(tess_make_mask_opts){ .threshold = 9 }, &c));
    CHECK(all.n == N + 1 && all.warnings == N && all_are(&r.mask, 0));
    CHECK(value_at(&r.statistics, 0, 0, 2, 3) == 0 && value_at(&r.statistics, 0, 0, 2, 0) == 9);
    tess_make_mask_result_release(&r);
    for (int k = 0; k <= N; k++) {
        watch some = { .cancel_at = k };
        c.user = &some;
        CHECK_FAILS(tess_make_mask(&r, &in, NULL, &c), TESS_ECANCELLED, "cancelled");
        CHECK(!r.mask.data && !r.statistics.data);
    }
    tess_release(&stack);
}

static tess_array given_map, given_mask, given_radius;

static tess_status scenario(void)
{
    const tess_source         in = source_of(&given_map), mask = source_of(&given_mask);
    const tess_source *const  masks[] = { &mask, NULL };
    const tess_make_mask_opts of_map = { .soft = 2, .masks = masks, .join = "not or", .apply = 1, .outside = 3 };
    const tess_make_mask_opts of_shapes = { .sphere = &given_radius, .shell = NULL, .box = &given_radius };
    tess_make_mask_result     r = { 0 };
    TESS_TRY(tess_make_mask(&r, &in, &of_map, NULL));
    tess_make_mask_result_release(&r);
    TESS_TRY(tess_make_mask(&r, &in, &of_shapes, NULL));
    tess_make_mask_result_release(&r);
    return TESS_OK;
}

TEST(every_allocation_of_a_mask_may_fail)
{
    static hooks h;
    given_map = blobs(TESS_F32, 1, D);
    given_mask = constant(TESS_F32, 1, D, H, W, 0.5);
    given_radius = row_of((double[]){ 3 }, 1, 1);
    hooks_each_fails(&h, scenario, 20);
    tess_release(&given_map);
    tess_release(&given_mask);
    tess_release(&given_radius);
}
