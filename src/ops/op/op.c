/* Operator objects: creation, definitions, release. */
#include "ops/op/op.h"

#include <string.h>

#include "core/check/check.h"
#include "core/device/device.h"
#include "core/device/float_env.h"
#include "core/table/table.h"
#include "lang/front/source.h"

static const tess_arg_info parse_args[] = {
    TESS__OPT_I64(tess_op_parse_opts, max_text, "bytes", TESS__USUAL_TEXT, 1, TESS__MAX_TEXT,
                  "maximum length of the text"),
    TESS__OPT_I64(tess_op_parse_opts, max_nodes, "", TESS__USUAL_NODES, 1, TESS__MAX_NODES,
                  "maximum number of nodes of the syntax tree"),
    TESS__OPT_I64(tess_op_parse_opts, max_nesting, "", TESS__USUAL_NESTING, 1, TESS__MAX_NESTING,
                  "maximum nesting of blocks and parentheses"),
    TESS__OPT_I64(tess_op_parse_opts, max_trips, "", TESS__USUAL_TRIPS, 1, 0x7fffffff,
                  "maximum product of the trip counts of nested loops"),
    TESS__OPT_I64(tess_op_parse_opts, max_registers, "", TESS__REGISTER_LIMIT, 1, TESS__REGISTER_LIMIT,
                  "maximum number of values alive at once"),
};
static const tess_function_info parse_info =
    TESS__INFO_OPTS("op_parse", "op", "Compile an operator from text.", parse_args, tess_op_parse_opts);

static const tess_arg_info loop_args[] = {
    TESS__OPT_F64(tess_op_loop_opts, cost, "ns", 1, 0, 1e9, "estimated time per element"),
};
static const tess_function_info loop_info =
    TESS__INFO_OPTS("op_loop", "op", "Make an operator from a C function.", loop_args, tess_op_loop_opts);

/* ---- Release ---- */

static void free_body(void *body)
{
    tess__op_body *b = body;
    const int      n = atomic_load(&b->n_instances);
    for (int i = 0; i < n; i++) tess__buffer_release(&b->instance[i]->buffer);
    tess__tree_free(b->untyped);
    tess__free(b->source);
    tess__free(b->names);
    tess__free(b->cuda);
    (void)pthread_mutex_destroy(&b->lock);
    if (b->drop) b->drop(b->ctx);
    tess__free(b);
}

void tess_op_retain(tess_op *op)
{
    if (op && !op->permanent) tess__buffer_retain(&op->buffer);
}

void tess_op_release(tess_op *op)
{
    if (op && !op->permanent) tess__buffer_release(&op->buffer);
}

const char *tess_op_source(const tess_op *op)
{
    if (!op) return "";
    return op->body ? op->body->source : tess__builtin_source(op);
}

/* ---- Creation ---- */

/* Storage for an operator, with one owner; it takes the tree, also if it fails. */
static tess_status new_op(tess_op **out, const char *fn, tess__tree *untyped, const tess_op_parse_opts *limits)
{
    tess_op       *op = tess__alloc(sizeof *op);
    tess__op_body *body = tess__alloc(sizeof *body);
    if (!op || !body) {
        tess__free(op);
        tess__free(body);
        tess__tree_free(untyped);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for %zu bytes", fn, sizeof *op + sizeof *body);
    }
    memset(op, 0, sizeof *op);
    memset(body, 0, sizeof *body);
    atomic_init(&op->buffer.references, 1);
    op->buffer.drop = free_body;
    op->buffer.context = op->body = body;
    body->untyped = untyped;
    body->limits = *limits;
    body->limits.name = NULL; /* the caller's */
    (void)pthread_mutex_init(&body->lock, NULL);
    *out = op;
    return TESS_OK;
}

/* The names, as texts that end in 0. */
static tess_status set_names(tess_op *op, const char *fn)
{
    tess__op_body    *body = op->body;
    const tess__tree *tree = body->untyped;
    size_t            size = (size_t)tree->name.length + 1;
    for (int k = 0; k < tree->n_params; k++) size += (size_t)tree->params[k].name.length + 1;
    char *at = body->names = tess__alloc(size);
    TESS_CHECK(at, TESS_ENOMEM, "%s: no memory for %zu bytes", fn, size);
    op->name = at;
    for (int k = -1; k < tree->n_params; k++) {
        const tess__bytes name = k < 0 ? tree->name : tree->params[k].name;
        if (k >= 0) body->params[k] = at;
        memcpy(at, tree->text + name.at, (size_t)name.length);
        at[name.length] = '\0';
        at += name.length + 1;
    }
    return TESS_OK;
}

