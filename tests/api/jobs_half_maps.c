/* Jobs of half maps on arrays in memory: local resolution, sharpening and the FSC, beside plain sums; bad inputs,
 * cancellation at every report, and every allocation failing in turn. */
#include <math.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "support/dft.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { N = 12 }; /* side of the maps */

static const tess_meta known = { .pixel_size = { 1.5, 1.5, 1.5 } };

/* Two maps that share a smooth part, and a mask. */
static tess_array  half[2], ball, small, image, wrong;
static tess_source in[2], mask;

static void make_half(tess_array *to, uint64_t seed)
{
    tess_array smooth = { 0 }, noise = constant(TESS_F32, 1, N, N, N, 0);
    tess_array shared = constant(TESS_F32, 1, N, N, N, 0);
    CHECK_OK(tess_random_normal(&shared, 0, 1, 7, NULL));
    CHECK_OK(tess_random_normal(&noise, 0, 0.15, seed, NULL));
    CHECK_OK(tess_lowpass_image(&smooth, &shared, 0.1, &(tess_lowpass_opts){ .width = 0.3 }));
    CHECK_OK(tess_add(to, &smooth, &noise));
    tess_release(&smooth);
    tess_release(&noise);
    tess_release(&shared);
}

static void make_maps(void)
{
    if (half[0].data) return;
    make_half(&half[0], 1);
    make_half(&half[1], 2);
    ball = constant(TESS_F32, 1, N, N, N, 0);
    CHECK_OK(tess_draw_sphere(&ball, NULL, &tess_f64(3), &(tess_draw_opts){ .width = 2 }));
    small = constant(TESS_F32, 1, 8, 8, 8, 1);
    image = constant(TESS_F32, 1, 1, N, N, 1);
    wrong = constant(TESS_F32, 1, N, N, N, 7);
    for (int k = 0; k < 2; k++) CHECK_OK(tess_source_array(&in[k], &half[k], k ? "half2" : "half1", &known));
    CHECK_OK(tess_source_array(&mask, &ball, "ball", &known));
}

/* At the end of the program, so that a leak is one of a job. */
__attribute__((destructor)) static void release_maps(void)
{
    tess_array *const all[] = { &half[0], &half[1], &ball, &small, &image, &wrong };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

static tess_source of(const tess_array *array, const char *name)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, name, &known));
    return source;
}

static bool same_bytes(const tess_array *a, const tess_array *b)
{
    return tess_same_shape(a, b) && a->dtype == b->dtype && tess_n_bytes(a) == tess_n_bytes(b) &&
           memcmp(a->data, b->data, (size_t)tess_n_bytes(a)) == 0;
}

/* ---- Each job with a mask, by its description: the options that they all have ---- */

typedef union any_result {
    tess_local_resolution_result local;
    tess_sharpen_result          sharp;
    tess_half_map_fsc_result     fsc;
} any_result;
typedef union any_opts {
    tess_local_resolution_opts local;
    tess_sharpen_opts          sharp;
    tess_half_map_fsc_opts     fsc;
} any_opts;

static const char *const jobs[] = { "half_map_fsc", "local_resolution", "sharpen" };
enum { JOBS = 3 };

static any_opts options_of(int job)
{
    any_opts o = { .local = { .radius = 0 } };
    memset(&o, 0, sizeof o);
    if (job == 0) o.fsc = (tess_half_map_fsc_opts){ .mask = &mask, .cones = 3 };
    if (job == 1) o.local = (tess_local_resolution_opts){ .mask = &mask, .radius = 3, .soft = 1, .step = 3 };
    if (job == 2)
        o.sharp =
            (tess_sharpen_opts){ .mask = &mask, .fit_from = 12, .fit_to = 4, .apply_mask = 1, .want_sharpened = 1 };
    return o;
}

