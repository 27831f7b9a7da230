/* Public FFT plans: the backend's plans for a size, held, and the transform that goes with them. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/check/check.h"
#include "core/device/device.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"

struct tess_fft_plan {
    atomic_int           references;
    tess_fft_kind        kind;
    tess_shape           shape;
    tess_dtype           dtype; /* real */
    tess_device          device;
    tess_fft_opts        opts;
    tess_info_fft_plan   info;
    const tess__backend *backend;
    void                *held; /* by the backend; NULL for no elements */
};

static const char make[] = "fft_plan_new", run[] = "fft_plan_run";

/* No operation on arrays, so not in the registry; here for its options. */
static const tess_arg_info      args[] = { TESS__FFT_ROWS(TESS_D | TESS_H | TESS_W) };
static const tess_function_info options = TESS__INFO_OPTS("fft_plan_new", "fft", "A plan.", args, tess_fft_opts);

static tess_array array_of(tess_shape shape, tess_dtype dtype, tess_device device)
{
    return (
        tess_array){ .shape = shape, .strides = tess_strides_contiguous(shape, 'C'), .dtype = dtype, .device = device };
}

/* Have the backend create its plans. */
static tess_status prepare(tess_fft_plan *p)
{
    const tess_dtype complex = tess__fft_complex(p->dtype);
    const tess_array full = array_of(p->shape, p->kind == TESS_FFT_C2C ? complex : p->dtype, p->device);
    const tess_array half = array_of(tess_rfft_shape(p->shape), complex, p->device);
    const int        sign = p->kind == TESS_FFT_C2R ? TESS_FFT_BACKWARD : TESS_FFT_FORWARD;
    const tess__fft  work = { .name = make,
                              .kind = (int32_t)p->kind,
                              .sign = sign,
                              .axes = (uint32_t)p->opts.axes,
                              .overwrite = p->opts.overwrite,
                              .scale = tess__fft_factor(p->opts.norm, sign, tess__fft_size(p->shape, p->opts.axes)),
                              .out = p->kind == TESS_FFT_R2C ? half : full,
                              .in = p->kind == TESS_FFT_C2R ? half : full };
    if (!tess__sizes_have_elements(&p->shape)) {
        TESS_TRY(tess__backend_need(&p->backend, make, p->device));
        (void)snprintf(p->info.provider, sizeof p->info.provider, "native");
        (void)snprintf(p->info.method, sizeof p->info.method, "nothing to do");
        return TESS_OK;
    }
    TESS_TRY(tess__fft_plan_prepare(&p->held, &p->backend, &work, &p->info));
    return TESS_OK;
}

tess_status tess_fft_plan_new(tess_fft_plan **plan, tess_fft_kind kind, tess_shape shape, tess_dtype dtype,
                              tess_device device, const tess_fft_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_fft_opts o;
    TESS_TRY(tess__check_pointer(make, "plan", plan));
    TESS_TRY(tess__resolve(&options, opts, &o));
    TESS_CHECK(kind >= TESS_FFT_R2C && kind <= TESS_FFT_C2C, TESS_EARG,
               "%s: `kind` is %d; TESS_FFT_R2C (1), TESS_FFT_C2R (2) or TESS_FFT_C2C (3) is needed", make, (int)kind);
    TESS_TRY(tess__check_dtype(make, "dtype", dtype));
    TESS_CHECK(dtype == TESS_F32 || dtype == TESS_F64, TESS_EDTYPE,
               "%s: `dtype` is %s; the real dtype, f32 or f64, is needed (f16 is transformed in f32)", make,
               tess_dtype_name(dtype));
    TESS_TRY(tess__check_shape(make, "shape", shape, tess__fft_complex(dtype)));
    TESS_TRY(tess__fft_check_axes(make, kind, o.axes));
    tess_fft_plan *p = tess__alloc(sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "%s: no memory for %zu bytes", make, sizeof *p);
    *p = (tess_fft_plan){ .references = 1, .kind = kind, .shape = shape, .dtype = dtype, .device = device, .opts = o };
    const tess_status status = prepare(p);
    if (status == TESS_OK) *plan = p;
    else tess__free(p);
    TESS_TRY(status);
    return TESS_OK;
}

void tess_fft_plan_retain(tess_fft_plan *plan)
{
    if (plan) atomic_fetch_add(&plan->references, 1);
}

void tess_fft_plan_release(tess_fft_plan *plan)
{
    if (!plan || atomic_fetch_sub(&plan->references, 1) != 1) return;
    if (plan->held && plan->backend->fft_release) plan->backend->fft_release(plan->held);
    tess__free(plan);
}

tess_status tess_fft_plan_info(tess_info_fft_plan *info, const tess_fft_plan *plan)
{
    TESS_TRY(tess__check_pointer("fft_plan_info", "info", info));
    TESS_TRY(tess__check_pointer("fft_plan_info", "plan", plan));
    *info = plan->info;
    return TESS_OK;
}

/* The input is what the plan was created for. */
static tess_status check_input(const tess_fft_plan *p, const tess_array *in)
{
    char             text[2][TESS__SHAPE_TEXT];
    const tess_shape want = p->kind == TESS_FFT_C2R ? tess_rfft_shape(p->shape) : p->shape;
    TESS_TRY(tess__check_array(run, "in", in));
    const tess_kind  have = tess_dtype_kind(in->dtype);
    const tess_dtype real = tess_dtype_real(in->dtype);
    const bool       number =
        have == TESS_KIND_COMPLEX ? p->kind != TESS_FFT_R2C : have == TESS_KIND_FLOAT && p->kind != TESS_FFT_C2R;
    TESS_CHECK(number && (real == p->dtype || (real == TESS_F16 && p->dtype == TESS_F32)), TESS_EDTYPE,
               "%s: `in` is %s; the plan is for %s in %s", run, tess_dtype_name(in->dtype),
               p->kind == TESS_FFT_R2C   ? "real to complex"
               : p->kind == TESS_FFT_C2R ? "complex to real"
                                         : "complex to complex",
               tess_dtype_name(p->dtype));
    TESS_CHECK(tess__same_sizes(&in->shape, &want), TESS_ESHAPE, "%s: `in` has shape %s; the plan is for %s", run,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], want.dim));
    const tess_array planned = { .device = p->device };
    TESS_TRY(tess__check_device_of(run, "the plan", &planned, "in", in));
    return TESS_OK;
}

tess_status tess_fft_plan_run(tess_fft_plan *plan, tess_array *out, const tess_array *in, tess_fft_sign sign)
{
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__check_pointer(run, "plan", plan));
    TESS_TRY(tess__check_pointer(run, "out", out));
    TESS_TRY(check_input(plan, in));
    TESS_TRY(tess__fft_check_sign(run, (int)sign));
    const int only = plan->kind == TESS_FFT_R2C ? TESS_FFT_FORWARD : TESS_FFT_BACKWARD;
    TESS_CHECK(plan->kind == TESS_FFT_C2C || (int)sign == only, TESS_EARG, "%s: `sign` is %d; %s must be %s (%d)", run,
               (int)sign, plan->kind == TESS_FFT_R2C ? "real to complex" : "complex to real",
               plan->kind == TESS_FFT_R2C ? "forward" : "backward", only);
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, run, in->device));
    const void          *held = stream->async ? NULL : plan->held; /* queued work may outlive the plan */
    const tess__fft_call call = { run, plan->kind, (int)sign, plan->shape, &plan->opts, held };
    TESS_TRY(tess__fft_transform(&call, out, in));
    return TESS_OK;
}
