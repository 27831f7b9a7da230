#include "support/layouts.h"

#include <stdlib.h>

#include "core/dtype.h"

enum { GUARD = 64, POISON = 0xa5 };

const char *const layout_names[] = {
#define LAYOUT_NAME(name) #name,
    LAYOUTS(LAYOUT_NAME)
#undef LAYOUT_NAME
};

unsigned char *element_at(const tess_array *a, const int64_t position[4])
{
    int64_t offset = 0;
    for (int k = 0; k < 4; k++) offset += position[k] * a->strides.dim[k];
    return (unsigned char *)a->data + offset * tess__dtype_size(a->dtype);
}

void each_index(tess_shape shape, void (*visit)(void *context, const int64_t position[4]), void *context)
{
    int64_t p[4];
    for (p[0] = 0; p[0] < shape.b; p[0]++)
        for (p[1] = 0; p[1] < shape.d; p[1]++)
            for (p[2] = 0; p[2] < shape.h; p[2]++)
                for (p[3] = 0; p[3] < shape.w; p[3]++) visit(context, p);
}

/* Axes from the innermost out. */
static void choose_order(layout kind, int order[4])
{
    for (int k = 0; k < 4; k++) order[k] = 3 - k;
    if (kind == layout_column_major) order[0] = 2, order[1] = 3;
    if (kind != layout_permuted) return;
    for (int k = 3; k > 0; k--) {
        const int other = (int)test_random_in(0, k), axis = order[k];
        order[k] = order[other];
        order[other] = axis;
    }
}

void guarded_make(guarded *g, layout kind, tess_shape shape, tess_dtype dtype)
{
    const int64_t size = (int64_t)tess_dtype_size(dtype);
    int           order[4];
    int64_t       stride = 1, first = 0;
    tess_array   *a = &g->view;
    memset(g, 0, sizeof *g);
    a->shape = shape;
    a->dtype = dtype;
    choose_order(kind, order);
    for (int i = 0; i < 4; i++) {
        const int     k = order[i];
        const int64_t step = kind == layout_stepped ? test_random_in(1, 3) : 1;
        const bool    flat = kind == layout_broadcast && (i == 0 || test_random_in(0, 1));
        const bool    back = kind == layout_reversed && (i == 0 || test_random_in(0, 1));
        const int64_t steps = (flat ? 1 : shape.dim[k]) * step + (kind == layout_subregion ? test_random_in(0, 2) : 0);
        a->strides.dim[k] = flat ? 0 : back ? -stride * step : stride * step;
        if (back && shape.dim[k] > 0) first += (shape.dim[k] - 1) * stride * step;
        stride *= steps > 0 ? steps : 1;
    }
    const int64_t shift = kind == layout_misaligned ? test_random_in(1, 15) : 0;
    g->size = (size_t)((stride + shift) * size) + 2 * GUARD;
    g->block = malloc(g->size);
    g->before = malloc(g->size);
    a->data = g->block + GUARD + (first + shift) * size;
    guarded_poison(g);
}

void guarded_poison(guarded *g)
{
    memset(g->block, POISON, g->size);
    guarded_snapshot(g);
}

void guarded_snapshot(guarded *g) { memcpy(g->before, g->block, g->size); }

static void forget_row(void *context, const int64_t position[4])
{
    const guarded *g = context;
    const size_t   size = (size_t)tess__dtype_size(g->view.dtype);
    const int64_t  step = g->view.strides.w * (int64_t)size;
    int64_t        offset = element_at(&g->view, position) - g->block;
    for (int64_t w = 0; w < g->view.shape.w; w++, offset += step) memcpy(g->before + offset, g->block + offset, size);
}

bool guarded_check(const guarded *g, const char *what)
{
    guarded    copy = *g;
    tess_shape rows = g->view.shape;
    rows.w = 1;
    each_index(rows, forget_row, &copy);
    if (memcmp(g->block, g->before, g->size) == 0) return true;
    size_t i = 0;
    while (g->block[i] == g->before[i]) i++;
    return test_failed(__FILE__, __LINE__, "%s: byte %zu of %zu, outside the view, was written", what, i, g->size);
}

void guarded_free(guarded *g)
{
    free(g->block);
    free(g->before);
    memset(g, 0, sizeof *g);
}
