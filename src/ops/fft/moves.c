/* Block copies between spectra: runs of frequencies moved to other indices. */
#include "ops/fft/moves.h"

#include <string.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/minmax.h"
#include "core/check/promote.h"

/* ---- Runs ---- */

/* The index of a frequency. */
static int64_t index_of(tess__fft_axis a, int64_t k)
{
    if (a.order == TESS__FFT_HALF) return k;
    const int64_t first = k % a.n < 0 ? k % a.n + a.n : k % a.n;
    if (a.order == TESS__FFT_FIRST) return first;
    return first < (a.n + 1) / 2 ? first + a.n / 2 : first - (a.n + 1) / 2;
}

void tess__fft_add(tess__fft_axis_runs *runs, tess__fft_axis out, tess__fft_axis in, tess__fft_stretch s)
{
    while (s.n > 0) {
        const int64_t to = index_of(out, s.k_out), from = index_of(in, s.k_in);
        const int64_t n = tess__min(s.n, tess__min(out.indices - to, s.step > 0 ? in.indices - from : from + 1));
        runs->run[runs->n++] = (tess__fft_axis_run){ to, from, n, s.step, s.weight, s.adds };
        s.k_out += n;
        s.k_in += s.step * n;
        s.n -= n;
    }
}

bool tess__fft_next(const tess__fft_axis_runs runs[4], int at[4], const tess__fft_axis_run *run[4], bool *started)
{
    int axis = 3;
    if (*started)
        while (axis >= 0 && ++at[axis] == runs[axis].n) at[axis--] = 0;
    *started = true;
    for (int k = 0; k < 4; k++) {
        if (axis < 0 || runs[k].n == 0) return false;
        run[k] = &runs[k].run[at[k]];
    }
    return true;
}

tess_array tess__fft_select(const tess_array *a, const tess__fft_axis_run *const run[4], bool as_input)
{
    tess_array part = *a;
    for (int k = 0; k < 4; k++) {
        const int64_t first = as_input ? run[k]->in : run[k]->out;
        part.data = (char *)part.data + first * a->strides.dim[k] * tess__dtype_size(a->dtype);
        part.shape.dim[k] = run[k]->n;
        if (as_input) part.strides.dim[k] *= run[k]->step;
    }
    return part;
}

/* ---- The list ---- */

static tess_status next(tess__fft_moves *m, tess__ewise **work)
{
    if (m->n == m->capacity) {
        const int    capacity = m->capacity ? 2 * m->capacity : 4;
        const size_t size = (size_t)capacity * sizeof *m->work;
        tess__ewise *more = tess__alloc(size);
        TESS_CHECK(more, TESS_ENOMEM, "%s: no memory for %zu bytes", m->name, size);
        if (m->n) memcpy(more, m->work, (size_t)m->n * sizeof *m->work);
        tess__free(m->work);
        m->work = more;
        m->capacity = capacity;
    }
    *work = &m->work[m->n++];
    (*work)->name = m->name;
    return TESS_OK;
}

tess_status tess__fft_submit(tess__fft_moves *m)
{
    tess_status status = TESS_OK;
    if (m->n) TESS_GOTO(done, status, tess__ewise_submit(m->work, m->n, m->out.device));
done:
    tess__fft_forget(m);
    return status;
}

void tess__fft_forget(tess__fft_moves *m)
{
    tess__free(m->work);
    m->work = NULL;
    m->n = m->capacity = 0;
}

/* ---- Single moves ---- */

/* An operator whose inputs are all computed in `kernel`. */
static void operate(tess__ewise *work, int op, tess_dtype kernel, tess_dtype writes, const tess_array *out,
                    const tess_array *const *inputs, int n)
{
    tess__apply *o = &work->param.operate;
    memset(o, 0, sizeof *o);
    work->kind = TESS__APPLY;
    o->op = op;
    o->kernel = kernel;
    o->cost = 0.2f;
    o->stored[0] = out->dtype;
    o->wanted[0] = writes;
    for (int k = 0; k < n; k++) {
        o->stored[1 + k] = inputs[k]->dtype;
        o->wanted[1 + k] = kernel;
    }
    tess__ewise_plan(work, out, inputs, n);
}

