/* Projections of a map at given orientations: central slices of its Fourier transform, or sums along rays. */
#include "tessera/jobs/project_map.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/finite.h"
#include "jobs/data/particles/particle_rows.h"
#include "jobs/data/pixels.h"
#include "jobs/data/result_sink.h"
#include "jobs/run/table.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/fourier_project.h"
#include "tessera/jobs/slabs.h"
#include "tessera/project.h"
#include "tessera/rotation.h"

static const char fn[] = "project_map";

#define ANGSTROM "\xc3\x85"

static const tess_choice methods[] = {
    { "fourier", TESS_PROJECT_FOURIER, "central slices of the spectrum" },
    { "real", TESS_PROJECT_REAL, "sums along rays" },
    { .name = NULL },
};

#define O tess_project_map_opts
static const tess_arg_info args[] = {
    TESS__RESULT_IMAGES(tess_project_map_result, images, "", "projections"),
    TESS__RESULT_F64(tess_project_map_result, pixel_size, ANGSTROM, "pixel size; 0: not known"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_VOLUME, "map", "map, a cube"),
    TESS__IN("rotations",
             "quaternion (z, y, x, w) of each projection, from the image to the map: {n,1,1,4} or {1,1,n,4}"),
    TESS__OPT_ARRAY(
        O, shifts, const tess_array *,
        "shift (y, x) that moves each particle to the centre, in pixels; the projection is shifted by its negative"),
    TESS__OPT_ARRAY(O, ctfs, const tess_array *, "CTF to multiply each projection by, as fields of a tess_ctf"),
    TESS__OPT_CHOICE(O, method, TESS_PROJECT_FOURIER, methods, "projection method"),
    TESS__OPT_I64(O, pad, "", 2, 1, 8, "padding factor: size of the spectrum relative to the box"),
    TESS__AUTO_F64(O, pixel_size, ANGSTROM, "that of the map", TESS__POSITIVE, DBL_MAX, "pixel size"),
    TESS__OPT_SINK(O, sink, "sink for the projections"),
};
#undef O

TESS__JOB_RUN(project_map, v[0].source, v[1].in)
const tess_job_info tess__job_project_map =
    TESS__JOB(project_map, "Project a map in given orientations, by central slices or along rays", args,
              tess_project_map_opts, tess_project_map_result);

typedef struct projection {
    const tess_context          *context;
    const tess_source           *map;
    const tess_project_map_opts *o;
    tess_array                   rotations, shifts, ctfs; /* f64 on the CPU, a row for each projection; shifts as the
                                                             operations take them */
    tess_array                   source;                  /* the padded spectrum, or the map itself */
    int64_t                      n, side;
} projection;

static bool is_real(const projection *p) { return p->o->method == TESS_PROJECT_REAL; }

/* ---- Projections ---- */

static tess_status project_rays(const projection *p, tess_array *out, const tess_array *rotations,
                                const tess_array *shifts, const tess_array *ctfs)
{
    tess_array  matrices = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_quat_to_matrix(&matrices, rotations));
    TESS_GOTO(done, status, tess_project(out, &p->source, &matrices, &(tess_project_opts){ .centred = 1 }));
    if (ctfs) TESS_GOTO(done, status, tess_ctf_apply_image(out, out, NULL, &(tess_ctf_opts){ .parameters = ctfs }));
    if (shifts) TESS_GOTO(done, status, tess_phase_shift_image(out, out, shifts, NULL));
done:
    tess_release(&matrices);
    return status;
}

static tess_status project_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    const projection *p = user;
    tess_array        parts[3];
    const tess_array *rotations = tess__rows_part(&parts[0], &p->rotations, s->b, s->nb);
    const tess_array *shifts = tess__rows_part(&parts[1], &p->shifts, s->b, s->nb);
    const tess_array *ctfs = tess__rows_part(&parts[2], &p->ctfs, s->b, s->nb);
    (void)in;
    if (is_real(p)) return project_rays(p, out, rotations, shifts, ctfs);
    return tess_fourier_project(
        out, &p->source, rotations,
        &(tess_fourier_project_opts){ .shifts = shifts, .ctfs = ctfs, .padding = (int32_t)p->o->pad });
}

/* ---- The map ---- */

static tess_status prepare_map(projection *p)
{
    const int32_t padding = (int32_t)p->o->pad;
    tess_array    map = { 0 };
    TESS_TRY(tess_source_read_all(p->map, &map, TESS_F32, p->context));
    tess_status status = tess__check_finite_map(fn, p->map, &map);
    if (status == TESS_OK && is_real(p)) {
        p->source = map;
        return TESS_OK;
    }
    if (status == TESS_OK)
        status = tess_fourier_prepare(&p->source, &map, &(tess_fourier_prepare_opts){ .padding = padding });
    tess_release(&map);
    return status;
}

