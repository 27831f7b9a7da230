/* Masks with soft edges: of maps by a threshold and the distance from what is above it, of geometric shapes, and of
 * other masks. */
#include "tessera/jobs/make_mask.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/each_image.h"
#include "jobs/data/pixels.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/make_mask/joins.h"
#include "jobs/make_mask/shapes.h"
#include "jobs/run/table.h"
#include "tessera/distance.h"
#include "tessera/ewise.h"
#include "tessera/filter.h"
#include "tessera/meta.h"
#include "tessera/reduce.h"

static const char fn[] = "make_mask";

#define ANGSTROM "\xc3\x85"

enum { THRESHOLD, LEAST, MOST, VOXELS, FRACTION, COLUMNS };

static const tess_choice columns[] = {
    { "threshold", THRESHOLD, "threshold of the map; NaN for masks that are not made from a map" },
    { "least", LEAST, "minimum of the filtered map, or NaN" },
    { "most", MOST, "maximum of the filtered map, or NaN" },
    { "voxels", VOXELS, "number of voxels (or pixels) where the mask is above 0" },
    { "fraction", FRACTION, "voxels where the mask is above 0, as a fraction of all voxels" },
    { NULL, 0, NULL },
};

#define O tess_make_mask_opts
#define R tess_make_mask_result
static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(R, mask, "", "mask of each image or volume; with apply, the masked images"),
    TESS__RESULT_COLUMNS(R, statistics, columns, "one row per image or volume"),
    TESS__RESULT_F64(R, cutoff, "cycles per pixel", "cut-off of the low-pass filter; 0: no filter"),
    TESS__SOURCE("images", "images or volumes to make masks from"),
    TESS__AUTO_F64(O, threshold, "", "Otsu's threshold", -DBL_MAX, DBL_MAX,
                   "threshold of the map: minimum value inside the mask"),
    TESS__AUTO_F64(O, lowpass, ANGSTROM, "15", 0, DBL_MAX,
                   "resolution of the low-pass filter applied before the threshold; 0: no filter"),
    TESS__AUTO_F64(O, cutoff, "cycles per pixel", "by lowpass", 0, DBL_MAX,
                   "cut-off frequency of the low-pass filter, instead of lowpass"),
    TESS__FLAG(O, largest, "keep only the largest connected component"),
    TESS__OPT_F64(O, extend, "pixels", 0, -DBL_MAX, DBL_MAX, "distance to extend the mask by; negative: shrink it"),
    TESS__OPT_F64(O, soft, "pixels", 0, 0, DBL_MAX, "width of the raised-cosine soft edge around the mask"),
    TESS__OPT_ARRAY(O, sphere, const tess_array *, "radius of each sphere, or circle, in pixels"),
    TESS__OPT_ARRAY(O, box, const tess_array *, "edges of each box (z, y, x), or rectangle (y, x), in pixels"),
    TESS__OPT_ARRAY(O, cylinder, const tess_array *, "radius and length of each cylinder along z, in pixels"),
    TESS__OPT_ARRAY(O, shell, const tess_array *, "inner and outer radius of each shell, in pixels"),
    TESS__OPT_ARRAY(O, ellipsoid, const tess_array *, "semiaxes of each ellipsoid (z, y, x), or ellipse, in pixels"),
    TESS__OPT_ARRAY(O, centre, const tess_array *, "centre (z, y, x), or (y, x), of all shapes, in pixels"),
    TESS__OPT_SOURCE(O, use, "existing mask to use instead of making one"),
    TESS__FLAG(O, is_mask, "treat the images as masks, to join with others"),
    TESS__OPT_SOURCES(O, masks, "masks to join with this one"),
    TESS__OPT_TEXT(
        O, join, "operations in order: \"and\" and \"or\" use the next of masks, \"not\" inverts [\"and\" with each]"),
    TESS__FLAG(O, apply, "multiply the images by their masks"),
    TESS__OPT_F64(O, outside, "", 0, -DBL_MAX, DBL_MAX, "value where the mask is 0, with apply"),
    TESS__AUTO_F64(O, pixel_size, ANGSTROM, "that of the images", TESS__POSITIVE, DBL_MAX, "pixel size"),
    TESS__OPT_SINK(O, sink, "sink for the masks"),
};
#undef O
#undef R

