/* Kernel cache, launches and loading of libraries: how many blocks a launch may have, tasks beyond these, how many
 * kernels stay in memory, which files of CUDA are tried first. */
#include "cuda/jit/kernel.h"

#include "cuda/runtime/library.h"
#include "cuda/runtime/stream.h"
#include "support/arrays.h"
#include "support/gpu.h"
#include "tessera/linalg.h"
#include "tessera/order.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"

/* ---- Launches ---- */

typedef struct params {
    uint64_t out;
} params;

/* Keys differ, programs do not. */
static void print(tess__writer *w, const tess__cuda_key *key)
{
    (void)key;
    tess__write(w, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\nstruct params { uint64_t out; };\n"
                   "TESS_KERNEL(32, params, p) { if (threadIdx.x == 0) *(int *)p.out += 1; }\n");
}

static const tess__cuda_family family = { .name = "test", .print = print };

TEST(launches_of_too_many_blocks_are_refused)
{
    tess_device     gpu;
    tess__cuda_call call;
    if (!test_gpu(&gpu) || !CHECK_OK(tess__cuda_begin(&call, "twist", tess_stream_current(gpu)))) return;
    const tess__cuda_key key = { .family = &family };
    const params         p = { 0 };
    CHECK_FAILS(tess__cuda_run(&call, &key, INT64_C(2147483648), 32, &p), TESS_EUNSUPPORTED,
                "twist: ", "need 2147483648 blocks", "1 to 2147483647");
    CHECK_FAILS(tess__cuda_run(&call, &key, (INT64_C(1) << 32) + 1, 32, &p), TESS_EUNSUPPORTED, "4294967297");
    tess__cuda_end(&call);
}

/* More than are kept: those that are not used go, one that is used stays, and one that went comes back. */
TEST(kernels_in_memory_are_bounded)
{
    tess_device     gpu;
    gpu_controls    sim;
    tess_array      sum = { 0 };
    tess__cuda_call call;
    int64_t         runs = 0, value = 0;
    if (!test_gpu(&gpu)) return;
    const bool simulated = gpu_simulated(&sim);
    CHECK_OK(tess_zeros(&sum, TESS_SHAPE(1, 1, 1, 1), TESS_I32, gpu));
    if (!CHECK_OK(tess__cuda_begin(&call, "count", tess_stream_current(gpu)))) return;
    const params   p = { (uintptr_t)sum.data };
    tess__cuda_key key = { .family = &family }, used = { .family = &family, .word = { UINT64_MAX } };
    const int      n = TESS__CUDA_KERNELS + 20;
    for (int i = 0; i <= n; i++) {
        key.word[0] = (uint64_t)(i % n); /* the first one again at the end */
        runs += CHECK_OK(tess__cuda_run(&call, &key, 1, 32, &p));
        if (i % 100 == 0) runs += CHECK_OK(tess__cuda_run(&call, &used, 1, 32, &p));
    }
    if (simulated) {
        CHECK(sim.live("modules") < TESS__CUDA_KERNELS / 2 + 100);
        const int64_t loaded = sim.count("cuModuleLoadData");
        CHECK_OK(tess__cuda_run(&call, &used, 1, 32, &p));
        CHECK_I64(sim.count("cuModuleLoadData"), loaded);
        runs++;
    }
    tess__cuda_end(&call);
    CHECK_OK(tess_get_i64(&value, &sum, 0, 0, 0, 0));
    CHECK_I64(value, runs);
    tess_release(&sum);
}

/* ---- More pieces than blocks ---- */

enum { MANY = TESS__CUDA_STRIDE_BLOCKS + 5 };

static void same_and_drop(tess_array *got, tess_array *want, const char *what)
{
    (void)gpu_same(got, want, what);
    tess_release(got);
    tess_release(want);
}

TEST(histograms_of_more_results_than_blocks)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const tess_histogram_opts o = { .high = 256 };
    tess_array                a = numbers(TESS_U8, MANY, 1, 1, 3), there = { 0 }, want = { 0 }, got = { 0 };
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_histogram(&want, &a, 4, TESS_W, &o));
    CHECK_OK(tess_histogram(&got, &there, 4, TESS_W, &o));
    same_and_drop(&got, &want, "histogram");
    tess_array                weights = tess_num(2);
    const tess_histogram_opts weighted = { .high = 256, .weights = &weights };
    CHECK_OK(tess_histogram(&want, &a, 4, TESS_W, &weighted));
    CHECK_OK(tess_histogram(&got, &there, 4, TESS_W, &weighted));
    same_and_drop(&got, &want, "histogram of weights");
    tess_release(&a);
    tess_release(&there);
}

TEST(products_of_more_batches_than_blocks)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array a = numbers(TESS_I64, MANY, 1, 1, 2), there = { 0 }, b = numbers(TESS_I64, 1, 1, 2, 1), with = { 0 };
    tess_array want = { 0 }, got = { 0 };
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_to_device(&with, &b, gpu));
    CHECK_OK(tess_matmul(&want, &a, &b, NULL));
    CHECK_OK(tess_matmul(&got, &there, &with, NULL));
    same_and_drop(&got, &want, "product");
    tess_release(&a);
    tess_release(&b);
    tess_release(&there);
    tess_release(&with);
}

