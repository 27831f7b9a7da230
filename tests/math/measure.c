/* Largest errors, found by threads over numbered arguments.
 *
 * MPFR is slow, so the C library's function of the next wider type sorts out what is surely not the worst; every error
 * that is reported as the largest, or as too large, is MPFR's. A sample of the arguments goes to MPFR in any case.
 */
#define _GNU_SOURCE /* exp10 */
#include "measure.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"
#include "inputs.h"
#include "truth.h"

enum { BLOCK = 4096, SAMPLE = 61, MOST_THREADS = 64 };

/* Errors below this are not worth a call of MPFR. */
#define SMALL_ERROR 0.25

static inputs_f32 hard_f32;
static inputs_f64 hard_f64;

void measure_begin(void)
{
    enum { ROOM = 4096 };
    double *near = calloc(ROOM, sizeof *near);
    if (near == NULL) abort();
    inputs_make_f32(&hard_f32, near, truth_near_quarter_turns(&truth_f32, near, ROOM));
    inputs_make_f64(&hard_f64, near, truth_near_quarter_turns(&truth_f64, near, ROOM));
    free(near);
    truth_thread_end();
}

void measure_end(void)
{
    inputs_free(hard_f32.at);
    inputs_free(hard_f64.at);
}

typedef struct job {
    int                  fn;
    bool                 every_float;
    uint64_t             n; /* of arguments */
    atomic_uint_fast64_t next;
    pthread_mutex_t      lock;
    measure_worst       *worst;
} job;

static void meet(measure_worst *worst, const measure_worst *other)
{
    worst->n += other->n;
    if (other->error > worst->error || worst->n == other->n) {
        worst->error = other->error;
        worst->x = other->x, worst->y = other->y, worst->got = other->got;
    }
    if (!other->outside || worst->outside) return;
    worst->outside = true;
    worst->outside_x = other->outside_x, worst->outside_y = other->outside_y, worst->outside_got = other->outside_got;
}

static void run(job *j, void *(*work)(void *))
{
    pthread_t  thread[MOST_THREADS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int        started = 0;
    pthread_mutex_init(&j->lock, NULL);
    memset(j->worst, 0, sizeof *j->worst);
    while (started < cores && started < MOST_THREADS && pthread_create(&thread[started], NULL, work, j) == 0) started++;
    if (started == 0) work(j);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&j->lock);
}

#define T float
#define WIDER double
#define SUFFIX f32
#define LIBM(name) name
#define DOUBT 1e-6 /* of the sieve, in ulp */
#define SMALLEST (-149)
#define DIGITS 24
#include "measure.c.inc"

#define T double
#define WIDER long double
#define SUFFIX f64
#define LIBM(name) name##l
#define DOUBT (LDBL_MANT_DIG > 100 ? 1e-6 : 0x1p-6)
#define SMALLEST (-1074)
#define DIGITS 53
#include "measure.c.inc"
