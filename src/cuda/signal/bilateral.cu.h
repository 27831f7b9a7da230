/* Bilateral filter kernel: a thread adds the elements of its window in the CPU's order.
 *
 * The program defines IN and OUT, the dtypes of elements, and SUM, that of sums. */
#include "cuda/signal/similar.cu.h"

TESS_KERNEL(THREADS, tess__gpu_stencil, p)
{
    const sum *space = (const sum *)p.filter;
    place      x;
    if (!find_place(p, x)) return;
    const sum centre = value_at(p, x, 0, 0, 0), scale = (sum)p.scale;
    sum       total = 0, weights = 0;
    for (int d = -(p.size[0] / 2); d <= p.size[0] / 2; d++)
        for (int h = -(p.size[1] / 2); h <= p.size[1] / 2; h++)
            for (int w = -(p.size[2] / 2); w <= p.size[2] / 2; w++) {
                const sum value = value_at(p, x, d, h, w);
                const sum weight = *space++ * similarity(square_of(value, centre, scale));
                total = add_similar(total, weight, value, centre);
                weights += weight;
            }
    store_at(p, x, mean_of(total, weights, centre));
}