TESS__JOB_RUN(make_mask, v[0].source)
const tess_job_info tess__job_make_mask =
    TESS__JOB(make_mask, "Make masks with soft edges from maps, shapes and other masks", args, tess_make_mask_opts,
              tess_make_mask_result);

/* Where a mask comes from. */
typedef enum origin { OF_MAP, OF_SHAPES, OF_FILE, OF_INPUT } origin;

typedef struct masking {
    const tess_context        *context;
    const tess_source         *in;
    const tess_make_mask_opts *o;
    origin                     from;
    tess__shapes               shapes;
    tess__mask_joins           joins;
    tess_meta                  meta;
    double                     cutoff, start, edge; /* of the filter, cycles per pixel; a start of 0: none */
    tess_metric                metric;
    tess__table_rows           rows; /* of the statistics */
} masking;

/* ---- Options ---- */

static tess_status find_origin(masking *m)
{
    const tess_make_mask_opts *o = m->o;
    const bool                 shapes = m->shapes.any, joins = o->masks || o->join;
    const bool map = !isnan(o->threshold) || !isnan(o->lowpass) || !isnan(o->cutoff) || o->largest || o->extend != 0;
    TESS_CHECK(!shapes || !map, TESS_EARG,
               "%s: a mask is made from shapes or from a map (`opts->threshold`, `opts->lowpass`, `opts->largest`, "
               "`opts->extend`), not both; make two masks and join them",
               fn);
    TESS_CHECK(!o->use || !(map || shapes || o->soft > 0), TESS_EARG,
               "%s: `opts->use` takes a mask unchanged; options that make a mask cannot be given with it", fn);
    TESS_CHECK(!o->is_mask || !(o->use || map || shapes || o->soft > 0), TESS_EARG,
               "%s: `opts->is_mask` treats the images as masks; options that make a mask cannot be given with it", fn);
    TESS_CHECK(!o->is_mask || joins, TESS_EARG, "%s: `opts->is_mask` requires `opts->masks` or `opts->join`", fn);
    TESS_CHECK(o->outside == 0 || o->apply, TESS_EARG, "%s: `opts->outside` requires `opts->apply`", fn);
    m->from = o->use ? OF_FILE : shapes ? OF_SHAPES : o->is_mask ? OF_INPUT : OF_MAP;
    return TESS_OK;
}

/* The cut-off of the low-pass filter, no more than Nyquist, and a raised cosine over 2 shells about it. */
static tess_status find_filter(masking *m)
{
    const tess_shape s = m->in->shape;
    const bool       volume = s.d > 1;
    const double     pixel_size = m->meta.pixel_size[2], lowpass = isnan(m->o->lowpass) ? 15 : m->o->lowpass;
    int64_t          side = s.h < s.w ? s.h : s.w;
    if (volume && s.d < side) side = s.d;
    if (m->from != OF_MAP || (isnan(m->o->cutoff) && lowpass == 0)) return TESS_OK;
    TESS_CHECK(isnan(m->o->lowpass) || isnan(m->o->cutoff), TESS_EARG,
               "%s: `opts->lowpass` and `opts->cutoff` are both given; give only one", fn);
    TESS_CHECK(!isnan(m->o->cutoff) || pixel_size > 0, TESS_EARG,
               "%s: %s is low-pass filtered to %g A first, but its pixel size is not known; give `opts->pixel_size`, "
               "or disable the filter with `opts->lowpass`",
               fn, m->in->name, lowpass);
    const double cutoff = isnan(m->o->cutoff) ? pixel_size / lowpass : m->o->cutoff;
    const double half = 1 / (double)side;
    m->cutoff = fmin(cutoff, tess_meta_highest_frequency(&m->meta, volume));
    m->edge = m->cutoff + half - fmax(m->cutoff - half, 0);
    m->start = fmax(m->cutoff - half, 1e-9);
    m->metric = tess_meta_metric(&m->meta, volume);
    return TESS_OK;
}

