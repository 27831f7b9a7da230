/* Local resolution: the FSC in a soft sphere that is moved over two half maps. */
#include "tessera/jobs/local_resolution.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "jobs/data/maps/half_maps.h"
#include "jobs/run/table.h"
#include "tessera/draw.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/geometry.h"
#include "tessera/reduce.h"
#include "tessera/signal.h"

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_local_resolution_result, map, "\xc3\x85", "resolution at each voxel; 0 outside the mask"),
    TESS__RESULT_F64(tess_local_resolution_result, median, "\xc3\x85",
                     "median resolution inside the mask, or of the whole map"),
    TESS__RESULT_F64(tess_local_resolution_result, quantile_5, "\xc3\x85", "5th percentile of the resolution"),
    TESS__RESULT_F64(tess_local_resolution_result, quantile_95, "\xc3\x85", "95th percentile of the resolution"),
    TESS__RESULT_F64(tess_local_resolution_result, threshold, "", "threshold of the FSC"),
    TESS__RESULT_F64(tess_local_resolution_result, randomized_from, "\xc3\x85",
                     "resolution from which phases are randomised; 0: none"),
    TESS__RESULT_I64(tess_local_resolution_result, n_voxels, "", "number of voxels inside the mask, or of all voxels"),
    TESS__RESULT_I64(tess_local_resolution_result, n_positions, "", "number of positions where the FSC was measured"),
    TESS__RESULT_I64(tess_local_resolution_result, box, "pixels", "side of the box around the sphere"),
    TESS__SOURCE("half1", "half map"),
    TESS__SOURCE("half2", "second half map, of the same size"),
    TESS__AUTO_F64(tess_local_resolution_opts, radius, "pixels", "12, at most half the smallest side", 2, 256,
                   "radius of the sphere"),
    TESS__AUTO_F64(tess_local_resolution_opts, soft, "pixels", "6, at most half the smallest side", 0, 256,
                   "width of the soft edge outside the sphere"),
    TESS__OPT_I64(tess_local_resolution_opts, step, "pixels", 4, 1, 1024, "spacing of the sampled positions"),
    TESS__OPT_F64(tess_local_resolution_opts, threshold, "", 0.143, TESS__POSITIVE, 1 - 0x1p-53,
                  "threshold of the FSC"),
    TESS__FLAG(tess_local_resolution_opts, no_correct, "do not correct for the correlation that the sphere introduces"),
    TESS__OPT_SOURCE(tess_local_resolution_opts, mask, "mask with values from 0 to 1, as large as a map"),
    TESS__OPT_F64(tess_local_resolution_opts, randomize_at_fsc, "", 0.8, TESS__POSITIVE, 1,
                  "randomise phases from where the FSC of the whole maps falls below this"),
    TESS__AUTO_F64(tess_local_resolution_opts, randomize_at, "\xc3\x85", "by randomize_at_fsc", TESS__POSITIVE, DBL_MAX,
                   "randomise phases from this resolution on"),
    TESS__AUTO_F64(tess_local_resolution_opts, pixel_size, "\xc3\x85", "that of half1", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN(local_resolution, v[0].source, v[1].source)
const tess_job_info tess__job_local_resolution =
    TESS__JOB(local_resolution, "Estimate local resolution by the FSC in a soft sphere moved over two half maps", args,
              tess_local_resolution_opts, tess_local_resolution_result);

enum { CHUNK = 2048 }; /* positions between two reports of progress */

typedef struct locres {
    tess__half_maps maps;
    tess_array      map[2], random[2]; /* on the device of the context */
    tess_array      window;
    int64_t         side, step;           /* of the window; from node to node */
    int64_t         first[3], count[3];   /* nodes along z, y, x */
    double          threshold, frequency; /* above which phases of `random` are random */
    bool            corrects;
    int64_t        *chosen, n_chosen; /* numbers of the nodes that count */
    tess_array      nodes;            /* f32 {1,z,y,x}: resolutions in Å; z is at least 2 */
    tess_array      inside;           /* where the mask is above 0, on the CPU; without data: everywhere */
} locres;

/* ---- What is asked for ---- */

/* In pixels; a sphere larger than the map would not be local. */
static tess_status check_sphere(const locres *l, const tess_local_resolution_opts *o, double *radius, double *soft)
{
    const tess_shape s = l->maps.shape;
    const double     half = 0.5 * fmin((double)s.d, fmin((double)s.h, (double)s.w)), most = fmin(half, 256);
    TESS_CHECK(most >= 2, TESS_ESHAPE,
               "%s: the map is too small, %lld x %lld x %lld pixels (x y z); at least 4 are needed along each axis",
               l->maps.fn, (long long)s.w, (long long)s.h, (long long)s.d);
    *radius = o->radius > 0 ? o->radius : fmin(12, most);
    *soft = isnan(o->soft) ? fmin(6, most) : o->soft;
    TESS_CHECK(*radius <= most, TESS_ERANGE,
               "%s: `opts->radius` is %g pixels; 2 to %g are allowed for %lld x %lld x %lld pixels (x y z): the sphere "
               "must fit into the map",
               l->maps.fn, *radius, most, (long long)s.w, (long long)s.h, (long long)s.d);
    TESS_CHECK(*soft <= most, TESS_ERANGE, "%s: `opts->soft` is %g pixels; 0 to %g are allowed", l->maps.fn, *soft,
               most);
    return TESS_OK;
}

static tess_status make_window(locres *l, const tess_local_resolution_opts *o)
{
    double radius = 0, soft = 0;
    TESS_TRY(check_sphere(l, o, &radius, &soft));
    l->step = o->step;
    l->threshold = o->threshold;
    l->corrects = !o->no_correct;
    l->side = tess_fft_fast_size(2 * (int64_t)ceil(radius + soft) + 1);
    TESS_TRY(tess_empty(&l->window, TESS_SHAPE(1, l->side, l->side, l->side), l->maps.dtype, tess_cpu()));
    TESS_TRY(tess_draw_sphere(&l->window, NULL, &tess_f64(radius), &(tess_draw_opts){ .width = soft }));
    return tess__move(&l->window, l->maps.context->device);
}

/* Nodes lie symmetrically, at most a step from each end. */
static void lay_nodes(locres *l)
{
    for (int k = 0; k < 3; ++k) {
        const int64_t n = l->maps.shape.dim[k + 1];
        l->count[k] = (n - 1) / l->step + 1;
        l->first[k] = (n - 1 - (l->count[k] - 1) * l->step) / 2;
    }
}

/* The nodes that a pixel is interpolated from. */
static void mark_nodes(const locres *l, const int64_t pixel[3], bool *is_needed)
{
    int64_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        const int64_t from = pixel[k] - l->first[k], node = from < 0 ? 0 : from / l->step;
        low[k] = node;
        high[k] = node + 1 < l->count[k] ? node + 1 : node;
    }
    for (int i = 0; i < 8; ++i) {
        const int64_t z = i & 4 ? high[0] : low[0], y = i & 2 ? high[1] : low[1], x = i & 1 ? high[2] : low[2];
        is_needed[(z * l->count[1] + y) * l->count[2] + x] = true;
    }
}

