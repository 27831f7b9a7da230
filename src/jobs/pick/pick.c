/* Particle picking: locally normalised correlation of micrographs with templates or a blob. */
#include "tessera/jobs/pick.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/finite.h"
#include "jobs/data/maps/fourier_box.h"
#include "jobs/data/pixels.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/pick/templates.h"
#include "jobs/run/table.h"
#include "tessera/constants.h"
#include "tessera/correlate.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"

static const char fn[] = "pick";

static const tess_choice columns[] = {
    { "micrograph", TESS_PICK_MICROGRAPH, "micrograph index, from 0" },
    { "x", TESS_PICK_X, "position along w, pixels of the micrograph, from 0" },
    { "y", TESS_PICK_Y, "position along h, pixels of the micrograph, from 0" },
    { "score", TESS_PICK_SCORE, "score, in standard deviations above the mean of the score map" },
    { "template", TESS_PICK_TEMPLATE, "template index, from 0" },
    { "angle", TESS_PICK_ANGLE, "rotation of the template, from +x to +y, radians" },
    { .name = NULL },
};
static const tess_choice blobs[] = {
    { "gauss", TESS_BLOB_GAUSS, "Gaussian with a standard deviation of a quarter of the diameter" },
    { "dog", TESS_BLOB_DOG, "difference of Gaussians, matched to a disc" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_pick_result, particles, columns, "particles by micrograph, best first"),
    TESS__RESULT_F64(tess_pick_result, diameter, "pixels", "diameter of a particle"),
    TESS__RESULT_I64(tess_pick_result, height, "pixels", "height of the images searched"),
    TESS__RESULT_I64(tess_pick_result, width, "pixels", "width of the images searched"),
    TESS__RESULT_I64(tess_pick_result, n_angles, "", "number of in-plane rotations of each template"),
    TESS__SOURCE_IMAGES("micrographs", "micrographs"),
    TESS__AUTO_F64(tess_pick_opts, diameter, "pixels", "with templates, the largest that fits", TESS__POSITIVE, 1e6,
                   "particle diameter; with templates, diameter of their circular mask"),
    TESS__OPT_IMAGES(tess_pick_opts, templates, "images of bright particles to search for, instead of a round blob"),
    TESS__AUTO_F64(tess_pick_opts, template_pixel_size, "\xc3\x85 per pixel", "that of the templates", TESS__POSITIVE,
                   DBL_MAX, "pixel size of the templates"),
    TESS__AUTO_F64(tess_pick_opts, step, "radians", "5 degrees", 0.0017453, 6.2832,
                   "angular step of the template search"),
    TESS__OPT_CHOICE(tess_pick_opts, blob, TESS_BLOB_GAUSS, blobs,
                     "blob to search for without templates: a Gaussian or a difference of Gaussians"),
    TESS__FLAG(tess_pick_opts, bright, "look for particles brighter than the background, not darker"),
    TESS__AUTO_F64(tess_pick_opts, bin, "", "6 \xc3\x85, and 16 or more pixels per particle", 1, 1000,
                   "binning factor used for the search"),
    TESS__OPT_F64(tess_pick_opts, threshold, "", 3, -DBL_MAX, DBL_MAX,
                  "minimum score, in standard deviations above the mean of the score map"),
    TESS__AUTO_F64(tess_pick_opts, distance, "pixels", "0.8 diameters", 0, 1e9, "minimum distance between particles"),
    TESS__AUTO_F64(tess_pick_opts, edge, "pixels", "half a diameter", 0, 1e9, "minimum distance from the edges"),
    TESS__AUTO_I64(tess_pick_opts, max, "", "all", 1, 0x1p62,
                   "maximum number of particles per micrograph; the best are kept"),
    TESS__AUTO_F64(tess_pick_opts, pixel_size, "\xc3\x85", "that of the micrographs", TESS__POSITIVE, DBL_MAX,
                   "pixel size of the micrographs"),
};

