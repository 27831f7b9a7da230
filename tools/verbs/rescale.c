/* tessera rescale: another pixel size, by cutting or padding the Fourier transform. */
#include "geometry.h"

#include <math.h>

static const option options[] = {
    { .name = "apix-out",
      .value = "A",
      .type = OPTION_NUMBER,
      .help = "pixel size of the result, to the nearest box size that is even" },
    { .name = "factor", .value = "F", .type = OPTION_NUMBER, .help = "pixels become so many times as large" },
    { .name = "box", .value = "X,Y,Z", .type = OPTION_XYZ, .help = "size of the result in pixels" },
    { 0 },
};
static const char *const examples[] = {
    "tessera rescale --apix-out 3 x.mrc -o coarse.mrc",
    "tessera rescale --box 48 stack.mrcs -o resampled.mrcs",
    NULL,
};

typedef struct rescaling {
    tess_shape in, out; /* b counts for nothing */
} rescaling;

static tess_status rescale_slab(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const rescaling *r = context;
    tess_shape       from = r->in, to = r->out;
    from.b = to.b = in->shape.b;
    tess_array                 spectrum = { 0 }, resized = { 0 };
    const tess_fft_resize_opts opts = { .norm = TESS_FFT_NORM_BACKWARD, .correct_nyquist = 1 };
    tess_status                status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, in, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&resized, &spectrum, from, to, &opts));
    tess_release(&spectrum);
    TESS_GOTO(done, status, tess_fft_c2r(out, &resized, to, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&spectrum);
    tess_release(&resized);
    return status;
}

/* The size nearest to n / factor: even ones stay even, so that the middle n/2 stays where it is. */
static int64_t nearest_size(int64_t n, double factor)
{
    if (n == 1) return 1;
    const double wanted = (double)n / factor;
    const double size = n % 2 == 0 ? 2 * rint(wanted / 2) : rint(wanted);
    return size < 1 ? 1 + (n % 2 == 0) : (int64_t)size;
}

static tess_status new_shape(const job *j, const input *in, tess_shape *shape)
{
    const int n = job_has(j, "apix-out") + job_has(j, "factor") + job_has(j, "box");
    TESS_CHECK(n == 1, TESS_EARG, "rescale: %s; one of --apix-out, --factor and --box is needed",
               n ? "more than one new size was given" : "no new size was given");
    *shape = in->info.shape;
    if (job_has(j, "box")) return option_whole_xyz(j, "box", in->info.shape, 1, shape);
    double factor = job_number(j, "factor", 1), old = 1;
    if (job_has(j, "apix-out")) {
        TESS_TRY(input_pixel_size(in, &old));
        factor = job_number(j, "apix-out", 1);
    }
    TESS_CHECK(factor > 0 && isfinite(factor), TESS_EARG, "rescale: --%s is %g; a number above 0 is needed",
               job_has(j, "factor") ? "factor" : "apix-out", factor);
    for (int i = 1; i < 4; ++i) {
        const double known = in->info.meta.pixel_size[i - 1];
        const double each = job_has(j, "factor") ? factor : factor / (known > 0 ? known : old);
        TESS_CHECK((double)shape->dim[i] / each < 1e9, TESS_EARG, "rescale: that is %g pixels along %c",
                   (double)shape->dim[i] / each, "?zyx"[i]);
        shape->dim[i] = nearest_size(shape->dim[i], each);
    }
    return TESS_OK;
}

static tess_status rescale_file(job *j, input *in)
{
    const tess_shape shape = in->info.shape;
    const tess_dtype dtype = dtype_to_compute(in->info.dtype);
    tess_shape       out;
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "rescale: %s has complex numbers; real ones are needed", in->name);
    TESS_TRY(new_shape(j, in, &out));
    TESS_CHECK(out.d == 1 || shape.d > 1, TESS_ESHAPE, "rescale: --box has z %lld; %s has images", (long long)out.d,
               in->name);
    rescaling   r = { shape, out };
    const bool  volumes = shape.d > 1;
    stream_plan plan = { .in_dtype = dtype,
                         .out_dtype = dtype,
                         .file_dtype = dtype_to_keep(in->info.dtype),
                         .out_shape = out,
                         .meta = meta_of(in),
                         .volumes = volumes,
                         .unit = volumes ? "sections" : "images" };
    for (int i = 1; i < 4; ++i) meta_scale(&plan.meta, i - 1, (double)shape.dim[i] / (double)out.dim[i], 0);
    const double got = plan.meta.pixel_size[2], asked = job_number(j, "apix-out", got);
    if (fabs(got - asked) > 1e-4 * asked) {
        job_note(j, "the pixel size is %.6g A, not %.6g A: %lld pixels become %lld", got, asked, (long long)shape.w,
                 (long long)out.w);
    }
    const int64_t spectra = tess_rfft_shape(shape).w * shape.h + tess_rfft_shape(out).w * out.h;
    plan.extra = 2 * (int64_t)tess_dtype_size(dtype) * spectra * (shape.d > out.d ? shape.d : out.d);
    return stream_run(j, in, &plan, rescale_slab, &r);
}

static tess_status run(job *j)
{
    input in = { 0 };
    TESS_TRY(open_input(j, &in, NEED_ANY));
    const tess_status status = rescale_file(j, &in);
    input_close(&in);
    return status;
}

const verb verb_rescale = { .name = "rescale",
                            .subject = "size and place",
                            .summary = "change the pixel size by cropping or padding the Fourier transform",
                            .arguments = "INPUT -o OUT",
                            .text = "Nothing is lost below the new Nyquist frequency, and the mean is kept. The size "
                                    "in pixels is whole, so the pixel size is the exact one that follows from it; a "
                                    "note says so where it is not what was asked for. Pixel 0 stays where it is, and "
                                    "so does the middle one of even sizes.",
                            .options = options,
                            .examples = examples,
                            .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SLICES | GLOBAL_PROGRESS,
                            .least = 1,
                            .most = 1,
                            .run = run };