static tess_status mark_mask(const locres *l, bool *is_needed)
{
    const tess_shape s = l->maps.shape;
    tess_array       inside = { 0 }, here = { 0 };
    tess_status      status;
    TESS_GOTO(done, status, tess_greater(&inside, &l->maps.mask, &tess_f64(0)));
    TESS_GOTO(done, status, tess_to_device(&here, &inside, tess_cpu()));
    for (int64_t i = 0; i < s.d * s.h * s.w; ++i)
        if (((const bool *)here.data)[i])
            mark_nodes(l, (int64_t[3]){ i / (s.h * s.w), i / s.w % s.h, i % s.w }, is_needed);
done:
    tess_release(&inside);
    tess_release(&here);
    return status;
}

static tess_status choose_nodes(locres *l)
{
    const int64_t n = l->count[0] * l->count[1] * l->count[2];
    bool         *is_needed = tess__alloc((size_t)n * sizeof *is_needed);
    tess_status   status = TESS_OK;
    l->chosen = tess__alloc((size_t)n * sizeof *l->chosen);
    if (is_needed) memset(is_needed, 0, (size_t)n * sizeof *is_needed);
    if (is_needed && l->maps.mask.data) status = mark_mask(l, is_needed);
    for (int64_t i = 0; is_needed && l->chosen && i < n; ++i)
        if (is_needed[i] || !l->maps.mask.data) l->chosen[l->n_chosen++] = i;
    const bool failed = !is_needed || !l->chosen;
    tess__free(is_needed);
    TESS_CHECK(!failed, TESS_ENOMEM, "%s: out of memory", l->maps.fn);
    return status;
}

