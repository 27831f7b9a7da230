/* The reductions of an expression: each level of them in one pass over the files.
 *
 * Every section (image) is reduced by itself, and what comes of it is combined in their order, so that results do not
 * depend on how the files are cut into slabs. */
#include "calc/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/select.h"
#include "files/on_device.h"

/* The state of one result: sum, minimum, maximum, mean or median so far; squared distances from the mean; elements. */
typedef struct running {
    double value, variance, count;
} running;

typedef struct pass {
    program    *program;
    int         level;
    tess_shape  domain;
    bool        whole;                  /* volumes must not be cut */
    int         which[MAX_REDUCTIONS];  /* reductions of this pass */
    running    *state[MAX_REDUCTIONS];  /* of each, one or more */
    selection  *select[MAX_REDUCTIONS]; /* medians of everything: one iteration of a search */
    int         n;
    bool        files[STREAM_INPUTS];
    file_list   list;
    tess_device device;
} pass;

static tess_shape shape_of_value(const program *p, tess_shape domain)
{
    return TESS_SHAPE(p->per == PER_ALL ? 1 : domain.b, p->per == PER_IMAGE ? domain.d : 1, 1, 1);
}

/* ---- A slab ---- */

static void combine(running *to, reduction_kind kind, double value, double variance, double count)
{
    const double n = to->count + count, away = value - to->value;
    switch (kind) {
    case REDUCE_MIN:
        if (to->count == 0 || value < to->value || isnan(value)) to->value = isnan(to->value) ? to->value : value;
        break;
    case REDUCE_MAX:
        if (to->count == 0 || value > to->value || isnan(value)) to->value = isnan(to->value) ? to->value : value;
        break;
    case REDUCE_STD:
    case REDUCE_VAR:
        to->value += away * count / n;
        to->variance += variance * count + away * away * to->count * count / n;
        break;
    case REDUCE_NORM: to->value += value * value; break;
    case REDUCE_MEDIAN: to->value = value; break;
    default: to->value += value;
    }
    to->count = n;
}

/* Of each section of `values`, or of whole volumes where `axes` has D, into f64 arrays. */
static tess_status reduce_sections(reduction_kind kind, tess_array *value, tess_array *variance,
                                   const tess_array *values, int axes)
{
    switch (kind) {
    case REDUCE_MIN: return tess_min(value, values, axes, NULL);
    case REDUCE_MAX: return tess_max(value, values, axes, NULL);
    case REDUCE_STD:
    case REDUCE_VAR: return tess_mean_var(value, variance, values, axes, NULL);
    case REDUCE_NORM: return tess_norm(value, values, axes, NULL);
    case REDUCE_MEDIAN: return tess_median(value, values, axes, NULL);
    default: return tess_sum(value, values, axes, NULL);
    }
}

static tess_status add_sections(pass *p, int k, const tess_array *values, const slab *s)
{
    const program       *program_ = p->program;
    const reduction_kind kind = program_->reductions[p->which[k]].kind;
    const bool           volumes = kind == REDUCE_MEDIAN && program_->per == PER_VOLUME;
    const tess_shape     shape = TESS_SHAPE(values->shape.b, volumes ? 1 : values->shape.d, 1, 1);
    const int            axes = volumes ? TESS_D | TESS_H | TESS_W : TESS_H | TESS_W;
    tess_array           value = { 0 }, variance = { 0 };
    tess_status          status;
    TESS_GOTO(done, status, tess_empty(&value, shape, TESS_F64, values->device));
    TESS_GOTO(done, status, tess_zeros(&variance, shape, TESS_F64, values->device));
    TESS_GOTO(done, status, reduce_sections(kind, &value, &variance, values, axes));
    TESS_GOTO(done, status, move_array(&value, tess_cpu()));
    TESS_GOTO(done, status, move_array(&variance, tess_cpu()));
    for (int64_t i = 0; i < shape.b * shape.d; ++i) {
        const int64_t b = s->b + i / shape.d, z = s->z + i % shape.d;
        const int64_t at = program_->per == PER_ALL ? 0 : program_->per == PER_VOLUME ? b : b * p->domain.d + z;
        combine(&p->state[k][at], kind, ((const double *)value.data)[i], ((const double *)variance.data)[i],
                (double)(values->shape.h * values->shape.w));
    }
done:
    tess_release(&value);
    tess_release(&variance);
    return status;
}

