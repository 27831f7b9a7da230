/* CTF correction as a job: against single calls, with a row for each image and one for all; the same bits for files,
 * threads and slabs, cancellation, every failing allocation, and every bad argument with its message. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { N = 5, H = 12, W = 15, COLUMNS = 11 };

static tess_meta meta = { .pixel_size = { 2, 2, 2 } };

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the stack", &meta));
    return source;
}

static tess_array noise(tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(N, 1, H, W), dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 3, 1, 5, NULL));
    return a;
}

static tess_ctf ctf_of(int64_t i)
{
    return (tess_ctf){ .pixel_size = { 2, 2 },
                       .defocus = 1 + 0.1 * (double)i,
                       .astigmatism = 0.05,
                       .angle = 0.3,
                       .voltage = 300,
                       .amplitude = 0.1,
                       .cs = 2.7,
                       .bfactor = 10 };
}

/* The first columns of a tess_ctf for each image. */
static tess_array table_of_ctfs(int64_t n)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, n, COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        const tess_ctf ctf = ctf_of(i);
        memcpy((double *)a.data + i * COLUMNS, &ctf, COLUMNS * sizeof(double));
    }
    return a;
}

/* One image by one call. */
static tess_status plain(tess_array *out, const tess_array *image, const tess_ctf *ctf, int32_t method, double snr)
{
    const tess_ctf_opts opts = { .abs = method == TESS_CTF_ABS, .squared = method == TESS_CTF_SQUARED };
    if (method == TESS_CTF_FLIP) return tess_ctf_flip_image(out, image, ctf, NULL);
    if (method == TESS_CTF_WIENER) return tess_ctf_wiener_image(out, image, ctf, snr, NULL);
    return tess_ctf_apply_image(out, image, ctf, &opts);
}

TEST(images_are_corrected_one_by_one)
{
    for (int32_t method = 0; method <= TESS_CTF_SQUARED; method++) {
        tess_array                  stack = noise(method % 2 ? TESS_F64 : TESS_F32), ctfs = table_of_ctfs(N);
        tess_array                  first = table_of_ctfs(1);
        const tess_source           images = source_of(&stack);
        const int32_t               used = method ? method : TESS_CTF_FLIP; /* the default */
        const double                snr = method == TESS_CTF_WIENER ? 3 : 0;
        const tess_correct_ctf_opts o = { .method = method, .snr = snr };
        tess_correct_ctf_result     r = { 0 }, by_one = { 0 };
        CHECK_OK(tess_correct_ctf(&r, &images, &ctfs, &o, NULL));
        CHECK_OK(tess_correct_ctf(&by_one, &images, &first, &o, NULL));
        CHECK(r.images.dtype == stack.dtype);
        CHECK_DIMS(r.images.shape, N, 1, H, W);
        for (int64_t i = 0; i < N; i++) {
            tess_array     one, got, want = { 0 };
            const tess_ctf ctf = ctf_of(i), same = ctf_of(0);
            CHECK_OK(tess_slice(&one, &stack, 0, i, i + 1, 1));
            CHECK_OK(tess_slice(&got, &r.images, 0, i, i + 1, 1));
            CHECK_OK(plain(&want, &one, &ctf, used, snr));
            CHECK(same_values(&got, &want));
            CHECK_OK(tess_slice(&got, &by_one.images, 0, i, i + 1, 1));
            CHECK_OK(plain(&want, &one, &same, used, snr));
            CHECK(same_values(&got, &want));
            tess_release(&want);
        }
        tess_correct_ctf_result_release(&r);
        tess_correct_ctf_result_release(&by_one);
        tess_release(&stack);
        tess_release(&ctfs);
        tess_release(&first);
    }
}

