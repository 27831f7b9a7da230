/* The CPU backend. */
#ifndef TESS_CPU_CPU_H
#define TESS_CPU_CPU_H

#include "backend.h"

extern const tess__backend tess__cpu_backend;

/* Work on a stream of this backend (a file each). */
tess_status tess__cpu_ewise(tess_stream *stream, const tess__ewise *work, int n);
tess_status tess__cpu_iwise(tess_stream *stream, const tess__iwise *work);
tess_status tess__cpu_reduce(tess_stream *stream, const tess__reduce *work);
tess_status tess__cpu_scan(tess_stream *stream, const tess__scan *work);
tess_status tess__cpu_sort(tess_stream *stream, const tess__sort *work);
tess_status tess__cpu_quantile(tess_stream *stream, const tess__quantile *work);

#endif
