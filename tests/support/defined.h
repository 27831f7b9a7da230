/* Operators compiled with the test that includes this: one for each thing that a definition can have. */
#ifndef TESS_TEST_DEFINED_H
#define TESS_TEST_DEFINED_H

#include "tessera.h"

/* clang-format off */
TESS_DEVICE_FN(f32, lerp, (f32 a, f32 b, f32 t), return a + (b - a)*t; )
TESS_DEVICE_FN(f64, squared, (f64 x), return x*x; )

TESS_EWISE(fuse, (in(f32,x), in(f32,y), val(f32,a), out(f32,z)), z = a*x + tessm_cos(y); )
TESS_EWISE(length, (in(f32,x), in(f32,y), out(f32,z)), z = tessm_sqrt(x*x + y*y); )
TESS_EWISE(trigonometric, (in(f64,x), inout(f64,y), out(f64,z)),
    z = tessm_sin(x) + tessm_tan(y)*tessm_sinc(x); y = y*x + 1.0; )
TESS_EWISE(mixed, (in(u8,a), in(i16,b), in(f16,c), in(bool,d), val(f64,e), out(i32,p), out(f64,q), out(bool,r), out(f16,s)),
    p = a*3 - b;
    q = d ? (f64)c*e : (f64)a;
    r = a > 100;
    s = c*c + 0.5f; )
TESS_EWISE(blend, (in(f32,x), in(f32,y), out(f32,z), use(lerp), use(squared)),
    z = lerp(x, y, 0.25f) + (f32)squared((f64)x); )
TESS_EWISE(parts, (in(c32,x), in(c32,y), out(c32,z), out(f32,re)), z = tessm_mul(x, tessm_conj(y)); re = tessm_real(x); )
TESS_EWISE(analytic, (in(c32,x), in(c64,y), out(c32,z), out(c64,v), out(f32,size)),
    z = tessm_exp(tessm_complex_polar(0.5f, tessm_arg(x)));
    v = tessm_mul(tessm_sqrt(y), tessm_add(tessm_log(y), tessm_sin(tessm_tanh(tessm_pow(y, tessm_complex(0.5, 0.25))))));
    size = tessm_select(tessm_signbit(tessm_imag(x)), tessm_minimum(tessm_abs(x), tessm_deg2rad(tessm_real(x))),
                        tessm_maximum(tessm_rad2deg(tessm_real(x)), 2.0f)); )
TESS_EWISE(awkward, (in(f32,i), in(f32,n), inout(f32,p), val(i32,tile), val(u64,args), out(f32,at)),
    f32 span = i + n;
    i64 lanes = (i64)tile + (i64)args;
    f32 now = span*p;
    for (i32 k = 0; k < 3; k++) { now = now*0.5f + (f32)k; }
    at = now + (f32)lanes;
    p = now - span; )

TESS_IWISE(places, (val(i64,a), out(i64,z)), z = ((b*10 + d)*10 + h)*10 + w + a*tessm_size(3); )
TESS_IWISE(zero, (view(f32,v), out(f32,z)), z = tess_at(v, b - 1, d + 1, h - 2, w + 3); )
TESS_IWISE(clamp, (view(f32,v,clamp), out(f32,z)), z = tess_at(v, b - 1, d + 1, h - 2, w + 3); )
TESS_IWISE(mirror, (view(u8,v,mirror), out(i32,z)), z = tess_at(v, b - 1, d + 1, h - 2, w + 30); )
TESS_IWISE(reflect, (view(f64,v,reflect), out(f64,z)), z = tess_at(v, b - 1, d + 1, h - 20, w + 3); )
TESS_IWISE(periodic, (view(f16,v,periodic), out(f32,z)), z = tess_at(v, b - 1, d + 1, h - 2, w + 30)*2.0f; )
TESS_IWISE(careless, (view(f32,v,error), val(i64,far), out(f32,z)), z = tess_at(v, b, d, h, w + far); )
TESS_IWISE(warp, (view(f32,src), view(f32,mat), out(f32,dst)),
    f32 y = tess_at(mat,b,0,0,0)*(f32)h + tess_at(mat,b,0,0,1)*(f32)w + tess_at(mat,b,0,0,2);
    f32 x = tess_at(mat,b,0,1,0)*(f32)h + tess_at(mat,b,0,1,1)*(f32)w + tess_at(mat,b,0,1,2);
    f32 fy = tessm_floor(y); f32 fx = tessm_floor(x);
    f32 ty = y - fy; f32 tx = x - fx;
    i64 i = (i64)fy; i64 j = (i64)fx;
    f32 t = tess_at(src,b,d,i,j)*(1.0f - tx) + tess_at(src,b,d,i,j + 1)*tx;
    f32 u = tess_at(src,b,d,i + 1,j)*(1.0f - tx) + tess_at(src,b,d,i + 1,j + 1)*tx;
    dst = t*(1.0f - ty) + u*ty; )
TESS_IWISE(between, (view(f32,v,mirror), val(f32,a), out(f32,near), out(f32,line), out(f32,curve)),
    f32 y = (f32)h*0.7f + a; f32 x = (f32)w*1.3f - a;
    near = tessm_interp_nearest(v, b, d, y, x);
    line = tessm_interp_linear(v, b, d, y, x);
    curve = tessm_interp_cubic(v, b, d, y, x); )
