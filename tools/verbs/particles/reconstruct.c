/* tessera reconstruct: a map from particles, which are inserted as slices into its Fourier transform. */
#include <stdlib.h>
#include <string.h>

#include "files/one_input.h"
#include "command/context.h"
#include "operation/job_options.h"
#include "particles/half_sets.h"
#include "particles/particles.h"

static const option options[] = {
    VALUE("sym", "GROUP", OPTION_TEXT, "point group: C4, D7, T, O, I1, I2 [C1]", .alias = "group"),
    FLAG("no-ctf", "ignore the CTFs of the STAR file"),
    CHOICE("half", "N", "1 2", "use only this half set"),
    VALUE("half-maps", "OUT", OPTION_FILE, "write both half maps too: half{half}.mrc gives half1.mrc and half2.mrc",
          .writes = true, .mark = "{half}"),
    VALUE("max-resolution", "RES", OPTION_CUTOFF, "resolution limit of the map [Nyquist]"),
    { 0 },
};
static const char *const examples[] = {
    "tessera reconstruct poses.star -o map.mrc",
    "tessera reconstruct --sym C4 --half-maps 'half{half}_c4.mrc' poses.star -o c4.mrc",
    "tessera reconstruct --half 1 --no-ctf --max-resolution 6 poses.star -o first.mrc",
    NULL,
};

typedef struct reconstruction {
    job                  *job;
    tess_particles        p;
    tess_reconstruct_opts opts;
    bool                  makes_halves;
    char                  names[2][4096]; /* of the half maps */
} reconstruction;

/* ---- Particles and options ---- */

/* Keeps only the particles of one half set. */
static tess_status choose_half(job *j, reconstruction *r, input *in)
{
    const double half = (double)job_integer(j, "half", 0);
    int64_t     *rows = malloc(sizeof *rows * (size_t)r->p.n), n = 0;
    TESS_CHECK(rows, TESS_ENOMEM, "reconstruct: no memory for %lld rows", (long long)r->p.n);
    for (int64_t i = 0; i < r->p.n; i++)
        if (((const double *)r->p.halves.data)[i] == half) rows[n++] = i;
    tess_status status = n == 0 ? tess__fail(TESS_EARG, __FILE__, __LINE__, __func__,
                                             "%s: no row belongs to half set %d", r->p.name, (int)half)
                                : tess_particles_choose(&r->p, rows, n);
    if (status == TESS_OK) status = input_choose(in, j, rows, n);
    free(rows);
    return status;
}

static tess_status read_particles(job *j, reconstruction *r, input *in)
{
    const bool                halves = r->makes_halves || job_has(j, "half");
    const tess_context        context = job_context(j);
    const tess_particles_opts opts = { .what = TESS_PARTICLES_POSES | (halves ? TESS_PARTICLES_HALVES : 0) |
                                               (job_has(j, "no-ctf") ? 0 : TESS_PARTICLES_CTFS),
                                       .needed = TESS_PARTICLES_POSES,
                                       .rows = in->chosen,
                                       .n_rows = in->n_chosen,
                                       .pixel_size = tess_given(in->info.meta.pixel_size[2]) };
    TESS_TRY(tess_particles_open(&r->p, in->name, &opts, &context));
    if (halves) TESS_TRY(particles_need_halves(&r->p, j));
    if (job_has(j, "half")) TESS_TRY(choose_half(j, r, in));
    r->opts.shifts = &r->p.shifts;
    if (r->makes_halves) r->opts.halves = &r->p.halves;
    if (r->p.ctfs.data) r->opts.ctfs = &r->p.ctfs;
    return TESS_OK;
}

static tess_status find_options(job *j, reconstruction *r, const input *in)
{
    const job_scale scale = { in->info.meta.pixel_size[2], in->info.shape.w };
    double          cutoff = 0.5;
    int64_t         order;
    TESS_TRY(job_fill_options(j, tess_job_find(j->verb->job), scale, &r->opts));
    TESS_TRY(job_cutoff(j, "max-resolution", scale.pixel_size, scale.side, &cutoff));
    r->opts.cutoff = cutoff;
    r->opts.sym = job_text(j, "sym", "C1");
    TESS_TRY(tess_symmetry_order(&order, r->opts.sym));
    TESS_CHECK(!r->opts.ewald || r->opts.ctfs, TESS_EARG, "reconstruct: --ewald requires CTFs; %s",
               job_has(j, "no-ctf") ? "--no-ctf ignores them" : "the STAR file has none");
    return TESS_OK;
}

