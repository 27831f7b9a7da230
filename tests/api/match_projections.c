/* Grids of rotations, and projection matching beside scores that are summed by hand; what is rejected. */
#include "tessera/match_projections.h"

#include <math.h>
#include <string.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/geometry.h"
#include "tessera/random.h"

enum { SIZE = 24, ATOMS = 12 };

static double atoms[ATOMS][3];

static void place_atoms(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, NULL));
    CHECK_OK(tess_random_uniform(&a, -6, 6, 5, NULL));
    tess_release(&a);
}

static double bell(double x) { return exp(-x * x / (2 * 1.1 * 1.1)); }

/* The structure if `quats` is NULL, else its projections, each moved by (y, x). */
static tess_array seen(const tess_array *quats, const double moved[][2])
{
    tess_array    out = { 0 };
    const int64_t n = quats ? quats->shape.b : 1, depth = quats ? 1 : SIZE;
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(n, depth, SIZE, SIZE), TESS_F32, tess_cpu()));
    float *v = out.data;
    for (int64_t k = 0; k < n * depth; k++)
        for (int h = 0; h < SIZE; h++)
            for (int w = 0; w < SIZE; w++, v++)
                for (int i = 0; i < ATOMS; i++) {
                    tess_vec3_f64 p = { { atoms[i][0], atoms[i][1], atoms[i][2] } };
                    if (quats) p = tess_quat_rotate_f64(tess_quat_conjugate_f64(((tess_vec4_f64 *)quats->data)[k]), p);
                    const double y = moved ? moved[k][0] : 0, x = moved ? moved[k][1] : 0;
                    *v += (float)(bell(h - SIZE / 2 - p.at[1] - y) * bell(w - SIZE / 2 - p.at[2] - x) *
                                  (quats ? 1 : bell((double)(k - SIZE / 2) - p.at[0])));
                }
    return out;
}

static double angle_between(const tess_array *a, int64_t i, const tess_array *b, int64_t j)
{
    return tess_quat_distance_f64(((tess_vec4_f64 *)a->data)[i], ((tess_vec4_f64 *)b->data)[j]);
}

/* ---- Grids ---- */

