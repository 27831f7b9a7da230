/* tessera gen: images and volumes made by a formula, for tests and for trying things. */
#include <math.h>
#include <string.h>

#include "command/globals.h"
#include "files/slab_pipeline.h"

/* What is drawn; lengths in pixels, in the order x, y, z. */
typedef struct figure {
    tess_shape shape;
    double     centre[3];
    double     radius, soft, sigma, period;
    double     low, high; /* value outside and inside; of a ramp at both ends */
    double     mean, sd;
    uint64_t   seed;
    int        axis; /* of a ramp: 0 x, 1 y, 2 z or the number of the image */
    /* A value at x, y, z. */
    double (*at)(const struct figure *f, const double position[3]);
} figure;

static double distance(const figure *f, const double position[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += (position[i] - f->centre[i]) * (position[i] - f->centre[i]);
    return sqrt(sum);
}

static double sphere(const figure *f, const double position[3])
{
    double beyond = distance(f, position) - f->radius, inside;
    if (beyond <= 0) inside = 1;
    else if (beyond >= f->soft) inside = 0;
    else inside = 0.5 + 0.5 * cos(TESS_PI * beyond / f->soft);
    return f->low + (f->high - f->low) * inside;
}

static double gaussian(const figure *f, const double position[3])
{
    double r = distance(f, position) / f->sigma;
    return f->low + (f->high - f->low) * exp(-0.5 * r * r);
}

static double ramp(const figure *f, const double position[3])
{
    int64_t n = f->axis == 0 ? f->shape.w : f->axis == 1 ? f->shape.h : f->shape.b * f->shape.d;
    return n > 1 ? f->low + (f->high - f->low) * (position[f->axis] / (double)(n - 1)) : f->low;
}

static double checker(const figure *f, const double position[3])
{
    double fields = 0;
    for (int i = 0; i < 3; i++) fields += floor(position[i] / f->period);
    return fmod(fields, 2) == 0 ? f->low : f->high;
}

static double constant(const figure *f, const double position[3])
{
    (void)position;
    return f->high;
}

static tess_status draw_noise(const figure *f, tess_array *out, int64_t image)
{
    uint64_t first = (uint64_t)(image * f->shape.h * f->shape.w);
    return tess_random_normal(out, f->mean, f->sd, f->seed, &(tess_random_opts){ .offset = first });
}

static tess_status draw(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)in;
    const figure *f = context;
    int64_t       first = part->b * f->shape.d + part->z;
    if (!f->at) return draw_noise(f, out, first);
    for (int64_t i = 0; i < out->shape.b * out->shape.d; i++) {
        float *image = (float *)out->data + i * f->shape.h * f->shape.w;
        /* In a stack, each image has the same figure; a ramp along z goes through all of it. */
        double z = (double)(f->axis == 2 ? first + i : (first + i) % f->shape.d);
        for (int64_t y = 0; y < f->shape.h; y++) {
            for (int64_t x = 0; x < f->shape.w; x++) {
                image[y * f->shape.w + x] = (float)f->at(f, (double[]){ (double)x, (double)y, z });
            }
        }
    }
    return TESS_OK;
}

static tess_status find_shape(job *j, tess_shape *shape)
{
    double  xyz[3] = { 64, 64, 1 };
    int     n = 0;
    int64_t count = job_integer(j, "count", 1);
    TESS_CHECK(!job_has(j, "shape") || !(job_has(j, "size") || job_has(j, "count")), TESS_EARG,
               "gen: --shape gives all sizes; it cannot be combined with --size or --count");
    if (job_has(j, "shape")) {
        TESS_TRY(parse_shape(shape, "--shape", job_text(j, "shape", "")));
    } else {
        TESS_TRY(job_xyz(j, "size", xyz, &n));
        if (n == 1) xyz[1] = xyz[0];
        for (int i = 0; i < 3; i++) {
            TESS_CHECK(xyz[i] >= 1 && xyz[i] <= 1e9 && xyz[i] == floor(xyz[i]), TESS_ERANGE,
                       "--size: %g; integers from 1 to 1e9 are allowed", xyz[i]);
        }
        *shape = TESS_SHAPE(count, (int64_t)xyz[2], (int64_t)xyz[1], (int64_t)xyz[0]);
    }
    TESS_CHECK(shape->b > 0 && shape->d > 0 && shape->h > 0 && shape->w > 0, TESS_ERANGE,
               "gen: {%lld,%lld,%lld,%lld}; sizes of 1 or more are allowed", (long long)shape->b, (long long)shape->d,
               (long long)shape->h, (long long)shape->w);
    return TESS_OK;
}

static tess_status choose_kind(figure *f, const char *kind)
{
    static const struct {
        const char *name;
        double (*at)(const figure *f, const double position[3]);
    } kinds[] = { { "sphere", sphere }, { "gaussian", gaussian }, { "noise", NULL },
                  { "ramp", ramp },     { "checker", checker },   { "constant", constant } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind, kinds[i].name) != 0) continue;
        f->at = kinds[i].at;
        return TESS_OK;
    }
    TESS_FAIL(TESS_EARG, "gen: '%s' is not one of sphere, gaussian, noise, ramp, checker, constant%s", kind,
              strcmp(kind, "ctf") == 0 ? "; tessera ctf sim makes images of CTFs" : "");
}

