/* Write combining: rows that follow each other in memory, put together from runs and written by non-temporal stores.
 *
 * A cache line that is written in parts is read first, and all later stores wait until it is there: so the end of a
 * row and the beginning of the next, where they share a line, are written as one.
 */
#ifndef TESS_CPU_MEMORY_LINE_WRITER_H
#define TESS_CPU_MEMORY_LINE_WRITER_H

#include <stdint.h>

enum { TESS__CACHE_LINE = 64 /* bytes */ };

/* A run: n elements of a row, from element `from` in steps of -1, 0 or 1; or n times the element `outside`. */
typedef struct tess__run {
    int64_t from, step, n;
} tess__run;

enum { TESS__FILLED = 2 /* a step: the element `outside` */ };

enum { TESS__MAX_RUNS = 8, TESS__MAX_ROWS = 16 };

/* The state of a writer that rows are appended to. Elements of 1, 2, 4, 8 or 16 bytes are written to addresses that are
 * multiples of that. */
typedef struct tess__line_writer {
    _Alignas(TESS__CACHE_LINE) char bytes[TESS__CACHE_LINE]; /* of a line that is not complete yet */
    char       *to;                                          /* where they belong: a line */
    int64_t     kept;                                        /* bytes of it before the first one that is written */
    int64_t     held;                                        /* bytes of it that are there, with those */
    int64_t     size;                                        /* of an element */
    const char *outside;                                     /* an element */
    int64_t     n;                                           /* elements of a row */
    int         n_runs;
    tess__run   runs[TESS__MAX_RUNS]; /* of each row */
    const char *rows[TESS__MAX_ROWS]; /* of the input, for the next rows; NULL: all elements are `outside` */
} tess__line_writer;

/* Writes the next `rows` rows of each writer, interleaved: one row of each at a time. */
typedef void tess__lay_fn(tess__line_writer *const *writers, int n, int rows);

#endif
