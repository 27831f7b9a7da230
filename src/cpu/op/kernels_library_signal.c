/* The library's own operators for signal processing. Built once per instruction set. */
#define LIST "ops/signal/operators.def"
#define FILL TESS__FILL_KERNELS(op, library_signal)
#include "cpu/op/library.c.inc"