static tess_status read_rows(projection *p, const tess_array *rotations)
{
    TESS_CHECK(rotations, TESS_EARG, "%s: `rotations` is `NULL`; a table of quaternions is expected", fn);
    p->n = rotations->shape.b * rotations->shape.h;
    TESS_CHECK(p->n > 0 || !(rotations->data || rotations->buffer), TESS_ESHAPE,
               "%s: `rotations` has no rows; one or more are needed", fn);
    TESS_TRY(tess__particle_rows(&p->rotations, rotations, &(tess__rows_wanted){ fn, "rotations", p->n, 4, 4 }));
    TESS_TRY(tess__check_quaternions(fn, "rotations", &p->rotations));
    TESS_TRY(tess__particle_rows(
        &p->ctfs, p->o->ctfs, &(tess__rows_wanted){ fn, "opts->ctfs", p->n, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS }));
    if (!p->o->shifts) return TESS_OK;
    TESS_TRY(tess__particle_rows(&p->shifts, p->o->shifts, &(tess__rows_wanted){ fn, "opts->shifts", p->n, 2, 2 }));
    return tess_neg(&p->shifts, &p->shifts); /* from the centre to where the particle is */
}

static tess_status check_map(projection *p)
{
    const tess_shape s = p->map->shape;
    TESS_TRY(tess__need_real(fn, p->map));
    TESS_CHECK(s.b == 1 && s.d == s.w && s.h == s.w && s.w > 0, TESS_ESHAPE,
               "%s: %s has %lld x %lld x %lld voxels (x y z); a cube is needed", fn, p->map->name, (long long)s.w,
               (long long)s.h, (long long)s.d);
    p->side = s.w;
    return TESS_OK;
}

/* ---- The work ---- */

/* Bytes of what slices or rays are taken from, and the most that it takes to make that. */
static void count_bytes(const projection *p, int64_t *kept, int64_t *most)
{
    const int64_t s = p->side, padded = s * p->o->pad, map = 4 * s * s * s;
    const int64_t spectrum = 8 * padded * padded * (padded / 2 + 1);
    *kept = is_real(p) ? map : spectrum;
    *most = is_real(p) ? map : 2 * spectrum + 2 * map;
}

static tess_status project_all(projection *p, tess_project_map_result *r)
{
    const int64_t     s = p->side;
    const tess_shape  out = TESS_SHAPE(p->n, 1, s, s);
    const tess_meta   meta = { .pixel_size = { r->pixel_size, r->pixel_size, r->pixel_size } };
    tess__result_sink to = { .fn = fn, .sink = p->o->sink };
    int64_t           kept, most;
    count_bytes(p, &kept, &most);
    TESS_TRY(tess__result_sink_check(&to));
    TESS_TRY(tess__volume_fits(p->context, fn, p->map->shape, most));
    TESS_TRY(prepare_map(p));
    TESS_TRY(tess__result_sink_begin(&to, &r->images, out, TESS_F32, &meta, p->context));
    const tess_slab_plan plan = { .name = fn,
                                  .domain = out,
                                  .out_shape = out,
                                  .out_dtype = TESS_F32,
                                  .extra = 8 * s * (s / 2 + 1),
                                  .taken = kept + to.taken,
                                  .stage = "images" };
    return tess_slabs_run(&plan, to.sink, project_slab, p, p->context);
}

static tess_status work(projection *p, tess_project_map_result *r, const tess_array *rotations)
{
    r->pixel_size = p->o->pixel_size > 0 ? p->o->pixel_size : p->map->meta ? p->map->meta->pixel_size[2] : 0;
    TESS_TRY(check_map(p));
    TESS_TRY(read_rows(p, rotations));
    return project_all(p, r);
}

tess_status tess_project_map(tess_project_map_result *result, const tess_source *map, const tess_array *rotations,
                             const tess_project_map_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_project_map_opts o;
    tess_context          c;
    projection            p = { .context = &c, .map = map, .o = &o };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "map", map));
    TESS_TRY(tess__resolve(&tess__job_project_map.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    TESS_CHECK(!(opts && opts->pad != 0) || !is_real(&p), TESS_EARG,
               "%s: `opts->pad` applies to central slices, but `opts->method` is sums along rays", fn);
    const tess_status status = work(&p, result, rotations);
    tess_array *const arrays[] = { &p.rotations, &p.shifts, &p.ctfs, &p.source };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
    if (status != TESS_OK) tess_project_map_result_release(result);
    return status;
}

void tess_project_map_result_release(tess_project_map_result *result)
{
    if (!result) return;
    tess_release(&result->images);
    memset(result, 0, sizeof *result);
}
