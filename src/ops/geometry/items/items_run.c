/* Functions of small vectors and matrices over arrays of them: an element-wise operator whose parameters are their
 * components, as a loop for the CPU and as device code around the same function. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "ops/geometry/items/items.h"
#include "tessera/op.h"

enum { MAX_PARAMS = 24 };

/* What the loop of one operator knows; the operator owns it. */
typedef struct loop {
    tess__item_fn apply;
    int           n_first, n_in; /* numbers of the first input, and of all */
    int           n_val, n_out, n_params;
    bool          has_set;
    tess_dtype    dtype[MAX_PARAMS]; /* of components */
} loop;

/* ---- The CPU ---- */

/* Number k of n items, whose first one is at `at`. */
static void load(double *restrict to, const loop *l, const tess_tile *t, int k, int64_t at, int64_t n)
{
    const int64_t step = t->stride[k][3];
    if (l->dtype[k] == TESS_F32) {
        const float *from = (const float *)t->ptr[k] + at;
        for (int64_t i = 0; i < n; i++) to[i] = (double)from[i * step];
    } else {
        const double *from = (const double *)t->ptr[k] + at;
        for (int64_t i = 0; i < n; i++) to[i] = from[i * step];
    }
}

static void store(const double *restrict from, const loop *l, const tess_tile *t, int k, int64_t at, int64_t n)
{
    const int64_t step = t->stride[k][3];
    if (l->dtype[k] == TESS_F32) {
        float *to = (float *)t->ptr[k] + at;
        for (int64_t i = 0; i < n; i++) to[i * step] = (float)from[i];
    } else if (l->dtype[k] == TESS_I64) {
        int64_t *to = (int64_t *)t->ptr[k] + at;
        for (int64_t i = 0; i < n; i++) to[i * step] = (int64_t)from[i];
    } else {
        double *to = (double *)t->ptr[k] + at;
        for (int64_t i = 0; i < n; i++) to[i * step] = from[i];
    }
}

/* A row of items by packed blocks; `at` has the offsets of its first in all parameters. */
static void run_packed(const loop *l, const tess_tile *t, const int64_t *at, const double *val, int64_t n_val)
{
    enum { BLOCK = TESS__ITEM_BLOCK };
    const int           first_out = l->n_params - l->n_out;
    _Alignas(64) double in[MAX_PARAMS * BLOCK], out[MAX_PARAMS * BLOCK];
    tess__item_run      run = { .out = { out, BLOCK, 1 },
                                .in = { { in, BLOCK, 1 }, { in + l->n_first * BLOCK, BLOCK, 1 } },
                                .val = val,
                                .n_val = n_val };
    for (int64_t i = 0; i < t->extent[3]; i += BLOCK) {
        run.n = tess__min(t->extent[3] - i, (int64_t)BLOCK);
        for (int k = 0; k < l->n_in; k++) load(in + k * BLOCK, l, t, k, at[k] + i * t->stride[k][3], run.n);
        l->apply(&run);
        for (int k = 0; k < l->n_out; k++) {
            const int p = first_out + k;
            store(out + k * BLOCK, l, t, p, at[p] + i * t->stride[p][3], run.n);
        }
    }
}

/* Parameters first to first + n - 1 from offset `at` on, if they are f64 and beside each other. */
static bool find_numbers(tess__item_numbers *numbers, const loop *l, const tess_tile *t, const int64_t *at, int first,
                         int n)
{
    double *const data = (double *)t->ptr[first] + at[first];
    for (int k = first; k < first + n; k++)
        if (l->dtype[k] != TESS_F64 || t->stride[k][3] != t->stride[first][3] ||
            (double *)t->ptr[k] + at[k] != data + (k - first))
            return false;
    *numbers = (tess__item_numbers){ data, 1, t->stride[first][3] };
    return true;
}

static void run_row(const loop *l, const tess_tile *t, const int64_t *at, const double *val, int64_t n_val)
{
    const int      second = l->n_in - l->n_first;
    tess__item_run run = { .val = val, .n_val = n_val, .n = t->extent[3] };
    const bool     is_beside = find_numbers(&run.in[0], l, t, at, 0, l->n_first) &&
                           find_numbers(&run.out, l, t, at, l->n_params - l->n_out, l->n_out);
    run.in[1] = run.in[0];
    if (is_beside && (second == 0 || find_numbers(&run.in[1], l, t, at, l->n_first, second))) l->apply(&run);
    else run_packed(l, t, at, val, n_val);
}

