/* Centres of mass: sums over all axes but one, and their first moments. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/rank.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"
#include "tessera/statistics.h"

enum { ELEMENTS = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args[] = {
    TESS__OUT("out", "centres (w), (h, w) or (d, h, w) in elements, {b,1,1,rank} of f64", .axes = "B,1,1,rank"),
    TESS__IN("in", "signals, images or volumes; real numbers"),
};
TESS__CALL(centre_of_mass, v[0].out, v[1].in)
const tess_function_info tess__info_centre_of_mass =
    TESS__OP(TESS_CUT_BATCHES, centre_of_mass, "statistics", "Centre of mass of each batch.", args);

/* The sums of elements times their index along an axis. */
static tess_status moment(tess_array *out, const tess_array *in, int axis)
{
    tess_shape  shape = { { 1, 1, 1, 1 } };
    tess_array  sums = { .data = NULL }, indices = { .data = NULL };
    tess_status status = TESS_OK;
    shape.dim[axis] = in->shape.dim[axis];
    TESS_TRY(tess_arange(&indices, shape, TESS_F64, in->device, 0, 1));
    shape.b = in->shape.b;
    TESS_GOTO(done, status, tess__make("centre_of_mass", &sums, shape, TESS_F64, in->device, false));
    TESS_GOTO(done, status, tess_sum(&sums, in, ELEMENTS & ~(TESS_B << axis), NULL));
    TESS_GOTO(done, status, tess_dot(out, &sums, &indices, ELEMENTS, NULL));
done:
    tess_release(&indices);
    tess_release(&sums);
    return status;
}

static tess_status divide_moments(tess_array *out, const tess_array *in)
{
    const int        rank = tess__rank(in->shape);
    const tess_shape one = TESS_SHAPE(in->shape.b, 1, 1, 1);
    tess_array       moments = { .data = NULL }, total = { .data = NULL }, column;
    tess_status      status = TESS_OK;
    TESS_TRY(tess__make("centre_of_mass", &moments, out->shape, TESS_F64, in->device, false));
    TESS_GOTO(done, status, tess__make("centre_of_mass", &total, one, TESS_F64, in->device, false));
    for (int k = 0; k < rank; k++) {
        TESS_GOTO(done, status, tess_index(&column, &moments, 3, k));
        TESS_GOTO(done, status, moment(&column, in, 4 - rank + k));
    }
    TESS_GOTO(done, status, tess_sum(&total, in, ELEMENTS, NULL));
    TESS_GOTO(done, status, tess_true_div(out, &moments, &total));
done:
    tess_release(&moments);
    tess_release(&total);
    return status;
}

/* Sums of integers of 64 bits would wrap. */
static tess_status run(tess_array *out, const tess_array *in)
{
    tess_array  wide = { .data = NULL };
    tess_status status = TESS_OK;
    if (in->dtype != TESS_I64 && in->dtype != TESS_U64) return divide_moments(out, in);
    TESS_GOTO(done, status, tess_cast(&wide, in, TESS_F64, NULL));
    TESS_GOTO(done, status, divide_moments(out, &wide));
done:
    tess_release(&wide);
    return status;
}

tess_status tess_centre_of_mass(tess_array *out, const tess_array *in)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char   *fn = "centre_of_mass";
    tess__outputs all = { .fn = fn };
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__wants_numbers(&all, "out", out, TESS_SHAPE(in->shape.b, 1, 1, tess__rank(in->shape)), in->device));
    tess__reads(&all, "in", in);
    TESS_TRY(tess__outputs_take(&all));
    const tess_status status = in->shape.b > 0 ? run(out, in) : TESS_OK;
    return tess__outputs_end(&all, tess__error_under(status, fn));
}
