/* Coverage of the elements of a row by a shape, and results of it. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/template.h"

#define COVER(kind)                                                                                                    \
    static void cover_##kind(double *coverage, const tess__shape_row *row, int64_t n)                                  \
    {                                                                                                                  \
        const tess__draw_spec spec = *row->spec;                                                                       \
        const double          size[3] = { row->size[0], row->size[1], row->size[2] };                                  \
        const double          z = row->start[0], y = row->start[1], x = row->start[2];                                 \
        const double          dz = row->step[0], dy = row->step[1], dx = row->step[2];                                 \
        const int64_t         first = row->first;                                                                      \
        TESS_IVDEP                                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const double w = (double)(first + i);                                                                      \
            const double e = tess__draw_##kind##_at(&spec, size, __builtin_fma(dz, w, z), __builtin_fma(dy, w, y),     \
                                                    __builtin_fma(dx, w, x));                                          \
            coverage[i] = coverage[i] > e ? coverage[i] : e;                                                           \
        }                                                                                                              \
    }
COVER(sphere)
COVER(ellipsoid)
COVER(cuboid)
COVER(cylinder)
COVER(torus)
COVER(capsule)
#undef COVER

static void apply_real(double *elements, const double *coverage, int64_t step, const tess__draw_spec *spec, int64_t n)
{
    const tess__draw_spec s = *spec;
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++)
        elements[i] = tess__draw_result(&s, elements[i], tess__draw_counted(&s, coverage[i * step]));
}

static void apply_complex(double *elements, const double *coverage, int64_t step, const tess__draw_spec *spec,
                          int64_t n)
{
    const tess__draw_spec s = *spec;
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++) {
        const double c = tess__draw_counted(&s, coverage[i * step]);
        elements[2 * i] = tess__draw_result(&s, elements[2 * i], c);
        elements[2 * i + 1] = tess__draw_imaginary(&s, elements[2 * i + 1], c);
    }
}

void TESS__FILL_KERNELS(geometry, draw)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, draw)(tess__geometry_kernels *kernels)
{
    kernels->cover[TESS__DRAW_SPHERE] = cover_sphere;
    kernels->cover[TESS__DRAW_ELLIPSOID] = cover_ellipsoid;
    kernels->cover[TESS__DRAW_CUBOID] = cover_cuboid;
    kernels->cover[TESS__DRAW_CYLINDER] = cover_cylinder;
    kernels->cover[TESS__DRAW_TORUS] = cover_torus;
    kernels->cover[TESS__DRAW_CAPSULE] = cover_capsule;
    kernels->apply[0] = apply_real;
    kernels->apply[1] = apply_complex;
}
