/* Motion correction as a job: known shifts are found, corrections against naive loops, the same bits however frames are
 * read, cancellation at every step; every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"

enum { N = 6, H = 96, W = 120 };

static const double moves[N][2] = { { 0, 0 }, { 1.5, -2.25 }, { 2.5, -3 }, { 3.25, -3.5 }, { 3.5, -4.25 }, { 4, -4 } };
static const tess_meta meta = { .pixel_size = { 1, 1, 1 } };

/* Smooth noise. */
static tess_array picture(void)
{
    tess_array image = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, 7, NULL));
    CHECK_OK(tess_bfactor_image(&image, &image, 20, 1, NULL));
    CHECK_OK(tess_normalize(&image, &image, TESS_H | TESS_W, NULL));
    CHECK_OK(tess_add(&image, &image, &tess_f64(20)));
    return image;
}

/* The picture, moved from frame to frame. */
static tess_array frames_of(const tess_array *image)
{
    tess_array all, by, frames = { 0 };
    CHECK_OK(tess_broadcast(&all, image, TESS_SHAPE(N, 1, H, W)));
    CHECK_OK(tess_wrap(&by, (void *)(uintptr_t)moves, TESS_SHAPE(N, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_phase_shift_image(&frames, &all, &by, &(tess_phase_shift_opts){ .real_nyquist = 1 }));
    return frames;
}

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "movie", &meta));
    return source;
}

static bool same_results(const tess_motion_correct_result *a, const tess_motion_correct_result *b)
{
    return same_values(&a->sum, &b->sum) && same_values(&a->shifts, &b->shifts) &&
           same_values(&a->weighted, &b->weighted) && same_values(&a->odd, &b->odd) &&
           same_values(&a->even, &b->even) && same_values(&a->thumbnail, &b->thumbnail) && a->score == b->score &&
           a->motion == b->motion && a->n_patches == b->n_patches && a->model.data != NULL &&
           same_values(&a->model, &b->model);
}

/* ---- What is found ---- */

TEST(known_shifts_are_found)
{
    tess_array                 image = picture(), frames = frames_of(&image);
    const tess_source          movie = source_of(&frames);
    tess_motion_correct_result r = { 0 };
    double                     way = 0;
    CHECK_OK(tess_motion_correct(&r, &movie, &(tess_motion_correct_opts){ .even = 1, .odd = 1 }, NULL));
    CHECK_DIMS(r.shifts.shape, 1, 1, N, 3);
    for (int64_t i = 0; i < N; i++) {
        CHECK(value_at(&r.shifts, 0, 0, i, 0) == (double)i);
        CHECK(fabs(value_at(&r.shifts, 0, 0, i, 1) + moves[i][1]) < 0.1);
        CHECK(fabs(value_at(&r.shifts, 0, 0, i, 2) + moves[i][0]) < 0.1);
        if (i > 0) way += hypot(moves[i][0] - moves[i - 1][0], moves[i][1] - moves[i - 1][1]);
    }
    CHECK(fabs(r.motion - way) < 0.3 && fabs(r.motion_early + r.motion_late - r.motion) < 1e-9);
    CHECK(r.motion_early > 0 && r.motion_late > 0 && r.score > r.noise && r.pixel_size == 1);
    for (int64_t i = 0; i < H * W; i += 7) {
        const double sum = value_at(&r.sum, 0, 0, i / W, i % W);
        CHECK(fabs(sum / N - value_at(&image, 0, 0, i / W, i % W)) < 0.5);
        CHECK(fabs(value_at(&r.odd, 0, 0, i / W, i % W) + value_at(&r.even, 0, 0, i / W, i % W) - sum) < 1e-3);
    }
    CHECK(r.n_frames == N && r.group == 1 && r.n_patches == 0 && !r.model.data && !r.weighted.data);
    tess_motion_correct_result_release(&r);
    tess_release(&image);
    tess_release(&frames);
}

