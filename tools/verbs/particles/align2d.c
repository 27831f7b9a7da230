/* tessera align2d: align the images of one class, and average them. */
#include "files/one_input.h"
#include "files/star_file.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("aligned", "OUT", OPTION_FILE, "write the aligned images to this file", .writes = true),
    VALUE("star", "OUT", OPTION_FILE, "write angles and shifts here: rlnAnglePsi, rlnOriginXAngst, rlnOriginYAngst",
          .writes = true, .is_particles = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera align2d --step 20 --iterations 2 stack.mrcs -o average.mrc",
    "tessera align2d --step 20 --iterations 2 particles.star -o class.mrc --aligned aligned.mrcs --star aligned.star",
    NULL,
};

/* ---- The aligned images ---- */

typedef struct stack {
    job   *job;
    input *in;
    output out;
} stack;

static tess_status begin_stack(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    stack          *s = user;
    const tess_meta made = meta_of(s->in);
    (void)meta;
    return output_start(&s->out, s->job, job_text(s->job, "aligned", NULL), shape, dtype, &made);
}

static tess_status append_to_stack(void *user, const tess_array *image)
{
    return output_append(&((stack *)user)->out, image);
}

/* ---- The list ---- */

/* The rows of a list, or new ones that name the images of a stack. */
static tess_status prepare_rows(tess_star **star, tess_star_table **rows, const input *in, int64_t n)
{
    const char *label = NULL;
    if (in->listed) {
        TESS_TRY(tess_star_read_relion(star, in->name));
        TESS_TRY(tess_star_find_images(rows, &label, *star, in->name));
        return in->chosen ? tess_star_select(*rows, in->chosen, in->n_chosen) : TESS_OK;
    }
    TESS_TRY(tess_star_new(star));
    TESS_TRY(tess_star_add(rows, *star, "particles", false));
    TESS_TRY(tess_star_add_column(*rows, "rlnImageName", ""));
    TESS_TRY(tess_star_add_rows(*rows, n));
    for (int64_t i = 0; i < n; i++)
        TESS_TRY(tess_star_set_image(*rows, i, "rlnImageName", (in->chosen ? in->chosen[i] : i) + 1, in->name));
    return TESS_OK;
}

static tess_status set_places(tess_star_table *rows, const tess_array *places, double pixel_size)
{
    for (int64_t i = 0; i < places->shape.h; i++) {
        const double *p = (const double *)places->data + TESS_PLACE_COLUMNS * i;
        TESS_TRY(tess_star_set_f64(rows, i, "rlnAnglePsi", p[TESS_PLACE_ANGLE] * 180 / TESS_PI));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnOriginXAngst", p[TESS_PLACE_X] * pixel_size));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnOriginYAngst", p[TESS_PLACE_Y] * pixel_size));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnParticleFigureOfMerit", p[TESS_PLACE_SCORE]));
    }
    return TESS_OK;
}

static tess_status write_star(job *j, const input *in, const tess_array *places)
{
    tess_star       *star = NULL;
    tess_star_table *rows = NULL;
    tess_status      status;
    TESS_GOTO(done, status, prepare_rows(&star, &rows, in, places->shape.h));
    TESS_GOTO(done, status, set_places(rows, places, in->info.meta.pixel_size[2]));
    TESS_GOTO(done, status, star_file_write(job_text(j, "star", ""), star, j));
done:
    tess_star_free(star);
    return status;
}

/* ---- The verb ---- */

static tess_status align(job *j, job_call *call)
{
    input          *in = &call->in[0];
    stack           s = { .job = j, .in = in };
    const tess_sink sink = { .begin = begin_stack, .append = append_to_stack, .user = &s };
    if (!job_has(j, "aligned")) return job_call_run(call);
    ((tess_align2d_opts *)call->opts)->sink = &sink;
    return output_end(&s.out, j, job_call_run(call));
}

static tess_status work(job *j, job_call *call)
{
    const input               *in = &call->in[0];
    const tess_align2d_result *r = call->result;
    tess_meta                  meta = meta_of(in);
    bool                       skip;
    TESS_CHECK(!job_has(j, "star") || meta.pixel_size[2] > 0, TESS_EARG,
               "align2d: the pixel size of %s is unknown, and --star requires it; give --apix", in->name);
    TESS_TRY(output_planned(j, NULL, TESS_SHAPE(1, 1, in->info.shape.h, in->info.shape.w), TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(align(j, call));
    for (int64_t i = 0; i < r->changes.shape.h; i++)
        job_detail(j, "iteration %lld: largest change %.3g (in angular steps or tenths of a pixel)", (long long)i + 1,
                   ((const double *)r->changes.data)[i]);
    meta.extended = NULL, meta.extended_size = 0, meta.extended_type[0] = 0; /* it describes single images */
    TESS_TRY(output_write(j, NULL, &r->average, &meta));
    return job_has(j, "star") ? write_star(j, in, &r->places) : TESS_OK;
}

static tess_status run(job *j)
{
    job_call call;
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = work(j, &call);
    job_call_close(&call);
    return status;
}

const verb verb_align2d = {
    .name = "align2d",
    .job = "align2d",
    .beside = "reference",
    .subject = "particles",
    .summary = "align images of one class in-plane and average them",
    .arguments = "INPUT... -o OUT",
    .text = "The reference, under a circular mask, is rotated in steps. Each image takes the rotation and shift of "
            "the highest correlation, refined to fractions of a step and of a pixel by parabolas. The average of the "
            "aligned images is the reference of the next iteration. Iterations end when angles change by less than "
            "half a step and shifts by less than 0.05 pixels. Without --reference, the first iteration aligns each "
            "image with the average of those before it.\n\n"
            "To align an image with the average, shift it by rlnOriginXAngst, rlnOriginYAngst, then rotate it by "
            "rlnAnglePsi, as in RELION. All images are treated as views of one class: there is no classification.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
