/* Unpacking of samples that do not take whole bytes: 1 to 14 bits, the highest bit first, each row begun at a byte. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

bool tess__tiff_is_packed(const tess__tiff_kind *kind) { return kind->bits % 8 != 0; }

void tess__tiff_unpack_halves(unsigned char *out, const unsigned char *in, int64_t rows, int64_t cols, bool low_first)
{
    const int first = low_first ? 0 : 4;
    for (int64_t r = 0; r < rows; r++, in += (cols + 1) / 2)
        for (int64_t c = 0; c < cols; c++) *out++ = (unsigned char)(in[c / 2] >> (c % 2 ? 4 - first : first) & 15);
}

/* The next sample of a row: bits are kept in `held` until there are enough. */
typedef struct bit_reader {
    const unsigned char *in;
    uint32_t             held;
    int                  n_held;
} bit_reader;

static uint32_t next(bit_reader *b, int bits)
{
    while (b->n_held < bits) {
        b->held = b->held << 8 | *b->in++;
        b->n_held += 8;
    }
    b->n_held -= bits;
    return b->held >> b->n_held & ((1u << bits) - 1);
}

void tess__tiff_unpack(void *out, const unsigned char *in, int64_t rows, int64_t cols, int bits)
{
    unsigned char *bytes = out;
    uint16_t      *words = out;
    if (bits == 4) {
        tess__tiff_unpack_halves(out, in, rows, cols, false);
        return;
    }
    for (int64_t r = 0; r < rows; r++, in += (cols * bits + 7) / 8) {
        bit_reader b = { .in = in };
        if (bits < 8)
            for (int64_t c = 0; c < cols; c++) *bytes++ = (unsigned char)next(&b, bits);
        else
            for (int64_t c = 0; c < cols; c++) *words++ = (uint16_t)next(&b, bits);
    }
}

#endif
