/* The map of a synthetic structure: a sum of Gaussians at random positions. */
#include "tessera/jobs/simulate_atoms.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/result_sink.h"
#include "jobs/run/table.h"
#include "jobs/simulate/pseudo_atoms.h"
#include "tessera/ewise.h"
#include "tessera/jobs/slabs.h"

static const char fn[] = "simulate_atoms";

enum { X, Y, Z, COLUMNS };
static const tess_choice columns[] = {
    { "x", X, "position along x, in pixels from 0" },
    { "y", Y, "position along y, in pixels" },
    { "z", Z, "position along z, in pixels" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_VOLUME(tess_simulate_atoms_result, map, "", "map of the structure"),
    TESS__RESULT_COLUMNS(tess_simulate_atoms_result, positions, columns, "positions of the atoms"),
    TESS__OPT_I64(tess_simulate_atoms_opts, box, "pixels", 64, 8, 4096, "box size of the map"),
    TESS__OPT_I64(tess_simulate_atoms_opts, atoms, "", 300, 1, 10000, "number of atoms"),
    TESS__AUTO_F64(tess_simulate_atoms_opts, radius, "pixels", "0.3 of the box", TESS__POSITIVE, DBL_MAX,
                   "maximum distance of an atom from the centre of the structure"),
    TESS__OPT_F64(tess_simulate_atoms_opts, sigma, "pixels", 0.8, 0.1, 4096,
                  "standard deviation of the Gaussian that represents each atom"),
    TESS__OPT_SINK(tess_simulate_atoms_opts, sink, "sink for the map"),
    TESS__AUTO_F64(tess_simulate_atoms_opts, pixel_size, "\xc3\x85", "not known", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN_ALONE(simulate_atoms)
const tess_job_info tess__job_simulate_atoms =
    TESS__JOB(simulate_atoms, "Simulate a map of a compact, asymmetric structure of pseudo-atoms", args,
              tess_simulate_atoms_opts, tess_simulate_atoms_result);

typedef struct structure {
    tess_simulate_atoms_opts o;
    tess_array               atoms; /* {n,1,1,3}: z, y, x */
} structure;

static tess_status check_options(structure *s)
{
    const double box = (double)s->o.box;
    if (!(s->o.radius > 0)) s->o.radius = 0.3 * box;
    TESS_CHECK(s->o.radius <= 0.5 * box, TESS_ERANGE,
               "%s: `opts->radius` is %g pixels; it must be above 0 and at most half the box, %g", fn, s->o.radius,
               0.5 * box);
    TESS_CHECK(s->o.sigma <= box, TESS_ERANGE, "%s: `opts->sigma` is %g pixels; 0.1 to %lld is allowed", fn, s->o.sigma,
               (long long)s->o.box);
    return TESS_OK;
}

static tess_status draw(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)in;
    const structure *s = user;
    return tess__gaussian_atoms(out, &s->atoms, s->o.sigma, slab->z);
}

static tess_status fill_positions(tess_array *table, const structure *s)
{
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, s->o.atoms, COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < s->o.atoms; i++)
        for (int column = 0; column < COLUMNS; column++)
            ((double *)table->data)[COLUMNS * i + column] = ((const double *)s->atoms.data)[3 * i + 2 - column];
    return TESS_OK;
}

/* Their mean, the origin, goes to pixel n/2 of the box. */
static tess_status work(tess_simulate_atoms_result *r, structure *s, const tess_context *context)
{
    const int64_t     box = s->o.box;
    const double      size = s->o.pixel_size;
    const tess_shape  shape = TESS_SHAPE(1, box, box, box);
    const tess_meta   meta = { .pixel_size = { size, size, size } };
    tess__result_sink to = { .fn = fn, .sink = s->o.sink };
    TESS_TRY(check_options(s));
    TESS_TRY(tess__pseudo_atoms(&s->atoms, s->o.atoms, s->o.radius, context->seed));
    TESS_TRY(tess_add(&s->atoms, &s->atoms, &tess_num(box / 2)));
    TESS_TRY(fill_positions(&r->positions, s));
    TESS_TRY(tess__result_sink_begin(&to, &r->map, shape, TESS_F32, &meta, context));
    const int64_t        along_axes = 16 * box * s->o.atoms; /* Gaussians along y and x, and of one in f64 */
    const tess_slab_plan plan = { .name = fn,
                                  .domain = shape,
                                  .out_shape = shape,
                                  .out_dtype = TESS_F32,
                                  .extra = (int64_t)sizeof(float) * box * s->o.atoms,
                                  .taken = to.taken + along_axes,
                                  .stage = "sections" };
    return tess_slabs_run(&plan, to.sink, draw, s, context);
}

tess_status tess_simulate_atoms(tess_simulate_atoms_result *result, const tess_simulate_atoms_opts *opts,
                                const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    structure    s = { .atoms = { .data = NULL } };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__resolve(&tess__job_simulate_atoms.function, opts, &s.o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &s, &c);
    tess_release(&s.atoms);
    if (status != TESS_OK) tess_simulate_atoms_result_release(result);
    return status;
}

void tess_simulate_atoms_result_release(tess_simulate_atoms_result *result)
{
    if (!result) return;
    tess_release(&result->map);
    tess_release(&result->positions);
    memset(result, 0, sizeof *result);
}