static tess_status run_job(int job, any_result *r, const tess_source *one, const tess_source *two, const any_opts *o,
                           const tess_context *context)
{
    const tess_value values[2] = { { .source = one }, { .source = two } };
    memset(r, 0, sizeof *r);
    return tess_job_run(tess_job_find(jobs[job]), r, values, o, context);
}

static void release(int job, any_result *r) { tess_job_find(jobs[job])->release(r); }

static tess_status run_and_release(int job, const any_opts *o, const tess_context *context)
{
    any_result        r;
    const tess_status status = run_job(job, &r, &in[0], &in[1], o, context);
    const any_result  none = { .local = { .median = 0 } };
    if (status != TESS_OK) CHECK(memcmp(&r.local.map, &none.local.map, sizeof(tess_array)) == 0);
    release(job, &r);
    return status;
}

/* ---- The same bits ---- */

static bool same_results(int job, const any_result *a, const any_result *b)
{
    if (job == 1) return same_bytes(&a->local.map, &b->local.map) && a->local.median == b->local.median;
    if (job == 2) return same_bytes(&a->sharp.map, &b->sharp.map) && same_bytes(&a->sharp.shells, &b->sharp.shells);
    return same_bytes(&a->fsc.curves, &b->fsc.curves) && same_bytes(&a->fsc.all, &b->fsc.all) &&
           same_bytes(&a->fsc.cones, &b->fsc.cones);
}

TEST(files_strided_arrays_and_threads_give_the_same_bits)
{
    tess_source files[2] = { { .name = NULL } };
    tess_array  turned[2] = { { .data = NULL } };
    make_maps();
    const tess_meta meta = known;
    for (int k = 0; k < 2; k++) {
        const char *path = in_folder(k ? "half2.mrc" : "half1.mrc");
        CHECK_OK(tess_write(path, &half[k], &(tess_write_opts){ .meta = &meta }));
        CHECK_OK(tess_source_open(&files[k], path, NULL));
        CHECK_OK(tess_permute_copy(&turned[k], &half[k], 0, 3, 2, 1));
        CHECK_OK(tess_permute(&turned[k], &turned[k], 0, 3, 2, 1));
    }
    const tess_source strided[2] = { of(&turned[0], "half1"), of(&turned[1], "half2") };
    for (int job = 0; job < JOBS; job++) {
        const any_opts o = options_of(job);
        any_result     r[4];
        CHECK_OK(tess_threads_set(2));
        CHECK_OK(run_job(job, &r[0], &in[0], &in[1], &o, NULL));
        CHECK_OK(run_job(job, &r[1], &files[0], &files[1], &o, NULL));
        CHECK_OK(run_job(job, &r[2], &strided[0], &strided[1], &o, &(tess_context){ .slab = 1 }));
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(run_job(job, &r[3], &in[0], &in[1], &o, NULL));
        for (int i = 1; i < 4; i++)
            if (!same_results(job, &r[0], &r[i])) test_failed(__FILE__, __LINE__, "%s, run %d", jobs[job], i);
        for (int i = 0; i < 4; i++) release(job, &r[i]);
    }
    CHECK_OK(tess_threads_set(0));
    for (int k = 0; k < 2; k++) tess_source_close(&files[k]), tess_release(&turned[k]);
}

/* ---- Bad inputs ---- */

