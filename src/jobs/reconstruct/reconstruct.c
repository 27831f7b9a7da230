/* Reconstruction of particles with known orientations: the slices that images are, put into the Fourier transform of a
 * map. */
#include "tessera/jobs/reconstruct.h"

#include <math.h>
#include <string.h>

#include "core/cancel.h"
#include "jobs/data/particle_rows.h"
#include "jobs/data/pixels.h"
#include "jobs/run/table.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/fourier_project.h"
#include "tessera/fsc.h"
#include "tessera/order.h"
#include "tessera/jobs/slabs.h"
#include "tessera/reduce.h"
#include "tessera/symmetry.h"

static const char fn[] = "reconstruct";

static const tess_choice sides[] = {
    { "front", TESS_EWALD_FRONT, "towards the electron source" },
    { "back", TESS_EWALD_BACK, "the other way" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_reconstruct_result, map, "", "map of all images"),
    TESS__RESULT_ARRAY(tess_reconstruct_result, half1, "", "map of half set 1"),
    TESS__RESULT_ARRAY(tess_reconstruct_result, half2, "", "map of half set 2"),
    TESS__RESULT_F64(tess_reconstruct_result, resolution, "\xc3\x85",
                     "where the FSC of the half maps falls below 0.143; pixels where their size is not known"),
    TESS__RESULT_F64(tess_reconstruct_result, resolution_0_5, "\xc3\x85", "where that FSC falls below 0.5"),
    TESS__SOURCE_IMAGES("images", "square images of particles"),
    TESS__IN("rotations", "quaternion (z, y, x, w) of each image, from the image to the map: {n,1,1,4} or {1,1,n,4}"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, shifts, const tess_array *,
                    "pixels (y, x) that move each particle to the centre"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, ctfs, const tess_array *, "CTF of each image, fields of a tess_ctf"),
    TESS__OPT_ARRAY(tess_reconstruct_opts, halves, const tess_array *, "half set of each image, 1 or 2"),
    TESS__OPT_TEXT(tess_reconstruct_opts, sym, "point group: C4, D7, T, O, I1, I2 [C1]"),
    TESS__OPT_F64(tess_reconstruct_opts, cutoff, "cycles per pixel", 0.5, TESS__POSITIVE, DBL_MAX,
                  "frequency above which nothing is used"),
    TESS__OPT_F64(tess_reconstruct_opts, floor, "", 0.001, TESS__POSITIVE, 1,
                  "least weight, as a part of the mean of its shell"),
    TESS__OPT_I64(tess_reconstruct_opts, pad, "", 2, 1, 8, "size of the spectrum, in sizes of the box"),
    TESS__OPT_CHOICE(tess_reconstruct_opts, ewald, 0, sides, "put slices on the Ewald sphere, curved to this side"),
    TESS__AUTO_F64(tess_reconstruct_opts, diameter, "pixels", "that of the box", TESS__POSITIVE, 1e9,
                   "diameter of the particle, for ewald"),
    TESS__AUTO_F64(tess_reconstruct_opts, pixel_size, "\xc3\x85", "that of the images", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
};

TESS__JOB_RUN(reconstruct, v[0].source, v[1].in)
const tess_job_info tess__job_reconstruct =
    TESS__JOB(reconstruct, "Make a map of particles with known orientations, by Fourier insertion", args,
              tess_reconstruct_opts, tess_reconstruct_result);

/* Sums of the spectra of images and of their weights. */
typedef struct sums {
    tess_array volume, weights;
} sums;

typedef struct reconstruction {
    const tess_context           *context;
    const tess_source            *in;
    tess_reconstruct_opts         o;
    int64_t                       n, side;
    double                        pixel_size; /* Å; 0: not known */
    tess_array                    rotations, shifts, ctfs, tilts, halves;
    tess_fourier_backproject_opts opts;  /* what is the same for all images */
    sums                          of[2]; /* of all images, or of both half sets */
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

/* Those of a half set, of images first to first + images->b: elements of each array along b. */
static tess_status add_half(reconstruction *r, int half, const tess_array *images, const tess_array *rows[3],
                            int64_t first)
{
    tess_array        indices = { 0 }, there = { 0 }, taken[4] = { { .data = NULL } };
    const tess_array *some[3] = { NULL, NULL, NULL };
    tess_status       status;
    TESS_GOTO(done, status, tess__rows_of_half(&indices, &r->halves, half, first, images->shape.b));
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

static tess_status check_finite(const reconstruction *r, const tess_array *images, int64_t first)
{
    tess_array  sum = { 0 };
    int64_t     bad = -1;
    tess_status status = tess_sum(&sum, images, TESS_H | TESS_W, NULL);
    if (status == TESS_OK) status = tess__move(&sum, tess_cpu());
    for (int64_t i = 0; status == TESS_OK && i < images->shape.b && bad < 0; i++)
        if (!isfinite(((const float *)sum.data)[i])) bad = i;
    tess_release(&sum);
    TESS_TRY(status);
    TESS_CHECK(bad < 0, TESS_ERANGE, "%s: row %lld of %s is an image with NaNs or infinities", fn,
               (long long)(first + bad), r->in->name);
    return TESS_OK;
}

static tess_status add_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    reconstruction   *r = user;
    tess_array        parts[4], right = { 0 };
    const tess_array *rows[3] = { tess__rows_part(&parts[0], &r->rotations, s->b, s->nb),
                                  tess__rows_part(&parts[1], &r->shifts, s->b, s->nb),
                                  tess__even_ctfs(&parts[2], &r->ctfs, s->b, s->nb) };
    const tess_array *images = in;
    (void)out;
    TESS_TRY(check_finite(r, in, s->b));
    if (r->tilts.data) {
        const tess_ctf_opts opts = { .parameters = tess__rows_part(&parts[3], &r->tilts, s->b, s->nb) };
        TESS_TRY(tess_ctf_flip_image(&right, in, NULL, &opts));
        images = &right;
    }
    tess_status status = r->halves.data ? TESS_OK : add_images(r, &r->of[0], images, rows);
    for (int half = 1; half <= 2 && r->halves.data && status == TESS_OK; half++)
        status = add_half(r, half, images, rows, s->b);
    tess_release(&right);
    return status;
}

/* Bytes of the sums. */
static int64_t bytes_of_sums(const reconstruction *r)
{
    const int64_t p = r->side * r->opts.padding;
    return (r->halves.data ? 2 : 1) * 12 * p * p * (p / 2 + 1);
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
                                  .extra = (r->tilts.data ? 6 : 4) * 8 * s * (s / 2 + 1),
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

static tess_status resolution_at(double *out, const tess_array *curve, tess_shape shape, double threshold, double scale)
{
    tess_array        found = { 0 };
    const tess_status status =
        tess_fsc_resolution(&found, curve, shape, &(tess_fsc_resolution_opts){ .threshold = tess_given(threshold) });
    if (status == TESS_OK) *out = scale / *(double *)found.data;
    tess_release(&found);
    return status;
}

static tess_status compare_halves(const reconstruction *r, tess_reconstruct_result *to)
{
    tess_array       spectra[2] = { { .data = NULL } }, curve = { 0 };
    const double     scale = r->pixel_size > 0 ? r->pixel_size : 1;
    const tess_shape shape = to->half1.shape;
    tess_status      status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[0], &to->half1, NULL));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[1], &to->half2, NULL));
    TESS_GOTO(done, status, tess_fsc(&curve, &spectra[0], &spectra[1], shape, &(tess_fsc_opts){ .nearest = 1 }));
    TESS_GOTO(done, status, resolution_at(&to->resolution, &curve, shape, 0.143, scale));
    TESS_GOTO(done, status, resolution_at(&to->resolution_0_5, &curve, shape, 0.5, scale));
