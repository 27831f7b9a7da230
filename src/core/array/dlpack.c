/* DLPack exchange: zero-copy export of arrays to other libraries, and import from them. */
#include "tessera/dlpack.h"

#include <inttypes.h>

#include "core/check/check.h"
#include "core/device/device.h"
#include "core/array/layout.h"
#include "core/device/stream.h"
#include "core/check/text.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(DLTensor) == 48, "the layout of DLTensor is DLPack's");
_Static_assert(sizeof(DLManagedTensor) == 64, "the layout of DLManagedTensor is DLPack's");
_Static_assert(sizeof(DLManagedTensorVersioned) == 80, "the layout of DLManagedTensorVersioned is DLPack's");
#endif

static const uint8_t kind_codes[] = {
    [TESS_KIND_BOOL] = kDLBool,   [TESS_KIND_INT] = kDLInt,         [TESS_KIND_UINT] = kDLUInt,
    [TESS_KIND_FLOAT] = kDLFloat, [TESS_KIND_COMPLEX] = kDLComplex,
};

static DLDataType type_of_scalar(tess_dtype dtype)
{
    return (DLDataType){ kind_codes[tess__dtypes[dtype].kind], (uint8_t)(8 * tess__dtype_size(dtype)), 1 };
}

static const char *code_name(uint8_t code)
{
    static const char *const names[] = {
        [kDLInt] = "int",
        [kDLUInt] = "uint",
        [kDLFloat] = "float",
        [kDLOpaqueHandle] = "opaque handle",
        [kDLBfloat] = "bfloat",
        [kDLComplex] = "complex",
        [kDLBool] = "bool",
        [kDLFloat8_e3m4] = "float8_e3m4",
        [kDLFloat8_e4m3] = "float8_e4m3",
        [kDLFloat8_e4m3b11fnuz] = "float8_e4m3b11fnuz",
        [kDLFloat8_e4m3fn] = "float8_e4m3fn",
        [kDLFloat8_e4m3fnuz] = "float8_e4m3fnuz",
        [kDLFloat8_e5m2] = "float8_e5m2",
        [kDLFloat8_e5m2fnuz] = "float8_e5m2fnuz",
        [kDLFloat8_e8m0fnu] = "float8_e8m0fnu",
        [kDLFloat6_e2m3fn] = "float6_e2m3fn",
        [kDLFloat6_e3m2fn] = "float6_e3m2fn",
        [kDLFloat4_e2m1fn] = "float4_e2m1fn",
    };
    return code < sizeof names / sizeof *names ? names[code] : "unknown";
}

static tess_status find_dtype(tess_dtype *dtype, const char *fn, DLDataType type)
{
    TESS_CHECK(type.lanes == 1, TESS_EDTYPE, "%s: `tensor->dl_tensor.dtype.lanes` is %d; only 1 is allowed", fn,
               (int)type.lanes);
    for (tess_dtype scalar = TESS_BOOL; scalar < TESS_SCALAR_DTYPE_COUNT; scalar++) {
        const DLDataType known = type_of_scalar(scalar);
        if (known.code == type.code && known.bits == type.bits) {
            *dtype = scalar;
            return TESS_OK;
        }
    }
    TESS_FAIL(TESS_EDTYPE,
              "%s: `tensor->dl_tensor.dtype` is %s (code %d) of %d bits; int and uint of 8 to 64 bits, float of 16 to "
              "64, complex of 32 to 128 and bool of 8 are allowed",
              fn, code_name(type.code), (int)type.code, (int)type.bits);
}

/* An exported tensor and all that it points to, in one block. */
typedef struct exported {
    union {
        DLManagedTensor          unversioned;
        DLManagedTensorVersioned versioned;
    } tensor;
    tess_shape   shape;
    tess_strides strides;
    tess_buffer *buffer; /* one reference, or NULL: borrowed memory */
} exported;

