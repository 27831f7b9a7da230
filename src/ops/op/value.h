/* Arguments of an operator's value parameters. */
#ifndef TESS_OPS_OP_VALUE_H
#define TESS_OPS_OP_VALUE_H

#include "tessera/op.h"

/* The number of a binding, TESS_BIND_I64 to C64, as `dtype` in `out` (16 bytes). It must fit: integers exactly, floats
 * but for rounding. Messages begin with `fn` and name `arg`. */
tess_status tess__bind_value(void *out, tess_dtype dtype, const tess_bind *bind, const char *fn, const char *arg);

#endif
