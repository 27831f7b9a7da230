/* Inverses of square matrices of TESS__SIZE (TESS__MAT, TESS__M) from TESS__COFACTOR and, with TESS__AFFINE, of affine
 * matrices (TESS__A) composed of them and vectors (TESS__VEC, TESS__V): included by linear_any.op.h for each size with
 * macros, which are undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__SIZE

TESS_FN TESS__MAT TESS__M(inverse)(TESS__MAT a)
{
    const TESS__REAL d = TESS__M(determinant)(a);
    TESS__MAT        r;
    for (int i = 0; i < TESS__SIZE; i++)
        for (int j = 0; j < TESS__SIZE; j++) r.at[i * TESS__SIZE + j] = TESS__COFACTOR(a, j, i) / d;
    return r;
}

#ifdef TESS__AFFINE

/* [a | t] */
TESS_FN TESS__AFFINE TESS__A(of)(TESS__MAT a, TESS__VEC t)
{
    TESS__AFFINE r;
    for (int i = 0; i < TESS__SIZE; i++) {
        for (int j = 0; j < TESS__SIZE; j++) r.at[i * (TESS__SIZE + 1) + j] = a.at[i * TESS__SIZE + j];
        r.at[i * (TESS__SIZE + 1) + TESS__SIZE] = t.at[i];
    }
    return r;
}

TESS_FN TESS__MAT TESS__A(linear)(TESS__AFFINE a)
{
    TESS__MAT r;
    for (int i = 0; i < TESS__SIZE; i++)
        for (int j = 0; j < TESS__SIZE; j++) r.at[i * TESS__SIZE + j] = a.at[i * (TESS__SIZE + 1) + j];
    return r;
}

TESS_FN TESS__VEC TESS__A(translation)(TESS__AFFINE a)
{
    TESS__VEC t;
    for (int i = 0; i < TESS__SIZE; i++) t.at[i] = a.at[i * (TESS__SIZE + 1) + TESS__SIZE];
    return t;
}

TESS_FN TESS__AFFINE TESS__A(identity)(void)
{
    TESS__VEC none;
    for (int i = 0; i < TESS__SIZE; i++) none.at[i] = 0;
    return TESS__A(of)(TESS__M(identity)(), none);
}

TESS_FN TESS__VEC TESS__A(apply)(TESS__AFFINE a, TESS__VEC p)
{
    return TESS__V(add)(TESS__M(apply)(TESS__A(linear)(a), p), TESS__A(translation)(a));
}

/* b first, then a. */
TESS_FN TESS__AFFINE TESS__A(mul)(TESS__AFFINE a, TESS__AFFINE b)
{
    const TESS__MAT r = TESS__M(mul)(TESS__A(linear)(a), TESS__A(linear)(b));
    return TESS__A(of)(r, TESS__A(apply)(a, TESS__A(translation)(b)));
}

TESS_FN TESS__AFFINE TESS__A(inverse)(TESS__AFFINE a)
{
    const TESS__MAT r = TESS__M(inverse)(TESS__A(linear)(a));
    const TESS__VEC t = TESS__M(apply)(r, TESS__A(translation)(a));
    return TESS__A(of)(r, TESS__V(scale)(t, -1));
}

#undef TESS__AFFINE
#undef TESS__VEC
#undef TESS__V
#undef TESS__A
#endif

#undef TESS__SIZE
#undef TESS__MAT
#undef TESS__M
#undef TESS__COFACTOR

#endif
