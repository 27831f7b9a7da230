/* Arrays on a GPU, real or simulated, beside the same ones on the CPU. */
#include "support/gpu.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/dtype.h"

bool test_gpu(tess_device *device)
{
    *device = tess_gpu(0);
    if (tess_device_count(TESS_GPU) > 0) return true;
    static bool      told; /* why, once */
    tess_info_device info;
    test_skip(told || tess_device_info(&info, *device) == TESS_OK ? "no GPU" : tess_error_message());
    told = true;
    return false;
}

bool test_large(void)
{
    const char *text = getenv("TESS_TEST_LARGE");
    return text && *text && strcmp(text, "0") != 0;
}

bool test_share(int64_t i)
{
    const char *text = getenv("TESS_TEST_SHARE");
    unsigned    which = 0, n = 1;
    if (text && (sscanf(text, "%u/%u", &which, &n) != 2 || which >= n)) which = 0, n = 1;
    return i % n == which;
}

/* Bytes [low, high) around view->data that its elements take. */
static void span_of(const tess_array *a, int64_t *low, int64_t *high)
{
    const int64_t size = (int64_t)tess_dtype_size(a->dtype);
    *low = 0, *high = size;
    for (int k = 0; k < 4; k++) {
        const int64_t step = (a->shape.dim[k] - 1) * a->strides.dim[k] * size;
        if (a->shape.dim[k] == 0) *low = *high = 0;
        if (step < 0) *low += step;
        else *high += step;
    }
}

/* A copy of n bytes on the GPU; empty arrays get one byte. */
static tess_array bytes_to_gpu(const void *bytes, int64_t n)
{
    tess_array flat = { 0 }, there = { 0 };
    if (n == 0) {
        CHECK_OK(tess_empty(&there, TESS_SHAPE(1, 1, 1, 1), TESS_U8, tess_gpu(0)));
        return there;
    }
    CHECK_OK(tess_wrap(&flat, (void *)(uintptr_t)bytes, TESS_SHAPE(1, 1, 1, n), TESS_U8, NULL));
    CHECK_OK(tess_to_device(&there, &flat, tess_gpu(0)));
    return there;
}

tess_array gpu_copy(const tess_array *host)
{
    int64_t low, high;
    span_of(host, &low, &high);
    const tess_array there = bytes_to_gpu((const char *)host->data + low, high - low);
    tess_array       view = *host;
    view.data = (char *)there.data - low;
    view.buffer = there.buffer;
    view.device = there.device;
    return view;
}

tess_array gpu_guarded(const guarded *g)
{
    const tess_array there = bytes_to_gpu(g->block, (int64_t)g->size);
    tess_array       view = g->view;
    view.data = (char *)there.data + ((unsigned char *)g->view.data - g->block);
    view.buffer = there.buffer;
    view.device = there.device;
    return view;
}

void gpu_fetch(guarded *g, const tess_array *gpu)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, (int64_t)g->size);
    tess_array       here = { 0 }, there = { 0 };
    CHECK_OK(tess_wrap(&here, g->block, shape, TESS_U8, NULL));
    there = here;
    there.data = (char *)gpu->data - ((unsigned char *)g->view.data - g->block);
    there.buffer = gpu->buffer;
    there.device = gpu->device;
    CHECK_OK(tess_to_device(&here, &there, tess_cpu()));
}

static bool same_elements(const tess_array *got, const tess_array *want, const char *what)
{
    const int64_t size = (int64_t)tess_dtype_size(got->dtype), n = tess_n_elements(got);
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *g = (const unsigned char *)got->data + i * size;
        const unsigned char *w = (const unsigned char *)want->data + i * size;
        if (memcmp(g, w, (size_t)size) == 0) continue;
        int64_t position[4], rest = i;
        for (int k = 3; k >= 0; k--) {
            position[k] = rest % got->shape.dim[k];
            rest /= got->shape.dim[k];
        }
        double     x = 0, y = 0;
        const bool shown = tess_get_f64(&x, got, position[0], position[1], position[2], position[3]) == TESS_OK &&
                           tess_get_f64(&y, want, position[0], position[1], position[2], position[3]) == TESS_OK;
        return test_failed(__FILE__, __LINE__,
                           "%s: element {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "} is %.17g, not %.17g%s", what,
                           position[0], position[1], position[2], position[3], x, y,
                           shown ? "" : " (or a number of another kind)");
    }
    return true;
}

