/* 1-D FFT plan: how vectors of one length are transformed; tables that any number of threads may read. */
#ifndef TESS_CPU_FFT_PLAN1D_H
#define TESS_CPU_FFT_PLAN1D_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/fft/factors.h"
#include "cpu/fft/kernels.h"
#include "tessera/error.h"

typedef struct tess__fft_plan1d tess__fft_plan1d;

/* Kinds of 1-D plans. */
enum {
    TESS__FFT_BLOCK,       /* complex, `lanes` of them in a block: stages of the factors of n */
    TESS__FFT_REAL,        /* real, of even n: a complex one of n / 2 and the factors of the Hermitian pack */
    TESS__FFT_STOCKHAM,    /* complex, alone: stages of the factors of n, which all have kernels */
    TESS__FFT_SPLIT,       /* complex, long, four-step: as a matrix, first its columns, then its rows */
    TESS__FFT_CHIRP,       /* complex, alone, other factors: as a convolution (Bluestein) */
    TESS__FFT_SINGLE_REAL, /* real, of even n, long or alone: a complex one of n / 2 as above */
    TESS__FFT_R2R_PLAN     /* real to real: this plus a tess_fft_r2r_kind and what follows */
};
enum { TESS__FFT_R2R_ORTHO = 16, TESS__FFT_R2R_ALONE = 32 };

/* Kinds that plans are asked for by, whose own depends on n. */
enum {
    TESS__FFT_ALONE = -2,     /* complex: the best one of STOCKHAM, SPLIT, CHIRP and BLOCK */
    TESS__FFT_ALONE_REAL = -1 /* real, of even n: SINGLE_REAL or REAL */
};

static inline int  tess__fft_r2r_of(int kind) { return (kind - TESS__FFT_R2R_PLAN) % TESS__FFT_R2R_ORTHO; }
static inline bool tess__fft_r2r_ortho(int kind) { return (kind - TESS__FFT_R2R_PLAN) & TESS__FFT_R2R_ORTHO; }
static inline bool tess__fft_r2r_alone(int kind)
{
    return kind > TESS__FFT_R2R_PLAN && ((kind - TESS__FFT_R2R_PLAN) & TESS__FFT_R2R_ALONE);
}

/* A prime radix without a kernel of its own. */
typedef struct tess__fft_prime {
    int32_t           r;
    tess__fft_plan1d *sub; /* NULL: r results of r products each. Of r-1 elements: by Rader; of more: by Bluestein */
    void             *factors; /* without sub: exp(-2 pi i k / r). Else the spectrum to multiply with */
    void             *chirp;   /* Bluestein: exp(-pi i j j / r) */
    int32_t          *powers;  /* Rader: g^i mod r, for i from 0 to r-2, */
    int32_t          *inverse; /* and g^-i */
} tess__fft_prime;

typedef struct tess__fft_stage {
    int32_t         radix;
    int64_t         m;        /* elements that are combined already */
    void           *twiddles; /* of each of m butterflies; NULL if m is 1, unless a chirp is among them */
    tess__fft_prime prime;    /* r is 0 if the radix has a kernel */
} tess__fft_stage;

struct tess__fft_plan1d {
    /* For the cache of 1-D plans: */
    int32_t           kind;
    int32_t           asked; /* the kind that it is found by */
    int32_t           size;  /* bytes of a real */
    int64_t           n;
    atomic_int        references;
    int64_t           bytes;
    tess__fft_plan1d *newer, *older;                        /* NULL: not in the cache */
    int               held;                                 /* by so many public plans, for which it stays there */
    void             *memory[8 + 6 * TESS__FFT_MAX_STAGES]; /* all tables, to be freed */
    int               n_memory;

    int64_t workspace; /* in elements of blocks, besides its own n */
    double  cost;      /* estimated nanoseconds of an element */

    /* BLOCK, STOCKHAM */
    int32_t         n_stages;
    tess__fft_stage stage[TESS__FFT_MAX_STAGES];
    int32_t        *at[2];   /* where element j of the input goes; forward and backward */
    int32_t        *from[2]; /* and where element j of the block comes from */

    /* REAL, SINGLE_REAL: sub[0] has n / 2. R2R: sub[0] is the complex one. SPLIT: columns of sub[0]'s length, then
     * rows of sub[1]'s. CHIRP: sub[0] is long enough for the convolution */
    tess__fft_plan1d *sub[2];
    /* REAL: exp(-2 pi i k / n) up to n / 4; SINGLE_REAL: and a SIMD vector more. CHIRP: exp(-pi i j j / n) */
    void *twiddles;
    void *spectrum; /* CHIRP: what is convolved with */
    /* SPLIT: exp(-2 pi i / n) to the power j, and to the power of j * coarse; and to that of l * k, for each k of a
     * column and TESS__FFT_MAX_LANES of l. The first two are of f64 */
    void   *fine_twiddles, *coarse_twiddles, *lane_twiddles;
    int64_t coarse;