/* Every rotation has one of the grid near it, and none has another too near. */
TEST(a_grid_is_everywhere)
{
    const double step = 0.4;
    tess_array   grid = { 0 }, any = { 0 };
    CHECK_OK(tess_quat_grid(&grid, step, NULL));
    CHECK_DIMS(grid.shape, 79 * 16, 1, 1, 4); /* 4 pi / 0.16 and 2 pi / 0.4, rounded up */
    CHECK_OK(tess_empty(&any, TESS_SHAPE(300, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&any, 1, NULL));
    double farthest = 0, nearest = 10;
    for (int64_t i = 0; i < 300; i++) {
        double least = 10;
        for (int64_t k = 0; k < grid.shape.b; k++) least = fmin(least, angle_between(&any, i, &grid, k));
        farthest = fmax(farthest, least);
    }
    for (int64_t i = 0; i < grid.shape.b; i += 7)
        for (int64_t k = 0; k < grid.shape.b; k++)
            if (k != i) nearest = fmin(nearest, angle_between(&grid, i, &grid, k));
    CHECK(farthest < 0.9 * step && nearest > 0.5 * step);
    tess_release(&grid);
    tess_release(&any);
}

/* The asymmetric unit has one view of as many as the group has rotations. */
TEST(a_grid_of_a_group_is_a_part)
{
    const char *const names[] = { "C3", "D4", "O", "I1" };
    const int64_t     orders[] = { 3, 8, 24, 60 };
    tess_array        all = { 0 };
    CHECK_OK(tess_quat_grid(&all, 0.1, &(tess_quat_grid_opts){ .views = 1 }));
    CHECK_I64(all.shape.b, 1257);
    for (int g = 0; g < 4; g++) {
        tess_array part = { 0 };
        CHECK_OK(tess_quat_grid(&part, 0.1, &(tess_quat_grid_opts){ .views = 1, .sym = names[g] }));
        const double share = (double)(part.shape.b * orders[g]) / (double)all.shape.b;
        CHECK(share > 0.75 && share < 1.25);
        tess_release(&part);
    }
    tess_release(&all);
}

/* ---- Matching ---- */

/* A score by its definition: Fourier sums over frequencies in the range, of the image moved by a shift. */
static double score_of(const tess_array *image, const tess_array *projection, const double shift[2], double low,
                       double high)
{
    double    sum = 0, one = 0, two = 0;
    const int most = SIZE / 2 - 1;
    for (int ky = -most; ky <= most; ky++)
        for (int kx = -most; kx <= most; kx++) {
            const double f = hypot(ky, kx) / SIZE;
            if (f < low - 1e-9 || f > high + 1e-9) continue;
            double x[2] = { 0, 0 }, s[2] = { 0, 0 };
            for (int h = 0; h < SIZE; h++)
                for (int w = 0; w < SIZE; w++) {
                    const double turn = 2 * acos(-1.0) / SIZE, plain = -turn * (ky * h + kx * w);
                    const double moved = plain - turn * (ky * shift[0] + kx * shift[1]);
                    const double a = ((float *)image->data)[h * SIZE + w],
                                 b = ((float *)projection->data)[h * SIZE + w];
                    x[0] += a * cos(moved), x[1] += a * sin(moved);
                    s[0] += b * cos(plain), s[1] += b * sin(plain);
                }
            sum += x[0] * s[0] + x[1] * s[1];
            one += x[0] * x[0] + x[1] * x[1];
            two += s[0] * s[0] + s[1] * s[1];
        }
    return sum / sqrt(one * two);
}

TEST(the_best_candidate_is_found_with_its_score)
{
    place_atoms();
    const double moved[3][2] = { { 2, -1 }, { 0, 0 }, { -3, 1 } };
    tess_array   map = seen(NULL, NULL), q = { 0 }, spectrum = { 0 }, candidates = { 0 }, best = { 0 }, shifts = { 0 },
               scores = { 0 }, projections = { 0 };
    CHECK_OK(tess_empty(&candidates, TESS_SHAPE(40, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&candidates, 9, NULL));
    CHECK_OK(tess_slice(&q, &candidates, 0, 17, 20, 1));
    tess_array images = seen(&q, moved);
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, NULL));
    CHECK_OK(tess_match_projections(&best, &shifts, &scores, &spectrum, &images, &candidates,
                                    &(tess_match_projections_opts){ .low = 0.08, .high = 0.3, .radius = 3.2 }));
    CHECK_OK(tess_fourier_project(&projections, &spectrum, &q, NULL));
    for (int64_t i = 0; i < 3; i++) {
        const double back[2] = { -moved[i][0], -moved[i][1] };
        tess_array   image, projection;
        CHECK(angle_between(&best, i, &q, i) < 1e-6);
        CHECK(((double *)shifts.data)[2 * i] == back[0] && ((double *)shifts.data)[2 * i + 1] == back[1]);
        CHECK_OK(tess_index(&image, &images, 0, i));
        CHECK_OK(tess_index(&projection, &projections, 0, i));
        CHECK(fabs(((double *)scores.data)[i] - score_of(&image, &projection, back, 0.08, 0.3)) < 1e-5);
    }
    tess_array *all[] = { &map, &spectrum, &candidates, &best, &shifts, &scores, &images, &projections };
    for (int i = 0; i < 8; i++) tess_release(all[i]);
}