/* The consumer may have queued work on its streams, which we do not know, and have called the deleter behind that. */
static void drop_exported(exported *block)
{
    const tess__backend *backend = block->buffer ? tess__backend_of(block->buffer->device.kind) : NULL;
    if (backend && backend->finish_others) backend->finish_others(block->buffer->device);
    tess__buffer_release(block->buffer);
    tess__free(block);
}

static void delete_unversioned(DLManagedTensor *self) { drop_exported(self->manager_ctx); }

static void delete_versioned(DLManagedTensorVersioned *self) { drop_exported(self->manager_ctx); }

static tess_status check_exportable(const char *fn, const tess_array *a)
{
    TESS_TRY(tess__check_array(fn, "a", a));
    TESS_CHECK(tess__dtypes[a->dtype].kind != TESS_KIND_COMPOUND, TESS_EDTYPE,
               "%s: `a` has dtype %s, which DLPack does not support; `tess_reinterpret` it as %s first", fn,
               tess_dtype_name(a->dtype), tess_dtype_name(tess__dtypes[a->dtype].real));
    return TESS_OK;
}

/* A block for `a`, which holds its reference to the storage; the tensor struct is filled by the caller. */
static tess_status export_block(exported **out, const char *fn, const tess_array *a)
{
    /* The consumer knows nothing of our streams. */
    TESS_TRY(tess__sync(fn, a->device));
    exported *block = tess__alloc(sizeof *block);
    TESS_CHECK(block, TESS_ENOMEM, "%s: no memory for %zu bytes", fn, sizeof *block);
    block->shape = a->shape;
    block->strides = a->strides;
    block->buffer = a->buffer;
    tess__buffer_retain(a->buffer);
    *out = block;
    return TESS_OK;
}

static DLTensor describe(exported *block, const tess_array *a)
{
    return (DLTensor){
        .data = tess_is_empty(a) ? NULL : a->data, /* as DLPack wants it of tensors without elements */
        .device = { a->device.kind == TESS_CPU ? kDLCPU : kDLCUDA, a->device.index },
        .ndim = 4,
        .dtype = type_of_scalar(a->dtype),
        .shape = block->shape.dim,
        .strides = block->strides.dim,
        .byte_offset = 0,
    };
}

tess_status tess_dlpack_export(DLManagedTensorVersioned **tensor, const tess_array *a)
{
    exported *block = NULL;
    TESS_TRY(tess__check_pointer("dlpack_export", "tensor", tensor));
    TESS_TRY(check_exportable("dlpack_export", a));
    TESS_TRY(export_block(&block, "dlpack_export", a));
    block->tensor.versioned = (DLManagedTensorVersioned){
        .version = { DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION },
        .manager_ctx = block,
        .deleter = delete_versioned,
        .flags = a->flags & TESS_READ_ONLY ? DLPACK_FLAG_BITMASK_READ_ONLY : 0,
        .dl_tensor = describe(block, a),
    };
    *tensor = &block->tensor.versioned;
    return TESS_OK;
}

tess_status tess_dlpack_export_unversioned(DLManagedTensor **tensor, const tess_array *a)
{
    exported *block = NULL;
    TESS_TRY(tess__check_pointer("dlpack_export_unversioned", "tensor", tensor));
    TESS_TRY(check_exportable("dlpack_export_unversioned", a));
    TESS_CHECK(!(a->flags & TESS_READ_ONLY), TESS_EWRITE,
               "dlpack_export_unversioned: `a` is read-only, which this kind of tensor cannot express; "
               "`versioned_dlpack|use tess_dlpack_export`, or copy a first");
    TESS_TRY(export_block(&block, "dlpack_export_unversioned", a));
    block->tensor.unversioned = (DLManagedTensor){
        .dl_tensor = describe(block, a),
        .manager_ctx = block,
        .deleter = delete_unversioned,
    };
    *tensor = &block->tensor.unversioned;
    return TESS_OK;
}

