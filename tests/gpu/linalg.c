/* Least squares, polynomial surface fits, and the functions of linear.op.h on a GPU beside the CPU. */
#include <math.h>

#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/linalg.h"
#include "tessera/math/linear.op.h"
#include "tessera/op.h"
#include "tessera/random.h"

/* An array on the host, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void mirror(pair *p, tess_device device)
{
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void make(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX)
        CHECK_OK(tess_random_normal(&p->host.view, 0.5, 1, test_random(), NULL));
    else CHECK_OK(tess_random_integers(&p->host.view, 0, 100, test_random(), NULL));
    mirror(p, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* ---- Surfaces ---- */

static void check_surface(tess_dtype dtype, int order, tess_shape shape, tess_device device)
{
    pair              in;
    tess_array        host = { .data = NULL }, gpu = host, host_parameters = host, gpu_parameters = host;
    tess_polyfit_opts o = { .subtract = (int32_t)(test_random() & 1), .parameters = &host_parameters };
    make(&in, shape, dtype, device);
    CHECK_OK(tess_polyfit_surface(&host, &in.host.view, order, &o));
    o.parameters = &gpu_parameters;
    CHECK_OK(tess_polyfit_surface(&gpu, &in.gpu, order, &o));
    const double scale = tess_dtype_kind(dtype) == TESS_KIND_FLOAT ? 1 : 100; /* of the input */
    if (!test_close_at(&gpu, &host, host.dtype == TESS_F64 ? 1e-13 : 3e-7, scale) ||
        !test_close_at(&gpu_parameters, &host_parameters, 1e-11, scale))
        (void)test_failed(__FILE__, __LINE__, "order %d, %s, {%d,1,%d,%d}", order, tess_dtype_name(dtype), (int)shape.b,
                          (int)shape.h, (int)shape.w);
    tess_release(&host);
    tess_release(&gpu);
    tess_release(&host_parameters);
    tess_release(&gpu_parameters);
    drop(&in);
}

TEST(surfaces)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_U8, TESS_I16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 12); i++) {
        const int64_t    most = test_random() % 3 ? 40 : 4;
        const tess_shape shape = TESS_SHAPE(test_random_in(1, 3), 1, test_random_in(1, most), test_random_in(1, most));
        check_surface(dtypes[test_large() ? i % 4 : 0], test_large() ? i / 4 % 3 + 1 : 1 + 2 * (i & 1), shape, device);
    }
    check_surface(TESS_F32, 3, TESS_SHAPE(1, 1, 3, 2500), device);
    if (test_large()) check_surface(TESS_F32, 3, TESS_SHAPE(2, 1, 3000, 4000), device);
}

/* ---- Least squares ---- */

/* The smallest problems that have a unique solution are well-conditioned enough for the CPU's and the GPU's to agree.
 */
typedef struct solved {
    tess_array x, values, rank;
} solved;

static void solve(solved *s, const tess_array *a, const tess_array *b)
{
    const tess_lstsq_opts o = { .cond = 1e-6, .singular_values = &s->values, .rank = &s->rank };
    *s = (solved){ .x = { .data = NULL } };
    CHECK_OK(tess_lstsq(&s->x, a, b, &o));
}

static void let_go(solved *s)
{
    tess_release(&s->x);
    tess_release(&s->values);
    tess_release(&s->rank);
}

/* Two columns, or rows, of the first problem alike: its rank is one less. */
static void make_poorer(const tess_array *a)
{
    const bool by_rows = a->shape.h < a->shape.w;
    tess_array first, second;
    if ((by_rows ? a->shape.h : a->shape.w) < 2) return;
    CHECK_OK(tess_index(&first, a, 0, 0));
    CHECK_OK(tess_index(&first, &first, by_rows ? 2 : 3, 0));
    CHECK_OK(tess_index(&second, a, 0, 0));
    CHECK_OK(tess_index(&second, &second, by_rows ? 2 : 3, 1));
    CHECK_OK(tess_copy(&second, &first));
}