TEST(doses_weight_and_group)
{
    tess_array                 image = picture(), frames = frames_of(&image), list = { 0 };
    const tess_source          movie = source_of(&frames);
    tess_motion_correct_result by_dose = { 0 }, by_list = { 0 }, without = { 0 };
    CHECK_OK(tess_empty(&list, TESS_SHAPE(1, 1, 1, N), TESS_F32, tess_cpu()));
    for (int i = 0; i < N; i++) ((float *)list.data)[i] = 0.5F * (float)(i + 1);
    CHECK_OK(tess_motion_correct(&by_dose, &movie, &(tess_motion_correct_opts){ .dose = 0.5, .pre = 3 }, NULL));
    CHECK_OK(tess_motion_correct(&by_list, &movie, &(tess_motion_correct_opts){ .doses = &list, .pre = 3, .group = 2 },
                                 NULL));
    CHECK_OK(tess_motion_correct(&without, &movie, &(tess_motion_correct_opts){ .dose = 0.5, .unweighted = 1 }, NULL));
    CHECK(by_dose.group == 2 && same_values(&by_dose.weighted, &by_list.weighted) && by_dose.weighted.data);
    CHECK(!same_values(&by_dose.weighted, &by_dose.sum) && !without.weighted.data);
    CHECK(same_values(&without.sum, &by_dose.sum));
    tess_motion_correct_result_release(&by_dose);
    tess_motion_correct_result_release(&by_list);
    tess_motion_correct_result_release(&without);
    tess_array *given[] = { &image, &frames, &list };
    for (size_t i = 0; i < 3; i++) tess_release(given[i]);
}

