/* Streams of torch and CuPy: work on their arrays goes on the stream that is current there. */
#ifndef TESS_PYTHON_FOREIGN_STREAM_H
#define TESS_PYTHON_FOREIGN_STREAM_H

#include "operand.h"

/* A call's turn on another's stream. All zeros: it has none. */
typedef struct stream_turn {
    tess_stream *before; /* the library's current stream until then */
    tess_stream *theirs; /* the one that is current meanwhile */
    int          adopted;
    bool         joined; /* both streams wait for each other, as the call has arrays of both */
} stream_turn;

/* Where the caller's first array is torch's or CuPy's on a GPU, make their current stream the library's until
 * stream_leave. `out` is an output that is not among the operands yet, or NULL. 0, or -1 with an exception; then there
 * is nothing to leave. */
int stream_follow(stream_turn *turn, const operand *first, const operand *operands, int n, PyObject *out);

/* Bring back the library's stream. Work on arrays of others that are in order with neither stream is waited for, among
 * them outputs, which came after stream_follow. Returns `made`, or NULL with an exception, dropping it. */
PyObject *stream_leave(stream_turn *turn, const operand *first, const operand *operands, int n, PyObject *made);

#endif
