/* Weighted back-projection of a tilt series: rows are filtered by a ramp, and images are spread along their rays. */
#include "tessera/jobs/reconstruct_tilt_series.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/finite.h"
#include "jobs/data/particles/number_list.h"
#include "jobs/data/pixels.h"
#include "jobs/run/table.h"
#include "tessera/constants.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/project.h"
#include "tessera/resize.h"

static const char fn[] = "reconstruct_tilt_series";

static const tess_choice weightings[] = {
    { "ramp", TESS_TILT_WEIGHTING_RAMP, "|frequency|" },
    { "none", TESS_TILT_WEIGHTING_NONE, "no filter" },
    { .name = NULL },
};
static const tess_choice interps[] = {
    { "nearest", TESS_INTERP_NEAREST, "nearest pixel" },
    { "linear", TESS_INTERP_LINEAR, "2 pixels" },
    { "cubic", TESS_INTERP_CUBIC, "4 pixels" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_reconstruct_tilt_series_result, volume, "", "reconstructed volume"),
    TESS__SOURCE_IMAGES("images", "aligned tilt series, with the tilt axis along y"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "tilts", "tilt angle of each image, in degrees"),
    TESS__AUTO_F64(tess_reconstruct_tilt_series_opts, depth, "pixels", "width of the images", 1, 1e6,
                   "depth of the volume"),
    TESS__OPT_CHOICE(tess_reconstruct_tilt_series_opts, weighting, TESS_TILT_WEIGHTING_RAMP, weightings,
                     "filter applied to the images along x"),
    TESS__OPT_CHOICE(tess_reconstruct_tilt_series_opts, interp, TESS_INTERP_LINEAR, interps,
                     "interpolation of the images"),
};

TESS__JOB_RUN(reconstruct_tilt_series, v[0].source, v[1].in)
const tess_job_info tess__job_reconstruct_tilt_series =
    TESS__JOB(reconstruct_tilt_series, "Reconstruct a volume from a tilt series by weighted back-projection", args,
              tess_reconstruct_tilt_series_opts, tess_reconstruct_tilt_series_result);

/* Images that are added at a time: always as many, so that results do not depend on memory. */
enum { GROUP = 16 };

typedef struct backprojection {
    const tess_context *context;
    const tess_source  *source;
    tess_array          tilts;  /* degrees, {n,1,1,1} */
    tess_array          curve;  /* the ramp at frequencies from 0 to 0.5, or no data */
    tess_array          volume; /* on the device of the context */
    int64_t             wide;   /* pixels that rows are padded to */
    int32_t             interp;
} backprojection;

/* ---- The ramp ---- */

/* The transform of the kernel of a ramp that ends at Nyquist, 1/4 at 0 and -1 / (pi k)^2 at odd k: its mean is not
 * 0, so that values have no offset. */
