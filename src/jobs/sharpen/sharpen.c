/* Sharpening: the mean of two half maps, weighted by their correlation, with a B-factor by a Guinier fit. */
#include "tessera/jobs/sharpen.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/data/maps/half_maps.h"
#include "jobs/run/table.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/geometry.h"
#include "tessera/signal.h"

#define ANGSTROM "\xc3\x85"

enum { FREQUENCY, AMPLITUDE, WEIGHT, SHARPENED, FSC, COLUMNS };

static const tess_choice columns[] = {
    { "frequency", FREQUENCY, "spatial frequency, 1/" ANGSTROM },
    { "amplitude", AMPLITUDE, "mean amplitude of the weighted average map" },
    { "weight", WEIGHT, "FSC weight sqrt(2 FSC / (1 + FSC)), or 1" },
    { "sharpened", SHARPENED, "mean amplitude of the sharpened map, before the mask; NaN without want_sharpened" },
    { "fsc", FSC, "FSC of the half maps; 0 for a single map" },
    { NULL, 0, NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_sharpen_result, map, "", "sharpened map"),
    TESS__RESULT_COLUMNS(tess_sharpen_result, shells, columns, "one row per shell"),
    TESS__RESULT_F64(tess_sharpen_result, bfactor, ANGSTROM "\xc2\xb2", "B-factor, fitted or given"),
    TESS__RESULT_F64(tess_sharpen_result, fit_from, ANGSTROM, "resolution where the fit begins"),
    TESS__RESULT_F64(tess_sharpen_result, fit_to, ANGSTROM, "resolution where the fit ends"),
    TESS__RESULT_F64(tess_sharpen_result, intercept, "", "ln(amplitude) of the fitted line at frequency 0"),
    TESS__RESULT_F64(tess_sharpen_result, correlation, "", "correlation coefficient of the fit"),
    TESS__RESULT_F64(tess_sharpen_result, resolution, ANGSTROM, "resolution where the FSC falls below 0.143"),
    TESS__RESULT_F64(tess_sharpen_result, lowpass, ANGSTROM, "resolution of the low-pass filter"),
    TESS__RESULT_FLAG(tess_sharpen_result, is_fitted, "whether the B-factor was fitted"),
    TESS__RESULT_FLAG(tess_sharpen_result, crosses, "whether the FSC falls below 0.143; otherwise Nyquist is reported"),
    TESS__SOURCE("half1", "half map"),
    TESS__SOURCE_OPTIONAL("half2", "second half map, of the same size [none: sharpen one map]"),
    TESS__AUTO_F64(tess_sharpen_opts, bfactor, ANGSTROM "\xc2\xb2", "fitted", -DBL_MAX, DBL_MAX,
                   "B-factor; negative values sharpen"),
    TESS__OPT_F64(tess_sharpen_opts, fit_from, ANGSTROM, 10, TESS__POSITIVE, DBL_MAX,
                  "resolution where the fit begins"),
    TESS__AUTO_F64(tess_sharpen_opts, fit_to, ANGSTROM, "the resolution", TESS__POSITIVE, DBL_MAX,
                   "resolution where the fit ends"),
    TESS__FLAG(tess_sharpen_opts, relion_fit,
               "fit over the range of relion_postprocess, which extends beyond the resolution to where the FSC first "
               "falls to 0"),
    TESS__AUTO_F64(tess_sharpen_opts, lowpass, ANGSTROM, "where the FSC is 0.143", TESS__POSITIVE, DBL_MAX,
                   "resolution of the low-pass filter"),
    TESS__AUTO_F64(tess_sharpen_opts, edge, "cycles per pixel", "2 shells", 0, DBL_MAX,
                   "width of the soft edge of the low-pass filter"),
    TESS__FLAG(tess_sharpen_opts, no_weight, "do not apply the weights sqrt(2 FSC / (1 + FSC))"),
    TESS__OPT_SOURCE(tess_sharpen_opts, mask, "mask with values from 0 to 1, as large as a map"),
    TESS__OPT_F64(tess_sharpen_opts, randomize_at_fsc, "", 0.8, TESS__POSITIVE, 1,
                  "randomise phases from where the unmasked FSC falls below this"),
    TESS__AUTO_F64(tess_sharpen_opts, randomize_at, ANGSTROM, "by randomize_at_fsc", TESS__POSITIVE, DBL_MAX,
                   "randomise phases from this resolution on"),
    TESS__FLAG(tess_sharpen_opts, apply_mask, "multiply the result by the mask"),
    TESS__FLAG(tess_sharpen_opts, want_sharpened, "also measure the amplitudes of the sharpened map"),
    TESS__AUTO_F64(tess_sharpen_opts, pixel_size, ANGSTROM, "that of half1", TESS__POSITIVE, DBL_MAX, "pixel size"),
};

