/* Specialisation of reductions: which accumulator of cuda/reduce/items.cu.h an operation and dtype need. */
#ifndef TESS_CUDA_REDUCE_ITEMS_H
#define TESS_CUDA_REDUCE_ITEMS_H

#include "backend.h"
#include "lang/print/write.h"

/* What the item depends on. */
typedef struct tess__cuda_item {
    uint8_t op;     /* a TESS__R_ */
    uint8_t x, y;   /* dtypes of the inputs in memory; y is u8 if there is one input */
    uint8_t common; /* two inputs: the dtype they are both converted to */
    bool    skip_nan, compensated;
} tess__cuda_item;

tess__cuda_item tess__cuda_item_of(const tess__reduce *work, int item);

/* The struct, written as a type; returns the slots of its state. NULL: nothing is written. */
int tess__cuda_item_print(tess__writer *w, const tess__cuda_item *item);

#endif