static void count_arguments(tess__op_body *body)
{
    for (int k = 0; k < body->untyped->n_params; k++) {
        const tess__param *p = &body->untyped->params[k];
        body->reduces |= p->role == TESS__PARAM_ACC;
        body->n_arguments += p->role != TESS__PARAM_ACC;
        body->n_defaults += p->role == TESS__PARAM_VAL && p->given;
    }
}

/* An operator without type letters is compiled when it is created, so that all of its errors are found; of one with
 * letters those that it has with all types. */
static tess_status complete(tess_op *op, const char *fn)
{
    tess__op_body *body = op->body;
    count_arguments(body);
    TESS_TRY(set_names(op, fn));
    TESS_TRY(tess__tree_text(&body->source, body->untyped));
    if (body->untyped->letters) {
        if (body->untyped->body) TESS_TRY(tess__tree_try(body->untyped, &body->limits));
        return TESS_OK;
    }
    const tess__operator *instance;
    tess__operator       *own = NULL;
    const tess_dtype      none[TESS__LETTERS] = { 0 };
    TESS_TRY(tess__op_instance(&instance, &own, op, none));
    return TESS_OK;
}

/* The operator, or NULL if it could not be compiled. */
static tess_status hand_out(tess_op **out, tess_op *op, tess_status status)
{
    if (status == TESS_OK) *out = op;
    else tess__buffer_release(&op->buffer);
    return status;
}

tess_status tess_op_parse(tess_op **out, const char *text, size_t n, const tess_op_parse_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_op_parse_opts limits;
    tess__tree        *untyped = NULL;
    tess_op           *op = NULL;
    TESS_TRY(tess__check_pointer("op_parse", "out", out));
    TESS_TRY(tess__check_pointer("op_parse", "text", text));
    TESS_TRY(tess__resolve(&parse_info, opts, &limits));
    TESS_TRY(tess__parse(&untyped, text, n, &limits));
    TESS_TRY(new_op(&op, "op_parse", untyped, &limits));
    TESS_TRY(hand_out(out, op, complete(op, "op_parse")));
    return TESS_OK;
}

tess_status tess_op_text(tess_op **out, const char *text)
{
    TESS_TRY(tess__check_pointer("op_text", "out", out));
    TESS_TRY(tess__check_pointer("op_text", "text", text));
    TESS_TRY(tess_op_parse(out, text, strlen(text), NULL));
    return TESS_OK;
}

/* A loop knows its types, and how lanes are joined. */
static tess_status check_loop(const tess__tree *untyped, const tess_op_loop_opts *o)
{
    bool joins = false, reduces = false;
    for (int k = 0; k < untyped->n_params; k++) {
        reduces |= untyped->params[k].role == TESS__PARAM_ACC;
        joins |= untyped->params[k].role == TESS__PARAM_ACC && untyped->params[k].monoid == TESS__MONOID_NONE;
    }
    TESS_CHECK(!untyped->letters, TESS_EARG, "op_loop: the signature has type letters; a loop needs fixed types");
    TESS_CHECK(!joins || o->join, TESS_EARG,
               "op_loop: `opts->join` is `NULL`; an accumulator without a monoid needs a function that joins it");
    TESS_CHECK(reduces || (!o->join && !o->post), TESS_EARG,
               "op_loop: `opts->join` and `opts->post` are allowed only for reductions; the signature has no acc");
    TESS_CHECK((o->cuda_source == NULL) == (o->cuda_entry == NULL), TESS_EARG,
               "op_loop: `opts->%s` is `NULL`; set both cuda_source and cuda_entry, or neither",
               o->cuda_source ? "cuda_entry" : "cuda_source");
    return TESS_OK;
}

/* A copy of the code for GPUs. */
static tess_status keep_cuda(tess__op_body *body, const tess_op_loop_opts *o)
{
    if (!o->cuda_source) return TESS_OK;
    const size_t entry = strlen(o->cuda_entry) + 1, source = strlen(o->cuda_source) + 1;
    body->cuda = tess__alloc(entry + source);
    TESS_CHECK(body->cuda, TESS_ENOMEM, "op_loop: no memory for %zu bytes", entry + source);
    memcpy(body->cuda, o->cuda_entry, entry);
    memcpy(body->cuda + entry, o->cuda_source, source);
    return TESS_OK;
}

static tess_status complete_loop(tess_op *op, const tess_op_loop_opts *o)
{
    TESS_TRY(keep_cuda(op->body, o));
    TESS_TRY(complete(op, "op_loop"));
    return TESS_OK;
}

