/* Projections in real space, forward and backward: descriptions, checks, requests. */
#include "tessera/project.h"

#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/prefilter.h"
#include "ops/geometry/project/rays.h"
#include "tessera/border.h"
#include "tessera/ewise.h"

/* ---- Descriptions ---- */

#define PROJECT_ROWS                                                                                                   \
    TESS__INTERP_ROW(tess_project_opts), TESS__FLAG(tess_project_opts, add, "add to the values in out"),               \
        TESS__FLAG(tess_project_opts, centred, "matrices act about the centres of image and volume"),                  \
        TESS__FLAG(tess_project_opts, adjoint, "compute the transpose of backproject, with its matrices"),             \
        TESS__AUTO_I64(tess_project_opts, window, "samples", "automatic", 1, 1 << 24,                                  \
                       "number of samples per ray, odd"),                                                              \
        TESS__OPT_SHAPE(tess_project_opts, shape, "shape of the result"),                                              \
        TESS__FLAG(tess_project_opts, prefilter, "with cubic_bspline: compute the spline coefficients first")
static const tess_arg_info project_args[] = {
    TESS__OUT("out", "images {n,1,h,w}; any strides", .axes = "n,1,h,w"),
    TESS__IN("volume", "{1,d,h,w}", .sample = "1,3,h,w", .axes = "1,d,h,w"),
    TESS__IN("matrices", "matrices from image to volume: {n,1,3,3}, {n,1,3,4} or {n,1,4,4}", .sample = "b,1,3,3",
             .axes = "n,1,r,c"),
    PROJECT_ROWS,
};
static const tess_arg_info window_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "samples", "number of samples per ray"),
    TESS__IN("matrices", "matrices from image to volume: {n,1,3,3}, {n,1,3,4} or {n,1,4,4}", .sample = "b,1,3,3",
             .axes = "n,1,r,c"),
    TESS__NEED_SHAPE("volume", "shape of the volume", .sample = "1,3,h,w"),
    PROJECT_ROWS,
};
static const tess_arg_info backproject_args[] = {
    TESS__OUT("out", "a volume {1,d,h,w}; any strides", .axes = "1,d,h,w"),
    TESS__IN("images", "{n,1,h,w}", .axes = "n,1,h,w"),
    TESS__IN("matrices", "matrices from volume to image: {n,1,2,4}, {n,1,3,4}, {n,1,4,4}, {n,1,2,3} or {n,1,3,3}",
             .sample = "b,1,3,3", .axes = "n,1,r,c"),
    TESS__INTERP_ROW(tess_backproject_opts),
    TESS__FLAG(tess_backproject_opts, add, "add to the values in out"),
    TESS__FLAG(tess_backproject_opts, centred, "matrices act about the centres of image and volume"),
    TESS__FLAG(tess_backproject_opts, prefilter, "with cubic_bspline: compute the spline coefficients first"),
    TESS__OPT_SHAPE(tess_backproject_opts, shape, "shape of the result"),
};
static const tess_arg_info both_args[] = {
    TESS__OUT("out", "images {m,1,h,w}; any strides", .axes = "m,1,h,w"),
    TESS__IN("images", "{n,1,h,w}", .axes = "n,1,h,w"),
    TESS__IN("backward", "matrices from volume to image, one per image", .sample = "b,1,3,3", .axes = "n,1,r,c"),
    TESS__IN("forward", "matrices from image to volume, one per result", .sample = "b,1,3,3", .axes = "m,1,r,c"),
    TESS__NEED_SHAPE("volume", "shape of the intermediate volume", .sample = "1,3,h,w"),
    PROJECT_ROWS,
};
TESS__CALL(project, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_project =
    TESS__OP_OPTS(TESS_CUT_NONE, project, "project", "Project a volume: sums along rays in real space.", project_args,
                  tess_project_opts);
static tess_status call_project_window(const tess_value *v, const void *opts)
{
    int64_t window = 0;
    TESS_TRY(tess_project_window(&window, v[1].in, v[2].shape, opts));
    *(double *)v[0].result = (double)window;
    return TESS_OK;
}
const tess_function_info tess__info_project_window =
    TESS__OP_OPTS(TESS_CUT_NONE, project_window, "project", "Number of samples that the rays of project need.",
                  window_args, tess_project_opts);
TESS__CALL(backproject, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_backproject =
    TESS__OP_OPTS(TESS_CUT_NONE, backproject, "project", "Back-project images: each is spread along its rays.",
                  backproject_args, tess_backproject_opts);
TESS__CALL(backproject_project, v[0].out, v[1].in, v[2].in, v[3].in, v[4].shape, opts)
const tess_function_info tess__info_backproject_project =
    TESS__OP_OPTS(TESS_CUT_NONE, backproject_project, "project",
                  "Project the back-projection of images, without the volume.", both_args, tess_project_opts);

/* ---- Checks ---- */

static tess_status check_volume(const char *fn, const char *arg, tess_shape shape)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_shape(fn, arg, shape, TESS_F64));
    TESS_CHECK(shape.b == 1, TESS_ESHAPE, "%s: `%s` has shape %s; a single volume {1,d,h,w} is needed", fn, arg,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

static tess_status check_images(const char *fn, const char *arg, tess_shape shape, int64_t n)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "%s: `%s` has shape %s; images {n,1,h,w} are needed", fn, arg,
               tess__shape_text(text, shape.dim));
    TESS_CHECK(shape.b == n, TESS_ESHAPE,
               "%s: `%s` has shape %s and there are %" PRId64 " matrices; one image per matrix is needed", fn, arg,
               tess__shape_text(text, shape.dim), n);
    return TESS_OK;
}

