/* Filters of spectra on the CPU: rows of multipliers, computed once for all batches that share them, times rows of
 * coefficients on their way from one layout to another.
 *
 * A row of the output is cut into segments, each a run of the input in the order of its indices or, where half a
 * spectrum becomes a full one, in reverse from the row of the negative frequency. Of pass filters each segment is cut
 * once more, where multipliers become 1 or 0: there coefficients are copied or cleared, and nothing is computed.
 */
#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "formulas/spectrum_filter.op.h"

/* Estimated times of an element, in nanoseconds: of a product, and of a multiplier of each kind. */
#define COST 0.5
static const double costs[TESS__FILTER_KINDS] = {
#define FILTER(KIND, name, cost, cuts, constants, multiplier) [TESS__FILTER_##KIND] = cost,
#include "formulas/filters.def"
    [TESS__FILTER_CURVE] = 4, [TESS__FILTER_WHITEN] = 6, [TESS__FILTER_DOSE] = 8,
    [TESS__FILTER_CTF] = 2,   [TESS__FILTER_IMAGE] = 0,  [TESS__FILTER_AXES] = 1,
};

enum {
    SEGMENTS = 4,
    RUNS = 5 * (SEGMENTS + 1), /* stop, edge, pass, edge, stop; a segment may have the lowest frequency inside */
    BLOCK_BYTES = 65536,       /* of multipliers of the rows of a block */
    MAX_ROWS = 64,             /* of a block */
    FEW_ROWS = 32              /* fewer, and batches are shared among threads too: signals have one */
};

/* n neighbours of a row of the output, which come from neighbours of the input. */
typedef struct segment {
    int64_t out, in, n;
    int64_t step;     /* 1 or -1 */
    bool    mirrored; /* conjugates from the row of the negative frequency */
} segment;

/* n neighbours of a segment whose frequencies all rise, or all fall, by magnitude. */
typedef struct slope {
    int     part;     /* segment */
    int64_t first, n; /* of the output's row */
    bool    falls;
} slope;

typedef struct run {
    int64_t first, n; /* of the output's row */
    int     part;     /* segment */
    int class;        /* a TESS__FILTER_STOPS … */
} run;

/* The multipliers of a row, and how they were cut. */
typedef struct row {
    int64_t d, h;
    char   *m;
    double *doses, *norms; /* of exposure filters */
    int     n_runs;
    run     runs[RUNS];
} row;

typedef struct filter {
    const tess__spectrum_filter *work;
    const tess__filter_kernels  *kernels;
    tess__filter_values         *values; /* one, or one for each batch */
    double                      *fw;
    segment                      segments[SEGMENTS];
    int                          n_segments;
    int                          at;                     /* precision: 0 f32, 1 f64 */
    tess_dtype                   m_dtype;                /* of multipliers */
    tess_dtype                   in_dtype, result_dtype; /* in that precision */
    bool                         own;                    /* parameters, or a curve or image, of each batch */
    bool                         power, copies;          /* coefficients that pass are copied */
    bool                         nt;
    tess__row_fn                *multiply;
    tess__conversion             load, put; /* row NULL: not needed */
    int64_t                      size_in, size_out, size_m;
    int64_t                      rows, block;   /* of the output without batches; rows of a task */
    int64_t                      group, groups; /* batches of a task; tasks of a block */
    tess__workspaces             workspaces;
    size_t doses_at, norms_at, in_at, out_at, rows_at; /* in a workspace, behind the multipliers */
} filter;

/* ---- Segments ---- */

static void add_segment(filter *f, const segment *s)
{
    if (s->n > 0) f->segments[f->n_segments++] = *s;
}