static tess_status check_options(masking *m)
{
    const double size = m->o->pixel_size;
    TESS_TRY(tess__need_real(fn, m->in));
    if (m->in->meta) m->meta = *m->in->meta;
    for (int k = 0; k < 3 && size > 0; k++) m->meta.pixel_size[k] = size;
    TESS_TRY(tess__shapes_open(&m->shapes, fn, m->o, m->in->shape));
    TESS_TRY(find_origin(m));
    TESS_TRY(find_filter(m));
    return tess__mask_joins_open(&m->joins, fn, m->in, m->o, m->context);
}

/* ---- Masks of maps ---- */

static tess_status find_threshold(const masking *m, const tess_array *map, double *threshold)
{
    tess_array thresholds = { 0 };
    *threshold = m->o->threshold;
    if (!isnan(*threshold)) return TESS_OK;
    TESS_TRY(tess_otsu(&thresholds, map, NULL));
    const tess_status status = tess_host_max(threshold, &thresholds);
    tess_release(&thresholds);
    return status;
}

/* Of one image or volume, in which all is finite. */
static tess_status mask_of_map(const masking *m, tess_array *mask, const tess_array *map, double *row)
{
    const tess_make_mask_opts  *o = m->o;
    const tess_mask_create_opts opts = { .extend = o->extend, .width = o->soft, .keep_largest = o->largest };
    double                      covered;
    TESS_TRY(tess_host_minmax(&row[LEAST], &row[MOST], map));
    TESS_CHECK(isfinite(row[LEAST]) && isfinite(row[MOST]), TESS_ERANGE,
               "%s: %s has NaN or infinite values; a mask can be made only from finite ones", fn, m->in->name);
    TESS_TRY(find_threshold(m, map, &row[THRESHOLD]));
    TESS_TRY(tess_mask_create(mask, map, row[THRESHOLD], &opts));
    TESS_TRY(tess_host_max(&covered, mask));
    if (covered == 0)
        tess__warn(m->context, "%s: the mask is empty: the values range from %.6g to %.6g, and the threshold is %.6g",
                   m->in->name, row[LEAST], row[MOST], row[THRESHOLD]);
    else if (row[LEAST] == row[MOST])
        tess__warn(m->context, "%s: all values are %.6g, so the mask covers everything", m->in->name, row[MOST]);
    return TESS_OK;
}

static tess_status masks_of_maps(const masking *m, tess_array *masks, const tess_array *maps, double *row)
{
    tess_array              filtered = { 0 };
    const tess_array       *from = maps;
    const tess_lowpass_opts opts = { .width = m->edge, .metric = m->metric };
    tess_status             status = TESS_OK;
    if (m->start > 0) {
        TESS_TRY(tess_lowpass_image(&filtered, maps, m->start, &opts));
        from = &filtered;
    }
    for (int64_t i = 0; i < maps->shape.b; i++) {
        tess_array map, mask;
        TESS_GOTO(done, status, tess_index(&map, from, 0, i));
        TESS_GOTO(done, status, tess_index(&mask, masks, 0, i));
        TESS_GOTO(done, status, mask_of_map(m, &mask, &map, row + i * COLUMNS));
    }
done:
    tess_release(&filtered);
    return status;
}

/* ---- All masks ---- */

/* Rows of n masks: *row is the first one. */
static tess_status add_rows(masking *m, double **row, int64_t n)
{
    static const double unknown[COLUMNS] = { NAN, NAN, NAN };
    for (int64_t i = 0; i < n; i++) TESS_TRY(tess__table_rows_add(&m->rows, fn, unknown));
    *row = m->rows.values + (m->rows.n - n) * COLUMNS;
    return TESS_OK;
}

static tess_status count_voxels(const tess_array *masks, double *row)
{
    for (int64_t i = 0; i < masks->shape.b; i++, row += COLUMNS) {
        tess_array mask;
        int64_t    n;
        TESS_TRY(tess_index(&mask, masks, 0, i));
        TESS_TRY(tess_host_count_nonzero(&n, &mask));
        row[VOXELS] = (double)n;
        row[FRACTION] = (double)n / (double)tess_n_elements(&mask);
    }
    return TESS_OK;
}

