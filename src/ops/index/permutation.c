/* Random permutations: of numbers, and of the slices of an array (shuffle). */
#include <inttypes.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/random/random.h"

static const tess_arg_info permutation_args[] = {
    TESS__OUT_ALLOCATED("out", "allocated array, filled with the integers from 0 to its number of elements less 1",
                        .sample = "integer"),
    TESS__RANDOM_ARGS,
};
static const tess_arg_info shuffle_args[] = {
    TESS__OUT("out", "the slices in their new order; may be the input (in place)"),
    TESS__IN("in", "array whose slices to shuffle"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis along which slices are numbered"),
    TESS__RANDOM_ARGS,
};
TESS__RANDOM_INFO(permutation, "Random permutation of the integers from 0.", v[0].out, v[1].u64, opts);
TESS__RANDOM_INFO(shuffle, "Shuffle the slices of an array.", v[0].out, v[1].in, v[2].i32, v[3].u64, opts);

/* Workspace of a permutation of n; allocated in the call, so that a lack of memory is reported by it. */
static tess_status make_workspace(tess__random *work, int64_t n)
{
    TESS_TRY(tess__make(work->name, &work->workspace, TESS_SHAPE(1, 1, 4, n), TESS_U64, work->out.device, false));
    return TESS_OK;
}

static tess_status check_holds(const tess_array *out, int64_t n)
{
    const tess_kind kind = tess_dtype_kind(out->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "random_permutation: `out` is %s; an integer type is needed", tess_dtype_name(out->dtype));
    const int bits = 8 * (int)tess_dtype_size(out->dtype) - (kind == TESS_KIND_INT);
    TESS_CHECK(bits >= 63 || n <= INT64_C(1) << bits, TESS_EDTYPE,
               "random_permutation: `out` is %s and has %" PRId64 " elements; a type that holds %" PRId64 " is needed",
               tess_dtype_name(out->dtype), n, n - 1);
    return TESS_OK;
}

tess_status tess_random_permutation(tess_array *out, uint64_t seed, const tess_random_opts *opts)
{
    tess__random work;
    TESS_TRY(tess__random_begin(&work, &tess__info_random_permutation, TESS__RANDOM_PERMUTATION, out, seed, opts));
    const int64_t n = tess_n_elements(out);
    TESS_TRY(check_holds(out, n));
    if (n == 0) return TESS_OK;
    TESS_TRY(make_workspace(&work, n));
    const tess_status status = tess__random_run(&work);
    tess_release(&work.workspace);
    return status;
}

/* ---- Shuffle: slices taken by a permutation of their indices ---- */

/* i64 in a row along the axis. */
static tess_status make_order(tess__random *work, tess_array *order, int64_t n, int axis)
{
    tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
    shape.dim[axis] = n;
    TESS_TRY(tess__make(work->name, order, shape, TESS_I64, work->out.device, false));
    work->out = *order;
    TESS_TRY(make_workspace(work, n));
    TESS_TRY(tess__random_run(work));
    return TESS_OK;
}

/* In place, the slices come from a copy. */
static tess_status copy_input(tess__take_put *work, tess_array *copy)
{
    if (work->in.data != work->out.data) return TESS_OK;
    TESS_TRY(tess__make(work->name, copy, work->in.shape, work->in.dtype, work->in.device, false));
    TESS_TRY(tess_copy(copy, &work->in));
    work->in = *copy;
    return TESS_OK;
}

static tess_status shuffle(tess__random *random, const tess_array *in, int axis)
{
    tess__take_put work = { .name = random->name, .kind = TESS__TAKE, .axis = axis, .out = random->out, .in = *in };
    tess_array     copy = { .data = NULL };
    tess_status    status = TESS_OK;
    TESS_GOTO(done, status, make_order(random, &work.indices, in->shape.dim[axis], axis));
    TESS_GOTO(done, status, copy_input(&work, &copy));
    TESS_GOTO(done, status, tess__take_put_run(&work));
done:
    tess_release(&random->workspace);
    tess_release(&work.indices);
    tess_release(&copy);
    return status;
}

tess_status tess_random_shuffle(tess_array *out, const tess_array *in, int axis, uint64_t seed,
                                const tess_random_opts *opts)
{
    const char      *fn = "random_shuffle";
    tess_random_opts o;
    tess__random     work;
    TESS_TRY(tess__resolve(&tess__info_random_shuffle, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_TRY(tess__check_axis(fn, "axis", &axis));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, in->dtype, in->device));
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__check_overlap(fn, out, "in", in, true));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status,
              tess__random_begin(&work, &tess__info_random_shuffle, TESS__RANDOM_PERMUTATION, out, seed, opts));
    TESS_GOTO(done, status, shuffle(&work, in, axis));
done:
    tess_release(&held);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