    tess__fft_r2r r2r;
};

/* The plan that is asked for by this kind, from the cache or created, with a reference; `fn` begins the message if
 * there is no memory. */
tess_status tess__fft_plan1d_find(tess__fft_plan1d **plan, const char *fn, int asked, int64_t n, int size);
void        tess__fft_plan1d_release(tess__fft_plan1d *plan); /* NULL too */

/* Public plans keep their 1-D plans in the cache, whatever else is transformed. */
void tess__fft_plan1d_hold(tess__fft_plan1d *plan);
void tess__fft_plan1d_let_go(tess__fft_plan1d *plan);

/* Workspace of a vector that is transformed by itself, aligned to 64 bytes; some of it is cached. NULL if there is no
 * memory. */
void *tess__fft_workspace_acquire(size_t size);
void  tess__fft_workspace_release(void *memory);

/* Plans of one kind each, for tess__fft_plan1d_find alone: false if there is no memory. */
bool tess__fft_make_block(tess__fft_plan1d *plan, const char *fn);
bool tess__fft_make_prime(tess__fft_plan1d *plan, tess__fft_stage *stage, const char *fn);
bool tess__fft_make_real(tess__fft_plan1d *plan, const char *fn);
bool tess__fft_make_stockham(tess__fft_plan1d *plan);
bool tess__fft_make_split(tess__fft_plan1d *plan, const char *fn);
bool tess__fft_make_chirp(tess__fft_plan1d *plan, const char *fn);
bool tess__fft_make_r2r(tess__fft_plan1d *plan, const char *fn);

/* The kind of plan for a complex vector that is transformed by itself. */
int tess__fft_single_kind(int64_t n);

/* Whether a plan transforms one vector at a time. */
static inline bool tess__fft_is_single(const tess__fft_plan1d *plan)
{
    return (plan->kind >= TESS__FFT_STOCKHAM && plan->kind < TESS__FFT_R2R_PLAN) || tess__fft_r2r_alone(plan->kind);
}

/* Whether that is one vector by one thread, by Stockham's algorithm. */
static inline bool tess__fft_is_stockham(const tess__fft_plan1d *plan)
{
    while (plan->kind == TESS__FFT_SINGLE_REAL || tess__fft_r2r_alone(plan->kind)) plan = plan->sub[0];
    return plan->kind == TESS__FFT_STOCKHAM;
}

/* Maximum elements of a vector that is transformed in a block. */
enum { TESS__FFT_FOUR_STEP = 8192 };

/* Memory for a table of n things of `size` bytes, that the plan holds; NULL if there is none. */
void *tess__fft_table(tess__fft_plan1d *plan, int64_t n, size_t size);

/* The transform, forward, of n complex f64 in place, for tables; false if there is no memory. The
 * double-double one is right to the last bit, and slow. */
bool tess__fft_spectrum_of(double *x, int64_t n, const char *fn);
bool tess__fft_dd_spectrum(double *x, int64_t n);

/* ---- Lines ---- */

/* The transform by a STOCKHAM plan, times `scale`, of adjacent numbers; `out` may be `in`. */
void   tess__fft_run_stockham(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, void *out, const void *in,
                              void *workspace, bool backward, double scale);
size_t tess__fft_stockham_workspace(const tess__fft_plan1d *plan); /* bytes */

/* ---- Blocks ---- */

/* The stages of a BLOCK plan from number `first` on, up to `end`, on a block whose elements lie as `at` says; the
 * workspace has plan->workspace elements. */
void tess__fft_run_block(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, void *block, void *workspace,
                         int first, int end);

/* One of these stages, of a prime radix without a kernel. */
void tess__fft_run_prime(const tess__fft_plan1d *plan, const tess__fft_stage *stage, const tess__fft_kernel *k,
                         char *block, char *workspace);

/* Vectors of `lanes` neighbours into a block. Returns how many stages that did: the first one, if it can. */
int tess__fft_load_columns(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, void *block, const char *in,
                           int64_t step, bool backward);

/* The number of the last stage if it can be fused with the store; else the number of stages. */
int tess__fft_last_stage(const tess__fft_plan1d *plan);

/* That stage. Meanwhile the next block is prefetched, from `next`, unless that is NULL. */
void tess__fft_store_columns(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, char *out, int64_t step,
                             const void *block, const char *next, int64_t next_step);

#endif
