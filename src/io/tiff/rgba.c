/* Colours that are neither red, green and blue nor a palette: CMYK, YCbCr and CIE L*a*b* as libtiff converts them, and
 * CMYK of 16 bits, which it does not. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include "io/file/byteswap.h"
#include "io/file/colour.h"

void tess__tiff_mix_inks(uint16_t *pixels, int64_t n)
{
    enum { WHITE = 65535 };
    for (int64_t i = 0; i < n; i++, pixels += 4) {
        const uint32_t light = WHITE - (uint32_t)pixels[3]; /* that black leaves */
        for (int k = 0; k < 3; k++) pixels[k] = (uint16_t)((WHITE - (uint32_t)pixels[k]) * light / WHITE);
    }
}

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