TESS__JOB_RUN(sharpen, v[0].source, v[1].source)
const tess_job_info tess__job_sharpen =
    TESS__JOB(sharpen, "Average two half maps, weight the map by their FSC and sharpen it by a B-factor", args,
              tess_sharpen_opts, tess_sharpen_result);

#define NO_CORRELATION 1e-4 /* where RELION takes an FSC for 0 */

typedef struct sharpening {
    tess__half_maps          maps;
    const tess_sharpen_opts *opts;
    tess_sharpen_result     *result;
    tess_array               map[2];                         /* on the device; the first becomes the mean of both */
    double                  *curves;                         /* of tess__half_maps_correlate */
    double                  *weight, *amplitude, *sharpened; /* of each shell */
    double                   cutoff, width;                  /* of the low-pass, cycles per pixel */
    int64_t                  correlated;                     /* shells before the correlation first falls to 0 */
} sharpening;

/* ---- Measures ---- */

static tess_status read_maps(sharpening *s)
{
    const tess__half_maps *h = &s->maps;
    const int64_t          bytes = h->shape.d * h->shape.h * h->shape.w * (int64_t)tess_dtype_size(h->dtype);
    TESS_TRY(tess__volume_fits(h->context, h->fn, h->shape,
                               (h->n + (h->mask.data ? 1 : 0)) * bytes + h->shape.d * tess__half_maps_workspace(h)));
    for (int k = 0; k < h->n; ++k) TESS_TRY(tess_source_read_all(h->in[k], &s->map[k], h->dtype, h->context));
    return TESS_OK;
}

