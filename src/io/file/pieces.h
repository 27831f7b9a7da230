/* Tiles of an image, handled one after the other: some whole rows, or a part of one row. */
#ifndef TESS_IO_FILE_PIECES_H
#define TESS_IO_FILE_PIECES_H

#include "core/dtype.h"
#include "tessera/array.h"

/* Begins with h, w and `most` (elements of a piece, at least 1) set and all else 0. */
typedef struct tess__piece {
    int64_t h, w, most;
    int64_t row, rows, column, columns; /* the piece */
} tess__piece;

/* The next piece, in the order of the elements; false at the end. */
static inline bool tess__piece_next(tess__piece *p)
{
    p->column += p->columns;
    if (p->column >= p->w) p->row += p->rows, p->column = 0;
    if (p->row >= p->h || p->w == 0) return false;
    const int64_t rows = p->w <= p->most ? p->most / p->w : 1, left = p->w - p->column;
    p->rows = rows < p->h - p->row ? rows : p->h - p->row;
    p->columns = left < p->most ? left : p->most;
    return true;
}

/* The view of the piece in image i of {n,1,h,w}. */
static inline tess_array tess__piece_of(const tess__piece *p, const tess_array *images, int64_t i)
{
    tess_array v = *images;
    v.shape = TESS_SHAPE(1, 1, p->rows, p->columns);
    v.data =
        (char *)images->data + (i * images->strides.b + p->row * images->strides.h + p->column * images->strides.w) *
                                   tess__dtype_size(images->dtype);
    return v;
}

/* Elements of a buffer as the piece. */
static inline tess_array tess__piece_buffer(const tess__piece *p, void *buffer, tess_dtype dtype)
{
    tess_array a = { .data = buffer, .dtype = dtype, .device = tess_cpu() };
    a.shape = TESS_SHAPE(1, 1, p->rows, p->columns);
    a.strides = TESS_STRIDES(0, 0, p->columns, 1);
    return a;
}

#endif
