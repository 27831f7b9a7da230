/* Every allocation of a scenario fails in turn, once or from then on: a clear status, no leak, and life goes on. */
#include "support/arrays.h"
#include "support/hooks.h"

static hooks h;
static int   wrapped, dropped;

static void count_drop(void *context) { ++*(int *)context; }

/* ---- The scenario, in parts ---- */

static tess_status create(void)
{
    static float data[12];
    tess_array   a[9] = { { .dtype = 0 } };
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_empty(&a[0], TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_zeros(&a[1], TESS_SHAPE(1, 1, 1100, 1000), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_ones(&a[2], TESS_SHAPE(1, 1, 3, 4), TESS_C32, tess_cpu()));
    TESS_GOTO(done, status, tess_full(&a[3], TESS_SHAPE(1, 1, 3, 4), TESS_MAT33_F64, tess_cpu(), 2));
    TESS_GOTO(done, status, tess_like(&a[4], &a[1]));
    TESS_GOTO(done, status, tess_arange(&a[5], TESS_SHAPE(1, 1, 30, 40), TESS_I16, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_linspace(&a[6], TESS_SHAPE(1, 1, 30, 40), TESS_F32, tess_cpu(), 0, 1, NULL));
    TESS_GOTO(done, status, tess_eye(&a[7], TESS_SHAPE(2, 1, 30, 40), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status,
              tess_wrap(&a[8], data, TESS_SHAPE(1, 1, 3, 4), TESS_F32,
                        &(tess_wrap_opts){ .drop = count_drop, .context = &dropped, .length = 12 }));
    wrapped++;
done:
    for (int i = 0; i < 9; i++) tess_release(&a[i]);
    return status;
}

static tess_status convert(void)
{
    const float five = 5;
    tess_array  a = { 0 }, v = { 0 }, c = { 0 }, out[8] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(2, 3, 40, 50), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_ones(&c, TESS_SHAPE(1, 1, 20, 30), TESS_C32, tess_cpu()));
    TESS_GOTO(done, status, tess_subregion_text(&v, &a, "::-1, :, ::2, 3:40"));
    TESS_GOTO(done, status, tess_copy(&out[0], &v));
    TESS_GOTO(done, status, tess_permute_copy(&out[1], &v, 3, 2, 1, 0));
    TESS_GOTO(done, status, tess_cast(&out[2], &v, TESS_I64, NULL));
    TESS_GOTO(done, status, tess_cast(&out[3], &v, TESS_C64, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    TESS_GOTO(done, status, tess_cast(&out[4], &c, TESS_F16, &(tess_cast_opts){ .part = TESS_PART_ABS }));
    const tess_array parts[3] = { v, out[0], v };
    TESS_GOTO(done, status, tess_concatenate(&out[5], parts, 3, 2));
    TESS_GOTO(done, status, tess_to_device(&out[6], &v, tess_cpu()));
    TESS_GOTO(done, status, tess_copy(&out[0], &v));
    TESS_GOTO(done, status, tess_fill(&out[0], 1));
    TESS_GOTO(done, status, tess_fill_element(&out[0], &five));
    TESS_GOTO(done, status, tess_set_f64(&out[0], 0, 0, 0, 0, 1));
    TESS_GOTO(done, status, tess_retain(&out[0]));
    out[7] = out[0];
done:
    tess_release(&a);
    tess_release(&c);
    for (int i = 0; i < 8; i++) tess_release(&out[i]);
    return status;
}

static tess_status randomize(void)
{
    tess_array  a = { 0 }, means = { 0 }, order = { 0 }, out = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_empty(&a, TESS_SHAPE(1, 2, 30, 40), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_full(&means, TESS_SHAPE(1, 1, 1, 40), TESS_F32, tess_cpu(), 5));
    TESS_GOTO(done, status, tess_empty(&order, TESS_SHAPE(1, 1, 1, 400), TESS_I16, tess_cpu()));
    TESS_GOTO(done, status, tess_random_uniform(&a, 0, 1, 1, NULL));
    TESS_GOTO(done, status, tess_random_normal(&a, 0, 1, 1, NULL));
    TESS_GOTO(done, status, tess_random_lognormal(&a, 0, 1, 1, NULL));
    TESS_GOTO(done, status, tess_random_exponential(&a, 1, 1, NULL));
    TESS_GOTO(done, status, tess_random_integers(&a, 1, 6, 1, NULL));
    TESS_GOTO(done, status, tess_random_poisson(&a, &means, 1, NULL));
    TESS_GOTO(done, status, tess_random_poisson(&a, &tess_f32(3), 1, NULL));
    TESS_GOTO(done, status, tess_random_permutation(&order, 1, NULL));
    TESS_GOTO(done, status, tess_random_shuffle(&out, &a, 2, 1, NULL));
    TESS_GOTO(done, status, tess_random_shuffle(&a, &a, 3, 1, NULL));
done:
    tess_release(&a);
    tess_release(&means);
    tess_release(&order);
    tess_release(&out);
    return status;
}

static tess_status linear(void)
{
    tess_array  a = { 0 }, b = { 0 }, c = { 0 }, wide = { 0 }, vector = { 0 }, out[7] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(2, 1, 20, 30), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_arange(&b, TESS_SHAPE(1, 1, 20, 30), TESS_I8, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_arange(&c, TESS_SHAPE(1, 1, 20, 5), TESS_C32, tess_cpu(), 0, 1));
    const tess_matmul_opts  turned = { .form_b = TESS_MATRIX_TRANSPOSE };
    const tess_lstsq_opts   both = { .singular_values = &out[2], .rank = &out[3] };
    const tess_polyfit_opts fit = { .parameters = &out[5] };
    TESS_GOTO(done, status, tess_matmul(&out[0], &a, &b, &turned));
    TESS_GOTO(done, status, tess_zeros(&wide, TESS_SHAPE(1, 1, 2, 20000), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_ones(&vector, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_matmul(&out[6], &vector, &wide, NULL));
    TESS_GOTO(done, status, tess_lstsq(&out[1], &a, &c, &both));
    TESS_GOTO(done, status, tess_polyfit_surface(&out[4], &a, 2, &fit));
done:
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&wide);
    tess_release(&vector);
    for (int i = 0; i < 7; i++) tess_release(&out[i]);
    return status;
}

static tess_status rotate(void)
{
    tess_array  angles = { 0 }, set = { 0 }, out[9] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&angles, TESS_SHAPE(5, 1, 1, 3), TESS_I16, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_symmetry_matrices(&set, "d3", NULL));
    TESS_GOTO(done, status, tess_symmetry_close(&out[0], &set));
    TESS_GOTO(done, status, tess_euler_to_matrix(&out[1], &angles, NULL));
    TESS_GOTO(done, status, tess_quat_from_matrix(&out[2], &out[1]));
    TESS_GOTO(done, status, tess_quat_average(&out[3], &out[2], NULL));
    TESS_GOTO(done, status, tess_quat_random(&out[2], 3, NULL));
    const tess_quat_reduce_opts reduced = { .matrices = &set, .which = &out[5] };
    TESS_GOTO(done, status, tess_quat_reduce(&out[4], &out[2], &reduced));
    TESS_GOTO(done, status, tess_quat_distance(&out[6], &out[2], &out[4], NULL));
    TESS_GOTO(done, status, tess_matrix_mul(&out[7], &out[1], &out[1]));
    TESS_GOTO(done, status, tess_transform_points(&out[8], &angles, &out[7]));
done:
    tess_release(&angles);
    tess_release(&set);
    for (int i = 0; i < 9; i++) tess_release(&out[i]);
    return status;
}

static tess_status draw_shapes(void)
{
    tess_array  sizes = { 0 }, places = { 0 }, out[6] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_ones(&sizes, TESS_SHAPE(1, 2, 1, 1), TESS_I16, tess_cpu()));
    TESS_GOTO(done, status, tess_arange(&places, TESS_SHAPE(1, 2, 1, 2), TESS_F16, tess_cpu(), 1, 1));
    const tess_draw_opts        image = { .shape = TESS_SHAPE(1, 1, 7, 9), .centres = &places, .width = 2 };
    const tess_draw_opts        line = { .shape = TESS_SHAPE(1, 1, 7, 9) };
    const tess_mask_create_opts mask = { .extend = -1, .width = 2, .keep_largest = 1 };
    const tess_label_opts       counted = { .counts = &out[3] };
    TESS_GOTO(done, status, tess_draw_sphere(&out[0], NULL, &sizes, &image));
    TESS_GOTO(done, status, tess_draw_line(&out[0], NULL, &places, &places, &sizes, &line));
    TESS_GOTO(done, status, tess_distance_transform(&out[1], &out[0], NULL));
    TESS_GOTO(done, status, tess_label(&out[2], &out[0], &counted));
    TESS_GOTO(done, status, tess_mask_create(&out[4], &out[0], 0.5, &mask));
    TESS_GOTO(done, status, tess_otsu(&out[5], &out[0], NULL));
done:
    tess_release(&sizes);
    tess_release(&places);
    for (int i = 0; i < 6; i++) tess_release(&out[i]);
    return status;
}

static tess_status resize(void)
{
    tess_array  a = { 0 }, origins = { 0 }, out[5] = { { .dtype = 0 } };
    tess_shape  atlas;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(5, 1, 40, 50), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_atlas_layout(&atlas, &origins, 5, 40, 50));
    TESS_GOTO(done, status, tess_zeros(&out[0], atlas, TESS_F32, tess_cpu()));
    TESS_GOTO(done, status,
              tess_insert(&out[0], &a, &origins, &(tess_insert_opts){ .add = 1, .weights = &tess_num(0.5) }));
    TESS_GOTO(done, status, tess_extract(&out[1], &out[0], &origins, TESS_SHAPE(1, 1, 40, 50), NULL));
    TESS_GOTO(done, status,
              tess_pad(&out[2], &a, TESS_SHAPE(0, 0, 5, 6), TESS_SHAPE(0, 0, 7, 8),
                       &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
    TESS_GOTO(done, status, tess_resize(&out[3], &a, TESS_SHAPE(0, 0, 31, 64), NULL));
    TESS_GOTO(done, status, tess_bin(&out[4], &out[3], TESS_SHAPE(1, 1, 2, 2), NULL));
done:
    tess_release(&a);
    tess_release(&origins);
    for (int i = 0; i < 5; i++) tess_release(&out[i]);
    return status;
}

/* Images of CTFs that are made: of one, and of one for each batch. */
static tess_status ctfs(void)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 10);
    const tess_ctf   ctf = { .pixel_size = { 1.5, 1.5 }, .defocus = 1, .cs = 2.7 };
    tess_array       rows = { 0 }, one = { 0 }, out = { 0 };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_full(&rows, TESS_SHAPE(2, 1, 1, 8), TESS_F32, tess_cpu(), 0.5));
    TESS_GOTO(done, status, tess_ctf_image(&one, shape, &ctf, NULL));
    TESS_GOTO(done, status, tess_ctf_image(&out, shape, NULL, &(tess_ctf_opts){ .parameters = &rows }));
done:
    CHECK(status == TESS_OK || !out.data);
    tess_release(&rows);
    tess_release(&one);
    tess_release(&out);
    return status;
}

/* Slices into a volume and out of it. */
static tess_status slices(void)
{
    const tess_shape images = TESS_SHAPE(2, 1, 4, 4), shape = TESS_SHAPE(1, 4, 4, 4);
    tess_array       q = { 0 }, given = { 0 }, volume = { 0 }, weights = { 0 }, out[5] = { { .dtype = 0 } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_ones(&q, TESS_SHAPE(2, 1, 1, 4), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_ones(&given, TESS_SHAPE(2, 1, 4, 3), TESS_C32, tess_cpu()));
    TESS_GOTO(done, status, tess_fourier_insert(&volume, &weights, &given, images, &q, NULL));
    TESS_GOTO(done, status, tess_fourier_normalize(&out[0], &volume, &weights, NULL));
    TESS_GOTO(done, status, tess_fourier_extract(&out[1], &volume, shape, &q, NULL));
    TESS_GOTO(done, status, tess_fourier_insert_extract(&out[2], NULL, &given, images, &q, &q, NULL));
    TESS_GOTO(done, status, tess_transform_spectrum_3d(&out[3], &volume, TESS_SHAPE(2, 4, 4, 4), &q, NULL));
    TESS_GOTO(done, status, tess_gridding_correct(&out[4], &weights, NULL));
done:
    tess_release(&q);
    tess_release(&given);
    tess_release(&volume);
    tess_release(&weights);
    for (int i = 0; i < 5; i++) tess_release(&out[i]);
    return status;
}

/* Places, masks, searches and histograms. */
static tess_status indices(void)
{
    tess_array  a = { 0 }, at = { 0 }, grid = { 0 }, out[11] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(1, 1, 30, 40), TESS_I16, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_arange(&at, TESS_SHAPE(1, 1, 1, 20), TESS_I32, tess_cpu(), -5, 1));
    TESS_GOTO(done, status, tess_take(&out[0], &a, &at, 2));
    TESS_GOTO(done, status, tess_take_along(&out[1], &a, &at, 3));
    TESS_GOTO(done, status, tess_put(&a, &tess_num(3), &at, 3, NULL));
    TESS_GOTO(done, status, tess_reshape(&grid, &at, TESS_SHAPE(1, 1, 4, 5)));
    TESS_GOTO(done, status, tess_transpose(&grid, &grid));
    TESS_GOTO(done, status, tess_take_flat(&out[10], &a, &grid));
    TESS_GOTO(done, status, tess_put_flat(&a, &out[10], &grid, NULL));
    TESS_GOTO(done, status, tess_compress(&out[2], &out[3], &a, &a));
    TESS_GOTO(done, status, tess_cast(&out[9], &a, TESS_BOOL, NULL));
    TESS_GOTO(done, status, tess_place(&a, &out[2], &out[9]));
    TESS_GOTO(done, status, tess_searchsorted(&out[4], &at, &a, NULL));
    TESS_GOTO(done, status, tess_unique(&out[5], &out[6], &out[7], &out[8], &a));
    tess_release(&out[0]);
    TESS_GOTO(done, status, tess_histogram(&out[0], &a, 10, TESS_W, &(tess_histogram_opts){ .weights = &a }));
done:
    tess_release(&a);
    tess_release(&at);
    for (int i = 0; i < 11; i++) tess_release(&out[i]);
    return status;
}

static tess_status order(void)
{
    const double q[2] = { 0.1, 0.9 };
    tess_array   a = { 0 }, t = { 0 }, out[8] = { { .dtype = 0 } };
    double       number;
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(1, 2, 40, 50), TESS_F32, tess_cpu(), 0, -1));
    TESS_GOTO(done, status, tess_transpose(&t, &a));
    /* Zeros: where a queued sort has no memory, the next one finds numbers all the same. */
    TESS_GOTO(done, status, tess_zeros(&out[0], a.shape, TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_sort(&out[0], &a, 3, NULL));
    TESS_GOTO(done, status, tess_sort(&out[0], &out[0], 2, NULL));
    TESS_GOTO(done, status, tess_argsort(&out[1], &t, 3, NULL));
    TESS_GOTO(done, status, tess_partition(&out[2], &t, 7, 3));
    TESS_GOTO(done, status, tess_topk(&out[3], &out[4], &t, 7, 3, NULL));
    TESS_GOTO(done, status, tess_median(&out[5], &t, TESS_W, NULL));
    TESS_GOTO(done, status, tess_quantile(&out[6], &a, 0.3, TESS_B | TESS_H, NULL));
    TESS_GOTO(done, status, tess_quantiles(&out[7], &a, q, 2, 0, NULL));
    TESS_GOTO(done, status, tess_host_median(&number, &a));
    TESS_GOTO(done, status, tess_host_quantile(&number, &t, 0.2, NULL));
done:
    tess_release(&a);
    for (int i = 0; i < 8; i++) tess_release(&out[i]);
    return status;
}

