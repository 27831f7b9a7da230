/* Matrices, Euler angles, quaternions and point groups: examples, conventions, every bad argument with its message.
 * Random ones are compared with SciPy in tests/oracle/rotation.py. */
#include <math.h>

#include "support/arrays.h"

#define PI 3.14159265358979323846

static bool is_near(const double *got, const double *want, int n, double slack)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= slack))
            return test_failed(__FILE__, __LINE__, "number %d is %.17g, not %.17g", i, got[i], want[i]);
    return true;
}

/* An array over numbers of the test's own. */
static tess_array over(void *data, tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, data, shape, dtype, NULL));
    return a;
}

/* ---- Single matrices ---- */

TEST(rotations_take_x_to_y_and_act_on_z_y_x)
{
    const tess_vec3_f64 x = tess_vec3_of_f64(0, 0, 1), y = tess_vec3_of_f64(0, 1, 0), z = tess_vec3_of_f64(1, 0, 0);
    CHECK(is_near(tess_mat33_apply_f64(tess_rotate_z_f64(PI / 2), x).at, y.at, 3, 1e-16));
    CHECK(is_near(tess_mat33_apply_f64(tess_rotate_x_f64(PI / 2), y).at, z.at, 3, 1e-16));
    CHECK(is_near(tess_mat33_apply_f64(tess_rotate_y_f64(PI / 2), z).at, x.at, 3, 1e-16));
    CHECK(is_near(tess_mat22_apply_f64(tess_rotate_2d_f64(PI / 2), tess_vec2_of_f64(0, 1)).at, (double[]){ 1, 0 }, 2,
                  1e-16));
    for (int axis = 0; axis < 3; axis++) {
        const tess_vec3_f64  about[] = { z, y, x };
        const tess_mat33_f64 named[] = { tess_rotate_z_f64(0.7), tess_rotate_y_f64(0.7), tess_rotate_x_f64(0.7) };
        CHECK(is_near(tess_rotate_axis_f64(about[axis], 0.7).at, named[axis].at, 9, 1e-15));
        const tess_vec4_f64 q = tess_quat_from_mat33_f64(named[axis]);
        CHECK(fabs(tess_quat_angle_f64(q) - 0.7) < 1e-15);
        CHECK(is_near(tess_quat_axis_f64(q).at, about[axis].at, 3, 1e-15));
        CHECK(fabs(tess_quat_distance_f64(q, tess_quat_conjugate_f64(q)) - 1.4) < 1e-15);
    }
    CHECK(fabsf(tess_rotate_z_f32(0.5f).at[5] - sinf(0.5f)) < 1e-6f);
    CHECK(tess_quat_axis_f64(tess_quat_identity_f64()).at[2] == 1);
}

TEST(affine_matrices_keep_their_centre_and_have_rows_more_or_less)
{
    const tess_vec2_f64  c2 = tess_vec2_of_f64(3, 5);
    const tess_vec3_f64  c3 = tess_vec3_of_f64(3, 5, -2);
    const tess_mat23_f64 a = tess_about_2d_f64(tess_shear_2d_f64(0.5), c2);
    const tess_mat34_f64 b = tess_about_3d_f64(tess_shear_3d_f64(tess_vec3_of_f64(1, 2, 3)), c3);
    CHECK(is_near(tess_mat23_apply_f64(a, c2).at, c2.at, 2, 1e-15));
    CHECK(is_near(tess_mat34_apply_f64(b, c3).at, c3.at, 3, 1e-15));
    CHECK(is_near(tess_mat23_apply_f64(tess_translate_2d_f64(c2), c2).at, (double[]){ 6, 10 }, 2, 0));
    CHECK(is_near(tess_mat34_apply_f64(tess_translate_3d_f64(c3), c3).at, (double[]){ 6, 10, -4 }, 3, 0));
    CHECK(is_near(tess_mat23_from_mat33_f64(tess_mat33_from_mat23_f64(a)).at, a.at, 6, 0));
    CHECK(is_near(tess_mat34_from_mat44_f64(tess_mat44_from_mat34_f64(b)).at, b.at, 12, 0));
    CHECK(is_near(tess_mat33_from_mat23_f64(a).at + 6, (double[]){ 0, 0, 1 }, 3, 0));
    CHECK(is_near(tess_mat44_from_mat34_f64(b).at + 12, (double[]){ 0, 0, 0, 1 }, 4, 0));
    CHECK(tess_scale_2d_f64(c2).at[3] == 5 && tess_scale_3d_f64(c3).at[8] == -2);
}

TEST(parts_of_images_come_back)
{
    for (int k = 0; k < 200; k++) {
        tess_parts_2d  in = { .scale = { 0.5 + test_random_unit(), 0.5 + test_random_unit() },
                              .shear = test_random_unit() - 0.5,
                              .rotation = (test_random_unit() - 0.5) * 6,
                              .translation = { test_random_unit(), -3 },
                              .centre = { 5, 7 * test_random_unit() } };
        tess_parts_2d  out;
        tess_mat23_f64 m, again;
        if (k % 2) in.scale[0] = -in.scale[0];
        CHECK_OK(tess_affine_2d(&m, &in));
        CHECK_OK(tess_affine_2d_parts(&out, &m, &(tess_vec2_f64){ { in.centre[0], in.centre[1] } }));
        CHECK(is_near(out.scale, in.scale, 8, 1e-13));
        CHECK_OK(tess_affine_2d(&again, &out));
        CHECK(is_near(again.at, m.at, 6, 1e-13));
    }
}

