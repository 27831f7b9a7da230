/* Mean of rotations (Markley et al. 2007): the eigenvector of the largest eigenvalue of the sum of q q', by Jacobi's
 * rotations. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "formulas/geometry/rotation.op.h"
#include "tessera/device.h"
#include "tessera/rotation.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the mean, {1,1,1,4}", .axes = "1,1,1,4"),
    TESS__IN("quats", "quaternions z, y, x, w, {b,d,h,4}", .sample = "b,1,1,4", .axes = "B,D,H,4"),
    TESS__OPT_ARRAY(tess_quat_average_opts, weights, const tess_array *, "one real weight per quaternion",
                    .axes = "B,D,H,1"),
};
TESS__CALL(quat_average, v[0].out, v[1].in, opts)
const tess_function_info tess__info_quat_average = TESS__OP_OPTS(
    TESS_CUT_NONE, quat_average, "rotation", "Average rotations given as quaternions.", args, tess_quat_average_opts);

/* ---- Eigenvectors of a symmetric matrix ---- */

typedef struct symmetric {
    double a[4][4];       /* the matrix, which becomes diagonal */
    double vectors[4][4]; /* columns: eigenvectors */
} symmetric;

/* Rows and columns p and q by the angle that makes a[p][q] 0. */
static void turn(symmetric *m, int p, int q)
{
    if (m->a[p][q] == 0) return;
    const double theta = (m->a[q][q] - m->a[p][p]) / (2 * m->a[p][q]);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(fma(theta, theta, 1))), c = 1 / sqrt(fma(t, t, 1));
    const double s = t * c;
    for (int k = 0; k < 4; k++) {
        const double x = m->a[k][p], y = m->a[k][q], u = m->vectors[k][p], v = m->vectors[k][q];
        m->a[k][p] = c * x - s * y;
        m->a[k][q] = s * x + c * y;
        m->vectors[k][p] = c * u - s * v;
        m->vectors[k][q] = s * u + c * v;
    }
    for (int k = 0; k < 4; k++) {
        const double x = m->a[p][k], y = m->a[q][k];
        m->a[p][k] = c * x - s * y;
        m->a[q][k] = s * x + c * y;
    }
}

/* Convergence is quadratic: a few sweeps are enough for 4 x 4, and more change nothing. */
static void diagonalize(symmetric *m)
{
    enum { SWEEPS = 12 };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) m->vectors[i][k] = i == k;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) turn(m, p, q);
}

/* The largest eigenvalue must stand out. */
static tess_status largest_vector(tess_vec4_f64 *q, symmetric *m)
{
    char text[2][32];
    int  first = 0;
    diagonalize(m);
    for (int k = 1; k < 4; k++)
        if (m->a[k][k] > m->a[first][first]) first = k;
    int second = first == 0;
    for (int k = 0; k < 4; k++)
        if (k != first && m->a[k][k] > m->a[second][second]) second = k;
    const double most = m->a[first][first], next = m->a[second][second];
    TESS_CHECK(most - next > 1e-9 * most, TESS_ERANGE,
               "quat_average: `quats` have no mean: the largest eigenvalues are %s and %s; they must differ",
               tess__number_text(text[0], most), tess__number_text(text[1], next));
    for (int k = 0; k < 4; k++) q->at[k] = m->vectors[k][first];
    tess__put_quat(q->at, *q);
    return TESS_OK;
}

/* ---- Sums ---- */

static tess_status add_all(symmetric *m, const double *quats, const double *weights, int64_t n)
{
    char   text[32];
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double weight = weights ? weights[i] : 1;
        TESS_CHECK(weight >= 0 && isfinite(weight), TESS_ERANGE,
                   "quat_average: weight %" PRId64 " is %s; weights must be finite and not negative", i,
                   tess__number_text(text, weight));
        tess_vec4_f64 q = { { quats[4 * i], quats[4 * i + 1], quats[4 * i + 2], quats[4 * i + 3] } };
        TESS_TRY(tess__unit_quat(&q, "quat_average", "quats", i));
        sum += weight;
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 4; k++) m->a[p][k] = fma(weight * q.at[p], q.at[k], m->a[p][k]);
    }
    TESS_CHECK(sum > 0, TESS_ERANGE, "quat_average: the sum of %" PRId64 " weights is 0; it must be above 0", n);
    return TESS_OK;
}

/* Weights as f64 in the host's memory, as many as there are quaternions. */
static tess_status fetch_weights(tess_array *out, const tess_array *weights, int64_t n)
{
    tess_array  numbers = { .data = NULL };
    tess_status status = TESS_OK;
    char        text[TESS__SHAPE_TEXT];
    if (!weights) return TESS_OK;
    TESS_TRY(tess__check_numbers("quat_average", "opts->weights", weights));
    TESS_CHECK(weights->dtype < TESS_C16, TESS_EDTYPE, "quat_average: `opts->weights` is %s; a real type is needed",
               tess_dtype_name(weights->dtype));
    TESS_CHECK(tess_n_elements(weights) == n, TESS_ESHAPE,
               "quat_average: `opts->weights` has shape %s; %" PRId64 " weights are needed, one per quaternion",
               tess__shape_text(text, weights->shape.dim), n);
    TESS_GOTO(done, status, tess_cast(&numbers, weights, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(out, &numbers, tess_cpu()));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(weights->device)));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(tess_cpu())));
done:
    tess_release(&numbers);
    return status;
}

static tess_status mean_of(tess_vec4_f64 *q, const tess__items *in, const tess_array *weights)
{
    symmetric     m = { .a = { { 0 } } };
    tess_array    list = { .data = NULL }, numbers = { .data = NULL };
    tess_status   status = TESS_OK;
    const int64_t n = tess_n_elements(&in->first);
    TESS_CHECK(n > 0, TESS_ESHAPE, "quat_average: `quats` is empty; at least one quaternion is needed");
    TESS_GOTO(done, status, fetch_weights(&numbers, weights, n));
    TESS_GOTO(done, status, tess__items_fetch(&list, "quat_average", in));
    TESS_GOTO(done, status, add_all(&m, list.data, numbers.data, n));
    TESS_GOTO(done, status, largest_vector(q, &m));
done:
    tess_release(&list);
    tess_release(&numbers);
    return status;
}

static tess_status average(tess_array *out, tess__items *in, const tess_array *quats, const tess_array *weights)
{
    const tess__item_form form = { TESS__ITEM_VECTOR, 1, 4, false };
    tess__items           to;
    tess_vec4_f64         q;
    TESS_TRY(tess__items_of(in, "quat_average", "quats", quats, form));
    TESS_TRY(mean_of(&q, in, weights));
    tess__items one = *in;
    one.first.shape = TESS_SHAPE(1, 1, 1, 1);
    const tess__items *inputs[] = { &one };
    TESS_TRY(tess__items_output(&to, "quat_average", out, form, inputs, 1));
    TESS_TRY(tess__items_check("quat_average", &to, out, in, quats, false));
    TESS_TRY(tess__items_put(&to, "quat_average", q.at));
    return TESS_OK;
}

tess_status tess_quat_average(tess_array *out, const tess_array *quats, const tess_quat_average_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_quat_average_opts o;
    tess__items            in = { .arg = NULL };
    TESS_TRY(tess__resolve(&tess__info_quat_average, opts, &o));
    TESS_TRY(tess__check_pointer("quat_average", "out", out));
    const bool        made = tess__is_empty_out(out);
    const tess_status status = average(out, &in, quats, o.weights);
    tess__items_end(&in);
    return made ? tess__finish(status, out, true) : status;
}