TESS__JOB_RUN(pick, v[0].source)
const tess_job_info tess__job_pick = TESS__JOB(
    pick, "Pick particles from micrographs, with templates or as round blobs", args, tess_pick_opts, tess_pick_result);

typedef struct picking {
    const tess_context *context;
    const tess_source  *in;
    tess_pick_opts      o;
    double              pixel_size;     /* Å; 0: not known */
    double              diameter;       /* pixels of the micrograph */
    double              factors[2];     /* pixels of the micrograph for one that is searched: y, x */
    tess_shape          small;          /* the shape that is searched */
    double              distance, edge; /* pixels of the micrograph */
    tess__templates     templates;
    tess__table_rows    rows;
    tess__stage         stage;
} picking;

/* What was found in one micrograph. */
typedef struct picks {
    tess_array scores, best;      /* of the best template, and its number; {1,1,h,w} */
    tess_array positions, values; /* of the peaks, on the host */
    double     mean, sd;          /* of the scores */
} picks;

static void picks_release(picks *p)
{
    tess_release(&p->scores);
    tess_release(&p->best);
    tess_release(&p->positions);
    tess_release(&p->values);
}

/* ---- The grid that is searched ---- */

/* Pixels of the micrograph for one that is searched. */
static tess_status find_factor(const picking *p, double *factor)
{
    *factor = p->o.bin;
    if (*factor > 0) return TESS_OK;
    TESS_CHECK(p->pixel_size > 0, TESS_EARG,
               "%s: the pixel size of %s is not known; give `opts->pixel_size` or `opts->bin`", fn, p->in->name);
    *factor = fmax(1, 6 / p->pixel_size);
    if (p->diameter > 0) *factor = fmax(1, fmin(*factor, p->diameter / 16));
    return TESS_OK;
}

static tess_status set_grid(picking *p)
{
    double factor;
    TESS_TRY(find_factor(p, &factor));
    p->small = TESS_SHAPE(1, 1, 1, 1);
    for (int k = 2; k < 4; k++) {
        const int64_t n = p->in->shape.dim[k];
        p->small.dim[k] = factor > 1 ? (int64_t)fmax(2 * rint((double)n / factor / 2), 2) : n;
        p->factors[k - 2] = (double)n / (double)p->small.dim[k];
    }
    return TESS_OK;
}

/* ---- Templates ---- */

/* How large pixels of the templates are in those that are searched. */
static tess_status template_factor(const picking *p, double *factor)
{
    const tess_source *in = p->o.templates;
    const double       size = p->o.template_pixel_size > 0 ? p->o.template_pixel_size
                              : in->meta                   ? in->meta->pixel_size[2]
                                                           : 0;
    TESS_CHECK(size > 0, TESS_EARG, "%s: the pixel size of %s is not known; give `opts->template_pixel_size`", fn,
               in->name);
    TESS_CHECK(p->pixel_size > 0, TESS_EARG,
               "%s: the pixel size of %s is not known, but templates require it; give `opts->pixel_size`", fn,
               p->in->name);
    *factor = size / (p->pixel_size * p->factors[1]);
    return TESS_OK;
}

/* Before they are made: sides of n pixels that are searched, and what all of them take. */
static tess_status check_size(const picking *p, double side, int64_t n)
{
    const double bytes = 4 * side * side * (double)n, memory = (double)p->context->memory;
    TESS_CHECK(side <= (double)p->small.h && side <= (double)p->small.w, TESS_EARG,
               "%s: templates of %.0f pixels are larger than %s, which has %lld x %lld pixels after binning", fn, side,
               p->in->name, (long long)p->small.w, (long long)p->small.h);
    TESS_CHECK(bytes <= memory, TESS_ENOMEM,
               "%s: %lld rotated templates of %.0f x %.0f pixels take %.0f MiB; `context->memory` allows %.0f MiB", fn,
               (long long)n, side, side, bytes / 1048576 + 1, memory / 1048576);
    return TESS_OK;
}

