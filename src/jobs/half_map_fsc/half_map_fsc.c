/* Resolution of half maps: Fourier shell correlation with a mask, phase randomisation and cones. */
#include "tessera/jobs/half_map_fsc.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/data/maps/half_maps.h"
#include "jobs/run/table.h"
#include "tessera/constants.h"
#include "tessera/jobs/slabs.h"

#define ANGSTROM "\xc3\x85"

enum { FREQUENCY, FSC, FIRST_KIND, COLUMNS = FIRST_KIND + TESS__FSC_KINDS };
enum { AXIS_X, AXIS_Y, AXIS_Z, RESOLUTION, CONE_COLUMNS };

static const tess_choice curve_columns[] = {
    { "frequency", FREQUENCY, "spatial frequency, 1/" ANGSTROM },
    { "fsc", FSC, "curve used for the resolutions: corrected, or unmasked if there is no mask" },
    { "unmasked", FIRST_KIND + TESS__FSC_UNMASKED, "correlation of the unmasked maps" },
    { "masked", FIRST_KIND + TESS__FSC_MASKED, "correlation of the masked maps" },
    { "randomised", FIRST_KIND + TESS__FSC_RANDOMISED, "correlation of the masked maps with randomised phases" },
    { "corrected", FIRST_KIND + TESS__FSC_CORRECTED, "masked, corrected for the correlation introduced by the mask" },
    { NULL, 0, NULL },
};
static const tess_choice cone_columns[] = {
    { "x", AXIS_X, "axis of the cone along x" },
    { "y", AXIS_Y, "axis of the cone along y" },
    { "z", AXIS_Z, "axis of the cone along z" },
    { "resolution", RESOLUTION, "resolution at 0.143, " ANGSTROM },
    { NULL, 0, NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_half_map_fsc_result, curves, curve_columns,
                         "curves, one row per shell, as the mean of all pairs"),
    TESS__RESULT_ARRAY(tess_half_map_fsc_result, all, "",
                       "curves {pairs,kinds,1+cones,shells} of each pair, or their mean"),
    TESS__RESULT_COLUMNS(tess_half_map_fsc_result, cones, cone_columns, "one row per cone"),
    TESS__RESULT_F64(tess_half_map_fsc_result, resolution_143, ANGSTROM, "resolution where the FSC falls below 0.143"),
    TESS__RESULT_F64(tess_half_map_fsc_result, resolution_500, ANGSTROM, "resolution where the FSC falls below 0.5"),
    TESS__RESULT_F64(tess_half_map_fsc_result, cones_best, ANGSTROM, "finest resolution of a cone, at 0.143"),
    TESS__RESULT_F64(tess_half_map_fsc_result, cones_worst, ANGSTROM, "coarsest resolution of a cone, at 0.143"),
    TESS__RESULT_F64(tess_half_map_fsc_result, randomized_from, ANGSTROM,
                     "resolution from which phases are randomised; 0: none"),
    TESS__RESULT_I64(tess_half_map_fsc_result, n_pairs, "", "number of pairs of maps or images"),
    TESS__RESULT_I64(tess_half_map_fsc_result, n_shells, "", "number of shells from frequency 0 to Nyquist"),
    TESS__RESULT_I64(tess_half_map_fsc_result, first_random, "", "first shell with randomised phases"),
    TESS__RESULT_FLAG(tess_half_map_fsc_result, crosses_143,
                      "whether the FSC falls below 0.143; otherwise Nyquist is reported"),
    TESS__RESULT_FLAG(tess_half_map_fsc_result, crosses_500,
                      "whether the FSC falls below 0.5; otherwise Nyquist is reported"),
    TESS__SOURCE("half1", "half map, or stack of images"),
    TESS__SOURCE("half2", "second half map, or stack of images, of the same size"),
    TESS__OPT_SOURCE(tess_half_map_fsc_opts, mask, "mask with values from 0 to 1, as large as a map"),
    TESS__OPT_F64(tess_half_map_fsc_opts, randomize_at_fsc, "", 0.8, TESS__POSITIVE, 1,
                  "randomise phases from where the unmasked FSC falls below this"),
    TESS__AUTO_F64(tess_half_map_fsc_opts, randomize_at, ANGSTROM, "by randomize_at_fsc", TESS__POSITIVE, DBL_MAX,
                   "randomise phases from this resolution on"),
    TESS__OPT_I64(tess_half_map_fsc_opts, cones, "", 0, 0, 10000,
                  "number of evenly spaced cone directions to compute a curve for"),
    TESS__AUTO_F64(tess_half_map_fsc_opts, cone_angle, "radians", "20 degrees", TESS__POSITIVE, TESS_PI / 2,
                   "half-angle of the cones, from axis to surface"),
    TESS__FLAG(tess_half_map_fsc_opts, each, "report the curves of each pair of a stack instead of their mean"),
    TESS__FLAG(tess_half_map_fsc_opts, no_interpolate,
               "report the resolution of the last shell above a threshold, as RELION does"),
    TESS__AUTO_F64(tess_half_map_fsc_opts, pixel_size, ANGSTROM, "that of half1", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN(half_map_fsc, v[0].source, v[1].source)
const tess_job_info tess__job_half_map_fsc =
    TESS__JOB(half_map_fsc, "Compute the Fourier shell correlation of half maps, or ring correlation of images", args,
              tess_half_map_fsc_opts, tess_half_map_fsc_result);

typedef struct correlation {
    tess__half_maps           maps;
    tess_half_map_fsc_result *result;
    double                   *one, *mean, *filled; /* curves of a pair, the mean of all; one curve */
    int64_t                   size;                /* numbers of the kinds that are measured */
    bool                      each;
} correlation;

/* ---- Curves of all pairs ---- */

static tess_status correlate_pairs(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    correlation              *c = user;
    tess_half_map_fsc_result *r = c->result;
    (void)out;
    for (int64_t b = 0; b < in[0].shape.b; ++b) {
        tess_array pair[2];
        for (int k = 0; k < 2; ++k) TESS_TRY(tess_index(&pair[k], &in[k], 0, b));
        TESS_TRY(tess__half_maps_correlate(&c->maps, pair, slab->b + b, c->one, &r->first_random));
        if (c->each) memcpy((double *)r->all.data + (slab->b + b) * c->size, c->one, (size_t)c->size * sizeof(double));
        for (int64_t i = 0; i < c->size; ++i) c->mean[i] += c->one[i];
        ++r->n_pairs;
    }
    return TESS_OK;
}

static tess_status correlate_all(correlation *c)
{
    const tess__half_maps   *h = &c->maps;
    const tess_source *const sources[] = { h->in[0], h->in[1] };
    const tess_dtype         dtypes[] = { h->dtype, h->dtype };
    const int64_t            element = (int64_t)tess_dtype_size(h->dtype);
    const bool               in_place = tess__half_maps_in_place(h, h->context->device);
    const tess_slab_plan     plan = { .name = h->fn,
                                      .domain = h->shape,
                                      .sources = sources,
                                      .in_dtypes = dtypes,
                                      .n_sources = 2,
                                      .whole = h->shape.d > 1,
                                      .in_place = in_place,
                                      .out_shape = h->shape,
                                      .row = in_place ? 2 * (h->shape.w / 2 + 1) : 0,
                                      .extra = tess__half_maps_workspace(h),
                                      .taken = h->mask.data ? tess_n_elements(&h->mask) * element : 0,
                                      .stage = h->shape.d > 1 ? "sections" : "images" };
    return tess_slabs_run(&plan, NULL, correlate_pairs, c, h->context);
}

/* Zeroed, with room for the curves of each pair, or of their mean. */
static tess_status make_room(correlation *c)
{
    const tess__half_maps *h = &c->maps;
    const int64_t          kinds = h->mask.data ? TESS__FSC_KINDS : 1, pairs = c->each ? h->shape.b : 1;
    const size_t           n = (size_t)(tess__half_maps_size(h) + h->shells);
    c->size = kinds * (1 + h->cones) * h->shells;
    TESS_CHECK(pairs <= h->context->memory / (c->size * (int64_t)sizeof(double)), TESS_ENOMEM,
               "%s: the curves of %lld pairs take %lld MiB; `context->memory` allows %lld MiB", h->fn, (long long)pairs,
               (long long)((double)pairs * (double)c->size * sizeof(double) / 1048576) + 1,
               (long long)(h->context->memory >> 20));
    c->one = tess__alloc((n + (size_t)c->size) * sizeof(double));
    TESS_CHECK(c->one, TESS_ENOMEM, "%s: out of memory", h->fn);
    c->filled = c->one + tess__half_maps_size(h);
    c->mean = c->one + n;
    memset(c->mean, 0, (size_t)c->size * sizeof(double));
    return tess_empty(&c->result->all, TESS_SHAPE(pairs, kinds, 1 + h->cones, h->shells), TESS_F64, tess_cpu());
}

/* ---- Resolutions ---- */

static tess_status fill_curves(const correlation *c)
{
    const tess__half_maps *h = &c->maps;
    tess_array            *table = &c->result->curves;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, h->shells, COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < h->shells; ++i, row += COLUMNS) {
        row[FREQUENCY] = tess__half_maps_frequency(h, i);
        row[FSC] = tess__half_maps_curve(h, c->mean, tess__half_maps_final(h), 0)[i];
        for (int k = 0; k < TESS__FSC_KINDS; ++k)
            row[FIRST_KIND + k] = k == TESS__FSC_UNMASKED || h->mask.data
                                      ? tess__half_maps_curve(h, c->mean, (tess__fsc_kind)k, 0)[i]
                                      : (double)NAN;
    }
    return TESS_OK;
}

/* Near frequency 0 a shell may have no coefficient in a cone, and is 0: it says nothing of the resolution there, and
 * that of all directions stands for it. */
static double *filled_curve(const correlation *c, int64_t cone)
{
    const tess__half_maps *h = &c->maps;
    const double          *all = tess__half_maps_curve(h, c->mean, tess__half_maps_final(h), 0);
    const double          *curve = tess__half_maps_curve(h, c->mean, tess__half_maps_final(h), cone + 1);
    for (int64_t i = 0; i < h->shells; ++i) c->filled[i] = curve[i] == 0 ? all[i] : curve[i];
    return c->filled;
}

static tess_status measure_cones(const correlation *c, bool whole)
{
    const tess__half_maps    *h = &c->maps;
    tess_half_map_fsc_result *r = c->result;
    bool                      crosses;
    TESS_TRY(tess_empty(&r->cones, TESS_SHAPE(1, 1, h->cones, CONE_COLUMNS), TESS_F64, tess_cpu()));
    double *row = r->cones.data;
    for (int64_t cone = 0; cone < h->cones; ++cone, row += CONE_COLUMNS) {
        double zyx[3];
        tess__half_maps_direction(h, cone, zyx);
        row[AXIS_X] = zyx[2], row[AXIS_Y] = zyx[1], row[AXIS_Z] = zyx[0];
        TESS_TRY(tess__half_maps_resolution(h, filled_curve(c, cone), 0.143, whole, &row[RESOLUTION], &crosses));
        r->cones_best = cone == 0 ? row[RESOLUTION] : fmin(r->cones_best, row[RESOLUTION]);
        r->cones_worst = fmax(r->cones_worst, row[RESOLUTION]);
    }
    return TESS_OK;
}

static tess_status measure(const correlation *c, bool whole)
{
    const tess__half_maps    *h = &c->maps;
    tess_half_map_fsc_result *r = c->result;
    double                   *curve = tess__half_maps_curve(h, c->mean, tess__half_maps_final(h), 0);
    bool                      crosses[2];
    TESS_TRY(tess__half_maps_resolution(h, curve, 0.143, whole, &r->resolution_143, &crosses[0]));
    TESS_TRY(tess__half_maps_resolution(h, curve, 0.5, whole, &r->resolution_500, &crosses[1]));
    r->crosses_143 = crosses[0];
    r->crosses_500 = crosses[1];
    r->n_shells = h->shells;
    if (!h->mask.data) r->first_random = h->shells;
    if (r->first_random < h->shells) r->randomized_from = 1 / tess__half_maps_frequency(h, r->first_random);
    TESS_TRY(fill_curves(c));
    return measure_cones(c, whole);
}

/* ---- The job ---- */

static tess_status work(correlation *c, bool whole)
{
    TESS_TRY(make_room(c));
    TESS_TRY(correlate_all(c));
    for (int64_t i = 0; i < c->size; ++i) c->mean[i] /= (double)c->result->n_pairs;
    if (!c->each) memcpy(c->result->all.data, c->mean, (size_t)c->size * sizeof(double));
    return measure(c, whole);
}

tess_status tess_half_map_fsc(tess_half_map_fsc_result *result, const tess_source *half1, const tess_source *half2,
                              const tess_half_map_fsc_opts *opts, const tess_context *context)
{
    static const char      fn[] = "half_map_fsc";
    tess_half_map_fsc_opts o;
    tess_context           ctx;
    correlation            c = { .result = result };
    TESS__CALL_SCOPE();
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "half1", half1));
    TESS_TRY(tess__check_source(fn, "half2", half2));
    TESS_TRY(tess__resolve(&tess__job_half_map_fsc.function, opts, &o));
    TESS_TRY(tess__context(&ctx, fn, context));
    TESS_CHECK(o.cones > 0 || !(o.cone_angle > 0), TESS_EARG, "%s: `opts->cone_angle` requires `opts->cones`", fn);
    TESS_TRY(tess__half_maps_need_mask(fn, o.mask, opts ? opts->randomize_at_fsc : 0, o.randomize_at));
    c.each = o.each;
    const tess__half_map_opts maps = { .mask = o.mask,
                                       .randomize_at_fsc = o.randomize_at_fsc,
                                       .randomize_at = o.randomize_at,
                                       .pixel_size = o.pixel_size,
                                       .cones = o.cones,
                                       .aperture = o.cone_angle > 0 ? o.cone_angle : TESS_PI / 9,
                                       .streams = true };
    const tess_source *const  in[2] = { half1, half2 };
    tess_status               status = tess__half_maps_open(&c.maps, fn, in, &maps, &ctx);
    if (status == TESS_OK) status = work(&c, o.no_interpolate);
    tess__free(c.one);
    tess__half_maps_close(&c.maps);
    if (status != TESS_OK) tess_half_map_fsc_result_release(result);
    return status;
}

void tess_half_map_fsc_result_release(tess_half_map_fsc_result *result)
{
    if (!result) return;
    tess_release(&result->curves);
    tess_release(&result->all);
    tess_release(&result->cones);
    memset(result, 0, sizeof *result);
}