/* ---- The work ---- */

static tess_status check_memory(const locres *l)
{
    const tess__half_maps *h = &l->maps;
    const int64_t          voxels = h->shape.d * h->shape.h * h->shape.w, n = l->count[0] * l->count[1] * l->count[2];
    const int64_t          bytes = voxels * (int64_t)tess_dtype_size(h->dtype);
    const int64_t          of_nodes = n * (int64_t)(sizeof *l->chosen + sizeof(float));
    const int64_t          of_result = voxels * (int64_t)(2 * sizeof(float) + sizeof(bool)); /* and its quantiles */
    TESS_TRY(tess__volume_fits(h->context, h->fn, h->shape,
                               (2 + (l->corrects ? 2 : 0) + (h->mask.data ? 1 : 0)) * bytes + of_nodes + of_result +
                                   h->shape.d * tess__half_maps_workspace(h)));
    return TESS_OK;
}

static tess_status read_maps(locres *l)
{
    const tess__half_maps *h = &l->maps;
    for (int k = 0; k < 2; ++k) TESS_TRY(tess_source_read_all(h->in[k], &l->map[k], h->dtype, h->context));
    return TESS_OK;
}

/* Maps with random phases, from where the FSC of the whole maps falls below 0.8. */
static tess_status randomise(locres *l)
{
    tess__half_maps *h = &l->maps;
    double          *curves = tess__alloc((size_t)tess__half_maps_size(h) * sizeof *curves);
    tess_array       mask = h->mask; /* the curve of the maps as they are is wanted */
    int64_t          from = 0;
    TESS_CHECK(curves, TESS_ENOMEM, "%s: out of memory", h->fn);
    h->mask = (tess_array){ 0 };
    tess_status status = tess__half_maps_correlate(h, l->map, 0, curves, &from);
    h->mask = mask;
    tess__free(curves);
    TESS_TRY(status);
    l->frequency = ((double)from - 0.5) / (double)h->side;
    if (!l->corrects) return TESS_OK;
    for (int k = 0; k < 2; ++k)
        TESS_TRY(tess_phase_randomize_image(&l->random[k], &l->map[k], l->frequency, 2 * h->context->seed + (uint64_t)k,
                                            NULL));
    return TESS_OK;
}

/* Where the window of each node begins: its middle lies on the node. */
static tess_status make_origins(const locres *l, tess_array *origins, int64_t first, int64_t n, tess_device device)
{
    TESS_TRY(tess_empty(origins, TESS_SHAPE(n, 1, 1, 3), TESS_I64, tess_cpu()));
    int64_t *to = origins->data;
    for (int64_t i = 0; i < n; ++i) {
        int64_t node = l->chosen[first + i];
        for (int k = 2; k >= 0; --k) {
            to[3 * i + k] = l->first[k] + node % l->count[k] * l->step - l->side / 2;
            node /= l->count[k];
        }
    }
    return tess__move(origins, device);
}

