/* Tiles of an image, handled one after the other: some whole rows, or a part of one row. */
#ifndef TESS_IO_FILE_TILES_H
#define TESS_IO_FILE_TILES_H

#include "core/dtype.h"
#include "tessera/array.h"

/* Begins with h, w and `max` (elements of a tile, at least 1) set and all else 0. */
typedef struct tess__image_tile {
    int64_t h, w, max;
    int64_t row, rows, column, columns; /* the tile */
} tess__image_tile;

/* The next tile, in the order of the elements; false at the end. */
static inline bool tess__image_tile_next(tess__image_tile *p)
{
    p->column += p->columns;
    if (p->column >= p->w) p->row += p->rows, p->column = 0;
    if (p->row >= p->h || p->w == 0) return false;
    const int64_t rows = p->w <= p->max ? p->max / p->w : 1, left = p->w - p->column;
    p->rows = rows < p->h - p->row ? rows : p->h - p->row;
    p->columns = left < p->max ? left : p->max;
    return true;
}

/* The view of the tile in image i of {n,1,h,w}. */
static inline tess_array tess__image_tile_of(const tess__image_tile *p, const tess_array *images, int64_t i)
{
    tess_array v = *images;
    v.shape = TESS_SHAPE(1, 1, p->rows, p->columns);
    v.data =
        (char *)images->data + (i * images->strides.b + p->row * images->strides.h + p->column * images->strides.w) *
                                   tess__dtype_size(images->dtype);
    return v;
}

/* A buffer as an array with the shape of the tile. */
static inline tess_array tess__image_tile_buffer(const tess__image_tile *p, void *buffer, tess_dtype dtype)
{
    tess_array a = { .data = buffer, .dtype = dtype, .device = tess_cpu() };
    a.shape = TESS_SHAPE(1, 1, p->rows, p->columns);
    a.strides = TESS_STRIDES(0, 0, p->columns, 1);
    return a;
}

#endif
