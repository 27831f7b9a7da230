/* CTF estimation as a job: micrographs in memory of a known defocus, movies, bad inputs with their messages, progress
 * and cancellation. */
#include <math.h>
#include <string.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "tessera/random.h"
#include "tessera/signal.h"

enum { SIDE = 256, TILE = 128 };
static const tess_ctf          known = { .pixel_size = { 1.5, 1.5 }, .voltage = 300, .amplitude = 0.1, .cs = 2.7 };
static const tess_fit_ctf_opts usual = { .tile = TILE, .pixel_size = 1.5, .max_defocus = 2.5, .high = 4 };

/* White noise times the CTF: image i has a defocus of 0.9 + 0.4 i micrometres. */
static tess_array micrographs(int64_t n)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(n, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, 3, NULL));
    for (int64_t i = 0; i < n; i++) {
        tess_ctf   ctf = known;
        tess_array one;
        tess_ctf_set_defoci(&ctf, 0.9 + 0.4 * (double)i, 0.9 + 0.4 * (double)i, 0);
        CHECK_OK(tess_index(&one, &a, 0, i));
        CHECK_OK(tess_ctf_apply_image(&one, &one, &ctf, NULL));
    }
    return a;
}

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the micrographs", NULL));
    return source;
}

TEST(defoci_of_micrographs)
{
    tess_array          a = micrographs(3);
    tess_source         source = source_of(&a);
    tess_fit_ctf_result r = { 0 };
    CHECK_OK(tess_fit_ctf(&r, &source, &usual, NULL));
    CHECK_DIMS(r.fits.shape, 3, 1, 1, TESS_CTF_COLUMNS);
    CHECK_DIMS(r.table.shape, 1, 1, 3, 10);
    CHECK_DIMS(r.power.shape, 3, 1, TILE, TILE / 2 + 1);
    CHECK(r.n_fitted == 3);
    for (int i = 0; i < 3; i++) {
        const tess_ctf *fit = (const tess_ctf *)r.fits.data + i;
        const double   *row = (const double *)r.table.data + 10 * i, truth = 0.9 + 0.4 * i;
        CHECK(fabs(fit->defocus - truth) < 0.03);
        CHECK(row[0] == fit->defocus + fit->astigmatism && row[1] == fit->defocus - fit->astigmatism);
        CHECK(row[4] > 0.3 && row[5] > 3 && row[5] < 20);
    }
    tess_fit_ctf_result_release(&r);
    CHECK(r.fits.data == NULL && r.n_fitted == 0);
    tess_release(&a);
}

/* The same as the operation on images, whose spectra are made by the same method. */
TEST(one_micrograph_as_the_operation)
{
    tess_array              a = micrographs(1), fits = { 0 }, scores = { 0 };
    tess_source             source = source_of(&a);
    tess_fit_ctf_result     r = { 0 };
    const tess_ctf_fit_opts opts = { .max_defocus = 2.5, .low = 1.5 / 30, .high = 1.5 / 4 };
    CHECK_OK(tess_fit_ctf(&r, &source, &usual, NULL));
    CHECK_OK(tess_ctf_fit_image(&fits, &scores, NULL, &a, TESS_SHAPE(1, 1, TILE, TILE), &known, &opts));
    CHECK(fabs(((const tess_ctf *)fits.data)->defocus - ((const tess_ctf *)r.fits.data)->defocus) < 1e-4);
    tess_fit_ctf_result_release(&r);
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&a);
}

static bool same(const tess_array *a, const tess_array *b)
{
    return tess_n_elements(a) == tess_n_elements(b) &&
           memcmp(a->data, b->data, (size_t)tess_n_elements(a) * sizeof(double)) == 0;
}

