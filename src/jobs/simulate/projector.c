/* Central slices of a padded spectrum: projections of a map. */
#include "jobs/simulate/projector.h"

#include <math.h>

#include "jobs/data/pixels.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/fourier_slices.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"
#include "tessera/rotation.h"

enum { CUBE = TESS_D | TESS_H | TESS_W };

static tess_status check_map(const char *fn, const tess_source *map, const tess_context *context)
{
    const tess_shape s = map->shape;
    TESS_TRY(tess__need_real(fn, map));
    TESS_CHECK(s.b == 1 && s.d == s.h && s.h == s.w && s.d >= 8, TESS_EARG,
               "%s: %s is {%lld,%lld,%lld,%lld}; one cubic map with a side of at least 8 is needed", fn, map->name,
               (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    /* Twice as large along each axis, transformed. */
    return tess__volume_fits(context, fn, s, 96 * s.d * s.h * s.w);
}

/* Sums of NaNs and infinities are not finite. */
static tess_status read_map(tess_array *map, const char *fn, const tess_source *from, const tess_context *context)
{
    tess_context here = *context;
    double       sum;
    here.device = tess_cpu();
    TESS_TRY(tess_source_read_all(from, map, TESS_F32, &here));
    TESS_TRY(tess_host_sum(&sum, map));
    TESS_CHECK(isfinite(sum), TESS_ERANGE, "%s: %s has NaNs or infinities; all values must be finite", fn, from->name);
    return TESS_OK;
}

static tess_status transform(tess__projector *p, tess_array *map, tess_device device)
{
    tess_array  padded = { 0 }, moved = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess__move(map, device));
    TESS_GOTO(done, status, tess_resize(&padded, map, p->padded, NULL));
    TESS_GOTO(done, status, tess_gridding_correct(&padded, &padded, NULL));
    TESS_GOTO(done, status, tess_ifftshift(&moved, &padded, CUBE));
    TESS_GOTO(done, status, tess_fft_r2c(&p->spectrum, &moved, NULL));
done:
    tess_release(&padded);
    tess_release(&moved);
    return status;
}

tess_status tess__projector_open(tess__projector *p, const char *fn, const tess_source *map, double pixel_size,
                                 const tess_context *context)
{
    tess_array read = { 0 };
    *p = (tess__projector){ .side = map->shape.w };
    TESS_TRY(check_map(fn, map, context));
    TESS_TRY(tess__pixel_size(&p->pixel_size, fn, map, pixel_size));
    p->padded = TESS_SHAPE(1, 2 * p->side, 2 * p->side, 2 * p->side);
    tess_status status = read_map(&read, fn, map, context);
    if (status == TESS_OK) status = transform(p, &read, context->device);
    tess_release(&read);
    return status;
}

void tess__projector_close(tess__projector *p) { tess_release(&p->spectrum); }

/* The centre of an image lies at index 0 of its slice: it moves to n/2 with the shift. */
static tess_status finish_slices(tess_array *images, tess_array *slices, const tess__views *v, int64_t first, int64_t n,
                                 int64_t side)
{
    const tess_shape shape = TESS_SHAPE(n, 1, side, side);
    tess_array       rows, shifts, centred = { 0 };
    if (v->ctfs) {
        TESS_TRY(tess_slice(&rows, v->ctfs, 0, first, first + n, 1));
        TESS_TRY(tess_ctf_apply(slices, slices, shape, NULL, &(tess_ctf_opts){ .parameters = &rows }));
    }
    TESS_TRY(tess_slice(&shifts, &v->shifts, 0, first, first + n, 1));
    TESS_TRY(tess_add(&centred, &shifts, &tess_num(side / 2)));
    const tess_status status =
        tess_fft_phase_shift(slices, slices, shape, &centred, &(tess_fft_phase_shift_opts){ .real_nyquist = 1 });
    tess_release(&centred);
    TESS_TRY(status);
    return tess_fft_c2r(images, slices, shape, NULL);
}

tess_status tess__project_views(const tess__projector *p, tess_array *images, const tess__views *v, int64_t first,
                                int64_t n)
{
    tess_array rotations, slices = { 0 };
    TESS_TRY(tess_slice(&rotations, &v->rotations, 0, first, first + n, 1));
    const tess_fourier_extract_opts opts = { .slice_shape = TESS_SHAPE(n, 1, p->side, p->side) };
    tess_status                     status = tess_fourier_extract(&slices, &p->spectrum, p->padded, &rotations, &opts);
    if (status == TESS_OK) status = finish_slices(images, &slices, v, first, n, p->side);
    tess_release(&slices);
    return status;
}

tess_status tess__variance_of_views(const tess__projector *p, const tess__views *v, double *variance)
{
    const int64_t n = v->rotations.shape.b < 64 ? v->rotations.shape.b : 64;
    tess_array    images = { 0 }, variances = { 0 }, mean = { 0 };
    tess_status   status;
    TESS_GOTO(done, status, tess__project_views(p, &images, v, 0, n));
    TESS_GOTO(done, status, tess_var(&variances, &images, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_mean(&mean, &variances, TESS_B, NULL));
    TESS_GOTO(done, status, tess__move(&mean, tess_cpu()));
    TESS_GOTO(done, status, tess_get_f64(variance, &mean, 0, 0, 0, 0));
done:
    tess_release(&images);
    tess_release(&variances);
    tess_release(&mean);
    return status;
}

tess_status tess__random_orientations(tess_array *angles, tess_array *rotations, int64_t n, uint64_t seed,
                                      uint32_t stream)
{
    const tess_euler_opts relion = { .convention = "relion" };
    tess_array            random = { 0 };
    tess_status           status;
    TESS_GOTO(done, status, tess_empty(&random, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_quat_random(&random, seed, &(tess_random_opts){ .stream = stream }));
    TESS_GOTO(done, status, tess_euler_from_quat(angles, &random, &relion));
    for (int64_t i = 0; i < 3 * n; i++) {
        double *angle = (double *)angles->data + i;
        *angle = round(1e4 * *angle) / 1e4;
    }
    TESS_GOTO(done, status, tess_euler_to_quat(rotations, angles, &relion));
done:
    tess_release(&random);
    return status;
}

tess_status tess__angles_of(tess_array *angles, const tess_array *rotations)
{
    return tess_euler_from_quat(angles, rotations, &(tess_euler_opts){ .convention = "relion" });
}
