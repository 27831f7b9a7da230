/* tessera reconstruct: a map of particles, by putting the slices that they are into its Fourier transform. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles/half_sets.h"
#include "files/one_input.h"
#include "particles/particles.h"

static const option options[] = {
    { .name = "sym",
      .alias = "group",
      .value = "GROUP",
      .type = OPTION_TEXT,
      .help = "point group: C4, D7, T, O, I1, I2 [C1]" },
    { .name = "no-ctf", .type = OPTION_FLAG, .help = "take no account of CTFs that the STAR file has" },
    { .name = "half", .value = "N", .choices = "1 2", .type = OPTION_CHOICE, .help = "of one half set alone" },
    { .name = "half-maps",
      .writes = true,
      .mark = "{half}",
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write maps of both half sets too: half{half}.mrc is half1.mrc and half2.mrc" },
    { .name = "max-resolution",
      .value = "RES",
      .type = OPTION_CUTOFF,
      .help = "leave out what is beyond it [Nyquist]" },
    { .name = "floor",
      .value = "F",
      .type = OPTION_NUMBER,
      .help = "weights are at least this part of the mean of their shell [0.001]" },
    { .name = "pad", .value = "N", .type = OPTION_INTEGER, .help = "the spectrum is that of N times the box [2]" },
    { .name = "ewald",
      .value = "SIDE",
      .choices = "front back",
      .type = OPTION_CHOICE,
      .help = "put slices on the Ewald sphere, curved to this side" },
    { .name = "diameter",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "of the particle, for --ewald [that of the box]" },
    { 0 },
};
static const char *const examples[] = {
    "tessera reconstruct poses.star -o map.mrc",
    "tessera reconstruct --sym C4 --half-maps 'half{half}_c4.mrc' poses.star -o c4.mrc",
    "tessera reconstruct --half 1 --no-ctf --max-resolution 6 poses.star -o first.mrc",
    NULL,
};

/* Sums of the spectra of images and of their weights. */
typedef struct sums {
    tess_array volume, weights;
} sums;

typedef struct reconstruction {
    job                          *job;
    particles                     p;
    int64_t                       side;
    tess_fourier_backproject_opts opts; /* what is the same for all images */
    double                        floor;
    sums                          of[2]; /* of all images, or of both half sets */
    bool                          halves;
    char                          names[2][4096]; /* of the half maps */
} reconstruction;

/* ---- Images into the sums ---- */

static tess_status add_images(reconstruction *r, sums *to, const tess_array *images, const tess_array *rows[3])
{
    tess_fourier_backproject_opts o = r->opts;
    o.shifts = rows[1];
    o.ctfs = rows[2];
    o.add = to->volume.data != NULL;
    return tess_fourier_backproject(&to->volume, &to->weights, images, rows[0], &o);
}

/* Those of a half set, of particles first to first + images->b: elements of each array along b. */
static tess_status add_half(reconstruction *r, int half, const tess_array *images, const tess_array *rows[3],
                            int64_t first)
{
    tess_array        indices = { 0 }, there = { 0 }, taken[4] = { { .data = NULL } };
    const tess_array *some[3] = { NULL, NULL, NULL };
    tess_status       status;
    TESS_GOTO(done, status, particles_of_half(&indices, &r->p, half, first, images->shape.b));
    if (indices.shape.w == 0) goto done;
    for (int k = 0; k < 3; k++) {
        if (!rows[k]) continue;
        TESS_GOTO(done, status, tess_take(&taken[k], rows[k], &indices, 0));
        some[k] = &taken[k];
    }
    TESS_GOTO(done, status, tess_to_device(&there, &indices, images->device));
    TESS_GOTO(done, status, tess_take(&taken[3], images, &there, 0));
    TESS_GOTO(done, status, add_images(r, &r->of[half - 1], &taken[3], some));
done:
    for (int k = 0; k < 4; k++) tess_release(&taken[k]);
    tess_release(&indices);
    tess_release(&there);
    return status;
}

static tess_status reconstruct_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    reconstruction   *r = context;
    tess_array        parts[3];
    const tess_array *rows[3] = { particles_part(&parts[0], &r->p.rotations, s->b, s->nb),
                                  particles_part(&parts[1], &r->p.shifts, s->b, s->nb),
                                  particles_even_ctfs(&parts[2], &r->p, s->b, s->nb) };
    const tess_array *images;
    tess_array        made = { 0 };
    tess_status       status;
    TESS_GOTO(done, status, check_particles_finite(&r->p, in, s->b));
    TESS_GOTO(done, status, particles_without_tilt(&images, &made, &r->p, in, s->b));
    if (!r->halves) status = add_images(r, &r->of[0], images, rows);
    for (int half = 1; half <= 2 && r->halves && status == TESS_OK; half++)
        status = add_half(r, half, images, rows, s->b);
done:
    tess_release(&made);
    return status;
}

/* ---- Maps ---- */

