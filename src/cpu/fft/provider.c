/* Transforms by a plugin. TESS_FFT says which: "native", or not set, is none, "fftw" is libtessera_fftw.so, beside the
 * library or where the system looks for libraries. */
#define _GNU_SOURCE /* dladdr */
#include "cpu/fft/provider.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/dtype.h"
#include "cpu/runtime/stream.h"

/* ---- Finding it ---- */

static struct {
    const tess__fft_plugin *plugin;
    char                    wish[64];
    char                    fault[400]; /* why there is none; empty: none is wanted, or there is one */
} chosen;

static pthread_once_t searched = PTHREAD_ONCE_INIT;

/* The folder that this library, or the program it is a part of, lies in, with its slash; empty if that is not known. */
static void own_folder(char *folder, size_t size)
{
    Dl_info     info;
    const void *here = &chosen;
    ssize_t     n = 0;
    if (dladdr(here, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
        n = snprintf(folder, size, "%s", info.dli_fname);
    else n = readlink("/proc/self/exe", folder, size); /* a program found in PATH, which does not know where it is */
    folder[n > 0 && (size_t)n < size ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
}

/* Why the last dlopen failed, unless a reason is known already. */
static void note_reason(char *why, size_t size)
{
    const char *reason = dlerror();
    if (!why[0]) (void)snprintf(why, size, "%s", reason ? reason : "no reason given");
}

/* If both fail, the reason is that of a file that lies beside the library, if there is one. */
static void *open_plugin(const char *file)
{
    char folder[PATH_MAX], path[PATH_MAX + 64], why[200] = "";
    own_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s%s", folder, file);
    void *library = folder[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library && folder[0] && access(path, F_OK) == 0) note_reason(why, sizeof why);
    if (!library) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    note_reason(why, sizeof why);
    (void)snprintf(chosen.fault, sizeof chosen.fault,
                   "neither %.100s nor %s could be opened (%s); native and fftw are allowed", path, file, why);
    return NULL;
}

static void load(const char *file)
{
    void *library = open_plugin(file);
    if (!library) return;
    tess__fft_plugin_fn *open = NULL;
    *(void **)&open = dlsym(library, TESS__FFT_PLUGIN_SYMBOL);
    const tess__fft_plugin *plugin = open ? open() : NULL;
    if (!plugin || plugin->version != TESS__FFT_PLUGIN_VERSION)
        (void)snprintf(chosen.fault, sizeof chosen.fault, "%s was opened, but is not one for this version", file);
    else if (plugin->fault) (void)snprintf(chosen.fault, sizeof chosen.fault, "%s", plugin->fault);
    else chosen.plugin = plugin;
}

static void search(void)
{
    const char *wish = getenv("TESS_FFT");
    if (!wish || !*wish || strcmp(wish, "native") == 0) return;
    (void)snprintf(chosen.wish, sizeof chosen.wish, "%s", wish);
    if (strcmp(wish, "fftw") == 0) load("libtessera_fftw.so");
    else (void)snprintf(chosen.fault, sizeof chosen.fault, "there is no such provider; native and fftw are allowed");
}

tess_status tess__fft_plugin_find(const tess__fft_plugin **plugin, const char *fn)
{
    (void)pthread_once(&searched, search);
    TESS_CHECK(!chosen.fault[0], TESS_EARG, "%s: TESS_FFT is \"%s\": %s", fn, chosen.wish, chosen.fault);
    *plugin = chosen.plugin;
    return TESS_OK;
}

void tess__fft_plugin_clear(void)
{
    (void)pthread_once(&searched, search);
    if (chosen.plugin && chosen.plugin->clear) chosen.plugin->clear();
}

/* ---- What it cannot do ---- */

/* A row of: out = factor in. */
static void scale_row(const tess_array *out, char *to, const tess_array *in, const char *from, double factor)
{
    const int     reals = out->dtype >= TESS_C16 ? 2 : 1, given = in->dtype >= TESS_C16 ? 2 : 1;
    const int64_t so = out->strides.w * reals, si = in->strides.w * given;
    if (tess_dtype_real(out->dtype) == TESS_F64) {
        double       *o = (double *)(void *)to;
        const double *x = (const double *)(const void *)from;
        for (int64_t i = 0; i < out->shape.w; i++)
            for (int k = 0; k < reals; k++) o[i * so + k] = k < given ? factor * x[i * si + k] : 0;
    } else {
        float       *o = (float *)(void *)to;
        const float *x = (const float *)(const void *)from, narrow = (float)factor;
        for (int64_t i = 0; i < out->shape.w; i++)
            for (int k = 0; k < reals; k++) o[i * so + k] = k < given ? narrow * x[i * si + k] : 0;
    }
}

/* out = factor in, of one shape; they may be the same. Real numbers become complex ones. */
static void scale(const tess_array *out, const tess_array *in, double factor)
{
    const int64_t size = tess__dtype_size(out->dtype), size_in = tess__dtype_size(in->dtype);
    for (int64_t b = 0; b < out->shape.b; b++)
        for (int64_t d = 0; d < out->shape.d; d++)
            for (int64_t h = 0; h < out->shape.h; h++) {
                const int64_t to = b * out->strides.b + d * out->strides.d + h * out->strides.h;
                const int64_t from = b * in->strides.b + d * in->strides.d + h * in->strides.h;
                scale_row(out, (char *)out->data + to * size, in, (const char *)in->data + from * size_in, factor);
            }
}

/* One place of an axis, scaled. */
static void scale_place(const tess_array *a, int axis, int64_t place, double factor)
{
    tess_array slice = *a;
    slice.data = (char *)a->data + place * a->strides.dim[axis] * tess__dtype_size(a->dtype);
    slice.shape.dim[axis] = 1;
    scale(&slice, &slice, factor);
}

/* The terms that make cosine and sine transforms keep lengths: before it in the input, after it in the output. */
static void scale_terms(const tess__fft *w, const tess_array *a, bool before)
{
    const bool first = w->r2r == TESS_FFT_DCT1 || w->r2r == (before ? TESS_FFT_DCT3 : TESS_FFT_DCT2);
    const bool last = w->r2r == TESS_FFT_DCT1 || w->r2r == (before ? TESS_FFT_DST3 : TESS_FFT_DST2);
    for (int k = 0; k < 4; k++) {
        const int64_t n = a->shape.dim[k];
        if (!(w->axes & ((uint32_t)TESS_B << k)) || n == 1) continue;
        if (first) scale_place(a, k, 0, before ? sqrt(2) : sqrt(0.5));
        if (last) scale_place(a, k, n - 1, before ? sqrt(2) : sqrt(0.5));
    }
}

/* ---- The work ---- */

static tess__fft_problem describe(const tess__fft *w, const tess_array *out, const tess_array *in)
{
    tess__fft_problem p = { .kind = w->kind, .r2r = w->r2r, .sign = w->sign, .in = in->data, .out = out->data };
    p.wide = tess_dtype_real(in->dtype) == TESS_F64;
    for (int k = 0; k < 4; k++) {
        const int64_t       n_in = in->shape.dim[k], n_out = out->shape.dim[k], n = n_in > n_out ? n_in : n_out;
        const tess__fft_dim dim = { n, in->strides.dim[k], out->strides.dim[k] };
        const bool          along = w->axes & ((uint32_t)TESS_B << k);
        const bool          half = k == 3 && (w->kind == TESS_FFT_R2C || w->kind == TESS_FFT_C2R);
        if (half || (along && n > 1)) p.dims[p.n_dims++] = dim;
        else if (n > 1) p.many[p.n_many++] = dim;
    }
    return p;
}

/* Rows in their order, perhaps with room between them: FFTW's planner does not come to an end on some other strides. */
static bool is_tidy(const tess_array *a)
{
    int64_t inner = 1;
    for (int k = 3; k >= 0; k--) {
        if (a->shape.dim[k] == 1) continue;
        if (a->strides.dim[k] < inner) return false;
        inner = a->strides.dim[k] * a->shape.dim[k];
    }
    return true;
}

/* An array like `a`, contiguous, in memory to be freed. */
static tess_status make_workspace(tess_array *workspace, const tess__fft *w, const tess_array *a, tess_dtype dtype)
{
    const int64_t bytes = tess_n_elements(a) * tess__dtype_size(dtype);
    *workspace = *a;
    workspace->dtype = dtype;
    workspace->strides = tess_strides_contiguous(a->shape, 'C');
    workspace->data = tess__alloc((size_t)bytes);
    TESS_CHECK(workspace->data, TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes to work in", w->name, bytes);
    return TESS_OK;
}

static tess_status answer(const tess__fft *w, const tess__fft_plugin *plugin, int said)
{
    TESS_CHECK(said != TESS__PLUGIN_NO_MEMORY, TESS_ENOMEM, "%s: no memory for a plan of %s", w->name, plugin->name);
    TESS_CHECK(said == TESS__PLUGIN_DONE, TESS_EARG, "%s: %s has no plan for this transform", w->name, plugin->name);
    return TESS_OK;
}

/* The transform of `in`, which may be destroyed, to `out`. */
static tess_status transform(const tess__fft *w, const tess_array *out, const tess_array *in)
{
    if (w->ortho) scale_terms(w, in, true);
    const tess__fft_problem problem = describe(w, out, in);
    TESS_TRY(answer(w, chosen.plugin, chosen.plugin->run(&problem)));
    if (w->ortho) scale_terms(w, out, false);
    if (w->scale != 1 || out->data != w->out.data) scale(&w->out, out, w->scale);
    return TESS_OK;
}

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    const tess__fft *w = payload;
    const bool       destroyed = (w->kind == TESS_FFT_C2R && !w->overwrite) || w->ortho;
    const bool       in_place = w->in.data == w->out.data, tidy_out = is_tidy(&w->out);
    const tess_dtype from = w->kind == TESS_FFT_C2C ? w->out.dtype : w->in.dtype;
    const bool       keep_in = is_tidy(&w->in) && w->in.dtype == from && (in_place ? tidy_out : !destroyed);
    tess_array       in = w->in, out = w->out;
    tess_status      status = TESS_OK;
    if (!keep_in) TESS_TRY(make_workspace(&in, w, &w->in, from));
    if (!tidy_out) TESS_GOTO(done, status, make_workspace(&out, w, &w->out, w->out.dtype));
    if (!keep_in) scale(&in, &w->in, 1);
    TESS_GOTO(done, status, transform(w, &out, &in));
done:
    if (!keep_in) tess__free(in.data);
    if (!tidy_out && out.data != w->out.data) tess__free(out.data);
    return status;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__fft *w = payload;
    each(w->out.buffer);
    each(w->in.buffer);
}

tess_status tess__fft_plugin_submit(const tess__fft_plugin *plugin, tess_stream *stream, const tess__fft *work)
{
    (void)plugin;
    return tess__submit(stream, run, work, sizeof *work, buffers);
}

tess_status tess__fft_plugin_prepare(const tess__fft_plugin *plugin, const tess__fft *work, struct tess_fft_plan_info *info)
{
    const tess__fft_problem problem = describe(work, &work->out, &work->in);
    TESS_TRY(answer(work, plugin, plugin->run(&problem)));
    if (!info) return TESS_OK;
    *info = (struct tess_fft_plan_info){ .workspace = tess_n_elements(&work->in) * tess__dtype_size(work->in.dtype) };
    (void)snprintf(info->provider, sizeof info->provider, "%s", plugin->name);
    (void)snprintf(info->method, sizeof info->method, "%s", plugin->method);
    return TESS_OK;
}
