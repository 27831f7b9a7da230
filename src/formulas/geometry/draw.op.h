/* Shapes: how much of a pixel a sphere, ellipsoid, cuboid, cylinder, torus or capsule covers, with a raised-cosine
 * edge, and what becomes of an element that is covered so far.
 *
 * A point is in the frame of the shape: its centre is the origin, and the axis of cylinders, tori and capsules is z.
 */
#ifndef TESS_FORMULAS_GEOMETRY_DRAW_OP_H
#define TESS_FORMULAS_GEOMETRY_DRAW_OP_H

#include <stdint.h>

#include "tessera/constants.h"
#include "tessera/dtype.h"
#include "tessera/math/f64.op.h"

/* Kinds of shapes, and operators; macros, as the preprocessor of kernels compares them too. */
#define TESS__DRAW_SPHERE 0    /* size: radius */
#define TESS__DRAW_ELLIPSOID 1 /* radii z, y, x */
#define TESS__DRAW_CUBOID 2    /* half of its edges z, y, x */
#define TESS__DRAW_CYLINDER 3  /* radius, half its length */
#define TESS__DRAW_TORUS 4     /* radius of the ring, of the tube */
#define TESS__DRAW_CAPSULE 5   /* radius, half the length of its axis */
#define TESS__DRAW_KINDS 6

/* Values of tess_draw_op. */
#define TESS__DRAW_MULTIPLY 1
#define TESS__DRAW_ADD 2
#define TESS__DRAW_MIN 3
#define TESS__DRAW_MAX 4
#define TESS__DRAW_REPLACE 5

/* What is done with an element of known coverage. */
#define TESS__DRAW_COMPUTE 0
#define TESS__DRAW_FILL 1 /* the result does not depend on the input */
#define TESS__DRAW_COPY 2 /* the result is the input */

/* A shape: from an index z, y, x, 1 to its frame, and its size. */
typedef struct tess__draw_shape {
    double at[3][4];
    double size[3];
    double unused;
} tess__draw_shape;

/* What all shapes of a call have in common. */
typedef struct tess__draw_spec {
    int32_t kind;     /* a TESS__DRAW_SPHERE … */
    int32_t op;       /* a TESS__DRAW_MULTIPLY …; 0: there is no input */
    int32_t inverted; /* what is outside is covered */
    int32_t whole;    /* results are rounded to whole numbers: integers, truth values */
    double  value;
    double  width, inverse_width; /* of the edge in pixels; both 0: hard */
} tess__draw_spec;

/* Orders of indices along an axis. */
#define TESS__DRAW_IN_ORDER 0
#define TESS__DRAW_SHIFTED 1 /* index i stands for (i + n / 2) mod n: the first is the centre */

/* ---- Coverage ---- */

/* Coordinate of an index, of n. */
TESS_FN int64_t tess__draw_coordinate(int order, int64_t n, int64_t i)
{
    const int64_t k = i + n / 2;
    return order == TESS__DRAW_IN_ORDER ? i : k < n ? k : k - n;
}

/* Coordinate k of the first element of a row in the shape's frame. */
TESS_FN double tess__draw_start(const tess__draw_shape *s, int k, double z, double y)
{
    return __builtin_fma(s->at[k][0], z, __builtin_fma(s->at[k][1], y, s->at[k][3]));
}

/* 1 inside, 0 from `width` beyond the surface on, and a raised cosine between. */
TESS_FN double tess__draw_edge(const tess__draw_spec *s, double beyond)
{
    const double t = beyond * s->inverse_width, soft = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double e = __builtin_fma(0.5, tess__cos_fast_f64(TESS_PI * soft), 0.5);
    return beyond <= 0.0 ? 1.0 : beyond >= s->width ? 0.0 : e;
}

/* How far a point, whose square of the distance is q, lies beyond a radius. Squares are compared, so that hard edges do
 * not depend on a square root. */
TESS_FN double tess__draw_beyond(double q, double radius)
{
    return q <= radius * radius ? 0.0 : __builtin_sqrt(q) - radius;
}

TESS_FN double tess__draw_sphere_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    return tess__draw_edge(s, tess__draw_beyond(__builtin_fma(z, z, __builtin_fma(y, y, x * x)), size[0]));
}

