/* Jobs of particles on arrays in memory, against planted truths and plain loops: what they find, what they reject,
 * progress and cancellation. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"
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
                                  .template_pixel_size = 2,
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
    CHECK_FAILS(tess_pick(&r, &in, NULL, NULL), TESS_EARG, "opts->diameter or opts->templates");
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

/* Templates of any size are rejected before they are made, which no memory would be enough for. */
TEST(pick_rejects_bad_templates)
{
    tess_array           a = micrographs(-2), square = constant(TESS_F32, 2, 1, 16, 16, 0);
    tess_array           none = constant(TESS_F32, 0, 1, 16, 16, 0);
    const tess_source    in = source_of(&a), templates = source_of(&square), empty = source_of(&none);
    const tess_context   small = { .memory = 3 << 20 };
    const tess_pick_opts huge = { .diameter = 1e6, .bin = 1 };
    tess_pick_opts       o = { .templates = &empty, .bin = 1, .pixel_size = 2, .template_pixel_size = 2 };
    tess_pick_result     r = { 0 };
    CHECK_FAILS(tess_pick(&r, &in, &huge, NULL), TESS_EARG, "pick: templates of 1500001 pixels are larger than");
    CHECK_FAILS(tess_pick(&r, &in, &o, NULL), TESS_ESHAPE, "opts->templates (the array) has no images");
    o.templates = &templates;
    o.template_pixel_size = 1e6;
    CHECK_FAILS(tess_pick(&r, &in, &o, NULL), TESS_EARG, "pick: templates of 8000000 pixels are larger than");
    o.template_pixel_size = 2;
    o.step = 0.002;
    CHECK_FAILS(tess_pick(&r, &in, &o, &small), TESS_ENOMEM, "6284 rotated templates of 16 x 16", "context->memory");
    CHECK_OK(tess_set_f64(&square, 1, 0, 3, 4, (double)NAN));
    CHECK_FAILS(tess_pick(&r, &in, &o, NULL), TESS_EARG, "image 1 of the array has 1 NaN");
    CHECK(!r.particles.data);
    tess_release(&a);
    tess_release(&square);
    tess_release(&none);
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

/* ---- Boxes ---- */

/* Coordinates with a column that does not count: at edges, outside, and with fractions. */
static const double coordinates[][4] = { { 0, 30.4, 31.6, 9 }, { 1, 90.5, 40, 9 },     { 1, 8, 8, 9 },
                                         { 0, 7.4, 60, 9 },    { 1, 182, 142, 9 },     { 0, 182.6, 100, 9 },
                                         { 0, 100, 142.4, 9 }, { 1, 60.25, 70.75, 9 }, { 1, -500, 20, 9 } };
enum { N_COORDINATES = sizeof coordinates / sizeof *coordinates };

static tess_array table_of_coordinates(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, N_COORDINATES, 4), TESS_F64, tess_cpu()));
    memcpy(a.data, coordinates, sizeof coordinates);
    return a;
}

/* The first pixel of each box that lies inside, by plain arithmetic; returns how many there are. */
static int64_t plain_boxes(int64_t first[][3], double *rows, int64_t box)
{
    int64_t n = 0;
    for (int i = 0; i < N_COORDINATES; i++) {
        const int64_t left = lrint(coordinates[i][1]) - box / 2, top = lrint(coordinates[i][2]) - box / 2;
        if (left < 0 || top < 0 || left + box > WIDTH || top + box > HEIGHT) continue;
        first[n][0] = (int64_t)coordinates[i][0], first[n][1] = top, first[n][2] = left;
        rows[n++] = i;
    }
    return n;
}

TEST(extracted_boxes_are_slices)
{
    tess_array    a = micrographs(-2), places = table_of_coordinates(), integers = { 0 };
    const int64_t sizes[] = { 16, 15, 2, 40 };
    CHECK_OK(tess_cast(&integers, &a, TESS_I16, NULL));
    for (size_t k = 0; k < 8; k++) {
        const tess_array             *image = k % 2 ? &integers : &a;
        const tess_source             in = source_of(image);
        const int64_t                 box = sizes[k / 2];
        int64_t                       first[N_COORDINATES][3];
        double                        rows[N_COORDINATES];
        tess_extract_particles_result r = { 0 };
        const int64_t                 n = plain_boxes(first, rows, box);
        CHECK_OK(tess_extract_particles(&r, &in, &places, box, NULL, NULL));
        CHECK_DIMS(r.boxes.shape, n, 1, box, box);
        CHECK(r.boxes.dtype == image->dtype && r.n_dropped == N_COORDINATES - n && r.pixel_size == 0);
        for (int64_t i = 0; i < n; i++) {
            const tess_region region = { .b = tess_only(first[i][0]),
                                         .h = tess_from_to(first[i][1], first[i][1] + box),
                                         .w = tess_from_to(first[i][2], first[i][2] + box) };
            tess_array        want, got;
            CHECK_OK(tess_subregion(&want, image, region));
            CHECK_OK(tess_slice(&got, &r.boxes, 0, i, i + 1, 1));
            CHECK(same_values(&got, &want));
            CHECK(value_at(&r.particles, 0, 0, i, TESS_EXTRACTED_ROW) == rows[i]);
        }
        tess_extract_particles_result_release(&r);
    }
    tess_release(&a);
    tess_release(&integers);
    tess_release(&places);
}