static tess_status measure_some(const locres *l, tess_array arrays[4], int64_t first, int64_t n)
{
    const tess_shape               shape = TESS_SHAPE(n, l->side, l->side, l->side);
    const tess_fsc_local_opts      nearest = { .nearest = 1 };
    const tess_fsc_resolution_opts opts = { .threshold = l->threshold, .pixel_size = l->maps.pixel_size };
    tess_array                    *origins = &arrays[0], *fsc = &arrays[1], *random = &arrays[2], *found = &arrays[3];
    TESS_TRY(make_origins(l, origins, first, n, l->map[0].device));
    TESS_TRY(tess_fsc_local(fsc, &l->map[0], &l->map[1], &l->window, origins, &nearest));
    if (l->corrects) {
        TESS_TRY(tess_fsc_local(random, &l->random[0], &l->random[1], &l->window, origins, &nearest));
        TESS_TRY(tess_fsc_corrected(fsc, fsc, random, shape, l->frequency, NULL));
    }
    TESS_TRY(tess_fsc_resolution(found, fsc, shape, &opts));
    TESS_TRY(tess__move(found, tess_cpu()));
    const double coarsest = (double)l->side * l->maps.pixel_size;
    float       *nodes = l->nodes.data;
    for (int64_t i = 0; i < n; ++i)
        nodes[l->chosen[first + i]] = (float)fmin(((const double *)found->data)[i], coarsest);
    return TESS_OK;
}

static tess_status measure(locres *l)
{
    const tess__half_maps *h = &l->maps;
    const tess_progress    positions = { .stage = "positions", .total = l->n_chosen };
    tess__stage            stage;
    TESS_TRY(tess_zeros(&l->nodes, TESS_SHAPE(1, l->count[0] > 1 ? l->count[0] : 2, l->count[1], l->count[2]), TESS_F32,
                        tess_cpu()));
    TESS_TRY(tess__stage_begin(&stage, h->fn, h->context, positions));
    for (int64_t first = 0; first < l->n_chosen; first += CHUNK) {
        const int64_t     n = l->n_chosen - first < CHUNK ? l->n_chosen - first : CHUNK;
        tess_array        arrays[4] = { { .data = NULL }, { .data = NULL }, { .data = NULL }, { .data = NULL } };
        const tess_status status = measure_some(l, arrays, first, n);
        for (int k = 0; k < 4; ++k) tess_release(&arrays[k]);
        TESS_TRY(status);
        TESS_TRY(tess__stage_add(&stage, n));
    }
    return TESS_OK;
}

/* Linear between nodes, beyond the outermost as there; 0 where the mask is. */
static tess_status interpolate(locres *l, tess_array *map)
{
    const tess_transform_opts opts = { .interp = TESS_INTERP_LINEAR,
                                       .border = TESS_BORDER_CLAMP,
                                       .shape = l->maps.shape };
    const double              apart = (double)l->step;
    double                    values[12] = { 0 };
    tess_array                matrix;
    if (l->count[0] == 1) { /* a volume has two sections: both are the same */
        const size_t n = (size_t)(l->count[1] * l->count[2]);
        memcpy((float *)l->nodes.data + n, l->nodes.data, n * sizeof(float));
    }
    for (int k = 0; k < 3; ++k) {
        values[5 * k] = 1 / apart;
        values[4 * k + 3] = -(double)l->first[k] / apart;
    }
    TESS_TRY(tess_wrap(&matrix, values, TESS_SHAPE(1, 1, 3, 4), TESS_F64, NULL));
    TESS_TRY(tess_transform_3d(map, &l->nodes, &matrix, &opts));
    if (!l->maps.mask.data) return TESS_OK;
    TESS_TRY(tess__move(&l->maps.mask, tess_cpu()));
    TESS_TRY(tess_greater(&l->inside, &l->maps.mask, &tess_f64(0)));
    return tess_mul(map, map, &l->inside);
}