/* Cut where the input's index does not go on by 1 or -1, or frequencies do not rise. */
static void find_segments(filter *f)
{
    const tess__filter_axis *w = &f->work->axis[3];
    const int64_t            n = f->work->out.shape.w;
    segment                  s = { .n = 0 };
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = tess__frequency_at(w->out, w->n, i);
        const bool    mirrored = tess__filter_mirrored(w, k);
        const int64_t in = tess__frequency_index(w->in, w->n, k), step = mirrored ? -1 : 1;
        const bool    rises = i == 0 || f->fw[i] >= f->fw[i - 1];
        const bool    follows = s.n && mirrored == s.mirrored && rises && in == s.in + s.n * step;
        if (!follows) {
            add_segment(f, &s);
            s = (segment){ .out = i, .in = in, .step = step, .mirrored = mirrored };
        }
        s.n++;
    }
    add_segment(f, &s);
}

/* ---- Runs ---- */

/* The square of a frequency of a slope, from the lowest to the highest. */
static double square_at(const filter *f, const slope *s, const tess__metric_row *line, int64_t i)
{
    return tess__metric_square(line, f->fw[s->first + (s->falls ? s->n - 1 - i : i)]);
}

/* The first index, from the lowest frequency, whose square is at least `limit`; or above it. */
static int64_t first_from(const filter *f, const slope *s, const tess__metric_row *line, double limit, bool above)
{
    int64_t low = 0, high = s->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double  f2 = square_at(f, s, line, middle);
        if (above ? f2 > limit : f2 >= limit) high = middle;
        else low = middle + 1;
    }
    return low;
}

static void add_run(row *r, const slope *s, int64_t first, int64_t n, int class)
{
    r->runs[r->n_runs++] = (run){ s->first + (s->falls ? s->n - first - n : first), n, s->part, class };
}

/* The class changes at four frequencies at most. */
static void cut_slope(const filter *f, row *r, const slope *s, const tess__filter_values *v,
                      const tess__metric_row *line)
{
    const int64_t ends[] = { first_from(f, s, line, v->low.stop, true), first_from(f, s, line, v->low.pass, false),
                             first_from(f, s, line, v->high.pass, true), first_from(f, s, line, v->high.stop, false),
                             s->n };
    int64_t       first = 0;
    while (first < s->n) {
        int64_t end = s->n;
        for (int k = 0; k < 5; k++)
            if (ends[k] > first && ends[k] < end) end = ends[k];
        add_run(r, s, first, end - first, tess__filter_class(v, square_at(f, s, line, first)));
        first = end;
    }
}

/* How many of a segment's frequencies, which rise, lie before the lowest by magnitude. */
static int64_t count_falling(const filter *f, const segment *s, const tess__metric_row *line)
{
    int64_t low = 0, high = s->n;
    if (tess__metric_along(line, f->fw[s->out]) >= 0) return 0;
    if (tess__metric_along(line, f->fw[s->out + s->n - 1]) < 0) return s->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (tess__metric_along(line, f->fw[s->out + middle]) >= 0) high = middle;
        else low = middle + 1;
    }
    return low;
}

static void cut_segment(const filter *f, row *r, int part, const tess__filter_values *v, const tess__metric_row *line)
{
    const segment *s = &f->segments[part];
    const int64_t  falling = count_falling(f, s, line);
    cut_slope(f, r, &(slope){ part, s->out, falling, true }, v, line);
    cut_slope(f, r, &(slope){ part, s->out + falling, s->n - falling, false }, v, line);
}

/* Kinds whose rows are cut where multipliers become 1 or 0. */
static const bool has_classes[TESS__FILTER_KINDS] = {
#define FILTER(KIND, name, cost, cuts, constants, multiplier) [TESS__FILTER_##KIND] = cuts,
#include "formulas/filters.def"
};

static void cut_row(const filter *f, row *r, const tess__filter_values *v, const tess__metric_row *line)
{
    r->n_runs = 0;
    for (int part = 0; part < f->n_segments; part++) {
        const segment *s = &f->segments[part];
        if (has_classes[f->work->spec.kind]) cut_segment(f, r, part, v, line);
        else add_run(r, &(slope){ part, s->out, s->n, false }, 0, s->n, TESS__FILTER_EDGE);
    }
}

/* ---- Multipliers ---- */

