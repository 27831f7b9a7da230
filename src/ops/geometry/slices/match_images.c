/* Images for projection matching: spectra of the size that is compared, times CTF and weights, and their norms. */
#include <math.h>

#include "core/check/error.h"
#include "core/check/output.h"
#include "ops/geometry/slices/fourier_project.h"
#include "ops/geometry/slices/match.h"
#include "ops/op/library.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/reduce.h"

#include "ops/geometry/slices/match_projections.def"

static tess_status make_weights(tess_array *out, const tess__matching *m)
{
    const int64_t s = m->small;
    const double  low = !isnan(m->o.low) ? m->o.low : 1 / (double)m->side, slack = 1e-9;
    TESS_TRY(tess__make(TESS__MATCH, out, TESS_SHAPE(1, 1, s, s / 2 + 1), TESS_F32, m->spectrum->device, false));
    TESS_TRY(tess_call(&match_weight, s, (double)m->side, low - slack, m->o.high + slack, out));
    return TESS_OK;
}

static tess_status take_norms(tess__matching *m, const tess_array *weights)
{
    tess_array  power = { .data = NULL }, sums = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_abs2(&power, &m->images));
    TESS_GOTO(done, status, tess_mul(&power, &power, weights));
    TESS_GOTO(done, status, tess__make(TESS__MATCH, &sums, TESS_SHAPE(m->n, 1, 1, 1), TESS_F64, power.device, false));
    TESS_GOTO(done, status, tess_sum(&sums, &power, TESS_D | TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_to_device(&m->norms, &sums, tess_cpu()));
done:
    tess_release(&power);
    tess_release(&sums);
    return status;
}

static tess_status apply_ctfs(tess__matching *m, const tess_array *weights)
{
    const tess_shape shape = TESS_SHAPE(m->n, 1, m->small, m->small);
    const double     stop = 0.5 * (double)m->small / (double)m->side;
    tess_ctf_opts    o = { .stop = stop };
    TESS_TRY(tess_empty(&m->squares, m->images.shape, TESS_F32, m->images.device));
    if (m->o.ctfs) {
        tess_array rows = { .data = NULL };
        TESS_TRY(tess_broadcast(&rows, m->o.ctfs, TESS_SHAPE(m->n, 1, 1, m->o.ctfs->shape.w)));
        o.parameters = &rows;
        TESS_TRY(tess_ctf_apply(&m->images, &m->images, shape, NULL, &o));
        o.squared = 1;
        TESS_TRY(tess_ctf_image(&m->squares, shape, NULL, &o));
    } else TESS_TRY(tess_fill(&m->squares, 1));
    TESS_TRY(tess_mul(&m->squares, &m->squares, weights));
    return tess_mul(&m->images, &m->images, weights);
}

tess_status tess__match_images(tess__matching *m, const tess_array *images)
{
    tess_array       as_float = { .data = NULL }, spectra = { .data = NULL }, weights = { .data = NULL };
    const tess_shape small = TESS_SHAPE(m->n, 1, m->small, m->small);
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&as_float, images, TESS_F32, NULL));
    TESS_GOTO(done, status, tess__centred_spectra(&spectra, TESS__MATCH, &as_float, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&m->images, &spectra, images->shape, small, NULL));
    TESS_GOTO(done, status, make_weights(&weights, m));
    TESS_GOTO(done, status, take_norms(m, &weights));
    TESS_GOTO(done, status, apply_ctfs(m, &weights));
done:
    tess_release(&as_float);
    tess_release(&spectra);
    tess_release(&weights);
    return status;
}
