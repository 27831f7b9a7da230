/* Your own loops over any array: TESS_AT is an lvalue, a span keeps pointer and strides where the compiler sees them. */
#include <stdio.h>

#include "tessera.h"

/* Every element plus the one to its right, whatever the strides of the array. */
static tess_status smooth(tess_array *a)
{
    tess_span_f32 s;
    TESS_TRY(tess_as_f32(&s, a)); /* rejects other dtypes, and arrays on a GPU */
    for (int64_t b = 0; b < s.shape.b; b++)
        for (int64_t d = 0; d < s.shape.d; d++)
            for (int64_t h = 0; h < s.shape.h; h++)
                for (int64_t w = 0; w + 1 < s.shape.w; w++)
                    TESS_AT(float, s, b, d, h, w) =
                        0.5f * (TESS_AT(float, s, b, d, h, w) + TESS_AT(float, s, b, d, h, w + 1));
    return TESS_OK;
}

static tess_status run(void)
{
    float      memory[12];
    char       text[512];
    tess_array a = { 0 }, columns = { 0 };
    for (int i = 0; i < 12; i++) memory[i] = (float)(i * i);
    TESS_TRY(tess_wrap(&a, memory, TESS_SHAPE(1, 1, 3, 4), TESS_F32, &(tess_wrap_opts){ .length = 12 }));
    TESS_TRY(smooth(&a));
    TESS_TRY(tess_transpose(&columns, &a)); /* the same memory, down its columns */
    TESS_TRY(smooth(&columns));
    TESS_TRY(tess_format(text, sizeof text, NULL, &a, NULL));
    puts(text);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
