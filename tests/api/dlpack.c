/* DLPack: what is exported and imported, who owns it when, and what is rejected. */
#include "tessera/dlpack.h"

#include <pthread.h>
#include <stdlib.h>

#include "support/test.h"

static int deleted; /* calls of the deleters below */

static void count_versioned(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static void count_unversioned(DLManagedTensor *self)
{
    (void)self;
    deleted++;
}

/* A tensor of another producer, with all that it points to. */
typedef struct foreign {
    _Alignas(64) char data[256];
    int64_t                  shape[8], strides[8];
    DLManagedTensorVersioned versioned;
    DLManagedTensor          unversioned;
} foreign;

/* 2 x 3 f32, C order. */
static void foreign_init(foreign *f)
{
    memset(f, 0, sizeof *f);
    f->shape[0] = 2, f->shape[1] = 3;
    f->strides[0] = 3, f->strides[1] = 1;
    const DLTensor tensor = { f->data, { kDLCPU, 0 }, 2, { kDLFloat, 32, 1 }, f->shape, f->strides, 0 };
    f->versioned.version.major = 1;
    f->versioned.deleter = count_versioned;
    f->versioned.dl_tensor = tensor;
    f->unversioned.deleter = count_unversioned;
    f->unversioned.dl_tensor = tensor;
    deleted = 0;
}

static bool same_layout(const tess_array *a, const tess_array *b)
{
    return a->data == b->data && a->dtype == b->dtype && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           memcmp(&a->strides, &b->strides, sizeof a->strides) == 0 && a->flags == b->flags;
}

/* Export `a` in both ways, import each: the same view comes back. */
static void round_trip(const tess_array *a)
{
    DLManagedTensorVersioned *versioned = NULL;
    DLManagedTensor          *unversioned = NULL;
    tess_array                back = { 0 };
    if (!CHECK_OK(tess_dlpack_export(&versioned, a)) || !CHECK_OK(tess_dlpack_import(&back, versioned))) return;
    CHECK(same_layout(&back, a));
    CHECK(tess_is_empty(a) || tess_overlap(&back, a));
    tess_release(&back);
    if (!CHECK_OK(tess_dlpack_export_unversioned(&unversioned, a))) return;
    if (!CHECK_OK(tess_dlpack_import_unversioned(&back, unversioned))) return;
    CHECK(same_layout(&back, a));
    tess_release(&back);
}

TEST(every_scalar_dtype_round_trips)
{
    static const struct {
        tess_dtype dtype;
        int        code, bits;
    } types[] = {
        { TESS_BOOL, 6, 8 }, { TESS_I8, 0, 8 },   { TESS_I16, 0, 16 }, { TESS_I32, 0, 32 }, { TESS_I64, 0, 64 },
        { TESS_U8, 1, 8 },   { TESS_U16, 1, 16 }, { TESS_U32, 1, 32 }, { TESS_U64, 1, 64 }, { TESS_F16, 2, 16 },
        { TESS_F32, 2, 32 }, { TESS_F64, 2, 64 }, { TESS_C16, 5, 32 }, { TESS_C32, 5, 64 }, { TESS_C64, 5, 128 },
    };
    CHECK_I64((int64_t)(sizeof types / sizeof *types), TESS_SCALAR_DTYPE_COUNT - 1);
    const int64_t used = tess_memory_used(tess_cpu());
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tess_array                a = { 0 };
        DLManagedTensorVersioned *tensor = NULL;
        CHECK_OK(tess_zeros(&a, TESS_SHAPE(2, 3, 4, 5), types[i].dtype, tess_cpu()));
        if (CHECK_OK(tess_dlpack_export(&tensor, &a))) {
            CHECK_I64(tensor->dl_tensor.dtype.code, types[i].code);
            CHECK_I64(tensor->dl_tensor.dtype.bits, types[i].bits);
            CHECK_I64(tensor->dl_tensor.dtype.lanes, 1);
            tensor->deleter(tensor);
        }
        round_trip(&a);
        tess_release(&a);
    }
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(exported_struct_describes_the_view)
{
    tess_array                a = { 0 }, view;
    DLManagedTensorVersioned *tensor = NULL;
    DLManagedTensor          *old = NULL;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(2, 3, 4, 5), TESS_I16, tess_cpu()));
    CHECK_OK(tess_reverse(&view, &a, TESS_W));
    if (CHECK_OK(tess_dlpack_export(&tensor, &view))) {
        const DLTensor *t = &tensor->dl_tensor;
        CHECK(tensor->version.major == DLPACK_MAJOR_VERSION && tensor->version.minor == DLPACK_MINOR_VERSION);
        CHECK(tensor->flags == 0);
        CHECK(t->data == (char *)a.data + 4 * sizeof(int16_t) && t->byte_offset == 0);
        CHECK(t->device.device_type == kDLCPU && t->device.device_id == 0);
        CHECK_I64(t->ndim, 4);
        CHECK(t->shape[0] == 2 && t->shape[1] == 3 && t->shape[2] == 4 && t->shape[3] == 5);
        CHECK(t->strides[0] == 60 && t->strides[1] == 20 && t->strides[2] == 5 && t->strides[3] == -1);
        tensor->deleter(tensor);
    }
    if (CHECK_OK(tess_dlpack_export_unversioned(&old, &view))) {
        CHECK(old->dl_tensor.data == view.data && old->dl_tensor.ndim == 4 && old->dl_tensor.strides[3] == -1);
        old->deleter(old);
    }
    tess_release(&a);
}

