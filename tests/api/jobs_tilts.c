/* Jobs on stacks and tilt series: shifts that were planted, back-projection against plain sums, angles of files; the
 * same bits for files, threads and slabs, cancellation, bad arguments, and allocations that fail. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { N = 6, H = 64, W = 80 };
static const double pi = 3.14159265358979323846;
static const double moves[N][2] = { { 0, 0 }, { 3, -5 }, { -7.5, 2 }, { 1, 1.25 }, { 6, -8 }, { 2, 3 } }; /* h, w */

static hooks h;

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the stack", NULL));
    return source;
}

/* One smooth image, moved, with some noise. */
static tess_array moved_images(double noise)
{
    tess_array image = { 0 }, smooth = { 0 }, shifts = constant(TESS_F64, N, 1, 1, 2, 0),
               many = constant(TESS_F32, N, 1, H, W, 0), out = { 0 };
    tess_array noisy = { 0 };
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, H, W), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 20, 11, NULL));
    CHECK_OK(tess_bfactor_image(&smooth, &image, 60, 1, NULL));
    memcpy(shifts.data, moves, sizeof moves);
    CHECK_OK(tess_add(&many, &many, &smooth));
    CHECK_OK(tess_phase_shift_image(&out, &many, &shifts, NULL));
    CHECK_OK(tess_like(&noisy, &out));
    CHECK_OK(tess_random_normal(&noisy, 0, noise, 12, NULL));
    CHECK_OK(tess_add(&out, &out, &noisy));
    tess_array *made[] = { &image, &smooth, &shifts, &many, &noisy };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
    return out;
}

/* The largest distance of shifts from what was planted, from image `first` on. */
static double off_by(const tess_array *shifts, int first)
{
    double worst = 0;
    CHECK_DIMS(shifts->shape, 1, 1, N, TESS_SHIFT_COLUMNS);
    for (int i = 0; i < N; i++) {
        const double *row = (const double *)shifts->data + TESS_SHIFT_COLUMNS * i;
        CHECK(row[TESS_SHIFT_IMAGE] == i);
        worst = fmax(worst, fabs(row[TESS_SHIFT_Y] + moves[i][0] - moves[first][0]));
        worst = fmax(worst, fabs(row[TESS_SHIFT_X] + moves[i][1] - moves[first][1]));
    }
    return worst;
}

/* ---- Alignment ---- */

/* Planted shifts are found again, at the full size too; the sink has the images moved by them. */
TEST(stacks_are_aligned)
{
    tess_array                  a = moved_images(0.1), aligned = { 0 }, want = { 0 };
    tess_array                  shifts = constant(TESS_F64, N, 1, 1, 2, 0);
    const tess_source           in = source_of(&a);
    const tess_align_stack_opts opts[] = {
        { .cutoff = 0 }, { .cutoff = 0.5 }, { .cutoff = 9 }, { .bfactor = 20, .pixel_size = 1 }, { .max_shift = 30 }
    };
    tess_sink               sink = { 0 };
    tess_align_stack_result r = { 0 };
    for (size_t k = 0; k < sizeof opts / sizeof *opts; k++) {
        CHECK_OK(tess_align_stack(&r, &in, &opts[k], NULL));
        CHECK(off_by(&r.shifts, 0) < 0.2);
        tess_align_stack_result_release(&r);
    }
    CHECK_OK(tess_sink_array(&sink, &aligned));
    CHECK_OK(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .sink = &sink }, &(tess_context){ .slab = 1 }));
    for (int i = 0; i < N; i++) {
        const double *row = (const double *)r.shifts.data + TESS_SHIFT_COLUMNS * i;
        ((double *)shifts.data)[2 * i] = row[TESS_SHIFT_Y];
        ((double *)shifts.data)[2 * i + 1] = row[TESS_SHIFT_X];
    }
    CHECK_OK(tess_phase_shift_image(&want, &a, &shifts, NULL));
    CHECK(same_values(&aligned, &want) && aligned.dtype == TESS_F32);
    tess_align_stack_result_release(&r);
    tess_array *made[] = { &a, &aligned, &want, &shifts };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
}

