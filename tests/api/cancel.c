/* Cancellation: calls that are cancelled at each question, by other threads and on streams; afterwards nothing is held,
 * and the same calls give the same bits as before. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/device/cancel.h"
#include "cpu/runtime/schedule.h"
#include "support/folder.h"
#include "support/hooks.h"
#include "support/samples.h"

static hooks h;

/* ---- A callback that cancels at one of its questions ---- */

typedef struct questions {
    int32_t asked, cancel_at; /* 0: at none */
} questions;

static int32_t answer(void *user)
{
    questions *q = user;
    return ++q->asked == q->cancel_at;
}

/* Work is cut into the smallest tasks, with a question before each. */
static void begin(double longest_task)
{
    tess__ask_interval = 0;
    tess__longest_task = longest_task;
    CHECK_OK(tess_threads_set(2));
}

static void end(void)
{
    tess__ask_interval = 20000000;
    tess__longest_task = 1e7;
    tess_cancel_set(NULL, NULL);
    CHECK_OK(tess_threads_set(0));
}

/* Every question at first, fewer later. */
static int32_t next_question(int32_t k) { return k < 8 ? k + 1 : k + k / 2; }

static tess_status call_cancelled_at(int32_t k, tess_status (*call)(void *), void *context, int32_t *asked)
{
    questions q = { .cancel_at = k };
    tess_cancel_set(answer, &q);
    const tess_status status = call(context);
    tess_cancel_set(NULL, NULL);
    *asked = q.asked;
    return status;
}

/* ---- Every operation, on small arrays ---- */

static tess_status call_sample(void *context) { return sample_call(context); }

/* The bytes of all results, one after the other, added up in a way that depends on their places. */
static uint64_t hash_of(const tess_array *a, uint64_t sum)
{
    const unsigned char *bytes = a->data;
    for (int64_t i = 0; a->data && i < tess_n_bytes(a); i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static uint64_t hash_sample(const sample *s)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s->op->n_args; i++)
        if (sample_is_output(&s->op->args[i])) sum = hash_of(&s->arrays[i], sum);
    for (int k = 0; k < 2; k++) sum = hash_of(&s->reduced[k], sum);
    return sum;
}

/* One call of an operation that is cancelled at question k; true if it was. Of a good call the hash is set. */
static bool try_sample(const tess_function_info *op, int32_t k, uint64_t *hash)
{
    sample     s;
    int32_t    asked = 0;
    const long live = atomic_load(&h.live);
    sample_make(&s, op);
    sample_ask_results(&s);
    const tess_status status = call_cancelled_at(k, call_sample, &s, &asked);
    const bool        fired = k > 0 && asked >= k;
    char              wanted[80];
    (void)snprintf(wanted, sizeof wanted, "%s: cancelled", op->name);
    if (status == TESS_OK) *hash = hash_sample(&s);
    else if (status != TESS_ECANCELLED || strcmp(tess_error_message(), wanted) != 0 || !fired)
        CHECK_TEXT(tess_error_message(), wanted);
    sample_free(&s);
    if (k > 0 && atomic_load(&h.live) != live) CHECK_TEXT(op->name, "an operation that releases all it allocates");
    return fired;
}

TEST(every_operation_at_every_question)
{
    long     cancelled = 0, operations = 0;
    uint64_t first = 0;
    begin(1);
    for (size_t i = 0; i < tess_function_count(); i++) /* makes plans, which are kept for later calls */
        if (!sample_is_of_files(tess_function_at(i))) (void)try_sample(tess_function_at(i), 0, &first);
    if (!hooks_on(&h)) return;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        uint64_t                  before = 0, after = 1;
        if (sample_is_of_files(op)) continue;
        (void)try_sample(op, 0, &before);
        long fired = 0;
        for (int32_t k = 1; k < 2000; k = next_question(k)) {
            if (k > 1 && !test_takes_case()) continue;
            if (!try_sample(op, k, &after)) break;
            fired++;
        }
        (void)try_sample(op, 0, &after);
        if (before != after) CHECK_TEXT(op->name, "an operation with the same results afterwards");
        cancelled += fired;
        operations += fired > 0;
    }
    end();
    hooks_off();
    CHECK(operations >= 60);
    CHECK(cancelled >= operations);
}

