/* Alignment by shifts of images that are cropped in Fourier space, and moved by the phases of their coefficients. */
#include "jobs/data/shifted_stack.h"

#include <math.h>

#include "jobs/data/each_image.h"
#include "jobs/data/pixels.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/reduce.h"

const tess_choice tess__shift_columns[] = {
    { "image", TESS_SHIFT_IMAGE, "image index, from 0" },
    { "x", TESS_SHIFT_X, "shift of the image along w, pixels" },
    { "y", TESS_SHIFT_Y, "shift of the image along h, pixels" },
    { .name = NULL },
};

/* ---- Reading ---- */

static tess_status check_images(tess__shifted_stack *s, double cutoff)
{
    const tess_shape shape = s->source->shape;
    TESS_TRY(tess__need_real(s->fn, s->source));
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "%s: %s is a volume; a stack of images is needed, {n,1,h,w}", s->fn,
               s->source->name);
    TESS_CHECK(shape.b * shape.h * shape.w > 0, TESS_ESHAPE, "%s: %s is empty", s->fn, s->source->name);
    TESS_CHECK(!s->sink || s->sink->append, TESS_EARG, "%s: `opts->sink` is zeroed; an initialised sink is expected",
               s->fn);
    s->image = TESS_SHAPE(1, 1, shape.h, shape.w);
    s->small = shape;
    for (int k = 0; k < 2; ++k) {
        const int64_t n = shape.dim[2 + k], least = (int64_t)ceil(2 * fmin(cutoff, 0.5) * (double)n);
        const int64_t wanted = tess_fft_fast_size(least);
        s->small.dim[2 + k] = wanted < n ? wanted : n;
        s->scale[k] = (double)n / (double)s->small.dim[2 + k];
    }
    return TESS_OK;
}

/* Spectra of some images, cropped. */
static tess_status crop_images(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)out;
    tess__shifted_stack *s = user;
    tess_array           spectra = { 0 }, to;
    tess_shape           from = in->shape, small = s->small;
    tess_status          status = TESS_OK;
    small.b = from.b;
    TESS_GOTO(done, status, tess_slice(&to, &s->spectra, 0, slab->b, slab->b + from.b, 1));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, in, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&to, &spectra, from, small, NULL));
done:
    tess_release(&spectra);
    return status;
}

/* The means show whether all values are finite. */
static tess_status check_finite(const tess__shifted_stack *s)
{
    tess_array means;
    double     sum[2];
    TESS_TRY(tess_subregion(&means, &s->spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_TRY(tess_host_sum_complex(sum, &means));
    TESS_CHECK(isfinite(sum[0]), TESS_ERANGE, "%s: %s has NaN or infinite values", s->fn, s->source->name);
    return TESS_OK;
}

tess_status tess__shifted_stack_read(tess__shifted_stack *s, double cutoff)
{
    TESS_TRY(check_images(s, cutoff));
    const tess__each_image_plan plan = { .fn = s->fn,
                                         .source = s->source,
                                         .dtype = TESS_F32,
                                         .extra = 8 * s->image.h * s->image.w,
                                         .step = crop_images,
                                         .user = s };
    TESS_TRY(tess_empty(&s->spectra, tess_rfft_shape(s->small), TESS_C32, s->context->device));
    TESS_TRY(tess__each_image_read(&plan, tess_n_bytes(&s->spectra), s->context));
    return check_finite(s);
}

void tess__shifted_stack_close(tess__shifted_stack *s)
{
    tess_release(&s->spectra);
    tess_release(&s->shifts);
}

/* ---- Results ---- */

static tess_status move_images(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    const tess__shifted_stack *s = user;
    tess_array                 some, there = { 0 };
    TESS_TRY(tess_slice(&some, &s->shifts, 0, slab->b, slab->b + in->shape.b, 1));
    TESS_TRY(tess_to_device(&there, &some, in->device));
    const tess_status status = tess_phase_shift_image(out, in, &there, NULL);
    tess_release(&there);
    return status;
}

static tess_status write_images(tess__shifted_stack *s)
{
    const tess_dtype            dtype = tess__dtype_to_compute(s->source->dtype);
    const tess__each_image_plan plan = { .fn = s->fn,
                                         .source = s->source,
                                         .dtype = dtype,
                                         .extra = 4 * (int64_t)tess_dtype_size(dtype) * s->image.h * s->image.w,
                                         .step = move_images,
                                         .user = s };
    return tess__each_image(&plan, s->sink, NULL, s->context);
}

tess_status tess__shifted_stack_finish(tess__shifted_stack *s, tess_array *table)
{
    tess_release(&s->spectra);
    TESS_TRY(tess__move(&s->shifts, tess_cpu()));
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, s->small.b, TESS_SHIFT_COLUMNS), TESS_F64, tess_cpu()));
    double *shifts = s->shifts.data, *row = table->data;
    for (int64_t i = 0; i < s->small.b; ++i, row += TESS_SHIFT_COLUMNS) {
        for (int k = 0; k < 2; ++k) shifts[2 * i + k] *= s->scale[k];
        row[TESS_SHIFT_IMAGE] = (double)i;
        row[TESS_SHIFT_X] = shifts[2 * i + 1];
        row[TESS_SHIFT_Y] = shifts[2 * i];
    }
    return s->sink ? write_images(s) : TESS_OK;
}
