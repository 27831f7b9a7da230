/* A simulated cuFFT: transforms by recursion, in double, as work on a stream of the simulated driver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum {
    FFT_OK = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_EXEC_FAILED = 6,
    FFT_INVALID_SIZE = 8,
    FFT_NO_WORKSPACE = 13,
};
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { MAX_PLANS = 4096 };

typedef struct complex_number {
    double re, im;
} complex_number;

/* Where the elements of one side lie. */
typedef struct layout {
    long long embed[3], stride, dist;
    bool      simple; /* no embed was given */
} layout;

typedef struct plan {
    bool      live, made, automatic;
    int       type, rank;
    long long n[3], batch;
    layout    in, out;
    void     *stream;
    uint64_t  area; /* of work */
    bool      own_area;
    size_t    area_size;
} plan;

typedef struct job {
    plan     p;
    int      direction;
    uint64_t in, out;
} job;

static plan plans[MAX_PLANS]; /* a handle is its number + 1 */

int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);

#define CALL()                                                                                                         \
    do {                                                                                                               \
        const int code_ = sim_library_call(__func__);                                                                  \
        if (code_ != 0) return code_ == SIM_OUT_OF_MEMORY ? FFT_ALLOC_FAILED : FFT_EXEC_FAILED;                        \
    } while (0)

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