/* ---- Larger arrays: algorithms with several phases ---- */

typedef struct bench {
    tess_array image, vector, indices, mask, inside, matrix, spectrum, prime, origins, tiles, affine;
    tess_op   *op;
    tess_array out[3]; /* made by the call */
} bench;

static bench all;

#define CALL(name_, ...)                                                                                               \
    static tess_status name_(void *unused)                                                                             \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        tess_array *out = all.out;                                                                                     \
        return __VA_ARGS__;                                                                                            \
    }

CALL(call_sort, tess_sort(&out[0], &all.vector, 3, NULL))
CALL(call_argsort, tess_argsort(&out[0], &all.vector, 3, NULL))
CALL(call_topk, tess_topk(&out[0], &out[1], &all.vector, 1000, 3, NULL))
CALL(call_partition, tess_partition(&out[0], &all.vector, 5000, 3))
CALL(call_median, tess_median(&out[0], &all.vector, TESS_W, NULL))
CALL(call_unique, tess_unique(&out[0], &out[1], &out[2], NULL, &all.indices))
CALL(call_cumsum, tess_cumsum(&out[0], &all.vector, 3, NULL))
CALL(call_histogram, tess_histogram(&out[0], &all.vector, 100, TESS_W, NULL))
CALL(call_take, tess_take(&out[0], &all.vector, &all.indices, 3))
CALL(call_compress, tess_compress(&out[0], &out[1], &all.vector, &all.mask))
CALL(call_sum, tess_sum(&out[0], &all.vector, TESS_W, NULL))
CALL(call_var, tess_var(&out[0], &all.vector, TESS_W, NULL))
CALL(call_copy, tess_permute_copy(&out[0], &all.image, 0, 1, 3, 2))
CALL(call_cast, tess_cast(&out[0], &all.vector, TESS_F16, &(tess_cast_opts){ .mode = TESS_CAST_WRAP }))
CALL(call_filter, tess_median_filter(&out[0], &all.image, TESS_SHAPE(1, 1, 7, 7), NULL))
CALL(call_bilateral, tess_bilateral(&out[0], &all.matrix, 1, 3, NULL))
CALL(call_nl_means, tess_nl_means(&out[0], &all.matrix, 1, NULL))
CALL(call_convolve, tess_convolve(&out[0], &all.image, &all.tiles, NULL))
CALL(call_matmul, tess_matmul(&out[0], &all.matrix, &all.matrix, NULL))
CALL(call_lstsq, tess_lstsq(&out[0], &all.matrix, &all.matrix, NULL))
CALL(call_inverse, tess_inverse(&out[0], &all.matrix))
CALL(call_qr, tess_qr(&out[0], &out[1], &all.matrix, NULL))
CALL(call_eigh, tess_eigh(&out[0], &out[1], &all.matrix, NULL))
CALL(call_svd, tess_svd(&out[0], &out[1], &out[2], &all.matrix, NULL))
CALL(call_r2c, tess_fft_r2c(&out[0], &all.image, NULL))
CALL(call_c2c, tess_fft_c2c(&out[0], &all.spectrum, TESS_FFT_FORWARD, NULL))
CALL(call_prime, tess_fft_c2c(&out[0], &all.prime, TESS_FFT_FORWARD, NULL))
CALL(call_transform, tess_transform_2d(&out[0], &all.image, &all.affine, NULL))
CALL(call_distances, tess_distance_transform(&out[0], &all.inside, NULL))
CALL(call_label, tess_label(&out[0], &all.inside, NULL))
CALL(call_extract, tess_extract(&out[0], &all.image, &all.origins, TESS_SHAPE(1, 1, 32, 32), NULL))
CALL(call_surface, tess_polyfit_surface(&out[0], &all.image, 2, NULL))
CALL(call_power, tess_radial_power(&out[0], &all.spectrum, all.image.shape, NULL))