static tess_status find_lengths(job *j, figure *f)
{
    double        apix = job_number(j, "apix", 0);
    int           n = 0;
    const int64_t sides[] = { f->shape.w, f->shape.h, f->shape.d };
    int64_t       side = sides[0];
    for (int i = 0; i < 3; i++) {
        f->centre[i] = (double)(sides[i] / 2);
        if (sides[i] > 1 && sides[i] < side) side = sides[i];
    }
    f->radius = (double)side / 4;
    f->sigma = (double)side / 8;
    f->period = 8;
    TESS_TRY(job_length(j, "radius", apix, &f->radius));
    TESS_TRY(job_length(j, "soft", apix, &f->soft));
    TESS_TRY(job_length(j, "sigma", apix, &f->sigma));
    TESS_TRY(job_length(j, "period", apix, &f->period));
    TESS_TRY(job_xyz(j, "center", f->centre, &n));
    TESS_CHECK(f->radius >= 0 && f->soft >= 0, TESS_ERANGE, "gen: --radius and --soft must be 0 or more");
    TESS_CHECK(f->sigma > 0 && f->period > 0, TESS_ERANGE, "gen: --sigma and --period must be above 0");
    return TESS_OK;
}

static tess_status find_figure(job *j, figure *f)
{
    TESS_TRY(choose_kind(f, j->arguments[0]));
    TESS_TRY(find_shape(j, &f->shape));
    TESS_TRY(find_lengths(j, f));
    f->low = job_number(j, "low", 0);
    f->high = job_number(j, "high", job_number(j, "value", 1));
    f->mean = job_number(j, "mean", 0);
    f->sd = job_number(j, "sd", 1);
    TESS_CHECK(f->sd >= 0, TESS_ERANGE, "--sd: %g; it must be 0 or more", f->sd);
    f->seed = (uint64_t)job_integer(j, "seed", 0);
    f->axis = job_text(j, "axis", "x")[0] - 'x';
    return TESS_OK;
}

static tess_status run(job *j)
{
    figure    f = { 0 };
    tess_meta meta = { 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(find_figure(j, &f));
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = job_number(j, "apix", 0);
    slab_plan plan = { .domain = f.shape, .out_shape = f.shape, .out_dtype = TESS_F32, .unit = "images" };
    return stream_slabs_to_file(j, &plan, &meta, draw, &f);
}

static const option options[] = {
    VALUE("size", "X,Y,Z", OPTION_XYZ, "size in pixels; one number for a square image [64]"),
    VALUE("count", "N", OPTION_INTEGER, "number of images or volumes [1]"),
    VALUE("shape", "B,D,H,W", OPTION_TEXT, "all sizes, instead of --size and --count"),
    VALUE("radius", "L", OPTION_LENGTH, "radius of the sphere [a quarter of the smallest side]"),
    VALUE("soft", "L", OPTION_LENGTH, "width of the sphere's cosine edge [0]"),
    VALUE("sigma", "L", OPTION_LENGTH, "sigma of the Gaussian [an eighth of the smallest side]"),
    VALUE("period", "L", OPTION_LENGTH, "side of a field of the checkerboard [8]"),
    VALUE("center", "X,Y,Z", OPTION_XYZ, "centre of the sphere or Gaussian, in pixels [n/2 of each side]"),
    CHOICE("axis", "AXIS", "x y z", "axis of the ramp; z runs through all images [x]"),
    VALUE("low", "V", OPTION_NUMBER, "value outside, or at the start of a ramp [0]"),
    VALUE("high", "V", OPTION_NUMBER, "value inside, or at the end of a ramp [1]"),
    VALUE("value", "V", OPTION_NUMBER, "value of the constant [1]"),
    VALUE("mean", "V", OPTION_NUMBER, "mean of the noise [0]"),
    VALUE("sd", "V", OPTION_NUMBER, "standard deviation of the noise [1]"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera gen sphere --size 64,64,64 --radius 20 --soft 4 --apix 1.4 -o ball.mrc",
    "tessera gen noise --size 128 --count 10 --seed 7 -o noise.mrcs",
    "tessera gen checker --size 256 --period 32 --high 255 --dtype u8 -o board.png",
    NULL,
};

const verb verb_gen = {
    .name = "gen",
    .subject = "files",
    .summary = "generate test images and volumes: sphere, noise, ramp and others",
    .arguments = "sphere|gaussian|noise|ramp|checker|constant -o OUT",
    .text = "Noise is normally distributed; each value depends only on --seed and its index. In a stack, every image "
            "has its own noise and the same figure. Images of CTFs are made by tessera ctf sim, particles and movies "
            "by tessera simulate.",
    .globals = GLOBAL_OUT | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, 1),
};
