/* Two-stage reductions on a GPU: one launch over the elements and, where a result has several chunks, a second one
 * that merges the states of the chunks in a fixed order. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/jit/kernel.h"
#include "cuda/reduce/items.h"
#include "cuda/reduce/plan.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

/* ---- Keys and programs ---- */

/* What a program depends on, packed into the words of its key. */
typedef struct spec {
    int                     n_inputs, n_items, slots, item_slots;
    unsigned                scalars;
    bool                    numbered;
    tess__cuda_reduce_shape shape;
    struct {
        tess__cuda_item item;
        int             first_out; /* of its first output */
        uint8_t         out[2];    /* dtypes; 0: not wanted */
    } item[TESS__GPU_RESULTS];
} spec;

static void add_item(spec *f, const tess__cuda_item *item, int first_out, int first, int second)
{
    const int slots = tess__cuda_item_print(NULL, item), i = f->n_items++;
    f->item[i].item = *item;
    f->item[i].first_out = first_out;
    f->item[i].out[0] = (uint8_t)first;
    f->item[i].out[1] = (uint8_t)second;
    f->slots += slots;
    if (slots > f->item_slots) f->item_slots = slots;
    f->numbered = f->numbered || item->op == TESS__R_ARGMIN || item->op == TESS__R_ARGMAX;
}

/* The mean that goes with a variance is summed like any other: the results are the same. */
static spec spec_of(const tess__reduce *work)
{
    spec f = { .n_inputs = work->n_inputs };
    for (int k = 0; k < work->n_inputs; k++) f.scalars |= work->in[k].flags & TESS_SCALAR ? 1u << k : 0;
    for (int i = 0; i < work->n_items; i++) {
        const tess_array *out = work->item[i].out;
        tess__cuda_item   item = tess__cuda_item_of(work, i);
        const bool        variance = item.op == TESS__R_VAR || item.op == TESS__R_STD;
        int               dtype[2];
        for (int which = 0; which < 2; which++) dtype[which] = out[which].data ? out[which].dtype : 0;
        if (!variance) add_item(&f, &item, 2 * i, dtype[0], dtype[1]);
        if (variance && dtype[1]) add_item(&f, &item, 2 * i + 1, dtype[1], 0);
        item.op = TESS__R_MEAN;
        if (variance && dtype[0]) add_item(&f, &item, 2 * i, dtype[0], 0);
    }
    return f;
}

static uint64_t shape_word(const tess__cuda_reduce_shape *s)
{
    return (uint64_t)s->columns | (uint64_t)s->kept_dims << 2 | (uint64_t)s->reduced_dims << 6 |
           (uint64_t)s->wide << 10 | (uint64_t)s->packed << 11 | (uint64_t)s->within << 12 | (uint64_t)s->pack << 16 |
           (uint64_t)s->group << 24 | (uint64_t)s->bytes[0] << 32 | (uint64_t)s->bytes[1] << 40;
}

static tess__cuda_key key_of(const tess__cuda_family *family, const tess__reduce *work, const spec *f)
{
    const tess__cuda_item *first = &f->item[0].item;
    tess__cuda_key         key = { .family = family, .context = f };
    key.word[0] = (uint64_t)f->n_inputs | (uint64_t)work->n_items << 4 | (uint64_t)f->scalars << 8 |
                  (uint64_t)first->x << 16 | (uint64_t)first->y << 24 | (uint64_t)first->common << 32 |
                  (uint64_t)first->skip_nan << 40 | (uint64_t)first->compensated << 41;
    key.word[1] = shape_word(&f->shape);
    for (int i = 0; i < work->n_items; i++) {
        uint64_t bits = (uint64_t)work->item[i].op;
        for (int which = 0; which < 2; which++)
            if (work->item[i].out[which].data) bits |= (uint64_t)work->item[i].out[which].dtype << (8 + 8 * which);
        key.word[2 + i / 2] |= bits << (i % 2 ? 24 : 0);
    }
    return key;
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const spec                    *f = key->context;
    const tess__cuda_reduce_shape *s = &f->shape;
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define INPUTS %d\n#define X_DTYPE %d\n#define Y_DTYPE %d\n#define SCALARS %u\n", f->n_inputs,
                f->item[0].item.x, f->item[0].item.y, f->scalars);
    tess__write(w, "#define SLOTS %d\n#define ITEM_SLOTS %d\n#define NUMBERED %d\n", f->slots, f->item_slots,
                f->numbered);
    tess__write(w, "#define KEPT_DIMS %d\n#define REDUCED_DIMS %d\n#define WIDE %d\n", s->kept_dims, s->reduced_dims,
                s->wide);
    tess__write(w, "#define PACK %d\n#define PACKED %d\n#define GROUP %d\n#define WITHIN %d\n", s->pack, s->packed,
                s->group, s->within);
    tess__write(w, "#define X_BYTES %d\n#define Y_BYTES %d\n#define EACH_ITEM(DO)", s->bytes[0], s->bytes[1]);
    for (int i = 0; i < f->n_items; i++) tess__write(w, " DO(%d)", i);
    for (int i = 0; i < f->n_items; i++) {
        tess__write(w, "\n#define ITEM%d ", i);
        (void)tess__cuda_item_print(w, &f->item[i].item);
        tess__write(w, "\n#define OUT%d_0 %d\n#define OUT%d_1 %d\n#define FIRST_OUT%d %d", i, f->item[i].out[0], i,
                    f->item[i].out[1], i, f->item[i].first_out);
    }
    tess__write(w, "\n#include \"cuda/reduce/%s.cu.h\"\n", s->columns ? "columns" : "rows");
}