static void fill_constant(const filter *f, char *m, int64_t n, double value)
{
    float  *m32 = (float *)(void *)m;
    double *m64 = (double *)(void *)m;
    if (f->at)
        for (int64_t i = 0; i < n; i++) m64[i] = value;
    else
        for (int64_t i = 0; i < n; i++) m32[i] = (float)value;
}

static tess__multipliers_fn *kernel_of(const filter *f)
{
    const tess__filter_spec *spec = &f->work->spec;
    if (spec->kind == TESS__FILTER_AXES) return f->kernels->axes[f->at];
    return spec->is_odd ? f->kernels->odd_multipliers[f->at] : f->kernels->multipliers[f->at][spec->kind];
}

/* A factor of an axis, of a batch. */
static const tess_c64 *factor_at(const filter *f, int axis, int64_t b, int64_t index)
{
    const tess_array *a = &f->work->factors[axis];
    return (const tess_c64 *)a->data + (a->shape.b > 1 ? b * a->strides.b : 0) + index * a->strides.w;
}

static tess__filter_row describe_row(const filter *f, const row *r, int64_t b)
{
    const tess__spectrum_filter *work = f->work;
    const tess__filter_axis     *d = &work->axis[1], *h = &work->axis[2];
    const int64_t                batch = work->table.shape.b > 1 ? b : 0;
    const double                 fd = tess__filter_frequency(d, tess__frequency_at(d->out, d->n, r->d));
    const double                 fh = tess__filter_frequency(h, tess__frequency_at(h->out, h->n, r->h));
    return (tess__filter_row){
        .spec = &work->spec,
        .values = &f->values[work->parameters.shape.b > 1 ? b : 0],
        .fd = fd,
        .fh = fh,
        .line = tess__metric_row_of(&work->spec.metric, fd, fh),
        .fw = f->fw,
        .curve = work->table.data ? (const double *)work->table.data + batch * work->table.strides.b : NULL,
        .curve_stride = work->table.strides.w,
        .doses = r->doses,
        .norms = work->spec.normalize ? r->norms : NULL,
        .n_values = tess__max(work->parameters.shape.b, 1),
        .batches = work->batches,
    };
}

/* The multipliers of row `r` for batch `b`, or of all. */
static void make_row(const filter *f, row *r, int64_t b)
{
    const tess__spectrum_filter *work = f->work;
    tess__filter_row             line = describe_row(f, r, b);
    if (work->spec.kind == TESS__FILTER_AXES) {
        line.factor = tess__filter_product_c64(*factor_at(f, 1, b, r->d), *factor_at(f, 2, b, r->h), 1);
        line.factors = factor_at(f, 3, b, 0);
        line.factor_stride = work->factors[3].strides.w;
    }
    cut_row(f, r, line.values, &line.line);
    if (work->spec.kind == TESS__FILTER_IMAGE) {
        const tess_strides *s = &work->table.strides;
        r->m = (char *)work->table.data +
               ((work->table.shape.b > 1 ? b * s->b : 0) + r->d * s->d + r->h * s->h) * f->size_m;
        return;
    }
    for (int k = 0; k < r->n_runs; k++) {
        const run *u = &r->runs[k];
        char      *m = r->m + u->first * f->size_m;
        if (u->class == TESS__FILTER_EDGE) kernel_of(f)(m, &line, u->first, u->n);
        else fill_constant(f, m, u->n, u->class == TESS__FILTER_PASSES);
    }
}

/* ---- Products ---- */

static void clear_run(const filter *f, char *out, int64_t stride, int64_t n)
{
    static const char zeros[16];
    const int64_t     strides[2] = { stride, 0 };
    if (stride == 1) memset(out, 0, (size_t)(n * f->size_out));
    else
        tess__cpu_kernels()->memory.copy[tess__size_class(f->size_out)]((char *[]){ out, (char *)(uintptr_t)zeros },
                                                                        strides, n, NULL);
}