TEST(bad_inputs_are_told)
{
    make_maps();
    const tess_source zeroed = { .name = NULL }, little = of(&small, "small"), flat = of(&image, "image");
    const tess_source unknown = { .name = "bare", .shape = half[0].shape, .dtype = TESS_F32, .array = &half[0] };
    for (int job = 0; job < JOBS; job++) {
        const any_opts o = options_of(job);
        any_result     r;
        const bool     one_is_enough = job == 2;
        CHECK_FAILS(run_job(job, &r, NULL, &in[1], &o, NULL), TESS_EARG, jobs[job], "half1 is NULL");
        if (!one_is_enough)
            CHECK_FAILS(run_job(job, &r, &in[0], NULL, &o, NULL), TESS_EARG, jobs[job], "half2 is NULL");
        CHECK_FAILS(run_job(job, &r, &zeroed, &in[1], &o, NULL), TESS_EARG, "half1 is a zeroed source");
        CHECK_FAILS(run_job(job, &r, &in[0], &zeroed, &o, NULL), TESS_EARG, "half2 is a zeroed source");
        CHECK_FAILS(run_job(job, &r, &in[0], &little, &o, NULL), TESS_ESHAPE, "half1 has 12 x 12 x 12", "small");
        CHECK_FAILS(run_job(job, &r, &unknown, &unknown, &o, NULL), TESS_EARG, "bare", "opts->pixel_size");
        CHECK_FAILS(run_job(job, &r, &in[0], &in[1], &o, &(tess_context){ .memory = 1000 }), TESS_ENOMEM,
                    "context->memory");
        CHECK_FAILS(run_job(job, &r, &in[0], &in[1], &o, &(tess_context){ .memory = -1 }), TESS_ERANGE,
                    "context->memory is -1");
        CHECK_FAILS(run_job(job, &r, &in[0], &in[1], &o, &(tess_context){ .reserved = { [7] = 1 } }), TESS_EARG,
                    "context->reserved");
        if (job != 0) CHECK_FAILS(run_job(job, &r, &flat, &flat, NULL, NULL), TESS_ESHAPE, "image is not a volume");
    }
}

static tess_status with_mask(int job, const tess_source *given)
{
    any_opts o = options_of(job);
    if (job == 0) o.fsc.mask = given;
    if (job == 1) o.local.mask = given;
    if (job == 2) o.sharp.mask = given;
    return run_and_release(job, &o, NULL);
}

TEST(bad_masks_are_told)
{
    make_maps();
    const tess_source zeroed = { .name = NULL }, little = of(&small, "small"), loud = of(&wrong, "loud");
    for (int job = 0; job < JOBS; job++) {
        CHECK_FAILS(with_mask(job, &zeroed), TESS_EARG, jobs[job], "opts->mask is a zeroed source");
        CHECK_FAILS(with_mask(job, &little), TESS_ESHAPE, "the mask small has 8 x 8 x 8");
        CHECK_FAILS(with_mask(job, &loud), TESS_ERANGE, "loud has values from 7 to 7");
    }
}

