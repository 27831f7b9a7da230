/* Projections of a map as a job: against single calls and plain sums; the same bits for files, threads and slabs,
 * cancellation, every failing allocation, and every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { S = 16, N = 5 };

static const tess_meta meta = { .pixel_size = { 2, 2, 2 } };

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the map", &meta));
    return source;
}

/* A blob beside the middle. */
static tess_array blob(tess_dtype dtype)
{
    tess_array a = constant(dtype, 1, S, S, S, 0);
    for (int64_t i = 0; i < S * S * S; i++) {
        const double z = (double)(i / (S * S)) - 9, y = (double)(i / S % S) - 7, x = (double)(i % S) - 10;
        CHECK_OK(tess_set_f64(&a, 0, i / (S * S), i / S % S, i % S, exp(-(x * x + y * y + z * z) / 6)));
    }
    return a;
}

static tess_array random_rotations(void)
{
    tess_array q = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(N, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 3, NULL));
    return q;
}

static tess_array some_shifts(void)
{
    tess_array a = numbers(TESS_F64, 1, 1, N, 2);
    CHECK_OK(tess_mul(&a, &a, &tess_f64(0.3)));
    return a;
}

static tess_array some_ctfs(void)
{
    enum { COLUMNS = 11 };
    tess_array a = constant(TESS_F64, N, 1, 1, COLUMNS, 0);
    for (int64_t i = 0; i < N; i++) {
        const tess_ctf ctf = { .pixel_size = { 2, 2 },
                               .defocus = 1 + 0.2 * (double)i,
                               .voltage = 300,
                               .cs = 2.7,
                               .amplitude = 0.1,
                               .scale = 1 };
        memcpy((double *)a.data + i * COLUMNS, &ctf, COLUMNS * sizeof(double));
    }
    return a;
}

/* Without a rotation and with a half turn about x: sums along z, and along -z with y the other way round. */
TEST(projections_are_sums_of_voxels)
{
    tess_array        map = blob(TESS_F32), q = constant(TESS_F64, 1, 1, 2, 4, 0);
    const tess_source in = source_of(&map);
    const double      within[] = { 0.15, 1e-5 }; /* slices are divided by the transform of the interpolation */
    const tess_project_map_opts methods[] = { { .method = TESS_PROJECT_FOURIER, .pad = 3 },
                                              { .method = TESS_PROJECT_REAL } };
    ((double *)q.data)[3] = ((double *)q.data)[6] = 1;
    for (int k = 0; k < 2; k++) {
        tess_project_map_result r = { 0 };
        CHECK_OK(tess_project_map(&r, &in, &q, &methods[k], NULL));
        CHECK_DIMS(r.images.shape, 2, 1, S, S);
        CHECK(r.images.dtype == TESS_F32 && r.pixel_size == 2);
        for (int y = 1; y < S; y++)
            for (int x = 0; x < S; x++) {
                double sum = 0;
                for (int z = 0; z < S; z++) sum += value_at(&map, 0, z, y, x);
                CHECK(fabs(value_at(&r.images, 0, 0, y, x) - sum) < within[k]);
                CHECK(fabs(value_at(&r.images, 1, 0, S - y, x) - sum) < within[k]);
            }
        tess_project_map_result_release(&r);
    }
    tess_release(&map);
    tess_release(&q);
}

/* The same as the operations, one orientation at a time; shifts are those that bring a particle to the centre. */
TEST(projections_are_those_of_single_calls)
{
    tess_array map = blob(TESS_F32), q = random_rotations(), shifts = some_shifts(), ctfs = some_ctfs(), back = { 0 };
    tess_array spectrum = { 0 };
    const tess_source       in = source_of(&map);
    tess_project_map_opts   o = { .shifts = &shifts, .ctfs = &ctfs, .pad = 1 };
    tess_project_map_result r = { 0 }, real = { 0 };
    CHECK_OK(tess_project_map(&r, &in, &q, &o, NULL));
    o.method = TESS_PROJECT_REAL;
    o.pad = 0;
    CHECK_OK(tess_project_map(&real, &in, &q, &o, NULL));
    CHECK_OK(tess_neg(&back, &shifts));
    CHECK_OK(tess_reshape(&back, &back, TESS_SHAPE(N, 1, 1, 2)));
    CHECK_OK(tess_fourier_prepare(&spectrum, &map, &(tess_fourier_prepare_opts){ .padding = 1 }));
    for (int64_t i = 0; i < N; i++) {
        tess_array got, rotation, shift, ctf, matrix = { 0 }, want = { 0 };
        CHECK_OK(tess_slice(&rotation, &q, 0, i, i + 1, 1));
        CHECK_OK(tess_slice(&shift, &back, 0, i, i + 1, 1));
        CHECK_OK(tess_slice(&ctf, &ctfs, 0, i, i + 1, 1));
        CHECK_OK(tess_fourier_project(&want, &spectrum, &rotation,
                                      &(tess_fourier_project_opts){ .padding = 1, .shifts = &shift, .ctfs = &ctf }));
        CHECK_OK(tess_slice(&got, &r.images, 0, i, i + 1, 1));
        CHECK(same_values(&got, &want));
        CHECK_OK(tess_quat_to_matrix(&matrix, &rotation));
        CHECK_OK(tess_project(&want, &map, &matrix, &(tess_project_opts){ .centred = 1 }));
        CHECK_OK(tess_ctf_apply_image(&want, &want, NULL, &(tess_ctf_opts){ .parameters = &ctf }));
        CHECK_OK(tess_phase_shift_image(&want, &want, &shift, NULL));
        CHECK_OK(tess_slice(&got, &real.images, 0, i, i + 1, 1));
        CHECK(same_values(&got, &want));
        tess_release(&matrix);
        tess_release(&want);
    }
    tess_project_map_result_release(&r);
    tess_project_map_result_release(&real);
    tess_array *made[] = { &map, &q, &shifts, &ctfs, &back, &spectrum };
    for (size_t i = 0; i < 6; i++) tess_release(made[i]);
}

