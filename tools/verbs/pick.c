/* tessera pick: particles in micrographs, by locally normalised correlation with templates or a blob. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "particles/coordinates.h"
#include "files/listing.h"
#include "files/on_device.h"
#include "files/one_input.h"
#include "files/star_file.h"
#include "maps/fourier_box.h"
#include "particles/particle_templates.h"
#include "measure/statistics.h"
#include "picture/circles.h"

static const option options[] = {
    { .name = "diameter",
      .value = "D",
      .type = OPTION_LENGTH,
      .help = "of a particle; with --templates, of the circle that counts [the largest]" },
    { .name = "templates",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "look for these images, bright particles, instead of a round blob" },
    { .name = "template-apix",
      .value = "A",
      .type = OPTION_NUMBER,
      .help = "their pixel size [--apix, or that of their header]" },
    { .name = "step", .value = "A", .type = OPTION_ANGLE, .help = "by which templates are turned, degrees [5]" },
    { .name = "blob",
      .value = "B",
      .choices = "gauss dog",
      .type = OPTION_CHOICE,
      .help = "without templates: a Gaussian, or a difference of Gaussians [gauss]" },
    { .name = "bright", .type = OPTION_FLAG, .help = "particles are brighter than what is around them [darker]" },
    { .name = "bin",
      .value = "F",
      .type = OPTION_NUMBER,
      .help = "factor by which pixels are enlarged for the search [6 A, and 16 or more to a particle]" },
    { .name = "threshold",
      .value = "S",
      .type = OPTION_NUMBER,
      .help = "least score, in standard deviations of the map of scores above its mean [3]" },
    { .name = "distance", .value = "D", .type = OPTION_LENGTH, .help = "least distance of particles [0.8 diameters]" },
    { .name = "edge", .value = "E", .type = OPTION_LENGTH, .help = "none are this near to an edge [half a diameter]" },
    { .name = "max", .value = "N", .type = OPTION_INTEGER, .help = "as many of each micrograph, the best ones [all]" },
    { .name = "box", .value = "N", .type = OPTION_LENGTH, .help = "of .box files: their size [1.25 diameters]" },
    { .name = "picture",
      .writes = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "draw the micrograph with circles around particles, as PNG; without detail that is not searched" },
    { 0 },
};
static const char *const examples[] = {
    "tessera pick --diameter 30A --bin 1 --threshold 2 image.mrc -o picks.star",
    "tessera pick --diameter 20px --bin 2 --blob dog --bright x.mrc y.mrc -o '{name}.box' --picture '{name}.png'",
    "tessera pick --templates stack.mrcs --step 30 --bin 1 --edge 8 image.mrc -o found.star",
    NULL,
};

typedef struct picking {
    double             pixel_size;                /* angstrom; 0: not known */
    double             diameter;                  /* pixels of the micrograph */
    double             factors[2];                /* pixels of the micrograph for one that is worked with: y, x */
    tess_shape         small;                     /* the shape that is worked with */
    double             threshold, distance, edge; /* lengths in pixels of the micrograph */
    int64_t            max, box;
    particle_templates templates;
    bool               bright;
} picking;

/* What was found in one micrograph. */
typedef struct picks {
    tess_array scores, best;      /* of the best template, and its number; {1,1,h,w} */
    tess_array positions, values; /* of the peaks, on the host */
    double     mean, sd;          /* of the scores */
    double    *xy;                /* in pixels of the micrograph */
} picks;

static void picks_free(picks *p)
{
    tess_release(&p->scores);
    tess_release(&p->best);
    tess_release(&p->positions);
    tess_release(&p->values);
    free(p->xy);
}

/* ---- Options ---- */

/* Pixels of the micrograph for one that is worked with. */
static tess_status find_factor(const job *j, const input *in, const picking *p, double *factor)
{
    *factor = job_number(j, "bin", 1);
    TESS_CHECK(*factor >= 1 && *factor <= 1000, TESS_EARG, "pick: --bin is %g; 1 to 1000 is allowed", *factor);
    if (job_has(j, "bin")) return TESS_OK;
    TESS_CHECK(p->pixel_size > 0, TESS_EARG,
               "pick: the pixel size of %s is not known, so that 6 A are not; give it with --apix, or give --bin",
               in->name);
    *factor = fmax(1, 6 / p->pixel_size);
    if (p->diameter > 0) *factor = fmax(1, fmin(*factor, p->diameter / 16));
    return TESS_OK;
}

