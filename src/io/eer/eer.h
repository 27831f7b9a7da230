/* EER movies (electron event representation): events of a counting camera, run-length encoded in frames of a TIFF. */
#ifndef TESS_IO_EER_EER_H
#define TESS_IO_EER_EER_H

#include "io/file/file.h"

/* How events are encoded: bits of a run, and of the position in a pixel along its row and its column. */
typedef struct tess__eer_code {
    int run_bits, x_bits, y_bits;
} tess__eer_code;

/* Bytes of a frame in the file. */
typedef struct tess__eer_strip {
    int64_t offset, bytes;
} tess__eer_strip;

typedef struct tess__eer_frame {
    int64_t number;       /* among the pages of the file, for messages */
    int64_t strip;        /* the first of its strips */
    int64_t n_strips;     /* one after the other, they are the frame */
    int64_t bytes;        /* of all */
    bool    bad, is_told; /* does not decode to a whole frame; a warning says so */
} tess__eer_frame;

/* A movie that is open: tess_file.state. */
typedef struct tess__eer_file {
    tess__eer_code   code;
    int64_t          width, height; /* of the camera */
    tess__eer_frame *frames;
    int64_t          n_frames;
    tess__eer_strip *strips;
    int64_t          n_strips, strip_capacity;
    int64_t          bytes; /* of all strips */
    int              shift; /* log2 of the up-sampling */
} tess__eer_file;

/* The most pixels that n bytes can stand for. */
int64_t tess__eer_max_pixels(const tess__eer_code *code, int64_t n);

/* Read the frames of a movie: their strips are checked against the file. */
tess_status tess__eer_find_frames(tess_file *file);

/* Does a TIFF hold frames of electrons? Its first page may be another. */
tess_status tess__eer_has_frames(bool *is_found, tess__source *source);

/* Count the electrons of images; see tess__format. */
tess_status tess__eer_read(tess_file *file, int64_t first, const tess_array *out);

#endif
