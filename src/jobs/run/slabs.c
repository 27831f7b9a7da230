/* The slab pipeline: slabs are read, worked on and written at the same time, on three threads with three sets of
 * buffers. */
#include "jobs/run/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/check/text.h"

/* `nb` volumes of nz sections at the beginning of a buffer of images, which is made if it was not. */
static tess_status part_of_buffer(tess_array *view, tess_array *buffer, int64_t max, tess_shape shape, int64_t nb,
                                  int64_t nz, tess_dtype dtype)
{
    if (!buffer->data) {
        TESS_TRY(tess_empty(buffer, TESS_SHAPE(max, 1, shape.h, shape.w), dtype, (tess_device){ 0 }));
    }
    TESS_CHECK(nb * nz <= buffer->shape.b, TESS_ERANGE,
               "slabs_run: plan->need asks for %lld sections, but earlier for at most %lld", (long long)(nb * nz),
               (long long)buffer->shape.b);
    *view = *buffer;
    view->shape = TESS_SHAPE(nb, nz, shape.h, shape.w);
    view->strides = tess_strides_contiguous(view->shape, 'C');
    return TESS_OK;
}

/* Sections from to from + n of volumes b to b + nb into `view`. */
static tess_status read_sections(const tess_source *in, tess_array *view, int64_t b, int64_t from, tess_dtype dtype)
{
    const int64_t depth = in->shape.d, nb = view->shape.b, n = view->shape.d;
    if (nb == 1 || n == depth) {
        tess_array images;
        if (nb * n == 0) return TESS_OK;
        TESS_TRY(tess_reshape(&images, view, TESS_SHAPE(nb * n, 1, view->shape.h, view->shape.w)));
        return tess_source_read(in, &images, b * depth + from, nb * n, dtype);
    }
    for (int64_t i = 0; i < nb && n > 0; ++i) {
        tess_array volume, images;
        TESS_TRY(tess_index(&volume, view, 0, i));
        TESS_TRY(tess_reshape(&images, &volume, TESS_SHAPE(n, 1, view->shape.h, view->shape.w)));
        TESS_TRY(tess_source_read(in, &images, (b + i) * depth + from, n, dtype));
    }
    return TESS_OK;
}

static tess_status read_slab(tess__pipeline *p, tess__slot *at)
{
    const tess_slab_plan *plan = p->plan;
    const tess_slab      *s = &at->slab;
    for (int i = 0; i < plan->n_sources; ++i) {
        const tess_source *in = plan->sources[i];
        const tess_shape   shape = in->shape;
        const tess_dtype   dtype = tess__slab_dtype(plan, i);
        if (p->keep[i]) {
            at->in[i] = p->kept[i];
            continue;
        }
        if (plan->images) {
            const int64_t n = s->nb * s->nz;
            TESS_TRY(part_of_buffer(&at->in[i], &at->in_buffer[i], p->max_b * p->max_z, tess__slab_shape_read(plan, i),
                                    n, 1, dtype));
            at->in[i].shape.w = shape.w;
            TESS_TRY(tess_source_read(in, &at->in[i], s->b * plan->domain.d + s->z, n, dtype));
            continue;
        }
        int64_t from, n;
        tess__slab_sections(plan, i, s->z, s->nz, &from, &n);
        TESS_CHECK(from >= 0 && n >= 0 && n <= shape.d && from <= shape.d - n, TESS_ERANGE,
                   "slabs_run: plan->need asks for sections %lld to %lld of %s, which has %lld", (long long)from,
                   (long long)(from + n - 1), in->name, (long long)shape.d);
        const int64_t b = shape.b == 1 ? 0 : s->b, nb = shape.b == 1 ? 1 : s->nb;
        const int64_t max = (shape.b == 1 ? 1 : p->max_b) * tess__slab_max_sections(plan, i, p->max_z);
        TESS_TRY(part_of_buffer(&at->in[i], &at->in_buffer[i], max, tess__slab_shape_read(plan, i), nb, n, dtype));
        at->in[i].shape.w = shape.w;
        TESS_TRY(read_sections(in, &at->in[i], b, from, dtype));
    }
    return TESS_OK;
}

/* What came of a step on another device, into the buffer of the slot if it has its type and shape. */
static tess_status fetch_output(tess__slot *at, const tess_array *there)
{
    if (there->dtype != at->out.dtype || !tess_same_shape(there, &at->out)) at->out = (tess_array){ 0 };
    return tess_to_device(&at->out, there, tess_cpu());
}

