/* Means over shells as results: outputs, chunks of rows as they are, and what becomes of the sums. */
#include "core/check/check.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "ops/op/library.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"

#include "ops/signal/shells/whiten.def"

tess_status tess__shell_mean(tess_array *out, const tess_array *total, const tess_array *count)
{
    TESS_TRY(tess_call(&radial_mean, total, count, out));
    return TESS_OK;
}

/* ---- Outputs ---- */

static tess_status check_add(const char *fn, const tess__shell_end *end)
{
    if (!end->add) return TESS_OK;
    TESS_CHECK(!tess__is_empty_out(end->out), TESS_EARG,
               "%s: `out` is zeroed and `opts->add` is 1; an array that holds sums is needed", fn);
    TESS_CHECK(end->weights || end->sum, TESS_EARG,
               "%s: `opts->weights` is `NULL` and `opts->add` is 1; give weights that hold sums, or set `opts->sum`",
               fn);
    TESS_CHECK(!end->weights || !tess__is_empty_out(end->weights), TESS_EARG,
               "%s: `opts->weights` is zeroed and `opts->add` is 1; an array that holds sums is needed", fn);
    return TESS_OK;
}

tess_status tess__shell_outputs(tess__outputs *all, const tess__shell_end *end, const tess_array *in, int64_t n,
                                tess_dtype result)
{
    const tess_shape shape = TESS_SHAPE(in->shape.b, 1, 1, n);
    const bool       made = tess__is_empty_out(end->out);
    TESS_TRY(check_add(all->fn, end));
    tess__wants(all, "out", end->out, shape, made ? result : end->out->dtype, in->device);
    TESS_TRY(tess__wants_numbers(all, "opts->weights", end->weights, shape, in->device));
    tess__reads(all, "in", in);
    TESS_TRY(tess__outputs_take(all));
    return TESS_OK;
}

/* ---- The work ---- */

enum {
    CHUNK = 4096, /* coefficients of a chunk, at least, and as many as its tables have numbers, */
    CHUNKS = 1024 /* unless there would be more of them than this */
};

static void set_chunks(tess__radial_grid *g, const tess_array *in, int terms)
{
    const int64_t tables = TESS__RADIAL_LANES * (g->shells + 2) * TESS__RADIAL_SUMS(terms);
    const int64_t least = tess__max(tables, (int64_t)CHUNK);
    g->all_rows = in->shape.d * in->shape.h;
    g->all_columns = g->columns = in->shape.w;
    g->rows = tess__max((least - 1) / g->columns + 1, (g->all_rows - 1) / CHUNKS + 1);
    g->rows = tess__min(g->rows, g->all_rows);
    g->down = g->chunks = (g->all_rows - 1) / g->rows + 1;
    g->across = g->group = 1;
    g->window = g->shells + 2; /* what is dropped has shells of its own */
}

static tess_status write_results(const tess__shell_end *end, const tess_array *sums, int terms)
{
    const bool is_complex = terms == TESS__RADIAL_COMPLEX;
    tess_array values, weights, numbers = *sums;
    if (is_complex) TESS_TRY(tess_reinterpret(&numbers, sums, TESS_C64));
    TESS_TRY(tess__shell_sum(&values, &numbers, 0));
    TESS_TRY(tess__shell_sum(&weights, sums, TESS__RADIAL_COUNT(terms)));
    if (end->add) TESS_TRY(tess_add(&values, &values, end->out));
    if (end->add && end->weights) TESS_TRY(tess_add(&weights, &weights, end->weights));
    for (int k = 0; !end->sum && k < TESS__RADIAL_COUNT(terms); k++) {
        tess_array total;
        TESS_TRY(tess__shell_sum(&total, sums, k));
        TESS_TRY(tess__shell_mean(&total, &total, &weights));
    }
    TESS_TRY(tess_cast(end->out, &values, end->out->dtype, NULL));
    if (end->weights) TESS_TRY(tess_cast(end->weights, &weights, end->weights->dtype, NULL));
    return TESS_OK;
}

tess_status tess__shell_means(tess__radial_bins *work, const tess__shell_end *end)
{
    tess_array  sums = { .data = NULL };
    tess_status status = TESS_OK;
    if (tess__has_elements(&work->lhs)) set_chunks(&work->grid, &work->lhs, work->terms);
    TESS_GOTO(done, status, tess__radial_sums(&sums, work, work->lhs.shape.b, 1));
    TESS_GOTO(done, status, write_results(end, &sums, work->terms));
done:
    tess_release(&sums);
    return status;
}
