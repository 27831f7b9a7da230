/* Jobs that are cancelled at random moments: by a report of progress, by the callback of the thread, and by tess_cancel
 * from another thread. Each leaves no memory, no thread, no file, and a zeroed result; afterwards the same job gives the
 * same bits as before. */
#include <dirent.h>
#include <pthread.h>
#include <time.h>

#include "core/device/cancel.h"
#include "support/arrays.h"
#include "support/eer_bytes.h"
#include "support/folder.h"
#include "support/hooks.h"

static hooks h;

/* ---- Inputs ---- */

enum { SIDE = 96, FRAMES = 8, BOX = 32, VIEWS = 24, N = 24, PLACES = 6 };

static const tess_meta meta = { .pixel_size = { 1.5, 1.5, 1.5 } };
static tess_array      movie, views, half[2], ball, places, rotations, halves;
static tess_source     from_movie, from_file, from_eer, from_views, from_half[2], from_ball;

static tess_array noise(tess_shape shape, uint64_t seed)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 10, 1, seed, NULL));
    return a;
}

/* Noise that both halves share, and as much of their own. */
static void make_halves(void)
{
    tess_array shared = noise(TESS_SHAPE(1, N, N, N), 1);
    CHECK_OK(tess_lowpass_image(&shared, &shared, 0.2, &(tess_lowpass_opts){ .width = 0.1 }));
    for (int k = 0; k < 2; k++) {
        half[k] = noise(shared.shape, 2 + (uint64_t)k);
        CHECK_OK(tess_mul(&half[k], &half[k], &tess_num(0.2)));
        CHECK_OK(tess_add(&half[k], &half[k], &shared));
        CHECK_OK(tess_source_array(&from_half[k], &half[k], "half", &meta));
    }
    CHECK_OK(tess_draw_sphere(&ball, NULL, &tess_f64(N / 4), &(tess_draw_opts){ .shape = half[0].shape, .width = 3 }));
    CHECK_OK(tess_source_array(&from_ball, &ball, "ball", &meta));
    tess_release(&shared);
}

