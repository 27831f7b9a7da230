/* Every operation of the table, called with arguments at random on a GPU and on the CPU.
 *
 * Results must be the same, and so must errors. What the GPU alone rejects is listed in docs/gpu-support.md, which
 * UPDATE=1 writes anew; all types of numbers are tried then. On the simulator, one operation in a few is tried.
 *
 * Where no kernel can be compiled (TESS_SIM_NVRTC_FAIL=1+), all of them are asked for in seconds, to see what is
 * rejected before that. */
#include <math.h>
#include <stdlib.h>

#include "support/calls.h"
#include "support/gpu.h"

enum { DTYPES = 17, ATTEMPTS = 16, ONE_IN = 6 };

static const tess_dtype dtypes[DTYPES] = { TESS_F32, TESS_C32,  TESS_I32, TESS_F64,      TESS_U8,       TESS_F16,
                                           TESS_I16, TESS_C64,  TESS_I64, TESS_U16,      TESS_I8,       TESS_U32,
                                           TESS_U64, TESS_BOOL, TESS_C16, TESS_VEC3_F32, TESS_MAT22_F64 };

typedef enum verdict { not_tried, not_valid, runs, refused } verdict;

static bool is_set(const char *variable)
{
    const char *text = getenv(variable);
    return text && *text;
}

static bool updates(void) { return is_set("UPDATE"); }

static bool compiles(void) { return !is_set("TESS_SIM_NVRTC_FAIL"); }

static bool takes_all(void) { return updates() || !compiles(); }

/* ---- Comparing ---- */

/* Those whose sums may be added up in another order. Results that are integers are the same all the same. */
static const char sums[] =
    " sum prod mean var std mean_var mean_std norm logsumexp dot weighted_mean rmsd reduce cumsum "
    "cumprod normalize log_normalize matmul lstsq polyfit_surface bin histogram fft_r2c fft_c2r "
    "fft_c2c fft_r2r fsc_local convolve remove_outliers correlate correlate_map correlate_score match_template "
    "average_power "
    "covariance mean_l2_norm normalize_background standardize taper taper_radial fourier_prepare fourier_project "
    "fourier_backproject fourier_reconstruct match_projections add_frames align_frames align_tilts motion_fit "
    "motion_warp centre_of_mass map_coordinates_adjoint ";

/* Filters of real arrays, by way of transforms; ctf_image is no such. */
static bool transforms(const char *name)
{
    const size_t n = strlen(name), end = strlen("_image");
    return n > end && strcmp(name + n - end, "_image") == 0 && strcmp(name, "ctf_image") != 0;
}

static bool is_among(const char *names, const tess_function_info *op)
{
    char padded[80];
    (void)snprintf(padded, sizeof padded, " %s ", op->name);
    return strstr(names, padded) != NULL;
}

static bool has_sums(const tess_function_info *op) { return transforms(op->name) || is_among(sums, op); }

/* Of the largest number of the result, or of 1, which those of the inputs are about: 25 roundings of f32, f16 or f64 at
 * about 1, more where a matrix is inverted or many terms cancel.
 *
 * Results of `by_transforms` are f64, but come from transforms of f32 unless the inputs are f64, so that they have the
 * roundings of f32. */
static double allowed(const tess_function_info *op, tess_dtype real, tess_dtype computed)
{
    static const char wide[] = " lstsq polyfit_surface convolve ";
    static const char by_transforms[] = " match_projections fsc_local ";
    if (strcmp(op->name, "align_frames") == 0) return 1e-3; /* its own tolerance, in pixels */
    const double factor = is_among(wide, op) ? 100 : 1;
    if (computed != TESS_F64 && is_among(by_transforms, op)) real = TESS_F32;
    return real == TESS_F16 ? 2e-3 : real == TESS_F32 ? 3e-6 * factor : 1e-11 * factor;
}

static bool are_close(const tess_array *got, const tess_array *want, double bound, const char *what)
{
    const bool is_complex = tess_dtype_kind(want->dtype) == TESS_KIND_COMPLEX;
    tess_array a = { .data = NULL }, b = { .data = NULL };
    bool       good = CHECK_OK(tess_cast(&a, got, is_complex ? TESS_C64 : TESS_F64, NULL)) &&
                CHECK_OK(tess_cast(&b, want, is_complex ? TESS_C64 : TESS_F64, NULL));
    const int64_t n = good ? tess_n_elements(&a) * (is_complex ? 2 : 1) : 0;
    const double *x = a.data, *y = b.data;
    double        largest = 1;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(y[i])) largest = fmax(largest, fabs(y[i]));
    for (int64_t i = 0; i < n && good; i++)
        if (!(fabs(x[i] - y[i]) <= bound * largest || x[i] == y[i] || (isnan(x[i]) && isnan(y[i]))))
            good = test_failed(__FILE__, __LINE__, "%s: number %" PRId64 " of %" PRId64 " is %.17g, not %.17g", what, i,
                               n, x[i], y[i]);
    tess_release(&a);
    tess_release(&b);
    return good;
}

