/* Reconstruction by central slices: images into the padded spectrum of a volume, with CTF, symmetry and the Ewald
 * sphere. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/geometry/slices/fourier_project.h"
#include "ops/geometry/slices/slices.h"
#include "ops/op/library.h"
#include "ops/geometry/symmetry/symmetry.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/linalg.h"
#include "tessera/scalar.h"
#include "tessera/symmetry.h"

#define FN "fourier_backproject"

static const tess_arg_info args[] = {
    TESS__OUT("volume", "spectrum of the volume, {1,p,p,p/2+1}; p is padding times s", .axes = "1,d,h,w"),
    TESS__OUT("weights", "sums of weights, real, in the shape of volume", .axes = "1,d,h,w"),
    TESS__IN("images", "square real images {n,1,s,s}", .sample = "b,1,4,4", .axes = "n,1,h,w"),
    TESS__IN("rotations", "rotations from image to volume: {n,1,3,3}, or quaternions {n,1,1,4}", .sample = "b,1,1,4",
             .axes = "n,1,1,4|n,1,3,3"),
    TESS__OPT_ARRAY(tess_fourier_backproject_opts, ctfs, const tess_array *, "CTFs of the images, {1 or n,1,1,m}",
                    .axes = "n,1,1,m"),
    TESS__OPT_ARRAY(tess_fourier_backproject_opts, shifts, const tess_array *,
                    "shifts (h, w) applied to the images first, {1 or n,1,1,2}, pixels", .axes = "n,1,1,2"),
    TESS__OPT_ARRAY(tess_fourier_backproject_opts, image_weights, const tess_array *,
                    "weight of each image, {1 or n,1,1,1}", .axes = "n,1,1,1"),
    TESS__OPT_TEXT(tess_fourier_backproject_opts, sym, "symmetry of the volume: c4, d2, t, o, i1, i2 [c1]"),
    TESS__OPT_F64(tess_fourier_backproject_opts, cutoff, "cycles per pixel", 0.5, 0, 10,
                  "highest frequency that is added"),
    TESS__OPT_F64(tess_fourier_backproject_opts, ewald, "1/pixel", 0, -DBL_MAX, DBL_MAX,
                  "radius of the Ewald sphere; negative: opposite curvature"),
    TESS__AUTO_F64(tess_fourier_backproject_opts, diameter, "pixels", "size of the images", TESS__POSITIVE, DBL_MAX,
                   "diameter of the particle, used with ewald"),
    TESS__OPT_I32(tess_fourier_backproject_opts, padding, "", 2, 1, 8, "padding factor of the volume"),
    TESS__FLAG(tess_fourier_backproject_opts, add, "add to the values in volume and weights"),
};
TESS__CALL(fourier_backproject, v[0].out, v[1].out, v[2].in, v[3].in, opts)
const tess_function_info tess__info_fourier_backproject =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_backproject, "fourier_project",
                  "Back-project images into the spectrum of a volume.", args, tess_fourier_backproject_opts);

/* Copies of slices that are made at a time where there is a symmetry, about. */
enum { COPIES = 64 };

/* A call, and what was made for it. Slices are spectra of images whose centre is at index 0. */
typedef struct backprojection {
    tess_fourier_backproject_opts o;
    tess_array                   *volume, *weights;
    bool                         *has_sums;  /* do they hold sums? The first slices clear them if not */
    tess_shape                    shape;     /* of the images */
    int64_t                       padded;    /* side of the volume */
    tess_array                    rotations; /* f64 {n,1,3,3} */
    tess_array                    mates;     /* f64 {1,m,3,3}; no data: the identity alone */
    tess_array                    counts;    /* the weights of images, on their device; no data: 1 */
} backprojection;

/* ---- Slices into the volume ---- */

static tess_status insert(const backprojection *p, const tess_array *slices, const tess_array *squares,
                          const tess_array *rotations, double ewald)
{
    tess_shape shape = p->shape;
    shape.b = slices->shape.b;
    TESS_TRY(tess_fourier_insert(p->volume, p->weights, slices, shape, rotations,
                                 &(tess_fourier_insert_opts){
                                     .volume_shape = TESS_SHAPE(1, p->padded, p->padded, p->padded),
                                     .slice_weights = squares,
                                     .cutoff = tess_given(p->o.cutoff),
                                     .ewald_h = ewald,
                                     .ewald_w = ewald,
                                     .add = *p->has_sums,
                                 }));
    *p->has_sums = true;
    return TESS_OK;
}

