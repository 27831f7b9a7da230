/* Jobs of particles on arrays in memory, against planted truths and plain loops: what they find, what they reject,
 * progress and cancellation. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "tessera/random.h"

/* ---- Sources and contexts ---- */

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the array", NULL));
    return source;
}

/* Counts reports, and cancels at one of them (-1: never). */
typedef struct watch {
    int64_t n, cancel_at, done, total;
    int     warnings;
} watch;

static int32_t progress(void *user, const tess_progress *p)
{
    watch *w = user;
    w->done = p->done, w->total = p->total;
    return w->n++ == w->cancel_at;
}

static void warning(void *user, const char *text)
{
    (void)text;
    ((watch *)user)->warnings++;
}

static tess_context context_of(watch *w)
{
    return (tess_context){ .progress = progress, .warning = warning, .user = w };
}

/* ---- Micrographs with discs ---- */

enum { HEIGHT = 150, WIDTH = 190, N_DISCS = 6 };
static const double discs[2][N_DISCS]
                         [2] = { /* x, y */
                                 { { 30, 31 }, { 90.5, 40 }, { 150, 30 }, { 40, 100 }, { 100, 110.25 }, { 160, 95 } },
                                 { { 25, 25 }, { 80, 25 }, { 140, 35.5 }, { 31, 80 }, { 95, 75 }, { 165, 120 } }
                         };
static const double diameter = 20;

/* Half balls of this depth on noise. */
static tess_array micrographs(double contrast)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 1, HEIGHT, WIDTH), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 10, 0.3, 7, NULL));
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < N_DISCS; k++)
            for (int i = 0; i < HEIGHT * WIDTH; i++) {
                const double x = i % WIDTH - discs[m][k][0], y = i / WIDTH - discs[m][k][1];
                const double square = 1 - 4 * (x * x + y * y) / (diameter * diameter);
                if (square > 0) ((float *)a.data)[m * HEIGHT * WIDTH + i] += (float)(contrast * sqrt(square));
            }
    return a;
}

/* Is each disc found once, within a pixel and a half, and nothing else? */
static void check_found(const tess_pick_result *r)
{
    CHECK_DIMS(r->particles.shape, 1, 1, 2 * N_DISCS, TESS_PICK_COLUMNS);
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < N_DISCS; k++) {
            int n = 0;
            for (int64_t i = 0; i < r->particles.shape.h; i++) {
                const double *p = (const double *)r->particles.data + TESS_PICK_COLUMNS * i;
                n += p[TESS_PICK_MICROGRAPH] == m &&
                     hypot(p[TESS_PICK_X] - discs[m][k][0], p[TESS_PICK_Y] - discs[m][k][1]) < 1.5;
            }
            CHECK_I64(n, 1);
        }
}

TEST(pick_finds_planted_discs)
{
    tess_array           a = micrographs(-2);
    const tess_source    in = source_of(&a);
    const tess_pick_opts opts[] = { { .diameter = diameter, .bin = 1, .threshold = 4 },
                                    { .diameter = diameter, .pixel_size = 3, .threshold = 4 },
                                    { .diameter = diameter, .bin = 2, .threshold = 4, .blob = TESS_BLOB_DOG } };
    for (size_t k = 0; k < sizeof opts / sizeof *opts; k++) {
        tess_pick_result r = { 0 };
        CHECK_OK(tess_pick(&r, &in, &opts[k], NULL));
        check_found(&r);
        CHECK(r.diameter == diameter && r.n_angles == 1);
        CHECK(r.height == (k == 0 ? HEIGHT : k == 1 ? 120 : 76) && r.width == (k == 0 ? WIDTH : k == 1 ? 152 : 96));
        tess_pick_result_release(&r);
    }
    tess_release(&a);
}

/* A template that is turned by a third of a circle, at a known place. */
TEST(pick_finds_templates_and_angles)
{
    enum { N = 32, SIDE = 96 };
    const double turned = 2 * 3.141592653589793 / 3;
    tess_array   image = { 0 }, template = constant(TESS_F32, 1, 1, N, N, 0);
    CHECK_OK(tess_empty(&image, TESS_SHAPE(1, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 0.05, 3, NULL));
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = i % SIDE - 50, y = i / SIDE - 40, c = cos(turned), s = sin(turned);
        const double u = c * x + s * y, v = -s * x + c * y; /* as the template has them */
        ((float *)image.data)[i] +=
            (float)(exp(-((u - 6) * (u - 6) + v * v) / 18) + exp(-(u * u + (v + 5) * (v + 5)) / 8));
    }
    for (int i = 0; i < N * N; i++) {
        const double u = i % N - N / 2, v = i / N - N / 2;
        ((float *)template.data)[i] =
            (float)(exp(-((u - 6) * (u - 6) + v * v) / 18) + exp(-(u * u + (v + 5) * (v + 5)) / 8));
    }
    const tess_source    in = source_of(&image), templates = source_of(&template);
    const tess_pick_opts opts = { .templates = &templates,
                                  .template_apix = 2,
                                  .pixel_size = 2,
                                  .bin = 1,
                                  .bright = 1,
                                  .step = 3.141592653589793 / 6,
                                  .max = 1 };
    tess_pick_result     r = { 0 };
    CHECK_OK(tess_pick(&r, &in, &opts, NULL));
    CHECK_DIMS(r.particles.shape, 1, 1, 1, TESS_PICK_COLUMNS);
    CHECK(fabs(value_at(&r.particles, 0, 0, 0, TESS_PICK_X) - 50) < 0.5);
    CHECK(fabs(value_at(&r.particles, 0, 0, 0, TESS_PICK_Y) - 40) < 0.5);
    CHECK(fabs(value_at(&r.particles, 0, 0, 0, TESS_PICK_ANGLE) - turned) < 1e-6);
    CHECK(value_at(&r.particles, 0, 0, 0, TESS_PICK_TEMPLATE) == 0 && r.n_angles == 12 && r.diameter == N - 2);
    tess_pick_result_release(&r);
    tess_release(&image);
    tess_release(&template);
}