/* The shape of resulting images: the output's, or that of the options, in which 0 is as in another shape. */
static tess_status image_shape(tess_shape *shape, const char *fn, const tess_array *out, tess_shape wanted,
                               tess_shape other, int64_t n)
{
    *shape = out->shape;
    if (tess__is_empty_out(out)) {
        *shape = TESS_SHAPE(wanted.b ? wanted.b : n, wanted.d ? wanted.d : 1, wanted.h ? wanted.h : other.h,
                            wanted.w ? wanted.w : other.w);
        TESS_TRY(tess__check_shape(fn, "opts->shape", *shape, TESS_F64));
    }
    return check_images(fn, tess__is_empty_out(out) ? "the result" : "out", *shape, n);
}

/* The samples of rays: those that are needed, or that the options want. */
static tess_status set_samples(tess__affine_sum *work, int64_t needed, int64_t wanted)
{
    TESS_CHECK(wanted == 0 || wanted % 2 == 1, TESS_ERANGE,
               "%s: `opts->window` is %" PRId64 "; it must be odd, or 0 for automatic", work->name, wanted);
    work->count = wanted ? wanted : needed;
    work->first = -(work->count / 2);
    return TESS_OK;
}

static tess__affine_sum new_work(const char *fn, int dims, int32_t interp, bool add)
{
    return (tess__affine_sum){
        .name = fn, .dims = dims, .interp = interp, .border = TESS_BORDER_ZERO, .add = add, .divisor = 1, .count = 1
    };
}

/* ---- Forward ---- */

/* By footprints of voxels. */
static tess_status project_voxels(tess_array *out, const tess_array *volume, const tess__matrices *m,
                                  const tess__ray_shapes *s, bool add)
{
    tess__footprint work = { .name = s->fn, .interp = s->interp, .add = add };
    tess_array      maps = { .data = NULL };
    tess_status     status = TESS_OK;
    TESS_GOTO(done, status, tess__voxel_maps(&maps, m, s, true));
    TESS_GOTO(done, status, tess__check_views(&maps, s->fn, "matrices"));
    TESS_GOTO(done, status, tess__footprint_hand_on(&work, out, volume, &maps));
done:
    tess_release(&maps);
    return status;
}

/* The prefilter without coefficients outside is a symmetric matrix, so the transpose has it last. */
static tess_status project_voxels_prefiltered(tess_array *out, const tess_array *volume, const tess__matrices *m,
                                              const tess__ray_shapes *s, bool add)
{
    const tess__prefilter zero = { .name = s->fn, .border = TESS_BORDER_ZERO };
    tess_array            images = { .data = NULL };
    tess_status           status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__make(s->fn, &images, out->shape, out->dtype, out->device, false));
    TESS_GOTO(done, status, project_voxels(&images, volume, m, s, false));
    TESS_GOTO(done, status, tess__prefilter_axes(&zero, &images, &images, 2));
    TESS_GOTO(done, status, add ? tess_add(out, out, &images) : tess_copy(out, &images));
done:
    tess_release(&images);
    return status;
}