/* A wave is known between pixels, and keeps its values where boxes have fewer pixels. */
TEST(extracted_boxes_lie_between_pixels)
{
    enum { SIDE = 96, WAVE = 24 };
    tess_array a = constant(TESS_F64, 1, 1, SIDE, SIDE, 0), places = constant(TESS_F32, 1, 1, 1, 3, 0);
    for (int i = 0; i < SIDE * SIDE; i++) ((double *)a.data)[i] = sin(0.3 * (i % SIDE) + 0.1) + cos(0.2 * (i / SIDE));
    ((float *)places.data)[1] = 40.25F, ((float *)places.data)[2] = 50.75F;
    const tess_source             in = source_of(&a);
    tess_extract_particles_result r = { 0 };
    CHECK_OK(tess_extract_particles(&r, &in, &places, WAVE,
                                    &(tess_extract_particles_opts){ .subpixel = 1, .invert = 1 }, NULL));
    CHECK(r.boxes.dtype == TESS_F64);
    double worst = 0;
    for (int i = 0; i < WAVE * WAVE; i++) {
        const double x = i % WAVE - WAVE / 2 + 40.25, y = i / WAVE - WAVE / 2 + 50.75;
        worst = fmax(worst, fabs(((double *)r.boxes.data)[i] + sin(0.3 * x + 0.1) + cos(0.2 * y)));
    }
    CHECK(worst < 1e-2);
    tess_extract_particles_result_release(&r);
    tess_release(&a);
    tess_release(&places);
}

