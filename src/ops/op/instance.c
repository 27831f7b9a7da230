/* Instances (monomorphisation): operators with their types, compiled at the first call with them, and cached. */
#include <string.h>

#include "core/device/engine.h"
#include "core/sha256.h"
#include "lang/ir/monoid.h"
#include "ops/op/op.h"

/* Estimated time of a byte read or written, in nanoseconds. */
#define BYTE_NS 0.04f

static void free_operator(void *operator)
{
    tess__operator *o = operator;
    for (int i = 0; i < TESS__PARTS_OF_OPERATOR; i++) tess__program_free(o->program[i]);
    tess__still_free(o->still);
    tess__tree_free(o->tree);
}

/* The same for one that keeps its operator alive. */
static void free_own(void *operator)
{
    tess__operator *o = operator;
    free_operator(o);
    tess_op_release(o->owner);
}

static void note_role(tess__roles *roles, int role, int k)
{
    uint32_t *const set[] = { &roles->in,   &roles->out,     &roles->inout, &roles->val,
                              &roles->view, &roles->scatter, &roles->acc };
    *set[role] |= 1u << k;
}

/* A constant of a tree as a number of `dtype`. */
static tess_status constant_as(void *out, tess_dtype dtype, const tess__constant *value, tess_dtype type)
{
    switch (tess_dtype_kind(type)) {
    case TESS_KIND_INT: TESS_TRY(tess__convert(out, dtype, &value->i, TESS_I64)); break;
    case TESS_KIND_FLOAT: TESS_TRY(tess__convert(out, dtype, value->f, TESS_F64)); break;
    case TESS_KIND_COMPLEX: TESS_TRY(tess__convert(out, dtype, value->f, TESS_C64)); break;
    default: TESS_TRY(tess__convert(out, dtype, &value->u, TESS_U64)); break;
    }
    return TESS_OK;
}

static tess_status add_accumulator(tess__operator *o, int k)
{
    const tess__param   *p = &o->tree->params[k];
    tess__accumulator   *a = &o->acc[o->n_acc++];
    const tess__constant start = tess__monoid_start(p);
    a->param = k;
    a->op = p->monoid == TESS__MONOID_NONE ? -1 : tess__monoid_operator(p->monoid);
    a->own = p->type;
    a->lane = tess_lane_dtype(p->type, p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD);
    a->has_constant = p->given && p->monoid != TESS__MONOID_NONE;
    TESS_TRY(constant_as(a->start, a->lane, &start, p->type));
    if (a->has_constant) TESS_TRY(constant_as(a->constant, a->lane, &p->value, p->type));
    return TESS_OK;
}

static tess_status make_programs(tess__operator *o, const tess__op_body *body)
{
    const int32_t blocks[] = { o->tree->body, o->tree->join, o->tree->post };
    for (int i = 0; i < TESS__PARTS_OF_OPERATOR; i++) {
        o->native[i] = body->native[i];
        if (body->native[TESS__PART_BODY] || !blocks[i]) continue;
        TESS_TRY(tess__program_make(&o->program[i], o->tree, i, &body->limits));
    }
    if (o->program[TESS__PART_BODY] && o->roles.in) TESS_TRY(tess__still_make(&o->still, o->tree, &body->limits));
    return TESS_OK;
}

/* The code that GPUs run, and its key. */
static void set_device_code(tess__operator *o, const tess__op_body *body, const tess_dtype letters[TESS__LETTERS])
{
    unsigned char digest[32];
    tess__sha256  s;
    o->device = (tess__device_code){ .tree = o->tree,
                                     .indexed = o->indexed,
                                     .joins = body->native[TESS__PART_JOIN] != NULL,
                                     .posts = body->native[TESS__PART_POST] != NULL,
                                     .max_trips = body->limits.max_trips,
                                     .faults = tess__device_faults(o->tree) };
    if (body->cuda) {
        o->device.entry = body->cuda;
        o->device.source = body->cuda + strlen(body->cuda) + 1;
    }
    tess__sha256_start(&s);
    tess__sha256_add(&s, body->source, strlen(body->source) + 1);
    tess__sha256_add(&s, letters, TESS__LETTERS * sizeof *letters);
    tess__sha256_add(&s, &body->limits.max_trips, sizeof body->limits.max_trips);
    tess__sha256_add(&s, (const bool[]){ o->tree->macro, o->indexed }, 2 * sizeof(bool));
    if (body->cuda) {
        tess__sha256_add(&s, (const bool[]){ o->device.joins, o->device.posts }, 2 * sizeof(bool));
        tess__sha256_add(&s, o->device.entry, strlen(o->device.entry) + 1);
        tess__sha256_add(&s, o->device.source, strlen(o->device.source) + 1);
    }
    tess__sha256_end(&s, digest);
    memcpy(o->id, digest, sizeof o->id);
}

