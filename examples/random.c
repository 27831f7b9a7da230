/* Random numbers belong to indices: an image made in two halves equals the image made in one call, for any number of
 * threads. */
#include <stdio.h>
#include <string.h>

#include "tessera.h"

/* Photons counted by a detector that expects more of them to the right. */
static tess_status expose(tess_array *counts, uint32_t frame, uint64_t first_pixel)
{
    tess_array expected = { 0 };
    TESS_TRY(tess_linspace(&expected, TESS_SHAPE(1, 1, 1, counts->shape.w), TESS_F32, tess_cpu(), 0, 20, NULL));
    const tess_random_opts opts = { .stream = frame, .offset = first_pixel };
    const tess_status      status = tess_random_poisson(counts, &expected, 2024, &opts);
    tess_release(&expected);
    return status;
}

static tess_status run(void)
{
    tess_array whole = { 0 }, halves = { 0 }, part = { 0 };
    char       text[512];
    TESS_TRY(tess_zeros(&whole, TESS_SHAPE(1, 1, 6, 8), TESS_U8, tess_cpu()));
    TESS_TRY(tess_zeros(&halves, TESS_SHAPE(1, 1, 6, 8), TESS_U8, tess_cpu()));
    TESS_TRY(expose(&whole, 7, 0));
    for (int64_t h = 0; h < 6; h += 3) {
        TESS_TRY(tess_slice(&part, &halves, 2, h, h + 3, 1));
        TESS_TRY(expose(&part, 7, (uint64_t)(h * 8)));
    }
    TESS_TRY(tess_format(text, sizeof text, NULL, &whole, NULL));
    puts(text);
    const bool same = memcmp(whole.data, halves.data, 6 * 8) == 0;
    puts(same ? "both halves are the whole" : "the halves differ");
    tess_release(&whole);
    tess_release(&halves);
    TESS_CHECK(same, TESS_EARG, "expose: the halves differ");
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
