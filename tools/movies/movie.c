/* Frames of movies: corrected, repaired and transformed one by one. */
#include "movies/movie.h"

#include <math.h>
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "measure/columns.h"
#include "measure/geometry.h"

/* ---- Bad pixels ---- */

static tess_status mark_box(const movie *m, const char *name, tess_array *bad, const double box[4])
{
    const tess_shape s = m->shape;
    const bool good = box[0] >= 0 && box[1] >= 0 && box[2] >= 1 && box[3] >= 1 && box[0] + box[2] <= (double)s.w &&
                      box[1] + box[3] <= (double)s.h;
    tess_array part;
    TESS_CHECK(good, TESS_EFORMAT, "motion: %s has a box of %g x %g pixels at %g, %g; it must lie in %lld x %lld", name,
               box[2], box[3], box[0], box[1], (long long)s.w, (long long)s.h);
    const int64_t     x = (int64_t)box[0], y = (int64_t)box[1];
    const tess_region region = { .h = tess_from_to(y, y + (int64_t)box[3]), .w = tess_from_to(x, x + (int64_t)box[2]) };
    TESS_TRY(tess_subregion(&part, bad, region));
    return tess_fill(&part, 1);
}

static tess_status check_boxes(const columns *c, const char *name)
{
    TESS_CHECK(c->n == 4 && c->n_words == 0, TESS_EFORMAT,
               "motion: %s has %d columns; numbers x y width height are needed", name, c->n);
    return TESS_OK;
}

static tess_status read_boxes(const movie *m, const char *name, tess_array *bad)
{
    columns     c = { 0 };
    tess_status status;
    TESS_TRY(columns_read(&c, name));
    status = check_boxes(&c, name);
    for (int64_t i = 0; i < c.n_rows && status == TESS_OK; ++i) {
        const double box[4] = { c.values[0][i], c.values[1][i], c.values[2][i], c.values[3][i] };
        status = mark_box(m, name, bad, box);
    }
    columns_free(&c);
    return status;
}

static tess_status read_image(const movie *m, input *in, tess_array *image)
{
    const tess_shape got = in->info.shape;
    TESS_CHECK(got.b * got.d == 1 && got.h == m->shape.h && got.w == m->shape.w, TESS_ESHAPE,
               "motion: --defects has %lld images of %lld x %lld; one of %lld x %lld is needed",
               (long long)(got.b * got.d), (long long)got.w, (long long)got.h, (long long)m->shape.w,
               (long long)m->shape.h);
    return input_read_all(in, m->job, image, TESS_F32);
}

static tess_status read_mask(const movie *m, const char *name, tess_array *bad)
{
    input       in = { 0 };
    tess_array  image = { 0 }, is_bad = { 0 };
    tess_status status;
    TESS_TRY(input_open_beside(&in, m->job, name, NEED_IMAGES, false));
    status = read_image(m, &in, &image);
    input_close(&in);
    TESS_TRY(status);
    TESS_GOTO(done, status, tess_not_equal(&is_bad, &image, &tess_f32(0)));
    TESS_GOTO(done, status, tess_cast(bad, &is_bad, TESS_U8, NULL));
done:
    tess_release(&image);
    tess_release(&is_bad);
    return status;
}

static bool is_text(const char *name)
{
    const char *const endings[] = { ".txt", ".tsv", ".csv" };
    const size_t      n = strlen(name);
    for (int k = 0; k < 3; ++k)
        if (n > 4 && strcmp(name + n - 4, endings[k]) == 0) return true;
    return false;
}

static tess_status read_defects(movie *m)
{
    const char *name = job_text(m->job, "defects", "");
    TESS_TRY(tess_zeros(&m->bad, TESS_SHAPE(1, 1, m->shape.h, m->shape.w), TESS_U8, tess_cpu()));
    if (!job_has(m->job, "defects")) return TESS_OK;
    return is_text(name) ? read_boxes(m, name, &m->bad) : read_mask(m, name, &m->bad);
}

/* Pixels of the corrected sum that are far from the median around them are bad, too. */
static tess_status find_hot(movie *m)
{
    tess_array        corrected = { 0 }, good = { 0 }, differs = { 0 }, hot = { 0 };
    const tess_array *sum = &m->sum;
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, correction_apply(&m->correction, &corrected, &sum, 0, 0));
    TESS_GOTO(done, status, tess_remove_outliers(&good, sum, m->hot, NULL));
    TESS_GOTO(done, status, tess_not_equal(&differs, &good, sum));
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

static tess_status count_bad(movie *m)
{
    double sum = 0;
    TESS_TRY(tess_host_sum(&sum, &m->bad));
    m->n_bad = (int64_t)sum;
    if (m->n_bad == 0) tess_release(&m->bad);
    else job_detail(m->job, "%s: %lld bad pixels", m->in->name, (long long)m->n_bad);
    return TESS_OK;
}

/* ---- Frames ---- */

