/* cuFFT: plans, cached by layout. */
#ifndef TESS_CUDA_VENDOR_CUFFT_H
#define TESS_CUDA_VENDOR_CUFFT_H

#include "cuda/runtime/device.h"

/* What a transform converts, as cuFFT numbers it. */
enum {
    TESS__CUFFT_C2C = 0x29,
    TESS__CUFFT_R2C = 0x2a,
    TESS__CUFFT_C2R = 0x2c,
    TESS__CUFFT_Z2Z = 0x69,
    TESS__CUFFT_D2Z = 0x6a,
    TESS__CUFFT_Z2D = 0x6c
};

/* Transforms of equal layout, one after the other in memory. All that a plan depends on; in elements. */
typedef struct tess__cufft_layout {
    int64_t rank, type, batch;
    int64_t n[3];
    int64_t in_embed[3], in_stride, in_distance;
    int64_t out_embed[3], out_stride, out_distance;
} tess__cufft_layout;

/* Transform on the call's stream; sign is -1 or 1 and counts for complex to complex. What of the layout is not used
 * must be 0. */
tess_status tess__cufft_run(tess__cuda_call *call, const tess__cufft_layout *layout, int sign, tess__cu_address out,
                            tess__cu_address in);

/* 12000 is 12.0; 0 if there is no such library, which is no failure here. */
int tess__cufft_version(void);

/* Make the plan now, for later; bytes of workspace that it needs. */
tess_status tess__cufft_prepare(tess__cuda_call *call, const tess__cufft_layout *layout, size_t *workspace);

#endif