/* Operators of users, in all modes. */
static tess_status operators(void)
{
    tess_op    *op[4] = { NULL };
    tess_array  x = { 0 }, big = { 0 }, bins = { 0 }, out[5] = { { .dtype = 0 } };
    float       sum[2];
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_op_text(&op[0], "op f(in T x, val T a, out T z, out T y) { z = a*x; y = x; }"));
    TESS_GOTO(done, status,
              tess_op_text(&op[1], "op s(in f32 x, acc sum f32 s, acc f32 m = 0, out f32 r, out f32 q) "
                                   "{ s += x; m = m + x; } join { m = m + m_other; }"));
    TESS_GOTO(done, status, tess_op_text(&op[2], "op g(in f32 x, scatter f32 t) { t[0,0,h % 3,w % 5] += x; }"));
    TESS_GOTO(done, status, tess_op_text(&op[3], "op h(view f32 v, out f32 z) { z = v[b,d,h,w+1]; }"));
    TESS_GOTO(done, status, tess_arange(&x, TESS_SHAPE(1, 1, 30, 40), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_zeros(&big, TESS_SHAPE(1, 1, 400, 500), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_zeros(&bins, TESS_SHAPE(1, 1, 3, 5), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_call(op[0], &x, 2, &out[0], &out[1]));
    TESS_GOTO(done, status, tess_call(op[1], &x, &out[2], &out[3]));
    TESS_GOTO(done, status, tess_call(op[1], &big, &sum[0], &sum[1]));
    TESS_GOTO(done, status, tess_call(op[2], &big, &bins));
    TESS_GOTO(done, status, tess_like(&out[4], &x));
    TESS_GOTO(done, status, tess_call(op[3], &x, &out[4]));
    TESS_GOTO(done, status, tess_call(TESS_OP_ADD, &x, 1, &out[4]));
done:
    for (int i = 0; i < 4; i++) tess_op_release(op[i]);
    for (int i = 0; i < 5; i++) tess_release(&out[i]);
    tess_release(&x);
    tess_release(&big);
    tess_release(&bins);
    return status;
}

/* All parts again on an asynchronous stream, with events between two of them. */
static tess_status shells(void)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 12, 12);
    tess_array       a[6] = { { .dtype = 0 } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_ones(&a[0], tess_rfft_shape(shape), TESS_C32, tess_cpu()));
    TESS_GOTO(done, status, tess_ones(&a[1], TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status,
              tess_fsc(&a[2], &a[0], &a[0], shape, &(tess_fsc_opts){ .directions = &a[1], .counts = &a[3] }));
    TESS_GOTO(done, status, tess_radial_power(&a[4], &a[0], shape, NULL));
    TESS_GOTO(done, status, tess_whiten(&a[5], &a[0], shape, NULL));
done:
    for (int i = 0; i < 6; i++) tess_release(&a[i]);
    return status;
}

static tess_status polar(void)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 12, 12);
    tess_array       a[8] = { { .dtype = 0 } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_ones(&a[0], shape, TESS_F16, tess_cpu()));
    TESS_GOTO(done, status, tess_cartesian_to_polar(&a[1], &a[0], NULL));
    TESS_GOTO(done, status, tess_ones(&a[2], TESS_SHAPE(1, 1, 1, 8), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status,
              tess_rotational_average(
                  &a[3], &a[0], shape,
                  &(tess_rotational_average_opts){ .layout = TESS_FFT_F, .ctfs = &a[2], .weights = &a[4] }));
    TESS_GOTO(done, status,
              tess_fuse_spectra(&a[5], &a[0], &a[2], &a[2], &(tess_fuse_spectra_opts){ .weights = &a[6] }));
    TESS_GOTO(done, status, tess_phase_spectra(&a[7], &a[0], &a[2], &a[2], NULL));
done:
    for (int i = 0; i < 8; i++) tess_release(&a[i]);
    return status;
}

