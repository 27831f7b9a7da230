/* Averaged power spectra (Welch's method) of micrographs and movies, frame by frame. */
#include "jobs/fit_ctf/micrograph_power.h"

#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/jobs/slabs.h"
#include "tessera/signal.h"

typedef struct spectrum_sum {
    tess_shape tile;
    int64_t    group;    /* frames that are added before their spectrum is taken */
    tess_array frames;   /* {1,1,h,w}: the sum of those so far */
    int64_t    n_frames; /* in that */
    tess_array power;    /* f64: the sum of all spectra, in the order of the frames */
    int64_t    n;        /* of them */
} spectrum_sum;

static tess_status add_spectra(spectrum_sum *s, const tess_array *images)
{
    const tess_average_power_opts hann = { .window = TESS_POWER_WINDOW_HANN, .norm = TESS_FFT_NORM_ORTHO };
    tess_array                    spectra = { 0 };
    tess_status                   status;
    TESS_GOTO(done, status, tess_average_power(&spectra, images, s->tile, &hann));
    for (int64_t i = 0; i < spectra.shape.b; i++, s->n++) {
        tess_array one;
        TESS_GOTO(done, status, tess_index(&one, &spectra, 0, i));
        TESS_GOTO(done, status, tess_add(&s->power, &s->power, &one));
    }
done:
    tess_release(&spectra);
    return status;
}

static tess_status end_group(spectrum_sum *s)
{
    if (s->n_frames == 0) return TESS_OK;
    s->n_frames = 0;
    return add_spectra(s, &s->frames);
}

static tess_status add_frame(spectrum_sum *s, const tess_array *frame)
{
    if (s->n_frames == 0) TESS_TRY(tess_copy(&s->frames, frame));
    else TESS_TRY(tess_add(&s->frames, &s->frames, frame));
    return ++s->n_frames == s->group ? end_group(s) : TESS_OK;
}

static tess_status add_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *part)
{
    (void)out, (void)part;
    spectrum_sum *s = user;
    if (s->group == 1) return add_spectra(s, in);
    for (int64_t i = 0; i < in->shape.b; i++) {
        tess_array frame;
        TESS_TRY(tess_index(&frame, in, 0, i));
        TESS_TRY(add_frame(s, &frame));
    }
    return TESS_OK;
}

/* What tess_average_power works in: tiles of 2^20 pixels at a time, or one, with their spectra and power, and sums. */
static int64_t workspace_bytes(tess_shape tile, tess_shape image, tess_dtype dtype)
{
    const int64_t n = (2 * image.h / tile.h - 1) * (2 * image.w / tile.w - 1), one = tile.h * tile.w;
    const int64_t at_a_time = one > 1 << 20 ? one : 1 << 20, pixels = n * one < at_a_time ? n * one : at_a_time;
    return pixels * (int64_t)tess_dtype_size(dtype) * 5 / 2 + 4 * 8 * tile.h * (tile.w / 2 + 1);
}

static tess_status sum_spectra(spectrum_sum *s, const char *fn, const tess_source *in, const tess_context *context)
{
    const tess_dtype dtype = tess__dtype_to_compute(in->dtype);
    const int64_t    size = (int64_t)tess_dtype_size(dtype), bytes = size * in->shape.h * in->shape.w;
    const tess_slab_plan plan = { .name = fn,
                                  .domain = in->shape,
                                  .sources = &in,
                                  .n_sources = 1,
                                  .in_dtypes = &dtype,
                                  .out_shape = in->shape,
                                  .out_dtype = in->dtype,
                                  .extra = size * s->tile.h * (s->tile.w / 2 + 1), /* of its spectrum */
                                  .taken = (s->group > 1 ? bytes : 0) + workspace_bytes(s->tile, in->shape, dtype),
                                  .stage = "frames" };
    TESS_TRY(tess_zeros(&s->power, TESS_SHAPE(1, 1, s->tile.h, s->tile.w / 2 + 1), TESS_F64, context->device));
    TESS_TRY(tess_slabs_run(&plan, NULL, add_slab, s, context));
    TESS_TRY(end_group(s));
    return tess_mul(&s->power, &s->power, &tess_f64(1.0 / (double)s->n));
}

tess_status tess__micrograph_power(tess_array *power, const char *fn, const tess_source *source, int64_t tile,
                                   int64_t group, const tess_context *context)
{
    spectrum_sum s = { .tile = TESS_SHAPE(1, 1, tile, tile), .group = group };
    tess_status  status = sum_spectra(&s, fn, source, context);
    tess_release(&s.frames);
    if (status == TESS_OK) status = tess__move(&s.power, tess_cpu());
    if (status == TESS_OK) *power = s.power;
    else tess_release(&s.power);
    return status;
}