static tess_status map_of(const reconstruction *r, tess_array *map, const sums *from)
{
    tess_array  there = { 0 };
    tess_status status;
    TESS_GOTO(
        done, status,
        tess_fourier_reconstruct(&there, &from->volume, &from->weights,
                                 &(tess_fourier_reconstruct_opts){ .floor = r->floor, .padding = r->opts.padding }));
    TESS_GOTO(done, status, tess_to_device(map, &there, tess_cpu()));
done:
    tess_release(&there);
    return status;
}

static tess_status write_halves(reconstruction *r, const tess_meta *meta)
{
    tess_array  maps[2] = { { .data = NULL } };
    tess_status status;
    for (int k = 0; k < 2; k++) {
        TESS_CHECK(r->of[k].volume.data, TESS_EARG, "%s: no row is of half %d", r->p.name, k + 1);
    }
    for (int k = 0; k < 2; k++) {
        TESS_GOTO(done, status, map_of(r, &maps[k], &r->of[k]));
        TESS_GOTO(done, status, output_write(r->job, r->names[k], &maps[k], meta));
    }
    TESS_GOTO(done, status, tell_resolution(r->job, &maps[0], &maps[1], meta->pixel_size[2]));
    TESS_GOTO(done, status, tess_add(&r->of[0].volume, &r->of[0].volume, &r->of[1].volume));
    TESS_GOTO(done, status, tess_add(&r->of[0].weights, &r->of[0].weights, &r->of[1].weights));
done:
    tess_release(&maps[0]);
    tess_release(&maps[1]);
    return status;
}

static tess_status write_maps(reconstruction *r, const tess_meta *meta)
{
    tess_array map = { 0 };
    if (r->halves) TESS_TRY(write_halves(r, meta));
    TESS_TRY(map_of(r, &map, &r->of[0]));
    const tess_status status = output_write(r->job, NULL, &map, meta);
    tess_release(&map);
    return status;
}

/* ---- Options ---- */

/* Only the particles of one half set are left. */
static tess_status choose_half(job *j, reconstruction *r, input *in)
{
    const int32_t half = (int32_t)job_integer(j, "half", 0);
    int64_t      *rows = malloc(sizeof *rows * (size_t)r->p.n), n = 0;
    TESS_CHECK(rows, TESS_ENOMEM, "reconstruct: no memory for %lld rows", (long long)r->p.n);
    for (int64_t i = 0; i < r->p.n; i++)
        if (r->p.half[i] == half) rows[n++] = i;
    tess_status status =
        n == 0 ? tess__fail(TESS_EARG, __FILE__, __LINE__, __func__, "%s: no row is of half %d", r->p.name, (int)half)
               : tess_star_select(r->p.rows, rows, n);
    if (status == TESS_OK) status = input_choose(in, j, rows, n);
    r->p.n = n;
    free(rows);
    return status;
}

static tess_status find_sphere(job *j, reconstruction *r, double pixel_size)
{
    if (!job_has(j, "ewald")) return TESS_OK;
    TESS_CHECK(r->p.ctfs.data, TESS_EARG, "reconstruct: --ewald needs CTFs; %s",
               job_has(j, "no-ctf") ? "--no-ctf takes none" : "the STAR file has none");
    const int64_t columns = r->p.ctfs.shape.w, voltage = offsetof(tess_ctf, voltage) / sizeof(double);
    const double *rows = r->p.ctfs.data, first = rows[voltage];
    for (int64_t i = 1; i < r->p.n; i++)
        TESS_CHECK(rows[i * columns + voltage] == first, TESS_EARG,
                   "reconstruct: --ewald needs one voltage; line %lld of %s has %g kV, the first %g kV",
                   (long long)tess_star_line(r->p.rows, i), r->p.name, rows[i * columns + voltage], first);
    r->opts.ewald = pixel_size / tess_ctf_wavelength(first);
    if (strcmp(job_text(j, "ewald", ""), "back") == 0) r->opts.ewald = -r->opts.ewald;
    r->opts.diameter = (double)r->side;
    TESS_TRY(job_length(j, "diameter", pixel_size, &r->opts.diameter));
    TESS_CHECK(r->opts.diameter > 0, TESS_ERANGE, "--diameter: %g pixels; more than 0 is needed", r->opts.diameter);
    return TESS_OK;
}

static tess_status find_options(job *j, reconstruction *r, double pixel_size)
{
    const int64_t pad = job_integer(j, "pad", 2);
    int64_t       order;
    TESS_CHECK(pad >= 1 && pad <= 8, TESS_ERANGE, "--pad: %lld; 1 to 8 is allowed", (long long)pad);
    r->opts.padding = (int32_t)pad;
    r->opts.symmetry = job_text(j, "sym", "C1");
    TESS_TRY(tess_symmetry_order(&order, r->opts.symmetry));
    r->opts.cutoff = 0.5;
    TESS_TRY(job_cutoff(j, "max-resolution", pixel_size, r->side, &r->opts.cutoff));
    r->floor = job_number(j, "floor", 0.001);
    TESS_CHECK(r->floor > 0 && r->floor <= 1, TESS_ERANGE, "--floor: %g; more than 0 and at most 1 is allowed",
               r->floor);
    return find_sphere(j, r, pixel_size);
}

