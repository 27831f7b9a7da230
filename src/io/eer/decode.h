/* Decoder of the events of a frame: first checked, and cut into bands of rows; then each band is counted by itself. */
#ifndef TESS_IO_EER_DECODE_H
#define TESS_IO_EER_DECODE_H

#include "io/eer/eer.h"

/* A place in the bits of a frame: behind a run. */
typedef struct tess__eer_cursor {
    const unsigned char *next, *end; /* bytes to be loaded, and their end */
    uint64_t             word;       /* the next bits, the first one lowest */
    int32_t              n;          /* of them */
    bool                 is_event;   /* one follows, at pixel `at`; else another run */
    int64_t              at;         /* counted along rows */
} tess__eer_cursor;

/* Where electrons are counted: pixels of u8 or u16, rows `pitch` elements apart. */
typedef struct tess__eer_image {
    void      *pixels;
    int64_t    pitch;
    tess_dtype dtype;
} tess__eer_image;

/* Zeros that must follow the bytes of a frame: the decoder loads whole words. */
enum { TESS__EER_PADDING = 16 };

/* Find n bands of `rows` rows each (the last may have fewer) in the bytes of a frame. False: it is no whole frame, its
 * events do not end at the last pixel. */
bool tess__eer_find_bands(tess__eer_cursor *bands, int64_t n, const tess__eer_file *movie, const unsigned char *bytes,
                          int64_t n_bytes, int64_t rows);

/* Count the electrons of a band of a whole frame, up to a row. */
void tess__eer_count(const tess__eer_image *image, const tess__eer_file *movie, const tess__eer_cursor *from,
                     int64_t end_row);

#endif
