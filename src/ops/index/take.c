/* Gather and scatter: slices and elements at indices along an axis or through a whole array (take, put). */
#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/array/layout.h"
#include "core/check/marks.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/array/rows.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/index/indices.h"
#include "tessera/order.h"

static const tess_arg_info take_args[] = {
    TESS__OUT("out", "the slices, concatenated along the axis"),
    TESS__IN("in", "array to take from; any dtype"),
    TESS__IN("indices", "vector of integers from -n to n-1; repeats are allowed", .sample = "1,1,1,2 index"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis that the indices refer to, of size n"),
};
TESS__CALL(take, v[0].out, v[1].in, v[2].in, v[3].i32)
const tess_function_info tess__info_take =
    TESS__OP(TESS_CUT_NONE, take, "order", "Take slices along an axis by their indices.", take_args);

static const tess_arg_info along_args[] = {
    TESS__OUT("out", "the elements, in the shape of indices"),
    TESS__IN("in", "array to take from; any dtype; broadcast, except along the axis"),
    TESS__IN("indices", "integers from -n to n-1, one for each element; broadcast, except along the axis",
             .sample = "b,d,h,2 index"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis that the indices refer to, of size n"),
};
TESS__CALL(take_along, v[0].out, v[1].in, v[2].in, v[3].i32)
const tess_function_info tess__info_take_along =
    TESS__OP(TESS_CUT_BATCHES, take_along, "order", "Take elements along an axis, each by its own index.", along_args);

static const tess_arg_info take_flat_args[] = {
    TESS__OUT("out", "the elements, in the shape of indices"),
    TESS__IN("in", "array to take from; any dtype; n elements, counted in b, d, h, w order"),
    TESS__IN("indices", "integers from -n to n-1; repeats are allowed", .sample = "b,1,1,2 index"),
};
TESS__CALL(take_flat, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_take_flat =
    TESS__OP(TESS_CUT_NONE, take_flat, "order", "Take elements by their indices in the whole array.", take_flat_args);

static const tess_arg_info put_args[] = {
    TESS__OUT_KEPT("out", "allocated array to put slices into; other slices stay unchanged"),
    TESS__IN("in", "the slices, concatenated along the axis; broadcast to the slices of out", .sample = "b,d,h,2"),
    TESS__IN("indices", "vector of integers from -n to n-1; of equal indices the last wins", .sample = "1,1,1,2 index"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis that the indices refer to, of size n"),
    TESS__FLAG(tess_put_opts, add, "add instead of overwriting, in the order of indices"),
};
TESS__CALL(put, v[0].out, v[1].in, v[2].in, v[3].i32, opts)
const tess_function_info tess__info_put =
    TESS__OP_OPTS(TESS_CUT_NONE, put, "order", "Put slices at their indices along an axis.", put_args, tess_put_opts);

static const tess_arg_info put_flat_args[] = {
    TESS__OUT_KEPT("out", "allocated array of n elements, counted in b, d, h, w order, to put elements into"),
    TESS__IN("in", "the elements; broadcast to indices", .sample = "b,1,1,2"),
    TESS__IN("indices", "integers from -n to n-1; of equal indices the last in b, d, h, w order wins",
             .sample = "b,1,1,2 index"),
    TESS__FLAG(tess_put_opts, add, "add instead of overwriting, in the order of indices"),
};
TESS__CALL(put_flat, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_put_flat =
    TESS__OP_OPTS(TESS_CUT_NONE, put_flat, "order", "Put elements at their indices in the whole array.", put_flat_args,
                  tess_put_opts);

enum { WHOLE = -1 /* instead of an axis: indices count through the whole array */ };

/* The cost of an index through an array that is not in rows, in elements copied into rows. */
enum { INDEX_COST = 8 };

/* ---- Checks ---- */

/* Indices in a row become a row along the axis. */
static tess_status row_along_axis(const char *fn, tess_array *row, const tess_array *indices, int axis)
{
    char    text[TESS__SHAPE_TEXT];
    int     along = -1, n_long = 0;
    int64_t n = 1, stride = 0;
    for (int d = 0; d < 4; d++) {
        if (indices->shape.dim[d] == 1) continue;
        along = d;
        n_long++;
    }
    TESS_CHECK(n_long <= 1, TESS_ESHAPE, "%s: `indices` has shape %s; at most one axis may be longer than 1%s", fn,
               tess__shape_text(text, indices->shape.dim),
               fn[0] == 't' ? " (" TESS__MARK("tess_take_along") " takes any shape)" : "");
    if (along >= 0) n = indices->shape.dim[along], stride = indices->strides.dim[along];
    *row = *indices;
    for (int d = 0; d < 4; d++) {
        row->shape.dim[d] = d == axis ? n : 1;
        row->strides.dim[d] = d == axis ? stride : 0;
    }
    return TESS_OK;
}

/* The shape of the result of in and indices, for an output that is allocated, here or before. */
static tess_status check_output(const char *fn, tess_array *out, tess_shape shape, const tess_array *in,
                                const tess_array *indices)
{
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, shape, in->dtype, in->device));
    if (made) return TESS_OK;
    TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    TESS_TRY(tess__check_overlap(fn, out, "indices", indices, false));
    return TESS_OK;
}

/* ---- A whole array as one vector ---- */

/* The array that indices count through becomes one vector, or the memory from its first element to its last. */
static void lay_flat(tess__take_put *work, tess_array *whole, const char *name)
{
    const tess_array *operands[1] = { whole };
    tess__whole      *at = &work->whole;
    tess__loop        loop;
    work->axis = 3;
    work->name_whole = name;
    tess__plan_in_order(&loop, whole->shape, operands, 1);
    whole->shape = TESS_SHAPE(1, 1, 1, loop.n);
    whole->strides = (tess_strides){ { 0, 0, 0, loop.stride[0][0] } };
    if (loop.n == 0 || loop.n_dims == 1) return;
    at->dims = loop.n_dims;
    for (int d = 0; d < loop.n_dims; d++) {
        at->shape[d] = loop.shape[d];
        at->stride[d] = loop.stride[0][d];
        if (at->stride[d] < 0) at->start -= (at->shape[d] - 1) * at->stride[d];
    }
    whole->data = (char *)whole->data - at->start * tess__dtype_size(whole->dtype);
    whole->strides.w = 1;
}

/* The elements of an array that broadcasts to a shape, in b, d, h, w order as a row: a view, or a copy in `held`. */
static tess_status lay_in_a_row(tess_array *row, tess_array *held, const tess_array *in, tess_shape shape)
{
    tess_array view;
    tess__loop loop;
    tess__plan_in_order(&loop, shape, &in, 1);
    *row = *in;
    if (loop.n > 0 && loop.n_dims > 1) {
        TESS_TRY(tess_broadcast(&view, in, shape));
        TESS_TRY(tess_copy(held, &view));
        *row = *held;
        loop.stride[0][0] = 1;
    }
    row->shape = TESS_SHAPE(1, 1, 1, loop.n);
    row->strides = (tess_strides){ { 0, 0, 0, loop.stride[0][0] } };
    return TESS_OK;
}

/* ---- Take ---- */

static tess_status take(const char *fn, tess_array *out, const tess_array *in, const tess_array *indices,
                        tess_shape shape, int axis)
{
    tess_array     held[2] = { { .data = NULL }, { .data = NULL } };
    tess__take_put work = { .name = fn, .kind = TESS__TAKE, .axis = axis, .indices_shape = indices->shape };
    tess__rows     rows = { .name = fn };
    const bool     made = tess__is_empty_out(out);
    tess_status    status = TESS_OK;
    TESS_TRY(check_output(fn, out, shape, in, indices));
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &in));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &indices));
    TESS_GOTO(done, status, tess__bring(&held[1], out->device));
    TESS_GOTO(done, status, tess__check_device_of(fn, "indices", indices, "in", in));
    work.out = *out, work.in = *in, work.indices = *indices;
    if (axis == WHOLE && tess__elements(in) / INDEX_COST <= tess__elements(indices))
        TESS_GOTO(done, status, tess__rows_read(&rows, &work.in));
    if (axis == WHOLE) lay_flat(&work, &work.in, "in");
    TESS_GOTO(done, status, tess__take_put_run(&work));
