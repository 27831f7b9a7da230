/* Small DM3 and DM4 files made by hand. Each file that includes this has its own. */
#ifndef TESS_TEST_DM_BYTES_H
#define TESS_TEST_DM_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The file that is being made. */
static uint8_t dm_bytes[1 << 14];
static size_t  dm_n_bytes;
static int     dm_version; /* 3 or 4 */

static inline void dm_put(uint64_t value, int n, bool big_endian)
{
    for (int i = 0; i < n; i++) dm_bytes[dm_n_bytes++] = (uint8_t)(value >> 8 * (big_endian ? n - 1 - i : i));
}

static inline void dm_put_count(uint64_t value) { dm_put(value, dm_version == 4 ? 8 : 4, true); }

static inline void dm_put_name(int kind, const char *name)
{
    dm_put((uint64_t)kind, 1, true);
    dm_put(strlen(name), 2, true);
    memcpy(dm_bytes + dm_n_bytes, name, strlen(name));
    dm_n_bytes += strlen(name);
    if (dm_version == 4) dm_put(0, 8, true); /* the length of the tag, which is not used */
}

static inline void dm_begin_group(const char *name, uint64_t n)
{
    dm_put_name(20, name);
    dm_put(0, 2, true);
    dm_put_count(n);
}

/* A value of `size` bytes, or an array of n. */
static inline void dm_put_value(const char *name, int type, int size, uint64_t value, int n)
{
    dm_put_name(21, name);
    memcpy(dm_bytes + dm_n_bytes, "%%%%", 4);
    dm_n_bytes += 4;
    dm_put_count(n ? 3 : 1);
    if (n) dm_put_count(20);
    dm_put_count((uint64_t)type);
    if (n) dm_put_count((uint64_t)n);
    for (int i = 0; i < (n ? n : 1); i++) dm_put(value + (uint64_t)i, size, false);
}

static inline void dm_put_image(int dims, int data_type, int type, int size)
{
    int n = 1;
    dm_begin_group("", 1);
    dm_begin_group("ImageData", 4);
    dm_begin_group("Calibrations", 1);
    dm_begin_group("Dimension", 1);
    dm_begin_group("", 2);
    dm_put_value("Scale", 6, 4, 0x3f800000, 0);
    dm_put_value("Units", 4, 2, 'm', 2);
    for (int i = 0; i < dims; i++) n *= 3 + i;
    dm_put_value("Data", type, size, 7, n);
    dm_put_value("DataType", 5, 4, (uint64_t)data_type, 0);
    dm_begin_group("Dimensions", (uint64_t)dims);
    for (int i = 0; i < dims; i++) dm_put_value("", 5, 4, 3 + (uint64_t)i, 0);
}

/* LIST/0/NAME: the index of an image. */
static inline void dm_put_mark(const char *list, const char *name, int index)
{
    dm_begin_group(list, 1);
    dm_begin_group("", 1);
    dm_put_value(name, 5, 4, (uint64_t)index, 0);
}

/* A file with a list of two images, the first of which is a thumbnail and the second displayed: of `dims` axes, the second of DigitalMicrograph's data_type, whose elements are of
 * a type and a size. */
static inline void dm_make(int version, int dims, int first_dims, int data_type, int type, int size)
{
    dm_n_bytes = 0;
    dm_version = version;
    dm_put((uint64_t)version, 4, true);
    dm_put_count(0);
    dm_put(1, 4, true);
    dm_put(0, 2, true);
    dm_put_count(3);
    dm_begin_group("ImageList", 2);
    dm_put_image(first_dims, 6, 10, 1);
    dm_put_image(dims, data_type, type, size);
    dm_put_mark("ImageSourceList", "ImageRef", 1);
    dm_put_mark("Thumbnails", "ImageIndex", 0);
}

#endif
