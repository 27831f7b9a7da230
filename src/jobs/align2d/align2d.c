/* Alignment of images of one class in the plane: rotations and shifts of the highest correlation with their average,
 * until they change no more. */
#include "tessera/jobs/align2d.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/align2d/aligner.h"
#include "jobs/data/finite.h"
#include "jobs/data/pixels.h"
#include "jobs/data/result_sink.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/run/table.h"
#include "tessera/constants.h"
#include "tessera/ewise.h"

static const char fn[] = "align2d";

static const tess_choice place_columns[] = {
    { "angle", TESS_PLACE_ANGLE, "in-plane rotation of the image after the shift, from +x to +y, radians" },
    { "x", TESS_PLACE_X, "shift of the image along w, pixels" },
    { "y", TESS_PLACE_Y, "shift of the image along h, pixels" },
    { "score", TESS_PLACE_SCORE, "correlation coefficient with the masked reference" },
    { .name = NULL },
};
static const tess_choice change_columns[] = {
    { "change", 0, "maximum change of a rotation or shift, in angular steps or tenths of a pixel" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_align2d_result, average, "", "average of the aligned images"),
    TESS__RESULT_COLUMNS(tess_align2d_result, places, place_columns, "rotation and shift of each image"),
    TESS__RESULT_COLUMNS(tess_align2d_result, changes, change_columns, "maximum change in each iteration"),
    TESS__SOURCE_IMAGES("images", "square images of one class"),
    TESS__AUTO_F64(tess_align2d_opts, step, "radians", "5 degrees", 0.0017453, 6.2832, "angular step of the search"),
    TESS__AUTO_F64(tess_align2d_opts, max_shift, "pixels", "an eighth of the box", 0, 1e6,
                   "maximum length of the shift"),
    TESS__AUTO_F64(tess_align2d_opts, mask_radius, "pixels", "half the box minus 6 pixels", TESS__POSITIVE, 1e6,
                   "radius of the circular mask on the reference"),
    TESS__OPT_I64(tess_align2d_opts, iterations, "", 8, 1, 1000, "maximum number of iterations"),
    TESS__OPT_IMAGES(tess_align2d_opts, reference,
                     "initial reference, instead of the average of the images aligned so far"),
    TESS__OPT_SINK(tess_align2d_opts, sink, "sink for the aligned images"),
};

TESS__JOB_RUN(align2d, v[0].source)
const tess_job_info tess__job_align2d = TESS__JOB(align2d, "Align the images of one class in-plane and average them",
                                                  args, tess_align2d_opts, tess_align2d_result);

typedef struct alignment {
    const tess_context *context;
    const tess_source  *in;
    tess_align2d_opts   o;
    tess__aligner       aligner;
    tess__placement    *places; /* of each image */
    int64_t             n;
    double              turn;  /* between rotations, radians */
    double              moved; /* in the last iteration: the maximum change, in steps or tenths of a pixel */
    tess_array          sum;   /* f64 {1,1,h,w} of the aligned images */
    tess_array          reference;
    tess__table_rows    changes;
} alignment;

/* ---- Before any work ---- */

static tess_status check_lengths(alignment *a)
{
    const double n = (double)a->in->shape.w;
    if (isnan(a->o.max_shift)) a->o.max_shift = n / 8;
    if (!(a->o.mask_radius > 0)) a->o.mask_radius = n / 2 - 6;
    TESS_CHECK(a->o.max_shift <= n / 2, TESS_ERANGE,
               "%s: `opts->max_shift` is %g pixels; 0 to half the box, %g, is allowed", fn, a->o.max_shift, n / 2);
    TESS_CHECK(a->o.mask_radius <= n / 2, TESS_ERANGE,
               "%s: `opts->mask_radius` is %g pixels; it must be above 0 and at most half the box, %g", fn,
               a->o.mask_radius, n / 2);
    return TESS_OK;
}

static tess_status check_images(const alignment *a)
{
    const tess_shape s = a->in->shape;
    TESS_TRY(tess__need_real(fn, a->in));
    TESS_CHECK(s.h == s.w && s.w >= 16, TESS_ESHAPE,
               "%s: %s has images of %lld x %lld; square images of at least 16 pixels are needed", fn, a->in->name,
               (long long)s.w, (long long)s.h);
    TESS_CHECK(s.b * s.d > 0, TESS_ESHAPE, "%s: %s has no images; one or more are needed", fn, a->in->name);
    return TESS_OK;
}

