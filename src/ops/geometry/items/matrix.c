/* Arrays of affine matrices: inverses, products, and points through them. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "formulas/geometry/rotation.op.h"
#include "tessera/matrix.h"

static const tess_arg_info inverse_args[] = {
    TESS__OUT("out", "the inverses, of the same size; may be the input itself", .axes = "B,D,r,c"),
    TESS__IN("in", "matrices, {b,d,rows,columns}: 2x2, 2x3, 3x3, 3x4 or 4x4", .sample = "b,1,3,3", .axes = "B,D,r,c")
};
static const tess_arg_info mul_args[] = {
    TESS__OUT("out", "the products, of the same size", .axes = "B,D,r,c"),
    TESS__IN("a", "matrices, {b,d,rows,columns}: 2x2, 2x3, 3x3, 3x4 or 4x4", .sample = "b,1,3,3", .axes = "B,D,r,c"),
    TESS__IN("b", "matrices of the same size, applied first", .sample = "b,1,3,3", .axes = "B,D,r,c")
};
static const tess_arg_info points_args[] = {
    TESS__OUT("out", "the transformed points; may be the input itself", .axes = "B,D,n,k"),
    TESS__IN("points", "coordinates y, x {b,d,n,2} or z, y, x {b,d,n,3}", .sample = "b,1,5,3", .axes = "B,D,n,k"),
    TESS__IN("matrices", "matrices {b,d,rows,columns}, or quaternions {b,d,1,4}", .sample = "b,1,3,3",
             .axes = "B,D,2,2|B,D,2,3|B,D,3,3|B,D,3,4|B,D,4,4|B,D,1,4")
};
TESS__CALL(matrix_inverse, v[0].out, v[1].in)
const tess_function_info tess__info_matrix_inverse =
    TESS__OP(TESS_CUT_BATCHES, matrix_inverse, "matrix", "Invert affine matrices.", inverse_args);
TESS__CALL(matrix_mul, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_matrix_mul =
    TESS__OP(TESS_CUT_NONE, matrix_mul, "matrix", "Multiply affine matrices: b acts first, then a.", mul_args);
TESS__CALL(transform_points, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_transform_points =
    TESS__OP(TESS_CUT_NONE, transform_points, "matrix", "Transform points by matrices or quaternions.", points_args);

/* One entry for 2x2, 2x3, 3x3 and 3x4. */
enum { SIZES = 4 };

static int size_of(int rows, int columns) { return 2 * (rows - 2) + columns - rows; }

#define FOUR_MAPS(fn, name, cost)                                                                                      \
    {                                                                                                                  \
        TESS__ITEM_MAP(fn, name##_22, cost, 0), TESS__ITEM_MAP(fn, name##_23, cost, 0),                                \
            TESS__ITEM_MAP(fn, name##_33, cost, 0), TESS__ITEM_MAP(fn, name##_34, cost, 0)                             \
    }

static const tess__item_values no_values = { .set = NULL };

/* 4 x 4 matrices are affine: the last row is neither read nor computed. */
static tess__items read_rows(const tess__items *items)
{
    return tess__items_rows(items, 0, items->rows == 4 ? 3 : items->rows);
}

/* The last row of those that are written. */
static tess_status put_last_row(const tess__items *out)
{
    if (out->rows < 4 || tess_is_empty(&out->first)) return TESS_OK;
    for (int column = 0; column < 4; column++) {
        tess_array component = tess__items_component(out, 3, column);
        TESS_TRY(tess_fill(&component, column == 3));
    }
    return TESS_OK;
}

/* ---- Inverses ---- */

static tess_status invert(tess_array *out, const tess_array *in, tess__items *from)
{
    static const tess__item_map maps[SIZES] = FOUR_MAPS("matrix_inverse", inverse, 60);
    const tess__item_form       any = { TESS__ITEM_MATRIX, 0, 0, false };
    tess__items                 to;
    const tess__items          *inputs[] = { from };
    TESS_TRY(tess__items_of(from, "matrix_inverse", "in", in, any));
    const tess__item_form same = { TESS__ITEM_MATRIX, from->rows, from->columns, false };
    TESS_TRY(tess__items_output(&to, "matrix_inverse", out, same, inputs, 1));
    TESS_TRY(tess__items_check("matrix_inverse", &to, out, from, in, true));
    const tess__items read = read_rows(from), written = read_rows(&to);
    inputs[0] = &read;
    TESS_TRY(tess__items_run(&maps[size_of(read.rows, read.columns)], &written, inputs, 1, no_values));
    TESS_TRY(put_last_row(&to));
    return TESS_OK;
}

tess_status tess_matrix_inverse(tess_array *out, const tess_array *in)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess__items       from = { .arg = NULL };
    const bool        made = out && tess__is_empty_out(out);
    const tess_status status = invert(out, in, &from);
    tess__items_end(&from);
    return made ? tess__finish(status, out, true) : status;
}

/* ---- Products ---- */

/* Row by row: an operator has not parameters enough for two matrices and their product. */
static tess_status multiply_rows(const tess__items *to, const tess__items *a, const tess__items *b)
{
    static const tess__item_map maps[SIZES] = FOUR_MAPS("matrix_mul", product, 20);
    const tess__items           read = read_rows(b);
    for (int row = 0; row < read.rows; row++) {
        const tess__items  one = tess__items_rows(a, row, 1), out = tess__items_rows(to, row, 1);
        const tess__items *inputs[] = { &one, &read };
        TESS_TRY(tess__items_run(&maps[size_of(read.rows, read.columns)], &out, inputs, 2, no_values));
    }
    TESS_TRY(put_last_row(to));
    return TESS_OK;
}

static tess_status multiply(tess_array *out, const tess_array *const given[2], tess__items from[2], bool made)
{
    tess__items        to;
    const tess__items *inputs[] = { &from[0], &from[1] };
    TESS_TRY(
        tess__items_of(&from[0], "matrix_mul", "a", given[0], (tess__item_form){ TESS__ITEM_MATRIX, 0, 0, false }));
    const tess__item_form same = { TESS__ITEM_MATRIX, from[0].rows, from[0].columns, false };
    TESS_TRY(tess__items_of(&from[1], "matrix_mul", "b", given[1], same));
    TESS_TRY(tess__items_output(&to, "matrix_mul", out, same, inputs, 2));
    for (int k = 0; k < 2; k++) TESS_TRY(tess__items_check("matrix_mul", &to, out, &from[k], given[k], false));
    if (made) return multiply_rows(&to, &from[0], &from[1]);
    tess_array  whole = { .data = NULL }; /* of all rows: those of `out` are written by one step, which cannot fail */
    tess_status status = TESS_OK;
    TESS_TRY(tess__make("matrix_mul", &whole, out->shape, out->dtype, out->device, false));
    TESS_GOTO(done, status, tess__items_of(&to, "matrix_mul", "out", &whole, same));
    TESS_GOTO(done, status, multiply_rows(&to, &from[0], &from[1]));
    TESS_GOTO(done, status, tess_copy(out, &whole));
done:
    tess_release(&whole);
    return status;
}

tess_status tess_matrix_mul(tess_array *out, const tess_array *a, const tess_array *b)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const tess_array *given[] = { a, b };
    tess__items       from[2] = { { .arg = NULL }, { .arg = NULL } };
    const bool        made = out && tess__is_empty_out(out);
    const tess_status status = multiply(out, given, from, made);
    for (int k = 0; k < 2; k++) tess__items_end(&from[k]);
    return made ? tess__finish(status, out, true) : status;
}

