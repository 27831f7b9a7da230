/* HDF5 files of EMAN2, written without a library: groups and attributes of all images, then their elements, flat. */
#include "io/hdf5/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/hdf5/encode.h"

enum {
    MAX_HEADER = 2048,                                             /* of an image, with its attributes */
    ONE_LINK = TESS__H5_TREE + TESS__H5_HEAP + 16 + TESS__H5_NODE, /* below a group with one link */
    GROUP_HEADER = 40,                                             /* without attributes */
    MDF = TESS__H5_SUPERBLOCK + GROUP_HEADER + ONE_LINK,           /* its address */
    IMAGES = MDF + GROUP_HEADER + ONE_LINK,                        /* and that of /MDF/images */
    IMAGES_HEADER = GROUP_HEADER + 8 + 8 + 16 + 16 + 16 + 8,       /* with imageid_max */
    ALIGNMENT = 64
};

/* Where all is. */
typedef struct plan {
    const tess_writer *writer;
    int64_t            n;             /* images */
    uint64_t          *name_at;       /* in the heap, by the order of the names */
    int32_t           *order;         /* which image has the first name, and so on */
    uint64_t           heap, names;   /* of /MDF/images; bytes of its names */
    uint64_t           nodes, trees;  /* addresses of the first of them */
    uint64_t           root;          /* the tree's */
    uint64_t           image, stride; /* address of image 0, and from one to the next */
    uint64_t           header;        /* bytes of an image's header */
    uint64_t           data, bytes;   /* of image 0, of each */
} plan;

/* ---- Images ---- */

/* EMAN2's numbers of types. */
static int32_t eman_type(tess_dtype dtype)
{
    static const tess_dtype types[] = { TESS_I8, TESS_U8, TESS_I16, TESS_U16, TESS_I32, TESS_U32, TESS_F32, TESS_F64 };
    int32_t                 i = 0;
    while (i < 7 && types[i] != dtype) i++;
    return i + 1;
}

/* Attributes: sizes; pixel size and origin where they are known. */
static unsigned char *put_attributes(unsigned char *p, const tess_writer *w, int *n)
{
    static const char *const sizes[] = { "EMAN.nz", "EMAN.ny", "EMAN.nx" };
    static const char *const pixels[] = { "EMAN.apix_z", "EMAN.apix_y", "EMAN.apix_x" };
    static const char *const origins[] = { "EMAN.origin_z", "EMAN.origin_y", "EMAN.origin_x" };
    const double            *o = w->meta.origin;
    for (int k = 0; k < 3; k++, ++*n) p = tess__h5_put_integer(p, sizes[k], (int32_t)w->shape.dim[k + 1]);
    for (int k = 0; k < 3; k++) {
        if (!(w->meta.pixel_size[k] > 0)) continue;
        p = tess__h5_put_real(p, pixels[k], w->meta.pixel_size[k]);
        ++*n;
    }
    for (int k = 0; k < 3 && (o[0] != 0 || o[1] != 0 || o[2] != 0); k++, ++*n)
        p = tess__h5_put_real(p, origins[k], o[k]);
    *n += 2;
    p = tess__h5_put_integer(p, "EMAN.is_complex", 0);
    return tess__h5_put_integer(p, "EMAN.datatype", eman_type(w->dtype));
}

static unsigned char *put_image_header(unsigned char *p, const tess_writer *w, uint64_t tree)
{
    unsigned char *begin = p;
    int            n = 1;
    p = tess__h5_put_group(tess__h5_begin(p), tree, tree + TESS__H5_TREE);
    p = put_attributes(p, w, &n);
    return tess__h5_end(begin, p, n);
}

static unsigned char *put_dataset(unsigned char *p, const tess_writer *w, uint64_t at, uint64_t bytes)
{
    unsigned char *begin = p;
    const uint64_t sizes[3] = { (uint64_t)w->shape.d, (uint64_t)w->shape.h, (uint64_t)w->shape.w };
    const int      rank = w->shape.d > 1 ? 3 : 2;
    p = tess__h5_put_space(tess__h5_begin(p), sizes + 3 - rank, rank);
    p = tess__h5_put_type(p, w->dtype, w->opts.big_endian != 0);
    p = tess__h5_put_fill(p);
    p = tess__h5_put_layout(p, at, bytes);
    return tess__h5_end(begin, p, 4);
}

/* ---- Groups of one link ---- */

/* What follows the header of such a group, from `at` on: its tree, heap and node. */
static unsigned char *put_one_link(unsigned char *p, uint64_t at, const char *name, uint64_t header)
{
    const uint64_t  heap = at + TESS__H5_TREE, node = heap + TESS__H5_HEAP + 16;
    tess__h5_branch branch = {
        .n = 1, .left = TESS__H5_NONE, .right = TESS__H5_NONE, .keys = { 0, 8 }, .children = { node }
    };
    unsigned char *end = p + ONE_LINK;
    p = tess__h5_put_tree(p, &branch);
    p = tess__h5_put_name(tess__h5_put_heap(p, heap, 8), name);
    p = tess__h5_put_link(tess__h5_begin_node(p, 1), 8, header);
    return tess__h5_pad(p, end);
}

