/* tessera rescale: another pixel size, by cutting or padding the Fourier transform. */
#include <math.h>

#include "files/box.h"
#include "files/one_input.h"
#include "maps/fourier_box.h"

static const option options[] = {
    VALUE("apix-out", "A", OPTION_NUMBER, "pixel size of the result in \xc3\x85, as near as possible"),
    VALUE("factor", "F", OPTION_NUMBER, "factor by which the pixel size grows"),
    VALUE("box", "X,Y,Z", OPTION_LENGTHS, "size of the result in pixels"),
    { 0 },
};
static const char *const examples[] = {
    "tessera rescale --apix-out 3 x.mrc -o coarse.mrc",
    "tessera rescale --box 48 stack.mrcs -o resampled.mrcs",
    NULL,
};

static tess_status rescale_slab(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    return fourier_box(out, in, *(const tess_shape *)context);
}

enum { MAX_CHOICES = 4 };

/* Sizes that may be taken for n / factor: that itself if it is whole, else the integers about it, and of an even n
 * the even ones. */
static int find_choices(int64_t n, double wanted, int64_t choices[MAX_CHOICES])
{
    const double whole = rint(wanted);
    int          count = 0;
    if (n == 1 || (fabs(wanted - whole) <= 1e-6 * wanted && whole >= 1)) {
        choices[0] = n == 1 ? 1 : (int64_t)whole;
        return 1;
    }
    const int64_t below = (int64_t)floor(wanted), first = n % 2 == 0 && below % 2 != 0 ? below - 1 : below;
    for (int64_t size = first; size <= first + 2 + (first < below); ++size)
        if (size >= 1 && count < MAX_CHOICES) choices[count++] = size;
    return count;
}

/* How bad sizes are, worst first: pixel sizes that differ by more than 0.1 %, even sizes that become odd (the middle,
 * n/2, moves), and how far they are from what was asked for. */
typedef struct badness {
    double variance, off;
    int    odd;
} badness;

static badness how_bad(tess_shape shape, const double wanted[4], const tess_shape *sizes)
{
    double  min = INFINITY, max = 0;
    badness bad = { 0 };
    for (int i = 1; i < 4; ++i) {
        if (shape.dim[i] == 1) continue;
        const double ratio = wanted[i] / (double)sizes->dim[i];
        min = fmin(min, ratio), max = fmax(max, ratio);
        bad.off = fmax(bad.off, fabs(ratio - 1));
        bad.odd += shape.dim[i] % 2 == 0 && sizes->dim[i] % 2 != 0;
    }
    if (max > 1.001 * min) bad.variance = max / min;
    return bad;
}

static bool is_worse(badness a, badness b)
{
    if (a.variance != b.variance) return a.variance > b.variance;
    return a.odd != b.odd ? a.odd > b.odd : a.off > b.off;
}

/* Of all choices along the three axes the best. */
static void best_sizes(tess_shape shape, const double wanted[4], tess_shape *best)
{
    int64_t    choices[4][MAX_CHOICES];
    int        n[4];
    tess_shape sizes = shape;
    bool       any = false;
    for (int i = 1; i < 4; ++i) n[i] = find_choices(shape.dim[i], wanted[i], choices[i]);
    for (int k = 0; k < n[1] * n[2] * n[3]; ++k) {
        sizes.d = choices[1][k / (n[2] * n[3])];
        sizes.h = choices[2][k / n[3] % n[2]];
        sizes.w = choices[3][k % n[3]];
        if (!any || is_worse(how_bad(shape, wanted, best), how_bad(shape, wanted, &sizes))) *best = sizes;
        any = true;
    }
}

/* A factor far too small would fill the disk: 100 times the input and more, beyond 256 MiB, only by --box. */
static tess_status check_growth(tess_shape in, tess_shape out, tess_dtype dtype)
{
    const double before = (double)in.d * (double)in.h * (double)in.w,
                 after = (double)out.d * (double)out.h * (double)out.w;
    const double bytes = after * (double)in.b * (double)tess_dtype_size(dtype);
    TESS_CHECK(after <= 100 * before || bytes < 0x1p28, TESS_EARG,
               "rescale: %lld x %lld x %lld pixels would become %lld x %lld x %lld, %.3g GB; if this is intended, give "
               "the size with --box",
               (long long)in.w, (long long)in.h, (long long)in.d, (long long)out.w, (long long)out.h, (long long)out.d,
               bytes / 1e9);
    return TESS_OK;
}

