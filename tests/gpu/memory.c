/* Device memory: copies to and from the host, page-locked storage, elements, text, limits, other libraries' memory. */
#include <stdlib.h>

#include "support/arrays.h"
#include "support/gpu.h"
#include "tessera/dlpack.h"

static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_MAT33_F64, TESS_I16, TESS_C64, TESS_VEC3_F32, TESS_BOOL };

/* Fill the elements of a view, whatever they are, with bytes that differ. */
static void put_bytes(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *at = element_at(a, position);
    for (size_t i = 0; i < tess_dtype_size(a->dtype); i++) at[i] = (unsigned char)(test_random() % 251);
}

static void fill(guarded *g)
{
    each_index(g->view.shape, put_bytes, &g->view);
    guarded_snapshot(g);
}

/* ---- Copies ---- */

/* From a layout on the host to one on the GPU, and back to one on the host. */
static void there_and_back(tess_dtype dtype, layout from, layout to, tess_shape shape)
{
    char    what[120];
    guarded in, out, back;
    (void)snprintf(what, sizeof what, "%s from %s to %s", tess_dtype_name(dtype), layout_names[from], layout_names[to]);
    guarded_make(&in, from, shape, dtype);
    guarded_make(&out, to, shape, dtype);
    guarded_make(&back, to, shape, dtype);
    fill(&in);
    tess_array gpu = gpu_guarded(&out);
    CHECK_OK(tess_to_device(&gpu, &in.view, tess_gpu(0)));
    CHECK_OK(tess_to_device(&back.view, &gpu, tess_cpu()));
    gpu_fetch(&out, &gpu);
    (void)guarded_check(&out, what);
    (void)guarded_check(&back, what);
    (void)gpu_same(&out.view, &in.view, what);
    (void)gpu_same(&back.view, &in.view, what);
    tess_release(&gpu);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&back);
}

TEST(copies_keep_every_byte_in_every_layout)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const int n = test_large() ? (int)(sizeof dtypes / sizeof *dtypes) : 3;
    for (int i = 0; i < n; i++)
        for (layout from = 0; from < n_layouts; from++)
            for (layout to = 0; to < n_output_layouts; to++) {
                if (!test_large() && from && to != (layout)((from + (unsigned)i) % n_output_layouts)) continue;
                there_and_back(dtypes[i], from, to, TESS_SHAPE(2, 3, 4, 5));
            }
}

TEST(copies_of_blocks_do_not_need_a_kernel)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    gpu_controls sim;
    if (!gpu_simulated(&sim)) {
        test_skip("launches are counted by the simulated libraries only");
        return;
    }
    const int64_t before = sim.count("cuLaunchKernel");
    tess_array    a = numbers(TESS_F32, 2, 3, 4, 5), t = { 0 }, b = { 0 }, c = { 0 };
    CHECK_OK(tess_permute(&t, &a, 3, 1, 0, 2));
    CHECK_OK(tess_to_device(&b, &a, gpu));
    CHECK_OK(tess_permute(&b, &b, 3, 1, 0, 2));
    CHECK_OK(tess_to_device(&b, &t, gpu)); /* both turned in the same way */
    CHECK_OK(tess_to_device(&t, &b, tess_cpu()));
    CHECK_OK(tess_to_device(&c, &a, gpu));
    CHECK_OK(tess_to_device(&a, &c, tess_cpu()));
    CHECK_I64(sim.count("cuLaunchKernel"), before);
    CHECK(value_at(&a, 1, 2, 3, 4) == 119);
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
}

TEST(copies_broadcast)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array row = numbers(TESS_F32, 1, 1, 1, 5), wide = { 0 }, there = { 0 }, back = { 0 }, three = { 0 };
    CHECK_OK(tess_broadcast(&wide, &row, TESS_SHAPE(2, 1, 3, 5)));
    CHECK_OK(tess_to_device(&there, &wide, gpu));
    CHECK_DIMS(there.shape, 2, 1, 3, 5);
    CHECK(tess_is_contiguous(&there, 'C'));
    (void)gpu_same(&there, &wide, "a broadcast row");
    CHECK_OK(tess_empty(&back, TESS_SHAPE(1, 4, 3, 5), TESS_F32, gpu));
    CHECK_OK(tess_to_device(&back, &row, gpu));
    CHECK_OK(tess_to_device(&three, &tess_f32(3), gpu));
    CHECK_OK(tess_to_device(&back, &three, gpu));
    tess_array here = { 0 };
    CHECK_OK(tess_to_device(&here, &back, tess_cpu()));
    CHECK(all_are(&here, 3));
    tess_release(&row);
    tess_release(&there);
    tess_release(&back);
    tess_release(&three);
    tess_release(&here);
}