static unsigned char *put_group(unsigned char *p, uint64_t at, const char *name, uint64_t header)
{
    const uint64_t tree = at + GROUP_HEADER;
    unsigned char *end = tess__h5_put_group(tess__h5_begin(p), tree, tree + TESS__H5_TREE);
    return put_one_link(tess__h5_end(p, end, 1), tree, name, header);
}

/* ---- /MDF/images ---- */

static int by_digits(const void *a, const void *b)
{
    char x[16], y[16];
    (void)snprintf(x, sizeof x, "%" PRId32, *(const int32_t *)a);
    (void)snprintf(y, sizeof y, "%" PRId32, *(const int32_t *)b);
    return strcmp(x, y);
}

static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }

/* The name that ends child c of a level. */
static uint64_t key_of(const plan *l, int64_t span, int64_t c)
{
    const int64_t end = (c + 1) * span;
    return c < 0 ? 0 : l->name_at[(end < l->n ? end : l->n) - 1];
}

/* A level of the tree, whose `count` children of `size` bytes begin at address `child`. */
static unsigned char *put_level(unsigned char *p, const plan *l, int level, int64_t count, uint64_t child, uint64_t at)
{
    const uint64_t size = level ? TESS__H5_TREE : TESS__H5_NODE;
    int64_t        span = TESS__H5_LEAF;
    for (int i = 0; i < level; i++) span *= TESS__H5_BRANCH;
    for (int64_t first = 0; first < count; first += TESS__H5_BRANCH, at += TESS__H5_TREE) {
        const int64_t   left = count - first;
        tess__h5_branch b = { .level = level, .n = (int)(left < TESS__H5_BRANCH ? left : TESS__H5_BRANCH) };
        b.left = first ? at - TESS__H5_TREE : TESS__H5_NONE;
        b.right = left > TESS__H5_BRANCH ? at + TESS__H5_TREE : TESS__H5_NONE;
        for (int i = 0; i <= b.n; i++) b.keys[i] = key_of(l, span, first + i - 1);
        for (int i = 0; i < b.n; i++) b.children[i] = child + (uint64_t)(first + i) * size;
        p = tess__h5_put_tree(p, &b);
    }
    return p;
}

static unsigned char *put_trees(unsigned char *p, const plan *l)
{
    uint64_t child = l->nodes, at = l->trees;
    int64_t  count = parts(l->n, TESS__H5_LEAF);
    for (int level = 0;; level++) {
        p = put_level(p, l, level, count, child, at);
        count = parts(count, TESS__H5_BRANCH);
        child = at;
        at += (uint64_t)count * TESS__H5_TREE;
        if (count == 1) return p;
    }
}

static unsigned char *put_nodes(unsigned char *p, const plan *l)
{
    for (int64_t i = 0; i < l->n; i += TESS__H5_LEAF) {
        unsigned char *end = p + TESS__H5_NODE;
        const int64_t  n = l->n - i < TESS__H5_LEAF ? l->n - i : TESS__H5_LEAF;
        p = tess__h5_begin_node(p, (int)n);
        for (int64_t k = i; k < i + n; k++)
            p = tess__h5_put_link(p, l->name_at[k], l->image + (uint64_t)l->order[k] * l->stride);
        p = tess__h5_pad(p, end);
    }
    return p;
}

static unsigned char *put_images_group(unsigned char *p, const plan *l)
{
    unsigned char *begin = p;
    char           name[16];
    p = tess__h5_put_group(tess__h5_begin(p), l->root, l->heap);
    p = tess__h5_put_integer(p, "imageid_max", (int32_t)(l->n - 1));
    p = tess__h5_put_heap(tess__h5_end(begin, p, 2), l->heap, l->names);
    for (int64_t i = 0; i < l->n; i++) {
        (void)snprintf(name, sizeof name, "%" PRId32, l->order[i]);
        p = tess__h5_put_name(p, name);
    }
    return put_trees(put_nodes(p, l), l);
}

/* ---- The whole ---- */

/* The order of the names and their places in the heap. */
static tess_status sort_names(plan *l)
{
    char name[16];
    l->order = tess__alloc((size_t)l->n * sizeof *l->order);
    l->name_at = tess__alloc((size_t)l->n * sizeof *l->name_at);
    TESS_CHECK(l->order && l->name_at, TESS_ENOMEM, "writer_open: %s: no memory for the names of %" PRId64 " images",
               l->writer->path, l->n);
    for (int64_t i = 0; i < l->n; i++) l->order[i] = (int32_t)i;
    qsort(l->order, (size_t)l->n, sizeof *l->order, by_digits);
    for (int64_t i = 0; i < l->n; i++) {
        (void)snprintf(name, sizeof name, "%" PRId32, l->order[i]);
        l->name_at[i] = 8 + l->names;
        l->names += tess__h5_name_bytes(name);
    }
    return TESS_OK;
}

