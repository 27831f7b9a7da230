/* Projection matching from coarse to fine: all orientations at low frequencies, then steps about the best. */
#include <math.h>

#include "jobs/refine/refining.h"
#include "jobs/run/context.h"
#include "tessera/match_projections.h"

void tess__poses_release(tess__poses *p)
{
    tess_release(&p->rotations);
    tess_release(&p->shifts);
    tess_release(&p->scores);
}

static tess_status match(tess__poses *out, const tess_array *spectrum, const tess__particle_part *part,
                         const tess_array *candidates, tess_match_projections_opts o)
{
    o.ctfs = part->ctfs.data ? &part->ctfs : NULL;
    TESS_TRY(
        tess_match_projections(&out->rotations, &out->shifts, &out->scores, spectrum, &part->images, candidates, &o));
    TESS_TRY(tess__move(&out->rotations, tess_cpu()));
    TESS_TRY(tess__move(&out->shifts, tess_cpu()));
    return tess__move(&out->scores, tess_cpu());
}

/* All orientations, up to the frequency that their distance can tell apart. */
static tess_status search_all(tess__poses *out, const tess__refinement *r, const tess__particle_part *part, int half)
{
    const double apart = fmax(1 / (r->o.step * r->o.diameter), 3 / (double)r->side);
    return match(
        out, &r->spectra[half - 1], part, &r->grid,
        (tess_match_projections_opts){ .around = &part->shifts, .high = fmin(r->cutoff, apart), .radius = r->reach });
}

/* Steps about poses, up to the cutoff. */
static tess_status search_about(tess__poses *out, const tess__refinement *r, const tess__particle_part *part, int half,
                                const tess_array *rotations, const tess_array *shifts)
{
    return match(out, &r->spectra[half - 1], part, rotations,
                 (tess_match_projections_opts){ .around = shifts,
                                                .high = r->cutoff,
                                                .each = 1,
                                                .angle = r->angle,
                                                .shift_step = r->searches ? 0.5 : 0.25,
                                                .halvings = 2 });
}

tess_status tess__refine_match(tess__poses *out, const tess__refinement *r, const tess__particle_part *part, int half)
{
    tess__poses coarse = { .rotations = { .data = NULL } };
    if (!r->searches) return search_about(out, r, part, half, &part->rotations, &part->shifts);
    tess_status status = search_all(&coarse, r, part, half);
    if (status == TESS_OK) status = search_about(out, r, part, half, &coarse.rotations, &coarse.shifts);
    tess__poses_release(&coarse);
    return status;
}
