/* tessera simulate atoms: the map of a synthetic structure. */
#include "files/slab_pipeline.h"
#include "particles/pseudo_atoms.h"
#include "particles/truth_star.h"

static const option options[] = {
    { .name = "box", .value = "N", .type = OPTION_INTEGER, .help = "pixels of a side of the map [64]" },
    { .name = "atoms", .value = "N", .type = OPTION_INTEGER, .help = "how many [300]" },
    { .name = "radius",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "from the middle of the structure to its farthest atom [0.3 of the box]" },
    { .name = "sigma", .value = "L", .type = OPTION_LENGTH, .help = "of the Gaussian that an atom is [0.8]" },
    { .name = "star",
      .writes = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write the places of the atoms here, in pixels from 0" },
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate atoms --apix 1.5 -o structure.mrc",
    "tessera simulate atoms --box 48 --atoms 120 --radius 24A --apix 2 --seed 5 -o small.mrc --star atoms.star",
    NULL,
};

typedef struct structure {
    tess_array atoms; /* {n,1,1,3}, z, y, x */
    int64_t    box, n;
    double     radius, sigma;
} structure;

static tess_status take_options(const job *j, structure *s)
{
    const double apix = job_number(j, "apix", 0);
    s->box = job_integer(j, "box", 64);
    s->n = job_integer(j, "atoms", 300);
    TESS_CHECK(s->box >= 8 && s->box <= 4096, TESS_ERANGE, "simulate atoms: --box is %lld; 8 to 4096 is allowed",
               (long long)s->box);
    TESS_CHECK(s->n >= 1 && s->n <= 10000, TESS_ERANGE, "simulate atoms: --atoms is %lld; 1 to 10000 is allowed",
               (long long)s->n);
    s->radius = 0.3 * (double)s->box;
    s->sigma = 0.8;
    TESS_TRY(job_length(j, "radius", apix, &s->radius));
    TESS_TRY(job_length(j, "sigma", apix, &s->sigma));
    TESS_CHECK(s->radius > 0 && s->radius <= 0.5 * (double)s->box, TESS_ERANGE,
               "simulate atoms: --radius is %g pixels; above 0 and at most half of the box, %g, is allowed", s->radius,
               0.5 * (double)s->box);
    TESS_CHECK(s->sigma >= 0.1 && s->sigma <= (double)s->box, TESS_ERANGE,
               "simulate atoms: --sigma is %g pixels; 0.1 to %lld is allowed", s->sigma, (long long)s->box);
    return TESS_OK;
}

/* Their mean, the origin, goes to pixel n/2 of the box. */
static tess_status make_atoms(const job *j, structure *s)
{
    TESS_TRY(pseudo_atoms(&s->atoms, s->n, s->radius, (uint64_t)job_integer(j, "seed", 0)));
    return tess_add(&s->atoms, &s->atoms, &tess_num(s->box / 2));
}

static tess_status draw(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)in;
    const structure *s = context;
    return gaussian_atoms(out, &s->atoms, s->sigma, part->z);
}

static tess_status fill_star(tess_star *star, const structure *s)
{
    static const char *const labels[] = { "_rlnCoordinateZ", "_rlnCoordinateY", "_rlnCoordinateX" };
    tess_star_table         *rows;
    TESS_TRY(tess_star_add(&rows, star, "atoms", false));
    TESS_TRY(tess_star_add_rows(rows, s->n));
    for (int64_t i = 0; i < s->n; i++)
        for (int axis = 2; axis >= 0; axis--)
            TESS_TRY(tess_star_set_f64(rows, i, labels[axis], ((const double *)s->atoms.data)[3 * i + axis]));
    return TESS_OK;
}

static tess_status write_star(const job *j, const structure *s)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    tess_status status = fill_star(star, s);
    if (status == TESS_OK) status = truth_star_write(j, star);
    tess_star_free(star);
    return status;
}

static tess_status simulate(job *j, structure *s)
{
    const tess_shape shape = TESS_SHAPE(1, s->box, s->box, s->box);
    tess_meta        meta = { .pixel_size = { 0 } };
    slab_plan        plan = { .domain = shape,
                              .out_shape = shape,
                              .out_dtype = TESS_F32,
                              .extra = (int64_t)sizeof(float) * s->box * s->n,
                              .unit = "sections",
                              .device = j->device };
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = job_number(j, "apix", 0);
    TESS_TRY(make_atoms(j, s));
    TESS_TRY(stream_slabs_to_file(j, &plan, &meta, draw, s));
    return job_has(j, "star") && !job_has(j, "dry-run") ? write_star(j, s) : TESS_OK;
}

static tess_status run(job *j)
{
    structure s = { .box = 0 };
    TESS_TRY(output_check(j, NULL));
    if (job_has(j, "star")) TESS_TRY(truth_star_check(j));
    TESS_TRY(take_options(j, &s));
    const tess_status status = simulate(j, &s);
    tess_release(&s.atoms);
    return status;
}

const verb verb_simulate_atoms = {
    .name = "simulate atoms",
    .subject = "files",
    .summary = "the map of a compact structure of pseudo-atoms without symmetry",
    .arguments = "-o MAP",
    .text = "Atoms are Gaussians of height 1 at random places in a body of four balls of different sizes; their mean "
            "lies on pixel n/2 of the box. With --star their places are written as rlnCoordinateX, Y and Z.",
    .globals = GLOBAL_OUT | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(0, 0),
};
