/* tessera align: stacks and tilt series aligned by correlation; shifts, transforms, and the aligned stack. */
#include <math.h>
#include <string.h>

#include "files/input_meta.h"
#include "files/on_device.h"
#include "measure/geometry.h"
#include "movies/tilts.h"

static const option options[] = {
    { .name = "tilts",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "it is a tilt series: angles in degrees, one in each line (.tlt, .rawtlt), or those of a .mdoc or STAR "
              "file" },
    { .name = "axis",
      .value = "DEG",
      .type = OPTION_ANGLE,
      .help = "of the tilts: from y, counter-clockwise where y goes up, as in IMOD [0]" },
    { .name = "resolution", .value = "A", .type = OPTION_CUTOFF, .help = "what is finer does not count [0.25/px]" },
    { .name = "bfactor",
      .value = "B",
      .type = OPTION_NUMBER,
      .help = "of stacks: weights of the correlation, exp(-B/4 s^2), B in A^2 [0]" },
    { .name = "max-shift",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "of an image from the others, or from the tilt before [any]" },
    { .name = "xf",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the shifts as transforms for newstack -xform" },
    { 0 },
};
static const char *const examples[] = {
    "tessera align stack.mrcs",
    "tessera align --max-shift 20 --xf stack.xf stack.mrcs -o aligned.mrcs",
    "tessera align --tsv --xf '{name}_all.xf' stack.mrcs movie.tif -o '{name}_aligned.mrcs'",
    NULL,
};

typedef struct alignment {
    job       *job;
    tess_shape small;    /* {images,1,h,w} of what is aligned */
    tess_shape image;    /* {1,1,h,w} */
    double     scale[2]; /* pixels of an image in one of that */
    double     pixel_size, bfactor, max_shift, axis, cut;
    tess_array spectra;       /* of what is aligned */
    tess_array tilts, shifts; /* f64 {n,1,1,1} radians, and {n,1,1,2} pixels of images, on the host */
} alignment;

/* ---- Options ---- */

static tess_status read_tilts(alignment *a, const input *in)
{
    const double pi = 3.14159265358979323846;
    TESS_CHECK(job_has(a->job, "tilts") || !job_has(a->job, "axis"), TESS_EARG,
               "align: --axis requires --tilts; the angles are needed");
    if (!job_has(a->job, "tilts")) return TESS_OK;
    TESS_CHECK(!job_has(a->job, "bfactor"), TESS_EARG, "align: --bfactor is for stacks, not for --tilts");
    TESS_TRY(job_angle(a->job, "axis", &a->axis));
    TESS_TRY(tilts_of_images(&a->tilts, job_text(a->job, "tilts", ""), in));
    for (int64_t i = 0; i < a->small.b; ++i) {
        double *angle = (double *)a->tilts.data + i;
        char    text[32];
        TESS_CHECK(fabs(*angle) <= 85, TESS_ERANGE, "align: tilt %lld of %s is %s; -85 to 85 degrees are allowed",
                   (long long)i, job_text(a->job, "tilts", ""), number_text(text, *angle));
        *angle *= pi / 180;
    }
    return TESS_OK;
}

static tess_status read_options(alignment *a, const input *in)
{
    const tess_shape s = in->info.shape;
    job             *j = a->job;
    a->cut = 0.25;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "align: %s is a volume; a stack of images is needed (--as stack)", in->name);
    TESS_CHECK(s.b * s.h * s.w > 0, TESS_ESHAPE, "align: %s is empty", in->name);
    a->small = s;
    a->image = TESS_SHAPE(1, 1, s.h, s.w);
    a->pixel_size = in->info.meta.pixel_size[2];
    a->bfactor = job_number(j, "bfactor", 0);
    TESS_CHECK(a->bfactor >= 0 && isfinite(a->bfactor), TESS_EARG, "align: --bfactor is %s; 0 or more is allowed",
               job_text(j, "bfactor", ""));
    if (a->bfactor > 0) TESS_TRY(input_pixel_size(in, &a->pixel_size));
    TESS_TRY(job_length(j, "max-shift", a->pixel_size, &a->max_shift));
    TESS_CHECK(!job_has(j, "max-shift") || a->max_shift > 0, TESS_EARG,
               "align: --max-shift is %s; it must be above 0", job_text(j, "max-shift", ""));
    TESS_TRY(job_cutoff(j, "resolution", a->pixel_size, s.h < s.w ? s.h : s.w, &a->cut));
    for (int k = 0; k < 2; ++k) {
        const int64_t n = a->image.dim[2 + k], wanted = tess_fft_fast_size((int64_t)ceil(2 * a->cut * (double)n));
        a->small.dim[2 + k] = wanted < n ? wanted : n;
        a->scale[k] = (double)n / (double)a->small.dim[2 + k];
    }
    return read_tilts(a, in);
}

/* ---- Alignment ---- */

/* Spectra of some images, cropped. */
static tess_status crop_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    alignment  *a = context;
    tess_array  spectra = { 0 }, to;
    tess_shape  from = in->shape, small = a->small;
    tess_status status = TESS_OK;
    small.b = from.b;
    TESS_GOTO(done, status, tess_slice(&to, &a->spectra, 0, s->b, s->b + from.b, 1));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, in, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&to, &spectra, from, small, NULL));
done:
    tess_release(&spectra);
    return status;
}

