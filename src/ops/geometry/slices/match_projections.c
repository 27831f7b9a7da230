/* Projection matching: scores of all candidates and shifts as matrix products, then a pattern search of halving steps.
 *
 * With X an image, S a slice of the reference and m the weights of coefficients, a score is the sum of m CTF Re(X* S)
 * over the root of the sum of m CTF^2 |S|^2 times that of m |X|^2. The first two are products of a row of the image,
 * which has its CTF and shift, with a row of the slice: one matrix product for all of them.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/memory.h"
#include "core/minmax.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/table.h"
#include "core/text.h"
#include "ops/geometry/slices/fourier_project.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/linalg.h"
#include "tessera/match_projections.h"
#include "tessera/reduce.h"
#include "tessera/rotation.h"
#include "tessera/scalar.h"

#define FN "match_projections"

static const tess_arg_info args[] = {
    TESS__OUT("rotations", "the best of each image, quaternions {n,1,1,4}"),
    TESS__OUT("shifts", "pixels (h, w) that move it onto the projection, {n,1,1,2}"),
    TESS__OUT("scores", "{n,1,1,1}"),
    TESS__IN("spectrum", "{1,p,p,p/2+1}, as fourier_prepare makes it"),
    TESS__IN("images", "square ones {n,1,s,s} of real numbers"),
    TESS__IN("candidates", "quaternions {m,1,1,4}, or of each image {n,m,1,4}"),
    TESS__OPT_ARRAY(tess_match_projections_opts, ctfs, const tess_array *, "{1 or n,1,1,m}: of the images"),
    TESS__OPT_ARRAY(tess_match_projections_opts, around, const tess_array *,
                    "{1 or n,1,1,2}: pixels (h, w) about which shifts are tried"),
    TESS__OPT_F64(tess_match_projections_opts, low, "cycles per pixel", 0, 0, 0.5, "lowest frequency; 0: 1 / s"),
    TESS__OPT_F64(tess_match_projections_opts, high, "cycles per pixel", 0.5, 0, 0.5, "highest frequency"),
    TESS__OPT_F64(tess_match_projections_opts, radius, "pixels", 0, 0, 1000, "of shifts that are tried"),
    TESS__OPT_F64(tess_match_projections_opts, shift_step, "pixels", 1, 0.001, 1000, "distance between them"),
    TESS__OPT_F64(tess_match_projections_opts, angle, "radians", 0, 0, 1, "step of the search about the best; 0: none"),
    TESS__OPT_I32(tess_match_projections_opts, halvings, "", 0, 0, 20, "how often steps are halved"),
    TESS__FLAG(tess_match_projections_opts, each, "candidates are those of each image"),
    TESS__OPT_I32(tess_match_projections_opts, padding, "", 2, 1, 8, "of the spectrum"),
    TESS__OPT_I32(tess_match_projections_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(match_projections, v[0].out, v[1].out, v[2].out, v[3].in, v[4].in, v[5].in, opts)
const tess_function_info tess__info_match_projections = TESS__OP_OPTS(
    TESS_CUT_NONE, match_projections, "match_projections",
    "Orientations and shifts at which projections are most like images.", args, tess_match_projections_opts);

enum {
    CANDIDATES = 2048, /* that are compared at a time */
    ROWS = 8192,       /* images times shifts at a time */
    NUMBERS = 4 << 20, /* complex numbers of rows at a time */
    TURNS = 27,        /* rotations of a step about the best, and shifts */
    MOVES = 9,
    PASSES = 2
};

/* What is best for an image so far. */
typedef struct pose {
    tess_vec4_f64 rotation;
    double        shift[2], score;
} pose;

typedef struct matching {
    tess_match_projections_opts o;
    const tess_array           *spectrum;
    int64_t                     n, side, small; /* images; their side, and that of the spectra that are compared */
    tess_array                  images;         /* their spectra times CTF and weights, c32 {n,1,small,small/2+1} */
    tess_array                  squares;        /* CTF^2 times weights, f32 {n,1,small,small/2+1} */
    tess_array                  norms;          /* f64 {n,1,1,1} in the host's memory */
    pose                       *poses;
} matching;