tess_status tess__fft_move(tess__fft_moves *m, const tess_array *out, const tess_array *in, int op)
{
    tess__ewise *work = NULL;
    TESS_TRY(next(m, &work));
    if (op == TESS__FFT_COPY) {
        work->kind = out->dtype == in->dtype ? TESS__COPY : TESS__CAST;
        work->from = in->dtype;
        work->to = out->dtype;
        work->mode = TESS_CAST_CLAMP;
        work->part = TESS_PART_DEFAULT;
        work->param.source = *in;
        tess__ewise_plan(work, out, &in, 1);
        return TESS_OK;
    }
    const tess_dtype kernel = tess__half_to_single(in->dtype);
    operate(work, op, kernel, op == TESS__OP_abs2 ? tess_dtype_real(kernel) : kernel, out, &in, 1);
    return TESS_OK;
}

/* Input k of an operator is a scalar. */
static tess_status set_number(tess__ewise *work, int k, double number)
{
    tess__apply *o = &work->param.operate;
    o->scalar[1 + k] = true;
    TESS_TRY(tess__convert(o->value[1 + k], o->wanted[1 + k], &number, TESS_F64));
    return TESS_OK;
}

tess_status tess__fft_scale(tess__fft_moves *m, const tess_array *out, const tess_array *in, double scale)
{
    tess__ewise            *work = NULL;
    const tess_dtype        kernel = tess__half_to_single(in->dtype);
    const tess_array        number = { .shape = { { 1, 1, 1, 1 } }, .dtype = kernel };
    const tess_array *const inputs[2] = { in, &number };
    TESS_TRY(next(m, &work));
    operate(work, TESS__OP_mul, kernel, kernel, out, inputs, 2);
    TESS_TRY(set_number(work, 1, scale));
    return TESS_OK;
}

static tess_status accumulate_reals(tess__fft_moves *m, const tess_array *out, const tess_array *in, double weight)
{
    tess__ewise            *work = NULL;
    const tess_dtype        kernel = tess__half_to_single(in->dtype);
    const tess_array        number = { .shape = { { 1, 1, 1, 1 } }, .dtype = kernel };
    const tess_array *const inputs[3] = { in, &number, out };
    TESS_TRY(next(m, &work));
    operate(work, TESS__OP_fma, kernel, kernel, out, inputs, 3);
    TESS_TRY(set_number(work, 1, weight));
    return TESS_OK;
}

tess_status tess__fft_accumulate(tess__fft_moves *m, const tess_array *out, const tess_array *in, double weight,
                                 bool conjugate)
{
    if (tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX) {
        TESS_TRY(accumulate_reals(m, out, in, weight));
        return TESS_OK;
    }
    tess_array to, from;
    TESS_TRY(tess_real_view(&to, out));
    TESS_TRY(tess_real_view(&from, in));
    TESS_TRY(accumulate_reals(m, &to, &from, weight));
    TESS_TRY(tess_imag_view(&to, out));
    TESS_TRY(tess_imag_view(&from, in));
    TESS_TRY(accumulate_reals(m, &to, &from, conjugate ? -weight : weight));
    return TESS_OK;
}

tess_status tess__fft_clear(tess__fft_moves *m, const tess_array *out)
{
    tess__ewise *work = NULL;
    TESS_TRY(next(m, &work));
    work->kind = TESS__FILL;
    memset(&work->param.element, 0, sizeof work->param.element);
    work->param.element.size = tess__dtype_size(out->dtype);
    tess__ewise_plan(work, out, NULL, 0);
    return TESS_OK;
}

tess_status tess__fft_move_all(tess__fft_moves *m, const tess__fft_axis_runs runs[4], int op)
{
    const tess__fft_axis_run *run[4];
    int                       at[4] = { 0 };
    for (bool started = false; tess__fft_next(runs, at, run, &started);) {
        const tess_array to = tess__fft_select(&m->out, run, false), from = tess__fft_select(&m->in, run, true);
        TESS_TRY(tess__fft_move(m, &to, &from, op));
    }
    return TESS_OK;
}
