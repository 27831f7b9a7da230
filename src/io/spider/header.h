/* Words of SPIDER headers, which are f32, counted from 0. */
#ifndef TESS_IO_SPIDER_HEADER_H
#define TESS_IO_SPIDER_HEADER_H

#include "io/file/file.h"

enum {
    TESS__SPIDER_SLICES = 0,
    TESS__SPIDER_ROWS = 1,
    TESS__SPIDER_RECORDS = 2, /* of the header and of the data of an image or volume */
    TESS__SPIDER_FORM = 4,
    TESS__SPIDER_HAS_STATS = 5,
    TESS__SPIDER_MAX = 6,
    TESS__SPIDER_MIN = 7,
    TESS__SPIDER_MEAN = 8,
    TESS__SPIDER_STD = 9,
    TESS__SPIDER_COLUMNS = 11,
    TESS__SPIDER_HEADER_RECORDS = 12,
    TESS__SPIDER_HEADER_BYTES = 21,
    TESS__SPIDER_RECORD_BYTES = 22,
    TESS__SPIDER_STACK = 23,
    TESS__SPIDER_IMAGES = 25, /* of a stack, in its first header */
    TESS__SPIDER_NUMBER = 26, /* of an image in a stack, from 1 */
    TESS__SPIDER_PIXEL_SIZE = 37,
    TESS__SPIDER_WORDS = 38,  /* those that are read */
    TESS__SPIDER_TITLE = 216, /* of 160 letters */
    TESS__SPIDER_MIN_WORDS = 256
};

/* Forms of images and volumes. */
enum { TESS__SPIDER_IMAGE = 1, TESS__SPIDER_VOLUME = 3 };

enum { TESS__SPIDER_MAX_SIZE = 1 << 24, TESS__SPIDER_MAX_COLUMNS = 999999 };

/* Functions of tess__format. */
tess_dtype  tess__spider_nearest(const tess_writer *writer, tess_dtype dtype);
tess_status tess__spider_start(tess_writer *writer);
tess_status tess__spider_end(tess_writer *writer);
int64_t     tess__spider_head(const tess_writer *writer);

#endif
