/* Scans along an axis on the CPU: columns in blocks, vectors interleaved, or one long vector in two passes over chunks.
 *
 * How vectors are grouped, and which thread scans which, does not change a result: a kernel sees each vector's elements
 * in order, and sums are divided into chunks by index alone.
 */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "tessera/device.h"

enum {
    CHUNK = TESS__SCAN_CHUNK,
    LANES = TESS__SCAN_LANES,
    WIDTH = 1024,           /* most vectors in a block of columns */
    MIN_WIDTH = 64,         /* fewest, where several threads scan them */
    FEW = 8,                /* vectors, below which they are scanned one by one */
    WORKSPACE = WIDTH * 16, /* bytes of converted elements */
    STATE = WIDTH * 32,     /* bytes */
    WAVE = 1024,            /* chunks of one vector whose sums are kept */
    CUT = 16 * CHUNK        /* fewest elements of a vector that several threads scan */
};

_Static_assert(LANES *CHUNK * 8 <= WORKSPACE, "lanes of real numbers need the workspace");

/* Estimated nanoseconds an element. */
#define COST 1.0

/* One operand between memory and the kernel. */
typedef struct side {
    char            *data;
    int64_t          along; /* stride along the axis */
    int64_t          next;  /* stride between neighbouring vectors */
    int64_t          size;  /* bytes of a stored element */
    bool             same;  /* stored as the kernel wants it */
    tess__conversion conversion;
} side;

typedef struct scan {
    const tess__scan        *work;
    const tess__scan_kernel *kernel;
    side                     out, in;
    int64_t                  size;          /* bytes of an element that the kernel sees */
    int64_t                  n;             /* elements of a vector that are read */
    int64_t                  width, blocks; /* columns: vectors of a block, blocks along the last dimension */
} scan;

/* An address in both operands: of the first element that is read, and of its result. */
typedef struct address {
    char *out, *in;
} address;

typedef struct workspace {
    _Alignas(64) char out[WORKSPACE];
    _Alignas(64) char in[WORKSPACE];
} workspace;

/* ---- Elements between memory and the kernel ---- */

static void fetch(const scan *s, void *buffer, const char *from, int64_t stride, int64_t n)
{
    const int64_t strides[2] = { 1, stride };
    char *const   p[2] = { buffer, (char *)(uintptr_t)from };
    s->in.conversion.row(p, strides, n, &s->in.conversion);
}

static void put(const scan *s, char *to, int64_t stride, void *buffer, int64_t n)
{
    const int64_t strides[2] = { stride, 1 };
    char *const   p[2] = { to, buffer };
    s->out.conversion.row(p, strides, n, &s->out.conversion);
}

/* ---- Exclusive results ---- */

/* In place, results lie where the elements were: shifts them by one element. */
static void shift_results(const scan *s, char *first)
{
    const int64_t step = s->out.along * s->out.size;
    const size_t  size = (size_t)s->out.size;
    if (s->out.along == 1) {
        memmove(first + step, first, (size_t)s->n * size);
        return;
    }
    for (int64_t i = s->n; i > 0; i--) memcpy(first + i * step, first + (i - 1) * step, size);
}

/* `first` is where the first result of a vector goes. */
static void finish_vector(const scan *s, char *first)
{
    if (!s->work->exclusive) return;
    if (s->work->in_place) shift_results(s, first);
    memcpy(first, s->work->neutral.bytes, (size_t)s->out.size);
}

static char *first_result(const scan *s, address at)
{
    const bool later = s->work->exclusive && !s->work->in_place;
    return later ? at.out - s->out.along * s->out.size : at.out;
}

static void finish_columns(const scan *s, address at, int64_t width)
{
    if (!s->work->exclusive) return;
    char         *first = first_result(s, at);
    const int64_t step = s->out.along * s->out.size, strides[2] = { s->out.next, s->out.next };
    const int class = tess__size_class(s->out.size);
    char *const row[1] = { first };
    for (int64_t i = s->work->in_place ? s->n : 0; i > 0; i--) {
        char *const p[2] = { first + i * step, first + (i - 1) * step };
        tess__cpu_kernels()->memory.copy[class](p, strides, width, NULL);
    }
    tess__cpu_kernels()->memory.fill[class](row, strides, width, &s->work->neutral);
}

