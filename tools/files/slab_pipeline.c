/* Slabs of files: read, worked on and written at the same time, on three threads and with three sets of buffers. */
#include "files/slab_pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 3 };
/* Bytes of one set of buffers: what stays in a cache from one thread to the next, and still is a long read. TESS_SLAB
 * in the environment says otherwise, so that tests can have small slabs of small files. */
static int64_t slot_target(void)
{
    const char *text = getenv("TESS_SLAB");
    const long  bytes = text ? strtol(text, NULL, 10) : 0;
    return bytes > 0 ? bytes : 16 << 20;
}

typedef enum slot_state { SLOT_FREE, SLOT_READ, SLOT_WORKED } slot_state;

typedef struct slot {
    tess_array in_buffer[STREAM_INPUTS], out_buffer; /* made once, for the largest slab */
    tess_array in[STREAM_INPUTS], out;               /* of the slab that is in it */
    slab       slab;
    slot_state state;
} slot;

typedef struct pipeline {
    const slab_plan *plan;
    output          *out;
    slab_step        step;
    void            *context;
    int64_t          max_b, max_z;        /* volumes and sections of the largest slab */
    int64_t          n_slabs, per_volume; /* slabs in all, slabs of each volume (or group of volumes) */
    int              n_slots;
    bool             keep[STREAM_INPUTS]; /* this input is the same for all slabs: it was read once */
    tess_array       kept[STREAM_INPUTS];
    slot             slots[SLOTS];
    pthread_mutex_t  lock;
    pthread_cond_t   changed;
    bool             stop;
    tess_status      status; /* the first failure of a helping thread, and what it said */
    char             message[2048];
} pipeline;

int64_t images_at_a_time(const job *j, int64_t n_images, int64_t per_image)
{
    const int64_t fit = per_image > 0 ? j->memory / per_image : n_images;
    return fit < 1 ? 1 : fit > n_images ? n_images : fit;
}

/* ---- How large a slab may be ---- */

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

static tess_dtype dtype_of_input(const slab_plan *plan, int i)
{
    const tess_dtype asked = plan->in_dtypes ? plan->in_dtypes[i] : TESS_DTYPE_NONE;
    return asked != TESS_DTYPE_NONE ? asked : plan->inputs[i]->info.dtype;
}

static int64_t image_bytes(tess_shape shape, tess_dtype dtype)
{
    return shape.h * shape.w * (int64_t)tess_dtype_size(dtype);
}

/* The shape of an input with its rows as far apart as they are read. */
static tess_shape shape_read(const slab_plan *plan, int i)
{
    tess_shape shape = plan->inputs[i]->info.shape;
    if (plan->in_place && plan->row > shape.w) shape.w = plan->row;
    return shape;
}

/* Which sections of an input a slab takes. */
static void sections_needed(const slab_plan *plan, int i, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const int64_t depth = plan->inputs[i]->info.shape.d;
    *from = z, *n = nz;
    if (plan->need) plan->need(plan->context, z, nz, from, n);
    else if (plan->whole || depth == 1) *from = 0, *n = depth;
}

/* Sections of an input that nz sections of the domain may take, at most: `need` takes fewest at the ends. */
static int64_t max_sections(const slab_plan *plan, int i, int64_t nz)
{
    int64_t max = 1;
    for (int64_t z = 0; z < plan->domain.d; z += nz) {
        int64_t from, n;
        sections_needed(plan, i, z, min(nz, plan->domain.d - z), &from, &n);
        if (n > max) max = n;
    }
    return max;
}

/* Bytes of one set of buffers for each section of the domain. */
static int64_t slot_bytes(const pipeline *p)
{
    const slab_plan *plan = p->plan;
    int64_t          bytes = p->out && !plan->in_place ? image_bytes(plan->out_shape, plan->out_dtype) : 0;
    for (int i = 0; i < plan->n_inputs; ++i) {
        if (p->keep[i]) continue;
        const int64_t depth = plan->domain.d, image = image_bytes(shape_read(plan, i), dtype_of_input(plan, i));
        const int64_t n = plan->images ? 1 : plan->whole ? max_sections(plan, i, depth) : max_sections(plan, i, 1);
        bytes += plan->whole ? (image * n + depth - 1) / depth : image * n;
    }
    return bytes > 0 ? bytes : 1;
}

