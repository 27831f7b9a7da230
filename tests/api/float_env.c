/* The caller's floating-point environment: results do not depend on it, and it is as it was after every call. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "support/calls.h"
#include "support/folder.h"

/* What programs set: a rounding mode, or subnormals as zeros. */
typedef struct mode {
    const char *name;
    int         rounding;
    bool        flush;
} mode;

static const mode modes[] = {
    { "upward", FE_UPWARD, false },          { "downward", FE_DOWNWARD, false },
    { "toward zero", FE_TOWARDZERO, false },
#if defined(__x86_64__) || defined(__aarch64__)
    { "flush to zero", FE_TONEAREST, true }, { "flush to zero, upward", FE_UPWARD, true },
#endif
};
enum { MODES = sizeof modes / sizeof *modes };

/* The control register, without flags. */
static uint64_t control(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & ~UINT32_C(0x3f);
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
#else
    return (uint64_t)fegetround();
#endif
}

static void set_flush(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | UINT32_C(0x8040));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(control() | UINT64_C(1) << 24));
#endif
}

static void begin(const mode *m)
{
    (void)fesetround(m->rounding);
    if (m->flush) set_flush();
}

/* Back to the default; the mode must have stayed. */
static void end(const mode *m, const char *what)
{
    const uint64_t now = control();
    const int      rounding = fegetround();
    (void)fesetenv(FE_DFL_ENV);
    begin(m);
    const uint64_t wanted = control();
    (void)fesetenv(FE_DFL_ENV);
    if (now != wanted || rounding != m->rounding)
        (void)test_failed(__FILE__, __LINE__, "%s: %s is no more what the caller has", what, m->name);
}

static bool same_bits(const tess_array *x, const tess_array *y)
{
    return x->dtype == y->dtype && tess_same_shape(x, y) &&
           (!x->data || memcmp(x->data, y->data, (size_t)tess_n_elements(x) * tess_dtype_size(x->dtype)) == 0);
}

/* ---- Threads ---- */

enum { LONG = 2000000 };

/* Small and large numbers, and subnormals, of f32. */
static tess_array many(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, LONG), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < LONG; i++)
        ((float *)a.data)[i] = i % 5 ? (float)(test_random_unit() * 40 - 20) : ldexpf((float)test_random_unit(), -130);
    return a;
}

TEST(threads_that_a_call_under_another_mode_starts_are_clean)
{
    for (int k = 0; k < MODES; k++) {
        tess_array x = many(), alone = { 0 }, shared = { 0 };
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(tess_sin(&alone, &x));
        CHECK_OK(tess_threads_set(4 + k)); /* one more thread than before, begun under the mode */
        begin(&modes[k]);
        CHECK_OK(tess_sin(&shared, &x));
        end(&modes[k], "sin");
        if (!same_bits(&alone, &shared))
            (void)test_failed(__FILE__, __LINE__, "sin under %s is another on 4 threads", modes[k].name);
        CHECK_OK(tess_sin(&shared, &x));
        if (!same_bits(&alone, &shared))
            (void)test_failed(__FILE__, __LINE__, "sin after a call under %s is another", modes[k].name);
        tess_release(&x);
        tess_release(&alone);
        tess_release(&shared);
    }
    CHECK_OK(tess_threads_set(0));
}

TEST(asynchronous_streams_that_are_made_under_another_mode_are_clean)
{
    tess_array x = many(), want = { 0 };
    CHECK_OK(tess_sin(&want, &x));
    for (int k = 0; k < MODES; k++) {
        tess_array   got = { 0 };
        tess_stream *stream = NULL;
        begin(&modes[k]);
        CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
        CHECK_OK(tess_stream_set_current(stream));
        CHECK_OK(tess_sin(&got, &x));
        CHECK_OK(tess_stream_sync(stream));
        CHECK_OK(tess_stream_set_current(tess_stream_default(tess_cpu())));
        tess_stream_free(stream);
        end(&modes[k], "sin on a stream");
        CHECK(same_bits(&got, &want));
        tess_release(&got);
    }
    tess_release(&x);
    tess_release(&want);
}

