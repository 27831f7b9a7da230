/* Index fill on the CPU: an affine function of the index of each element. */
#include <math.h>

#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum { BLOCK = 256 };

/* n elements from `index` on, written at `out` with this stride: computed in blocks, converted by the cast kernels. */
static void write_run(const tess__fill_index *w, char *out, int64_t stride, int64_t index, int64_t n)
{
    const tess__kernels *k = tess__cpu_kernels();
    const tess_dtype     real = tess_dtype_real(w->out.dtype);
    const int            reals = tess_dtype_reals(w->out.dtype);
    const int64_t        size = tess__dtype_size(w->out.dtype), s[2] = { stride * reals, 1 };
    const tess__element  zero = { .size = tess__dtype_size(real) };
    union {
        int64_t integer[BLOCK];
        double  number[BLOCK];
    } block;
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t m = n - done < BLOCK ? n - done : BLOCK;
        for (int64_t i = 0; i < m; i++) {
            const int64_t at = index + done + i;
            if (w->integral) block.integer[i] = w->int_start + at * w->int_step;
            else block.number[i] = w->scale * (w->start + (double)at * w->step);
        }
        if (w->ends && index + done + m == w->n) block.number[m - 1] = w->last;
        for (int64_t i = 0; w->floors && i < m; i++) block.number[i] = floor(block.number[i]);
        char *const p[2] = { out + done * stride * size, (char *)&block };
        k->convert.cast[TESS__CLAMP][w->integral ? TESS_I64 : TESS_F64][real](p, s, m, NULL);
        for (int part = 1; part < reals; part++) {
            char *const imag[1] = { p[0] + part * zero.size };
            k->memory.fill[tess__size_class(zero.size)](imag, s, m, &zero);
        }
    }
}

/* Rows first to last-1 in b, d, h order. */
static void write_rows(void *context, int64_t first, int64_t last)
{
    const tess__fill_index *w = context;
    const tess_array       *a = &w->out;
    for (int64_t row = first; row < last; row++) {
        const int64_t h = row % a->shape.h, d = row / a->shape.h % a->shape.d, b = row / a->shape.h / a->shape.d;
        const int64_t offset = b * a->strides.b + d * a->strides.d + h * a->strides.h;
        write_run(w, (char *)a->data + offset * tess__dtype_size(a->dtype), a->strides.w, row * a->shape.w, a->shape.w);
    }
}

/* Elements first to last-1 of one row. */
static void write_part(void *context, int64_t first, int64_t last)
{
    const tess__fill_index *w = context;
    char                   *data = w->out.data;
    write_run(w, data + first * w->out.strides.w * tess__dtype_size(w->out.dtype), w->out.strides.w, first,
              last - first);
}

tess_status tess__cpu_fill_index(const tess__fill_index *work)
{
    tess__fill_index w = *work;
    const double     cost = 1.0; /* nanoseconds an element */
    tess_array       flat;
    if (tess_is_empty(&w.out)) return TESS_OK;
    if (tess_is_flattenable(&w.out)) {
        TESS_TRY(tess_flatten(&flat, &w.out));
        w.out = flat;
        tess__parallel(flat.shape.w, tess__grain(flat.shape.w, cost), write_part, &w);
        return TESS_OK;
    }
    const int64_t n_rows = w.out.shape.b * w.out.shape.d * w.out.shape.h;
    tess__parallel(n_rows, tess__grain(n_rows, cost * (double)w.out.shape.w), write_rows, &w);
    return TESS_OK;
}
