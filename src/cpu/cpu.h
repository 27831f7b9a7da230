/* The CPU backend. */
#ifndef TESS_CPU_CPU_H
#define TESS_CPU_CPU_H

#include "backend.h"

extern const tess__backend tess__cpu_backend;

/* Work on a stream of this backend (ewise.c, iwise.c and so on). */
tess_status tess__cpu_ewise(tess_stream *stream, const tess__ewise *work, int n);
tess_status tess__cpu_iwise(tess_stream *stream, const tess__iwise *work);
tess_status tess__cpu_reduce(tess_stream *stream, const tess__reduce *work);
tess_status tess__cpu_scan(tess_stream *stream, const tess__scan *work);
tess_status tess__cpu_places(tess_stream *stream, const tess__places *work);
tess_status tess__cpu_mask(tess_stream *stream, const tess__mask *work);
tess_status tess__cpu_search(tess_stream *stream, const tess__search *work);
tess_status tess__cpu_unique(tess_stream *stream, const tess__unique *work);
tess_status tess__cpu_histogram(tess_stream *stream, const tess__histogram *work);

#endif
