/* Arrays on a GPU beside the same ones on the CPU. */
#include "support/gpu.h"

#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"

bool test_gpu(tess_device *device)
{
    *device = tess_gpu(0);
    if (tess_device_count(TESS_GPU) > 0) return true;
    tess_device_facts facts;
    test_skip(tess_device_info(&facts, *device) == TESS_OK ? "no GPU" : tess_error_message());
    return false;
}

bool test_large(void) { return getenv("TESS_TEST_LARGE") != NULL; }

/* The elements from the lowest to the highest address, as bytes. */
static tess_array bytes_of(const tess_array *view, int64_t *offset)
{
    const int64_t size = tess__dtype_size(view->dtype);
    int64_t       low = 0, high = 0;
    for (int d = 0; d < 4; d++) {
        const int64_t reach = (view->shape.dim[d] - 1) * view->strides.dim[d];
        if (reach < 0) low += reach;
        else high += reach;
    }
    tess_array bytes = *view;
    bytes.data = (char *)view->data + low * size;
    bytes.dtype = TESS_U8;
    bytes.shape = TESS_SHAPE(1, 1, 1, tess_is_empty(view) ? 0 : (high - low + 1) * size);
    bytes.strides = tess_strides_contiguous(bytes.shape, 'C');
    *offset = -low * size;
    return bytes;
}

bool test_mirror(tess_array *gpu, const tess_array *host, tess_device device)
{
    int64_t    offset = 0;
    tess_array bytes = bytes_of(host, &offset), there = { .data = NULL };
    bytes.flags = 0;
    if (!CHECK_OK(tess_to_device(&there, &bytes, device))) return false;
    *gpu = *host;
    gpu->device = device;
    gpu->buffer = there.buffer;
    gpu->data = (char *)there.data + offset;
    return true;
}

bool test_fetch(tess_array *host, const tess_array *gpu)
{
    *host = (tess_array){ .data = NULL };
    return CHECK_OK(tess_to_device(host, gpu, tess_cpu()));
}

/* ---- Comparing ---- */

static bool is_nan(const char *bytes, tess_dtype real)
{
    double x = 0;
    if (real == TESS_F64) memcpy(&x, bytes, sizeof x);
    else if (real == TESS_F32) {
        float single;
        memcpy(&single, bytes, sizeof single);
        x = (double)single;
    } else if (real == TESS_F16) {
        uint16_t half;
        memcpy(&half, bytes, sizeof half);
        return (half & 0x7fff) > 0x7c00;
    } else return false;
    return isnan(x);
}

static bool same_bytes(const tess_array *a, const tess_array *b)
{
    const tess_dtype real = tess_dtype_real(a->dtype);
    const int64_t    size = tess__dtype_size(real), n = tess_n_bytes(a) / size;
    for (int64_t i = 0; i < n; i++) {
        const char *x = (const char *)a->data + i * size, *y = (const char *)b->data + i * size;
        if (memcmp(x, y, (size_t)size) == 0 || (is_nan(x, real) && is_nan(y, real))) continue;
        return test_failed(__FILE__, __LINE__, "number %" PRId64 " of %" PRId64 " (%s) differs", i, n,
                           tess_dtype_name(a->dtype));
    }
    return true;
}

static double number(const tess_array *a, int64_t i)
{
    if (tess_dtype_real(a->dtype) == TESS_F64) return ((const double *)a->data)[i];
    return (double)((const float *)a->data)[i];
}

static bool close_numbers(const tess_array *a, const tess_array *b, double bound)
{
    const int64_t n = tess_n_bytes(a) / tess__dtype_size(tess_dtype_real(a->dtype));
    double        largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(number(b, i)));
    for (int64_t i = 0; i < n; i++) {
        const double x = number(a, i), y = number(b, i);
        if (fabs(x - y) <= bound * largest || (isnan(x) && isnan(y)) || x == y) continue;
        return test_failed(__FILE__, __LINE__, "number %" PRId64 " of %" PRId64 " (%s) is %.17g, not %.17g", i, n,
                           tess_dtype_name(a->dtype), x, y);
    }
    return true;
}

static bool compare(const tess_array *a, const tess_array *b, double bound)
{
    tess_array x = { .data = NULL }, y = { .data = NULL };
    if (!CHECK(a->dtype == b->dtype) || !CHECK(memcmp(&a->shape, &b->shape, sizeof a->shape) == 0)) return false;
    const bool fetched = test_fetch(&x, a) && test_fetch(&y, b);
    const bool good = fetched && (bound < 0 ? same_bytes(&x, &y) : close_numbers(&x, &y, bound));
    tess_release(&x);
    tess_release(&y);
    return good;
}

bool test_same_bits(const tess_array *a, const tess_array *b) { return compare(a, b, -1); }

bool test_close(const tess_array *a, const tess_array *b, double bound) { return compare(a, b, bound); }
