/* tessera extract: particle images cut out of micrographs. */
#include <math.h>
#include <stdlib.h>

#include "files/outputs/output.h"
#include "command/context.h"
#include "files/headers/pixel_sizes.h"
#include "operation/job_options.h"
#include "particles/particle_star.h"

static const option options[] = {
    VALUE("box", "N", OPTION_LENGTH, "box size in pixels; required"),
    VALUE("star", "OUT", OPTION_FILE, "write a STAR file of the particles, with optics groups", .writes = true,
          .is_particles = true),
    VALUE("micrograph", "FILE", OPTION_FILE,
          "micrograph of coordinate files that do not name one; {name} is the name of the coordinate file [x.mrc "
          "beside x.box, x.star or x_autopick.star]"),
    { 0 },
};
static const char *const examples[] = {
    "tessera extract --box 24 coordinates.star -o particles.mrcs --star extracted.star",
    "tessera extract --box 24 --rescale 12 --bg-radius 5 --ramp --invert coordinates.star -o small.mrcs",
    "tessera extract --box 32px --micrograph image.mrc image.box -o boxed.mrcs",
    "tessera extract --box 24 x.mrc y.mrc x_autopick.star y_autopick.star -o picked.mrcs",
    NULL,
};

typedef struct extraction {
    job                        *job;
    coordinates                 list;
    int64_t                     box, written; /* pixels of a side, in the micrograph and in the file */
    double                      pixel_size;   /* of the micrographs; 0: not known */
    tess_dtype                  dtype;        /* of the micrographs together, then of the boxes */
    tess_shape                 *shapes;       /* of each micrograph */
    tess_extract_particles_opts opts;
    output                      out;
} extraction;

/* ---- Before any work ---- */