static tess_status set_grid(const job *j, const input *in, picking *p)
{
    double factor;
    TESS_TRY(find_factor(j, in, p, &factor));
    p->small = TESS_SHAPE(1, 1, 1, 1);
    for (int k = 2; k < 4; k++) {
        const int64_t n = in->info.shape.dim[k];
        p->small.dim[k] = factor > 1 ? (int64_t)fmax(2 * rint((double)n / factor / 2), 2) : n;
        p->factors[k - 2] = (double)n / (double)p->small.dim[k];
    }
    return TESS_OK;
}

static tess_status read_lengths(const job *j, picking *p)
{
    double box = 1.25 * p->diameter;
    p->distance = 0.8 * p->diameter;
    p->edge = p->diameter / 2;
    TESS_TRY(job_length(j, "distance", p->pixel_size, &p->distance));
    TESS_TRY(job_length(j, "edge", p->pixel_size, &p->edge));
    TESS_TRY(job_length(j, "box", p->pixel_size, &box));
    TESS_CHECK(p->distance >= 0 && p->edge >= 0 && p->distance < 1e9 && p->edge < 1e9, TESS_EARG,
               "pick: --distance is %g and --edge is %g pixels; 0 or more is needed", p->distance, p->edge);
    TESS_CHECK(box >= 1 && box < 1e6, TESS_EARG, "pick: --box is %g pixels; 1 to 1000000 are allowed", box);
    p->box = job_has(j, "box") ? (int64_t)rint(box) : 2 * (int64_t)ceil(box / 2);
    p->threshold = job_number(j, "threshold", 3);
    p->max = job_integer(j, "max", 0);
    p->bright = job_has(j, "bright");
    TESS_CHECK(isfinite(p->threshold), TESS_EARG, "pick: --threshold is %g; a number is needed", p->threshold);
    TESS_CHECK(!job_has(j, "max") || p->max > 0, TESS_EARG, "pick: --max is %lld; 1 or more is needed",
               (long long)p->max);
    return TESS_OK;
}

/* ---- Templates ---- */

static tess_status count_angles(const job *j, int64_t *n)
{
    double turn = 5 * 3.14159265358979 / 180;
    TESS_TRY(job_angle(j, "step", &turn));
    TESS_CHECK(turn > 1e-3 && turn < 6.3, TESS_EARG, "pick: --step is %g degrees; 0.1 to 360 is allowed",
               turn * 180 / 3.14159265358979);
    *n = (int64_t)fmax(rint(6.283185307179586 / turn), 1);
    return TESS_OK;
}

/* How large pixels of the templates are in those that are worked with. */
static tess_status template_factor(const job *j, const input *in, const picking *p, double *factor)
{
    const double size = job_has(j, "template-apix") ? job_number(j, "template-apix", 0) : in->info.meta.pixel_size[2];
    TESS_CHECK(size > 0, TESS_EARG, "pick: the pixel size of %s is not known; give it with --template-apix", in->name);
    TESS_CHECK(p->pixel_size > 0, TESS_EARG,
               "pick: the pixel size of the micrograph is not known; templates need it: give it with --apix");
    *factor = size / (p->pixel_size * p->factors[1]);
    return TESS_OK;
}

static tess_status read_templates(job *j, input *in, picking *p)
{
    const tess_shape s = in->info.shape;
    tess_array       images = { 0 };
    double           factor = 1;
    int64_t          n_angles = 1;
    TESS_CHECK(s.h == s.w && s.w >= 8, TESS_ESHAPE,
               "pick: %s has images of %lld x %lld; square ones of 8 or more pixels are needed", in->name,
               (long long)s.w, (long long)s.h);
    TESS_TRY(need_real(j, in));
    TESS_TRY(template_factor(j, in, p, &factor));
    TESS_TRY(count_angles(j, &n_angles));
    TESS_TRY(input_read(in, &images, 0, s.b * s.d, TESS_F32));
    const tess_status status =
        templates_of_images(&p->templates, &images, factor, p->diameter / p->factors[1], n_angles);
    tess_release(&images);
    if (p->diameter == 0) p->diameter = ((double)p->templates.mask.shape.w - 2) * p->factors[1];
    return status;
}

