/* Copies and fills of the simulated driver. All are boxes of rows. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

typedef struct box {
    uintptr_t to, from;
    size_t    to_pitch, to_slice, from_pitch, from_slice;
    size_t    width, height, depth; /* bytes, rows, slices */
    void     *staged;               /* the source's bytes, taken at the call */
} box;

typedef struct fill {
    uintptr_t to;
    size_t    count;
    size_t    item;
    uint32_t  value;
} fill;

static size_t extent(const box *b, size_t pitch, size_t slice)
{
    return (b->depth - 1) * slice + (b->height - 1) * pitch + b->width;
}

/* Memory of a device must be whole inside one allocation that is alive now. */
static sim_block *open_range(uintptr_t address, size_t size, const char *name)
{
    sim_block *block = sim_block_of(address);
    if (block == NULL || !block->live || address - block->data + size > block->size)
        sim_die("%s touches memory of the device that is not allocated any more, or not yet", name);
    sim_block_open(block, true);
    return block;
}

static void run_copy(void *argument)
{
    const box *b = argument;
    sim_block *to = NULL, *from = NULL;
    if (sim_is_device_address(b->to)) to = open_range(b->to, extent(b, b->to_pitch, b->to_slice), "a copy");
    if (b->staged == NULL && sim_is_device_address(b->from))
        from = open_range(b->from, extent(b, b->from_pitch, b->from_slice), "a copy");
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            memcpy((char *)b->to + z * b->to_slice + y * b->to_pitch,
                   (const char *)b->from + z * b->from_slice + y * b->from_pitch, b->width);
    if (to != NULL) sim_block_open(to, false);
    if (from != NULL && from != to) sim_block_open(from, false);
    free(b->staged);
}

static int check_range(uintptr_t address, size_t size)
{
    SIM_REQUIRE(address != 0, SIM_INVALID_VALUE);
    if (!sim_is_device_address(address)) return SIM_OK;
    const sim_block *block = sim_block_of(address);
    SIM_REQUIRE(block != NULL && !block->leaving, SIM_INVALID_VALUE);
    return address - block->data + size <= block->size ? SIM_OK : SIM_INVALID_VALUE;
}

/* The bytes of pageable memory are taken at once: the caller may change them after the call. */
static bool stage(box *b)
{
    char *bytes = malloc(b->width * b->height * b->depth);
    if (bytes == NULL) return false;
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            memcpy(bytes + (z * b->height + y) * b->width,
                   (const char *)b->from + z * b->from_slice + y * b->from_pitch, b->width);
    b->staged = bytes;
    b->from = (uintptr_t)bytes;
    b->from_pitch = b->width;
    b->from_slice = b->width * b->height;
    return true;
}

static int copy(box b, void *stream)
{
    sim_stream *queue = sim_stream_of(stream);
    SIM_REQUIRE(queue != NULL, SIM_INVALID_HANDLE);
    if (b.width == 0 || b.height == 0 || b.depth == 0) return SIM_OK;
    const size_t to_size = extent(&b, b.to_pitch, b.to_slice), from_size = extent(&b, b.from_pitch, b.from_slice);
    SIM_RETURN_IF(check_range(b.to, to_size));
    SIM_RETURN_IF(check_range(b.from, from_size));
    if (b.height == 1 && b.depth == 1 && b.to < b.from + b.width && b.from < b.to + b.width)
        sim_die("a copy of %zu bytes overlaps itself", b.width);
    if (!sim_is_device_address(b.from) && !sim_is_pinned(b.from, from_size)) SIM_REQUIRE(stage(&b), SIM_OUT_OF_MEMORY);
    return sim_enqueue(queue, "copy", SIM_ON_HOST, run_copy, &b, sizeof b);
}

static int copy_row(uint64_t to, uint64_t from, size_t size, void *stream)
{
    return copy((box){ .to = (uintptr_t)to, .from = (uintptr_t)from, .width = size, .height = 1, .depth = 1 }, stream);
}

SIM_API int cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return copy_row(to, from, size, stream);
}

SIM_API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(size == 0 || (sim_is_device_address((uintptr_t)to) && !sim_is_device_address((uintptr_t)from)),
                SIM_INVALID_VALUE);
    return copy_row(to, (uintptr_t)from, size, stream);
}

