/* The library's own operators for geometry. Built once per instruction set. */
#define LIST "ops/geometry/operators.def"
#define FILL TESS__FILL_KERNELS(op, library_geometry)
#include "cpu/op/library.c.inc"
