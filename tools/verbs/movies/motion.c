/* tessera motion: corrects beam-induced motion in movies, as a whole and in patches, with dose weighting. */
#include <math.h>

#include "files/input_meta.h"
#include "files/one_input.h"
#include "files/outputs/target.h"
#include "movies/corrected_star.h"
#include "movies/correction.h"
#include "movies/defects.h"
#include "movies/exposure.h"
#include "movies/motion_report.h"
#include "operation/job_call.h"
#include "tessera/cryosparc.h"

static const option options[] = {
    DEFECTS_OPTION,
    EXPOSURE_LIST_OPTIONS,
    VALUE("weighted", "OUT", OPTION_FILE, "also write the dose-weighted sum", .writes = true),
    VALUE("odd", "OUT", OPTION_FILE, "also write the sum of frames 1, 3, 5 ...", .writes = true),
    VALUE("even", "OUT", OPTION_FILE, "also write the sum of frames 0, 2, 4 ...", .writes = true),
    VALUE("shifts", "OUT", OPTION_FILE, "write the shifts: x.star (with RELION's labels) or x.tsv", .writes = true),
    VALUE("star", "OUT", OPTION_FILE, "write one STAR file of all micrographs, as RELION's corrected_micrographs.star",
          .writes = true, .once = true),
    VALUE("cs", "MM", OPTION_NUMBER, "spherical aberration in mm, for the optics table of --star [2.7]"),
    VALUE("amplitude", "A", OPTION_NUMBER, "amplitude contrast, for the optics table of --star [0.1]"),
    VALUE("plot", "OUT", OPTION_FILE, "plot the trajectories, magnified 10 times, over the mean image: x.svg or x.png",
          .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera motion --apix 1.2 movie.tif -o micrograph.mrc",
    "tessera motion --apix 1.2 --dose 1.5 --weighted dw.mrc movie.tif -o all.mrc",
    "tessera motion --apix 1.2 --dose 1.5 --shifts '{name}_shifts.star' --star corrected_micrographs.star movie.tif "
    "-o '{name}_sum.mrc'",
    "tessera motion --apix 1.2 --resolution 2.4 --patches 2,2 --plot motion.svg movie.tif -o local.mrc",
    NULL,
};

typedef struct correcting {
    job       *job;
    job_call   call;
    defects    defects;
    tess_array doses; /* for the job; no data: it needs none */
} correcting;

/* ---- What is asked for ---- */

static bool is_standard_output(const char *name)
{
    return name[0] == '-' && (!name[1] || name[1] == ':' || name[1] == '[');
}

static tess_status check_optics(const job *j)
{
    const double cs = job_number(j, "cs", 2.7), amplitude = job_number(j, "amplitude", 0.1);
    TESS_CHECK(cs >= 0 && isfinite(cs), TESS_EARG, "motion: --cs is %s; it must be 0 or more", job_text(j, "cs", ""));
    TESS_CHECK(amplitude >= 0 && amplitude < 1, TESS_EARG,
               "motion: --amplitude is %s; it must be at least 0 and below 1", job_text(j, "amplitude", ""));
    TESS_CHECK(job_has(j, "star") || !(job_has(j, "cs") || job_has(j, "amplitude")), TESS_EARG,
               "motion: --cs and --amplitude require --star; they belong in its optics table");
    return TESS_OK;
}

static tess_status check_outputs(const job *j)
{
    const bool has_doses = job_has(j, "dose") || job_has(j, "doses") || job_has(j, "mdoc");
    TESS_CHECK(!job_has(j, "star") || !is_standard_output(job_text(j, "output", "")), TESS_EARG,
               "motion: -o is %s, standard output; --star requires a file name for the micrograph",
               job_text(j, "output", ""));
    TESS_CHECK(!job_has(j, "weighted") || has_doses, TESS_EARG,
               "motion: --weighted requires the exposure; give --dose, --doses or --mdoc");
    return TESS_OK;
}

/* Options of the job that the verb reads from text files, or derives from its outputs. */
static tess_status fill_options(correcting *c)
{
    job                      *j = c->job;
    const input              *in = &c->call.in[0];
    tess_motion_correct_opts *o = c->call.opts;
    TESS_CHECK(in->info.shape.d == 1, TESS_ESHAPE, "motion: %s is a volume; a movie is needed (--as stack)", in->name);
    TESS_TRY(check_optics(j));
    TESS_TRY(exposure_list(&c->doses, j, in));
    TESS_TRY(defects_open(&c->defects, j, in->info.shape, &o->defects));
    if (c->doses.data) o->doses = &c->doses;
    o->odd = job_has(j, "odd");
    o->even = job_has(j, "even");
    o->thumbnail = job_has(j, "plot");
    o->unweighted = !job_has(j, "weighted");
    return check_outputs(j);
}

/* ---- Outputs ---- */

/* Images that are missing from the result are not written: that of odd frames, where there is only one frame. */
static tess_status write_image(correcting *c, const char *name, const tess_array *image)
{
    tess_meta meta = meta_of(&c->call.in[0]);
    if (!image->data || (name && !job_has(c->job, name))) return TESS_OK;
    tess_meta_forget_extended(&meta);
    return output_write(c->job, name ? job_text(c->job, name, "") : NULL, image, &meta);
}

/* The path of -o or of another output, without brackets; to be freed by target_free. */
static tess_status find_path(target **t, job *j, const char *name)
{
    *t = NULL;
    return job_has(j, name) ? target_parse(t, j, job_text(j, name, "")) : TESS_OK;
}

static tess_status add_micrograph(job *j, const tess_motion_correct_result *r, const target *sum,
                                  const target *weighted)
{
    const char                *shifts = job_text(j, "shifts", "");
    const corrected_micrograph one = { .name = weighted ? weighted->path : sum->path,
                                       .unweighted = weighted ? sum->path : NULL,
                                       .metadata = tess_star_is_named(shifts) ? shifts : NULL,
                                       .pixel_size = r->pixel_size,
                                       .voltage = job_number(j, "voltage", 300),
                                       .cs = job_number(j, "cs", 2.7),
                                       .amplitude = job_number(j, "amplitude", 0.1),
                                       .early = r->motion_early,
                                       .late = r->motion_late,
                                       .patches = r->n_patches,
                                       .has_model = r->model.data };
    return corrected_star_add(&j->star, &one);
}

/* Written again after each movie, so that an interrupted run has the rows of those that are done. */
static tess_status write_micrographs(job *j, const tess_motion_correct_result *r)
{
    target     *sum = NULL, *weighted = NULL;
    const bool  is_first = !j->star;
    tess_status status = TESS_OK;
    if (!job_has(j, "star")) return TESS_OK;
    TESS_GOTO(done, status, find_path(&sum, j, "output"));
    TESS_GOTO(done, status, find_path(&weighted, j, "weighted"));
    TESS_GOTO(done, status, add_micrograph(j, r, sum, weighted));
    TESS_GOTO(done, status,
              tess_star_write(job_text(j, "star", ""), j->star,
                              &(tess_star_opts){ .overwrite = !is_first || job_has(j, "force") }));
done:
    target_free(sum);
    target_free(weighted);
    return status;
}

static tess_status write_outputs(correcting *c)
{
    job                              *j = c->job;
    const tess_motion_correct_result *r = c->call.result;
    const bool                        overwrite = job_has(j, "force");
    const motion                      m = motion_of(j, &c->call.in[0], r);
    TESS_TRY(write_image(c, "even", &r->even));
    TESS_TRY(write_image(c, "odd", &r->odd));
    TESS_TRY(write_image(c, "weighted", &r->weighted));
    TESS_TRY(write_image(c, NULL, &r->sum));
    if (job_has(j, "shifts")) TESS_TRY(motion_write_shifts(&m, job_text(j, "shifts", ""), overwrite));
    if (job_has(j, "plot")) TESS_TRY(motion_plot(&m, job_text(j, "plot", ""), overwrite));
    TESS_TRY(write_micrographs(j, r));
    motion_print(&m, j);
    return TESS_OK;
}

static tess_status correct_movie(correcting *c)
{
    const input                      *in = &c->call.in[0];
    const tess_motion_correct_result *r = c->call.result;
    bool                              skip;
    TESS_TRY(fill_options(c));
    TESS_TRY(output_planned(c->job, NULL, TESS_SHAPE(1, 1, in->info.shape.h, in->info.shape.w), TESS_F32, &skip));
    if (skip) return TESS_OK;
    note_gain_sense(c->job, in);
    TESS_TRY(job_call_run(&c->call));
    if (r->n_bad_pixels > 0) job_detail(c->job, "%s: %lld bad pixels", in->name, (long long)r->n_bad_pixels);
    return write_outputs(c);
}

static tess_status run(job *j)
{
    correcting c = { .job = j };
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&c.call, j);
    if (status == TESS_OK) status = correct_movie(&c);
    job_call_close(&c.call);
    defects_close(&c.defects);
    tess_release(&c.doses);
    return status;
}