static tess_status check_templates(const tess_source *in, const tess_array *images)
{
    for (int64_t i = 0; i < images->shape.b; i++) {
        tess_array image;
        TESS_TRY(tess_index(&image, images, 0, i));
        TESS_TRY(tess__check_finite(fn, in, i, &image));
    }
    return TESS_OK;
}

static tess_status read_templates(picking *p)
{
    const tess_source *in = p->o.templates;
    const tess_shape   s = in->shape;
    const double       turn = p->o.step > 0 ? p->o.step : 5 * TESS_PI / 180;
    const int64_t      n_angles = (int64_t)fmax(rint((2 * TESS_PI) / turn), 1);
    tess_array         images = { 0 };
    double             factor = 1;
    TESS_CHECK(s.h == s.w && s.w >= 8, TESS_ESHAPE,
               "%s: %s has images of %lld x %lld; square images of at least 8 pixels are needed", fn, in->name,
               (long long)s.w, (long long)s.h);
    TESS_CHECK(s.b * s.d > 0, TESS_ESHAPE, "%s: `opts->templates` (%s) has no images; one or more are needed", fn,
               in->name);
    TESS_TRY(tess__need_real(fn, in));
    TESS_TRY(template_factor(p, &factor));
    TESS_TRY(check_size(p, tess__template_size(s.w, factor), s.b * s.d * n_angles));
    TESS_TRY(tess_source_read(in, &images, 0, s.b * s.d, TESS_F32));
    tess_status status = check_templates(in, &images);
    if (status == TESS_OK)
        status = tess__templates_of_images(&p->templates, &images, factor, p->diameter / p->factors[1], n_angles);
    tess_release(&images);
    if (p->diameter == 0) p->diameter = ((double)p->templates.mask.shape.w - 2) * p->factors[1];
    return status;
}

static tess_status make_templates(picking *p)
{
    const double diameter = p->diameter / p->factors[1];
    if (p->o.templates) {
        TESS_TRY(read_templates(p));
    } else {
        TESS_TRY(check_size(p, tess__blob_size(diameter), 1));
        TESS_TRY(tess__templates_of_blob(&p->templates, diameter, (tess_blob)p->o.blob));
    }
    if (!p->o.bright) TESS_TRY(tess_neg(&p->templates.images, &p->templates.images));
    TESS_TRY(tess__move(&p->templates.images, p->context->device));
    return tess__move(&p->templates.mask, p->context->device);
}

