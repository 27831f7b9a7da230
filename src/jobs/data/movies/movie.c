/* Frames of movies: corrected, repaired and transformed one by one. */
#include "jobs/data/movies/movie.h"

#include <math.h>

#include "jobs/data/in_place.h"
#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/jobs/slabs.h"
#include "tessera/reduce.h"
#include "tessera/signal.h"

/* ---- Bad pixels ---- */

static tess_status read_mask(const tess__movie *m, const tess_source *defects, tess_array *image)
{
    const tess_shape got = defects->shape;
    tess_context     here = *m->context;
    here.device = tess_cpu();
    TESS_CHECK(got.b * got.d == 1 && got.h == m->shape.h && got.w == m->shape.w, TESS_ESHAPE,
               "%s: `opts->defects` has %lld images of %lld x %lld; one of %lld x %lld is needed", m->fn,
               (long long)(got.b * got.d), (long long)got.w, (long long)got.h, (long long)m->shape.w,
               (long long)m->shape.h);
    return tess_source_read_all(defects, image, TESS_F32, &here);
}

static tess_status read_defects(tess__movie *m, const tess_source *defects)
{
    tess_array  image = { 0 }, is_bad = { 0 };
    tess_status status = TESS_OK;
    TESS_TRY(tess_zeros(&m->bad, TESS_SHAPE(1, 1, m->shape.h, m->shape.w), TESS_U8, tess_cpu()));
    if (!defects) return TESS_OK;
    TESS_TRY(tess__check_source(m->fn, "opts->defects", defects));
    TESS_TRY(tess__need_real(m->fn, defects));
    TESS_GOTO(done, status, read_mask(m, defects, &image));
    TESS_GOTO(done, status, tess_not_equal(&is_bad, &image, &tess_f32(0)));
    TESS_GOTO(done, status, tess_cast(&m->bad, &is_bad, TESS_U8, NULL));
done:
    tess_release(&image);
    tess_release(&is_bad);
    return status;
}

/* Pixels of the corrected mean that are far from the median around them are bad, too. */
static tess_status find_hot(tess__movie *m)
{
    tess_array        corrected = { 0 }, good = { 0 }, differs = { 0 }, hot = { 0 };
    const tess_array *mean = m->camera.op ? &corrected : &m->sum;
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess_camera_correct(&m->camera, &corrected, &m->sum, 0, 0));
    TESS_GOTO(done, status, tess_remove_outliers(&good, mean, m->hot, NULL));
    TESS_GOTO(done, status, tess_not_equal(&differs, &good, mean));
    TESS_GOTO(done, status, tess_cast(&hot, &differs, TESS_U8, NULL));
    TESS_GOTO(done, status, tess_maximum(&hot, &m->bad, &hot));
    TESS_GOTO(done, status, tess_sub(&m->bad, &hot, &m->bad));
    TESS_GOTO(done, status, tess_to_device(&m->hot_pixels, &m->bad, tess_cpu()));
    TESS_GOTO(done, status, tess_copy(&m->bad, &hot));
done:
    tess_release(&corrected);
    tess_release(&good);
    tess_release(&differs);
    tess_release(&hot);
    return status;
}

static tess_status count_bad(tess__movie *m)
{
    double sum = 0;
    TESS_TRY(tess_host_sum(&sum, &m->bad));
    m->n_bad = (int64_t)sum;
    if (m->n_bad == 0) tess_release(&m->bad);
    return TESS_OK;
}

/* ---- Frames ---- */

/* Frames `first` to before `last` of the store, w pixels wide. */
static tess_status stored_frames(const tess__movie *m, tess_array *frames, int64_t first, int64_t last)
{
    const tess_region region = { .b = tess_from_to(first, last), .w = tess_from_to(0, m->shape.w) };
    return tess_subregion(frames, &m->store, region);
}

static tess_status keep_frames(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    (void)out;
    tess__movie *m = user;
    for (int64_t i = 0; i < in->shape.b; ++i) {
        tess_array one, to;
        TESS_TRY(tess_slice(&one, in, 0, i, i + 1, 1));
        if (m->sum.data) TESS_TRY(tess_add(&m->sum, &m->sum, &one));
        if (!m->store.data) continue;
        TESS_TRY(stored_frames(m, &to, s->b + i, s->b + i + 1));
        TESS_TRY(tess_copy(&to, &one));
    }
    return TESS_OK;
}

static tess_status read_frames(tess__movie *m, tess_slab_step step, void *user)
{
    const tess_dtype         dtype = TESS_F32;
    const tess_source *const sources[] = { m->source };
    const tess_slab_plan     plan = { .name = m->fn,
                                      .domain = m->shape,
                                      .sources = sources,
                                      .in_dtypes = &dtype,
                                      .n_sources = 1,
                                      .images = 1,
                                      .out_shape = m->shape,
                                      .out_dtype = m->source->dtype,
                                      .extra = 12 * m->shape.h * m->shape.w,
                                      .taken = m->store.data ? tess_n_bytes(&m->store) : 0,
                                      .stage = "images" };
    return tess_slabs_run(&plan, NULL, step, user, m->context);
}

