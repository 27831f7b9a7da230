/* Stockham FFT along an axis that is not the innermost, by a kernel of our own. cuFFT cannot scale, and overwrites
 * the input of c2r: with cuFFT alone, one more pass over all elements is needed. Here one of its passes is replaced
 * by one that scales and leaves its input unchanged. */
#include "cuda/fft/columns.h"

#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "core/twiddle.h"
#include "cuda/fft/columns_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel.h"
#include "cuda/runtime/memory.h"

enum {
    W = 3,
    MAX_STAGES = 16,
    MAX_SLOTS = 20, /* numbers that a thread holds */
    MAX_THREADS = 1024,
    SOME_THREADS = 256,    /* of a block at least, if columns are short */
    SHARED = 48 << 10,     /* bytes */
    SEGMENT = 32,          /* bytes of one memory transaction */
    MIN_ELEMENTS = 1 << 18 /* for fewer, another pass costs less than to compile a kernel */
};

/* How columns of a length are transformed. */
typedef struct way {
    int     length, size; /* bytes of a real */
    int32_t radix[MAX_STAGES];
    int     stages;
    int     columns, threads; /* of a block; for each column */
    bool    together;         /* real and imaginary parts are exchanged in one step */
} way;

/* ---- Ways ---- */

/* The fewest radices up to `max` that make up n. False if there are none. */
static bool factor(way *best, way *sofar, int n, int max)
{
    if (best->stages && sofar->stages >= best->stages) return false;
    if (n == 1) {
        *best = *sofar;
        return true;
    }
    bool found = false;
    for (int r = max; r > 1; r--) {
        if (r == 11 || r == 13 || r == 14 || n % r || sofar->stages == MAX_STAGES) continue;
        sofar->radix[sofar->stages++] = r;
        found |= factor(best, sofar, n / r, r);
        sofar->stages--;
    }
    return found;
}

/* Numbers that a thread has to hold if so many share a column. */
static int slots_of(const way *w, int threads)
{
    int max = 0;
    for (int s = 0; s < w->stages; s++) {
        const int r = w->radix[s], each = (w->length / r + threads - 1) / threads;
        if (each * r > max) max = each * r;
    }
    return max;
}

static int shared_of(const way *w) { return (w->length + w->length / 16) * w->columns; }

static bool find_way(way *w, int64_t length, tess_dtype real)
{
    way sofar = { .length = (int)length, .size = (int)tess__dtype_size(real) };
    *w = sofar;
    if (length < 2 || length > SHARED || !factor(w, &sofar, (int)length, 16)) return false;
    const int min = SEGMENT / (2 * w->size);
    w->threads = 1;
    while (slots_of(w, w->threads) > MAX_SLOTS) w->threads++;
    w->columns = min;
    while (w->threads * w->columns < SOME_THREADS) w->columns *= 2;
    while (w->columns > min && shared_of(w) * 2 * w->size > SHARED) w->columns /= 2;
    w->together = shared_of(w) * 2 * w->size <= SHARED;
    return shared_of(w) * w->size <= SHARED && w->threads * w->columns <= MAX_THREADS;
}

/* ---- Programs ---- */

static void print_twiddles(tess__writer *program, const way *w)
{
    tess__write(program, "#define TWIDDLES ");
    for (int k = 0; k < w->length; k++) {
        const tess__twiddle root = tess__twiddle_of(k, w->length);
        const float         re = (float)root.re, im = (float)root.im;
        uint32_t            single[2];
        uint64_t            wide[2];
        memcpy(&single[0], &re, sizeof re), memcpy(&single[1], &im, sizeof im);
        memcpy(&wide[0], &root.re, sizeof root.re), memcpy(&wide[1], &root.im, sizeof root.im);
        if (w->size == 4) tess__write(program, "%" PRIu32 "u,%" PRIu32 "u,", single[0], single[1]);
        else tess__write(program, "%" PRIu64 "u,%" PRIu64 "u,", wide[0], wide[1]);
    }
    tess__write(program, "\n");
}

static void print_steps(tess__writer *program, const way *w)
{
    int done = 1;
    tess__write(program, "#define STEPS TAKE(%d)", (int)w->radix[0]);
    for (int s = 0; s < w->stages; s++) {
        const int r = w->radix[s];
        tess__write(program, " COMPUTE(%d, %d)", r, done);
        if (s + 1 < w->stages) tess__write(program, " EXCHANGE(%d, %d, %d)", r, done, (int)w->radix[s + 1]);
        else tess__write(program, " GIVE(%d, %d)\n", r, done);
        done *= r;
    }
}