TEST(parts_of_volumes_come_back)
{
    for (int k = 0; k < 200; k++) {
        tess_parts_3d  in = { .scale = { 0.5 + test_random_unit(), 0.5 + test_random_unit(), 1.5 },
                              .shear = { test_random_unit() - 0.5, 0.3, test_random_unit() },
                              .translation = { 1, test_random_unit(), -3 },
                              .centre = { 5, 7 * test_random_unit(), 2 } };
        tess_parts_3d  out;
        tess_mat34_f64 m;
        for (int i = 0; i < 4; i++) in.rotation[i] = test_random_unit() - (i < 3 ? 0.5 : 0);
        const tess_vec4_f64 q =
            tess_vec4_normalize_f64(tess_vec4_of_f64(in.rotation[0], in.rotation[1], in.rotation[2], in.rotation[3]));
        memcpy(in.rotation, q.at, sizeof in.rotation);
        if (k % 2) in.scale[0] = -in.scale[0];
        CHECK_OK(tess_affine_3d(&m, &in));
        CHECK_OK(tess_affine_3d_parts(&out, &m, &(tess_vec3_f64){ { in.centre[0], in.centre[1], in.centre[2] } }));
        CHECK(is_near(out.scale, in.scale, 16, 1e-12));
    }
}

TEST(no_parts_are_the_identity_and_points_go_through_them_in_order)
{
    const tess_parts_2d none = { .shear = 0 };
    const tess_parts_3d nothing = { .shear = { 0 } };
    tess_mat23_f64      a;
    tess_mat34_f64      b;
    CHECK_OK(tess_affine_2d(&a, &none));
    CHECK_OK(tess_affine_3d(&b, &nothing));
    CHECK(is_near(a.at, tess_mat23_identity_f64().at, 6, 0));
    CHECK(is_near(b.at, tess_mat34_identity_f64().at, 12, 0));
    /* (y, x) = (1, 2) about (1, 1): scaled by 3 along x to (0, 3), a quarter turn to (3, 0), moved. */
    const tess_parts_2d parts = {
        .scale = { 1, 3 }, .rotation = PI / 2, .translation = { 10, 20 }, .centre = { 1, 1 }
    };
    CHECK_OK(tess_affine_2d(&a, &parts));
    CHECK(is_near(tess_mat23_apply_f64(a, tess_vec2_of_f64(1, 2)).at, (double[]){ 14, 21 }, 2, 1e-14));
}

/* Squares of the first overflow, of the second they are 0. */
TEST(quaternions_of_any_length_are_parts)
{
    const double lengths[] = { 1e200, 1e-200, 1 };
    for (int i = 0; i < 3; i++) {
        const tess_parts_3d parts = { .rotation = { lengths[i], 0, 0, lengths[i] } }; /* a quarter turn about z */
        tess_mat34_f64      a;
        CHECK_OK(tess_affine_3d(&a, &parts));
        CHECK(is_near(a.at, (double[]){ 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0 }, 12, 1e-15));
    }
}

TEST(bad_parts)
{
    const tess_parts_2d infinite = { .shear = (double)INFINITY };
    const tess_parts_3d reserved = { .reserved = { 0, 1 } };
    tess_parts_2d       parts;
    tess_parts_3d       parts3;
    tess_mat23_f64      a = { { 1, 2, 0, 2, 4, 0 } };
    tess_mat34_f64      b = { { 0 } };
    CHECK_FAILS(tess_affine_2d(&a, &infinite), TESS_ERANGE, "affine_2d: number 2 of parts is inf; finite numbers");
    CHECK_FAILS(tess_affine_3d(&b, &reserved), TESS_EARG, "affine_3d: parts->reserved is not 0");
    CHECK_FAILS(tess_affine_2d(NULL, &infinite), TESS_EARG, "affine_2d: out is NULL");
    CHECK_FAILS(tess_affine_3d(&b, NULL), TESS_EARG, "affine_3d: parts is NULL");
    CHECK_FAILS(tess_affine_2d_parts(&parts, &a, NULL), TESS_ERANGE, "affine_2d_parts: a is singular",
                "determinant is 0");
    CHECK_FAILS(tess_affine_3d_parts(&parts3, &b, NULL), TESS_ERANGE, "affine_3d_parts: a is singular");
    b.at[3] = (double)NAN;
    CHECK_FAILS(tess_affine_3d_parts(&parts3, &b, NULL), TESS_ERANGE, "number 3 of a is nan");
}