/* Of arrays whose neighbours in memory are far apart in the order of the numbers, which are packed. */
static tess_status reduce_transposed(void)
{
    tess_array  a[7] = { { .dtype = 0 } }, t = { 0 }, columns = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_ones(&a[0], TESS_SHAPE(1, 2, 90, 110), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_transpose(&columns, &a[0]));
    TESS_GOTO(done, status, tess_permute(&t, &a[0], 0, 3, 1, 2));
    TESS_GOTO(done, status, tess_sum(&a[1], &t, 0, NULL));
    TESS_GOTO(done, status, tess_dot(&a[2], &t, &t, TESS_D | TESS_W, NULL));
    TESS_GOTO(done, status, tess_mean_std(&a[3], &a[4], &t, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_histogram(&a[5], &t, 7, TESS_W, &(tess_histogram_opts){ .high = 2 }));
    const tess_histogram_opts weighted = { .high = 2, .weights = &columns };
    TESS_GOTO(done, status, tess_histogram(&a[6], &columns, 7, 0, &weighted));
done:
    for (int i = 0; i < 7; i++) tess_release(&a[i]);
    return status;
}

static tess_status stream(void)
{
    tess_stream *s = NULL, *t = NULL, *plain = NULL;
    tess_event  *e = NULL;
    tess_array   a = { 0 }, b = { 0 };
    tess_status  status = TESS_OK, end = TESS_OK;
    TESS_GOTO(done, status, tess_stream_new(&plain, tess_cpu(), NULL));
    TESS_GOTO(done, status, tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    TESS_GOTO(done, status, tess_stream_new(&t, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    TESS_GOTO(done, status, tess_event_new(&e, tess_cpu()));
    TESS_GOTO(done, status, tess_stream_set_current(s));
    TESS_GOTO(done, status, create());
    TESS_GOTO(done, status, tess_full(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu(), 2));
    TESS_GOTO(done, status, tess_event_record(e, s));
    TESS_GOTO(done, status, tess_event_wait(e, t));
    TESS_GOTO(done, status, tess_stream_set_current(t));
    TESS_GOTO(done, status, tess_copy(&b, &a));
    TESS_GOTO(done, status, convert());
    TESS_GOTO(done, status, randomize());
    TESS_GOTO(done, status, linear());
    TESS_GOTO(done, status, resize());
    TESS_GOTO(done, status, indices());
    TESS_GOTO(done, status, order());
    TESS_GOTO(done, status, operators());
    TESS_GOTO(done, status, tess_event_record(e, t));
    TESS_GOTO(done, status, tess_event_sync(e));
    TESS_GOTO(done, status, tess_stream_sync(t));
done:
    end = tess_stream_set_current(NULL);
    tess_release(&a);
    tess_release(&b);
    tess_event_free(e);
    tess_stream_free(plain);
    tess_stream_free(s);
    tess_stream_free(t);
    return status != TESS_OK ? status : end;
}

/* ---- Failing allocation 1, 2, 3 … ---- */

static void smoke(void)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), t = { 0 }, b = { 0 };
    CHECK_OK(tess_transpose(&t, &a));
    CHECK_OK(tess_copy(&b, &t));
    CHECK(value_at(&b, 0, 0, 3, 2) == 11);
    tess_release(&a);
    tess_release(&b);
}

/* "… 128 bytes …" */
static bool names_size(const char *message)
{
    const char *bytes = strstr(message, " bytes");
    return bytes && bytes > message && bytes[-1] >= '0' && bytes[-1] <= '9';
}

/* Returns how many points of failure there were. `does_without`: some memory only saves time. */
static int torture_with(tess_status (*scenario)(void), bool for_good, bool does_without)
{
    hooks_on(&h);
    CHECK_OK(scenario());
    const long    live = atomic_load(&h.live);
    const int64_t used = tess_memory_used(tess_cpu());
    int           n = 1;
    for (bool fired = true; fired && n < 10000; n++) {
        if (n > 10 && !test_takes_case()) continue;
        tess_error_clear();
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.for_good, for_good);
        atomic_store(&h.fail_at, n);
        const tess_status status = scenario();
        atomic_store(&h.fail_at, 0);
        fired = atomic_load(&h.fired) > 0;
        const bool fails = fired && !(does_without && status == TESS_OK);
        if (fails) CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
        else CHECK_OK(status);
        if (fails) CHECK(tess_error_status() == TESS_ENOMEM && names_size(tess_error_message()));
        CHECK_I64(atomic_load(&h.live), live);
        CHECK_I64(tess_memory_used(tess_cpu()), used);
        CHECK_I64(dropped, wrapped);
        smoke();
    }
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    return n - 2;
}

static int torture(tess_status (*scenario)(void), bool for_good) { return torture_with(scenario, for_good, false); }

TEST(creation_survives_one_failure) { CHECK(torture(create, false) >= 9); }
TEST(creation_survives_lasting_failure) { CHECK(torture(create, true) >= 9); }
TEST(copies_survive_one_failure) { CHECK(torture(convert, false) >= 9); }
TEST(copies_survive_lasting_failure) { CHECK(torture(convert, true) >= 9); }
TEST(random_numbers_survive_one_failure) { CHECK(torture(randomize, false) >= 9); }
TEST(random_numbers_survive_lasting_failure) { CHECK(torture(randomize, true) >= 9); }
TEST(linear_algebra_survives_one_failure) { CHECK(torture(linear, false) >= 12); }
TEST(linear_algebra_survives_lasting_failure) { CHECK(torture(linear, true) >= 12); }
TEST(rotations_survive_one_failure) { CHECK(torture(rotate, false) >= 30); }
TEST(rotations_survive_lasting_failure) { CHECK(torture(rotate, true) >= 30); }

/* Operators of the library's own stay from their first call on. */
TEST(drawing_survives_one_failure)
{
    CHECK_OK(draw_shapes());
    CHECK(torture(draw_shapes, false) >= 30);
}

TEST(drawing_survives_lasting_failure)
{
    CHECK_OK(draw_shapes());
    CHECK(torture(draw_shapes, true) >= 30);
}

TEST(transposed_reductions_survive_one_failure) { CHECK(torture_with(reduce_transposed, false, true) >= 10); }
TEST(transposed_reductions_survive_lasting_failure) { CHECK(torture_with(reduce_transposed, true, true) >= 10); }
TEST(resizing_survives_one_failure) { CHECK(torture(resize, false) >= 7); }
TEST(resizing_survives_lasting_failure) { CHECK(torture(resize, true) >= 7); }
TEST(ctfs_survive_one_failure) { CHECK(torture(ctfs, false) >= 6); }
TEST(ctfs_survive_lasting_failure) { CHECK(torture(ctfs, true) >= 6); }
TEST(slices_survive_one_failure) { CHECK(torture(slices, false) >= 6); }
TEST(slices_survive_lasting_failure) { CHECK(torture(slices, true) >= 6); }
TEST(indices_survive_one_failure) { CHECK(torture(indices, false) >= 20); }
TEST(indices_survive_lasting_failure) { CHECK(torture(indices, true) >= 20); }

/* The library's operators are compiled once, and kept: before. */
static void torture_shells(bool for_good)
{
    CHECK_OK(shells());
    CHECK(torture(shells, for_good) >= 20);
}

TEST(shells_survive_one_failure) { torture_shells(false); }
TEST(shells_survive_lasting_failure) { torture_shells(true); }

static void torture_polar(bool for_good)
{
    CHECK_OK(polar());
    CHECK(torture(polar, for_good) >= 10);
}

TEST(polar_survives_one_failure) { torture_polar(false); }
TEST(polar_survives_lasting_failure) { torture_polar(true); }

TEST(sorting_survives_one_failure) { CHECK(torture(order, false) >= 20); }
TEST(sorting_survives_lasting_failure) { CHECK(torture(order, true) >= 20); }
TEST(operators_survive_one_failure) { CHECK(torture(operators, false) >= 20); }
TEST(operators_survive_lasting_failure) { CHECK(torture(operators, true) >= 20); }
TEST(streams_survive_one_failure) { CHECK(torture(stream, false) >= 40); }
TEST(streams_survive_lasting_failure) { CHECK(torture(stream, true) >= 40); }

/* ---- A given output is as it was if the call fails ---- */

static tess_status join(tess_array *out, const tess_array *in)
{
    const tess_array parts[3] = { *in, *in, *in };
    TESS_TRY(tess_concatenate(out, parts, 3, 0));
    return TESS_OK;
}

static tess_status draw(tess_array *out, const tess_array *in)
{
    (void)in;
    TESS_TRY(tess_eye(out, out->shape, out->dtype, tess_cpu()));
    return TESS_OK;
}

static tess_status space(tess_array *out, const tess_array *in)
{
    (void)in;
    TESS_TRY(tess_linspace(out, out->shape, out->dtype, tess_cpu(), 0, 1, NULL));
    return TESS_OK;
}

/* Queued on an asynchronous stream, with allocation 1, 2, 3 … failing. */
static void leaves_out_alone(tess_status (*call)(tess_array *out, const tess_array *in))
{
    tess_stream *s = NULL;
    tess_array   in = { 0 }, out = { 0 };
    hooks_on(&h);
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 5));
    CHECK_OK(tess_full(&out, TESS_SHAPE(3, 1, 3, 4), TESS_F32, tess_cpu(), -7));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(s));
    for (long n = 1; n < 100; n++) {
        const tess_array before = out;
        atomic_store(&h.calls, 0);
        atomic_store(&h.for_good, false);
        atomic_store(&h.fail_at, n);
        const tess_status status = call(&out, &in);
        atomic_store(&h.fail_at, 0);
        CHECK_OK(tess_stream_sync(s));
        CHECK(same_struct(&out, &before));
        if (status == TESS_OK) break;
        CHECK(all_are(&out, -7));
        CHECK_OK(tess_fill(&out, -7));
        CHECK_OK(tess_stream_sync(s));
    }
    CHECK(!all_are(&out, -7));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(s);
    tess_release(&in);
    tess_release(&out);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
}

