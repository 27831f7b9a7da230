/* tessera align2d: images of one class brought onto each other, and their average. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/listing.h"
#include "files/on_device.h"
#include "files/one_input.h"
#include "files/star_file.h"
#include "files/target.h"
#include "measure/pixel_sizes.h"
#include "particles/alignment.h"

static const option options[] = {
    { .name = "step", .value = "A", .type = OPTION_ANGLE, .help = "by which the reference is turned, degrees [5]" },
    { .name = "max-shift", .value = "R", .type = OPTION_LENGTH, .help = "longest shift [an eighth of the box]" },
    { .name = "mask-radius",
      .value = "R",
      .type = OPTION_LENGTH,
      .help = "of the disc of the reference that counts [half of the box, less 6 pixels]" },
    { .name = "rounds", .value = "N", .type = OPTION_INTEGER, .help = "maximum number of iterations [8]" },
    { .name = "reference",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "begin with this image [the average of the images aligned so far]" },
    { .name = "aligned", .writes = true, .value = "OUT", .type = OPTION_FILE, .help = "write the aligned images here" },
    { .name = "star",
      .writes = true,
      .is_particles = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write angles and shifts here: rlnAnglePsi, rlnOriginXAngst, rlnOriginYAngst" },
    { 0 },
};
static const char *const examples[] = {
    "tessera align2d --step 20 --rounds 2 stack.mrcs -o average.mrc",
    "tessera align2d --step 20 --rounds 2 particles.star -o class.mrc --aligned aligned.mrcs --star aligned.star",
    NULL,
};

typedef struct alignment {
    aligner    aligner;
    placement *places; /* of each image */
    int64_t    n, n_rounds;
    double     turn;  /* between rotations, radians */
    double     moved; /* in the last round: the largest change, in steps or tenths of a pixel */
    tess_array sum;   /* f64 {1,1,h,w} of the aligned images */
    output     stack; /* --aligned */
} alignment;

/* ---- Options ---- */

static tess_status read_options(const job *j, const input *in, alignment *a, double *max_shift, double *radius)
{
    const double size = in->info.meta.pixel_size[2], n = (double)in->info.shape.w;
    a->turn = 5 * 3.141592653589793 / 180;
    *max_shift = n / 8;
    *radius = n / 2 - 6;
    a->n_rounds = job_integer(j, "rounds", 8);
    TESS_TRY(job_angle(j, "step", &a->turn));
    TESS_TRY(job_length(j, "max-shift", size, max_shift));
    TESS_TRY(job_length(j, "mask-radius", size, radius));
    TESS_CHECK(a->turn > 1e-3 && a->turn < 6.3, TESS_EARG, "align2d: --step is %g degrees; 0.1 to 360 is allowed",
               a->turn * 180 / 3.141592653589793);
    TESS_CHECK(*max_shift >= 0 && *max_shift <= n / 2, TESS_EARG,
               "align2d: --max-shift is %g pixels; 0 to half of the box, %g, is allowed", *max_shift, n / 2);
    TESS_CHECK(*radius > 0 && *radius <= n / 2, TESS_EARG,
               "align2d: --mask-radius is %g pixels; above 0, and at most half of the box, %g, is needed", *radius,
               n / 2);
    TESS_CHECK(a->n_rounds >= 1 && a->n_rounds <= 1000, TESS_EARG, "align2d: --rounds is %lld; 1 to 1000 is allowed",
               (long long)a->n_rounds);
    TESS_CHECK(!job_has(j, "star") || size > 0, TESS_EARG,
               "align2d: the pixel size of %s is not known; --star needs it: give it with --apix", in->name);
    return TESS_OK;
}

static tess_status check_input(const job *j, const input *in)
{
    const tess_shape s = in->info.shape;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(s.h == s.w && s.w >= 16, TESS_ESHAPE,
               "align2d: %s has images of %lld x %lld; square ones of 16 or more pixels are needed", in->name,
               (long long)s.w, (long long)s.h);
    return TESS_OK;
}

static tess_status read_reference(job *j, const input *in, const char *name, tess_array *reference)
{
    input            other = { 0 };
    const tess_shape s = in->info.shape;
    TESS_TRY(input_open_beside(&other, j, name, NEED_IMAGES, false));
    const tess_shape t = other.info.shape;
    const bool       fits = t.b * t.d == 1 && t.h == s.h && t.w == s.w;
    warn_of_pixel_sizes(j, in, &other);
    tess_status status = fits ? input_read(&other, reference, 0, 1, TESS_F32) : TESS_OK;
    input_close(&other);
    TESS_TRY(status);
    TESS_CHECK(fits, TESS_ESHAPE,
               "align2d: --reference %s has %lld images of %lld x %lld; one of %lld x %lld is needed", name,
               (long long)(t.b * t.d), (long long)t.w, (long long)t.h, (long long)s.w, (long long)s.h);
    return move_array(reference, j->device);
}