TEST(copies_of_nothing)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array none = numbers(TESS_F32, 2, 0, 4, 5), there = { 0 }, back = { 0 };
    CHECK_OK(tess_to_device(&there, &none, gpu));
    CHECK_DIMS(there.shape, 2, 0, 4, 5);
    CHECK(there.data != NULL && there.device.kind == TESS_GPU);
    CHECK_OK(tess_to_device(&back, &there, tess_cpu()));
    CHECK_DIMS(back.shape, 2, 0, 4, 5);
    tess_release(&none);
    tess_release(&there);
    tess_release(&back);
}

/* More than the ring of page-locked pieces has at once, and no multiple of them. */
TEST(large_copies_go_in_pieces)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const int64_t n = (test_large() ? 300 : 37) * 1024 * 1024 + 123;
    tess_array    a = { 0 }, there = { 0 }, back = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), TESS_U8, tess_cpu()));
    unsigned char *bytes = a.data;
    for (int64_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 7 + i / 251 + i / 1048573);
    CHECK_OK(tess_to_device(&there, &a, gpu));
    memset(bytes, 0, (size_t)n); /* the copy has what was there when it was asked for */
    CHECK_OK(tess_to_device(&back, &there, tess_cpu()));
    const unsigned char *got = back.data;
    int64_t              wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += got[i] != (unsigned char)(i * 7 + i / 251 + i / 1048573);
    CHECK_I64(wrong, 0);
    tess_release(&a);
    tess_release(&there);
    tess_release(&back);
}

TEST(small_copies_take_the_data_at_once)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), there = { 0 }, back = { 0 };
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_fill(&a, -1));
    gpu_controls sim;
    const bool   simulated = gpu_simulated(&sim);
    CHECK_OK(tess_memory_trim(gpu)); /* no page-locked pieces are there, */
    CHECK_OK(tess_to_device(&back, &there, tess_cpu()));
    CHECK(value_at(&back, 0, 0, 2, 3) == 11);
    if (simulated) CHECK(sim.live("host") == 0); /* and none is made */
    tess_release(&a);
    tess_release(&there);
    tess_release(&back);
}

TEST(copies_follow_the_queued_work_of_the_host)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_stream *s = NULL;
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(s));
    tess_array a = { 0 }, turned = { 0 }, there = { 0 }, back = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 300, 500), TESS_F32, tess_cpu(), 2));
    CHECK_OK(tess_add(&a, &a, &tess_f32(1)));
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_fill(&a, 9));
    CHECK_OK(tess_empty(&back, TESS_SHAPE(1, 1, 500, 300), TESS_F32, tess_cpu()));
    CHECK_OK(tess_transpose(&turned, &back));
    CHECK_OK(tess_to_device(&turned, &there, tess_cpu()));
    CHECK_OK(tess_stream_sync(NULL));
    CHECK(all_are(&back, 3));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(s);
    tess_release(&a);
    tess_release(&there);
    tess_release(&back);
}

/* Files and spans need an array that the CPU can read. */
TEST(the_host_cannot_read_it)
{
    tess_device   gpu;
    tess_span_f32 span;
    tess_array    a = { 0 };
    if (!test_gpu(&gpu)) return;
    CHECK_OK(tess_ones(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, gpu));
    CHECK_FAILS(tess_write("never.npy", &a, NULL), TESS_EDEVICE, "write: in is on gpu:0", "tess_to_device",
                "tess_cpu()");
    CHECK_FAILS(tess_as_f32(&span, &a), TESS_EDEVICE, "as_f32: a is on gpu:0", "tess_to_device", "tess_cpu()");
    CHECK_FAILS(tess_npz_write("never.npz", &(tess_npz_entry){ "a", &a }, 1, NULL), TESS_EDEVICE, "a is on gpu:0");
    tess_release(&a);
}