tess_status tess_op_loop(tess_op **out, const char *signature, tess_tile_fn loop, const tess_op_loop_opts *opts)
{
    tess_op_loop_opts  o;
    tess_op_parse_opts limits;
    tess__tree        *untyped = NULL;
    tess_op           *op = NULL;
    bool               index = false;
    TESS_TRY(tess__check_pointer("op_loop", "out", out));
    TESS_TRY(tess__check_pointer("op_loop", "signature", signature));
    TESS_CHECK(loop, TESS_EARG, "op_loop: `loop` is `NULL`; a function is needed");
    TESS_TRY(tess__resolve(&loop_info, opts, &o));
    TESS_TRY(tess__resolve(&parse_info, NULL, &limits));
    TESS_TRY(tess__parse_signature(&untyped, signature, &index));
    tess_status status = TESS_OK;
    TESS_GOTO(failed, status, check_loop(untyped, &o));
    untyped->joined = o.join != NULL;
    untyped->posted = o.post != NULL;
    TESS_TRY(new_op(&op, "op_loop", untyped, &limits));
    tess__op_body *body = op->body;
    body->native[TESS__PART_BODY] = loop;
    body->native[TESS__PART_JOIN] = o.join;
    body->native[TESS__PART_POST] = o.post;
    body->ctx = o.ctx;
    body->cost = o.cost;
    body->indexed = index;
    TESS_TRY(hand_out(out, op, complete_loop(op, &o)));
    body->drop = o.drop; /* the context is the caller's as long as there is no operator */
    return TESS_OK;
failed:
    tess__tree_free(untyped);
    return status;
}

/* ---- Definitions ---- */

static pthread_mutex_t definitions = PTHREAD_MUTEX_INITIALIZER;
static tess_op        *first_defined;

/* The definitions are not read: the library that held them may be unloaded. Work under way keeps its operator. */
__attribute__((destructor)) static void free_defined(void)
{
    tess__memory_at_exit();
    for (tess_op *op = first_defined, *next; op; op = next) {
        next = op->next;
        tess__buffer_release(&op->buffer);
    }
    first_defined = NULL;
}

/* What makes an operator one of this mode: an accumulator, a view or a scatter, an index or a size. */
static tess__bytes reason_for(const tess__tree *tree, int mode)
{
    for (int k = 0; k < tree->n_params; k++) {
        const int32_t role = tree->params[k].role;
        if (mode == TESS_MODE_REDUCE ? role == TESS__PARAM_ACC
                                     : role == TESS__PARAM_VIEW || role == TESS__PARAM_SCATTER)
            return tree->params[k].name;
    }
    for (int32_t i = 1; i < tree->n_nodes; i++)
        if (tree->nodes[i].kind == TESS__INDEX || tree->nodes[i].kind == TESS__SIZE) return tree->nodes[i].span;
    return tree->name;
}

/* In a macro the name states the mode. */
static tess_status check_mode(const tess_op_def *def, const tess__operator *instance)
{
    static const char *const macros[] = { "TESS_EWISE", "TESS_IWISE", "TESS_REDUCE" };
    TESS_CHECK(def->mode >= TESS_MODE_EWISE && def->mode <= TESS_MODE_REDUCE, TESS_EARG,
               "%s: mode is %d; a TESS_MODE_ constant is needed", def->name, (int)def->mode);
    tess__source source = tess__source_of(instance->tree);
    if (def->mode == TESS_MODE_REDUCE && instance->mode != TESS_MODE_REDUCE)
        tess__complain(&source, instance->tree->name, "TESS_REDUCE needs an accumulator; use %s",
                       macros[instance->mode - 1]);
    else if (instance->mode > def->mode)
        tess__complain(&source, reason_for(instance->tree, instance->mode), "%s cannot do this; use %s",
                       macros[def->mode - 1], macros[instance->mode - 1]);
    return source.status;
}

static tess_status check_no_letters(const tess__tree *untyped)
{
    tess__source source = tess__source_of(untyped);
    for (int k = 0; k < untyped->n_params && untyped->letters; k++)
        if (untyped->params[k].type < 0)
            tess__complain(&source, untyped->params[k].name, "type letters are allowed only in operators from text");
    return source.status;
}

/* Join and post are compiled if they were written. */
static tess_status check_parts(const tess_op_def *def, const tess__tree *untyped)
{
    TESS_CHECK(def->tile, TESS_EARG, "%s: %s:%d: the definition has no function", def->name, def->file, (int)def->line);
    TESS_CHECK((untyped->join == 0) == (def->join == NULL) && (untyped->post == 0) == (def->post == NULL), TESS_EARG,
               "%s: %s:%d: the functions of the definition do not match its text", def->name, def->file,
               (int)def->line);
    return TESS_OK;
}

static tess_status finish_definition(tess_op *op, const tess_op_def *def)
{
    tess__op_body *body = op->body;
    body->native[TESS__PART_BODY] = def->tile;
    body->native[TESS__PART_JOIN] = def->join;
    body->native[TESS__PART_POST] = def->post;
    body->indexed = def->mode == TESS_MODE_IWISE;
    TESS_TRY(check_parts(def, body->untyped));
    TESS_TRY(check_no_letters(body->untyped));
    TESS_TRY(complete(op, def->name));
    TESS_TRY(check_mode(def, body->instance[0]));
    return TESS_OK;
}

