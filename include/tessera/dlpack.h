/* The structs of DLPack, for tess_dlpack_export and tess_dlpack_import of tessera/array.h.
 *
 * These declarations match the official header and replace it: whichever of the two is included first is used, and the
 * other adds nothing. Include the official one first if you need declarations that are missing here (its table of
 * Python functions).
 *
 * Lifetimes:
 *   - An exported tensor keeps the array's storage alive until its deleter is called, once, from any thread. Borrowed
 *     memory (tess_wrap without `drop`) is the exception: the caller must keep it alive longer than the tensor.
 *   - Export synchronises with this thread's current stream of the array's device. The caller must synchronise with
 *     work on other streams before.
 *   - The deleter of an exported tensor on a GPU waits for all work of that GPU, including the consumer's, before its
 *     storage is reused.
 *   - For an imported tensor on a GPU, the producer's work must be complete, or be ordered before this thread's current
 *     stream there, by an event or by working on that stream (tess_stream_adopt, tess_stream_handle).
 *   - An imported tensor belongs to the array: its deleter is called when the last reference is released, which may be
 *     on a thread of the library if queued work was the last to use it. Without a deleter, the memory is borrowed.
 *   - If an import fails, the deleter is not called, and the tensor remains the caller's.
 */
#ifndef TESSERA_DLPACK_H
#define TESSERA_DLPACK_H

#include "tessera/base.h"

TESS_BEGIN_C

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

/* A fixed size for the enumeration, where the language supports it. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3, /* host memory, pinned */
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17,
    kDLTrn = 18
} DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t      device_id;
} DLDevice;

typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5, /* bits of both parts together */
    kDLBool = 6,
    kDLFloat8_e3m4 = 7,
    kDLFloat8_e4m3 = 8,
    kDLFloat8_e4m3b11fnuz = 9,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13,
    kDLFloat8_e8m0fnu = 14,
    kDLFloat6_e2m3fn = 15,
    kDLFloat6_e3m2fn = 16,
    kDLFloat4_e2m1fn = 17
} DLDataTypeCode;

typedef struct {
    uint8_t  code; /* a DLDataTypeCode */
    uint8_t  bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void      *data;
    DLDevice   device;
    int32_t    ndim;
    DLDataType dtype;
    int64_t   *shape;
    int64_t   *strides;     /* in elements; NULL from older producers: C order */
    uint64_t   byte_offset; /* from data to element 0 */
} DLTensor;

/** A tensor of DLPack 0.x, which has no read-only flag. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void    *manager_ctx; /* owned by the producer */
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#endif

/* Also missing from official headers of 0.x. */
#ifndef DLPACK_MAJOR_VERSION
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL) /* the producer made a copy that nobody else uses */

typedef struct {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

/** A tensor of DLPack 1.x. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void         *manager_ctx; /* owned by the producer */
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags; /* DLPACK_FLAG_BITMASK_ bits */
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

TESS_END_C

#endif