/* What is known of a micrograph from its header. */
static tess_status look_at(job *j, extraction *e, int64_t i)
{
    input in = { 0 };
    TESS_TRY(input_open(&in, j, e->list.micrographs[i], NEED_IMAGES));
    const tess_shape s = in.info.shape;
    const double     size = in.info.meta.pixel_size[2];
    const tess_dtype dtype = in.info.dtype;
    input_close(&in);
    TESS_CHECK(s.b * s.d == 1, TESS_ESHAPE, "extract: %s has %lld images; expected a single one, such as 1@%s",
               e->list.micrographs[i], (long long)(s.b * s.d), e->list.micrographs[i]);
    TESS_CHECK(tess_dtype_kind(dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "extract: %s has complex numbers; expected real ones", e->list.micrographs[i]);
    TESS_CHECK(i == 0 || !tess_pixel_sizes_differ(e->pixel_size, size), TESS_EARG,
               "extract: pixel sizes differ: %s has %g A, %s has %g A; give --apix to use one for all",
               e->list.micrographs[i], size, e->list.micrographs[0], e->pixel_size);
    if (i == 0) e->pixel_size = size;
    e->dtype = i == 0 ? dtype : tess_dtype_promote(e->dtype, dtype);
    e->shapes[i] = s;
    return TESS_OK;
}

static tess_status look_at_all(job *j, extraction *e)
{
    e->shapes = calloc((size_t)e->list.n_micrographs + 1, sizeof *e->shapes);
    TESS_CHECK(e->shapes, TESS_ENOMEM, "extract: no memory for %lld micrographs", (long long)e->list.n_micrographs);
    for (int64_t i = 0; i < e->list.n_micrographs; i++) TESS_TRY(look_at(j, e, i));
    return TESS_OK;
}

static tess_status read_options(const job *j, extraction *e)
{
    const tess_job_info *info = tess_job_find(j->verb->job);
    double               box = 0;
    TESS_CHECK(job_has(j, "box"), TESS_EARG, "extract: --box is required: the box size in pixels");
    TESS_TRY(job_length(j, "box", e->pixel_size, &box));
    TESS_CHECK(box >= 1.5 && box < 1e6, TESS_EARG, "extract: --box is %g pixels; expected 2 to 1000000", box);
    e->box = (int64_t)rint(box);
    e->written = job_integer(j, "rescale", e->box);
    const double size = e->pixel_size * (double)e->box / fmax((double)e->written, 1);
    TESS_TRY(job_fill_options(j, info, (job_scale){ size, e->written }, &e->opts));
    TESS_CHECK(!job_has(j, "star") || e->pixel_size > 0, TESS_EARG,
               "extract: the pixel size of %s is unknown, and --star requires it; give --apix",
               e->list.n_micrographs ? e->list.micrographs[0] : "the micrographs");
    const bool computes = e->opts.bg_radius > 0 || e->opts.subpixel || e->opts.invert || e->written != e->box;
    if (computes) e->dtype = e->dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    e->opts.dtype = (int32_t)e->dtype;
    e->opts.pixel_size = e->pixel_size;
    return TESS_OK;
}

/* Drops particles whose box extends beyond their micrograph. */
static tess_status drop_at_edges(job *j, extraction *e)
{
    const int64_t all = e->list.n;
    int64_t       n = 0;
    for (int64_t i = 0; i < all; i++) {
        const particle p = e->list.particles[i];
        if (tess_box_is_inside(p.x, p.y, e->box, e->shapes[p.micrograph])) e->list.particles[n++] = p;
    }
    e->list.n = n;
    TESS_CHECK(n > 0, TESS_EARG,
               "extract: boxes of %lld pixels around all %lld particles extend beyond the edges of their micrographs",
               (long long)e->box, (long long)all);
    if (n < all)
        job_note(j, "%lld of %lld particles are skipped: their boxes extend beyond the edges of their micrographs",
                 (long long)(all - n), (long long)all);
    return TESS_OK;
}

/* ---- Micrographs ---- */

/* The stack has the boxes of all micrographs; it begins with those of the first. */
static tess_status begin_stack(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    extraction *e = user;
    if (e->out.writer) return TESS_OK;
    shape.b = e->list.n;
    return output_start(&e->out, e->job, NULL, shape, dtype, meta);
}

static tess_status append_boxes(void *user, const tess_array *boxes)
{
    return output_append(&((extraction *)user)->out, boxes);
}

/* Particles {1,1,n,3} of one micrograph: 0, x, y. */
static tess_status particle_table(tess_array *places, const particle *p, int64_t n)
{
    TESS_TRY(tess_zeros(places, TESS_SHAPE(1, 1, n, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        ((double *)places->data)[3 * i + 1] = p[i].x;
        ((double *)places->data)[3 * i + 2] = p[i].y;
    }
    return TESS_OK;
}

/* One micrograph at a time, since their sizes may differ; the progress line counts the particles of all. */
static tess_status extract_from(extraction *e, const particle *p, int64_t n)
{
    const tess_sink               sink = { .begin = begin_stack, .append = append_boxes, .user = e };
    tess_context                  context = job_context(e->job);
    tess_extract_particles_opts   opts = e->opts;
    tess_extract_particles_result r = { 0 };
    tess_array                    places = { 0 };
    input                         in = { 0 };
    context.progress = NULL;
    opts.sink = &sink;
    TESS_TRY(input_open(&in, e->job, e->list.micrographs[p->micrograph], NEED_IMAGES));
    tess_status status = particle_table(&places, p, n);
    if (status == TESS_OK) status = tess_extract_particles(&r, input_source(&in), &places, e->box, &opts, &context);
    tess_extract_particles_result_release(&r);
    tess_release(&places);
    input_close(&in);
    return status;
}

static tess_status extract_all(extraction *e)
{
    const coordinates *c = &e->list;
    progress          *bar = NULL;
    tess_status        status =
        progress_start(&bar, e->job, "particles", c->n, e->box * e->box * (int64_t)tess_dtype_size(e->dtype));
    for (int64_t i = 0, n; i < c->n && status == TESS_OK; i += n) {
        for (n = 1; i + n < c->n && c->particles[i + n].micrograph == c->particles[i].micrograph;) n++;
        status = extract_from(e, c->particles + i, n);
        progress_add(bar, n);
    }
    progress_end(bar);
    return status;
}

static tess_status extract(job *j, extraction *e)
{
    bool skip;
    TESS_TRY(coordinates_read(&e->list, j, job_text(j, "micrograph", NULL)));
    TESS_CHECK(e->list.n > 0, TESS_EARG, "extract: %s lists no particles", j->arguments[0]);
    TESS_TRY(look_at_all(j, e));
    TESS_TRY(read_options(j, e));
    TESS_TRY(drop_at_edges(j, e));
    TESS_TRY(output_planned(j, NULL, TESS_SHAPE(e->list.n, 1, e->written, e->written), e->dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_end(&e->out, j, extract_all(e)));
    const double        size = e->pixel_size * (double)e->box / (double)e->written;
    const particle_star s = { job_text(j, "output", ""), size, e->written };
    const char         *star = job_text(j, "star", NULL);
    return star ? particle_star_write(star, &e->list, &s, j) : TESS_OK;
}

static tess_status run(job *j)
{
    extraction e = { .job = j, .dtype = TESS_F32 };
    TESS_TRY(output_check(j, NULL));
    const tess_status status = extract(j, &e);
    coordinates_free(&e.list);
    free(e.shapes);
    return status;
}

const verb verb_extract = {
    .name = "extract",
    .job = "extract_particles",
    .subject = "particles",
    .summary = "extract particle images from micrographs",
    .arguments = "[MICROGRAPHS...] COORDINATES... -o OUT",
    .text = "Coordinates are read from STAR files with the columns rlnMicrographName, rlnCoordinateX and "
            "rlnCoordinateY, as tessera pick and RELION write them, or from .box files of EMAN. They are in pixels "
            "of the micrograph, counted from 0. Pixel n/2 of a box lies on the rounded coordinates, or with "
            "--subpixel on the exact ones, by Lanczos interpolation. Particles whose boxes extend beyond the "
            "micrograph are skipped and counted.\n\n"
            "A .box file belongs to the micrograph with its name. So does a STAR file without rlnMicrographName, as "
            "RELION writes one per micrograph: x.star and x_autopick.star belong to x.mrc. Micrographs may be given "
            "as arguments in any order, as in `extract Micrographs/*.mrc AutoPick/*_autopick.star`. Otherwise they "
            "are expected beside the coordinate files, or where --micrograph says. A coordinate file that matches "
            "none of the given micrographs is an error; a micrograph without coordinates is a warning.\n\n"
            "Boxes are written micrograph by micrograph. They are first rescaled; then the ramp is subtracted, dust "
            "is removed, the background is normalised to mean 0 and sd 1, and last the contrast is inverted. Without "
            "any of these, pixels keep their type. The STAR file of --star has the columns of the coordinate files, "
            "rlnImageName and rlnOpticsGroup. Its optics table has rlnImagePixelSize, rlnImageSize and the optics "
            "columns of the coordinate files.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
