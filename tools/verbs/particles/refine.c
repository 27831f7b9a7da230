/* tessera refine: orientations and shifts of particles by projection matching, with half sets kept apart. */
#include <string.h>

#include "command/context.h"
#include "files/one_input.h"
#include "operation/job_options.h"
#include "particles/half_sets.h"
#include "particles/particles.h"

static const option options[] = {
    VALUE("reference", "MAP", OPTION_FILE,
          "initial map, with the box size of the images; one with another pixel size is rescaled"),
    VALUE("lowpass", "RES", OPTION_CUTOFF, "low-pass filter of the initial reference [30 A]"),
    VALUE("star", "OUT", OPTION_FILE, "write particles with refined angles and shifts to this STAR file",
          .writes = true, .is_particles = true),
    VALUE("half-maps", "OUT", OPTION_FILE, "write both half maps: half{half}.mrc gives half1.mrc and half2.mrc",
          .writes = true, .mark = "{half}"),
    FLAG("no-ctf", "ignore the CTFs of the STAR file"),
    { 0 },
};
static const char *const examples[] = {
    "tessera refine poses.star --reference volume.mrc --iterations 2 --step 40 -o refined.mrc --star refined.star",
    "tessera refine poses.star --reference volume.mrc --global 0 --iterations 1 --half-maps 'h{half}.mrc' -o local.mrc",
    NULL,
};

typedef struct refinement {
    job               *job;
    input              in, reference;
    tess_particles     p;
    tess_refine_opts   opts;
    tess_refine_result made;
    char               names[2][4096]; /* of the half maps */
} refinement;

/* ---- Particles and options ---- */

static tess_status read_particles(refinement *r)
{
    const bool                is_local = r->opts.global_iterations == TESS_ZERO_INT;
    const tess_context        context = job_context(r->job);
    tess_value                values[2] = { { .source = input_source(&r->in) } };
    const tess_particles_opts opts = { .what = TESS_PARTICLES_POSES | TESS_PARTICLES_HALVES |
                                               (job_has(r->job, "no-ctf") ? 0 : TESS_PARTICLES_CTFS),
                                       .needed = is_local ? TESS_PARTICLES_POSES : 0,
                                       .rows = r->in.chosen,
                                       .n_rows = r->in.n_chosen,
                                       .pixel_size = tess_given(r->in.info.meta.pixel_size[2]) };
    TESS_TRY(tess_particles_open(&r->p, r->in.name, &opts, &context));
    TESS_TRY(particles_need_halves(&r->p, r->job));
    return tess_particles_fill(&r->p, tess_job_find("refine"), values, &r->opts);
}

static tess_status find_options(refinement *r)
{
    const job_scale scale = { r->in.info.meta.pixel_size[2], r->in.info.shape.w };
    TESS_TRY(job_fill_options(r->job, tess_job_find("refine"), scale, &r->opts));
    TESS_CHECK(job_has(r->job, "lowpass") || scale.pixel_size > 0, TESS_EARG,
               "%s: the pixel size is unknown, and the default --lowpass of 30 A requires it; give --apix, or "
               "--lowpass in 1/px",
               r->in.name);
    TESS_TRY(job_cutoff(r->job, "lowpass", scale.pixel_size, scale.side, &r->opts.cutoff));
    TESS_CHECK(!(r->opts.cutoff > 0.5), TESS_ERANGE, "--lowpass is %g cycles per pixel; it must be at most 0.5",
               r->opts.cutoff);
    return TESS_OK;
}

/* ---- Results ---- */

/* The columns of poses have the names that the job gives them. */
static tess_status print_history(refinement *r)
{
    const tess_arg_info *row = tess_job_find("refine")->function.args;
    const tess_array    *history = &r->made.history;
    table               *t = table_new(r->job, stdout);
    TESS_CHECK(t, TESS_ENOMEM, "refine: out of memory");
    while (strcmp(row->name, "history") != 0) row++;
    for (int64_t i = 0; i < history->shape.h; i++) {
        const double *of = (const double *)history->data + TESS_REFINED_COLUMNS * i;
        table_integer(t, "round", (int64_t)of[TESS_REFINED_ITERATION]);
        table_text(t, "search", of[TESS_REFINED_GLOBAL] > 0 ? "all" : "local");
        table_number_as(t, r->in.info.meta.pixel_size[2] > 0 ? "resolution_A" : "resolution_px",
                        of[TESS_REFINED_RESOLUTION], TESS_F32);
        for (const tess_choice *c = row->choices + TESS_REFINED_ANGLE_50; c->name; c++) {
            const double value = of[c->value];
            const bool   is_angle = c->value <= TESS_REFINED_ANGLE_90;
            table_number_as(t, c->name, is_angle ? value * 180 / TESS_PI : value, TESS_F32);
        }
        table_row(t);
    }
    table_end(t);
    return TESS_OK;
}