TEST(to_device_refuses)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), there = { 0 }, out = { 0 }, other = { 0 };
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_FAILS(tess_to_device(&there, &a, tess_cpu()), TESS_EDEVICE, "to_device: device is cpu and out is on gpu:0");
    CHECK_OK(tess_empty(&other, TESS_SHAPE(1, 1, 3, 4), TESS_F64, gpu));
    CHECK_FAILS(tess_to_device(&other, &a, gpu), TESS_EDTYPE, "to_device: in is f32 and out is f64", "tess_cast");
    tess_release(&other);
    CHECK_OK(tess_empty(&other, TESS_SHAPE(1, 1, 3, 5), TESS_F32, gpu));
    CHECK_FAILS(tess_to_device(&other, &a, gpu), TESS_ESHAPE, "to_device: in has shape {1,1,3,4}", "{1,1,3,5}");
    CHECK_FAILS(tess_to_device(&out, &a, tess_gpu(99)), TESS_EDEVICE, "to_device: there is no gpu:99; ", "gpu:0", "available");
    CHECK_FAILS(tess_copy(&a, &there), TESS_EDEVICE, "copy: in is on gpu:0", "cpu", "tess_to_device");
    CHECK_FAILS(tess_cast(&a, &there, TESS_F32, NULL), TESS_EDEVICE, "cast: ", "gpu:0", "cpu");
    CHECK_FAILS(tess_add(&out, &a, &there), TESS_EDEVICE, "add: x is on cpu and y on gpu:0", "tess_to_device");
    CHECK_FAILS(tess_add(&out, &there, &a), TESS_EDEVICE, "add: x is on gpu:0 and y on cpu");
    CHECK_FAILS(tess_add(&a, &there, &there), TESS_EDEVICE, "add: x is on gpu:0 and out on cpu");
    CHECK_FAILS(tess_where(&out, &a, &tess_num(1), &there), TESS_EDEVICE, "where: condition is on cpu and y on gpu:0");
    CHECK_FAILS(tess_matmul(&out, &there, &a, &(tess_matmul_opts){ .form_b = TESS_MATRIX_TRANSPOSE }), TESS_EDEVICE,
                "matmul: a is on gpu:0 and b on cpu");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&there);
    tess_release(&other);
}

/* ---- Page-locked storage ---- */

TEST(pinned_arrays_are_arrays)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const int64_t used = tess_memory_used(tess_cpu());
    gpu_controls  sim;
    tess_array    a = { 0 }, there = { 0 }, b = { 0 };
    CHECK_OK(tess_empty_pinned(&a, TESS_SHAPE(1, 2, 300, 500), TESS_F32));
    CHECK_I64(tess_memory_used(tess_cpu()), used + 1200000);
    CHECK(a.device.kind == TESS_CPU && tess_is_contiguous(&a, 'C'));
    CHECK_OK(tess_fill(&a, 4));
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_empty_pinned(&b, a.shape, TESS_F32));
    CHECK_OK(tess_fill(&b, -1));
    CHECK_OK(tess_to_device(&b, &there, tess_cpu()));
    if (gpu_simulated(&sim) && getenv("TESS_SIM_LAZY")) CHECK(all_are(&b, -1)); /* only queued */
    tess_release(&a);                                                           /* the copy keeps what it reads */
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    CHECK(all_are(&b, 4));
    tess_release(&b);
    tess_release(&there);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    CHECK_FAILS(tess_empty_pinned(&a, TESS_SHAPE(1, 1, -1, 1), TESS_F32), TESS_ESHAPE,
                "empty_pinned: shape is {1,1,-1,1}");
    CHECK_FAILS(tess_empty_pinned(&a, TESS_SHAPE(1, 1, 1, 1), 99), TESS_EDTYPE, "empty_pinned: dtype is 99");
    CHECK_FAILS(tess_empty_pinned(NULL, TESS_SHAPE(1, 1, 1, 1), TESS_F32), TESS_EARG, "out is NULL");
    CHECK_OK(tess_memory_limit_set(used + 1000));
    CHECK_FAILS(tess_empty_pinned(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_F32), TESS_ENOMEM, "empty_pinned: 4000 bytes");
    CHECK_OK(tess_memory_limit_set(0));
    CHECK(is_zeroed(&a));
}