/* The background has mean 0 and deviation 1; a sink takes the boxes, for any number of threads and any memory. */
TEST(extracted_boxes_are_normal)
{
    enum { SIZE = 20 };
    tess_array                    a = micrographs(-2), places = table_of_coordinates(), boxes = { 0 };
    const tess_source             in = source_of(&a);
    tess_sink                     sink = { 0 };
    tess_extract_particles_opts   opts = { .rescale = 10, .bg_radius = 4, .pixel_size = 1.5 };
    const tess_context            little = { .memory = 1 << 19 };
    tess_extract_particles_result r = { 0 }, again = { 0 };
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_extract_particles(&r, &in, &places, SIZE, &opts, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_sink_array(&sink, &boxes));
    opts.sink = &sink;
    CHECK_OK(tess_extract_particles(&again, &in, &places, SIZE, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK(same_values(&r.boxes, &boxes) && !again.boxes.data && r.pixel_size == 3);
    for (int64_t i = 0; i < r.boxes.shape.b; i++) {
        double sum = 0, squares = 0, n = 0;
        for (int k = 0; k < 100; k++) {
            const double x = k % 10 - 5, y = k / 10 - 5, value = ((const float *)r.boxes.data)[100 * i + k];
            if (x * x + y * y > 16) sum += value, squares += value * value, n++;
        }
        CHECK(fabs(sum / n) < 1e-5 && fabs(squares / n - 1) < 1e-5);
    }
    tess_extract_particles_result_release(&r);
    tess_extract_particles_result_release(&again);
    tess_release(&a);
    tess_release(&places);
    tess_release(&boxes);
}

#define EXTRACT(box, ...)                                                                                              \
    tess_extract_particles(&r, &in, &places, box, &(tess_extract_particles_opts){ __VA_ARGS__ }, NULL)

TEST(extraction_rejects_bad_input)
{
    tess_array                    a = micrographs(-2), places = table_of_coordinates(), pairs, flat = { 0 };
    const tess_source             in = source_of(&a), zeroed = { 0 };
    const tess_sink               no_sink = { 0 };
    tess_extract_particles_result r = { 0 };
    CHECK_OK(tess_slice(&pairs, &places, 3, 0, 2, 1));
    CHECK_FAILS(tess_extract_particles(NULL, &in, &places, 8, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_extract_particles(&r, &zeroed, &places, 8, NULL, NULL), TESS_EARG, "micrographs");
    CHECK_FAILS(tess_extract_particles(&r, &in, NULL, 8, NULL, NULL), TESS_EARG, "coordinates is NULL");
    CHECK_FAILS(tess_extract_particles(&r, &in, &flat, 8, NULL, NULL), TESS_EARG, "coordinates is zeroed");
    CHECK_FAILS(tess_extract_particles(&r, &in, &pairs, 8, NULL, NULL), TESS_ESHAPE, "{1,1,9,2}; {1,1,n,3}");
    CHECK_FAILS(EXTRACT(1, .invert = 1), TESS_ERANGE, "box is 1 pixels");
    CHECK_FAILS(EXTRACT(16, .rescale = 7), TESS_EARG, "opts->rescale is 7", "even");
    CHECK_FAILS(EXTRACT(16, .rescale = 18), TESS_EARG, "opts->rescale is 18");
    CHECK_FAILS(EXTRACT(16, .bg_radius = 8), TESS_ERANGE, "opts->bg_radius is 8");
    CHECK_FAILS(EXTRACT(16, .ramp = 1), TESS_EARG, "opts->ramp requires opts->bg_radius");
    CHECK_FAILS(EXTRACT(16, .white_dust = 3), TESS_EARG, "opts->white_dust requires opts->bg_radius");
    CHECK_FAILS(EXTRACT(16, .black_dust = -3), TESS_ERANGE, "opts->black_dust is -3");
    CHECK_FAILS(EXTRACT(16, .invert = 1, .dtype = TESS_I16), TESS_EDTYPE, "opts->dtype is i16", "f32 or f64");
    CHECK_FAILS(EXTRACT(16, .dtype = TESS_C32), TESS_EDTYPE, "opts->dtype is c32");
    CHECK_FAILS(EXTRACT(16, .sink = &no_sink), TESS_EARG, "opts->sink is zeroed");
    tess_array many = constant(TESS_F64, 1, 1, 2000, 3, 40); /* boxes of 2 MB, and a micrograph of 114 kB */
    for (int64_t i = 0; i < 2000; i++) ((double *)many.data)[3 * i] = 0;
    CHECK_FAILS(tess_extract_particles(&r, &in, &many, 16, NULL, &(tess_context){ .memory = 1 << 20 }), TESS_ENOMEM,
                "the results take 2 MiB, but context->memory allows 1 MiB; use opts->sink");
    tess_release(&many);
    CHECK_OK(tess_set_f64(&places, 0, 0, 3, 2, (double)NAN));
    CHECK_FAILS(EXTRACT(16, .invert = 1), TESS_EARG, "row 3 of coordinates is at (7.4, nan)");
    CHECK_OK(tess_set_f64(&places, 0, 0, 1, 0, 2));
    CHECK_FAILS(EXTRACT(16, .invert = 1), TESS_ERANGE, "the micrograph in row 1 of coordinates is 2",
                "micrographs 0 to 1");
    CHECK(!tess_box_is_inside((double)NAN, 50, 8, a.shape));
    tess_release(&a);
    tess_release(&places);
}

TEST(extraction_reports_and_stops)
{
    tess_array                    a = micrographs(-2), places = table_of_coordinates();
    const tess_source             in = source_of(&a);
    tess_extract_particles_result r = { 0 };
    watch                         all = { .cancel_at = -1 };
    tess_context                  c = context_of(&all);
    CHECK_OK(tess_extract_particles(&r, &in, &places, 16, NULL, &c));
    CHECK(all.done == all.total && all.total == r.boxes.shape.b);
    tess_extract_particles_result_release(&r);
    for (int k = 0; k < 3; k++) {
        watch some = { .cancel_at = k };
        c = context_of(&some);
        CHECK_FAILS(tess_extract_particles(&r, &in, &places, 16, NULL, &c), TESS_ECANCELLED, "cancelled after");
        CHECK(!r.boxes.data && !r.particles.data);
    }
    tess_release(&a);
    tess_release(&places);
}

/* The table of tess_pick is one of coordinates; where nothing is found there are no boxes. */
TEST(picked_particles_are_extracted)
{
    tess_array                    a = micrographs(-2), flat = constant(TESS_F32, 1, 1, 64, 64, 3);
    const tess_source             in = source_of(&a), nothing = source_of(&flat);
    tess_pick_result              found = { 0 };
    tess_extract_particles_result r = { 0 };
    CHECK_OK(tess_pick(&found, &in, &(tess_pick_opts){ .diameter = diameter, .bin = 1, .threshold = 4 }, NULL));
    CHECK_OK(tess_extract_particles(&r, &in, &found.particles, 20, NULL, NULL));
    CHECK_DIMS(r.boxes.shape, 2 * N_DISCS, 1, 20, 20);
    tess_extract_particles_result_release(&r);
    tess_pick_result_release(&found);
    CHECK_OK(tess_pick(&found, &nothing, &(tess_pick_opts){ .diameter = diameter, .bin = 1 }, NULL));
    CHECK_DIMS(found.particles.shape, 1, 1, 0, TESS_PICK_COLUMNS);
    CHECK_OK(tess_extract_particles(&r, &nothing, &found.particles, 20, NULL, NULL));
    CHECK_DIMS(r.boxes.shape, 0, 1, 20, 20);
    tess_extract_particles_result_release(&r);
    tess_pick_result_release(&found);
    tess_release(&a);
    tess_release(&flat);
}

/* ---- Alignment in the plane ---- */

enum { SIDE = 48, N_VIEWS = 12 };

/* Three blobs without symmetry. */
static double blobs_at(double y, double x)
{
    return exp(-((x + 6) * (x + 6) + (y + 6) * (y + 6)) / 24) + exp(-((x + 6) * (x + 6) + (y - 7) * (y - 7)) / 24) +
           1.6 * exp(-((x - 7) * (x - 7) + (y + 7) * (y + 7)) / 18);
}

/* How image i is turned, +x towards +y, and then moved. */
static void view_of(int64_t i, double *angle, double *x, double *y)
{
    *angle = 0.41 * (double)i - 2.3;
    *x = 2 * sin(1.7 * (double)i);
    *y = 2.5 * cos(2.9 * (double)i);
}

static tess_array views(double noise)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(N_VIEWS, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 4, noise, 5, NULL));
    for (int64_t i = 0; i < N_VIEWS * SIDE * SIDE; i++) {
        double angle, dx, dy;
        view_of(i / (SIDE * SIDE), &angle, &dx, &dy);
        const double x = (double)(i % SIDE - SIDE / 2) - dx, y = (double)(i / SIDE % SIDE - SIDE / 2) - dy;
        const double c = cos(angle), s = sin(angle);
        ((float *)a.data)[i] += (float)blobs_at(-s * x + c * y, c * x + s * y);
    }
    return a;
}

static tess_array straight_view(void)
{
    tess_array a = constant(TESS_F32, 1, 1, SIDE, SIDE, 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        ((float *)a.data)[i] = (float)blobs_at(i / SIDE - SIDE / 2, i % SIDE - SIDE / 2);
    return a;
}

TEST(align2d_recovers_known_rotations)
{
    tess_array              a = views(0.1), straight = straight_view(), moved = { 0 };
    const tess_source       in = source_of(&a), reference = source_of(&straight);
    tess_sink               sink = { 0 };
    tess_align2d_result     r = { 0 };
    const tess_align2d_opts opts = { .reference = &reference, .iterations = 1, .sink = &sink };
    CHECK_OK(tess_sink_array(&sink, &moved));
    CHECK_OK(tess_align2d(&r, &in, &opts, NULL));
    CHECK_DIMS(r.places.shape, 1, 1, N_VIEWS, TESS_PLACE_COLUMNS);
    CHECK_DIMS(r.changes.shape, 1, 1, 1, 1);
    CHECK_DIMS(moved.shape, N_VIEWS, 1, SIDE, SIDE);
    for (int64_t i = 0; i < N_VIEWS; i++) {
        double angle, x, y;
        view_of(i, &angle, &x, &y);
        const double *p = (const double *)r.places.data + TESS_PLACE_COLUMNS * i;
        CHECK(fabs(remainder(p[TESS_PLACE_ANGLE] + angle, 2 * 3.141592653589793)) < 0.03);
        CHECK(hypot(p[TESS_PLACE_X] + x, p[TESS_PLACE_Y] + y) < 0.3);
        CHECK(p[TESS_PLACE_SCORE] > 0.5 && p[TESS_PLACE_SCORE] <= 1);
    }
    double worst = 0; /* the average is that of the aligned images, and close to the reference */
    for (int k = 0; k < SIDE * SIDE; k++) {
        double sum = 0;
        for (int64_t i = 0; i < N_VIEWS; i++) sum += ((const float *)moved.data)[i * SIDE * SIDE + k];
        CHECK(fabs(sum / N_VIEWS - ((const float *)r.average.data)[k]) < 1e-5);
        worst = fmax(worst, fabs(((const float *)r.average.data)[k] - 4 - ((const float *)straight.data)[k]));
    }
    CHECK(worst < 0.35);
    tess_align2d_result_release(&r);
    tess_release(&a);
    tess_release(&straight);
    tess_release(&moved);
}

/* Without a reference all come onto each other: angles differ from the truth by one rotation of all. */
TEST(align2d_starts_from_the_images)
{
    tess_array              a = views(0.1);
    const tess_source       in = source_of(&a);
    const tess_align2d_opts opts = { .step = 0.1, .iterations = 4 };
    const tess_context      little = { .memory = 1 << 22 };
    tess_align2d_result     r = { 0 }, again = { 0 };
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_align2d(&r, &in, &opts, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_align2d(&again, &in, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK(same_values(&r.average, &again.average) && same_values(&r.places, &again.places));
    CHECK(r.changes.shape.h >= 2 && r.changes.shape.h <= 4);
    double first = 0;
    for (int64_t i = 0; i < N_VIEWS; i++) {
        double angle, x, y;
        view_of(i, &angle, &x, &y);
        const double turned = ((const double *)r.places.data)[TESS_PLACE_COLUMNS * i + TESS_PLACE_ANGLE] + angle;
        if (i == 0) first = turned;
        CHECK(fabs(remainder(turned - first, 2 * 3.141592653589793)) < 0.06);
    }
    tess_align2d_result_release(&r);
    tess_align2d_result_release(&again);
    tess_release(&a);
}

TEST(align2d_rejects_bad_input)
{
    tess_array          a = views(0.1), oblong = constant(TESS_F32, 2, 1, 40, SIDE, 0);
    tess_array          none = constant(TESS_F32, 0, 1, SIDE, SIDE, 0);
    const tess_source   in = source_of(&a), other = source_of(&oblong), zeroed = { 0 }, empty = source_of(&none);
    const tess_sink     no_sink = { 0 };
    tess_align2d_result r = { 0 };
    CHECK_FAILS(tess_align2d(NULL, &in, NULL, NULL), TESS_EARG, "align2d: result is NULL");
    CHECK_FAILS(tess_align2d(&r, &zeroed, NULL, NULL), TESS_EARG, "align2d: images");
    CHECK_FAILS(tess_align2d(&r, &other, NULL, NULL), TESS_ESHAPE, "48 x 40; square images");
    CHECK_FAILS(tess_align2d(&r, &empty, NULL, NULL), TESS_ESHAPE, "has no images");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .reference = &other }, NULL), TESS_ESHAPE,
                "opts->reference the array has 2 images of 48 x 40; one of 48 x 48");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .max_shift = 25 }, NULL), TESS_ERANGE, "max_shift is 25");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .mask_radius = 25 }, NULL), TESS_ERANGE,
                "mask_radius is 25");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .step = 7 }, NULL), TESS_ERANGE, "opts->step is 7");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .iterations = -1 }, NULL), TESS_ERANGE, "opts->iterations is -1");
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .sink = &no_sink }, NULL), TESS_EARG,
                "opts->sink is zeroed");
    CHECK_FAILS(tess_align2d(&r, &in, NULL, &(tess_context){ .memory = 1000 }), TESS_ENOMEM, "context->memory");
    tess_array        bad = constant(TESS_F32, 1, 1, SIDE, SIDE, (double)NAN);
    const tess_source nans = source_of(&bad);
    CHECK_FAILS(tess_align2d(&r, &in, &(tess_align2d_opts){ .reference = &nans }, NULL), TESS_EARG,
                "the array has 2304 NaN");
    CHECK_OK(tess_set_f64(&a, 3, 0, 5, 6, (double)INFINITY));
    CHECK_FAILS(tess_align2d(&r, &in, NULL, NULL), TESS_EARG, "image 3 of the array has 0 NaN and 1 infinite");
    tess_release(&bad);
    tess_release(&a);
    tess_release(&oblong);
    tess_release(&none);
}

