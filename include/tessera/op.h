/* User-defined operators: written once, run on any arrays.
 *
 *     tess_op *fuse;
 *     TESS_TRY(tess_op_text(&fuse, "op fuse(in f32 x, in f32 y, val f32 a, out f32 z) { z = a*x + cos(y); }"));
 *     TESS_TRY(tess_call(fuse, &x, &y, 2.0f, &z));
 *     tess_op_release(fuse);
 *
 * or, compiled with the program (tessera/op_define.h):
 *
 *     TESS_EWISE(my_hypot, (in(f32,x), in(f32,y), out(f32,z)), z = tessm_sqrt(x*x + y*y); )
 *     TESS_TRY(tess_call(&my_hypot, &x, &y, &z));
 *
 * docs/operators.md is the guide to the language, its exactness and its limits. The kind of an operator follows from
 * what it uses. With only in, out, inout and val it is element-wise. With the indices b d h w, views or scatters it is
 * index-wise. With acc it is a reduction over the axes along which its outputs have size 1.
 */
#ifndef TESSERA_OP_H
#define TESSERA_OP_H

#include "tessera/op_define.h"
#include "tessera/op_run.h"

#endif