SIM_API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(size == 0 || (!sim_is_device_address((uintptr_t)to) && sim_is_device_address((uintptr_t)from)),
                SIM_INVALID_VALUE);
    return copy_row((uintptr_t)to, from, size, stream);
}

SIM_API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(size == 0 || (sim_is_device_address((uintptr_t)to) && sim_is_device_address((uintptr_t)from)),
                SIM_INVALID_VALUE);
    return copy_row(to, from, size, stream);
}

SIM_API int cuMemcpyPeerAsync(uint64_t to, sim_context *to_context, uint64_t from, sim_context *from_context,
                              size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(to_context != NULL && from_context != NULL, SIM_INVALID_CONTEXT);
    if (size == 0) return SIM_OK;
    const sim_block *a = sim_block_of((uintptr_t)to), *b = sim_block_of((uintptr_t)from);
    SIM_REQUIRE(a != NULL && a->device == to_context->device, SIM_INVALID_VALUE);
    SIM_REQUIRE(b != NULL && b->device == from_context->device, SIM_INVALID_VALUE);
    return copy_row(to, from, size, stream);
}

/* One side of CUDA_MEMCPY3D. */
typedef struct side {
    size_t      x, y, z, level;
    int         type;
    const void *host;
    uint64_t    device;
    void       *array, *reserved;
    size_t      pitch, height;
} side;

typedef struct copy_3d {
    side   from, to;
    size_t width, height, depth;
} copy_3d;

enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_UNIFIED = 4 };

static int locate(const side *s, const copy_3d *c, uintptr_t *address, size_t *slice)
{
    SIM_REQUIRE(s->type == TYPE_HOST || s->type == TYPE_DEVICE || s->type == TYPE_UNIFIED, SIM_INVALID_VALUE);
    SIM_REQUIRE(s->level == 0 && s->reserved == NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(s->pitch >= s->x + c->width || c->height * c->depth <= 1, SIM_INVALID_VALUE);
    SIM_REQUIRE(s->height >= s->y + c->height || c->depth <= 1, SIM_INVALID_VALUE);
    const uintptr_t base = s->type == TYPE_HOST ? (uintptr_t)s->host : (uintptr_t)s->device;
    SIM_REQUIRE(s->type == TYPE_UNIFIED || sim_is_device_address(base) == (s->type == TYPE_DEVICE), SIM_INVALID_VALUE);
    *slice = s->pitch * s->height;
    *address = base + s->z * *slice + s->y * s->pitch + s->x;
    return SIM_OK;
}

SIM_API int cuMemcpy3DAsync_v2(const copy_3d *c, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(c != NULL, SIM_INVALID_VALUE);
    if (c->width == 0 || c->height == 0 || c->depth == 0) return SIM_OK;
    box b = { .width = c->width, .height = c->height, .depth = c->depth };
    b.to_pitch = c->to.pitch;
    b.from_pitch = c->from.pitch;
    SIM_RETURN_IF(locate(&c->to, c, &b.to, &b.to_slice));
    SIM_RETURN_IF(locate(&c->from, c, &b.from, &b.from_slice));
    return copy(b, stream);
}

static void run_fill(void *argument)
{
    const fill *f = argument;
    sim_block  *block = open_range(f->to, f->count * f->item, "a fill");
    for (size_t k = 0; k < f->count; k++) memcpy((char *)f->to + k * f->item, &f->value, f->item);
    sim_block_open(block, false);
}

static int set(uint64_t to, uint32_t value, size_t item, size_t count, void *stream)
{
    sim_stream *queue = sim_stream_of(stream);
    SIM_REQUIRE(queue != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(to % item == 0, SIM_INVALID_VALUE);
    if (count == 0) return SIM_OK;
    SIM_REQUIRE(sim_is_device_address((uintptr_t)to), SIM_INVALID_VALUE);
    SIM_RETURN_IF(check_range((uintptr_t)to, count * item));
    const fill f = { (uintptr_t)to, count, item, value };
    return sim_enqueue(queue, "fill", SIM_ON_HOST, run_fill, &f, sizeof f);
}

SIM_API int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return set(to, value, 1, count, stream);
}

SIM_API int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return set(to, value, 2, count, stream);
}

SIM_API int cuMemsetD32Async(uint64_t to, unsigned int value, size_t count, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return set(to, value, 4, count, stream);
}
