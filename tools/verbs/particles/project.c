/* tessera project: projections of a map, by central slices of its spectrum or along rays. */
#include "command/context.h"
#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "movies/tilt_rotations.h"
#include "operation/job_options.h"
#include "particles/particles.h"
#include "tessera/cryosparc.h"

static const option options[] = {
    VALUE("angles", "FILE", OPTION_FILE,
          "STAR or .cs file of angles and shifts, or .tlt or .mdoc file of tilts about y"),
    VALUE("uniform", "DEG", OPTION_ANGLE, "angle between neighbouring views, evenly spread"),
    VALUE("random", "N", OPTION_INTEGER, "number of random orientations; --seed chooses them"),
    FLAG("ctf", "multiply by the CTF of each row of the STAR file"),
    FLAG("no-shifts", "ignore the shifts of the STAR file"),
    VALUE("star", "OUT", OPTION_FILE, "write a STAR file of the projections", .writes = true, .is_particles = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera project --random 20 --seed 3 volume.mrc -o views.mrcs --star views.star",
    "tessera project --uniform 30 volume.mrc -o around.mrcs",
    "tessera project --angles poses.star --ctf volume.mrc -o particles.mrcs",
    NULL,
};

/* ---- Orientations ---- */

static tess_status made_orientations(job *j, tess_array *rotations)
{
    if (job_has(j, "angles")) return tilt_rotations_of_file(rotations, job_text(j, "angles", ""));
    if (job_has(j, "uniform")) {
        double apart = 0;
        TESS_TRY(job_angle(j, "uniform", &apart));
        return tess_quat_grid(rotations, apart, &(tess_quat_grid_opts){ .views = 1 });
    }
    const int64_t n = job_integer(j, "random", 0);
    TESS_CHECK(n >= 1 && n <= 100000000, TESS_ERANGE, "--random is %lld; expected 1 to 1e8", (long long)n);
    TESS_TRY(tess_empty(rotations, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    return tess_quat_random(rotations, (uint64_t)job_integer(j, "seed", 0), NULL);
}

static tess_status listed_orientations(job *j, tess_particles *p, double pixel_size)
{
    const bool                no_shifts = job_has(j, "no-shifts"), ctf = job_has(j, "ctf");
    const tess_context        context = job_context(j);
    const double              size = no_shifts && !(pixel_size > 0) && !ctf ? 1 : pixel_size;
    const int32_t             wanted = TESS_PARTICLES_POSES | (ctf ? TESS_PARTICLES_CTFS : 0);
    const tess_particles_opts opts = {
        .what = wanted, .needed = wanted, .label = "_rlnAngleRot", .pixel_size = tess_given(size)
    };
    TESS_TRY(tess_particles_open(p, job_text(j, "angles", ""), &opts, &context));
    if (!(pixel_size > 0) && tess_star_column(p->rows, "_rlnOriginXAngst") < 0) p->pixel_size = 0;
    if (!no_shifts) return TESS_OK;
    TESS_TRY(tess_fill(&p->shifts, 0));
    return tess_particles_put_poses(p);
}

static tess_status find_orientations(job *j, tess_particles *p, const input *in)
{
    const int    n = job_has(j, "angles") + job_has(j, "uniform") + job_has(j, "random");
    const double pixel_size = in->info.meta.pixel_size[2];
    TESS_CHECK(n == 1, TESS_EARG, "project: %s; give one of --angles, --uniform and --random",
               n ? "more than one source of angles was given" : "no angles were given");
    const bool is_list = tess_star_is_named(job_text(j, "angles", ""));
    TESS_CHECK(is_list || !job_has(j, "ctf"), TESS_EARG,
               "project: --ctf requires --angles with a STAR file, which has the CTFs");
    if (is_list) return listed_orientations(j, p, pixel_size);
    tess_particles made = { .pixel_size = pixel_size };
    tess_status    status = made_orientations(j, &made.rotations);
    if (status == TESS_OK) status = tess_particles_new(p, &made, in->info.shape.w);
    tess_release(&made.rotations);
    return status;
}

/* ---- The verb ---- */

static tess_status project(job *j, input *in, tess_particles *p)
{
    const double            size = in->info.meta.pixel_size[2];
    const int64_t           s = in->info.shape.w;
    const tess_meta         meta = { .pixel_size = { size, size, size } };
    const tess_context      context = job_context(j);
    tess_project_map_opts   o = { .shifts = job_has(j, "no-shifts") ? NULL : &p->shifts };
    tess_project_map_result r = { 0 };
    output_sink             sink;
    bool                    skip;
    if (p->ctfs.data) o.ctfs = &p->ctfs;
    TESS_TRY(job_fill_options(j, tess_job_find(j->verb->job), (job_scale){ size, s }, &o));
    TESS_TRY(output_planned(j, NULL, TESS_SHAPE(p->n, 1, s, s), TESS_F32, &skip));
    if (skip) return TESS_OK;
    output_sink_make(&sink, j, TESS_F32, &meta);
    o.sink = &sink.sink;
    const tess_status status = tess_project_map(&r, input_source(in), &p->rotations, &o, &context);
    TESS_TRY(output_sink_end(&sink, job_context_end(j, status)));
    if (!job_has(j, "star")) return TESS_OK;
    TESS_TRY(particles_name_stack(p, j, job_text(j, "output", "")));
    return particles_write(p, j, job_text(j, "star", ""));
}

static tess_status project_file(job *j, input *in, tess_particles *p)
{
    const tess_shape s = in->info.shape;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(s.b == 1 && s.d == s.w && s.h == s.w, TESS_ESHAPE,
               "project: %s has %lld x %lld x %lld voxels (x y z); it must be a cube", in->name, (long long)s.w,
               (long long)s.h, (long long)s.d);
    TESS_TRY(find_orientations(j, p, in));
    return project(j, in, p);
}

static tess_status run(job *j)
{
    input          in;
    tess_particles p = { .star = NULL };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_VOLUME));
    const tess_status status = project_file(j, &in, &p);
    tess_particles_release(&p);
    input_close(&in);
    return status;
}

const verb verb_project = {
    .name = "project",
    .job = "project_map",
    .fills = "shifts ctfs",
    .subject = "particles",
    .summary = "project a map at given, uniform or random orientations",
    .arguments = "MAP... -o OUT",
    .text = "The map, a cube, is padded, divided by the transform of linear interpolation and transformed. Each "
            "projection is a central slice of the spectrum, multiplied by the CTF (--ctf), shifted, and transformed "
            "back. --method real sums voxels along rays instead. With both methods, a pixel is a sum of voxels.\n\n"
            "Angles (rot, tilt, psi) and shifts follow RELION: a particle, and so its projection, lies at minus its "
            "rlnOriginX, rlnOriginY from the centre n/2. With a .tlt file, a point (x, z) of the map is seen at x "
            "cos t + z sin t. --star writes the angles, given or generated, with the names of the new images.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_SEED | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