TEST(options_out_of_range_are_told)
{
    make_maps();
    tess_sharpen_result      s = { .bfactor = 0 };
    tess_half_map_fsc_result f = { .n_pairs = 0 };
    tess_local_resolution_result l = { .box = 0 };
#define SHARPEN(...) tess_sharpen(&s, &in[0], &in[1], &(tess_sharpen_opts){ __VA_ARGS__ }, NULL)
#define LOCRES(...) tess_local_resolution(&l, &in[0], &in[1], &(tess_local_resolution_opts){ __VA_ARGS__ }, NULL)
#define FSC(...) tess_half_map_fsc(&f, &in[0], &in[1], &(tess_half_map_fsc_opts){ __VA_ARGS__ }, NULL)
    CHECK_FAILS(SHARPEN(.fit_from = -1), TESS_ERANGE, "opts->fit_from is -1");
    CHECK_FAILS(SHARPEN(.bfactor = INFINITY), TESS_ERANGE, "opts->bfactor is inf");
    CHECK_FAILS(SHARPEN(.fit_from = 3, .fit_to = 4), TESS_ERANGE, "begins at 3 A and ends at 4 A", "opts->fit_from");
    CHECK_FAILS(SHARPEN(.fit_from = 6, .fit_to = 5.99), TESS_ERANGE, "fewer than two shells");
    CHECK_FAILS(SHARPEN(.apply_mask = 1), TESS_EARG, "opts->apply_mask requires opts->mask");
    CHECK_FAILS(SHARPEN(.randomize_at = 5), TESS_EARG, "give opts->mask");
    CHECK_FAILS(SHARPEN(.randomize_at_fsc = 0.5), TESS_EARG, "give opts->mask");
    CHECK_FAILS(SHARPEN(.relion_fit = 1, .bfactor = -5), TESS_EARG, "no opts->bfactor");
    CHECK_FAILS(SHARPEN(.fit_from = 12, .bfactor = -5), TESS_EARG, "opts->fit_from and opts->fit_to are for a fit");
    CHECK_FAILS(SHARPEN(.fit_to = 4, .bfactor = TESS_ZERO), TESS_EARG, "opts->bfactor is given");
    CHECK_FAILS(LOCRES(.no_correct = 1, .randomize_at = 5), TESS_EARG, "opts->no_correct leaves out");
    CHECK_FAILS(LOCRES(.no_correct = 1, .randomize_at_fsc = 0.5), TESS_EARG, "opts->no_correct leaves out");
    CHECK_FAILS(SHARPEN(.reserved = { 1 }), TESS_EARG, "opts->reserved");
    CHECK_FAILS(tess_sharpen(&s, &in[0], NULL, NULL, NULL), TESS_EARG, "give opts->lowpass, or both half maps");
    CHECK_FAILS(tess_sharpen(NULL, &in[0], NULL, NULL, NULL), TESS_EARG, "sharpen: result is NULL");
    CHECK_FAILS(FSC(.cones = -1), TESS_ERANGE, "opts->cones is -1");
    CHECK_FAILS(FSC(.cones = 2, .cone_angle = 2), TESS_ERANGE, "opts->cone_angle is 2");
    CHECK_FAILS(FSC(.cone_angle = 0.5), TESS_EARG, "opts->cone_angle requires opts->cones");
    CHECK_FAILS(FSC(.randomize_at = 5), TESS_EARG, "give opts->mask");
    CHECK_FAILS(FSC(.randomize_at_fsc = 2, .mask = &mask), TESS_ERANGE, "opts->randomize_at_fsc is 2");
    f.n_pairs = 1;
    CHECK_FAILS(FSC(.cones = 0), TESS_EARG, "half_map_fsc: result is not zeroed");
    /* Nodes at each voxel, and what is made of them, count. */
    CHECK_FAILS(tess_local_resolution(&l, &in[0], &in[1], &(tess_local_resolution_opts){ .step = 1, .no_correct = 1 },
                                      &(tess_context){ .memory = (8 + 8 + 21) * N * N * N }),
                TESS_ENOMEM, "context->memory");
#undef SHARPEN
#undef LOCRES
#undef FSC
}

/* ---- Cancellation and failing allocations ---- */

typedef struct watch {
    int     calls, cancel_at;
    int     wrong; /* reports out of order */
    int64_t done;
} watch;

static int32_t count_reports(void *user, const tess_progress *p)
{
    watch *w = user;
    if (p->done < 0 || p->done > p->total || (p->done < w->done && p->done != 0) || !p->stage) w->wrong++;
    w->done = p->done;
    return ++w->calls == w->cancel_at;
}

static hooks h;

TEST(jobs_are_cancelled_at_every_report)
{
    make_maps();
    for (int job = 0; job < JOBS; job++) {
        const any_opts o = options_of(job);
        watch          w = { .calls = 0 };
        tess_context   context = { .progress = count_reports, .user = &w, .slab = 1 };
        CHECK_OK(run_and_release(job, &o, &context));
        const int reports = w.calls;
        CHECK(reports >= 2 && w.wrong == 0);
        hooks_on(&h);
        for (int at = 1; at <= reports; at++) {
            w = (watch){ .cancel_at = at };
            CHECK_FAILS(run_and_release(job, &o, &context), TESS_ECANCELLED, jobs[job], "cancelled after");
            CHECK_I64(w.calls, at);
            CHECK_I64(atomic_load(&h.live), 0);
        }
        hooks_off();
    }
}

static int         failing_job;
static tess_status scenario(void)
{
    const any_opts o = options_of(failing_job);
    return run_and_release(failing_job, &o, NULL);
}