tess_status image_fits(const job *j, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(bytes <= j->memory, TESS_ENOMEM,
               "%s: an image of %lld x %lld, and what is made of it, takes %lld MiB; --mem allows %lld MiB",
               j->verb->name, (long long)shape.w, (long long)shape.h, (long long)(bytes >> 20) + 1,
               (long long)(j->memory >> 20));
    return TESS_OK;
}

int64_t bytes_to_pack(tess_shape shape, tess_dtype dtype)
{
    enum { BATCH = 1 << 20 }; /* elements of small images that are written together */
    const int64_t image = shape.h * shape.w, all = shape.b * shape.d * image, batch = image > BATCH ? image : BATCH;
    return (batch < all ? batch : all) * (int64_t)tess_dtype_size(dtype);
}

/* What the writer keeps. */
static int64_t writer_bytes(const pipeline *p)
{
    const slab_plan *plan = p->plan;
    const tess_dtype asked = p->out ? p->out->dtype : TESS_DTYPE_NONE, made = plan->out_dtype;
    const bool       converts = asked != TESS_DTYPE_NONE && asked != made;
    return p->out && (converts || plan->packs) ? bytes_to_pack(plan->out_shape, converts ? asked : made) : 0;
}

/* A quarter of the memory is kept back for what readers, writers and operations take for a moment. Nothing is no
 * slabs. */
static tess_status choose_slabs(pipeline *p, const job *j)
{
    const slab_plan *plan = p->plan;
    p->n_slots = 1;
    if (plan->domain.b == 0 || plan->domain.d == 0) return TESS_OK;
    const int64_t depth = plan->domain.d, sections = plan->domain.b * depth;
    const int64_t taken = plan->taken + (plan->whole || plan->images ? writer_bytes(p) : 0);
    int64_t       memory = j->memory - j->memory / 4 - taken;
    for (int i = 0; i < plan->n_inputs; ++i) {
        const tess_shape shape = plan->inputs[i]->info.shape;
        p->keep[i] = shape.b == 1 && shape.d == 1 && sections > 1 && !plan->need && !plan->images;
        if (p->keep[i]) memory -= image_bytes(shape, dtype_of_input(plan, i));
    }
    const int64_t each = slot_bytes(p), one = each + plan->extra, three = SLOTS * each + plan->extra;
    if (plan->whole && depth > 1) TESS_TRY(volume_fits(j, plan->inputs[0]->info.shape, one * depth + taken));
    else TESS_TRY(image_fits(j, plan->domain, one + taken));
    p->n_slots = memory / three >= (plan->whole ? depth : 1) ? SLOTS : 1;
    int64_t fit = min(memory / (p->n_slots > 1 ? three : one), slot_target() / each);
    if (fit < 1) fit = 1;
    p->max_z = plan->whole || fit >= depth ? depth : fit;
    p->max_b = p->max_z < depth ? 1 : min(fit < depth ? 1 : fit / depth, plan->domain.b);
    p->per_volume = (depth + p->max_z - 1) / p->max_z;
    p->n_slabs = (plan->domain.b + p->max_b - 1) / p->max_b * p->per_volume;
    if (p->n_slabs < SLOTS) p->n_slots = 1;
    return TESS_OK;
}

tess_status volume_fits(const job *j, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(bytes <= j->memory, TESS_ENOMEM,
               "%s: a volume of %lld x %lld x %lld has to be in memory as a whole, which takes %lld MiB; --mem allows "
               "%lld MiB",
               j->verb->name, (long long)shape.w, (long long)shape.h, (long long)shape.d, (long long)(bytes >> 20) + 1,
               (long long)(j->memory >> 20));
    return TESS_OK;
}

static slab slab_at(const pipeline *p, int64_t i)
{
    const tess_shape domain = p->plan->domain;
    slab             s = { i / p->per_volume * p->max_b, 0, i % p->per_volume * p->max_z, 0 };
    s.nb = min(p->max_b, domain.b - s.b);
    s.nz = min(p->max_z, domain.d - s.z);
    return s;
}

/* ---- The three stages ---- */

