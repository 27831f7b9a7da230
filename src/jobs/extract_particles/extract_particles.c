/* Particle extraction: boxes around coordinates, cut out of micrographs, rescaled and normalised. */
#include "tessera/jobs/extract_particles.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/data/maps/fourier_box.h"
#include "jobs/data/pixels.h"
#include "jobs/data/result_sink.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/run/table.h"
#include "tessera/ewise.h"
#include "tessera/geometry.h"
#include "tessera/resize.h"
#include "tessera/statistics.h"

static const char fn[] = "extract_particles";

static const tess_choice columns[] = {
    { "row", TESS_EXTRACTED_ROW, "row of the coordinates, from 0" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_IMAGES(tess_extract_particles_result, boxes, "", "boxes, in the order of the coordinates"),
    TESS__RESULT_COLUMNS(tess_extract_particles_result, particles, columns, "particle in each box"),
    TESS__RESULT_F64(tess_extract_particles_result, pixel_size, "\xc3\x85", "pixel size of the boxes; 0: not known"),
    TESS__RESULT_I64(tess_extract_particles_result, n_dropped, "",
                     "number of particles dropped because their boxes reach beyond the micrograph"),
    TESS__SOURCE_IMAGES("micrographs", "micrographs"),
    TESS__IN("coordinates", "micrograph, x and y of each particle, {1,1,n,3} or more columns, pixels from 0"),
    TESS__NEED(TESS_ARG_I64, "box", "box size, in pixels"),
    TESS__AUTO_I64(tess_extract_particles_opts, rescale, "pixels", "the box size", 2, 1e6,
                   "rescale boxes to this size by cropping their Fourier transforms"),
    TESS__FLAG(tess_extract_particles_opts, subpixel, "interpolate at fractional coordinates instead of rounding them"),
    TESS__AUTO_F64(tess_extract_particles_opts, bg_radius, "pixels", "none", TESS__POSITIVE, 1e6,
                   "normalise to mean 0 and standard deviation 1 outside this radius of the output box"),
    TESS__FLAG(tess_extract_particles_opts, ramp, "first subtract a plane fitted to the background"),
    TESS__AUTO_F64(tess_extract_particles_opts, white_dust, "", "none", TESS__POSITIVE, DBL_MAX,
                   "replace pixels more than this many standard deviations above the background mean by that mean"),
    TESS__AUTO_F64(tess_extract_particles_opts, black_dust, "", "none", TESS__POSITIVE, DBL_MAX,
                   "replace pixels more than this many standard deviations below the background mean by that mean"),
    TESS__FLAG(tess_extract_particles_opts, invert, "invert the contrast at the end: dark particles become bright"),
    TESS__OPT_DTYPE(tess_extract_particles_opts, dtype, "dtype of the boxes [that of the micrographs]"),
    TESS__OPT_SINK(tess_extract_particles_opts, sink, "sink for the boxes"),
    TESS__AUTO_F64(tess_extract_particles_opts, pixel_size, "\xc3\x85", "that of the micrographs", TESS__POSITIVE,
                   DBL_MAX, "pixel size of the micrographs"),
};

TESS__JOB_RUN(extract_particles, v[0].source, v[1].in, v[2].i64)
const tess_job_info tess__job_extract_particles =
    TESS__JOB(extract_particles, "Extract particles from micrographs", args, tess_extract_particles_opts,
              tess_extract_particles_result);

typedef struct particle {
    int64_t micrograph;
    double  x, y;
} particle;

typedef struct extraction {
    const tess_context            *context;
    const tess_source             *in;
    tess_extract_particles_opts    o;
    tess_normalize_background_opts background;   /* ramp and dust */
    int64_t                        box, written; /* pixels of a side, in the micrograph and in the result */
    tess_dtype                     dtype;        /* what boxes are computed in */
    particle                      *particles;    /* that are kept */
    int64_t                        n;
    tess__table_rows               rows;
    tess_array                     image;     /* the micrograph that was read last, where it is computed with */
    tess_array                     cut;       /* boxes, where they are computed: used again for the next ones */
    int64_t                        at_a_time; /* boxes of `cut` */
    tess__result_sink              to;
    tess__stage                    stage;
} extraction;

/* ---- Before any work ---- */

static tess_status choose_dtype(extraction *e)
{
    const tess_extract_particles_opts *o = &e->o;
    const bool                         computes = o->bg_radius > 0 || o->subpixel || o->invert || e->written != e->box;
    const tess_dtype                   asked = (tess_dtype)o->dtype;
    e->dtype = asked ? asked : computes && e->in->dtype != TESS_F64 ? TESS_F32 : e->in->dtype;
    TESS_CHECK(tess_dtype_kind(e->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->dtype` is %s; a real dtype is expected", fn, tess_dtype_name(e->dtype));
    TESS_CHECK(!computes || e->dtype == TESS_F32 || e->dtype == TESS_F64, TESS_EDTYPE,
               "%s: `opts->dtype` is %s; computed pixels must be f32 or f64", fn, tess_dtype_name(e->dtype));
    return TESS_OK;
}

static tess_status check_options(extraction *e)
{
    const tess_extract_particles_opts *o = &e->o;
    TESS_CHECK(e->box >= 2 && e->box <= 1000000, TESS_ERANGE, "%s: box is %lld pixels; 2 to 1000000 are allowed", fn,
               (long long)e->box);
    e->written = o->rescale > 0 ? o->rescale : e->box;
    TESS_CHECK(o->rescale == 0 || (e->written <= e->box && e->written % 2 == 0 && e->box % 2 == 0), TESS_EARG,
               "%s: `opts->rescale` is %lld for boxes of %lld pixels; both must be even, so that the centre stays, and "
               "the former must not exceed the latter",
               fn, (long long)e->written, (long long)e->box);
    const bool is_normal = o->bg_radius > 0;
    TESS_CHECK(is_normal || !o->ramp, TESS_EARG,
               "%s: `opts->ramp` requires `opts->bg_radius`, which defines the background", fn);
    TESS_CHECK(is_normal || !(o->white_dust > 0), TESS_EARG,
               "%s: `opts->white_dust` requires `opts->bg_radius`, which defines the background", fn);
    TESS_CHECK(is_normal || !(o->black_dust > 0), TESS_EARG,
               "%s: `opts->black_dust` requires `opts->bg_radius`, which defines the background", fn);
    TESS_CHECK(!is_normal || o->bg_radius < (double)(e->written / 2), TESS_ERANGE,
               "%s: `opts->bg_radius` is %g pixels; it must be above 0 and less than half of the %lld pixels of a box",
               fn, o->bg_radius, (long long)e->written);
    e->background =
        (tess_normalize_background_opts){ .ramp = o->ramp, .white_dust = o->white_dust, .black_dust = o->black_dust };
    return choose_dtype(e);
}

/* ---- Coordinates ---- */

bool tess_box_is_inside(double x, double y, int64_t box, tess_shape micrograph)
{
    const double left = rint(x) - (double)(box / 2), top = rint(y) - (double)(box / 2);
    return left >= 0 && top >= 0 && left + (double)box <= (double)micrograph.w &&
           top + (double)box <= (double)micrograph.h;
}

static int64_t first_pixel(double at, int64_t box) { return (int64_t)rint(at) - box / 2; }

/* Particles whose box reaches beyond their micrograph go. */
static tess_status keep_inside(extraction *e, const tess_array *table)
{
    const int64_t n = table->shape.h, n_micrographs = e->in->shape.b * e->in->shape.d;
    for (int64_t i = 0; i < n; i++) {
        const double *row = (const double *)table->data + table->shape.w * i, number = (double)i;
        TESS_CHECK(row[0] >= 0 && row[0] < (double)n_micrographs && row[0] == rint(row[0]), TESS_ERANGE,
                   "%s: the micrograph in row %lld of coordinates is %g; %s has micrographs 0 to %lld", fn,
                   (long long)i, row[0], e->in->name, (long long)n_micrographs - 1);
        TESS_CHECK(isfinite(row[1]) && isfinite(row[2]), TESS_EARG,
                   "%s: row %lld of coordinates is at (%g, %g); finite numbers are expected", fn, (long long)i, row[1],
                   row[2]);
        if (!tess_box_is_inside(row[1], row[2], e->box, e->in->shape)) continue;
        e->particles[e->n++] = (particle){ (int64_t)row[0], row[1], row[2] };
        TESS_TRY(tess__table_rows_add(&e->rows, fn, &number));
    }
    return TESS_OK;
}

static tess_status check_coordinates(const tess_array *c)
{
    TESS_CHECK(c && (c->data || c->buffer), TESS_EARG, "%s: coordinates is %s; an allocated array is expected", fn,
               c ? "zeroed" : "NULL");
    TESS_CHECK(tess_dtype_kind(c->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: coordinates has complex numbers; real numbers are needed", fn);
    TESS_CHECK(c->shape.b == 1 && c->shape.d == 1 && c->shape.w >= 3, TESS_ESHAPE,
               "%s: coordinates has the shape {%lld,%lld,%lld,%lld}; {1,1,n,3} or more columns are expected", fn,
               (long long)c->shape.b, (long long)c->shape.d, (long long)c->shape.h, (long long)c->shape.w);
    return TESS_OK;
}

static tess_status read_coordinates(extraction *e, const tess_array *coordinates)
{
    tess_array  table = { 0 };
    tess_status status;
    TESS_TRY(check_coordinates(coordinates));
    e->particles = tess__alloc(sizeof *e->particles * (size_t)(coordinates->shape.h + 1));
    TESS_CHECK(e->particles, TESS_ENOMEM, "%s: out of memory for %lld particles", fn, (long long)coordinates->shape.h);
    TESS_GOTO(done, status, tess_cast(&table, coordinates, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__move(&table, tess_cpu()));
    TESS_GOTO(done, status, keep_inside(e, &table));
done:
    tess_release(&table);
    return status;
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
    TESS_GOTO(done, status, tess__move(&origins, image->device));
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
    TESS_GOTO(done, status, tess__move(&matrices, image->device));
    TESS_GOTO(done, status, tess_transform_2d(boxes, image, &matrices, &opts));
done:
    tess_release(&matrices);
    return status;
}

static tess_status finish_boxes(const extraction *e, tess_array *boxes)
{
    if (e->o.bg_radius > 0) TESS_TRY(tess_normalize_background(boxes, boxes, e->o.bg_radius, &e->background));
    if (e->o.invert) TESS_TRY(tess_neg(boxes, boxes));
    return TESS_OK;
}

static tess_status pass_on(const extraction *e, const tess_array *boxes)
{
    return tess__callback_failed(fn, "the sink", e->to.sink->append(e->to.sink->user, boxes));
}

static tess_status pass_boxes(extraction *e, const particle *p, int64_t n)
{
    tess_array  boxes, small = { 0 }, here = { 0 };
    tess_status status;
    TESS_TRY(tess_slice(&boxes, &e->cut, 0, 0, n, 1));
    if (e->o.subpixel) TESS_TRY(cut_between_pixels(&boxes, &e->image, p, n, e->box));
    else TESS_TRY(cut_at_pixels(&boxes, &e->image, p, n, e->box));
    if (e->written != e->box) {
        TESS_GOTO(done, status, tess__fourier_box(&small, &boxes, TESS_SHAPE(1, 1, e->written, e->written)));
        boxes = small;
    }
    TESS_GOTO(done, status, finish_boxes(e, &boxes));
    if (boxes.device.kind != TESS_CPU) TESS_GOTO(done, status, tess_to_device(&here, &boxes, tess_cpu()));
    TESS_GOTO(done, status, pass_on(e, here.data ? &here : &boxes));
    TESS_GOTO(done, status, tess__stage_add(&e->stage, n));
done:
    tess_release(&small);
    tess_release(&here);
    return status;
}

/* ---- Micrographs ---- */

static int64_t image_bytes(const extraction *e)
{
    return e->in->shape.w * e->in->shape.h * (int64_t)tess_dtype_size(e->dtype);
}

/* A box, and what its transforms need. */
static int64_t box_bytes(const extraction *e)
{
    const int64_t size = (int64_t)tess_dtype_size(e->dtype), one = e->box * e->box * size;
    return e->written != e->box ? 4 * one : e->o.bg_radius > 0 ? 3 * one : one;
}

static tess_status extract_from(extraction *e, const particle *p, int64_t n)
{
    const tess_device device = e->context->device;
    if (e->image.device.kind != TESS_CPU) tess_release(&e->image); /* on the host, the storage is used again */
    TESS_TRY(tess_source_read(e->in, &e->image, p->micrograph, 1, e->dtype));
    TESS_TRY(tess__move(&e->image, device));
    for (int64_t i = 0; i < n; i += e->at_a_time)
        TESS_TRY(pass_boxes(e, p + i, n - i < e->at_a_time ? n - i : e->at_a_time));
    return TESS_OK;
}

/* As many boxes at a time as fit the caches, or a GPU keeps busy with. */
static tess_status make_boxes(extraction *e)
{
    const int64_t usual = e->context->device.kind == TESS_CPU ? 8 << 20 : 64 << 20;
    const int64_t left = (e->context->memory - e->to.taken) / 2 - image_bytes(e), part = left < usual ? left : usual;
    e->at_a_time = part > box_bytes(e) ? part / box_bytes(e) : 1;
    if (e->at_a_time > e->n) e->at_a_time = e->n;
    return tess_empty(&e->cut, TESS_SHAPE(e->at_a_time, 1, e->box, e->box), e->dtype, e->context->device);
}

static tess_status extract_all(extraction *e)
{
    const tess_progress of = { .stage = "particles", .total = e->n, .bytes_each = box_bytes(e) };
    TESS_TRY(tess__stage_begin(&e->stage, fn, e->context, of));
    if (e->n == 0) return TESS_OK;
    TESS_TRY(make_boxes(e));
    for (int64_t i = 0, n; i < e->n; i += n) {
        for (n = 1; i + n < e->n && e->particles[i + n].micrograph == e->particles[i].micrograph;) n++;
        TESS_TRY(extract_from(e, e->particles + i, n));
    }
    return TESS_OK;
}

static tess_status work(tess_extract_particles_result *r, extraction *e, const tess_array *coordinates)
{
    const tess_shape shape = e->in->shape;
    tess_meta        meta = { 0 };
    const double     size = e->o.pixel_size > 0 ? e->o.pixel_size : e->in->meta ? e->in->meta->pixel_size[2] : 0;
    TESS_TRY(tess__need_real(fn, e->in));
    TESS_TRY(check_options(e));
    TESS_TRY(read_coordinates(e, coordinates));
    TESS_TRY(tess__image_fits(e->context, fn, shape, 2 * (image_bytes(e) + box_bytes(e))));
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = size * (double)e->box / (double)e->written;
    e->to = (tess__result_sink){ .fn = fn, .sink = e->o.sink };
    TESS_TRY(tess__result_sink_begin(&e->to, &r->boxes, TESS_SHAPE(e->n, 1, e->written, e->written), e->dtype, &meta,
                                     e->context));
    TESS_TRY(extract_all(e));
    TESS_TRY(tess__table_rows_array(&r->particles, &e->rows));
    r->pixel_size = meta.pixel_size[2];
    r->n_dropped = coordinates->shape.h - e->n;
    return TESS_OK;
}

tess_status tess_extract_particles(tess_extract_particles_result *result, const tess_source *micrographs,
                                   const tess_array *coordinates, int64_t box, const tess_extract_particles_opts *opts,
                                   const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    extraction   e = { .context = &c, .in = micrographs, .box = box, .rows = { .width = TESS_EXTRACTED_COLUMNS } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "micrographs", micrographs));
    TESS_TRY(tess__resolve(&tess__job_extract_particles.function, opts, &e.o));
    TESS_CHECK(!e.o.sink || e.o.sink->append, TESS_EARG, "%s: `opts->sink` is zeroed; an initialised sink is expected",
               fn);
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &e, coordinates);
    tess__free(e.particles);
    tess__table_rows_free(&e.rows);
    tess_release(&e.image);
    tess_release(&e.cut);
    if (status != TESS_OK) tess_extract_particles_result_release(result);
    return status;
}

void tess_extract_particles_result_release(tess_extract_particles_result *result)
{
    if (!result) return;
    tess_release(&result->boxes);
    tess_release(&result->particles);
    memset(result, 0, sizeof *result);
}
