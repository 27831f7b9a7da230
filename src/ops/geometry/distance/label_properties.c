/* Properties of labels: checks, and a request to the host, to which arrays of a GPU are brought. */
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/text.h"
#include "core/device/stream.h"
#include "core/minmax.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/arrays/deliver.h"
#include "tessera/device.h"
#include "tessera/distance.h"
#include "tessera/reduce.h"

#define MAX_LABEL ((uint64_t)1 << 53)

#define RESULT(field, ...)                                                                                             \
    TESS__OPT_RESULT(tess_label_properties_opts, field, tess_array *, "receives the " __VA_ARGS__)

static const tess_arg_info args[] = {
    TESS__OUT("out", "number of elements of each label, {b,1,1,n} of i64", .axes = "B,1,1,n"),
    TESS__IN("labels", "labels from 1; other integers are background", .sample = "integer"),
    TESS__IN_OPTIONAL("image", "real numbers, in the shape of the labels; may be NULL"),
    RESULT(bounds, "index box of each label, {b,1,n,6} of i64: first d, h and w, and those after the last",
           .axes = "B,1,n,6"),
    RESULT(centres, "centre (d, h, w) of each label in elements, {b,1,n,3}", .axes = "B,1,n,3"),
    RESULT(covariances, "covariance matrix of the coordinates (d, h, w) of each label, {b,1,n,9}", .axes = "B,1,n,9"),
    RESULT(sums, "sum of the image over each label, {b,1,1,n}", .axes = "B,1,1,n"),
    RESULT(means, "mean of the image over each label, {b,1,1,n}", .axes = "B,1,1,n"),
    RESULT(minima, "minimum of the image over each label, {b,1,1,n}", .axes = "B,1,1,n"),
    RESULT(maxima, "maximum of the image over each label, {b,1,1,n}", .axes = "B,1,1,n"),
    RESULT(centres_of_mass, "centre (d, h, w) of each label, weighted by the image, {b,1,n,3}", .axes = "B,1,n,3"),
    TESS__AUTO_I64(tess_label_properties_opts, n, "", "largest label of all batches", 0, MAX_LABEL, "number of labels"),
};
TESS__CALL(label_properties, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_label_properties = TESS__OP_OPTS(
    TESS_CUT_NONE, label_properties, "distance",
    "Measure labelled regions: areas, bounds, centres, and sums over an image.", args, tess_label_properties_opts);

/* Which results; the order of outputs. */
enum { AREAS, BOUNDS, CENTRES, COVARIANCES, SUMS, MEANS, MINIMA, MAXIMA, CENTRES_OF_MASS, RESULTS };

/* The widest array along an axis whose sums of squared distances 64 bits hold, whatever its labels: the variance of a
 * coordinate is at most a quarter of the square of its size. */
static bool sums_fit(const tess_array *labels)
{
    const tess_shape *s = &labels->shape;
    const double      longest = (double)tess__max(tess__max(s->d, s->h), s->w);
    return (double)s->d * (double)s->h * (double)s->w * longest * longest <= 0x1p65;
}

static const char *const fn = "label_properties";

static tess_status check_image(const tess_array *labels, const tess_array *image, const tess_label_properties_opts *o)
{
    const struct {
        const char       *name;
        const tess_array *array;
    } wanted[] = { { "sums", o->sums },
                   { "means", o->means },
                   { "minima", o->minima },
                   { "maxima", o->maxima },
                   { "centres_of_mass", o->centres_of_mass } };
    char text[2][TESS__SHAPE_TEXT];
    for (int k = 0; k < 5 && !image; k++)
        TESS_CHECK(!wanted[k].array, TESS_EARG, "%s: `image` is `NULL`; `opts->%s` needs an image", fn, wanted[k].name);
    if (!image) return TESS_OK;
    TESS_TRY(tess__check_numbers(fn, "image", image));
    TESS_TRY(tess__check_ordered(fn, "image", image->dtype));
    TESS_CHECK(tess_same_shape(labels, image), TESS_ESHAPE,
               "%s: `image` has shape %s and `labels` %s; they must be equal", fn,
               tess__shape_text(text[0], image->shape.dim), tess__shape_text(text[1], labels->shape.dim));
    TESS_TRY(tess__check_device_of(fn, "labels", labels, "image", image));
    return TESS_OK;
}

static tess_status check(const tess_array *out, const tess_array *labels, const tess_array *image,
                         const tess_label_properties_opts *o)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "labels", labels));
    const tess_kind kind = tess_dtype_kind(labels->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT || kind == TESS_KIND_BOOL, TESS_EDTYPE,
               "%s: `labels` is %s; integers or bool are needed", fn, tess_dtype_name(labels->dtype));
    TESS_CHECK(!o->covariances || sums_fit(labels), TESS_ERANGE,
               "%s: `labels` has shape %s; covariances need smaller arrays, so that sums of squares fit 64 bits", fn,
               tess__shape_text(text, labels->shape.dim));
    TESS_TRY(check_image(labels, image, o));
    return TESS_OK;
}

static tess_status count_labels(int64_t *n, const tess_array *labels)
{
    uint64_t most = 0;
    *n = 0;
    if (!tess__has_elements(labels)) return TESS_OK;
    if (tess_dtype_kind(labels->dtype) == TESS_KIND_UINT) {
        TESS_TRY(tess_host_max_uint(&most, labels));
    } else {
        TESS_TRY(tess_host_max_int(n, labels));
        most = (uint64_t)tess__max(*n, 0);
    }
    TESS_CHECK(most <= MAX_LABEL, TESS_ERANGE,
               "%s: the largest of `labels` is %" PRIu64 "; without `opts->n`, labels up to 2^53 are allowed", fn,
               most);
    *n = (int64_t)most;
    return TESS_OK;
}