/* A random step from one view to another. */
static void change_view(tess_array *view)
{
    static const int orders[6][4] = { { 0, 1, 3, 2 }, { 3, 2, 1, 0 }, { 1, 0, 2, 3 },
                                      { 2, 3, 0, 1 }, { 1, 2, 3, 0 }, { 0, 3, 1, 2 } };
    const int        axis = (int)test_random_in(0, 3);
    const int       *order = orders[test_random_in(0, 5)];
    tess_shape       repeated = view->shape;
    switch (test_random_in(0, 3)) {
    case 0: CHECK_OK(tess_permute(view, view, order[0], order[1], order[2], order[3])); break;
    case 1: CHECK_OK(tess_reverse(view, view, (int)test_random_in(1, 15) << 4)); break;
    case 2:
        CHECK_OK(tess_slice(view, view, axis, test_random_in(-6, 6), test_random_in(-6, 6), test_random_in(1, 3)));
        break;
    default:
        for (int k = 0; k < 4; k++)
            if (repeated.dim[k] == 1) repeated.dim[k] = test_random_in(1, 4);
        CHECK_OK(tess_broadcast(view, view, repeated));
    }
}

TEST(random_views_round_trip)
{
    const int64_t used = tess_memory_used(tess_cpu());
    for (int i = 0; i < 2000; i++) {
        tess_array       a = { 0 }, view;
        const tess_shape shape =
            TESS_SHAPE(test_random_in(1, 5), test_random_in(1, 5), test_random_in(1, 5), test_random_in(1, 5));
        const tess_dtype dtype = (tess_dtype)test_random_in(TESS_BOOL, TESS_C64);
        if (!CHECK_OK(tess_zeros(&a, shape, dtype, tess_cpu()))) return;
        view = a;
        for (int64_t n = test_random_in(1, 5); n > 0; n--) change_view(&view);
        if (tess_is_empty(&view)) { /* comes back without address, in C order */
            view.data = NULL;
            view.strides = tess_strides_contiguous(view.shape, 'C');
        }
        round_trip(&view);
        tess_release(&a);
    }
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(fewer_dimensions_are_right_aligned)
{
    foreign    f;
    tess_array a = { 0 };
    for (int ndim = 0; ndim <= 4; ndim++) {
        foreign_init(&f);
        const int64_t sizes[4] = { 2, 3, 1, 4 };
        for (int k = 0; k < ndim; k++) f.shape[k] = sizes[4 - ndim + k];
        f.versioned.dl_tensor.ndim = ndim;
        f.versioned.dl_tensor.strides = NULL;
        if (ndim == 0) f.versioned.dl_tensor.shape = NULL;
        if (!CHECK_OK(tess_dlpack_import(&a, &f.versioned))) continue;
        for (int k = 0; k < 4; k++) CHECK_I64(a.shape.dim[k], k < 4 - ndim ? 1 : sizes[k]);
        CHECK(tess_is_contiguous(&a, 'C') && a.data == f.data);
        CHECK_I64(deleted, 0);
        tess_release(&a);
        CHECK_I64(deleted, 1);
    }
}

TEST(import_reads_strides_and_byte_offset)
{
    foreign    f;
    tess_array a = { 0 };
    foreign_init(&f);
    f.strides[0] = 1, f.strides[1] = -2;
    f.versioned.dl_tensor.byte_offset = 16;
    ((float *)f.data)[4] = 1.5f, ((float *)f.data)[3] = 2.5f;
    double value = 0;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK_DIMS(a.shape, 1, 1, 2, 3);
    CHECK(a.strides.h == 1 && a.strides.w == -2);
    CHECK_OK(tess_get_f64(&value, &a, 0, 0, 0, 0));
    CHECK(value == 1.5);
    CHECK_OK(tess_get_f64(&value, &a, 0, 0, 1, 1));
    CHECK(value == 2.5);
    tess_release(&a);
    CHECK_I64(deleted, 1);
}

TEST(strides_that_never_step_may_be_anything)
{
    foreign    f;
    tess_array a = { 0 };
    foreign_init(&f);
    f.shape[0] = 1, f.strides[0] = INT64_MIN;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK_I64(a.strides.h, 3);
    CHECK(tess_is_dense(&a));
    tess_release(&a);
    foreign_init(&f);
    f.shape[0] = 1, f.strides[0] = 77;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK_I64(a.strides.h, 77);
    tess_release(&a);
    foreign_init(&f);
    f.shape[0] = 0, f.strides[0] = INT64_MAX, f.strides[1] = INT64_MIN;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK(tess_is_empty(&a) && tess_is_contiguous(&a, 'C'));
    tess_release(&a);
    CHECK_I64(deleted, 1);
}

TEST(empty_tensors_need_no_data)
{
    foreign                   f;
    tess_array                a = { 0 };
    DLManagedTensorVersioned *tensor = NULL;
    foreign_init(&f);
    f.shape[1] = 0;
    f.unversioned.dl_tensor.data = NULL;
    CHECK_OK(tess_dlpack_import_unversioned(&a, &f.unversioned));
    CHECK_DIMS(a.shape, 1, 1, 2, 0);
    CHECK(tess_is_empty(&a) && a.dtype == TESS_F32);
    if (CHECK_OK(tess_dlpack_export(&tensor, &a))) {
        CHECK(tensor->dl_tensor.data == NULL && tensor->dl_tensor.shape[3] == 0);
        tensor->deleter(tensor);
    }
    tess_release(&a);
    CHECK_I64(deleted, 1);

    tess_array view;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_slice(&view, &a, 3, 2, 2, 1));
    if (CHECK_OK(tess_dlpack_export(&tensor, &view))) {
        CHECK(tensor->dl_tensor.data == NULL && tensor->dl_tensor.shape[3] == 0);
        tensor->deleter(tensor);
    }
    tess_release(&a);
}

