/* Non-temporal copy of many short rows, for results too large for the caches: a window that lies inside the input. */
#include "cpu/memory/loops.h"
#include "cpu/memory/row_copy.h"
#include "cpu/resize/window.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum { MIN_ROW = 128 /* bytes */ };

/* In bytes, so that elements may have any size. */
static void set_axes(tess__windows *w, const tess__loop *loop)
{
    const int     unused = 4 - loop->n_dims;
    const int64_t size = loop->size[0];
    for (int k = 0; k < unused; k++) w->axis[k] = (tess__axis){ 1, 1, 0, 0, k };
    for (int k = unused; k < 4; k++) {
        const int d = k - unused;
        w->axis[k] =
            (tess__axis){ loop->shape[d], loop->shape[d], loop->stride[0][d] * size, loop->stride[1][d] * size, k };
    }
    tess__axis *row = &w->axis[TESS__ROW];
    row->n = row->n_in = row->n * size;
    row->so = row->si = 1;
}

bool tess__copy_nt(const tess__loop *loop, double cost)
{
    const int     last = loop->n_dims - 1;
    const int64_t size = loop->size[0], bytes = loop->shape[last] * size, rows = loop->n / loop->shape[last];
    if (!TESS__HAVE_NT_STORES || loop->n * size < TESS__NT_MIN_BYTES || bytes < MIN_ROW) return false;
    const tess__window   work = { .out.data = loop->data[0], .in.data = loop->data[1], .border = TESS_BORDER_ZERO };
    const tess__position position = { .number = 0 };
    tess__windows        w = { .work = &work, .rows = rows, .n = 1, .position = &position, .size = 1, .fills = true };
    w.repeats = true;
    set_axes(&w, loop);
    tess__parallel(rows, tess__grain(rows, cost * (double)loop->shape[last]), tess__nt_windows, &w);
    return true;
}
