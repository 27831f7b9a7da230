/* The functions of interp_any.op.h for one type of coordinates: included there with macros, which are undefined here.
 * Each method exists for a field, the data shared by reads at the same b and d, and for a view. */
#include "tessera/math/fn.h"

#ifdef TESS__INTERP_COORDINATE

#define TESS__C(name) TESS__CAT(name, TESS__INTERP_COORDINATE)
#define TESS__EC(name) TESS__CAT(TESS__E(name), TESS__CAT(_, TESS__INTERP_COORDINATE))

TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field_nearest_)(const TESS__E(tess__field_) * f, TESS__INTERP_C y,
                                                            TESS__INTERP_C x)
{
    TESS__INTERP_C ty, tx;
    int64_t        i, j;
    TESS__C(tess__coordinates_)(y, x, &i, &j, &ty, &tx);
    return TESS__E(tess__taint_)(TESS__E(tess__field_at_)(f, 0, i + (ty >= (TESS__INTERP_C)0.5 ? 1 : 0),
                                                          j + (tx >= (TESS__INTERP_C)0.5 ? 1 : 0)),
                                 (TESS__INTERP_REAL)(ty + tx));
}

TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field3_nearest_)(const TESS__E(tess__field_) * f, TESS__INTERP_C z,
                                                             TESS__INTERP_C y, TESS__INTERP_C x)
{
    const TESS__INTERP_C half = (TESS__INTERP_C)0.5;
    TESS__INTERP_C       tz, ty, tx;
    const int64_t        k = TESS__C(tess__coordinate_)(z, &tz), i = TESS__C(tess__coordinate_)(y, &ty);
    const int64_t        j = TESS__C(tess__coordinate_)(x, &tx);
    const int64_t        up[3] = { tz >= half ? 1 : 0, ty >= half ? 1 : 0, tx >= half ? 1 : 0 };
    return TESS__E(tess__taint_)(TESS__E(tess__field_at_)(f, k + up[0], i + up[1], j + up[2]),
                                 (TESS__INTERP_REAL)(tz + ty + tx));
}

/* By a method that has weights; `along`: as in a window. */
TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field_weighted_)(const TESS__E(tess__field_) * f, int32_t method, int along,
                                                             TESS__INTERP_C y, TESS__INTERP_C x)
{
    TESS__INTERP_C ty, tx;
    int64_t        at[3] = { 0, 0, 0 };
    TESS__C(tess__coordinates_)(y, x, &at[1], &at[0], &ty, &tx);
    const TESS__INTERP_REAL t[3] = { (TESS__INTERP_REAL)tx, (TESS__INTERP_REAL)ty, 0 };
    return TESS__E(tess__window_)(f, method, along, at, t);
}

TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field3_weighted_)(const TESS__E(tess__field_) * f, int32_t method,
                                                              int along, TESS__INTERP_C z, TESS__INTERP_C y,
                                                              TESS__INTERP_C x)
{
    TESS__INTERP_C          tz, ty, tx;
    const int64_t           k = TESS__C(tess__coordinate_)(z, &tz), i = TESS__C(tess__coordinate_)(y, &ty);
    const int64_t           at[3] = { TESS__C(tess__coordinate_)(x, &tx), i, k };
    const TESS__INTERP_REAL t[3] = { (TESS__INTERP_REAL)tx, (TESS__INTERP_REAL)ty, (TESS__INTERP_REAL)tz };
    return TESS__E(tess__window_)(f, method, along, at, t);
}

#define TESS__INTERP_UNWEIGHTED(name, NAME, short_name, taps, cost, help)
#define TESS__INTERP(name, NAME, method, taps, cost, help)                                                             \
    TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field_##method##_)(const TESS__E(tess__field_) * f, TESS__INTERP_C y,  \
                                                                   TESS__INTERP_C x)                                   \
    {                                                                                                                  \
        return TESS__EC(tess__field_weighted_)(f, TESS_INTERP_##NAME, 0, y, x);                                        \
    }                                                                                                                  \
    TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__field3_##method##_)(const TESS__E(tess__field_) * f, TESS__INTERP_C z, \
                                                                    TESS__INTERP_C y, TESS__INTERP_C x)                \
    {                                                                                                                  \
        return TESS__EC(tess__field3_weighted_)(f, TESS_INTERP_##NAME, 0, z, y, x);                                    \
    }
#include "tessera/math/interps.def"

#define TESS__INTERP(name, NAME, method, taps, cost, help)                                                             \
    TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__interp_##method##_)(const TESS__E(tess_view_) * v, int64_t b,          \
                                                                    int64_t d, TESS__INTERP_C y, TESS__INTERP_C x)     \
    {                                                                                                                  \
        const TESS__E(tess__field_) f = TESS__E(tess__image_)(v, b, d);                                                \
        return TESS__EC(tess__field_##method##_)(&f, y, x);                                                            \
    }                                                                                                                  \
                                                                                                                       \
    TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__interp3_##method##_)(                                                  \
        const TESS__E(tess_view_) * v, int64_t b, TESS__INTERP_C z, TESS__INTERP_C y, TESS__INTERP_C x)                \
    {                                                                                                                  \
        const TESS__E(tess__field_) f = TESS__E(tess__volume_)(v, b);                                                  \
        return TESS__EC(tess__field3_##method##_)(&f, z, y, x);                                                        \
    }
#include "tessera/math/interps.def"

/* Derivatives along x, y or z: `along` is 1, 2 or 3. */
TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__interp_along_)(const TESS__E(tess_view_) * v, int32_t method, int along,
                                                           int64_t b, int64_t d, TESS__INTERP_C y, TESS__INTERP_C x)
{
    const TESS__E(tess__field_) f = TESS__E(tess__image_)(v, b, d);
    return TESS__EC(tess__field_weighted_)(&f, method, along, y, x);
}

TESS__FAST_FN TESS__INTERP_T TESS__EC(tess__interp3_along_)(const TESS__E(tess_view_) * v, int32_t method, int along,
                                                            int64_t b, TESS__INTERP_C z, TESS__INTERP_C y,
                                                            TESS__INTERP_C x)
{
    const TESS__E(tess__field_) f = TESS__E(tess__volume_)(v, b);
    return TESS__EC(tess__field3_weighted_)(&f, method, along, z, y, x);
}

#undef TESS__C
#undef TESS__EC
#undef TESS__INTERP_COORDINATE
#undef TESS__INTERP_C

#endif
