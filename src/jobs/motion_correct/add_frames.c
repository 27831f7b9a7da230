/* Sums of frames that are moved by their shifts, and by a model of local motion. */
#include "jobs/motion_correct/correcting.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/motion.h"

/* ---- Adding ---- */

/* Spectra of frames from `first` on, moved by `shifts`, of all frames, or one for all, and added to a sum. */
static tess_status add_to(tess__correcting *c, tess_array *sum, const tess_array *spectra, const tess_array *shifts,
                          int64_t first)
{
    const int64_t        n = spectra->shape.b;
    tess_add_frames_opts opts = { .pixel_size = c->pixel_size,
                                  .voltage = c->exposure.weight.voltage,
                                  .critical_factor = c->exposure.weight.critical_factor };
    tess_array           by = *shifts, doses;
    if (shifts->shape.b > 1) TESS_TRY(tess_slice(&by, shifts, 0, first, first + n, 1));
    if (c->weights) {
        TESS_TRY(tess_slice(&doses, &c->exposure.doses, 0, first, first + n, 1));
        opts.doses = &doses;
    }
    return tess_add_frames(sum, c->weights ? &c->weighted : NULL, spectra, TESS_SHAPE(n, 1, c->frame.h, c->frame.w),
                           &by, &opts);
}

/* To the sum of all, or one by one to those of even and odd frames. */
static tess_status add(tess__correcting *c, const tess_array *spectra, const tess_array *shifts, int64_t first)
{
    if (!c->halves) return add_to(c, &c->sums[0], spectra, shifts, first);
    for (int64_t i = 0; i < spectra->shape.b; ++i) {
        tess_array one;
        TESS_TRY(tess_slice(&one, spectra, 0, i, i + 1, 1));
        TESS_TRY(add_to(c, &c->sums[(first + i) % 2], &one, shifts, first + i));
    }
    return TESS_OK;
}

/* Moved as a whole by its phases, then resampled by the model of local motion. */
static tess_status warp(const tess__correcting *c, tess_array *out, const tess_array *spectrum, const tess_array *shift,
                        int64_t i)
{
    const double time = (double)i;
    tess_array   moved = { 0 }, image = { 0 }, warped = { 0 }, when = { 0 }, there = { 0 };
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&there, shift, c->context->device));
    TESS_GOTO(done, status, tess_fft_phase_shift(&moved, spectrum, c->frame, &there, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(&image, &moved, c->frame, &(tess_fft_opts){ .overwrite = 1 }));
    TESS_GOTO(done, status, tess_full(&when, TESS_SHAPE(1, 1, 1, 1), TESS_F64, tess_cpu(), time));
    TESS_GOTO(done, status,
              tess_motion_warp(&warped, &image, &c->local.model, &when,
                               &(tess_motion_warp_opts){ .interp = c->opts->interp }));
    TESS_GOTO(done, status, tess_fft_r2c(out, &warped, NULL));
done:
    tess_release(&moved);
    tess_release(&image);
    tess_release(&warped);
    tess_release(&when);
    tess_release(&there);
    return status;
}

static tess_status add_frames(void *user, const tess_array *spectra, int64_t first)
{
    tess__correcting *c = user;
    if (!c->local.model.data) return add(c, spectra, &c->whole.shifts, first);
    for (int64_t i = 0; i < spectra->shape.b; ++i) {
        tess_array one, shift, local = { 0 };
        TESS_TRY(tess_slice(&one, spectra, 0, i, i + 1, 1));
        TESS_TRY(tess_slice(&shift, &c->whole.shifts, 0, first + i, first + i + 1, 1));
        tess_status status = warp(c, &local, &one, &shift, first + i);
        if (status == TESS_OK) status = add(c, &local, &c->zero, first + i);
        tess_release(&local);
        TESS_TRY(status);
    }
    return TESS_OK;
}

tess_status tess__correcting_add(tess__correcting *c)
{
    TESS_TRY(tess_zeros(&c->zero, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu()));
    return tess__movie_each(&c->movie, c->local.model.data ? 1 : c->small.b, add_frames, c);
}

/* ---- Images ---- */

static tess_status make_image(tess_array *image, const tess_array *spectrum, tess_shape shape)
{
    TESS_TRY(tess_fft_c2r(image, spectrum, shape, NULL));
    return tess__move(image, tess_cpu());
}

static tess_status make_weighted(tess__correcting *c, tess_array *image)
{
    tess_array  doses = { 0 };
    tess_status status = TESS_OK;
    if (!c->weights) return TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&doses, &c->exposure.doses, c->context->device));
    TESS_GOTO(done, status,
              tess_dose_normalize(&c->weighted, &c->weighted, c->frame, &doses, c->pixel_size, &c->exposure.weight));
    TESS_GOTO(done, status, make_image(image, &c->weighted, c->frame));
done:
    tess_release(&doses);
    return status;
}

enum { THUMBNAIL = 384 }; /* pixels of its longer side, at most */

/* The sum, its spectrum cropped. */
static tess_status make_thumbnail(const tess__correcting *c, tess_array *image)
{
    const int64_t side = c->frame.h > c->frame.w ? c->frame.h : c->frame.w;
    tess_shape    small = c->frame;
    tess_array    cropped = { 0 };
    tess_status   status = TESS_OK;
    for (int k = 2; k < 4 && side > THUMBNAIL; ++k) {
        small.dim[k] = c->frame.dim[k] * THUMBNAIL / side;
        if (small.dim[k] < 1) small.dim[k] = 1;
    }
    TESS_GOTO(done, status, tess_fft_resize(&cropped, &c->sums[0], c->frame, small, NULL));
    TESS_GOTO(done, status, make_image(image, &cropped, small));
done:
    tess_release(&cropped);
    return status;
}

tess_status tess__correcting_images(tess__correcting *c, tess_motion_correct_result *r)
{
    if (c->opts->even) TESS_TRY(make_image(&r->even, &c->sums[0], c->frame));
    if (c->opts->odd && c->sums[1].data) TESS_TRY(make_image(&r->odd, &c->sums[1], c->frame));
    if (c->sums[1].data) TESS_TRY(tess_add(&c->sums[0], &c->sums[0], &c->sums[1]));
    TESS_TRY(make_weighted(c, &r->weighted));
    TESS_TRY(make_image(&r->sum, &c->sums[0], c->frame));
    return c->opts->thumbnail ? make_thumbnail(c, &r->thumbnail) : TESS_OK;
}
