/* Tables of results that grow row by row: memory doubles when it is full. */
#include "jobs/data/particles/table_rows.h"

#include <string.h>

#include "core/device/memory.h"

static tess_status grow(tess__table_rows *rows, const char *fn)
{
    const int64_t capacity = rows->capacity ? 2 * rows->capacity : 64;
    double       *values = tess__alloc(sizeof *values * (size_t)(capacity * rows->width));
    TESS_CHECK(values, TESS_ENOMEM, "%s: out of memory for a table of %lld rows", fn, (long long)capacity);
    if (rows->n) memcpy(values, rows->values, sizeof *values * (size_t)(rows->n * rows->width));
    tess__free(rows->values);
    rows->values = values;
    rows->capacity = capacity;
    return TESS_OK;
}

tess_status tess__table_rows_add(tess__table_rows *rows, const char *fn, const double *row)
{
    if (rows->n == rows->capacity) TESS_TRY(grow(rows, fn));
    memcpy(rows->values + rows->n * rows->width, row, sizeof *row * (size_t)rows->width);
    rows->n++;
    return TESS_OK;
}

tess_status tess__table_rows_array(tess_array *out, const tess__table_rows *rows)
{
    TESS_TRY(tess_empty(out, TESS_SHAPE(1, 1, rows->n, rows->width), TESS_F64, tess_cpu()));
    if (rows->n) memcpy(out->data, rows->values, sizeof *rows->values * (size_t)(rows->n * rows->width));
    return TESS_OK;
}

void tess__table_rows_free(tess__table_rows *rows)
{
    tess__free(rows->values);
    *rows = (tess__table_rows){ .width = rows->width };
}