static tess_status prepare(picking *p)
{
    p->pixel_size = p->o.pixel_size > 0 ? p->o.pixel_size : p->in->meta ? p->in->meta->pixel_size[2] : 0;
    p->diameter = p->o.diameter;
    TESS_CHECK(p->diameter > 0 || p->o.templates, TESS_EARG,
               "%s: the particle diameter is not known; give `opts->diameter` or `opts->templates`", fn);
    TESS_TRY(set_grid(p));
    TESS_TRY(make_templates(p));
    p->distance = isnan(p->o.distance) ? 0.8 * p->diameter : p->o.distance;
    p->edge = isnan(p->o.edge) ? p->diameter / 2 : p->o.edge;
    return TESS_OK;
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

static tess_status score(picks *found, const tess_array *image, picking *p)
{
    const int64_t each = 64 * (p->small.h + p->templates.mask.shape.h) * (p->small.w + p->templates.mask.shape.w);
    const int64_t fit = p->context->memory / 2 / each, n = p->templates.images.shape.b;
    const int64_t at_a_time = fit < 1 ? 1 : fit > 16 ? 16 : fit;
    for (int64_t i = 0; i < n; i += at_a_time) {
        const int64_t some = n - i < at_a_time ? n - i : at_a_time;
        TESS_TRY(score_some(found, image, p, i, some));
        TESS_TRY(tess__stage_add(&p->stage, some));
    }
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
    const tess_peaks_opts opts = { .distance = p->distance / p->factors[1], .edge = edge, .max = p->o.max };
    const double          limit = found->sd > 0 ? found->mean + p->o.threshold * found->sd : (double)INFINITY;
    TESS_TRY(tess_peaks(&found->positions, &found->values, &found->scores, limit, &opts));
    TESS_TRY(tess__move(&found->best, tess_cpu()));
    TESS_TRY(tess__move(&found->positions, tess_cpu()));
    return tess__move(&found->values, tess_cpu());
}

static tess_status add_rows(picking *p, const picks *found, int64_t micrograph)
{
    for (int64_t i = 0; i < found->positions.shape.b; i++) {
        const double *at = (const double *)found->positions.data + 4 * i;
        const int64_t y = (int64_t)rint(at[2]), x = (int64_t)rint(at[3]), n = p->templates.n_angles;
        const int64_t best = ((const int64_t *)found->best.data)[y * p->small.w + x];
        const double  value = ((const double *)found->values.data)[i];
        const double  row[TESS_PICK_COLUMNS] = {
             [TESS_PICK_MICROGRAPH] = (double)micrograph,
             [TESS_PICK_X] = at[3] * p->factors[1],
             [TESS_PICK_Y] = at[2] * p->factors[0],
             [TESS_PICK_SCORE] = (value - found->mean) / found->sd,
             [TESS_PICK_TEMPLATE] = (double)(best / n),
             [TESS_PICK_ANGLE] = (double)(best % n) * (2 * TESS_PI) / (double)n,
        };
        TESS_TRY(tess__table_rows_add(&p->rows, fn, row));
    }
    return TESS_OK;
}

/* ---- Micrographs ---- */

static tess_status pick_in(picking *p, int64_t micrograph)
{
    tess_array  image = { 0 }, small = { 0 };
    picks       found = { .mean = 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_source_read(p->in, &image, micrograph, 1, TESS_F32));
    TESS_GOTO(done, status, tess__check_finite(fn, p->in, micrograph, &image));
    TESS_GOTO(done, status, tess__move(&image, p->context->device));
    if (p->factors[0] > 1 || p->factors[1] > 1) TESS_GOTO(done, status, tess__fourier_box(&small, &image, p->small));
    TESS_GOTO(done, status, score(&found, small.data ? &small : &image, p));
    TESS_GOTO(done, status, find_peaks(&found, p));
    TESS_GOTO(done, status, add_rows(p, &found, micrograph));
done:
    tess_release(&image);
    tess_release(&small);
    picks_release(&found);
    return status;
}

static tess_status work(tess_pick_result *r, picking *p)
{
    const tess_shape s = p->in->shape;
    const int64_t    n = s.b * s.d;
    TESS_TRY(tess__need_real(fn, p->in));
    TESS_TRY(tess__image_fits(p->context, fn, s, 24 * s.h * s.w));
    TESS_TRY(prepare(p));
    const tess_progress of = { .stage = "orientations", .total = n * p->templates.images.shape.b };
    TESS_TRY(tess__stage_begin(&p->stage, fn, p->context, of));
    for (int64_t i = 0; i < n; i++) TESS_TRY(pick_in(p, i));
    TESS_TRY(tess__table_rows_array(&r->particles, &p->rows));
    r->diameter = p->diameter;
    r->height = p->small.h;
    r->width = p->small.w;
    r->n_angles = p->templates.n_angles;
    return TESS_OK;
}

tess_status tess_pick(tess_pick_result *result, const tess_source *micrographs, const tess_pick_opts *opts,
                      const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    picking      p = { .context = &c, .in = micrographs, .rows = { .width = TESS_PICK_COLUMNS } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "micrographs", micrographs));
    TESS_TRY(tess__resolve(&tess__job_pick.function, opts, &p.o));
    if (p.o.templates) TESS_TRY(tess__check_source(fn, "opts->templates", p.o.templates));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &p);
    tess__templates_release(&p.templates);
    tess__table_rows_free(&p.rows);
    if (status != TESS_OK) tess_pick_result_release(result);
    return status;
}

void tess_pick_result_release(tess_pick_result *result)
{
    if (!result) return;
    tess_release(&result->particles);
    memset(result, 0, sizeof *result);
}
