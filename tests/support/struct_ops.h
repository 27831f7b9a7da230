/* Operators whose values are structs, compiled with the test that includes this: structs of several sizes and
 * alignments, in each mode. */
#ifndef TESS_TEST_STRUCT_OPS_H
#define TESS_TEST_STRUCT_OPS_H

#include "tessera.h"

/* clang-format off */
TESS_STRUCT(tiny, (u8 a))
TESS_STRUCT(gaps, (u8 a, f64 b, i16 c, c32 z, bool on, c64 q, i8 small, f32 m[3], u64 wide, i32 k,
                   u16 n[2], i64 l, u32 u))
TESS_STRUCT(whole, (f64 a[100], c64 z[10], i32 n[16]))
TESS_STRUCT(curve, (f64 scale, f64 c[4], i32 steps))

TESS_DEVICE_FN(f64, horner, (curve p, f64 x), return ((p.c[3]*x + p.c[2])*x + p.c[1])*x + p.c[0]; )
TESS_DEVICE_FN(f64, scaled, (f64 x, curve of), return of.scale*horner(of, x); )

/* Every member counts, each by a factor of its own. */
TESS_EWISE(struct_gaps, (in(f32,x), val(gaps,p), val(f32,by), val(tiny,t), out(f64,z)),
    f64 real = (f64)p.a + 2.0*p.b + 3.0*(f64)p.c + 4.0*(f64)tessm_real(p.z) + 5.0*(f64)tessm_imag(p.z)
             + (p.on ? 6.0 : 0.0) + 7.0*tessm_real(p.q) + 8.0*tessm_imag(p.q) + 9.0*(f64)p.small;
    f64 more = 10.0*(f64)p.m[0] + 11.0*(f64)p.m[1] + 12.0*(f64)p.m[2] + 13.0*(f64)p.wide + 14.0*(f64)p.k
             + 15.0*(f64)p.n[0] + 16.0*(f64)p.n[1] + 17.0*(f64)p.l + 18.0*(f64)p.u;
    z = (f64)x*real + more*(f64)by + (f64)t.a; )
TESS_EWISE(struct_whole, (in(f64,x), val(whole,p), inout(f64,y)),
    y = y + p.a[0]*x + p.a[99] + tessm_imag(p.z[9])*x + tessm_real(p.z[0]) + (f64)p.n[15]; )
TESS_IWISE(struct_places, (val(curve,p), view(f32,v,clamp), out(f64,z), use(horner), use(scaled)),
    f64 sum = (f64)tess_at(v, b, d, h, w + 1);
    for (i32 i = 0; i < p.steps; i++) { sum += scaled((f64)(i32)w, p); }
    z = sum + horner(p, (f64)(i32)h); )
TESS_REDUCE(struct_sum, (in(f32,x), val(curve,p), acc(f64,s,sum), acc(f64,low,none,0.0), out(f64,total), out(f64,least),
                         join(low = (low < low_other ? low : low_other)*(p.scale > 0.0 ? 1.0 : 2.0);),
                         post(total = p.scale*s; least = low + p.c[0];)),
    f64 y = (f64)x*p.c[1]; s += y; low = y < low ? y : low; )
TESS_IWISE(struct_bins, (in(f32,x), val(curve,p), scatter(f64,bins)),
    tessm_add_linear(bins, b, 0, 0, (f64)(i32)w*p.c[0], (f64)x*p.scale); )
/* clang-format on */

static inline gaps some_gaps(void)
{
    gaps p = { .a = 200, .b = -0.25, .c = -300, .z = { 1.5f, -2 }, .on = true, .q = { 3, 0.125 }, .small = -7 };
    p.m[0] = 0.5f, p.m[1] = -1, p.m[2] = 4;
    p.wide = (uint64_t)1 << 40, p.k = -70000, p.n[0] = 60000, p.n[1] = 3, p.l = -((int64_t)1 << 35), p.u = 4000000000u;
    return p;
}

static inline whole some_whole(void)
{
    whole p;
    for (int i = 0; i < 100; i++) p.a[i] = 0.25 * (i - 40);
    for (int i = 0; i < 10; i++) p.z[i].re = i - 3, p.z[i].im = 0.5 * i;
    for (int i = 0; i < 16; i++) p.n[i] = -i;
    return p;
}

static inline curve some_curve(void)
{
    const curve p = { .scale = 0.5, .c = { 0.25, 2, -1, 0.125 }, .steps = 3 };
    return p;
}

#endif
