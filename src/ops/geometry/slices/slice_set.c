/* Slices that are put somewhere: their orientations, weights and checks, and how they become a request. */
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/matrix.h"

tess_status tess__slice_scales(tess_array *scales, tess_array *unscales, const tess__slice_parts *parts,
                               const char *arg, const tess_array *a)
{
    if (!parts->in) return TESS_OK;
    TESS_TRY(tess__check_array(parts->fn, parts->arg, parts->in));
    TESS_TRY(tess__check_device_of(parts->fn, arg, a, parts->arg, parts->in));
    TESS_TRY(tess__slice_matrices(scales, parts, 2));
    TESS_TRY(tess_matrix_inverse(unscales, scales));
    return TESS_OK;
}

static tess_status check_weights(const tess__slice_set *s, tess__fft_variant form)
{
    const tess_dtype real = tess_dtype_real(s->slices->dtype);
    if (!s->weights) return TESS_OK;
    TESS_TRY(tess__check_spectrum(s->fn, "opts->slice_weights", s->weights, form));
    TESS_CHECK(s->weights->dtype == real, TESS_EDTYPE,
               "%s: `opts->slice_weights` is %s and slices are %s; the weights must be %s", s->fn,
               tess_dtype_name(s->weights->dtype), tess_dtype_name(s->slices->dtype), tess_dtype_name(real));
    TESS_TRY(tess__check_device_of(s->fn, "slices", s->slices, "opts->slice_weights", s->weights));
    return TESS_OK;
}

tess_status tess__slice_set_take(tess__slice_set *s, tess__fft_variant form, const tess_array *rotations,
                                 const tess_array *scales)
{
    const tess__slice_parts turned = { s->fn, "rotations", rotations, "slices", form.shape.b };
    const tess__slice_parts scaled = { s->fn, "opts->scales", scales, "slices", form.shape.b };
    TESS_TRY(tess__slice_check_images(s->fn, "shape", form.shape));
    TESS_TRY(tess__check_spectrum(s->fn, "slices", s->slices, form));
    TESS_CHECK(s->slices->dtype == TESS_C32 || s->slices->dtype == TESS_C64, TESS_EDTYPE,
               "%s: `slices` is %s; c32 or c64 is needed", s->fn, tess_dtype_name(s->slices->dtype));
    TESS_TRY(check_weights(s, form));
    TESS_TRY(tess__check_device_of(s->fn, "slices", s->slices, "rotations", rotations));
    TESS_TRY(tess__slice_rotations(&s->rotations, &turned));
    TESS_TRY(tess_matrix_inverse(&s->inverses, &s->rotations));
    TESS_TRY(tess__slice_scales(&s->scales, &s->unscales, &scaled, "slices", s->slices));
    for (int k = 0; k < 2; k++) s->curve[k] = tess__slice_curve(s->radii[k]);
    return TESS_OK;
}

void tess__slice_set_end(tess__slice_set *s)
{
    tess_release(&s->rotations);
    tess_release(&s->inverses);
    tess_release(&s->scales);
    tess_release(&s->unscales);
}

tess_status tess__slice_outputs(tess__slice_sums *sums, tess__fft_variant form, const tess__slice_set *s)
{
    const tess_dtype     dtypes[2] = { s->slices->dtype, tess_dtype_real(s->slices->dtype) };
    tess__outputs *const all = &sums->all;
    all->fn = s->fn;
    for (int k = 0; k < 2; k++) {
        const tess_array *array = sums->arrays[k];
        if (array && !tess__is_empty_out(array)) TESS_TRY(tess__check_spectrum(s->fn, sums->args[k], array, form));
        tess__wants(all, sums->args[k], sums->arrays[k], tess__spectrum_shape(form.shape, form.layout), dtypes[k],
                    s->slices->device);
    }
    tess__reads(all, "slices", s->slices);
    tess__reads(all, "opts->slice_weights", s->weights);
    TESS_TRY(tess__outputs_take(all));
    for (int k = 0; k < all->n; k++)
        if (all->wanted[k].made || !sums->add) TESS_TRY(tess_fill(all->wanted[k].array, 0));
    return TESS_OK;
}

tess_status tess__slice_sums_end(tess_status status, tess__slice_sums *sums, const char *fn)
{
    return tess__outputs_end(&sums->all, tess__error_under(status, fn));
}

tess_status tess__slice_gather_set(tess__slice_gather *work, const tess__slice_set *s, tess_shape shape, int layout)
{
    work->slices = *s->slices;
    if (s->weights) work->slice_weights = *s->weights;
    work->inverses = s->inverses;
    work->scales = s->scales;
    work->curve[0] = s->curve[0];
    work->curve[1] = s->curve[1];
    tess__slice_axes(work->slice_n, work->slice_order, shape, layout);
    return TESS_OK;
}

tess_status tess__slice_gather_window(tess__slice_gather *work, double window, double sinc, double least)
{
    char         text[3][32];
    const double one = 1 / (least > 1 ? least : 1);
    work->window = window;
    work->sinc = sinc == 0 ? one : sinc;
    TESS_CHECK(work->window >= one && work->sinc >= one, TESS_ERANGE,
               "%s: `opts->window` is %s and `opts->sinc` is %s; both must be at least %s, 1 / the smallest size",
               work->name, tess__number_text(text[0], window), tess__number_text(text[1], work->sinc),
               tess__number_text(text[2], one));
    return TESS_OK;
}