TEST(every_allocation_fails_in_turn)
{
    make_maps();
    CHECK_OK(tess_threads_set(2));
    for (failing_job = 0; failing_job < JOBS; failing_job++) hooks_each_fails(&h, scenario, 10);
    CHECK_OK(tess_threads_set(0));
}

/* ---- Beside plain sums ---- */

/* All coefficients of a cube of side n, in long double. */
static dft_number *transform(const float *map, int n)
{
    dft_number *a = malloc(sizeof *a * (size_t)(n * n * n)), line[32], out[32];
    for (int i = 0; i < n * n * n; i++) a[i] = (dft_number){ map[i], 0 };
    for (int step = 1; step < n * n * n; step *= n)
        for (int i = 0; i < n * n * n; i++) {
            if (i / step % n != 0) continue;
            for (int k = 0; k < n; k++) line[k] = a[i + k * step];
            CHECK(dft_plain(out, line, n, -1));
            for (int k = 0; k < n; k++) a[i + k * step] = out[k];
        }
    return a;
}

static int shell_of(int i, int n)
{
    double sum = 0;
    for (int k = 0; k < 3; k++, i /= n) {
        const int f = i % n <= n / 2 ? i % n : i % n - n;
        sum += (double)f * f;
    }
    return sum <= (double)n * n / 4 ? (int)floor(sqrt(sum) + 0.5) : n; /* beyond Nyquist in none */
}

static void plain_fsc(const float *a, const float *b, int n, double *curve)
{
    dft_number *fa = transform(a, n), *fb = transform(b, n);
    long double sums[17][3] = { { 0 } };
    for (int i = 0; i < n * n * n; i++) {
        const int s = shell_of(i, n);
        if (s > n / 2) continue;
        sums[s][0] += fa[i].re * fb[i].re + fa[i].im * fb[i].im;
        sums[s][1] += fa[i].re * fa[i].re + fa[i].im * fa[i].im;
        sums[s][2] += fb[i].re * fb[i].re + fb[i].im * fb[i].im;
    }
    for (int s = 0; s <= n / 2; s++) curve[s] = (double)(sums[s][0] / sqrtl(sums[s][1] * sums[s][2]));
    free(fa);
    free(fb);
}

/* Where a curve first falls below, linear between shells, in pixels. */
static double crossing(const double *curve, int n, double threshold)
{
    for (int s = 1; s <= n / 2; s++)
        if (curve[s] < threshold) return n / (s - 1 + (curve[s - 1] - threshold) / (curve[s - 1] - curve[s]));
    return 2;
}

TEST(fsc_is_that_of_plain_sums)
{
    make_maps();
    tess_half_map_fsc_result r = { .n_pairs = 0 };
    double                   plain[N / 2 + 1], masked[N / 2 + 1];
    tess_array               under[2] = { { .data = NULL } };
    for (int k = 0; k < 2; k++) CHECK_OK(tess_mul(&under[k], &half[k], &ball));
    plain_fsc(half[0].data, half[1].data, N, plain);
    plain_fsc(under[0].data, under[1].data, N, masked);
    CHECK_OK(tess_half_map_fsc(&r, &in[0], &in[1], &(tess_half_map_fsc_opts){ .mask = &mask }, NULL));
    CHECK_DIMS(r.curves.shape, 1, 1, N / 2 + 1, 6);
    CHECK_DIMS(r.all.shape, 1, 4, 1, N / 2 + 1);
    CHECK_I64(r.n_shells, N / 2 + 1);
    CHECK_I64(r.n_pairs, 1);
    const double *row = r.curves.data;
    for (int i = 0; i <= N / 2; i++, row += 6) {
        CHECK(fabs(row[0] - i / (N * 1.5)) < 1e-15);
        CHECK(row[1] == row[5]);
        CHECK(fabs(row[2] - plain[i]) < 2e-6 && fabs(row[3] - masked[i]) < 2e-6);
        CHECK(i < r.first_random + 2 ? row[5] == row[3] : fabs(row[5] - (row[3] - row[4]) / (1 - row[4])) < 1e-12);
    }
    tess_half_map_fsc_result_release(&r);
    CHECK_OK(tess_half_map_fsc(&r, &in[0], &in[1], NULL, NULL));
    CHECK(plain[N / 2] < 0.143 ? r.crosses_143 == 1 : r.crosses_143 == 0);
    CHECK(fabs(r.resolution_143 - 1.5 * crossing(plain, N, 0.143)) < 1e-4);
    CHECK(isnan(((const double *)r.curves.data)[3]));
    CHECK_I64(r.first_random, r.n_shells);
    tess_half_map_fsc_result_release(&r);
    for (int k = 0; k < 2; k++) tess_release(&under[k]);
}