bool gpu_same(const tess_array *got, const tess_array *want, const char *what)
{
    tess_array a = { 0 }, b = { 0 };
    if (got->dtype != want->dtype || !tess_same_shape(got, want))
        return test_failed(__FILE__, __LINE__, "%s: %s and %s, or shapes, differ", what, tess_dtype_name(got->dtype),
                           tess_dtype_name(want->dtype));
    bool same = CHECK_OK(tess_to_device(&a, got, tess_cpu())) && CHECK_OK(tess_to_device(&b, want, tess_cpu()));
    if (same && !tess_is_empty(&a)) same = same_elements(&a, &b, what);
    tess_release(&a);
    tess_release(&b);
    return same;
}

static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool gpu_simulated(gpu_controls *controls)
{
    const char *folder = getenv("TESS_CUDA_PATH");
    char        path[4096];
    if (tess_device_count(TESS_GPU) == 0) return false;
    (void)snprintf(path, sizeof path, "%s/libcuda.so.1", folder ? folder : "");
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return library && find(library, "sim_fail", &controls->fail) && find(library, "sim_calls", &controls->calls) &&
           find(library, "sim_lazy", &controls->lazy) && find(library, "sim_live", &controls->live) &&
           find(library, "sim_count", &controls->count);
}

/* ---- Copies with the same strides, and comparisons ---- */

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

static bool close_numbers(const tess_array *a, const tess_array *b, double bound, double scale)
{
    const int64_t n = tess_n_bytes(a) / tess__dtype_size(tess_dtype_real(a->dtype));
    double        largest = scale;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(number(b, i)));
    for (int64_t i = 0; i < n; i++) {
        const double x = number(a, i), y = number(b, i);
        if (fabs(x - y) <= bound * largest || (isnan(x) && isnan(y)) || x == y) continue;
        return test_failed(__FILE__, __LINE__, "number %" PRId64 " of %" PRId64 " (%s) is %.17g, not %.17g", i, n,
                           tess_dtype_name(a->dtype), x, y);
    }
    return true;
}

static bool compare(const tess_array *a, const tess_array *b, double bound, double scale)
{
    tess_array x = { .data = NULL }, y = { .data = NULL };
    if (!CHECK(a->dtype == b->dtype) || !CHECK(memcmp(&a->shape, &b->shape, sizeof a->shape) == 0)) return false;
    const bool fetched = test_fetch(&x, a) && test_fetch(&y, b);
    const bool good = fetched && (bound < 0 ? same_bytes(&x, &y) : close_numbers(&x, &y, bound, scale));
    tess_release(&x);
    tess_release(&y);
    return good;
}

bool test_same_bits(const tess_array *a, const tess_array *b) { return compare(a, b, -1, 0); }

bool test_close(const tess_array *a, const tess_array *b, double bound) { return compare(a, b, bound, 0); }

bool test_close_at(const tess_array *a, const tess_array *b, double bound, double scale)
{
    return compare(a, b, bound, scale);
}

static const char again[] = "TESS_TEST_AGAIN";

bool test_is_again(void) { return getenv(again) != NULL; }

int test_again(const char *test)
{
    char          self[4096];
    int           status = -1;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return -1;
    self[n] = '\0';
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)setenv(again, "1", 1);
        (void)execl(self, self, test, (char *)NULL);
        _exit(99);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void gpu_pair_make(gpu_pair *p, tess_shape shape, tess_dtype dtype, double low, double high, tess_device device)
{
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    CHECK_OK(tess_random_uniform(&p->host.view, low, high, test_random(), NULL));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

void gpu_pair_drop(gpu_pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}