static tess_status fill(tess__operator *o, const tess_op *op)
{
    const tess__op_body *body = op->body;
    o->name = op->name;
    o->params = body->params;
    o->n_params = o->tree->n_params;
    for (int k = 0; k < o->n_params; k++) {
        note_role(&o->roles, o->tree->params[k].role, k);
        if (o->tree->params[k].role == TESS__PARAM_ACC) TESS_TRY(add_accumulator(o, k));
    }
    o->indexed = body->indexed || o->tree->indexed;
    o->mode = o->roles.acc ? TESS_MODE_REDUCE : o->indexed ? TESS_MODE_IWISE : TESS_MODE_EWISE;
    o->careful = body->native[TESS__PART_BODY] && o->tree->uses & TESS__HAS_SLOW_PATH;
    o->walked = o->roles.in | o->roles.out | o->roles.inout;
    o->cost = body->cost > 0 ? (float)body->cost : o->tree->cost;
    for (uint32_t left = o->walked; left; left &= left - 1)
        o->cost += BYTE_NS * (float)tess__dtype_size(o->tree->params[__builtin_ctz(left)].type);
    o->ctx = body->ctx;
    o->has_trips = tess__has_open_trips(o->tree);
    o->scatters = tess__scatters_of(o->tree);
    TESS_TRY(make_programs(o, body));
    return TESS_OK;
}

tess_status tess__operator_make(tess__operator **out, const tess_op *op, tess__tree *tree)
{
    tess__operator *o = tess__alloc(sizeof *o);
    if (!o) tess__tree_free(tree);
    TESS_CHECK(o, TESS_ENOMEM, "%s: no memory for %zu bytes", op->name, sizeof *o);
    memset(o, 0, sizeof *o);
    atomic_init(&o->buffer.references, 1);
    o->buffer.drop = free_operator;
    o->buffer.context = o;
    o->tree = tree;
    const tess_status status = fill(o, op);
    if (status == TESS_OK) *out = o;
    else tess__buffer_release(&o->buffer);
    TESS_TRY(status);
    return TESS_OK;
}

static const tess__operator *find(const tess__op_body *body, const tess_dtype letters[TESS__LETTERS])
{
    const int n = atomic_load_explicit(&body->n_instances, memory_order_acquire);
    for (int i = 0; i < n; i++)
        if (memcmp(body->instance[i]->letters, letters, sizeof body->instance[i]->letters) == 0)
            return body->instance[i];
    return NULL;
}

static tess_status make(tess__operator **out, const tess_op *op, const tess_dtype letters[TESS__LETTERS])
{
    tess__tree *tree = NULL;
    TESS_TRY(tess__tree_check(&tree, op->body->untyped, letters, &op->body->limits));
    TESS_TRY(tess__operator_make(out, op, tree));
    memcpy((*out)->letters, letters, sizeof(*out)->letters);
    set_device_code(*out, op->body, letters);
    return TESS_OK;
}

/* With the lock held. */
static tess_status find_or_make(const tess__operator **out, tess__operator **own, const tess_op *op,
                                const tess_dtype letters[TESS__LETTERS])
{
    tess__op_body *body = op->body;
    *out = find(body, letters); /* another thread may just have compiled it */
    if (*out) return TESS_OK;
    tess__operator *made = NULL;
    TESS_TRY(make(&made, op, letters));
    *out = made;
    const int n = atomic_load(&body->n_instances);
    if (n < TESS__MAX_INSTANCES) {
        body->instance[n] = made;
        atomic_store_explicit(&body->n_instances, n + 1, memory_order_release);
        return TESS_OK;
    }
    made->owner = (tess_op *)(uintptr_t)op;
    made->buffer.drop = free_own;
    tess_op_retain(made->owner);
    *own = made;
    return TESS_OK;
}

tess_status tess__op_instance(const tess__operator **out, tess__operator **own, const tess_op *op,
                              const tess_dtype letters[TESS__LETTERS])
{
    *out = find(op->body, letters);
    if (*out) return TESS_OK;
    (void)pthread_mutex_lock(&op->body->lock);
    const tess_status status = find_or_make(out, own, op, letters);
    (void)pthread_mutex_unlock(&op->body->lock);
    TESS_TRY(status);
    return TESS_OK;
}