static const char *device_type_name(int type)
{
    static const char *const names[] = {
        [kDLOpenCL] = "OpenCL",    [kDLVulkan] = "Vulkan",
        [kDLMetal] = "Metal",      [kDLVPI] = "VPI",
        [kDLROCM] = "ROCm",        [kDLROCMHost] = "ROCm host memory",
        [kDLExtDev] = "extension", [kDLCUDAManaged] = "CUDA managed memory",
        [kDLOneAPI] = "oneAPI",    [kDLWebGPU] = "WebGPU",
        [kDLHexagon] = "Hexagon",  [kDLMAIA] = "MAIA",
        [kDLTrn] = "Trainium",
    };
    const bool known = type >= 0 && type < (int)(sizeof names / sizeof *names) && names[type];
    return known ? names[type] : "unknown";
}

static tess_status find_device(tess_device *device, const char *fn, DLDevice where)
{
    const int            type = (int)where.device_type;
    const tess__backend *backend;
    TESS_CHECK(
        type == kDLCPU || type == kDLCUDAHost || type == kDLCUDA, TESS_EDEVICE,
        "%s: `tensor->dl_tensor.device` has type %d (%s); CPU (1), CUDA (2) and CUDA host memory (3) are allowed", fn,
        type, device_type_name(type));
    /* Pinned host memory is the CPU's memory here, whichever GPU it was pinned for. */
    *device = type == kDLCUDA ? tess_gpu(where.device_id) : tess_cpu();
    TESS_TRY(tess__backend_need(&backend, fn, *device));
    return TESS_OK;
}

/* Right-aligned; missing leading axes have size 1. */
static tess_status read_shape(tess_array *made, const char *fn, const DLTensor *tensor)
{
    TESS_CHECK(tensor->ndim >= 0 && tensor->ndim <= 4, TESS_ESHAPE,
               "%s: `tensor->dl_tensor.ndim` is %" PRId32 "; 0 to 4 dimensions are allowed", fn, tensor->ndim);
    TESS_CHECK(tensor->ndim == 0 || tensor->shape, TESS_EARG,
               "%s: `tensor->dl_tensor.shape` is `NULL`; %" PRId32 " sizes are needed", fn, tensor->ndim);
    const int missing = 4 - tensor->ndim;
    for (int k = 0; k < 4; k++) made->shape.dim[k] = k < missing ? 1 : tensor->shape[k - missing];
    TESS_TRY(tess__check_shape(fn, "tensor->dl_tensor.shape", made->shape, made->dtype));
    return TESS_OK;
}

static tess_status read_strides(tess_array *made, const char *fn, const DLTensor *tensor)
{
    made->strides = tess_strides_contiguous(made->shape, 'C');
    /* Without elements nothing is ever stepped over, and producers put anything there. */
    if (!tensor->strides || tess_is_empty(made)) return TESS_OK;
    const int64_t max = TESS__MAX_BYTES / tess__dtype_size(made->dtype);
    const int     missing = 4 - tensor->ndim;
    for (int k = missing; k < 4; k++) {
        const int64_t stride = tensor->strides[k - missing];
        /* The same holds for an axis of size 1; a stride that would overflow in later arithmetic is left out. */
        if (made->shape.dim[k] == 1 && (stride < -max || stride > max)) continue;
        made->strides.dim[k] = stride;
    }
    int64_t lowest, highest;
    char    shape[TESS__SHAPE_TEXT], strides[TESS__SHAPE_TEXT];
    TESS_CHECK(
        tess__extent_checked(made->shape.dim, made->strides.dim, tess__dtype_size(made->dtype), &lowest, &highest),
        TESS_ESHAPE,
        "%s: `tensor->dl_tensor.strides` is %s with shape %s, which exceeds the address range; offsets of at most 2^60 "
        "bytes are allowed",
        fn, tess__shape_text(strides, made->strides.dim), tess__shape_text(shape, made->shape.dim));
    return TESS_OK;
}

