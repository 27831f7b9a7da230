/* Stacks of images for the figures of the guides, shared by the programs that draw them. */
#ifndef EXAMPLES_GUIDE_STACKS_H
#define EXAMPLES_GUIDE_STACKS_H

#include <stdio.h>

#include "tessera.h"

/* Prints what a stack is, writes it to a folder, if there is one, as an MRC file, and releases it. */
static inline tess_status finish(const char *folder, const char *name, tess_array *stack)
{
    char path[512];
    printf("%s: %d images of %d x %d\n", name, (int)stack->shape.b, (int)stack->shape.h, (int)stack->shape.w);
    if (folder) {
        (void)snprintf(path, sizeof path, "%s/%s.mrcs", folder, name);
        TESS_TRY(tess_write(path, stack, NULL));
    }
    tess_release(stack);
    return TESS_OK;
}

/* A view of image i of a stack. */
static inline tess_status image_of(tess_array *image, const tess_array *stack, int64_t i)
{
    *image = (tess_array){ 0 };
    return tess_slice(image, stack, 0, i, i + 1, 1);
}

#endif