/* Without a tilt nothing is stretched, and the shifts are those onto the first of the smallest angle; a plane that is
 * squeezed by cosines fits after it was stretched. */
TEST(tilt_series_are_aligned)
{
    tess_array                    a = moved_images(0.1), flat = constant(TESS_F32, 1, 1, 1, N, 0), aligned = { 0 };
    const tess_source             in = source_of(&a);
    tess_sink                     sink = { 0 };
    tess_align_tilt_series_result r = { 0 };
    CHECK_OK(tess_sink_array(&sink, &aligned));
    CHECK_OK(tess_align_tilt_series(&r, &in, &flat, &(tess_align_tilt_series_opts){ .sink = &sink, .axis = 1 }, NULL));
    CHECK(off_by(&r.shifts, 0) < 0.3);
    CHECK_DIMS(aligned.shape, N, 1, H, W);
    tess_align_tilt_series_result_release(&r);
    const double degrees[N] = { 40, 25, 10, -5, -20, -35 };
    tess_array   tilts, matrices = constant(TESS_F64, N, 1, 2, 2, 0), plane = constant(TESS_F32, N, 1, H, W, 0),
                      squeezed = { 0 };
    CHECK_OK(tess_wrap(&tilts, (void *)(uintptr_t)degrees, TESS_SHAPE(N, 1, 1, 1), TESS_F64, NULL));
    for (int i = 0; i < N; i++) { /* from an image to the plane: x / cos t about the middle */
        double *m = (double *)matrices.data + 4 * i;
        m[0] = 1, m[3] = 1 / cos(degrees[i] * pi / 180);
    }
    tess_array first;
    CHECK_OK(tess_slice(&first, &a, 0, 0, 1, 1));
    CHECK_OK(tess_add(&plane, &plane, &first));
    CHECK_OK(tess_transform_2d(&squeezed, &plane, &matrices,
                               &(tess_transform_opts){ .interp = TESS_INTERP_CUBIC, .centred = 1 }));
    const tess_source series = source_of(&squeezed);
    CHECK_OK(tess_align_tilt_series(&r, &series, &tilts, NULL, NULL));
    for (int i = 0; i < N; i++)
        CHECK(hypot(((double *)r.shifts.data)[3 * i + 1], ((double *)r.shifts.data)[3 * i + 2]) < 0.6);
    tess_align_tilt_series_result_release(&r);
    tess_array *made[] = { &a, &flat, &aligned, &matrices, &plane, &squeezed };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
}

/* ---- Reconstruction ---- */

static const double some_tilts[N] = { -60, -33.5, -5, 12, 40, 71 };

static tess_array tilts_of(const double *degrees)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, (void *)(uintptr_t)degrees, TESS_SHAPE(1, 1, 1, N), TESS_F64, NULL));
    return a;
}

static tess_array noise_images(tess_dtype dtype, int64_t height, int64_t width)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(N, 1, height, width), dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, 4, NULL));
    return a;
}

/* A row convolved with the kernel of a ramp: 1/4 at 0, -1 / (pi k)^2 at odd k, 0 at others. */
static void ramp_row(double *row, int n)
{
    double in[32];
    memcpy(in, row, sizeof *row * (size_t)n);
    for (int i = 0; i < n; i++) {
        row[i] = in[i] / 4;
        for (int k = 0; k < n; k++)
            if ((i - k) % 2 != 0) row[i] -= in[k] / (pi * pi * (i - k) * (i - k));
        row[i] *= pi / N;
    }
}

/* Each voxel is the sum of rows, linearly between pixels, at x cos t + z sin t from the middle. */
static double voxel(double rows[N][32], int width, int depth, int z, int x)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double t = some_tilts[i] * pi / 180, at = (x - width / 2) * cos(t) + (z - depth / 2) * sin(t) + width / 2;
        const int    low = (int)floor(at);
        if (low >= 0 && low < width) sum += rows[i][low] * (1 - at + low);
        if (low + 1 >= 0 && low + 1 < width) sum += rows[i][low + 1] * (at - low);
    }
    return sum;
}