/* ---- Columns: neighbouring vectors, row by row ---- */

static void walk_columns(const scan *s, address at, int64_t width)
{
    _Alignas(64) char state[STATE];
    workspace         r;
    const bool        direct_in = s->in.same && s->in.next == 1, direct_out = s->out.same && s->out.next == 1;
    const int64_t     step_in = s->in.along * s->in.size, step_out = s->out.along * s->out.size;
    const int64_t     fit = WORKSPACE / s->size / width; /* rows */
    s->kernel->start(state, width);
    for (int64_t done = 0, left_of_chunk = CHUNK; done < s->n;) {
        int64_t n = s->n - done < left_of_chunk ? s->n - done : left_of_chunk;
        if (!(direct_in && direct_out) && n > fit) n = fit;
        char *out = at.out + done * step_out, *in = at.in + done * step_in;
        for (int64_t i = 0; !direct_in && i < n; i++)
            fetch(s, r.in + i * width * s->size, in + i * step_in, s->in.next, width);
        s->kernel->columns(direct_out ? out : r.out, direct_out ? s->out.along : width, direct_in ? in : r.in,
                           direct_in ? s->in.along : width, n, width, state);
        for (int64_t i = 0; !direct_out && i < n; i++)
            put(s, out + i * step_out, s->out.next, r.out + i * width * s->size, width);
        done += n, left_of_chunk -= n;
        if (left_of_chunk > 0) continue;
        left_of_chunk = CHUNK;
        if (s->kernel->fold) s->kernel->fold(state, width);
    }
    finish_columns(s, at, width);
}

/* ---- One vector ---- */

/* n elements of a vector from element `first` on: within one chunk, or LANES whole chunks. */
static void walk_chunks(const scan *s, address at, int64_t first, int64_t n, void *state)
{
    workspace  r;
    const bool whole = n > CHUNK;
    const bool direct_in = s->in.same && (!whole || s->in.along == 1);
    const bool direct_out = s->out.same && (!whole || s->out.along == 1);
    char      *in = at.in + first * s->in.along * s->in.size, *out = at.out + first * s->out.along * s->out.size;
    if (!direct_in) fetch(s, r.in, in, s->in.along, n);
    void       *results = direct_out ? out : r.out;
    const void *elements = direct_in ? in : r.in;
    if (whole) s->kernel->chunks(results, elements, state);
    else s->kernel->vector(results, direct_out ? s->out.along : 1, elements, direct_in ? s->in.along : 1, n, state);
    if (!direct_out) put(s, out, s->out.along, r.out, n);
}

/* The elements from `first` on, where a chunk begins, to the end of the vector. */
static void walk_from(const scan *s, address at, int64_t first, void *state)
{
    const int64_t whole = LANES * CHUNK;
    for (int64_t i = first; i < s->n;) {
        int64_t n = s->n - i < CHUNK ? s->n - i : CHUNK;
        if (s->kernel->chunks && s->n - i >= whole) n = whole;
        walk_chunks(s, at, i, n, state);
        if (n == CHUNK && s->kernel->fold) s->kernel->fold(state, 1);
        i += n;
        if (i < s->n && tess__cancelled()) return;
    }
}

static void walk_vector(const scan *s, address at)
{
    _Alignas(16) char state[32];
    s->kernel->start(state, 1);
    walk_from(s, at, 0, state);
    finish_vector(s, first_result(s, at));
}

/* ---- LANES vectors, interleaved ---- */

/* n elements of each lane from element `first` on, within one chunk. */
static void walk_lanes_chunk(const scan *s, const address *at, int64_t first, int64_t n, void *state)
{
    workspace   r;
    const bool  direct_in = s->in.same && s->in.along == 1, direct_out = s->out.same && s->out.along == 1;
    void       *out[LANES];
    const void *in[LANES];
    for (int l = 0; l < LANES; l++) {
        char *const from = at[l].in + first * s->in.along * s->in.size, *const buffer = r.in + l * CHUNK * s->size;
        if (!direct_in) fetch(s, buffer, from, s->in.along, n);
        in[l] = direct_in ? from : buffer;
        out[l] = direct_out ? at[l].out + first * s->out.size : r.out + l * CHUNK * s->size;
    }
    s->kernel->lanes(out, in, n, state);
    for (int l = 0; l < LANES && !direct_out; l++)
        put(s, at[l].out + first * s->out.along * s->out.size, s->out.along, out[l], n);
}

