/* A chain of filters applied to images. */
#include "filters/filter_chain.h"

#include "measure/in_place.h"

/* Those of the images from `first` on. */
static tess_status rows_of(tess_array *some, const tess_array *rows, int64_t first, int64_t n)
{
    *some = *rows;
    return rows->shape.b > 1 ? tess_slice(some, rows, 0, first, first + n, 1) : TESS_OK;
}

static tess_status pass_stage(const filter_chain *f, const stage *s, tess_array *x, tess_shape shape)
{
    const int32_t           edge = (int32_t)f->edge_type, centred = edge == TESS_FILTER_COSINE && f->edge > 0;
    const tess_lowpass_opts o = {
        .width = f->edge, .metric = f->metric, .edge = edge, .order = f->order, .centred = centred
    };
    const tess_bandpass_opts both = { .low_width = f->edge,
                                      .high_width = f->edge,
                                      .metric = f->metric,
                                      .edge = edge,
                                      .order = f->order,
                                      .centred = centred };
    if (!s->has_low) return tess_lowpass(x, x, shape, s->high, &o);
    if (!s->has_high) return tess_highpass(x, x, shape, s->low, &o);
    return tess_bandpass(x, x, shape, s->low, s->high, &both);
}

/* One Gaussian less another. */
static tess_status subtract_bells(const filter_chain *f, const stage *s, tess_array *x, tess_shape shape)
{
    const tess_bfactor_opts opts = { .metric = f->metric };
    tess_array              wide = { 0 };
    tess_status             status = TESS_OK;
    TESS_GOTO(done, status, tess_bfactor(&wide, x, shape, s->other, 1, &opts));
    TESS_GOTO(done, status, tess_bfactor(x, x, shape, s->bfactor, 1, &opts));
    TESS_GOTO(done, status, tess_sub(x, x, &wide));
done:
    tess_release(&wide);
    return status;
}

/* One filter on the spectra of images of this shape, which are those from `first` on. */
static tess_status filter_spectra(const filter_chain *f, const stage *s, tess_array *x, tess_shape shape, int64_t first)
{
    tess_array some;
    switch (s->kind) {
    case STAGE_PASS: return pass_stage(f, s, x, shape);
    case STAGE_BELL: return tess_bfactor(x, x, shape, s->bfactor, 1, &(tess_bfactor_opts){ .metric = f->metric });
    case STAGE_BELLS: return subtract_bells(f, s, x, shape);
    case STAGE_WHITEN: return tess_whiten(x, x, shape, NULL);
    case STAGE_CURVE:
        TESS_TRY(rows_of(&some, &s->numbers, first, shape.b));
        return tess_filter_curve(x, x, shape, &some, &(tess_filter_curve_opts){ .metric = f->metric });
    default:
        TESS_TRY(rows_of(&some, &s->numbers, first, shape.b));
        return tess_dose_weight(x, x, shape, &some, f->pixel_size,
                                &(tess_dose_weight_opts){ .voltage = f->voltage, .metric = f->metric });
    }
}

/* The stages from i on until a median, between one transform and its inverse. With this norm, what is white has the
 * power 1 that `tessera power` shows. How many stages that were is added to *i. */
static tess_status fourier_stages(const filter_chain *f, tess_array *out, const tess_array *in, tess_array *spectrum,
                                  int64_t first, int *i)
{
    bool whitens = false;
    for (int k = *i; k < f->n_stages && f->stages[k].kind != STAGE_MEDIAN; ++k)
        whitens = whitens || f->stages[k].kind == STAGE_WHITEN;
    const int32_t norm = whitens ? TESS_FFT_NORM_ORTHO : TESS_FFT_NORM_BACKWARD;
    TESS_TRY(tess_fft_r2c(spectrum, in, &(tess_fft_opts){ .norm = norm }));
    for (; *i < f->n_stages && f->stages[*i].kind != STAGE_MEDIAN; ++*i)
        TESS_TRY(filter_spectra(f, &f->stages[*i], spectrum, in->shape, first));
    return tess_fft_c2r(out, spectrum, in->shape, &(tess_fft_opts){ .norm = norm, .overwrite = 1 });
}

/* `out` may be `in`. */
static tess_status median_stage(tess_array *out, const tess_array *in, int64_t n)
{
    const tess_shape     window = TESS_SHAPE(1, in->shape.d > 1 ? n : 1, n, n);
    const tess_rank_opts opts = { .border = TESS_BORDER_MIRROR };
    tess_array           copy = { 0 };
    if (out->data != in->data) return tess_median_filter(out, in, window, &opts);
    tess_status status = tess_copy(&copy, in);
    if (status == TESS_OK) status = tess_median_filter(out, &copy, window, &opts);
    tess_release(&copy);
    return status;
}

tess_status filter_chain_in_place(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const filter_chain *f = context;
    *out = *in;
    for (int i = 0; i < f->n_stages;) {
        tess_array spectrum = half_spectrum_of(in), real = *in;
        if (f->stages[i].kind == STAGE_MEDIAN) TESS_TRY(median_stage(out, in, f->stages[i++].median));
        else TESS_TRY(fourier_stages(f, &real, in, &spectrum, first, &i));
    }
    return TESS_OK;
}

tess_status filter_chain_run(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const filter_chain *f = context;
    for (int i = 0; i < f->n_stages;) {
        const tess_array *from = i == 0 ? in : out;
        tess_array        spectrum = { 0 };
        tess_status       status;
        if (f->stages[i].kind == STAGE_MEDIAN) status = median_stage(out, from, f->stages[i++].median);
        else status = fourier_stages(f, out, from, &spectrum, first, &i);
        tess_release(&spectrum);
        TESS_TRY(status);
    }
    return TESS_OK;
}
