/* Cuts an image into overlapping patches, processes each one, and reassembles them by their weighted mean. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 256, PATCH = 64, STEP = 32, ACROSS = (SIZE - PATCH) / STEP + 1, PATCHES = ACROSS * ACROSS };

static tess_status make_origins(tess_array *origins)
{
    TESS_TRY(tess_empty(origins, TESS_SHAPE(PATCHES, 1, 1, 2), TESS_I32, tess_cpu()));
    for (int64_t i = 0; i < PATCHES; i++) {
        TESS_TRY(tess_set_i64(origins, i, 0, 0, 0, i / ACROSS * STEP));
        TESS_TRY(tess_set_i64(origins, i, 0, 0, 1, i % ACROSS * STEP));
    }
    return TESS_OK;
}

/* `a` holds: the image, patches, a window, sums, sums of weights, origins. */
static tess_status work(tess_array *a, double *most)
{
    const tess_shape whole = TESS_SHAPE(1, 1, SIZE, SIZE), patch = TESS_SHAPE(1, 1, PATCH, PATCH);
    TESS_TRY(tess_linspace(&a[0], whole, TESS_F32, tess_cpu(), 0, 1, NULL));
    TESS_TRY(make_origins(&a[5]));
    TESS_TRY(tess_extract(&a[1], &a[0], &a[5], patch, NULL));
    TESS_TRY(tess_mul(&a[1], &a[1], &tess_num(2))); /* what is done to each patch */

    TESS_TRY(tess_full(&a[2], patch, TESS_F32, tess_cpu(), 0.5));
    TESS_TRY(tess_zeros(&a[3], whole, TESS_F32, tess_cpu()));
    TESS_TRY(tess_zeros(&a[4], whole, TESS_F32, tess_cpu()));
    TESS_TRY(tess_insert(&a[3], &a[1], &a[5], &(tess_insert_opts){ .add = 1, .weights = &a[2], .weight_sums = &a[4] }));
    TESS_TRY(tess_div(&a[3], &a[3], &a[4]));
    TESS_TRY(tess_host_max(most, &a[3]));
    return TESS_OK;
}

int main(void)
{
    tess_array        a[6] = { { .dtype = 0 } };
    double            most = 0;
    const tess_status status = work(a, &most);
    for (int i = 0; i < 6; i++) tess_release(&a[i]);
    if (status != TESS_OK) fputs(tess_error_trace(), stderr);
    else printf("%d patches of %d x %d, put together: the largest element is %g\n", PATCHES, PATCH, PATCH, most);
    return status != TESS_OK || most != 2;
}