TEST(files_and_threads_give_the_same_bits)
{
    tess_array          a = micrographs(2);
    tess_source         array = source_of(&a), file = { 0 };
    tess_fit_ctf_result r[2] = { { .n_fitted = 0 }, { .n_fitted = 0 } };
    const int           threads = tess_threads_get();
    CHECK_OK(tess_write(in_folder("fit.mrcs"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_OK(tess_source_open(&file, in_folder("fit.mrcs"), &(tess_read_opts){ .as = TESS_AS_STACK }));
    CHECK_OK(tess_fit_ctf(&r[0], &array, &usual, NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_fit_ctf(&r[1], &file, &usual, NULL));
    CHECK_OK(tess_threads_set(threads));
    CHECK(same(&r[0].table, &r[1].table) && same(&r[0].power, &r[1].power) && same(&r[0].curves, &r[1].curves));
    for (int i = 0; i < 2; i++) tess_fit_ctf_result_release(&r[i]);
    tess_source_close(&file);
    tess_release(&a);
}

TEST(a_movie_has_one_fit)
{
    tess_array          a = { 0 }, one = micrographs(1);
    tess_fit_ctf_opts   opts = usual;
    tess_fit_ctf_result r = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(4, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_copy(&a, &one));
    tess_source source = source_of(&a);
    opts.movie = 1, opts.frames = 2;
    CHECK_OK(tess_fit_ctf(&r, &source, &opts, NULL));
    CHECK_DIMS(r.table.shape, 1, 1, 1, 10);
    CHECK(fabs(((const tess_ctf *)r.fits.data)->defocus - 0.9) < 0.03);
    tess_fit_ctf_result_release(&r);
    tess_release(&one);
    tess_release(&a);
}

/* A micrograph without any variation has no fit, and the others have theirs. */
TEST(constant_micrographs_have_no_fit)
{
    tess_array          a = micrographs(2), one;
    tess_source         source = source_of(&a);
    tess_fit_ctf_result r = { 0 };
    CHECK_OK(tess_index(&one, &a, 0, 0));
    CHECK_OK(tess_mul(&one, &one, &tess_f64(0)));
    CHECK_OK(tess_fit_ctf(&r, &source, &usual, NULL));
    CHECK(r.n_fitted == 1 && isnan(((const tess_ctf *)r.fits.data)->defocus));
    CHECK(isnan(((const double *)r.table.data)[0]) && isnan(((const double *)r.table.data)[5]));
    tess_fit_ctf_result_release(&r);
    tess_release(&a);
}

TEST(bad_inputs)
{
    tess_array          a = micrographs(1), complex_ones = { 0 };
    tess_source         source = source_of(&a), empty = { 0 }, wrong;
    tess_fit_ctf_result r = { 0 };
    tess_fit_ctf_opts   o = usual;
    CHECK_FAILS(tess_fit_ctf(NULL, &source, &o, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_fit_ctf(&r, NULL, &o, NULL), TESS_EARG, "micrographs is NULL");
    CHECK_FAILS(tess_fit_ctf(&r, &empty, &o, NULL), TESS_EARG, "zeroed source");
    CHECK_FAILS(tess_fit_ctf(&r, &source, NULL, NULL), TESS_EARG, "tile");
    o.pixel_size = 0;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_EARG, "pixel size of the micrographs");
    o = usual, o.tile = 65;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_ERANGE, "even");
    o = usual, o.min_defocus = 3;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_ERANGE, "must exceed");
    o = usual, o.low = 3;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_ERANGE, "coarser");
    o = usual, o.frames = 2;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_EARG, "movie");
    o = usual, o.phase_shift = 1, o.max_phase_shift = 2;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &o, NULL), TESS_EARG, "give only one");
    CHECK_OK(tess_cast(&complex_ones, &a, TESS_C32, NULL));
    wrong = source_of(&complex_ones);
    CHECK_FAILS(tess_fit_ctf(&r, &wrong, &usual, NULL), TESS_EDTYPE, "complex");
    r.n_fitted = 1;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &usual, NULL), TESS_EARG, "zeroed");
    tess_release(&complex_ones);
    tess_release(&a);
}

static int32_t cancel_at(void *user, const tess_progress *p)
{
    CHECK(strcmp(p->stage, "micrographs") == 0 && p->total == 3);
    return p->done == *(const int64_t *)user;
}

TEST(cancelling)
{
    tess_array  a = micrographs(3);
    tess_source source = source_of(&a);
    for (int64_t at = 0; at <= 3; at++) {
        tess_fit_ctf_result r = { 0 };
        const tess_context  context = { .progress = cancel_at, .user = &at };
        CHECK_FAILS(tess_fit_ctf(&r, &source, &usual, &context), TESS_ECANCELLED, "cancelled");
        CHECK(r.fits.data == NULL && r.power.data == NULL);
    }
    tess_release(&a);
}

/* After the second frame of a movie. */
static int32_t cancel_in_movie(void *user, const tess_progress *p)
{
    CHECK(strcmp(p->stage, "micrographs") == 0 && p->total == 1 && p->done == 0);
    return ++*(int *)user == 4;
}

TEST(a_movie_is_cancelled_between_its_frames)
{
    tess_array          a = micrographs(3);
    tess_source         source = source_of(&a);
    tess_fit_ctf_opts   opts = usual;
    tess_fit_ctf_result r = { 0 };
    int                 asked = 0;
    const tess_context  context = { .progress = cancel_in_movie, .user = &asked, .slab = 1 };
    opts.movie = 1;
    CHECK_FAILS(tess_fit_ctf(&r, &source, &opts, &context), TESS_ECANCELLED, "cancelled");
    CHECK(asked == 4 && r.fits.data == NULL);
    tess_release(&a);
}