static long long smallest_factor(long long n)
{
    for (long long p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* out[k] = sum of in[j step] w^(j k), with w the first of n roots of one, which are `each` apart in the table. */
static void transform(complex_number *out, const complex_number *in, long long n, long long step,
                      const complex_number *roots, long long each, complex_number *scratch)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const long long p = smallest_factor(n), m = n / p;
    for (long long r = 0; r < p; r++)
        transform(scratch + r * m, in + r * step, m, step * p, roots, each * p, out + r * m);
    for (long long k = 0; k < n; k++) {
        complex_number sum = { 0, 0 };
        for (long long r = 0; r < p; r++) {
            const complex_number w = roots[r * k % n * each], x = scratch[r * m + k % m];
            sum.re += w.re * x.re - w.im * x.im;
            sum.im += w.re * x.im + w.im * x.re;
        }
        out[k] = sum;
    }
}

typedef struct line_tools {
    complex_number *roots, *line, *result, *scratch;
    long long       n;
} line_tools;

static bool make_tools(line_tools *t, long long n, int direction)
{
    complex_number *all = malloc((size_t)n * 4 * sizeof *all);
    if (all == NULL) return false;
    *t = (line_tools){ all, all + n, all + 2 * n, all + 3 * n, n };
    for (long long k = 0; k < n; k++) {
        const double angle = direction * 6.283185307179586476925 * (double)k / (double)n;
        t->roots[k] = (complex_number){ cos(angle), sin(angle) };
    }
    return true;
}

/* The lines of one axis of an array with these sizes, in place. */
static void transform_axis(complex_number *data, const long long size[3], int axis, int direction)
{
    line_tools t;
    if (size[axis] == 1) return;
    if (!make_tools(&t, size[axis], direction)) sim_die("no memory for a transform");
    long long inner = 1;
    for (int a = axis + 1; a < 3; a++) inner *= size[a];
    const long long count = size[0] * size[1] * size[2] / t.n;
    for (long long l = 0; l < count; l++) {
        complex_number *first = data + l / inner * inner * t.n + l % inner;
        for (long long k = 0; k < t.n; k++) t.line[k] = first[k * inner];
        transform(t.result, t.line, t.n, 1, t.roots, 1, t.scratch);
        for (long long k = 0; k < t.n; k++) first[k * inner] = t.result[k];
    }
    free(t.roots);
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static bool is_double(int type) { return (type & 0x40) != 0; }
static bool is_real_in(int type) { return type == R2C || type == D2Z; }
static bool is_real_out(int type) { return type == C2R || type == Z2D; }

static long long index_of(const layout *l, int rank, long long b, const long long size[3], long long k)
{
    const long long at[3] = { k / (size[1] * size[2]), k / size[2] % size[1], k % size[2] };
    long long       index = at[3 - rank];
    for (int a = 3 - rank + 1; a < 3; a++) index = index * l->embed[a] + at[a];
    return b * l->dist + index * l->stride;
}

static complex_number get(uint64_t base, long long index, bool wide, bool real)
{
    complex_number value = { 0, 0 };
    float          narrow[2];
    const size_t   parts = real ? 1 : 2, at = (size_t)index * parts;
    if (wide) {
        memcpy(&value, (const double *)(uintptr_t)base + at, parts * sizeof(double));
    } else {
        memcpy(narrow, (const float *)(uintptr_t)base + at, parts * sizeof(float));
        value.re = (double)narrow[0];
        if (!real) value.im = (double)narrow[1];
    }
    return value;
}

static void put(uint64_t base, long long index, bool wide, bool real, complex_number value)
{
    const float  narrow[2] = { (float)value.re, (float)value.im };
    const size_t parts = real ? 1 : 2, at = (size_t)index * parts;
    if (wide) memcpy((double *)(uintptr_t)base + at, &value, parts * sizeof(double));
    else memcpy((float *)(uintptr_t)base + at, narrow, parts * sizeof(float));
}

/* Lines of the last axis from their stored half: what belongs to the other half is its mirror image. */
static void expand_lines(complex_number *full, const complex_number *half, const long long size[3])
{
    const long long n = size[2], m = n / 2 + 1, lines = size[0] * size[1];
    for (long long l = 0; l < lines; l++)
        for (long long k = 0; k < n; k++) {
            complex_number x = half[l * m + (k < m ? k : n - k)];
            if (k >= m) x.im = -x.im;
            if (k == 0 || 2 * k == n) x.im = 0;
            full[l * n + k] = x;
        }
}

static void transform_batch(const job *j, long long b, complex_number *data, complex_number *other)
{
    const plan *p = &j->p;
    const bool  wide = is_double(p->type), real_in = is_real_in(p->type), real_out = is_real_out(p->type);
    long long   size[3] = { 1, 1, 1 }, half[3];
    memcpy(size + 3 - p->rank, p->n, (size_t)p->rank * sizeof *size);
    memcpy(half, size, sizeof half);
    half[2] = size[2] / 2 + 1;
    const long long *in_size = real_out ? half : size, *out_size = real_in ? half : size;
    const long long  in_count = in_size[0] * in_size[1] * in_size[2],
                    out_count = out_size[0] * out_size[1] * out_size[2];
    for (long long k = 0; k < in_count; k++)
        data[k] = get(j->in, index_of(&p->in, p->rank, b, in_size, k), wide, real_in);
    for (int axis = 0; axis < 2; axis++) transform_axis(data, in_size, axis, j->direction);
    if (real_out) {
        expand_lines(other, data, size);
        data = other;
    }
    transform_axis(data, size, 2, j->direction);
    for (long long k = 0; k < out_count; k++) {
        const long long at = real_in ? k / half[2] * size[2] + k % half[2] : k;
        put(j->out, index_of(&p->out, p->rank, b, out_size, k), wide, real_out, data[at]);
    }
    if (!real_out || j->in == j->out) return;
    /* The real one may overwrite the input of such a transform. */
    const complex_number spoilt = { NAN, NAN };
    for (long long k = 0; k < in_count; k++) put(j->in, index_of(&p->in, p->rank, b, in_size, k), wide, false, spoilt);
}

static void run_job(void *argument)
{
    const job *j = argument;
    long long  count = 1;
    for (int a = 0; a < j->p.rank; a++) count *= j->p.n[a];
    complex_number *data = malloc((size_t)(count + 2) * 2 * 2 * sizeof *data);
    if (data == NULL) sim_die("no memory for a transform");
    if (j->p.area != 0) memset((void *)(uintptr_t)j->p.area, 0x5A, j->p.area_size);
    for (long long b = 0; b < j->p.batch; b++) transform_batch(j, b, data, data + 2 * (count + 2));
    free(data);
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static plan *plan_of(int handle)
{
    return handle > 0 && handle <= MAX_PLANS && plans[handle - 1].live ? &plans[handle - 1] : NULL;
}

static void drop_area(plan *p)
{
    if (p->own_area && p->area != 0) (void)cuMemFree_v2(p->area);
    p->own_area = false;
    p->area = 0;
}

SIM_API int cufftCreate(int *handle)
{
    CALL();
    for (int k = 0; k < MAX_PLANS; k++) {
        if (plans[k].live) continue;
        plans[k] = (plan){ .live = true, .automatic = true };
        *handle = k + 1;
        sim_track("plans", 1);
        return FFT_OK;
    }
    return FFT_ALLOC_FAILED;
}

SIM_API int cufftDestroy(int handle)
{
    sim_library_release(__func__);
    plan *p = plan_of(handle);
    if (p == NULL) return FFT_INVALID_PLAN;
    drop_area(p);
    p->live = false;
    sim_track("plans", -1);
    return FFT_OK;
}

SIM_API int cufftSetStream(int handle, void *stream)
{
    CALL();
    plan *p = plan_of(handle);
    if (p == NULL) return FFT_INVALID_PLAN;
    p->stream = stream;
    return FFT_OK;
}

SIM_API int cufftSetAutoAllocation(int handle, int automatic)
{
    CALL();
    plan *p = plan_of(handle);
    if (p == NULL || p->made) return FFT_INVALID_PLAN;
    p->automatic = automatic != 0;
    return FFT_OK;
}

SIM_API int cufftSetWorkArea(int handle, void *area)
{
    CALL();
    plan *p = plan_of(handle);
    if (p == NULL) return FFT_INVALID_PLAN;
    drop_area(p);
    p->area = (uintptr_t)area;
    return FFT_OK;
}

SIM_API int cufftGetSize(int handle, size_t *size)
{
    CALL();
    const plan *p = plan_of(handle);
    if (p == NULL || !p->made) return FFT_INVALID_PLAN;
    *size = p->area_size;
    return FFT_OK;
}

/* 0: major, 1: minor, 2: patch */
SIM_API int cufftGetProperty(int which, int *value)
{
    static const int version[3] = { 12, 1, 7 };
    if (which < 0 || which > 2) return FFT_INVALID_VALUE;
    *value = version[which];
    return FFT_OK;
}

static bool is_type(int type)
{
    return type == R2C || type == C2R || type == C2C || type == D2Z || type == Z2D || type == Z2Z;
}

/* Without embed, elements follow each other, and stride and dist are not looked at. */
static void set_layout(layout *l, const plan *p, const long long *embed, long long stride, long long dist, bool halved)
{
    l->simple = embed == NULL;
    l->stride = embed == NULL ? 1 : stride;
    l->dist = embed == NULL ? 1 : dist;
    for (int a = 0; a < p->rank; a++) {
        const long long whole = halved && a == p->rank - 1 ? p->n[a] / 2 + 1 : p->n[a];
        l->embed[3 - p->rank + a] = embed == NULL ? whole : embed[a];
        if (embed == NULL) l->dist *= whole;
    }
}

SIM_API int cufftMakePlanMany64(int handle, int rank, long long *n, long long *in_embed, long long in_stride,
                                long long in_dist, long long *out_embed, long long out_stride, long long out_dist,
                                int type, long long batch, size_t *work_size)
{
    CALL();
    plan *p = plan_of(handle);
    if (p == NULL || p->made) return FFT_INVALID_PLAN;
    if (!is_type(type)) return FFT_INVALID_TYPE;
    if (rank < 1 || rank > 3 || n == NULL || work_size == NULL || batch < 1) return FFT_INVALID_VALUE;
    if ((in_embed != NULL && in_dist < 1) || (out_embed != NULL && out_dist < 1)) return FFT_INVALID_VALUE;
    p->rank = rank;
    p->type = type;
    p->batch = batch;
    size_t area = is_double(type) ? 16 : 8;
    for (int a = 0; a < rank; a++) {
        if (n[a] < 1) return FFT_INVALID_SIZE;
        p->n[a] = n[a];
        area *= (size_t)n[a];
    }
    set_layout(&p->in, p, in_embed, in_stride, in_dist, is_real_out(type));
    set_layout(&p->out, p, out_embed, out_stride, out_dist, is_real_in(type));
    p->area_size = area;
    if (p->automatic) {
        if (cuMemAlloc_v2(&p->area, area) != 0) return FFT_ALLOC_FAILED;
        p->own_area = true;
    }
    p->made = true;
    *work_size = area;
    return FFT_OK;
}

SIM_API int cufftMakePlanMany(int handle, int rank, int *n, int *in_embed, int in_stride, int in_dist, int *out_embed,
                              int out_stride, int out_dist, int type, int batch, size_t *work_size)
{
    long long wide[3] = { 0 }, in_wide[3] = { 0 }, out_wide[3] = { 0 };
    for (int a = 0; a < rank && a < 3; a++) {
        wide[a] = n[a];
        if (in_embed != NULL) in_wide[a] = in_embed[a];
        if (out_embed != NULL) out_wide[a] = out_embed[a];
    }
    return cufftMakePlanMany64(handle, rank, wide, in_embed != NULL ? in_wide : NULL, in_stride, in_dist,
                               out_embed != NULL ? out_wide : NULL, out_stride, out_dist, type, batch, work_size);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* In place, and without embed, rows of reals are as long as the complex ones that take their place. */
static void pad_in_place(layout *real, const plan *p)
{
    if (!real->simple) return;
    real->embed[2] = (p->n[p->rank - 1] / 2 + 1) * 2;
    real->dist = real->embed[2];
    for (int a = 0; a < p->rank - 1; a++) real->dist *= p->n[a];
}

static int execute(const char *name, int handle, const void *in, void *out, int type, int direction)
{
    const int code = sim_library_call(name);
    if (code != 0) return code == SIM_OUT_OF_MEMORY ? FFT_ALLOC_FAILED : FFT_EXEC_FAILED;
    const plan *p = plan_of(handle);
    if (p == NULL || !p->made) return FFT_INVALID_PLAN;
    if (p->type != type) return FFT_INVALID_TYPE;
    if (in == NULL || out == NULL || (direction != 1 && direction != -1)) return FFT_INVALID_VALUE;
    if (p->area == 0) return FFT_NO_WORKSPACE;
    job          j = { *p, direction, (uintptr_t)in, (uintptr_t)out };
    const size_t unit = is_double(type) ? 8 : 4;
    if (j.in % (2 * unit) != 0 || j.out % (2 * unit) != 0) return FFT_INVALID_VALUE;
    if (in == out && is_real_in(type)) pad_in_place(&j.p.in, p);
    if (in == out && is_real_out(type)) pad_in_place(&j.p.out, p);
    return sim_submit(p->stream, name, run_job, &j, sizeof j) == 0 ? FFT_OK : FFT_EXEC_FAILED;
}

SIM_API int cufftExecC2C(int handle, void *in, void *out, int direction)
{
    return execute(__func__, handle, in, out, C2C, direction);
}
SIM_API int cufftExecZ2Z(int handle, void *in, void *out, int direction)
{
    return execute(__func__, handle, in, out, Z2Z, direction);
}
SIM_API int cufftExecR2C(int handle, void *in, void *out) { return execute(__func__, handle, in, out, R2C, -1); }
SIM_API int cufftExecD2Z(int handle, void *in, void *out) { return execute(__func__, handle, in, out, D2Z, -1); }
SIM_API int cufftExecC2R(int handle, void *in, void *out) { return execute(__func__, handle, in, out, C2R, 1); }
SIM_API int cufftExecZ2D(int handle, void *in, void *out) { return execute(__func__, handle, in, out, Z2D, 1); }
