/* Symmetry of images and volumes: the mean over the rotations of a group, through matrices before and after. */
#include "tessera/symmetrize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "formulas/geometry/affine_sum.op.h"
#include "ops/geometry/symmetry/group_maps.h"
#include "ops/geometry/sampling/prefilter.h"
#include "ops/resize/resize.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the symmetrised images or volumes; any strides"),
    TESS__IN("in", "images {n,1,h,w} or volumes {n,d,h,w}"),
    TESS__NEED(TESS_ARG_TEXT, "name", "name of the group: C<n>, D<n>, T, O, I1 or I2; \"\" with matrices",
               .sample = "d3"),
    TESS__OPT_ARRAY(tess_symmetrize_opts, matrices, const tess_array *,
                    "custom group, instead of a name: {n,1,3,3} or {n,1,2,2}", .axes = "n,1,3,3|n,1,2,2"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_opts, before, TESS_ARG_PER_BATCH,
                            "matrices from symmetric coordinates to the input", .sample = "b,1,2,3", .axes = "B,1,r,c"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_opts, after, TESS_ARG_PER_BATCH,
                            "matrices from the output to symmetric coordinates", .sample = "b,1,2,3",
                            .axes = "B,1,r,c"),
    TESS__INTERP_ROW(tess_symmetrize_opts),
    TESS__OPT_CHOICE(tess_symmetrize_opts, border, TESS_BORDER_ZERO, tess__borders,
                     "extension of the array beyond its edges"),
    TESS__FLAG(tess_symmetrize_opts, sum, "compute the sum instead of the mean"),
    TESS__FLAG(tess_symmetrize_opts, prefilter, "with cubic_bspline: compute the spline coefficients of in first"),
    TESS__OPT_F64(tess_symmetrize_opts, value, "", 0, -INFINITY, INFINITY,
                  "value outside the array, with border value"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_d, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "offset of the centre from n/2 along d"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_h, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "offset of the centre from n/2 along h"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_w, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "offset of the centre from n/2 along w"),
};
TESS__CALL(symmetrize, v[0].out, v[1].in, v[2].text, opts)
const tess_function_info tess__info_symmetrize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, symmetrize, "symmetrize", "Symmetrise images or volumes by a point group.", args,
                  tess_symmetrize_opts);

static tess_status check_options(const char *fn, const tess_array *out, const tess_array *in,
                                 const tess_symmetrize_opts *o)
{
    char text[32];
    TESS_CHECK(o->border != TESS_BORDER_NOTHING, TESS_EARG,
               "%s: `opts->border` is \"nothing\"; a sum needs a value for what is outside", fn);
    TESS_TRY(tess__check_border(fn, out, o->border, o->value, 0));
    TESS_CHECK(o->shift_d == 0 || in->shape.d > 1, TESS_EARG, "%s: `opts->shift_d` is %s; it must be 0 for images", fn,
               tess__number_text(text, o->shift_d));
    TESS_TRY(tess__check_prefilter(fn, o->prefilter, o->interp));
    return TESS_OK;
}

static tess_status fill_maps(tess_array *maps, const tess__group_parts *p)
{
    for (int64_t i = 0; i < maps->shape.b * maps->shape.d; i++) {
        tess_mat34_f64 all;
        double        *map = (double *)maps->data + i * TESS__SUM_MAP;
        TESS_TRY(tess__group_map(&all, p, i / maps->shape.d, i % maps->shape.d));
        for (int axis = 0; axis < 3; axis++) {
            map[5 * axis] = all.at[4 * axis + 3];
            memcpy(map + 5 * axis + 2, all.at + 4 * axis, 3 * sizeof *map);
        }
    }
    return TESS_OK;
}

static tess_status run(const tess__group_parts *p, tess_array *out, const tess_array *in, const tess_symmetrize_opts *o)
{
    tess__affine_sum work = {
        .name = p->fn, .dims = p->dims, .count = 1, .interp = o->interp, .border = o->border, .outside = { o->value }
    };
    tess_array  maps = { .data = NULL };
    tess_status status = TESS_OK;
    work.divisor = o->sum ? 1 : (double)p->group.n;
    TESS_GOTO(done, status, tess__maps_new(&maps, p->fn, tess__group_batches(p, in->shape.b), p->group.n));
    TESS_GOTO(done, status, fill_maps(&maps, p));
    TESS_GOTO(done, status, tess__sum_run(&work, o->prefilter, out, in, &maps, NULL));
done:
    tess_release(&maps);
    return status;
}

static tess_status symmetrize(tess__group_parts *p, tess_array *out, const tess_array *in,
                              const tess_symmetrize_opts *o)
{
    const tess__group_given given = { o->matrices, o->before, o->after };
    const double            shift[3] = { o->shift_d, o->shift_h, o->shift_w };
    const bool              made = tess__is_empty_out(out);
    for (int k = 0; k < 3; k++) p->centre[k] = (double)(in->shape.dim[k + 1] / 2) + shift[k];
    TESS_TRY(tess__group_read(p, &given, in->shape.b));
    TESS_TRY(tess__sum_output(p->fn, out, in->shape, "in", in, false));
    TESS_TRY(tess__finish(run(p, out, in, o), out, made));
    return TESS_OK;
}

tess_status tess_symmetrize(tess_array *out, const tess_array *in, const char *name, const tess_symmetrize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_symmetrize_opts o;
    tess__group_parts    p = { .fn = "symmetrize", .name = name && name[0] ? name : NULL };
    TESS_TRY(tess__resolve(&tess__info_symmetrize, opts, &o));
    TESS_TRY(tess__check_pointer(p.fn, "out", out));
    TESS_TRY(tess__check_numbers(p.fn, "in", in));
    TESS_TRY(check_options(p.fn, out, in, &o));
    TESS_TRY(tess__check_apart(p.fn, "out", out, "opts->matrices", o.matrices));
    TESS_TRY(tess__check_apart(p.fn, "out", out, "opts->before", o.before));
    TESS_TRY(tess__check_apart(p.fn, "out", out, "opts->after", o.after));
    p.dims = in->shape.d > 1 ? 3 : 2;
    const tess_status status = tess__error_under(symmetrize(&p, out, in, &o), p.fn);
    tess__group_end(&p);
    return status;
}
