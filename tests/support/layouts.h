/* Arrays in every layout that kernels must cope with, each in a block of its own with guards and poison around it.
 *
 * A block is filled with poison before the view is laid into it. guarded_check tells, after an operation, whether a byte
 * outside the view's elements has changed.
 */
#ifndef TESS_TEST_LAYOUTS_H
#define TESS_TEST_LAYOUTS_H

#include "support/test.h"

/* Name of each layout. Outputs cannot be `broadcast`; it comes last. */
#define LAYOUTS(X)                                                                                                     \
    X(contiguous)                                                                                                      \
    X(column_major)                                                                                                    \
    X(permuted)                                                                                                        \
    X(subregion)                                                                                                       \
    X(stepped)                                                                                                         \
    X(reversed)                                                                                                        \
    X(misaligned)                                                                                                      \
    X(broadcast)

typedef enum layout {
#define LAYOUT_ENUM(name) layout_##name,
    LAYOUTS(LAYOUT_ENUM)
#undef LAYOUT_ENUM
        n_layouts,
    n_output_layouts = layout_broadcast
} layout;

extern const char *const layout_names[];

typedef struct guarded {
    tess_array     view;
    unsigned char *block;
    unsigned char *before; /* what the block was when the view was laid out */
    size_t         size;
} guarded;

/* Lay an array of this shape out at random in the given layout. Elements are poison until set. */
void guarded_make(guarded *g, layout kind, tess_shape shape, tess_dtype dtype);

/* Forget all elements: the block is poison again. */
void guarded_poison(guarded *g);

/* Take what is in the block now as what must not change. */
void guarded_snapshot(guarded *g);

/* Fails the test if a byte outside the view's elements has changed; returns whether all is well. */
bool guarded_check(const guarded *g, const char *what);

void guarded_free(guarded *g);

/* Address of an element by the strides alone. */
unsigned char *element_at(const tess_array *a, const int64_t position[4]);

/* Calls `visit` for each index of a shape, in b, d, h, w order. */
void each_index(tess_shape shape, void (*visit)(void *context, const int64_t position[4]), void *context);

#endif