static const tess__cuda_family family = { .name = "reduce", .print = print };

/* ---- Launches ---- */

static tess_status launch(tess__cuda_call *call, const tess__cuda_key *key, tess__cuda_reduce_plan *plan)
{
    TESS_TRY(tess__cuda_run(call, key, plan->blocks, TESS__CUDA_REDUCE_THREADS, &plan->p));
    if (!plan->merge_blocks) return TESS_OK;
    plan->p.merging = 1;
    plan->p.team = plan->merge_team;
    TESS_TRY(tess__cuda_run(call, key, plan->merge_blocks, TESS__CUDA_REDUCE_THREADS, &plan->p));
    return TESS_OK;
}

static tess_status launch_chunks(tess__cuda_call *call, const tess__reduce *work, const spec *f,
                                 tess__cuda_reduce_plan *plan)
{
    const tess__cuda_key key = key_of(&family, work, f);
    tess__cu_address     workspace = 0;
    if (plan->merge_blocks)
        TESS_TRY(
            tess__cuda_workspace_acquire(&workspace, call, (size_t)(plan->p.results * plan->p.chunks * f->slots) * 8));
    plan->p.chunk_states = workspace;
    const tess_status status = launch(call, &key, plan);
    tess__cuda_workspace_release(call, workspace);
    TESS_TRY(status);
    return TESS_OK;
}

/* ---- Results on the host ---- */

static bool is_on_host(const tess_array *out) { return out->data && out->device.kind != TESS_GPU; }

/* If one copy cannot be queued, those before it are waited for: the caller's memory ends with the call. */
static tess_status fetch(tess__cuda_call *call, const tess__reduce *work, const tess__cuda_reduce_plan *plan)
{
    tess__cu_result code = 0;
    for (int k = 0; k < 2 * work->n_items && code == 0; k++) {
        const tess_array *out = &work->item[k / 2].out[k % 2];
        if (is_on_host(out))
            code = tess__driver.copy_out(out->data, plan->p.out[k], (size_t)tess__dtype_size(out->dtype),
                                         call->stream->handle);
    }
    if (code) (void)tess__driver.stream_sync(call->stream->handle);
    TESS_TRY(tess__cuda_status(call, "copy_out", code));
    return TESS_OK;
}

/* Numbers for the host are computed in workspace on the device first. */
static tess_status launch_and_fetch(tess__cuda_call *call, const tess__reduce *work, const spec *f,
                                    tess__cuda_reduce_plan *plan)
{
    tess__cu_address numbers = 0;
    bool             host = false;
    for (int k = 0; k < 2 * work->n_items; k++) host = host || is_on_host(&work->item[k / 2].out[k % 2]);
    if (!host) return launch_chunks(call, work, f, plan);
    TESS_TRY(tess__cuda_settle(call));
    TESS_TRY(tess__cuda_workspace_acquire(&numbers, call, sizeof plan->p.value[0] * TESS__GPU_RESULTS));
    for (int k = 0; k < 2 * work->n_items; k++)
        if (is_on_host(&work->item[k / 2].out[k % 2])) plan->p.out[k] = numbers + sizeof plan->p.value[0] * (size_t)k;
    tess_status status = launch_chunks(call, work, f, plan);
    if (status == TESS_OK) status = fetch(call, work, plan);
    tess__cuda_workspace_release(call, numbers);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__cuda_reduce(tess_stream *stream, const tess__reduce *work)
{
    tess__cuda_call        call;
    tess__cuda_reduce_plan plan;
    spec                   f = spec_of(work);
    tess__cuda_plan_reduction(&plan, work, f.slots, f.numbered);
    f.shape = plan.shape;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    for (int k = 0; k < work->n_inputs; k++)
        if (!(f.scalars >> k & 1)) tess__cuda_use(&call, work->in[k].buffer);
    for (int k = 0; k < 2 * work->n_items; k++)
        if (work->item[k / 2].out[k % 2].data) tess__cuda_use(&call, work->item[k / 2].out[k % 2].buffer);
    const tess_status status = launch_and_fetch(&call, work, &f, &plan);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