static tess_status call_permutation(void *unused)
{
    (void)unused;
    TESS_TRY(tess_empty(&all.out[0], TESS_SHAPE(1, 1, 1, 1 << 18), TESS_I64, tess_cpu()));
    TESS_TRY(tess_random_permutation(&all.out[0], 1, NULL));
    return TESS_OK;
}

static tess_status call_operator(void *unused)
{
    (void)unused;
    TESS_TRY(tess_like(&all.out[0], &all.image));
    TESS_TRY(tess_call(all.op, &all.image, &all.out[0]));
    return TESS_OK;
}

static const struct {
    const char *name;
    tess_status (*call)(void *);
} calls_of[] = {
    { "sort", call_sort },
    { "argsort", call_argsort },
    { "topk", call_topk },
    { "partition", call_partition },
    { "median", call_median },
    { "unique", call_unique },
    { "cumsum", call_cumsum },
    { "histogram", call_histogram },
    { "take", call_take },
    { "compress", call_compress },
    { "sum", call_sum },
    { "var", call_var },
    { "permute_copy", call_copy },
    { "cast", call_cast },
    { "median_filter", call_filter },
    { "bilateral", call_bilateral },
    { "nl_means", call_nl_means },
    { "convolve", call_convolve },
    { "matmul", call_matmul },
    { "lstsq", call_lstsq },
    { "inverse", call_inverse },
    { "qr", call_qr },
    { "eigh", call_eigh },
    { "svd", call_svd },
    { "fft_r2c", call_r2c },
    { "fft_c2c", call_c2c },
    { "fft_c2c", call_prime },
    { "transform_2d", call_transform },
    { "distance_transform", call_distances },
    { "label", call_label },
    { "extract", call_extract },
    { "polyfit_surface", call_surface },
    { "radial_power", call_power },
    { "random_permutation", call_permutation },
    { "square", call_operator },
};

static void make_arrays(void)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 384, 500);
    CHECK_OK(tess_empty(&all.vector, TESS_SHAPE(1, 1, 1, 300000), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&all.vector, 0, 1, 7, NULL));
    CHECK_OK(tess_empty(&all.image, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&all.image, 0, 1, 8, NULL));
    CHECK_OK(tess_empty(&all.indices, TESS_SHAPE(1, 1, 1, 100000), TESS_I64, tess_cpu()));
    CHECK_OK(tess_random_permutation(&all.indices, 3, NULL));
    tess_array zero = constant(TESS_F32, 1, 1, 1, 1, 0);
    CHECK_OK(tess_greater(&all.mask, &all.vector, &zero));
    CHECK_OK(tess_greater(&all.inside, &all.image, &zero));
    tess_release(&zero);
    CHECK_OK(tess_empty(&all.matrix, TESS_SHAPE(1, 1, 160, 160), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&all.matrix, 0, 1, 9, NULL));
    CHECK_OK(tess_fft_r2c(&all.spectrum, &all.image, NULL));
    CHECK_OK(tess_zeros(&all.prime, TESS_SHAPE(1, 1, 3, 10007), TESS_C32, tess_cpu()));
    all.origins = constant(TESS_I64, 40, 1, 1, 4, 3);
    all.tiles = constant(TESS_F32, 1, 1, 5, 5, 0.04);
    all.affine = numbers(TESS_F64, 1, 1, 2, 3);
    CHECK_OK(tess_op_text(&all.op, "op square(in f32 x, out f32 y) { y = x * x + sin(x); }"));
}

static void release_results(void)
{
    for (int k = 0; k < 3; k++) tess_release(&all.out[k]);
}

static void release_arrays(void)
{
    tess_array *arrays[] = { &all.image, &all.vector,  &all.indices, &all.mask,   &all.matrix, &all.spectrum,
                             &all.prime, &all.origins, &all.tiles,   &all.affine, &all.inside };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
    tess_op_release(all.op);
}