/* The same bits for any number of threads and any memory, and for a file. */
TEST(pick_gives_the_same_bits)
{
    tess_array           a = micrographs(-2);
    tess_source          in = source_of(&a), file = { 0 };
    const tess_pick_opts opts = { .diameter = diameter, .bin = 1.5, .threshold = 2 };
    const tess_context   little = { .memory = 1 << 20 };
    tess_pick_result     one = { 0 }, two = { 0 }, three = { 0 };
    CHECK_OK(tess_write(in_folder("micrographs.npy"), &a, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("micrographs.npy"), NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_pick(&one, &in, &opts, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_pick(&two, &in, &opts, &little));
    CHECK_OK(tess_pick(&three, &file, &opts, NULL));
    CHECK_OK(tess_threads_set(0));
    CHECK(one.particles.shape.h > 0 && same_values(&one.particles, &two.particles) &&
          same_values(&one.particles, &three.particles));
    tess_pick_result_release(&one);
    tess_pick_result_release(&two);
    tess_pick_result_release(&three);
    tess_source_close(&file);
    tess_release(&a);
}

TEST(pick_rejects_bad_input)
{
    tess_array           a = micrographs(-2), complex = constant(TESS_C32, 1, 1, 64, 64, 0);
    tess_array           oblong = constant(TESS_F32, 1, 1, 16, 20, 0);
    const tess_source    in = source_of(&a), wrong = source_of(&complex), zeroed = { 0 }, side = source_of(&oblong);
    const tess_pick_opts good = { .diameter = diameter, .bin = 1 };
    tess_pick_result     r = { 0 };
    CHECK_FAILS(tess_pick(NULL, &in, &good, NULL), TESS_EARG, "pick: result is NULL");
    CHECK_FAILS(tess_pick(&r, NULL, &good, NULL), TESS_EARG, "pick: micrographs is NULL");
    CHECK_FAILS(tess_pick(&r, &zeroed, &good, NULL), TESS_EARG, "pick: micrographs");
    CHECK_FAILS(tess_pick(&r, &wrong, &good, NULL), TESS_EDTYPE, "pick: the array has complex numbers");
    CHECK_FAILS(tess_pick(&r, &in, NULL, NULL), TESS_EARG, "opts->diameter, or opts->templates");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .diameter = -1 }, NULL), TESS_ERANGE, "opts->diameter is -1");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .diameter = diameter }, NULL), TESS_EARG,
                "the pixel size of the array", "opts->pixel_size or opts->bin");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .diameter = 500, .bin = 1 }, NULL), TESS_EARG, "are larger than");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .templates = &zeroed, .bin = 1 }, NULL), TESS_EARG,
                "opts->templates");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .templates = &side, .bin = 1 }, NULL), TESS_ESHAPE, "20 x 16");
    CHECK_FAILS(tess_pick(&r, &in, &(tess_pick_opts){ .diameter = 9, .bin = 1, .max = -1 }, NULL), TESS_ERANGE,
                "opts->max");
    CHECK_FAILS(tess_pick(&r, &in, &good, &(tess_context){ .memory = 1000 }), TESS_ENOMEM, "context->memory");
    CHECK_OK(tess_set_f64(&a, 1, 0, 5, 6, (double)NAN));
    CHECK_FAILS(tess_pick(&r, &in, &good, NULL), TESS_EARG, "image 1 of the array has 1 NaN and 0 infinite pixels");
    r.n_angles = 3;
    CHECK_FAILS(tess_pick(&r, &in, &good, NULL), TESS_EARG, "pick: result is not zeroed");
    tess_pick_result_release(NULL);
    tess_release(&a);
    tess_release(&complex);
    tess_release(&oblong);
}

TEST(pick_reports_and_stops)
{
    tess_array           a = micrographs(-2);
    const tess_source    in = source_of(&a);
    const tess_pick_opts opts = { .diameter = diameter, .bin = 1 };
    watch                all = { .cancel_at = -1 };
    tess_context         c = context_of(&all);
    tess_pick_result     r = { 0 };
    CHECK_OK(tess_pick(&r, &in, &opts, &c));
    CHECK(all.n == 3 && all.done == 2 && all.total == 2);
    tess_pick_result_release(&r);
    for (int k = 0; k < 2; k++) {
        watch some = { .cancel_at = k };
        c = context_of(&some);
        CHECK_FAILS(tess_pick(&r, &in, &opts, &c), TESS_ECANCELLED, "pick: cancelled after");
        CHECK(!r.particles.data);
    }
    tess_release(&a);
}