static void check_lstsq(tess_dtype dtype_a, tess_dtype dtype_b, tess_shape of_a, int64_t k, tess_device device)
{
    const bool one = test_random() % 3 == 0, poorer = test_random() % 3 == 0;
    pair       a, b;
    solved     host, gpu;
    make(&a, of_a, dtype_a, device);
    make(&b, TESS_SHAPE(one ? 1 : of_a.b, of_a.d, of_a.h, k), dtype_b, device);
    if (poorer) {
        make_poorer(&a.host.view);
        tess_release(&a.gpu);
        mirror(&a, device);
    }
    solve(&host, &a.host.view, &b.host.view);
    solve(&gpu, &a.gpu, &b.gpu);
    const double bound = tess_dtype_real(host.x.dtype) == TESS_F64 ? 1e-9 : 1e-5;
    if (!test_same_bits(&gpu.rank, &host.rank) || !test_close(&gpu.values, &host.values, bound) ||
        (k && !test_close(&gpu.x, &host.x, bound)))
        (void)test_failed(__FILE__, __LINE__, "%s %s, {%d,%d,%d,%d}, %d right-hand sides%s", tess_dtype_name(dtype_a),
                          tess_dtype_name(dtype_b), (int)of_a.b, (int)of_a.d, (int)of_a.h, (int)of_a.w, (int)k,
                          poorer ? ", poorer" : "");
    let_go(&host);
    let_go(&gpu);
    drop(&a);
    drop(&b);
}

TEST(least_squares)
{
    static const tess_dtype dtypes[] = { TESS_F64, TESS_C32, TESS_F32, TESS_C64, TESS_I16, TESS_F16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 300 : 16); i++) {
        const tess_dtype dtype = dtypes[test_large() ? i % 6 : i % 2], other = dtypes[test_large() ? i / 6 % 6 : i % 2];
        const int64_t    rows = test_random_in(1, 9), columns = test_random_in(1, 9);
        check_lstsq(dtype, other, TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 2), rows, columns),
                    test_random_in(0, 3), device);
    }
    check_lstsq(TESS_F64, TESS_F64, TESS_SHAPE(1, 1, 70, 9), 9, device);
    if (test_large()) check_lstsq(TESS_F32, TESS_F32, TESS_SHAPE(3000, 1, 40, 6), 2, device);
    if (test_large()) check_lstsq(TESS_C64, TESS_C64, TESS_SHAPE(2, 1, 100, 150), 40, device);
}

/* As on the CPU, what is not finite is named. */
TEST(least_squares_of_what_is_not_finite)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = host, x = host;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&host, TESS_SHAPE(2, 1, 4, 3), TESS_F64, tess_cpu(), 2));
    CHECK_OK(tess_set_f64(&host, 1, 0, 2, 1, -HUGE_VAL));
    if (test_mirror(&gpu, &host, device))
        CHECK_FAILS(tess_lstsq(&x, &gpu, &gpu, NULL), TESS_ERANGE, "a is -inf at {1,0,2,1}");
    tess_release(&host);
    tess_release(&gpu);
}

/* The host factors what a GPU has: results are there, and errors are those of the host. */
TEST(factors_on_the_host)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = host, x = host, back = host;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&host, TESS_SHAPE(2, 1, 1, 1), TESS_F64, tess_cpu(), 4));
    if (test_mirror(&gpu, &host, device)) {
        CHECK_OK(tess_inverse(&x, &gpu));
        CHECK(x.device.kind == TESS_GPU);
        CHECK_OK(tess_to_device(&back, &x, tess_cpu()));
        CHECK(((double *)back.data)[1] == 0.25);
        CHECK_OK(tess_fill(&gpu, 0));
        CHECK_FAILS(tess_inverse(&x, &gpu), TESS_ERANGE, "inverse: in has a singular matrix at {0,0}");
    }
    tess_release(&host);
    tess_release(&gpu);
    tess_release(&x);
    tess_release(&back);
}

/* ---- Small vectors, matrices and quaternions in device code ---- */

/* A point turned by a quaternion and brought back by the inverse of an affine matrix, and a determinant: one text
 * for the compiler of the host and, as a string, for that of the GPU. */
#define TURNED(FN, REAL, T)                                                                                            \
    FN tess_vec4_##T turned_##T(REAL z, REAL y, REAL x, REAL angle)                                                    \
    {                                                                                                                  \
        const tess_vec3_##T  v = tess_vec3_of_##T(z, y, x), other = tess_vec3_of_##T(1, 2, -3);                        \
        const tess_vec3_##T  axis = tess_vec3_normalize_##T(tess_vec3_cross_##T(v, other));                            \
        const tess_vec4_##T  q = tess_quat_from_axis_angle_##T(axis, angle);                                           \
        const tess_vec4_##T  half = tess_quat_slerp_##T(tess_quat_identity_##T(), q, (REAL)0.5);                       \
        const tess_mat33_##T r = tess_mat33_from_quat_##T(tess_quat_mul_##T(half, q));                                 \
        const tess_mat34_##T m = tess_mat34_of_##T(tess_mat33_mul_##T(r, r), v);                                       \
        const tess_vec3_##T  p = tess_mat34_apply_##T(tess_mat34_inverse_##T(m), tess_quat_rotate_##T(q, other));      \
        return tess_vec4_of_##T(p.at[0], p.at[1], p.at[2], tess_mat33_determinant_##T(r));                             \
    }
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)

