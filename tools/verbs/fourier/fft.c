/* tessera fft: Fourier transforms of images and volumes, and back. */
#include <string.h>

#include "files/one_input.h"
#include "measure/in_place.h"

static const option options[] = {
    FLAG("inverse", "inverse transform, to an image or a volume"),
    CHOICE("layout", "L", "h hc f fc", "half or full transform, zero frequency first or in the middle [h]"),
    CHOICE("norm", "N", "backward ortho forward none", "direction divided by the number of pixels [backward]"),
    FLAG("odd", "--inverse of a half transform: the width is odd"),
    FLAG("complex", "--inverse of a full transform: keep imaginary parts"),
    { 0 },
};
static const char *const examples[] = {
    "tessera fft stack.mrcs -o spectra.npy",
    "tessera fft --layout hc x.mrc -o spectrum.mrc",
    "tessera fft --inverse --layout hc spectrum.mrc -o back.mrc",
    NULL,
};

typedef struct transform {
    tess_shape      shape; /* logical: of the real array */
    tess_fft_layout layout;
    tess_fft_norm   norm;
    bool            half, real_out;
} transform;

static tess_shape logical(const transform *t, int64_t b) { return TESS_SHAPE(b, t->shape.d, t->shape.h, t->shape.w); }

static tess_status forward(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const transform    *t = context;
    const tess_fft_opts opts = { .norm = (int32_t)t->norm };
    const bool          real = tess_dtype_kind(in->dtype) == TESS_KIND_FLOAT;
    if (t->layout == TESS_FFT_H) return tess_fft_r2c(out, in, &opts);
    tess_array  spectrum = { 0 };
    tess_status status;
    TESS_GOTO(done, status,
              real ? tess_fft_r2c(&spectrum, in, &opts) : tess_fft_c2c(&spectrum, in, TESS_FFT_FORWARD, &opts));
    TESS_GOTO(done, status,
              tess_fft_remap(out, &spectrum, logical(t, in->shape.b), real ? TESS_FFT_H : TESS_FFT_F, t->layout));
done:
    tess_release(&spectrum);
    return status;
}

static tess_status inverse(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const transform    *t = context;
    const tess_fft_opts opts = { .norm = (int32_t)t->norm, .overwrite = 1 };
    const tess_shape    shape = logical(t, in->shape.b);
    tess_array          spectrum = { 0 }, part;
    tess_status         status;
    TESS_GOTO(done, status, tess_fft_remap(&spectrum, in, shape, t->layout, t->half ? TESS_FFT_H : TESS_FFT_F));
    if (t->half) {
        TESS_GOTO(done, status, tess_fft_c2r(out, &spectrum, shape, &opts));
        goto done;
    }
    TESS_GOTO(done, status,
              tess_fft_c2c(&spectrum, &spectrum, TESS_FFT_BACKWARD, &(tess_fft_opts){ .norm = (int32_t)t->norm }));
    part = spectrum;
    if (t->real_out) TESS_GOTO(done, status, tess_real_view(&part, &spectrum));
    TESS_GOTO(done, status, tess_copy(out, &part));
done:
    tess_release(&spectrum);
    return status;
}

/* ---- Volumes: in the memory that they were read into ---- */

static tess_status forward_in_place(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const transform    *t = context;
    const tess_fft_opts opts = { .norm = (int32_t)t->norm };
    const bool          real = tess_dtype_kind(in->dtype) == TESS_KIND_FLOAT;
    tess_array          spectrum = real ? half_spectrum_of(in) : *in;
    if (real) TESS_TRY(tess_fft_r2c(&spectrum, in, &opts));
    else TESS_TRY(tess_fft_c2c(&spectrum, in, TESS_FFT_FORWARD, &opts));
    const tess_fft_layout has = real ? TESS_FFT_H : TESS_FFT_F;
    if (t->layout == has) *out = spectrum;
    else TESS_TRY(tess_fft_remap(out, &spectrum, logical(t, in->shape.b), has, t->layout));
    return TESS_OK;
}

/* The real images, or the full transform, on the storage of a spectrum. */
static tess_status invert(const transform *t, tess_array *out, tess_array *spectrum)
{
    const tess_fft_opts opts = { .norm = (int32_t)t->norm, .overwrite = t->half };
    if (t->half) {
        *out = real_images_of(spectrum, t->shape.w);
        return tess_fft_c2r(out, spectrum, logical(t, spectrum->shape.b), &opts);
    }
    TESS_TRY(tess_fft_c2c(spectrum, spectrum, TESS_FFT_BACKWARD, &opts));
    *out = *spectrum;
    return t->real_out ? tess_real_view(out, spectrum) : TESS_OK;
}

