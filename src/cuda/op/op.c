/* User-defined operators on a GPU: code generation from the tree of a call, and its launches. */
#include "cuda/op/op.h"

#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"
#include "lang/fault.h"

/* Every driver takes kernels with so many bytes of parameters. */
_Static_assert(sizeof(tess__gpu_op) <= 4096, "the parameters of a kernel fit");
_Static_assert(TESS__GPU_STRUCTS == TESS__STRUCT_ROOM, "as many bytes of structs as a text may have");

/* ---- Keys and programs ---- */

static uint64_t exponent(int power_of_2) { return power_of_2 ? (uint64_t)__builtin_ctz((unsigned)power_of_2) + 1 : 0; }

static void print(tess__writer *w, const tess__cuda_key *key)
{
    static const char *const  kernels[] = { "map", "reduce", "reduce", "scatter" };
    const tess__cuda_op_spec *f = key->context;
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n");
    tess__write(w, "#define PACK %d\n#define ROUNDS %d\n#define THREADS %d\n#define GROUP %d\n#define SHARED %d\n",
                f->pack, f->rounds, f->threads, f->group, f->shared);
    tess__write(w, "#define ONES %u\n#define KEPT %u\n#define SCALARS %uu\n#define STILL %uu\n", f->ones, f->kept,
                f->scalars, f->still);
    tess__write(w, "#define WIDE %d\n#define COLUMNS %d\n#define LOOPS %d\n#define JOIN %d\n#define ORDERED %d\n",
                f->wide, f->columns, f->loops, f->kind == TESS__CUDA_OP_JOIN, f->ordered);
    tess__print_device(w, &f->op->device, f->kind != TESS__CUDA_OP_JOIN);
    tess__write(w, "#include \"cuda/op/%s.cu.h\"\n", kernels[f->kind]);
}

static const tess__cuda_family family = { .name = "op", .print = print };

static tess__cuda_key key_of(const tess__cuda_op_spec *f)
{
    tess__cuda_key key = { .family = &family, .word = { f->op->id[0], f->op->id[1] }, .context = f };
    key.word[2] = (uint64_t)f->kind | exponent(f->pack) << 4 | exponent(f->rounds) << 8 | exponent(f->threads) << 12 |
                  exponent(f->group) << 16 | (uint64_t)f->ones << 20 | (uint64_t)f->kept << 24 |
                  (uint64_t)f->wide << 28 | (uint64_t)f->columns << 29 | (uint64_t)f->loops << 30 |
                  (uint64_t)f->shared << 32 | (uint64_t)f->ordered << 60;
    key.word[3] = f->scalars | (uint64_t)f->still << 32;
    return key;
}

tess_status tess__cuda_op_launch(tess__cuda_op *o, int64_t blocks)
{
    const tess__cuda_key key = key_of(&o->spec);
    TESS_TRY(tess__cuda_run(o->call, &key, blocks, (unsigned)o->spec.threads, &o->p));
    return TESS_OK;
}

/* ---- Faults ---- */

typedef struct fault_context {
    const tess__operator *op;
    int64_t               shape[TESS__MAX_PARAMS][4];
} fault_context;

static tess_status check_fault(const void *bytes, const void *context)
{
    const tess__gpu_fault *found = bytes;
    const fault_context   *c = context;
    if (!found->rank) return TESS_OK;
    tess_fault fault = { .set = found->set, .view = found->view };
    memcpy(fault.index, found->index, sizeof fault.index);
    TESS_TRY(tess__operator_fault(c->op, &fault, c->shape));
    return TESS_OK;
}

static tess_status make_deferred(tess__cuda_op *o)
{
    fault_context context = { .op = o->op };
    _Static_assert(sizeof(tess__gpu_fault) <= TESS__CUDA_DEFERRED_SIZE, "a deferred error can hold a fault");
    for (int k = 0; k < o->op->n_params; k++) memcpy(context.shape[k], o->p.operand[k].shape, sizeof context.shape[k]);
    TESS_TRY(tess__cuda_deferred_new(&o->deferred, o->call, check_fault, &context, sizeof context, o->work->keep));
    o->p.fault = tess__cuda_deferred_address(o->deferred);
    return TESS_OK;
}

/* ---- Results for the host ---- */

static uint32_t host_outputs(const tess__op_call *work)
{
    uint32_t hosts = 0;
    for (uint32_t left = work->op->roles.out; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        if (work->param[k].array.device.kind != TESS_GPU) hosts |= 1u << k;
    }
    return hosts;
}

static tess_status fetch(tess__cuda_op *o, uint32_t hosts)
{
    for (; hosts; hosts &= hosts - 1) {
        const int         k = __builtin_ctz(hosts);
        const tess_array *a = &o->work->param[k].array;
        TESS_CUDA(o->call, copy_out, a->data, o->results + 16 * (uint64_t)k, (size_t)tess__dtype_size(a->dtype),
                  o->call->stream->handle);
    }
    return TESS_OK;
}

/* ---- The call ---- */