/* Frames that were spoiled by a dark image, a gain and a hot pixel give what the good ones do. */
TEST(corrections_restore_frames)
{
    tess_array  image = picture(), frames = frames_of(&image), spoiled = { 0 }, dark = { 0 }, gain = { 0 }, at;
    tess_array  defects = constant(TESS_U8, 1, 1, H, W, 0);
    tess_source movie = source_of(&frames);
    tess_motion_correct_result good = { 0 }, mended = { 0 }, marked = { 0 };
    CHECK_OK(tess_full(&gain, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu(), 2));
    CHECK_OK(tess_full(&dark, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu(), 5));
    for (int64_t i = 0; i < H * W; i += 3) ((float *)gain.data)[i] = 0.5F, ((float *)dark.data)[i] = 7;
    CHECK_OK(tess_div(&spoiled, &frames, &gain));
    CHECK_OK(tess_add(&spoiled, &spoiled, &dark));
    CHECK_OK(tess_subregion(&at, &spoiled, (tess_region){ .h = tess_only(40), .w = tess_only(33) }));
    CHECK_OK(tess_fill(&at, 5000));
    ((uint8_t *)defects.data)[40 * W + 33] = 1;
    const tess_source bad = source_of(&spoiled), d = source_of(&dark), g = source_of(&gain), m = source_of(&defects);
    tess_motion_correct_opts o = { .dark = &d, .gain = &g };
    CHECK_OK(tess_motion_correct(&good, &movie, NULL, NULL));
    CHECK_OK(tess_motion_correct(&mended, &bad, &o, NULL));
    CHECK(mended.n_bad_pixels == 1 && value_at(&mended.hot_pixels, 0, 0, 40, 33) == 1);
    for (int64_t i = 0; i < H * W; i += 5) {
        const double near = hypot((double)(i / W - 40), (double)(i % W - 33));
        CHECK(near < 12 ||
              fabs(value_at(&mended.sum, 0, 0, i / W, i % W) - value_at(&good.sum, 0, 0, i / W, i % W)) < 1.5);
    }
    o.defects = &m;
    o.hot = TESS_ZERO;
    CHECK_OK(tess_motion_correct(&marked, &bad, &o, NULL));
    CHECK(marked.n_bad_pixels == 1 && !marked.hot_pixels.data && same_values(&marked.sum, &mended.sum));
    tess_motion_correct_result_release(&good);
    tess_motion_correct_result_release(&mended);
    tess_motion_correct_result_release(&marked);
    tess_array *given[] = { &image, &frames, &spoiled, &dark, &gain, &defects };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

/* ---- Gains ---- */

/* A pixel of a gain {1,1,4,6} that was rotated and mirrored. */
static double turned(const tess_array *gain, int rot, int flip, int64_t h, int64_t w)
{
    const int64_t oh = rot % 2 ? 6 : 4, ow = rot % 2 ? 4 : 6;
    if (flip == TESS_GAIN_FLIP_X) w = ow - 1 - w;
    if (flip == TESS_GAIN_FLIP_Y) h = oh - 1 - h;
    if (rot == 0) return value_at(gain, 0, 0, h, w);
    if (rot == 1) return value_at(gain, 0, 0, 3 - w, h);
    if (rot == 2) return value_at(gain, 0, 0, 3 - h, 5 - w);
    return value_at(gain, 0, 0, w, 5 - h);
}

TEST(gains_are_rotated_and_mirrored)
{
    tess_array        gain = numbers(TESS_F32, 1, 1, 4, 6);
    const tess_source g = source_of(&gain);
    for (int rot = 0; rot < 4; rot++)
        for (int flip = 1; flip <= 3; flip++) {
            tess_array             frame = constant(TESS_F32, 1, 1, rot % 2 ? 6 : 4, rot % 2 ? 4 : 6, 3), out = { 0 };
            const tess_source      movie = source_of(&frame);
            const tess_camera_opts o = { .gain = &g, .gain_rot = rot, .gain_flip = flip };
            tess_camera            camera = { 0 };
            CHECK_OK(tess_camera_open(&camera, &movie, &o, NULL));
            CHECK_OK(tess_camera_correct(&camera, &out, &frame, 0, 0));
            for (int64_t i = 0; i < 24; i++) {
                const int64_t h = i / frame.shape.w, w = i % frame.shape.w;
                CHECK(value_at(&out, 0, 0, h, w) == 3 * turned(&gain, rot, flip, h, w));
            }
            tess_camera_release(&camera);
            tess_release(&frame);
            tess_release(&out);
        }
    tess_release(&gain);
}

/* Those of EER movies divide, unless they are .gain files, and are brought to the size of the frames. */
TEST(gains_of_eer_movies)
{
    tess_array  gain = constant(TESS_F32, 1, 1, 2, 3, 2), frame = constant(TESS_F32, 1, 1, 4, 6, 12);
    tess_source movie = source_of(&frame), g = source_of(&gain);
    ((float *)gain.data)[0] = 0; /* a defect; the mean is 10/6 */
    movie.format = TESS_FORMAT_EER;
    for (int k = 0; k < 3; k++) {
        tess_camera            camera = { 0 };
        tess_array             out = { 0 };
        const tess_camera_opts o = { .gain = &g, .gain_sense = k == 2 ? TESS_GAIN_MULTIPLY : TESS_GAIN_DEFAULT };
        g.name = k == 1 ? "x.gain" : "gain";
        CHECK_OK(tess_camera_open(&camera, &movie, &o, NULL));
        CHECK_OK(tess_camera_correct(&camera, &out, &frame, 0, 0));
        for (int64_t i = 0; i < 24; i++) {
            const bool is_defect = i / 6 < 2 && i % 6 < 2;
            CHECK(fabs(value_at(&out, 0, 0, i / 6, i % 6) - (is_defect ? 0 : k == 0 ? 10 : 24)) < 1e-5);
        }
        tess_camera_release(&camera);
        tess_release(&out);
    }
    tess_release(&gain);
    tess_release(&frame);
}

/* ---- The same bits ---- */

static int32_t count_calls(void *user, const tess_progress *progress)
{
    CHECK(progress->total > 0 && progress->done >= 0 && progress->done <= progress->total);
    ++*(int *)user;
    return 0;
}

static const tess_motion_correct_opts local_opts = {
    .dose = 1, .odd = 1, .even = 1, .thumbnail = 1, .resolution = 2, .patches = { { 1, 1, 3, 3 } }, .always_local = 1
};

/* Files, little memory, and one thread or two. */
TEST(arrays_and_files_give_the_same_bits)
{
    tess_array                 image = picture(), frames = frames_of(&image);
    const char                *path = in_folder("movie.mrcs");
    const tess_source          movie = source_of(&frames);
    tess_source                file = { 0 };
    tess_motion_correct_result whole = { 0 }, other = { 0 };
    int                        calls = 0;
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(
        tess_motion_correct(&whole, &movie, &local_opts, &(tess_context){ .progress = count_calls, .user = &calls }));
    CHECK(calls > 10 && whole.model.data);
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_write(path, &frames, &(tess_write_opts){ .meta = &meta }));
    CHECK_OK(tess_source_open(&file, path, NULL));
    for (int k = 0; k < 3; k++) {
        /* 3 MiB: frames do not fit, and are read again */
        const tess_context context = { .memory = k == 0 ? 0 : 3 << 20, .slab = k == 2 ? 1 : 0 };
        CHECK_OK(tess_motion_correct(&other, k == 1 ? &file : &movie, &local_opts, &context));
        CHECK(same_results(&whole, &other));
        tess_motion_correct_result_release(&other);
    }
    CHECK_OK(tess_threads_set(0));
    tess_source_close(&file);
    tess_motion_correct_result_release(&whole);
    tess_release(&image);
    tess_release(&frames);
}