TEST(reconstructions_are_plain_sums)
{
    enum { HEIGHT = 3, WIDTH = 17 };
    tess_array        a = noise_images(TESS_F64, HEIGHT, WIDTH), tilts = tilts_of(some_tilts);
    const tess_source in = source_of(&a);
    for (int weighting = TESS_TILT_WEIGHTING_RAMP; weighting <= TESS_TILT_WEIGHTING_NONE; weighting++) {
        const int                               depth = weighting == TESS_TILT_WEIGHTING_RAMP ? WIDTH : 9;
        const tess_reconstruct_tilt_series_opts opts = { .weighting = weighting,
                                                         .depth = depth == WIDTH ? 0 : depth - 0.3 };
        tess_reconstruct_tilt_series_result     r = { 0 };
        double                                  worst = 0;
        CHECK_OK(tess_reconstruct_tilt_series(&r, &in, &tilts, &opts, NULL));
        CHECK_DIMS(r.volume.shape, 1, depth, HEIGHT, WIDTH);
        for (int y = 0; y < HEIGHT; y++) {
            double rows[N][32];
            for (int i = 0; i < N; i++) {
                memcpy(rows[i], (double *)a.data + (i * HEIGHT + y) * WIDTH, WIDTH * sizeof(double));
                if (weighting == TESS_TILT_WEIGHTING_RAMP) ramp_row(rows[i], WIDTH);
            }
            for (int k = 0; k < depth * WIDTH; k++)
                worst = fmax(worst, fabs(value_at(&r.volume, 0, k / WIDTH, y, k % WIDTH) -
                                         voxel(rows, WIDTH, depth, k / WIDTH, k % WIDTH)));
        }
        CHECK(worst < 1e-4);
        tess_reconstruct_tilt_series_result_release(&r);
    }
    tess_release(&a);
}

/* ---- All of them ---- */

typedef enum which { STACK, SERIES, RECONSTRUCTION, KINDS } which;
static const char *const names[] = { "align_stack", "align_tilt_series", "reconstruct_tilt_series" };

/* Both results of an alignment, or a volume. */
static tess_status run(which kind, tess_array out[2], const tess_source *in, const tess_context *context)
{
    const tess_array                    tilts = tilts_of(some_tilts);
    tess_sink                           sink;
    tess_align_stack_result             stack = { 0 };
    tess_align_tilt_series_result       series = { 0 };
    tess_reconstruct_tilt_series_result volume = { 0 };
    tess_status                         status = tess_sink_array(&sink, &out[1]);
    if (status == TESS_OK && kind == STACK)
        status = tess_align_stack(&stack, in, &(tess_align_stack_opts){ .sink = &sink }, context);
    if (status == TESS_OK && kind == SERIES)
        status = tess_align_tilt_series(&series, in, &tilts, &(tess_align_tilt_series_opts){ .sink = &sink }, context);
    if (status == TESS_OK && kind == RECONSTRUCTION)
        status = tess_reconstruct_tilt_series(&volume, in, &tilts, &(tess_reconstruct_tilt_series_opts){ .depth = 6 },
                                              context);
    out[0] = kind == STACK ? stack.shifts : kind == SERIES ? series.shifts : volume.volume;
    if (status != TESS_OK) CHECK(is_zeroed(&out[0]));
    return status;
}

static tess_status run_and_release(which kind, const tess_array *images, const tess_context *context)
{
    const tess_source in = source_of(images);
    tess_array        out[2] = { { .data = NULL }, { .data = NULL } };
    const tess_status status = run(kind, out, &in, context);
    tess_release(&out[0]);
    tess_release(&out[1]);
    return status;
}

TEST(the_same_bits_for_files_threads_and_slabs)
{
    tess_array  a = moved_images(0.3);
    tess_source in = source_of(&a), file = { 0 };
    CHECK_OK(tess_write(in_folder("images.npy"), &a, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("images.npy"), NULL));
    for (which kind = STACK; kind < KINDS; kind++) {
        const tess_context little = { .slab = 1, .memory = 6 << 20 };
        tess_array one[2] = { { .data = NULL }, { .data = NULL } }, two[2] = { { .data = NULL }, { .data = NULL } };
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(run(kind, one, &in, NULL));
        CHECK_OK(tess_threads_set(2));
        CHECK_OK(run(kind, two, &file, &little));
        CHECK_OK(tess_threads_set(0));
        CHECK(same_values(&one[0], &two[0]) && (kind == RECONSTRUCTION || same_values(&one[1], &two[1])));
        for (int k = 0; k < 2; k++) tess_release(&one[k]), tess_release(&two[k]);
    }
    tess_source_close(&file);
    tess_release(&a);
}

