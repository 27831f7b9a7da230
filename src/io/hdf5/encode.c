/* The HDF5 file format, version 0 of its superblock: object headers of version 1, groups as symbol tables. */
#include "io/hdf5/encode.h"

#include <string.h>

#include "core/dtype.h"

enum { SPACE = 1, TYPE = 3, FILL = 5, LAYOUT = 8, ATTRIBUTE = 12, GROUP = 17 }; /* messages */

unsigned char *tess__h5_put(unsigned char *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) *p++ = (unsigned char)(value >> 8 * i & 255);
    return p;
}

unsigned char *tess__h5_pad(unsigned char *p, unsigned char *end)
{
    if (p < end) memset(p, 0, (size_t)(end - p));
    return end;
}

/* Zeros up to a multiple of 8 bytes from `from` on. */
static unsigned char *align(unsigned char *p, const unsigned char *from)
{
    return tess__h5_pad(p, p + (8 - (p - from) % 8) % 8);
}

unsigned char *tess__h5_put_superblock(unsigned char *p, uint64_t root, uint64_t tree, uint64_t heap, uint64_t end)
{
    static const unsigned char start[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0, 0, 0, 0, 0, 8, 8, 0 };
    memcpy(p, start, sizeof start);
    p = tess__h5_put(p + sizeof start, TESS__H5_LEAF / 2, 2);
    p = tess__h5_put(p, TESS__H5_BRANCH / 2, 2);
    p = tess__h5_put(p, 0, 4);
    p = tess__h5_put(p, 0, 8);
    p = tess__h5_put(p, TESS__H5_NONE, 8);
    p = tess__h5_put(p, end, 8);
    p = tess__h5_put(p, TESS__H5_NONE, 8);
    p = tess__h5_put(p, 0, 8);
    p = tess__h5_put(p, root, 8);
    p = tess__h5_put(p, 1, 8); /* what follows is a copy of the root's group message */
    p = tess__h5_put(p, tree, 8);
    return tess__h5_put(p, heap, 8);
}

/* ---- Object headers ---- */

unsigned char *tess__h5_begin(unsigned char *p) { return p + 16; }

unsigned char *tess__h5_end(unsigned char *begin, unsigned char *p, int n_messages)
{
    unsigned char *q = tess__h5_put(begin, 1, 2);
    q = tess__h5_put(q, (uint64_t)n_messages, 2);
    q = tess__h5_put(q, 1, 4); /* links to it */
    (void)tess__h5_put(q, (uint64_t)(p - begin) - 16, 8);
    return p;
}

/* The header of a message is written when its end is known. */
static unsigned char *end_message(unsigned char *begin, unsigned char *p, int type)
{
    p = align(p, begin);
    (void)tess__h5_put(tess__h5_put(begin, (uint64_t)type, 2), (uint64_t)(p - begin) - 8, 6);
    return p;
}

unsigned char *tess__h5_put_group(unsigned char *p, uint64_t tree, uint64_t heap)
{
    return end_message(p, tess__h5_put(tess__h5_put(p + 8, tree, 8), heap, 8), GROUP);
}

static unsigned char *put_sizes(unsigned char *p, const uint64_t *sizes, int rank)
{
    p = tess__h5_put(p, 1 | (uint64_t)rank << 8, 8);
    for (int k = 0; k < rank; k++) p = tess__h5_put(p, sizes[k], 8);
    return p;
}

unsigned char *tess__h5_put_space(unsigned char *p, const uint64_t *sizes, int rank)
{
    return end_message(p, put_sizes(p + 8, sizes, rank), SPACE);
}

static unsigned char *put_float(unsigned char *p, bool is_double, uint64_t order)
{
    p = tess__h5_put(p, 0x11 | (0x20 | order) << 8 | (is_double ? UINT64_C(63) : 31) << 16,
                     4); /* a hidden 1, the sign's bit */
    p = tess__h5_put(p, is_double ? 8 : 4, 4);
    p = tess__h5_put(p, 0, 2);
    p = tess__h5_put(p, is_double ? 64 : 32, 2);
    p = tess__h5_put(p, is_double ? 52 : 23, 1); /* exponent: first bit, bits; mantissa: the same; bias */
    p = tess__h5_put(p, is_double ? 11 : 8, 1);
    p = tess__h5_put(p, 0, 1);
    p = tess__h5_put(p, is_double ? 52 : 23, 1);
    return tess__h5_put(p, is_double ? 1023 : 127, 4);
}