/* ---- The verb ---- */

static tess_status write_maps(reconstruction *r, const tess_reconstruct_result *made, double pixel_size)
{
    const tess_meta meta = { .pixel_size = { pixel_size, pixel_size, pixel_size } };
    const char     *unit = pixel_size > 0 ? "A" : "px";
    if (r->makes_halves) {
        TESS_TRY(output_write(r->job, r->names[0], &made->half1, &meta));
        TESS_TRY(output_write(r->job, r->names[1], &made->half2, &meta));
        job_note(r->job, "FSC 0.143 = %.4g %s, 0.5 = %.4g %s (no mask)", made->resolution, unit, made->resolution_0_5,
                 unit);
    }
    return output_write(r->job, NULL, &made->map, &meta);
}

static tess_status reconstruct_list(job *j, input *in, reconstruction *r)
{
    const int64_t           s = in->info.shape.w;
    const tess_context      context = job_context(j);
    tess_reconstruct_result made = { 0 };
    bool                    skip;
    TESS_CHECK(in->listed, TESS_EARG, "reconstruct: %s is not a STAR file; expected a list of images with angles",
               in->name);
    TESS_CHECK(in->info.shape.h == s, TESS_ESHAPE,
               "reconstruct: %s has images of %lld x %lld pixels; they must be square", in->name, (long long)s,
               (long long)in->info.shape.h);
    TESS_TRY(read_particles(j, r, in));
    TESS_TRY(find_options(j, r, in));
    TESS_TRY(output_planned(j, NULL, TESS_SHAPE(1, s, s, s), TESS_F32, &skip));
    if (skip) return TESS_OK;
    tess_status status =
        job_context_end(j, tess_reconstruct(&made, input_source(in), &r->p.rotations, &r->opts, &context));
    if (status == TESS_OK) status = write_maps(r, &made, in->info.meta.pixel_size[2]);
    tess_reconstruct_result_release(&made);
    return status;
}

static tess_status check_outputs(job *j, reconstruction *r)
{
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(half_map_names(j, "half-maps", r->names));
    TESS_CHECK(!r->makes_halves || !job_has(j, "half"), TESS_EARG,
               "reconstruct: --half uses one half set, but --half-maps requires both; give only one of them");
    return TESS_OK;
}

static tess_status run_with(job *j, reconstruction *r)
{
    input in;
    TESS_TRY(check_outputs(j, r));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    tess_status status = need_real(j, &in);
    if (status == TESS_OK) status = reconstruct_list(j, &in, r);
    input_close(&in);
    tess_particles_release(&r->p);
    return status;
}

static tess_status run(job *j)
{
    reconstruction *r = calloc(1, sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "reconstruct: out of memory");
    r->job = j;
    r->makes_halves = job_has(j, "half-maps");
    const tess_status status = run_with(j, r);
    free(r);
    return status;
}

const verb verb_reconstruct = {
    .name = "reconstruct",
    .job = "reconstruct",
    .fills = "shifts ctfs halves sym cutoff",
    .subject = "particles",
    .summary = "reconstruct a map from particles with known orientations",
    .arguments = "STAR... -o MAP",
    .text = "Images are shifted by their rlnOriginX, rlnOriginY, multiplied by their CTF, and inserted as slices "
            "into the Fourier transform of a map of --pad times the box size. The transform is divided by the sum of "
            "squared CTFs, which is at least --floor times the mean of its shell, and transformed back. CTFs are "
            "used if the STAR file has defoci; phase errors of beam tilt (rlnBeamTiltX, rlnBeamTiltY) are corrected "
            "first. With --sym, slices are inserted at all equivalent orientations of the point group. Half sets are "
            "those of rlnRandomSubset, otherwise alternate rows. --half-maps writes both half maps, reports their "
            "FSC, and makes the map from their sum, whose last digits may differ from those without it.\n\n"
            "--ewald inserts each image on both sides of the Ewald sphere with the phases of each side (after Russo "
            "and Henderson, 2018). Which side is right depends on the microscope and on the handedness of the map, "
            "so try both. Images are added in their order: results do not depend on threads or memory.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