/* ---- Every operation ---- */

static void same_outcome(const random_call *c, const call_outcome *got, const call_outcome *want, const mode *m)
{
    bool good = got->status == want->status && strcmp(got->message, want->message) == 0 &&
                memcmp(&got->number, &want->number, sizeof got->number) == 0;
    for (size_t i = 0; i < c->op->n_args && good; i++) good = same_bits(&got->results[i], &want->results[i]);
    for (int k = 0; k < CALL_REDUCTIONS && good; k++) good = same_bits(&got->reduced[k], &want->reduced[k]);
    if (!good)
        (void)test_failed(__FILE__, __LINE__, "%s of %s under %s is another", c->op->name, tess_dtype_name(c->dtype),
                          m->name);
}

static void call_in_all_modes(const tess_function_info *op, tess_dtype dtype)
{
    random_call  call;
    call_outcome want, got;
    call_make(&call, op, dtype);
    call_run(&call, &want, tess_cpu(), NULL);
    for (int k = 0; k < MODES; k++) {
        CHECK_OK(tess_threads_set(k % 2 ? 1 : 4));
        begin(&modes[k]);
        call_run(&call, &got, tess_cpu(), NULL);
        end(&modes[k], op->name);
        same_outcome(&call, &got, &want, &modes[k]);
        outcome_free(&got);
    }
    CHECK_OK(tess_threads_set(0));
    outcome_free(&want);
    call_free(&call);
}

static bool is_of_files(const tess_function_info *op)
{
    static const char *const modules[] = { "io", "mrc", "star", "sidecar" };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(op->module, modules[i]) == 0) return true;
    return false;
}

TEST(every_operation_gives_the_same_in_every_mode)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_F16, TESS_C32, TESS_I32, TESS_U8 };
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        if (is_of_files(op) || strcmp(op->name, "empty") == 0 || strcmp(op->name, "fft_empty") == 0) continue;
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
            for (int n = 0; n < test_fewer(4); n++) call_in_all_modes(op, dtypes[k]);
    }
}

/* ---- Texts of operators ---- */

static void run_text(tess_array *out, const tess_array *x)
{
    tess_op *op = NULL;
    CHECK_OK(tess_op_text(&op, "op f(in f32 x, val f64 a, out f32 z) { z = (f32)((f64)x * 0.1 + a / 3.0 + "
                               "1.2345678901234567890123e-5 + exp(0.3) * sqrt((f64)x * (f64)x + 1e-320)); }"));
    CHECK_OK(tess_call(op, x, 0.7, out));
    tess_op_release(op);
}

TEST(texts_of_operators_are_compiled_and_run_alike_in_every_mode)
{
    tess_array x = many(), want = constant(TESS_F32, 1, 1, 1, LONG, 0), got = constant(TESS_F32, 1, 1, 1, LONG, 0);
    run_text(&want, &x);
    for (int k = 0; k < MODES; k++)
        for (int threads = 1; threads <= 4; threads += 3) {
            CHECK_OK(tess_threads_set(threads));
            begin(&modes[k]);
            run_text(&got, &x);
            end(&modes[k], "run");
            CHECK(same_bits(&got, &want));
        }
    CHECK_OK(tess_threads_set(0));
    tess_release(&x);
    tess_release(&want);
    tess_release(&got);
}

/* ---- Transforms ---- */

