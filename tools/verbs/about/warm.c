/* tessera warm: does once what is slow the first time. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "command/globals.h"
#include "command/job.h"
#include "command/messages.h"
#include "operation/operation.h"
#include "operation/warm.h"

static tess_status make_plan(job *j, tess_fft_kind kind, const char *name, tess_shape shape, tess_dtype dtype)
{
    tess_fft_plan     *plan = NULL;
    tess_info_fft_plan info;
    const double       began = clock_seconds();
    TESS_TRY(tess_fft_plan_new(&plan, kind, shape, dtype, j->device, NULL));
    const double      spent = clock_seconds() - began;
    const tess_status status = tess_fft_plan_info(&info, plan);
    tess_fft_plan_release(plan);
    TESS_TRY(status);
    (void)printf("%s %s by %s in %.1f ms: %s\n", name, tess_dtype_name(dtype), info.provider, spent * 1e3, info.method);
    return TESS_OK;
}

static tess_status make_plans(job *j, const char *size, tess_dtype dtype)
{
    tess_shape shape;
    TESS_TRY(parse_shape(&shape, "SIZE", size));
    TESS_TRY(make_plan(j, TESS_FFT_R2C, "r2c", shape, dtype));
    return make_plan(j, TESS_FFT_C2R, "c2r", shape, dtype);
}

/* Threads are started, and kernels and their tables come into memory. */
static tess_status wake_threads(void)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_ones(&a, TESS_SHAPE(16, 1, 256, 256), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_exp(&out, &a));
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

/* ---- Kernels ---- */

/* What most programs use. */
static const char *const usual[] = { "abs",   "abs2",   "add",  "cast", "clamp", "copy",      "div",
                                     "equal", "exp",    "fill", "less", "log",   "max",       "mean_std",
                                     "min",   "minmax", "mul",  "neg",  "norm",  "normalize", "permute_copy",
                                     "sqrt",  "square", "std",  "sub",  "sum",   "where",     NULL };

static tess_status warm_one(job *j, const tess_function_info *op, tess_dtype dtype)
{
    const double began = clock_seconds();
    TESS_TRY_NOTE(warm_operation(op, j->device, dtype), "while calling %s once with small arrays", op->name);
    job_detail(j, "%s %s in %.1f ms", op->name, tess_dtype_name(dtype), (clock_seconds() - began) * 1e3);
    return TESS_OK;
}

static tess_status warm_usual(job *j, tess_dtype dtype)
{
    const double began = clock_seconds();
    int          n = 0;
    for (; usual[n]; n++) TESS_TRY(warm_one(j, tess_function_find(usual[n]), dtype));
    (void)printf("%d operations of %s in %.1f ms\n", n, tess_dtype_name(dtype), (clock_seconds() - began) * 1e3);
    return TESS_OK;
}

/* A size, an operation, or an operator as text. */
static bool is_size(const char *text) { return isdigit((unsigned char)text[0]); }
static bool is_text(const char *text) { return !tess_function_find(text) && strchr(text, '('); }

static tess_status check_argument(const char *text)
{
    tess_shape                shape;
    tess_op                  *made = NULL;
    const tess_function_info *op = tess_function_find(text);
    if (is_size(text)) return parse_shape(&shape, "SIZE", text);
    if (is_text(text)) {
        TESS_TRY(tess_op_text(&made, text));
        tess_op_release(made);
        return TESS_OK;
    }
    TESS_CHECK(
        op && is_operation_verb(op), TESS_EARG,
        "warm: \"%s\" is neither a size, as 256,256, nor an operation (tessera ops), nor the text of an operator",
        text);
    return TESS_OK;
}

static tess_status warm_argument(job *j, const char *text, tess_dtype dtype)
{
    const double began = clock_seconds();
    if (is_size(text)) return make_plans(j, text, dtype);
    if (is_text(text)) {
        TESS_TRY(warm_text(text, j->device));
        (void)printf("operator in %.1f ms\n", (clock_seconds() - began) * 1e3);
        return TESS_OK;
    }
    const tess_function_info *op = tess_function_find(text);
    TESS_TRY(warm_one(j, op, dtype));
    (void)printf("%s in %.1f ms\n", op->name, (clock_seconds() - began) * 1e3);
    return TESS_OK;
}

/* Kernels that are not kept are compiled again by the next program: then this was for nothing. */
static void tell_folder(job *j)
{
    char path[4096];
    if (tess_kernel_cache(path, sizeof path) == TESS_OK) {
        job_detail(j, "compiled kernels are kept in %s", path);
        return;
    }
    job_warn(j, "%s", message_after("kernel_cache: "));
    tess_error_clear();
}

static tess_status run(job *j)
{
    const tess_dtype dtype = job_has(j, "double") ? TESS_F64 : TESS_F32;
    for (int i = 0; i < j->n_arguments; i++) TESS_TRY(check_argument(j->arguments[i]));
    if (j->device.kind == TESS_CPU) {
        TESS_TRY(wake_threads());
        (void)printf("%d threads\n", tess_threads_get());
    } else if (j->n_arguments == 0) {
        TESS_TRY(warm_usual(j, dtype));
    }
    for (int i = 0; i < j->n_arguments; i++) TESS_TRY(warm_argument(j, j->arguments[i], dtype));
    if (j->device.kind != TESS_CPU) tell_folder(j);
    return TESS_OK;
}

static const option options[] = {
    FLAG("double", "prepare f64 instead of f32"),
    { .name = NULL },
};
static const char *const examples[] = { "tessera warm", "tessera warm 256,256 64,64,64",
                                        "tessera warm sort median 64,64 --device gpu", NULL };

const verb verb_warm = {
    .name = "warm",
    .subject = "about the command",
    .summary = "prepare FFT plans and GPU kernels, and show the plans",
    .arguments = "[SIZE|OPERATION|TEXT...]",
    .text =
        "Starts the threads, and makes the plans of Fourier transforms of each SIZE, such as 256,256 or 64,64,64. "
        "Plans are not kept for later runs, because they are quick to make.\n\nOn a GPU, kernels are compiled when "
        "they are first needed, and kept for later runs: each OPERATION is called once with small arrays, and the TEXT "
        "of an operator, 'op f(in T x, out T y) { y = x*x; }', is compiled. --device gpu without arguments prepares "
        "the usual operations. If nothing can be kept, a warning says why; tessera devices shows the folder.",
    .globals = GLOBAL_DEVICE,
    VERB_OF_FILE(0, -1),
};
