/* Vectors of TESS__SIZE elements (TESS__VEC, TESS__V) and square matrices of them (TESS__MAT, TESS__M, TESS__M_):
 * included by linear_any.op.h for each size with macros, which are undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__SIZE

TESS_FN TESS__VEC TESS__V(add)(TESS__VEC a, TESS__VEC b)
{
    TESS__VEC r;
    for (int i = 0; i < TESS__SIZE; i++) r.at[i] = a.at[i] + b.at[i];
    return r;
}

TESS_FN TESS__VEC TESS__V(sub)(TESS__VEC a, TESS__VEC b)
{
    TESS__VEC r;
    for (int i = 0; i < TESS__SIZE; i++) r.at[i] = a.at[i] - b.at[i];
    return r;
}

TESS_FN TESS__VEC TESS__V(mul)(TESS__VEC a, TESS__VEC b)
{
    TESS__VEC r;
    for (int i = 0; i < TESS__SIZE; i++) r.at[i] = a.at[i] * b.at[i];
    return r;
}

TESS_FN TESS__VEC TESS__V(scale)(TESS__VEC a, TESS__REAL s)
{
    TESS__VEC r;
    for (int i = 0; i < TESS__SIZE; i++) r.at[i] = a.at[i] * s;
    return r;
}

TESS_FN TESS__REAL TESS__V(dot)(TESS__VEC a, TESS__VEC b)
{
    TESS__REAL sum = a.at[0] * b.at[0];
    for (int i = 1; i < TESS__SIZE; i++) sum = TESS__LINEAR_FMA(a.at[i], b.at[i], sum);
    return sum;
}

TESS_FN TESS__REAL TESS__V(norm)(TESS__VEC a) { return TESS__LINEAR_SQRT(TESS__V(dot)(a, a)); }

TESS_FN TESS__VEC TESS__V(normalize)(TESS__VEC a)
{
    const TESS__REAL size = TESS__V(norm)(a);
    for (int i = 0; i < TESS__SIZE; i++) a.at[i] /= size;
    return a;
}

TESS_FN TESS__MAT TESS__M(identity)(void)
{
    TESS__MAT r;
    for (int i = 0; i < TESS__SIZE; i++)
        for (int j = 0; j < TESS__SIZE; j++) r.at[i * TESS__SIZE + j] = (TESS__REAL)(i == j);
    return r;
}

TESS_FN TESS__MAT TESS__M(transpose)(TESS__MAT a)
{
    TESS__MAT r;
    for (int i = 0; i < TESS__SIZE; i++)
        for (int j = 0; j < TESS__SIZE; j++) r.at[i * TESS__SIZE + j] = a.at[j * TESS__SIZE + i];
    return r;
}

TESS_FN TESS__VEC TESS__M(apply)(TESS__MAT a, TESS__VEC v)
{
    TESS__VEC r;
    for (int i = 0; i < TESS__SIZE; i++) {
        r.at[i] = a.at[i * TESS__SIZE] * v.at[0];
        for (int k = 1; k < TESS__SIZE; k++) r.at[i] = TESS__LINEAR_FMA(a.at[i * TESS__SIZE + k], v.at[k], r.at[i]);
    }
    return r;
}

TESS_FN TESS__MAT TESS__M(mul)(TESS__MAT a, TESS__MAT b)
{
    TESS__MAT r;
    for (int j = 0; j < TESS__SIZE; j++) {
        TESS__VEC column;
        for (int i = 0; i < TESS__SIZE; i++) column.at[i] = b.at[i * TESS__SIZE + j];
        column = TESS__M(apply)(a, column);
        for (int i = 0; i < TESS__SIZE; i++) r.at[i * TESS__SIZE + j] = column.at[i];
    }
    return r;
}

/* Tests whether two rows or two columns of finite numbers are equal. */
TESS_FN int TESS__M_(repeats)(TESS__MAT a)
{
    int any = 0;
    for (int i = 1; i < TESS__SIZE; i++)
        for (int j = 0; j < i; j++) {
            int rows = 1, columns = 1;
            for (int k = 0; k < TESS__SIZE; k++) {
                const TESS__REAL x = a.at[i * TESS__SIZE + k], y = a.at[k * TESS__SIZE + i];
                rows &= (x == a.at[j * TESS__SIZE + k]) & (x * 0 == 0);
                columns &= (y == a.at[k * TESS__SIZE + j]) & (y * 0 == 0);
            }
            any |= rows | columns;
        }
    return any;
}

#undef TESS__SIZE
#undef TESS__VEC
#undef TESS__MAT
#undef TESS__V
#undef TESS__M
#undef TESS__M_

#endif
