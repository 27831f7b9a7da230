/* Scores of projection matching: all candidates and shifts by matrix products.
 *
 * With X an image, S a slice of the reference and m the weights of coefficients, a score is the sum of m CTF Re(X* S)
 * over the root of the sum of m CTF^2 |S|^2 times that of m |X|^2. The first two are products of a row of the image,
 * which has its CTF and shift, with a row of the slice: one matrix product for all of them. The last one is left to the
 * end. */
#include <inttypes.h>
#include <string.h>

#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/device/stream.h"
#include "ops/geometry/slices/match.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/fourier_slices.h"
#include "tessera/linalg.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"

enum {
    CANDIDATES = 2048, /* that are compared at a time */
    ROWS = 8192,       /* images times shifts at a time */
    NUMBERS = 4 << 20  /* complex numbers of rows at a time */
};

/* Images first to first + n, each moved by its shift and by every one of the tess__match_trial, {n,moves,h,w}. */
static tess_status move_images(tess_array *rows, const tess__matching *m, const tess__match_trial *t, int64_t first,
                               int64_t n)
{
    const double scale = (double)m->small / (double)m->side;
    tess_array   images, host = { .data = NULL }, shifts = { .data = NULL };
    tess_status  status = TESS_OK;
    TESS_TRY(tess_slice(&images, &m->images, 0, first, first + n, 1));
    TESS_GOTO(done, status,
              tess_empty(rows, TESS_SHAPE(n, t->n_moves, images.shape.h, images.shape.w), TESS_C32, images.device));
    TESS_GOTO(done, status, tess__make(TESS__MATCH, &host, TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu(), false));
    for (int64_t k = 0; k < t->n_moves; k++) {
        tess_array view;
        for (int64_t i = 0; i < 2 * n; i++)
            ((double *)host.data)[i] = (m->poses[first + i / 2].shift[i % 2] + t->moves[k][i % 2]) * scale;
        tess_release(&shifts);
        TESS_GOTO(done, status, tess_to_device(&shifts, &host, images.device));
        TESS_GOTO(done, status, tess__sync(TESS__MATCH, tess_cpu())); /* before the next shifts are written */
        TESS_GOTO(done, status, tess_index(&view, rows, 1, k));
        TESS_GOTO(done, status,
                  tess_fft_phase_shift(&view, &images, TESS_SHAPE(n, 1, m->small, m->small), &shifts, NULL));
    }
done:
    tess_release(&host);
    tess_release(&shifts);
    return status;
}

/* Slices of the reference at n rotations, and their power. */
static tess_status take_slices(tess_array *slices, tess_array *power, const tess__matching *m,
                               const tess_vec4_f64 *rotations, int64_t n)
{
    const int64_t padded = m->side * m->o.padding, target = m->small * m->o.padding;
    tess_array    host = { .data = NULL }, quats = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make(TESS__MATCH, &host, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu(), false));
    memcpy(host.data, rotations, (size_t)n * sizeof *rotations);
    TESS_GOTO(done, status, tess_to_device(&quats, &host, m->spectrum->device));
    TESS_GOTO(done, status,
              tess_fourier_extract(slices, m->spectrum, TESS_SHAPE(1, padded, padded, padded), &quats,
                                   &(tess_fourier_extract_opts){ .slice_shape = TESS_SHAPE(n, 1, m->small, m->small),
                                                                 .target = TESS_SHAPE(1, target, target, target) }));
    TESS_GOTO(done, status, tess_abs2(power, slices));
done:
    tess_release(&host);
    tess_release(&quats);
    return status;
}

/* Scores {1,n,moves,count} of rows {n,moves,..} and slices, of all images or {n count,..} of each, but for norms. */
static tess_status multiply(tess_array *scores, tess_array *lengths, const tess_array *rows, const tess_array *squares,
                            const tess_array *slices, const tess_array *power, bool each)
{
    const int64_t          n = rows->shape.b, moves = rows->shape.d, numbers = rows->shape.h * rows->shape.w;
    const int64_t          d = each ? n : 1, count = slices->shape.b / d;
    const tess_matmul_opts turned = { .form_b = TESS_MATRIX_TRANSPOSE };
    tess_array             a, b, v, p;
    TESS_TRY(tess_reshape(&a, rows, TESS_SHAPE(1, d, n * moves / d, numbers)));
    TESS_TRY(tess_reshape(&b, slices, TESS_SHAPE(1, d, count, numbers)));
    TESS_TRY(tess_reinterpret(&a, &a, TESS_F32));
    TESS_TRY(tess_reinterpret(&b, &b, TESS_F32));
    TESS_TRY(tess_matmul(scores, &a, &b, &turned));
    TESS_TRY(tess_reshape(scores, scores, TESS_SHAPE(1, n, moves, count)));
    TESS_TRY(tess_reshape(&v, squares, TESS_SHAPE(1, d, n / d, numbers)));
    TESS_TRY(tess_reshape(&p, power, TESS_SHAPE(1, d, count, numbers)));
    TESS_TRY(tess_matmul(lengths, &v, &p, &turned));
    TESS_TRY(tess_reshape(lengths, lengths, TESS_SHAPE(1, n, 1, count)));
    TESS_TRY(tess_maximum(lengths, lengths, &tess_f32(1e-30f)));
    TESS_TRY(tess_sqrt(lengths, lengths));
    return tess_div(scores, scores, lengths);
}