static void copy_run(const filter *f, char *out, const char *in, int64_t bytes)
{
    if (out == in) return;
    if (f->nt) tess__nt_copy_bytes(out, in, bytes);
    else memcpy(out, in, (size_t)bytes);
}

/* A run of coefficients times multipliers, converted before and after where they are f16. */
static void multiply_run(const filter *f, const segment *s, char *const p[3], int64_t n, char *workspace)
{
    const tess__spectrum_filter *work = f->work;
    char                        *in = p[1], *out = p[0];
    int64_t                      strides[2] = { work->out.strides.w, work->in.strides.w * s->step };
    if (f->load.row) {
        in = workspace + f->in_at;
        f->load.row((char *[]){ in, p[1] }, (int64_t[]){ 1, strides[1] }, n, &f->load);
        strides[1] = 1;
    }
    if (f->put.row) out = workspace + f->out_at, strides[0] = 1;
    f->multiply((char *[]){ out, in, p[2] }, strides, n, &s->mirrored);
    if (f->put.row) f->put.row((char *[]){ p[0], out }, (int64_t[]){ work->out.strides.w, 1 }, n, &f->put);
}

static const char *input_row(const filter *f, int64_t b, const row *r, bool mirrored)
{
    const tess__spectrum_filter *work = f->work;
    const int64_t                at[2] = { r->d, r->h };
    int64_t                      offset = b * work->in.strides.b;
    for (int k = 0; k < 2; k++) {
        const tess__filter_axis *a = &work->axis[k + 1];
        const int64_t            cycles = tess__frequency_at(a->out, a->n, at[k]);
        offset += tess__frequency_index(a->in, a->n, mirrored ? -cycles : cycles) * work->in.strides.dim[k + 1];
    }
    return (const char *)work->in.data + offset * f->size_in;
}

static void write_row(const filter *f, int64_t b, const row *r, char *workspace)
{
    const tess__spectrum_filter *work = f->work;
    const tess_strides          *s = &work->out.strides;
    char *const                  out = (char *)work->out.data + (b * s->b + r->d * s->d + r->h * s->h) * f->size_out;
    if (!work->in.data) {
        f->put.row((char *[]){ out, r->m }, (int64_t[]){ s->w, 1 }, work->out.shape.w, &f->put);
        return;
    }
    const char *const rows[2] = { input_row(f, b, r, false), input_row(f, b, r, true) };
    for (int k = 0; k < r->n_runs; k++) {
        const run     *u = &r->runs[k];
        const segment *part = &f->segments[u->part];
        const int64_t  at = part->in + (u->first - part->out) * part->step;
        const char    *in = rows[part->mirrored] + at * work->in.strides.w * f->size_in;
        char          *to = out + u->first * s->w * f->size_out;
        if (u->class == TESS__FILTER_STOPS) clear_run(f, to, s->w, u->n);
        else if (u->class == TESS__FILTER_PASSES && f->copies && !part->mirrored)
            copy_run(f, to, in, u->n * f->size_out);
        else
            multiply_run(f, part, (char *[]){ to, (char *)(uintptr_t)in, r->m + u->first * f->size_m }, u->n,
                         workspace);
    }
}

/* ---- Blocks of rows ---- */

/* What exposure filters of all batches share. */
static void prepare_doses(const filter *f, row *r)
{
    const tess__filter_row line = describe_row(f, r, 0);
    const int64_t          width = f->work->out.shape.w;
    f->kernels->inverse_doses(r->doses, &line, 0, width);
    const tess_array *norms = &f->work->table;
    if (f->work->spec.normalize == TESS__DOSE_NORM_TABLE)
        r->norms = (double *)norms->data + r->d * norms->strides.d + r->h * norms->strides.h;
    else if (f->work->spec.normalize) f->kernels->dose_norms(r->norms, &line, 0, width);
}

