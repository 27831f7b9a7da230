/* Medians over the images or volumes of a stack. */
#include "movies/medians.h"

typedef struct medians {
    input             *in;
    int                axes;
    const tess_camera *correction;
    tess_dtype         dtype;    /* that is read */
    int                cut;      /* the axis whose blocks are read: 2 rows, 3 columns */
    int64_t            block;    /* rows or columns at a time */
    int64_t            sections; /* of each volume that go into one result */
    progress          *bar;
} medians;

/* Sections z to z + m->sections of volumes b to b + n, of one block of rows or columns. */
static tess_status read_block(const medians *m, tess_array *block, int64_t b, int64_t n, int64_t z, int64_t first,
                              int64_t count)
{
    const tess_shape s = m->in->info.shape;
    const tess_range all = { .kind = TESS_RANGE_ALL }, some = tess_from_to(first, first + count);
    const tess_range rows = m->cut == 2 ? some : all, columns = m->cut == 3 ? some : all;
    tess_shape       shape = TESS_SHAPE(n, m->sections, s.h, s.w);
    shape.dim[m->cut] = count;
    TESS_TRY(tess_empty(block, shape, m->dtype, tess_cpu()));
    const bool together = m->sections == s.d; /* they follow each other in the file */
    for (int64_t i = 0; i < n; i += together ? n : 1) {
        const int64_t volumes = together ? n : 1;
        tess_array    part, images;
        TESS_TRY(tess_slice(&part, block, 0, i, i + volumes, 1));
        TESS_TRY(tess_reshape(&images, &part, TESS_SHAPE(volumes * m->sections, 1, shape.h, shape.w)));
        TESS_TRY(input_read_part(m->in, &images, (b + i) * s.d + z, rows, columns));
    }
    return TESS_OK;
}

/* The medians of a block, into their part of the result. */
static tess_status take_block(const medians *m, tess_array *result, int64_t b, int64_t n, int64_t z, int64_t first,
                              int64_t count)
{
    tess_array        block = { 0 }, corrected = { 0 }, made = { 0 }, target;
    const tess_array *from = &block;
    const bool        rows = m->cut == 2;
    tess_status       status;
    TESS_GOTO(done, status, read_block(m, &block, b, n, z, first, count));
    TESS_GOTO(done, status, correction_apply(m->correction, &corrected, &from, rows ? first : 0, rows ? 0 : first));
    TESS_GOTO(done, status, tess_median(&made, from, m->axes, NULL));
    if (!result->data) {
        tess_shape shape = made.shape;
        shape.dim[m->cut] = m->axes & (TESS_B << m->cut) ? 1 : m->in->info.shape.dim[m->cut];
        TESS_GOTO(done, status, tess_empty(result, shape, made.dtype, tess_cpu()));
    }
    TESS_GOTO(done, status, tess_slice(&target, result, m->cut, first, first + made.shape.dim[m->cut], 1));
    TESS_GOTO(done, status, tess_copy(&target, &made));
done:
    tess_release(&block);
    tess_release(&corrected);
    tess_release(&made);
    return status;
}

/* One image of the result. */
static tess_status take_image(const medians *m, output *file, int64_t b, int64_t n, int64_t z)
{
    const int64_t size = m->in->info.shape.dim[m->cut];
    tess_array    result = { 0 };
    tess_status   status = TESS_OK;
    for (int64_t first = 0; first < size; first += m->block) {
        const int64_t count = m->block < size - first ? m->block : size - first;
        TESS_GOTO(done, status, take_block(m, &result, b, n, z, first, count));
    }
    TESS_GOTO(done, status, output_append(file, &result));
    progress_add(m->bar, n * m->sections);
done:
    tess_release(&result);
    return status;
}

/* As many rows, or columns where rows are reduced, as fit; where both are, it has to be all of them. */
static tess_status choose_block(medians *m, const job *j, int64_t group)
{
    const tess_shape s = m->in->info.shape;
    const int64_t    n = group < s.b ? group : s.b, size = (int64_t)tess_dtype_size(m->dtype);
    m->cut = m->axes & TESS_H && !(m->axes & TESS_W) ? 3 : 2;
    m->sections = m->axes & TESS_D ? s.d : 1;
    const bool    whole = m->axes & TESS_H && m->axes & TESS_W;
    const int64_t across = m->cut == 2 ? s.w : s.h, all = m->cut == 2 ? s.h : s.w;
    /* What was read, what was corrected, and a copy that the median orders. */
    const double line = (double)(n * m->sections * across) * (double)(size + (m->correction->op ? 4 : 0) + 8);
    const double result = 8 * (double)s.h * (double)s.w, available = 0.75 * (double)j->memory - result;
    const double need = (whole ? line * (double)all : line) + result;
    TESS_CHECK((whole ? available / (double)all : available) >= line, TESS_ENOMEM,
               VERB ": the median of %lld images needs %s of each in memory, %.0f MiB in all; --mem allows %lld MiB",
               (long long)(n * m->sections),
               whole         ? "all pixels"
               : m->cut == 2 ? "a row"
                             : "a column",
               need / 0.75 / 1048576 + 1, (long long)(j->memory >> 20));
    m->block = whole || available / line > (double)all ? all : (int64_t)(available / line);
    return TESS_OK;
}

tess_status medians_of_groups(job *j, input *in, int axes, int64_t group, const tess_camera *c, output *file)
{
    medians          m = { .in = in, .axes = axes, .correction = c };
    const tess_shape s = in->info.shape;
    m.dtype = c->op ? TESS_F32 : in->info.dtype;
    if (s.b * s.d * s.h * s.w == 0) return TESS_OK;
    TESS_TRY(choose_block(&m, j, group));
    TESS_TRY(progress_start(&m.bar, j, "images", s.b * s.d, s.h * s.w * (int64_t)tess_dtype_size(in->info.dtype)));
    tess_status status = TESS_OK;
    for (int64_t b = 0; b < s.b && status == TESS_OK; b += group) {
        const int64_t n = group < s.b - b ? group : s.b - b;
        for (int64_t z = 0; z < s.d && status == TESS_OK; z += m.sections) status = take_image(&m, file, b, n, z);
    }
    progress_end(m.bar);
    TESS_TRY(status);
    return TESS_OK;
}