/* noa's inverse divides by a determinant of 0. */
TEST(noa_divides_by_a_determinant_of_0)
{
    tess_mat22_f64       a = { { 1, 2, 2, 4 } };
    tess_mat23_f64       b = { { 1, 0, 5, 0, 0, 6 } };
    tess_mat33_f64       c = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
    tess_mat34_f64       d = { { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 } };
    tess_mat44_f64       e = { { 0 } };
    const tess_mat33_f64 small = tess_scale_3d_f64(tess_vec3_of_f64(1e-30, 1e20, 1e-40));
    CHECK_FAILS(tess_invert_mat22(&a, &a), TESS_ERANGE,
                "invert_mat22: a is singular: its determinant is 0; it must be invertible");
    CHECK_FAILS(tess_invert_mat23(&b, &b), TESS_ERANGE, "invert_mat23: a is singular");
    CHECK_FAILS(tess_invert_mat33(&c, &c), TESS_ERANGE, "invert_mat33: a is singular");
    CHECK_FAILS(tess_invert_mat34(&d, &d), TESS_ERANGE, "invert_mat34: a is singular");
    CHECK_FAILS(tess_invert_mat44(&e, &e), TESS_ERANGE, "invert_mat44: a is singular");
    CHECK_FAILS(tess_invert_mat44(NULL, &e), TESS_EARG, "invert_mat44: out is NULL");
    e.at[5] = (double)NAN;
    CHECK_FAILS(tess_invert_mat44(&e, &e), TESS_ERANGE, "number 5 of a is nan");
    CHECK_OK(tess_invert_mat33(&c, &small));
    CHECK(fabs(c.at[0] * 1e-30 - 1) < 1e-15 && fabs(c.at[8] * 1e-40 - 1) < 1e-15);
    a = tess_rotate_2d_f64(0.3);
    CHECK_OK(tess_invert_mat22(&a, &a));
    CHECK(is_near(a.at, tess_rotate_2d_f64(-0.3).at, 4, 1e-15));
}

/* ---- Euler angles ---- */

static tess_mat33_f64 matrix_of(const char *convention, double a, double b, double c)
{
    tess_mat33_f64 m = { { 0 } };
    CHECK_OK(
        tess_mat33_from_euler(&m, &(tess_vec3_f64){ { a, b, c } }, &(tess_euler_opts){ .convention = convention }));
    return m;
}

TEST(programs_agree_on_a_view)
{
    /* A pair of the same orientation in both programs. */
    const tess_mat33_f64 relion = matrix_of("RELION", 137.7000, 1.1777, 42.7270);
    CHECK(is_near(matrix_of("Dynamo", -47.2730, 1.1777, -132.3000).at, relion.at, 9, 1e-15));
    CHECK(is_near(matrix_of("cisTEM", 137.7000, 1.1777, 42.7270).at, relion.at, 9, 0));
    CHECK(is_near(matrix_of("EMAN2", 137.7000 + 90, 1.1777, 42.7270 - 90).at, relion.at, 9, 1e-15));
    /* The direction of view in the reference is (sin tilt cos rot, sin tilt sin rot, cos tilt) in x, y, z. */
    const double         rot = 30 * PI / 180, tilt = 50 * PI / 180;
    const tess_mat33_f64 m = matrix_of("relion", 30, 50, 70);
    CHECK(is_near((double[]){ m.at[0], m.at[3], m.at[6] },
                  (double[]){ cos(tilt), sin(tilt) * sin(rot), sin(tilt) * cos(rot) }, 3, 1e-15));
}

TEST(orders_are_products_of_rotations_about_axes)
{
    const tess_mat33_f64 z = tess_rotate_z_f64(0.3), y = tess_rotate_y_f64(-0.4), x = tess_rotate_x_f64(0.5);
    CHECK(is_near(matrix_of(NULL, 0.3, -0.4, 0.5).at, tess_mat33_mul_f64(tess_mat33_mul_f64(z, y), x).at, 9, 1e-15));
    CHECK(is_near(matrix_of("ZYX-Intrinsic", 0.3, -0.4, 0.5).at, matrix_of("zyx", 0.3, -0.4, 0.5).at, 9, 0));
    CHECK(is_near(matrix_of("zyx-extrinsic", 0.3, -0.4, 0.5).at, tess_mat33_mul_f64(tess_mat33_mul_f64(x, y), z).at, 9,
                  1e-15));
    tess_mat33_f64 left;
    CHECK_OK(
        tess_mat33_from_euler(&left, &(tess_vec3_f64){ { 0.3, -0.4, 0.5 } }, &(tess_euler_opts){ .left_handed = 1 }));
    CHECK(is_near(left.at, matrix_of("zyx", -0.3, 0.4, -0.5).at, 9, 0));
}

TEST(right_angles_in_degrees_are_exact)
{
    for (int k = 0; k < 500; k++) {
        const tess_mat33_f64 m = matrix_of("relion", 90.0 * (double)test_random_in(-9, 9),
                                           90.0 * (double)test_random_in(-9, 9), 90.0 * (double)test_random_in(-9, 9));
        for (int i = 0; i < 9; i++) CHECK(m.at[i] == 0 || fabs(m.at[i]) == 1);
    }
}

TEST(in_gimbal_lock_the_third_angle_is_0)
{
    static const char *const names[] = { "zyz", "zyz-extrinsic", "zyx", "zyx-extrinsic", "xzx", "yxz-extrinsic" };
    for (int k = 0; k < 6; k++)
        for (int end = 0; end < 2; end++) {
            const bool            repeats = names[k][0] == names[k][2];
            const double          middle = repeats ? PI * end : PI * (end - 0.5);
            const tess_euler_opts opts = { .convention = names[k] };
            const tess_mat33_f64  m = matrix_of(names[k], 0.3, middle, 0.5);
            tess_vec3_f64         angles;
            CHECK_OK(tess_euler_from_mat33(&angles, &m, &opts));
            CHECK(angles.at[2] == 0 && fabs(angles.at[1] - middle) < 1e-9);
            CHECK(is_near(matrix_of(names[k], angles.at[0], angles.at[1], 0).at, m.at, 9, 1e-9));
        }
}

