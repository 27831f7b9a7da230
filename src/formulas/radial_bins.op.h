/* Radial bins of spectra, shells: where coefficients lie and in which order they are summed, for the CPU and GPUs.
 *
 * A coefficient between two shells is split linearly, or goes to the nearest.
 *
 * MIRRORED: a frequency vector times the smallest size m has the components k m / n, exact where n is m or divides k m,
 * and its length is the shell: 0 to m / 2. Of correlations, coefficients beyond m / 2 are in none, and the last shell
 * takes what would go to one beyond. Of powers, the last shell is as wide as the others: it has its share of
 * coefficients beyond it, and shares of shells beyond are dropped. In a spectrum of another range of frequencies the
 * reciprocals of their steps stand for the sizes. Coefficients whose frequencies differ in signs alone lie in the same
 * shells. So the rows (+-d, +-h) are first added to each other, up to four of them: a row of sums, of which each column
 * is then split. Along a row shells ascend. In full spectra the frequencies below 0 along the width are another row.
 * A chunk is some neighbouring |h| of one |d| and some neighbouring columns, which touch few shells.
 *
 * The others: a frequency f is at shell (f - start) scale; what falls before the first or behind the last one is
 * dropped, into shells -1 and `shells` of the chunk's table. For astigmatic spectra, f is the frequency at which the
 * isotropic CTF has the same phase; for 1-D spectra that are fused, that at which a target CTF has it. A chunk is some
 * neighbouring rows.
 *
 * Each chunk has TESS__RADIAL_LANES tables, of which its column w goes to number w modulo that: so neighbours, which
 * are in the same shells, do not wait for each other. The tables of a chunk are added in their order, then the chunks
 * of each group, then the groups: the same bits for any number of threads, and on a GPU.
 */
#ifndef TESS_FORMULAS_RADIAL_BINS_OP_H
#define TESS_FORMULAS_RADIAL_BINS_OP_H

#include "formulas/ctf_phase.op.h"
#include "formulas/radial_bins_spec.op.h"

/* ---- Frequencies ---- */

TESS_FN double tess__radial_frequency(const tess__radial_axis *a, int64_t k)
{
    return a->start + (double)k * a->span / a->count;
}

/* The frequency at an index, as a number of steps. */
TESS_FN int64_t tess__radial_steps(const tess__radial_axis *a, int64_t index)
{
    return index - a->zero - (a->below > a->zero && index >= (a->n + 1) / 2 ? a->n : 0);
}

/* How often the coefficients of a column count, which is k steps from 0. */
TESS_FN double tess__radial_weight(const tess__radial_axis *a, int64_t k)
{
    return a->below < 0 && k != 0 && 2 * k != a->n ? 2.0 : 1.0;
}

/* The one or two indices of frequencies k and -k. */
typedef struct tess__radial_mirror {
    int32_t n;
    int64_t index[2];
    double  sign[2]; /* of the frequency */
} tess__radial_mirror;

TESS_FN tess__radial_mirror tess__radial_mirror_of(const tess__radial_axis *a, int64_t k)
{
    tess__radial_mirror at;
    const int           is_below = a->below >= 0 && 2 * k == a->n;
    at.n = a->below < 0 || k == 0 || is_below ? 1 : 2;
    at.index[0] = is_below ? a->below - k : a->zero + k;
    at.sign[0] = is_below ? -1.0 : 1.0;
    at.index[1] = a->below - k;
    at.sign[1] = -1.0;
    return at;
}

/* The end of the columns at frequencies from 0 on, which begin at 0, or of those below (`side` 1), which begin at 1. */
TESS_FN int64_t tess__radial_columns_end(const tess__radial_axis *a, int side)
{
    return a->below < 0 || side ? a->n / 2 + 1 : (a->n + 1) / 2;
}

/* MIRRORED: the sum of squares of the components along D and H, */
TESS_FN double tess__radial_plane(double z, double y)
{
    const double zz = z * z, yy = y * y;
    return zz + yy;
}

/* and the squared length of a vector whose other components have this one. */
TESS_FN double tess__radial_square(const tess__radial_grid *g, double plane, int64_t k)
{
    const double x = tess__radial_frequency(&g->axis[2], k), square = x * x;
    return plane + square;
}

/* ---- Chunks ---- */

typedef struct tess__radial_chunk {
    int64_t d, h, h_end, w, w_end; /* MIRRORED: frequencies, from 0 on; else d is 0 and h counts the rows of all d */
    int64_t first;                 /* shell of its window; `shells`: it touches none */
} tess__radial_chunk;

