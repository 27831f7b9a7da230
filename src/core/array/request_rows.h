/* Which arrays of a request have to be in rows (core/array/rows.h), for each kind whose kernels walk along rows.
 *
 * An input of which a few elements may be read, as by a transform to a small image, is copied if it is not larger than
 * what is made of it. */
#ifndef TESS_CORE_ARRAY_REQUEST_ROWS_H
#define TESS_CORE_ARRAY_REQUEST_ROWS_H

#include "backend.h"
#include "core/array/layout.h"
#include "core/array/rows.h"
#include "tessera/border.h"

/* These kinds; of others any layout is walked in the order of memory. */
#define TESS__KINDS_IN_ROWS(X)                                                                                         \
    X(bin)                                                                                                             \
    X(stencil)                                                                                                         \
    X(prefilter)                                                                                                       \
    X(draw) X(spectrum_filter) X(distances) X(components) X(search) X(footprint) X(affine_sum) X(transform)            \
        X(resample_2d) X(spectrum_sample) X(radial_bins) X(histogram) X(window)

static inline tess_status tess__rows_both(tess__rows *rows, tess_array *out, tess_array *in, bool keeps)
{
    TESS_TRY(tess__rows_read(rows, in));
    TESS_TRY(tess__rows_write(rows, out, keeps));
    return TESS_OK;
}

/* The same where `samples` elements of the input are read for each of the output. */
static inline tess_status tess__rows_sampled(tess__rows *rows, tess_array *out, tess_array *in, double samples,
                                             bool keeps)
{
    if ((double)tess__elements(in) <= samples * (double)tess__elements(out)) TESS_TRY(tess__rows_read(rows, in));
    TESS_TRY(tess__rows_write(rows, out, keeps));
    return TESS_OK;
}

/* Elements around a position that interpolation reads, at least. */
enum { TESS__ROWS_TAPS = 4 };

static inline bool tess__keeps_elements(int32_t border) { return border == TESS_BORDER_NOTHING; }

#define ROWS(kind, ...)                                                                                                \
    static inline tess_status tess__rows_of_##kind(tess__rows *rows, tess__##kind *work)                               \
    {                                                                                                                  \
        TESS_TRY(__VA_ARGS__);                                                                                         \
        return TESS_OK;                                                                                                \
    }
ROWS(bin, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(stencil, tess__rows_both(rows, &work->out, &work->in, tess__keeps_elements(work->border)))
ROWS(prefilter, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(draw, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(spectrum_filter, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(distances, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(components, tess__rows_both(rows, &work->out, &work->in, false))
ROWS(search, tess__rows_both(rows, &work->out, &work->values, false))
ROWS(footprint, tess__rows_both(rows, &work->out, &work->in, work->add))
ROWS(affine_sum,
     tess__rows_sampled(rows, &work->out, &work->in, (double)work->count *(double)work->maps.shape.d, work->add))
ROWS(transform, tess__rows_sampled(rows, &work->out, &work->in, TESS__ROWS_TAPS, tess__keeps_elements(work->border)))
ROWS(resample_2d, tess__rows_sampled(rows, &work->out, &work->in, TESS__ROWS_TAPS,
                                     tess__keeps_elements(work->source.axis[0].border) ||
                                         tess__keeps_elements(work->source.axis[1].border)))
ROWS(spectrum_sample, tess__rows_sampled(rows, &work->out, &work->in, (double)work->rotations.shape.d, false))
#undef ROWS

static inline tess_status tess__rows_of_radial_bins(tess__rows *rows, tess__radial_bins *work)
{
    TESS_TRY(tess__rows_read(rows, &work->lhs));
    TESS_TRY(tess__rows_read(rows, &work->rhs));
    return TESS_OK;
}

static inline tess_status tess__rows_of_histogram(tess__rows *rows, tess__histogram *work)
{
    TESS_TRY(tess__rows_read(rows, &work->in));
    TESS_TRY(tess__rows_read(rows, &work->weights));
    return TESS_OK;
}

/* One window, as of crop and pad, is copied by tiles whatever the layouts are. */
static inline tess_status tess__rows_of_window(tess__rows *rows, tess__window *work)
{
    if (work->origins.data) TESS_TRY(tess__rows_write(rows, &work->out, tess__keeps_elements(work->border)));
    return TESS_OK;
}

#endif