/* The values of the map where the mask is above 0, or all, in one row. */
static tess_status gather(tess_array *values, const locres *l, const tess_array *map)
{
    const int64_t n = tess_n_elements(map);
    const float  *from = map->data;
    const bool   *inside = l->inside.data;
    int64_t       count = 0;
    TESS_TRY(tess_empty(values, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n; ++i)
        if (!inside || inside[i]) ((float *)values->data)[count++] = from[i];
    values->shape.w = count;
    return TESS_OK;
}

/* Quantiles are those of the map that is returned. */
static tess_status report(tess_local_resolution_result *r, const locres *l)
{
    static const double at[3] = { 0.5, 0.05, 0.95 };
    double *const       to[3] = { &r->median, &r->quantile_5, &r->quantile_95 };
    tess_array          values = { 0 };
    tess_status         status = gather(&values, l, &r->map);
    for (int i = 0; i < 3 && status == TESS_OK; ++i) status = tess_host_quantile(to[i], &values, at[i], NULL);
    r->threshold = l->threshold;
    r->randomized_from = l->corrects ? l->maps.pixel_size / l->frequency : 0;
    r->n_voxels = values.shape.w;
    r->n_positions = l->n_chosen;
    r->box = l->side;
    tess_release(&values);
    return status;
}

static tess_status work(tess_local_resolution_result *r, locres *l, const tess_local_resolution_opts *o)
{
    TESS_TRY(tess__half_maps_need_volume(&l->maps));
    TESS_TRY(make_window(l, o));
    lay_nodes(l);
    TESS_TRY(check_memory(l));
    TESS_TRY(choose_nodes(l));
    TESS_TRY(read_maps(l));
    TESS_TRY(randomise(l));
    TESS_TRY(measure(l));
    TESS_TRY(interpolate(l, &r->map));
    return report(r, l);
}

static void release(locres *l)
{
    for (int k = 0; k < 2; ++k) tess_release(&l->map[k]), tess_release(&l->random[k]);
    tess_release(&l->window);
    tess_release(&l->nodes);
    tess_release(&l->inside);
    tess__free(l->chosen);
    tess__half_maps_close(&l->maps);
}

tess_status tess_local_resolution(tess_local_resolution_result *result, const tess_source *half1,
                                  const tess_source *half2, const tess_local_resolution_opts *opts,
                                  const tess_context *context)
{
    static const char          fn[] = "local_resolution";
    tess_local_resolution_opts o;
    tess_context               c;
    locres                     l = { .side = 0 };
    TESS__CALL_SCOPE();
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "half1", half1));
    TESS_TRY(tess__check_source(fn, "half2", half2));
    TESS_TRY(tess__resolve(&tess__job_local_resolution.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    TESS_CHECK(
        !o.no_correct || !(o.randomize_at > 0 || (opts && opts->randomize_at_fsc != 0)), TESS_EARG,
        "%s: `opts->randomize_at_fsc` and `opts->randomize_at` set the correction that `opts->no_correct` leaves "
        "out; give only one of them",
        fn);
    const tess__half_map_opts maps = { .mask = o.mask,
                                       .randomize_at_fsc = o.randomize_at_fsc,
                                       .randomize_at = o.randomize_at,
                                       .pixel_size = o.pixel_size };
    const tess_source *const  in[2] = { half1, half2 };
    tess_status               status = tess__half_maps_open(&l.maps, fn, in, &maps, &c);
    if (status == TESS_OK) status = work(result, &l, &o);
    release(&l);
    if (status != TESS_OK) tess_local_resolution_result_release(result);
    return status;
}

void tess_local_resolution_result_release(tess_local_resolution_result *result)
{
    if (!result) return;
    tess_release(&result->map);
    memset(result, 0, sizeof *result);
}