static tess_status make_templates(job *j, picking *p)
{
    const char *name = job_text(j, "templates", NULL);
    if (!name) {
        const bool is_dog = strcmp(job_text(j, "blob", "gauss"), "dog") == 0;
        return templates_of_blob(&p->templates, p->diameter / p->factors[1], is_dog ? BLOB_DOG : BLOB_GAUSS);
    }
    input in = { 0 };
    TESS_TRY(input_open(&in, j, name, NEED_IMAGES));
    const tess_status status = read_templates(j, &in, p);
    input_close(&in);
    return status;
}

static tess_status prepare(job *j, const input *in, picking *p)
{
    p->pixel_size = in->info.meta.pixel_size[2];
    TESS_TRY(job_length(j, "diameter", p->pixel_size, &p->diameter));
    TESS_CHECK(!job_has(j, "diameter") || (p->diameter > 0 && p->diameter < 1e6), TESS_EARG,
               "pick: --diameter is %g pixels; above 0 is needed", p->diameter);
    TESS_CHECK(job_has(j, "diameter") || job_has(j, "templates"), TESS_EARG,
               "pick: how large particles are is not known; give --diameter, or --templates");
    TESS_TRY(set_grid(j, in, p));
    TESS_TRY(make_templates(j, p));
    TESS_TRY(read_lengths(j, p));
    const int64_t n = p->templates.mask.shape.w;
    TESS_CHECK(n <= p->small.h && n <= p->small.w, TESS_EARG,
               "pick: templates of %lld pixels are larger than %s, %lld x %lld of them after binning", (long long)n,
               in->name, (long long)p->small.w, (long long)p->small.h);
    if (!p->bright) TESS_TRY(tess_neg(&p->templates.images, &p->templates.images));
    TESS_TRY(move_array(&p->templates.images, j->device));
    return move_array(&p->templates.mask, j->device);
}

/* ---- Scores ---- */

/* The best of some templates, where they are better than those before. */
static tess_status score_some(picks *found, const tess_array *image, const picking *p, int64_t first, int64_t n)
{
    tess_array  some, scores = { 0 }, best = { 0 }, number = { 0 }, better = { 0 };
    tess_status status;
    TESS_TRY(tess_slice(&some, &p->templates.images, 0, first, first + n, 1));
    TESS_GOTO(done, status, tess_match_template(&scores, image, &some, &p->templates.mask, NULL));
    TESS_GOTO(done, status, tess_max(&best, &scores, TESS_B, NULL));
    TESS_GOTO(done, status, tess_argmax(&number, &scores, TESS_B, NULL));
    TESS_GOTO(done, status, tess_add(&number, &number, &tess_i64(first)));
    if (first > 0) {
        TESS_GOTO(done, status, tess_greater(&better, &best, &found->scores));
        TESS_GOTO(done, status, tess_where(&found->best, &better, &number, &found->best));
        TESS_GOTO(done, status, tess_where(&found->scores, &better, &best, &found->scores));
    } else {
        found->scores = best, found->best = number;
        best = number = (tess_array){ 0 };
    }
done:
    tess_release(&scores);
    tess_release(&best);
    tess_release(&number);
    tess_release(&better);
    return status;
}

static tess_status score(picks *found, const tess_array *image, const picking *p, int64_t memory)
{
    const int64_t each = 64 * (p->small.h + p->templates.mask.shape.h) * (p->small.w + p->templates.mask.shape.w);
    const int64_t fit = memory / 2 / each, n = p->templates.images.shape.b;
    const int64_t at_a_time = fit < 1 ? 1 : fit > 16 ? 16 : fit;
    for (int64_t i = 0; i < n; i += at_a_time)
        TESS_TRY(score_some(found, image, p, i, n - i < at_a_time ? n - i : at_a_time));
    return TESS_OK;
}

/* ---- Peaks ---- */

static tess_status find_peaks(picks *found, const picking *p)
{
    const tess_shape s = p->small;
    const int64_t    edge = (int64_t)ceil(p->edge / fmin(p->factors[0], p->factors[1]));
    tess_array       inner;
    if (2 * edge < s.h && 2 * edge < s.w) {
        const tess_region inside = { .h = tess_from_to(edge, s.h - edge), .w = tess_from_to(edge, s.w - edge) };
        TESS_TRY(tess_subregion(&inner, &found->scores, inside));
    } else inner = found->scores;
    TESS_TRY(tess_host_mean_std(&found->mean, &found->sd, &inner, NULL));
    const tess_peaks_opts opts = { .distance = p->distance / p->factors[1], .edge = edge, .max = p->max };
    const double          limit = found->sd > 0 ? found->mean + p->threshold * found->sd : INFINITY;
    TESS_TRY(tess_peaks(&found->positions, &found->values, &found->scores, limit, &opts));
    TESS_TRY(move_array(&found->best, tess_cpu()));
    TESS_TRY(move_array(&found->positions, tess_cpu()));
    return move_array(&found->values, tess_cpu());
}