/* From a coarse grid to less than a degree, with CTFs; and the same bits image by image. */
TEST(steps_that_are_halved_come_near)
{
    place_atoms();
    const double moved[4][2] = { { 1.3, -0.6 }, { 0, 0.25 }, { -1.7, 1.1 }, { 0.5, 0.5 } };
    const double row[TESS_CTF_MIN_COLUMNS] = { 3, 3, 1.5, 0, 0, 300, 0.1, 2.7 };
    tess_array   map = seen(NULL, NULL), q = { 0 }, spectrum = { 0 }, grid = { 0 }, best = { 0 }, shifts = { 0 },
               scores = { 0 }, ctfs = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(4, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 5, NULL));
    CHECK_OK(tess_wrap(&ctfs, (void *)(uintptr_t)row, TESS_SHAPE(1, 1, 1, TESS_CTF_MIN_COLUMNS), TESS_F64, NULL));
    tess_array images = seen(&q, moved);
    CHECK_OK(tess_ctf_apply_image(&images, &images, NULL, &(tess_ctf_opts){ .parameters = &ctfs }));
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, NULL));
    CHECK_OK(tess_quat_grid(&grid, 0.3, NULL));
    const tess_match_projections_opts o = { .ctfs = &ctfs, .high = 0.3, .radius = 2, .angle = 0.15, .halvings = 4 };
    CHECK_OK(tess_match_projections(&best, &shifts, &scores, &spectrum, &images, &grid, &o));
    for (int64_t i = 0; i < 4; i++) {
        tess_array image, one = { 0 }, shift = { 0 }, score = { 0 };
        CHECK(angle_between(&best, i, &q, i) < 0.03);
        for (int k = 0; k < 2; k++) CHECK(fabs(((double *)shifts.data)[2 * i + k] + moved[i][k]) < 0.15);
        CHECK(((double *)scores.data)[i] > 0.98);
        CHECK_OK(tess_index(&image, &images, 0, i));
        CHECK_OK(tess_match_projections(&one, &shift, &score, &spectrum, &image, &grid, &o));
        CHECK(memcmp(one.data, (double *)best.data + 4 * i, 32) == 0);
        CHECK(memcmp(shift.data, (double *)shifts.data + 2 * i, 16) == 0);
        CHECK(memcmp(score.data, (double *)scores.data + i, 8) == 0);
        tess_release(&one);
        tess_release(&shift);
        tess_release(&score);
    }
    /* About poses of its own, each image comes to the same. */
    tess_array again = { 0 }, again_shifts = { 0 }, again_scores = { 0 };
    CHECK_OK(tess_match_projections(
        &again, &again_shifts, &again_scores, &spectrum, &images, &best,
        &(tess_match_projections_opts){ .ctfs = &ctfs, .high = 0.3, .each = 1, .around = &shifts }));
    for (int64_t i = 0; i < 4; i++) {
        CHECK(angle_between(&again, i, &best, i) < 1e-6);
        CHECK(fabs(((double *)again_scores.data)[i] - ((double *)scores.data)[i]) < 1e-6);
    }
    tess_array *all[] = { &map,    &q,      &spectrum, &grid,         &best,         &shifts,
                          &scores, &images, &again,    &again_shifts, &again_scores, &ctfs };
    for (int i = 0; i < 12; i++) tess_release(all[i]);
}

/* What is queued is done when the call returns, and has the same bits. */
TEST(an_asynchronous_stream_changes_nothing)
{
    place_atoms();
    const double moved[3][2] = { { 1, -1 }, { 0, 2 }, { -2, 0.5 } };
    tess_array   map = seen(NULL, NULL), q = { 0 }, spectrum = { 0 }, out[2][3] = { { { .data = NULL } } };
    tess_stream *stream = NULL;
    CHECK_OK(tess_empty(&q, TESS_SHAPE(3, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 5, NULL));
    tess_array images = seen(&q, moved);
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, NULL));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    for (int k = 0; k < 2; k++) {
        tess_array grid = { 0 };
        if (k) CHECK_OK(tess_stream_set_current(stream));
        CHECK_OK(tess_quat_grid(&grid, 0.5, &(tess_quat_grid_opts){ .sym = "D2" }));
        CHECK_OK(tess_match_projections(
            &out[k][0], &out[k][1], &out[k][2], &spectrum, &images, &grid,
            &(tess_match_projections_opts){ .high = 0.3, .radius = 2, .angle = 0.2, .halvings = 2 }));
        tess_release(&grid);
    }
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(tess_stream_default(tess_cpu())));
    tess_stream_free(stream);
    for (int i = 0; i < 3; i++) {
        CHECK(memcmp(out[0][i].data, out[1][i].data, (size_t)tess_n_bytes(&out[0][i])) == 0);
        tess_release(&out[0][i]);
        tess_release(&out[1][i]);
    }
    tess_array *all[] = { &map, &q, &spectrum, &images };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* ---- What is rejected ---- */