/* ---- Rounds ---- */

/* The average of n images so far is the reference from here on. */
static tess_status take_average(alignment *a, int64_t n)
{
    tess_array        mean = { 0 };
    const tess_status status = tess_div(&mean, &a->sum, &tess_num((double)n));
    const tess_status next = status == TESS_OK ? aligner_reference(&a->aligner, &mean) : status;
    tess_release(&mean);
    return next;
}

static void note_change(alignment *a, int64_t i, const placement *now)
{
    const placement was = a->places[i];
    const double    turned = fabs(remainder(now->angle - was.angle, 6.283185307179586)) / a->turn;
    a->moved = fmax(a->moved, fmax(turned, 10 * hypot(now->x - was.x, now->y - was.y)));
    a->places[i] = *now;
}

/* The first image of a start without a reference is where it is; after it, the average so far is the reference: each
 * time for the first images, and then now and then. */
static tess_status align_one(alignment *a, const tess_array *image, int64_t i, bool grows)
{
    placement   p = { 0 };
    tess_array  moved = { 0 };
    tess_status status = TESS_OK;
    const bool  is_due = i < 64 || i % 32 == 0;
    if (grows && i > 0 && is_due) TESS_GOTO(done, status, take_average(a, i));
    if (!grows || i > 0) TESS_GOTO(done, status, aligner_place(&p, &a->aligner, image));
    TESS_GOTO(done, status, aligner_move(&moved, &a->aligner, image, &p));
    TESS_GOTO(done, status, tess_add(&a->sum, &a->sum, &moved));
    note_change(a, i, &p);
done:
    tess_release(&moved);
    return status;
}

static tess_status check_numbers(const tess_array *image, const input *in, int64_t i)
{
    double sum;
    TESS_TRY(tess_host_sum(&sum, image));
    TESS_CHECK(isfinite(sum), TESS_EARG, "align2d: image %lld of %s has NaN or infinite pixels", (long long)i,
               in->name);
    return TESS_OK;
}

static tess_status do_round(job *j, input *in, alignment *a, bool grows)
{
    progress   *bar = NULL;
    tess_status status;
    a->moved = 0;
    TESS_TRY(tess_fill(&a->sum, 0));
    TESS_TRY(progress_start(&bar, j, "images", a->n, 4 * a->aligner.shape.h * a->aligner.shape.w));
    for (int64_t i = 0; i < a->n; i++) {
        tess_array image = { 0 };
        status = input_read(in, &image, i, 1, TESS_F32);
        if (status == TESS_OK && grows) status = check_numbers(&image, in, i);
        if (status == TESS_OK) status = move_array(&image, j->device);
        if (status == TESS_OK) status = align_one(a, &image, i, grows);
        tess_release(&image);
        if (status != TESS_OK) break;
        progress_add(bar, 1);
    }
    progress_end(bar);
    return status;
}

/* Until the places change no more. */
static tess_status do_rounds(job *j, input *in, alignment *a, const tess_array *reference)
{
    if (reference->data) TESS_TRY(aligner_reference(&a->aligner, reference));
    for (int64_t round = 0; round < a->n_rounds; round++) {
        if (round > 0) TESS_TRY(take_average(a, a->n));
        TESS_TRY(do_round(j, in, a, round == 0 && !reference->data));
        job_detail(j, "round %lld: places change by %.3g steps or tenths of a pixel at most", (long long)round + 1,
                   a->moved);
        if (round > 0 && a->moved < 0.5) break;
    }
    return TESS_OK;
}

/* ---- Results ---- */

static tess_status write_aligned(job *j, input *in, alignment *a)
{
    const tess_meta meta = meta_of(in);
    tess_status     status = TESS_OK;
    const char     *name = job_text(j, "aligned", NULL);
    TESS_TRY(
        output_start(&a->stack, j, name, TESS_SHAPE(a->n, 1, a->aligner.shape.h, a->aligner.shape.w), TESS_F32, &meta));
    for (int64_t i = 0; i < a->n && status == TESS_OK; i++) {
        tess_array image = { 0 }, moved = { 0 };
        status = input_read(in, &image, i, 1, TESS_F32);
        if (status == TESS_OK) status = move_array(&image, j->device);
        if (status == TESS_OK) status = aligner_move(&moved, &a->aligner, &image, &a->places[i]);
        if (status == TESS_OK) status = move_array(&moved, tess_cpu());
        if (status == TESS_OK) status = output_append(&a->stack, &moved);
        tess_release(&image);
        tess_release(&moved);
    }
    return output_end(&a->stack, j, status);
}