/* The edge is measured along the ray from the centre: the surface lies at |p| / sqrt(g) on it. */
TESS_FN double tess__draw_ellipsoid_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    const double u = z / size[0], v = y / size[1], w = x / size[2];
    const double g = __builtin_fma(u, u, __builtin_fma(v, v, w * w));
    const double p = __builtin_sqrt(__builtin_fma(z, z, __builtin_fma(y, y, x * x)));
    return tess__draw_edge(s, g <= 1.0 ? 0.0 : p - p / __builtin_sqrt(g));
}

TESS_FN double tess__draw_cuboid_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    return tess__draw_edge(s, __builtin_fabs(z) - size[0]) * tess__draw_edge(s, __builtin_fabs(y) - size[1]) *
           tess__draw_edge(s, __builtin_fabs(x) - size[2]);
}

TESS_FN double tess__draw_cylinder_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    return tess__draw_edge(s, tess__draw_beyond(__builtin_fma(y, y, x * x), size[0])) *
           tess__draw_edge(s, __builtin_fabs(z) - size[1]);
}

TESS_FN double tess__draw_torus_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    const double off = __builtin_sqrt(__builtin_fma(y, y, x * x)) - size[0];
    return tess__draw_edge(s, tess__draw_beyond(__builtin_fma(z, z, off * off), size[1]));
}

TESS_FN double tess__draw_capsule_at(const tess__draw_spec *s, const double *size, double z, double y, double x)
{
    const double over = __builtin_fabs(z) - size[1], off = over > 0.0 ? over : 0.0;
    return tess__draw_edge(s, tess__draw_beyond(__builtin_fma(off, off, __builtin_fma(y, y, x * x)), size[0]));
}

/* ---- Results ---- */

/* How much of an element counts, of the largest coverage of all shapes. */
TESS_FN double tess__draw_counted(const tess__draw_spec *s, double coverage)
{
    return s->inverted ? 1.0 - coverage : coverage;
}

/* Which results need no arithmetic, where c of an element counts. */
TESS_FN int tess__draw_action(const tess__draw_spec *s, double c)
{
    const double m = s->value * c;
    if (s->op == 0 || (s->op == TESS__DRAW_MULTIPLY && m == 0.0) || (s->op == TESS__DRAW_REPLACE && c == 1.0))
        return TESS__DRAW_FILL;
    if ((s->op == TESS__DRAW_MULTIPLY && m == 1.0) || (s->op == TESS__DRAW_ADD && m == 0.0) ||
        (s->op == TESS__DRAW_REPLACE && c == 0.0))
        return TESS__DRAW_COPY;
    return TESS__DRAW_COMPUTE;
}

/* Result of an element x. Masked elements are 0, NaN and infinities too; NaN is kept by minimum and maximum. */
TESS_FN double tess__draw_result(const tess__draw_spec *s, double x, double c)
{
    const double m = s->value * c;
    double       y = m;
    if (s->op == TESS__DRAW_MULTIPLY) y = m == 0.0 ? 0.0 : x * m;
    else if (s->op == TESS__DRAW_ADD) y = m == 0.0 ? x : x + m;
    else if (s->op == TESS__DRAW_MIN) y = x > m ? m : x;
    else if (s->op == TESS__DRAW_MAX) y = x < m ? m : x;
    else if (s->op == TESS__DRAW_REPLACE) y = c == 0.0 ? x : c == 1.0 ? s->value : __builtin_fma(c, s->value - x, x);
    return s->whole ? __builtin_rint(y) : y;
}

/* The imaginary part: that of the value is 0. */
TESS_FN double tess__draw_imaginary(const tess__draw_spec *s, double x, double c)
{
    const double m = s->value * c;
    double       y = 0.0;
    if (s->op == TESS__DRAW_MULTIPLY) y = m == 0.0 ? 0.0 : x * m;
    else if (s->op == TESS__DRAW_ADD) y = x;
    else if (s->op == TESS__DRAW_REPLACE) y = c == 0.0 ? x : c == 1.0 ? 0.0 : __builtin_fma(-c, x, x);
    return s->whole ? __builtin_rint(y) : y;
}

#endif
