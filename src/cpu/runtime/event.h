/* Events of CPU streams. */
#ifndef TESS_CPU_RUNTIME_EVENT_H
#define TESS_CPU_RUNTIME_EVENT_H

#include "backend.h"

tess_status tess__cpu_event_new(tess_event **out, tess_device device);
void        tess__cpu_event_free(tess_event *event);
tess_status tess__cpu_event_record(tess_event *event, tess_stream *stream);
tess_status tess__cpu_event_sync(tess_event *event);
tess_status tess__cpu_event_wait(tess_event *event, tess_stream *stream);
bool        tess__cpu_event_busy(const tess_event *event);
tess_status tess__cpu_event_elapsed(double *ms, const tess_event *start, const tess_event *end);

#endif