TEST(failing_concatenate_leaves_out_as_it_was) { leaves_out_alone(join); }
TEST(failing_eye_leaves_out_as_it_was) { leaves_out_alone(draw); }
TEST(failing_linspace_leaves_out_as_it_was) { leaves_out_alone(space); }

/* The sums of all blocks of rows are allocated before the first result is written. */
TEST(failing_product_with_a_vector_leaves_out_as_it_was)
{
    tess_array row = { 0 }, matrix = { 0 }, out = { 0 };
    CHECK_OK(tess_threads_set(2));
    hooks_on(&h);
    CHECK_OK(tess_ones(&row, TESS_SHAPE(1, 1, 1, 2100), TESS_F32, tess_cpu()));
    CHECK_OK(tess_ones(&matrix, TESS_SHAPE(1, 1, 2100, 512), TESS_F32, tess_cpu()));
    CHECK_OK(tess_full(&out, TESS_SHAPE(1, 1, 1, 512), TESS_F32, tess_cpu(), -7));
    atomic_store(&h.calls, 0), atomic_store(&h.fired, 0);
    atomic_store(&h.for_good, false);
    atomic_store(&h.fail_at, 1);
    CHECK_FAILS(tess_matmul(&out, &row, &matrix, NULL), TESS_ENOMEM, "matmul: no memory for ", " bytes of workspace");
    atomic_store(&h.fail_at, 0);
    CHECK_I64(atomic_load(&h.fired), 1);
    CHECK(all_are(&out, -7));
    CHECK_OK(tess_matmul(&out, &row, &matrix, NULL));
    CHECK(all_are(&out, 2100));
    tess_release(&row);
    tess_release(&matrix);
    tess_release(&out);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_OK(tess_threads_set(0));
}