/* ---- Cancellation and warnings ---- */

static int32_t cancel_at(void *user, const tess_progress *progress)
{
    (void)progress;
    return --*(int *)user == 0;
}

TEST(cancelled_at_every_step)
{
    tess_array        image = picture(), frames = frames_of(&image);
    const tess_source movie = source_of(&frames);
    tess_status       status = TESS_ECANCELLED;
    int               step = 1;
    for (; status == TESS_ECANCELLED && step < 200; step++) {
        tess_motion_correct_result r = { 0 }, zeroed = { 0 };
        int                        left = step;
        status = tess_motion_correct(&r, &movie, &local_opts, &(tess_context){ .progress = cancel_at, .user = &left });
        CHECK(status == TESS_OK ? r.sum.data != NULL : memcmp(&r, &zeroed, sizeof r) == 0);
        if (status != TESS_OK) CHECK_FAILS(status, TESS_ECANCELLED, "cancelled");
        tess_motion_correct_result_release(&r);
    }
    CHECK(status == TESS_OK && step > 10);
    tess_release(&image);
    tess_release(&frames);
}

static void keep_warning(void *user, const char *text) { (void)snprintf(user, 512, "%s", text); }

TEST(noise_is_not_moved)
{
    tess_array                 frames = { 0 };
    char                       text[512] = "";
    tess_motion_correct_result r = { 0 };
    CHECK_OK(tess_empty(&frames, TESS_SHAPE(N, 1, H, W), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&frames, 10, 1, 3, NULL));
    const tess_source movie = source_of(&frames);
    CHECK_OK(tess_motion_correct(&r, &movie, NULL, &(tess_context){ .warning = keep_warning, .user = text }));
    CHECK(strstr(text, "movie: frames correlate no better than noise") && r.score < r.noise && r.motion == 0);
    tess_motion_correct_result_release(&r);
    tess_release(&frames);
}

/* ---- Bad arguments ---- */