TEST(align2d_reports_and_stops)
{
    tess_array              a = views(0.1);
    const tess_source       in = source_of(&a);
    const tess_align2d_opts opts = { .step = 0.3, .iterations = 1 };
    tess_align2d_result     r = { 0 };
    watch                   all = { .cancel_at = -1 };
    tess_context            c = context_of(&all);
    CHECK_OK(tess_align2d(&r, &in, &opts, &c));
    CHECK(all.n == N_VIEWS + 1 && all.done == N_VIEWS && all.total == N_VIEWS && all.warnings == 0);
    tess_align2d_result_release(&r);
    for (int k = 0; k <= N_VIEWS; k += 4) {
        watch some = { .cancel_at = k };
        c = context_of(&some);
        CHECK_FAILS(tess_align2d(&r, &in, &opts, &c), TESS_ECANCELLED, "align2d: cancelled after");
        CHECK(!r.average.data && !r.places.data);
    }
    /* Also while the aligned images are passed on. */
    tess_array        aligned = { 0 };
    tess_sink         sink;
    watch             late = { .cancel_at = N_VIEWS + 3 };
    tess_align2d_opts o = opts;
    CHECK_OK(tess_sink_array(&sink, &aligned));
    o.sink = &sink;
    c = context_of(&late);
    CHECK_FAILS(tess_align2d(&r, &in, &o, &c), TESS_ECANCELLED, "align2d: cancelled after 2 of");
    CHECK(!r.average.data);
    tess_release(&aligned);
    tess_release(&a);
}