const verb verb_motion = {
    .name = "motion",
    .job = "motion_correct",
    .fills = "defects doses odd even thumbnail unweighted",
    .beside = "dark gain",
    .subject = "movies and tilts",
    .summary = "correct beam-induced motion in movies, with dose weighting",
    .arguments = "INPUT... -o SUM",
    .text = "Frames are gain-corrected, and bad pixels are replaced by the median of their valid neighbours. Each "
            "frame is correlated with the sum of the others and shifted to the peak, iteratively, until the shifts "
            "change by less than 0.05 pixels at the sampling of the alignment. Shifts move a frame onto the first one, "
            "as in RELION. Frames that correlate no better than noise are added without alignment, with a warning.\n"
            "\n"
            "Then patches of the aligned frames are aligned, unless --patches is 1 or the frames are small. A "
            "polynomial, cubic in time and quadratic in x and y, is fitted to the shifts of the patches that correlate "
            "better than noise, without outliers; the frames are resampled with it. The polynomial must pass a "
            "cross-validation: applied to each patch in turn, the fit to all other patches must strengthen the sum of "
            "the frames by more than a standard error over all patches. Otherwise only whole frames are shifted, as "
            "with --patches 1, with a warning.\n"
            "\n"
            "The weighted sum is that of tessera dose --sum. The table lists the path length of the motion in A, "
            "which is the sum of the shifts from each frame to the next (motion_A), the mean correlation of each "
            "frame with the others in standard deviations of random phases (score), the number of patches used, "
            "whether the model of local motion was used (local_model), and the root mean square residual of the "
            "patch shifts (residual_px). Results on a GPU may differ in the last digits.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