/* Fits of noise are not determined: roundings decide which peak of a few pixels is the highest, and whether there is a fit
 * at all, which is NaN where no score is above 0. gpu_signal_motion and gpu_signal_filter compare fits of images that have
 * a best one. */
static bool fits_noise(const tess_function_info *op) { return is_among(" align_tilts ctf_fit_image ", op); }

/* `computed`: the reals of the inputs. */
static bool same_result(const tess_function_info *op, tess_dtype computed, const tess_array *got,
                        const tess_array *want, const char *what)
{
    if (!want->data && !got->data) return true;
    if (got->dtype != want->dtype || !tess_same_shape(got, want))
        return test_failed(__FILE__, __LINE__, "%s: type or shape differs", what);
    if (tess_is_empty(want) || strcmp(op->name, "fft_empty") == 0) return true; /* no elements, or none that were set */
    if (fits_noise(op)) return true;
    const tess_dtype real = tess_dtype_real(want->dtype);
    if (has_sums(op) && tess_dtype_kind(real) == TESS_KIND_FLOAT)
        return are_close(got, want, allowed(op, real, computed), what);
    if (test_same_bits(got, want)) return true;
    return test_failed(__FILE__, __LINE__, "in %s", what);
}

static bool same_outcome(const random_call *c, const call_outcome *got, const call_outcome *want)
{
    char what[160];
    bool good = memcmp(&got->shape, &want->shape, sizeof got->shape) == 0;
    (void)snprintf(what, sizeof what, "%s of %s {%d,%d,%d,%d}", c->op->name, tess_dtype_name(c->dtype), (int)c->shape.b,
                   (int)c->shape.d, (int)c->shape.h, (int)c->shape.w);
    for (size_t i = 0; i < c->op->n_args; i++)
        good = same_result(c->op, tess_dtype_real(c->dtype), &got->results[i], &want->results[i], what) && good;
    for (int k = 0; k < CALL_REDUCTIONS; k++)
        good = same_result(c->op, tess_dtype_real(c->dtype), &got->reduced[k], &want->reduced[k], what) && good;
    return good;
}

/* ---- Calling ---- */

/* Does the GPU say that it cannot do what the CPU did? */
static bool is_refusal(const call_outcome *got)
{
    return got->status == TESS_EUNSUPPORTED ||
           (got->status == TESS_EDEVICE && strstr(got->message, "does not support it"));
}

/* One call on both. */
static verdict call_both(const tess_function_info *op, tess_dtype dtype)
{
    random_call  call;
    call_outcome here, there;
    verdict      v = runs;
    call_make(&call, op, dtype);
    call.is_asked = !compiles();
    call_run(&call, &here, tess_cpu(), NULL);
    call_run(&call, &there, tess_gpu(0), test_random() & 1 ? &here : NULL);
    if (here.status == TESS_OK && is_refusal(&there)) v = refused;
    else if (here.status != there.status && compiles())
        (void)test_failed(__FILE__, __LINE__, "%s of %s: %s on the CPU%s%s, %s on the GPU%s%s", op->name,
                          tess_dtype_name(dtype), tess_status_name(here.status), *here.message ? ": " : "",
                          here.message, tess_status_name(there.status), *there.message ? ": " : "", there.message);
    else if (there.status == TESS_OK) (void)same_outcome(&call, &there, &here);
    if (here.status != TESS_OK) v = not_valid;
    outcome_free(&here);
    outcome_free(&there);
    call_free(&call);
    return v;
}

/* Calls until `wanted` were good, with a limit: not every dtype is for every operation. */
static verdict try_dtype(const tess_function_info *op, tess_dtype dtype, int wanted)
{
    verdict v = not_valid;
    for (int i = 0, n = 0; i < ATTEMPTS && n < wanted; i++) {
        const verdict one = call_both(op, dtype);
        if (one == not_valid) continue;
        n++;
        if (one > v) v = one;
    }
    return v;
}

/* Operations of files, and those without an array that could be on a GPU. */
static bool is_for_devices(const tess_function_info *op)
{
    static const char *const modules[] = { "io", "mrc", "star", "sidecar" };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(op->module, modules[i]) == 0) return false;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role == TESS_ROLE_IN || (op->args[i].flags & TESS_ARG_MADE) ||
            op->args[i].type == TESS_ARG_DEVICE)
            return true;
    return false;
}

/* One dtype in the first round; where there is time, several or all of them. */
static void try_operation(const tess_function_info *op, verdict verdicts[DTYPES])
{
    const bool is_simple = strcmp(op->module, "ewise") == 0;
    const int  begin = (int)test_random_in(0, 5);
    int        n = 0;
    for (int k = 0; k < DTYPES; k++) {
        const int  i = takes_all() ? k : (begin + k) % DTYPES;
        const bool enough = test_large() ? is_simple && n >= 4 : n >= 1;
        if (enough && !takes_all()) break;
        verdicts[i] = try_dtype(op, dtypes[i], test_large() ? 2 : 1);
        n += verdicts[i] > not_valid;
    }
    if (n == 0) (void)test_failed(__FILE__, __LINE__, "%s: no call was good", op->name);
}