TEST(sub_regions_of_more_tiles_than_blocks)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array in = numbers(TESS_U8, MANY, 1, 2, 1), origins = { 0 }, want = { 0 };
    tess_array there = { 0 }, where = { 0 }, got = { 0 };
    CHECK_OK(tess_full(&origins, TESS_SHAPE(MANY, 1, 1, 2), TESS_I32, tess_cpu(), 1));
    CHECK_OK(tess_zeros(&want, TESS_SHAPE(MANY, 1, 2, 2), TESS_U8, tess_cpu()));
    CHECK_OK(tess_to_device(&there, &in, gpu));
    CHECK_OK(tess_to_device(&where, &origins, gpu));
    CHECK_OK(tess_to_device(&got, &want, gpu));
    CHECK_OK(tess_insert(&want, &in, &origins, NULL));
    CHECK_OK(tess_insert(&got, &there, &where, NULL));
    same_and_drop(&got, &want, "insert");
    tess_release(&in);
    tess_release(&origins);
    tess_release(&there);
    tess_release(&where);
}

/* More tiles than a launch can have blocks: 17 GB. */
TEST(sub_regions_of_more_tiles_than_a_launch_takes)
{
    tess_device      gpu;
    tess_info_device info;
    if (!test_gpu(&gpu)) return;
    if (!test_large() || tess_device_info(&info, gpu) != TESS_OK || info.memory_free < INT64_C(20) << 30) {
        test_skip("TESS_TEST_LARGE=1 and 20 GiB on a GPU are needed");
        return;
    }
    tess_array out = { 0 }, in = { 0 }, origins = numbers(TESS_I64, 1, 1, 1, 4), where = { 0 };
    const int  origin[4] = { 65535, 65536, 1, 1 };
    double     sum = 0, last = 0;
    for (int k = 0; k < 4; k++) CHECK_OK(tess_set_i64(&origins, 0, 0, 0, k, origin[k]));
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(65536, 65537, 2, 2), TESS_U8, gpu));
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 1, 1), TESS_U8, gpu, 7));
    CHECK_OK(tess_to_device(&where, &origins, gpu));
    CHECK_OK(tess_insert(&out, &in, &where, NULL));
    CHECK_OK(tess_get_f64(&last, &out, -1, -1, -1, -1));
    CHECK_OK(tess_host_sum(&sum, &out));
    CHECK(last == 7 && sum == 7);
    tess_release(&out);
    tess_release(&in);
    tess_release(&origins);
    tess_release(&where);
}

/* ---- Files ---- */

static void check_order(const tess__library *library, int generation, const char *want)
{
    const char *names[TESS__LIBRARY_FILES + 1];
    char        text[100] = "";
    tess__library_order(names, library, generation);
    for (int i = 0; names[i]; i++) (void)strncat(text, names[i], sizeof text - strlen(text) - 1);
    CHECK_TEXT(text, want);
}

TEST(files_of_the_driver_s_generation_are_tried_first)
{
    const tess__library all = { .files = { { "e", 14 }, { "d", 13 }, { "c", 12 }, { "b", 11 }, { "any", 0 } } };
    const tess__library plain = { .files = { { "1", 0 }, { "2", 0 } } };
    check_order(&all, 13, "dcbeany");
    check_order(&all, 12, "cbdeany");
    check_order(&all, 11, "bcdeany");
    check_order(&all, 15, "edcbany");
    check_order(&all, 0, "edcbany");
    check_order(&plain, 12, "12");
}

/* ---- Handles ---- */

TEST(each_stream_has_a_cublas_handle_of_its_own)
{
    tess_device  gpu;
    gpu_controls sim;
    tess_stream *s = NULL;
    tess_array   a = { 0 }, out = { 0 };
    if (!test_gpu(&gpu)) return;
    if (!gpu_simulated(&sim)) {
        test_skip("handles are counted by the simulated libraries only");
        return;
    }
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 3), TESS_F32, gpu, 1));
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    const int64_t before = sim.live("handles");
    for (int i = 0; i < 2; i++) CHECK_OK(tess_matmul(&out, &a, &a, NULL));
    CHECK_I64(sim.live("handles"), before + 1);
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    CHECK_OK(tess_stream_new(&s, gpu, NULL));
    CHECK_OK(tess_stream_set_current(s));
    for (int i = 0; i < 2; i++) CHECK_OK(tess_matmul(&out, &a, &a, NULL));
    CHECK_I64(sim.live("handles"), before + 2);
    CHECK_OK(tess_stream_sync(s));
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    tess_stream_free(s);
    tess_release(&a);
    tess_release(&out); /* arrays hold the stream that they were last used on */
    CHECK_I64(sim.live("handles"), before + 1);
}