/* Some rows: a batch at a time, so that long stretches of memory are read and written. */
static void do_block(const filter *f, int64_t task, char *workspace)
{
    const int64_t     first = task / f->groups * f->block, last = tess__min(first + f->block, f->rows);
    const int64_t     first_batch = task % f->groups * f->group;
    const tess_shape *shape = &f->work->out.shape;
    const int64_t     bytes = shape->w * f->size_m;
    row              *rows = (row *)(void *)(workspace + f->rows_at);
    for (int64_t i = 0; i < last - first; i++) {
        rows[i].d = (first + i) / shape->h;
        rows[i].h = (first + i) % shape->h;
        rows[i].m = workspace + i * bytes;
        rows[i].doses = (double *)(void *)(workspace + f->doses_at) + i * shape->w;
        rows[i].norms = (double *)(void *)(workspace + f->norms_at) + i * shape->w;
        if (f->work->spec.kind == TESS__FILTER_DOSE) prepare_doses(f, &rows[i]);
        if (!f->own) make_row(f, &rows[i], 0);
    }
    for (int64_t b = first_batch; b < tess__min(first_batch + f->group, shape->b); b++)
        for (int64_t i = 0; i < last - first; i++) {
            if (f->own) make_row(f, &rows[i], b);
            write_row(f, b, &rows[i], workspace);
        }
}

static void do_blocks(void *context, int64_t first, int64_t last)
{
    filter *f = context;
    char   *workspace = tess__workspace_acquire(&f->workspaces);
    for (int64_t task = first; task < last; task++) do_block(f, task, workspace);
    tess__workspace_release(&f->workspaces, workspace);
    if (f->nt) tess__stores_done();
}

/* ---- Preparation ---- */

static tess__row_fn *choose_product(const filter *f, bool complex_in, bool complex_m)
{
    const tess__filter_kernels *k = f->kernels;
    if (f->power) return complex_m ? k->power_complex[f->at] : k->power_real[f->at];
    if (!complex_in) return k->real_real[f->at];
    return complex_m ? k->complex_complex[f->at] : k->complex_real[f->at];
}

