/* Slices into the spectrum of a volume, spread or gathered: description, checks, requests. */
#include <inttypes.h>
#include <math.h>

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
#include "tessera/matrix.h"

#define FN "fourier_insert"

static const tess_arg_info args[] = {
    TESS__OUT("volume", "spectrum of the volume, {1,d,h,w}; any strides", .axes = "1,d,h,w"),
    TESS__OUT_OPTIONAL("weights", "sums of weights, real, in the shape of volume", .axes = "1,d,h,w"),
    TESS__IN("slices", "complex spectra of the slices, {n,1,h,w}", .sample = TESS__HALF_SPECTRUM, .axes = "n,1,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape of the slices"),
    TESS__IN("rotations", "rotations from slice to volume: {n,1,3,3}, or quaternions {n,1,1,4}", .sample = "b,1,1,4",
             .axes = "n,1,1,4|n,1,3,3"),
    TESS__AUTO_SHAPE(tess_fourier_insert_opts, volume_shape, "a cube of the larger of h and w",
                     "logical shape of volume"),
    TESS__AUTO_SHAPE(tess_fourier_insert_opts, target, "volume_shape",
                     "size by which frequencies are multiplied to give indices"),
    TESS__OPT_ARRAY(tess_fourier_insert_opts, slice_weights, const tess_array *,
                    "weight that each coefficient adds to weights, real, in the shape of slices", .axes = "n,1,h,w"),
    TESS__OPT_ARRAY(tess_fourier_insert_opts, scales, const tess_array *, "scale matrices of the slices, {n,1,2,2}",
                    .axes = "n,1,2,2"),
    TESS__OPT_F64(tess_fourier_insert_opts, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency that is added"),
    TESS__OPT_F64(tess_fourier_insert_opts, ewald_h, "1/pixel", 0, -DBL_MAX, DBL_MAX,
                  "radius of the Ewald sphere along h; 0: flat"),
    TESS__OPT_F64(tess_fourier_insert_opts, ewald_w, "1/pixel", 0, -DBL_MAX, DBL_MAX,
                  "radius of the Ewald sphere along w; 0: flat"),
    TESS__OPT_F64(tess_fourier_insert_opts, window, "cycles per pixel", 0, 0, 1,
                  "half width of a windowed sinc; 0: spread trilinearly"),
    TESS__OPT_F64(tess_fourier_insert_opts, sinc, "cycles per pixel", 0, 0, 1,
                  "first zero of the windowed sinc; 0: 1 / the smallest size of target"),
    TESS__OPT_CHOICE(tess_fourier_insert_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation within slices, with a window"),
    TESS__OPT_CHOICE(tess_fourier_insert_opts, from, TESS_FFT_H, tess__fft_layouts, "layout of the slices"),
    TESS__OPT_CHOICE(tess_fourier_insert_opts, to, 0, tess__fft_layouts, "layout of the volume; 0: that of slices"),
    TESS__FLAG(tess_fourier_insert_opts, add, "add to the values in volume and weights"),
};
TESS__CALL(fourier_insert, v[0].out, v[1].out, v[2].in, v[3].shape, v[4].in, opts)
const tess_function_info tess__info_fourier_insert =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_insert, "fourier_slices",
                  "Insert central slices into the spectrum of a volume.", args, tess_fourier_insert_opts);

/* A call, with its options resolved, and what was made for it. */
typedef struct insertion {
    tess_fourier_insert_opts o;
    tess__slice_sums         sums;          /* volume and weights */
    tess_shape               slices, shape; /* logical, of slices and volume */
    tess__slice_set          set;
    double                   target[3];
} insertion;

static tess_shape volume_shape(const insertion *n)
{
    const int64_t edge = n->slices.h > n->slices.w ? n->slices.h : n->slices.w;
    tess_shape    s = n->o.volume_shape;
    for (int k = 1; k < 4; k++)
        if (s.dim[k] == 0) s.dim[k] = edge;
    if (s.b == 0) s.b = 1;
    return s;
}

static tess_status spread(const insertion *n)
{
    const tess__slice_set *s = &n->set;
    tess__slice_spread     work = { .name = FN,
                                    .volume = *n->sums.arrays[0],
                                    .slices = *s->slices,
                                    .rotations = s->rotations,
                                    .inverses = s->inverses,
                                    .unscales = s->unscales,
                                    .scales = s->scales,
                                    .curve = { s->curve[0], s->curve[1] },
                                    .target = { n->target[0], n->target[1], n->target[2] },
                                    .cutoff = n->o.cutoff };
    if (n->sums.arrays[1]) work.weights = *n->sums.arrays[1];
    if (s->weights) work.slice_weights = *s->weights;
    tess__slice_axes(work.volume_n, work.volume_order, n->shape, n->o.to);
    tess__slice_axes(work.slice_n, work.slice_order, n->slices, n->o.from);
    TESS_TRY(tess__slice_spread_run(&work));
    return TESS_OK;
}

/* `work` has its window. */
static tess_status gather(const insertion *n, tess__slice_gather *work)
{
    work->out = *n->sums.arrays[0];
    for (int k = 0; k < 3; k++) work->out_size[k] = n->target[k];
    work->cutoff = n->o.cutoff;
    work->interp = n->o.interp;
    if (n->sums.arrays[1]) work->out_weights = *n->sums.arrays[1];
    TESS_TRY(tess__slice_gather_set(work, &n->set, n->slices, n->o.from));
    tess__slice_axes(work->out_n, work->out_order, n->shape, n->o.to);
    TESS_TRY(tess__slice_gather_run(work));
    return TESS_OK;
}

static tess_status run(insertion *n, const tess_array *rotations)
{
    const tess__fft_variant given = { "shape", n->slices, "opts->from", n->o.from, .any_b = false };
    tess__slice_gather      work = { .name = FN };
    TESS_TRY(tess__slice_set_take(&n->set, given, rotations, n->o.scales));
    n->shape = volume_shape(n);
    TESS_TRY(tess__slice_check_volume(FN, "opts->volume_shape", n->shape));
    TESS_TRY(tess__slice_target(n->target, FN, n->o.target, n->shape));
    if (n->o.window > 0)
        TESS_TRY(tess__slice_gather_window(&work, n->o.window, n->o.sinc,
                                           fmin(fmin(n->target[0], n->target[1]), n->target[2])));
    const tess__fft_variant form = { "opts->volume_shape", n->shape, "opts->to", n->o.to, .any_b = false };
    tess__reads(&n->sums.all, "rotations", rotations);
    tess__reads(&n->sums.all, "opts->scales", n->o.scales);
    TESS_TRY(tess__slice_outputs(&n->sums, form, &n->set));
    if (!tess__has_elements(n->sums.arrays[0]) || !tess__has_elements(n->set.slices)) return TESS_OK;
    if (n->o.window > 0) TESS_TRY(gather(n, &work));
    else TESS_TRY(spread(n));
    return TESS_OK;
}

tess_status tess_fourier_insert(tess_array *volume, tess_array *weights, const tess_array *slices, tess_shape shape,
                                const tess_array *rotations, const tess_fourier_insert_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    insertion n = { .sums = { .args = { "volume", "weights" }, .arrays = { volume, weights } }, .slices = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_insert, opts, &n.o));
    if (n.o.to == 0) n.o.to = n.o.from;
    n.sums.add = n.o.add;
    n.set = (tess__slice_set){ FN, slices, n.o.slice_weights, .radii = { n.o.ewald_h, n.o.ewald_w } };
    TESS_TRY(tess__check_pointer(FN, "volume", volume));
    TESS_TRY(tess__check_numbers(FN, "slices", slices));
    TESS_TRY(tess__check_array(FN, "rotations", rotations));
    const tess_status status = run(&n, rotations);
    tess__slice_set_end(&n.set);
    return tess__slice_sums_end(status, &n.sums, FN);
}