static void walk_lanes(const scan *s, const address *at)
{
    _Alignas(16) char state[32 * LANES];
    s->kernel->start(state, LANES);
    for (int64_t i = 0; i < s->n; i += CHUNK) {
        walk_lanes_chunk(s, at, i, s->n - i < CHUNK ? s->n - i : CHUNK, state);
        s->kernel->fold(state, LANES);
    }
    for (int l = 0; l < LANES; l++) finish_vector(s, first_result(s, at[l]));
}

/* ---- One long vector in parallel, in two passes: the sums of chunks, then the results ---- */

typedef struct wave {
    const scan *s;
    address     at;
    int64_t     first;     /* chunk */
    double (*state)[WAVE]; /* of each chunk: see sum.c.inc */
} wave;

static void sum_chunks(void *context, int64_t first, int64_t last)
{
    const wave *w = context;
    const scan *s = w->s;
    workspace   r;
    for (int64_t group = first; group < last; group++) {
        double      state[4][LANES];
        const char *in = w->at.in + (w->first + group * LANES) * CHUNK * s->in.along * s->in.size;
        const bool  direct = s->in.same && s->in.along == 1;
        if (!direct) fetch(s, r.in, in, s->in.along, LANES * CHUNK);
        s->kernel->start(state, LANES);
        s->kernel->totals(direct ? in : r.in, state);
        for (int f = 2; f < 4; f++) memcpy(&w->state[f][group * LANES], state[f], sizeof state[f]);
    }
}

static void scan_chunks(void *context, int64_t first, int64_t last)
{
    const wave *w = context;
    const scan *s = w->s;
    for (int64_t group = first; group < last; group++) {
        double  state[4][LANES];
        address at[LANES];
        s->kernel->start(state, LANES);
        for (int f = 0; f < 2; f++) memcpy(state[f], &w->state[f][group * LANES], sizeof state[f]);
        for (int l = 0; l < LANES; l++) {
            const int64_t element = (w->first + group * LANES + l) * CHUNK;
            at[l].in = w->at.in + element * s->in.along * s->in.size;
            at[l].out = w->at.out + element * s->out.along * s->out.size;
        }
        walk_lanes_chunk(s, at, 0, CHUNK, state);
    }
}

static void parallel_vector(const scan *s, address at)
{
    double        running[4], state[4][WAVE];
    const int64_t groups = s->n / (LANES * CHUNK);
    wave          w = { .s = s, .at = at, .state = state };
    s->kernel->start(running, 1);
    for (int64_t done = 0; done < groups && !tess__cancelled();) {
        const int64_t n = groups - done < WAVE / LANES ? groups - done : WAVE / LANES;
        const int64_t grain = tess__grain(n, COST * LANES * CHUNK);
        w.first = done * LANES;
        tess__parallel(n, grain, sum_chunks, &w);
        for (int64_t i = 0; i < n * LANES; i++) {
            state[0][i] = running[0], state[1][i] = running[1];
            running[2] = state[2][i], running[3] = state[3][i];
            s->kernel->fold(running, 1);
        }
        tess__parallel(n, grain, scan_chunks, &w);
        done += n;
    }
    if (tess__cancelled()) return;
    walk_from(s, at, groups * LANES * CHUNK, running);
    finish_vector(s, first_result(s, at));
}

/* ---- All vectors ---- */

/* Where vector number v begins, with the last dimension the fastest of the first n_dims. */
static address find_vector(const scan *s, int64_t v, int n_dims)
{
    const tess__scan *work = s->work;
    address           at = { s->out.data, s->in.data };
    for (int d = n_dims - 1; d >= 0; d--) {
        const int64_t index = v % work->vectors.shape[d];
        v /= work->vectors.shape[d];
        at.out += index * work->vectors.stride[0][d] * s->out.size;
        at.in += index * work->vectors.stride[1][d] * s->in.size;
    }
    return at;
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    const scan   *s = context;
    const int     dim = s->work->vectors.n_dims - 1;
    const int64_t n = s->work->vectors.shape[dim];
    for (int64_t block = first; block < last; block++) {
        const int64_t from = block % s->blocks * s->width;
        address       at = find_vector(s, block / s->blocks, dim);
        at.out += from * s->out.next * s->out.size;
        at.in += from * s->in.next * s->in.size;
        walk_columns(s, at, n - from < s->width ? n - from : s->width);
    }
}