static tess_status pick_in(picks *found, const tess_array *image, const picking *p, const job *j)
{
    tess_array  there = { 0 }, small = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_to_device(&there, image, j->device));
    if (p->factors[0] > 1 || p->factors[1] > 1) TESS_GOTO(done, status, fourier_box(&small, &there, p->small));
    TESS_GOTO(done, status, score(found, small.data ? &small : &there, p, j->memory));
    TESS_GOTO(done, status, find_peaks(found, p));
    const int64_t n = found->positions.shape.b;
    found->xy = malloc(sizeof *found->xy * 2 * (size_t)(n + 1));
    if (!found->xy) status = tess__fail(TESS_ENOMEM, __FILE__, __LINE__, __func__, "pick: no memory");
    for (int64_t i = 0; found->xy && i < n; i++) {
        const double *at = (const double *)found->positions.data + 4 * i;
        found->xy[2 * i] = at[3] * p->factors[1];
        found->xy[2 * i + 1] = at[2] * p->factors[0];
    }
done:
    tess_release(&there);
    tess_release(&small);
    return status;
}

/* ---- Results ---- */

/* The name of an image as lists have it. */
static void image_name(char *text, size_t size, const input *in, int64_t i)
{
    const int64_t chosen = in->chosen ? in->chosen[i] : i;
    if (in->listed) {
        const listed_image at = in->listed->images[chosen];
        const char        *name = in->listed->names[at.file];
        if (in->listed->numbered[at.file]) (void)snprintf(text, size, "%06lld@%s", (long long)at.image + 1, name);
        else (void)snprintf(text, size, "%s", name);
    } else if (in->info.shape.b * in->info.shape.d > 1)
        (void)snprintf(text, size, "%06lld@%s", (long long)chosen + 1, in->name);
    else (void)snprintf(text, size, "%s", in->name);
}

static tess_status add_row(tess_star_table *rows, const char *name, const picks *found, const picking *p, int64_t i)
{
    const int64_t row = tess_star_rows(rows);
    const double *at = (const double *)found->positions.data + 4 * i;
    const int64_t y = (int64_t)rint(at[2]), x = (int64_t)rint(at[3]);
    const int64_t best = ((const int64_t *)found->best.data)[y * p->small.w + x], n = p->templates.n_angles;
    const double  angle = (double)(best % n) * 360 / (double)n;
    TESS_TRY(tess_star_add_rows(rows, 1));
    TESS_TRY(tess_star_set(rows, row, "rlnMicrographName", name));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateX", found->xy[2 * i]));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateY", found->xy[2 * i + 1]));
    const double value = ((const double *)found->values.data)[i];
    TESS_TRY(tess_star_set_f64(rows, row, "rlnAutopickFigureOfMerit", (value - found->mean) / found->sd));
    TESS_TRY(tess_star_set_i64(rows, row, "rlnClassNumber", best / n + 1));
    return tess_star_set_f64(rows, row, "rlnAnglePsi", angle > 180 ? 360 - angle : angle > 0 ? -angle : 0);
}

/* ---- Micrographs ---- */

static tess_status check_numbers(const tess_array *image, const char *name)
{
    statistics s;
    TESS_TRY(statistics_images(&s, image, 0));
    TESS_CHECK(s.n_nan == 0 && s.n_inf == 0, TESS_EARG,
               "pick: %s has %lld NaN and %lld infinite pixels; scores cannot be computed: tessera check tells where",
               name, (long long)s.n_nan, (long long)s.n_inf);
    return TESS_OK;
}

/* The micrograph as it was searched, without the detail beyond. */
static tess_status draw(const job *j, const tess_array *image, const picking *p, const picks *found)
{
    tess_array  small = { 0 }, smooth = { 0 };
    tess_status status;
    TESS_GOTO(done, status, fourier_box(&small, image, p->small));
    TESS_GOTO(done, status, fourier_box(&smooth, &small, image->shape));
    TESS_GOTO(done, status,
              circles_write(job_text(j, "picture", ""), &smooth, found->xy, found->positions.shape.b, p->diameter / 2,
                            job_has(j, "force")));
done:
    tess_release(&small);
    tess_release(&smooth);
    return status;
}