static tess_status make_masks(masking *m, tess_array *masks, const tess_array *in, int64_t first)
{
    double *row = NULL;
    TESS_TRY(add_rows(m, &row, masks->shape.b));
    if (m->from == OF_SHAPES) TESS_TRY(tess__shapes_draw(masks, &m->shapes));
    else if (m->from == OF_MAP) TESS_TRY(masks_of_maps(m, masks, in, row));
    else if (m->from == OF_INPUT) {
        TESS_TRY(tess__check_mask_values(fn, m->in->name, in));
        TESS_TRY(tess_cast(masks, in, TESS_F32, NULL));
    }
    TESS_TRY(tess__mask_joins_do(&m->joins, masks, first));
    return count_voxels(masks, row);
}

/* in m + outside (1 - m), and where m is 0 what lies outside, also instead of NaN. */
static tess_status apply_masks(tess_array *out, const tess_array *in, const tess_array *masks, double outside)
{
    tess_array  rest = { 0 }, covered = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_mul(out, in, masks));
    if (outside != 0) {
        TESS_GOTO(done, status, tess_sub(&rest, &tess_f32(1), masks));
        TESS_GOTO(done, status, tess_mul(&rest, &rest, &tess_num(outside)));
        TESS_GOTO(done, status, tess_add(out, out, &rest));
    }
    TESS_GOTO(done, status, tess_not_equal(&covered, masks, &tess_num(0)));
    TESS_GOTO(done, status, tess_where(out, &covered, out, &tess_num(outside)));
done:
    tess_release(&rest);
    tess_release(&covered);
    return status;
}

static tess_status mask_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    masking    *m = user;
    tess_array  masks = { 0 };
    tess_status status;
    if (tess_is_empty(in)) return TESS_OK;
    if (!m->o->apply) return make_masks(m, out, in, s->b);
    TESS_TRY(tess_empty(&masks, in->shape, TESS_F32, in->device));
    TESS_GOTO(done, status, make_masks(m, &masks, in, s->b));
    TESS_GOTO(done, status, apply_masks(out, in, &masks, m->o->outside));
done:
    tess_release(&masks);
    return status;
}

/* ---- The work ---- */

static tess_status work(tess_make_mask_result *r, masking *m)
{
    enum { OF_MAPS = 4, OF_MASKS = 3 }; /* the filtered map and its spectrum, or distances, components and the mask */
    const tess_shape s = m->in->shape;
    const bool       volumes = s.d > 1;
    TESS_TRY(check_options(m));
    const tess_dtype            dtype = tess__dtype_to_compute(m->in->dtype);
    const int64_t               plane = s.h * s.w * (int64_t)tess_dtype_size(dtype);
    const tess__each_image_plan plan = { .fn = fn,
                                         .source = m->in,
                                         .dtype = dtype,
                                         .out_dtype = m->o->apply ? dtype : TESS_F32,
                                         .volumes = volumes,
                                         .extra = (m->from == OF_MAP ? OF_MAPS : OF_MASKS) * plane,
                                         .taken = tess__mask_joins_bytes(&m->joins),
                                         .meta = &m->meta,
                                         .step = mask_slab,
                                         .user = m };
    TESS_TRY(tess__each_image(&plan, m->o->sink, &r->mask, m->context));
    r->cutoff = m->cutoff;
    return tess__table_rows_array(&r->statistics, &m->rows);
}

tess_status tess_make_mask(tess_make_mask_result *result, const tess_source *images, const tess_make_mask_opts *opts,
                           const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_make_mask_opts o;
    tess_context        c;
    masking             m = { .in = images, .o = &o, .context = &c, .rows = { .width = COLUMNS } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_make_mask.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &m);
    tess__shapes_close(&m.shapes);
    tess__mask_joins_close(&m.joins);
    tess__table_rows_free(&m.rows);
    if (status != TESS_OK) tess_make_mask_result_release(result);
    return status;
}

void tess_make_mask_result_release(tess_make_mask_result *result)
{
    if (!result) return;
    tess_release(&result->mask);
    tess_release(&result->statistics);
    memset(result, 0, sizeof *result);
}