static bool is_input(const tess_array *array, const tess_array *in, int n)
{
    for (int i = 0; i < n; ++i)
        if (array->buffer == in[i].buffer) return true;
    return false;
}

/* The same on another device: what was read is copied there, and the result back. */
static tess_status step_elsewhere(tess__pipeline *p, tess__slot *at, const tess_slab *s)
{
    const tess_slab_plan *plan = p->plan;
    tess_array            in[TESS_SLAB_SOURCES] = { { .data = NULL } }, made = { 0 }, out;
    tess_status           status = TESS_OK;
    for (int i = 0; i < plan->n_sources; ++i)
        TESS_GOTO(done, status, tess_to_device(&in[i], &at->in[i], p->context->device));
    if (p->sink) TESS_GOTO(done, status, tess_empty(&made, at->out.shape, plan->out_dtype, p->context->device));
    out = made;
    status = tess__callback_failed(plan->name, "a step", p->step(p->user, p->sink ? &out : NULL, in, s));
    if (status == TESS_OK && p->sink) status = fetch_output(at, &out);
    if (out.buffer != made.buffer && !is_input(&out, in, plan->n_sources)) tess_release(&out);
done:
    tess_release(&made);
    for (int i = 0; i < plan->n_sources; ++i) tess_release(&in[i]);
    return status;
}

static tess_status work_on_slab(tess__pipeline *p, tess__slot *at)
{
    const tess_slab_plan *plan = p->plan;
    tess_slab             s = at->slab;
    if (plan->images) s = (tess_slab){ s.b * plan->domain.d + s.z, s.nb * s.nz, 0, 1 };
    if (plan->in_place) at->out = (tess_array){ 0 };
    else if (p->sink)
        TESS_TRY(part_of_buffer(&at->out, &at->out_buffer, p->max_b * p->max_z, plan->out_shape, s.nb, s.nz,
                                plan->out_dtype));
    if (p->context->device.kind != TESS_CPU) return step_elsewhere(p, at, &s);
    TESS_TRY(tess__callback_failed(plan->name, "a step", p->step(p->user, p->sink ? &at->out : NULL, at->in, &s)));
    TESS_CHECK(!p->sink || at->out.data || plan->out_shape.h * plan->out_shape.w == 0, TESS_EARG,
               "%s: a step produced no output", plan->name);
    return TESS_OK;
}

static bool is_own(const tess__slot *at, int n_inputs)
{
    for (int i = 0; i < n_inputs; ++i) {
        if (at->out.buffer == at->in[i].buffer) return false;
    }
    return at->out.buffer != at->out_buffer.buffer;
}

static tess_status write_slab(tess__pipeline *p, tess__slot *at)
{
    if (!p->sink) return TESS_OK;
    tess_array part = at->out;
    if (p->plan->images) {
        TESS_TRY(tess_reshape(&part, &part, TESS_SHAPE(at->slab.nb, at->slab.nz, part.shape.h, part.shape.w)));
    }
    const tess_status status = tess__callback_failed(p->plan->name, "its sink", p->sink->append(p->sink->user, &part));
    if (is_own(at, p->plan->n_sources)) tess_release(&at->out);
    return status;
}

/* ---- On three threads ---- */

/* With the lock held: until something changes, or it is time to ask the caller whether to cancel. The reader, which
 * looks too, then fails. */
static void wait_for_change(tess__pipeline *p)
{
    if (!tess__has_to_ask()) {
        pthread_cond_wait(&p->changed, &p->lock);
        return;
    }
    const struct timespec until = tess__ask_time();
    (void)pthread_cond_timedwait(&p->changed, &p->lock, &until);
    pthread_mutex_unlock(&p->lock);
    (void)tess__cancelled();
    pthread_mutex_lock(&p->lock);
}

static bool wait_for_state(tess__pipeline *p, tess__slot *at, tess__slot_state state)
{
    pthread_mutex_lock(&p->lock);
    while (at->state != state && !p->stop) wait_for_change(p);
    const bool go_on = !p->stop;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

static void set_state(tess__pipeline *p, tess__slot *at, tess__slot_state state)
{
    pthread_mutex_lock(&p->lock);
    at->state = state;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* What went wrong on a helping thread is kept for the main one, unless something did before it. */
static void stop_all(tess__pipeline *p, tess_status status, const char *message)
{
    pthread_mutex_lock(&p->lock);
    if (!p->stop && message) {
        p->status = status;
        snprintf(p->message, sizeof p->message, "%s", message);
    }
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void read_slabs(tess__pipeline *p)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        tess__slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, TESS__SLOT_FREE)) return;
        at->slab = tess__slab_at(p, i);
        tess_status status = read_slab(p, at);
        if (status == TESS_OK && tess__cancelled()) status = tess__fail_cancelled(p->plan->name);
        if (status != TESS_OK) {
            stop_all(p, status, tess_error_marked());
            return;
        }
        set_state(p, at, TESS__SLOT_READ);
    }
}