/* A wave keeps its amplitude, and its sign is that of the CTF at its frequency. */
TEST(flipping_changes_signs_alone)
{
    enum { SIDE = 64 };
    tess_array wave = constant(TESS_F64, 3, 1, SIDE, SIDE, 0), ctfs = table_of_ctfs(1);
    for (int64_t i = 0; i < 3 * SIDE * SIDE; i++)
        ((double *)wave.data)[i] =
            cos(2 * 3.141592653589793 * (double)(4 + 7 * (i / (SIDE * SIDE))) * (double)(i % SIDE) / SIDE);
    const tess_source       images = source_of(&wave);
    const tess_ctf          ctf = ctf_of(0);
    tess_correct_ctf_result r = { 0 };
    CHECK_OK(tess_correct_ctf(&r, &images, &ctfs, NULL, NULL));
    for (int64_t i = 0; i < 3 * SIDE * SIDE; i++) {
        const double value = tess_ctf_value_at(&ctf, 0, (double)(4 + 7 * (i / (SIDE * SIDE))) / SIDE);
        const double want = (value < 0 ? -1 : 1) * ((const double *)wave.data)[i];
        CHECK(fabs(((const double *)r.images.data)[i] - want) < 1e-12);
    }
    tess_correct_ctf_result_release(&r);
    tess_release(&wave);
    tess_release(&ctfs);
}