/* The resolution and the weights, of the correlation of the half maps. */
static tess_status measure_halves(sharpening *s)
{
    tess__half_maps     *h = &s->maps;
    tess_sharpen_result *r = s->result;
    int64_t              from;
    bool                 crosses;
    tess_array           fsc, weights;
    TESS_TRY(tess__half_maps_correlate(h, s->map, 0, s->curves, &from));
    double *curve = tess__half_maps_curve(h, s->curves, tess__half_maps_final(h), 0);
    TESS_TRY(tess__half_maps_resolution(h, curve, 0.143, false, &r->resolution, &crosses));
    TESS_CHECK(isfinite(r->resolution) || s->cutoff > 0, TESS_ERANGE,
               "%s: the correlation of %s and %s is below 0.143 from the first shell on; give `opts->lowpass`", h->fn,
               h->in[0]->name, h->in[1]->name);
    r->crosses = crosses;
    if (s->cutoff == 0) s->cutoff = h->pixel_size / r->resolution;
    while (s->correlated < h->shells && curve[s->correlated] >= NO_CORRELATION) s->correlated++;
    if (s->opts->no_weight) return TESS_OK;
    TESS_TRY(tess_wrap(&fsc, curve, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&weights, s->weight, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    return tess_fsc_weight(&weights, &fsc);
}

/* The mean amplitude of each shell. */
static tess_status measure_amplitudes(const sharpening *s, const tess_array *spectrum, double *to)
{
    const tess__half_maps             *h = &s->maps;
    const tess_shape                   shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    const tess_rotational_average_opts opts = { .shells = h->shells,
                                                .nearest = s->opts->relion_fit,
                                                .out_stop = (double)(h->shells - 1) / (double)h->side };
    tess_array                         size = { 0 }, mean = { 0 }, exact = { 0 };
    tess_status                        status;
    TESS_GOTO(done, status, tess_cast(&size, spectrum, h->dtype, &(tess_cast_opts){ .part = TESS_PART_ABS }));
    TESS_GOTO(done, status, tess_rotational_average(&mean, &size, shape, &opts));
    TESS_GOTO(done, status, tess_cast(&exact, &mean, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__move(&exact, tess_cpu()));
    for (int64_t i = 0; i < h->shells; ++i) to[i] = ((const double *)exact.data)[i];
done:
    tess_release(&size);
    tess_release(&mean);
    tess_release(&exact);
    return status;
}

/* ---- The B-factor ---- */

/* The end of RELION's fit in Å: the last shell before the correlation first falls to 0, or opts->fit_to. */
static double end_as_relion(sharpening *s)
{
    const double last = tess__half_maps_frequency(&s->maps, s->correlated - 1) * (1 + 1e-9);
    for (int64_t i = s->correlated; i < s->maps.shells; ++i) s->amplitude[i] = 0;
    return fmax(s->opts->fit_to, 1 / last);
}

/* A straight line through ln(amplitude) against 1/d². */
static tess_status fit_line(sharpening *s)
{
    const tess__half_maps      *h = &s->maps;
    tess_sharpen_result        *r = s->result;
    const tess_guinier_fit_opts opts = { .low = 1 / r->fit_from, .high = 1 / r->fit_to };
    tess_array                  rows, found;
    double                      fit[3] = { NAN, NAN, NAN };
    TESS_TRY(tess_wrap(&rows, s->amplitude, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&found, fit, TESS_SHAPE(1, 1, 1, 3), TESS_F64, NULL));
    TESS_TRY(tess_guinier_fit(&found, &rows, tess__half_maps_frequency(h, 1), &opts));
    TESS_CHECK(isfinite(fit[0]), TESS_ERANGE,
               "%s: a line cannot be fitted from %.4g to %.4g A, where fewer than two shells have an amplitude; choose "
               "another range with `opts->fit_from` and `opts->fit_to`",
               h->fn, r->fit_from, r->fit_to);
    r->bfactor = fit[0];
    r->intercept = fit[1];
    r->correlation = fit[2];
    r->is_fitted = 1;
    return TESS_OK;
}

static tess_status find_bfactor(sharpening *s)
{
    const tess__half_maps   *h = &s->maps;
    const tess_sharpen_opts *o = s->opts;
    tess_sharpen_result     *r = s->result;
    const bool               is_given = !isnan(o->bfactor);
    r->fit_from = o->fit_from;
    r->fit_to = o->fit_to > 0 ? o->fit_to : h->pixel_size / s->cutoff;
    for (int64_t i = 0; i < h->shells; ++i) s->amplitude[i] *= s->weight[i];
    if (o->relion_fit) r->fit_to = end_as_relion(s);
    TESS_CHECK(is_given || r->fit_from > r->fit_to, TESS_ERANGE,
               "%s: the fit begins at %.4g A and ends at %.4g A; it must begin at a coarser resolution: give "
               "`opts->fit_from`, or `opts->bfactor` instead of a fit",
               h->fn, r->fit_from, r->fit_to);
    if (!is_given) return fit_line(s);
    r->bfactor = o->bfactor;
    return TESS_OK;
}

/* ---- The work ---- */

static tess_status filter(const sharpening *s, tess_array *spectrum)
{
    const tess__half_maps       *h = &s->maps;
    const tess_shape             shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    const tess_filter_curve_opts along = { .last = (double)(h->shells - 1) / (double)h->side };
    const tess_lowpass_opts      edge = { .width = s->width };
    tess_array                   weights = { 0 };
    TESS_TRY(tess_wrap(&weights, s->weight, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    tess_status status = tess__move(&weights, spectrum->device);
    if (status == TESS_OK) status = tess_filter_curve(spectrum, spectrum, shape, &weights, &along);
    tess_release(&weights);
    TESS_TRY(status);
    TESS_TRY(tess_bfactor(spectrum, spectrum, shape, s->result->bfactor, h->pixel_size, NULL));
    return tess_lowpass(spectrum, spectrum, shape, fmax(s->cutoff - s->width / 2, 0), &edge);
}

static tess_status sharpen_mean(sharpening *s, tess_array *spectrum)
{
    const tess__half_maps *h = &s->maps;
    const tess_shape       shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    tess_array            *map = &s->map[0];
    if (h->n == 2) {
        TESS_TRY(tess_add(map, map, &s->map[1]));
        TESS_TRY(tess_mul(map, map, &tess_f64(0.5)));
        tess_release(&s->map[1]);
    }
    TESS_TRY(tess_fft_r2c(spectrum, map, NULL));
    TESS_TRY(measure_amplitudes(s, spectrum, s->amplitude));
    TESS_CHECK(isfinite(s->amplitude[0]), TESS_EFORMAT, "%s: %s has NaN or infinite values", h->fn, h->in[0]->name);
    TESS_TRY(find_bfactor(s));
    TESS_TRY(filter(s, spectrum));
    if (s->opts->want_sharpened) TESS_TRY(measure_amplitudes(s, spectrum, s->sharpened));
    TESS_TRY(tess_fft_c2r(map, spectrum, shape, &(tess_fft_opts){ .overwrite = 1 }));
    if (s->opts->apply_mask) TESS_TRY(tess_mul(map, map, &h->mask));
    return tess__move(map, tess_cpu());
}

static tess_status check_options(sharpening *s)
{
    const tess__half_maps   *h = &s->maps;
    const tess_sharpen_opts *o = s->opts;
    TESS_TRY(tess__half_maps_need_volume(h));
    s->cutoff = o->lowpass > 0 ? fmin(h->pixel_size / o->lowpass, 0.5) : 0;
    s->width = isnan(o->edge) ? 2.0 / (double)h->side : o->edge;
    s->correlated = 1;
    TESS_CHECK(h->n == 2 || s->cutoff > 0, TESS_EARG,
               "%s: the resolution of a single map is not known; give `opts->lowpass`, or both half maps", h->fn);
    TESS_CHECK(!o->apply_mask || h->mask.data, TESS_EARG, "%s: `opts->apply_mask` requires `opts->mask`", h->fn);
    TESS_CHECK(!o->relion_fit || (h->n == 2 && isnan(o->bfactor)), TESS_EARG,
               "%s: `opts->relion_fit` requires both half maps and no `opts->bfactor`", h->fn);
    return TESS_OK;
}

static tess_status fill_table(const sharpening *s)
{
    const tess__half_maps *h = &s->maps;
    tess_array            *table = &s->result->shells;
    const double          *fsc = tess__half_maps_curve(h, s->curves, tess__half_maps_final(h), 0);
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, h->shells, COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < h->shells; ++i, row += COLUMNS) {
        row[FREQUENCY] = tess__half_maps_frequency(h, i);
        row[AMPLITUDE] = s->amplitude[i];
        row[WEIGHT] = s->weight[i];
        row[SHARPENED] = s->sharpened[i];
        row[FSC] = h->n == 2 ? fsc[i] : 0;
    }
    return TESS_OK;
}

static tess_status sharpen(sharpening *s)
{
    const tess__half_maps *h = &s->maps;
    const int64_t          size = tess__half_maps_size(h);
    tess_array             spectrum = { 0 };
    tess__stage            stage;
    TESS_TRY(check_options(s));
    s->curves = tess__alloc((size_t)(size + 3 * h->shells) * sizeof(double));
    TESS_CHECK(s->curves, TESS_ENOMEM, "%s: out of memory", h->fn);
    s->weight = s->curves + size;
    s->amplitude = s->weight + h->shells;
    s->sharpened = s->amplitude + h->shells;
    for (int64_t i = 0; i < h->shells; ++i) s->weight[i] = 1, s->sharpened[i] = NAN;
    TESS_TRY(tess__stage_begin(&stage, h->fn, h->context, (tess_progress){ .stage = "steps", .total = 3 }));
    TESS_TRY(read_maps(s));
    TESS_TRY(tess__stage_add(&stage, 1));
    if (h->n == 2) TESS_TRY(measure_halves(s));
    TESS_TRY(tess__stage_add(&stage, 1));
    const tess_status status = sharpen_mean(s, &spectrum);
    tess_release(&spectrum);
    TESS_TRY(status);
    s->result->lowpass = h->pixel_size / s->cutoff;
    TESS_TRY(fill_table(s));
    s->result->map = s->map[0];
    s->map[0] = (tess_array){ 0 };
    return tess__stage_add(&stage, 1);
}

static void release(sharpening *s)
{
    tess_release(&s->map[0]);
    tess_release(&s->map[1]);
    tess__half_maps_close(&s->maps);
    tess__free(s->curves);
}

tess_status tess_sharpen(tess_sharpen_result *result, const tess_source *half1, const tess_source *half2,
                         const tess_sharpen_opts *opts, const tess_context *context)
{
    static const char fn[] = "sharpen";
    tess_sharpen_opts o;
    tess_context      c;
    sharpening        s = { .opts = &o, .result = result };
    TESS__CALL_SCOPE();
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "half1", half1));
    if (half2) TESS_TRY(tess__check_source(fn, "half2", half2));
    TESS_TRY(tess__resolve(&tess__job_sharpen.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    TESS_CHECK(isnan(o.bfactor) || !(o.fit_to > 0 || (opts && opts->fit_from != 0)), TESS_EARG,
               "%s: `opts->bfactor` is given, but `opts->fit_from` and `opts->fit_to` are for a fit; give only one",
               fn);
    TESS_TRY(tess__half_maps_need_mask(fn, o.mask, opts ? opts->randomize_at_fsc : 0, o.randomize_at));
    const tess__half_map_opts maps = { .mask = o.mask,
                                       .randomize_at_fsc = o.randomize_at_fsc,
                                       .randomize_at = o.randomize_at,
                                       .pixel_size = o.pixel_size };
    const tess_source *const  in[2] = { half1, half2 };
    tess_status               status = tess__half_maps_open(&s.maps, fn, in, &maps, &c);
    if (status == TESS_OK) status = sharpen(&s);
    release(&s);
    if (status != TESS_OK) tess_sharpen_result_release(result);
    return status;
}

void tess_sharpen_result_release(tess_sharpen_result *result)
{
    if (!result) return;
    tess_release(&result->map);
    tess_release(&result->shells);
    memset(result, 0, sizeof *result);
}