TEST(host_memory_pinned_for_cuda_is_host_memory)
{
    foreign    f;
    tess_array a = { 0 };
    foreign_init(&f);
    f.versioned.dl_tensor.device = (DLDevice){ kDLCUDAHost, 3 };
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK(a.device.kind == TESS_CPU && a.device.index == 0);
    tess_release(&a);
}

TEST(read_only_is_kept)
{
    foreign                   f;
    tess_array                a = { 0 };
    DLManagedTensorVersioned *tensor = NULL;
    DLManagedTensor          *old = NULL;
    foreign_init(&f);
    f.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK(a.flags == TESS_READ_ONLY);
    CHECK_FAILS(tess_fill(&a, 1), TESS_EWRITE, "read-only");
    if (CHECK_OK(tess_dlpack_export(&tensor, &a))) {
        CHECK(tensor->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
        tensor->deleter(tensor);
    }
    CHECK_FAILS(tess_dlpack_export_unversioned(&old, &a), TESS_EWRITE, "dlpack_export_unversioned: a is read-only",
                "tess_dlpack_export");
    CHECK(old == NULL);
    tess_release(&a);
    foreign_init(&f);
    f.versioned.flags = DLPACK_FLAG_BITMASK_IS_COPIED;
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK(a.flags == 0);
    tess_release(&a);
}

TEST(tensor_outlives_the_array)
{
    const int64_t             used = tess_memory_used(tess_cpu());
    tess_array                a = { 0 };
    DLManagedTensorVersioned *first = NULL;
    DLManagedTensor          *second = NULL;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 2.5));
    CHECK_OK(tess_dlpack_export(&first, &a));
    CHECK_OK(tess_dlpack_export_unversioned(&second, &a));
    tess_release(&a);
    CHECK(tess_memory_used(tess_cpu()) > used);
    CHECK(((float *)first->dl_tensor.data)[11] == 2.5f);
    first->deleter(first);
    CHECK(tess_memory_used(tess_cpu()) > used);
    CHECK(((float *)second->dl_tensor.data)[11] == 2.5f);
    second->deleter(second);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(array_outlives_the_tensor)
{
    const int64_t             used = tess_memory_used(tess_cpu());
    tess_array                a = { 0 };
    DLManagedTensorVersioned *tensor = NULL;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 2.5));
    CHECK_OK(tess_dlpack_export(&tensor, &a));
    tensor->deleter(tensor);
    CHECK(TESS_AT(float, a, 0, 0, 2, 3) == 2.5f);
    tess_release(&a);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(deleter_runs_once_at_the_last_reference)
{
    foreign    f;
    tess_array a = { 0 }, second;
    foreign_init(&f);
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    second = a;
    CHECK_OK(tess_retain(&second));
    tess_release(&a);
    CHECK_I64(deleted, 0);
    tess_release(&second);
    CHECK_I64(deleted, 1);

    foreign_init(&f);
    CHECK_OK(tess_dlpack_import_unversioned(&a, &f.unversioned));
    DLManagedTensorVersioned *tensor = NULL;
    CHECK_OK(tess_dlpack_export(&tensor, &a));
    tess_release(&a);
    CHECK_I64(deleted, 0);
    tensor->deleter(tensor);
    CHECK_I64(deleted, 1);
}