/* ---- Elements and text ---- */

TEST(single_elements)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array a = numbers(TESS_I16, 1, 2, 3, 4), there = { 0 }, c = { 0 };
    double     value = 0;
    int64_t    integer = 0;
    tess_c64   complex_value = { 0, 0 };
    CHECK_OK(tess_to_device(&there, &a, gpu));
    CHECK_OK(tess_get_f64(&value, &there, 0, 1, 2, -1));
    CHECK(value == 23);
    CHECK_OK(tess_set_f64(&there, 0, 0, 0, 1, 1e9)); /* clamped, as on the CPU */
    CHECK_OK(tess_get_i64(&integer, &there, 0, 0, 0, 1));
    CHECK_I64(integer, 32767);
    CHECK_FAILS(tess_get_f64(&value, &there, 0, 2, 0, 0), TESS_ERANGE, "get_f64: ", "d is 2");
    CHECK_OK(tess_zeros(&c, TESS_SHAPE(1, 1, 1, 2), TESS_C32, gpu));
    CHECK_OK(tess_set_c64(&c, 0, 0, 0, 1, (tess_c64){ 1, -2 }));
    CHECK_OK(tess_get_c64(&complex_value, &c, 0, 0, 0, 1));
    CHECK(complex_value.re == 1 && complex_value.im == -2);
    tess_release(&a);
    tess_release(&there);
    tess_release(&c);
}

static void same_text(const tess_array *a, const tess_format_opts *o)
{
    static char here[20000], there[20000];
    tess_array  gpu = gpu_copy(a);
    CHECK_OK(tess_format(here, sizeof here, NULL, a, o));
    CHECK_OK(tess_format(there, sizeof there, NULL, &gpu, o));
    CHECK_TEXT(there, here);
    tess_release(&gpu);
}

TEST(arrays_as_text)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const tess_format_opts all = { .no_header = 1 }, ends = { .no_header = 1, .threshold = 10, .edge = 2 };
    tess_array a = numbers(TESS_F32, 1, 7, 6, 5), t = { 0 }, none = numbers(TESS_F32, 1, 0, 1, 1), there = { 0 };
    char       text[300];
    CHECK_OK(tess_permute(&t, &a, 0, 3, 1, 2));
    same_text(&a, &all);
    same_text(&a, &ends);
    same_text(&t, &ends);
    same_text(&none, &all);
    CHECK_OK(tess_to_device(&there, &none, gpu));
    CHECK_OK(tess_format(text, sizeof text, NULL, &there, NULL));
    CHECK(strstr(text, "gpu:0") != NULL);
    tess_release(&a);
    tess_release(&none);
    tess_release(&there);
}

/* ---- Memory ---- */

TEST(memory_is_counted_limited_and_given_back)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const int64_t used = tess_memory_used(gpu);
    tess_array    a = { 0 }, b = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu));
    CHECK_I64(tess_memory_used(gpu), used + 4000);
    CHECK_OK(tess_device_memory_limit_set(gpu, used + 5000));
    CHECK_FAILS(tess_empty(&b, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu), TESS_ENOMEM, "empty: 4000 bytes", "gpu:0",
                "tess_device_memory_limit_set");
    CHECK_OK(tess_device_memory_limit_set(gpu, 0));
    CHECK_OK(tess_empty(&b, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu));
    tess_release(&a);
    tess_release(&b);
    CHECK_I64(tess_memory_used(gpu), used);
    CHECK_OK(tess_memory_trim(gpu));
    CHECK_OK(tess_memory_trim(tess_cpu()));
    CHECK_FAILS(tess_device_memory_limit_set(gpu, -1), TESS_EARG, "device_memory_limit_set: bytes is -1");
    CHECK_FAILS(tess_device_memory_limit_set(tess_gpu(99), 1), TESS_EDEVICE, "gpu:99");
    CHECK_FAILS(tess_memory_trim(tess_gpu(99)), TESS_EDEVICE, "memory_trim: ", "gpu:99");
    CHECK_I64(tess_memory_used(tess_gpu(99)), 0);
}