TEST(bad_options)
{
    tess_array                 frames = constant(TESS_F32, 3, 1, 64, 64, 1), small = constant(TESS_F32, 1, 1, 8, 8, 1);
    tess_array                 complex = constant(TESS_C32, 1, 1, 64, 64, 1);
    const tess_source          movie = source_of(&frames), image = source_of(&small), zeroed = { 0 };
    tess_source                phases = { 0 };
    tess_motion_correct_result r = { 0 };
    CHECK_OK(tess_source_array(&phases, &complex, "image", NULL));
    const struct {
        tess_motion_correct_opts opts;
        tess_status              status;
        const char              *part;
    } bad[] = {
        { { .group = 4 }, TESS_EARG, "motion_correct: opts->group is 4; 1 to 3" },
        { { .group = -1 }, TESS_ERANGE, "opts->group is -1" },
        { { .dose = -1 }, TESS_ERANGE, "opts->dose is -1" },
        { { .pre = -1 }, TESS_ERANGE, "opts->pre is -1" },
        { { .voltage = 100 }, TESS_EARG, "opts->voltage is 100; 300 or 200 is allowed" },
        { { .doses = &small }, TESS_ESHAPE, "opts->doses has 64 numbers; 3 are expected" },
        { { .gain = &image }, TESS_ESHAPE, "opts->gain has 1 images of 8 x 8; one of 64 x 64" },
        { { .dark = &image }, TESS_ESHAPE, "opts->dark has 1 images of 8 x 8; one of 64 x 64" },
        { { .dark = &zeroed }, TESS_EARG, "opts->dark is a zeroed source" },
        { { .defects = &image }, TESS_ESHAPE, "opts->defects has 1 images of 8 x 8; one of 64 x 64" },
        { { .gain_sense = TESS_GAIN_DIVIDE }, TESS_EARG, "opts->gain_sense requires opts->gain" },
        { { .gain_sense = 7 }, TESS_EARG, "opts->gain_sense is 7" },
        { { .gain_rot = 1 }, TESS_EARG, "opts->gain_rot requires opts->gain" },
        { { .gain_flip = TESS_GAIN_FLIP_Y }, TESS_EARG, "opts->gain_flip requires opts->gain" },
        { { .gain = &phases }, TESS_EDTYPE, "image has complex numbers" },
        { { .defects = &phases }, TESS_EDTYPE, "image has complex numbers" },
        { { .pre = 2 }, TESS_EARG, "opts->pre is 2, but the exposure of the frames is not known" },
        { { .gain_rot = 4 }, TESS_ERANGE, "opts->gain_rot is 4; 0 to 3" },
        { { .patches = { { 1, 1, 3, 2 } } }, TESS_EARG, "opts->patches is 2,3 (x,y); 1 to 1,1 are allowed" },
        { { .patches = { { 1, 1, 1, 1 } }, .max_local = 3 }, TESS_EARG, "opts->max_local requires patches" },
        { { .patches = { { 1, 1, 1, 1 } }, .always_local = 1 }, TESS_EARG, "opts->always_local requires patches" },
        { { .resolution = -4 }, TESS_ERANGE, "opts->resolution is -4" },
        { { .interp = TESS_INTERP_NEAREST }, TESS_EARG, "opts->interp is" },
        { { .reserved = { 1 } }, TESS_EARG, "reserved" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(tess_motion_correct(&r, &movie, &bad[i].opts, NULL), bad[i].status, bad[i].part);
    tess_release(&frames);
    tess_release(&small);
    tess_release(&complex);
}

TEST(bad_movies)
{
    tess_array        frames = constant(TESS_F32, 3, 1, 64, 64, 1), volume = constant(TESS_F32, 1, 3, 64, 64, 1);
    tess_array        complex = constant(TESS_C32, 3, 1, 64, 64, 1), none = constant(TESS_F32, 0, 1, 64, 64, 0);
    const tess_source movie = source_of(&frames), v = source_of(&volume), c = source_of(&complex), e = source_of(&none),
                      zeroed = { 0 };
    tess_source                plain = { 0 };
    tess_motion_correct_result r = { 0 }, dirty = { .group = 1 };
    CHECK_FAILS(tess_motion_correct(NULL, &movie, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_motion_correct(&dirty, &movie, NULL, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(tess_motion_correct(&r, NULL, NULL, NULL), TESS_EARG, "movie is NULL");
    CHECK_FAILS(tess_motion_correct(&r, &zeroed, NULL, NULL), TESS_EARG, "movie is a zeroed source");
    CHECK_FAILS(tess_motion_correct(&r, &v, NULL, NULL), TESS_ESHAPE, "movie is a volume");
    CHECK_FAILS(tess_motion_correct(&r, &c, NULL, NULL), TESS_EDTYPE, "complex");
    CHECK_FAILS(tess_motion_correct(&r, &e, NULL, NULL), TESS_ESHAPE, "is empty");
    CHECK_OK(tess_source_array(&plain, &frames, NULL, NULL));
    CHECK_FAILS(tess_motion_correct(&r, &plain, NULL, NULL), TESS_EARG, "pixel size is not known", "opts->pixel_size");
    ((float *)frames.data)[5] = NAN;
    CHECK_FAILS(tess_motion_correct(&r, &movie, &(tess_motion_correct_opts){ .hot = TESS_ZERO }, NULL), TESS_ERANGE,
                "movie has NaN or infinite values");
    tess_array *given[] = { &frames, &volume, &complex, &none };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}