static void run_vectors(void *context, int64_t first, int64_t last)
{
    const scan *s = context;
    const int   n_dims = s->work->vectors.n_dims;
    int64_t     v = first;
    for (; s->kernel->lanes && v + LANES <= last; v += LANES) {
        address at[LANES];
        for (int l = 0; l < LANES; l++) at[l] = find_vector(s, v + l, n_dims);
        walk_lanes(s, at);
    }
    for (; v < last; v++) walk_vector(s, find_vector(s, v, n_dims));
}

static int64_t count_vectors(const tess__scan *work, int n_dims)
{
    int64_t n = 1;
    for (int d = 0; d < n_dims; d++) n *= work->vectors.shape[d];
    return n;
}

static void run_columns(scan *s)
{
    const int     dim = s->work->vectors.n_dims - 1;
    const int64_t n = s->work->vectors.shape[dim], outside = count_vectors(s->work, dim);
    const double  cost = COST * (double)s->n;
    int64_t       width = tess__grain(n * outside, cost); /* vectors of a task */
    width = (width + MIN_WIDTH - 1) / MIN_WIDTH * MIN_WIDTH;
    s->width = width < WIDTH ? width : WIDTH;
    if (s->width > n) s->width = n;
    s->blocks = (n - 1) / s->width + 1;
    tess__parallel(s->blocks * outside, tess__grain(s->blocks * outside, cost * (double)s->width), run_blocks, s);
}

static void run_each_vector(scan *s)
{
    const int64_t n = count_vectors(s->work, s->work->vectors.n_dims);
    const int     threads = tess_threads_get();
    if (s->kernel->totals && threads > 1 && n < LANES * threads && s->n >= CUT) {
        for (int64_t v = 0; v < n && !tess__cancelled(); v++)
            parallel_vector(s, find_vector(s, v, s->work->vectors.n_dims));
        return;
    }
    int64_t grain = tess__grain(n, COST * (double)s->n);
    if (grain < n) grain = (grain + LANES - 1) / LANES * LANES;
    tess__parallel(n, grain, run_vectors, s);
}

static side side_of(const tess__scan *work, int k, bool columns)
{
    side          s = { .data = work->vectors.data[k],
                        .along = work->along[k],
                        .next = columns ? work->vectors.stride[k][work->vectors.n_dims - 1] : 0,
                        .size = work->vectors.size[k],
                        .same = work->stored[k] == work->kernel };
    const int32_t from = k ? work->stored[1] : work->kernel, to = k ? work->kernel : work->stored[0];
    if (s.same) s.conversion.row = tess__cpu_kernels()->memory.copy[tess__size_class(s.size)];
    else s.conversion = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT);
    return s;
}

/* Columns are scanned row by row if neighbouring vectors are closer in memory than a vector's own next element. */
static bool are_columns(const tess__scan *work)
{
    const int dim = work->vectors.n_dims - 1;
    if (work->vectors.shape[dim] < FEW) return false;
    for (int k = 0; k < 2; k++) {
        const int64_t next = tess__magnitude(work->vectors.stride[k][dim]), along = tess__magnitude(work->along[k]);
        if (next != along) return next < along;
    }
    return false;
}

tess_status tess__cpu_scan(const tess__scan *work)
{
    const bool columns = are_columns(work);
    scan       s = { .work = work,
                     .kernel = tess__cpu_kernels()->scan.op[work->op][work->kernel],
                     .out = side_of(work, 0, columns),
                     .in = side_of(work, 1, columns),
                     .size = tess__dtype_size(work->kernel),
                     .n = work->n - work->exclusive };
    if (work->exclusive && !work->in_place) s.out.data += s.out.along * s.out.size;
    if (columns) run_columns(&s);
    else run_each_vector(&s);
    return TESS_OK;
}