static tess_status new_shape(const job *j, const input *in, tess_shape *shape)
{
    const int n = job_has(j, "apix-out") + job_has(j, "factor") + job_has(j, "box");
    TESS_CHECK(n == 1, TESS_EARG, "rescale: %s; one of --apix-out, --factor and --box is needed",
               n ? "more than one new size was given" : "no new size was given");
    *shape = in->info.shape;
    if (job_has(j, "box")) return option_pixels_xyz(j, "box", in, 1, shape);
    double factor = job_number(j, "factor", 1), old = 1;
    if (job_has(j, "apix-out")) {
        TESS_TRY(input_pixel_size(in, &old));
        factor = job_number(j, "apix-out", 1);
    }
    TESS_CHECK(factor > 0 && isfinite(factor), TESS_EARG, "rescale: --%s is %g; a number above 0 is needed",
               job_has(j, "factor") ? "factor" : "apix-out", factor);
    double wanted[4];
    for (int i = 1; i < 4; ++i) {
        const double known = in->info.meta.pixel_size[i - 1];
        const double each = job_has(j, "factor") ? factor : factor / (known > 0 ? known : old);
        wanted[i] = fmax((double)shape->dim[i] / each, 1);
        TESS_CHECK(wanted[i] < 1e9, TESS_EARG,
                   "rescale: the result would have %g pixels along %c; fewer than 1e9 are allowed", wanted[i],
                   "?zyx"[i]);
    }
    best_sizes(in->info.shape, wanted, shape);
    return check_growth(in->info.shape, *shape, in->info.dtype);
}

/* Tell pixel sizes that are not what was asked for, or not the same along all axes; without any, tell factors. */
static void tell_sizes(job *j, tess_shape in, tess_shape out, const tess_meta *meta)
{
    const double got = meta->pixel_size[2], asked = job_number(j, "apix-out", got);
    if (fabs(got - asked) > 1e-4 * asked) {
        job_note(j, "the pixel size is %.6g A, not %.6g A: %lld pixels become %lld", got, asked, (long long)in.w,
                 (long long)out.w);
    }
    double min = INFINITY, max = 0, size[4] = { 0 };
    bool   is_known = true;
    for (int i = in.d > 1 ? 1 : 2; i < 4; ++i) is_known = is_known && meta->pixel_size[i - 1] > 0;
    for (int i = in.d > 1 ? 1 : 2; i < 4; ++i) {
        size[i] = is_known ? meta->pixel_size[i - 1] : (double)in.dim[i] / (double)out.dim[i];
        min = fmin(min, size[i]), max = fmax(max, size[i]);
    }
    if (max <= 1.001 * min) return;
    const char *unit = is_known ? "A" : "times the old size";
    if (in.d > 1)
        job_note(j, "the pixel size differs between axes: x %.6g, y %.6g, z %.6g %s", size[3], size[2], size[1], unit);
    else job_note(j, "the pixel size differs between axes: x %.6g, y %.6g %s", size[3], size[2], unit);
}

static tess_status rescale_file(job *j, input *in)
{
    const tess_shape shape = in->info.shape;
    tess_shape       out;
    TESS_TRY(need_real(j, in));
    TESS_TRY(new_shape(j, in, &out));
    TESS_CHECK(out.d == 1 || shape.d > 1, TESS_ESHAPE, "rescale: --box has z %lld; %s has images", (long long)out.d,
               in->name);
    stream_plan plan = plan_to_compute(in);
    double      factor[3];
    plan.out_shape = out;
    for (int i = 0; i < 3; ++i) factor[i] = (double)shape.dim[i + 1] / (double)out.dim[i + 1];
    TESS_TRY(tess_meta_scale(&plan.meta, factor, (const double[3]){ 0 }));
    tell_sizes(j, shape, out, &plan.meta);
    tell_lost_cell(j, in, &plan.meta);
    const int64_t spectra = tess_rfft_shape(shape).w * shape.h + tess_rfft_shape(out).w * out.h;
    plan.extra = 2 * (int64_t)tess_dtype_size(plan.in_dtype) * spectra * (shape.d > out.d ? shape.d : out.d);
    return stream_run(j, in, &plan, rescale_slab, &out);
}

static tess_status run(job *j) { return on_input_to_output(j, rescale_file); }

const verb verb_rescale = {
    .name = "rescale",
    .subject = "size and place",
    .summary = "change the pixel size by cropping or padding the Fourier transform",
    .arguments = "INPUT... -o OUT",
    .text = "Everything below the new Nyquist frequency is kept, and so is the mean. At the Nyquist frequency itself, "
            "for even sizes, both signs share one coefficient: cropping writes the mean of both, half of what a sum "
            "would be, and padding writes half of it to each, so that the result is real. Sizes in pixels are "
            "integers. An exact size is used if there is one, such as 15 for 30 pixels from 2 A to 4 A; otherwise "
            "sizes near it for which the axes have the same pixel size to 0.1 %, then sizes that stay even, then the "
            "nearest. The pixel size written is the exact one that follows; notes report where it differs from the one "
            "asked for, and where axes differ. Pixel 0 keeps its position, and so does the middle pixel, n/2, of even "
            "sizes. A result with more than 100 times the pixels (and 256 MiB) requires --box.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
