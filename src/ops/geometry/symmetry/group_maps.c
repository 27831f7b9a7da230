/* Matrices of a symmetry: a point group by name or by matrices, conjugated by a centre, times matrices before and
 * after. */
#include "ops/geometry/symmetry/group_maps.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/check/text.h"
#include "tessera/matrix.h"
#include "tessera/symmetry.h"

/* ---- Matrices ---- */

tess_mat34_f64 tess__group_matrix(const tess__matrices *m, int64_t batch, int dims)
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

int64_t tess__group_batches(const tess__group_parts *p, int64_t batches)
{
    return p->before.n <= 1 && p->after.n <= 1 ? 1 : batches;
}

tess_status tess__group_map(tess_mat34_f64 *map, const tess__group_parts *p, int64_t batch, int64_t i)
{
    const tess_mat34_f64 element = tess__group_matrix(&p->group, i, p->dims);
    tess_mat34_f64       inverse;
    char                 text[32];
    TESS_CHECK(tess_invert_mat34(&inverse, &element) == TESS_OK, TESS_ERANGE,
               "%s: matrix %" PRId64 " of `opts->matrices` has determinant %s; it must be invertible", p->fn, i,
               tess__number_text(text, tess_mat33_determinant_f64(tess_mat34_linear_f64(element))));
    const tess_mat34_f64 turn = about(&inverse, p->centre);
    const tess_mat34_f64 before = tess__group_matrix(&p->before, batch, p->dims);
    const tess_mat34_f64 after = tess__group_matrix(&p->after, batch, p->dims), first = product(&turn, &after);
    *map = product(&before, &first);
    return TESS_OK;
}

/* ---- What is given ---- */

static tess_status read_group(tess__group_parts *p, const tess_array *matrices)
{
    tess_array  group = { .data = NULL };
    tess_status status = TESS_OK;
    const char *size = p->dims == 2 ? "2x2" : "3x3";
    TESS_CHECK(p->name || matrices, TESS_EARG, "%s: neither `name` nor `opts->matrices` is given; give one of them",
               p->fn);
    TESS_CHECK(!p->name || !matrices, TESS_EARG,
               "%s: `name` is \"%.40s\" and `opts->matrices` is given; give only one of them", p->fn, p->name);
    if (matrices) {
        TESS_TRY(tess__matrices_read(&p->group, p->fn, "opts->matrices", matrices, size));
    } else {
        TESS_GOTO(done, status,
                  tess_symmetry_matrices(&group, p->name, &(tess_symmetry_opts){ .images = p->dims == 2 }));
        TESS_GOTO(done, status, tess__matrices_read(&p->group, p->fn, "name", &group, size));
    }
    TESS_CHECK(p->group.n >= 1, TESS_ESHAPE, "%s: `opts->matrices` is empty; at least one matrix is needed", p->fn);
done:
    tess_release(&group);
    return status;
}

static tess_status read_one(tess__matrices *m, const tess__group_parts *p, const char *arg, const tess_array *given,
                            int64_t batches)
{
    static const char *const sizes[2][2] = { { "2x2 2x3 3x3", "3x3 3x4 4x4" }, { "2x2", "3x3" } };
    if (!given) return TESS_OK;
    TESS_TRY(tess__matrices_read(m, p->fn, arg, given, sizes[p->linear][p->dims - 2]));
    TESS_CHECK(m->n == 1 || m->n == batches, TESS_ESHAPE,
               "%s: `%s` has %" PRId64 " matrices and in %" PRId64 " batches; one matrix, or one per batch, is needed",
               p->fn, arg, m->n, batches);
    return TESS_OK;
}

tess_status tess__group_read(tess__group_parts *p, const tess__group_given *given, int64_t batches)
{
    TESS_TRY(read_group(p, given->matrices));
    TESS_TRY(read_one(&p->before, p, "opts->before", given->before, batches));
    TESS_TRY(read_one(&p->after, p, "opts->after", given->after, batches));
    return TESS_OK;
}

void tess__group_end(tess__group_parts *p)
{
    tess_release(&p->group.list);
    tess_release(&p->before.list);
    tess_release(&p->after.list);
}
