/* Jobs on arrays in memory: the resolution of two half maps, a sharpened map, and its local resolution inside a mask.
 * The maps are a ball with structure down to 6 A, and noise; a mask blurs shells, so that the curves fall a little
 * later.
 * The program fails if the resolution is wrong. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 48 };
#define PIXEL 1.5

static const tess_shape shape = { { 1, SIZE, SIZE, SIZE } };

/* A soft ball of white noise without anything finer than 6 A, and noise that the other half map does not have. */
static tess_status make_half(tess_array *map, const tess_array *ball, uint64_t seed)
{
    tess_array signal = { 0 };
    TESS_TRY(tess_empty(&signal, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(map, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&signal, 0, 1, 1, NULL));
    TESS_TRY(tess_mul(&signal, &signal, ball));
    TESS_TRY(tess_lowpass_image(&signal, &signal, PIXEL / 6, &(tess_lowpass_opts){ .width = 0.01 }));
    TESS_TRY(tess_random_normal(map, 0, 0.3, seed, NULL));
    TESS_TRY(tess_add(map, map, &signal));
    tess_release(&signal);
    return TESS_OK;
}

static int32_t report(void *user, const tess_progress *p)
{
    (void)user;
    fprintf(stderr, "\r%s: %lld of %lld", p->stage, (long long)p->done, (long long)p->total);
    if (p->done == p->total) fputc('\n', stderr);
    return 0; /* another number cancels */
}

static tess_status measure(const tess_source *one, const tess_source *two, const tess_source *mask, double found[2])
{
    const tess_context           context = { .progress = report };
    tess_half_map_fsc_result     fsc = { 0 };
    tess_sharpen_result          sharp = { 0 };
    tess_local_resolution_result local = { 0 };
    TESS_TRY(tess_half_map_fsc(&fsc, one, two, &(tess_half_map_fsc_opts){ .mask = mask }, &context));
    printf("FSC 0.143 at %.2f A, 0.5 at %.2f A\n", fsc.resolution_143, fsc.resolution_500);
    TESS_TRY(tess_sharpen(&sharp, one, two, &(tess_sharpen_opts){ .mask = mask, .bfactor = -50 }, &context));
    printf("sharpened by %.0f A^2 to %.2f A: {%lld,%lld,%lld,%lld}\n", sharp.bfactor, sharp.lowpass,
           (long long)sharp.map.shape.b, (long long)sharp.map.shape.d, (long long)sharp.map.shape.h,
           (long long)sharp.map.shape.w);
    const tess_local_resolution_opts opts = { .mask = mask, .radius = 9, .soft = 4, .step = 8 };
    TESS_TRY(tess_local_resolution(&local, one, two, &opts, &context));
    printf("local resolution: median %.2f A, 90 %% between %.2f and %.2f A\n", local.median, local.quantile_5,
           local.quantile_95);
    found[0] = fsc.resolution_500;
    found[1] = local.median;
    tess_half_map_fsc_result_release(&fsc);
    tess_sharpen_result_release(&sharp);
    tess_local_resolution_result_release(&local);
    return TESS_OK;
}

static tess_status run(double found[2])
{
    const tess_meta meta = { .pixel_size = { PIXEL, PIXEL, PIXEL } };
    tess_array      ball = { 0 }, half[2] = { { .data = NULL }, { .data = NULL } };
    tess_source     in[2], mask;
    TESS_TRY(tess_zeros(&ball, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_draw_sphere(&ball, NULL, &tess_f64(SIZE / 4), &(tess_draw_opts){ .width = 5 }));
    TESS_TRY(tess_source_array(&mask, &ball, "mask", &meta));
    for (int k = 0; k < 2; k++) {
        TESS_TRY(make_half(&half[k], &ball, 2 + (uint64_t)k));
        TESS_TRY(tess_source_array(&in[k], &half[k], k ? "half2" : "half1", &meta));
    }
    TESS_TRY(measure(&in[0], &in[1], &mask, found));
    for (int k = 0; k < 2; k++) tess_release(&half[k]);
    tess_release(&ball);
    return TESS_OK;
}

int main(void)
{
    double found[2];
    if (run(found) == TESS_OK) return fabs(found[0] - 6) > 0.5 || fabs(found[1] - 6) > 0.8;
    fputs(tess_error_trace(), stderr);
    return 1;
}