/* `nb` volumes of nz sections at the beginning of a buffer of images, which is made if it was not. */
static tess_status part_of_buffer(tess_array *view, tess_array *buffer, int64_t max, tess_shape shape, int64_t nb,
                                  int64_t nz, tess_dtype dtype)
{
    if (!buffer->data) {
        TESS_TRY(tess_empty(buffer, TESS_SHAPE(max, 1, shape.h, shape.w), dtype, (tess_device){ 0 }));
    }
    *view = *buffer;
    view->shape = TESS_SHAPE(nb, nz, shape.h, shape.w);
    view->strides = tess_strides_contiguous(view->shape, 'C');
    return TESS_OK;
}

/* Sections from to from + n of volumes b to b + nb into `view`. */
static tess_status read_sections(input *in, tess_array *view, int64_t b, int64_t from, tess_dtype dtype)
{
    const int64_t depth = in->info.shape.d, nb = view->shape.b, n = view->shape.d;
    if (nb == 1 || n == depth) {
        tess_array images;
        if (nb * n == 0) return TESS_OK;
        TESS_TRY(tess_reshape(&images, view, TESS_SHAPE(nb * n, 1, view->shape.h, view->shape.w)));
        return input_read(in, &images, b * depth + from, nb * n, dtype);
    }
    for (int64_t i = 0; i < nb && n > 0; ++i) {
        tess_array volume, images;
        TESS_TRY(tess_index(&volume, view, 0, i));
        TESS_TRY(tess_reshape(&images, &volume, TESS_SHAPE(n, 1, view->shape.h, view->shape.w)));
        TESS_TRY(input_read(in, &images, (b + i) * depth + from, n, dtype));
    }
    return TESS_OK;
}

static tess_status read_slab(pipeline *p, slot *at)
{
    const slab_plan *plan = p->plan;
    const slab      *s = &at->slab;
    for (int i = 0; i < plan->n_inputs; ++i) {
        input           *in = plan->inputs[i];
        const tess_shape shape = in->info.shape;
        const tess_dtype dtype = dtype_of_input(plan, i);
        if (p->keep[i]) {
            at->in[i] = p->kept[i];
            continue;
        }
        if (plan->images) {
            const int64_t n = s->nb * s->nz;
            TESS_TRY(part_of_buffer(&at->in[i], &at->in_buffer[i], p->max_b * p->max_z, shape, n, 1, dtype));
            TESS_TRY(input_read(in, &at->in[i], s->b * plan->domain.d + s->z, n, dtype));
            continue;
        }
        int64_t from, n;
        sections_needed(plan, i, s->z, s->nz, &from, &n);
        const int64_t b = shape.b == 1 ? 0 : s->b, nb = shape.b == 1 ? 1 : s->nb;
        const int64_t max = (shape.b == 1 ? 1 : p->max_b) * max_sections(plan, i, p->max_z);
        TESS_TRY(part_of_buffer(&at->in[i], &at->in_buffer[i], max, shape_read(plan, i), nb, n, dtype));
        at->in[i].shape.w = shape.w;
        TESS_TRY(read_sections(in, &at->in[i], b, from, dtype));
    }
    return TESS_OK;
}

/* What came of a step on another device, into the buffer of the slot if it has its type and shape. */
static tess_status fetch_output(slot *at, const tess_array *there)
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
static tess_status step_elsewhere(pipeline *p, slot *at, const slab *s)
{
    const slab_plan *plan = p->plan;
    tess_array       in[STREAM_INPUTS] = { { .data = NULL } }, made = { 0 }, out;
    tess_status      status = TESS_OK;
    for (int i = 0; i < plan->n_inputs; ++i) TESS_GOTO(done, status, tess_to_device(&in[i], &at->in[i], plan->device));
    if (p->out) TESS_GOTO(done, status, tess_empty(&made, at->out.shape, plan->out_dtype, plan->device));
    out = made;
    status = p->step(p->context, p->out ? &out : NULL, in, s);
    if (status == TESS_OK && p->out) status = fetch_output(at, &out);
    if (out.buffer != made.buffer && !is_input(&out, in, plan->n_inputs)) tess_release(&out);
done:
    tess_release(&made);
    for (int i = 0; i < plan->n_inputs; ++i) tess_release(&in[i]);
    return status;
}