/* Each element n times, {k,1,h,w} to {k n,1,h,w}; what has no data, or is one for all, stays as it is. */
static tess_status repeat(tess_array *out, const tess_array *in, int64_t n, int64_t k)
{
    const tess_shape s = in->shape;
    tess_array       view;
    TESS_TRY(tess_broadcast(&view, in, TESS_SHAPE(k, n, s.h, s.w)));
    TESS_TRY(tess_empty(out, TESS_SHAPE(k, n, s.h, s.w), in->dtype, in->device));
    TESS_TRY(tess_copy(out, &view));
    TESS_TRY(tess_reshape(out, out, TESS_SHAPE(k * n, 1, s.h, s.w)));
    return TESS_OK;
}

/* Some slices at the orientations of all mates: image by image, so that sums do not depend on how many there are. */
static tess_status insert_mates(const backprojection *p, const tess_array *slices, const tess_array *squares,
                                const tess_array *rotations, double ewald)
{
    const int64_t n = p->mates.shape.d, k = slices->shape.b;
    tess_array    all = { .data = NULL }, weights = { .data = NULL }, turned = { .data = NULL }, list;
    tess_status   status = TESS_OK;
    TESS_GOTO(done, status, repeat(&all, slices, n, k));
    if (squares) TESS_GOTO(done, status, repeat(&weights, squares, n, k));
    TESS_GOTO(done, status, tess_matmul(&turned, &p->mates, rotations, NULL));
    TESS_GOTO(done, status, tess_reshape(&list, &turned, TESS_SHAPE(k * n, 1, 3, 3)));
    TESS_GOTO(done, status, insert(p, &all, squares ? &weights : NULL, &list, ewald));
done:
    tess_release(&all);
    tess_release(&weights);
    tess_release(&turned);
    return status;
}

/* Elements first to first + n of a batch; one for all stays as it is, NULL stays NULL. */
static tess_status part_of(tess_array *part, const tess_array **in, int64_t first, int64_t n)
{
    if (!*in || (*in)->shape.b == 1) return TESS_OK;
    TESS_TRY(tess_slice(part, *in, 0, first, first + n, 1));
    *in = part;
    return TESS_OK;
}

static tess_status insert_some(const backprojection *p, const tess_array *slices, const tess_array *squares,
                               int64_t first, double ewald)
{
    tess_array    rotations;
    const int64_t n = slices->shape.b;
    TESS_TRY(tess_slice(&rotations, &p->rotations, 0, first, first + n, 1));
    if (!p->mates.data) return insert(p, slices, squares, &rotations, ewald);
    const int64_t group = tess__max(COPIES / p->mates.shape.d, (int64_t)1);
    for (int64_t i = 0; i < n; i += group) {
        const int64_t     k = tess__min(group, n - i);
        const tess_array *s = slices, *w = squares;
        tess_array        parts[3];
        TESS_TRY(tess_slice(&parts[0], s, 0, i, i + k, 1));
        TESS_TRY(part_of(&parts[1], &w, i, k));
        TESS_TRY(tess_slice(&parts[2], &rotations, 0, i, i + k, 1));
        TESS_TRY(insert_mates(p, &parts[0], w, &parts[2], ewald));
    }
    return TESS_OK;
}

/* ---- Flat slices ---- */

/* Slices times CTF, and CTF^2; both times the weights of images. `squares` stays zeroed where it is 1. */
static tess_status weigh(const backprojection *p, tess_array *slices, tess_array *squares)
{
    const tess_array *ctfs = p->o.ctfs, *each = p->o.image_weights;
    const tess_shape  half = slices->shape;
    const tess_dtype  real = tess_dtype_real(slices->dtype);
    if (ctfs) {
        const tess_shape rows = TESS_SHAPE(ctfs->shape.b, 1, p->shape.h, p->shape.w);
        TESS_TRY(tess_ctf_apply(slices, slices, p->shape, NULL, &(tess_ctf_opts){ .parameters = ctfs }));
        TESS_TRY(tess_empty(squares, TESS_SHAPE(rows.b, 1, half.h, half.w), real, slices->device));
        TESS_TRY(tess_ctf_image(squares, rows, NULL, &(tess_ctf_opts){ .parameters = ctfs, .squared = 1 }));
    }
    if (!each) return TESS_OK;
    TESS_TRY(tess_mul(slices, slices, each));
    if (squares->data && squares->shape.b < each->shape.b) {
        tess_array one = *squares;
        *squares = (tess_array){ .data = NULL };
        const tess_status status = tess_mul(squares, &one, each);
        tess_release(&one);
        return status;
    }
    if (squares->data) return tess_mul(squares, squares, each);
    TESS_TRY(tess_zeros(squares, TESS_SHAPE(each->shape.b, 1, half.h, half.w), real, slices->device));
    return tess_add(squares, squares, each);
}