/* Corrected and repaired where they are: frames, or one of them. */
static tess_status correct(const tess__movie *m, tess_array *frames)
{
    tess_array corrected = *frames;
    TESS_TRY(tess_camera_correct(&m->camera, &corrected, frames, 0, 0));
    return m->bad.data ? tess_repair_pixels(frames, frames, &m->bad) : TESS_OK;
}

/* ---- All of them ---- */

/* Dark images are those of single frames, and so hot pixels are looked for in the mean. */
static tess_status divide_sum(tess__movie *m)
{
    return tess_mul(&m->sum, &m->sum, &tess_f64(1.0 / (double)m->shape.b));
}

/* All frames that are kept. */
static tess_status correct_all(const tess__movie *m)
{
    tess_array frames;
    TESS_TRY(stored_frames(m, &frames, 0, m->shape.b));
    return correct(m, &frames);
}

tess_status tess__movie_open(tess__movie *m, const tess__movie_opts *o)
{
    const tess_device device = m->context->device;
    m->shape = m->source->shape;
    m->hot = o->hot;
    TESS_TRY(tess__camera_open(&m->camera, m->fn, m->source, &o->camera, m->context));
    TESS_TRY(read_defects(m, o->defects));
    TESS_TRY(tess__move(&m->bad, device));
    const tess_shape store = TESS_SHAPE(m->shape.b, 1, m->shape.h, 2 * (m->shape.w / 2 + 1));
    const double     frame = 4.0 * (double)store.h * (double)store.w;
    const bool       fits = frame * (double)store.b + 12 * frame + o->reserved < (double)m->context->memory;
    if (fits) TESS_TRY(tess_empty(&m->store, store, TESS_F32, device));
    if (m->hot > 0) TESS_TRY(tess_zeros(&m->sum, TESS_SHAPE(1, 1, m->shape.h, m->shape.w), TESS_F32, device));
    if (fits || m->hot > 0) TESS_TRY(read_frames(m, keep_frames, m));
    if (m->hot > 0) {
        TESS_TRY(divide_sum(m));
        TESS_TRY(find_hot(m));
        tess_release(&m->sum);
    }
    TESS_TRY(count_bad(m));
    return fits ? correct_all(m) : TESS_OK;
}

void tess__movie_close(tess__movie *m)
{
    tess_camera_release(&m->camera);
    tess_release(&m->bad);
    tess_release(&m->hot_pixels);
    tess_release(&m->sum);
    tess_release(&m->store);
}

typedef struct each {
    const tess__movie *movie;
    tess__movie_step   step;
    void              *user;
} each;

static tess_status each_read(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    (void)out;
    const each *e = user;
    tess_array  frames = *in, spectra = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, correct(e->movie, &frames));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, &frames, NULL));
    TESS_GOTO(done, status, e->step(e->user, &spectra, s->b));
done:
    tess_release(&spectra);
    return status;
}

/* Frames that are kept, in place. */
static tess_status transform(tess__movie *m)
{
    tess__stage stage;
    TESS_TRY(tess__stage_begin(&stage, m->fn, m->context, (tess_progress){ .stage = "spectra", .total = m->shape.b }));
    for (int64_t i = 0; i < m->shape.b; ++i) {
        tess_array frame;
        TESS_TRY(stored_frames(m, &frame, i, i + 1));
        tess_array spectrum = tess__half_spectrum_of(&frame);
        TESS_TRY(tess_fft_r2c(&spectrum, &frame, NULL));
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    m->is_transformed = true;
    return TESS_OK;
}

/* Frames that are kept. */
static tess_status each_kept(tess__movie *m, int64_t at_a_time, tess__movie_step step, void *user)
{
    const int64_t n = m->shape.b;
    tess__stage   stage;
    TESS_TRY(tess__stage_begin(&stage, m->fn, m->context, (tess_progress){ .stage = "frames", .total = n }));
    for (int64_t first = 0; first < n; first += at_a_time) {
        const int64_t last = first + at_a_time < n ? first + at_a_time : n;
        tess_array    frames;
        TESS_TRY(stored_frames(m, &frames, first, last));
        const tess_array spectra = tess__half_spectrum_of(&frames);
        TESS_TRY(step(user, &spectra, first));
        TESS_TRY(tess__stage_add(&stage, last - first));
    }
    return TESS_OK;
}

tess_status tess__movie_each(tess__movie *m, int64_t at_a_time, tess__movie_step step, void *user)
{
    each e = { .movie = m, .step = step, .user = user };
    if (!m->store.data) return read_frames(m, each_read, &e);
    if (!m->is_transformed) TESS_TRY(transform(m));
    return each_kept(m, at_a_time, step, user);
}