static tess_status read_images(alignment *a, input *in)
{
    const tess_dtype dtype = TESS_F32;
    input *const     inputs[] = { in };
    slab_plan        plan = plan_of_sections(inputs, in->info.shape);
    tess_array       means;
    double           sum[2];
    plan.device = a->job->device;
    plan.in_dtypes = &dtype;
    plan.images = true;
    plan.extra = 8 * a->image.h * a->image.w;
    TESS_TRY(tess_empty(&a->spectra, tess_rfft_shape(a->small), TESS_C32, a->job->device));
    plan.taken = tess_n_bytes(&a->spectra);
    TESS_TRY(stream_slabs(a->job, &plan, NULL, crop_slab, a));
    TESS_TRY(tess_subregion(&means, &a->spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_TRY(tess_host_sum_complex(sum, &means));
    TESS_CHECK(isfinite(sum[0]), TESS_ERANGE, "align: %s has values that are NaN or infinite", in->name);
    return TESS_OK;
}

static tess_status align_stack(alignment *a)
{
    const tess_align_frames_opts opts = { .bfactor = tess_given(a->bfactor),
                                          .maximum_shift = a->max_shift / a->scale[1] };
    const double                 pixel = a->pixel_size > 0 ? a->pixel_size : 1;
    return tess_align_frames(&a->shifts, &a->spectra, a->small, pixel * a->scale[1], &opts);
}

static tess_status align_series(alignment *a)
{
    const tess_align_tilts_opts opts = { .axis = a->axis, .high = 0.45, .maximum_shift = a->max_shift / a->scale[1] };
    tess_array                  images = { 0 };
    tess_status                 status = TESS_OK;
    TESS_GOTO(done, status, tess_fft_c2r(&images, &a->spectra, a->small, NULL));
    TESS_GOTO(done, status, tess_align_tilts(&a->shifts, &images, &a->tilts, &opts));
done:
    tess_release(&images);
    return status;
}

static tess_status find_shifts(alignment *a, input *in)
{
    TESS_TRY(read_images(a, in));
    TESS_TRY(a->tilts.data ? align_series(a) : align_stack(a));
    TESS_TRY(move_array(&a->shifts, tess_cpu()));
    for (int64_t i = 0; i < 2 * a->small.b; ++i) ((double *)a->shifts.data)[i] *= a->scale[i % 2];
    tess_release(&a->spectra);
    return TESS_OK;
}

/* ---- Outputs ---- */

static tess_status move_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const alignment *a = context;
    tess_array       some, there = { 0 };
    TESS_TRY(tess_slice(&some, &a->shifts, 0, first, first + in->shape.b, 1));
    TESS_TRY(tess_to_device(&there, &some, in->device));
    const tess_status status = tess_phase_shift_image(out, in, &there, NULL);
    tess_release(&there);
    return status;
}

static tess_status write_stack(alignment *a, input *in)
{
    stream_plan plan = plan_to_compute(in);
    plan.extra = 4 * (int64_t)tess_dtype_size(plan.in_dtype) * a->image.h * a->image.w;
    return stream_run(a->job, in, &plan, move_images, a);
}

static tess_status write_transforms(const alignment *a)
{
    const char   *path = job_text(a->job, "xf", "");
    const double *shifts = a->shifts.data;
    tess_array    matrices = { 0 };
    TESS_TRY(tess_zeros(&matrices, TESS_SHAPE(a->small.b, 1, 1, 1), TESS_MAT23_F64, tess_cpu()));
    for (int64_t i = 0; i < a->small.b; ++i) {
        double *m = (double *)matrices.data + 6 * i;
        m[0] = m[4] = 1;
        m[2] = shifts[2 * i], m[5] = shifts[2 * i + 1];
    }
    const tess_status status =
        tess_xf_write(path, &matrices, &(tess_sidecar_opts){ .overwrite = job_has(a->job, "force") });
    tess_release(&matrices);
    return status;
}

static void print_shifts(const alignment *a)
{
    const double *shifts = a->shifts.data;
    table        *t = table_new(a->job, stdout);
    for (int64_t i = 0; i < a->small.b; ++i) {
        table_integer(t, "image", i);
        table_number(t, "x", shifts[2 * i + 1]);
        table_number(t, "y", shifts[2 * i]);
        table_row(t);
    }
    table_end(t);
}

static tess_status align_file(alignment *a, input *in)
{
    job *j = a->job;
    TESS_TRY(read_options(a, in));
    TESS_TRY(find_shifts(a, in));
    if (job_has(j, "output")) TESS_TRY(write_stack(a, in));
    if (job_has(j, "xf") && !job_has(j, "dry-run")) TESS_TRY(write_transforms(a));
    print_shifts(a);
    return TESS_OK;
}

static tess_status run(job *j)
{
    input     in = { 0 };
    alignment a = { .job = j };
    if (job_has(j, "output")) TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = align_file(&a, &in);
    tess_release(&a.spectra);
    tess_release(&a.tilts);
    tess_release(&a.shifts);
    input_close(&in);
    return status;
}

const verb verb_align = {
    .name = "align",
    .subject = "movies and tilts",
    .summary = "align stacks and tilt series by correlation",
    .arguments = "INPUT... [-o ALIGNED]",
    .text =
        "Prints for each image the shift x, y in pixels that moves it onto the first one; of a tilt series (--tilts) "
        "onto "
        "the one of the smallest angle. Images of a stack are each correlated with the sum of the others, in rounds; "
        "those of a tilt series with their neighbour, stretched across the axis by the ratio of cosines. --xf writes "
        "shifts for IMOD's newstack -xform; -o writes the stack moved by them, periodically. Each of several inputs is "
        "aligned by itself; {name} in options, as in --tilts '{name}.rawtlt', is its name. Results of a GPU may differ "
        "in last digits.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_TABLE),
};
