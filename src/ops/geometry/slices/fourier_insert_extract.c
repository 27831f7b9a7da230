/* Slices at other orientations, gathered from slices without a volume: description, checks, request. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/fourier_slices.h"

#define FN "fourier_insert_extract"
#define OPTS tess_fourier_insert_extract_opts
#define RADIUS(field, help) TESS__OPT_F64(OPTS, field, "1/pixel", 0, -DBL_MAX, DBL_MAX, help)

static const tess_arg_info args[] = {
    TESS__OUT("out", "spectra of the new slices, {m,1,h,w}; any strides", .axes = "m,1,h,w"),
    TESS__OUT_OPTIONAL("out_weights", "sums of weights, real, in the shape of out", .axes = "m,1,h,w"),
    TESS__IN("slices", "complex spectra of the given slices, {n,1,h,w}", .sample = TESS__HALF_SPECTRUM,
             .axes = "n,1,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape of the given slices"),
    TESS__IN("rotations", "rotations from slice to volume: {n,1,3,3}, or quaternions {n,1,1,4}", .sample = "b,1,1,4",
             .axes = "n,1,1,4|n,1,3,3"),
    TESS__IN("out_rotations", "rotations from new slice to volume, in the same form", .sample = "b,1,1,4",
             .axes = "m,1,1,4|m,1,3,3"),
    TESS__AUTO_SHAPE(OPTS, out_shape, "h and w of slices", "logical shape of out"),
    TESS__OPT_ARRAY(OPTS, slice_weights, const tess_array *,
                    "weight that each coefficient adds to out_weights, real, in the shape of slices",
                    .axes = "n,1,h,w"),
    TESS__OPT_ARRAY(OPTS, scales, const tess_array *, "scale matrices of the slices, {n,1,2,2}", .axes = "n,1,2,2"),
    TESS__OPT_ARRAY(OPTS, out_scales, const tess_array *, "scale matrices of the new slices, {m,1,2,2}",
                    .axes = "m,1,2,2"),
    TESS__OPT_F64(OPTS, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency kept in out"),
    RADIUS(ewald_h, "radius of the Ewald sphere along h; 0: flat"),
    RADIUS(ewald_w, "radius of the Ewald sphere along w; 0: flat"),
    RADIUS(out_ewald_h, "radius of the Ewald sphere of out along h; 0: flat"),
    RADIUS(out_ewald_w, "radius of the Ewald sphere of out along w; 0: flat"),
    TESS__OPT_F64(OPTS, window, "cycles per pixel", 0, 0, 1,
                  "half width of the windowed sinc; 0: 1 / the smaller of h and w"),
    TESS__OPT_F64(OPTS, sinc, "cycles per pixel", 0, 0, 1,
                  "first zero of the windowed sinc; 0: 1 / the smaller of h and w"),
    TESS__OPT_CHOICE(OPTS, interp, TESS_INTERP_LINEAR, tess__interps, "interpolation within slices"),
    TESS__OPT_CHOICE(OPTS, from, TESS_FFT_H, tess__fft_layouts, "layout of the slices"),
    TESS__OPT_CHOICE(OPTS, to, 0, tess__fft_layouts, "layout of out; 0: that of slices"),
    TESS__FLAG(OPTS, divide, "divide each coefficient by its weight where that exceeds 1"),
    TESS__FLAG(OPTS, add, "add to the values in out and out_weights"),
};
TESS__CALL(fourier_insert_extract, v[0].out, v[1].out, v[2].in, v[3].shape, v[4].in, v[5].in, opts)
const tess_function_info tess__info_fourier_insert_extract =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_insert_extract, "fourier_slices",
                  "Compute slices at other orientations without a volume.", args, OPTS);

/* A call, with its options resolved, and what was made for it. */
typedef struct passage {
    OPTS             o;
    tess__slice_sums sums;          /* out and out_weights */
    tess_shape       slices, shape; /* logical, of slices and out */
    tess__slice_set  set;
    tess_array       rotations, scales, unscales; /* of out */
} passage;

static tess_status take_shape(passage *p, const tess_array *out_rotations)
{
    int64_t    n;
    tess_shape s = p->o.out_shape;
    TESS_TRY(tess__slice_count(&n, FN, out_rotations));
    const tess_shape like = TESS_SHAPE(n, 1, p->slices.h, p->slices.w);
    for (int k = 0; k < 4; k++)
        if (s.dim[k] == 0) s.dim[k] = like.dim[k];
    TESS_TRY(tess__slice_check_images(FN, "opts->out_shape", s));
    p->shape = s;
    return TESS_OK;
}