static void *read_all(void *pipeline)
{
    tess__pipeline *p = pipeline;
    tess__call     *before = tess__call_join(p->call);
    read_slabs(p);
    tess__call_quit(before);
    return NULL;
}

static void write_slabs(tess__pipeline *p)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        tess__slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, TESS__SLOT_WORKED)) return;
        const tess_status status = write_slab(p, at);
        if (status != TESS_OK) {
            stop_all(p, status, tess_error_marked());
            return;
        }
        set_state(p, at, TESS__SLOT_FREE);
    }
}

static void *write_all(void *pipeline)
{
    tess__pipeline *p = pipeline;
    tess__call     *before = tess__call_join(p->call);
    write_slabs(p);
    tess__call_quit(before);
    return NULL;
}

static tess_status work_on_all(tess__pipeline *p, tess__stage *stage)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        tess__slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, TESS__SLOT_READ)) return TESS_OK;
        const int64_t n = at->slab.nb * at->slab.nz; /* the slot may be read into again before it is reported */
        tess_status   status = work_on_slab(p, at);
        if (status == TESS_OK) {
            set_state(p, at, TESS__SLOT_WORKED);
            status = tess__stage_add(stage, n);
        }
        if (status != TESS_OK) {
            stop_all(p, status, NULL);
            return tess__trace(status, __FILE__, __LINE__, __func__, "work_on_slab(p, at)");
        }
    }
    return TESS_OK;
}

static tess_status run_on_threads(tess__pipeline *p, tess__stage *stage)
{
    pthread_t reader, writer;
    if (pthread_create(&reader, NULL, read_all, p))
        TESS_FAIL(TESS_ENOMEM, "%s: no thread could be started", p->plan->name);
    if (pthread_create(&writer, NULL, write_all, p)) {
        stop_all(p, TESS_OK, NULL);
        pthread_join(reader, NULL);
        TESS_FAIL(TESS_ENOMEM, "%s: no thread could be started", p->plan->name);
    }
    const tess_status status = work_on_all(p, stage);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    TESS_TRY(status);
    TESS_CHECK(p->status == TESS_OK, p->status, "%s", p->message);
    return TESS_OK;
}

static tess_status run_in_turn(tess__pipeline *p, tess__stage *stage)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        tess__slot *at = &p->slots[0];
        at->slab = tess__slab_at(p, i);
        TESS_TRY(read_slab(p, at));
        TESS_TRY(work_on_slab(p, at));
        TESS_TRY(write_slab(p, at));
        TESS_TRY(tess__stage_add(stage, at->slab.nb * at->slab.nz));
        if (tess__cancelled()) return tess__fail_cancelled(p->plan->name);
    }
    return TESS_OK;
}

static tess_status read_kept(tess__pipeline *p)
{
    for (int i = 0; i < p->plan->n_sources; ++i) {
        if (p->keep[i])
            TESS_TRY(tess_source_read(p->plan->sources[i], &p->kept[i], 0, 1, tess__slab_dtype(p->plan, i)));
    }
    return TESS_OK;
}

static void free_pipeline(tess__pipeline *p)
{
    for (int s = 0; s < TESS__SLOTS; ++s) {
        tess__slot *at = &p->slots[s];
        if (at->out.data && is_own(at, p->plan->n_sources)) tess_release(&at->out);
        for (int i = 0; i < TESS_SLAB_SOURCES; ++i) tess_release(&at->in_buffer[i]);
        tess_release(&at->out_buffer);
    }
    for (int i = 0; i < TESS_SLAB_SOURCES; ++i) tess_release(&p->kept[i]);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    tess__free(p);
}

