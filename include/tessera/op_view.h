/* Functions for operator bodies to read views and to add to scatters: see tessera/op_define.h.
 *
 *     tess_at(v, b, d, h, w)                 an element, by the border of the view; of a scatter: what can be added to
 *     tessm_interp_linear(v, b, d, y, x)     between elements: nearest, linear, cosine, cubic,
 *                                            bspline, lanczos4, lanczos6, lanczos8
 *     tessm_interp3_linear(v, b, z, y, x)    the same in volumes
 *     tessm_interp_linear_dx(v, b, d, y, x)  the derivative along x; _dy along y, in volumes _dz along z:
 *                                            of all methods but nearest
 *     tessm_add_linear(s, b, d, h, x, e);    add e to a scatter, split between the elements below and above x along w
 *     tessm_shape(v, axis), tessm_size(axis) of a view or scatter, and of the domain
 *
 * Elements of f16 and c16 are read as f32 and c32. Additions outside a scatter are dropped.
 */
#ifndef TESSERA_OP_VIEW_H
#define TESSERA_OP_VIEW_H

#include "tessera/math/f16.op.h"
#include "tessera/math/interp.op.h"

/* Storage for the element of a view, and for dropped additions to a scatter: tess_at returns an address of either. */
typedef union tess__spare {
    uint8_t  of_bool;
    int8_t   of_i8;
    int16_t  of_i16;
    int32_t  of_i32;
    int64_t  of_i64;
    uint8_t  of_u8;
    uint16_t of_u16;
    uint32_t of_u32;
    uint64_t of_u64;
    float    of_f32;
    double   of_f64;
    tess_c32 of_c32;
    tess_c64 of_c64;
} tess__spare;

TESS_FN tess_c32 tess__c16_to_c32(tess_c16 z)
{
    tess_c32 wide;
    wide.re = tess__f16_to_f32(z.re.bits);
    wide.im = tess__f16_to_f32(z.im.bits);
    return wide;
}

TESS_FN tess_c16 tess__c32_to_c16(tess_c32 z)
{
    tess_c16 half;
    half.re.bits = tess__f32_to_f16(z.re);
    half.im.bits = tess__f32_to_f16(z.im);
    return half;
}

/* Types whose elements are used in place: scatters, and addresses of their elements and those of views. */
#define TESS__VIEW_TYPES(X)                                                                                            \
    X(bool, uint8_t)                                                                                                   \
    X(i8, int8_t)                                                                                                      \
    X(i16, int16_t)                                                                                                    \
    X(i32, int32_t)                                                                                                    \
    X(i64, int64_t)                                                                                                    \
    X(u8, uint8_t)                                                                                                     \
    X(u16, uint16_t)                                                                                                   \
    X(u32, uint32_t)                                                                                                   \
    X(u64, uint64_t)                                                                                                   \
    X(f32, float)                                                                                                      \
    X(f64, double)                                                                                                     \
    X(c32, tess_c32)                                                                                                   \
    X(c64, tess_c64)
#define TESS__SCATTER(name, T)                                                                                         \
    typedef struct tess_scatter_##name {                                                                               \
        T      *data;                                                                                                  \
        int64_t stride[4], shape[4];                                                                                   \
    } tess_scatter_##name;                                                                                             \
                                                                                                                       \
    TESS_FN tess_scatter_##name tess__scatter_##name(void *data, const int64_t *stride, const int64_t *shape)          \
    {                                                                                                                  \
        tess_scatter_##name s;                                                                                         \
        s.data = (T *)data;                                                                                            \
        s.stride[0] = stride[0];                                                                                       \
        s.stride[1] = stride[1];                                                                                       \
        s.stride[2] = stride[2];                                                                                       \
        s.stride[3] = stride[3];                                                                                       \
        s.shape[0] = shape[0];                                                                                         \
        s.shape[1] = shape[1];                                                                                         \
        s.shape[2] = shape[2];                                                                                         \
        s.shape[3] = shape[3];                                                                                         \
        return s;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    TESS__FAST_FN T *tess__scatter_at_##name(const tess_scatter_##name *s, int64_t b, int64_t d, int64_t h, int64_t w, \
                                             tess__spare *spare)                                                       \
    {                                                                                                                  \
        const int inside = ((uint64_t)b < (uint64_t)s->shape[0]) & ((uint64_t)d < (uint64_t)s->shape[1]) &             \
                           ((uint64_t)h < (uint64_t)s->shape[2]) & ((uint64_t)w < (uint64_t)s->shape[3]);              \
        return inside ? s->data + (b * s->stride[0] + d * s->stride[1] + h * s->stride[2] + w * s->stride[3])          \
                      : &spare->of_##name;                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    TESS__FAST_FN const T *tess__view_at_##name(const tess_view_##name *v, int64_t b, int64_t d, int64_t h, int64_t w, \
                                                tess__spare *spare)                                                    \
    {                                                                                                                  \
        spare->of_##name = tess__at_##name(v, b, d, h, w);                                                             \
        return &spare->of_##name;                                                                                      \
    }
