/* Reductions by columns: rows that hold an element of each of several neighbouring results, in place or gathered. */
#include "core/array/layout.h"
#include "cpu/reduce/reduce.h"

/* Most bytes from a row to the next for which prefetch pays: rows farther apart are streams that the hardware finds. */
enum { NEAR = 4096 };

/* The rows of numbers first to first + n - 1 in input k. */
static void list_rows(const tess__reduction *r, int k, const char *base, int64_t first, int64_t n, const char **rows)
{
    const tess__nest *nest = &r->plan.reduced;
    const int         inner = nest->n_dims - 1;
    const int64_t     step = nest->in[k][inner] * r->plan.size[k];
    for (int64_t i = 0; i < n;) {
        const int64_t at = (first + i) % nest->size[inner];
        const char   *row = base + tess__nest_offset(nest, k, first + i) * r->plan.size[k];
        for (int64_t j = at; j < nest->size[inner] && i < n; j++, i++, row += step) rows[i] = row;
    }
}

/* The rows of a block of columns: in place, gathered, converted, or products of two inputs. */
static tess__columns find_rows(const tess__reduction *r, const char *const base[2], int64_t first, int64_t n,
                               int64_t columns, tess__reduce_memory *memory)
{
    const tess__method *m = &r->item[0].method;
    const char        **rows = memory->rows;
    const int64_t       apart = tess__magnitude(r->plan.reduced.in[0][r->plan.reduced.n_dims - 1]) * r->plan.size[0];
    const bool          in_place = r->mode == TESS__BY_COLUMNS && !r->converts;
    const tess__columns found = { rows,           n, columns, memory->columns, r->far && in_place && apart <= NEAR,
                                  r->n_chunks > 1 };
    if (r->mode == TESS__GATHERED) {
        const tess__tile tile = { base[0], first, n, columns, memory->tile[0].out, columns, 1 };
        tess__pack_tile(&r->plan, 0, r->stored[0], &tile);
        for (int64_t i = 0; i < n; i++) rows[i] = tile.out + i * columns * r->plan.size[0];
        return found;
    }
    list_rows(r, 0, base[0], first, n, rows);
    if (r->work.n_inputs == 2) list_rows(r, 1, base[1], first, n, rows + n);
    if (r->converts && r->work.n_inputs == 1)
        tess__convert_rows(rows, n, columns, r->stored[0], m->read[0], memory->converted);
    else if (r->converts)
        tess__multiply_rows(m, rows, n, columns, r->stored, r->plan.kept.in[1][r->plan.kept.n_dims - 1],
                            memory->converted);
    return found;
}

void tess__add_columns(const tess__reduction *r, const char *const base[2], int64_t first, int64_t last,
                       tess__reduce_memory *memory)
{
    const int64_t columns = memory->tree.columns;
    for (int64_t chunk = first; chunk < last; chunk++) {
        const int64_t       at = tess__chunk_begin(r, chunk), left = r->plan.inner_run - at % r->plan.inner_run;
        const tess__columns in = find_rows(r, base, at, r->run < left ? r->run : left, columns, memory);
        for (int i = 0; i < r->work.n_items; i++) {
            tess__columns_fn *kernel = r->pairs.columns ? r->pairs.columns : r->item[i].method.kernel.columns;
            kernel(&in, tess__tree_slot(&memory->tree, i), columns);
        }
        tess__tree_push(&memory->tree);
    }
}

bool tess__reduce_short_columns(const tess__reduction *r, const char *const base[2], int64_t columns, char *to,
                                tess__reduce_memory *memory)
{
    const tess__method      *m = &r->item[0].method;
    const int64_t            n = r->plan.reduced.n;
    const int64_t            divisor = tess__is_variance(m) ? n - m->ddof : m->op == TESS__R_MEAN ? n : 1;
    const tess__columns      in = find_rows(r, base, 0, n, columns, memory);
    const tess__short_output out = { to, (double)divisor, m->op == TESS__R_STD, r->nt };
    return m->shorts(&in, &out);
}