static void print(tess__writer *program, const tess__cuda_key *key)
{
    way w;
    (void)find_way(&w, (int64_t)key->word[0], (tess_dtype)key->word[1]);
    tess__write(program, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\n");
    tess__write(program, "#define REAL %s\n#define SINGLE %d\n", w.size == 4 ? "float" : "double", w.size == 4);
    tess__write(program, "#define LENGTH %d\n#define COLUMNS %d\n#define THREADS_EACH %d\n", w.length, w.columns,
                w.threads);
    tess__write(program, "#define SLOTS %d\n#define SHARED %d\n", slots_of(&w, w.threads),
                w.stages > 1 ? shared_of(&w) : 1);
    tess__write(program, "#define TOGETHER %d\n#define BACKWARD %d\n", w.together, (int)key->word[2]);
    tess__write(program, "#define FILTERED %d\n", (int)key->word[3]);
    print_twiddles(program, &w);
    print_steps(program, &w);
    tess__write(program, "#include \"cuda/fft/columns.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "fft_columns", .print = print };

static tess__cuda_key key_of(const tess_array *out, int axis, int sign, bool filtered)
{
    const uint64_t length = (uint64_t)out->shape.dim[axis], real = (uint64_t)tess_dtype_real(out->dtype);
    return (tess__cuda_key){ .family = &family, .word = { length, real, sign > 0, filtered } };
}

/* ---- Layouts ---- */

/* Axes `from` to `to`-1 of both arrays as one: how many elements, and the steps from one to the next. */
typedef struct joined {
    int64_t n, out, in;
} joined;

static bool join(joined *j, const tess_array *out, const tess_array *in, int from, int to)
{
    *j = (joined){ .n = 1, .out = 1, .in = 1 };
    for (int d = to - 1; d >= from; d--) {
        const int64_t n = out->shape.dim[d], so = out->strides.dim[d], si = in->strides.dim[d];
        if (n == 1) continue;
        if (j->n == 1) j->out = so, j->in = si;
        else if (so != j->out * j->n || si != j->in * j->n) return false;
        j->n *= n;
    }
    return true;
}

bool tess__cuda_fft_columns_fit(const tess_array *out, const tess_array *in, int axis)
{
    joined        columns, batches;
    way           w;
    const int64_t size = tess__dtype_size(out->dtype);
    if (tess_n_elements(out) < MIN_ELEMENTS || (uintptr_t)out->data % (uintptr_t)size ||
        (uintptr_t)in->data % (uintptr_t)size)
        return false;
    return join(&columns, out, in, axis + 1, W + 1) && columns.out == 1 && columns.in == 1 &&
           join(&batches, out, in, 0, axis) && find_way(&w, out->shape.dim[axis], tess_dtype_real(out->dtype)) &&
           columns.n * size >= SEGMENT;
}

/* ---- Running ---- */

tess_status tess__cuda_fft_columns_prepare(tess__cuda_call *call, int sign, const tess_array *out, int axis)
{
    const tess__cuda_key key = key_of(out, axis, sign, false);
    TESS_TRY(tess__cuda_prepare(call, &key));
    return TESS_OK;
}

tess_status tess__cuda_fft_columns(tess__cuda_call *call, int sign, const tess_array *out, const tess_array *in,
                                   int axis, tess__cuda_fft_factors factors)
{
    way                  w;
    joined               columns, batches;
    const tess_array    *m = factors.multipliers;
    const tess__cuda_key key = key_of(out, axis, sign, m != NULL);
    (void)find_way(&w, out->shape.dim[axis], tess_dtype_real(out->dtype));
    (void)join(&columns, out, in, axis + 1, W + 1);
    (void)join(&batches, out, in, 0, axis);
    const tess__gpu_fft_columns p = { .out = (uintptr_t)out->data,
                                      .in = (uintptr_t)in->data,
                                      .columns = columns.n,
                                      .groups = tess__cuda_groups(columns.n, w.columns),
                                      .out_row = out->strides.dim[axis],
                                      .in_row = in->strides.dim[axis],
                                      .out_batch = batches.out,
                                      .in_batch = batches.in,
                                      .multipliers = m ? (uintptr_t)m->data : 0,
                                      .multiplier_row = m ? m->strides.dim[axis] : 0,
                                      .scale = factors.scale };
    tess__cuda_use(call, out->buffer);
    tess__cuda_use(call, in->buffer);
    if (m) tess__cuda_use(call, m->buffer);
    TESS_TRY(tess__cuda_run(call, &key, p.groups * batches.n, (unsigned)(w.columns * w.threads), &p));
    return TESS_OK;
}
