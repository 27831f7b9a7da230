/* Fourier slices beside loops that only read, or add to, as many coefficients at the same places; symmetry of spectra
 * beside one turned spectrum for each rotation, and their sum.
 *
 * The limits are plain loops whose places were computed before: for each coefficient of each slice the offset of its
 * cell, of which eight coefficients are read and summed, or added to. Slices are taken in groups, so that offsets fit
 * into memory. One JSON line each. `--quick` takes fewer rounds and slices; other arguments are names of works to run.
 */
#include <math.h>

#include "bench.h"
#include "tessera/geometry.h"

enum { SIZE = 256, HALF = SIZE / 2 + 1 };

static int    rounds = 5;
static int    n_slices = 1000;
static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

typedef struct slices {
    tess_array volume, weights, images, rotations, matrices;
    tess_shape shape, cube;
    int32_t   *cells; /* of each coefficient the offset of its lower corner; -1 beyond the cutoff */
    int        threads;
    double     sum;
} slices;

/* ---- Limits ---- */

typedef struct part {
    slices *s;
    int64_t first, last; /* coefficients */
    double  sum;
} part;

static const int64_t corners[4] = { 0, HALF, (int64_t)HALF *SIZE, (int64_t)HALF *SIZE + HALF };

static void *read_cells(void *context)
{
    part           *p = context;
    const tess_c32 *v = p->s->volume.data;
    tess_c32       *out = p->s->images.data;
    for (int64_t i = p->first; i < p->last; i++) {
        const int32_t at = p->s->cells[i];
        tess_c32      sum = { 0, 0 };
        for (int k = 0; k < 4 && at >= 0; k++)
            for (int x = 0; x < 2; x++) {
                sum.re += v[at + corners[k] + x].re;
                sum.im += v[at + corners[k] + x].im;
            }
        out[i] = sum;
    }
    return NULL;
}

/* Two threads add to halves of the volume that are apart. */
static void *add_cells(void *context)
{
    part           *p = context;
    tess_c32       *v = p->s->volume.data;
    float          *w = p->s->weights.data;
    const tess_c32 *in = p->s->images.data;
    const int64_t   n = p->s->images.shape.b * SIZE * HALF;
    for (int64_t i = 0; i < n; i++) {
        const int32_t at = p->s->cells[i];
        if (at < p->first || at >= p->last) continue;
        for (int k = 0; k < 4; k++)
            for (int x = 0; x < 2; x++) {
                v[at + corners[k] + x].re += in[i].re;
                v[at + corners[k] + x].im += in[i].im;
                w[at + corners[k] + x] += 1;
            }
    }
    return NULL;
}

static void run_parts(slices *s, void *(*loop)(void *), int64_t n)
{
    part      two[2] = { { s, 0, s->threads > 1 ? n / 2 : n, 0 }, { s, n / 2, n, 0 } };
    pthread_t other;
    if (s->threads > 1) (void)pthread_create(&other, NULL, loop, &two[1]);
    (void)loop(&two[0]);
    if (s->threads > 1) (void)pthread_join(other, NULL);
}

static void read_limit(void *context)
{
    slices *s = context;
    run_parts(s, read_cells, s->images.shape.b * SIZE * HALF);
}

static void add_limit(void *context) { run_parts(context, add_cells, (int64_t)SIZE * SIZE * HALF); }

/* Cells in a volume of which zero frequency lies at SIZE/2 along z and y: those of a centred one. */
static void make_cells(slices *s)
{
    const int64_t n = s->images.shape.b;
    s->cells = malloc((size_t)(n * SIZE * HALF) * sizeof *s->cells);
    if (!s->cells) exit(1);
    for (int64_t b = 0; b < n; b++)
        for (int64_t h = 0; h < SIZE; h++)
            for (int64_t w = 0; w < HALF; w++) {
                const double *r = (const double *)s->matrices.data + 9 * b, y = (double)(h - SIZE / 2), x = (double)w;
                double        c[3];
                int64_t       k[3];
                for (int d = 0; d < 3; d++) c[d] = r[3 * d + 1] * y + r[3 * d + 2] * x;
                for (int d = 0; d < 3; d++) k[d] = (int64_t)floor(c[2] < 0 ? -c[d] : c[d]) + (d < 2 ? SIZE / 2 : 0);
                const bool inside = y * y + x * x < (SIZE / 2 - 2) * (SIZE / 2 - 2);
                s->cells[(b * SIZE + h) * HALF + w] = inside ? (int32_t)((k[0] * SIZE + k[1]) * HALF + k[2]) : -1;
            }
}

