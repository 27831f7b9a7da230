/* Operations on every instruction set, and with them the library's own operators: the same bits from all. */
#include <string.h>

#include "support/calls.h"
#include "support/isas.h"
#include "tessera/correlate.h"
#include "tessera/fsc.h"
#include "tessera/statistics.h"
#include "tessera/window.h"

/* Real numbers of f64, as many as the parts of all elements. */
static tess_array numbers_of(const tess_array *x)
{
    tess_array       wide = { 0 };
    const tess_dtype dtype = tess_dtype_reals(x->dtype) == 2 ? TESS_C64 : TESS_F64;
    CHECK_OK(tess_cast(&wide, x, dtype, NULL));
    return wide;
}

/* Equal bits, or NaN in both: which NaN is not promised. */
static bool same_bits(const tess_array *x, const tess_array *y)
{
    if (x->dtype != y->dtype || !tess_same_shape(x, y)) return false;
    if (!x->data || memcmp(x->data, y->data, (size_t)tess_n_bytes(x)) == 0) return true;
    if (x->dtype < TESS_F16) return false;
    tess_array    wide[2] = { numbers_of(x), numbers_of(y) };
    const double *p = wide[0].data, *q = wide[1].data;
    bool          same = true;
    for (int64_t i = 0; i < tess_n_elements(x) * tess_dtype_reals(x->dtype); i++)
        same = same && (memcmp(&p[i], &q[i], sizeof *p) == 0 || (p[i] != p[i] && q[i] != q[i]));
    tess_release(&wide[0]);
    tess_release(&wide[1]);
    return same;
}

TEST(each_instruction_set_has_all_operators_of_the_library)
{
    for (int i = 0; tess__isas[i].name; i++) {
        if (!tess__isas[i].supported()) continue;
        CHECK_OK(tess_cpu_limit_set(tess__isas[i].name));
        const tess__library_operators *all = &tess__cpu_kernels()->op.library;
        const tess__library_functions *each = (const tess__library_functions *)all;
        for (size_t k = 0; k < sizeof *all / sizeof *each; k++) CHECK(each[k].tile && each[k].join && each[k].post);
        if (i > 0) CHECK(each->tile != tess__kernel_tables[0].op.library.fft_frequencies.tile);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

/* Transforms and products of matrices round twice on x86-64 without FMA, and so does what they are part of: see
 * docs/fft.md and docs/linalg.md. */
static bool has_transforms(const char *name)
{
    static const char *const names[] = { "correlate",
                                         "correlate_map",
                                         "covariance",
                                         "convolve",
                                         "match_template",
                                         "matmul",
                                         "fft_c2c",
                                         "fft_c2r",
                                         "fft_r2c",
                                         "fft_r2r",
                                         "align_frames",
                                         "align_tilts",
                                         "add_frames",
                                         "fourier_backproject",
                                         "fourier_prepare",
                                         "fourier_project",
                                         "fourier_reconstruct",
                                         "fsc_local",
                                         "motion_fit",
                                         "match_projections",
                                         "normalize_background",
                                         "richardson_lucy",
                                         "wiener_deconvolve" };
    const char *const        image = strstr(name, "_image");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return image && strcmp(image, "_image") == 0;
}

/* The instruction set that others must agree with: the first, or the first with FMA. */
static const tess__isa *reference(bool transforms)
{
#if defined(__x86_64__)
    return transforms && tess__isas[1].name && tess__isas[1].supported() ? tess__isas + 1 : tess__isas;
#else
    (void)transforms;
    return tess__isas;
#endif
}

/* ---- Every operation, small ---- */

static void same_outcome(const random_call *c, const call_outcome *got, const call_outcome *want, const char *isa)
{
    bool good = got->status == want->status && strcmp(got->message, want->message) == 0 &&
                memcmp(&got->number, &want->number, sizeof got->number) == 0;
    for (size_t i = 0; i < c->op->n_args && good; i++) good = same_bits(&got->results[i], &want->results[i]);
    for (int k = 0; k < CALL_REDUCTIONS && good; k++) good = same_bits(&got->reduced[k], &want->reduced[k]);
    if (!good)
        (void)test_failed(__FILE__, __LINE__, "%s of %s is another on %s", c->op->name, tess_dtype_name(c->dtype), isa);
}

static void call_on_all(const tess_function_info *op, tess_dtype dtype)
{
    random_call  call;
    call_outcome want, got;
    call_make(&call, op, dtype);
    const tess__isa *first = reference(has_transforms(op->name));
    CHECK_OK(tess_cpu_limit_set(first->name));
    call_run(&call, &want, tess_cpu(), NULL);
    for (const tess__isa *isa = first + 1; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        call_run(&call, &got, tess_cpu(), NULL);
        same_outcome(&call, &got, &want, isa->name);
        outcome_free(&got);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    outcome_free(&want);
    call_free(&call);
}

static bool is_left_out(const tess_function_info *op)
{
    static const char *const modules[] = { "io", "mrc", "star", "sidecar" };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(op->module, modules[i]) == 0) return true;
    return strcmp(op->name, "empty") == 0 || strcmp(op->name, "fft_empty") == 0;
}

TEST(every_operation_gives_the_same_bits_on_each_instruction_set)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_F16, TESS_C32, TESS_I32, TESS_U8 };
    isas_tell_missing();
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes && !is_left_out(op); k++)
            for (int n = 0; n < test_fewer(4); n++) call_on_all(op, dtypes[k]);
    }
}