static void choose(filter *f)
{
    const tess__spectrum_filter *work = f->work;
    const tess_dtype             out = work->out.dtype, in = work->in.data ? work->in.dtype : out;
    const bool                   complex_in = tess_dtype_kind(in) == TESS_KIND_COMPLEX;
    const bool                   is_image = work->spec.kind == TESS__FILTER_IMAGE;
    const bool complex_m = work->spec.is_odd || (is_image && tess_dtype_kind(work->table.dtype) == TESS_KIND_COMPLEX);
    f->kernels = &tess__cpu_kernels()->signal.filter;
    f->at = tess_dtype_real(in) == TESS_F64;
    const tess_dtype real = f->at ? TESS_F64 : TESS_F32, cplx = f->at ? TESS_C64 : TESS_C32;
    f->m_dtype = complex_m ? cplx : real;
    f->in_dtype = complex_in ? cplx : real;
    f->power = work->in.data && complex_in && tess_dtype_kind(out) != TESS_KIND_COMPLEX;
    f->result_dtype = !work->in.data ? f->m_dtype : f->power ? real : f->in_dtype;
    f->size_in = tess__dtype_size(in);
    f->size_out = tess__dtype_size(out);
    f->size_m = tess__dtype_size(f->m_dtype);
    f->multiply = choose_product(f, complex_in, complex_m);
    if (f->in_dtype != in) f->load = tess__conversion_of(in, f->in_dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    if (f->result_dtype != out || !work->in.data)
        f->put = tess__conversion_of(f->result_dtype, out, TESS__CLAMP, TESS_PART_DEFAULT);
    f->copies = in == out && work->out.strides.w == 1 && work->in.strides.w == 1;
    f->own = work->parameters.shape.b > 1 || work->table.shape.b > 1 || tess__spectrum_filter_shifts(work) > 1;
    f->nt = TESS__HAVE_NT_STORES && f->copies && work->out.data != work->in.data &&
            tess_n_bytes(&work->out) >= TESS__NT_MIN_BYTES;
}

/* Parameters of each batch, or of all. */
static void find_values(const filter *f)
{
    const tess__spectrum_filter *work = f->work;
    const tess_array            *given = &work->parameters;
    double                       columns[TESS__FILTER_MAX_COLUMNS];
    memcpy(columns, work->columns, sizeof columns);
    if (!given->data) {
        tess__filter_values_of(f->values, &work->spec, columns);
        return;
    }
    for (int64_t b = 0; b < given->shape.b; b++) {
        const double *from = (const double *)given->data + b * given->strides.b;
        for (int64_t k = 0; k < given->shape.w; k++) columns[work->column_of[k]] = from[k * given->strides.w];
        tess__filter_values_of(&f->values[b], &work->spec, columns);
    }
}

static void find_frequencies(const filter *f)
{
    const tess__filter_axis *w = &f->work->axis[3];
    for (int64_t i = 0; i < f->work->out.shape.w; i++)
        f->fw[i] = tess__filter_frequency(w, tess__frequency_at(w->out, w->n, i));
}

/* Rows of a block: as many as have their multipliers in a cache, and not more than give each thread several blocks. */
static size_t find_block(filter *f)
{
    const tess_shape *shape = &f->work->out.shape;
    const int64_t     width = shape->w, many = BLOCK_BYTES / (width * f->size_m);
    f->rows = shape->d * shape->h;
    const double each = (COST + (f->own ? costs[f->work->spec.kind] : 0)) * (double)width;
    const double cost = each * (double)shape->b + (f->own ? 0 : costs[f->work->spec.kind]) * (double)width;
    f->block = tess__clamp(tess__min(many, tess__grain(f->rows, cost)), 1, MAX_ROWS);
    f->group = f->rows < FEW_ROWS ? tess__grain(shape->b, each * (double)f->rows) : shape->b;
    f->groups = (shape->b - 1) / f->group + 1;
    f->doses_at = tess__aligned_size(f->block * width, f->size_m);
    const tess__filter_spec *spec = &f->work->spec;
    const size_t             shared = tess__aligned_size(f->block * width, sizeof(double));
    f->norms_at = f->doses_at + (spec->kind == TESS__FILTER_DOSE ? shared : 0);
    f->in_at = f->norms_at + (spec->normalize ? shared : 0);
    f->out_at = f->in_at + (f->load.row ? tess__aligned_size(width, tess__dtype_size(f->in_dtype)) : 0);
    f->rows_at = f->out_at + tess__aligned_size(width, tess__dtype_size(f->result_dtype));
    return f->rows_at + tess__aligned_size(f->block, sizeof(row));
}

static tess_status run_all(filter *f)
{
    const tess_shape *shape = &f->work->out.shape;
    const int64_t     batches = f->work->parameters.data ? f->work->parameters.shape.b : 1;
    const size_t      values_size = (size_t)batches * sizeof *f->values, fw_size = (size_t)shape->w * sizeof *f->fw;
    f->values = tess__alloc(values_size);
    f->fw = tess__alloc(fw_size);
    TESS_CHECK(f->values && f->fw, TESS_ENOMEM,
               "%s: no memory for %zu bytes for %" PRId64 " frequencies and the parameters of %" PRId64 " batches",
               f->work->name, values_size + fw_size, shape->w, batches);
    find_values(f);
    find_frequencies(f);
    find_segments(f);
    const size_t  size = find_block(f);
    const int64_t tasks = ((f->rows - 1) / f->block + 1) * f->groups;
    TESS_CHECK(tess__workspaces_make(&f->workspaces, size, tasks), TESS_ENOMEM,
               "%s: no memory for workspaces of %zu bytes", f->work->name, size);
    tess__parallel(tasks, 1, do_blocks, f);
    return TESS_OK;
}

tess_status tess__cpu_spectrum_filter(const tess__spectrum_filter *work)
{
    filter f = { .work = work };
    choose(&f);
    const tess_status status = run_all(&f);
    tess__workspaces_free(&f.workspaces);
    tess__free(f.values);
    tess__free(f.fw);
    return status;
}