static unsigned char *put_number_type(unsigned char *p, tess_dtype dtype, bool big_endian)
{
    const uint64_t size = (uint64_t)tess__dtype_size(dtype), order = big_endian ? 1 : 0;
    const bool     is_signed = dtype == TESS_I8 || dtype == TESS_I16 || dtype == TESS_I32;
    if (dtype == TESS_F32 || dtype == TESS_F64) return put_float(p, dtype == TESS_F64, order);
    p = tess__h5_put(p, 0x10 | (order | (is_signed ? 8 : 0)) << 8, 4);
    p = tess__h5_put(p, size, 4);
    p = tess__h5_put(p, 0, 2);
    return tess__h5_put(p, 8 * size, 2);
}

unsigned char *tess__h5_put_type(unsigned char *p, tess_dtype dtype, bool big_endian)
{
    return end_message(p, put_number_type(p + 8, dtype, big_endian), TYPE);
}

unsigned char *tess__h5_put_fill(unsigned char *p)
{
    return end_message(p, tess__h5_put(p + 8, 2 | 2 << 8 | 2 << 16, 4), FILL); /* version 2, no value */
}

unsigned char *tess__h5_put_layout(unsigned char *p, uint64_t at, uint64_t bytes)
{
    unsigned char *q = tess__h5_put(p + 8, 3 | 1 << 8, 2); /* version 3, in one piece */
    return end_message(p, tess__h5_put(tess__h5_put(q, at, 8), bytes, 8), LAYOUT);
}

static unsigned char *put_attribute(unsigned char *p, const char *name, tess_dtype dtype, uint64_t bits)
{
    static const uint64_t one = 1;
    const size_t          length = strlen(name) + 1;
    unsigned char        *q = tess__h5_put(p + 8, 1, 2);
    q = tess__h5_put(q, length, 2);
    q = tess__h5_put(q, dtype == TESS_F32 ? 20 : 12, 2); /* bytes of the type, and of the space */
    q = tess__h5_put(q, 16, 2);
    memcpy(q, name, length);
    q = align(q + length, p);
    q = align(put_number_type(q, dtype, false), p);
    q = put_sizes(q, &one, 1);
    return end_message(p, tess__h5_put(q, bits, 4), ATTRIBUTE);
}

unsigned char *tess__h5_put_integer(unsigned char *p, const char *name, int32_t value)
{
    return put_attribute(p, name, TESS_I32, (uint32_t)value);
}

unsigned char *tess__h5_put_real(unsigned char *p, const char *name, double value)
{
    const float real = (float)value;
    uint32_t    bits;
    memcpy(&bits, &real, sizeof bits);
    return put_attribute(p, name, TESS_F32, bits);
}

/* ---- Groups ---- */

uint64_t tess__h5_name_bytes(const char *name) { return (strlen(name) + 8) / 8 * 8; }

unsigned char *tess__h5_put_heap(unsigned char *p, uint64_t at, uint64_t name_bytes)
{
    memcpy(p, "HEAP\0\0\0", 8);
    p = tess__h5_put(p + 8, 8 + name_bytes, 8);
    p = tess__h5_put(p, 1, 8); /* nothing is free */
    p = tess__h5_put(p, at + TESS__H5_HEAP, 8);
    return tess__h5_put(p, 0, 8); /* the empty name */
}

unsigned char *tess__h5_put_name(unsigned char *p, const char *name)
{
    const size_t length = strlen(name);
    memcpy(p, name, length);
    return tess__h5_pad(p + length, p + tess__h5_name_bytes(name));
}

unsigned char *tess__h5_begin_node(unsigned char *p, int n)
{
    memcpy(p, "SNOD\1", 6);
    return tess__h5_put(p + 6, (uint64_t)n, 2);
}

unsigned char *tess__h5_put_link(unsigned char *p, uint64_t name, uint64_t header)
{
    p = tess__h5_put(tess__h5_put(p, name, 8), header, 8);
    return tess__h5_pad(p, p + 24);
}

unsigned char *tess__h5_put_tree(unsigned char *p, const tess__h5_branch *branch)
{
    unsigned char *end = p + TESS__H5_TREE;
    memcpy(p, "TREE", 5);
    p = tess__h5_put(p + 5, (uint64_t)branch->level, 1);
    p = tess__h5_put(p, (uint64_t)branch->n, 2);
    p = tess__h5_put(p, branch->left, 8);
    p = tess__h5_put(p, branch->right, 8);
    for (int i = 0; i < branch->n; i++) p = tess__h5_put(tess__h5_put(p, branch->keys[i], 8), branch->children[i], 8);
    return tess__h5_pad(tess__h5_put(p, branch->keys[branch->n], 8), end);
}
