#include "support/test.h"
TEST(makes_and_releases)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    CHECK_I64(tess_n_elements(&a), 6);
    CHECK_FAILS(tess_transpose(&a, NULL), TESS_EARG, "a is NULL");
    tess_release(&a);
}