TURNED(static inline, float, f32)
TURNED(static inline, double, f64)

static const char turned_signature[] = "op turned(in f32 z, in f32 y, in f32 x, val f32 angle, "
                                       "out f32 a, out f32 b, out f32 c, out f32 d, "
                                       "out f64 e, out f64 f, out f64 g, out f64 h)";

static const char turned_source[] =
    "#include \"tessera/math/linear.op.h\"\n" TEXT(TURNED(static inline __device__, float, f32)) "\n" TEXT(TURNED(
        static inline __device__, double,
        f64)) "\n"
              "__device__ void turned(float z, float y, float x, float angle, float &a, float &b, float &c, float &d,\n"
              "                       double &e, double &f, double &g, double &h)\n"
              "{\n"
              "    const tess_vec4_f32 p = turned_f32(z, y, x, angle);\n"
              "    const tess_vec4_f64 q = turned_f64(z, y, x, angle);\n"
              "    a = p.at[0], b = p.at[1], c = p.at[2], d = p.at[3], e = q.at[0], f = q.at[1], g = q.at[2], h = "
              "q.at[3];\n"
              "}\n";

/* Of parameter k at a position of a tile. */
static int64_t offset_of(const tess_tile *t, int k, const int64_t position[4])
{
    int64_t offset = 0;
    for (int d = 0; d < 4; d++) offset += (t->origin[d] + position[d]) * t->stride[k][d];
    return offset;
}

typedef struct turning {
    const tess_tile *tile;
    float            angle;
} turning;

static void turn_element(void *context, const int64_t position[4])
{
    const turning   *w = context;
    const tess_tile *t = w->tile;
    float            v[3];
    for (int k = 0; k < 3; k++) v[k] = ((const float *)t->ptr[k])[offset_of(t, k, position)];
    const tess_vec4_f32 p = turned_f32(v[0], v[1], v[2], w->angle);
    const tess_vec4_f64 q = turned_f64((double)v[0], (double)v[1], (double)v[2], (double)w->angle);
    for (int k = 0; k < 4; k++) {
        ((float *)t->ptr[4 + k])[offset_of(t, 4 + k, position)] = p.at[k];
        ((double *)t->ptr[8 + k])[offset_of(t, 8 + k, position)] = q.at[k];
    }
}

static void turn(const tess_tile *t)
{
    turning          w = { t, 0 };
    const tess_shape extent = { { t->extent[0], t->extent[1], t->extent[2], t->extent[3] } };
    memcpy(&w.angle, (const char *)t->val + 3 * 16, sizeof w.angle);
    each_index(extent, turn_element, &w);
}

static void call_turned(tess_op *op, tess_array out[8], const tess_array *z, const tess_array *y, const tess_array *x)
{
    memset(out, 0, 8 * sizeof *out);
    CHECK_OK(tess_call(op, z, y, x, 0.7f, &out[0], &out[1], &out[2], &out[3], &out[4], &out[5], &out[6], &out[7]));
}

/* The functions of linear.op.h are the same device code as C, to the last bit. */
TEST(vectors_matrices_and_quaternions_in_device_code)
{
    tess_device device;
    tess_op    *op = NULL;
    pair        in[3];
    tess_array  host[8], gpu[8];
    double      determinant = 0, depth = (double)NAN;
    if (!test_gpu(&device)) return;
    const tess_op_loop_opts opts = { .cuda_source = turned_source, .cuda_entry = "turned" };
    if (!CHECK_OK(tess_op_loop(&op, turned_signature, turn, &opts))) return;
    for (int k = 0; k < 3; k++) make(&in[k], TESS_SHAPE(2, 1, 5, 33), TESS_F32, device);
    call_turned(op, host, &in[0].host.view, &in[1].host.view, &in[2].host.view);
    call_turned(op, gpu, &in[0].gpu, &in[1].gpu, &in[2].gpu);
    for (int k = 0; k < 8; k++)
        if (!test_same_bits(&gpu[k], &host[k])) (void)test_failed(__FILE__, __LINE__, "result %d", k);
    CHECK_OK(tess_get_f64(&determinant, &gpu[7], 0, 0, 0, 0));
    CHECK_OK(tess_get_f64(&depth, &gpu[4], 0, 0, 0, 0));
    CHECK(fabs(determinant - 1) < 1e-14 && isfinite(depth));
    for (int k = 0; k < 8; k++) {
        tess_release(&host[k]);
        tess_release(&gpu[k]);
    }
    for (int k = 0; k < 3; k++) drop(&in[k]);
    tess_op_release(op);
}