TEST(corrections_have_the_same_bits_for_files_threads_and_slabs)
{
    tess_array              stack = noise(TESS_F32), ctfs = table_of_ctfs(N), into = { 0 };
    const tess_source       images = source_of(&stack);
    tess_source             file = { 0 };
    tess_sink               sink;
    tess_correct_ctf_opts   o = { .method = TESS_CTF_WIENER };
    tess_correct_ctf_result one = { 0 }, two = { 0 }, three = { 0 };
    CHECK_OK(tess_write(in_folder("stack.npy"), &stack, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("stack.npy"), NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_correct_ctf(&one, &images, &ctfs, &o, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_correct_ctf(&two, &file, &ctfs, &o, NULL));
    CHECK_OK(tess_sink_array(&sink, &into));
    o.sink = &sink;
    CHECK_OK(tess_correct_ctf(&three, &images, &ctfs, &o, &(tess_context){ .slab = 1 }));
    CHECK_OK(tess_threads_set(0));
    CHECK(same_values(&one.images, &two.images) && same_values(&one.images, &into) && !three.images.data);
    tess_correct_ctf_result_release(&one);
    tess_correct_ctf_result_release(&two);
    tess_source_close(&file);
    tess_array *made[] = { &stack, &ctfs, &into };
    for (size_t i = 0; i < 3; i++) tess_release(made[i]);
}

#define CORRECT(source, rows, ...) tess_correct_ctf(&r, source, rows, &(tess_correct_ctf_opts){ __VA_ARGS__ }, NULL)

TEST(bad_corrections)
{
    tess_array stack = noise(TESS_F32), volume = constant(TESS_F32, 1, 3, 4, 4, 1), ctfs = table_of_ctfs(N), few,
               narrow;
    tess_array              complex = constant(TESS_C32, 1, 1, 4, 4, 0), broken = table_of_ctfs(N), flat = { 0 };
    const tess_source       images = source_of(&stack), v = source_of(&volume), c = source_of(&complex), zeroed = { 0 };
    const tess_meta         skew_meta = { .pixel_size = { 2, 2, 2 }, .angles = { 90, 90, 101 } };
    const tess_sink         no_sink = { 0 };
    tess_source             skew = { 0 };
    tess_correct_ctf_result r = { 0 };
    CHECK_OK(tess_slice(&few, &ctfs, 2, 0, 2, 1));
    CHECK_OK(tess_slice(&narrow, &ctfs, 3, 0, 7, 1));
    CHECK_OK(tess_source_array(&skew, &stack, "skew", &skew_meta));
    ((double *)broken.data)[2 * COLUMNS + 2] = (double)NAN;
    CHECK_FAILS(tess_correct_ctf(NULL, &images, &ctfs, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(CORRECT(NULL, &ctfs, .method = 1), TESS_EARG, "images is NULL");
    CHECK_FAILS(CORRECT(&zeroed, &ctfs, .method = 1), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(CORRECT(&v, &ctfs, .method = 1), TESS_ESHAPE, "the stack is a volume");
    CHECK_FAILS(CORRECT(&c, &ctfs, .method = 1), TESS_EDTYPE, "complex");
    CHECK_FAILS(CORRECT(&skew, &ctfs, .method = 1), TESS_EUNSUPPORTED,
                "the CTF needs axes at right angles; the cell of skew has angles of 90, 90, 101 degrees");
    CHECK_FAILS(CORRECT(&images, NULL, .method = 1), TESS_EARG, "ctfs is NULL");
    CHECK_FAILS(CORRECT(&images, &flat, .method = 1), TESS_EARG, "ctfs is zeroed");
    CHECK_FAILS(CORRECT(&images, &few, .method = 1), TESS_ESHAPE, "ctfs has the shape {1,1,2,11}", "n = 5");
    CHECK_FAILS(CORRECT(&images, &narrow, .method = 1), TESS_ESHAPE, "ctfs has the shape {1,1,5,7}", "k from 8 to 17");
    CHECK_FAILS(CORRECT(&images, &broken, .method = 1), TESS_EARG, "row 2 of ctfs has nan");
    CHECK_FAILS(CORRECT(&images, &ctfs, .method = 9), TESS_EARG, "opts->method is 9");
    CHECK_FAILS(CORRECT(&images, &ctfs, .method = TESS_CTF_WIENER, .snr = -1), TESS_ERANGE, "opts->snr is -1");
    CHECK_FAILS(CORRECT(&images, &ctfs, .snr = 2), TESS_EARG, "opts->snr requires the Wiener filter");
    CHECK_FAILS(CORRECT(&images, &ctfs, .sink = &no_sink), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_correct_ctf(&r, &images, &ctfs, NULL, &(tess_context){ .memory = 1024 }), TESS_ENOMEM,
                "context->memory");
    CHECK_OK(tess_correct_ctf(&r, &images, &ctfs, NULL, NULL));
    CHECK_FAILS(CORRECT(&images, &ctfs, .method = 1), TESS_EARG, "result is not zeroed");
    tess_correct_ctf_result_release(&r);
    tess_correct_ctf_result_release(NULL);
    tess_array *made[] = { &stack, &volume, &ctfs, &complex, &broken };
    for (size_t i = 0; i < 5; i++) tess_release(made[i]);
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

TEST(corrections_report_and_stop)
{
    tess_array              stack = noise(TESS_F32), ctfs = table_of_ctfs(N);
    const tess_source       images = source_of(&stack);
    watch                   all = { .cancel_at = -1 };
    tess_context            c = { .progress = progress, .user = &all, .slab = 1 };
    tess_correct_ctf_result r = { 0 };
    CHECK_OK(tess_correct_ctf(&r, &images, &ctfs, NULL, &c));
    CHECK_I64(all.n, N + 1);
    tess_correct_ctf_result_release(&r);
    for (int k = 0; k <= N; k++) {
        watch some = { .cancel_at = k };
        c.user = &some;
        CHECK_FAILS(tess_correct_ctf(&r, &images, &ctfs, NULL, &c), TESS_ECANCELLED, "cancelled");
        CHECK(!r.images.data);
    }
    tess_release(&stack);
    tess_release(&ctfs);
}

static tess_array given_stack, given_ctfs;

static tess_status scenario(void)
{
    const tess_source       images = source_of(&given_stack);
    tess_correct_ctf_result r = { 0 };
    const tess_status       status = tess_correct_ctf(&r, &images, &given_ctfs, NULL, NULL);
    tess_correct_ctf_result_release(&r);
    return status;
}

TEST(every_allocation_of_a_correction_may_fail)
{
    static hooks h;
    given_stack = noise(TESS_F32);
    given_ctfs = table_of_ctfs(N);
    hooks_each_fails(&h, scenario, 5);
    tess_release(&given_stack);
    tess_release(&given_ctfs);
}