static tess_status read_particles(job *j, reconstruction *r, input *in)
{
    const double pixel_size = in->info.meta.pixel_size[2];
    TESS_TRY(particles_open(&r->p, in->name, "_rlnImageName", in->chosen, in->n_chosen));
    if (r->halves || job_has(j, "half")) TESS_TRY(particles_halves(&r->p, j));
    if (job_has(j, "half")) TESS_TRY(choose_half(j, r, in));
    TESS_TRY(particles_orientations(&r->p, pixel_size));
    if (!job_has(j, "no-ctf") && particles_have_ctfs(&r->p)) TESS_TRY(particles_ctfs(&r->p, j, pixel_size));
    return TESS_OK;
}

/* Bytes of the sums. */
static int64_t bytes_of_sums(const reconstruction *r)
{
    const int64_t p = r->side * r->opts.padding;
    return (r->halves ? 2 : 1) * 12 * p * p * (p / 2 + 1);
}

static tess_status reconstruct_list(job *j, input *in, reconstruction *r)
{
    const tess_shape shape = in->info.shape;
    const int64_t    s = shape.w;
    const double     apix = in->info.meta.pixel_size[2];
    bool             skip;
    TESS_CHECK(in->listed, TESS_EARG, "reconstruct: %s is no STAR file; a list of images with angles is needed",
               in->name);
    TESS_CHECK(shape.h == s, TESS_ESHAPE, "reconstruct: %s has images of %lld x %lld; square ones are needed", in->name,
               (long long)s, (long long)shape.h);
    r->side = s;
    TESS_TRY(read_particles(j, r, in));
    TESS_TRY(find_options(j, r, apix));
    const tess_shape cube = TESS_SHAPE(1, s, s, s);
    const int64_t    p = s * r->opts.padding;
    TESS_TRY(output_planned(j, NULL, cube, TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(volume_fits(j, TESS_SHAPE(1, p, p, p), bytes_of_sums(r) + 16 * p * p * (p / 2 + 1)));
    input *const    inputs[] = { in };
    const slab_plan plan = { .domain = in->info.shape,
                             .inputs = inputs,
                             .n_inputs = 1,
                             .in_dtypes = &(tess_dtype){ TESS_F32 },
                             .images = true,
                             .out_shape = in->info.shape,
                             .extra = (r->p.tilts.data ? 6 : 4) * 8 * s * (s / 2 + 1),
                             .taken = bytes_of_sums(r),
                             .unit = "images",
                             .device = j->device };
    TESS_TRY(stream_slabs(j, &plan, NULL, reconstruct_slab, r));
    return write_maps(r, &(tess_meta){ .pixel_size = { apix, apix, apix } });
}

static tess_status check_outputs(job *j, reconstruction *r)
{
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(half_map_names(j, "half-maps", r->names));
    TESS_CHECK(!r->halves || !job_has(j, "half"), TESS_EARG,
               "reconstruct: --half is of one half set, and --half-maps needs both");
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
    particles_free(&r->p);
    for (int k = 0; k < 2; k++) {
        tess_release(&r->of[k].volume);
        tess_release(&r->of[k].weights);
    }
    return status;
}

static tess_status run(job *j)
{
    reconstruction *r = calloc(1, sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "reconstruct: out of memory");
    r->job = j;
    r->halves = job_has(j, "half-maps");
    const tess_status status = run_with(j, r);
    free(r);
    return status;
}

const verb verb_reconstruct = {
    .name = "reconstruct",
    .subject = "particles",
    .summary = "a map of particles with known angles, by Fourier insertion",
    .arguments = "STAR... -o MAP",
    .text =
        "Images are moved by their rlnOriginX, rlnOriginY and put, as slices times their CTF, into the Fourier "
        "transform of a map of --pad times the box; this is divided by the sum of squared CTFs, each at least --floor "
        "of the mean of its shell, and transformed back. CTFs are used if the STAR file has defoci, and phases "
        "of beam tilt (rlnBeamTiltX, rlnBeamTiltY) are put right first. A mean over the "
        "point group --sym is made of slices, at all orientations that are equal. Half sets are those of "
        "rlnRandomSubset, or else rows by turns; --half-maps writes both, tells their FSC, and makes the map of their "
        "sum, whose last digits may differ from those without it.\n\n"
        "--ewald puts each image on both sides of the Ewald sphere with the phases that belong to them (after Russo "
        "and "
        "Henderson, 2018); which side is right depends on the microscope and on the hand of the map, so try both. "
        "Images are added in their order: results do not depend on threads and memory.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
