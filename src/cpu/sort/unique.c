/* Unique elements of an array: sorts the keys, then finds runs of equal ones in one pass. */
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/stream.h"
#include "cpu/sort/argsort.h"

/* ---- Sorting ---- */

/* Copies the elements into a contiguous array and converts them to keys in place. */
static void make_keys(const tess__unique *work, const tess__key_kernel *kernel, const tess__order *order)
{
    tess_array        copy = work->keys;
    const tess_array *operands[2] = { &copy, &work->in };
    int64_t           stride = 1;
    tess__loop        loop;
    copy.shape = work->in.shape;
    for (int d = 3; d >= 0; d--) {
        copy.strides.dim[d] = stride;
        stride *= copy.shape.dim[d];
    }
    tess__plan(&loop, copy.shape, operands, 2);
    tess__cpu_copy(&loop);
    kernel->keys(copy.data, copy.data, work->keys.shape.w, order);
}

#define U uint8_t
#define SUFFIX 1
#include "cpu/sort/unique.c.inc"
#define U uint16_t
#define SUFFIX 2
#include "cpu/sort/unique.c.inc"
#define U uint32_t
#define SUFFIX 4
#include "cpu/sort/unique.c.inc"
#define U uint64_t
#define SUFFIX 8
#include "cpu/sort/unique.c.inc"

tess_status tess__cpu_unique(const tess__unique *work)
{
    const int64_t           n = work->keys.shape.w, size = tess__dtype_size(work->keys.dtype);
    const tess__order       order = tess__order_of(work->in.dtype, false, true);
    const tess__key_kernel *kernel = tess__cpu_kernels()->sort.key[tess__log2_size(size)];
    if (work->kind == TESS__UNIQUE_SORT) {
        make_keys(work, kernel, &order);
        if (tess__cancelled()) return TESS_OK;
        TESS_TRY(tess__argsort_keys(work->name, work->keys.data, work->order.data, n, size));
        if (tess__cancelled()) return TESS_OK;
        *work->n_unique = size == 1   ? count_1(work, n)
                          : size == 2 ? count_2(work, n)
                          : size == 4 ? count_4(work, n)
                                      : count_8(work, n);
        return TESS_OK;
    }
    if (size == 1) write_1(work, n);
    else if (size == 2) write_2(work, n);
    else if (size == 4) write_4(work, n);
    else write_8(work, n);
    if (work->values.data) kernel->numbers(work->values.data, work->values.data, work->values.shape.w, &order);
    return TESS_OK;
}