static tess_status reduce_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    pass      *p = context;
    tess_array files[STREAM_INPUTS];
    file_list_sort(&p->list, files, in);
    for (int k = 0; k < p->n; ++k) {
        const formula    *f = &p->program->reductions[p->which[k]].of;
        const tess_shape  shape = TESS_SHAPE(s->nb, s->nz, p->domain.h, p->domain.w);
        tess_array        made = { 0 };
        const tess_array *values = f->plain >= 0 ? &files[f->plain] : &made;
        tess_status       status = TESS_OK;
        if (f->plain < 0 || p->select[k]) {
            values = &made;
            TESS_GOTO(next, status, tess_empty(&made, shape, f->dtype, p->device));
            TESS_GOTO(next, status, formula_run(p->program, f, &made, files, s));
            if (p->select[k]) TESS_GOTO(next, status, move_array(&made, tess_cpu())); /* the host counts */
        }
        TESS_GOTO(next, status, p->select[k] ? selection_add(p->select[k], values) : add_sections(p, k, values, s));
    next:
        tess_release(&made);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* ---- A pass ---- */

static tess_status stream_pass(job *j, pass *p)
{
    int64_t extra = 0;
    for (int k = 0; k < p->n; ++k) {
        const reduction *r = &p->program->reductions[p->which[k]];
        const int64_t    median = r->kind == REDUCE_MEDIAN ? 8 : 0; /* once more as f64, or to be sorted */
        const int64_t    bytes = ((int64_t)tess_dtype_size(r->of.dtype) + median) * p->domain.h * p->domain.w;
        if (bytes > extra) extra = bytes;
    }
    p->device = j->device;
    const slab_plan plan = { .domain = p->domain,
                             .device = j->device,
                             .inputs = p->list.inputs,
                             .in_dtypes = p->list.dtypes,
                             .n_inputs = p->list.n,
                             .whole = p->whole,
                             .extra = extra,
                             .unit = "images (reductions)" };
    return stream_slabs(j, &plan, NULL, reduce_slab, p);
}

static tess_status set_value(const pass *p, int k)
{
    reduction       *r = &p->program->reductions[p->which[k]];
    const tess_shape shape = shape_of_value(p->program, p->domain);
    TESS_TRY(tess_empty(&r->value, shape, TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < shape.b * shape.d; ++i) {
        const running *s = &p->state[k][i];
        ((double *)r->value.data)[i] = r->kind == REDUCE_MEAN   ? s->value / s->count
                                       : r->kind == REDUCE_VAR  ? s->variance / s->count
                                       : r->kind == REDUCE_STD  ? sqrt(s->variance / s->count)
                                       : r->kind == REDUCE_NORM ? sqrt(s->value)
                                                                : s->value;
    }
    return TESS_OK;
}

/* A median of everything is searched for iteratively, in one pass per iteration. */
static tess_status search_median(job *j, pass *p, int k)
{
    pass        one = { .program = p->program, .domain = p->domain, .list = p->list, .n = 1 };
    selection  *s = NULL;
    tess_status status;
    one.which[0] = p->which[k];
    TESS_TRY(selection_new(&s, p->domain.b * p->domain.d * p->domain.h * p->domain.w));
    one.select[0] = s;
    do TESS_GOTO(done, status, stream_pass(j, &one));
    while (selection_next(s));
    p->state[k][0] = (running){ selection_value(s), 0, 1 };
done:
    selection_free(s);
    return status;
}

static tess_status run_pass(job *j, pass *p)
{
    const tess_shape shape = shape_of_value(p->program, p->domain);
    pass             together = *p;
    together.n = 0;
    for (int k = 0; k < p->n; ++k) {
        const reduction_kind kind = p->program->reductions[p->which[k]].kind;
        p->state[k] = calloc((size_t)(shape.b * shape.d), sizeof(running));
        TESS_CHECK(p->state[k], TESS_ENOMEM, "calc: out of memory");
        if (kind == REDUCE_MEDIAN && p->program->per == PER_ALL) {
            TESS_TRY(search_median(j, p, k));
            continue;
        }
        together.whole = together.whole || (kind == REDUCE_MEDIAN && p->program->per == PER_VOLUME);
        together.which[together.n] = p->which[k];
        together.state[together.n++] = p->state[k];
    }
    if (together.n > 0) TESS_TRY(stream_pass(j, &together));
    for (int k = 0; k < p->n; ++k) TESS_TRY(set_value(p, k));
    return TESS_OK;
}

/* Reductions of this level and of the same domain as the first that is not done: false if there is none. */
static bool gather(pass *p, program *program_, int level)
{
    *p = (pass){ .program = program_, .level = level };
    for (int i = 0; i < program_->n_reductions; ++i) {
        const reduction *r = &program_->reductions[i];
        if (r->level != level || r->value.data) continue;
        if (p->n > 0 && memcmp(&p->domain, &r->of.domain, sizeof p->domain) != 0) continue;
        p->domain = r->of.domain;
        p->which[p->n++] = i;
        for (int k = 0; k < program_->n_bindings; ++k) p->files[k] = p->files[k] || r->of.files[k];
    }
    file_list_make(&p->list, program_, p->files);
    return p->n > 0;
}

tess_status reductions_run(job *j, program *p)
{
    int levels = 0;
    for (int i = 0; i < p->n_reductions; ++i)
        levels = p->reductions[i].level > levels ? p->reductions[i].level : levels;
    for (int level = 1; level <= levels; ++level) {
        for (int i = 0; i < p->n_reductions; ++i) {
            reduction *r = &p->reductions[i];
            if (r->level != level) continue;
            TESS_TRY(formula_make(p, &r->of));
            TESS_CHECK(tess_dtype_kind(r->of.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
                       "calc: complex numbers cannot be reduced; use real(..), imag(..) or abs(..)");
        }
        pass one;
        while (gather(&one, p, level)) {
            const tess_status status = run_pass(j, &one);
            for (int k = 0; k < one.n; ++k) free(one.state[k]);
            TESS_TRY(status);
        }
    }
    return TESS_OK;
}
