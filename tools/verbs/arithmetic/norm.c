/* tessera norm: images and volumes brought to a common scale. */

#include <math.h>
#include <string.h>

#include "files/one_input.h"

static const option options[] = {
    CHOICE("method", "M", "zscore minmax l2 none",
           "mean 0 and sd 1; range 0 to 1; sum of squares 1; unchanged [zscore]"),
    VALUE("bg-radius", "R", OPTION_LENGTH, "zscore: mean and sd of pixels beyond R from the centre"),
    VALUE("mean", "M", OPTION_NUMBER, "zscore: mean of the result [0]"),
    VALUE("sd", "S", OPTION_NUMBER, "zscore: standard deviation of the result [1]"),
    VALUE("clip-sigma", "S", OPTION_NUMBER, "first clip values to mean +- S standard deviations"),
    FLAG("invert", "finally invert the contrast: dark becomes bright"),
    { 0 },
};
static const char *const examples[] = {
    "tessera norm --bg-radius 24 stack.mrcs -o normal.mrcs",
    "tessera norm --method minmax x.mrc -o unit.mrc",
    "tessera norm --mean 100 --sd 20 --dtype u8 stack.mrcs -o bytes.mrcs",
    "tessera norm --method none --invert stack.mrcs -o white.mrcs",
    NULL,
};

typedef struct norming {
    tess_normalize_mode mode; /* DEFAULT: none */
    double              radius, clip, mean, sd;
    bool                ring, invert;
} norming;

static tess_status clip(const norming *n, tess_array *image)
{
    double mean, sd;
    TESS_TRY(tess_host_mean_std(&mean, &sd, image, NULL));
    return tess_clamp(image, image, &tess_num(mean - n->clip * sd), &tess_num(mean + n->clip * sd));
}

static tess_status norm_one(const norming *n, tess_array *image)
{
    if (n->clip > 0) TESS_TRY(clip(n, image));
    if (n->ring) TESS_TRY(tess_normalize_background(image, image, n->radius, NULL));
    else if (n->mode != TESS_NORMALIZE_DEFAULT) {
        TESS_TRY(tess_normalize(image, image, 0, &(tess_normalize_opts){ .mode = (int32_t)n->mode }));
    }
    if (n->sd != 1 || n->mean != 0) TESS_TRY(tess_fma(image, image, &tess_num(n->sd), &tess_num(n->mean)));
    return n->invert ? tess_neg(image, image) : TESS_OK;
}

static tess_status norm_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    TESS_TRY(tess_copy(out, in));
    for (int64_t i = 0; i < out->shape.b; ++i) {
        tess_array image;
        TESS_TRY(tess_index(&image, out, 0, i));
        TESS_TRY(norm_one(context, &image));
    }
    return TESS_OK;
}

static tess_status read_options(const job *j, const input *in, norming *n)
{
    const char *method = job_text(j, "method", "zscore");
    n->mode = strcmp(method, "zscore") == 0   ? TESS_NORMALIZE_MEAN_STD
              : strcmp(method, "minmax") == 0 ? TESS_NORMALIZE_MIN_MAX
              : strcmp(method, "l2") == 0     ? TESS_NORMALIZE_L2
                                              : TESS_NORMALIZE_DEFAULT;
    n->invert = job_has(j, "invert");
    n->ring = job_has(j, "bg-radius");
    n->clip = job_number(j, "clip-sigma", 0);
    TESS_CHECK(!job_has(j, "clip-sigma") || n->clip > 0, TESS_EARG,
               "norm: --clip-sigma is %g; a number above 0 is needed", n->clip);
    n->mean = job_number(j, "mean", 0);
    n->sd = job_number(j, "sd", 1);
    TESS_CHECK(n->mode == TESS_NORMALIZE_MEAN_STD || !(job_has(j, "mean") || job_has(j, "sd")), TESS_EARG,
               "norm: --%s requires --method zscore, not %s", job_has(j, "mean") ? "mean" : "sd", method);
    TESS_CHECK(isfinite(n->mean), TESS_EARG, "norm: --mean is %g; a finite number is needed", n->mean);
    TESS_CHECK(n->sd > 0 && isfinite(n->sd), TESS_EARG, "norm: --sd is %g; a number above 0 is needed", n->sd);
    if (!n->ring) return TESS_OK;
    TESS_CHECK(n->mode == TESS_NORMALIZE_MEAN_STD, TESS_EARG, "norm: --bg-radius requires --method zscore, not %s",
               method);
    TESS_TRY(need_right_angles(j, in, in->info.shape.d > 1, "--bg-radius"));
    TESS_TRY(job_length(j, "bg-radius", in->info.meta.pixel_size[2], &n->radius));
    double farthest = 0; /* from the middle n/2, squared: that of the first pixel */
    for (int k = 1; k < 4; ++k) {
        const double half = (double)(in->info.shape.dim[k] / 2);
        farthest += half * half;
    }
    TESS_CHECK(n->radius * n->radius < farthest, TESS_EARG,
               "norm: --bg-radius is %g pixels; no pixel of %lld x %lld lies beyond it", n->radius,
               (long long)in->info.shape.w, (long long)in->info.shape.h);
    return TESS_OK;
}

static tess_status norm_file(job *j, input *in, norming *n)
{
    TESS_TRY(need_real(j, in));
    TESS_TRY(read_options(j, in, n));
    const stream_plan plan = plan_to_compute(in);
    return stream_run(j, in, &plan, norm_images, n);
}

static tess_status run(job *j)
{
    input   in = { 0 };
    norming n = { 0 };
    TESS_TRY(open_input(j, &in));
    const tess_status status = norm_file(j, &in, &n);
    input_close(&in);
    return status;
}

const verb verb_norm = {
    .name = "norm",
    .subject = "arithmetic",
    .summary = "normalise images and volumes, each by itself",
    .arguments = "INPUT... -o OUT",
    .text = "Each image or volume is normalised by itself. If all its pixels are equal, zscore and minmax give zeros, "
            "or --mean.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
