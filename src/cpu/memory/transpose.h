/* Tiled transpose: the copy between layouts whose innermost dimensions differ, planned as independent tiles. */
#ifndef TESS_CPU_MEMORY_TRANSPOSE_H
#define TESS_CPU_MEMORY_TRANSPOSE_H

#include <stdbool.h>
#include <stdint.h>

/* Maximum of rows of a tile, and of vectors of 16 bytes in a row; a tile that is copied element by element has at most
   as many columns as rows. The first and the last tile of a row or column of tiles may have more, together less than
   TILE_MORE elements. */
enum { TESS__TILE_ROWS = 256, TESS__TILE_VECTORS = 1024, TESS__TILE_MORE = 80 };

/* Bytes of a row that a tile reads where non-temporal stores write lines that are not whole in every column. */
enum { TESS__NT_ROW_BYTES = 4096 };

/* Dimensions walked as one, the innermost first. */
typedef struct tess__stretch {
    int     n;
    int     dim[4];
    int64_t length; /* product of the shapes */
    int64_t lead;   /* elements before the first whole tile, which the first tile takes too */
    int64_t tile;   /* elements a tile takes of it; the last tile has what is left */
    int64_t tiles;
} tess__stretch;

/* A copy between layouts whose innermost dimensions differ, divided into tiles. Strides in elements. */
typedef struct tess__transpose {
    char       *out;
    const char *in;
    int         n; /* dimensions, outermost first, by the output's strides; 2..4 */
    int64_t     shape[4], so[4], si[4];
    int         size; /* bytes of an element: 1, 2, 4, 8, 16 */
    bool        nt;   /* by non-temporal stores, after which tess__stores_done has to come */

    /* What the plan decided. It may clear `nt`. It may reverse dimensions: out_first and in_first are then the
       offsets of the element that all indices 0 stand for, and so and si are changed to match. */
    int64_t       out_first, in_first;
    tess__stretch rows;    /* nearest in the output: the rows that a tile reads */
    tess__stretch cols;    /* nearest in the input: the columns that a tile reads */
    tess__stretch outer;   /* every other dimension; a tile is one element long here */
    bool          vectors; /* rows are contiguous in the output and columns in the input, and can be taken by vectors */
    bool          whole;   /* lines begin at the same rows in all columns, and tiles where lines do */
    int           lines;   /* cache lines of an output row that are written at a time: 1, 2 or 4 */
    int64_t       n_tiles; /* independent of each other; a task is a range of them */
} tess__transpose;

/* Fills in what the plan decides from the members above; of out only the alignment is used. False, and nothing
   above is changed, if the copy is not of this kind, since the innermost dimensions agree, or if the parts to
   transpose are too small to be worth it. */
bool tess__transpose_plan(tess__transpose *t);

/* Plan a copy of two dimensions and do it here and now: by tiles, or along rows where that does not pay. */
void tess__transpose_block(tess__transpose *t);

#endif