/* The weights of all slices, {n,1,h,w}: what is one for all is repeated by a stride of 0. */
static tess_status backproject_flat(const backprojection *p, tess_array *slices)
{
    tess_array  squares = { .data = NULL }, view = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, weigh(p, slices, &squares));
    if (squares.data) TESS_GOTO(done, status, tess_broadcast(&view, &squares, slices->shape));
    TESS_GOTO(done, status, insert_some(p, slices, squares.data ? &view : NULL, 0, 0));
done:
    tess_release(&squares);
    return status;
}

/* ---- Both sides of the Ewald sphere ---- */

#include "ops/geometry/slices/fourier_backproject.def"

/* How much of both sides is the same, of each coefficient of an image: {1,1,h,w/2+1}. */
static tess_status make_overlap(tess_array *out, const backprojection *p, const tess_array *like)
{
    const int64_t h = p->shape.h, w = p->shape.w;
    const double  diameter = p->o.diameter > 0 ? p->o.diameter : (double)w;
    tess_array    wide = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make(FN, &wide, TESS_SHAPE(1, 1, h, w / 2 + 1), TESS_F64, like->device, false));
    TESS_GOTO(done, status, tess_call(&ewald_overlap, h, w, fabs(p->o.ewald), diameter, &wide));
    TESS_GOTO(done, status, tess_cast(out, &wide, tess_dtype_real(like->dtype), NULL));
done:
    tess_release(&wide);
    return status;
}

/* -sin and cos of the phase, with envelope and scale, {n,1,h,w/2+1}: a phase shift of pi/2 makes one of the other. */
static tess_status make_phases(tess_array *sine, tess_array *cosine, const backprojection *p, const tess_array *like)
{
    const tess_array *ctfs = p->o.ctfs;
    const tess_shape  shape = TESS_SHAPE(ctfs->shape.b, 1, p->shape.h, p->shape.w);
    const tess_shape  half = TESS_SHAPE(shape.b, 1, like->shape.h, like->shape.w);
    tess_array        rows = { .data = NULL }, given, column;
    tess_status       status = TESS_OK;
    const tess_dtype  real = tess_dtype_real(like->dtype);
    TESS_GOTO(done, status,
              tess__make(FN, &rows, TESS_SHAPE(shape.b, 1, 1, TESS_CTF_COLUMNS), TESS_F64, ctfs->device, true));
    given = rows;
    given.shape.w = ctfs->shape.w;
    TESS_GOTO(done, status, tess_cast(&given, ctfs, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_empty(sine, half, real, like->device));
    TESS_GOTO(done, status, tess_empty(cosine, half, real, like->device));
    TESS_GOTO(done, status, tess_ctf_image(sine, shape, NULL, &(tess_ctf_opts){ .parameters = &rows }));
    TESS_GOTO(done, status, tess_index(&column, &rows, 3, offsetof(tess_ctf, phase_shift) / sizeof(double)));
    TESS_GOTO(done, status, tess_add(&column, &column, &tess_f64(TESS_PI / 2)));
    TESS_GOTO(done, status, tess_ctf_image(cosine, shape, NULL, &(tess_ctf_opts){ .parameters = &rows }));
done:
    tess_release(&rows);
    return status;
}

/* ((1 - o) (s^2 + c^2) + 2 o s^2) / 4, into `out`. */
static tess_status weigh_sides(tess_array *out, const tess_array *sine, const tess_array *cosine,
                               const tess_array *overlap)
{
    tess_array  rest = { .data = NULL }, part = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_sub(&rest, &tess_f32(1), overlap));
    TESS_GOTO(done, status, tess_square(out, cosine));
    TESS_GOTO(done, status, tess_mul(out, out, &rest));
    TESS_GOTO(done, status, tess_add(&rest, &tess_f32(1), overlap)); /* 1 - o + 2 o of s^2 */
    TESS_GOTO(done, status, tess_square(&part, sine));
    TESS_GOTO(done, status, tess_mul(&part, &part, &rest));
    TESS_GOTO(done, status, tess_add(out, out, &part));
    TESS_GOTO(done, status, tess_mul(out, out, &tess_f32(0.25f)));
done:
    tess_release(&rest);
    tess_release(&part);
    return status;
}

typedef struct sides {
    tess_array overlap, sine, cosine, weights; /* the last three {1 or n,1,h,w/2+1} */
    tess_array factor, side;                   /* of one image */
} sides;