/* ---- Points ---- */

static bool holds_quats(const tess_array *a)
{
    return a && (a->dtype == TESS_VEC4_F32 || a->dtype == TESS_VEC4_F64 ||
                 (a->dtype < TESS_SCALAR_DTYPE_COUNT && a->shape.h == 1 && a->shape.w == 4));
}

/* Which map takes these matrices and points of n coordinates; -1: none. */
static int map_of(const tess__items *matrices, int n)
{
    const int rows = matrices->rows, columns = matrices->columns;
    if (rows == 1) return n == 3 ? SIZES : -1;
    const bool fits = (rows == n && columns <= n + 1) || (rows == n + 1 && columns == n + 1);
    return fits ? size_of(n, columns) : -1;
}

static tess_status move(tess_array *out, const tess_array *const given[2], tess__items from[2])
{
    static const char            fn[] = "transform_points";
    static const tess__item_map  maps[SIZES] = FOUR_MAPS(fn, point, 20);
    static const tess__item_map  quat_map = TESS__ITEM_MAP(fn, point_quat, 60, 0);
    static const tess__item_form points = { TESS__ITEM_VECTOR, 1, 0, false };
    static const tess__item_form quats = { TESS__ITEM_VECTOR, 1, 4, false }, any = { TESS__ITEM_MATRIX, 0, 0, false };
    tess__items                  to;
    const tess__items           *inputs[] = { &from[0], &from[1] };
    TESS_TRY(tess__items_of(&from[0], fn, "points", given[0], points));
    TESS_TRY(tess__items_of(&from[1], fn, "matrices", given[1], holds_quats(given[1]) ? quats : any));
    const int n = from[0].columns, map = n < 4 ? map_of(&from[1], n) : -1;
    TESS_CHECK(map >= 0, TESS_ESHAPE,
               "%s: `points` have %d coordinates and matrices %d x %d elements; expected y, x with 2x2, 2x3 or 3x3, or "
               "z, y, x with 3x3, 3x4, 4x4 or quaternions",
               fn, n, from[1].rows, from[1].columns);
    TESS_TRY(tess__items_output(&to, fn, out, (tess__item_form){ TESS__ITEM_VECTOR, 1, n, false }, inputs, 2));
    for (int k = 0; k < 2; k++) TESS_TRY(tess__items_check(fn, &to, out, &from[k], given[k], k == 0));
    const tess__items read = map == SIZES ? from[1] : tess__items_rows(&from[1], 0, n);
    inputs[1] = &read;
    TESS_TRY(tess__items_run(map == SIZES ? &quat_map : &maps[map], &to, inputs, 2, no_values));
    return TESS_OK;
}

tess_status tess_transform_points(tess_array *out, const tess_array *points, const tess_array *matrices)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const tess_array *given[] = { points, matrices };
    tess__items       from[2] = { { .arg = NULL }, { .arg = NULL } };
    const bool        made = out && tess__is_empty_out(out);
    const tess_status status = move(out, given, from);
    for (int k = 0; k < 2; k++) tess__items_end(&from[k]);
    return made ? tess__finish(status, out, true) : status;
}