/* Candidates: `count` for all images, or for each from `first` on; and shifts. */
typedef struct trial {
    const tess_vec4_f64 *rotations;
    int64_t              count;
    bool                 each;
    const double (*moves)[2];
    int64_t n_moves;
} trial;

/* ---- Images ---- */

/* How much each coefficient counts: 0 outside the range, and half in column 0, which has two of each. */
static tess_status make_weights(tess_array *out, const matching *m)
{
    const int64_t s = m->small, w = s / 2 + 1;
    const double  low = m->o.low > 0 ? m->o.low : 1 / (double)m->side, slack = 1e-9;
    tess_array    host = { .data = NULL };
    TESS_TRY(tess__make(FN, &host, TESS_SHAPE(1, 1, s, w), TESS_F32, tess_cpu(), false));
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < w; j++) {
            const double y = (double)(i < (s + 1) / 2 ? i : i - s), x = (double)j;
            const double f = sqrt(y * y + x * x) / (double)m->side;
            const bool   counts = f >= low - slack && f <= m->o.high + slack && 2 * j < s && (2 * i != s || s % 2);
            ((float *)host.data)[i * w + j] = !counts ? 0 : j == 0 ? 0.5f : 1;
        }
    const tess_status status = tess_to_device(out, &host, m->spectrum->device);
    tess_release(&host);
    return status;
}

static tess_status take_norms(matching *m, const tess_array *weights)
{
    tess_array  power = { .data = NULL }, sums = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_abs2(&power, &m->images));
    TESS_GOTO(done, status, tess_mul(&power, &power, weights));
    TESS_GOTO(done, status, tess__make(FN, &sums, TESS_SHAPE(m->n, 1, 1, 1), TESS_F64, power.device, false));
    TESS_GOTO(done, status, tess_sum(&sums, &power, TESS_D | TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_to_device(&m->norms, &sums, tess_cpu()));
done:
    tess_release(&power);
    tess_release(&sums);
    return status;
}

static tess_status apply_ctfs(matching *m, const tess_array *weights)
{
    const tess_shape shape = TESS_SHAPE(m->n, 1, m->small, m->small);
    const double     stop = 0.5 * (double)m->small / (double)m->side;
    tess_ctf_opts    o = { .stop = stop };
    TESS_TRY(tess_empty(&m->squares, m->images.shape, TESS_F32, m->images.device));
    if (m->o.ctfs) {
        tess_array rows = { .data = NULL };
        TESS_TRY(tess_broadcast(&rows, m->o.ctfs, TESS_SHAPE(m->n, 1, 1, m->o.ctfs->shape.w)));
        o.parameters = &rows;
        TESS_TRY(tess_ctf_apply(&m->images, &m->images, shape, NULL, &o));
        o.squared = 1;
        TESS_TRY(tess_ctf_image(&m->squares, shape, NULL, &o));
    } else TESS_TRY(tess_fill(&m->squares, 1));
    TESS_TRY(tess_mul(&m->squares, &m->squares, weights));
    return tess_mul(&m->images, &m->images, weights);
}

static tess_status take_images(matching *m, const tess_array *images)
{
    tess_array       as_float = { .data = NULL }, spectra = { .data = NULL }, weights = { .data = NULL };
    const tess_shape small = TESS_SHAPE(m->n, 1, m->small, m->small);
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&as_float, images, TESS_F32, NULL));
    TESS_GOTO(done, status, tess__centred_spectra(&spectra, FN, &as_float, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&m->images, &spectra, images->shape, small, NULL));
    TESS_GOTO(done, status, make_weights(&weights, m));
    TESS_GOTO(done, status, take_norms(m, &weights));
    TESS_GOTO(done, status, apply_ctfs(m, &weights));
done:
    tess_release(&as_float);
    tess_release(&spectra);
    tess_release(&weights);
    return status;
}

/* ---- Rows that are compared ---- */