done:
    status = tess__rows_end(&rows, status);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

tess_status tess_take(tess_array *out, const tess_array *in, const tess_array *indices, int axis)
{
    tess_array row;
    TESS_TRY(tess__check_pointer("take", "out", out));
    TESS_TRY(tess__check_array("take", "in", in));
    TESS_TRY(tess__check_index_array("take", indices));
    TESS_TRY(tess__check_axis("take", "axis", &axis));
    TESS_TRY(tess__check_on("take", "in", in, "indices", indices));
    TESS_TRY(row_along_axis("take", &row, indices, axis));
    tess_shape shape = in->shape;
    shape.dim[axis] = row.shape.dim[axis];
    TESS_TRY(take("take", out, in, &row, shape, axis));
    return TESS_OK;
}

tess_status tess_take_along(tess_array *out, const tess_array *in, const tess_array *indices, int axis)
{
    static const char *const names[2] = { "in", "indices" };
    TESS_TRY(tess__check_pointer("take_along", "out", out));
    TESS_TRY(tess__check_array("take_along", "in", in));
    TESS_TRY(tess__check_index_array("take_along", indices));
    TESS_TRY(tess__check_axis("take_along", "axis", &axis));
    TESS_TRY(tess__check_on("take_along", "in", in, "indices", indices));
    tess_shape        shape;
    tess_array        vectors[2] = { *in, *indices };
    const tess_array *inputs[2] = { &vectors[0], &vectors[1] };
    for (int k = 0; k < 2; k++) vectors[k].shape.dim[axis] = 1;
    TESS_TRY(tess__common_shape(&shape, "take_along", names, inputs, 2));
    shape.dim[axis] = indices->shape.dim[axis];
    TESS_TRY(take("take_along", out, in, indices, shape, axis));
    return TESS_OK;
}

