/* Arrays in rows: contiguous copies that stand in for arrays whose neighbours along a row are apart in memory. */
#include "core/array/rows.h"

#include "backend.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/array/plan.h"
#include "core/device/stream.h"

enum { MIN_BYTES = 1 << 15 }; /* below, an array is in the first cache, where any walk is fast */

/* Its innermost axis of more than one element, if any, has neighbours in memory. */
static bool is_in_rows(const tess_array *a)
{
    for (int d = 3; d >= 0; d--)
        if (a->shape.dim[d] != 1) return a->strides.dim[d] == 1;
    return true;
}

/* The axis along which elements are nearest in memory, with the sign of its stride from 1 to 4; 0: it has none. */
static int nearest_axis(const tess_array *a)
{
    int64_t least = INT64_MAX;
    int     axis = 0;
    for (int d = 3; d >= 0; d--) {
        const int64_t stride = a->strides.dim[d];
        if (a->shape.dim[d] == 1 || stride == 0 || tess__magnitude(stride) >= least) continue;
        least = tess__magnitude(stride);
        axis = stride < 0 ? -(d + 1) : d + 1;
    }
    return axis;
}

bool tess__rows_differ(const tess_array *a, const tess_array *b)
{
    const int x = nearest_axis(a), y = nearest_axis(b);
    return x != 0 && y != 0 && x != y;
}

static bool pays(const tess_array *a)
{
    return a->data && a->device.kind == TESS_CPU && !(a->flags & TESS_SCALAR) && tess__has_elements(a) &&
           tess_n_bytes(a) >= MIN_BYTES && !is_in_rows(a);
}

static tess_status copy(const char *name, const tess_array *out, const tess_array *in)
{
    const tess_array *operands[2] = { out, in };
    tess_stream      *stream = NULL;
    tess__ewise       work;
    work.name = name;
    work.kind = TESS__COPY;
    tess__plan(&work.loop, out->shape, operands, 2);
    TESS_TRY(tess__stream_need(&stream, name, out->device));
    TESS_TRY(stream->backend->ewise(stream, &work, 1));
    return TESS_OK;
}

/* One element along axes that are broadcast. */
static tess_array without_broadcast(const tess_array *a)
{
    tess_array v = *a;
    for (int d = 0; d < 4; d++)
        if (v.strides.dim[d] == 0) v.shape.dim[d] = 1;
    return v;
}

/* A copy of `array`, with its elements if `filled`, takes its place. Without memory for it, it stays. */
static tess_status replace(tess__rows *rows, tess_array *array, bool filled, bool written)
{
    tess_array       made = { .data = NULL };
    const tess_array from = without_broadcast(array);
    if (tess__make(rows->name, &made, from.shape, from.dtype, from.device, false) != TESS_OK) {
        tess_error_clear();
        return TESS_OK;
    }
    tess_status status = TESS_OK;
    if (filled) TESS_GOTO(failed, status, copy(rows->name, &made, &from));
    tess_array stand_in = made;
    for (int d = 0; d < 4; d++) {
        stand_in.shape.dim[d] = array->shape.dim[d];
        if (array->strides.dim[d] == 0) stand_in.strides.dim[d] = 0;
    }
    rows->item[rows->n].given = *array;
    rows->item[rows->n].copy = stand_in;
    rows->item[rows->n++].written = written;
    *array = stand_in;
    return TESS_OK;
failed:
    tess_release(&made);
    return status;
}

tess_status tess__rows_read(tess__rows *rows, tess_array *array)
{
    if (!pays(array)) return TESS_OK;
    TESS_TRY(replace(rows, array, true, false));
    return TESS_OK;
}

tess_status tess__rows_write(tess__rows *rows, tess_array *array, bool keeps)
{
    if (!pays(array)) return TESS_OK;
    for (int i = 0; i < rows->n; i++) {
        if (!tess__same_view(&rows->item[i].given, array)) continue;
        *array = rows->item[i].copy;
        rows->item[i].written = true;
        return TESS_OK;
    }
    TESS_TRY(replace(rows, array, keeps, true));
    return TESS_OK;
}

tess_status tess__rows_end(tess__rows *rows, tess_status status)
{
    for (int i = 0; i < rows->n; i++) {
        if (status == TESS_OK && rows->item[i].written)
            status = copy(rows->name, &rows->item[i].given, &rows->item[i].copy);
        tess_release(&rows->item[i].copy);
    }
    rows->n = 0;
    TESS_TRY(status);
    return TESS_OK;
}
