/* Vectors along an axis in blocks of neighbours: their layout, and copies to and from contiguous memory. */
#include "cpu/sort/axis_vectors.h"

#include "core/dtype.h"
#include "core/array/layout.h"
#include "cpu/cpu.h"
#include "cpu/runtime/stream.h"

enum {
    BLOCK_BYTES = 1 << 17, /* of a block of short vectors */
    MAX_BYTES = 1 << 24,   /* of one of long vectors, rather than fewer than a cache line holds */
    CACHE_LINE = 64
};

static bool within(const tess__vectors *vectors, int d) { return vectors->axes >> d & 1; }

static int64_t width_of(const tess__vectors *vectors, int64_t size)
{
    const int64_t bytes = vectors->n * size, few = CACHE_LINE / size > 8 ? CACHE_LINE / size : 8;
    int64_t       width = BLOCK_BYTES / bytes;
    if (width < few) width = bytes <= MAX_BYTES / few ? few : MAX_BYTES / bytes;
    if (width > vectors->kept.dim[vectors->next]) width = vectors->kept.dim[vectors->next];
    return width > 0 ? width : 1;
}

void tess__vectors_of(tess__vectors *vectors, const tess_array *a, int axes, bool alone)
{
    vectors->kept = a->shape;
    vectors->axes = axes;
    vectors->next = -1;
    vectors->n = 1;
    for (int d = 0; d < 4; d++) {
        if (within(vectors, d)) {
            vectors->n *= a->shape.dim[d];
            vectors->kept.dim[d] = 1;
            continue;
        }
        const int64_t stride = tess__magnitude(a->strides.dim[d]);
        if (a->shape.dim[d] > 1 && (vectors->next < 0 || stride <= tess__magnitude(a->strides.dim[vectors->next])))
            vectors->next = d;
    }
    if (vectors->next < 0) vectors->next = 0; /* one vector */
    vectors->width = alone ? 1 : width_of(vectors, tess__dtype_size(a->dtype));
    vectors->across = (vectors->kept.dim[vectors->next] - 1) / vectors->width + 1;
    vectors->blocks = vectors->across;
    for (int d = 0; d < 4; d++)
        if (d != vectors->next) vectors->blocks *= vectors->kept.dim[d];
}

tess_array tess__vectors_block(const tess__vectors *vectors, const tess_array *a, int64_t block)
{
    tess_array    view = *a;
    int64_t       offset = 0, remainder = block / vectors->across;
    const int64_t first = block % vectors->across * vectors->width;
    const int     next = vectors->next;
    for (int d = 3; d >= 0; d--) {
        if (d == next || within(vectors, d)) continue;
        offset += remainder % vectors->kept.dim[d] * a->strides.dim[d];
        remainder /= vectors->kept.dim[d];
        view.shape.dim[d] = 1;
    }
    if (!within(vectors, next)) {
        offset += first * a->strides.dim[next];
        view.shape.dim[next] =
            vectors->kept.dim[next] - first < vectors->width ? vectors->kept.dim[next] - first : vectors->width;
    }
    view.data = (char *)view.data + offset * tess__dtype_size(a->dtype);
    return view;
}

int64_t tess__vectors_in(const tess__vectors *vectors, const tess_array *block)
{
    return within(vectors, vectors->next) ? 1 : block->shape.dim[vectors->next];
}

bool tess__vectors_contiguous(const tess__vectors *vectors, const tess_array *a)
{
    int64_t inner = 1;
    int     left = 0;
    for (int d = 0; d < 4; d++)
        if (within(vectors, d) && a->shape.dim[d] != 1) left |= 1 << d;
    while (left) {
        int found = -1;
        for (int d = 0; d < 4; d++)
            if (left >> d & 1 && a->strides.dim[d] == inner) found = d;
        if (found < 0) return false;
        inner *= a->shape.dim[found];
        left &= ~(1 << found);
    }
    return true;
}

tess_array tess__vectors_workspace(const tess__vectors *vectors, const tess_array *block, void *memory,
                                   tess_dtype dtype)
{
    tess_array workspace = { .shape = block->shape, .data = memory, .dtype = dtype };
    int64_t    inner = 1;
    for (int d = 3; d >= 0; d--) {
        if (!within(vectors, d)) continue;
        workspace.strides.dim[d] = inner;
        inner *= block->shape.dim[d];
    }
    if (!within(vectors, vectors->next)) workspace.strides.dim[vectors->next] = inner;
    return workspace;
}

void tess__vectors_move(const tess_array *out, const tess_array *in)
{
    const tess_array *operands[2] = { out, in };
    tess__ewise       work;
    work.name = "sort";
    work.kind = out->dtype == in->dtype ? TESS__COPY : TESS__CAST;
    work.from = in->dtype;
    work.to = out->dtype;
    work.mode = TESS_CAST_CLAMP;
    work.part = TESS_PART_DEFAULT;
    tess__plan(&work.loop, out->shape, operands, 2);
    /* Neither a copy nor a conversion of this kind can fail on a stream that is not asynchronous. */
    if (tess__cpu_ewise(tess__cpu_stream_default(tess_cpu()), &work, 1) != TESS_OK) return;
}