TESS__VIEW_TYPES(TESS__SCATTER)
#undef TESS__SCATTER

TESS__FAST_FN const float *tess__view_at_f16(const tess_view_f16 *v, int64_t b, int64_t d, int64_t h, int64_t w,
                                             tess__spare *spare)
{
    spare->of_f32 = tess__f16_to_f32(tess__at_f16(v, b, d, h, w).bits);
    return &spare->of_f32;
}

TESS__FAST_FN const tess_c32 *tess__view_at_c16(const tess_view_c16 *v, int64_t b, int64_t d, int64_t h, int64_t w,
                                                tess__spare *spare)
{
    spare->of_c32 = tess__c16_to_c32(tess__at_c16(v, b, d, h, w));
    return &spare->of_c32;
}

/* ---- Linear split ---- */

/* A part of e, rounded before it is added: a separate statement, which compilers do not contract. */
#define TESS__ADD_SHARE(name, complex_name, R, C)                                                                      \
    TESS__FAST_FN void tess__add_share_##name(R *to, R e, R share)                                                     \
    {                                                                                                                  \
        const R part = e * share;                                                                                      \
        *to += part;                                                                                                   \
    }                                                                                                                  \
    TESS__FAST_FN void tess__add_share_##complex_name(C *to, C e, R share)                                             \
    {                                                                                                                  \
        tess__add_share_##name(&to->re, e.re, share);                                                                  \
        tess__add_share_##name(&to->im, e.im, share);                                                                  \
    }
TESS__ADD_SHARE(f32, c32, float, tess_c32)
TESS__ADD_SHARE(f64, c64, double, tess_c64)
#undef TESS__ADD_SHARE

/* The element above receives the fraction of e by which x exceeds the one below. Positions from -1 on add to the
 * first. */
#define TESS__ADD_LINEAR(name, T, R)                                                                                   \
    TESS__FAST_FN void tess__add_linear_##name(const tess_scatter_##name *s, int64_t b, int64_t d, int64_t h,          \
                                               double x, T e)                                                          \
    {                                                                                                                  \
        tess__spare spare;                                                                                             \
        if (!(x >= -1 && x < (double)s->shape[3])) return;                                                             \
        const int64_t whole = (int64_t)x, below = whole - ((double)whole > x);                                         \
        const R       above = (R)(x - (double)below);                                                                  \
        tess__add_share_##name(tess__scatter_at_##name(s, b, d, h, below, &spare), e, 1 - above);                      \
        if (above != 0) tess__add_share_##name(tess__scatter_at_##name(s, b, d, h, below + 1, &spare), e, above);      \
    }
TESS__ADD_LINEAR(f32, float, float)
TESS__ADD_LINEAR(f64, double, double)
TESS__ADD_LINEAR(c32, tess_c32, float)
TESS__ADD_LINEAR(c64, tess_c64, double)
#undef TESS__ADD_LINEAR

#define tessm_shape(v, axis) ((v)->shape[axis])
#define tessm_size(axis) (tess__tile->size[axis])

#ifndef __cplusplus