static void set_addresses(plan *l)
{
    unsigned char header[MAX_HEADER];
    int64_t       count = parts(l->n, TESS__H5_LEAF);
    l->heap = IMAGES + IMAGES_HEADER;
    l->nodes = l->heap + TESS__H5_HEAP + 8 + l->names;
    l->trees = l->nodes + (uint64_t)count * TESS__H5_NODE;
    l->image = l->trees;
    do {
        count = parts(count, TESS__H5_BRANCH);
        l->root = l->image;
        l->image += (uint64_t)count * TESS__H5_TREE;
    } while (count > 1);
    l->header = (uint64_t)(put_image_header(header, l->writer, 0) - header);
    l->stride = l->header + ONE_LINK + (uint64_t)(put_dataset(header, l->writer, 0, 0) - header);
    l->data = (l->image + (uint64_t)l->n * l->stride + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* All before the images. */
static tess_status write_groups(const plan *l)
{
    unsigned char *bytes = tess__alloc(l->image), *p = bytes;
    TESS_CHECK(bytes, TESS_ENOMEM, "writer_open: %s: no memory for the groups of %" PRId64 " images", l->writer->path,
               l->n);
    const uint64_t tree = TESS__H5_SUPERBLOCK + GROUP_HEADER;
    p = tess__h5_put_superblock(p, TESS__H5_SUPERBLOCK, tree, tree + TESS__H5_TREE,
                                l->data + (uint64_t)l->n * l->bytes);
    p = put_group(p, TESS__H5_SUPERBLOCK, "MDF", MDF);
    p = put_group(p, MDF, "images", IMAGES);
    (void)put_images_group(p, l);
    const tess_status status = tess__sink_write(l->writer->sink, bytes, (int64_t)l->image);
    tess__free(bytes);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status write_image_groups(const plan *l)
{
    unsigned char bytes[MAX_HEADER + ONE_LINK + MAX_HEADER];
    uint64_t      at = l->image, data = l->data;
    for (int64_t i = 0; i < l->n; i++, at += l->stride, data += l->bytes) {
        const uint64_t tree = at + l->header;
        unsigned char *p = put_image_header(bytes, l->writer, tree);
        p = put_one_link(p, tree, "image", tree + ONE_LINK);
        p = put_dataset(p, l->writer, data, l->bytes);
        TESS_TRY(tess__sink_write(l->writer->sink, bytes, p - bytes));
    }
    (void)tess__h5_pad(bytes, bytes + ALIGNMENT);
    TESS_TRY(tess__sink_write(l->writer->sink, bytes, (int64_t)(l->data - at)));
    return TESS_OK;
}

tess_dtype tess__h5_nearest(const tess_writer *writer, tess_dtype dtype)
{
    (void)writer;
    if (dtype == TESS_F16) return TESS_F32;
    if (dtype == TESS_BOOL) return TESS_U8;
    return dtype == TESS_I64 || dtype == TESS_U64 ? TESS_F64 : dtype;
}

static tess_status check(const tess_writer *w)
{
    const size_t      n = strlen(w->path);
    const tess_shape *s = &w->shape;
    TESS_CHECK(n < 4 || (strcmp(w->path + n - 4, ".emd") && strcmp(w->path + n - 4, ".EMD")), TESS_EUNSUPPORTED,
               "writer_open: %s: EMD files cannot be written; HDF5 files of EMAN2 (.hdf) can", w->path);
    TESS_CHECK(tess__h5_nearest(w, w->dtype) == w->dtype && tess__dtype_size(w->dtype) <= 8 && w->dtype != TESS_C16 &&
                   w->dtype != TESS_C32,
               TESS_EUNSUPPORTED,
               "writer_open: %s: HDF5 files of EMAN2 hold integers of 8 to 32 bits, f32 and f64, not %s", w->path,
               tess_dtype_name(w->dtype));
    for (int k = 0; k < 4; k++)
        TESS_CHECK(s->dim[k] >= 1 && s->dim[k] <= 100000000, TESS_ESHAPE,
                   "writer_open: %s: a size is %" PRId64 "; HDF5 files of EMAN2 have sizes of 1 to 100000000", w->path,
                   s->dim[k]);
    return TESS_OK;
}

tess_status tess__h5_start(tess_writer *writer)
{
    const tess_shape *s = &writer->shape;
    plan              l = { .writer = writer, .n = s->b };
    tess_status       status;
    TESS_TRY(check(writer));
    l.bytes = (uint64_t)(s->d * s->h * s->w * tess__dtype_size(writer->dtype));
    TESS_GOTO(done, status, sort_names(&l));
    set_addresses(&l);
    TESS_GOTO(done, status, write_groups(&l));
    TESS_GOTO(done, status, write_image_groups(&l));
done:
    tess__free(l.order);
    tess__free(l.name_at);
    return status;
}