typedef struct watch {
    int calls, cancel_at;
} watch;

static int32_t count_reports(void *user, const tess_progress *p)
{
    watch *w = user;
    CHECK(p->done >= 0 && p->done <= p->total && p->total == N);
    return ++w->calls == w->cancel_at;
}

TEST(jobs_are_cancelled_at_every_report)
{
    tess_array a = noise_images(TESS_F32, 16, 20);
    for (which kind = STACK; kind < KINDS; kind++) {
        watch        w = { .calls = 0 };
        tess_context context = { .progress = count_reports, .user = &w, .slab = 1 };
        CHECK_OK(run_and_release(kind, &a, &context));
        const int reports = w.calls;
        CHECK(reports >= 2);
        hooks_on(&h);
        for (int at = 1; at <= reports; at++) {
            w = (watch){ .cancel_at = at };
            CHECK_FAILS(run_and_release(kind, &a, &context), TESS_ECANCELLED, names[kind], "cancelled after");
            CHECK_I64(w.calls, at);
            CHECK_I64(atomic_load(&h.live), 0);
        }
        hooks_off();
    }
    tess_release(&a);
}

static tess_array  small;
static which       failing;
static tess_status scenario(void) { return run_and_release(failing, &small, NULL); }

TEST(every_allocation_fails_in_turn)
{
    small = noise_images(TESS_F32, 8, 10);
    for (failing = STACK; failing < KINDS; failing++) hooks_each_fails(&h, scenario, 10);
    tess_release(&small);
}

/* ---- What is wrong ---- */

TEST(bad_stacks)
{
    tess_array              a = noise_images(TESS_F32, 16, 20), volume = constant(TESS_F32, 1, 3, 4, 4, 1);
    tess_array              complex = constant(TESS_C32, 2, 1, 4, 4, 1), none = constant(TESS_F32, 0, 1, 4, 4, 1);
    const tess_source       in = source_of(&a), v = source_of(&volume), c = source_of(&complex), e = source_of(&none);
    const tess_source       zeroed = { 0 };
    const tess_sink         no_sink = { 0 };
    tess_align_stack_result r = { 0 }, dirty = { .shifts = a };
    CHECK_FAILS(tess_align_stack(NULL, &in, NULL, NULL), TESS_EARG, "align_stack: result is NULL");
    CHECK_FAILS(tess_align_stack(&dirty, &in, NULL, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(tess_align_stack(&r, NULL, NULL, NULL), TESS_EARG, "images is NULL");
    CHECK_FAILS(tess_align_stack(&r, &zeroed, NULL, NULL), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(tess_align_stack(&r, &v, NULL, NULL), TESS_ESHAPE, "the stack is a volume");
    CHECK_FAILS(tess_align_stack(&r, &c, NULL, NULL), TESS_EDTYPE, "complex numbers");
    CHECK_FAILS(tess_align_stack(&r, &e, NULL, NULL), TESS_ESHAPE, "the stack is empty");
    CHECK_FAILS(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .cutoff = -1 }, NULL), TESS_ERANGE,
                "opts->cutoff is -1");
    CHECK_FAILS(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .bfactor = -1 }, NULL), TESS_ERANGE,
                "opts->bfactor is -1");
    CHECK_FAILS(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .bfactor = 1 }, NULL), TESS_EARG,
                "give opts->pixel_size");
    CHECK_FAILS(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .max_shift = -1 }, NULL), TESS_ERANGE,
                "opts->max_shift is -1");
    CHECK_FAILS(tess_align_stack(&r, &in, &(tess_align_stack_opts){ .sink = &no_sink }, NULL), TESS_EARG,
                "opts->sink is zeroed");
    CHECK_FAILS(tess_align_stack(&r, &in, NULL, &(tess_context){ .memory = 1000 }), TESS_ENOMEM, "context->memory");
    CHECK_OK(tess_set_f64(&a, 2, 0, 3, 4, (double)NAN));
    CHECK_FAILS(tess_align_stack(&r, &in, NULL, NULL), TESS_ERANGE, "the stack has NaN or infinite values");
    tess_array *made[] = { &a, &volume, &complex, &none };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
}