/* A stack of pairs: each of them, and their mean. */
TEST(fsc_of_stacks_is_the_mean_of_pairs)
{
    tess_array a = constant(TESS_F32, 5, 1, 8, 10, 0), b = constant(TESS_F32, 5, 1, 8, 10, 0);
    CHECK_OK(tess_random_normal(&a, 0, 1, 3, NULL));
    CHECK_OK(tess_random_normal(&b, 0, 1, 4, NULL));
    CHECK_OK(tess_add(&b, &a, &b));
    const tess_source        pair[2] = { of(&a, "a"), of(&b, "b") };
    tess_half_map_fsc_result each = { .n_pairs = 0 }, mean = { .n_pairs = 0 };
    CHECK_OK(tess_half_map_fsc(&each, &pair[0], &pair[1], &(tess_half_map_fsc_opts){ .each = 1 },
                               &(tess_context){ .slab = 1 }));
    CHECK_OK(tess_half_map_fsc(&mean, &pair[0], &pair[1], NULL, NULL));
    CHECK_DIMS(each.all.shape, 5, 1, 1, 5);
    CHECK_DIMS(mean.all.shape, 1, 1, 1, 5);
    CHECK_I64(mean.n_pairs, 5);
    for (int i = 0; i < 5; i++) {
        double sum = 0;
        for (int k = 0; k < 5; k++) sum += value_at(&each.all, k, 0, 0, i);
        CHECK(fabs(sum / 5 - value_at(&mean.all, 0, 0, 0, i)) < 1e-12);
    }
    CHECK(same_bytes(&each.curves, &mean.curves));
    CHECK_FAILS(tess_half_map_fsc(&each, &pair[0], &in[0], NULL, NULL), TESS_EARG, "not zeroed");
    tess_half_map_fsc_result_release(&each);
    tess_half_map_fsc_result_release(&mean);
    tess_release(&a);
    tess_release(&b);
}

/* One map by a given B-factor: each coefficient times exp(-B/4 s^2), and nothing else below the cut-off. */
TEST(sharpening_by_a_given_bfactor_is_that_of_plain_sums)
{
    make_maps();
    tess_sharpen_result r = { .bfactor = 0 };
    CHECK_OK(
        tess_sharpen(&r, &in[0], NULL, &(tess_sharpen_opts){ .bfactor = -60, .lowpass = 4, .edge = TESS_ZERO }, NULL));
    CHECK(r.bfactor == -60 && r.is_fitted == 0 && r.resolution == 0 && fabs(r.lowpass - 4) < 1e-12);
    dft_number *before = transform(half[0].data, N), *after = transform(r.map.data, N);
    for (int i = 0; i < N * N * N; i++) {
        double s2 = 0;
        for (int k = 0, rest = i; k < 3; k++, rest /= N) {
            const int f = rest % N <= N / 2 ? rest % N : rest % N - N;
            s2 += f * f / (N * 1.5 * N * 1.5);
        }
        const double factor = s2 <= 1.0 / 16 ? exp(15 * s2) : 0;
        CHECK(fabs((double)after[i].re - factor * (double)before[i].re) < 2e-3);
        CHECK(fabs((double)after[i].im - factor * (double)before[i].im) < 2e-3);
    }
    free(before);
    free(after);
    tess_sharpen_result_release(&r);
}