TEST(bad_conventions_and_matrices)
{
    tess_mat33_f64           m = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    const tess_vec3_f64      angles = { { 0, (double)NAN, 0 } }, zero = { { 0 } };
    tess_vec3_f64            out;
    static const char *const names[] = {
        "", "z", "zz", "zzy", "zyy", "zyw", "zyzz", "zyz-", "zyz extrinsic", "frealign"
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        CHECK_FAILS(tess_mat33_from_euler(&m, &zero, &(tess_euler_opts){ .convention = names[k] }), TESS_EPARSE,
                    "mat33_from_euler: unknown opts->convention", names[k], "dynamo or imod");
    CHECK_FAILS(tess_mat33_from_euler(&m, &angles, NULL), TESS_ERANGE, "angle 1 is nan");
    CHECK_FAILS(tess_mat33_from_euler(NULL, &zero, NULL), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_mat33_from_euler(&m, NULL, NULL), TESS_EARG, "angles is NULL");
    CHECK_FAILS(tess_mat33_from_euler(&m, &zero, &(tess_euler_opts){ .unit = 3 }), TESS_EARG, "unit");
    CHECK_FAILS(tess_mat33_from_euler(&m, &zero, &(tess_euler_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_mat33_from_euler(&m, &zero, &(tess_euler_opts){ .convention = "relion", .left_handed = 1 }),
                TESS_EARG, "opts->left_handed is 1", "relion");
    m.at[0] = -1;
    CHECK_FAILS(tess_euler_from_mat33(&out, &m, NULL), TESS_ERANGE, "euler_from_mat33: a is not a rotation",
                "determinant is -1");
    m.at[0] = 1.1;
    CHECK_FAILS(tess_euler_from_mat33(&out, &m, NULL), TESS_ERANGE, "is 0.21", "at most 0.001");
    CHECK_FAILS(tess_euler_from_mat33(NULL, &m, NULL), TESS_EARG, "out is NULL");
}

/* ---- Quaternions ---- */

/* In noa the sign of each element came from a difference that is 0 at half a turn. */
TEST(noa_quaternions_of_half_turns_lose_their_signs)
{
    for (int k = 0; k < 27; k++) {
        const tess_vec3_f64 axis = tess_vec3_of_f64(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        if (tess_vec3_norm_f64(axis) == 0) continue;
        tess_mat33_f64 m = tess_rotate_axis_f64(axis, PI), back = { { 0 } };
        tess_array     in = over(&m, TESS_SHAPE(1, 1, 1, 1), TESS_MAT33_F64), out = { 0 };
        tess_array     again = over(&back, TESS_SHAPE(1, 1, 1, 1), TESS_MAT33_F64);
        CHECK_OK(tess_quat_from_matrix(&out, &in));
        CHECK(out.dtype == TESS_VEC4_F64);
        CHECK_OK(tess_quat_to_matrix(&again, &out));
        CHECK(is_near(back.at, m.at, 9, 1e-15));
        tess_release(&out);
    }
}

/* In noa it was not a number. */
TEST(noa_normalises_a_quaternion_of_0)
{
    tess_vec4_f64 q = { { 0 } };
    CHECK_FAILS(tess_quat_normalize(&q, &q), TESS_ERANGE, "quat_normalize: q is 0; its length must be above 0");
    q.at[1] = (double)INFINITY;
    CHECK_FAILS(tess_quat_normalize(&q, &q), TESS_ERANGE, "element 1 of q is inf");
    CHECK_FAILS(tess_quat_normalize(NULL, &q), TESS_EARG, "out is NULL");
    q = tess_vec4_of_f64(0, 3e-200, 0, 4e-200);
    CHECK_OK(tess_quat_normalize(&q, &q));
    CHECK(is_near(q.at, (double[]){ 0, 0.6, 0, 0.8 }, 4, 1e-16));
}

TEST(random_rotations_depend_on_their_index_alone)
{
    tess_array whole = constant(TESS_F64, 2, 3, 5, 4, 0), part = constant(TESS_VEC4_F64, 1, 1, 1, 7, 0);
    CHECK_OK(tess_quat_random(&whole, 11, NULL));
    CHECK_OK(tess_quat_random(&part, 11, &(tess_random_opts){ .offset = 9 }));
    CHECK(memcmp(part.data, (double *)whole.data + 9 * 4, 7 * 4 * sizeof(double)) == 0);
    CHECK_FAILS(tess_quat_random(&whole, 11, &(tess_random_opts){ .offset = UINT64_C(1) << 61 }), TESS_ERANGE, "2^60");
    tess_release(&whole);
    tess_release(&part);
    tess_array wrong = constant(TESS_F64, 1, 1, 1, 3, 0), integers = constant(TESS_I32, 1, 1, 1, 4, 0), none = { 0 };
    CHECK_FAILS(tess_quat_random(&wrong, 1, NULL), TESS_ESHAPE, "quat_random: out is f64 {1,1,1,3}", "{b,d,h,4}");
    CHECK_FAILS(tess_quat_random(&integers, 1, NULL), TESS_EDTYPE, "quat_random: out is i32");
    CHECK_FAILS(tess_quat_random(&none, 1, NULL), TESS_EARG, "quat_random: out");
    tess_release(&wrong);
    tess_release(&integers);
}

TEST(averages_that_are_none)
{
    double     data[] = { 0, 0, 0, 1, 1, 0, 0, 0 }, weights[] = { 1, 1 };
    tess_array two = over(data, TESS_SHAPE(2, 1, 1, 4), TESS_F64), out = { 0 };
    tess_array w = over(weights, TESS_SHAPE(1, 1, 1, 2), TESS_F64),
               one = over(weights, TESS_SHAPE(1, 1, 1, 1), TESS_F64);
    const tess_quat_average_opts by_weights = { .weights = &w }, by_one = { .weights = &one };
    CHECK_FAILS(tess_quat_average(&out, &two, NULL), TESS_ERANGE, "quat_average: quats have no mean", "1 and 1");
    weights[0] = -1;
    CHECK_FAILS(tess_quat_average(&out, &two, &by_weights), TESS_ERANGE, "weight 0 is -1");
    weights[0] = weights[1] = 0;
    CHECK_FAILS(tess_quat_average(&out, &two, &by_weights), TESS_ERANGE, "the sum of 2 weights is 0");
    CHECK_FAILS(tess_quat_average(&out, &two, &by_one), TESS_ESHAPE, "opts->weights has shape {1,1,1,1}",
                "2 weights are needed");
    weights[1] = 1;
    CHECK_OK(tess_quat_average(&out, &two, &by_weights));
    CHECK_DIMS(out.shape, 1, 1, 1, 4);
    CHECK(is_near(out.data, data + 4, 4, 1e-15));
    tess_release(&out);
    data[3] = 0;
    CHECK_FAILS(tess_quat_average(&out, &two, NULL), TESS_ERANGE, "quat_average: quaternion ",
                " of quats is (0, 0, 0, 0)", "not all 0");
    two.shape.b = 0;
    CHECK_FAILS(tess_quat_average(&out, &two, NULL), TESS_ESHAPE, "quats is empty");
    CHECK(!out.data);
}

/* ---- Arrays ---- */

TEST(lists_numbers_and_elements)
{
    double     angles[] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 };
    tess_array list = over(angles, TESS_SHAPE(1, 1, 2, 3), TESS_F64),
               elements = over(angles, TESS_SHAPE(1, 1, 1, 2), TESS_VEC3_F64);
    tess_array a = { 0 }, b = { 0 }, back = constant(TESS_F32, 1, 1, 2, 3, 7);
    CHECK_OK(tess_euler_to_matrix(&a, &list, NULL));
    CHECK_DIMS(a.shape, 2, 1, 3, 3);
    CHECK_OK(tess_euler_to_matrix(&b, &elements, NULL));
    CHECK_DIMS(b.shape, 1, 1, 1, 2);
    CHECK(b.dtype == TESS_MAT33_F64 && memcmp(a.data, b.data, 18 * sizeof(double)) == 0);
    CHECK_OK(tess_euler_from_matrix(&back, &a, NULL));
    for (int i = 0; i < 6; i++) CHECK(((float *)back.data)[i] == (float)angles[i]);
    tess_release(&a);
    tess_release(&b);
    CHECK_OK(tess_euler_to_quat(&a, &list, NULL));
    CHECK_DIMS(a.shape, 1, 1, 2, 4);
    tess_release(&a);
    tess_release(&back);
}

TEST(integers_and_halves_are_converted_first)
{
    tess_array whole = numbers(TESS_I16, 2, 1, 1, 3), half = { 0 }, real = { 0 }, a = { 0 }, b = { 0 };
    CHECK_OK(tess_cast(&half, &whole, TESS_F16, NULL));
    CHECK_OK(tess_cast(&real, &whole, TESS_F64, NULL));
    CHECK_OK(tess_euler_to_matrix(&a, &whole, NULL));
    CHECK_OK(tess_euler_to_matrix(&b, &real, NULL));
    CHECK(a.dtype == TESS_F64 && same_values(&a, &b));
    tess_release(&b);
    CHECK_OK(tess_euler_to_matrix(&b, &half, NULL));
    CHECK(b.dtype == TESS_F32);
    tess_release(&a);
    tess_release(&b);
    tess_release(&whole);
    tess_release(&half);
    tess_release(&real);
}

TEST(empty_arrays)
{
    tess_array none = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 1, 1, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_euler_to_matrix(&out, &none, NULL));
    CHECK_DIMS(out.shape, 0, 1, 3, 3);
    tess_release(&out);
    tess_release(&none);
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 1, 4, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_matrix_inverse(&out, &none));
    CHECK_DIMS(out.shape, 0, 1, 4, 4);
    tess_release(&out);
    tess_release(&none);
}

TEST(bad_arrays)
{
    tess_array flat = constant(TESS_F64, 2, 1, 1, 5, 0), complex = constant(TESS_C64, 2, 1, 1, 3, 0), out = { 0 };
    tess_array vec2 = constant(TESS_VEC2_F64, 2, 1, 1, 1, 0), good = constant(TESS_F64, 2, 1, 1, 3, 0);
    tess_array few = constant(TESS_F64, 1, 1, 3, 3, 0), integers = constant(TESS_I32, 2, 1, 3, 3, 0), many = { 0 };
    CHECK_FAILS(tess_euler_to_matrix(&out, &flat, NULL), TESS_ESHAPE, "euler_to_matrix: angles is f64 {2,1,1,5}",
                "numbers {b,d,h,3} or vec3 elements are needed");
    CHECK_FAILS(tess_euler_to_matrix(&out, &complex, NULL), TESS_EDTYPE, "angles is c64; real numbers are needed");
    CHECK_FAILS(tess_euler_to_matrix(&out, &vec2, NULL), TESS_EDTYPE, "angles is vec2_f64 {2,1,1,1}");
    CHECK_FAILS(tess_euler_to_matrix(&few, &good, NULL), TESS_ESHAPE,
                "out has {1,1,1,1} items, but the inputs have {2,1,1,1}");
    CHECK_FAILS(tess_euler_to_matrix(&integers, &good, NULL), TESS_EDTYPE, "out is i32; f32 or f64 is needed");
    CHECK_FAILS(tess_euler_to_matrix(NULL, &good, NULL), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_euler_to_matrix(&out, NULL, NULL), TESS_EARG, "angles is NULL");
    CHECK_FAILS(tess_matrix_inverse(&out, &good), TESS_ESHAPE, "matrix_inverse: in is f64 {2,1,1,3}", "2x2, 2x3");
    CHECK_FAILS(tess_transform_points(&out, &good, &flat), TESS_ESHAPE, "matrices is f64 {2,1,1,5}");
    tess_array rows = over(good.data, TESS_SHAPE(1, 2, 3, 1), TESS_F64);
    CHECK_FAILS(tess_euler_to_matrix(&out, &rows, NULL), TESS_ESHAPE, "{1,2,3,1}");
    rows = over(good.data, TESS_SHAPE(2, 1, 1, 3), TESS_F64);
    CHECK_OK(tess_broadcast(&many, &rows, TESS_SHAPE(2, 1, 2, 3)));
    CHECK_FAILS(tess_euler_to_matrix(&out, &many, NULL), TESS_ESHAPE,
                "the items have shape {2,1,2,1}; an out of numbers can hold items along b and d only");
    tess_array same = over(few.data, TESS_SHAPE(1, 1, 1, 3), TESS_F64);
    CHECK_FAILS(tess_euler_to_matrix(&few, &same, NULL), TESS_EALIAS, "euler_to_matrix", "angles");
    tess_array elsewhere = on_gpu(few);
    CHECK_FAILS(tess_euler_to_matrix(&elsewhere, &same, NULL), TESS_EDEVICE, "euler_to_matrix");
    CHECK_FAILS(tess_quat_slerp(&out, &good, &good, (double)NAN), TESS_ERANGE, "quat_slerp: t is nan");
    CHECK_FAILS(tess_matrix_mul(&out, &few, &good), TESS_ESHAPE, "matrix_mul: b is f64 {2,1,1,3}", "{b,d,3,3}");
    CHECK(!out.data);
    tess_release(&flat);
    tess_release(&complex);
    tess_release(&vec2);
    tess_release(&good);
    tess_release(&few);
    tess_release(&integers);
}

TEST(inverses_in_place_and_of_singular_matrices)
{
    tess_mat44_f64 m[2] = { { { 2, 0, 0, 1, 0, 4, 0, 2, 0, 0, 8, 3, 9, 9, 9, 9 } }, { { 0 } } };
    tess_array     a = over(m, TESS_SHAPE(2, 1, 1, 1), TESS_MAT44_F64);
    CHECK_OK(tess_matrix_inverse(&a, &a));
    CHECK(is_near(m[0].at, (double[]){ 0.5, 0, 0, -0.5, 0, 0.25, 0, -0.5, 0, 0, 0.125, -0.375, 0, 0, 0, 1 }, 16, 0));
    for (int i = 0; i < 12; i++) CHECK(!isfinite(m[1].at[i]));
    CHECK(m[1].at[15] == 1);
}

/* ---- Point groups ---- */

TEST(names_of_groups)
{
    static const struct {
        const char *name;
        int         order;
    } good[] = { { "c1", 1 }, { "C1024", 1024 }, { "d1", 2 },  { "D12", 24 }, { "t", 12 },
                 { "T", 12 }, { "o", 24 },       { "I1", 60 }, { "i2", 60 },  { "C04", 4 } };
    static const char *const bad[] = { "",   "c",  "C0", "c1025", "D",   "T1",  "I",
                                       "I3", "O2", "x",  "C-1",   "c 4", "C4x", "d99999" };
    int64_t                  order = 0;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        CHECK_OK(tess_symmetry_order(&order, good[k].name));
        CHECK_I64(order, good[k].order);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK_FAILS(tess_symmetry_order(&order, bad[k]), TESS_EPARSE, "symmetry_order: name is \"", bad[k],
                    "T, O, I1 or I2");
    CHECK_FAILS(tess_symmetry_order(NULL, "c1"), TESS_EARG, "order is NULL");
    CHECK_FAILS(tess_symmetry_order(&order, NULL), TESS_EARG, "name is NULL");
}

/* Does an axis, in x, y, z, have this many folds in a group? */
static bool has_axis(const char *name, double x, double y, double z, int fold)
{
    const tess_mat33_f64 want = tess_rotate_axis_f64(tess_vec3_of_f64(z, y, x), 2 * PI / fold);
    tess_array           group = { 0 };
    bool                 found = false;
    CHECK_OK(tess_symmetry_matrices(&group, name, NULL));
    for (int64_t i = 0; i < group.shape.b; i++) {
        const double *m = (double *)group.data + 9 * i;
        double        error = 0;
        for (int k = 0; k < 9; k++) error = fmax(error, fabs(m[k] - want.at[k]));
        found |= error < 1e-14;
    }
    tess_release(&group);
    return found;
}

TEST(axes_of_groups_are_as_documented)
{
    const double golden = (1 + sqrt(5)) / 2;
    CHECK(has_axis("c7", 0, 0, 1, 7) && has_axis("d5", 0, 0, 1, 5) && has_axis("d5", 1, 0, 0, 2));
    CHECK(has_axis("t", 0, 0, 1, 3) && has_axis("t", 0, sqrt(2. / 3), sqrt(1. / 3), 2));
    CHECK(has_axis("o", 1, 0, 0, 4) && has_axis("o", 0, 1, 0, 4) && has_axis("o", 0, 0, 1, 4) &&
          has_axis("o", 1, 1, 1, 3));
    for (int k = 1; k <= 2; k++) {
        const char *name = k == 1 ? "i1" : "i2";
        CHECK(has_axis(name, 1, 0, 0, 2) && has_axis(name, 0, 1, 0, 2) && has_axis(name, 0, 0, 1, 2));
        CHECK(has_axis(name, 0, 1, golden, 5) == (k == 1) && has_axis(name, 1, 0, golden, 5) == (k == 2));
        CHECK(has_axis(name, 0.3568220897730898, 0, 0.9341723589627157, 3) == (k == 1));
        CHECK(has_axis(name, 0, 0.3568220897730898, 0.9341723589627157, 3) == (k == 2));
    }
}

TEST(groups_of_images)
{
    tess_array out = { 0 }, elements = constant(TESS_MAT22_F32, 1, 1, 6, 1, 7),
               three = constant(TESS_F64, 3, 1, 2, 2, 7);
    const tess_symmetry_opts images = { .images = 1 };
    CHECK_OK(tess_symmetry_matrices(&out, "D3", &images));
    CHECK_DIMS(out.shape, 6, 1, 2, 2);
    CHECK(is_near((double *)out.data + 12, (double[]){ -1, 0, 0, 1 }, 4, 0));
    CHECK_OK(tess_symmetry_matrices(&elements, "d3", &images));
    CHECK(((tess_mat22_f32 *)elements.data)[3].at[0] == -1);
    CHECK_FAILS(tess_symmetry_matrices(&three, "d3", &images), TESS_ESHAPE,
                "out has {3,1,1,1} items, but there are 6 rotations");
    CHECK_FAILS(tess_symmetry_matrices(&three, "O", &images), TESS_EARG,
                "symmetry_matrices: name is \"O\", which has no matrices for images; C<n> or D<n> is needed");
    tess_array integers = constant(TESS_I32, 3, 1, 2, 2, 7);
    CHECK_FAILS(tess_symmetry_matrices(&integers, "c3", &images), TESS_EDTYPE, "out is i32");
    tess_release(&out);
    tess_release(&elements);
    tess_release(&three);
    tess_release(&integers);
}

/* 1 radian is 113 / 710 of a turn to 8.5e-8: after 710 turns it is near the identity, but the set is no group. What has
 * six digits is one. */
TEST(sets_that_close_by_chance)
{
    tess_mat33_f64 g[2] = { tess_rotate_z_f64(1), tess_mat33_identity_f64() };
    tess_array     generators = over(g, TESS_SHAPE(1, 1, 1, 1), TESS_MAT33_F64), group = { 0 };
    double         error;
    CHECK_FAILS(tess_symmetry_close(&group, &generators), TESS_ERANGE, "symmetry_close: generators make 710 rotations",
                "not a group", "at most 1e-05");
    CHECK(!group.data);
    g[0] = tess_rotate_z_f64(2 * PI / 710);
    CHECK_OK(tess_symmetry_close(&group, &generators));
    CHECK_DIMS(group.shape, 710, 1, 3, 3);
    tess_release(&group);
    g[0] = tess_rotate_axis_f64(tess_vec3_of_f64(0.5 * (1 + sqrt(5)), 1, 0), 2 * PI / 5);
    g[1] = tess_rotate_axis_f64(tess_vec3_of_f64(1, 1, 1), 2 * PI / 3);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 9; k++) g[i].at[k] = round(g[i].at[k] * 1e6) / 1e6;
    generators = over(g, TESS_SHAPE(2, 1, 1, 1), TESS_MAT33_F64);
    CHECK_OK(tess_symmetry_close(&group, &generators));
    CHECK_DIMS(group.shape, 60, 1, 3, 3);
    CHECK_OK(tess_symmetry_check(&error, &group));
    CHECK(error < 1e-5);
    tess_release(&group);
}

