/* Rotations and matrices on a GPU beside the CPU: the same bits, in every layout, of numbers and of elements. */
#include "support/gpu.h"
#include "support/layouts.h"

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *to = element_at(a, position);
    const bool        is_double = tess_dtype_real(a->dtype) == TESS_F64;
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const double x = test_random_unit() * 4 - 2;
        const float  y = (float)x;
        if (is_double) memcpy(to + i * 8, &x, sizeof x);
        else memcpy(to + i * 4, &y, sizeof y);
    }
}

typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void make(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    each_index(shape, set_any, &p->host.view);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* What an operation is called with: one or two inputs, as numbers of this shape or elements of this dtype. */
typedef struct operand {
    int64_t    h, w;
    tess_dtype element[2]; /* of f32 and f64 */
} operand;

static const operand angles = { 1, 3, { TESS_VEC3_F32, TESS_VEC3_F64 } },
                     quats = { 1, 4, { TESS_VEC4_F32, TESS_VEC4_F64 } },
                     mat33 = { 3, 3, { TESS_MAT33_F32, TESS_MAT33_F64 } },
                     mat34 = { 3, 4, { TESS_MAT34_F32, TESS_MAT34_F64 } },
                     mat44 = { 4, 4, { TESS_MAT44_F32, TESS_MAT44_F64 } },
                     mat23 = { 2, 3, { TESS_MAT23_F32, TESS_MAT23_F64 } };

typedef tess_status (*operation)(tess_array *out, const tess_array *a, const tess_array *b);

static tess_status to_matrix(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_euler_to_matrix(out, a, &(tess_euler_opts){ .convention = "relion" });
}

static tess_status from_matrix(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_euler_from_matrix(out, a, &(tess_euler_opts){ .convention = "xyz-extrinsic", .left_handed = 1 });
}

static tess_status to_quat(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_euler_to_quat(out, a, NULL);
}

static tess_status from_quat(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_euler_from_quat(out, a, &(tess_euler_opts){ .convention = "dynamo" });
}

static tess_status quat_matrix(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_quat_to_matrix(out, a);
}

static tess_status slerp(tess_array *out, const tess_array *a, const tess_array *b)
{
    return tess_quat_slerp(out, a, b, 0.3);
}

static tess_status distance(tess_array *out, const tess_array *a, const tess_array *b)
{
    return tess_quat_distance(out, a, b, &(tess_quat_distance_opts){ .sym = "T" });
}

static tess_status reduce(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_quat_reduce(out, a, &(tess_quat_reduce_opts){ .sym = "O" });
}

static tess_status invert(tess_array *out, const tess_array *a, const tess_array *b)
{
    (void)b;
    return tess_matrix_inverse(out, a);
}

static const struct {
    const char    *name;
    operation      run;
    const operand *a, *b;
} cases[] = {
    { "euler_to_matrix", to_matrix, &angles, NULL },
    { "euler_from_matrix", from_matrix, &mat33, NULL },
    { "euler_to_quat", to_quat, &angles, NULL },
    { "euler_from_quat", from_quat, &quats, NULL },
    { "quat_to_matrix", quat_matrix, &quats, NULL },
    { "quat_mul", tess_quat_mul, &quats, &quats },
    { "quat_slerp", slerp, &quats, &quats },
    { "quat_distance", distance, &quats, &quats },
    { "quat_reduce", reduce, &quats, NULL },
    { "matrix_inverse 3x4", invert, &mat34, NULL },
    { "matrix_inverse 4x4", invert, &mat44, NULL },
    { "matrix_mul 2x3", tess_matrix_mul, &mat23, &mat23 },
    { "transform_points 3x4", tess_transform_points, &angles, &mat34 },
    { "transform_points quaternion", tess_transform_points, &angles, &quats },
};
enum { CASES = sizeof cases / sizeof *cases };

static void make_operand(pair *p, const operand *o, bool is_element, bool is_double, tess_device device)
{
    if (is_element) make(p, TESS_SHAPE(2, 1, 3, 5), o->element[is_double], device);
    else make(p, TESS_SHAPE(3, 2, o->h, o->w), is_double ? TESS_F64 : TESS_F32, device);
}

TEST(results_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int k = 0; k < CASES; k++)
        for (int kind = 0; kind < 4; kind++) {
            /* The simulator compiles a kernel for each: one kind of some is enough there. */
            if (!test_large() && (kind != k % 4 || (k % 7 != 0 && !test_takes_case()))) continue;
            pair       a, b = { .gpu = { .data = NULL } };
            tess_array host = { .data = NULL }, gpu = { .data = NULL };
            make_operand(&a, cases[k].a, kind & 1, kind & 2, device);
            if (cases[k].b) make_operand(&b, cases[k].b, kind & 1, kind & 2, device);
            CHECK_OK(cases[k].run(&host, &a.host.view, &b.host.view));
            CHECK_OK(cases[k].run(&gpu, &a.gpu, &b.gpu));
            if (!test_same_bits(&gpu, &host)) (void)test_failed(__FILE__, __LINE__, "%s, kind %d", cases[k].name, kind);
            tess_release(&host);
            tess_release(&gpu);
            drop(&a);
            if (cases[k].b) drop(&b);
        }
}