static tess_status pick_image(job *j, input *in, const picking *p, tess_star_table *rows, int64_t i)
{
    tess_array  image = { 0 };
    picks       found = { 0 };
    char        name[4200];
    tess_status status;
    const char *out = job_text(j, "output", "");
    image_name(name, sizeof name, in, i);
    TESS_GOTO(done, status, input_read(in, &image, i, 1, TESS_F32));
    TESS_GOTO(done, status, check_numbers(&image, name));
    TESS_GOTO(done, status, pick_in(&found, &image, p, j));
    for (int64_t k = 0; k < found.positions.shape.b; k++) TESS_GOTO(done, status, add_row(rows, name, &found, p, k));
    if (is_box_file(out))
        TESS_GOTO(done, status, boxes_write(out, found.xy, found.positions.shape.b, p->box, job_has(j, "force")));
    if (job_has(j, "picture")) TESS_GOTO(done, status, draw(j, &image, p, &found));
    job_note(j, "%s: %lld particles", name, (long long)found.positions.shape.b);
done:
    picks_free(&found);
    tess_release(&image);
    return status;
}

static tess_status pick_images(job *j, input *in, const picking *p)
{
    const char      *out = job_text(j, "output", "");
    const int64_t    n = in->info.shape.b * in->info.shape.d;
    tess_star       *star = NULL;
    tess_star_table *rows = NULL;
    tess_status      status;
    TESS_CHECK(n == 1 || (!is_box_file(out) && !job_has(j, "picture")), TESS_EARG,
               "pick: %s has %lld images; .box files and pictures are of one: split them first", in->name,
               (long long)n);
    TESS_GOTO(done, status, tess_star_new(&star));
    TESS_GOTO(done, status, tess_star_add(&rows, star, "particles", false));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnMicrographName", ""));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnCoordinateX", "0"));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnCoordinateY", "0"));
    for (int64_t i = 0; i < n; i++) TESS_GOTO(done, status, pick_image(j, in, p, rows, i));
    if (!is_box_file(out))
        TESS_GOTO(done, status, tess_star_write(out, star, &(tess_star_opts){ .overwrite = job_has(j, "force") }));
done:
    tess_star_free(star);
    return status;
}

static tess_status pick(job *j, input *in)
{
    picking          p = { 0 };
    const tess_shape s = in->info.shape;
    bool             skip = false;
    TESS_CHECK(!is_cs_name(job_text(j, "output", "")), TESS_EARG,
               "pick: -o is %s; coordinates are written as .star or .box, not as .cs", job_text(j, "output", ""));
    TESS_TRY(need_real(j, in));
    TESS_TRY(image_fits(j, s, 24 * s.h * s.w));
    tess_status status = prepare(j, in, &p);
    if (status == TESS_OK) status = output_check(j, &skip);
    if (status == TESS_OK && !skip) status = pick_images(j, in, &p);
    particle_templates_free(&p.templates);
    return status;
}

static tess_status run(job *j)
{
    const char *out = job_text(j, "output", NULL);
    input       in = { 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_CHECK(is_listing(out) || is_box_file(out), TESS_EARG,
               "pick: -o is %s; a name that ends with .star or .box is needed", out);
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = pick(j, &in);
    input_close(&in);
    return status;
}

const verb verb_pick = {
    .name = "pick",
    .subject = "particles",
    .summary = "find particles in micrographs, by templates or as round blobs",
    .arguments = "MICROGRAPH... -o OUT",
    .text = "The score of a pixel is the correlation coefficient of the template, under a round mask, and of what it "
            "covers there (Roseman 2003); of several templates and orientations, the best. It is computed on "
            "micrographs whose Fourier transforms were cropped. From the best on, maxima of the map of scores are "
            "taken that are not nearer than --distance to one before them.\n\n"
            "The list has rlnMicrographName, rlnCoordinateX and rlnCoordinateY in pixels of the micrograph, counted "
            "from 0, rlnAutopickFigureOfMerit (the score in standard deviations of the map, as --threshold has it), "
            "rlnClassNumber (which template, from 1) and rlnAnglePsi. tessera extract takes it; so do .box files of "
            "EMAN, which -o names by their ending.",
    .globals = GLOBAL_OUT | GLOBAL_NO_NUMBERS | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE,
    VERB_FOR_EACH(EACH_FILE),
};