/* With the lock held: an operator that stays, where others see it. */
static void keep(void **at, tess_op *op)
{
    op->permanent = true;
    op->next = first_defined;
    first_defined = op;
    __atomic_store_n(at, op, __ATOMIC_RELEASE);
}

/* With the lock held. */
static tess_status define(void *definition)
{
    tess_op_def       *def = definition;
    tess_op_parse_opts limits;
    tess__tree        *untyped = NULL;
    tess_op           *op = NULL, *whole = NULL;
    TESS_TRY(tess__resolve(&parse_info, NULL, &limits));
    TESS_TRY(tess__parse_def(&untyped, def));
    TESS_TRY(new_op(&op, def->name, untyped, &limits));
    TESS_TRY(hand_out(&whole, op, finish_definition(op, def)));
    keep(&def->op, whole);
    return TESS_OK;
}

/* With the lock held. */
static tess_status parse_kept(void *own_text)
{
    tess__kept_op *kept = own_text;
    tess_op       *op = NULL;
    TESS_TRY(tess_op_text(&op, kept->text));
    keep(&kept->op, op);
    return TESS_OK;
}

/* The operator at `at`, where `make` puts it at the first use. */
static tess_status make_once(const tess_op **op, void **at, tess_status (*make)(void *), void *from)
{
    tess_status status = TESS_OK;
    if (!__atomic_load_n(at, __ATOMIC_ACQUIRE)) {
        (void)pthread_mutex_lock(&definitions);
        if (!__atomic_load_n(at, __ATOMIC_ACQUIRE)) status = make(from);
        (void)pthread_mutex_unlock(&definitions);
    }
    TESS_TRY(status);
    *op = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    return TESS_OK;
}

tess_status tess_op_of(const tess_op **op, tess_op_def *def)
{
    TESS_TRY(tess__check_pointer("op_of", "op", op));
    TESS_TRY(tess__check_pointer("op_of", "def", def));
    TESS_TRY(make_once(op, &def->op, define, def));
    return TESS_OK;
}

tess_status tess__op_kept(const tess_op **op, tess__kept_op *kept)
{
    TESS_TRY(make_once(op, &kept->op, parse_kept, kept));
    return TESS_OK;
}

/* ---- Warming up ---- */

static tess_status check_letters(const tess_op *op, const tess_dtype *letters, int n)
{
    static const char names[] = "TUV";
    uint32_t          used = 0;
    for (int k = 0; op->body && k < op->body->untyped->n_params; k++)
        if (op->body->untyped->params[k].type < 0) used |= 1u << (-1 - op->body->untyped->params[k].type);
    TESS_CHECK(n >= 0 && n <= TESS__LETTERS, TESS_ERANGE, "op_prepare: `n_letters` is %d; 0 to %d are allowed", n,
               TESS__LETTERS);
    TESS_CHECK(n == 0 || letters, TESS_EARG, "op_prepare: `letters` is `NULL`; %d dtypes are needed", n);
    for (int i = 0; i < TESS__LETTERS; i++) {
        if (!(used >> i & 1)) continue;
        TESS_CHECK(i < n, TESS_EARG, "op_prepare: `n_letters` is %d; %s also uses %c", n, op->name, names[i]);
        TESS_CHECK(letters[i] > 0 && letters[i] < TESS_SCALAR_DTYPE_COUNT, TESS_EDTYPE,
                   "op_prepare: %c of %s is %s; a real or complex type is needed", names[i], op->name,
                   tess_dtype_name(letters[i]));
    }
    return TESS_OK;
}

tess_status tess_op_prepare(const tess_op *op, tess_device device, const tess_dtype *letters, int n_letters)
{
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__check_pointer("op_prepare", "op", op));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "op_prepare", device));
    TESS_TRY(check_letters(op, letters, n_letters));
    if (!op->body) return TESS_OK;
    tess_dtype bound[TESS__LETTERS] = { 0 };
    for (int k = 0; k < op->body->untyped->n_params; k++) {
        const int32_t type = op->body->untyped->params[k].type;
        if (type < 0) bound[-1 - type] = letters[-1 - type];
    }
    const tess__operator *instance;
    tess__operator       *own = NULL;
    TESS_TRY(tess__op_instance(&instance, &own, op, bound));
    const tess_status status = backend->op_prepare ? backend->op_prepare(device, instance) : TESS_OK;
    if (own) tess__buffer_release(&own->buffer);
    TESS_TRY(status);
    return TESS_OK;
}
