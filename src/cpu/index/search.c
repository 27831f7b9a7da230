/* Binary search of values in sorted rows (searchsorted). */
#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/schedule.h"

enum { BLOCK = 256 }; /* values of a block, converted */

typedef struct search {
    tess__search_fn *kernel;
    tess__conversion in, out;
    bool             same_in, same_out; /* in the kernel's dtype */
    int64_t          size_in, size_out, size;
    int64_t          n; /* of a sorted row */
    bool             right;
} search;

/* Operands: indices, values, first elements of the sorted rows. */
static void search_block(const search *f, char *const *p, const int64_t *s, int64_t n)
{
    _Alignas(64) char    values[BLOCK * 8];
    _Alignas(64) int64_t indices[BLOCK];
    const bool           direct_in = f->same_in && s[1] == 1, direct_out = f->same_out && s[0] == 1;
    const int64_t        into[2] = { 1, s[1] }, from[2] = { s[0], 1 };
    if (!direct_in) f->in.row((char *[]){ values, p[1] }, into, n, &f->in);
    const char *v = direct_in ? p[1] : values;
    int64_t    *o = direct_out ? (int64_t *)(void *)p[0] : indices;
    if (s[2] == 0) {
        f->kernel(o, p[2], f->n, v, n, f->right);
    } else { /* each value in a row of its own */
        for (int64_t i = 0; i < n; i++) f->kernel(o + i, p[2] + i * s[2] * f->size, f->n, v + i * f->size, 1, f->right);
    }
    if (!direct_out) f->out.row((char *[]){ p[0], (char *)indices }, from, n, &f->out);
}

static void search_row(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const search *f = param;
    for (int64_t i = 0; i < n; i += BLOCK) {
        char *const q[3] = { p[0] + i * s[0] * f->size_out, p[1] + i * s[1] * f->size_in, p[2] + i * s[2] * f->size };
        search_block(f, q, s, n - i < BLOCK ? n - i : BLOCK);
    }
}

static tess__conversion row_of(tess_dtype from, tess_dtype to)
{
    tess__conversion c = { .row = tess__cpu_kernels()->memory.copy[tess__size_class(tess__dtype_size(to))] };
    return from == to ? c : tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT);
}

tess_status tess__cpu_search(const tess__search *work)
{
    const search      f = { .kernel = tess__cpu_kernels()->index.search[work->dtype],
                            .in = row_of(work->values.dtype, work->dtype),
                            .out = row_of(TESS_I64, work->out.dtype),
                            .same_in = work->values.dtype == work->dtype,
                            .same_out = work->out.dtype == TESS_I64,
                            .size_in = tess__dtype_size(work->values.dtype),
                            .size_out = tess__dtype_size(work->out.dtype),
                            .size = tess__dtype_size(work->dtype),
                            .n = work->sorted.shape.w,
                            .right = work->right };
    tess_array        rows = work->sorted;
    const tess_array *operands[3] = { &work->out, &work->values, &rows };
    tess__loop        loop;
    double            cost = 2;
    rows.shape.w = 1;
    for (int64_t n = f.n; n > 0; n /= 2) cost += 1;
    tess__plan(&loop, work->out.shape, operands, 3);
    tess__run_rows(&loop, search_row, &f, cost);
    return TESS_OK;
}
