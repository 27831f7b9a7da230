/* Colours that are neither red, green and blue nor a palette (CMYK, YCbCr, CIE L*a*b*), as libtiff converts them. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include "io/file/byteswap.h"
#include "io/file/colour.h"

bool tess__tiff_grey_block(unsigned char *grey, uint32_t *raster, tess__tiff_handle *h, const tess__tiff_page *page,
                           const int64_t corner[2], int64_t rows)
{
    const uint32_t row = (uint32_t)corner[0], col = (uint32_t)corner[1];
    const int64_t  cols = page->block_w;
    const int      read =
        page->tiled ? TIFFReadRGBATileExt(h->tiff, col, row, raster, 1) : TIFFReadRGBAStripExt(h->tiff, row, raster, 1);
    if (read != 1) return false;
    /* Pixels have red in their lowest byte, and the top row comes last. */
    const int first = tess__is_little_endian() ? 0 : 3, step = tess__is_little_endian() ? 1 : -1;
    for (int64_t r = 0; r < rows; r++) {
        const unsigned char *red = (const unsigned char *)(raster + (rows - 1 - r) * cols) + first;
        tess__grey(grey + r * cols, red, red + step, red + 2 * step, 4, cols, TESS_U8);
    }
    return true;
}

#endif