static tess_status make_ramp(tess_array *curve, int64_t n)
{
    TESS_TRY(tess_empty(curve, TESS_SHAPE(1, 1, 1, n / 2 + 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i <= n / 2; i++) {
        double sum = 0.25;
        for (int64_t k = 1; k < n / 2; k += 2)
            sum -= 2 * cos(2 * TESS_PI * (double)(i * k % n) / (double)n) / (TESS_PI * TESS_PI * (double)k * (double)k);
        ((double *)curve->data)[i] = sum;
    }
    return TESS_OK;
}

/* Rows of images times the ramp, by way of their spectra; with the step of the sum over angles. */
static tess_status weigh(const backprojection *b, tess_array *images)
{
    const tess_shape s = images->shape;
    const tess_shape lines = TESS_SHAPE(s.b * s.h, 1, 1, b->wide);
    tess_array       padded = { 0 }, rows, spectra = { 0 }, back = { 0 }, part;
    tess_status      status;
    const double     each = TESS_PI / (double)b->tilts.shape.b;
    TESS_GOTO(done, status,
              tess_pad(&padded, images, TESS_SHAPE(0, 0, 0, 0), TESS_SHAPE(0, 0, 0, b->wide - s.w), NULL));
    TESS_GOTO(done, status, tess_reshape(&rows, &padded, lines));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, &rows, NULL));
    TESS_GOTO(done, status, tess_filter_curve(&spectra, &spectra, lines, &b->curve, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(&back, &spectra, lines, &(tess_fft_opts){ .overwrite = 1 }));
    TESS_GOTO(done, status, tess_reshape(&rows, &back, TESS_SHAPE(s.b, 1, s.h, b->wide)));
    TESS_GOTO(done, status, tess_slice(&part, &rows, 3, 0, s.w, 1));
    TESS_GOTO(done, status, tess_mul(images, &part, &tess_f32((float)each)));
done:
    tess_release(&padded);
    tess_release(&spectra);
    tess_release(&back);
    return status;
}

/* ---- Images ---- */

/* From (z, y, x) of the volume to (y, x) of each image: x' = x cos t + z sin t. */
static tess_status make_matrices(tess_array *out, const backprojection *b, int64_t first, int64_t n)
{
    TESS_TRY(tess_zeros(out, TESS_SHAPE(n, 1, 2, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        const double t = ((const double *)b->tilts.data)[first + i] * TESS_PI / 180;
        double      *m = (double *)out->data + 6 * i;
        m[1] = 1;
        m[3] = sin(t);
        m[5] = cos(t);
    }
    return TESS_OK;
}

static tess_status check_finite(const backprojection *b, const tess_array *images, int64_t first)
{
    for (int64_t i = 0; i < images->shape.b; i++) {
        tess_array image;
        TESS_TRY(tess_index(&image, images, 0, i));
        TESS_TRY(tess__check_finite(fn, b->source, first + i, &image));
    }
    return TESS_OK;
}

static tess_status add_group(backprojection *b, int64_t first, int64_t n)
{
    const tess_backproject_opts opts = { .centred = 1, .add = 1, .interp = b->interp };
    tess_array                  images = { 0 }, matrices = { 0 };
    tess_status                 status;
    TESS_GOTO(done, status, tess_source_read(b->source, &images, first, n, TESS_F32));
    TESS_GOTO(done, status, check_finite(b, &images, first));
    TESS_GOTO(done, status, tess__move(&images, b->context->device));
    if (b->curve.data) TESS_GOTO(done, status, weigh(b, &images));
    TESS_GOTO(done, status, make_matrices(&matrices, b, first, n));
    TESS_GOTO(done, status, tess_backproject(&b->volume, &images, &matrices, &opts));
done:
    tess_release(&images);
    tess_release(&matrices);
    return status;
}

static tess_status add_all(backprojection *b)
{
    const tess_shape    s = b->source->shape;
    const tess_progress of = { .stage = "images", .total = s.b, .bytes_each = 4 * s.h * s.w };
    tess__stage         stage;
    TESS_TRY(tess__stage_begin(&stage, fn, b->context, of));
    for (int64_t i = 0; i < s.b; i += GROUP) {
        const int64_t n = s.b - i < GROUP ? s.b - i : GROUP;
        TESS_TRY(add_group(b, i, n));
        TESS_TRY(tess__stage_add(&stage, n));
    }
    return TESS_OK;
}

/* ---- The job ---- */

static tess_status check_tilts(const backprojection *b)
{
    const double *tilts = b->tilts.data;
    for (int64_t i = 0; i < b->tilts.shape.b; i++)
        TESS_CHECK(isfinite(tilts[i]), TESS_ERANGE, "%s: angle %lld of `tilts` is %g; it must be finite", fn,
                   (long long)i, tilts[i]);
    return TESS_OK;
}

static tess_status prepare(backprojection *b, const tess_array *tilts, const tess_reconstruct_tilt_series_opts *o)
{
    const tess_shape s = b->source->shape;
    TESS_TRY(tess__need_real(fn, b->source));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "%s: %s has volumes; a stack of images {n,1,h,w} is needed", fn, b->source->name);
    TESS_CHECK(s.b > 0 && s.h > 0 && s.w > 0, TESS_ESHAPE, "%s: %s is empty", fn, b->source->name);
    TESS_TRY(tess__number_list(&b->tilts, fn, "tilts", tilts, s.b));
    TESS_TRY(check_tilts(b));
    const int64_t    depth = o->depth > 0 ? (int64_t)rint(o->depth) : s.w;
    const tess_shape shape = TESS_SHAPE(1, depth, s.h, s.w);
    b->wide = tess_fft_fast_size(2 * s.w);
    b->interp = o->interp;
    TESS_TRY(tess__volume_fits(b->context, fn, shape, 8 * depth * s.h * s.w + GROUP * 4 * s.h * (s.w + 4 * b->wide)));
    if (o->weighting == TESS_TILT_WEIGHTING_RAMP) TESS_TRY(make_ramp(&b->curve, b->wide));
    return tess_zeros(&b->volume, shape, TESS_F32, b->context->device);
}

static tess_status work(tess_reconstruct_tilt_series_result *r, backprojection *b, const tess_array *tilts,
                        const tess_reconstruct_tilt_series_opts *o)
{
    TESS_TRY(prepare(b, tilts, o));
    TESS_TRY(add_all(b));
    TESS_TRY(tess__move(&b->volume, tess_cpu()));
    r->volume = b->volume;
    b->volume = (tess_array){ 0 };
    return TESS_OK;
}

tess_status tess_reconstruct_tilt_series(tess_reconstruct_tilt_series_result *result, const tess_source *images,
                                         const tess_array *tilts, const tess_reconstruct_tilt_series_opts *opts,
                                         const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context                      c;
    tess_reconstruct_tilt_series_opts o;
    backprojection                    b = { .context = &c, .source = images };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_reconstruct_tilt_series.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &b, tilts, &o);
    tess_release(&b.tilts);
    tess_release(&b.curve);
    tess_release(&b.volume);
    if (status != TESS_OK) tess_reconstruct_tilt_series_result_release(result);
    return status;
}

void tess_reconstruct_tilt_series_result_release(tess_reconstruct_tilt_series_result *result)
{
    if (!result) return;
    tess_release(&result->volume);
    memset(result, 0, sizeof *result);
}