/* ---- Operators of the library, in rows of several vectors and what is left ---- */

enum { H = 19, W = 83, HALF = W / 2 + 1, REAL_CALLS = 8, MAPS = 8, SPECTRUM_CALLS = 15 };

static tess_array noise(tess_dtype dtype, int64_t w)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 1, H, w), dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0.3, 1, 7, NULL));
    return a;
}

static tess_status find_peak(tess_array *out, const tess_array *x)
{
    tess_array lags = { 0 };
    TESS_TRY(tess_full(&lags, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), 7.5));
    const tess_status status = tess_correlate_peak(out, NULL, x, &(tess_correlate_peak_opts){ .max_lag = &lags });
    tess_release(&lags);
    return status;
}

static tess_status call_real(int which, tess_array *out, const tess_array *x)
{
    switch (which) {
    case 5: return tess_taper(out, x, &(tess_taper_opts){ .width_h = 3, .width_w = 14.5, .value = 1.25 });
    case 1: return tess_taper_radial(out, x, 6, &(tess_taper_radial_opts){ .width = 5, .shift_w = 0.5, .mean = 1 });
    case 2: return tess_normalize_background(out, x, 7.5, NULL);
    case 3: return tess_normalize_background(out, x, 20, &(tess_normalize_background_opts){ .inside = 1, .ddof = 1 });
    case 4: return tess_correlate_score(out, x, x, &(tess_correlate_score_opts){ .centre = 1, .normalize = 1 });
    case 0: return tess_match_template(out, x, x, NULL, NULL);
    case 6: return find_peak(out, x);
    default: return tess_fft_frequencies(out, TESS_SHAPE(2, 1, H, W), NULL);
    }
}

/* Of a half spectrum: maps in all modes, phase shifts, whitening, random phases. */
static tess_status call_spectrum(int which, tess_array *out, const tess_array *x)
{
    const tess_shape                shape = TESS_SHAPE(2, 1, H, W);
    const tess_correlate_map_opts   map = { .mode = which / 2 + 1, .centred = which % 2 };
    const tess_fft_phase_shift_opts below = { .cutoff = 0.3 };
    tess_array                      shifts = { 0 };
    tess_status                     status;
    if (which < MAPS) return tess_correlate_map(out, x, x, shape, &map);
    if (which == 8) return tess_whiten(out, x, shape, NULL);
    if (which == 9) return tess_phase_randomize(out, x, shape, 0.1, 5, NULL);
    if (which == 10) return tess_fsc(out, x, x, shape, NULL);
    if (which == 11) return tess_radial_power(out, x, shape, NULL);
    if (which == 12) return tess_correlate_score(out, x, x, &(tess_correlate_score_opts){ .normalize = 1 });
    TESS_TRY(tess_linspace(&shifts, TESS_SHAPE(2, 1, 1, 2), TESS_F64, tess_cpu(), -3.7, 100.3, NULL));
    status = tess_fft_phase_shift(out, x, shape, &shifts, which == 13 ? NULL : &below);
    tess_release(&shifts);
    return status;
}

/* The first `transforms` calls have transforms in them. */
typedef struct calls {
    tess_status (*call)(int which, tess_array *out, const tess_array *x);
    int n, transforms;
} calls;

static void compare_all(calls c, tess_dtype dtype, int64_t w)
{
    tess_array x = noise(dtype, w);
    for (int which = 0; which < c.n; which++) {
        const tess__isa *first = reference(which < c.transforms);
        tess_array       want = { 0 };
        CHECK_OK(tess_cpu_limit_set(first->name));
        CHECK_OK(c.call(which, &want, &x));
        for (const tess__isa *isa = first + 1; isa->name; isa++) {
            tess_array got = { 0 };
            if (!isa->supported()) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            CHECK_OK(c.call(which, &got, &x));
            if (!same_bits(&got, &want))
                (void)test_failed(__FILE__, __LINE__, "call %d of %s is another on %s", which, tess_dtype_name(dtype),
                                  isa->name);
            tess_release(&got);
        }
        tess_release(&want);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    tess_release(&x);
}

TEST(operators_of_the_library_give_the_same_bits_on_each_instruction_set)
{
    for (int k = 0; k < 3; k++) {
        compare_all((calls){ call_real, REAL_CALLS, 1 }, (tess_dtype)(TESS_F16 + k), W);
        compare_all((calls){ call_spectrum, SPECTRUM_CALLS, MAPS }, (tess_dtype)(TESS_C16 + k), HALF);
    }
}
