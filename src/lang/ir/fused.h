/* Fused operations: found by lang/ir/fuse.c, computed by cpu/op/fused.c.inc. */
#ifndef TESS_LANG_IR_FUSED_H
#define TESS_LANG_IR_FUSED_H

enum {
    TESS__FUSED_MUL_ADD,      /* x y + z */
    TESS__FUSED_SUM_SQUARES,  /* x x + y y */
    TESS__FUSED_ROOT_SQUARES, /* the square root of it */
    TESS__FUSED
};

#endif
