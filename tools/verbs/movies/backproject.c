/* tessera backproject: a volume of a tilt series, by weighted back-projection. */
#include <math.h>
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "movies/tilts.h"

static const option options[] = {
    { .name = "angles",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "tilts about y, in degrees: a .tlt file, or a .mdoc or STAR file" },
    { .name = "depth", .value = "L", .type = OPTION_LENGTH, .help = "of the volume [its width]" },
    { .name = "weighting",
      .value = "W",
      .choices = "ramp none",
      .type = OPTION_CHOICE,
      .help = "of the images along x: |frequency|, or none [ramp]" },
    { .name = "interp",
      .value = "M",
      .choices = "nearest linear cubic",
      .type = OPTION_CHOICE,
      .help = "how images are interpolated [linear]" },
    { 0 },
};
static const char *const examples[] = {
    "tessera backproject --angles tilts.tlt tilts.mrcs -o tomogram.mrc",
    "tessera backproject --angles tilts.tlt --depth 16 --weighting none tilts.mrcs -o sum.mrc",
    NULL,
};

/* Images that are added at a time: always as many, so that results do not depend on memory. */
enum { GROUP = 16 };

#define PI 3.14159265358979323846

typedef struct backprojection {
    tess_array tilts;  /* degrees, {n,1,1,1} */
    tess_array curve;  /* the ramp at frequencies from 0 to 0.5, or no data */
    tess_array volume; /* on the device of the job */
    int64_t    wide;   /* pixels that rows are padded to */
    int32_t    interp;
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
            sum -= 2 * cos(2 * PI * (double)(i * k % n) / (double)n) / (PI * PI * (double)k * (double)k);
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
    const double     each = PI / (double)b->tilts.shape.b;
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
        const double t = ((const double *)b->tilts.data)[first + i] * PI / 180;
        double      *m = (double *)out->data + 6 * i;
        m[1] = 1;
        m[3] = sin(t);
        m[5] = cos(t);
    }
    return TESS_OK;
}

static tess_status check_finite(const input *in, const tess_array *images, int64_t first)
{
    double sum;
    TESS_TRY(tess_host_sum(&sum, images));
    TESS_CHECK(isfinite(sum), TESS_ERANGE, "%s: there are NaNs or infinities in images %lld to %lld", in->name,
               (long long)first, (long long)(first + images->shape.b - 1));
    return TESS_OK;
}

static tess_status add_group(job *j, backprojection *b, input *in, int64_t first, int64_t n)
{
    tess_array  images = { 0 }, matrices = { 0 };
    tess_status status;
    TESS_GOTO(done, status, input_read(in, &images, first, n, TESS_F32));
    TESS_GOTO(done, status, check_finite(in, &images, first));
    TESS_GOTO(done, status, move_array(&images, j->device));
    if (b->curve.data) TESS_GOTO(done, status, weigh(b, &images));
    TESS_GOTO(done, status, make_matrices(&matrices, b, first, n));
    TESS_GOTO(done, status,
              tess_backproject(&b->volume, &images, &matrices,
                               &(tess_backproject_opts){ .centred = 1, .add = 1, .interp = b->interp }));
done:
    tess_release(&images);
    tess_release(&matrices);
    return status;
}

static tess_status add_all(job *j, backprojection *b, input *in)
{
    const tess_shape s = in->info.shape;
    progress        *bar = NULL;
    TESS_TRY(progress_start(&bar, j, "images", s.b * s.d, 4 * s.h * s.w));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < s.b && status == TESS_OK; i += GROUP) {
        const int64_t n = s.b - i < GROUP ? s.b - i : GROUP;
        status = add_group(j, b, in, i, n);
        progress_add(bar, n);
    }
    progress_end(bar);
    return status;
}

/* ---- The file ---- */

static tess_status find_depth(job *j, const input *in, int64_t *depth)
{
    double pixels = (double)in->info.shape.w;
    TESS_TRY(job_length(j, "depth", in->info.meta.pixel_size[2], &pixels));
    TESS_CHECK(pixels >= 1 && pixels <= 1e6, TESS_ERANGE, "--depth: %g pixels; 1 to 1e6 is allowed", pixels);
    *depth = (int64_t)rint(pixels);
    return TESS_OK;
}

static tess_status write_volume(job *j, const backprojection *b, const input *in)
{
    const double apix = in->info.meta.pixel_size[2];
    tess_array   host = { 0 };
    tess_status  status = tess_to_device(&host, &b->volume, tess_cpu());
    if (status == TESS_OK) status = output_write(j, NULL, &host, &(tess_meta){ .pixel_size = { apix, apix, apix } });
    tess_release(&host);
    return status;
}

static tess_status backproject_series(job *j, input *in, backprojection *b)
{
    const tess_shape s = in->info.shape;
    const char      *method = job_text(j, "interp", "linear");
    int64_t          depth = 0;
    bool             skip;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "backproject: %s has volumes; a stack of images is needed", in->name);
    TESS_CHECK(job_has(j, "angles"), TESS_EARG, "backproject: no angles were given; --angles FILE.tlt is needed");
    TESS_TRY(tilts_of_images(&b->tilts, job_text(j, "angles", ""), in));
    TESS_TRY(find_depth(j, in, &depth));
    const tess_shape shape = TESS_SHAPE(1, depth, s.h, s.w);
    TESS_TRY(output_planned(j, NULL, shape, TESS_F32, &skip));
    if (skip) return TESS_OK;
    b->wide = tess_fft_fast_size(2 * s.w);
    b->interp = strcmp(method, "nearest") == 0 ? TESS_INTERP_NEAREST
                : strcmp(method, "cubic") == 0 ? TESS_INTERP_CUBIC
                                               : TESS_INTERP_LINEAR;
    TESS_TRY(volume_fits(j, shape, 8 * depth * s.h * s.w + GROUP * 4 * s.h * (s.w + 4 * b->wide)));
    if (strcmp(job_text(j, "weighting", "ramp"), "ramp") == 0) TESS_TRY(make_ramp(&b->curve, b->wide));
    TESS_TRY(tess_zeros(&b->volume, shape, TESS_F32, j->device));
    TESS_TRY(add_all(j, b, in));
    return write_volume(j, b, in);
}

static tess_status run(job *j)
{
    backprojection b = { 0 };
    input          in;
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = backproject_series(j, &in, &b);
    tess_release(&b.tilts);
    tess_release(&b.curve);
    tess_release(&b.volume);
    input_close(&in);
    return status;
}

const verb verb_backproject = {
    .name = "backproject",
    .subject = "particles",
    .summary = "a volume of a tilt series, by weighted back-projection",
    .arguments = "STACK... -o OUT",
    .text = "Images are aligned before, with the tilt axis along y through the middle; --angles has a tilt for each. A "
            "point (x, z) of the volume is seen at x cos t + z sin t. Rows are filtered by a ramp, and each image is "
            "spread along its rays, in real space. Values are those of the object if angles lie evenly over 180 "
            "degrees; --weighting none adds images as they are. Particles in all orientations are for tessera "
            "reconstruct.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