static tess_status work_on_slab(pipeline *p, slot *at)
{
    const slab_plan *plan = p->plan;
    slab             s = at->slab;
    if (plan->images) s = (slab){ s.b * plan->domain.d + s.z, s.nb * s.nz, 0, 1 };
    if (plan->in_place) at->out = (tess_array){ 0 };
    else if (p->out)
        TESS_TRY(part_of_buffer(&at->out, &at->out_buffer, p->max_b * p->max_z, plan->out_shape, s.nb, s.nz,
                                plan->out_dtype));
    if (plan->device.kind != TESS_CPU) return step_elsewhere(p, at, &s);
    return p->step(p->context, p->out ? &at->out : NULL, at->in, &s);
}

static bool is_own(const slot *at, int n_inputs)
{
    for (int i = 0; i < n_inputs; ++i) {
        if (at->out.buffer == at->in[i].buffer) return false;
    }
    return at->out.buffer != at->out_buffer.buffer;
}

static tess_status write_slab(pipeline *p, slot *at)
{
    if (!p->out) return TESS_OK;
    tess_array part = at->out;
    if (p->plan->images) {
        TESS_TRY(tess_reshape(&part, &part, TESS_SHAPE(at->slab.nb, at->slab.nz, part.shape.h, part.shape.w)));
    }
    const tess_status status = output_append(p->out, &part);
    if (is_own(at, p->plan->n_inputs)) tess_release(&at->out);
    return status;
}

/* ---- On three threads ---- */

static bool wait_for_state(pipeline *p, slot *at, slot_state state)
{
    pthread_mutex_lock(&p->lock);
    while (at->state != state && !p->stop) pthread_cond_wait(&p->changed, &p->lock);
    const bool go_on = !p->stop;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

static void set_state(pipeline *p, slot *at, slot_state state)
{
    pthread_mutex_lock(&p->lock);
    at->state = state;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* What went wrong on a helping thread is kept for the main one, unless something did before it. */
static void stop_all(pipeline *p, tess_status status, const char *message)
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

static void *read_all(void *pipeline_)
{
    pipeline *p = pipeline_;
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, SLOT_FREE)) return NULL;
        at->slab = slab_at(p, i);
        const tess_status status = read_slab(p, at);
        if (status != TESS_OK) {
            stop_all(p, status, tess_error_message());
            return NULL;
        }
        set_state(p, at, SLOT_READ);
    }
    return NULL;
}

static void *write_all(void *pipeline_)
{
    pipeline *p = pipeline_;
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, SLOT_WORKED)) return NULL;
        const tess_status status = write_slab(p, at);
        if (status != TESS_OK) {
            stop_all(p, status, tess_error_message());
            return NULL;
        }
        set_state(p, at, SLOT_FREE);
    }
    return NULL;
}

static tess_status work_on_all(pipeline *p, progress *bar)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        slot *at = &p->slots[i % p->n_slots];
        if (!wait_for_state(p, at, SLOT_READ)) return TESS_OK;
        const int64_t     n = at->slab.nb * at->slab.nz;
        const tess_status status = work_on_slab(p, at);
        if (status != TESS_OK) {
            stop_all(p, status, NULL);
            return tess__trace(status, __FILE__, __LINE__, __func__, "work_on_slab(p, at)");
        }
        set_state(p, at, SLOT_WORKED);
        progress_add(bar, n);
    }
    return TESS_OK;
}

static tess_status run_on_threads(pipeline *p, progress *bar)
{
    pthread_t reader, writer;
    if (pthread_create(&reader, NULL, read_all, p)) TESS_FAIL(TESS_ENOMEM, "stream: no thread could be started");
    if (pthread_create(&writer, NULL, write_all, p)) {
        stop_all(p, TESS_OK, NULL);
        pthread_join(reader, NULL);
        TESS_FAIL(TESS_ENOMEM, "stream: no thread could be started");
    }
    const tess_status status = work_on_all(p, bar);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    TESS_TRY(status);
    TESS_CHECK(p->status == TESS_OK, p->status, "%s", p->message);
    return TESS_OK;
}