/* Images first to first + n, each moved by its shift and by every one of the trial, {n,moves,h,w}. */
static tess_status move_images(tess_array *rows, const matching *m, const trial *t, int64_t first, int64_t n)
{
    const double scale = (double)m->small / (double)m->side;
    tess_array   images, host = { .data = NULL }, shifts = { .data = NULL };
    tess_status  status = TESS_OK;
    TESS_TRY(tess_slice(&images, &m->images, 0, first, first + n, 1));
    TESS_GOTO(done, status,
              tess_empty(rows, TESS_SHAPE(n, t->n_moves, images.shape.h, images.shape.w), TESS_C32, images.device));
    TESS_GOTO(done, status, tess__make(FN, &host, TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu(), false));
    for (int64_t k = 0; k < t->n_moves; k++) {
        tess_array view;
        for (int64_t i = 0; i < 2 * n; i++)
            ((double *)host.data)[i] = (m->poses[first + i / 2].shift[i % 2] + t->moves[k][i % 2]) * scale;
        tess_release(&shifts);
        TESS_GOTO(done, status, tess_to_device(&shifts, &host, images.device));
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
static tess_status take_slices(tess_array *slices, tess_array *power, const matching *m, const tess_vec4_f64 *rotations,
                               int64_t n)
{
    const int64_t padded = m->side * m->o.padding, target = m->small * m->o.padding;
    tess_array    host = { .data = NULL }, quats = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make(FN, &host, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu(), false));
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
done:
    tess_release(&there[0]);
    tess_release(&there[1]);
    return status;
}

/* Candidates from `from` on, `count` of each image or of all, for n images from `first` on: better ones are `found`. */
static tess_status compare(const matching *m, const trial *t, const tess_array *rows, int64_t first, int64_t from,
                           int64_t count, pose *found)
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

static tess_status try_some(matching *m, const trial *t, int64_t first, int64_t n)
{
    tess_array  rows = { .data = NULL };
    tess_status status = TESS_OK;
    pose       *found = tess__alloc((size_t)n * sizeof *found);
    TESS_CHECK(found, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", FN, n);
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
static tess_status try_all(matching *m, const trial *t)
{
    const int64_t numbers = m->small * (m->small / 2 + 1);
    const int64_t rows = tess__min((int64_t)ROWS, NUMBERS / numbers);
    int64_t       group = rows / t->n_moves;
    if (t->each) group = tess__min(group, NUMBERS / (numbers * t->count));
    group = tess__max(group, (int64_t)1);
    for (int64_t i = 0; i < m->n; i += group) TESS_TRY(try_some(m, t, i, tess__min(group, m->n - i)));
    return TESS_OK;
}

/* ---- Searches ---- */

/* Shifts on a square grid within the radius, nearest to 0 first in each row; `moves` may be NULL. */
static int64_t make_moves(double (*moves)[2], double radius, double step)
{
    const int64_t most = (int64_t)floor(radius / step + 1e-9);
    int64_t       n = 0;
    for (int64_t y = -most; y <= most; y++)
        for (int64_t x = -most; x <= most; x++) {
            if ((double)(y * y + x * x) * step * step > radius * radius * (1 + 1e-9)) continue;
            if (moves) moves[n][0] = (double)y * step, moves[n][1] = (double)x * step;
            n++;
        }
    return n;
}

static tess_status search(matching *m, const tess_vec4_f64 *candidates, int64_t count)
{
    const int64_t n_moves = make_moves(NULL, m->o.radius, m->o.shift_step);
    double(*moves)[2] = tess__alloc((size_t)n_moves * sizeof *moves);
    TESS_CHECK(moves, TESS_ENOMEM, "%s: no memory for %" PRId64 " shifts", FN, n_moves);
    make_moves(moves, m->o.radius, m->o.shift_step);
    const tess_status status = try_all(m, &(trial){ candidates, count, m->o.each, (const double(*)[2])moves, n_moves });
    tess__free(moves);
    return status;
}

/* Rotations by -1, 0 and 1 times the angle about each axis of the image, after a rotation; the first is by 0. */
static void turn_about(tess_vec4_f64 *out, tess_vec4_f64 rotation, double angle)
{
    for (int k = 0; k < TURNS; k++) {
        const int           code = (k + TURNS / 2) % TURNS;
        const tess_vec3_f64 v = { { code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1 } };
        const double        length = tess_vec3_norm_f64(v);
        out[k] = rotation;
        if (length > 0)
            out[k] = tess_quat_mul_f64(
                rotation, tess_quat_from_axis_angle_f64(tess_vec3_scale_f64(v, 1 / length), angle * length));
    }
}

static tess_status refine(matching *m)
{
    tess_vec4_f64 *turns = tess__alloc((size_t)m->n * TURNS * sizeof *turns);
    tess_status    status = TESS_OK;
    TESS_CHECK(turns, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", FN, m->n);
    for (int pass = 0; pass < PASSES * (m->o.halvings + 1); pass++) {
        const double part = pow(0.5, pass / PASSES), step = m->o.shift_step * part;
        double       moves[MOVES][2];
        for (int k = 0; k < MOVES; k++)
            moves[k][0] = ((k + 4) % 9 / 3 - 1) * step, moves[k][1] = ((k + 4) % 3 - 1) * step;
        for (int64_t i = 0; i < m->n; i++) turn_about(turns + i * TURNS, m->poses[i].rotation, m->o.angle * part);
        TESS_GOTO(done, status, try_all(m, &(trial){ turns, TURNS, true, (const double(*)[2])moves, MOVES }));
    }
done:
    tess__free(turns);
    return status;
}

/* ---- The call ---- */

static tess_status take_candidates(tess_array *out, const matching *m, const tess_array *in)
{
    char             text[TESS__SHAPE_TEXT];
    tess_array       cast = { .data = NULL }, host = { .data = NULL };
    tess_status      status = TESS_OK;
    const tess_shape s = in->shape;
    TESS_CHECK(s.h == 1 && s.w == 4 && s.b > 0 && s.d > 0 && (m->o.each ? s.b == m->n : s.d == 1), TESS_ESHAPE,
               "%s: candidates has shape %s; quaternions %s are needed", FN, tess__shape_text(text, s.dim),
               m->o.each ? "{n,m,1,4} of the n images" : "{m,1,1,4}");
    TESS_GOTO(done, status, tess_cast(&cast, in, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&host, &cast, tess_cpu()));
    TESS_GOTO(done, status, tess__make(FN, out, s, TESS_F64, tess_cpu(), false));
    TESS_GOTO(done, status, tess_copy(out, &host));
    for (int64_t i = 0; i < s.b * s.d; i++) {
        tess_vec4_f64 *q = (tess_vec4_f64 *)out->data + i;
        TESS_GOTO(done, status, tess_quat_normalize(q, q));
    }
done:
    tess_release(&cast);
    tess_release(&host);
    return status;
}

static tess_status start_poses(matching *m, const tess_vec4_f64 *candidates, int64_t count)
{
    tess_array  rows = { .data = NULL }, host = { .data = NULL };
    tess_status status = TESS_OK;
    m->poses = tess__alloc((size_t)m->n * sizeof *m->poses);
    TESS_CHECK(m->poses, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", FN, m->n);
    TESS_GOTO(done, status, tess__make(FN, &host, TESS_SHAPE(m->n, 1, 1, 2), TESS_F64, tess_cpu(), true));
    if (m->o.around) {
        TESS_GOTO(done, status, tess_to_device(&rows, m->o.around, tess_cpu()));
        TESS_GOTO(done, status, tess_add(&host, &host, &rows));
    }
    for (int64_t i = 0; i < m->n; i++) {
        const double *shift = (const double *)host.data + 2 * i;
        m->poses[i] = (pose){ candidates[m->o.each ? i * count : 0], { shift[0], shift[1] }, -HUGE_VAL };
    }
done:
    tess_release(&rows);
    tess_release(&host);
    return status;
}

/* Numbers of poses into an output, which may be on a device. */
static tess_status give(tess_array *out, const matching *m, int what)
{
    static const int columns[] = { 4, 2, 1 };
    const int        w = columns[what];
    tess_array       host = { .data = NULL };
    TESS_TRY(tess__make(FN, &host, TESS_SHAPE(m->n, 1, 1, w), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < m->n; i++) {
        const pose  *p = &m->poses[i];
        const double norm = ((const double *)m->norms.data)[i];
        double      *to = (double *)host.data + i * w;
        for (int c = 0; c < w; c++)
            to[c] = what == 0 ? p->rotation.at[c] * (p->rotation.at[3] < 0 ? -1 : 1) : what == 1 ? p->shift[c] : 0;
        if (what == 2) to[0] = !isfinite(p->score) ? NAN : norm > 0 ? p->score / sqrt(norm) : 0;
    }
    const tess_status status = tess_to_device(out, &host, out->device);
    tess_release(&host);
    return status;
}

static tess_status run(matching *m, const tess_array *images, const tess_array *candidates, tess_array *const out[3])
{
    tess_array  list = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, take_candidates(&list, m, candidates));
    const int64_t count = m->o.each ? list.shape.d : list.shape.b;
    TESS_GOTO(done, status, take_images(m, images));
    TESS_GOTO(done, status, start_poses(m, list.data, count));
    TESS_GOTO(done, status, search(m, list.data, count));
    if (m->o.angle > 0) TESS_GOTO(done, status, refine(m));
    for (int k = 0; k < 3; k++) TESS_GOTO(done, status, give(out[k], m, k));
done:
    tess_release(&list);
    tess_release(&m->images);
    tess_release(&m->squares);
    tess_release(&m->norms);
    tess__free(m->poses);
    return status;
}

static tess_status check(matching *m, const tess_array *images, const tess_array *candidates)
{
    int64_t padded;
    TESS_TRY(tess__check_numbers(FN, "spectrum", m->spectrum));
    TESS_CHECK(m->spectrum->dtype == TESS_C32, TESS_EDTYPE, "%s: spectrum is %s; c32 is needed", FN,
               tess_dtype_name(m->spectrum->dtype));
    TESS_TRY(tess__padded_sides(&m->side, &padded, FN, "spectrum", m->spectrum, m->o.padding));
    TESS_TRY(tess__square_images(FN, "images", images));
    TESS_CHECK(images->shape.w == m->side, TESS_ESHAPE,
               "%s: images have %" PRId64 " pixels a side and the reference %" PRId64 "; the same is needed", FN,
               images->shape.w, m->side);
    TESS_TRY(tess__check_device_of(FN, "spectrum", m->spectrum, "images", images));
    TESS_TRY(tess__check_numbers(FN, "candidates", candidates));
    TESS_TRY(tess__check_ordered(FN, "candidates", candidates->dtype));
    m->n = images->shape.b;
    if (m->o.ctfs)
        TESS_TRY(tess__rows_of_images(FN, "opts->ctfs", m->o.ctfs, m->n, TESS_CTF_MIN_COLUMNS, TESS_CTF_EVEN_COLUMNS));
    if (m->o.around) TESS_TRY(tess__rows_of_images(FN, "opts->around", m->o.around, m->n, 2, 2));
    TESS_CHECK(m->o.low < m->o.high, TESS_ERANGE, "%s: opts->low is %g and opts->high is %g; low below high is needed",
               FN, m->o.low, m->o.high);
    TESS_CHECK(m->o.radius / m->o.shift_step <= 100, TESS_ERANGE,
               "%s: opts->radius is %g and opts->shift_step %g; at most 100 steps are allowed", FN, m->o.radius,
               m->o.shift_step);
    return TESS_OK;
}

tess_status tess_match_projections(tess_array *rotations, tess_array *shifts, tess_array *scores,
                                   const tess_array *spectrum, const tess_array *images, const tess_array *candidates,
                                   const tess_match_projections_opts *opts)
{
    TESS__FLOAT_SCOPE();
    matching          m = { .spectrum = spectrum };
    tess_array *const out[3] = { rotations, shifts, scores };
    const char *const names[3] = { "rotations", "shifts", "scores" };
    const int64_t     columns[3] = { 4, 2, 1 };
    bool              made[3] = { false, false, false };
    TESS_TRY(tess__resolve(&tess__info_match_projections, opts, &m.o));
    for (int k = 0; k < 3; k++) TESS_TRY(tess__check_pointer(FN, names[k], out[k]));
    TESS_TRY(check(&m, images, candidates));
    m.small = tess__min(2 * (int64_t)floor(m.o.high * (double)m.side + 1e-6) + 2, m.side);
    tess_status status = TESS_OK;
    for (int k = 0; k < 3 && status == TESS_OK; k++) {
        made[k] = tess__is_empty_out(out[k]);
        status = tess__output_named(FN, names[k], out[k], TESS_SHAPE(m.n, 1, 1, columns[k]), TESS_F64, images->device);
    }
    if (status == TESS_OK && m.n > 0) status = run(&m, images, candidates, out);
    status = tess__error_under(status, FN);
    for (int k = 0; k < 3; k++) status = tess__finish(status, out[k], made[k]);
    return status;
}