static void row_start(const loop *l, const tess_tile *t, const int64_t position[3], int64_t *at)
{
    for (int k = 0; k < l->n_params; k++) {
        if (k >= l->n_in && k < l->n_params - l->n_out) continue; /* values have no strides */
        at[k] = t->origin[3] * t->stride[k][3];
        for (int d = 0; d < 3; d++) at[k] += (t->origin[d] + position[d]) * t->stride[k][d];
    }
}

static void run_tile(const tess_tile *t)
{
    const loop   *l = t->ctx;
    double        numbers[MAX_PARAMS];
    const double *val = numbers;
    int64_t       n_val = l->n_val, at[MAX_PARAMS], i[3];
    for (int k = 0; k < l->n_val && !l->has_set; k++)
        memcpy(&numbers[k], (const char *)t->val + (l->n_in + k) * 16, sizeof numbers[k]);
    if (l->has_set) val = t->ptr[l->n_in], n_val = t->shape[l->n_in][0];
    for (i[0] = 0; i[0] < t->extent[0]; i[0]++)
        for (i[1] = 0; i[1] < t->extent[1]; i[1]++)
            for (i[2] = 0; i[2] < t->extent[2]; i[2]++) {
                row_start(l, t, i, at);
                run_row(l, t, at, val, n_val);
            }
}

/* ---- Texts of the operator ---- */

typedef struct writer {
    char  *text;
    size_t size, used;
} writer;

TESS_PRINTF(2, 3) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
    va_end(arguments);
    w->used += n > 0 ? (size_t)n : 0;
}

static const char *c_type(tess_dtype dtype)
{
    return dtype == TESS_F32 ? "float" : dtype == TESS_I64 ? "int64_t" : "double";
}

static void write_signature(writer *w, const loop *l, const char *fn)
{
    put(w, "op %s(", fn);
    for (int k = 0; k < l->n_params; k++) {
        const bool is_in = k < l->n_in, is_out = k >= l->n_params - l->n_out;
        put(w, "%s%s %s p%d", k ? ", " : "",
            is_in        ? "in"
            : is_out     ? "out"
            : l->has_set ? "view"
                         : "val",
            tess_dtype_name(l->dtype[k]), k);
    }
    put(w, ")");
}

/* Parameters into arrays, the function, and its results into parameters. */
static void write_device(writer *w, const loop *l, const char *function)
{
    const int first_out = l->n_params - l->n_out;
    put(w, "#include \"formulas/geometry/rotation.op.h\"\n__device__ void item(%s",
        l->has_set ? "int64_t b, int64_t d, int64_t h, int64_t w, " : "");
    for (int k = 0; k < l->n_params; k++) {
        const char *type = k >= l->n_in && k < first_out && l->has_set ? "const tess_view_f64 *" : c_type(l->dtype[k]);
        put(w, "%s%s %sp%d", k ? ", " : "", type, k >= first_out ? "&" : "", k);
    }
    put(w, ") {\ndouble in[%d], val[%d], out[%d];\n", l->n_in, l->n_val + 1, l->n_out);
    for (int k = 0; k < l->n_in; k++) put(w, "in[%d] = (double)p%d;\n", k, k);
    for (int k = l->n_in; k < first_out && !l->has_set; k++) put(w, "val[%d] = p%d;\n", k - l->n_in, k);
    if (l->has_set) put(w, "(void)b, (void)d, (void)h, (void)w, (void)val;\n");
    if (l->has_set) put(w, "%s(in, p%d->data, p%d->shape[0], out);\n", function, l->n_in, l->n_in);
    else put(w, "%s(in, val, %d, out);\n", function, l->n_val);
    for (int k = 0; k < l->n_out; k++)
        put(w, "p%d = (%s)out[%d];\n", first_out + k, c_type(l->dtype[first_out + k]), k);
    put(w, "}\n");
}

/* ---- A call ---- */