TEST(bad_arguments_are_told)
{
    place_atoms();
    tess_array map = seen(NULL, NULL), q = { 0 }, spectrum = { 0 }, images = { 0 }, small = { 0 },
               out[3] = { { .data = NULL } };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(3, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 5, NULL));
    CHECK_OK(tess_ones(&images, TESS_SHAPE(2, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&small, TESS_SHAPE(2, 1, 8, 8), TESS_F32, tess_cpu()));
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, NULL));
    const tess_match_projections_opts bad[] = {
        { .low = 0.3, .high = 0.2 },
        { .radius = 300 },
        { .each = 1 },
        { .ctfs = &q },
        { .around = &q },
        { .high = 0.7 },
    };
    const char *const says[] = { "opts->low is 0.3",
                                 "opts->radius is 300",
                                 "candidates has shape {3,1,1,4}",
                                 "opts->ctfs has shape {3,1,1,4}",
                                 "opts->around has shape {3,1,1,4}",
                                 "high" };
    for (int i = 0; i < 6; i++) {
        const tess_status status = tess_match_projections(&out[0], &out[1], &out[2], &spectrum, &images, &q, &bad[i]);
        CHECK(status != TESS_OK && strstr(tess_error_message(), says[i]));
    }
    CHECK_FAILS(tess_match_projections(NULL, &out[1], &out[2], &spectrum, &images, &q, NULL), TESS_EARG,
                "match_projections: rotations is NULL");
    CHECK_FAILS(tess_match_projections(&out[0], &out[1], &out[2], &map, &images, &q, NULL), TESS_EDTYPE,
                "spectrum is f32; c32 is needed");
    CHECK_FAILS(tess_match_projections(&out[0], &out[1], &out[2], &spectrum, &small, &q, NULL), TESS_ESHAPE,
                "images have 8 pixels per side and the reference 24");
    CHECK_FAILS(tess_match_projections(&out[0], &out[1], &out[2], &spectrum, &images, &small, NULL), TESS_ESHAPE,
                "candidates has shape {2,1,8,8}");
    CHECK(!out[0].data && !out[1].data && !out[2].data);
    CHECK_FAILS(tess_quat_grid(NULL, 0.1, NULL), TESS_EARG, "quat_grid: out is NULL");
    CHECK_FAILS(tess_quat_grid(&out[0], 0, NULL), TESS_ERANGE, "step is 0; 0.001 to pi");
    CHECK_FAILS(tess_quat_grid(&out[0], 0.1, &(tess_quat_grid_opts){ .sym = "Z" }), TESS_EPARSE, "Z");
    tess_array *all[] = { &map, &q, &spectrum, &images, &small };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

/* Every allocation fails in turn: a clear status, no leak, and outputs as they were. */
TEST(allocations_that_fail)
{
    static hooks h;
    place_atoms();
    tess_array map = seen(NULL, NULL), q = { 0 }, spectrum = { 0 }, grid = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(2, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 5, NULL));
    tess_array images = seen(&q, NULL);
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, NULL));
    CHECK_OK(tess_quat_grid(&grid, 1, NULL));
    hooks_on(&h);
    bool done = false;
    for (int k = 1; !done && k < 2000; k++) {
        tess_array out[4] = { { .data = NULL } };
        const long live = atomic_load(&h.live);
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, k);
        tess_status status = tess_quat_grid(&out[3], 1, NULL);
        if (status == TESS_OK)
            status = tess_match_projections(&out[0], &out[1], &out[2], &spectrum, &images, &grid,
                                            &(tess_match_projections_opts){ .high = 0.2, .angle = 0.1 });
        atomic_store(&h.fail_at, 0);
        done = status == TESS_OK;
        if (!done) CHECK(status == TESS_ENOMEM && !out[0].data && strstr(tess_error_message(), "memory"));
        for (int i = 0; i < 4; i++) tess_release(&out[i]);
        CHECK(done || atomic_load(&h.live) == live);
    }
    CHECK(done);
    hooks_off();
    tess_array *all[] = { &map, &q, &spectrum, &grid, &images };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}