TEST(without_deleter_the_tensor_is_not_touched_again)
{
    foreign   *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
    tess_array a = { 0 }, b = { 0 };
    if (!CHECK(f)) return;
    foreign_init(f);
    f->versioned.deleter = NULL;
    f->unversioned.deleter = NULL;
    CHECK_OK(tess_dlpack_import(&a, &f->versioned));
    CHECK_OK(tess_dlpack_import_unversioned(&b, &f->unversioned));
    free(f);
    tess_release(&a);
    tess_release(&b);
}

TEST(borrowed_memory_can_be_exported)
{
    float                     memory[6] = { 0, 1, 2, 3, 4, 5 };
    tess_array                a = { 0 };
    DLManagedTensorVersioned *tensor = NULL;
    CHECK_OK(tess_wrap(&a, memory, TESS_SHAPE(1, 1, 2, 3), TESS_F32, NULL));
    CHECK_OK(tess_dlpack_export(&tensor, &a));
    tess_release(&a);
    CHECK(tensor->dl_tensor.data == memory);
    tensor->deleter(tensor);
}

static void *delete_here(void *tensor)
{
    ((DLManagedTensorVersioned *)tensor)->deleter(tensor);
    return NULL;
}

TEST(deleters_run_on_any_thread)
{
    const int64_t used = tess_memory_used(tess_cpu());
    pthread_t     threads[8];
    tess_array    a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 64, 64), TESS_F32, tess_cpu()));
    for (int i = 0; i < 8; i++) {
        DLManagedTensorVersioned *tensor = NULL;
        CHECK_OK(tess_dlpack_export(&tensor, &a));
        CHECK(pthread_create(&threads[i], NULL, delete_here, tensor) == 0);
    }
    tess_release(&a);
    for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(export_waits_for_queued_work)
{
    const tess_stream_opts    async = { .async = 1 };
    tess_stream              *stream = NULL;
    tess_array                a = { 0 };
    DLManagedTensorVersioned *tensor = NULL;
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &async));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 16, 512, 512), TESS_F32, tess_cpu()));
    for (int i = 1; i <= 8; i++) CHECK_OK(tess_fill(&a, i));
    if (CHECK_OK(tess_dlpack_export(&tensor, &a))) {
        CHECK(!tess_stream_busy(stream));
        CHECK(((float *)tensor->dl_tensor.data)[tess_n_elements(&a) - 1] == 8.0f);
        tensor->deleter(tensor);
    }
    tess_release(&a);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
}