static tess_status project_rays(tess_array *out, const tess_array *volume, const tess__matrices *m,
                                const tess__ray_shapes *s, const tess_project_opts *o)
{
    tess__affine_sum work = new_work(s->fn, 3, s->interp, o->add);
    tess_array       maps = { .data = NULL };
    tess_status      status = TESS_OK;
    int64_t          needed = 1;
    TESS_GOTO(done, status, tess__ray_maps(&maps, &needed, m, "matrices", s));
    TESS_GOTO(done, status, set_samples(&work, needed, o->window));
    TESS_GOTO(done, status, tess__sum_run(&work, o->prefilter, out, volume, &maps, NULL));
done:
    tess_release(&maps);
    return status;
}

static tess_status project(tess_array *out, const tess_array *volume, const tess__matrices *m,
                           const tess_project_opts *o)
{
    tess__ray_shapes s = { .fn = "project", .centred = o->centred, .interp = o->interp, .volume = volume->shape };
    const bool       made = tess__is_empty_out(out);
    TESS_TRY(image_shape(&s.image, s.fn, out, o->shape, volume->shape, m->n));
    TESS_TRY(tess__sum_output(s.fn, out, s.image, "volume", volume, o->add));
    tess_status status;
    if (!o->adjoint) status = project_rays(out, volume, m, &s, o);
    else if (o->prefilter) status = project_voxels_prefiltered(out, volume, m, &s, o->add);
    else status = project_voxels(out, volume, m, &s, o->add);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

tess_status tess_project(tess_array *out, const tess_array *volume, const tess_array *matrices,
                         const tess_project_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "project";
    tess_project_opts o;
    tess__matrices    m = { .list = { .data = NULL } };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_project, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "volume", volume));
    TESS_TRY(check_volume(fn, "volume", volume->shape));
    TESS_TRY(tess__check_prefilter(fn, o.prefilter, o.interp));
    TESS_CHECK(!o.adjoint || o.window == 0, TESS_EARG,
               "%s: `opts->window` is %" PRId64 " and `opts->adjoint` is 1, which has no rays; the window must be 0",
               fn, o.window);
    TESS_TRY(tess__check_apart(fn, "out", out, "matrices", matrices));
    TESS_GOTO(done, status,
              tess__matrices_read(&m, fn, "matrices", matrices, o.adjoint ? TESS__VOXEL_SIZES : TESS__RAY_SIZES));
    TESS_GOTO(done, status, project(out, volume, &m, &o));
done:
    tess_release(&m.list);
    return status;
}

tess_status tess_project_window(int64_t *samples, const tess_array *matrices, tess_shape volume,
                                const tess_project_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "project_window";
    tess_project_opts o;
    tess__matrices    m = { .list = { .data = NULL } };
    tess_array        maps = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_project_window, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "samples", samples));
    TESS_TRY(check_volume(fn, "volume", volume));
    TESS_CHECK(!o.adjoint, TESS_EARG, "%s: `opts->adjoint` is 1, which has no rays; it must be 0", fn);
    const tess__ray_shapes s = { .fn = fn, .interp = o.interp, .volume = volume, .image = volume };
    TESS_GOTO(done, status, tess__matrices_read(&m, fn, "matrices", matrices, TESS__RAY_SIZES));
    TESS_GOTO(done, status, tess__ray_maps(&maps, samples, &m, "matrices", &s));
done:
    tess_release(&m.list);
    tess_release(&maps);
    return status;
}

/* ---- Backward ---- */

static tess_shape volume_shape(const tess_array *out, const tess_array *images, tess_shape wanted)
{
    if (!tess__is_empty_out(out)) return out->shape;
    return TESS_SHAPE(wanted.b ? wanted.b : 1, wanted.d ? wanted.d : images->shape.w,
                      wanted.h ? wanted.h : images->shape.h, wanted.w ? wanted.w : images->shape.w);
}