static void plan(tess__cuda_op *o)
{
    tess__cuda_op_lay_out(o);
    if (o->op->mode == TESS_MODE_REDUCE) tess__cuda_op_plan_reduce(o);
    else if (!tess__cuda_op_plan_scatter(o)) tess__cuda_op_plan_map(o);
}

static tess_status run(tess__cuda_op *o)
{
    if (o->op->device.faults) TESS_TRY(make_deferred(o));
    const tess_status status = o->op->mode == TESS_MODE_REDUCE         ? tess__cuda_op_reduce(o)
                               : o->spec.kind == TESS__CUDA_OP_SCATTER ? tess__cuda_op_scatter(o)
                                                                       : tess__cuda_op_map(o);
    if (status != TESS_OK) tess__cuda_deferred_drop(o->call, o->deferred);
    else if (o->deferred) tess__cuda_deferred_keep(o->call, o->deferred);
    TESS_TRY(status);
    return TESS_OK;
}

/* Outputs in host memory are computed on the device, and copied before the call returns. */
static tess_status run_to_host(tess__cuda_op *o, uint32_t hosts)
{
    TESS_TRY(tess__cuda_workspace_acquire(&o->results, o->call, 16 * TESS__MAX_PARAMS));
    for (uint32_t left = hosts; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        o->p.operand[k].data = o->results + 16 * (uint64_t)k;
    }
    tess_status status = run(o);
    if (status == TESS_OK) status = fetch(o, hosts);
    tess__cuda_workspace_release(o->call, o->results);
    const tess_status waited = tess__cuda_wait(o->call);
    TESS_TRY(status);
    TESS_TRY(waited);
    return TESS_OK;
}

static bool is_empty(const tess__op_call *work)
{
    if (work->op->mode != TESS_MODE_REDUCE) return !tess__sizes_have_elements(&work->domain);
    for (uint32_t left = work->op->roles.out; left; left &= left - 1)
        if (!tess__has_elements(&work->param[__builtin_ctz(left)].array)) return true;
    return false;
}

static tess_status check_code(const char *name, const tess__operator *op)
{
    TESS_CHECK(op->tree->body || op->device.entry, TESS_EUNSUPPORTED,
               "%s: a loop of `tess_op_loop` without cuda_source cannot run on a GPU; give it one, or use the CPU",
               name);
    return TESS_OK;
}

tess_status tess__cuda_op_call(tess_stream *stream, const tess__op_call *work)
{
    tess__cuda_call call;
    tess__cuda_op   o;
    TESS_TRY(check_code(work->name, work->op));
    if (is_empty(work)) return TESS_OK;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    memset(&o, 0, sizeof o);
    o.call = &call;
    o.work = work;
    o.op = o.spec.op = work->op;
    o.spec.group = 1;
    const tess__roles *roles = &o.op->roles;
    const uint32_t     hosts = host_outputs(work);
    uint32_t used = (roles->in | roles->out | roles->inout | roles->view | roles->scatter) & ~(work->scalars | hosts);
    for (; used; used &= used - 1) tess__cuda_use(&call, work->param[__builtin_ctz(used)].array.buffer);
    plan(&o);
    const tess_status status = hosts ? run_to_host(&o, hosts) : run(&o);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}

/* ---- Ahead of the first call ---- */

/* The kernels for large contiguous arrays. */
static tess_status prepare(tess__cuda_call *call, const tess__operator *op)
{
    tess__cuda_op    o;
    tess__op_call    work = { .name = op->name, .op = op, .n_params = op->n_params };
    const tess_shape domain = TESS_SHAPE(1, 64, 512, 512), one = TESS_SHAPE(1, 1, 1, 1);
    const bool       reduces = op->mode == TESS_MODE_REDUCE;
    work.domain = domain;
    work.axes = 15;
    for (int k = 0; k < op->n_params; k++) {
        const bool       small = (reduces && op->roles.out >> k & 1) || op->roles.scatter >> k & 1;
        const tess_shape shape = small ? one : domain;
        work.param[k].array =
            (tess_array){ .shape = shape, .strides = tess_strides_contiguous(shape, 'C'), .device = tess_gpu(0) };
    }
    memset(&o, 0, sizeof o);
    o.call = call;
    o.work = &work;
    o.op = o.spec.op = op;
    o.spec.group = 1;
    plan(&o);
    tess__cuda_key key = key_of(&o.spec);
    TESS_TRY(tess__cuda_prepare(call, &key));
    if (!reduces) return TESS_OK;
    const tess__cuda_op_spec second = tess__cuda_op_spec_of_join(&o);
    key = key_of(&second);
    TESS_TRY(tess__cuda_prepare(call, &key));
    return TESS_OK;
}

tess_status tess__cuda_op_prepare(tess_device device, const tess__operator *op)
{
    tess__cuda_call call;
    TESS_TRY(check_code("op_prepare", op));
    TESS_TRY(tess__cuda_begin_on(&call, "op_prepare", device.index));
    const tess_status status = prepare(&call, op);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
