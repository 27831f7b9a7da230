/* Small vectors, matrices and quaternions: examples, identities, and what is known of rotations. */
#include <math.h>

#include "support/test.h"
#include "tessera/math/linear.op.h"

#define R float
#define N(name) name##_f32
#define SLACK 1e-5
#include "api/linear.c.inc"

#define R double
#define N(name) name##_f64
#define SLACK 1e-13
#include "api/linear.c.inc"

#define BOTH(name)                                                                                                     \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        name##_f32();                                                                                                  \
        name##_f64();                                                                                                  \
    }
BOTH(vectors)
BOTH(square_matrices)
BOTH(cancels)
BOTH(affine_matrices)
BOTH(quaternions)
BOTH(slerp)