TEST(queued_work_keeps_an_imported_tensor)
{
    const tess_stream_opts async = { .async = 1 };
    tess_stream           *stream = NULL;
    foreign                f;
    tess_array             a = { 0 };
    foreign_init(&f);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &async));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK_OK(tess_fill(&a, 7));
    tess_release(&a);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    CHECK(((float *)f.data)[5] == 7.0f);
    CHECK_I64(deleted, 1);
}

TEST(export_refuses)
{
    DLManagedTensorVersioned *tensor = NULL;
    DLManagedTensor          *old = NULL;
    tess_array                a = { 0 };
    CHECK_FAILS(tess_dlpack_export(&tensor, &a), TESS_EARG, "dlpack_export: a is a released or zeroed array");
    CHECK_FAILS(tess_dlpack_export(&tensor, NULL), TESS_EARG, "dlpack_export: a is NULL");
    CHECK_FAILS(tess_dlpack_export_unversioned(&old, NULL), TESS_EARG, "dlpack_export_unversioned: a is NULL");
    for (tess_dtype dtype = TESS_VEC2_F32; dtype < TESS_DTYPE_COUNT; dtype++) {
        CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), dtype, tess_cpu()));
        CHECK_FAILS(tess_dlpack_export(&tensor, &a), TESS_EDTYPE, "dlpack_export: a has dtype", tess_dtype_name(dtype),
                    "tess_reinterpret", tess_dtype_name(tess_dtype_real(dtype)));
        CHECK_FAILS(tess_dlpack_export_unversioned(&old, &a), TESS_EDTYPE, "dlpack_export_unversioned: a has dtype");
        tess_release(&a);
    }
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_dlpack_export(NULL, &a), TESS_EARG, "dlpack_export: tensor is NULL");
    CHECK_FAILS(tess_dlpack_export_unversioned(NULL, &a), TESS_EARG, "dlpack_export_unversioned: tensor is NULL");
    CHECK(tensor == NULL && old == NULL);
    tess_release(&a);
}

/* The tensor, in both kinds of struct, is rejected, stays the caller's, and `out` is as it was. */
#define CHECK_REFUSED(f, status, ...)                                                                                  \
    do {                                                                                                               \
        tess_array refused_ = { .flags = 77 };                                                                         \
        (f).unversioned.dl_tensor = (f).versioned.dl_tensor;                                                           \
        CHECK_FAILS(tess_dlpack_import(&refused_, &(f).versioned), (status), "dlpack_import: ", __VA_ARGS__);          \
        CHECK_FAILS(tess_dlpack_import_unversioned(&refused_, &(f).unversioned), (status),                             \
                    "dlpack_import_unversioned: ", __VA_ARGS__);                                                       \
        CHECK(refused_.flags == 77 && refused_.dtype == 0 && refused_.buffer == NULL);                                 \
        CHECK_I64(deleted, 0);                                                                                         \
    } while (0)

TEST(import_refuses_null)
{
    foreign    f;
    tess_array a = { 0 };
    foreign_init(&f);
    CHECK_FAILS(tess_dlpack_import(NULL, &f.versioned), TESS_EARG, "dlpack_import: out is NULL");
    CHECK_FAILS(tess_dlpack_import(&a, NULL), TESS_EARG, "dlpack_import: tensor is NULL");
    CHECK_FAILS(tess_dlpack_import_unversioned(NULL, &f.unversioned), TESS_EARG,
                "dlpack_import_unversioned: out is NULL");
    CHECK_FAILS(tess_dlpack_import_unversioned(&a, NULL), TESS_EARG, "dlpack_import_unversioned: tensor is NULL");
    f.versioned.dl_tensor.shape = NULL;
    CHECK_REFUSED(f, TESS_EARG, "tensor->dl_tensor.shape is NULL; 2 sizes");
    foreign_init(&f);
    f.versioned.dl_tensor.data = NULL;
    CHECK_REFUSED(f, TESS_EARG, "tensor->dl_tensor.data is NULL");
}

