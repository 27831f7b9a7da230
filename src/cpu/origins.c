/* Origins read and converted, a row at a time. */
#include "cpu/origins.h"

#include "core/layout.h"
#include "cpu/convert.h"

static int64_t sensible(int64_t x)
{
    return x > TESS__MOST_BYTES ? TESS__MOST_BYTES : x < -TESS__MOST_BYTES ? -TESS__MOST_BYTES : x;
}

void tess__read_origins(int64_t (*place)[4], const tess_array *origins, int64_t first, int64_t n, int64_t batches)
{
    const tess__conversion c = tess__conversion_of(origins->dtype, TESS_I64, TESS__CLAMP, TESS_PART_DEFAULT);
    const int64_t          k = origins->shape.w, size = tess__dtype_size(origins->dtype);
    const int64_t          strides[2] = { 1, origins->strides.w };
    for (int64_t i = 0; i < n; i++) {
        int64_t    *at = place[i];
        char *const row = (char *)origins->data + (first + i) * origins->strides.b * size;
        at[0] = batches == 1 ? 0 : first + i;
        at[1] = 0;
        c.row((char *[]){ (char *)(at + 4 - k), row }, strides, k, &c);
        for (int axis = 0; axis < 4; axis++) at[axis] = sensible(at[axis]);
    }
}
