/* tessera pick: particles in micrographs, by locally normalised correlation with templates or a blob. */
#include <math.h>
#include <stdlib.h>

#include "files/listing.h"
#include "files/one_input.h"
#include "files/star_file.h"
#include "maps/fourier_box.h"
#include "operation/job_call.h"
#include "particles/coordinates.h"
#include "picture/circles.h"

static const option options[] = {
    VALUE("box", "N", OPTION_LENGTH, "box size written to .box files [1.25 diameters]"),
    VALUE("picture", "OUT", OPTION_FILE, "write a PNG with circles around particles, at the resolution of the search",
          .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera pick --diameter 30A --bin 1 --threshold 2 image.mrc -o picks.star",
    "tessera pick --diameter 20px --bin 2 --blob dog --bright x.mrc y.mrc -o '{name}.box' --picture '{name}.png'",
    "tessera pick --templates stack.mrcs --step 30 --bin 1 --edge 8 image.mrc -o found.star",
    NULL,
};

/* ---- Lists ---- */

/* The name of an image as lists have it. */
static void image_name(char *text, size_t size, const input *in, int64_t i)
{
    const int64_t chosen = in->chosen ? in->chosen[i] : i;
    const char   *path;
    int64_t       number;
    if (in->listed && tess_source_place(&in->listed->source, chosen, &path, &number) == TESS_OK) {
        if (number > 0) (void)snprintf(text, size, "%06lld@%s", (long long)number, path);
        else (void)snprintf(text, size, "%s", path);
    } else if (in->info.shape.b * in->info.shape.d > 1)
        (void)snprintf(text, size, "%06lld@%s", (long long)chosen + 1, in->name);
    else (void)snprintf(text, size, "%s", in->name);
}

static tess_status add_row(tess_star_table *rows, const char *name, const double *p, int64_t n_angles)
{
    const int64_t row = tess_star_rows(rows);
    const double  turn = rint(p[TESS_PICK_ANGLE] * (double)n_angles / (2 * TESS_PI)); /* whole steps */
    const double  angle = turn * 360 / (double)n_angles;
    TESS_TRY(tess_star_add_rows(rows, 1));
    TESS_TRY(tess_star_set(rows, row, "rlnMicrographName", name));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateX", p[TESS_PICK_X]));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateY", p[TESS_PICK_Y]));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnAutopickFigureOfMerit", p[TESS_PICK_SCORE]));
    TESS_TRY(tess_star_set_i64(rows, row, "rlnClassNumber", (int64_t)p[TESS_PICK_TEMPLATE] + 1));
    return tess_star_set_f64(rows, row, "rlnAnglePsi", angle > 180 ? 360 - angle : angle > 0 ? -angle : 0);
}

/* Adds the particles of each micrograph, and reports their number. */
static tess_status add_rows(job *j, tess_star_table *rows, const input *in, const tess_pick_result *r)
{
    const double *p = r->particles.data, *end = p + r->particles.shape.h * TESS_PICK_COLUMNS;
    char          name[4200];
    for (int64_t i = 0; i < in->info.shape.b * in->info.shape.d; i++) {
        int64_t n = 0;
        image_name(name, sizeof name, in, i);
        for (; p < end && p[TESS_PICK_MICROGRAPH] == (double)i; p += TESS_PICK_COLUMNS, n++)
            TESS_TRY(add_row(rows, name, p, r->n_angles));
        job_note(j, "%s: %lld particles", name, (long long)n);
    }
    return TESS_OK;
}

static tess_status write_list(job *j, const input *in, const tess_pick_result *r)
{
    const char      *out = job_text(j, "output", "");
    tess_star       *star = NULL;
    tess_star_table *rows = NULL;
    tess_status      status;
    TESS_GOTO(done, status, tess_star_new(&star));
    TESS_GOTO(done, status, tess_star_add(&rows, star, "particles", false));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnMicrographName", ""));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnCoordinateX", "0"));
    TESS_GOTO(done, status, tess_star_add_column(rows, "rlnCoordinateY", "0"));
    TESS_GOTO(done, status, add_rows(j, rows, in, r));
    if (!is_box_file(out))
        TESS_GOTO(done, status, tess_star_write(out, star, &(tess_star_opts){ .overwrite = job_has(j, "force") }));
done:
    tess_star_free(star);
    return status;
}

/* ---- Boxes and pictures of one micrograph ---- */

static tess_status read_box(const job *j, const input *in, double diameter, int64_t *box)
{
    double length = 1.25 * diameter;
    TESS_TRY(job_length(j, "box", in->info.meta.pixel_size[2], &length));
    TESS_CHECK(length >= 1 && length < 1e6, TESS_EARG, "pick: --box is %g pixels; expected 1 to 1000000", length);
    *box = job_has(j, "box") ? (int64_t)rint(length) : 2 * (int64_t)ceil(length / 2);
    return TESS_OK;
}

