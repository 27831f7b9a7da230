/* Operators that read views: TESS_TEST_OPERATORS of them, so that compilers are asked for more and more. Their loops
 * must call nothing but what is rare. */
#include "tessera.h"

/* clang-format off */
#define WARP(name, method)                                                                                              \
    TESS_IWISE(name, (view(f32,v), val(f32,s), out(f32,z)),                                                             \
        f32 y = (f32)h*0.75f + (f32)w*s; f32 x = (f32)w*0.75f - (f32)h*s;                                               \
        z = tessm_interp_##method(v, b, d, y, x); )
WARP(nearest, nearest)
#if TESS_TEST_OPERATORS > 1
WARP(linear, linear)
WARP(cosine, cosine)
WARP(cubic, cubic)
WARP(bspline, bspline)
WARP(lanczos4, lanczos4)
WARP(lanczos6, lanczos6)
WARP(lanczos8, lanczos8)
WARP(again, nearest)
WARP(slope, cubic_dx)
TESS_IWISE(volume, (view(f32,v,clamp), out(f32,z)), z = tessm_interp3_linear(v, b, (f32)d*0.5f, (f32)h*0.5f, (f32)w*0.5f); )
#endif
/* clang-format on */

extern const tess_op_def *const operators[];
const tess_op_def *const        operators[] = { &nearest,
#if TESS_TEST_OPERATORS > 1
                                         &linear,   &cosine,   &cubic, &bspline, &lanczos4,
                                         &lanczos6, &lanczos8, &again, &slope, &volume
#endif
};