/* clang-format off */
#define TESS__OF_VIEW(v, prefix)                                                                                       \
    _Generic((v),                                                                                                      \
        const tess_view_bool *: prefix##view_at_bool, const tess_view_i8 *: prefix##view_at_i8,                        \
        const tess_view_i16 *: prefix##view_at_i16, const tess_view_i32 *: prefix##view_at_i32,                        \
        const tess_view_i64 *: prefix##view_at_i64, const tess_view_u8 *: prefix##view_at_u8,                          \
        const tess_view_u16 *: prefix##view_at_u16, const tess_view_u32 *: prefix##view_at_u32,                        \
        const tess_view_u64 *: prefix##view_at_u64, const tess_view_f16 *: prefix##view_at_f16,                        \
        const tess_view_f32 *: prefix##view_at_f32, const tess_view_f64 *: prefix##view_at_f64,                        \
        const tess_view_c16 *: prefix##view_at_c16, const tess_view_c32 *: prefix##view_at_c32,                        \
        const tess_view_c64 *: prefix##view_at_c64,                                                                    \
        const tess_scatter_bool *: prefix##scatter_at_bool, const tess_scatter_i8 *: prefix##scatter_at_i8,            \
        const tess_scatter_i16 *: prefix##scatter_at_i16, const tess_scatter_i32 *: prefix##scatter_at_i32,            \
        const tess_scatter_i64 *: prefix##scatter_at_i64, const tess_scatter_u8 *: prefix##scatter_at_u8,              \
        const tess_scatter_u16 *: prefix##scatter_at_u16, const tess_scatter_u32 *: prefix##scatter_at_u32,            \
        const tess_scatter_u64 *: prefix##scatter_at_u64, const tess_scatter_f32 *: prefix##scatter_at_f32,            \
        const tess_scatter_f64 *: prefix##scatter_at_f64, const tess_scatter_c32 *: prefix##scatter_at_c32,            \
        const tess_scatter_c64 *: prefix##scatter_at_c64)
#define tess_at(v, b, d, h, w) (*TESS__OF_VIEW(v, tess__)(v, b, d, h, w, &(tess__spare){ 0 }))

#define tessm_add_linear(s, b, d, h, x, e)                                                                             \
    _Generic((s), const tess_scatter_f32 *: tess__add_linear_f32, const tess_scatter_f64 *: tess__add_linear_f64,      \
        const tess_scatter_c32 *: tess__add_linear_c32, const tess_scatter_c64 *: tess__add_linear_c64)                \
    (s, b, d, h, (double)(x), e)

#define TESS__INTERP_OF(method, v, type)                                                                               \
    _Generic((v),                                                                                                      \
        const tess_view_f32 *: _Generic((type), float: tess__##method##_f32_f32, default: tess__##method##_f32_f64),   \
        const tess_view_f64 *: _Generic((type), float: tess__##method##_f64_f32, default: tess__##method##_f64_f64),   \
        const tess_view_c32 *: _Generic((type), float: tess__##method##_c32_f32, default: tess__##method##_c32_f64),   \
        const tess_view_c64 *: _Generic((type), float: tess__##method##_c64_f32, default: tess__##method##_c64_f64))
/* clang-format on */
#define tessm_interp_nearest(v, b, d, y, x) TESS__INTERP_OF(interp_nearest, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_linear(v, b, d, y, x) TESS__INTERP_OF(interp_linear, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_cosine(v, b, d, y, x) TESS__INTERP_OF(interp_cosine, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_cubic(v, b, d, y, x) TESS__INTERP_OF(interp_cubic, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_bspline(v, b, d, y, x) TESS__INTERP_OF(interp_bspline, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_lanczos4(v, b, d, y, x) TESS__INTERP_OF(interp_lanczos4, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_lanczos6(v, b, d, y, x) TESS__INTERP_OF(interp_lanczos6, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp_lanczos8(v, b, d, y, x) TESS__INTERP_OF(interp_lanczos8, v, (y) + (x))(v, b, d, y, x)
#define tessm_interp3_nearest(v, b, z, y, x) TESS__INTERP_OF(interp3_nearest, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_linear(v, b, z, y, x) TESS__INTERP_OF(interp3_linear, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_cosine(v, b, z, y, x) TESS__INTERP_OF(interp3_cosine, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_cubic(v, b, z, y, x) TESS__INTERP_OF(interp3_cubic, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_bspline(v, b, z, y, x) TESS__INTERP_OF(interp3_bspline, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_lanczos4(v, b, z, y, x) TESS__INTERP_OF(interp3_lanczos4, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_lanczos6(v, b, z, y, x) TESS__INTERP_OF(interp3_lanczos6, v, (z) + (y) + (x))(v, b, z, y, x)
#define tessm_interp3_lanczos8(v, b, z, y, x) TESS__INTERP_OF(interp3_lanczos8, v, (z) + (y) + (x))(v, b, z, y, x)

#else

/* The storage exists as long as the expression. */
#define TESS__AT(name, T)                                                                                              \
    TESS__FAST_FN const T &tess_at(const tess_view_##name *v, int64_t b, int64_t d, int64_t h, int64_t w,              \
                                   tess__spare &&spare = tess__spare())                                                \
    {                                                                                                                  \
        return *tess__view_at_##name(v, b, d, h, w, &spare);                                                           \
    }                                                                                                                  \
    TESS__FAST_FN T &tess_at(const tess_scatter_##name *s, int64_t b, int64_t d, int64_t h, int64_t w,                 \
                             tess__spare &&spare = tess__spare())                                                      \
    {                                                                                                                  \
        return *tess__scatter_at_##name(s, b, d, h, w, &spare);                                                        \
    }
TESS__VIEW_TYPES(TESS__AT)
#undef TESS__AT

TESS__FAST_FN float tess_at(const tess_view_f16 *v, int64_t b, int64_t d, int64_t h, int64_t w)
{
    return tess__f16_to_f32(tess__at_f16(v, b, d, h, w).bits);
}

TESS__FAST_FN tess_c32 tess_at(const tess_view_c16 *v, int64_t b, int64_t d, int64_t h, int64_t w)
{
    return tess__c16_to_c32(tess__at_c16(v, b, d, h, w));
}

#define TESSM_ADD_LINEAR_(name, T)                                                                                     \
    TESS__FAST_FN void tessm_add_linear(const tess_scatter_##name *s, int64_t b, int64_t d, int64_t h, double x, T e)  \
    {                                                                                                                  \
        tess__add_linear_##name(s, b, d, h, x, e);                                                                     \
    }
TESSM_ADD_LINEAR_(f32, float)
TESSM_ADD_LINEAR_(f64, double)
TESSM_ADD_LINEAR_(c32, tess_c32)
TESSM_ADD_LINEAR_(c64, tess_c64)
#undef TESSM_ADD_LINEAR_

#define TESSM_INTERP_(method, name, T, coordinate, C)                                                                  \
    TESS__FAST_FN T tessm_interp_##method(const tess_view_##name *v, int64_t b, int64_t d, C y, C x)                   \
    {                                                                                                                  \
        return tess__interp_##method##_##name##_##coordinate(v, b, d, y, x);                                           \
    }                                                                                                                  \
    TESS__FAST_FN T tessm_interp3_##method(const tess_view_##name *v, int64_t b, C z, C y, C x)                        \
    {                                                                                                                  \
        return tess__interp3_##method##_##name##_##coordinate(v, b, z, y, x);                                          \
    }
#define TESSM_INTERPS_(name, T, coordinate, C)                                                                         \
    TESSM_INTERP_ALONG_(name, T, coordinate, C)                                                                        \
    TESSM_INTERP_(nearest, name, T, coordinate, C)                                                                     \
    TESSM_INTERP_(linear, name, T, coordinate, C)                                                                      \
    TESSM_INTERP_(cosine, name, T, coordinate, C)                                                                      \
    TESSM_INTERP_(cubic, name, T, coordinate, C)                                                                       \
    TESSM_INTERP_(bspline, name, T, coordinate, C)                                                                     \
    TESSM_INTERP_(lanczos4, name, T, coordinate, C)                                                                    \
    TESSM_INTERP_(lanczos6, name, T, coordinate, C)                                                                    \
    TESSM_INTERP_(lanczos8, name, T, coordinate, C)
#define TESSM_INTERP_ALONG_(name, T, coordinate, C)                                                                    \
    TESS__FAST_FN T tess__interp_along(const tess_view_##name *v, int32_t method, int along, int64_t b, int64_t d,     \
                                       C y, C x)                                                                       \
    {                                                                                                                  \
        return tess__interp_along_##name##_##coordinate(v, method, along, b, d, y, x);                                 \
    }                                                                                                                  \
    TESS__FAST_FN T tess__interp3_along(const tess_view_##name *v, int32_t method, int along, int64_t b, C z, C y,     \
                                        C x)                                                                           \
    {                                                                                                                  \
        return tess__interp3_along_##name##_##coordinate(v, method, along, b, z, y, x);                                \
    }
TESSM_INTERPS_(f32, float, f32, float)
TESSM_INTERPS_(f32, float, f64, double)
TESSM_INTERPS_(f64, double, f32, float)
TESSM_INTERPS_(f64, double, f64, double)
TESSM_INTERPS_(c32, tess_c32, f32, float)
TESSM_INTERPS_(c32, tess_c32, f64, double)
TESSM_INTERPS_(c64, tess_c64, f32, float)
TESSM_INTERPS_(c64, tess_c64, f64, double)
#undef TESSM_INTERP_
#undef TESSM_INTERP_ALONG_
#undef TESSM_INTERPS_

#endif

/* Derivatives. */
#ifndef __cplusplus
#define TESS__INTERP_ALONG(v, METHOD, along, b, d, y, x)                                                               \
    TESS__INTERP_OF(interp_along, v, (y) + (x))(v, TESS_INTERP_##METHOD, along, b, d, y, x)
#define TESS__INTERP3_ALONG(v, METHOD, along, b, z, y, x)                                                              \
    TESS__INTERP_OF(interp3_along, v, (z) + (y) + (x))(v, TESS_INTERP_##METHOD, along, b, z, y, x)
#else
#define TESS__INTERP_ALONG(v, METHOD, along, b, d, y, x) tess__interp_along(v, TESS_INTERP_##METHOD, along, b, d, y, x)
#define TESS__INTERP3_ALONG(v, METHOD, along, b, z, y, x)                                                              \
    tess__interp3_along(v, TESS_INTERP_##METHOD, along, b, z, y, x)
#endif
#define tessm_interp_linear_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, LINEAR, 1, b, d, y, x)
#define tessm_interp_linear_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, LINEAR, 2, b, d, y, x)
#define tessm_interp_cosine_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, COSINE, 1, b, d, y, x)
#define tessm_interp_cosine_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, COSINE, 2, b, d, y, x)
#define tessm_interp_cubic_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, CUBIC, 1, b, d, y, x)
#define tessm_interp_cubic_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, CUBIC, 2, b, d, y, x)
#define tessm_interp_bspline_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, CUBIC_BSPLINE, 1, b, d, y, x)
#define tessm_interp_bspline_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, CUBIC_BSPLINE, 2, b, d, y, x)
#define tessm_interp_lanczos4_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS4, 1, b, d, y, x)
#define tessm_interp_lanczos4_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS4, 2, b, d, y, x)
#define tessm_interp_lanczos6_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS6, 1, b, d, y, x)
#define tessm_interp_lanczos6_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS6, 2, b, d, y, x)
#define tessm_interp_lanczos8_dx(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS8, 1, b, d, y, x)
#define tessm_interp_lanczos8_dy(v, b, d, y, x) TESS__INTERP_ALONG(v, LANCZOS8, 2, b, d, y, x)
#define tessm_interp3_linear_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, LINEAR, 1, b, z, y, x)
#define tessm_interp3_linear_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, LINEAR, 2, b, z, y, x)
#define tessm_interp3_linear_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, LINEAR, 3, b, z, y, x)
#define tessm_interp3_cosine_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, COSINE, 1, b, z, y, x)
#define tessm_interp3_cosine_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, COSINE, 2, b, z, y, x)
#define tessm_interp3_cosine_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, COSINE, 3, b, z, y, x)
#define tessm_interp3_cubic_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC, 1, b, z, y, x)
#define tessm_interp3_cubic_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC, 2, b, z, y, x)
#define tessm_interp3_cubic_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC, 3, b, z, y, x)
#define tessm_interp3_bspline_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC_BSPLINE, 1, b, z, y, x)
#define tessm_interp3_bspline_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC_BSPLINE, 2, b, z, y, x)
#define tessm_interp3_bspline_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, CUBIC_BSPLINE, 3, b, z, y, x)
#define tessm_interp3_lanczos4_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS4, 1, b, z, y, x)
#define tessm_interp3_lanczos4_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS4, 2, b, z, y, x)
#define tessm_interp3_lanczos4_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS4, 3, b, z, y, x)
#define tessm_interp3_lanczos6_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS6, 1, b, z, y, x)
#define tessm_interp3_lanczos6_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS6, 2, b, z, y, x)
#define tessm_interp3_lanczos6_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS6, 3, b, z, y, x)
#define tessm_interp3_lanczos8_dx(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS8, 1, b, z, y, x)
#define tessm_interp3_lanczos8_dy(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS8, 2, b, z, y, x)
#define tessm_interp3_lanczos8_dz(v, b, z, y, x) TESS__INTERP3_ALONG(v, LANCZOS8, 3, b, z, y, x)

#endif