TESS_FN tess__radial_chunk tess__radial_chunk_of(const tess__radial_grid *g, int64_t i)
{
    tess__radial_chunk c;
    const int64_t      line = i / g->across;
    c.d = line / g->down;
    c.h = (line - c.d * g->down) * g->rows;
    c.w = (i - line * g->across) * g->columns;
    c.h_end = c.h + g->rows < g->all_rows ? c.h + g->rows : g->all_rows;
    c.w_end = c.w + g->columns < g->all_columns ? c.w + g->columns : g->all_columns;
    c.first = -1;
    if (g->kind == TESS__RADIAL_MIRRORED) {
        const double z = tess__radial_frequency(&g->axis[0], c.d), y = tess__radial_frequency(&g->axis[1], c.h);
        const double nearest = tess__radial_square(g, tess__radial_plane(z, y), c.w);
        c.first = nearest <= g->limit ? (int64_t)__builtin_sqrt(nearest) : g->shells;
    }
    return c;
}

/* ---- Shells ---- */

/* What a row has in common. */
typedef struct tess__radial_row {
    tess__metric_row  line; /* MIRRORED: its plane alone */
    double            fh;
    double            weight;
    tess__ctf_ellipse ellipse;
    tess__ctf_line    from, to;
} tess__radial_row;

/* Row (d, h); `ctf` and `target` are the numbers of CTFs where the kind has them. */
TESS_FN tess__radial_row tess__radial_row_of(const tess__radial_grid *g, int64_t d, int64_t h, const double *ctf,
                                             const double *target)
{
    tess__radial_row r = { 0 };
    r.weight = 1.0;
    if (g->kind == TESS__RADIAL_FUSED) {
        r.from = tess__ctf_line_of(ctf);
        r.to = tess__ctf_line_of(target);
        r.weight = r.from.scale;
        return r;
    }
    const double fd = tess__radial_frequency(&g->axis[0], tess__radial_steps(&g->axis[0], d));
    r.fh = tess__radial_frequency(&g->axis[1], tess__radial_steps(&g->axis[1], h));
    r.line = tess__metric_row_of(&g->metric, fd, r.fh);
    if (g->kind == TESS__RADIAL_ASTIGMATIC) r.ellipse = tess__ctf_ellipse_of(ctf);
    return r;
}

/* The shell of a column of frequency f, as a real number. */
TESS_FN double tess__radial_position(int kind, const tess__radial_grid *g, const tess__radial_row *r, double f)
{
    double at;
    if (kind == TESS__RADIAL_MIRRORED) return __builtin_sqrt(r->line.plane + f * f);
    if (kind == TESS__RADIAL_FUSED) at = tess__ctf_same_phase(&r->from, &r->to, f);
    else if (kind == TESS__RADIAL_ASTIGMATIC) at = tess__ctf_isotropic(&r->ellipse, r->fh, f);
    else at = __builtin_sqrt(tess__metric_square(&r->line, f));
    return (at - g->start) * g->scale;
}

/* Slots in the table of a chunk, that of shell `first` being 0, and the parts that go there. */
typedef struct tess__radial_slots {
    int32_t slot, next;
    double  lower, upper;
} tess__radial_slots;

/* MIRRORED: the shell of a length; `nearest` is that of the grid, and a constant where there are many. */
TESS_FN int32_t tess__radial_shell(const tess__radial_grid *g, int nearest, double length)
{
    const int32_t shell = (int32_t)(length + (nearest ? 0.5 : 0.0)), last = (int32_t)g->last;
    return shell < last ? shell : last;
}

/* MIRRORED. */
TESS_FN tess__radial_slots tess__radial_mirrored_slots(const tess__radial_grid *g, int nearest, int32_t first,
                                                       double length, double weight)
{
    tess__radial_slots at;
    const int32_t      last = (int32_t)g->last, shell = tess__radial_shell(g, nearest, length);
    const double       part = nearest ? 0.0 : weight * (length - (double)shell);
    at.slot = shell - first;
    at.next = at.slot + 1;
    at.upper = shell < last ? part : 0.0;
    at.lower = weight - at.upper;
    return at;
}

/* The others. A position as near to a shell as roundings bring it is at the shell: else the shell beside it, if nothing
 * else lies there, would be their mean; and one half way between two shells is nearest to the upper. Slot 0 takes what
 * is dropped, and parts of 0, so that no coefficient reaches a shell in which it does not lie. Integers are chosen as
 * reals, so that loops become vectors. */
TESS_FN tess__radial_slots tess__radial_slots_of(const tess__radial_grid *g, int nearest, double position,
                                                 double weight)
{
    tess__radial_slots at;
    const double       near = 0x1p-36, first = nearest ? -0.5 - near : -1.0;
    const double       last = nearest ? (double)g->shells - 0.5 - near : (double)g->shells;
    const double       p = ((position > first) & (position < last)) ? position : -1.0;
    const double       below = __builtin_floor(p + (nearest ? 0.5 + near : near));
    const double       split = nearest ? 0.0 : p - below, t = split > near ? split : 0.0;
    at.slot = (int32_t)(below + 1.0);
    at.next = (int32_t)(t > 0.0 ? below + 2.0 : 0.0);
    at.upper = weight * t;
    at.lower = weight - at.upper;
    return at;
}

#endif