TEST(sets_of_the_user)
{
    tess_mat33_f64 g[2] = { tess_rotate_z_f64(PI / 2), tess_rotate_axis_f64(tess_vec3_of_f64(1, 1, 1), 2 * PI / 3) };
    tess_array     generators = over(g, TESS_SHAPE(2, 1, 1, 1), TESS_MAT33_F64), group = { 0 };
    double         error = -1;
    CHECK_OK(tess_symmetry_close(&group, &generators));
    CHECK_DIMS(group.shape, 24, 1, 3, 3);
    CHECK_OK(tess_symmetry_check(&error, &group));
    CHECK(error >= 0 && error < 1e-14);
    CHECK_FAILS(tess_symmetry_check(&error, &generators), TESS_ERANGE,
                "symmetry_check: the product of matrices 0 and 0 is", "in the set to 1e-4");
    tess_release(&group);
    g[1] = tess_rotate_x_f64(1);
    CHECK_FAILS(tess_symmetry_close(&group, &generators), TESS_ERANGE,
                "symmetry_close: generators make more than 2048");
    g[1] = tess_scale_3d_f64(tess_vec3_of_f64(1, 1, -1));
    CHECK_FAILS(tess_symmetry_close(&group, &generators), TESS_ERANGE, "matrix 1 of generators is not a rotation",
                "is -1");
    g[0] = g[1] = tess_mat33_identity_f64();
    CHECK_FAILS(tess_symmetry_check(&error, &generators), TESS_ERANGE, "matrices 0 and 1 are the same");
    CHECK_FAILS(tess_symmetry_check(NULL, &generators), TESS_EARG, "error is NULL");
    generators.shape.b = 0;
    CHECK_FAILS(tess_symmetry_check(&error, &generators), TESS_ESHAPE, "matrices has 0 matrices; 1 to 2047");
    CHECK(!group.data);
}

