/* Deferred errors: what asynchronous work reports at the next synchronisation. Each has a few bytes on the device,
 * all zero at first, that a kernel may fill; they are checked when the stream is synchronised. */
#ifndef TESS_CUDA_RUNTIME_DEFERRED_ERROR_H
#define TESS_CUDA_RUNTIME_DEFERRED_ERROR_H

#include "cuda/runtime/device.h"

enum { TESS__CUDA_RECORD_SIZE = 128 };

/* A status for a record's bytes, TESS_OK if they say nothing; `context` is what tess__cuda_record_new was given. */
typedef tess_status tess__cuda_record_fn(const void *bytes, const void *context);

typedef struct tess__cuda_record tess__cuda_record;

/* A record for work that this call is about to launch. `context` is copied, and `keep` is held, until the record has
 * been looked at. */
tess_status tess__cuda_record_new(tess__cuda_record **out, tess__cuda_call *call, tess__cuda_record_fn *look,
                                  const void *context, size_t size, tess_buffer *keep);

/* Where it is on the device. */
tess__cu_address tess__cuda_record_address(const tess__cuda_record *record);

/* When all of the work has been launched: it is the stream's now. If the work could not be launched, it is dropped. */
void tess__cuda_record_keep(tess__cuda_call *call, tess__cuda_record *record);
void tess__cuda_record_drop(tess__cuda_call *call, tess__cuda_record *record);

/* Look at the records of a stream; the status of the first that says something. */
tess_status tess__cuda_records_look(tess__cuda_call *call);

/* Forget those of a stream. `call`: on it, or NULL if its device does not work. */
void tess__cuda_records_forget(tess__cuda_stream *stream, tess__cuda_call *call);

#endif
