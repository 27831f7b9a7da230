/* Loop scheduling: rows divided into tasks large enough for threads to pay, walked without a division each. */
#include "cpu/runtime/schedule.h"

#include "cpu/runtime/pool.h"
#include "cpu/tuning.h"
#include "tessera/device.h"

enum { TASKS_PER_THREAD = 4 };

double tess__longest_task = 1e7;

int64_t tess__grain(int64_t n, double cost)
{
    const double total = (double)n * cost;
    const int    threads = total < TESS__SHARING_PAYS_NS ? 1 : tess_threads_get();
    double       tasks = 1;
    if (threads > 1) tasks = total / TESS__TASK_NS;
    if (tasks > TASKS_PER_THREAD * threads) tasks = TASKS_PER_THREAD * threads;
    if (total > tasks * tess__longest_task) tasks = total / tess__longest_task;
    if (tasks <= 1) return n;
    const int64_t grain = (int64_t)((double)n / tasks) + 1;
    return grain < n ? grain : n;
}

typedef struct rows {
    const tess__loop *loop;
    tess__row_fn     *row;
    const void       *param;
} rows;

/* Rows first to last-1 of a loop of two or more dimensions. The dimension around the row is walked in a loop of its
 * own; the outer ones are found again each time it ends. */
static void walk_rows(void *context, int64_t first, int64_t last)
{
    const rows       *r = context;
    const tess__loop *loop = r->loop;
    const int         inner = loop->n_dims - 1, around = inner - 1, n_operands = loop->n_operands;
    const int64_t     n_around = loop->shape[around];
    int64_t           stride[TESS__MAX_OPERANDS], step[TESS__MAX_OPERANDS];
    char             *p[TESS__MAX_OPERANDS];
    for (int k = 0; k < n_operands; k++) {
        stride[k] = loop->stride[k][inner];
        step[k] = loop->stride[k][around] * loop->size[k];
    }
    for (int64_t done = first; done < last;) {
        int64_t       outer = done / n_around;
        const int64_t at = done - outer * n_around;
        const int64_t n = n_around - at < last - done ? n_around - at : last - done;
        for (int k = 0; k < n_operands; k++) p[k] = loop->data[k] + at * step[k];
        for (int d = around - 1; d >= 0; d--) {
            const int64_t index = outer % loop->shape[d];
            outer /= loop->shape[d];
            for (int k = 0; k < n_operands; k++) p[k] += index * loop->stride[k][d] * loop->size[k];
        }
        for (int64_t i = 0; i < n; i++) {
            r->row(p, stride, loop->shape[inner], r->param);
            for (int k = 0; k < n_operands; k++) p[k] += step[k];
        }
        done += n;
    }
}

/* Elements first to last-1 of a loop of one dimension. */
static void walk_one_row(void *context, int64_t first, int64_t last)
{
    const rows       *r = context;
    const tess__loop *loop = r->loop;
    int64_t           stride[TESS__MAX_OPERANDS];
    char             *p[TESS__MAX_OPERANDS];
    for (int k = 0; k < loop->n_operands; k++) {
        stride[k] = loop->stride[k][0];
        p[k] = loop->data[k] + first * stride[k] * loop->size[k];
    }
    r->row(p, stride, last - first, r->param);
}

/* Few long rows: each is divided into tasks as if it were alone. */
static void run_long_rows(const rows *r, double cost)
{
    const tess__loop *loop = r->loop;
    const int         inner = loop->n_dims - 1;
    tess__loop        one = *loop;
    const int64_t     n_rows = loop->n / loop->shape[inner];
    one.n_dims = 1;
    one.n = one.shape[0] = loop->shape[inner];
    rows sub = { &one, r->row, r->param };
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t outer = i;
        for (int k = 0; k < loop->n_operands; k++) {
            one.stride[k][0] = loop->stride[k][inner];
            one.data[k] = loop->data[k];
        }
        for (int d = inner - 1; d >= 0; d--) {
            const int64_t index = outer % loop->shape[d];
            outer /= loop->shape[d];
            for (int k = 0; k < loop->n_operands; k++) one.data[k] += index * loop->stride[k][d] * loop->size[k];
        }
        tess__parallel(one.n, tess__grain(one.n, cost), walk_one_row, &sub);
    }
}

void tess__run_rows(const tess__loop *loop, tess__row_fn *row, const void *param, double cost)
{
    if (loop->n == 0) return;
    if (loop->n_dims == 1 && (double)loop->n * cost < TESS__SHARING_PAYS_NS) {
        int64_t stride[TESS__MAX_OPERANDS];
        for (int k = 0; k < loop->n_operands; k++) stride[k] = loop->stride[k][0];
        row(loop->data, stride, loop->n, param);
        return;
    }
    rows r = { loop, row, param };
    if (loop->n_dims == 1) {
        tess__parallel(loop->n, tess__grain(loop->n, cost), walk_one_row, &r);
        return;
    }
    const int64_t length = loop->shape[loop->n_dims - 1], n_rows = loop->n / length;
    if (n_rows < TASKS_PER_THREAD * tess_threads_get() && tess__grain(length, cost) < length) {
        run_long_rows(&r, cost);
        return;
    }
    tess__parallel(n_rows, tess__grain(n_rows, cost * (double)length), walk_rows, &r);
}
