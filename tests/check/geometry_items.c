/* Rotations and matrices in every layout and kind, on every instruction set, on one thread and several: the numbers of a
 * naive loop over single ones, to the bit, and nothing written around them. */
#include <math.h>

#include "support/isas.h"
#include "support/layouts.h"

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *to = element_at(a, position);
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const double x = test_random_unit() * 6 - 3;
        const float  y = (float)x;
        if (tess_dtype_real(a->dtype) == TESS_F64) memcpy(to + i * 8, &x, sizeof x);
        else memcpy(to + i * 4, &y, sizeof y);
    }
}

/* Number i of an item: of an element, or of the last axes. */
static double number_of(const tess_array *a, int64_t item, int columns, int i)
{
    const bool     is_element = tess_dtype_kind(a->dtype) == TESS_KIND_COMPOUND;
    const int64_t  position[4] = { item, 0, is_element ? 0 : i / columns, is_element ? 0 : i % columns };
    unsigned char *at = element_at(a, position);
    double         x;
    float          y;
    if (tess_dtype_real(a->dtype) == TESS_F64) memcpy(&x, at + (is_element ? i * 8 : 0), sizeof x);
    else memcpy(&y, at + (is_element ? i * 4 : 0), sizeof y), x = (double)y;
    return x;
}

static tess_dtype dtype_of(int kind, tess_dtype f32, tess_dtype f64)
{
    return kind & 1 ? (kind & 2 ? f64 : f32) : kind & 2 ? TESS_F64 : TESS_F32;
}

/* An array of n vectors or matrices, of which kind's bit 0 says elements and bit 1 f64. */
static void make(guarded *g, layout how, int kind, int64_t n, const int size[2])
{
    static const tess_dtype vec3[] = { TESS_VEC3_F32, TESS_VEC3_F64 }, mat33[] = { TESS_MAT33_F32, TESS_MAT33_F64 },
                            mat34[] = { TESS_MAT34_F32, TESS_MAT34_F64 };
    const tess_dtype *of = size[0] == 1 ? vec3 : size[1] == 3 ? mat33 : mat34;
    const tess_shape  shape = kind & 1 ? TESS_SHAPE(n, 1, 1, 1) : TESS_SHAPE(n, 1, size[0], size[1]);
    guarded_make(g, how, shape, dtype_of(kind, of[0], of[1]));
    each_index(shape, set_any, &g->view);
    guarded_snapshot(g);
}

static double rounded(double x, const tess_array *a)
{
    return tess_dtype_real(a->dtype) == TESS_F32 ? (double)(float)x : x;
}

static void check_angles(layout in_layout, layout out_layout, int kind, int out_kind)
{
    const int64_t         n = test_random_in(1, 300);
    const tess_euler_opts opts = { .convention = "yxz", .unit = TESS_ANGLE_DEGREES };
    guarded               in, out;
    make(&in, in_layout, kind, n, (const int[]){ 1, 3 });
    make(&out, out_layout, out_kind, n, (const int[]){ 3, 3 });
    CHECK_OK(tess_threads_set((int)test_random_in(1, 4)));
    CHECK_OK(tess_euler_to_matrix(&out.view, &in.view, &opts));
    for (int64_t i = 0; i < n; i++) {
        tess_vec3_f64  angles;
        tess_mat33_f64 m;
        for (int k = 0; k < 3; k++) angles.at[k] = number_of(&in.view, i, 3, k);
        CHECK_OK(tess_mat33_from_euler(&m, &angles, &opts));
        for (int k = 0; k < 9; k++) CHECK(number_of(&out.view, i, 3, k) == rounded(m.at[k], &out.view));
    }
    (void)guarded_check(&out, "euler_to_matrix");
    guarded_free(&in);
    guarded_free(&out);
}

static void check_points(layout in_layout, layout out_layout, int kind, int out_kind)
{
    const int64_t n = test_random_in(1, 300);
    guarded       in, matrices, out;
    make(&in, in_layout, kind, n, (const int[]){ 1, 3 });
    make(&matrices, in_layout, kind, n, (const int[]){ 3, 4 });
    make(&out, out_layout, out_kind, n, (const int[]){ 1, 3 });
    CHECK_OK(tess_transform_points(&out.view, &in.view, &matrices.view));
    for (int64_t i = 0; i < n; i++) {
        tess_vec3_f64  p;
        tess_mat34_f64 m;
        for (int k = 0; k < 3; k++) p.at[k] = number_of(&in.view, i, 3, k);
        for (int k = 0; k < 12; k++) m.at[k] = number_of(&matrices.view, i, 4, k);
        p = tess_mat34_apply_f64(m, p);
        for (int k = 0; k < 3; k++) CHECK(number_of(&out.view, i, 3, k) == rounded(p.at[k], &out.view));
    }
    (void)guarded_check(&out, "transform_points");
    guarded_free(&in);
    guarded_free(&matrices);
    guarded_free(&out);
}

static void check_isa(void)
{
    for (int in = 0; in < n_layouts; in++)
        for (int out = 0; out < n_output_layouts; out++)
            for (int kinds = 0; kinds < 16; kinds++) {
                if (!test_takes_case()) continue;
                check_angles((layout)in, (layout)out, kinds & 3, kinds >> 2);
                check_points((layout)in, (layout)out, kinds & 3, kinds >> 2);
            }
}

TEST(every_layout_and_kind)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        check_isa();
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}