static tess_status read_data(tess_array *made, const char *fn, const DLTensor *tensor)
{
    if (tess_is_empty(made)) return TESS_OK;
    TESS_CHECK(tensor->data, TESS_EARG, "%s: `tensor->dl_tensor.data` is `NULL`, but the shape has elements", fn);
    TESS_CHECK(tensor->byte_offset <= TESS__MAX_BYTES, TESS_EARG,
               "%s: `tensor->dl_tensor.byte_offset` is %" PRIu64 "; at most 2^60 is allowed", fn, tensor->byte_offset);
    made->data = (char *)tensor->data + tensor->byte_offset;
    const int alignment = (int)tess__dtype_alignment(made->dtype);
    TESS_CHECK((uintptr_t)made->data % (uintptr_t)alignment == 0, TESS_EARG,
               "%s: `tensor->dl_tensor.data` is %p with byte_offset %" PRIu64
               ", which is not aligned for %s; a multiple of %d bytes is needed",
               fn, tensor->data, tensor->byte_offset, tess_dtype_name(made->dtype), alignment);
    const tess__backend *backend = tess__backend_of(made->device.kind);
    if (backend->check_memory) TESS_TRY(backend->check_memory(fn, made->data, made->device));
    return TESS_OK;
}

/* The array that a tensor describes, without its buffer. */
static tess_status describe_import(tess_array *made, const char *fn, const DLTensor *tensor)
{
    TESS_TRY(find_device(&made->device, fn, tensor->device));
    TESS_TRY(find_dtype(&made->dtype, fn, tensor->dtype));
    TESS_TRY(read_shape(made, fn, tensor));
    TESS_TRY(read_strides(made, fn, tensor));
    TESS_TRY(read_data(made, fn, tensor));
    return TESS_OK;
}

static void drop_unversioned(void *context)
{
    DLManagedTensor *tensor = context;
    tensor->deleter(tensor);
}

static void drop_versioned(void *context)
{
    DLManagedTensorVersioned *tensor = context;
    tensor->deleter(tensor);
}

tess_status tess_dlpack_import(tess_array *out, DLManagedTensorVersioned *tensor)
{
    tess_array made = { 0 };
    TESS_TRY(tess__check_pointer("dlpack_import", "out", out));
    TESS_TRY(tess__check_pointer("dlpack_import", "tensor", tensor));
    TESS_CHECK(tensor->version.major == DLPACK_MAJOR_VERSION, TESS_EARG,
               "dlpack_import: `tensor->version` is %" PRIu32 ".%" PRIu32 "; %d.x is allowed", tensor->version.major,
               tensor->version.minor, DLPACK_MAJOR_VERSION);
    TESS_TRY(describe_import(&made, "dlpack_import", &tensor->dl_tensor));
    if (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) made.flags = TESS_READ_ONLY;
    TESS_TRY(tess__buffer_wrap(&made.buffer, "dlpack_import", tensor->dl_tensor.data, made.device,
                               tensor->deleter ? drop_versioned : NULL, tensor));
    *out = made;
    return TESS_OK;
}

tess_status tess_dlpack_import_unversioned(tess_array *out, DLManagedTensor *tensor)
{
    tess_array made = { 0 };
    TESS_TRY(tess__check_pointer("dlpack_import_unversioned", "out", out));
    TESS_TRY(tess__check_pointer("dlpack_import_unversioned", "tensor", tensor));
    TESS_TRY(describe_import(&made, "dlpack_import_unversioned", &tensor->dl_tensor));
    TESS_TRY(tess__buffer_wrap(&made.buffer, "dlpack_import_unversioned", tensor->dl_tensor.data, made.device,
                               tensor->deleter ? drop_unversioned : NULL, tensor));
    *out = made;
    return TESS_OK;
}
