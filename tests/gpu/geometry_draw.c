/* Shapes, distances, components and masks on a GPU beside the CPU: the same bits. */
#include "support/draws.h"
#include "support/gpu.h"

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    tess_array        one = *a, number = { .data = NULL };
    one.shape = TESS_SHAPE(1, 1, 1, 1);
    one.data = element_at(a, position);
    CHECK_OK(tess_full(&number, one.shape, TESS_F64, tess_cpu(), (double)test_random_in(-90, 90) / 8));
    CHECK_OK(tess_cast(&one, &number, a->dtype, NULL));
    tess_release(&number);
}

static void check_case(int kind, tess_dtype dtype, tess_device device)
{
    draw_case  c;
    guarded    in, out;
    tess_array there = { .data = NULL }, result = { .data = NULL };
    draw_make(&c, kind, dtype);
    guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), c.shape, dtype);
    guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), c.shape, dtype);
    each_index(c.shape, set_any, &in.view);
    guarded_snapshot(&out);
    result = gpu_guarded(&out);
    CHECK(test_mirror(&there, &in.view, device));
    CHECK_OK(draw_call(&result, c.has_in ? &there : NULL, &c, test_random_in(0, 1) ? &device : NULL));
    CHECK_OK(draw_call(&out.view, c.has_in ? &in.view : NULL, &c, NULL));
    if (!gpu_same(&result, &out.view, c.text)) (void)test_failed(__FILE__, __LINE__, "%s", c.text);
    tess_release(&there);
    tess_release(&result);
    guarded_free(&in);
    guarded_free(&out);
}

TEST(shapes_are_those_of_the_cpu)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_C32, TESS_BOOL, TESS_I64, TESS_F16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int kind = 0; kind < DRAW_KINDS; kind++)
        for (int k = 0; k < 6; k++) {
            /* The simulator compiles a kernel for each: two of them there. */
            if (!test_large() && (k != kind || (kind != 0 && kind != 3 && !test_takes_case()))) continue;
            check_case(kind, dtypes[k], device);
        }
}

/* A mask of blobs. */
static void make_mask(tess_array *mask, tess_shape shape, tess_device device)
{
    tess_array noise = { .data = NULL }, host = { .data = NULL };
    CHECK_OK(tess_empty(&noise, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_uniform(&noise, 0, 1, 7, NULL));
    CHECK_OK(tess_less(&host, &noise, &tess_num(0.6)));
    CHECK_OK(tess_to_device(mask, &host, device));
    tess_release(&noise);
    tess_release(&host);
}

/* Both bring what a GPU has to the host, and results back. */
TEST(properties_and_watersheds_are_those_of_the_cpu)
{
    const tess_shape shape = { { 2, 3, 9, 11 } };
    tess_array       mask[2] = { { .data = NULL } }, far[2] = { { .data = NULL } }, labels[2] = { { .data = NULL } };
    tess_array       areas[2] = { { .data = NULL } }, sums[2] = { { .data = NULL } }, basins[2] = { { .data = NULL } };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int there = 0; there < 2; there++) {
        make_mask(&mask[there], shape, there ? device : tess_cpu());
        CHECK_OK(tess_distance_transform(&far[there], &mask[there], NULL));
        CHECK_OK(tess_label(&labels[there], &mask[there], NULL));
        CHECK_OK(tess_label_properties(&areas[there], &labels[there], &far[there],
                                       &(tess_label_properties_opts){ .sums = &sums[there] }));
        CHECK_OK(tess_watershed(&basins[there], &far[there], &labels[there], &(tess_watershed_opts){ .line = 1 }));
        CHECK_OK(tess_watershed(&labels[there], &far[there], NULL, &(tess_watershed_opts){ .mask = &mask[there] }));
    }
    CHECK(test_same_bits(&areas[1], &areas[0]));
    CHECK(test_same_bits(&sums[1], &sums[0]));
    CHECK(test_same_bits(&basins[1], &basins[0]));
    CHECK(test_same_bits(&labels[1], &labels[0]));
    for (int there = 0; there < 2; there++) {
        tess_release(&mask[there]);
        tess_release(&far[there]);
        tess_release(&labels[there]);
        tess_release(&areas[there]);
        tess_release(&sums[there]);
        tess_release(&basins[there]);
    }
}

TEST(distances_labels_and_masks_are_those_of_the_cpu)
{
    static const tess_shape shapes[] = { { { 3, 1, 1, 50 } }, { { 2, 1, 9, 11 } }, { { 2, 5, 6, 17 } } };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int k = 0; k < 3; k++) {
        tess_array mask[2] = { { .data = NULL } }, far[2] = { { .data = NULL } }, labels[2] = { { .data = NULL } };
        tess_array soft[2] = { { .data = NULL } }, counts[2] = { { .data = NULL } };
        tess_array thresholds[2] = { { .data = NULL } };
        for (int there = 0; there < 2; there++) {
            const tess_mask_create_opts o = { .extend = 1.5, .width = 3, .keep_largest = 1 };
            make_mask(&mask[there], shapes[k], there ? device : tess_cpu());
            CHECK_OK(tess_distance_transform(&far[there], &mask[there],
                                             &(tess_distance_transform_opts){ .step_h = 2, .outside = k == 1 }));
            CHECK_OK(tess_label(&labels[there], &mask[there],
                                &(tess_label_opts){ .full = k == 2, .counts = &counts[there] }));
            if (k == 2) CHECK_OK(tess_mask_create(&soft[there], &mask[there], 1, &o));
            CHECK_OK(tess_otsu(&thresholds[there], &far[there], NULL));
        }
        CHECK(test_same_bits(&far[1], &far[0]));
        CHECK(test_same_bits(&thresholds[1], &thresholds[0]));
        CHECK(test_same_bits(&labels[1], &labels[0]));
        CHECK(test_same_bits(&counts[1], &counts[0]));
        if (k == 2) CHECK(test_same_bits(&soft[1], &soft[0]));
        for (int there = 0; there < 2; there++) {
            tess_release(&mask[there]);
            tess_release(&far[there]);
            tess_release(&thresholds[there]);
            tess_release(&labels[there]);
            tess_release(&soft[there]);
            tess_release(&counts[there]);
        }
    }
}
