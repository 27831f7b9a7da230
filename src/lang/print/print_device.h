/* Code printer: an operator as CUDA device code, in the form that cuda/op/op.cu.h expects. */
#ifndef TESS_LANG_PRINT_PRINT_DEVICE_H
#define TESS_LANG_PRINT_PRINT_DEVICE_H

#include "lang/front/tree.h"
#include "lang/print/write.h"

/* An operator whose types are known. */
typedef struct tess__device_code {
    const tess__tree *tree;
    const char       *source, *entry; /* the user's device code instead of the tree's; NULL: none */
    bool              indexed;        /* `entry` is given the indices */
    bool              joins, posts;   /* it has parts for these */
    int64_t           max_trips;
    bool              faults; /* it can have a fault, which is reported when the work is done */
} tess__device_code;

/* Definitions and functions. Without `body` only those that combine accumulators and compute results from them. */
void tess__print_device(tess__writer *w, const tess__device_code *code, bool body);

/* Can it have a fault? */
bool tess__device_faults(const tess__tree *tree);

#endif
