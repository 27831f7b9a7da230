/* A 2-D convolution as an operator from text: a loop over a kernel of any size, a border of your choice. */
#include <stdio.h>

#include "tessera.h"

static const char text[] =
    "op convolve(view mirror f32 image, view f32 kernel, out f32 result) {"
    "  f32 sum = 0;"
    "  for (i32 i = 0; i < shape(kernel,2); ++i) {"
    "    for (i32 j = 0; j < shape(kernel,3); ++j) {"
    "      sum += kernel[0,0,i,j] * image[b, d, h + shape(kernel,2)/2 - i, w + shape(kernel,3)/2 - j];"
    "    }"
    "  }"
    "  result = sum; }";

static tess_status run(void)
{
    tess_op   *convolve = NULL;
    tess_array image = { 0 }, kernel = { 0 }, result = { 0 };
    char       print[1024];
    TESS_TRY(tess_op_text(&convolve, text));
    TESS_TRY(tess_zeros(&image, TESS_SHAPE(1, 1, 5, 7), TESS_F32, tess_cpu()));
    TESS_TRY(tess_set_f64(&image, 0, 0, 2, 3, 16)); /* a point */
    TESS_TRY(tess_set_f64(&image, 0, 0, 0, 6, 16)); /* and one in the corner, which the border repeats */
    TESS_TRY(tess_empty(&kernel, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()));
    for (int64_t k = 0; k < 9; k++) /* 1 2 1 by 1 2 1, sixteenths */
        TESS_TRY(tess_set_f64(&kernel, 0, 0, k / 3, k % 3, (double)((k / 3 == 1 ? 2 : 1) * (k % 3 == 1 ? 2 : 1)) / 16));
    TESS_TRY(tess_like(&result, &image));
    TESS_TRY(tess_call(convolve, &image, &kernel, &result));
    TESS_TRY(tess_format(print, sizeof print, NULL, &result, NULL));
    puts(print);
    tess_op_release(convolve);
    tess_release(&image);
    tess_release(&kernel);
    tess_release(&result);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