TESS_IWISE(windows, (view(f32,v), view(f64,u,reflect), val(f32,a), out(f32,waves), out(f32,smooth), out(f64,deep)),
    f32 y = (f32)h*0.7f + a; f32 x = (f32)w*1.3f - a;
    waves = tessm_interp_lanczos4(v, b, d, y, x) + tessm_interp_lanczos6(v, b, d, y, x)*tessm_interp_lanczos8(v, b, d, x, y);
    smooth = tessm_interp_cosine(v, b, d, y, x) - tessm_interp_bspline(v, b, d, y, x);
    deep = tessm_interp3_bspline(u, b, (f64)y, (f64)x, (f64)y*0.5); )
TESS_IWISE(slopes, (view(f32,v,mirror), view(c64,u,clamp), val(f32,a), out(f32,line), out(f32,curve), out(c64,deep)),
    f32 y = (f32)h*0.7f + a; f32 x = (f32)w*1.3f - a;
    line = tessm_interp_linear_dx(v, b, d, y, x)*tessm_interp_linear_dy(v, b, d, y, x) + tessm_interp_cosine_dy(v, b, d, y, x);
    curve = tessm_interp_cubic_dx(v, b, d, y, x) - tessm_interp_lanczos6_dy(v, b, d, y, x)*tessm_interp_lanczos8_dx(v, b, d, y, x);
    deep = tessm_add(tessm_interp3_bspline_dz(u, b, (f64)y, (f64)x, (f64)y*0.5), tessm_interp3_linear_dz(u, b, x, y, y)); )
TESS_IWISE(beyond, (view(f32,v,value,0.5f), view(f16,u,value,far), view(f64,n,nothing), val(f32,a), val(f16,far), out(f32,p), out(f64,q)),
    f32 y = (f32)h*0.7f + a; f32 x = (f32)w*1.3f - a;
    p = tess_at(v, b, d, h - 2, w + 30) + tessm_interp_cubic(v, b, d, y, x) + tess_at(u, b - 1, d, h, w);
    q = tessm_interp_linear(n, b, d, y, x) + tessm_interp_lanczos6_dx(n, b, d, y, x) + tess_at(n, b, d, h, w - 3); )
TESS_IWISE(spectra, (view(c32,v,spectrum_h), view(c64,u,spectrum_hc), view(f32,n,spectrum_f), view(c16,k,spectrum_fc), val(f32,a), out(c32,p), out(c64,q), out(f32,r)),
    f32 y = (f32)h*0.7f - a; f32 x = (f32)w*0.6f - 5.0f*a;
    p = tessm_add(tess_at(v, b, d, h - 3, w - 9), tessm_add(tessm_interp_linear(v, b, d, y, x), tess_at(k, b, d, 2 - h, w - 7)));
    q = tessm_add(tessm_interp_cubic(u, b, d, y, x), tessm_interp3_linear(u, b, x, x, y));
    r = tessm_interp_lanczos6(n, b, d, y, x) + tessm_interp_bspline_dx(n, b, d, y, x) + tess_at(n, b, d, -h, w - 4); )
TESS_IWISE(histogram, (in(f32,x), val(f32,lo), val(f32,inv), scatter(i32,bins)),
    f32 place = tessm_floor((x - lo)*inv);
    i64 k = tessm_abs(place) < 1e9f ? (i64)place : -1; /* C leaves huge floats and NaNs as integers open */
    tess_at(bins, b, 0, 0, k) += 1; )

TESS_REDUCE(squares, (in(f32,a), in(f32,b), acc(f64,s,sum), out(f64,z)), f32 t = a - b; s += (f64)(t*t); )
TESS_REDUCE(cosines, (in(f32,x), acc(f32,s,sum), out(f32,z)), s += tessm_cos(x); )
TESS_REDUCE(masked, (in(f32,x), in(u8,m), acc(f64,s,sum), acc(f32,mx,max), acc(i32,n,sum), out(f64,sum), out(f32,largest),
                     post(sum = s / (f64)n; largest = mx; )),
    if (m != 0) { s += (f64)x; mx = tessm_max(mx, x); n += 1; } )
TESS_REDUCE(moments, (in(f32,x), acc(f64,n,none,0.0), acc(f64,mean,none,0.0), acc(f64,m2,none,0.0), out(f64,m), out(f64,var),
                      join(f64 t = n + n_other; f64 e = mean_other - mean;
                           m2 = t > 0.0 ? m2 + m2_other + e*e*n*n_other/t : 0.0;
                           mean = t > 0.0 ? mean + e*n_other/t : 0.0; n = t; ),
                      post(m = mean; var = m2 / (f64)count; )),
    f64 v = (f64)x; n += 1.0; f64 e = v - mean; mean += e/n; m2 += e*(v - mean); )
TESS_REDUCE(extremes, (in(i16,x), acc(i32,lo,min), acc(i32,hi,max), acc(bool,any0,any), acc(bool,all1,all), acc(i64,p,prod),
                       out(i32,least), out(i32,most), out(bool,some), out(bool,each), out(i64,product)),
    lo = tessm_min(lo, x); hi = tessm_max(hi, x); any0 = any0 || x == 0; all1 = all1 && x < 100; p *= 3; )
/* clang-format on */

#endif