TEST(bad_tilt_series)
{
    tess_array        a = noise_images(TESS_F32, 16, 20), few = constant(TESS_F64, 1, 1, 1, 3, 0), zero = { 0 };
    tess_array        steep = constant(TESS_F64, 1, 1, 1, N, 0), complex = constant(TESS_C32, 1, 1, 1, N, 0);
    const tess_source in = source_of(&a);
    tess_align_tilt_series_result       r = { 0 };
    tess_reconstruct_tilt_series_result v = { 0 };
    CHECK_FAILS(tess_align_tilt_series(&r, &in, NULL, NULL, NULL), TESS_EARG, "tilts is NULL");
    CHECK_FAILS(tess_align_tilt_series(&r, &in, &zero, NULL, NULL), TESS_EARG, "tilts is a zeroed array");
    CHECK_FAILS(tess_align_tilt_series(&r, &in, &few, NULL, NULL), TESS_ESHAPE, "tilts has 3 numbers; 6 are expected");
    CHECK_FAILS(tess_align_tilt_series(&r, &in, &complex, NULL, NULL), TESS_EDTYPE, "tilts has complex numbers");
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, &in, &few, NULL, NULL), TESS_ESHAPE, "tilts has 3 numbers");
    tess_array        none = constant(TESS_F32, 0, 1, 4, 4, 0), no_tilts = constant(TESS_F64, 0, 1, 1, 1, 0);
    const tess_source empty = source_of(&none);
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, &empty, &no_tilts, NULL, NULL), TESS_ESHAPE, "is empty");
    tess_release(&none);
    tess_release(&no_tilts);
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, NULL, &steep, NULL, NULL), TESS_EARG, "images is NULL");
    CHECK_FAILS(
        tess_reconstruct_tilt_series(&v, &in, &steep, &(tess_reconstruct_tilt_series_opts){ .depth = 0.5 }, NULL),
        TESS_ERANGE, "opts->depth is 0.5");
    CHECK_FAILS(
        tess_reconstruct_tilt_series(&v, &in, &steep, &(tess_reconstruct_tilt_series_opts){ .interp = 7 }, NULL),
        TESS_EARG, "opts->interp is 7");
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, &in, &steep, NULL, &(tess_context){ .memory = 9999 }), TESS_ENOMEM,
                "context->memory");
    CHECK_OK(tess_set_f64(&steep, 0, 0, 0, 2, -86));
    CHECK_FAILS(tess_align_tilt_series(&r, &in, &steep, NULL, NULL), TESS_ERANGE, "angle 2 of tilts is -86", "-85 to");
    CHECK_OK(tess_set_f64(&steep, 0, 0, 0, 2, (double)INFINITY));
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, &in, &steep, NULL, NULL), TESS_ERANGE, "angle 2 of tilts is inf");
    CHECK_OK(tess_set_f64(&steep, 0, 0, 0, 2, 0));
    CHECK_OK(tess_set_f64(&a, 4, 0, 3, 4, (double)NAN));
    CHECK_FAILS(tess_reconstruct_tilt_series(&v, &in, &steep, NULL, NULL), TESS_EARG, "image 4 of the stack has 1 NaN");
    CHECK(is_zeroed(&r.shifts) && is_zeroed(&v.volume));
    tess_array *made[] = { &a, &few, &steep, &complex };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tess_release(made[i]);
}

/* ---- Files ---- */

static void put_text(const char *name, const char *text) { put_file(name, text, (long)strlen(text)); }