static bool try_call(size_t i, int32_t k, uint64_t *hash)
{
    int32_t           asked = 0;
    const long        live = atomic_load(&h.live);
    const tess_status status = call_cancelled_at(k, calls_of[i].call, NULL, &asked);
    char              wanted[80];
    (void)snprintf(wanted, sizeof wanted, "%s: cancelled", calls_of[i].name);
    if (status == TESS_OK) {
        *hash = 0;
        for (int j = 0; j < 3; j++) *hash = hash_of(&all.out[j], *hash);
    } else if (status != TESS_ECANCELLED || strcmp(tess_error_message(), wanted) != 0) {
        CHECK_TEXT(tess_error_message(), wanted);
    }
    release_results();
    if (k > 0 && atomic_load(&h.live) != live) CHECK_TEXT(calls_of[i].name, "a call that releases all it allocates");
    return k > 0 && asked >= k;
}

static void try_all_calls(void)
{
    for (size_t i = 0; i < sizeof calls_of / sizeof *calls_of; i++) {
        uint64_t before = 0, after = 1;
        long     fired = 0;
        (void)try_call(i, 0, &before);
        for (int32_t k = 1; k < 1000000; k = next_question(k)) {
            if (k > 1 && !test_takes_case()) continue;
            if (!try_call(i, k, &after)) break;
            fired++;
        }
        (void)try_call(i, 0, &after);
        if (before != after) CHECK_TEXT(calls_of[i].name, "a call with the same results afterwards");
        if (fired == 0) CHECK_TEXT(calls_of[i].name, "a call that asks");
    }
}

TEST(phases_of_algorithms)
{
    uint64_t first = 0;
    make_arrays();
    begin(2000);
    for (size_t i = 0; i < sizeof calls_of / sizeof *calls_of; i++) (void)try_call(i, 0, &first); /* as above */
    if (hooks_on(&h)) {
        try_all_calls();
        CHECK_OK(tess_threads_set(1));
        try_all_calls();
        end();
        hooks_off();
    }
    release_arrays();
}

/* ---- Large windows ---- */

static tess_array row;

static tess_status call_wide_window(void *unused)
{
    const tess_bilateral_opts o = { .window = TESS_SHAPE(1, 1, 301, 301) };
    (void)unused;
    return tess_bilateral(&all.out[0], &row, 1, 30, &o);
}

/* A row of results takes long: there are questions for each row of weights, of offsets and of the halo, and for each
 * half million of elements of windows. */
TEST(large_windows_are_cancelled_within_a_row)
{
    int32_t asked = 0;
    row = constant(TESS_F32, 1, 1, 1, 512, 1);
    tess__ask_interval = 0;
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(call_cancelled_at(0, call_wide_window, NULL, &asked));
    CHECK(asked > 3 * 301 + 512 / 64 * 301 * 301 / 8192);
    tess_release(&all.out[0]);
    for (int32_t k = 100, last = asked; k < last; k += 100) {
        CHECK(call_cancelled_at(k, call_wide_window, NULL, &asked) == TESS_ECANCELLED);
        CHECK(asked == k && all.out[0].data == NULL);
    }
    tess_release(&row);
    end();
}

/* ---- Files ---- */

static const char *name_of_file;
static tess_array  stack; /* that is written */

static tess_status write_stack(void *unused)
{
    (void)unused;
    return tess_write(in_folder(name_of_file), &stack, &(tess_write_opts){ .overwrite = 1 });
}

static tess_status read_stack(void *unused)
{
    (void)unused;
    return tess_read(&all.out[0], in_folder(name_of_file), NULL);
}

/* Each question of writing and reading: no file, or a whole one. */
static void try_file(const char *name)
{
    int32_t     asked = 0, k = 0;
    tess_status status;
    const int   before = count_files();
    name_of_file = name;
    do {
        k = next_question(k);
        status = call_cancelled_at(k, write_stack, NULL, &asked);
        if (status != TESS_OK) CHECK_FAILS(status, TESS_ECANCELLED, "write: cancelled");
        CHECK_I64(count_files(), before + (status == TESS_OK));
    } while (asked >= k);
    CHECK(k > 2 && status == TESS_OK);
    for (k = 1; (status = call_cancelled_at(k, read_stack, NULL, &asked)) != TESS_OK; k = next_question(k)) {
        CHECK_FAILS(status, TESS_ECANCELLED, "read: cancelled");
        CHECK(all.out[0].data == NULL);
    }
    CHECK(k > 2 && memcmp(all.out[0].data, stack.data, (size_t)tess_n_bytes(&stack)) == 0);
    release_results();
}

