/* Makes one picture of a stack of small images: binned, cropped, framed and placed side by side. */
#include <stdio.h>

#include "tessera.h"

enum { IMAGES = 5, SIZE = 12, FACTOR = 2, SIDE = 4, FRAMED = SIDE + 2 };

/* Image i is a ramp of i, i + 1, … along its rows. */
static tess_status make_stack(tess_array *stack)
{
    TESS_TRY(tess_empty(stack, TESS_SHAPE(IMAGES, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < IMAGES; i++)
        for (int64_t h = 0; h < SIZE; h++)
            for (int64_t w = 0; w < SIZE; w++) TESS_TRY(tess_set_f64(stack, i, 0, h, w, (double)(i + w)));
    return TESS_OK;
}

/* Thumbnails: the mean of each block, then the middle of the image, which tess_resize keeps, then a frame of 99. */
static tess_status make_thumbnails(tess_array *framed, const tess_array *stack)
{
    const tess_shape side = TESS_SHAPE(0, 0, 1, 1); /* of each axis, before and behind */
    tess_array       small = { 0 }, middle = { 0 };
    TESS_TRY(tess_bin(&small, stack, TESS_SHAPE(1, 1, FACTOR, FACTOR), NULL));
    TESS_TRY(tess_resize(&middle, &small, TESS_SHAPE(0, 0, SIDE, SIDE), NULL));
    TESS_TRY(tess_pad(framed, &middle, side, side, &(tess_resize_opts){ .border = TESS_BORDER_VALUE, .value = 99 }));
    tess_release(&small);
    tess_release(&middle);
    return TESS_OK;
}

/* All images in one picture; unused tiles stay 0. */
static tess_status lay_out(tess_array *picture, tess_array *origins, const tess_array *framed)
{
    tess_shape shape;
    TESS_TRY(tess_atlas_layout(&shape, origins, IMAGES, FRAMED, FRAMED));
    TESS_TRY(tess_zeros(picture, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_insert(picture, framed, origins, NULL));
    printf("%d images of %d x %d in one of %d x %d:\n", IMAGES, FRAMED, FRAMED, (int)shape.h, (int)shape.w);
    return TESS_OK;
}

static tess_status show(const tess_array *picture)
{
    double x;
    for (int64_t h = 0; h < picture->shape.h; h++, putchar('\n'))
        for (int64_t w = 0; w < picture->shape.w; w++) {
            TESS_TRY(tess_get_f64(&x, picture, 0, 0, h, w));
            printf("%5.1f", x);
        }
    return TESS_OK;
}

/* The way back: images cut out of the picture, without their frames. */
static tess_status take_apart(bool *same, const tess_array *picture, const tess_array *origins,
                              const tess_array *framed)
{
    const tess_shape side = TESS_SHAPE(0, 0, 1, 1);
    tess_array       cut = { 0 }, inside = { 0 }, wanted = { 0 }, equal = { 0 };
    TESS_TRY(tess_extract(&cut, picture, origins, TESS_SHAPE(1, 1, FRAMED, FRAMED), NULL));
    TESS_TRY(tess_crop(&inside, &cut, side, side));
    TESS_TRY(tess_crop(&wanted, framed, side, side));
    TESS_TRY(tess_equal(&equal, &inside, &wanted));
    TESS_TRY(tess_host_all(same, &equal));
    printf("taken apart again, the images are %s\n", *same ? "the same" : "different");
    tess_release(&cut);
    tess_release(&inside);
    tess_release(&wanted);
    tess_release(&equal);
    return TESS_OK;
}

static tess_status run(bool *same)
{
    tess_array stack = { 0 }, framed = { 0 }, picture = { 0 }, origins = { 0 };
    TESS_TRY(make_stack(&stack));
    TESS_TRY(make_thumbnails(&framed, &stack));
    TESS_TRY(lay_out(&picture, &origins, &framed));
    TESS_TRY(show(&picture));
    TESS_TRY(take_apart(same, &picture, &origins, &framed));
    tess_release(&stack);
    tess_release(&framed);
    tess_release(&picture);
    tess_release(&origins);
    return TESS_OK;
}

int main(void)
{
    bool same = false;
    if (run(&same) == TESS_OK) return same ? 0 : 1;
    fputs(tess_error_trace(), stderr);
    return 1;
}