/* Sources have the volumes and sections of the domain, or one that is the same for all. */
static tess_status check_source_of(const tess_slab_plan *plan, int i)
{
    const tess_shape d = plan->domain;
    char             name[32], found[TESS__SHAPE_TEXT], wanted[TESS__SHAPE_TEXT];
    (void)snprintf(name, sizeof name, "plan->sources[%d]", i);
    TESS_TRY(tess__check_source("slabs_run", name, plan->sources ? plan->sources[i] : NULL));
    const tess_shape s = plan->sources[i]->shape;
    const bool       is_deep = plan->need || plan->whole || s.d == 1 || s.d >= d.d;
    const bool       fits = plan->images ? s.b * s.d >= d.b * d.d : (s.b == 1 || s.b >= d.b) && is_deep;
    TESS_CHECK(fits, TESS_ESHAPE, "slabs_run: `%s` (%s) has the shape %s; it must fit the domain, %s", name,
               plan->sources[i]->name, tess__shape_text(found, s.dim), tess__shape_text(wanted, d.dim));
    return TESS_OK;
}

static bool is_zeroed(const uint32_t *words, size_t n)
{
    while (n > 0 && words[n - 1] == 0) n--;
    return n == 0;
}

static tess_status check_plan(const tess_slab_plan *plan, const tess_sink *sink, tess_slab_step step)
{
    TESS_CHECK(plan && plan->name, TESS_EARG, "slabs_run: `%s` is `NULL`", plan ? "plan->name" : "plan");
    TESS_CHECK(step, TESS_EARG, "slabs_run: `step` is `NULL`");
    TESS_CHECK(plan->unused == 0 && is_zeroed(plan->reserved, sizeof plan->reserved / sizeof *plan->reserved),
               TESS_EARG, "slabs_run: `plan->reserved` is not 0; zero the plan before setting fields");
    TESS_CHECK(!sink || sink->append, TESS_EARG,
               "slabs_run: `sink` is zeroed; one initialised by `tess_sink_array` or `tess_sink_writer` is expected");
    TESS_CHECK(!sink || is_zeroed(sink->reserved, sizeof sink->reserved / sizeof *sink->reserved), TESS_EARG,
               "slabs_run: `sink->reserved` is not 0; zero a sink before setting fields");
    TESS_CHECK(plan->n_sources >= 0 && plan->n_sources <= TESS_SLAB_SOURCES, TESS_ERANGE,
               "slabs_run: `plan->n_sources` is %d; 0 to %d are allowed", plan->n_sources, TESS_SLAB_SOURCES);
    TESS_CHECK(!plan->images || plan->n_sources <= 1, TESS_EARG,
               "slabs_run: `plan->images` is 1 and `plan->n_sources` is %d; one source is allowed", plan->n_sources);
    for (int k = 0; k < 4; k++)
        TESS_CHECK(plan->domain.dim[k] >= 0, TESS_ESHAPE,
                   "slabs_run: `plan->domain` has a size of %lld; it must not be "
                   "negative",
                   (long long)plan->domain.dim[k]);
    for (int i = 0; i < plan->n_sources; ++i) TESS_TRY(check_source_of(plan, i));
    return TESS_OK;
}

/* Of all sections of the domain. */
static tess_progress whole_stage(const tess_slab_plan *plan)
{
    return (tess_progress){ .stage = plan->stage,
                            .total = plan->domain.b * plan->domain.d,
                            .bytes_each = plan->n_sources
                                              ? tess__image_bytes(plan->sources[0]->shape, tess__slab_dtype(plan, 0))
                                              : 0 };
}

tess_status tess_slabs_run(const tess_slab_plan *plan, const tess_sink *sink, tess_slab_step step, void *user,
                           const tess_context *context)
{
    tess_context c;
    tess__stage  stage;
    tess_status  status;
    TESS__CALL_SCOPE();
    TESS_TRY(check_plan(plan, sink, step));
    TESS_TRY(tess__context(&c, plan->name, context));
    tess__pipeline *p = tess__alloc(sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "%s: out of memory", plan->name);
    memset(p, 0, sizeof *p);
    p->plan = plan, p->sink = sink, p->context = &c, p->step = step, p->user = user, p->call = tess__call_here();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    TESS_GOTO(done, status, tess__choose_slabs(p));
    TESS_GOTO(done, status, read_kept(p));
    TESS_GOTO(done, status, tess__stage_begin(&stage, plan->name, &c, whole_stage(plan)));
    TESS_GOTO(done, status, p->n_slots > 1 ? run_on_threads(p, &stage) : run_in_turn(p, &stage));
done:
    free_pipeline(p);
    return status;
}