static void make_tables(void)
{
    tess_array angles = { 0 };
    places = constant(TESS_F64, 1, 1, PLACES, 3, 0);
    for (int64_t i = 0; i < PLACES; i++)
        for (int64_t k = 0; k < 3; k++) TESS_AT(double, places, 0, 0, i, k) = k ? 30.0 + 6.0 * (double)(i + k) : (double)i;
    CHECK_OK(tess_empty(&angles, TESS_SHAPE(VIEWS, 1, 1, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_uniform(&angles, 0, 3, 5, NULL));
    CHECK_OK(tess_euler_to_quat(&rotations, &angles, NULL));
    halves = constant(TESS_F64, VIEWS, 1, 1, 1, 1);
    for (int64_t i = 0; i < VIEWS; i += 2) ((double *)halves.data)[i] = 2;
    tess_release(&angles);
}

static void make_eer(void)
{
    const eer_bytes file = eer_make(65001, 7, 4);
    put_file("movie.eer", file.bytes, (long)file.n);
    CHECK_OK(tess_source_open(&from_eer, in_folder("movie.eer"), NULL));
}

static void make_inputs(void)
{
    if (movie.data) return;
    make_eer();
    movie = noise(TESS_SHAPE(FRAMES, 1, SIDE, SIDE), 6);
    views = noise(TESS_SHAPE(VIEWS, 1, BOX, BOX), 7);
    CHECK_OK(tess_write(in_folder("movie.mrcs"), &movie, &(tess_write_opts){ .meta = &meta }));
    CHECK_OK(tess_source_open(&from_file, in_folder("movie.mrcs"), NULL));
    CHECK_OK(tess_source_array(&from_movie, &movie, "movie", &meta));
    CHECK_OK(tess_source_array(&from_views, &views, "views", &meta));
    make_halves();
    make_tables();
}

/* At the end of the program, so that a leak is one of a job. */
__attribute__((destructor)) static void release_inputs(void)
{
    tess_array *const all[] = { &movie, &views, &half[0], &half[1], &ball, &places, &rotations, &halves };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    tess_source_close(&from_file);
    tess_source_close(&from_eer);
}

/* ---- The jobs ---- */

typedef struct sample {
    const char *job;
    tess_value  values[3];
    const void *opts;
} sample;

/* Movies come from an array and from a file, which the slab pipeline reads on a thread of its own. */
static const sample samples[] = {
    { "align2d", { { .source = &from_views } }, &(tess_align2d_opts){ .step = 0.5, .iterations = 2 } },
    { "dose_weight_stack", { { .source = &from_file } }, &(tess_dose_weight_stack_opts){ .dose = 1 } },
    { "dose_weight_stack", { { .source = &from_movie } }, &(tess_dose_weight_stack_opts){ .dose = 1, .sum = 1 } },
    { "extract_particles",
      { { .source = &from_file }, { .in = &places }, { .i64 = BOX } },
      &(tess_extract_particles_opts){ .bg_radius = 12, .ramp = 1, .subpixel = 1 } },
    { "fit_ctf", { { .source = &from_file } }, &(tess_fit_ctf_opts){ .tile = 64, .max_defocus = 1, .movie = 1 } },
    { "fit_ctf", { { .source = &from_movie } }, &(tess_fit_ctf_opts){ .tile = 64, .max_defocus = 1 } },
    { "half_map_fsc",
      { { .source = &from_half[0] }, { .source = &from_half[1] } },
      &(tess_half_map_fsc_opts){ .mask = &from_ball, .cones = 4 } },
    { "local_resolution",
      { { .source = &from_half[0] }, { .source = &from_half[1] } },
      &(tess_local_resolution_opts){ .radius = 5, .soft = 2, .step = 5 } },
    { "motion_correct",
      { { .source = &from_movie } },
      &(tess_motion_correct_opts){ .dose = 1, .patches = { { 0, 0, 2, 2 } }, .always_local = 1, .resolution = 3.2 } },
    { "motion_correct", { { .source = &from_file } }, &(tess_motion_correct_opts){ .odd = 1, .even = 1 } },
    { "pick", { { .source = &from_file } }, &(tess_pick_opts){ .diameter = 12, .bin = 1 } },
    { "pick",
      { { .source = &from_movie } },
      &(tess_pick_opts){ .templates = &from_views, .template_pixel_size = 1.5, .step = 1, .bin = 2 } },
    { "reconstruct", { { .source = &from_views }, { .in = &rotations } }, &(tess_reconstruct_opts){ .halves = &halves } },
    { "render_eer", { { .source = &from_eer } }, NULL },
    { "sharpen", { { .source = &from_half[0] }, { .source = &from_half[1] } }, NULL },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

typedef union any_result {
    double bytes[256];
} any_result;

/* The bytes of all arrays and numbers of a result, added up in a way that depends on their places. */
static uint64_t hash_of(const tess_job_info *job, const any_result *result)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < job->function.n_args; i++) {
        const tess_arg_info *row = &job->function.args[i];
        if (row->role != TESS_ROLE_RESULT) continue;
        const unsigned char *bytes = (const unsigned char *)result + row->offset;
        int64_t              n = (int64_t)row->size;
        if (row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_COLUMNS) {
            const tess_array *a = (const tess_array *)(const void *)bytes;
            bytes = a->data, n = a->data ? tess_n_bytes(a) : 0;
        }
        for (int64_t k = 0; k < n; k++) sum = (sum ^ bytes[k]) * 0x100000001b3u;
    }
    return sum;
}

static bool is_zero(const any_result *result, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)result)[i] != 0) return false;
    return true;
}

static tess_status run(const sample *s, const tess_context *context, uint64_t *hash)
{
    const tess_job_info *job = tess_job_find(s->job);
    any_result           result = { { 0 } };
    if (!CHECK(job && job->result_size <= sizeof result)) return TESS_EARG;
    const tess_status status = tess_job_run(job, &result, s->values, s->opts, context);
    if (status != TESS_OK) {
        if (!is_zero(&result, job->result_size)) CHECK_TEXT(s->job, "a job whose result is zeroed where it fails");
        return status;
    }
    *hash = hash_of(job, &result);
    job->release(&result);
    return TESS_OK;
}

/* ---- What may be left ---- */

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int  n = 0;
    if (!tasks) return 0;
    while (readdir(tasks)) n++;
    (void)closedir(tasks);
    return n;
}

