/* Rows that follow each other in memory, put together from runs of elements and written past the caches by whole lines.
 *
 * A line that is written in parts is read first, and all that is written after it waits until it is there: so the end
 * of a row and the beginning of the next, where they share a line, are written at once.
 */
#ifndef TESS_CPU_MEMORY_LINE_WRITER_H
#define TESS_CPU_MEMORY_LINE_WRITER_H

#include <stdint.h>

enum { TESS__CACHE_LINE = 64 /* bytes */ };

/* Element `from` of a row and those at steps of -1, 0 or 1 from it; or what lies outside of it, n times. */
typedef struct tess__run {
    int64_t from, step, n;
} tess__run;

enum { TESS__FILLED = 2 /* a step: what lies outside */ };

enum { TESS__MAX_RUNS = 8, TESS__MAX_ROWS = 16 };

/* A place that rows go to, one behind the other. Elements of 1, 2, 4, 8 or 16 bytes are written to addresses that are
 * multiples of that. */
typedef struct tess__line_writer {
    _Alignas(TESS__CACHE_LINE) char bytes[TESS__CACHE_LINE]; /* of a line that is not whole yet */
    char       *to;                                          /* where they belong: a line */
    int64_t     kept;                                        /* bytes of it before the first one that is written */
    int64_t     held;                                        /* bytes of it that are there, with those */
    int64_t     size;                                        /* of an element */
    const char *outside;                                     /* an element */
    int64_t     n;                                           /* elements of a row */
    int         n_runs;
    tess__run   runs[TESS__MAX_RUNS]; /* of each row */
    const char *rows[TESS__MAX_ROWS]; /* those of the input from which the next ones are made; NULL: all is outside */
} tess__line_writer;

/* The next `rows` rows of each writer: a row of each in turn. */
typedef void tess__lay_fn(tess__line_writer *const *writers, int n, int rows);

#endif
