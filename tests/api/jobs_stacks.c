/* Jobs on stacks of images: exposure filters against single calls, EER movies against single frames; the same bits for
 * arrays and sinks, cancellation, and every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"

enum { N = 5, H = 12, W = 15 };

static const tess_meta meta = { .pixel_size = { 1.5, 1.5, 1.5 } };

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "stack", &meta));
    return source;
}

static tess_array noise(tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(N, 1, H, W), dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 3, 1, 5, NULL));
    return a;
}

static int32_t cancel_at(void *user, const tess_progress *progress)
{
    (void)progress;
    return --*(int *)user == 0;
}

/* ---- Exposure filters ---- */

TEST(images_are_weighted_one_by_one)
{
    tess_array                    stack = noise(TESS_F32), into = { 0 };
    const tess_source             images = source_of(&stack);
    tess_sink                     sink = { 0 };
    tess_dose_weight_stack_result r = { 0 }, sunk = { 0 };
    tess_dose_weight_stack_opts   o = { .dose = 2, .pre = 1 };
    CHECK_OK(tess_dose_weight_stack(&r, &images, &o, NULL));
    CHECK_DIMS(r.images.shape, N, 1, H, W);
    CHECK(r.exposure == 11 && r.pixel_size == 1.5 && !r.sum.data);
    for (int64_t i = 0; i < N; i++) {
        tess_array one, got, want = { 0 };
        CHECK_OK(tess_slice(&one, &stack, 0, i, i + 1, 1));
        CHECK_OK(tess_slice(&got, &r.images, 0, i, i + 1, 1));
        CHECK_OK(tess_dose_weight_image(&want, &one, &tess_f64(1 + 2 * (double)(i + 1)), 1.5, NULL));
        CHECK(same_values(&got, &want));
        tess_release(&want);
    }
    CHECK_OK(tess_sink_array(&sink, &into));
    o.sink = &sink;
    CHECK_OK(tess_dose_weight_stack(&sunk, &images, &o, &(tess_context){ .slab = 1 }));
    CHECK(!sunk.images.data && same_values(&into, &r.images));
    tess_dose_weight_stack_result_release(&r);
    tess_dose_weight_stack_result_release(&sunk);
    tess_release(&stack);
    tess_release(&into);
}

/* The sum of the filtered spectra, over the root of the sum of the squared filters. */
TEST(sums_have_white_noise)
{
    tess_array                    stack = noise(TESS_F64), spectra = { 0 }, doses = { 0 }, sum = { 0 }, want = { 0 };
    const tess_source             images = source_of(&stack);
    const tess_shape              one = TESS_SHAPE(1, 1, H, W);
    tess_dose_weight_stack_result r = { 0 };
    CHECK_OK(tess_arange(&doses, TESS_SHAPE(N, 1, 1, 1), TESS_F64, tess_cpu(), 2, 2));
    CHECK_OK(tess_dose_weight_stack(&r, &images, &(tess_dose_weight_stack_opts){ .doses = &doses, .sum = 1 }, NULL));
    CHECK_OK(tess_fft_r2c(&spectra, &stack, NULL));
    CHECK_OK(tess_dose_weight(&spectra, &spectra, stack.shape, &doses, 1.5, NULL));
    CHECK_OK(tess_sum(&sum, &spectra, TESS_B, NULL));
    CHECK_OK(tess_dose_normalize(&sum, &sum, one, &doses, 1.5, NULL));
    CHECK_OK(tess_fft_c2r(&want, &sum, one, NULL));
    CHECK(!r.images.data && r.sum.dtype == TESS_F64);
    for (int64_t i = 0; i < H * W; i++)
        CHECK(fabs(value_at(&r.sum, 0, 0, i / W, i % W) - value_at(&want, 0, 0, i / W, i % W)) < 1e-12);
    tess_dose_weight_stack_result_release(&r);
    tess_array *given[] = { &stack, &spectra, &doses, &sum, &want };
    for (size_t i = 0; i < 5; i++) tess_release(given[i]);
}

