/* Lists of small vectors and matrices: strided items to contiguous rows in the host's memory, and back. */
#include "core/check/check.h"
#include "core/check/output.h"
#include "ops/geometry/items/items.h"
#include "tessera/device.h"

/* The rows of a list, as items of the shape of others. */
static tess__items rows_of(const tess_array *list, const tess__items *like)
{
    tess__items rows = *like;
    rows.first = *list;
    rows.first.shape = like->first.shape;
    rows.first.strides = tess_strides_contiguous(like->first.shape, 'C');
    for (int k = 0; k < 4; k++) rows.first.strides.dim[k] *= like->rows * like->columns;
    rows.row_step = like->columns;
    rows.column_step = 1;
    return rows;
}

static tess_status copy_items(const tess__items *to, const tess__items *from)
{
    for (int row = 0; row < to->rows; row++)
        for (int column = 0; column < to->columns; column++) {
            tess_array       target = tess__items_component(to, row, column);
            const tess_array source = tess__items_component(from, row, column);
            TESS_TRY(tess_cast(&target, &source, target.dtype, NULL));
        }
    return TESS_OK;
}

static tess_shape list_shape(const tess__items *items)
{
    return TESS_SHAPE(1, 1, tess_n_elements(&items->first), items->rows * items->columns);
}

tess_status tess__items_fetch(tess_array *out, const char *fn, const tess__items *items)
{
    const tess_device device = items->first.device;
    tess_array        list = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__make(fn, &list, list_shape(items), TESS_F64, device, false));
    const tess__items rows = rows_of(&list, items);
    TESS_GOTO(done, status, copy_items(&rows, items));
    TESS_GOTO(done, status, tess_to_device(out, &list, tess_cpu()));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(device)));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(tess_cpu())));
done:
    tess_release(&list);
    return status;
}

tess_status tess__items_put(const tess__items *items, const char *fn, const double *list)
{
    tess_array  host = { .data = NULL }, there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__make(fn, &host, list_shape(items), TESS_F64, tess_cpu(), false));
    double *to = host.data;
    for (int64_t i = 0; i < tess_n_elements(&host); i++) to[i] = list[i];
    TESS_GOTO(done, status, tess_to_device(&there, &host, items->first.device));
    const tess__items rows = rows_of(&there, items);
    TESS_GOTO(done, status, copy_items(items, &rows));
done:
    tess_release(&host);
    tess_release(&there);
    return status;
}