TEST(import_refuses_other_versions)
{
    foreign    f;
    tess_array a = { 0 };
    foreign_init(&f);
    f.versioned.version = (DLPackVersion){ 2, 5 };
    CHECK_FAILS(tess_dlpack_import(&a, &f.versioned), TESS_EARG, "tensor->version is 2.5; 1.x is allowed");
    f.versioned.version = (DLPackVersion){ 0, 8 };
    CHECK_FAILS(tess_dlpack_import(&a, &f.versioned), TESS_EARG, "tensor->version is 0.8; 1.x is allowed");
    CHECK_I64(deleted, 0);
    f.versioned.version = (DLPackVersion){ 1, 99 };
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    tess_release(&a);
}

TEST(import_refuses_shapes)
{
    foreign f;
    foreign_init(&f);
    f.versioned.dl_tensor.ndim = 5;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.ndim is 5; 0 to 4");
    f.versioned.dl_tensor.ndim = -1;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.ndim is -1; 0 to 4");
    foreign_init(&f);
    f.shape[1] = -3;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.shape is {1,1,2,-3}; sizes of 0 or more");
    f.shape[0] = f.shape[1] = INT64_C(1) << 40;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.shape is {1,1,1099511627776,1099511627776} of f32", "2^60");
    foreign_init(&f);
    f.strides[0] = INT64_C(1) << 61;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.strides is {6,6,2305843009213693952,1}", "{1,1,2,3}", "2^60");
    f.strides[0] = INT64_MIN;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.strides is {6,6,-9223372036854775808,1}", "2^60");
    f.strides[0] = 1, f.strides[1] = INT64_MAX;
    CHECK_REFUSED(f, TESS_ESHAPE, "tensor->dl_tensor.strides is {6,6,1,9223372036854775807}", "2^60");
}

TEST(import_refuses_types)
{
    static const struct {
        DLDataType  type;
        const char *message;
    } types[] = {
        { { kDLFloat, 32, 4 }, "tensor->dl_tensor.dtype.lanes is 4; only 1" },
        { { kDLFloat, 32, 0 }, "tensor->dl_tensor.dtype.lanes is 0; only 1" },
        { { kDLBfloat, 16, 1 }, "tensor->dl_tensor.dtype is bfloat (code 4) of 16 bits; int and uint" },
        { { kDLOpaqueHandle, 64, 1 }, "opaque handle (code 3) of 64 bits" },
        { { kDLFloat8_e4m3fn, 8, 1 }, "float8_e4m3fn (code 10) of 8 bits" },
        { { kDLFloat4_e2m1fn, 4, 1 }, "float4_e2m1fn (code 17) of 4 bits" },
        { { kDLFloat, 128, 1 }, "float (code 2) of 128 bits" },
        { { kDLInt, 4, 1 }, "int (code 0) of 4 bits" },
        { { kDLUInt, 128, 1 }, "uint (code 1) of 128 bits" },
        { { kDLComplex, 16, 1 }, "complex (code 5) of 16 bits" },
        { { kDLBool, 1, 1 }, "bool (code 6) of 1 bits" },
        { { 18, 8, 1 }, "unknown (code 18) of 8 bits" },
        { { 255, 8, 1 }, "unknown (code 255) of 8 bits" },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        foreign f;
        foreign_init(&f);
        f.versioned.dl_tensor.dtype = types[i].type;
        CHECK_REFUSED(f, TESS_EDTYPE, types[i].message);
    }
}

TEST(import_refuses_misaligned_data)
{
    foreign f;
    foreign_init(&f);
    f.versioned.dl_tensor.byte_offset = 2;
    CHECK_REFUSED(f, TESS_EARG, "with byte_offset 2, which is not aligned for f32; a multiple of 4 bytes");
    foreign_init(&f);
    f.versioned.dl_tensor.data = f.data + 1;
    CHECK_REFUSED(f, TESS_EARG, "not aligned for f32; a multiple of 4 bytes");
    f.versioned.dl_tensor.byte_offset = UINT64_MAX;
    CHECK_REFUSED(f, TESS_EARG, "tensor->dl_tensor.byte_offset is 18446744073709551615; at most 2^60");

    /* What counts is the sum, and a complex number needs the alignment of its reals. */
    tess_array a = { 0 };
    foreign_init(&f);
    f.versioned.dl_tensor.data = f.data + 1;
    f.versioned.dl_tensor.byte_offset = 3;
    f.versioned.dl_tensor.dtype = (DLDataType){ kDLComplex, 64, 1 };
    CHECK_OK(tess_dlpack_import(&a, &f.versioned));
    CHECK(a.data == f.data + 4);
    tess_release(&a);
}