/* The system may list a thread for a moment after it was joined. */
static bool more_threads(int than)
{
    for (int i = 0; i < 1000 && count_threads() > than; i++) (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return count_threads() > than;
}

typedef struct before {
    long     live;
    int      threads, files;
    uint64_t hash; /* of the result */
} before;

/* Once to make plans and threads, which are kept for later calls, and once to see what is there then. */
static before look(const sample *s)
{
    before b = { .hash = 0 };
    CHECK_OK(run(s, NULL, &b.hash));
    CHECK_OK(run(s, NULL, &b.hash));
    b.live = atomic_load(&h.live);
    b.threads = count_threads();
    b.files = count_files();
    return b;
}

static void check_left(const sample *s, const before *b, tess_status status)
{
    char wanted[80];
    if (status == TESS_OK) return;
    (void)snprintf(wanted, sizeof wanted, "%s: cancelled", s->job);
    CHECK_FAILS(status, TESS_ECANCELLED, wanted);
    if (atomic_load(&h.live) != b->live) CHECK_TEXT(s->job, "a job that leaves no memory");
    if (more_threads(b->threads)) CHECK_TEXT(s->job, "a job that leaves no thread");
    if (count_files() != b->files) CHECK_TEXT(s->job, "a job that leaves no file");
}

static void check_again(const sample *s, const before *b)
{
    uint64_t after = 0;
    CHECK_OK(run(s, NULL, &after));
    if (after != b->hash) CHECK_TEXT(s->job, "a job with the same bits afterwards");
}

/* Each job in turn, which cancels it n times. */
static void for_each(void (*cancel)(const sample *s, const before *b, int n), int n)
{
    make_inputs();
    CHECK_OK(tess_threads_set(2));
    for (int i = 0; i < SAMPLES; i++) (void)look(&samples[i]);
    if (!hooks_on(&h)) return;
    for (int i = 0; i < SAMPLES; i++) {
        const before b = look(&samples[i]);
        cancel(&samples[i], &b, test_fewer(n));
        check_again(&samples[i], &b);
    }
    hooks_off();
    CHECK_OK(tess_threads_set(0));
}

/* ---- By a report ---- */

typedef struct count {
    int64_t n, cancel_at; /* -1: never */
} count;

static int32_t report(void *user, const tess_progress *p)
{
    count *c = user;
    (void)p;
    return c->n++ == c->cancel_at;
}

static void cancel_by_report(const sample *s, const before *b, int n)
{
    count              c = { .cancel_at = -1 };
    const tess_context context = { .progress = report, .user = &c, .slab = 1 };
    uint64_t           hash = 0;
    CHECK_OK(run(s, &context, &hash));
    CHECK(hash == b->hash && c.n >= 2);
    const int64_t reports = c.n;
    for (int i = 0; i < n; i++) {
        c = (count){ .cancel_at = test_random_in(0, reports - 1) };
        const tess_status status = run(s, &context, &hash);
        CHECK(status != TESS_OK && c.n == c.cancel_at + 1);
        check_left(s, b, status);
    }
}

TEST(reports_cancel) { for_each(cancel_by_report, 10); }

/* ---- By the callback of the thread, which is asked between tasks ---- */

static int32_t answer(void *user)
{
    count *c = user;
    return c->n++ == c->cancel_at;
}

static void cancel_by_question(const sample *s, const before *b, int n)
{
    count    c = { .cancel_at = -1 };
    uint64_t hash = 0;
    tess__ask_interval = 0;
    tess_cancel_set(answer, &c);
    CHECK_OK(run(s, NULL, &hash));
    const int64_t questions = c.n;
    CHECK(questions > 1);
    for (int i = 0; i < n; i++) {
        c = (count){ .cancel_at = test_random_in(0, questions - 1) };
        check_left(s, b, run(s, NULL, &hash));
    }
    tess_cancel_set(NULL, NULL);
    tess__ask_interval = 20000000;
}

TEST(questions_cancel) { for_each(cancel_by_question, 40); }

/* ---- By another thread, at any time ---- */

static double seconds(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *wait_and_cancel(void *after)
{
    const double end = seconds() + *(const double *)after;
    while (seconds() < end) (void)nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    tess_cancel();
    return NULL;
}

/* The moment is random, and may be one before the job begins or after it has ended: then the job succeeds. */
static void cancel_by_thread(const sample *s, const before *b, int n)
{
    uint64_t     hash = 0;
    const double from = seconds();
    CHECK_OK(run(s, NULL, &hash));
    const double took = seconds() - from;
    for (int i = 0; i < n; i++) {
        pthread_t    thread;
        const double after = test_random_unit() * took;
        if (!CHECK(pthread_create(&thread, NULL, wait_and_cancel, (void *)(uintptr_t)&after) == 0)) return;
        const tess_status status = run(s, NULL, &hash);
        (void)pthread_join(thread, NULL);
        check_left(s, b, status);
    }
}

TEST(other_threads_cancel_at_any_moment) { for_each(cancel_by_thread, 50); }