static tess_status write_average(job *j, const input *in, alignment *a)
{
    tess_array  mean = { 0 }, small = { 0 };
    tess_meta   meta = meta_of(in);
    tess_status status;
    TESS_GOTO(done, status, tess_div(&mean, &a->sum, &tess_num((double)a->n)));
    TESS_GOTO(done, status, tess_cast(&small, &mean, TESS_F32, NULL));
    TESS_GOTO(done, status, move_array(&small, tess_cpu()));
    meta.extended = NULL, meta.extended_size = 0, meta.extended_type[0] = 0; /* it is of single images */
    TESS_GOTO(done, status, output_write(j, NULL, &small, &meta));
done:
    tess_release(&mean);
    tess_release(&small);
    return status;
}

/* The rows of a list, or new ones that name the images of a stack. */
static tess_status prepare_rows(tess_star **star, tess_star_table **rows, const input *in, int64_t n)
{
    const char *label = NULL;
    if (in->listed) {
        TESS_TRY(star_file_read(star, in->name));
        TESS_TRY(listing_table(*star, in->name, rows, &label));
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

static tess_status set_places(tess_star_table *rows, const alignment *a, double pixel_size)
{
    for (int64_t i = 0; i < a->n; i++) {
        const placement *p = &a->places[i];
        TESS_TRY(tess_star_set_f64(rows, i, "rlnAnglePsi", p->angle * 180 / 3.141592653589793));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnOriginXAngst", p->x * pixel_size));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnOriginYAngst", p->y * pixel_size));
        TESS_TRY(tess_star_set_f64(rows, i, "rlnParticleFigureOfMerit", p->score));
    }
    return TESS_OK;
}

static tess_status write_star(job *j, const input *in, const alignment *a)
{
    tess_star       *star = NULL;
    tess_star_table *rows = NULL;
    tess_status      status;
    const char      *path = job_text(j, "star", "");
    TESS_GOTO(done, status, prepare_rows(&star, &rows, in, a->n));
    TESS_GOTO(done, status, set_places(rows, a, in->info.meta.pixel_size[2]));
    TESS_GOTO(done, status, star_file_write(path, star, j));
done:
    tess_star_free(star);
    return status;
}

/* ---- The verb ---- */

static tess_status align(job *j, input *in, alignment *a, tess_array *reference)
{
    double     max_shift = 0, radius = 0;
    tess_shape shape = in->info.shape;
    bool       skip;
    TESS_TRY(check_input(j, in));
    TESS_TRY(read_options(j, in, a, &max_shift, &radius));
    a->n = shape.b * shape.d;
    shape.b = shape.d = 1;
    const int64_t n_angles = (int64_t)fmax(rint(6.283185307179586 / a->turn), 1);
    a->turn = 6.283185307179586 / (double)n_angles;
    TESS_TRY(image_fits(j, shape, 24 * n_angles * shape.h * shape.w));
    if (job_has(j, "reference")) TESS_TRY(read_reference(j, in, job_text(j, "reference", ""), reference));
    TESS_TRY(output_planned(j, NULL, shape, TESS_F32, &skip));
    if (skip) return TESS_OK;
    a->places = calloc((size_t)a->n + 1, sizeof *a->places);
    TESS_CHECK(a->places, TESS_ENOMEM, "align2d: no memory for %lld images", (long long)a->n);
    TESS_TRY(aligner_start(&a->aligner, shape, n_angles, max_shift, radius, j->device));
    TESS_TRY(tess_zeros(&a->sum, shape, TESS_F64, j->device));
    TESS_TRY(do_rounds(j, in, a, reference));
    if (job_has(j, "aligned")) TESS_TRY(write_aligned(j, in, a));
    TESS_TRY(write_average(j, in, a));
    return job_has(j, "star") ? write_star(j, in, a) : TESS_OK;
}

static tess_status align_input(job *j, input *in)
{
    alignment         a = { .n = 0 };
    tess_array        reference = { 0 };
    const tess_status status = align(j, in, &a, &reference);
    aligner_free(&a.aligner);
    tess_release(&a.sum);
    tess_release(&reference);
    free(a.places);
    return status;
}

static tess_status run(job *j)
{
    input in = { 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = align_input(j, &in);
    input_close(&in);
    return status;
}

const verb verb_align2d = {
    .name = "align2d",
    .subject = "particles",
    .summary = "align images of one class in the plane, and average them",
    .arguments = "INPUT... -o OUT",
    .text =
        "The reference, under a round mask, is turned in steps; each image takes the rotation and the shift of the "
        "highest correlation, between steps and pixels by parabolas. The average of the aligned images is the "
        "reference of the next round, until angles change by less than half a step, and shifts by less than 0.05 "
        "pixels. Without --reference, the first round aligns each image to the average of those before it.\n\n"
        "An image is brought onto the average by moving it by rlnOriginXAngst, rlnOriginYAngst and then turning it "
        "by rlnAnglePsi, as RELION has it. All images are taken for views of one class: classes are not told apart.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