/* The line through ln(amplitude) against 1/d^2, by plain sums over the table of shells. */
TEST(the_guinier_fit_is_a_line_through_the_table)
{
    make_maps();
    tess_sharpen_result r = { .bfactor = 0 };
    double              n = 0, x = 0, y = 0, xx = 0, xy = 0;
    CHECK_OK(tess_sharpen(&r, &in[0], &in[1], &(tess_sharpen_opts){ .fit_from = 12, .fit_to = 4 }, NULL));
    CHECK_DIMS(r.shells.shape, 1, 1, N / 2 + 1, 5);
    for (int i = 0; i <= N / 2; i++) {
        const double *row = (const double *)r.shells.data + (size_t)(5 * i), s2 = row[0] * row[0];
        CHECK(isnan(row[3]));
        CHECK(fabs(row[2] - sqrt(fmax(0, 2 * row[4] / (1 + row[4])))) < 1e-12);
        if (s2 < 1.0 / 144 || s2 > 1.0 / 16) continue;
        n += 1, x += s2, y += log(row[1]), xx += s2 * s2, xy += s2 * log(row[1]);
    }
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    CHECK(r.is_fitted == 1 && fabs(r.bfactor / (4 * slope) - 1) < 1e-9);
    CHECK(fabs(r.intercept - (y - slope * x) / n) < 1e-9);
    tess_sharpen_result_release(&r);
}

/* One position in the middle, a sphere without an edge, cut out by hand. */
TEST(local_resolution_at_one_position_is_that_of_plain_sums)
{
    make_maps();
    tess_local_resolution_result     r = { .median = 0 };
    const tess_local_resolution_opts opts = { .radius = 3, .soft = TESS_ZERO, .step = 100, .no_correct = 1 };
    CHECK_OK(tess_local_resolution(&r, &in[0], &in[1], &opts, NULL));
    const int n = (int)r.box, middle = (N - 1) / 2;
    float     part[2][32 * 32 * 32];
    double    curve[17];
    if (!CHECK(n >= 7 && n <= 32)) return;
    for (int i = 0; i < n * n * n; i++) {
        const int  at[3] = { i / n / n - n / 2, i / n % n - n / 2, i % n - n / 2 };
        const bool inside = at[0] * at[0] + at[1] * at[1] + at[2] * at[2] <= 9;
        const int  from = ((at[0] + middle) * N + at[1] + middle) * N + at[2] + middle;
        for (int k = 0; k < 2; k++) part[k][i] = inside ? ((const float *)half[k].data)[from] : 0;
    }
    plain_fsc(part[0], part[1], n, curve);
    const double want = fmin(1.5 * crossing(curve, n, 0.143), 1.5 * n);
    CHECK(fabs(r.median / want - 1) < 1e-4);
    CHECK(r.quantile_5 == r.median && r.quantile_95 == r.median);
    CHECK(value_at(&r.map, 0, 0, 0, 0) == value_at(&r.map, 0, N - 1, N - 1, N - 1));
    CHECK_I64(r.n_positions, 1);
    CHECK_I64(r.n_voxels, (int64_t)N * N * N);
    CHECK(r.randomized_from == 0);
    tess_local_resolution_result_release(&r);
}

TEST(jobs_are_found_by_name)
{
    CHECK(tess_job_find("sharpening") == NULL && tess_job_find(NULL) == NULL && tess_job_at(tess_job_count()) == NULL);
    for (size_t i = 0; i < tess_job_count(); i++) {
        const tess_job_info *job = tess_job_at(i);
        CHECK(tess_job_find(job->function.name) == job);
        CHECK(i == 0 || strcmp(tess_job_at(i - 1)->function.name, job->function.name) < 0);
    }
    CHECK_FAILS(tess_job_run(NULL, NULL, NULL, NULL, NULL), TESS_EARG, "job_run: job is NULL");
}