/* One label that is not meant as one may ask for more memory than there is. */
static tess_status take_outputs(tess__outputs *all, int64_t n)
{
    TESS_TRY_NOTE(tess__outputs_take(all), "for labels 1 to %" PRId64 "; `opts->n` limits them", n);
    return TESS_OK;
}

static tess_status want_all(tess__outputs *all, tess_array *out, const tess_array *labels, const tess_array *image,
                            const tess_label_properties_opts *o, int64_t n)
{
    const int64_t     b = labels->shape.b;
    const tess_device device = labels->device;
    tess__wants(all, "out", out, TESS_SHAPE(b, 1, 1, n), TESS_I64, device);
    tess__wants(all, "opts->bounds", o->bounds, TESS_SHAPE(b, 1, n, 6), TESS_I64, device);
    TESS_TRY(tess__wants_numbers(all, "opts->centres", o->centres, TESS_SHAPE(b, 1, n, 3), device));
    TESS_TRY(tess__wants_numbers(all, "opts->covariances", o->covariances, TESS_SHAPE(b, 1, n, 9), device));
    TESS_TRY(tess__wants_numbers(all, "opts->sums", o->sums, TESS_SHAPE(b, 1, 1, n), device));
    TESS_TRY(tess__wants_numbers(all, "opts->means", o->means, TESS_SHAPE(b, 1, 1, n), device));
    TESS_TRY(tess__wants_numbers(all, "opts->minima", o->minima, TESS_SHAPE(b, 1, 1, n), device));
    TESS_TRY(tess__wants_numbers(all, "opts->maxima", o->maxima, TESS_SHAPE(b, 1, 1, n), device));
    TESS_TRY(tess__wants_numbers(all, "opts->centres_of_mass", o->centres_of_mass, TESS_SHAPE(b, 1, n, 3), device));
    tess__reads(all, "labels", labels);
    tess__reads(all, "image", image);
    return TESS_OK;
}

static tess_array *result_of(tess__label_properties *work, int k)
{
    tess_array *const all[RESULTS] = { &work->areas, &work->bounds, &work->centres, &work->covariances, &work->sums,
                                       &work->means, &work->mins,   &work->maxs,    &work->mass_centres };
    return all[k];
}

/* Results on the host, one for each output. */
static tess_status make_results(tess__label_properties *work, const tess__outputs *all,
                                const tess_label_properties_opts *o, const tess_array **results)
{
    const void *const wanted[RESULTS] = { work,     o->bounds, o->centres, o->covariances,    o->sums,
                                          o->means, o->minima, o->maxima,  o->centres_of_mass };
    for (int k = 0, i = 0; k < RESULTS; k++) {
        if (!wanted[k]) continue;
        const tess_dtype dtype = k <= BOUNDS ? TESS_I64 : TESS_F64;
        TESS_TRY(tess__make(fn, result_of(work, k), all->wanted[i].shape, dtype, tess_cpu(), false));
        results[i++] = result_of(work, k);
    }
    return TESS_OK;
}

/* On the host: what a GPU has is brought there. */
static tess_status run(const tess__outputs *all, const tess_array *labels, const tess_array *image,
                       const tess_label_properties_opts *o, int64_t n)
{
    const bool             is_here = labels->device.kind == TESS_CPU;
    tess__label_properties work = { .name = fn, .labels = *labels, .n = n };
    tess_array             here[2] = { { .data = NULL }, { .data = NULL } };
    const tess_array      *results[TESS__MAX_OUTPUTS] = { NULL };
    tess_status            status = TESS_OK;
    if (image) work.image = *image;
    if (!is_here) {
        TESS_GOTO(done, status, tess_to_device(&here[0], labels, tess_cpu()));
        if (image) TESS_GOTO(done, status, tess_to_device(&here[1], image, tess_cpu()));
        TESS_GOTO(done, status, tess__sync(fn, labels->device));
        work.labels = here[0];
        work.image = here[1];
    }
    TESS_GOTO(done, status, make_results(&work, all, o, results));
    if (n > 0 && labels->shape.b > 0) TESS_GOTO(done, status, tess__label_properties_run(&work));
    TESS_GOTO(done, status, tess__deliver(all, results));
done:
    for (int k = 0; k < RESULTS; k++) tess_release(result_of(&work, k));
    tess_release(&here[0]);
    tess_release(&here[1]);
    return status;
}

tess_status tess_label_properties(tess_array *out, const tess_array *labels, const tess_array *image,
                                  const tess_label_properties_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_label_properties_opts o;
    tess__outputs              all = { .fn = fn };
    tess_array                 held[2] = { { .data = NULL }, { .data = NULL } };
    tess_status                status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_label_properties, opts, &o));
    TESS_TRY(check(out, labels, image, &o));
    TESS_TRY(tess__check_waits(fn, labels->device));
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &labels));
    if (image) TESS_GOTO(done, status, tess__hold(&held[1], fn, &image));
    if (o.n < 0) TESS_GOTO(done, status, count_labels(&o.n, labels));
    TESS_GOTO(done, status, want_all(&all, out, labels, image, &o, o.n));
    TESS_GOTO(done, status, take_outputs(&all, o.n));
    TESS_GOTO(done, status, run(&all, labels, image, &o, o.n));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    return tess__outputs_end(&all, tess__error_under(status, fn));
}