TEST(bad_exposures)
{
    tess_array stack = noise(TESS_F32), volume = constant(TESS_F32, 1, 3, 4, 4, 1), few = numbers(TESS_F64, 1, 1, 1, 2);
    const tess_source                 images = source_of(&stack), v = source_of(&volume), zeroed = { 0 };
    const tess_sink                   no_sink = { 0 };
    tess_source                       plain = { 0 };
    tess_dose_weight_stack_result     r = { 0 }, dirty = { .exposure = 1 };
    const tess_dose_weight_stack_opts o = { .dose = 1 }, list = { .doses = &few },
                                      lost = { .dose = 1, .sink = &no_sink },
                                      both = { .dose = 1, .sum = 1, .sink = &no_sink },
                                      low = { .dose = 1, .voltage = 120 };
    int                calls = 2;
    const tess_context small = { .memory = 1024 };
    CHECK_FAILS(tess_dose_weight_stack(NULL, &images, &o, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_dose_weight_stack(&dirty, &images, &o, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(tess_dose_weight_stack(&r, &zeroed, &o, NULL), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(tess_dose_weight_stack(&r, &v, &o, NULL), TESS_ESHAPE, "stack is a volume");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, NULL, NULL), TESS_EARG, "the exposure is not known");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, &list, NULL), TESS_ESHAPE, "opts->doses has 2 numbers; 5 are");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, &low, NULL), TESS_EARG, "opts->voltage is 120");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, &lost, NULL), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, &both, NULL), TESS_EARG, "opts->sum makes none");
    CHECK_FAILS(tess_dose_weight_stack(&r, &images, &o, &small), TESS_ENOMEM, "context->memory", "use opts->sink");
    CHECK_OK(tess_source_array(&plain, &stack, NULL, NULL));
    CHECK_FAILS(tess_dose_weight_stack(&r, &plain, &o, NULL), TESS_EARG, "opts->pixel_size");
    CHECK_FAILS(
        tess_dose_weight_stack(&r, &images, &o, &(tess_context){ .progress = cancel_at, .user = &calls, .slab = 1 }),
        TESS_ECANCELLED, "cancelled");
    CHECK(!r.images.data);
    tess_array *given[] = { &stack, &volume, &few };
    for (size_t i = 0; i < 3; i++) tess_release(given[i]);
}

/* ---- EER ---- */

/* An array stands for the movie that a file gives. */
TEST(eer_movies_are_rendered)
{
    tess_array             counts = numbers(TESS_U8, N, 1, H, W), gain = constant(TESS_F32, 1, 1, H, W, 2);
    tess_source            movie = source_of(&counts), g = source_of(&gain);
    tess_render_eer_result plain = { 0 }, divided = { 0 }, r = { 0 };
    movie.format = TESS_FORMAT_EER;
    ((float *)gain.data)[7] = 4;
    const double mean = 2 + 2.0 / (H * W);
    CHECK_OK(tess_render_eer(&plain, &movie, NULL, NULL));
    CHECK(same_values(&plain.images, &counts) && plain.images.dtype == TESS_U8 && plain.n_images == N);
    CHECK_OK(tess_render_eer(&divided, &movie, &(tess_render_eer_opts){ .gain = &g }, &(tess_context){ .slab = 1 }));
    CHECK(divided.images.dtype == TESS_F32);
    for (int64_t i = 0; i < N * H * W; i++) {
        const int64_t b = i / (H * W), h = i / W % H, w = i % W;
        const double  want = value_at(&counts, b, 0, h, w) * mean / (i % (H * W) == 7 ? 4 : 2);
        CHECK(fabs(value_at(&divided.images, b, 0, h, w) - want) <= 1e-5 * want);
    }
    movie.format = TESS_FORMAT_MRC;
    CHECK_FAILS(tess_render_eer(&r, &movie, NULL, NULL), TESS_EARG, "stack is not an EER movie");
    CHECK_FAILS(tess_render_eer(&r, NULL, NULL, NULL), TESS_EARG, "movie is NULL");
    tess_render_eer_result_release(&plain);
    tess_render_eer_result_release(&divided);
    tess_release(&counts);
    tess_release(&gain);
}