/* What was projected is reconstructed from the same tables. */
TEST(projections_go_back_into_the_map)
{
    tess_array              map = blob(TESS_F32), grid = { 0 }, shifts = { 0 };
    const tess_source       in = source_of(&map);
    tess_project_map_result r = { 0 };
    tess_reconstruct_result back = { 0 };
    tess_source             images;
    CHECK_OK(tess_quat_grid(&grid, 0.3, &(tess_quat_grid_opts){ .views = 1 }));
    CHECK_OK(tess_empty(&shifts, TESS_SHAPE(grid.shape.b, 1, 1, 2), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_uniform(&shifts, -2, 2, 4, NULL));
    CHECK_OK(tess_project_map(&r, &in, &grid, &(tess_project_map_opts){ .shifts = &shifts }, NULL));
    CHECK_OK(tess_source_array(&images, &r.images, NULL, &meta));
    CHECK_OK(tess_reconstruct(&back, &images, &grid, &(tess_reconstruct_opts){ .shifts = &shifts }, NULL));
    for (int64_t i = 0; i < S * S * S; i++)
        CHECK(fabs(((const float *)back.map.data)[i] - ((const float *)map.data)[i]) < 0.1);
    tess_project_map_result_release(&r);
    tess_reconstruct_result_release(&back);
    tess_release(&map);
    tess_release(&grid);
    tess_release(&shifts);
}

TEST(projections_have_the_same_bits_for_files_threads_and_slabs)
{
    for (int32_t method = TESS_PROJECT_FOURIER; method <= TESS_PROJECT_REAL; method++) {
        tess_array              map = blob(TESS_F64), q = random_rotations(), shifts = some_shifts(), into = { 0 };
        const tess_source       in = source_of(&map);
        tess_source             file = { 0 };
        tess_sink               sink;
        tess_project_map_opts   o = { .shifts = &shifts, .method = method };
        tess_project_map_result one = { 0 }, two = { 0 }, three = { 0 };
        CHECK_OK(tess_write(in_folder("map.npy"), &map, &(tess_write_opts){ .overwrite = 1 }));
        CHECK_OK(tess_source_open(&file, in_folder("map.npy"), &(tess_read_opts){ .as = TESS_AS_VOLUME }));
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(tess_project_map(&one, &in, &q, &o, NULL));
        CHECK_OK(tess_threads_set(2));
        CHECK_OK(tess_project_map(&two, &file, &q, &o, NULL));
        CHECK_OK(tess_sink_array(&sink, &into));
        o.sink = &sink;
        CHECK_OK(tess_project_map(&three, &in, &q, &o, &(tess_context){ .slab = 1 }));
        CHECK_OK(tess_threads_set(0));
        CHECK(same_values(&one.images, &two.images) && same_values(&one.images, &into) && !three.images.data);
        CHECK(two.pixel_size == 0 && three.pixel_size == 2);
        tess_project_map_result_release(&one);
        tess_project_map_result_release(&two);
        tess_source_close(&file);
        tess_array *made[] = { &map, &q, &shifts, &into };
        for (size_t i = 0; i < 4; i++) tess_release(made[i]);
    }
}

#define PROJECT(source, rows, ...) tess_project_map(&r, source, rows, &(tess_project_map_opts){ __VA_ARGS__ }, NULL)

TEST(bad_projections)
{
    tess_array map = blob(TESS_F32), long_map = constant(TESS_F32, 1, S, S, S + 1, 1), q = random_rotations(), narrow;
    tess_array complex = constant(TESS_C32, 1, 4, 4, 4, 0), few = numbers(TESS_F64, 1, 1, 2, 2), flat = { 0 };
    tess_array empty = constant(TESS_F64, 0, 1, 1, 4, 0);
    const tess_source       in = source_of(&map), l = source_of(&long_map), c = source_of(&complex), zeroed = { 0 };
    const tess_sink         no_sink = { 0 };
    tess_project_map_result r = { 0 }, dirty = { .pixel_size = 1 };
    CHECK_OK(tess_slice(&narrow, &q, 3, 0, 3, 1));
    CHECK_FAILS(tess_project_map(NULL, &in, &q, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_project_map(&dirty, &in, &q, NULL, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(PROJECT(NULL, &q, .pad = 1), TESS_EARG, "map is NULL");
    CHECK_FAILS(PROJECT(&zeroed, &q, .pad = 1), TESS_EARG, "map is a zeroed source");
    CHECK_FAILS(PROJECT(&l, &q, .pad = 1), TESS_ESHAPE, "the map has 17 x 16 x 16 voxels (x y z); a cube is needed");
    CHECK_FAILS(PROJECT(&c, &q, .pad = 1), TESS_EDTYPE, "complex");
    CHECK_FAILS(PROJECT(&in, NULL, .pad = 1), TESS_EARG, "rotations is NULL");
    CHECK_FAILS(PROJECT(&in, &flat, .pad = 1), TESS_EARG, "rotations is zeroed");
    CHECK_FAILS(PROJECT(&in, &empty, .pad = 1), TESS_ESHAPE, "rotations has no rows");
    CHECK_FAILS(PROJECT(&in, &narrow, .pad = 1), TESS_ESHAPE, "rotations has the shape {5,1,1,3}");
    CHECK_FAILS(PROJECT(&in, &q, .shifts = &few), TESS_ESHAPE, "opts->shifts has the shape {1,1,2,2}", "n = 5");
    CHECK_FAILS(PROJECT(&in, &q, .ctfs = &few), TESS_ESHAPE, "opts->ctfs has the shape {1,1,2,2}");
    CHECK_FAILS(PROJECT(&in, &q, .pad = 9), TESS_ERANGE, "opts->pad is 9");
    CHECK_FAILS(PROJECT(&in, &q, .method = TESS_PROJECT_REAL, .pad = 2), TESS_EARG,
                "opts->pad applies to central slices");
    CHECK_FAILS(PROJECT(&in, &q, .method = 3), TESS_EARG, "opts->method is 3");
    CHECK_FAILS(PROJECT(&in, &q, .sink = &no_sink), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_project_map(&r, &in, &q, NULL, &(tess_context){ .memory = 1024 }), TESS_ENOMEM, "context->memory");
    CHECK_OK(tess_set_f64(&map, 0, 1, 2, 3, (double)NAN));
    CHECK_FAILS(PROJECT(&in, &q, .pad = 1), TESS_ERANGE, "the map has NaNs or infinities");
    CHECK(!r.images.data && r.pixel_size == 0);
    tess_project_map_result_release(NULL);
    tess_array *made[] = { &map, &long_map, &q, &complex, &few, &empty };
    for (size_t i = 0; i < 6; i++) tess_release(made[i]);
}

typedef struct watch {
    int64_t n, cancel_at;
} watch;

static int32_t progress(void *user, const tess_progress *p)
{
    watch *w = user;
    CHECK(strcmp(p->stage, "images") == 0 && p->total == N);
    return w->n++ == w->cancel_at;
}

TEST(projections_report_and_stop)
{
    tess_array              map = blob(TESS_F32), q = random_rotations();
    const tess_source       in = source_of(&map);
    watch                   all = { .cancel_at = -1 };
    tess_context            c = { .progress = progress, .user = &all, .slab = 1 };
    tess_project_map_result r = { 0 };
    CHECK_OK(tess_project_map(&r, &in, &q, NULL, &c));
    CHECK(all.n >= 2);
    tess_project_map_result_release(&r);
    for (int64_t k = 0; k < all.n; k++) {
        watch some = { .cancel_at = k };
        c.user = &some;
        CHECK_FAILS(tess_project_map(&r, &in, &q, NULL, &c), TESS_ECANCELLED, "cancelled");
        CHECK(!r.images.data);
    }
    tess_release(&map);
    tess_release(&q);
}

static tess_array given_map, given_rotations, given_shifts;

static tess_status scenario(void)
{
    const tess_source       in = source_of(&given_map);
    tess_project_map_opts   o = { .shifts = &given_shifts, .pad = 1 };
    tess_project_map_result r = { 0 };
    TESS_TRY(tess_project_map(&r, &in, &given_rotations, &o, NULL));
    tess_project_map_result_release(&r);
    o.method = TESS_PROJECT_REAL;
    o.pad = 0;
    TESS_TRY(tess_project_map(&r, &in, &given_rotations, &o, NULL));
    tess_project_map_result_release(&r);
    return TESS_OK;
}

TEST(every_allocation_of_a_projection_may_fail)
{
    static hooks h;
    given_map = blob(TESS_F32);
    given_rotations = random_rotations();
    given_shifts = some_shifts();
    hooks_each_fails(&h, scenario, 10);
    tess_release(&given_map);
    tess_release(&given_rotations);
    tess_release(&given_shifts);
}