static tess_status run_in_turn(pipeline *p, progress *bar)
{
    for (int64_t i = 0; i < p->n_slabs; ++i) {
        slot *at = &p->slots[0];
        at->slab = slab_at(p, i);
        TESS_TRY(read_slab(p, at));
        TESS_TRY(work_on_slab(p, at));
        TESS_TRY(write_slab(p, at));
        progress_add(bar, at->slab.nb * at->slab.nz);
    }
    return TESS_OK;
}

static tess_status read_kept(pipeline *p)
{
    for (int i = 0; i < p->plan->n_inputs; ++i) {
        if (p->keep[i]) TESS_TRY(input_read(p->plan->inputs[i], &p->kept[i], 0, 1, dtype_of_input(p->plan, i)));
    }
    return TESS_OK;
}

static void free_pipeline(pipeline *p)
{
    for (int s = 0; s < SLOTS; ++s) {
        slot *at = &p->slots[s];
        if (at->out.data && is_own(at, p->plan->n_inputs)) tess_release(&at->out);
        for (int i = 0; i < STREAM_INPUTS; ++i) tess_release(&at->in_buffer[i]);
        tess_release(&at->out_buffer);
    }
    for (int i = 0; i < STREAM_INPUTS; ++i) tess_release(&p->kept[i]);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

tess_status stream_slabs(job *j, const slab_plan *plan, output *out, slab_step work, void *context)
{
    pipeline *p = calloc(1, sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "%s: out of memory", j->verb->name);
    *p = (pipeline){ .plan = plan, .out = out, .step = work, .context = context };
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    progress   *bar = NULL;
    tess_status status;
    TESS_GOTO(done, status, choose_slabs(p, j));
    TESS_GOTO(done, status, read_kept(p));
    TESS_GOTO(done, status,
              progress_start(&bar, j, plan->unit, plan->unit ? plan->domain.b * plan->domain.d : 0,
                             plan->n_inputs ? image_bytes(plan->inputs[0]->info.shape, dtype_of_input(plan, 0)) : 0));
    TESS_GOTO(done, status, p->n_slots > 1 ? run_on_threads(p, bar) : run_in_turn(p, bar));
done:
    progress_end(bar);
    free_pipeline(p);
    return status;
}

tess_status stream_slabs_to_file(job *j, const slab_plan *plan, const tess_meta *meta, slab_step work, void *context)
{
    output           out = { 0 };
    const tess_dtype dtype = plan->file_dtype != TESS_DTYPE_NONE ? plan->file_dtype : plan->out_dtype;
    bool             skip;
    TESS_TRY(output_planned(j, NULL, plan->out_shape, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_start(&out, j, NULL, plan->out_shape, dtype, meta));
    TESS_TRY(output_end(&out, j, stream_slabs(j, plan, &out, work, context)));
    return TESS_OK;
}

/* ---- By images, or by whole volumes ---- */

typedef struct by_image {
    step  step;
    void *context;
} by_image;

static tess_status step_by_image(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    const by_image *b = context;
    if (!b->step) *out = in[0];
    return b->step ? b->step(b->context, out, in, s->b) : TESS_OK;
}

tess_status stream_run(job *j, input *in, const stream_plan *plan, step work, void *context)
{
    input *const     inputs[] = { in };
    const slab_plan  slabs = { .domain = plan->out_shape,
                               .device = j->device,
                               .inputs = inputs,
                               .n_inputs = 1,
                               .in_dtypes = &plan->in_dtype,
                               .whole = plan->volumes,
                               .images = !plan->volumes,
                               .out_shape = plan->out_shape,
                               .out_dtype = plan->out_dtype,
                               .file_dtype = plan->file_dtype,
                               .in_place = plan->in_place,
                               .row = plan->row,
                               .packs = plan->packs,
                               .extra = plan->volumes ? plan->extra / plan->out_shape.d : plan->extra,
                               .taken = plan->taken,
                               .unit = plan->volumes ? "sections" : "images" };
    const tess_shape shape = in->info.shape;
    TESS_CHECK(shape.b * shape.d == plan->out_shape.b * plan->out_shape.d || plan->volumes, TESS_ESHAPE,
               "%s: %lld images in, %lld out", j->verb->name, (long long)(shape.b * shape.d),
               (long long)(plan->out_shape.b * plan->out_shape.d));
    by_image by = { work, context };
    return stream_slabs_to_file(j, &slabs, &plan->meta, step_by_image, &by);
}