/* ---- Reconstruction ---- */

enum { BOX = 24, N_IMAGES = 150 };
static const double balls[3][4] = { { 4, 0, -3, 1 }, { -4, 3, 0, 0.7 }, { 0, -4, 4, 1.3 } }; /* x, y, z, height */

/* Random rotations as quaternions (z, y, x, w). */
static tess_array random_quaternions(void)
{
    tess_array q = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(1, 1, N_IMAGES, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&q, 0, 1, 11, NULL));
    for (double *p = q.data, *end = p + 4 * N_IMAGES; p < end; p += 4) {
        const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; k++) p[k] /= norm;
    }
    return q;
}

/* x and y of a ball in the image, which the rotation takes to the map: the first two rows of the inverse. */
static void ball_in_image(double *x, double *y, const double *q, const double *p)
{
    const double a = q[2], b = q[1], c = q[0], w = q[3];
    *x = (1 - 2 * (b * b + c * c)) * p[0] + 2 * (a * b + c * w) * p[1] + 2 * (a * c - b * w) * p[2];
    *y = 2 * (a * b - c * w) * p[0] + (1 - 2 * (a * a + c * c)) * p[1] + 2 * (b * c + a * w) * p[2];
}

/* Projections of Gaussian balls of sd 1.5, which are known, moved by (y, x) pixels against `shifts`. */
static tess_array projections(const tess_array *rotations, tess_array *shifts)
{
    tess_array a = constant(TESS_F32, N_IMAGES, 1, BOX, BOX, 0);
    CHECK_OK(tess_empty(shifts, TESS_SHAPE(N_IMAGES, 1, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < N_IMAGES; i++) {
        double *shift = (double *)shifts->data + 2 * i;
        shift[0] = sin(i), shift[1] = 2 * cos(i);
        for (int k = 0; k < 3; k++) {
            double x, y;
            ball_in_image(&x, &y, (const double *)rotations->data + 4 * i, balls[k]);
            for (int m = 0; m < BOX * BOX; m++) {
                const double dx = m % BOX - BOX / 2 - x + shift[1], dy = m / BOX - BOX / 2 - y + shift[0];
                ((float *)a.data)[i * BOX * BOX + m] +=
                    (float)(balls[k][3] * 1.5 * sqrt(2 * 3.141592653589793) * exp(-(dx * dx + dy * dy) / 4.5));
            }
        }
    }
    return a;
}

/* The largest difference from the balls, of which the highest is about 1.3. */
static double difference(const tess_array *map)
{
    double worst = 0;
    for (int m = 0; m < BOX * BOX * BOX; m++) {
        const double x = m % BOX - BOX / 2, y = m / BOX % BOX - BOX / 2, z = m / BOX / BOX - BOX / 2;
        double       want = 0;
        for (int k = 0; k < 3; k++)
            want += balls[k][3] * exp(-((x - balls[k][0]) * (x - balls[k][0]) + (y - balls[k][1]) * (y - balls[k][1]) +
                                        (z - balls[k][2]) * (z - balls[k][2])) /
                                      4.5);
        if (x * x + y * y + z * z < 100) worst = fmax(worst, fabs(((const float *)map->data)[m] - want));
    }
    return worst;
}

TEST(reconstruction_gives_the_map_of_its_projections)
{
    tess_array              q = random_quaternions(), shifts = { 0 }, a = projections(&q, &shifts);
    tess_array              halves = constant(TESS_I32, 1, 1, N_IMAGES, 1, 1);
    const tess_source       in = source_of(&a);
    tess_reconstruct_opts   opts = { .shifts = &shifts };
    tess_reconstruct_result r = { 0 }, again = { 0 };
    const tess_context      little = { .memory = 4 << 20, .slab = 1 };
    for (int i = 0; i < N_IMAGES; i += 2) ((int32_t *)halves.data)[i] = 2;
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_reconstruct(&r, &in, &q, &opts, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_reconstruct(&again, &in, &q, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK_DIMS(r.map.shape, 1, BOX, BOX, BOX);
    CHECK(same_values(&r.map, &again.map) && !r.half1.data && r.resolution == 0);
    CHECK(difference(&r.map) < 0.05);
    tess_reconstruct_result_release(&again);
    opts.halves = &halves;
    CHECK_OK(tess_reconstruct(&again, &in, &q, &opts, NULL));
    CHECK(difference(&again.half1) < 0.25 && difference(&again.half2) < 0.25 && difference(&again.map) < 0.1);
    CHECK(again.resolution >= 2 && again.resolution < 6 && again.resolution_0_5 >= again.resolution);
    tess_reconstruct_result_release(&r);
    tess_reconstruct_result_release(&again);
    tess_release(&q);
    tess_release(&shifts);
    tess_release(&a);
    tess_release(&halves);
}

/* A voltage of 0 in a row is the default of a tess_ctf. */
TEST(ewald_spheres_of_the_usual_voltage)
{
    tess_array                  q = random_quaternions(), shifts = { 0 }, a = projections(&q, &shifts);
    tess_array                  ctfs = constant(TESS_F64, N_IMAGES, 1, 1, 8, 0);
    const tess_source           in = source_of(&a);
    tess_reconstruct_result     r[2] = { { .resolution = 0 } };
    const tess_reconstruct_opts opts = { .ctfs = &ctfs, .ewald = TESS_EWALD_FRONT, .pixel_size = 2, .pad = 1 };
    for (int usual = 0; usual < 2; usual++) {
        for (int i = 0; i < N_IMAGES; i++)
            memcpy((double *)ctfs.data + 8 * i, (const double[]){ 2, 2, 1, 0, 0, usual ? 0 : 300, 0.1, 2.7 },
                   8 * sizeof(double));
        CHECK_OK(tess_reconstruct(&r[usual], &in, &q, &opts, NULL));
    }
    CHECK(same_values(&r[0].map, &r[1].map));
    ((double *)ctfs.data)[5] = -300;
    CHECK_FAILS(tess_reconstruct(&(tess_reconstruct_result){ .resolution = 0 }, &in, &q, &opts, NULL), TESS_ERANGE,
                "row 0 of opts->ctfs has a voltage of -300 kV; it must be above 0");
    for (int k = 0; k < 2; k++) tess_reconstruct_result_release(&r[k]);
    tess_release(&q);
    tess_release(&shifts);
    tess_release(&a);
    tess_release(&ctfs);
}

#define RECONSTRUCT(...) tess_reconstruct(&r, &in, &q, &(tess_reconstruct_opts){ __VA_ARGS__ }, NULL)

TEST(reconstruction_rejects_bad_input)
{
    tess_array        q = random_quaternions(), shifts = { 0 }, a = projections(&q, &shifts), three, few;
    tess_array        oblong = constant(TESS_F32, 2, 1, 8, 10, 0), ones = constant(TESS_F32, N_IMAGES, 1, 1, 1, 1);
    tess_array        longer = constant(TESS_F32, N_IMAGES, 1, 1, 4, 1);
    const tess_source in = source_of(&a), other = source_of(&oblong), zeroed = { 0 };
    tess_reconstruct_result r = { 0 };
    CHECK_OK(tess_slice(&three, &q, 3, 0, 3, 1));
    CHECK_OK(tess_slice(&few, &q, 2, 0, 9, 1));
    CHECK_FAILS(tess_reconstruct(NULL, &in, &q, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_reconstruct(&r, &zeroed, &q, NULL, NULL), TESS_EARG, "images");
    CHECK_FAILS(tess_reconstruct(&r, &in, NULL, NULL, NULL), TESS_EARG, "rotations is NULL");
    CHECK_FAILS(tess_reconstruct(&r, &in, &three, NULL, NULL), TESS_ESHAPE, "rotations has the shape {1,1,150,3}");
    CHECK_FAILS(tess_reconstruct(&r, &in, &few, NULL, NULL), TESS_ESHAPE, "{1,1,9,4}", "n = 150");
    CHECK_FAILS(tess_reconstruct(&r, &other, &q, NULL, NULL), TESS_ESHAPE, "10 x 8; square images");
    CHECK_FAILS(RECONSTRUCT(.sym = "Q7"), TESS_EPARSE, "Q7");
    CHECK_FAILS(RECONSTRUCT(.pad = 9), TESS_ERANGE, "opts->pad is 9");
    CHECK_FAILS(RECONSTRUCT(.floor = 2), TESS_ERANGE, "opts->floor is 2");
    CHECK_FAILS(RECONSTRUCT(.ewald = TESS_EWALD_BACK), TESS_EARG, "opts->ewald requires opts->ctfs");
    CHECK_FAILS(RECONSTRUCT(.diameter = 9), TESS_EARG, "opts->diameter requires opts->ewald");
    CHECK_FAILS(RECONSTRUCT(.halves = &ones), TESS_EARG, "no row belongs to half set 2");
    CHECK_FAILS(tess_reconstruct(&r, &in, &longer, NULL, NULL), TESS_ERANGE,
                "row 0 of rotations is a quaternion of length 2; 1 is expected");
    CHECK_OK(tess_set_f64(&ones, 4, 0, 0, 0, 3));
    CHECK_FAILS(RECONSTRUCT(.halves = &ones), TESS_ERANGE, "row 4 of opts->halves is 3; 1 or 2");
    CHECK_OK(tess_set_f64(&shifts, 7, 0, 0, 1, (double)NAN));
    CHECK_FAILS(RECONSTRUCT(.shifts = &shifts), TESS_EARG, "row 7 of opts->shifts has nan");
    CHECK_FAILS(tess_reconstruct(&r, &in, &q, NULL, &(tess_context){ .memory = 1 << 18 }), TESS_ENOMEM,
                "context->memory");
    CHECK_OK(tess_set_f64(&a, 5, 0, 1, 1, (double)NAN));
    CHECK_FAILS(RECONSTRUCT(.pad = 1), TESS_ERANGE, "the image in row 5 of the array has NaNs");
    CHECK(!r.map.data);
    tess_release(&q);
    tess_release(&shifts);
    tess_release(&a);
    tess_release(&oblong);
    tess_release(&ones);
    tess_release(&longer);
}

TEST(reconstruction_reports_and_stops)
{
    tess_array              q = random_quaternions(), shifts = { 0 }, a = projections(&q, &shifts);
    const tess_source       in = source_of(&a);
    tess_reconstruct_result r = { 0 };
    watch                   all = { .cancel_at = -1 };
    tess_context            c = context_of(&all);
    CHECK_OK(tess_reconstruct(&r, &in, &q, NULL, &c));
    CHECK(all.done == N_IMAGES && all.total == N_IMAGES);
    tess_reconstruct_result_release(&r);
    watch some = { .cancel_at = 0 };
    c = context_of(&some);
    CHECK_FAILS(tess_reconstruct(&r, &in, &q, NULL, &c), TESS_ECANCELLED, "cancelled after");
    CHECK(!r.map.data);
    tess_release(&q);
    tess_release(&shifts);
    tess_release(&a);
}

/* ---- Memory ---- */

static tess_array small_micrographs, small_views, small_table;

static tess_status pick_small(void)
{
    const tess_source in = source_of(&small_micrographs);
    tess_pick_result  r = { 0 };
    const tess_status status = tess_pick(&r, &in, &(tess_pick_opts){ .diameter = 6, .bin = 2, .threshold = 1 }, NULL);
    tess_pick_result_release(&r);
    return status;
}

static tess_status extract_small(void)
{
    const tess_source                 in = source_of(&small_micrographs);
    tess_extract_particles_result     r = { 0 };
    const tess_extract_particles_opts opts = { .rescale = 4, .bg_radius = 1, .invert = 1 };
    const tess_status                 status = tess_extract_particles(&r, &in, &small_table, 8, &opts, NULL);
    tess_extract_particles_result_release(&r);
    return status;
}

static tess_status align_small(void)
{
    const tess_source   in = source_of(&small_views);
    tess_align2d_result r = { 0 };
    const tess_status   status = tess_align2d(&r, &in, &(tess_align2d_opts){ .step = 3, .iterations = 1 }, NULL);
    tess_align2d_result_release(&r);
    return status;
}

static tess_status reconstruct_small(void)
{
    const double            rows[2][4] = { { 0, 0, 0, 1 }, { 1, 0, 0, 0 } }, sets[2] = { 1, 2 };
    const tess_source       in = source_of(&small_views);
    tess_array              q, halves;
    tess_reconstruct_result r = { 0 };
    TESS_TRY(tess_wrap(&q, (void *)(uintptr_t)rows, TESS_SHAPE(1, 1, 2, 4), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&halves, (void *)(uintptr_t)sets, TESS_SHAPE(2, 1, 1, 1), TESS_F64, NULL));
    const tess_status status =
        tess_reconstruct(&r, &in, &q, &(tess_reconstruct_opts){ .halves = &halves, .pad = 1 }, NULL);
    tess_reconstruct_result_release(&r);
    return status;
}

TEST(every_allocation_fails_in_turn)
{
    static hooks h;
    const double rows[2][3] = { { 0, 12, 14 }, { 1, 18, 10 } };
    CHECK_OK(tess_empty(&small_micrographs, TESS_SHAPE(2, 1, 32, 32), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&small_micrographs, 0, 1, 1, NULL));
    CHECK_OK(tess_empty(&small_views, TESS_SHAPE(2, 1, 16, 16), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&small_views, 0, 1, 2, NULL));
    CHECK_OK(tess_empty(&small_table, TESS_SHAPE(1, 1, 2, 3), TESS_F64, tess_cpu()));
    memcpy(small_table.data, rows, sizeof rows);
    hooks_each_fails(&h, pick_small, 10);
    hooks_each_fails(&h, extract_small, 10);
    hooks_each_fails(&h, align_small, 10);
    hooks_each_fails(&h, reconstruct_small, 10);
    tess_release(&small_micrographs);
    tess_release(&small_views);
    tess_release(&small_table);
}
