/* tessera extract: boxes around particles, cut out of micrographs. */
#include <math.h>
#include <stdlib.h>

#include "files/on_device.h"
#include "files/output.h"
#include "particles/particle_star.h"
#include "files/slab_pipeline.h"
#include "maps/fourier_box.h"
#include "measure/pixel_sizes.h"

static const option options[] = {
    { .name = "box", .value = "N", .type = OPTION_LENGTH, .help = "pixels of the sides of a box; needed" },
    { .name = "rescale",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "bring boxes to this many pixels by cropping their Fourier transforms" },
    { .name = "subpixel",
      .type = OPTION_FLAG,
      .help = "interpolate, so that fractions of coordinates count [round them]" },
    { .name = "bg-radius",
      .value = "R",
      .type = OPTION_LENGTH,
      .help = "mean 0 and sd 1 of the pixels further than R from the middle, as the box is written" },
    { .name = "ramp", .type = OPTION_FLAG, .help = "before that, subtract the plane that fits these pixels best" },
    { .name = "white-dust",
      .value = "S",
      .type = OPTION_NUMBER,
      .help = "pixels more than S sd above the mean of these become the mean" },
    { .name = "black-dust", .value = "S", .type = OPTION_NUMBER, .help = "the same of pixels below it" },
    { .name = "invert", .type = OPTION_FLAG, .help = "at last, change the sign: dark particles become bright" },
    { .name = "star",
      .writes = true,
      .is_particles = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write the list of the particles here, with an optics group" },
    { .name = "micrograph",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "micrograph of coordinate files that name none; {name} is the name of the coordinate file [x.mrc beside "
              "x.box, x.star or x_autopick.star]" },
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
    coordinates                    list;
    int64_t                        box, written; /* pixels of a side, in the micrograph and in the file */
    bool                           subpixel, is_normal, invert;
    double                         radius;     /* of the background, pixels of the file */
    tess_normalize_background_opts background; /* ramp and dust */
    double                         pixel_size; /* of the micrographs; 0: not known */
    tess_dtype                     dtype;      /* of the micrographs together; what boxes are computed in */
    int64_t                        width, height, n_dropped; /* of the largest micrograph; at edges */
    double                        *sides;                    /* width and height of each micrograph */
    tess_array                     image;                    /* the micrograph that was read last, on the host */
    tess_array                     cut;       /* boxes, where they are computed: used again for the next ones */
    int64_t                        at_a_time; /* boxes of `cut` */
    output                         out;
    progress                      *bar;
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
    TESS_CHECK(s.b * s.d == 1, TESS_ESHAPE, "extract: %s has %lld images; one is needed: 1@%s is the first",
               e->list.micrographs[i], (long long)(s.b * s.d), e->list.micrographs[i]);
    TESS_CHECK(tess_dtype_kind(dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "extract: %s has complex numbers; real ones are needed", e->list.micrographs[i]);
    TESS_CHECK(i == 0 || !pixel_sizes_differ(e->pixel_size, size), TESS_EARG,
               "extract: pixels of %s are %g A large, those of %s %g A; one size is needed, or --apix",
               e->list.micrographs[i], size, e->list.micrographs[0], e->pixel_size);
    if (i == 0) e->pixel_size = size;
    e->dtype = i == 0 ? dtype : tess_dtype_promote(e->dtype, dtype);
    e->sides[2 * i] = (double)s.w, e->sides[2 * i + 1] = (double)s.h;
    if (s.w > e->width) e->width = s.w;
    if (s.h > e->height) e->height = s.h;
    return TESS_OK;
}

static tess_status look_at_all(job *j, extraction *e)
{
    e->sides = calloc(2 * (size_t)e->list.n_micrographs + 1, sizeof *e->sides);
    TESS_CHECK(e->sides, TESS_ENOMEM, "extract: no memory for %lld micrographs", (long long)e->list.n_micrographs);
    for (int64_t i = 0; i < e->list.n_micrographs; i++) TESS_TRY(look_at(j, e, i));
    return TESS_OK;
}

static tess_status read_dust(const job *j, const char *name, double *dust)
{
    *dust = job_number(j, name, 0);
    TESS_CHECK(!job_has(j, name) || *dust > 0, TESS_EARG, "extract: --%s is %g; a number above 0 is needed", name,
               *dust);
    TESS_CHECK(!job_has(j, name) || job_has(j, "bg-radius"), TESS_EARG,
               "extract: --%s needs --bg-radius, which says where the background is", name);
    return TESS_OK;
}

static tess_status read_sizes(const job *j, extraction *e)
{
    double box = 0;
    TESS_CHECK(job_has(j, "box"), TESS_EARG, "extract: --box is missing: how many pixels the sides of a box have");
    TESS_TRY(job_length(j, "box", e->pixel_size, &box));
    e->box = e->written = (int64_t)rint(box);
    TESS_CHECK(box >= 1.5 && box < 1e6, TESS_EARG, "extract: --box is %g pixels; 2 to 1000000 are allowed", box);
    if (!job_has(j, "rescale")) return TESS_OK;
    e->written = job_integer(j, "rescale", e->box);
    TESS_CHECK(
        e->written >= 2 && e->written <= e->box && e->written % 2 == 0 && e->box % 2 == 0, TESS_EARG,
        "extract: --rescale is %lld, of boxes of %lld pixels; even numbers are needed, so that the middle stays, "
        "and at most those of the box",
        (long long)e->written, (long long)e->box);
    return TESS_OK;
}

static tess_status read_options(const job *j, extraction *e)
{
    TESS_TRY(read_sizes(j, e));
    e->subpixel = job_has(j, "subpixel");
    e->invert = job_has(j, "invert");
    e->is_normal = job_has(j, "bg-radius");
    e->background.ramp = job_has(j, "ramp");
    TESS_TRY(read_dust(j, "white-dust", &e->background.white_dust));
    TESS_TRY(read_dust(j, "black-dust", &e->background.black_dust));
    TESS_CHECK(!e->background.ramp || e->is_normal, TESS_EARG,
               "extract: --ramp needs --bg-radius, which says where the background is");
    const double size = e->pixel_size * (double)e->box / (double)e->written, half = (double)(e->written / 2);
    TESS_TRY(job_length(j, "bg-radius", size, &e->radius));
    TESS_CHECK(!e->is_normal || (e->radius > 0 && e->radius < half), TESS_EARG,
               "extract: --bg-radius is %g pixels; above 0, and less than half of the %lld pixels of a box, is needed",
               e->radius, (long long)e->written);
    TESS_CHECK(!job_has(j, "star") || e->pixel_size > 0, TESS_EARG,
               "extract: the pixel size of %s is not known; --star needs it: give it with --apix",
               e->list.n_micrographs ? e->list.micrographs[0] : "the micrographs");
    if (e->is_normal || e->subpixel || e->written != e->box || e->invert)
        e->dtype = e->dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    return TESS_OK;
}

static int64_t first_pixel(double at, int64_t box) { return (int64_t)rint(at) - box / 2; }

/* Particles whose box reaches beyond their micrograph go. */
static void drop_at_edges(extraction *e)
{
    int64_t n = 0;
    for (int64_t i = 0; i < e->list.n; i++) {
        const particle p = e->list.particles[i];
        const int64_t  x = first_pixel(p.x, e->box), y = first_pixel(p.y, e->box);
        const double  *sides = e->sides + 2 * p.micrograph;
        const bool     inside = x >= 0 && y >= 0 && x + e->box <= (int64_t)sides[0] && y + e->box <= (int64_t)sides[1];
        if (inside) e->list.particles[n++] = p;
    }
    e->n_dropped = e->list.n - n;
    e->list.n = n;
}

/* ---- Boxes ---- */

static tess_status cut_at_pixels(tess_array *boxes, const tess_array *image, const particle *p, int64_t n, int64_t box)
{
    tess_array  origins = { 0 };
    tess_status status;
    TESS_TRY(tess_empty(&origins, TESS_SHAPE(n, 1, 1, 2), TESS_I64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        ((int64_t *)origins.data)[2 * i] = first_pixel(p[i].y, box);
        ((int64_t *)origins.data)[2 * i + 1] = first_pixel(p[i].x, box);
    }
    TESS_GOTO(done, status, move_array(&origins, image->device));
    TESS_GOTO(done, status, tess_extract(boxes, image, &origins, TESS_SHAPE(1, 1, box, box), NULL));
done:
    tess_release(&origins);
    return status;
}

/* Pixel (h, w) of a box is the image at that plus the coordinates, less half a box. */
static tess_status cut_between_pixels(tess_array *boxes, const tess_array *image, const particle *p, int64_t n,
                                      int64_t box)
{
    tess_array                matrices = { 0 };
    tess_status               status;
    const tess_transform_opts opts = { .interp = TESS_INTERP_LANCZOS8,
                                       .border = TESS_BORDER_MIRROR,
                                       .shape = TESS_SHAPE(n, 1, box, box) };
    TESS_TRY(tess_zeros(&matrices, TESS_SHAPE(n, 1, 2, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        double *m = (double *)matrices.data + 6 * i;
        m[0] = m[4] = 1;
        m[2] = p[i].y - (double)(box / 2);
        m[5] = p[i].x - (double)(box / 2);
    }
    TESS_GOTO(done, status, move_array(&matrices, image->device));
    TESS_GOTO(done, status, tess_transform_2d(boxes, image, &matrices, &opts));
done:
    tess_release(&matrices);
    return status;
}

static tess_status finish_boxes(const extraction *e, tess_array *boxes)
{
    if (e->is_normal) TESS_TRY(tess_normalize_background(boxes, boxes, e->radius, &e->background));
    if (e->invert) TESS_TRY(tess_neg(boxes, boxes));
    return TESS_OK;
}

static tess_status write_boxes(extraction *e, const tess_array *image, const particle *p, int64_t n)
{
    tess_array  boxes, small = { 0 }, here = { 0 };
    tess_status status;
    TESS_TRY(tess_slice(&boxes, &e->cut, 0, 0, n, 1));
    if (e->subpixel) TESS_TRY(cut_between_pixels(&boxes, image, p, n, e->box));
    else TESS_TRY(cut_at_pixels(&boxes, image, p, n, e->box));
    if (e->written != e->box) {
        TESS_GOTO(done, status, fourier_box(&small, &boxes, TESS_SHAPE(1, 1, e->written, e->written)));
        boxes = small;
    }
    TESS_GOTO(done, status, finish_boxes(e, &boxes));
    if (boxes.device.kind != TESS_CPU) TESS_GOTO(done, status, tess_to_device(&here, &boxes, tess_cpu()));
    TESS_GOTO(done, status, output_append(&e->out, here.data ? &here : &boxes));
    progress_add(e->bar, n);
done:
    tess_release(&small);
    tess_release(&here);
    return status;
}

/* ---- Micrographs ---- */

static int64_t image_bytes(const extraction *e) { return e->width * e->height * (int64_t)tess_dtype_size(e->dtype); }

/* A box, and what its transforms need. */
static int64_t box_bytes(const extraction *e)
{
    const int64_t size = (int64_t)tess_dtype_size(e->dtype), one = e->box * e->box * size;
    return e->written != e->box ? 4 * one : e->is_normal ? 3 * one : one;
}

/* The micrograph is read into the storage of the one before it, where that has its shape. */
static tess_status read_micrograph(job *j, extraction *e, int64_t micrograph)
{
    input in = { 0 };
    TESS_TRY(input_open(&in, j, e->list.micrographs[micrograph], NEED_IMAGES));
    const tess_shape s = in.info.shape;
    if (e->image.shape.h != s.h || e->image.shape.w != s.w) tess_release(&e->image);
    const tess_status status = input_read(&in, &e->image, 0, 1, e->dtype);
    input_close(&in);
    return status;
}

static tess_status extract_from(job *j, extraction *e, const particle *p, int64_t n)
{
    const bool  is_here = j->device.kind == TESS_CPU;
    tess_array  there = { 0 };
    tess_status status;
    TESS_GOTO(done, status, read_micrograph(j, e, p->micrograph));
    if (!is_here) TESS_GOTO(done, status, tess_to_device(&there, &e->image, j->device));
    for (int64_t i = 0; i < n; i += e->at_a_time) {
        const int64_t some = n - i < e->at_a_time ? n - i : e->at_a_time;
        TESS_GOTO(done, status, write_boxes(e, is_here ? &e->image : &there, p + i, some));
    }
done:
    tess_release(&there);
    return status;
}

/* As many boxes at a time as fit the caches, or a GPU keeps busy with. */
static tess_status make_boxes(const job *j, extraction *e)
{
    const int64_t usual = j->device.kind == TESS_CPU ? 8 << 20 : 64 << 20, left = j->memory / 2 - image_bytes(e);
    const int64_t part = left < usual ? left : usual;
    e->at_a_time = part > box_bytes(e) ? part / box_bytes(e) : 1;
    if (e->at_a_time > e->list.n) e->at_a_time = e->list.n;
    return tess_empty(&e->cut, TESS_SHAPE(e->at_a_time, 1, e->box, e->box), e->dtype, j->device);
}

static tess_status extract_all(job *j, extraction *e)
{
    const coordinates *c = &e->list;
    TESS_TRY(make_boxes(j, e));
    for (int64_t i = 0, n; i < c->n; i += n) {
        for (n = 1; i + n < c->n && c->particles[i + n].micrograph == c->particles[i].micrograph;) n++;
        TESS_TRY(extract_from(j, e, c->particles + i, n));
    }
    return TESS_OK;
}

static tess_status write_stack(job *j, extraction *e)
{
    const tess_shape shape = TESS_SHAPE(e->list.n, 1, e->written, e->written);
    tess_meta        meta = { 0 };
    bool             skip;
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = e->pixel_size * (double)e->box / (double)e->written;
    TESS_TRY(image_fits(j, TESS_SHAPE(1, 1, e->height, e->width), 2 * (image_bytes(e) + box_bytes(e))));
    TESS_TRY(output_planned(j, NULL, shape, e->dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_start(&e->out, j, NULL, shape, e->dtype, &meta));
    tess_status status = progress_start(&e->bar, j, "particles", e->list.n, box_bytes(e));
    if (status == TESS_OK) status = extract_all(j, e);
    progress_end(e->bar);
    TESS_TRY(output_end(&e->out, j, status));
    const particle_star s = { job_text(j, "output", ""), meta.pixel_size[2], e->written };
    const char         *star = job_text(j, "star", NULL);
    return star ? particle_star_write(star, &e->list, &s, j) : TESS_OK;
}

static tess_status extract(job *j, extraction *e)
{
    TESS_TRY(coordinates_read(&e->list, j, job_text(j, "micrograph", NULL)));
    const int64_t n = e->list.n;
    TESS_CHECK(n > 0, TESS_EARG, "extract: %s lists no particles", j->arguments[0]);
    TESS_TRY(look_at_all(j, e));
    TESS_TRY(read_options(j, e));
    drop_at_edges(e);
    TESS_CHECK(e->list.n > 0, TESS_EARG,
               "extract: boxes of %lld pixels around all %lld particles reach beyond the edges of their micrographs",
               (long long)e->box, (long long)n);
    if (e->n_dropped)
        job_note(j, "%lld of %lld particles are left out: their boxes reach beyond the edges of their micrographs",
                 (long long)e->n_dropped, (long long)n);
    return write_stack(j, e);
}

static tess_status run(job *j)
{
    extraction e = { .dtype = TESS_F32 };
    TESS_TRY(output_check(j, NULL));
    const tess_status status = extract(j, &e);
    coordinates_free(&e.list);
    free(e.sides);
    tess_release(&e.image);
    tess_release(&e.cut);
    return status;
}

const verb verb_extract = {
    .name = "extract",
    .subject = "particles",
    .summary = "cut boxes around particles out of micrographs",
    .arguments = "[MICROGRAPHS...] COORDINATES... -o OUT",
    .text =
        "Coordinates are STAR files with the columns rlnMicrographName, rlnCoordinateX and rlnCoordinateY, as "
        "tessera pick and RELION write them, or .box files of EMAN. They are pixels of the micrograph, counted from "
        "0. Pixel n/2 of a box lies on the coordinates, rounded; with --subpixel on the coordinates themselves, by "
        "Lanczos interpolation. Particles whose boxes reach beyond the micrograph are left out, and counted.\n\n"
        "A .box file, and a STAR file without rlnMicrographName, as RELION writes one for each micrograph, has the "
        "coordinates of the micrograph with its name: x.star and x_autopick.star are of x.mrc. Micrographs may be "
        "given as arguments in any order, as in `extract Micrographs/*.mrc AutoPick/*_autopick.star`; else they lie "
        "beside the coordinate files, or --micrograph says where. A coordinate file that none of the given micrographs "
        "belongs to is an error; a micrograph without coordinates is a warning.\n\n"
        "Boxes come micrograph by micrograph. They are rescaled first, then the ramp goes, then dust, then the "
        "background is brought to mean 0 and sd 1, and the sign changes last. Without any of these, pixels keep "
        "their type. The list of --star has the columns of the coordinates, rlnImageName and rlnOpticsGroup; its "
        "optics table has rlnImagePixelSize, rlnImageSize and what the lists say of their groups.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
