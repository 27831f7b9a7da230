/* Counter-based random numbers on the CPU: elements in b, d, h, w order, in chunks that are the threads' tasks.
 *
 * Where the elements do not lie in that order, or are not of the dtype that the kernels compute, a chunk is generated
 * in a buffer and copied from there.
 */
#include "cpu/random/random.h"

#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Maximum elements of a chunk: 16 for each block of a group, so that it is whole groups if it begins at a multiple. */
enum { CHUNK = 16 * TESS__RANDOM_BLOCKS };

/* Estimated nanoseconds a number, of each kind. */
static const double costs[] = {
    [TESS__RANDOM_UNIFORM] = 1.0,     [TESS__RANDOM_NORMAL] = 3.0,   [TESS__RANDOM_LOGNORMAL] = 4.0,
    [TESS__RANDOM_EXPONENTIAL] = 2.0, [TESS__RANDOM_INTEGERS] = 2.0, [TESS__RANDOM_POISSON] = 50.0,
};

/* ---- Elements in order ---- */

tess__ordered tess__ordered_of(const tess_array *a, tess_shape shape, tess_dtype buffer, bool to_buffer)
{
    tess__ordered o = { .data = a->data, .size = tess__dtype_size(a->dtype), .buffer_size = tess__dtype_size(buffer) };
    for (int d = 0; d < 4; d++) {
        const int64_t n = shape.dim[d], stride = a->shape.dim[d] == 1 ? 0 : a->strides.dim[d];
        const int     last = o.n_dims - 1;
        if (n == 1) continue;
        if (o.n_dims > 0 && o.stride[last] == n * stride) {
            o.shape[last] *= n;
            o.stride[last] = stride;
        } else {
            o.shape[o.n_dims] = n;
            o.stride[o.n_dims++] = stride;
        }
    }
    if (o.n_dims == 0) o.shape[o.n_dims++] = 1;
    o.same = a->dtype == buffer;
    o.element.size = o.size;
    if (o.same) o.row = tess__cpu_kernels()->memory.copy[tess__size_class(o.size)];
    else if (to_buffer) o.conversion = tess__conversion_of(a->dtype, buffer, TESS__CLAMP, TESS_PART_DEFAULT);
    else o.conversion = tess__conversion_of(buffer, a->dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    if (!o.same) o.row = o.conversion.row;
    return o;
}

/* True if the elements lie as they would in the buffer. */
static bool ordered_direct(const tess__ordered *o)
{
    return o->same && o->n_dims == 1 && (o->shape[0] == 1 || o->stride[0] == 1);
}

/* Calls the row kernel for the runs of elements that make up first to first + n - 1. */
static void each_row(const tess__ordered *o, char *buffer, int64_t first, int64_t n, int at_array)
{
    const int     inner = o->n_dims - 1;
    const int64_t length = o->shape[inner];
    int64_t       s[2];
    s[at_array] = o->stride[inner];
    s[1 - at_array] = 1;
    while (n > 0) {
        int64_t       left = first / length;
        const int64_t at = first % length, m = n < length - at ? n : length - at;
        char         *p[2], *element = o->data + at * o->stride[inner] * o->size;
        for (int d = inner - 1; d >= 0; d--) {
            element += left % o->shape[d] * o->stride[d] * o->size;
            left /= o->shape[d];
        }
        p[at_array] = element;
        p[1 - at_array] = buffer;
        o->row(p, s, m, o->same ? (const void *)&o->element : (const void *)&o->conversion);
        buffer += m * o->buffer_size;
        first += m;
        n -= m;
    }
}

void tess__ordered_put(const tess__ordered *o, const void *buffer, int64_t first, int64_t n)
{
    each_row(o, (char *)(uintptr_t)buffer, first, n, 0);
}

static void ordered_get(const tess__ordered *o, void *buffer, int64_t first, int64_t n)
{
    each_row(o, buffer, first, n, 1);
}

/* ---- Chunks ---- */

typedef struct job {
    const tess__random  *work;
    const tess__kernels *kernels;
    tess__ordered        out, means;
    tess__random_fn     *make;  /* not of Poisson numbers */
    int64_t              n;     /* elements */
    int64_t              chunk; /* of a chunk */
    int64_t              skew;  /* elements that the first chunk lacks */
    int64_t              parts;
} job;

/* The mean of a complex number is that of both its parts. */
static void get_means(const job *j, double *means, int64_t first, int64_t n)
{
    ordered_get(&j->means, means, first, n);
    for (int64_t i = j->parts * n - 1; j->parts > 1 && i > 0; i--) means[i] = means[i / j->parts];
}

static void make_buffered(const job *j, int64_t first, int64_t n)
{
    _Alignas(64) double buffer[2 * CHUNK]; /* large enough for any dtype */
    _Alignas(64) double means[2 * CHUNK];
    const uint64_t      index = (j->work->offset + (uint64_t)first) * (uint64_t)j->parts;
    if (j->make) {
        j->make(buffer, index, n * j->parts, &j->work->spec);
    } else {
        get_means(j, means, first, n);
        j->kernels->random.poisson(buffer, means, index, n * j->parts, &j->work->spec);
    }
    tess__ordered_put(&j->out, buffer, first, n);
}

static void make_chunks(void *context, int64_t first_chunk, int64_t last_chunk)
{
    const job    *j = context;
    const int64_t begin = first_chunk * j->chunk - j->skew, end = last_chunk * j->chunk - j->skew;
    const int64_t first = begin < 0 ? 0 : begin, last = end < j->n ? end : j->n;
    if (j->make && ordered_direct(&j->out)) {
        j->make(j->out.data + first * j->out.size, (j->work->offset + (uint64_t)first) * (uint64_t)j->parts,
                (last - first) * j->parts, &j->work->spec);
        return;
    }
    for (int64_t at = first, n; at < last; at += n) {
        n = j->chunk - (at + j->skew) % j->chunk;
        if (n > last - at) n = last - at;
        make_buffered(j, at, n);
    }
}

/* ---- Means ---- */

/* Before anything is written. */
static tess_status check_means(const tess__random *work)
{
    double              means[CHUNK];
    const tess__ordered in = tess__ordered_of(&work->in, work->in.shape, TESS_F64, true);
    const int64_t       n = tess__elements(&work->in);
    for (int64_t at = 0; at < n; at += CHUNK) {
        const int64_t m = n - at < CHUNK ? n - at : CHUNK;
        ordered_get(&in, means, at, m);
        for (int64_t i = 0; i < m; i++)
            if (!(means[i] >= 0 && means[i] <= 0x1p53))
                TESS_TRY(tess__fail_mean(work->name, means[i], work->in.shape, at + i));
    }
    return TESS_OK;
}

/* ---- Entry ---- */

/* The dtype that the kernels compute. */
static tess_dtype made_dtype(int kind, tess_dtype out)
{
    if (kind == TESS__RANDOM_INTEGERS) return TESS_I64;
    if (kind == TESS__RANDOM_POISSON) return tess_dtype_reals(out) == 1 ? TESS_F64 : TESS_C64;
    return out == TESS_F16 ? TESS_F32 : out == TESS_C16 ? TESS_C32 : out;
}

static tess_status make_numbers(const tess__random *work)
{
    const tess__kernels *k = tess__cpu_kernels();
    const tess_array    *out = &work->out;
    const tess_dtype     real = tess_dtype_real(out->dtype), made = made_dtype(work->kind, out->dtype);
    job                  j = { .work = work,
                               .kernels = k,
                               .out = tess__ordered_of(out, out->shape, made, false),
                               .make = work->kind < TESS__RANDOM_FLOATS ? k->random.floats[work->kind][real] : NULL,
                               .n = tess__elements(out),
                               .chunk = 16 * k->random.blocks,
                               .parts = tess_dtype_reals(made) };
    j.skew = (int64_t)(work->offset % (uint64_t)j.chunk);
    if (work->kind == TESS__RANDOM_INTEGERS) j.make = k->random.integers;
    if (work->kind == TESS__RANDOM_POISSON) {
        TESS_TRY(check_means(work));
        j.means = tess__ordered_of(&work->in, out->shape, TESS_F64, true);
    }
    const int64_t chunks = (j.skew + j.n - 1) / j.chunk + 1;
    const double  cost = costs[work->kind] * (double)j.parts * (double)(chunks > 1 ? j.chunk : j.n);
    tess__parallel(chunks, tess__grain(chunks, cost), make_chunks, &j);
    return TESS_OK;
}

tess_status tess__cpu_random(const tess__random *work)
{
    if (work->kind < TESS__RANDOM_PERMUTATION) {
        TESS_TRY(make_numbers(work));
        return TESS_OK;
    }
    tess__make_order(work);
    return TESS_OK;
}
