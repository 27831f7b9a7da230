/* Rings of frequencies, at any distance from each other: where a coefficient of a spectrum lies, and what it adds.
 *
 * A frequency f is at ring (f - start) scale. Between two rings a coefficient is split linearly, or goes to the
 * nearest; what falls before the first or behind the last one is dropped. For astigmatic spectra, f is the frequency at
 * which the isotropic CTF has the same phase; for 1-D spectra that are fused, that at which a target CTF has it.
 *
 * Sums are made in chunks of rows. Each chunk has TESS__RINGS_LANES tables, of which column w goes to number w modulo
 * that: so neighbours, which are in the same rings, do not wait for each other. Then the tables of a chunk, and after
 * them the chunks, are added in their order: the same bits for any number of threads, and on a GPU.
 */
#ifndef TESS_FORMULAS_RINGS_OP_H
#define TESS_FORMULAS_RINGS_OP_H

#include "formulas/ctf_phase.op.h"
#include "formulas/rings_spec.op.h"

/* What a row has in common. */
typedef struct tess__rings_row {
    tess__metric_row  line;
    double            fh;
    double            weight;
    tess__ctf_ellipse ellipse;
    tess__ctf_line    from, to;
} tess__rings_row;

/* The two slots of its ring and the next one in a table of rings + 2, with their parts. */
typedef struct tess__rings_slots {
    int32_t slot, next;
    double  lower, upper;
} tess__rings_slots;

TESS_FN int64_t tess__rings_cycles(const tess__rings_axis *a, int64_t index)
{
    return index - a->zero - (index >= a->below ? a->n : 0);
}

TESS_FN double tess__rings_frequency(const tess__rings_axis *a, int64_t index)
{
    return a->start + (double)tess__rings_cycles(a, index) * a->span / a->count;
}

/* How often the coefficients of a column count. */
TESS_FN double tess__rings_weight(const tess__rings_grid *g, int64_t index)
{
    return g->half && index != 0 && 2 * index != g->axis[2].n ? 2.0 : 1.0;
}

/* Row (d, h); `ctf` and `target` are the numbers of CTFs where the kind has them. */
TESS_FN tess__rings_row tess__rings_row_of(const tess__rings_grid *g, int64_t d, int64_t h, const double *ctf,
                                           const double *target)
{
    tess__rings_row r = { 0 };
    r.weight = 1.0;
    if (g->kind == TESS__RINGS_FUSED) {
        r.from = tess__ctf_line_of(ctf);
        r.to = tess__ctf_line_of(target);
        r.weight = r.from.scale;
        return r;
    }
    const double fd = tess__rings_frequency(&g->axis[0], d);
    r.fh = tess__rings_frequency(&g->axis[1], h);
    r.line = tess__metric_row_of(&g->metric, fd, r.fh);
    if (g->kind == TESS__RINGS_ASTIGMATIC) r.ellipse = tess__ctf_ellipse_of(ctf);
    return r;
}

/* The ring of a column of frequency f, as a real number. */
TESS_FN double tess__rings_position(int kind, const tess__rings_grid *g, const tess__rings_row *r, double f)
{
    double at;
    if (kind == TESS__RINGS_FUSED) at = tess__ctf_same_phase(&r->from, &r->to, f);
    else if (kind == TESS__RINGS_ASTIGMATIC) at = tess__ctf_isotropic(&r->ellipse, r->fh, f);
    else at = __builtin_sqrt(tess__metric_square(&r->line, f));
    return (at - g->start) * g->scale;
}

/* A position as near to a ring as roundings bring it is at the ring: else the ring beside it, if nothing else lies
 * there, would be their mean; and one half way between two rings is nearest to the upper. Slot 0 takes what is dropped,
 * and parts of 0, so that no coefficient reaches a ring in which it does not lie. Integers are chosen as reals, so that
 * loops become vectors. */
TESS_FN tess__rings_slots tess__rings_slots_of(const tess__rings_grid *g, double position, double weight)
{
    tess__rings_slots at;
    const double      near = 0x1p-36, first = g->nearest ? -0.5 - near : -1.0;
    const double      last = g->nearest ? (double)g->rings - 0.5 - near : (double)g->rings;
    const double      p = ((position > first) & (position < last)) ? position : -1.0;
    const double      below = __builtin_floor(p + (g->nearest ? 0.5 + near : near));
    const double      split = g->nearest ? 0.0 : p - below, t = split > near ? split : 0.0;
    at.slot = (int32_t)(below + 1.0);
    at.next = (int32_t)(t > 0.0 ? below + 2.0 : 0.0);
    at.upper = weight * t;
    at.lower = weight - at.upper;
    return at;
}

#endif
