/* Structs of parameters on a GPU beside the CPU, bit by bit: compiled operators of each mode, and device code of the
 * user's. All numbers are such that sums of them are exact. */
#include "support/gpu.h"
#include "support/struct_ops.h"

static const tess_shape shapes[] = { { { 1, 1, 1, 1 } }, { { 1, 2, 3, 7 } }, { { 2, 1, 5, 130 } } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Results of both devices, made by the calls; the GPU's is compared and both are released. */
static void compare(tess_array *cpu, tess_array *gpu, const char *what)
{
    CHECK(gpu_same(gpu, cpu, what));
    tess_release(cpu);
    tess_release(gpu);
}

/* Numbers as -4 to 4, some of them between. */
static void make(tess_array *host, tess_array *gpu, tess_shape shape, tess_dtype dtype, tess_device device)
{
    CHECK_OK(tess_arange(host, shape, dtype, tess_cpu(), -4, 0.5));
    CHECK_OK(tess_to_device(gpu, host, device));
}

TEST(members_are_the_same_on_both)
{
    tess_device device;
    const gaps  p = some_gaps();
    const whole all = some_whole();
    const tiny  t = { 9 };
    if (!test_gpu(&device)) return;
    for (int i = 0; i < SHAPES; i++) {
        tess_array x[2] = { 0 }, y[2] = { 0 }, z[2] = { 0 };
        make(&x[0], &x[1], shapes[i], TESS_F32, device);
        make(&y[0], &y[1], shapes[i], TESS_F64, device);
        for (int on = 0; on < 2; on++) {
            tess_array in = { 0 };
            CHECK_OK(tess_call(&struct_gaps, &x[on], tess_struct(gaps, &p), 0.5f, tess_struct(tiny, &t), &z[on]));
            CHECK_OK(tess_copy(&in, &y[on]));
            CHECK_OK(tess_call(&struct_whole, &in, tess_struct(whole, &all), &y[on]));
            tess_release(&in);
        }
        compare(&z[0], &z[1], "struct_gaps");
        compare(&y[0], &y[1], "struct_whole");
        for (int on = 0; on < 2; on++) tess_release(&x[on]);
    }
}

TEST(index_wise_structs_are_the_same_on_both)
{
    tess_device device;
    const curve p = some_curve();
    if (!test_gpu(&device)) return;
    for (int i = 0; i < SHAPES; i++) {
        tess_array v[2] = { 0 }, z[2] = { 0 }, bins[2] = { 0 };
        make(&v[0], &v[1], shapes[i], TESS_F32, device);
        for (int on = 0; on < 2; on++) {
            CHECK_OK(tess_zeros(&z[on], shapes[i], TESS_F64, v[on].device));
            CHECK_OK(tess_zeros(&bins[on], TESS_SHAPE(shapes[i].b, 1, 1, 9), TESS_F64, v[on].device));
            CHECK_OK(tess_call(&struct_places, tess_struct(curve, &p), &v[on], &z[on]));
            CHECK_OK(tess_call(&struct_bins, &v[on], tess_struct(curve, &p), &bins[on]));
        }
        compare(&z[0], &z[1], "struct_places");
        compare(&bins[0], &bins[1], "struct_bins");
        for (int on = 0; on < 2; on++) tess_release(&v[on]);
    }
}

/* Results for the host, and along an axis. */
TEST(reduced_structs_are_the_same_on_both)
{
    tess_device device;
    const curve p = some_curve();
    if (!test_gpu(&device)) return;
    for (int i = 0; i < SHAPES; i++) {
        tess_array x[2] = { 0 }, total[2] = { 0 }, least[2] = { 0 };
        double     sums[2][2] = { { 0 } };
        make(&x[0], &x[1], shapes[i], TESS_F32, device);
        for (int on = 0; on < 2; on++) {
            CHECK_OK(tess_zeros(&total[on], TESS_SHAPE(shapes[i].b, 1, shapes[i].h, 1), TESS_F64, x[on].device));
            CHECK_OK(tess_zeros(&least[on], total[on].shape, TESS_F64, x[on].device));
            CHECK_OK(tess_call(&struct_sum, &x[on], tess_struct(curve, &p), &total[on], &least[on]));
            CHECK_OK(tess_call(&struct_sum, &x[on], tess_struct(curve, &p), &sums[on][0], &sums[on][1]));
        }
        CHECK(sums[0][0] == sums[1][0] && sums[0][1] == sums[1][1]);
        compare(&total[0], &total[1], "totals");
        compare(&least[0], &least[1], "least");
        for (int on = 0; on < 2; on++) tess_release(&x[on]);
    }
}

/* ---- Device code of the user's ---- */

static void bend(const tess_tile *tile)
{
    const gaps *p = *(const gaps *const *)((const char *)tile->val + 16);
    for (int64_t i = 0; i < tile->extent[3]; i++) {
        const float x = ((const float *)tile->ptr[0])[(tile->origin[3] + i) * tile->stride[0][3]];
        ((float *)tile->ptr[2])[(tile->origin[3] + i) * tile->stride[2][3]] =
            p->m[2] * x + p->z.im + (float)p->n[1] + (p->on ? 0.5f : 0.0f);
    }
}

/* The struct is defined for it, with the layout of the host. */
TEST(device_code_has_the_struct)
{
    tess_device             device;
    tess_op                *op = NULL;
    tess_array              x[2] = { 0 }, z[2] = { 0 };
    const gaps              p = some_gaps();
    const tess_op_loop_opts opts = { .cuda_source = "__device__ void bend(float x, gaps p, float &z) "
                                                    "{ z = p.m[2]*x + p.z.im + (float)p.n[1] + (p.on ? 0.5f : 0.0f); }",
                                     .cuda_entry = "bend" };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_op_loop(
        &op,
        "struct gaps { u8 a; f64 b; i16 c; c32 z; bool on; c64 q; i8 small; f32 m[3]; u64 wide; i32 k; u16 n[2]; i64 l;"
        " u32 u; } op bend(in f32 x, val gaps p, out f32 z)",
        bend, &opts));
    make(&x[0], &x[1], TESS_SHAPE(1, 1, 1, 70), TESS_F32, device);
    for (int on = 0; on < 2; on++) CHECK_OK(tess_call(op, &x[on], tess_struct(gaps, &p), &z[on]));
    compare(&z[0], &z[1], "bend");
    for (int on = 0; on < 2; on++) tess_release(&x[on]);
    tess_op_release(op);
}