TEST(sets_means_and_random_rotations)
{
    tess_device device;
    pair        p;
    double      here, there;
    tess_array  set = { .data = NULL }, which[2] = { { .data = NULL } }, mean[2] = { { .data = NULL } };
    tess_array  out[2] = { { .data = NULL } }, reversed;
    if (!test_gpu(&device)) return;
    make(&p, TESS_SHAPE(7, 1, 1, 4), TESS_F64, device);
    CHECK_OK(tess_quat_random(&p.host.view, 5, NULL));
    CHECK_OK(tess_quat_random(&p.gpu, 5, NULL));
    CHECK(test_same_bits(&p.gpu, &p.host.view));
    CHECK_OK(tess_quat_average(&mean[0], &p.host.view, NULL));
    CHECK_OK(tess_quat_average(&mean[1], &p.gpu, NULL));
    CHECK(mean[1].device.kind == device.kind && test_same_bits(&mean[1], &mean[0]));
    CHECK_OK(tess_empty(&set, TESS_SHAPE(12, 1, 3, 3), TESS_F64, device));
    CHECK_OK(tess_symmetry_matrices(&set, "t", NULL));
    CHECK_OK(tess_symmetry_check(&there, &set));
    CHECK_OK(tess_quat_reduce(&out[0], &p.host.view, &(tess_quat_reduce_opts){ .sym = "t", .which = &which[0] }));
    CHECK_OK(tess_quat_reduce(&out[1], &p.gpu, &(tess_quat_reduce_opts){ .matrices = &set, .which = &which[1] }));
    CHECK(test_same_bits(&which[1], &which[0]) && test_same_bits(&out[1], &out[0]));
    CHECK_OK(tess_slice(&reversed, &set, 0, TESS_NONE, TESS_NONE, -1)); /* the identity last */
    CHECK_OK(tess_quat_reduce(&out[1], &p.gpu, &(tess_quat_reduce_opts){ .matrices = &reversed, .which = &which[1] }));
    for (int64_t i = 0; i < 7; i++) {
        CHECK_OK(tess_get_f64(&here, &which[0], i, 0, 0, 0));
        CHECK_OK(tess_get_f64(&there, &which[1], i, 0, 0, 0));
        CHECK(here + there == 11);
    }
    CHECK_OK(tess_symmetry_check(&there, &reversed));
    CHECK_OK(tess_get_f64(&here, &set, 1, 0, 1, 1));
    CHECK(there < 1e-14);
    for (int k = 0; k < 2; k++) {
        tess_release(&which[k]);
        tess_release(&mean[k]);
        tess_release(&out[k]);
    }
    tess_release(&set);
    drop(&p);
}