/* The micrograph as it was searched, without the detail beyond. */
static tess_status draw(const job *j, input *in, const tess_pick_result *r, const double *xy)
{
    tess_array  image = { 0 }, small = { 0 }, smooth = { 0 };
    tess_status status;
    TESS_GOTO(done, status, input_read(in, &image, 0, 1, TESS_F32));
    TESS_GOTO(done, status, fourier_box(&small, &image, TESS_SHAPE(1, 1, r->height, r->width)));
    TESS_GOTO(done, status, fourier_box(&smooth, &small, image.shape));
    TESS_GOTO(done, status,
              circles_write(job_text(j, "picture", ""), &smooth, xy, r->particles.shape.h, r->diameter / 2,
                            job_has(j, "force")));
done:
    tess_release(&image);
    tess_release(&small);
    tess_release(&smooth);
    return status;
}

static tess_status write_for_one(const job *j, input *in, const tess_pick_result *r)
{
    const char   *out = job_text(j, "output", "");
    const int64_t n = r->particles.shape.h;
    double       *xy = malloc(sizeof *xy * 2 * (size_t)(n + 1));
    int64_t       box = 0;
    tess_status   status;
    TESS_CHECK(xy, TESS_ENOMEM, "pick: out of memory");
    for (int64_t i = 0; i < n; i++) {
        const double *p = (const double *)r->particles.data + TESS_PICK_COLUMNS * i;
        xy[2 * i] = p[TESS_PICK_X], xy[2 * i + 1] = p[TESS_PICK_Y];
    }
    TESS_GOTO(done, status, read_box(j, in, r->diameter, &box));
    if (is_box_file(out)) TESS_GOTO(done, status, boxes_write(out, xy, n, box, job_has(j, "force")));
    if (job_has(j, "picture")) TESS_GOTO(done, status, draw(j, in, r, xy));
done:
    free(xy);
    return status;
}

/* ---- The verb ---- */

static tess_status check_output(const job *j)
{
    const char *out = job_text(j, "output", "");
    TESS_CHECK(tess_star_is_named(out) || is_box_file(out), TESS_EARG,
               "pick: -o is %s; the name must end with .star or .box", out);
    TESS_CHECK(!is_cs_name(out), TESS_EARG, "pick: -o is %s; coordinates are written as .star or .box, not as .cs",
               out);
    return TESS_OK;
}

static tess_status work(job *j, job_call *call)
{
    input        *in = &call->in[0];
    const int64_t n = in->info.shape.b * in->info.shape.d;
    int64_t       box;
    bool          skip = false;
    TESS_CHECK(n == 1 || (!is_box_file(job_text(j, "output", "")) && !job_has(j, "picture")), TESS_EARG,
               "pick: %s has %lld images; .box files and --picture require a single one; split the stack first",
               in->name, (long long)n);
    if (job_has(j, "box")) TESS_TRY(read_box(j, in, 0, &box));
    TESS_TRY(output_check(j, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(job_call_run(call));
    if (n == 1) TESS_TRY(write_for_one(j, in, call->result));
    return write_list(j, in, call->result);
}

static tess_status run(job *j)
{
    job_call call;
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(check_output(j));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = work(j, &call);
    job_call_close(&call);
    return status;
}

const verb verb_pick = {
    .name = "pick",
    .job = "pick",
    .subject = "particles",
    .summary = "pick particles in micrographs with templates or as blobs",
    .arguments = "MICROGRAPH... -o OUT",
    .text = "The score of a pixel is the correlation coefficient between the template, under a circular mask, and "
            "the micrograph beneath it (Roseman 2003). With several templates or orientations, the best score "
            "counts. Scores are computed on Fourier-cropped micrographs. Maxima of the score map are taken from the "
            "highest down, unless they are nearer than --distance to one taken before.\n\n"
            "The list has rlnMicrographName, rlnCoordinateX and rlnCoordinateY (pixels of the micrograph, counted "
            "from 0), rlnAutopickFigureOfMerit (the score in standard deviations above the mean of the score map, as "
            "in --threshold), rlnClassNumber (the template, counted from 1) and rlnAnglePsi. If -o ends with .box, "
            "EMAN's .box format is written instead. tessera extract reads both.",
    .globals = GLOBAL_OUT | GLOBAL_NO_NUMBERS | GLOBAL_READ | GLOBAL_APIX | GLOBAL_DEVICE,
    VERB_FOR_EACH(EACH_FILE),
};