TEST(distances_under_a_symmetry)
{
    tess_vec4_f64 p = tess_quat_from_axis_angle_f64(tess_vec3_of_f64(1, 0, 0), 0.1),
                  q = tess_quat_from_axis_angle_f64(tess_vec3_of_f64(1, 0, 0), 0.1 + PI / 2);
    tess_array a = over(&p, TESS_SHAPE(1, 1, 1, 1), TESS_VEC4_F64), b = over(&q, TESS_SHAPE(1, 1, 1, 1), TESS_VEC4_F64);
    tess_array out = { 0 }, which = { 0 }, set = { 0 };
    CHECK_OK(tess_quat_distance(&out, &a, &b, NULL));
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - PI / 2) < 1e-15);
    CHECK_OK(tess_quat_distance(&out, &a, &b, &(tess_quat_distance_opts){ .sym = "C4" }));
    CHECK(value_at(&out, 0, 0, 0, 0) < 1e-15);
    tess_release(&out);
    CHECK_OK(tess_quat_reduce(&out, &b, &(tess_quat_reduce_opts){ .sym = "C4", .which = &which }));
    CHECK(which.dtype == TESS_I64 && value_at(&which, 0, 0, 0, 0) == 3);
    CHECK(is_near(((tess_vec4_f64 *)out.data)->at, p.at, 4, 1e-15));
    CHECK_OK(tess_symmetry_matrices(&set, "c4", NULL));
    CHECK_FAILS(tess_quat_distance(&out, &a, &b, &(tess_quat_distance_opts){ .sym = "C4", .matrices = &set }),
                TESS_EARG, "opts->sym and opts->matrices are both given");
    tess_array vectors = constant(TESS_VEC4_F64, 1, 1, 1, 1, 0);
    CHECK_FAILS(tess_quat_distance(&vectors, &a, &b, NULL), TESS_EDTYPE,
                "quat_distance: out is vec4_f64 {1,1,1,1}; one number per item is needed");
    tess_release(&vectors);
    CHECK_FAILS(tess_quat_distance(&out, &a, &b, &(tess_quat_distance_opts){ .sym = "Q" }), TESS_EPARSE,
                "opts->sym is \"Q\"");
    tess_array last;
    CHECK_OK(tess_slice(&last, &set, 0, 1, 4, 1));
    CHECK_FAILS(tess_quat_reduce(&out, &b, &(tess_quat_reduce_opts){ .matrices = &last }), TESS_ERANGE,
                "lack the identity");
    CHECK_FAILS(tess_quat_reduce(&out, &out, NULL), TESS_EALIAS, "quat_reduce");
    CHECK_FAILS(tess_quat_reduce(&out, &b, &(tess_quat_reduce_opts){ .which = &out }), TESS_EALIAS, "opts->which");
    tess_release(&out);
    tess_release(&which);
    tess_release(&set);
}

