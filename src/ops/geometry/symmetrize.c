/* Symmetry of images and volumes: the mean over the rotations of a group, through matrices before and after. */
#include "tessera/symmetrize.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/text.h"
#include "formulas/affine_sum.op.h"
#include "ops/geometry/sums.h"
#include "ops/resize.h"
#include "tessera/matrix.h"
#include "tessera/symmetry.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the symmetric images or volumes; of any strides"),
    TESS__IN("in", "images {n,1,h,w} or volumes {n,d,h,w}"),
    TESS__NEED(TESS_ARG_TEXT, "name", "C<n>, D<n>, T, O, I1 or I2; \"\" with matrices"),
    TESS__OPT_ARRAY(tess_symmetrize_opts, matrices, const tess_array *,
                    "instead of a group with a name: {n,1,3,3} or {n,1,2,2}"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_opts, before, TESS_ARG_PER_BATCH,
                            "matrices from the symmetric picture to the input"),
    TESS__OPT_FLAGGED_ARRAY(tess_symmetrize_opts, after, TESS_ARG_PER_BATCH,
                            "matrices from the output to the symmetric picture"),
    TESS__INTERP_ROW(tess_symmetrize_opts),
    TESS__OPT_CHOICE(tess_symmetrize_opts, border, TESS_BORDER_ZERO, tess__borders, "what lies outside"),
    TESS__FLAG(tess_symmetrize_opts, sum, "the sum, not the mean"),
    TESS__OPT_I32(tess_symmetrize_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OPT_F64(tess_symmetrize_opts, value, "", 0, -INFINITY, INFINITY, "border value: what is outside"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_d, "pixels", 0, -DBL_MAX, DBL_MAX, "the centre, from n/2: along d"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_h, "pixels", 0, -DBL_MAX, DBL_MAX, "along h"),
    TESS__OPT_F64(tess_symmetrize_opts, shift_w, "pixels", 0, -DBL_MAX, DBL_MAX, "along w"),
};
TESS__CALL(symmetrize, v[0].out, v[1].in, v[2].text, opts)
const tess_function_info tess__info_symmetrize = TESS__OP_OPTS(
    TESS_CUT_BATCHES, symmetrize, "symmetrize", "Images or volumes under a point group.", args, tess_symmetrize_opts);

/* What maps are made of. Images are volumes of one plane. */
typedef struct parts {
    const char    *fn, *name; /* NULL: of matrices of the caller's */
    int            dims;
    tess__matrices group, before, after; /* n is 0 of those that are not given */
    double         centre[3];
} parts;

/* ---- Matrices ---- */

/* A matrix of images or volumes as one of volumes; the identity if there is none. */
static tess_mat34_f64 widened(const tess__matrices *m, int64_t batch, int dims)
{
    tess_mat34_f64 a = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 } };
    if (m->n == 0) return a;
    const double *from = tess__matrix_at(m, m->n == 1 ? 0 : batch);
    const int     skipped = 3 - dims;
    for (int i = 0; i < dims; i++) {
        for (int k = 0; k < dims; k++) a.at[4 * (i + skipped) + k + skipped] = from[i * m->columns + k];
        a.at[4 * (i + skipped) + 3] = m->columns > dims ? from[i * m->columns + dims] : 0;
    }
    return a;
}

/* R^-1 (p - c) + c. */
static tess_mat34_f64 about(const tess_mat34_f64 *inverse, const double centre[3])
{
    tess_mat34_f64 a = *inverse;
    for (int i = 0; i < 3; i++) {
        double moved = 0;
        for (int k = 0; k < 3; k++) moved = fma(a.at[4 * i + k], centre[k], moved);
        a.at[4 * i + 3] = centre[i] - moved;
    }
    return a;
}

static tess_mat34_f64 product(const tess_mat34_f64 *a, const tess_mat34_f64 *b)
{
    tess_mat34_f64 c;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double sum = k == 3 ? a->at[4 * i + 3] : 0;
            for (int j = 0; j < 3; j++) sum = fma(a->at[4 * i + j], b->at[4 * j + k], sum);
            c.at[4 * i + k] = sum;
        }
    return c;
}

/* Each map is before, about the centre the inverse of an element of the group, and after. */
static tess_status fill_maps(tess_array *maps, const parts *p)
{
    for (int64_t i = 0; i < maps->shape.d; i++) {
        const tess_mat34_f64 element = widened(&p->group, i, p->dims);
        tess_mat34_f64       inverse;
        TESS_TRY(tess_invert_mat34(&inverse, &element));
        const tess_mat34_f64 turn = about(&inverse, p->centre);
        for (int64_t b = 0; b < maps->shape.b; b++) {
            const tess_mat34_f64 before = widened(&p->before, b, p->dims), after = widened(&p->after, b, p->dims);
            const tess_mat34_f64 first = product(&turn, &after), all = product(&before, &first);
            double              *map = (double *)maps->data + (b * maps->shape.d + i) * TESS__SUM_MAP;
            for (int axis = 0; axis < 3; axis++) {
                map[5 * axis] = all.at[4 * axis + 3];
                memcpy(map + 5 * axis + 2, all.at + 4 * axis, 3 * sizeof *map);
            }
        }
    }
    return TESS_OK;
}

