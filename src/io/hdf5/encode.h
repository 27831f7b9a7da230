/* Structures of the HDF5 file format (version 0 of its superblock) as bytes: object headers, groups, datasets. */
#ifndef TESS_IO_HDF5_ENCODE_H
#define TESS_IO_HDF5_ENCODE_H

#include "tessera/array.h"

#define TESS__H5_NONE UINT64_MAX /* no address */

/* Each function writes at `p` and returns where the next bytes go. Addresses count from the start of the file. */

enum {
    TESS__H5_SUPERBLOCK = 96,
    TESS__H5_LEAF = 8,                      /* links of a symbol table node */
    TESS__H5_BRANCH = 32,                   /* children of a node of a tree */
    TESS__H5_NODE = 8 + 40 * TESS__H5_LEAF, /* bytes of these nodes */
    TESS__H5_TREE = 24 + 16 * TESS__H5_BRANCH + 8,
    TESS__H5_HEAP = 32 /* and its names */
};

unsigned char *tess__h5_put(unsigned char *p, uint64_t value, int bytes);
unsigned char *tess__h5_put_superblock(unsigned char *p, uint64_t root, uint64_t tree, uint64_t heap, uint64_t end);

/* An object header begins and ends; messages stand between. */
unsigned char *tess__h5_begin(unsigned char *p);
unsigned char *tess__h5_end(unsigned char *begin, unsigned char *p, int n_messages);

/* Messages: a group, a dataset of elements in one piece, attributes of one number. */
unsigned char *tess__h5_put_group(unsigned char *p, uint64_t tree, uint64_t heap);
unsigned char *tess__h5_put_space(unsigned char *p, const uint64_t *sizes, int rank);
unsigned char *tess__h5_put_type(unsigned char *p, tess_dtype dtype, bool big_endian);
unsigned char *tess__h5_put_fill(unsigned char *p);
unsigned char *tess__h5_put_layout(unsigned char *p, uint64_t at, uint64_t bytes);
unsigned char *tess__h5_put_integer(unsigned char *p, const char *name, int32_t value);
unsigned char *tess__h5_put_real(unsigned char *p, const char *name, double value);

/* A local heap of names, which follow it; then its names, each with tess__h5_name_bytes. The first is at 8. */
unsigned char *tess__h5_put_heap(unsigned char *p, uint64_t at, uint64_t name_bytes);
unsigned char *tess__h5_put_name(unsigned char *p, const char *name);
uint64_t       tess__h5_name_bytes(const char *name);

/* A symbol table node of n links, and what each of them is; padded by tess__h5_pad. */
unsigned char *tess__h5_begin_node(unsigned char *p, int n);
unsigned char *tess__h5_put_link(unsigned char *p, uint64_t name, uint64_t header);

/* A node of a tree, padded to its size: n children, each between two keys, which are places of names in the heap. */
typedef struct tess__h5_branch {
    int      level, n;
    uint64_t left, right; /* addresses of its neighbours; TESS__H5_NONE: none */
    uint64_t keys[TESS__H5_BRANCH + 1], children[TESS__H5_BRANCH];
} tess__h5_branch;
unsigned char *tess__h5_put_tree(unsigned char *p, const tess__h5_branch *branch);

/* Zeros up to `end`. */
unsigned char *tess__h5_pad(unsigned char *p, unsigned char *end);

#endif