/* The largest of each image, and where it is, in the host's memory. */
static tess_status find_best(tess_array *values, tess_array *places, const tess_array *scores)
{
    tess_array  there[2] = { { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_max(&there[0], scores, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_argmax(&there[1], scores, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_to_device(values, &there[0], tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(places, &there[1], tess_cpu()));
    TESS_GOTO(done, status, tess__sync(TESS__MATCH, tess_cpu()));
done:
    tess_release(&there[0]);
    tess_release(&there[1]);
    return status;
}

/* Candidates from `from` on, `count` of each image or of all, for n images from `first` on: better ones are `found`. */
static tess_status compare(const tess__matching *m, const tess__match_trial *t, const tess_array *rows, int64_t first,
                           int64_t from, int64_t count, tess__match_pose *found)
{
    const int64_t        n = rows->shape.b;
    const tess_vec4_f64 *rotations = t->rotations + (t->each ? first * t->count : from);
    tess_array           slices = { .data = NULL }, power = { .data = NULL }, scores = { .data = NULL },
               lengths = { .data = NULL }, values = { .data = NULL }, places = { .data = NULL }, squares;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, take_slices(&slices, &power, m, rotations, t->each ? n * count : count));
    TESS_GOTO(done, status, tess_slice(&squares, &m->squares, 0, first, first + n, 1));
    TESS_GOTO(done, status, multiply(&scores, &lengths, rows, &squares, &slices, &power, t->each));
    TESS_GOTO(done, status, find_best(&values, &places, &scores));
    for (int64_t i = 0; i < n; i++) {
        const double  score = ((const float *)values.data)[i];
        const int64_t place = ((const int64_t *)places.data)[i], k = place / count;
        if (!(score > found[i].score)) continue;
        found[i].score = score;
        found[i].rotation = rotations[(t->each ? i * count : 0) + place % count];
        for (int c = 0; c < 2; c++) found[i].shift[c] = m->poses[first + i].shift[c] + t->moves[k][c];
    }
done:
    tess_release(&slices);
    tess_release(&power);
    tess_release(&scores);
    tess_release(&lengths);
    tess_release(&values);
    tess_release(&places);
    return status;
}

static tess_status try_some(tess__matching *m, const tess__match_trial *t, int64_t first, int64_t n)
{
    tess_array        rows = { .data = NULL };
    tess_status       status = TESS_OK;
    tess__match_pose *found = tess__alloc((size_t)n * sizeof *found);
    TESS_CHECK(found, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", TESS__MATCH, n);
    memcpy(found, m->poses + first, (size_t)n * sizeof *found);
    TESS_GOTO(done, status, move_images(&rows, m, t, first, n));
    const int64_t step = t->each ? t->count : (int64_t)CANDIDATES;
    for (int64_t from = 0; from < t->count; from += step)
        TESS_GOTO(done, status, compare(m, t, &rows, first, from, tess__min(step, t->count - from), found));
    memcpy(m->poses + first, found, (size_t)n * sizeof *found);
done:
    tess_release(&rows);
    tess__free(found);
    return status;
}

/* All images, as many at a time as memory is meant for. */
tess_status tess__match_try(tess__matching *m, const tess__match_trial *t)
{
    const int64_t numbers = m->small * (m->small / 2 + 1);
    const int64_t rows = tess__min((int64_t)ROWS, NUMBERS / numbers);
    int64_t       group = rows / t->n_moves;
    if (t->each) group = tess__min(group, NUMBERS / (numbers * t->count));
    group = tess__max(group, (int64_t)1);
    for (int64_t i = 0; i < m->n; i += group) TESS_TRY(try_some(m, t, i, tess__min(group, m->n - i)));
    return TESS_OK;
}