typedef struct arguments {
    tess_array arrays[MAX_PARAMS];
    tess_bind  binds[MAX_PARAMS];
    int        n;
} arguments;

static int add_components(arguments *a, loop *l, const tess__items *items, int kind)
{
    for (int row = 0; row < items->rows; row++)
        for (int column = 0; column < items->columns; column++) {
            tess_array *component = &a->arrays[a->n];
            *component = tess__items_component(items, row, column);
            a->binds[a->n].kind = kind;
            if (kind == TESS_BIND_ARRAY) a->binds[a->n].as.array = component;
            else a->binds[a->n].as.input = component;
            l->dtype[a->n++] = component->dtype;
        }
    return items->rows * items->columns;
}

static void add_values(arguments *a, loop *l, tess__item_values values)
{
    l->has_set = values.set != NULL;
    if (l->has_set) {
        a->binds[a->n].kind = TESS_BIND_INPUT;
        a->binds[a->n].as.input = values.set;
        l->dtype[a->n++] = TESS_F64;
        return;
    }
    for (int k = 0; k < l->n_val; k++) {
        a->binds[a->n].kind = TESS_BIND_F64;
        a->binds[a->n].as.f = values.numbers[k];
        l->dtype[a->n++] = TESS_F64;
    }
}

static void free_loop(void *context) { tess__free(context); }

static tess_status make_operator(tess_op **op, const tess__item_map *map, const loop *l)
{
    char   signature[512], source[2048];
    writer head = { signature, sizeof signature, 0 }, body = { source, sizeof source, 0 };
    loop  *kept = tess__alloc(sizeof *kept);
    TESS_CHECK(kept, TESS_ENOMEM, "%s: no memory for %zu bytes", map->fn, sizeof *kept);
    *kept = *l;
    write_signature(&head, l, map->fn);
    write_device(&body, l, map->function);
    const tess_op_loop_opts opts = {
        .ctx = kept, .drop = free_loop, .cost = map->cost, .cuda_source = source, .cuda_entry = "item"
    };
    const tess_status status = tess_op_loop(op, signature, run_tile, &opts);
    if (status != TESS_OK) tess__free(kept);
    return status;
}

tess_status tess__items_run(const tess__item_map *map, const tess__items *out, const tess__items *const *inputs, int n,
                            tess__item_values values)
{
    tess_op  *op = NULL;
    arguments a;
    loop      l = { .apply = map->apply, .n_val = map->n_val };
    if (!tess__has_elements(&out->first)) return TESS_OK;
    memset(&a, 0, sizeof a);
    for (int k = 0; k < n; k++) {
        l.n_in += add_components(&a, &l, inputs[k], TESS_BIND_INPUT);
        if (k == 0) l.n_first = l.n_in;
    }
    add_values(&a, &l, values);
    l.n_out = add_components(&a, &l, out, TESS_BIND_ARRAY);
    l.n_params = a.n;
    TESS_TRY(make_operator(&op, map, &l));
    const tess_status status = tess_run(op, a.binds, a.n, NULL);
    tess_op_release(op);
    return status;
}

static tess_status apply(const tess__item_call *c, tess__items in[2])
{
    tess__items        out;
    const tess__items *inputs[2] = { &in[0], &in[1] };
    for (int k = 0; k < c->n; k++)
        TESS_TRY(tess__items_of(&in[k], c->map->fn, c->in[k].arg, c->in[k].array, c->in[k].form));
    TESS_TRY(tess__items_output(&out, c->map->fn, c->out, c->out_form, inputs, c->n));
    for (int k = 0; k < c->n; k++)
        TESS_TRY(tess__items_check(c->map->fn, &out, c->out, &in[k], c->in[k].array, c->exact));
    TESS_TRY(tess__items_run(c->map, &out, inputs, c->n, c->values));
    return TESS_OK;
}

tess_status tess__items_apply(const tess__item_call *call)
{
    tess__items       in[2] = { { .arg = NULL }, { .arg = NULL } };
    const bool        made = call->out && tess__is_empty_out(call->out);
    const tess_status status = apply(call, in);
    for (int k = 0; k < 2; k++) tess__items_end(&in[k]);
    return made ? tess__finish(status, call->out, true) : status;
}