/* The window, which is that of one sample by default. */
static tess_status take_window(tess__slice_gather *work, const passage *p)
{
    const int64_t least = p->slices.h < p->slices.w ? p->slices.h : p->slices.w;
    const double  one = 1 / (double)(least > 1 ? least : 1);
    TESS_TRY(tess__slice_gather_window(work, p->o.window == 0 ? one : p->o.window, p->o.sinc, (double)least));
    return TESS_OK;
}

/* `work` has its window. */
static tess_status gather(const passage *p, tess__slice_gather *work)
{
    work->out = *p->sums.arrays[0];
    work->out_rotations = p->rotations;
    work->out_unscales = p->unscales;
    work->out_curve[0] = tess__slice_curve(p->o.out_ewald_h);
    work->out_curve[1] = tess__slice_curve(p->o.out_ewald_w);
    work->cutoff = p->o.cutoff;
    work->interp = p->o.interp;
    work->divide = p->o.divide;
    if (p->sums.arrays[1]) work->out_weights = *p->sums.arrays[1];
    TESS_TRY(tess__slice_gather_set(work, &p->set, p->slices, p->o.from));
    tess__slice_axes(work->out_n, work->out_order, p->shape, p->o.to);
    for (int k = 0; k < 3; k++) work->out_size[k] = (double)work->out_n[k];
    TESS_TRY(tess__slice_gather_run(work));
    return TESS_OK;
}

static tess_status run(passage *p, const tess_array *rotations, const tess_array *out_rotations)
{
    const tess__fft_variant given = { "shape", p->slices, "opts->from", p->o.from, .any_b = false };
    tess__slice_gather      work = { .name = FN };
    TESS_TRY(tess__slice_set_take(&p->set, given, rotations, p->o.scales));
    TESS_TRY(take_shape(p, out_rotations));
    const tess__slice_parts turned = { FN, "out_rotations", out_rotations, "slices of out", p->shape.b };
    const tess__slice_parts scaled = { FN, "opts->out_scales", p->o.out_scales, "slices of out", p->shape.b };
    TESS_TRY(tess__check_device_of(FN, "slices", p->set.slices, "out_rotations", out_rotations));
    TESS_TRY(tess__slice_rotations(&p->rotations, &turned));
    TESS_TRY(tess__slice_scales(&p->scales, &p->unscales, &scaled, "slices", p->set.slices));
    TESS_TRY(take_window(&work, p));
    const tess__fft_variant form = { "opts->out_shape", p->shape, "opts->to", p->o.to, .any_b = false };
    tess__reads(&p->sums.all, "rotations", rotations);
    tess__reads(&p->sums.all, "out_rotations", out_rotations);
    tess__reads(&p->sums.all, "opts->scales", p->o.scales);
    tess__reads(&p->sums.all, "opts->out_scales", p->o.out_scales);
    TESS_TRY(tess__slice_outputs(&p->sums, form, &p->set));
    if (!tess__has_elements(p->sums.arrays[0]) || !tess__has_elements(p->set.slices)) return TESS_OK;
    TESS_TRY(gather(p, &work));
    return TESS_OK;
}

tess_status tess_fourier_insert_extract(tess_array *out, tess_array *out_weights, const tess_array *slices,
                                        tess_shape shape, const tess_array *rotations, const tess_array *out_rotations,
                                        const tess_fourier_insert_extract_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    passage p = { .sums = { .args = { "out", "out_weights" }, .arrays = { out, out_weights } }, .slices = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_insert_extract, opts, &p.o));
    if (p.o.to == 0) p.o.to = p.o.from;
    p.sums.add = p.o.add;
    p.set = (tess__slice_set){ FN, slices, p.o.slice_weights, .radii = { p.o.ewald_h, p.o.ewald_w } };
    TESS_TRY(tess__check_pointer(FN, "out", out));
    TESS_TRY(tess__check_numbers(FN, "slices", slices));
    TESS_TRY(tess__check_array(FN, "rotations", rotations));
    TESS_TRY(tess__check_array(FN, "out_rotations", out_rotations));
    const tess_status status = run(&p, rotations, out_rotations);
    tess__slice_set_end(&p.set);
    tess_release(&p.rotations);
    tess_release(&p.scales);
    tess_release(&p.unscales);
    return tess__slice_sums_end(status, &p.sums, FN);
}