/* ---- Ours ---- */

static void run_extract(void *context)
{
    slices *s = context;
    bench_need(tess_fourier_extract(&s->images, &s->volume, s->cube, &s->rotations,
                                    &(tess_fourier_extract_opts){ .from = TESS_FFT_HC }));
}

static void run_insert(void *context)
{
    slices *s = context;
    bench_need(tess_fourier_insert(&s->volume, &s->weights, &s->images, s->shape, &s->rotations,
                                   &(tess_fourier_insert_opts){ .from = TESS_FFT_HC, .add = 1 }));
}

static void bench_slices(int threads)
{
    slices s = { .shape = TESS_SHAPE(n_slices, 1, SIZE, SIZE),
                 .cube = TESS_SHAPE(1, SIZE, SIZE, SIZE),
                 .threads = threads };
    if (!wanted("extract") && !wanted("insert")) return;
    bench_need(tess_zeros(&s.volume, tess_rfft_shape(s.cube), TESS_C32, tess_cpu()));
    bench_need(tess_zeros(&s.weights, tess_rfft_shape(s.cube), TESS_F32, tess_cpu()));
    bench_need(tess_ones(&s.images, tess_rfft_shape(s.shape), TESS_C32, tess_cpu()));
    bench_need(tess_empty(&s.rotations, TESS_SHAPE(n_slices, 1, 1, 4), TESS_F64, tess_cpu()));
    bench_need(tess_quat_random(&s.rotations, 1, NULL));
    bench_need(tess_quat_to_matrix(&s.matrices, &s.rotations));
    make_cells(&s);
    bench_need(tess_threads_set(threads));
    if (wanted("extract"))
        bench_report("fourier_extract", "c32", threads, bench_compare(run_extract, &s, read_limit, &s, rounds, 0));
    if (wanted("insert"))
        bench_report("fourier_insert", "c32", threads, bench_compare(run_insert, &s, add_limit, &s, rounds, 0));
    tess_array *all[] = { &s.volume, &s.weights, &s.images, &s.rotations, &s.matrices };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
    free(s.cells);
}

/* ---- Symmetry ---- */

enum { SMALL = 128 };

typedef struct symmetry {
    tess_array volume, out, turned, group;
    tess_shape cube;
} symmetry;

static void run_symmetry(void *context)
{
    symmetry *s = context;
    bench_need(
        tess_symmetrize_spectrum(&s->out, &s->volume, s->cube, "O", &(tess_symmetrize_spectrum_opts){ .sum = 1 }));
}

/* The inverses of rotations are those of the group as well. */
static void turn_one_by_one(void *context)
{
    symmetry *s = context;
    bench_need(tess_fill(&s->out, 0));
    for (int64_t i = 0; i < s->group.shape.b; i++) {
        tess_array one;
        bench_need(tess_slice(&one, &s->group, 0, i, i + 1, 1));
        bench_need(tess_transform_spectrum_3d(&s->turned, &s->volume, s->cube, &one, NULL));
        bench_need(tess_add(&s->out, &s->out, &s->turned));
    }
}

static void bench_symmetry(int threads)
{
    symmetry s = { .cube = TESS_SHAPE(1, SMALL, SMALL, SMALL) };
    if (!wanted("symmetrize")) return;
    bench_need(tess_ones(&s.volume, tess_rfft_shape(s.cube), TESS_C32, tess_cpu()));
    bench_need(tess_zeros(&s.out, tess_rfft_shape(s.cube), TESS_C32, tess_cpu()));
    bench_need(tess_symmetry_matrices(&s.group, "O", NULL));
    bench_need(tess_threads_set(threads));
    bench_report("symmetrize_spectrum", "c32", threads,
                 bench_compare(run_symmetry, &s, turn_one_by_one, &s, rounds, 0));
    tess_array *all[] = { &s.volume, &s.out, &s.turned, &s.group };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        rounds = 3;
        n_slices = 40;
        names++;
        n_names--;
    }
    bench_slices(1);
    bench_slices(2);
    bench_symmetry(1);
    bench_symmetry(2);
    return 0;
}