/* ---- What is given ---- */

static tess_status read_group(parts *p, const tess_symmetrize_opts *o)
{
    tess_array  group = { .data = NULL };
    tess_status status = TESS_OK;
    const char *size = p->dims == 2 ? "2x2" : "3x3";
    TESS_CHECK(p->name || o->matrices, TESS_EARG,
               "%s: name is NULL, or empty, and so is opts->matrices; one of them is needed", p->fn);
    TESS_CHECK(!p->name || !o->matrices, TESS_EARG,
               "%s: name is \"%.40s\" and opts->matrices is given; one of them is needed", p->fn, p->name);
    if (o->matrices) {
        TESS_TRY(tess__matrices_read(&p->group, p->fn, "opts->matrices", o->matrices, size));
    } else {
        TESS_GOTO(done, status,
                  tess_symmetry_matrices(&group, p->name, &(tess_symmetry_opts){ .images = p->dims == 2 }));
        TESS_GOTO(done, status, tess__matrices_read(&p->group, p->fn, "name", &group, size));
    }
    TESS_CHECK(p->group.n >= 1, TESS_ESHAPE, "%s: opts->matrices has no matrix; at least one is needed", p->fn);
done:
    tess_release(&group);
    return status;
}

static tess_status read_one(tess__matrices *m, const parts *p, const char *arg, const tess_array *given,
                            int64_t batches)
{
    if (!given) return TESS_OK;
    TESS_TRY(tess__matrices_read(m, p->fn, arg, given, p->dims == 2 ? "2x2 2x3 3x3" : "3x3 3x4 4x4"));
    TESS_CHECK(m->n == 1 || m->n == batches, TESS_ESHAPE,
               "%s: %s has %" PRId64 " matrices and in %" PRId64 " batches; as many, or one, are needed", p->fn, arg,
               m->n, batches);
    return TESS_OK;
}

static tess_status check_options(const char *fn, const tess_array *in, const tess_symmetrize_opts *o)
{
    char text[32];
    TESS_CHECK(o->border != TESS_BORDER_NOTHING, TESS_EARG,
               "%s: opts->border is %d (nothing); a sum needs a value for what is outside", fn, (int)o->border);
    TESS_CHECK(o->value == 0 || o->border == TESS_BORDER_VALUE, TESS_EARG,
               "%s: opts->value is %s, which needs opts->border to be %d (value), not %d", fn,
               tess__number_text(text, o->value), (int)TESS_BORDER_VALUE, (int)o->border);
    TESS_CHECK(o->shift_d == 0 || in->shape.d > 1, TESS_EARG,
               "%s: opts->shift_d is %s; images have no depth: 0 is needed", fn, tess__number_text(text, o->shift_d));
    return TESS_OK;
}

static tess_status run(parts *p, tess_array *out, const tess_array *in, const tess_symmetrize_opts *o)
{
    tess__affine_sum work = {
        .name = p->fn, .dims = p->dims, .count = 1, .interp = o->interp, .border = o->border, .outside = { o->value }
    };
    tess_array  maps = { .data = NULL };
    tess_status status = TESS_OK;
    const bool  one = p->before.n <= 1 && p->after.n <= 1;
    work.divisor = o->sum ? 1 : (double)p->group.n;
    TESS_GOTO(done, status, tess__maps_new(&maps, p->fn, one ? 1 : in->shape.b, p->group.n));
    TESS_GOTO(done, status, fill_maps(&maps, p));
    TESS_GOTO(done, status, tess__sum_run(&work, out, in, &maps, NULL));
done:
    tess_release(&maps);
    return status;
}

static tess_status symmetrize(parts *p, tess_array *out, const tess_array *in, const tess_symmetrize_opts *o)
{
    const double shift[3] = { o->shift_d, o->shift_h, o->shift_w };
    const bool   made = tess__is_empty_out(out);
    for (int k = 0; k < 3; k++) p->centre[k] = (double)(in->shape.dim[k + 1] / 2) + shift[k];
    TESS_TRY(read_group(p, o));
    TESS_TRY(read_one(&p->before, p, "opts->before", o->before, in->shape.b));
    TESS_TRY(read_one(&p->after, p, "opts->after", o->after, in->shape.b));
    TESS_TRY(tess__sum_output(p->fn, out, in->shape, "in", in, false));
    TESS_TRY(tess__finish(run(p, out, in, o), out, made));
    return TESS_OK;
}

tess_status tess_symmetrize(tess_array *out, const tess_array *in, const char *name, const tess_symmetrize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_symmetrize_opts o;
    parts                p = { .fn = "symmetrize", .name = name && name[0] ? name : NULL };
    TESS_TRY(tess__resolve(&tess__info_symmetrize, opts, &o));
    TESS_TRY(tess__check_pointer(p.fn, "out", out));
    TESS_TRY(tess__check_numbers(p.fn, "in", in));
    TESS_TRY(check_options(p.fn, in, &o));
    p.dims = in->shape.d > 1 ? 3 : 2;
    const tess_status status = symmetrize(&p, out, in, &o);
    tess_release(&p.group.list);
    tess_release(&p.before.list);
    tess_release(&p.after.list);
    return status;
}