static tess_status backproject(tess_array *out, const tess_array *images, const tess__matrices *m,
                               const tess_backproject_opts *o)
{
    const char      *fn = "backproject";
    tess__affine_sum work = new_work(fn, 2, o->interp, o->add);
    tess_array       maps = { .data = NULL };
    const bool       made = tess__is_empty_out(out);
    tess__ray_shapes s = { .fn = fn, .centred = o->centred, .interp = o->interp, .image = images->shape };
    work.of_terms = true;
    s.volume = volume_shape(out, images, o->shape);
    TESS_TRY(check_images(fn, "images", images->shape, m->n));
    TESS_TRY(check_volume(fn, made ? "opts->shape" : "out", s.volume));
    TESS_TRY(tess__sum_output(fn, out, s.volume, "images", images, o->add));
    tess_status status = tess__voxel_maps(&maps, m, &s, false);
    if (status == TESS_OK) status = tess__sum_run(&work, o->prefilter, out, images, &maps, NULL);
    tess_release(&maps);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

tess_status tess_backproject(tess_array *out, const tess_array *images, const tess_array *matrices,
                             const tess_backproject_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char           *fn = "backproject";
    tess_backproject_opts o;
    tess__matrices        m = { .list = { .data = NULL } };
    tess_status           status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_backproject, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "images", images));
    TESS_TRY(tess__check_prefilter(fn, o.prefilter, o.interp));
    TESS_TRY(tess__check_apart(fn, "out", out, "matrices", matrices));
    TESS_GOTO(done, status, tess__matrices_read(&m, fn, "matrices", matrices, TESS__VOXEL_SIZES));
    TESS_GOTO(done, status, backproject(out, images, &m, &o));
done:
    tess_release(&m.list);
    return status;
}

/* ---- Both ---- */

/* What the fused form works with. */
typedef struct both {
    tess__matrices   backward, forward;
    tess__ray_shapes from, to; /* from images to the volume, and to the results */
    tess_array       maps, rays;
} both;

static tess_status run_both(both *a, const tess_array *out, const tess_array *images, const tess_project_opts *o)
{
    tess__affine_sum work = new_work(a->to.fn, 2, o->interp, o->add);
    int64_t          needed = 1;
    work.of_terms = true;
    for (int k = 0; k < 3; k++) work.volume[k] = (double)a->to.volume.dim[k + 1];
    TESS_TRY(tess__voxel_maps(&a->maps, &a->backward, &a->from, false));
    TESS_TRY(tess__ray_maps(&a->rays, &needed, &a->forward, "forward", &a->to));
    TESS_TRY(set_samples(&work, needed, o->window));
    TESS_TRY(tess__sum_run(&work, o->prefilter, out, images, &a->maps, &a->rays));
    return TESS_OK;
}

static tess_status backproject_project(both *a, tess_array *out, const tess_array *images, const tess_project_opts *o)
{
    const char *fn = a->to.fn;
    const bool  made = tess__is_empty_out(out);
    a->from.image = images->shape;
    TESS_TRY(check_images(fn, "images", images->shape, a->backward.n));
    TESS_TRY(image_shape(&a->to.image, fn, out, o->shape, images->shape, a->forward.n));
    TESS_TRY(tess__sum_output(fn, out, a->to.image, "images", images, o->add));
    TESS_TRY(tess__finish(run_both(a, out, images, o), out, made));
    return TESS_OK;
}

tess_status tess_backproject_project(tess_array *out, const tess_array *images, const tess_array *backward,
                                     const tess_array *forward, tess_shape volume, const tess_project_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "backproject_project";
    tess_project_opts o;
    both              a = { .maps = { .data = NULL } };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_backproject_project, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "images", images));
    TESS_TRY(tess__check_apart(fn, "out", out, "backward", backward));
    TESS_TRY(tess__check_apart(fn, "out", out, "forward", forward));
    TESS_TRY(check_volume(fn, "volume", volume));
    TESS_CHECK(!o.adjoint, TESS_EARG, "%s: `opts->adjoint` is 1; it must be 0", fn);
    TESS_TRY(tess__check_prefilter(fn, o.prefilter, o.interp));
    a.from = a.to = (tess__ray_shapes){ .fn = fn, .centred = o.centred, .volume = volume };
    /* The volume is not interpolated: rays need no more than the element beyond it. */
    a.to.interp = TESS_INTERP_LINEAR;
    TESS_GOTO(done, status, tess__matrices_read(&a.backward, fn, "backward", backward, TESS__VOXEL_SIZES));
    TESS_GOTO(done, status, tess__matrices_read(&a.forward, fn, "forward", forward, TESS__RAY_SIZES));
    TESS_GOTO(done, status, backproject_project(&a, out, images, &o));
done:
    tess_release(&a.backward.list);
    tess_release(&a.forward.list);
    tess_release(&a.maps);
    tess_release(&a.rays);
    return status;
}