static void release_sides(sides *s)
{
    tess_array *all[] = { &s->overlap, &s->sine, &s->cosine, &s->weights, &s->factor, &s->side };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

/* One image on one side: times (s - i c)/2, or on the other side its conjugate. */
static tess_status insert_side(const backprojection *p, sides *s, const tess_array *slice, const tess_array *weights,
                               int64_t i, int side)
{
    const int64_t k = s->sine.shape.b == 1 ? 0 : i;
    tess_array    sine, cosine;
    TESS_TRY(tess_index(&sine, &s->sine, 0, k));
    TESS_TRY(tess_index(&cosine, &s->cosine, 0, k));
    tess_release(&s->factor);
    tess_release(&s->side);
    TESS_TRY(tess_complex(&s->factor, &sine, &cosine));
    if (side > 0) TESS_TRY(tess_mul_conj(&s->side, slice, &s->factor));
    else TESS_TRY(tess_mul(&s->side, slice, &s->factor));
    TESS_TRY(tess_mul(&s->side, &s->side, &tess_f32(0.5f)));
    return insert_some(p, &s->side, weights, i, side * p->o.ewald);
}

/* Image by image, both sides of each: sums do not depend on how many images there are. */
static tess_status backproject_sphere(const backprojection *p, tess_array *slices)
{
    sides       s = { .overlap = { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, make_overlap(&s.overlap, p, slices));
    TESS_GOTO(done, status, make_phases(&s.sine, &s.cosine, p, slices));
    TESS_GOTO(done, status, weigh_sides(&s.weights, &s.sine, &s.cosine, &s.overlap));
    for (int64_t i = 0; i < slices->shape.b; i++) {
        tess_array slice, own, weights = { .data = NULL };
        TESS_GOTO(done, status, tess_index(&slice, slices, 0, i));
        TESS_GOTO(done, status, tess_index(&own, &s.weights, 0, s.weights.shape.b == 1 ? 0 : i));
        if (p->o.image_weights) {
            tess_array each;
            TESS_GOTO(done, status, tess_index(&each, p->o.image_weights, 0, p->o.image_weights->shape.b == 1 ? 0 : i));
            TESS_GOTO(done, status, tess_mul(&slice, &slice, &each));
            TESS_GOTO(done, status, tess_mul(&weights, &own, &each));
            own = weights;
        }
        status = insert_side(p, &s, &slice, &own, i, 1);
        if (status == TESS_OK) status = insert_side(p, &s, &slice, &own, i, -1);
        tess_release(&weights);
        if (status != TESS_OK) break;
    }
done:
    release_sides(&s);
    return status;
}

/* ---- The call ---- */

static tess_status take_mates(backprojection *p, tess_device device)
{
    int64_t     order = 1;
    tess_array  host = { .data = NULL };
    tess_status status = TESS_OK;
    if (!p->o.sym || !*p->o.sym) return TESS_OK;
    TESS_TRY(tess__check_group(FN, "opts->sym", p->o.sym));
    TESS_TRY(tess_symmetry_order(&order, p->o.sym));
    if (order == 1) return TESS_OK;
    TESS_GOTO(done, status, tess_symmetry_matrices(&host, p->o.sym, NULL));
    TESS_GOTO(done, status, tess_to_device(&p->mates, &host, device));
    TESS_GOTO(done, status, tess_permute(&p->mates, &p->mates, 1, 0, 2, 3));
done:
    tess_release(&host);
    return status;
}

/* Both outputs, before anything is written. */
static tess_status take_outputs(tess__outputs *all, const backprojection *p, const tess_array *images,
                                const tess_array *rotations)
{
    const tess_shape  shape = TESS_SHAPE(1, p->padded, p->padded, p->padded / 2 + 1);
    const bool        wide = images->dtype == TESS_F64;
    tess_array *const arrays[2] = { p->volume, p->weights };
    for (int k = 0; k < 2; k++)
        TESS_CHECK(!p->o.add || !tess__is_empty_out(arrays[k]), TESS_EARG,
                   "%s: `%s` is zeroed and `opts->add` is 1; an array that holds sums is needed", FN,
                   k ? "weights" : "volume");
    tess__wants(all, "volume", p->volume, shape, wide ? TESS_C64 : TESS_C32, images->device);
    tess__wants(all, "weights", p->weights, shape, wide ? TESS_F64 : TESS_F32, images->device);
    tess__reads(all, "images", images);
    tess__reads(all, "rotations", rotations);
    tess__reads(all, "opts->ctfs", p->o.ctfs);
    tess__reads(all, "opts->shifts", p->o.shifts);
    tess__reads(all, "opts->image_weights", p->o.image_weights);
    TESS_TRY(tess__outputs_take(all));
    return TESS_OK;
}

/* Sums of no image. */
static tess_status add_nothing(const backprojection *p)
{
    if (p->o.add) return TESS_OK;
    TESS_TRY(tess_fill(p->volume, 0));
    TESS_TRY(tess_fill(p->weights, 0));
    return TESS_OK;
}

static tess_status run(backprojection *p, const tess_array *images, const tess_array *rotations)
{
    tess_array              slices = { .data = NULL }, host = { .data = NULL };
    tess_status             status = TESS_OK;
    const tess__slice_parts parts = { FN, "rotations", rotations, "images", images->shape.b };
    if (images->shape.b == 0) return add_nothing(p);
    TESS_GOTO(done, status, tess__slice_rotations(&host, &parts));
    TESS_GOTO(done, status, tess_to_device(&p->rotations, &host, images->device));
    if (p->rotations.shape.b != images->shape.b)
        TESS_GOTO(done, status, tess_broadcast(&p->rotations, &p->rotations, TESS_SHAPE(images->shape.b, 1, 3, 3)));
    TESS_GOTO(done, status, take_mates(p, images->device));
    if (p->o.image_weights) {
        TESS_GOTO(done, status, tess_to_device(&p->counts, p->o.image_weights, images->device));
        p->o.image_weights = &p->counts;
    }
    TESS_GOTO(done, status, tess__centred_spectra(&slices, FN, images, p->o.shifts));
    if (p->o.ewald != 0) TESS_GOTO(done, status, backproject_sphere(p, &slices));
    else TESS_GOTO(done, status, backproject_flat(p, &slices));
done:
    tess_release(&slices);
    tess_release(&host);
    tess_release(&p->rotations);
    tess_release(&p->mates);
    tess_release(&p->counts);
    return status;
}

static tess_status check_rows(const tess_fourier_backproject_opts *o, int64_t n)
{
    if (o->ctfs) TESS_TRY(tess__rows_of_images(FN, "opts->ctfs", o->ctfs, n, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS));
    if (o->shifts) TESS_TRY(tess__rows_of_images(FN, "opts->shifts", o->shifts, n, 2, 2));
    if (o->image_weights) TESS_TRY(tess__rows_of_images(FN, "opts->image_weights", o->image_weights, n, 1, 1));
    TESS_CHECK(o->ewald == 0 || o->ctfs, TESS_EARG,
               "%s: `opts->ewald` is %g and `opts->ctfs` is `NULL`; the Ewald sphere needs CTFs", FN, o->ewald);
    TESS_CHECK(o->ewald == 0 || o->ctfs->shape.w <= TESS_CTF_EVEN_COLUMNS, TESS_EARG,
               "%s: `opts->ctfs` has %" PRId64
               " columns; `opts->ewald` allows at most %d, without beam tilt and trefoil",
               FN, o->ctfs ? o->ctfs->shape.w : 0, TESS_CTF_EVEN_COLUMNS);
    return TESS_OK;
}

tess_status tess_fourier_backproject(tess_array *volume, tess_array *weights, const tess_array *images,
                                     const tess_array *rotations, const tess_fourier_backproject_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    backprojection p = { .volume = volume, .weights = weights };
    tess__outputs  all = { .fn = FN };
    bool           has_sums;
    int64_t        n;
    TESS_TRY(tess__resolve(&tess__info_fourier_backproject, opts, &p.o));
    TESS_TRY(tess__check_pointer(FN, "volume", volume));
    TESS_TRY(tess__check_pointer(FN, "weights", weights));
    TESS_TRY(tess__square_images(FN, "images", images));
    TESS_TRY(tess__check_array(FN, "rotations", rotations));
    TESS_TRY(tess__slice_count(&n, FN, rotations));
    TESS_CHECK(n == images->shape.b || n == 1, TESS_ESHAPE,
               "%s: there are %" PRId64 " rotations and %" PRId64 " images; one rotation, or one per image, is needed",
               FN, n, images->shape.b);
    TESS_TRY(check_rows(&p.o, images->shape.b));
    has_sums = p.o.add;
    p.has_sums = &has_sums;
    p.shape = images->shape;
    p.padded = images->shape.w * p.o.padding;
    TESS_TRY(take_outputs(&all, &p, images, rotations));
    return tess__outputs_end(&all, tess__error_under(run(&p, images, rotations), FN));
}
