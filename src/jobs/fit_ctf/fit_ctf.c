/* CTF estimation: CTF^2 is fitted to the power spectrum of each micrograph, after CTFFIND4. */
#include "tessera/jobs/fit_ctf.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/movies/microscope.h"
#include "jobs/data/pixels.h"
#include "jobs/fit_ctf/micrograph_power.h"
#include "jobs/run/table.h"

static const tess_choice columns[] = {
    { "defocus_u", 0, "larger defocus, \xc2\xb5m" },
    { "defocus_v", 1, "smaller defocus, \xc2\xb5m" },
    { "angle", 2, "angle of defocus U from x towards y, radians" },
    { "phase_shift", 3, "phase shift, radians" },
    { "score", 4, "correlation of the spectrum with CTF^2" },
    { "resolution", 5, "resolution up to which the Thon rings match the fit, \xc3\x85; NaN: nowhere" },
    { "defocus_error", 6, "standard deviation of the mean defocus, \xc2\xb5m" },
    { "astigmatism_error", 7, "standard deviation of half the difference of U and V, \xc2\xb5m" },
    { "angle_error", 8, "standard deviation of the angle, radians" },
    { "phase_shift_error", 9, "standard deviation of the phase shift, radians" },
    { NULL, 0, NULL },
};
enum { COLUMNS = 10 };

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_fit_ctf_result, fits, "", "CTF of each micrograph, {n,1,1,17} in the order of tess_ctf"),
    TESS__RESULT_COLUMNS(tess_fit_ctf_result, table, columns, "fit of each micrograph; NaN without a fit"),
    TESS__RESULT_ARRAY(tess_fit_ctf_result, power, "", "averaged power spectra, {n,1,tile,tile/2+1}"),
    TESS__RESULT_ARRAY(tess_fit_ctf_result, curves, "",
                       "spectrum, CTF^2 and their correlation, averaged along lines of equal phase"),
    TESS__RESULT_I64(tess_fit_ctf_result, n_fitted, "", "number of micrographs with a fit"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_IMAGES, "micrographs",
                  "micrographs, or the frames of a movie"),
    TESS__MICROSCOPE_ROWS(tess_fit_ctf_opts),
    TESS__OPT_I64(tess_fit_ctf_opts, tile, "pixels", 512, 16, 8192, "tile size, an even number"),
    TESS__AUTO_F64(tess_fit_ctf_opts, low, "\xc3\x85", "30", TESS__POSITIVE, DBL_MAX,
                   "low-resolution limit of the fit"),
    TESS__AUTO_F64(tess_fit_ctf_opts, high, "\xc3\x85", "5, or Nyquist", TESS__POSITIVE, DBL_MAX,
                   "high-resolution limit of the fit"),
    TESS__OPT_F64(tess_fit_ctf_opts, min_defocus, "\xc2\xb5m", 0.3, -DBL_MAX, DBL_MAX, "minimum mean defocus searched"),
    TESS__OPT_F64(tess_fit_ctf_opts, max_defocus, "\xc2\xb5m", 5, -DBL_MAX, DBL_MAX, "maximum mean defocus searched"),
    TESS__OPT_F64(tess_fit_ctf_opts, max_astigmatism, "\xc2\xb5m", 0.3, 0, 1000,
                  "maximum astigmatism (half the difference of U and V); 0: do not fit astigmatism"),
    TESS__OPT_F64(tess_fit_ctf_opts, tolerated_astigmatism, "\xc2\xb5m", 0.01, 0, 1000,
                  "scale of the soft restraint on astigmatism (half the difference of U and V); 0: no restraint"),
    TESS__OPT_F64(tess_fit_ctf_opts, phase_shift, "radians", 0, -DBL_MAX, DBL_MAX,
                  "known phase shift of a phase plate"),
    TESS__OPT_F64(tess_fit_ctf_opts, min_phase_shift, "radians", 0, -DBL_MAX, DBL_MAX, "minimum phase shift searched"),
    TESS__OPT_F64(tess_fit_ctf_opts, max_phase_shift, "radians", 0, -DBL_MAX, DBL_MAX, "maximum phase shift searched"),
    TESS__FLAG(tess_fit_ctf_opts, movie, "treat the images as frames of one movie"),
    TESS__OPT_I64(tess_fit_ctf_opts, frames, "", 1, 1, 0x1p31, "movie frames summed for each spectrum"),
    TESS__AUTO_F64(tess_fit_ctf_opts, pixel_size, "\xc3\x85", "that of the micrographs", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN(fit_ctf, v[0].source)
const tess_job_info tess__job_fit_ctf =
    TESS__JOB(fit_ctf, "Estimate defocus, astigmatism and phase shift of micrographs and movies", args,
              tess_fit_ctf_opts, tess_fit_ctf_result);

static const char fn[] = "fit_ctf";

typedef struct fitting {
    const tess_source  *source;
    const tess_context *context;
    tess_fit_ctf_opts   o;
    tess_ctf            known;
    double              pixel; /* mean size, Å */
    tess_ctf_fit_opts   fit;
} fitting;

/* ---- Options ---- */

static tess_status check_options(const tess_fit_ctf_opts *o)
{
    TESS_CHECK(o->tile % 2 == 0, TESS_ERANGE, "%s: `opts->tile` is %lld; it must be an even number", fn,
               (long long)o->tile);
    TESS_CHECK(o->min_defocus < o->max_defocus, TESS_ERANGE,
               "%s: `opts->max_defocus` (%g um) must exceed `opts->min_defocus` (%g um)", fn, o->max_defocus,
               o->min_defocus);
    TESS_CHECK(o->min_phase_shift <= o->max_phase_shift, TESS_ERANGE,
               "%s: `opts->max_phase_shift` (%g radians) must be at least `opts->min_phase_shift` (%g radians)", fn,
               o->max_phase_shift, o->min_phase_shift);
    TESS_CHECK(o->min_phase_shift == o->max_phase_shift || o->phase_shift == 0, TESS_EARG,
               "%s: `opts->phase_shift` fixes the phase shift, but `opts->min_phase_shift` and `opts->max_phase_shift` "
               "fit it; give only one",
               fn);
    TESS_CHECK(o->frames == 1 || o->movie, TESS_EARG, "%s: `opts->frames` requires `opts->movie`", fn);
    return TESS_OK;
}

static tess_status check_source(const fitting *f)
{
    const tess_shape s = f->source->shape;
    TESS_TRY(tess__need_real(fn, f->source));
    TESS_CHECK(s.d == 1 && s.b > 0, TESS_ESHAPE, "%s: %s has the shape {%lld,%lld,%lld,%lld}; images are expected", fn,
               f->source->name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    TESS_CHECK(s.h >= f->o.tile && s.w >= f->o.tile, TESS_EARG,
               "%s: %s has %lld x %lld pixels (x y); tiles of %lld do not fit; reduce `opts->tile`", fn,
               f->source->name, (long long)s.w, (long long)s.h, (long long)f->o.tile);
    return TESS_OK;
}

/* The pixel size along h and w, which may differ. */
static tess_status know_microscope(fitting *f)
{
    const tess_meta *meta = f->source->meta;
    const bool       is_given = f->o.pixel_size > 0;
    TESS_CHECK(is_given || (meta && meta->pixel_size[1] > 0 && meta->pixel_size[2] > 0), TESS_EARG,
               "%s: the pixel size of %s is not known; give `opts->pixel_size`", fn, f->source->name);
    for (int k = 0; k < 2; k++) f->known.pixel_size[k] = is_given ? f->o.pixel_size : meta->pixel_size[1 + k];
    f->known.voltage = f->o.voltage;
    f->known.cs = f->o.cs;
    f->known.amplitude = f->o.amplitude;
    f->known.phase_shift = f->o.phase_shift;
    f->pixel = 0.5 * (f->known.pixel_size[0] + f->known.pixel_size[1]);
    return TESS_OK;
}

/* What tess_ctf_fit is asked for. */
static tess_status plan_fit(fitting *f)
{
    const tess_fit_ctf_opts *o = &f->o;
    tess_ctf_fit_opts       *fit = &f->fit;
    fit->low = o->low > 0 ? f->pixel / o->low : f->pixel / 30;
    fit->high = fmin(o->high > 0 ? f->pixel / o->high : f->pixel / 5, 0.5);
    TESS_CHECK(fit->low < fit->high, TESS_ERANGE,
               "%s: %s would be fitted from %.3g to %.3g A; `opts->low` must be coarser than `opts->high`", fn,
               f->source->name, f->pixel / fit->low, f->pixel / fit->high);
    fit->low = tess_given(fit->low);
    fit->min_defocus = tess_given(o->min_defocus);
    fit->max_defocus = tess_given(o->max_defocus);
    fit->isotropic = o->max_astigmatism == 0;
    fit->unrestrained = o->tolerated_astigmatism == 0;
    fit->max_astigmatism = o->max_astigmatism;
    fit->tolerated_astigmatism = o->tolerated_astigmatism;
    if (o->min_phase_shift < o->max_phase_shift) {
        fit->min_phase_shift = tess_given(o->min_phase_shift);
        fit->max_phase_shift = tess_given(o->max_phase_shift);
    }
    return TESS_OK;
}

/* ---- Fits ---- */

static int64_t n_micrographs(const fitting *f) { return f->o.movie ? 1 : f->source->shape.b; }

/* One micrograph of a source. */
typedef struct one_image {
    const tess_source *of;
    int64_t            index;
} one_image;

static tess_status read_one(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range cols)
{
    const one_image *one = user;
    return tess_source_read_part(one->of, out, one->index + first, rows, cols);
}

/* The job reports its micrographs: where one more frame of one was read, the caller may cancel. */
typedef struct asking {
    const tess_context *context;
    tess_progress       micrographs;
} asking;

static int32_t ask(void *user, const tess_progress *frames)
{
    const asking *a = user;
    (void)frames;
    return a->context->progress(a->context->user, &a->micrographs);
}

static tess_status measure_power(const fitting *f, int64_t i, tess_array *power)
{
    asking       of = { f->context, { .stage = "micrographs", .done = i, .total = n_micrographs(f) } };
    tess_context context = *f->context;
    context.progress = context.progress ? ask : NULL;
    context.warning = NULL;
    context.user = &of;
    one_image   one = { f->source, i };
    tess_source source = *f->source;
    if (!f->o.movie) {
        source.shape.b = 1;
        source.array = NULL;
        source.read = read_one;
        source.user = &one;
    }
    return tess__micrograph_power(power, fn, &source, f->o.tile, f->o.frames, &context);
}

/* A row of the table, of what was fitted. */
static void fill_row(const fitting *f, double row[COLUMNS], const tess_ctf *c, double score, double frequency,
                     const double errors[4])
{
    row[0] = c->defocus + c->astigmatism;
    row[1] = c->defocus - c->astigmatism;
    row[2] = c->angle;
    row[3] = c->phase_shift;
    row[4] = score;
    row[5] = frequency > 0 ? f->pixel / frequency : NAN;
    memcpy(row + 6, errors, 4 * sizeof *errors);
}

static tess_status fit_power(const fitting *f, tess_fit_ctf_result *r, int64_t i)
{
    const int64_t     n = f->o.tile;
    tess_ctf_fit_opts fit = f->fit;
    tess_array        fits, scores, resolutions, errors, curves, power;
    double            score = 0, frequency = 0, error[4] = { 0 };
    TESS_TRY(tess_wrap(&scores, &score, TESS_SHAPE(1, 1, 1, 1), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&resolutions, &frequency, TESS_SHAPE(1, 1, 1, 1), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&errors, error, TESS_SHAPE(1, 1, 1, 4), TESS_F64, NULL));
    TESS_TRY(tess_index(&fits, &r->fits, 0, i));
    TESS_TRY(tess_index(&curves, &r->curves, 0, i));
    TESS_TRY(tess_index(&power, &r->power, 0, i));
    fit.errors = &errors, fit.curves = &curves;
    TESS_TRY(tess_ctf_fit(&fits, &scores, &resolutions, &power, TESS_SHAPE(1, 1, n, n), &f->known, &fit));
    const tess_ctf *ctf = fits.data;
    fill_row(f, (double *)r->table.data + i * COLUMNS, ctf, score, frequency, error);
    r->n_fitted += isfinite(ctf->defocus) ? 1 : 0;
    return TESS_OK;
}

static tess_status fit_one(const fitting *f, tess_fit_ctf_result *r, int64_t i)
{
    tess_array power = { 0 }, to;
    TESS_TRY(measure_power(f, i, &power));
    tess_status status = tess_index(&to, &r->power, 0, i);
    if (status == TESS_OK) status = tess_copy(&to, &power);
    tess_release(&power);
    TESS_TRY(status);
    return fit_power(f, r, i);
}

static tess_status fit_all(const fitting *f, tess_fit_ctf_result *r)
{
    const int64_t n = n_micrographs(f), tile = f->o.tile, half = tile / 2 + 1;
    tess__stage   stage;
    TESS_TRY(tess_zeros(&r->fits, TESS_SHAPE(n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&r->table, TESS_SHAPE(1, 1, n, COLUMNS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&r->power, TESS_SHAPE(n, 1, tile, half), TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&r->curves, TESS_SHAPE(n, 1, 3, half), TESS_F64, tess_cpu()));
    TESS_TRY(tess__stage_begin(&stage, fn, f->context, (tess_progress){ .stage = "micrographs", .total = n }));
    for (int64_t i = 0; i < n; i++) {
        TESS_TRY(fit_one(f, r, i));
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    return TESS_OK;
}

tess_status tess_fit_ctf(tess_fit_ctf_result *result, const tess_source *micrographs, const tess_fit_ctf_opts *opts,
                         const tess_context *context)
{
    tess_context c;
    fitting      f = { .source = micrographs, .context = &c };
    TESS__CALL_SCOPE();
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "micrographs", micrographs));
    TESS_TRY(tess__resolve(&tess__job_fit_ctf.function, opts, &f.o));
    TESS_TRY(tess__context(&c, fn, context));
    TESS_TRY(check_options(&f.o));
    TESS_TRY(check_source(&f));
    TESS_TRY(know_microscope(&f));
    TESS_TRY(plan_fit(&f));
    const tess_status status = fit_all(&f, result);
    if (status != TESS_OK) tess_fit_ctf_result_release(result);
    return status;
}

void tess_fit_ctf_result_release(tess_fit_ctf_result *result)
{
    if (!result) return;
    tess_release(&result->fits);
    tess_release(&result->table);
    tess_release(&result->power);
    tess_release(&result->curves);
    memset(result, 0, sizeof *result);
}