tess_status tess_take_flat(tess_array *out, const tess_array *in, const tess_array *indices)
{
    TESS_TRY(tess__check_pointer("take_flat", "out", out));
    TESS_TRY(tess__check_array("take_flat", "in", in));
    TESS_TRY(tess__check_index_array("take_flat", indices));
    TESS_TRY(tess__check_on("take_flat", "in", in, "indices", indices));
    TESS_TRY(take("take_flat", out, in, indices, indices->shape, WHOLE));
    return TESS_OK;
}

/* ---- Put ---- */

/* Through the whole output, indices and what is put there are rows. */
static tess_status put_rows(tess__take_put *work)
{
    tess_array       held[2] = { { .data = NULL }, { .data = NULL } };
    const tess_array in = work->in, indices = work->indices;
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, lay_in_a_row(&work->in, &held[0], &in, work->indices_shape));
    TESS_GOTO(done, status, lay_in_a_row(&work->indices, &held[1], &indices, work->indices_shape));
    lay_flat(work, &work->out, "out");
    TESS_GOTO(done, status, tess__take_put_run(work));
done:
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    return status;
}

static tess_status put(const char *fn, tess_array *out, const tess_array *in, const tess_array *indices, int axis,
                       bool add)
{
    tess_array     held[2] = { { .data = NULL }, { .data = NULL } };
    tess__take_put work = {
        .name = fn, .kind = add ? TESS__PUT_ADD : TESS__PUT, .axis = axis, .out = *out, .indices_shape = indices->shape
    };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__take_on(fn, "in", &held[0], &in, out));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &indices));
    for (int k = 0; k < 2; k++) TESS_GOTO(done, status, tess__bring(&held[k], out->device));
    work.in = *in, work.indices = *indices;
    TESS_GOTO(done, status, axis == WHOLE ? put_rows(&work) : tess__take_put_run(&work));
done:
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    return status;
}

tess_status tess_put(tess_array *out, const tess_array *in, const tess_array *indices, int axis,
                     const tess_put_opts *opts)
{
    tess_put_opts o;
    tess_array    row;
    TESS_TRY(tess__resolve(&tess__info_put, opts, &o));
    TESS_TRY(tess__check_writable("put", "out", out));
    TESS_TRY(tess__check_array("put", "in", in));
    TESS_TRY(tess__check_index_array("put", indices));
    TESS_TRY(tess__check_axis("put", "axis", &axis));
    TESS_TRY(tess__check_on("put", "out", out, "in", in));
    TESS_TRY(tess__check_on("put", "out", out, "indices", indices));
    TESS_TRY(row_along_axis("put", &row, indices, axis));
    tess_shape shape = out->shape;
    shape.dim[axis] = row.shape.dim[axis];
    TESS_TRY(tess__check_broadcast("put", "in", in, "out at indices", &shape));
    TESS_TRY(tess__check_overlap("put", out, "in", in, false));
    TESS_TRY(tess__check_overlap("put", out, "indices", indices, false));
    TESS_TRY(put("put", out, in, &row, axis, o.add));
    return TESS_OK;
}

tess_status tess_put_flat(tess_array *out, const tess_array *in, const tess_array *indices, const tess_put_opts *opts)
{
    const char   *fn = "put_flat";
    tess_put_opts o;
    TESS_TRY(tess__resolve(&tess__info_put_flat, opts, &o));
    TESS_TRY(tess__check_writable(fn, "out", out));
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_TRY(tess__check_index_array(fn, indices));
    TESS_TRY(tess__check_on(fn, "out", out, "in", in));
    TESS_TRY(tess__check_on(fn, "out", out, "indices", indices));
    TESS_TRY(tess__check_broadcast(fn, "in", in, "indices", &indices->shape));
    TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    TESS_TRY(tess__check_overlap(fn, out, "indices", indices, false));
    TESS_TRY(put(fn, out, in, indices, WHOLE, o.add));
    return TESS_OK;
}