/* ---- The list of what does not run ---- */

static const char list_path[] = TESS_SOURCE_FOLDER "/docs/gpu-support.md";

static void write_head(FILE *file, int n)
{
    (void)fprintf(
        file,
        "# What runs on a GPU\n"
        "\n"
        "Every operation that reads or makes arrays (`tessera ops`) runs on a GPU, for every dtype that it takes on "
        "the CPU.\n"
        "Results agree bit for bit, except for sums of floating-point numbers, Fourier transforms, products of "
        "matrices and\n"
        "scatters of floats to large arrays, which add in another order. Operators of your own run on a GPU as well:\n"
        "[operators.md](operators.md).\n"
        "\n"
        "Not supported on a GPU:\n"
        "\n"
        "- files, which the CPU reads and writes (call `tess_to_device` before `tess_write`);\n"
        "- verbs of the command whose help does not name `--device`; all operations have it;\n"
        "- loops of your own (`tess_op_loop`) without `cuda_source`.\n"
        "\n"
        "A test calls all operations on both devices with random arguments. It generates the list below: `UPDATE=1\n"
        "build/gpu_operations`.\n"
        "\n"
        "## Exceptions\n"
        "\n");
    (void)fprintf(file,
                  n ? "| operation | types that the CPU takes and the GPU does not |\n| --- | --- |\n" : "None.\n");
}

static void write_list(verdict (*verdicts)[DTYPES])
{
    FILE *file = fopen(list_path, "w");
    int   n = 0;
    if (!CHECK(file != NULL)) return;
    for (size_t i = 0; i < tess_function_count(); i++)
        for (int k = 0; k < DTYPES; k++) n += verdicts[i][k] == refused;
    write_head(file, n);
    for (size_t i = 0; i < tess_function_count(); i++) {
        int n_refused = 0;
        for (int k = 0; k < DTYPES; k++) {
            if (verdicts[i][k] != refused) continue;
            if (n_refused++ == 0) (void)fprintf(file, "| `%s` |", tess_function_at(i)->name);
            (void)fprintf(file, " %s", tess_dtype_name(dtypes[k]));
        }
        if (n_refused) (void)fprintf(file, " |\n");
    }
    CHECK(fclose(file) == 0);
}

/* The line of an operation in the list; "" where it has none. */
static void listed_types(const char *list, const char *name, char line[400])
{
    char begin[80];
    (void)snprintf(begin, sizeof begin, "\n| `%s` |", name);
    const char *at = strstr(list, begin);
    (void)snprintf(line, 400, "%.*s", at ? (int)strcspn(at + 1, "\n") : 0, at ? at + 1 : "");
}

static void check_list(verdict (*verdicts)[DTYPES])
{
    static char list[1 << 16];
    char        line[400], word[40];
    FILE       *file = fopen(list_path, "r");
    if (!CHECK(file != NULL)) return;
    list[fread(list, 1, sizeof list - 1, file)] = '\0';
    (void)fclose(file);
    for (size_t i = 0; i < tess_function_count(); i++)
        for (int k = 0; k < DTYPES; k++) {
            if (verdicts[i][k] != runs && verdicts[i][k] != refused) continue;
            listed_types(list, tess_function_at(i)->name, line);
            (void)snprintf(word, sizeof word, " %s ", tess_dtype_name(dtypes[k]));
            const bool is_listed = strstr(line, word) != NULL;
            if (is_listed == (verdicts[i][k] == refused) || (is_listed && !compiles())) continue;
            (void)test_failed(__FILE__, __LINE__, "%s of%s%s on the GPU, and docs/gpu-support.md says otherwise",
                              tess_function_at(i)->name, word, is_listed ? "runs" : "does not run");
        }
}

/* ---- */

TEST(every_operation_gives_the_same_on_a_gpu)
{
    tess_device   device;
    const size_t  n = tess_function_count();
    const int64_t first = test_random_in(0, ONE_IN - 1);
    if (!test_gpu(&device)) return;
    verdict(*verdicts)[DTYPES] = calloc(n, sizeof *verdicts);
    if (!CHECK(verdicts != NULL)) return;
    for (size_t i = 0; i < n; i++) {
        const tess_function_info *op = tess_function_at(i);
        const bool                is_turn = test_large() || takes_all() || (int64_t)i % ONE_IN == first;
        if (is_for_devices(op) && is_turn && test_share((int64_t)i) && test_wants_case(op->name))
            try_operation(op, verdicts[i]);
    }
    if (updates()) write_list(verdicts);
    else check_list(verdicts);
    free(verdicts);
}
