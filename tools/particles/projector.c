/* Central slices of a padded spectrum: projections of a map. */
#include "particles/projector.h"

#include <math.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "files/slab_pipeline.h"
#include "measure/unit_cell.h"

enum { CUBE = TESS_D | TESS_H | TESS_W };

static tess_status check_map(const job *j, const input *in, double pixel_size)
{
    const tess_shape s = in->info.shape;
    const double    *size = in->info.meta.pixel_size;
    TESS_CHECK(s.b == 1 && s.d == s.h && s.h == s.w && s.d >= 8, TESS_EARG,
               "%s: %s is {%lld,%lld,%lld,%lld}; one map that is a cube of 8 or more is needed", j->verb->name,
               in->name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    for (int i = 0; i < 3; i++)
        TESS_CHECK(fabs(size[i] - pixel_size) <= 1e-4 * pixel_size, TESS_EARG,
                   "%s: pixels of %s are %g, %g and %g A; the same along all axes is needed", j->verb->name, in->name,
                   size[2], size[1], size[0]);
    TESS_TRY(need_right_angles(j, in, true, "a projection"));
    return volume_fits(j, s, 96 * s.d * s.h * s.w); /* twice as large along each axis, transformed */
}

static tess_status transform(projector *p, tess_array *map, tess_device device)
{
    tess_array  padded = { 0 }, moved = { 0 };
    tess_status status;
    TESS_GOTO(done, status, move_array(map, device));
    TESS_GOTO(done, status, tess_resize(&padded, map, p->padded, NULL));
    TESS_GOTO(done, status, tess_gridding_correct(&padded, &padded, NULL));
    TESS_GOTO(done, status, tess_ifftshift(&moved, &padded, CUBE));
    TESS_GOTO(done, status, tess_fft_r2c(&p->spectrum, &moved, NULL));
done:
    tess_release(&padded);
    tess_release(&moved);
    return status;
}

static tess_status open_map(projector *p, job *j, input *in)
{
    tess_array map = { 0 };
    TESS_TRY(input_pixel_size(in, &p->pixel_size));
    TESS_TRY(check_map(j, in, p->pixel_size));
    p->side = in->info.shape.w;
    p->padded = TESS_SHAPE(1, 2 * p->side, 2 * p->side, 2 * p->side);
    tess_status status = input_read_all(in, j, &map, TESS_F32);
    if (status == TESS_OK) status = need_finite(j, in->name, &map);
    if (status == TESS_OK) status = transform(p, &map, j->device);
    tess_release(&map);
    return status;
}

tess_status projector_open(projector *p, job *j, const char *path)
{
    input in;
    *p = (projector){ .side = 0 };
    TESS_TRY(input_open(&in, j, path, NEED_VOLUME));
    const tess_status status = open_map(p, j, &in);
    input_close(&in);
    return status;
}

void projector_close(projector *p) { tess_release(&p->spectrum); }

/* The centre of an image lies at index 0 of its slice: it moves to n/2 with the shift. */
static tess_status finish_slices(tess_array *images, tess_array *slices, const views *v, int64_t first, int64_t n,
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

tess_status project_views(const projector *p, tess_array *images, const views *v, int64_t first, int64_t n)
{
    tess_array rotations, slices = { 0 };
    TESS_TRY(tess_slice(&rotations, &v->rotations, 0, first, first + n, 1));
    const tess_fourier_extract_opts opts = { .slice_shape = TESS_SHAPE(n, 1, p->side, p->side) };
    tess_status                     status = tess_fourier_extract(&slices, &p->spectrum, p->padded, &rotations, &opts);
    if (status == TESS_OK) status = finish_slices(images, &slices, v, first, n, p->side);
    tess_release(&slices);
    return status;
}

tess_status variance_of_views(const projector *p, const views *v, double *variance)
{
    const int64_t n = v->rotations.shape.b < 64 ? v->rotations.shape.b : 64;
    tess_array    images = { 0 }, variances = { 0 }, mean = { 0 };
    tess_status   status;
    TESS_GOTO(done, status, project_views(p, &images, v, 0, n));
    TESS_GOTO(done, status, tess_var(&variances, &images, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_mean(&mean, &variances, TESS_B, NULL));
    TESS_GOTO(done, status, move_array(&mean, tess_cpu()));
    TESS_GOTO(done, status, tess_get_f64(variance, &mean, 0, 0, 0, 0));
done:
    tess_release(&images);
    tess_release(&variances);
    tess_release(&mean);
    return status;
}

tess_status random_orientations(tess_array *angles, tess_array *rotations, int64_t n, uint64_t seed, uint32_t stream)
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