/* Frame i of the store, w pixels wide. */
static tess_status stored_frame(const movie *m, tess_array *frame, int64_t i)
{
    const tess_region region = { .b = tess_only(i), .w = tess_from_to(0, m->shape.w) };
    return tess_subregion(frame, &m->store, region);
}

static tess_status keep_frames(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    movie *m = context;
    for (int64_t i = 0; i < in->shape.b; ++i) {
        tess_array one, to;
        TESS_TRY(tess_slice(&one, in, 0, i, i + 1, 1));
        if (m->sum.data) TESS_TRY(tess_add(&m->sum, &m->sum, &one));
        if (!m->store.data) continue;
        TESS_TRY(stored_frame(m, &to, s->b + i));
        TESS_TRY(tess_copy(&to, &one));
    }
    return TESS_OK;
}

static tess_status read_frames(movie *m, slab_step work, void *context)
{
    const tess_dtype dtype = TESS_F32;
    input *const     inputs[] = { m->in };
    slab_plan        plan = plan_of_sections(inputs, m->in->info.shape);
    plan.device = m->job->device;
    plan.in_dtypes = &dtype;
    plan.images = true;
    plan.extra = 12 * m->shape.h * m->shape.w;
    plan.taken = m->store.data ? tess_n_bytes(&m->store) : 0;
    return stream_slabs(m->job, &plan, NULL, work, context);
}

/* Corrected and repaired where they are: frames, or one of them. */
static tess_status correct(const movie *m, tess_array *frames)
{
    tess_array        corrected = *frames;
    const tess_array *from = frames;
    TESS_TRY(correction_apply(&m->correction, &corrected, &from, 0, 0));
    return m->bad.data ? tess_repair_pixels(frames, frames, &m->bad) : TESS_OK;
}

/* ---- All of them ---- */

static tess_status read_corrections(movie *m)
{
    const tess_device device = m->job->device;
    TESS_TRY(correction_open(&m->correction, m->job, m->in));
    TESS_TRY(move_array(&m->correction.dark, device));
    TESS_TRY(move_array(&m->correction.gain, device));
    TESS_TRY(read_defects(m));
    return move_array(&m->bad, device);
}

/* Means of dark images are those of single frames: of a sum they count as often as there are frames. */
static tess_status divide_sum(movie *m) { return tess_mul(&m->sum, &m->sum, &tess_f64(1.0 / (double)m->shape.b)); }

/* All frames that are kept. */
static tess_status correct_all(const movie *m)
{
    tess_array frames;
    TESS_TRY(tess_subregion(&frames, &m->store, (tess_region){ .w = tess_from_to(0, m->shape.w) }));
    return correct(m, &frames);
}

tess_status movie_open(movie *m, job *j, input *in, double reserved)
{
    const tess_device device = j->device;
    m->job = j;
    m->in = in;
    m->shape = in->info.shape;
    m->hot = job_number(j, "hot", 6);
    TESS_CHECK(m->hot >= 0 && isfinite(m->hot), TESS_EARG, "motion: --hot is %s; 0 or more is allowed",
               job_text(j, "hot", ""));
    TESS_TRY(read_corrections(m));
    const tess_shape store = TESS_SHAPE(m->shape.b, 1, m->shape.h, 2 * (m->shape.w / 2 + 1));
    const double     frame = 4.0 * (double)store.h * (double)store.w;
    const bool       fits = frame * (double)store.b + 12 * frame + reserved < (double)j->memory;
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

void movie_free(movie *m)
{
    correction_free(&m->correction);
    tess_release(&m->bad);
    tess_release(&m->hot_pixels);
    tess_release(&m->sum);
    tess_release(&m->store);
}

typedef struct each {
    const movie *movie;
    movie_step   step;
    void        *context;
} each;

static tess_status each_read(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    const each *e = context;
    tess_array  frames = *in, spectra = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, correct(e->movie, &frames));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, &frames, NULL));
    TESS_GOTO(done, status, e->step(e->context, &spectra, s->b));
done:
    tess_release(&spectra);
    return status;
}

/* Frames that are kept, in place. */
static tess_status transform(movie *m)
{
    for (int64_t i = 0; i < m->shape.b; ++i) {
        tess_array frame;
        TESS_TRY(stored_frame(m, &frame, i));
        tess_array spectrum = half_spectrum_of(&frame);
        TESS_TRY(tess_fft_r2c(&spectrum, &frame, NULL));
    }
    m->transformed = true;
    return TESS_OK;
}

tess_status movie_each(movie *m, movie_step work, void *context)
{
    const each e = { .movie = m, .step = work, .context = context };
    tess_array frames;
    if (!m->store.data) return read_frames(m, each_read, (void *)(uintptr_t)&e);
    if (!m->transformed) TESS_TRY(transform(m));
    TESS_TRY(tess_subregion(&frames, &m->store, (tess_region){ .w = tess_from_to(0, m->shape.w) }));
    const tess_array spectra = half_spectrum_of(&frames);
    return work(context, &spectra, 0);
}
