/* Measured costs and thresholds that several kinds of work on the CPU share. A kernel's own estimate is beside it.
 *
 * Estimates decide how work is divided among threads, never what it computes.
 */
#ifndef TESS_CPU_TUNING_H
#define TESS_CPU_TUNING_H

/* Nanoseconds of a byte read or written along rows: one core moves some 25 GB/s; and of a byte that is only read. */
#define TESS__BYTE_NS 0.04
#define TESS__READ_BYTE_NS 0.03

/* Waking threads costs some microseconds: work below this, in nanoseconds, stays on the calling thread. */
#define TESS__SHARING_PAYS_NS 20000.0
/* The elements of a single result are divided among threads, whose states must be merged, from this on. */
#define TESS__PARALLEL_MIN_NS 40000.0
/* A task should last at least this long, so that scheduling it costs little beside it. */
#define TESS__TASK_NS 10000.0

enum {
    TESS__PREFETCH_BYTES = 32768,       /* distance; into the last cache, which hardware prefetch fills too late */
    TESS__PREFETCH_MAX_BYTES = 1 << 20, /* bytes of a row; after a longer one, the next would no longer be there */
    TESS__PREFETCH_MIN_BYTES =
        4 << 20,                 /* bytes read; fewer may be in a cache, where prefetch costs more than it gains */
    TESS__NT_MIN_BYTES = 8 << 20 /* bytes written; fewer may still be in a cache when they are read */
};

#endif