static tess_status read_reference(alignment *a)
{
    const tess_source *from = a->o.reference;
    const tess_shape   s = a->in->shape, t = from->shape;
    tess__warn_of_pixel_sizes(a->context, a->in, from);
    TESS_CHECK(t.b * t.d == 1 && t.h == s.h && t.w == s.w, TESS_ESHAPE,
               "%s: `opts->reference` %s has %lld images of %lld x %lld; one of %lld x %lld is needed", fn, from->name,
               (long long)(t.b * t.d), (long long)t.w, (long long)t.h, (long long)s.w, (long long)s.h);
    TESS_TRY(tess__need_real(fn, from));
    TESS_TRY(tess_source_read(from, &a->reference, 0, 1, TESS_F32));
    TESS_TRY(tess__check_finite(fn, from, -1, &a->reference));
    return tess__move(&a->reference, a->context->device);
}

static tess_status prepare(alignment *a)
{
    const double     turn = a->o.step > 0 ? a->o.step : 5 * TESS_PI / 180;
    const int64_t    n_angles = (int64_t)fmax(rint((2 * TESS_PI) / turn), 1);
    const tess_shape shape = TESS_SHAPE(1, 1, a->in->shape.h, a->in->shape.w);
    TESS_TRY(check_images(a));
    TESS_TRY(check_lengths(a));
    a->n = a->in->shape.b * a->in->shape.d;
    a->turn = (2 * TESS_PI) / (double)n_angles;
    TESS_TRY(tess__image_fits(a->context, fn, shape, 24 * n_angles * shape.h * shape.w));
    if (a->o.reference) TESS_TRY(read_reference(a));
    a->places = tess__alloc(sizeof *a->places * (size_t)a->n);
    TESS_CHECK(a->places, TESS_ENOMEM, "%s: out of memory for %lld images", fn, (long long)a->n);
    for (int64_t i = 0; i < a->n; i++) a->places[i] = (tess__placement){ .angle = 0 };
    TESS_TRY(tess__aligner_start(&a->aligner, shape, n_angles, a->o.max_shift, a->o.mask_radius, a->context->device));
    return tess_zeros(&a->sum, shape, TESS_F64, a->context->device);
}

/* ---- Rounds ---- */

/* The average of n images so far is the reference from here on. */
static tess_status take_average(alignment *a, int64_t n)
{
    tess_array        mean = { 0 };
    const tess_status status = tess_div(&mean, &a->sum, &tess_num((double)n));
    const tess_status next = status == TESS_OK ? tess__aligner_reference(&a->aligner, &mean) : status;
    tess_release(&mean);
    return next;
}

static void note_change(alignment *a, int64_t i, const tess__placement *now)
{
    const tess__placement was = a->places[i];
    const double          turned = fabs(remainder(now->angle - was.angle, (2 * TESS_PI))) / a->turn;
    a->moved = fmax(a->moved, fmax(turned, 10 * hypot(now->x - was.x, now->y - was.y)));
    a->places[i] = *now;
}

/* The first image of a start without a reference is where it is; after it, the average so far is the reference: each
 * time for the first images, and then now and then. */
static tess_status align_one(alignment *a, const tess_array *image, int64_t i, bool grows)
{
    tess__placement p = { 0 };
    tess_array      moved = { 0 };
    tess_status     status = TESS_OK;
    const bool      is_due = i < 64 || i % 32 == 0;
    if (grows && i > 0 && is_due) TESS_GOTO(done, status, take_average(a, i));
    if (!grows || i > 0) TESS_GOTO(done, status, tess__aligner_place(&p, &a->aligner, image));
    TESS_GOTO(done, status, tess__aligner_move(&moved, &a->aligner, image, &p));
    TESS_GOTO(done, status, tess_add(&a->sum, &a->sum, &moved));
    note_change(a, i, &p);
done:
    tess_release(&moved);
    return status;
}

static tess_progress images_of(const alignment *a)
{
    return (tess_progress){ .stage = "images", .total = a->n, .bytes_each = 4 * a->in->shape.h * a->in->shape.w };
}