TEST(files_are_whole_or_absent)
{
    CHECK_OK(tess_empty(&stack, TESS_SHAPE(6, 1, 200, 300), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&stack, 0, 1, 4, NULL));
    begin(1e6);
    try_file("a.mrcs");
    try_file("a.npy");
    try_file("a.tif");
    try_file("a.mrcs.gz");
    try_file("a.npz");
    end();
    tess_release(&stack);
}

/* ---- The callback ---- */

static int32_t never(void *user)
{
    ++*(int *)user;
    return 0;
}

static int32_t always(void *user)
{
    (void)user;
    return 1;
}

static tess_status filter_image(tess_array *out, const tess_array *in)
{
    const tess_rank_opts opts = { .border = TESS_BORDER_CLAMP };
    return tess_median_filter(out, in, TESS_SHAPE(1, 1, 5, 5), &opts);
}

TEST(scopes_nest)
{
    tess_cancel_fn fn = always;
    void          *user = &fn;
    int            asked = 0;
    tess_cancel_get(&fn, &user);
    CHECK(fn == NULL && user == NULL);
    tess_cancel_set(never, &asked);
    tess_cancel_get(&fn, &user);
    CHECK(fn == never && user == &asked);
    tess_cancel_get(NULL, NULL);
    tess_array image = constant(TESS_F32, 1, 1, 300, 300, 1), out = { 0 };
    begin(1e5);
    tess_cancel_set(always, NULL);
    CHECK_FAILS(filter_image(&out, &image), TESS_ECANCELLED, "median_filter: cancelled");
    CHECK(out.data == NULL);
    tess_cancel_set(fn, user);
    CHECK_OK(filter_image(&out, &image));
    CHECK(asked > 0);
    end();
    CHECK(all_are(&out, 1));
    tess_release(&out);
    tess_release(&image);
}

/* An output that the caller gave stays theirs. */
TEST(outputs_stay)
{
    tess_array  image = constant(TESS_F32, 1, 1, 300, 300, 1), out = constant(TESS_F32, 1, 1, 300, 300, 2);
    const void *data = out.data;
    begin(1e5);
    tess_cancel_set(always, NULL);
    CHECK_FAILS(filter_image(&out, &image), TESS_ECANCELLED, "median_filter: cancelled");
    end();
    CHECK(out.data == data);
    CHECK_OK(filter_image(&out, &image));
    CHECK(all_are(&out, 1));
    tess_release(&out);
    tess_release(&image);
}

static int32_t calls_library(void *user)
{
    tess_array out = { 0 };
    const bool good = filter_image(&out, user) == TESS_OK && all_are(&out, 1);
    tess_release(&out);
    return !good; /* what it calls is not cancelled, and not asked about */
}

TEST(callback_calls_the_library)
{
    tess_array image = constant(TESS_F32, 1, 1, 300, 300, 1), out = { 0 };
    begin(1e6);
    tess_cancel_set(calls_library, &image);
    CHECK_OK(filter_image(&out, &image));
    end();
    CHECK(all_are(&out, 1));
    tess_release(&out);
    tess_release(&image);
}

/* About every 20 ms, not more often. */
TEST(questions_are_rare)
{
    tess_array      image = constant(TESS_F32, 1, 1, 1000, 1000, 1), out = { 0 };
    struct timespec from, to;
    int             asked = 0;
    tess_cancel_set(never, &asked);
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 5; i++) CHECK_OK(tess_median_filter(&out, &image, TESS_SHAPE(1, 1, 7, 7), NULL));
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    tess_cancel_set(NULL, NULL);
    const double ms = 1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec);
    CHECK(asked >= 1 && asked <= ms / 15 + 2);
    tess_release(&out);
    tess_release(&image);
}

