/* Symmetry of spectra: the mean over the rotations of a group about frequency 0, about a centre by phase shifts. */
#include <float.h>
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/geometry/symmetry/group_maps.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/device.h"
#include "tessera/fft.h"
#include "tessera/matrix.h"
#include "tessera/symmetrize.h"

#define FN "symmetrize_spectrum"
#define CENTRE(field, help) TESS__OPT_F64(tess_symmetrize_spectrum_opts, field, "pixels", 0, -DBL_MAX, DBL_MAX, help)
static const tess_arg_info args[] = {
    TESS__OUT("out", "the symmetrised spectra; any strides"),
    TESS__IN("in", "spectra of images or volumes", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__NEED(TESS_ARG_TEXT, "name", "name of the group: C<n>, D<n>, T, O, I1 or I2; \"\" with matrices",
               .sample = "d3"),
    TESS__OPT_ARRAY(tess_symmetrize_spectrum_opts, matrices, const tess_array *,
                    "custom group, instead of a name: {n,1,3,3} or {n,1,2,2}", .axes = "n,1,3,3|n,1,2,2"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_spectrum_opts, before, TESS_ARG_PER_BATCH,
                            "matrices from symmetric coordinates to the input", .sample = "b,1,2,2",
                            .axes = "B,1,3,3|B,1,2,2"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_spectrum_opts, after, TESS_ARG_PER_BATCH,
                            "matrices from the output to symmetric coordinates", .sample = "b,1,2,2",
                            .axes = "B,1,3,3|B,1,2,2"),
    TESS__OPT_ROWS(tess_symmetrize_spectrum_opts, shifts, "shifts applied last, pixels: (h, w) or (d, h, w)",
                   .sample = "b,1,1,2", .axes = "B,1,1,m"),
    TESS__OPT_F64(tess_symmetrize_spectrum_opts, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency kept"),
    CENTRE(centre_d, "centre along d, from index 0 of the real array"),
    CENTRE(centre_h, "centre along h, from index 0 of the real array"),
    CENTRE(centre_w, "centre along w, from index 0 of the real array"),
    TESS__OPT_CHOICE(tess_symmetrize_spectrum_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation between coefficients"),
    TESS__OPT_CHOICE(tess_symmetrize_spectrum_opts, from, TESS_FFT_H, tess__fft_layouts, "layout of in"),
    TESS__OPT_CHOICE(tess_symmetrize_spectrum_opts, to, 0, tess__fft_layouts, "layout of out; 0: that of in"),
    TESS__FLAG(tess_symmetrize_spectrum_opts, sum, "compute the sum instead of the mean"),
};
TESS__CALL(symmetrize_spectrum, v[0].out, v[1].in, v[2].shape, v[3].text, opts)
const tess_function_info tess__info_symmetrize_spectrum =
    TESS__OP_OPTS(TESS_CUT_BATCHES, symmetrize_spectrum, "symmetrize",
                  "Symmetrise spectra of images or volumes by a point group.", args, tess_symmetrize_spectrum_opts);

/* A call, and what is made for it. Those of the host are f64: maps {1 or b,n,3,3}, shifts {1 or b,1,1,3}. */
typedef struct symmetry {
    tess__group_parts             parts;
    const tess_array             *in;
    tess_shape                    shape;
    tess_symmetrize_spectrum_opts o;
    bool                          is_complex, has_centre;
    double                        centre[3];
    tess_array                    given_shifts, maps, shifts, moves; /* moves: of the input, the centre to index 0 */
    tess_array                    moved, there[3], held;
} symmetry;

static void end(symmetry *s)
{
    tess__group_end(&s->parts);
    tess_release(&s->given_shifts);
    tess_release(&s->maps);
    tess_release(&s->shifts);
    tess_release(&s->moves);
    tess_release(&s->moved);
    for (int k = 0; k < 3; k++) tess_release(&s->there[k]);
    tess_release(&s->held);
}

/* ---- What is given ---- */

static tess_status check(symmetry *s, tess_array *out)
{
    char                    text[32];
    const tess__fft_variant given = { "shape", s->shape, "opts->from", s->o.from, .any_b = false };
    const tess__fft_variant wanted = { "shape", s->shape, "opts->to", s->o.to, .any_b = false };
    TESS_TRY(tess__check_pointer(FN, "out", out));
    TESS_TRY(tess__check_numbers(FN, "in", s->in));
    TESS_TRY(tess__slice_check_dtype(FN, "in", s->in));
    TESS_TRY(tess__check_spectrum(FN, "in", s->in, given));
    TESS_CHECK(s->o.centre_d == 0 || s->shape.d > 1, TESS_EARG, FN ": `opts->centre_d` is %s; it must be 0 for images",
               tess__number_text(text, s->o.centre_d));
    TESS_TRY(tess__check_apart(FN, "out", out, "opts->matrices", s->o.matrices));
    TESS_TRY(tess__check_apart(FN, "out", out, "opts->before", s->o.before));
    TESS_TRY(tess__check_apart(FN, "out", out, "opts->after", s->o.after));
    TESS_TRY(tess__check_apart(FN, "out", out, "opts->shifts", s->o.shifts));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__spectrum_output(FN, out, wanted, s->in->dtype, s->in->device));
    if (!made) TESS_TRY(tess__check_overlap(FN, out, "in", s->in, false));
    return TESS_OK;
}

/* Shifts of the caller's, as f64 on the host. */
static tess_status read_shifts(symmetry *s)
{
    char              text[TESS__SHAPE_TEXT];
    const tess_array *given = s->o.shifts;
    const int         m = s->parts.dims;
    tess_array        wide = { .data = NULL };
    tess_status       status = TESS_OK;
    if (!given) return TESS_OK;
    TESS_TRY(tess__check_numbers(FN, "opts->shifts", given));
    TESS_TRY(tess__check_ordered(FN, "opts->shifts", given->dtype));
    const tess_shape n = given->shape;
    TESS_CHECK((n.b == 1 || n.b == s->shape.b) && n.d == 1 && n.h == 1 && n.w == m, TESS_ESHAPE,
               FN ": `opts->shifts` is %s; {1,1,1,%d} or {%" PRId64 ",1,1,%d} is needed", tess__shape_text(text, n.dim),
               m, s->shape.b, m);
    TESS_TRY(tess__check_waits(FN, given->device));
    TESS_GOTO(done, status, tess__make(FN, &wide, n, TESS_F64, given->device, false));
    TESS_GOTO(done, status, tess_cast(&wide, given, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&s->given_shifts, &wide, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(FN, given->device));
    TESS_GOTO(done, status, tess__sync(FN, tess_cpu()));
done:
    tess_release(&wide);
    return status;
}

/* ---- Maps and shifts ---- */

static tess_status make_maps(symmetry *s)
{
    const int64_t b = tess__group_batches(&s->parts, s->shape.b), n = s->parts.group.n;
    TESS_TRY(tess__make(FN, &s->maps, TESS_SHAPE(b, n, 3, 3), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < b * n; i++) {
        tess_mat34_f64 map;
        double        *to = (double *)s->maps.data + 9 * i;
        TESS_TRY(tess__group_map(&map, &s->parts, i / n, i % n));
        for (int k = 0; k < 9; k++) to[k] = map.at[4 * (k / 3) + k % 3];
    }
    return TESS_OK;
}

/* M^T c, added. */
static void add_transposed(double *to, const tess_mat34_f64 *m, const double centre[3])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) to[k] += m->at[4 * i + k] * centre[i];
}

/* The mean of in(A g) about the centre c is that of in(A g) exp(2 pi i c g) about 0: with h = A g the phase is that of
 * a shift of the input by -A^-T c. */
static tess_status make_moves(symmetry *s)
{
    const int64_t n = s->parts.before.n ? s->parts.before.n : 1;
    const double  negative[3] = { -s->centre[0], -s->centre[1], -s->centre[2] };
    if (!s->has_centre) return TESS_OK;
    TESS_TRY(tess__make(FN, &s->moves, TESS_SHAPE(n, 1, 1, 3), TESS_F64, tess_cpu(), true));
    for (int64_t b = 0; b < n; b++) {
        const tess_mat34_f64 before = tess__group_matrix(&s->parts.before, b, s->parts.dims);
        tess_mat34_f64       inverse;
        TESS_TRY(tess_invert_mat34(&inverse, &before));
        add_transposed((double *)s->moves.data + 3 * b, &inverse, negative);
    }
    return TESS_OK;
}

/* The result, at g = B f, is moved back to the centre: a shift by B^T c, and by that of the caller. */
static tess_status make_shifts(symmetry *s)
{
    const tess_array *given = &s->given_shifts;
    const int         dims = s->parts.dims;
    const bool        many = (s->has_centre && s->parts.after.n > 1) || (given->data && given->shape.b > 1);
    if (!s->is_complex || (!s->has_centre && !given->data)) return TESS_OK;
    TESS_TRY(tess__make(FN, &s->shifts, TESS_SHAPE(many ? s->shape.b : 1, 1, 1, 3), TESS_F64, tess_cpu(), true));
    for (int64_t b = 0; b < s->shifts.shape.b; b++) {
        const tess_mat34_f64 after = tess__group_matrix(&s->parts.after, b, dims);
        double              *to = (double *)s->shifts.data + 3 * b;
        add_transposed(to, &after, s->centre);
        if (!given->data) continue;
        const double *from = (const double *)given->data + (given->shape.b == 1 ? 0 : b * dims);
        for (int k = 0; k < dims; k++) to[3 - dims + k] += from[k];
    }
    return TESS_OK;
}

/* ---- The work ---- */

/* The input with its centre at index 0. */
static tess_status move_input(symmetry *s)
{
    if (!s->moves.data) return TESS_OK;
    TESS_TRY(tess_to_device(&s->there[2], &s->moves, s->in->device));
    TESS_TRY(tess_fft_phase_shift(&s->moved, s->in, s->shape, &s->there[2],
                                  &(tess_fft_phase_shift_opts){ .layout = s->o.from, .real_nyquist = 1 }));
    s->in = &s->moved;
    return TESS_OK;
}

static tess_status run(symmetry *s, const tess_array *out)
{
    tess__spectrum_sample work = { .name = FN,
                                   .out = *out,
                                   .divisor = s->o.sum ? 1 : (double)s->parts.group.n,
                                   .cutoff = s->o.cutoff,
                                   .interp = s->o.interp,
                                   .dims = s->parts.dims };
    TESS_TRY(move_input(s));
    TESS_TRY(tess__hold(&s->held, FN, &s->in));
    TESS_TRY(tess_to_device(&s->there[0], &s->maps, out->device));
    if (s->shifts.data) TESS_TRY(tess_to_device(&s->there[1], &s->shifts, out->device));
    work.in = *s->in;
    work.rotations = s->there[0];
    work.shifts = s->there[1];
    tess__slice_axes(work.in_n, work.in_order, s->shape, s->o.from);
    tess__slice_axes(work.out_n, work.out_order, s->shape, s->o.to);
    for (int k = 0; k < 3; k++) work.target[k] = (double)work.in_n[k];
    TESS_TRY(tess__spectrum_sample_run(&work));
    return TESS_OK;
}

static tess_status symmetrize(symmetry *s, const tess_array *out)
{
    const tess__group_given given = { s->o.matrices, s->o.before, s->o.after };
    s->centre[0] = s->o.centre_d;
    s->centre[1] = s->o.centre_h;
    s->centre[2] = s->o.centre_w;
    s->is_complex = tess_dtype_kind(s->in->dtype) == TESS_KIND_COMPLEX;
    s->has_centre = s->is_complex && (s->centre[0] != 0 || s->centre[1] != 0 || s->centre[2] != 0);
    TESS_TRY(tess__group_read(&s->parts, &given, s->shape.b));
    TESS_TRY(read_shifts(s));
    TESS_TRY(make_maps(s));
    TESS_TRY(make_moves(s));
    TESS_TRY(make_shifts(s));
    if (tess__has_elements(out)) TESS_TRY(run(s, out));
    return TESS_OK;
}

tess_status tess_symmetrize_spectrum(tess_array *out, const tess_array *in, tess_shape shape, const char *name,
                                     const tess_symmetrize_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    symmetry s = { .parts = { .fn = FN, .name = name && name[0] ? name : NULL, .linear = true },
                   .in = in,
                   .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_symmetrize_spectrum, opts, &s.o));
    if (s.o.to == 0) s.o.to = s.o.from;
    const bool made = out && tess__is_empty_out(out);
    TESS_TRY(check(&s, out));
    s.parts.dims = shape.d > 1 ? 3 : 2;
    const tess_status status = symmetrize(&s, out);
    end(&s);
    return tess__finish(tess__error_under(status, FN), out, made);
}