/* Lengths of which no plan has been made: twiddle factors are computed under the mode, and kept. */
TEST(plans_of_transforms_made_in_another_mode_are_the_same)
{
    for (int k = 0; k < MODES; k++) {
        static const int64_t lengths[] = { 1000, 1021, 4093, 720 };
        for (int i = 0; i < 4; i++) {
            tess_array x = { 0 }, want = { 0 }, got = { 0 };
            CHECK_OK(tess_linspace(&x, TESS_SHAPE(1, 1, 3, lengths[i] + 2 * k), TESS_F32, tess_cpu(), -1.1, 2.3, NULL));
            begin(&modes[k]);
            CHECK_OK(tess_fft_r2c(&got, &x, NULL));
            end(&modes[k], "fft_r2c");
            tess_fft_cache_clear();
            CHECK_OK(tess_fft_r2c(&want, &x, NULL));
            CHECK(same_bits(&got, &want));
            tess_release(&x);
            tess_release(&want);
            tess_release(&got);
        }
    }
}

/* ---- Files ---- */

static void write_and_read(tess_array *back, tess_meta *meta, const char *name, const tess_array *in, tess_dtype dtype)
{
    tess_info_file info;
    CHECK_OK(tess_write(in_folder(name), in, &(tess_write_opts){ .dtype = dtype, .overwrite = 1 }));
    CHECK_OK(tess_read(back, in_folder(name), &(tess_read_opts){ .dtype = TESS_F32 }));
    CHECK_OK(tess_info(&info, in_folder(name), NULL));
    *meta = info.meta;
}

TEST(files_are_the_same_in_every_mode)
{
    static const struct {
        const char *name;
        tess_dtype  dtype;
    } files[] = { { "a.mrc", TESS_F16 }, { "b.mrc", TESS_I16 }, { "c.mrc", TESS_F32 }, { "d.npy", TESS_F64 } };
    tess_array x = { 0 };
    CHECK_OK(tess_linspace(&x, TESS_SHAPE(3, 1, 500, 401), TESS_F64, tess_cpu(), -300.3, 1000.7, NULL));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tess_array want = { 0 };
        tess_meta  meant;
        write_and_read(&want, &meant, files[i].name, &x, files[i].dtype);
        for (int k = 0; k < MODES; k++) {
            tess_array got = { 0 };
            tess_meta  found;
            CHECK_OK(tess_threads_set(k % 2 ? 4 : 1));
            begin(&modes[k]);
            write_and_read(&got, &found, files[i].name, &x, files[i].dtype);
            end(&modes[k], "write");
            CHECK(same_bits(&got, &want));
            CHECK(found.min == meant.min && found.max == meant.max && found.mean == meant.mean);
            CHECK(found.std == meant.std);
            tess_release(&got);
        }
        tess_release(&want);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&x);
}

TEST(numbers_in_texts_are_read_alike_in_every_mode)
{
    static const char text[] = "data_a\nloop_\n_x #1\n0.1\n1.2345678901234567890123e-5\n3e-320\n8.7e22\n";
    for (int k = 0; k < MODES; k++) {
        tess_star *want = NULL, *got = NULL;
        CHECK_OK(tess_star_parse(&want, text, sizeof text - 1, "text"));
        for (int64_t row = 0; row < 4; row++) {
            double a = 0, b = 0;
            CHECK_OK(tess_star_get_f64(&a, tess_star_at(want, 0), row, "_x"));
            begin(&modes[k]);
            if (!got) CHECK_OK(tess_star_parse(&got, text, sizeof text - 1, "text"));
            CHECK_OK(tess_star_get_f64(&b, tess_star_at(got, 0), row, "_x"));
            end(&modes[k], "star_get_f64");
            CHECK(memcmp(&a, &b, sizeof a) == 0);
        }
        tess_star_free(want);
        tess_star_free(got);
    }
}

/* ---- Flags ---- */

TEST(flags_that_the_caller_had_stay_raised)
{
    tess_array x = numbers(TESS_F32, 1, 1, 1, 16), z = { 0 };
    for (int k = -1; k < MODES; k++) {
        if (k >= 0) begin(&modes[k]);
        (void)feraiseexcept(FE_DIVBYZERO);
        CHECK_OK(tess_sqrt(&z, &x));
        CHECK(fetestexcept(FE_DIVBYZERO) != 0);
        (void)fesetenv(FE_DFL_ENV);
    }
    tess_release(&x);
    tess_release(&z);
}