static void check_series(const char *name, const char *text, double axis)
{
    tess_tilt_series s = { 0 };
    put_text(name, text);
    CHECK_OK(tess_tilt_series_read(&s, in_folder(name)));
    CHECK_DIMS(s.angles.shape, 3, 1, 1, 1);
    CHECK(value_at(&s.angles, 0, 0, 0, 0) == -40.5 && value_at(&s.angles, 1, 0, 0, 0) == 0);
    CHECK(value_at(&s.angles, 2, 0, 0, 0) == 60);
    CHECK(isnan(axis) ? isnan(s.axis) : fabs(s.axis - axis * pi / 180) < 1e-12);
    tess_tilt_series_release(&s);
    CHECK(is_zeroed(&s.angles) && s.axis == 0);
}

TEST(tilt_series_of_files)
{
    check_series("t.tlt", " -40.5\n0\n60\n", (double)NAN);
    check_series("t.rawtlt", "-40.5 1\n0 2\n60 3\n", (double)NAN);
    check_series("t.mdoc",
                 "PixelSpacing = 2\n\n[T = SerialEM]\n[T =     Tilt axis angle = 85.3, binning = 1  spot = 8]\n\n"
                 "[ZValue = 1]\nTiltAngle = 0\n\n[ZValue = 0]\nTiltAngle = -40.5\n\n[ZValue = 2]\nTiltAngle = 60\n",
                 85.3);
    check_series("n.mdoc",
                 "[ZValue = 0]\nTiltAngle = -40.5\n[ZValue = 1]\nTiltAngle = 0\n[ZValue = 2]\nTiltAngle = 60\n",
                 (double)NAN);
    check_series(
        "stage.star",
        "data_\n\nloop_\n_rlnTomoNominalStageTiltAngle\n_rlnTomoNominalTiltAxisAngle\n-40.5 -12\n0 -12\n60 -12\n", -12);
    check_series("poses.star", "data_\n\nloop_\n_rlnAngleRot\n_rlnAngleTilt\n0 40.5\n0 0\n0 -60\n", 0);
}

TEST(bad_files_of_tilt_series)
{
    tess_tilt_series s = { 0 };
    CHECK_FAILS(tess_tilt_series_read(NULL, "x"), TESS_EARG, "series is NULL");
    CHECK_FAILS(tess_tilt_series_read(&s, NULL), TESS_EARG, "path is NULL");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("missing.mdoc")), TESS_EIO, "missing.mdoc");
    put_text("none.mdoc", "[FrameSet = 0]\nTiltAngle = 3\n");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("none.mdoc")), TESS_EFORMAT, "no section [ZValue = 0]");
    put_text("gap.mdoc", "[ZValue = 0]\nTiltAngle = 3\n[ZValue = 1]\nExposureDose = 3\n");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("gap.mdoc")), TESS_EFORMAT, "no section [ZValue = 1");
    put_text("other.star", "data_\n\nloop_\n_rlnDefocusU\n1\n");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("other.star")), TESS_EFORMAT, "_rlnTomoNominalStageTiltAngle or");
    put_text("turned.star", "data_\n\nloop_\n_rlnAngleRot\n_rlnAngleTilt\n0 1\n5 2\n");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("turned.star")), TESS_EARG, "rlnAngleRot 5", "tess_reconstruct");
    put_text("words.tlt", "1\ntwo\n");
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("words.tlt")), TESS_EFORMAT, "\"two\" is not a number");
    CHECK(is_zeroed(&s.angles));
    s.angles = constant(TESS_F64, 1, 1, 1, 1, 0);
    CHECK_FAILS(tess_tilt_series_read(&s, in_folder("t.tlt")), TESS_EARG, "series is not zeroed");
    tess_tilt_series_release(&s);
    tess_tilt_series_release(NULL);
}

static tess_status read_some(void)
{
    tess_tilt_series s = { 0 };
    TESS_TRY(tess_tilt_series_read(&s, in_folder("poses.star")));
    tess_tilt_series_release(&s);
    TESS_TRY(tess_tilt_series_read(&s, in_folder("t.mdoc")));
    tess_tilt_series_release(&s);
    return TESS_OK;
}

TEST(files_are_read_while_allocations_fail) { hooks_each_fails(&h, read_some, 5); }