/* Sets of the user's are counted as they were given, wherever the identity is. */
TEST(which_rotation_of_a_set_was_taken)
{
    tess_array set = { 0 }, out = { 0 }, which = { 0 };
    const int  order[4] = { 2, 1, 0, 3 };
    double     copy[4][9];
    CHECK_OK(tess_symmetry_matrices(&set, "C4", NULL));
    memcpy(copy, set.data, sizeof copy);
    for (int i = 0; i < 4; i++) memcpy((double *)set.data + 9 * i, copy[order[i]], sizeof copy[0]);
    for (int i = 0; i < 4; i++) {
        /* From the identity by minus the angle of rotation i of the set, so that this one brings it back. */
        tess_vec4_f64 q = tess_quat_from_axis_angle_f64(tess_vec3_of_f64(1, 0, 0), 0.1 - order[i] * PI / 2);
        tess_array    a = over(&q, TESS_SHAPE(1, 1, 1, 1), TESS_VEC4_F64);
        CHECK_OK(tess_quat_reduce(&out, &a, &(tess_quat_reduce_opts){ .matrices = &set, .which = &which }));
        CHECK(value_at(&which, 0, 0, 0, 0) == i);
        CHECK(fabs(((tess_vec4_f64 *)out.data)->at[0] - sin(0.05)) < 1e-15);
    }
    tess_release(&set);
    tess_release(&out);
    tess_release(&which);
}

TEST(large_groups_are_closed_and_checked_soon)
{
    tess_array set = { 0 }, group = { 0 };
    double     error = -1;
    CHECK_OK(tess_symmetry_matrices(&set, "D600", NULL));
    CHECK_OK(tess_symmetry_check(&error, &set));
    CHECK(error < 1e-14);
    CHECK_OK(tess_symmetry_close(&group, &set));
    CHECK_DIMS(group.shape, 1200, 1, 3, 3);
    tess_release(&set);
    tess_release(&group);
}