static tess_status write_results(refinement *r)
{
    const double    size = r->in.info.meta.pixel_size[2];
    const tess_meta meta = { .pixel_size = { size, size, size } };
    TESS_TRY(print_history(r));
    if (r->names[0][0]) TESS_TRY(output_write(r->job, r->names[0], &r->made.half1, &meta));
    if (r->names[0][0]) TESS_TRY(output_write(r->job, r->names[1], &r->made.half2, &meta));
    TESS_TRY(output_write(r->job, NULL, &r->made.map, &meta));
    if (!job_has(r->job, "star")) return TESS_OK;
    TESS_TRY(tess_copy(&r->p.rotations, &r->made.rotations));
    TESS_TRY(tess_copy(&r->p.shifts, &r->made.shifts));
    TESS_TRY(tess_particles_put_halves(&r->p));
    TESS_TRY(tess_particles_put_poses(&r->p));
    return particles_write(&r->p, r->job, job_text(r->job, "star", ""));
}

/* ---- The verb ---- */

static tess_status open_reference(refinement *r)
{
    const char  *name = job_text(r->job, "reference", NULL);
    const double to = r->in.info.meta.pixel_size[2];
    TESS_CHECK(name, TESS_EARG, "refine: --reference MAP is required: the initial map");
    TESS_TRY(input_open(&r->reference, r->job, name, NEED_VOLUME));
    const tess_info_file *from = &r->reference.info;
    if (tess_pixel_sizes_differ(to, from->meta.pixel_size[2]))
        job_note(r->job, "--reference %s is rescaled from %lld pixels of %.6g A to %lld of %.6g A to match the images",
                 name, (long long)from->shape.w, from->meta.pixel_size[2], (long long)r->in.info.shape.w, to);
    return TESS_OK;
}

static tess_status refine_list(refinement *r)
{
    const tess_context context = job_context(r->job);
    const int64_t      s = r->in.info.shape.w;
    bool               skip;
    TESS_CHECK(r->in.listed, TESS_EARG, "refine: %s is not a STAR file; expected a list of images", r->in.name);
    TESS_TRY(need_real(r->job, &r->in));
    TESS_TRY(find_options(r));
    TESS_TRY(read_particles(r));
    TESS_TRY(output_planned(r->job, NULL, TESS_SHAPE(1, s, s, s), TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(open_reference(r));
    TESS_TRY(job_context_end(
        r->job, tess_refine(&r->made, input_source(&r->in), input_source(&r->reference), &r->opts, &context)));
    return write_results(r);
}

static tess_status run(job *j)
{
    refinement r = { .job = j };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(half_map_names(j, "half-maps", r.names));
    TESS_TRY(input_open(&r.in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = refine_list(&r);
    input_close(&r.in);
    input_close(&r.reference);
    tess_particles_release(&r.p);
    tess_refine_result_release(&r.made);
    return status;
}

const verb verb_refine = {
    .name = "refine",
    .job = "refine",
    .fills = "rotations shifts ctfs halves cutoff reference_pixel_size",
    .subject = "particles",
    .summary = "refine particle orientations and a map by projection matching",
    .arguments = "STAR... --reference MAP -o MAP",
    .text = "A small refinement for tests, teaching and a first look, which does not replace RELION or cryoSPARC: "
            "each particle has one orientation, noise is white, and there are no classes, CTF refinement or local "
            "masks.\n\n"
            "In each iteration, every particle is compared with projections of the map of its own half set, "
            "multiplied by its CTF, by their correlation up to the current resolution. Then both half maps are "
            "reconstructed from the new orientations. The first iterations (--global) search all orientations, "
            "--step apart, and shifts up to --shift-range, then refine the best with a step that is halved twice. "
            "Later iterations search only around the last orientation.\n\n"
            "Half sets are those of rlnRandomSubset, otherwise alternate rows. Both start from the same low-pass "
            "filtered reference (--lowpass) and are separate from then on. References are masked by a soft sphere "
            "(--diameter), weighted by sqrt(2 FSC / (1 + FSC)), and low-pass filtered where the FSC of the half maps "
            "under the sphere falls below 0.143; particles are compared up to one shell beyond. The refinement stops "
            "when neither resolution nor angles change, or after --iterations.\n\n"
            "Standard output has one row per iteration: the resolution; the median and 90th percentile of the "
            "changes of angles (degrees) and shifts (pixels); the 10th, 50th and 90th percentiles of the scores; and "
            "the fraction of 48 equal solid angles with at least one view. The map is that of both half sets, "
            "weighted as the last reference.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
