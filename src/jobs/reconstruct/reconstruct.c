/* Reconstruction of particles with known orientations: the slices that images are, put into the Fourier transform of a
 * map. */
#include "tessera/jobs/reconstruct.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/maps/map_fsc.h"
#include "jobs/data/particles/particle_rows.h"
#include "jobs/data/particles/particle_set.h"
#include "jobs/data/pixels.h"
#include "jobs/run/table.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/fourier_project.h"
#include "tessera/jobs/slabs.h"
#include "tessera/symmetry.h"

static const char fn[] = "reconstruct";

static const tess_choice sides[] = {
    { "front", TESS_EWALD_FRONT, "towards the electron source" },
    { "back", TESS_EWALD_BACK, "away from the electron source" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_reconstruct_result, map, "", "map of all images"),
    TESS__RESULT_ARRAY(tess_reconstruct_result, half1, "", "map of half set 1"),
    TESS__RESULT_ARRAY(tess_reconstruct_result, half2, "", "map of half set 2"),
    TESS__RESULT_F64(
        tess_reconstruct_result, resolution, "\xc3\x85",
        "resolution where the FSC of the half maps falls below 0.143; in pixels if their size is not known"),
    TESS__RESULT_F64(tess_reconstruct_result, resolution_0_5, "\xc3\x85", "resolution where that FSC falls below 0.5"),
    TESS__SOURCE_IMAGES("images", "square images of particles"),
    TESS__IN_OPTIONAL("rotations", "quaternion (z, y, x, w) of each image, from the image to the map: {n,1,1,4} or "
                                   "{1,1,n,4}; not needed for images from a STAR file"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, shifts, const tess_array *,
                    "shift (y, x) that moves each particle to the centre, in pixels"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, ctfs, const tess_array *, "CTF of each image, as fields of a tess_ctf"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, halves, const tess_array *, "half set of each image, 1 or 2"),
    TESS__OPT_TEXT(tess_reconstruct_opts, sym, "point-group symmetry: C4, D7, T, O, I1, I2 [C1]"),
    TESS__OPT_F64(tess_reconstruct_opts, cutoff, "cycles per pixel", 0.5, TESS__POSITIVE, DBL_MAX,
                  "maximum frequency used"),
    TESS__OPT_F64(tess_reconstruct_opts, floor, "", 0.001, TESS__POSITIVE, 1,
                  "minimum weight, as a fraction of the mean of its shell"),
    TESS__OPT_I64(tess_reconstruct_opts, pad, "", 2, 1, 8, "padding factor: size of the spectrum relative to the box"),
    TESS__OPT_CHOICE(tess_reconstruct_opts, ewald, 0, sides, "correct for the Ewald sphere, curved in this direction"),
    TESS__AUTO_F64(tess_reconstruct_opts, diameter, "pixels", "that of the box", TESS__POSITIVE, 1e9,
                   "particle diameter, for ewald"),
    TESS__AUTO_F64(tess_reconstruct_opts, pixel_size, "\xc3\x85", "that of the images", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN(reconstruct, v[0].source, v[1].in)
const tess_job_info tess__job_reconstruct =
    TESS__JOB(reconstruct, "Reconstruct a map from particles with known orientations, by Fourier insertion", args,
              tess_reconstruct_opts, tess_reconstruct_result);

/* Sums of the spectra of images and of their weights. */
typedef struct sums {
    tess_array volume, weights;
} sums;

typedef struct reconstruction {
    const tess_context           *context;
    const tess_source            *in;
    tess_reconstruct_opts         o;
    tess__particle_set            set;
    int64_t                       side;
    double                        pixel_size; /* Å; 0: not known */
    tess_fourier_backproject_opts opts;       /* what is the same for all images */
    sums                          of[2];      /* of all images, or of both half sets */
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

/* Those of a half set, of images that are particles from `first` on. */
static tess_status add_half(reconstruction *r, int half, const tess_array *images, int64_t first)
{
    tess__particle_part part;
    tess_status         status = tess__particles_of_half(&part, &r->set, half, images, first);
    const tess_array   *rows[3] = { &part.rotations, part.shifts.data ? &part.shifts : NULL,
                                  part.ctfs.data ? &part.ctfs : NULL };
    if (status == TESS_OK && part.n > 0) status = add_images(r, &r->of[half - 1], &part.images, rows);
    tess__particle_part_release(&part);
    return status;
}

static tess_status add_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    reconstruction   *r = user;
    tess_array        parts[3], right = { 0 };
    const tess_array *rows[3] = { tess__rows_part(&parts[0], &r->set.rotations, s->b, s->nb),
                                  tess__rows_part(&parts[1], &r->set.shifts, s->b, s->nb),
                                  tess__even_ctfs(&parts[2], &r->set.ctfs, s->b, s->nb) };
    const tess_array *images;
    (void)out;
    TESS_TRY(tess__particle_images(&images, &right, &r->set, in, s->b));
    const bool  halves = r->set.halves.data != NULL;
    tess_status status = halves ? TESS_OK : add_images(r, &r->of[0], images, rows);
    for (int half = 1; half <= 2 && halves && status == TESS_OK; half++) status = add_half(r, half, images, s->b);
    tess_release(&right);
    return status;
}

/* Bytes of the sums. */
static int64_t bytes_of_sums(const reconstruction *r)
{
    const int64_t p = r->side * r->opts.padding;
    return (r->set.halves.data ? 2 : 1) * 12 * p * p * (p / 2 + 1);
}

static tess_status add_all(reconstruction *r)
{
    const int64_t        s = r->side, p = s * r->opts.padding;
    const tess_dtype     dtype = TESS_F32;
    const tess_slab_plan plan = { .name = fn,
                                  .domain = r->in->shape,
                                  .sources = &r->in,
                                  .in_dtypes = &dtype,
                                  .n_sources = 1,
                                  .images = 1,
                                  .out_shape = r->in->shape,
                                  .extra = (r->set.tilts.data ? 6 : 4) * 8 * s * (s / 2 + 1),
                                  .taken = bytes_of_sums(r),
                                  .stage = "images" };
    TESS_TRY(tess__volume_fits(r->context, fn, TESS_SHAPE(1, p, p, p), bytes_of_sums(r) + 16 * p * p * (p / 2 + 1)));
    return tess_slabs_run(&plan, NULL, add_slab, r, r->context);
}

/* ---- Maps ---- */

static tess_status map_of(const reconstruction *r, tess_array *map, const sums *from)
{
    const tess_fourier_reconstruct_opts opts = { .floor = r->o.floor, .padding = r->opts.padding };
    TESS_TRY(tess_fourier_reconstruct(map, &from->volume, &from->weights, &opts));
    return tess__move(map, tess_cpu());
}

static tess_status compare_halves(const reconstruction *r, tess_reconstruct_result *to)
{
    tess_array   curve = { 0 };
    const double scale = r->pixel_size > 0 ? r->pixel_size : 1;
    double       at[2];
    tess_status  status;
    TESS_GOTO(done, status, tess__map_fsc(&curve, &to->half1, &to->half2));
    TESS_GOTO(done, status, tess__fsc_frequency(&at[0], &curve, to->half1.shape, 0.143));
    TESS_GOTO(done, status, tess__fsc_frequency(&at[1], &curve, to->half1.shape, 0.5));
    to->resolution = scale / at[0];
    to->resolution_0_5 = scale / at[1];
done:
    tess_release(&curve);
    return status;
}

static tess_status make_maps(reconstruction *r, tess_reconstruct_result *to)
{
    tess_array *const halves[2] = { &to->half1, &to->half2 };
    if (r->set.halves.data) {
        for (int k = 0; k < 2; k++) TESS_TRY(map_of(r, halves[k], &r->of[k]));
        TESS_TRY(compare_halves(r, to));
        TESS_TRY(tess_add(&r->of[0].volume, &r->of[0].volume, &r->of[1].volume));
        TESS_TRY(tess_add(&r->of[0].weights, &r->of[0].weights, &r->of[1].weights));
    }
    return map_of(r, &to->map, &r->of[0]);
}

/* ---- Before any work ---- */

static tess_status read_rows(reconstruction *r, const tess_array *rotations)
{
    const tess__particle_tables given = { "rotations", rotations, r->o.shifts, r->o.ctfs, r->o.halves };
    TESS_CHECK(rotations, TESS_EARG, "%s: `rotations` is `NULL`; a table of quaternions is expected", fn);
    TESS_TRY(tess__particle_set_open(&r->set, fn, r->in, &given));
    return tess__particle_set_need_halves(&r->set);
}

/* With the default of a tess_ctf. */
static double voltage_of(double column) { return column == 0 ? 300 : column; }

static tess_status find_sphere(reconstruction *r)
{
    TESS_CHECK(r->o.ewald || !(r->o.diameter > 0), TESS_EARG, "%s: `opts->diameter` requires `opts->ewald`", fn);
    if (!r->o.ewald) return TESS_OK;
    TESS_CHECK(r->set.ctfs.data, TESS_EARG, "%s: `opts->ewald` requires `opts->ctfs`, which is NULL", fn);
    TESS_CHECK(r->pixel_size > 0, TESS_EARG, "%s: the pixel size of %s is not known; give `opts->pixel_size`", fn,
               r->in->name);
    const int64_t columns = r->set.ctfs.shape.w, voltage = offsetof(tess_ctf, voltage) / sizeof(double);
    const double *rows = r->set.ctfs.data, first = voltage_of(rows[voltage]);
    TESS_CHECK(first > 0, TESS_ERANGE, "%s: row 0 of `opts->ctfs` has a voltage of %g kV; it must be above 0", fn,
               first);
    for (int64_t i = 1; i < r->set.n; i++)
        TESS_CHECK(
            voltage_of(rows[i * columns + voltage]) == first, TESS_EARG,
            "%s: `opts->ewald` requires a single voltage, but row %lld of `opts->ctfs` has %g kV and the first %g kV",
            fn, (long long)i, voltage_of(rows[i * columns + voltage]), first);
    r->opts.ewald = r->pixel_size / tess_ctf_wavelength(first);
    if (r->o.ewald == TESS_EWALD_BACK) r->opts.ewald = -r->opts.ewald;
    r->opts.diameter = r->o.diameter > 0 ? r->o.diameter : (double)r->side;
    return TESS_OK;
}

static tess_status prepare(reconstruction *r, const tess_array *rotations)
{
    const tess_shape s = r->in->shape;
    int64_t          order;
    TESS_TRY(tess__need_real(fn, r->in));
    TESS_CHECK(s.h == s.w, TESS_ESHAPE, "%s: %s has images of %lld x %lld; square images are needed", fn, r->in->name,
               (long long)s.w, (long long)s.h);
    r->side = s.w;
    r->pixel_size = r->o.pixel_size > 0 ? r->o.pixel_size : r->in->meta ? r->in->meta->pixel_size[2] : 0;
    r->opts.padding = (int32_t)r->o.pad;
    r->opts.sym = r->o.sym ? r->o.sym : "C1";
    r->opts.cutoff = r->o.cutoff;
    TESS_TRY(tess_symmetry_order(&order, r->opts.sym));
    TESS_TRY(read_rows(r, rotations));
    return find_sphere(r);
}

static void release(reconstruction *r)
{
    tess__particle_set_release(&r->set);
    for (int k = 0; k < 2; k++) {
        tess_release(&r->of[k].volume);
        tess_release(&r->of[k].weights);
    }
}

tess_status tess_reconstruct(tess_reconstruct_result *result, const tess_source *images, const tess_array *rotations,
                             const tess_reconstruct_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context   c;
    reconstruction r = { .context = &c, .in = images };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_reconstruct.function, opts, &r.o));
    TESS_TRY(tess__context(&c, fn, context));
    tess_status status = prepare(&r, rotations);
    if (status == TESS_OK) status = add_all(&r);
    if (status == TESS_OK) status = make_maps(&r, result);
    release(&r);
    if (status != TESS_OK) tess_reconstruct_result_release(result);
    return status;
}

void tess_reconstruct_result_release(tess_reconstruct_result *result)
{
    if (!result) return;
    tess_release(&result->map);
    tess_release(&result->half1);
    tess_release(&result->half2);
    memset(result, 0, sizeof *result);
}