done:
    tess_release(&spectra[0]);
    tess_release(&spectra[1]);
    tess_release(&curve);
    return status;
}

static tess_status make_maps(reconstruction *r, tess_reconstruct_result *to)
{
    tess_array *const halves[2] = { &to->half1, &to->half2 };
    if (r->halves.data) {
        for (int k = 0; k < 2; k++)
            TESS_CHECK(r->of[k].volume.data, TESS_EARG, "%s: no row is of half %d", r->in->name, k + 1);
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
    TESS_CHECK(rotations, TESS_EARG, "%s: rotations is NULL; a table of quaternions is expected", fn);
    TESS_TRY(tess__particle_rows(&r->rotations, rotations, &(tess__rows_wanted){ fn, "rotations", r->n, 4, 4 }));
    TESS_TRY(tess__particle_rows(&r->shifts, r->o.shifts, &(tess__rows_wanted){ fn, "opts->shifts", r->n, 2, 2 }));
    TESS_TRY(
        tess__particle_rows(&r->ctfs, r->o.ctfs, &(tess__rows_wanted){ fn, "opts->ctfs", r->n, 8, TESS_CTF_COLUMNS }));
    TESS_TRY(tess__particle_rows(&r->halves, r->o.halves, &(tess__rows_wanted){ fn, "opts->halves", r->n, 1, 1 }));
    for (int64_t i = 0; r->halves.data && i < r->n; i++) {
        const double half = ((const double *)r->halves.data)[i];
        TESS_CHECK(half == 1 || half == 2, TESS_ERANGE, "%s: row %lld of `opts->halves` is %g; 1 or 2 is expected", fn,
                   (long long)i, half);
    }
    return tess__tilts_of_ctfs(&r->tilts, &r->ctfs);
}

static tess_status find_sphere(reconstruction *r)
{
    if (!r->o.ewald) return TESS_OK;
    TESS_CHECK(r->ctfs.data, TESS_EARG, "%s: `opts->ewald` needs `opts->ctfs`, which is NULL", fn);
    TESS_CHECK(r->pixel_size > 0, TESS_EARG, "%s: the pixel size of %s is not known; `opts->pixel_size` must give it",
               fn, r->in->name);
    const int64_t columns = r->ctfs.shape.w, voltage = offsetof(tess_ctf, voltage) / sizeof(double);
    const double *rows = r->ctfs.data, first = rows[voltage];
    for (int64_t i = 1; i < r->n; i++)
        TESS_CHECK(rows[i * columns + voltage] == first, TESS_EARG,
                   "%s: `opts->ewald` needs one voltage; row %lld of `opts->ctfs` has %g kV, the first %g kV", fn,
                   (long long)i, rows[i * columns + voltage], first);
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
    TESS_CHECK(s.h == s.w, TESS_ESHAPE, "%s: %s has images of %lld x %lld; square ones are needed", fn, r->in->name,
               (long long)s.w, (long long)s.h);
    r->n = s.b * s.d;
    r->side = s.w;
    TESS_CHECK(r->n > 0, TESS_ESHAPE, "%s: %s has no images; one or more are needed", fn, r->in->name);
    r->pixel_size = r->o.pixel_size > 0 ? r->o.pixel_size : r->in->meta ? r->in->meta->pixel_size[2] : 0;
    r->opts.padding = (int32_t)r->o.pad;
    r->opts.symmetry = r->o.sym ? r->o.sym : "C1";
    r->opts.cutoff = r->o.cutoff;
    TESS_TRY(tess_symmetry_order(&order, r->opts.symmetry));
    TESS_TRY(read_rows(r, rotations));
    return find_sphere(r);
}

static void release(reconstruction *r)
{
    tess_array *const arrays[] = { &r->rotations, &r->shifts, &r->ctfs, &r->tilts, &r->halves };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
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
