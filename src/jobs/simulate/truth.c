/* Rows of numbers on the device that uses them, and as tables of a result. */
#include "jobs/simulate/truth.h"

#include "jobs/run/context.h"
#include "tessera/ewise.h"

tess_status tess__copy_to_device(tess_array *to, const tess_array *from, tess_device device)
{
    TESS_TRY(tess_copy(to, from));
    return tess__move(to, device);
}

void tess__rows_to_table(tess_array *rows)
{
    if (!rows->data) return;
    rows->shape = TESS_SHAPE(1, 1, rows->shape.b, rows->shape.w);
    rows->strides = tess_strides_contiguous(rows->shape, 'C');
}
