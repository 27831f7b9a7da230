/* Motion of whole frames. */
#include "jobs/motion_correct/whole_motion.h"

#include <math.h>

#include "jobs/run/context.h"
#include "tessera/constants.h"
#include "tessera/motion.h"
#include "tessera/reduce.h"

double tess__disc_area(double radius) { return TESS_PI * radius * radius; }

double tess__score_of_noise(double area, double pixel_size, double bfactor)
{
    const double peak = fmax(pixel_size * pixel_size, bfactor / (4 * TESS_PI));
    return sqrt(2 * log(fmax(area / peak, 1))) + 0.5;
}

/* The area that frames are looked for in. */
static double searched(tess_shape shape, const tess__whole_motion_opts *o)
{
    const double all = (double)shape.h * (double)shape.w, near = tess__disc_area(o->max_shift);
    return (o->max_shift > 0 && near < all ? near : all) * o->pixel_size * o->pixel_size;
}

tess_status tess__whole_motion_find(tess__whole_motion *m, const tess_array *spectra, tess_shape shape,
                                    const tess__whole_motion_opts *o)
{
    tess_array                   scores = { 0 };
    const tess_align_frames_opts opts = {
        .bfactor = tess_given(o->bfactor), .max_shift = o->max_shift, .group = o->group, .scores = &scores
    };
    TESS_TRY(tess_align_frames(&m->shifts, spectra, shape, o->pixel_size, &opts));
    const tess_status status = tess_host_mean(&m->score, &scores);
    tess_release(&scores);
    TESS_TRY(status);
    TESS_TRY(tess__move(&m->shifts, tess_cpu()));
    m->noise = tess__score_of_noise(searched(shape, o), o->pixel_size, o->bfactor);
    m->is_no_better = shape.b > o->group && m->score < m->noise;
    for (int64_t i = 0; i < 2 * shape.b; i++) {
        double *shift = (double *)m->shifts.data + i;
        *shift = m->is_no_better ? 0 : *shift * o->scale[i % 2];
    }
    return TESS_OK;
}

void tess__whole_motion_free(tess__whole_motion *m) { tess_release(&m->shifts); }