/* ---- tess_cancel ---- */

typedef struct worker {
    tess_array  image;
    atomic_bool began, ended;
    tess_status status;
} worker;

/* Many calls: one of them is cancelled. */
static void *work(void *context)
{
    worker    *w = context;
    tess_array out = { 0 };
    for (int i = 0; i < 100000 && w->status == TESS_OK; i++) {
        w->status = filter_image(&out, &w->image);
        atomic_store(&w->began, true);
    }
    tess_release(&out);
    atomic_store(&w->ended, true);
    return NULL;
}

static void sleep_ms(long ms) { (void)nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL); }

TEST(cancel_from_another_thread)
{
    worker    w = { .image = constant(TESS_F32, 1, 1, 300, 300, 1) };
    pthread_t thread;
    begin(1e5);
    if (!CHECK(pthread_create(&thread, NULL, work, &w) == 0)) return;
    while (!atomic_load(&w.began)) sleep_ms(1);
    while (!atomic_load(&w.ended)) { /* it may come between two calls */
        tess_cancel();
        sleep_ms(1);
    }
    (void)pthread_join(thread, NULL);
    CHECK(w.status == TESS_ECANCELLED);
    tess_array out = { 0 };
    CHECK_OK(filter_image(&out, &w.image)); /* it begins later */
    CHECK(all_are(&out, 1));
    end();
    tess_release(&out);
    tess_release(&w.image);
}

/* ---- Asynchronous streams ---- */

typedef struct queue {
    tess_stream *stream;
    tess_array   image, out;
} queue;

static bool queue_begin(queue *q)
{
    *q = (queue){ .image = constant(TESS_F32, 1, 1, 300, 300, 1) };
    q->out = constant(TESS_F32, 1, 1, 300, 300, 2);
    begin(1e5);
    return CHECK_OK(tess_stream_new(&q->stream, tess_cpu(), &(tess_stream_opts){ .async = true })) &&
           CHECK_OK(tess_stream_set_current(q->stream));
}

static void queue_work(const queue *q, int n)
{
    tess_array out = q->out;
    for (int i = 0; i < n; i++) CHECK_OK(filter_image(&out, &q->image));
}

static void queue_end(queue *q)
{
    queue_work(q, 1);
    CHECK_OK(tess_stream_sync(NULL));
    CHECK(all_are(&q->out, 1));
    end();
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(q->stream);
    tess_release(&q->image);
    tess_release(&q->out);
}

TEST(cancel_reaches_queued_work)
{
    queue q;
    if (!queue_begin(&q)) return;
    queue_work(&q, 40);
    tess_cancel();
    CHECK_FAILS(tess_stream_sync(NULL), TESS_ECANCELLED, "median_filter: cancelled");
    CHECK_OK(tess_stream_sync(NULL)); /* it is reported once */
    queue_end(&q);
}

TEST(synchronisation_asks)
{
    queue     q;
    questions answers = { .cancel_at = 2 };
    if (!queue_begin(&q)) return;
    queue_work(&q, 400); /* a busy machine does many before the second question */
    tess__ask_interval = 1000000;
    tess_cancel_set(answer, &answers);
    CHECK_FAILS(tess_stream_sync(NULL), TESS_ECANCELLED, "median_filter: cancelled");
    tess_cancel_set(NULL, NULL);
    CHECK(answers.asked == 2);
    queue_end(&q);
}

/* Events are reached, whatever happens to the work before them. */
TEST(events_of_cancelled_work)
{
    queue       q;
    tess_event *event = NULL;
    if (!queue_begin(&q)) return;
    CHECK_OK(tess_event_new(&event, tess_cpu()));
    queue_work(&q, 20);
    CHECK_OK(tess_event_record(event, NULL));
    tess_cancel();
    CHECK_OK(tess_event_sync(event));
    CHECK_FAILS(tess_stream_sync(NULL), TESS_ECANCELLED, "median_filter: cancelled");
    tess_event_free(event);
    queue_end(&q);
}