static tess_status do_round(alignment *a, int64_t round)
{
    const bool  grows = round == 0 && !a->reference.data;
    tess__stage stage;
    a->moved = 0;
    TESS_TRY(tess_fill(&a->sum, 0));
    TESS_TRY(tess__stage_begin(&stage, fn, a->context, images_of(a)));
    for (int64_t i = 0; i < a->n; i++) {
        tess_array  image = { 0 };
        tess_status status = tess_source_read(a->in, &image, i, 1, TESS_F32);
        if (status == TESS_OK && round == 0) status = tess__check_finite(fn, a->in, i, &image);
        if (status == TESS_OK) status = tess__move(&image, a->context->device);
        if (status == TESS_OK) status = align_one(a, &image, i, grows);
        tess_release(&image);
        TESS_TRY(status);
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    return tess__table_rows_add(&a->changes, fn, &a->moved);
}

/* Until the places change no more. */
static tess_status do_rounds(alignment *a)
{
    if (a->reference.data) TESS_TRY(tess__aligner_reference(&a->aligner, &a->reference));
    for (int64_t round = 0; round < a->o.iterations; round++) {
        if (round > 0) TESS_TRY(take_average(a, a->n));
        TESS_TRY(do_round(a, round));
        if (round > 0 && a->moved < 0.5) break;
    }
    return TESS_OK;
}

/* ---- Results ---- */

static tess_status pass_one(const alignment *a, const tess_sink *sink, int64_t i)
{
    tess_array  image = { 0 }, moved = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_source_read(a->in, &image, i, 1, TESS_F32));
    TESS_GOTO(done, status, tess__move(&image, a->context->device));
    TESS_GOTO(done, status, tess__aligner_move(&moved, &a->aligner, &image, &a->places[i]));
    TESS_GOTO(done, status, tess__move(&moved, tess_cpu()));
    TESS_GOTO(done, status, tess__callback_failed(fn, "the sink", sink->append(sink->user, &moved)));
done:
    tess_release(&image);
    tess_release(&moved);
    return status;
}

static tess_status pass_aligned(const alignment *a)
{
    const tess_shape  s = a->in->shape, shape = TESS_SHAPE(a->n, 1, s.h, s.w);
    tess__result_sink to = { .fn = fn, .sink = a->o.sink };
    tess__stage       stage;
    TESS_TRY(tess__result_sink_begin(&to, NULL, shape, TESS_F32, a->in->meta, a->context));
    TESS_TRY(tess__stage_begin(&stage, fn, a->context, images_of(a)));
    for (int64_t i = 0; i < a->n; i++) {
        TESS_TRY(pass_one(a, to.sink, i));
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    return TESS_OK;
}

static tess_status average(tess_array *out, const alignment *a)
{
    tess_array  mean = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_div(&mean, &a->sum, &tess_num((double)a->n)));
    TESS_GOTO(done, status, tess_cast(out, &mean, TESS_F32, NULL));
    TESS_GOTO(done, status, tess__move(out, tess_cpu()));
done:
    tess_release(&mean);
    return status;
}

static tess_status work(tess_align2d_result *r, alignment *a)
{
    TESS_TRY(prepare(a));
    TESS_TRY(do_rounds(a));
    if (a->o.sink) TESS_TRY(pass_aligned(a));
    TESS_TRY(average(&r->average, a));
    TESS_TRY(tess__table_rows_array(&r->changes, &a->changes));
    TESS_TRY(tess_empty(&r->places, TESS_SHAPE(1, 1, a->n, TESS_PLACE_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < a->n; i++) {
        double *row = (double *)r->places.data + TESS_PLACE_COLUMNS * i;
        row[TESS_PLACE_ANGLE] = a->places[i].angle;
        row[TESS_PLACE_X] = a->places[i].x;
        row[TESS_PLACE_Y] = a->places[i].y;
        row[TESS_PLACE_SCORE] = a->places[i].score;
    }
    return TESS_OK;
}

tess_status tess_align2d(tess_align2d_result *result, const tess_source *images, const tess_align2d_opts *opts,
                         const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    alignment    a = { .context = &c, .in = images, .changes = { .width = 1 } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_align2d.function, opts, &a.o));
    if (a.o.reference) TESS_TRY(tess__check_source(fn, "opts->reference", a.o.reference));
    TESS_CHECK(!a.o.sink || a.o.sink->append, TESS_EARG, "%s: `opts->sink` is zeroed; an initialised sink is expected",
               fn);
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &a);
    tess__aligner_release(&a.aligner);
    tess_release(&a.sum);
    tess_release(&a.reference);
    tess__free(a.places);
    tess__table_rows_free(&a.changes);
    if (status != TESS_OK) tess_align2d_result_release(result);
    return status;
}

void tess_align2d_result_release(tess_align2d_result *result)
{
    if (!result) return;
    tess_release(&result->average);
    tess_release(&result->places);
    tess_release(&result->changes);
    memset(result, 0, sizeof *result);
}