TEST(too_much_memory_is_refused_and_all_goes_on)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array       a = { 0 }, b = { 0 };
    tess_info_device info;
    CHECK_OK(tess_device_info(&info, gpu));
    CHECK_FAILS(tess_empty(&a, TESS_SHAPE(1, 1, 1, 2 * info.memory_total), TESS_U8, gpu), TESS_ENOMEM,
                "empty: no memory for ", "gpu:0");
    CHECK(is_zeroed(&a));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu, 3));
    CHECK_OK(tess_to_device(&b, &a, tess_cpu()));
    CHECK(all_are(&b, 3));
    tess_release(&a);
    tess_release(&b);
}

static void count_drop(void *context) { ++*(int *)context; }

TEST(memory_of_others_is_wrapped)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    static int     dropped;
    const float    host[4] = { 0 };
    tess_array     a = { 0 }, w = { 0 };
    tess_wrap_opts o = { .device = gpu, .drop = count_drop, .context = &dropped };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, gpu, 5));
    CHECK_OK(tess_wrap(&w, a.data, a.shape, TESS_F32, &o));
    CHECK_OK(tess_fill(&w, 6));
    tess_release(&w); /* the queued work still holds it */
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    CHECK_I64(dropped, 1);
    double value = 0;
    CHECK_OK(tess_get_f64(&value, &a, 0, 0, 2, 3));
    CHECK(value == 6);
    CHECK_FAILS(tess_wrap(&w, (void *)(uintptr_t)host, a.shape, TESS_F32, &o), TESS_EARG, "wrap: data is ", "gpu:0");
    if (tess_device_count(TESS_GPU) > 1) {
        o.device = tess_gpu(1);
        CHECK_FAILS(tess_wrap(&w, a.data, a.shape, TESS_F32, &o), TESS_EDEVICE, "wrap: data is ", "gpu:0", "gpu:1");
    }
    CHECK_FAILS(tess_wrap(&w, a.data, a.shape, TESS_F32, NULL), TESS_EDEVICE, "wrap: data is ", "memory of gpu:0",
                "device is cpu", "opts->device");
    CHECK(is_zeroed(&w));
    tess_release(&a);
}

TEST(dlpack_both_ways)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const int64_t             used = tess_memory_used(gpu);
    DLManagedTensorVersioned *tensor = NULL;
    tess_array                a = { 0 }, t = { 0 }, b = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 2, 3, 4), TESS_F32, gpu, 5));
    CHECK_OK(tess_transpose(&t, &a));
    CHECK_OK(tess_dlpack_export(&tensor, &t));
    CHECK(tensor->dl_tensor.device.device_type == kDLCUDA && tensor->dl_tensor.device.device_id == 0);
    CHECK(tensor->dl_tensor.data == a.data && tensor->dl_tensor.strides[2] == 1);
    tess_release(&a);
    CHECK_OK(tess_dlpack_import(&b, tensor));
    CHECK(b.device.kind == TESS_GPU && b.device.index == 0);
    CHECK_OK(tess_fill(&b, 7));
    tess_array here = { 0 };
    CHECK_OK(tess_to_device(&here, &b, tess_cpu()));
    CHECK(all_are(&here, 7));
    CHECK(tess_memory_used(gpu) > used);
    tess_release(&b);
    tess_release(&here);
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    CHECK_I64(tess_memory_used(gpu), used);
}

/* The consumer queues work on a stream of its own and calls the deleter, as it may: the storage is not used again
 * before that work is done. */
TEST(dlpack_waits_for_the_consumer)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    const tess_wrap_opts      borrowed = { .device = gpu };
    DLManagedTensorVersioned *tensor = NULL;
    tess_stream              *theirs = NULL;
    tess_array                a = { 0 }, w = { 0 };
    CHECK_OK(tess_stream_new(&theirs, gpu, NULL));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 2, 3, 4), TESS_F32, gpu, 5));
    CHECK_OK(tess_dlpack_export(&tensor, &a));
    CHECK_OK(tess_wrap(&w, a.data, a.shape, TESS_F32, &borrowed));
    tess_release(&a);
    CHECK_OK(tess_stream_set_current(theirs));
    CHECK_OK(tess_fill(&w, 6));
    CHECK_OK(tess_fill(&w, 7));
    tensor->deleter(tensor);
    CHECK(!tess_stream_busy(theirs));
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    CHECK_OK(tess_stream_sync(tess_stream_default(gpu)));
    tess_release(&w);
    tess_stream_free(theirs);
}
