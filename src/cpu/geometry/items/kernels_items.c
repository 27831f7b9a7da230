/* Functions of small vectors and matrices over runs of items. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/template.h"
#include "formulas/geometry/rotation.op.h"
#include "requests/item_run.h"

/* Two loops: of numbers that were packed, where neighbours are those of neighbouring items, so that what has no
 * branches becomes vectors; and of items whose numbers are beside each other, where they are. */
#define ITEM(name, a, b, n_out)                                                                                        \
    static __attribute__((flatten)) void packed_##name(const tess__item_run *run)                                      \
    {                                                                                                                  \
        const double *restrict first = run->in[0].data, *restrict second = run->in[1].data;                            \
        const double *restrict val = run->val;                                                                         \
        double *restrict out = run->out.data;                                                                          \
        const int64_t n_val = run->n_val, n = run->n;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            double from[(a) + (b)], to[n_out];                                                                         \
            for (int k = 0; k < (a); k++) from[k] = first[k * TESS__ITEM_BLOCK + i];                                   \
            for (int k = 0; k < (b); k++) from[(a) + k] = second[k * TESS__ITEM_BLOCK + i];                            \
            tess__##name(from, val, n_val, to);                                                                        \
            for (int k = 0; k < (n_out); k++) out[k * TESS__ITEM_BLOCK + i] = to[k];                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((flatten)) void beside_##name(const tess__item_run *run)                                      \
    {                                                                                                                  \
        const double *first = run->in[0].data, *second = run->in[1].data, *val = run->val;                             \
        double       *out = run->out.data;                                                                             \
        const int64_t n_val = run->n_val, n = run->n;                                                                  \
        const int64_t s0 = run->in[0].along, s1 = run->in[1].along, so = run->out.along;                               \
        for (int64_t i = 0; i < n; i++, first += s0, second += s1, out += so) {                                        \
            double from[(a) + (b)], to[n_out];                                                                         \
            for (int k = 0; k < (a); k++) from[k] = first[k];                                                          \
            for (int k = 0; k < (b); k++) from[(a) + k] = second[k];                                                   \
            tess__##name(from, val, n_val, to);                                                                        \
            for (int k = 0; k < (n_out); k++) out[k] = to[k];                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void item_##name(const tess__item_run *run)                                                                 \
    {                                                                                                                  \
        if (run->out.across == TESS__ITEM_BLOCK) packed_##name(run);                                                   \
        else beside_##name(run);                                                                                       \
    }
#include "ops/geometry/items/items.def"

void TESS__FILL_KERNELS(geometry, items)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, items)(tess__geometry_kernels *kernels)
{
#define ITEM(name, a, b, n_out) kernels->items.name = item_##name;
#include "ops/geometry/items/items.def"
}