TEST(import_refuses_devices)
{
    static const struct {
        int         type;
        const char *message;
    } devices[] = {
        { kDLCUDAManaged, "tensor->dl_tensor.device has type 13 (CUDA managed memory); CPU (1)" },
        { kDLROCM, "type 10 (ROCm)" },
        { kDLTrn, "type 18 (Trainium)" },
        { 0, "type 0 (unknown)" },
        { 5, "type 5 (unknown)" },
        { 99, "type 99 (unknown)" },
        { -1, "type -1 (unknown)" },
    };
    foreign f;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        foreign_init(&f);
        memcpy(&f.versioned.dl_tensor.device.device_type, &devices[i].type, sizeof(int));
        CHECK_REFUSED(f, TESS_EDEVICE, devices[i].message);
    }
    foreign_init(&f);
    f.versioned.dl_tensor.device = (DLDevice){ kDLCUDA, 1000 };
    CHECK_REFUSED(f, TESS_EDEVICE, "device gpu:1000");
}

/* An allocator that fails at one call, and counts what is in use. */
typedef struct failing {
    int calls, fails_at, blocks;
} failing;

static void *failing_alloc(void *context, size_t size, size_t alignment)
{
    failing *state = context;
    if (++state->calls == state->fails_at) return NULL;
    void *memory = aligned_alloc(alignment, size);
    if (memory) state->blocks++;
    return memory;
}

static void failing_free(void *context, void *memory, size_t size)
{
    (void)size;
    ((failing *)context)->blocks--;
    free(memory);
}

typedef tess_status exchange(tess_array *out, const tess_array *a, foreign *f);

static tess_status export_and_drop(tess_array *out, const tess_array *a, foreign *f)
{
    DLManagedTensorVersioned *tensor = NULL;
    (void)out, (void)f;
    TESS_TRY(tess_dlpack_export(&tensor, a));
    tensor->deleter(tensor);
    return TESS_OK;
}

static tess_status export_and_drop_unversioned(tess_array *out, const tess_array *a, foreign *f)
{
    DLManagedTensor *tensor = NULL;
    (void)out, (void)f;
    TESS_TRY(tess_dlpack_export_unversioned(&tensor, a));
    tensor->deleter(tensor);
    return TESS_OK;
}

static tess_status import_versioned(tess_array *out, const tess_array *a, foreign *f)
{
    (void)a;
    TESS_TRY(tess_dlpack_import(out, &f->versioned));
    return TESS_OK;
}

static tess_status import_unversioned(tess_array *out, const tess_array *a, foreign *f)
{
    (void)a;
    TESS_TRY(tess_dlpack_import_unversioned(out, &f->unversioned));
    return TESS_OK;
}

TEST(allocation_failures_leave_nothing_behind)
{
    static exchange *const functions[] = { export_and_drop, export_and_drop_unversioned, import_versioned,
                                           import_unversioned };
    static failing         state;
    const tess_allocator   allocator = { failing_alloc, failing_free, &state };
    tess_array             a = { 0 };
    const int64_t          used = tess_memory_used(tess_cpu());
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int         failures = 0;
        tess_status status = TESS_ENOMEM;
        for (int n = 1; status != TESS_OK && n < 20; n++) {
            foreign    f;
            tess_array out = { 0 };
            foreign_init(&f);
            state = (failing){ .fails_at = n };
            CHECK_OK(tess_allocator_set(&allocator));
            status = functions[i](&out, &a, &f);
            if (status != TESS_OK) {
                failures++;
                CHECK_FAILS(status, TESS_ENOMEM, "dlpack_", "no memory for");
                CHECK(out.data == NULL && out.buffer == NULL && out.dtype == 0);
                CHECK_I64(deleted, 0);
            }
            tess_release(&out);
            CHECK_I64(state.blocks, 0);
            CHECK_OK(tess_allocator_set(NULL));
        }
        CHECK_OK(status);
        CHECK(failures > 0);
    }
    tess_release(&a);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}
