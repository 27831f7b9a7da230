/* Timing of two things side by side: ours, and the limit it is held against, interleaved in the same run.
 *
 * Machines are noisy and change speed: only the ratio of the best times of interleaved runs means something.
 */
#ifndef TESS_BENCH_H
#define TESS_BENCH_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tessera.h"

typedef void bench_fn(void *context);

static inline double bench_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call, from as many as take about `least` seconds. */
static inline double bench_time(bench_fn *fn, void *context, double least)
{
    for (int64_t calls = 1;; calls *= 4) {
        const double start = bench_now();
        for (int64_t i = 0; i < calls; i++) fn(context);
        const double took = bench_now() - start;
        if (took >= least) return took / (double)calls;
    }
}

/* Whether a work is one of those that the command line asks for, by parts of their names; all are if there are none. */
static inline bool bench_wanted(const char *work, char *const *names, int n_names)
{
    for (int i = 0; i < n_names; i++)
        if (strstr(work, names[i])) return true;
    return n_names == 0;
}

typedef struct bench_pair {
    double ours, limit;
} bench_pair;

/* Best times of both, interleaved, `rounds` times. */
static inline bench_pair bench_compare(bench_fn *ours, void *a, bench_fn *limit, void *b, int rounds, double least)
{
    bench_pair best = { 1e30, 1e30 };
    for (int i = 0; i < rounds; i++) {
        const double x = bench_time(ours, a, least), y = bench_time(limit, b, least);
        if (x < best.ours) best.ours = x;
        if (y < best.limit) best.limit = y;
    }
    return best;
}

/* One line of JSON. `ratio` is limit / ours: 1 is as fast as the limit. */
static inline void bench_report(const char *work, const char *dtype, int threads, bench_pair p)
{
    printf("{\"work\": \"%s\", \"dtype\": \"%s\", \"threads\": %d, \"ours_s\": %.4g, \"limit_s\": %.4g, "
           "\"ratio\": %.3f}\n",
           work, dtype, threads, p.ours, p.limit, p.limit / p.ours);
    (void)fflush(stdout);
}

/* End the benchmark if the library fails. */
static inline void bench_need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

/* memcpy by one or two threads: the limit for whatever reads and writes each byte once. */
typedef struct bench_memcpy {
    char       *to;
    const char *from;
    size_t      size;
    int         threads;
} bench_memcpy;

static inline void *bench_memcpy_half(void *context)
{
    const bench_memcpy *m = context;
    memcpy(m->to, m->from, m->size);
    return NULL;
}

static inline void bench_run_memcpy(void *context)
{
    const bench_memcpy *m = context;
    if (m->threads == 1) {
        memcpy(m->to, m->from, m->size);
        return;
    }
    const size_t share = m->size / (size_t)m->threads / 64 * 64;
    pthread_t    thread[64];
    bench_memcpy part[64];
    for (int i = 1; i < m->threads; i++) {
        const size_t at = share * (size_t)i;
        part[i] = (bench_memcpy){ m->to + at, m->from + at, i + 1 == m->threads ? m->size - at : share, 1 };
        (void)pthread_create(&thread[i], NULL, bench_memcpy_half, &part[i]);
    }
    memcpy(m->to, m->from, share);
    for (int i = 1; i < m->threads; i++) (void)pthread_join(thread[i], NULL);
}

#endif
