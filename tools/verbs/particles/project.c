/* tessera project: projections of a map, by central slices of its spectrum or along rays. */
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "command/context.h"
#include "movies/tilts.h"
#include "particles/particles.h"
#include "tessera/cryosparc.h"

static const option options[] = {
    { .name = "angles",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "a STAR or .cs file with angles and shifts, or a .tlt or .mdoc file of tilts about y" },
    { .name = "uniform", .value = "DEG", .type = OPTION_ANGLE, .help = "views about so far apart, evenly over all" },
    { .name = "random", .value = "N", .type = OPTION_INTEGER, .help = "number of random orientations, by --seed" },
    { .name = "ctf", .type = OPTION_FLAG, .help = "with the CTF of each row of the STAR file" },
    { .name = "no-shifts", .type = OPTION_FLAG, .help = "leave out the shifts of the STAR file" },
    { .name = "star",
      .writes = true,
      .is_particles = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write the rows of the new stack here" },
    { .name = "method",
      .value = "M",
      .choices = "fourier real",
      .type = OPTION_CHOICE,
      .help = "slices of the spectrum, or sums along rays [fourier]" },
    { .name = "pad", .value = "N", .type = OPTION_INTEGER, .help = "the spectrum is that of N times the box [2]" },
    { 0 },
};
static const char *const examples[] = {
    "tessera project --random 20 --seed 3 volume.mrc -o views.mrcs --star views.star",
    "tessera project --uniform 30 volume.mrc -o around.mrcs",
    "tessera project --angles poses.star --ctf volume.mrc -o particles.mrcs",
    NULL,
};

typedef struct projection {
    tess_particles p;
    tess_array     source; /* the padded spectrum, or the volume itself */
    int32_t        padding;
    bool           rays;
    bool           shifts;
} projection;

/* ---- Orientations ---- */

/* Tilts t about y: a point (x, z) is seen at x cos t + z sin t. */
static tess_status tilted(tess_array *rotations, const char *path)
{
    tess_array  tilts = { 0 }, angles = { 0 }, column;
    tess_status status;
    TESS_GOTO(done, status, tilts_of_file(&tilts, path));
    TESS_GOTO(done, status, tess_zeros(&angles, TESS_SHAPE(tilts.shape.b, 1, 1, 3), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_index(&column, &angles, 3, 1));
    TESS_GOTO(done, status, tess_neg(&column, &tilts));
    TESS_GOTO(done, status, tess_euler_to_quat(rotations, &angles, &(tess_euler_opts){ .convention = "relion" }));
done:
    tess_release(&tilts);
    tess_release(&angles);
    return status;
}

static tess_status made_orientations(job *j, tess_array *rotations)
{
    if (job_has(j, "angles")) return tilted(rotations, job_text(j, "angles", ""));
    if (job_has(j, "uniform")) {
        double apart = 0;
        TESS_TRY(job_angle(j, "uniform", &apart));
        return tess_quat_grid(rotations, apart, &(tess_quat_grid_opts){ .views = 1 });
    }
    const int64_t n = job_integer(j, "random", 0);
    TESS_CHECK(n >= 1 && n <= 100000000, TESS_ERANGE, "--random: %lld; 1 to 1e8 is allowed", (long long)n);
    TESS_TRY(tess_empty(rotations, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    return tess_quat_random(rotations, (uint64_t)job_integer(j, "seed", 0), NULL);
}

static tess_status listed_orientations(job *j, projection *x, double pixel_size)
{
    const tess_context        context = job_context(j);
    const double              size = !x->shifts && !(pixel_size > 0) && !job_has(j, "ctf") ? 1 : pixel_size;
    const int32_t             wanted = TESS_PARTICLES_POSES | (job_has(j, "ctf") ? TESS_PARTICLES_CTFS : 0);
    const tess_particles_opts opts = {
        .what = wanted, .needed = wanted, .label = "_rlnAngleRot", .pixel_size = tess_given(size)
    };
    TESS_TRY(tess_particles_open(&x->p, job_text(j, "angles", ""), &opts, &context));
    if (!(pixel_size > 0) && tess_star_column(x->p.rows, "_rlnOriginXAngst") < 0) x->p.pixel_size = 0;
    if (!x->shifts) {
        TESS_TRY(tess_fill(&x->p.shifts, 0));
        TESS_TRY(tess_particles_put_poses(&x->p));
    }
    return tess_neg(&x->p.shifts, &x->p.shifts); /* from the centre to where the particle is */
}

static tess_status find_orientations(job *j, projection *x, const input *in)
{
    const int    n = job_has(j, "angles") + job_has(j, "uniform") + job_has(j, "random");
    const double pixel_size = in->info.meta.pixel_size[2];
    TESS_CHECK(n == 1, TESS_EARG, "project: %s; one of --angles, --uniform and --random is needed",
               n ? "more than one kind of angles was given" : "no angles were given");
    const bool is_list = tess_star_is_named(job_text(j, "angles", ""));
    TESS_CHECK(is_list || !job_has(j, "ctf"), TESS_EARG, "project: --ctf takes CTFs from the STAR file of --angles");
    if (is_list) return listed_orientations(j, x, pixel_size);
    tess_array           rotations = { 0 };
    tess_status          status = made_orientations(j, &rotations);
    const tess_particles made = { .rotations = rotations, .pixel_size = pixel_size };
    if (status == TESS_OK) status = tess_particles_new(&x->p, &made, in->info.shape.w);
    tess_release(&rotations);
    return status;
}

/* ---- Images ---- */

static tess_status project_rays(const projection *x, tess_array *out, const tess_array *rotations,
                                const tess_array *shifts, const tess_array *ctfs)
{
    tess_array  matrices = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_quat_to_matrix(&matrices, rotations));
    TESS_GOTO(done, status, tess_project(out, &x->source, &matrices, &(tess_project_opts){ .centred = 1 }));
    if (ctfs) TESS_GOTO(done, status, tess_ctf_apply_image(out, out, NULL, &(tess_ctf_opts){ .parameters = ctfs }));
    if (shifts) TESS_GOTO(done, status, tess_phase_shift_image(out, out, shifts, NULL));
done:
    tess_release(&matrices);
    return status;
}

static tess_status project_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)in;
    const projection *x = context;
    tess_array        parts[3];
    const tess_array *rotations = particles_part(&parts[0], &x->p.rotations, s->b, s->nb);
    const tess_array *shifts = particles_part(&parts[1], &x->p.shifts, s->b, s->nb);
    const tess_array *ctfs = particles_part(&parts[2], &x->p.ctfs, s->b, s->nb);
    if (x->rays) return project_rays(x, out, rotations, x->shifts ? shifts : NULL, ctfs);
    return tess_fourier_project(
        out, &x->source, rotations,
        &(tess_fourier_project_opts){ .shifts = x->shifts ? shifts : NULL, .ctfs = ctfs, .padding = x->padding });
}

/* The volume on the device of the job, and its spectrum. */
static tess_status prepare(job *j, projection *x, input *in)
{
    tess_array  volume = { 0 };
    tess_status status;
    TESS_GOTO(done, status, input_read_all(in, j, &volume, TESS_F32));
    TESS_GOTO(done, status, need_finite(j, in->name, &volume));
    TESS_GOTO(done, status, move_array(&volume, j->device));
    if (x->rays) x->source = volume, volume = (tess_array){ 0 };
    else
        TESS_GOTO(done, status,
                  tess_fourier_prepare(&x->source, &volume, &(tess_fourier_prepare_opts){ .padding = x->padding }));
done:
    tess_release(&volume);
    return status;
}

static tess_status write_rows(job *j, projection *x)
{
    const char *path = job_text(j, "star", NULL);
    if (!path) return TESS_OK;
    TESS_TRY(particles_name_stack(&x->p, j, job_text(j, "output", "")));
    return particles_write(&x->p, j, path);
}

static tess_status project_map(job *j, input *in, projection *x)
{
    const tess_shape shape = in->info.shape;
    const int64_t    s = shape.w, p = s * x->padding, spectrum = 8 * p * p * (p / 2 + 1);
    bool             skip;
    TESS_CHECK(shape.b == 1 && shape.d == s && shape.h == s, TESS_ESHAPE,
               "project: %s has %lld x %lld x %lld voxels (x y z); a cube is needed", in->name, (long long)s,
               (long long)shape.h, (long long)shape.d);
    TESS_TRY(find_orientations(j, x, in));
    const tess_shape out = TESS_SHAPE(x->p.n, 1, s, s);
    TESS_TRY(output_planned(j, NULL, out, TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(volume_fits(j, shape, x->rays ? 4 * s * s * s : 2 * spectrum + 8 * s * s * s));
    TESS_TRY(prepare(j, x, in));
    slab_plan plan = { .domain = out,
                       .out_shape = out,
                       .out_dtype = TESS_F32,
                       .extra = 8 * s * (s / 2 + 1),
                       .taken = x->rays ? 4 * s * s * s : spectrum,
                       .unit = "images",
                       .device = j->device };
    tess_meta meta = { .pixel_size = { in->info.meta.pixel_size[2], in->info.meta.pixel_size[2],
                                       in->info.meta.pixel_size[2] } };
    TESS_TRY(stream_slabs_to_file(j, &plan, &meta, project_slab, x));
    return write_rows(j, x);
}

static tess_status run(job *j)
{
    projection    x = { .rays = strcmp(job_text(j, "method", "fourier"), "real") == 0,
                        .shifts = !job_has(j, "no-shifts") };
    input         in;
    const int64_t pad = job_integer(j, "pad", 2);
    TESS_CHECK(pad >= 1 && pad <= 8, TESS_ERANGE, "--pad: %lld; 1 to 8 is allowed", (long long)pad);
    x.padding = (int32_t)pad;
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_VOLUME));
    tess_status status = need_real(j, &in);
    if (status == TESS_OK) status = project_map(j, &in, &x);
    tess_particles_release(&x.p);
    tess_release(&x.source);
    input_close(&in);
    return status;
}

const verb verb_project = {
    .name = "project",
    .subject = "particles",
    .summary = "projections of a map, at angles of a STAR file, uniform or random ones",
    .arguments = "MAP... -o OUT",
    .text =
        "The map, a cube, is padded, divided by the transform of linear interpolation and transformed; each projection "
        "is a central slice of the spectrum, times the CTF (--ctf), shifted, and transformed back. --method real adds "
        "voxels along rays instead. Projections are sums of voxels.\n\n"
        "Angles are those of RELION (rot, tilt, psi), and so are shifts: a particle lies at minus its rlnOriginX, "
        "rlnOriginY from the middle n/2, and so does its projection. Of a .tlt file, a point (x, z) of the map is seen "
        "at x cos t + z sin t. --star writes angles with the names of the new images: those that were given, or made.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_SEED | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