static tess_status inverse_in_place(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const transform      *t = context;
    const tess_fft_layout wanted = t->half ? TESS_FFT_H : TESS_FFT_F;
    tess_array            spectrum = *in, moved = { 0 };
    if (t->layout != wanted) {
        TESS_TRY(tess_fft_remap(&moved, in, logical(t, in->shape.b), t->layout, wanted));
        spectrum = moved;
    }
    const tess_status status = invert(t, out, &spectrum);
    if (status != TESS_OK) tess_release(&moved), *out = (tess_array){ 0 };
    return status;
}

static int64_t bytes_of(tess_shape shape, tess_dtype dtype)
{
    return shape.d * shape.h * shape.w * (int64_t)tess_dtype_size(dtype);
}

/* What a step takes beyond its input and output: a spectrum in another layout. */
static void plan_memory(stream_plan *plan, const transform *t, tess_shape in, bool back)
{
    const tess_dtype complex = tess_dtype_complex(plan->in_dtype);
    const bool       real = !back && plan->in_dtype != complex;
    const tess_shape spectrum = real ? tess_rfft_shape(t->shape) : in;
    const bool       moves = t->layout != (back ? (t->half ? TESS_FFT_H : TESS_FFT_F) : real ? TESS_FFT_H : TESS_FFT_F);
    plan->row = real ? 2 * (in.w / 2 + 1) : 0;
    if (!plan->in_place) plan->extra = back || moves ? bytes_of(spectrum, complex) : 0;
    else if (moves) plan->extra = back ? bytes_of(in, complex) : bytes_of(plan->out_shape, complex);
    plan->packs = back && plan->in_place && (t->half || t->real_out);
}

static tess_fft_layout layout_of(const char *name)
{
    return strcmp(name, "hc") == 0   ? TESS_FFT_HC
           : strcmp(name, "f") == 0  ? TESS_FFT_F
           : strcmp(name, "fc") == 0 ? TESS_FFT_FC
                                     : TESS_FFT_H;
}

static tess_fft_norm norm_of(const char *name)
{
    return strcmp(name, "ortho") == 0     ? TESS_FFT_NORM_ORTHO
           : strcmp(name, "forward") == 0 ? TESS_FFT_NORM_FORWARD
           : strcmp(name, "none") == 0    ? TESS_FFT_NORM_NONE
                                          : TESS_FFT_NORM_BACKWARD;
}

static tess_status transform_file(job *j, input *in)
{
    const char      *layout = job_text(j, "layout", "h");
    const bool       back = job_has(j, "inverse");
    const tess_dtype dtype = dtype_to_compute(in->info.dtype), real = tess_dtype_real(dtype);
    const bool       complex = dtype != real;
    transform        t = { in->info.shape, layout_of(layout), norm_of(job_text(j, "norm", "backward")), false, false };
    t.half = t.layout == TESS_FFT_H || t.layout == TESS_FFT_HC;
    t.real_out = !job_has(j, "complex");
    TESS_CHECK(!back || complex, TESS_EDTYPE, "fft: %s has real numbers; --inverse needs a transform, which is complex",
               in->name);
    TESS_CHECK(back || !complex || !t.half, TESS_EDTYPE,
               "fft: %s has complex numbers; --layout %s is for real ones: f or fc is needed", in->name, layout);
    tess_shape out = t.shape;
    if (back && t.half) out.w = t.shape.w = 2 * (t.shape.w - 1) + job_has(j, "odd");
    else if (t.half) out.w = tess_rfft_shape(t.shape).w;
    TESS_CHECK(out.w > 0, TESS_ESHAPE, "fft: a half transform of width %lld belongs to an image of width 1: give --odd",
               (long long)in->info.shape.w);
    if (!back && t.half && t.shape.w % 2 != 0)
        job_note(j, "%s has the odd width %lld, which a half transform does not record: --inverse needs --odd",
                 in->name, (long long)t.shape.w);
    stream_plan plan = plan_to_compute(in);
    plan.out_dtype = plan.file_dtype = !back || (!t.half && !t.real_out) ? tess_dtype_complex(dtype) : real;
    plan.out_shape = out;
    plan.in_place = plan.volumes && j->device.kind == TESS_CPU;
    plan_memory(&plan, &t, in->info.shape, back);
    if (plan.in_place) return stream_run(j, in, &plan, back ? inverse_in_place : forward_in_place, &t);
    return stream_run(j, in, &plan, back ? inverse : forward, &t);
}

static tess_status run(job *j) { return on_input_to_output(j, transform_file); }

const verb verb_fft = {
    .name = "fft",
    .subject = "Fourier",
    .summary = "Fourier-transform images and volumes, and back",
    .arguments = "INPUT... -o OUT",
    .text = "Images are transformed along x and y, volumes along x, y and z. The result is complex: NPY, or MRC mode "
            "4. A file does not record its layout: give --layout again for --inverse (IMOD's transforms are hc). The "
            "pixel size in the header stays that of the image.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
