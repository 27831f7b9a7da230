/* Masks in Fourier space: wedges, cones, ellipsoids and crosses around zero frequency. */
#include "tessera/fourier_mask.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "formulas/fourier_mask.op.h"
#include "ops/signal/filter.h"

/* ---- Descriptions ---- */

#define SPECTRUM TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE
#define IMAGE TESS__IMAGE_OUT, TESS__IMAGE_IN
#define ROWS(opts)                                                                                                     \
    TESS__OPT_F64(opts, width, "cycles per pixel", 0, 0, 1e6, "width of the soft edge; up to 1e-6: hard"),             \
        TESS__OPT_F64(opts, keep, "cycles per pixel", 0, 0, 1e6,                                                       \
                      "radius around zero frequency within which the mask is always 1"),                               \
        TESS__FLAG(opts, invert, "use 1 - mask"), TESS__FILTER_ROWS(opts)
#define WEDGE                                                                                                          \
    TESS__NEED(TESS_ARG_F64, "first", "angle of the first plane, in radians"),                                         \
        TESS__NEED(TESS_ARG_F64, "last", "angle of the last plane, in radians"), ROWS(tess_fourier_wedge_opts),        \
        TESS__OPT_ROWS(tess_fourier_wedge_opts, parameters, "{b,1,1,m}: first, last and width of each batch",          \
                       .sample = "b,1,1,2", .axes = "B,1,1,m"),                                                        \
        TESS__OPT_CHOICE(tess_fourier_wedge_opts, axis, 0, wedge_axes,                                                 \
                         "axis that both planes contain; 0: h for volumes, otherwise d")
#define DIRECTION(field, how, help) TESS__AUTO_F64(tess_fourier_cone_opts, field, "", how, -1e6, 1e6, help)
#define CONE                                                                                                           \
    TESS__NEED(TESS_ARG_F64, "aperture", "angle between the axis and the surface of the cone, in radians, 0 to pi/2"), \
        ROWS(tess_fourier_cone_opts), DIRECTION(direction_d, "1 for volumes", "direction of the axis, along d"),       \
        DIRECTION(direction_h, "1 for images", "direction of the axis, along h"),                                      \
        DIRECTION(direction_w, "1 for signals", "direction of the axis, along w"),                                     \
        TESS__OPT_ROWS(tess_fourier_cone_opts, parameters, "{b,1,1,m}: aperture and direction of each batch",          \
                       .sample = "b,1,1,2", .axes = "B,1,1,m")
#define ELLIPSOID                                                                                                      \
    TESS__NEED(TESS_ARG_F64, "radius_d", "semiaxis along d, in cycles per pixel"),                                     \
        TESS__NEED(TESS_ARG_F64, "radius_h", "semiaxis along h, in cycles per pixel"),                                 \
        TESS__NEED(TESS_ARG_F64, "radius_w", "semiaxis along w, in cycles per pixel"),                                 \
        ROWS(tess_fourier_ellipsoid_opts),                                                                             \
        TESS__OPT_ROWS(tess_fourier_ellipsoid_opts, parameters, "{b,1,1,3}: radii of each batch", .sample = "b,1,1,3", \
                       .axes = "B,1,1,3")
#define CROSS                                                                                                          \
    TESS__NEED(TESS_ARG_F64, "half_width", "distance from an axis, in cycles per pixel"),                              \
        ROWS(tess_fourier_cross_opts),                                                                                 \
        TESS__OPT_ROWS(tess_fourier_cross_opts, parameters, "{b,1,1,m}: half_width and width of each batch",           \
                       .sample = "b,1,1,2", .axes = "B,1,1,m"),                                                        \
        TESS__FIELD(tess_fourier_cross_opts, axes, int32_t, TESS_ARG_AXIS_SET, INT32_MIN, INT32_MAX, ALL_AXES, NULL,   \
                    "", "axes of the cross")

enum { ALL_AXES = TESS_D | TESS_H | TESS_W };

static const tess_choice wedge_axes[] = {
    { "d", TESS_D, "angles are atan2(fh, fw)" },
    { "h", TESS_H, "angles are atan2(fd, fw)" },
    { "w", TESS_W, "angles are atan2(fd, fh)" },
    { NULL, 0, NULL },
};

static const tess_arg_info wedge_args[] = { SPECTRUM, WEDGE }, wedge_image_args[] = { IMAGE, WEDGE };
static const tess_arg_info cone_args[] = { SPECTRUM, CONE }, cone_image_args[] = { IMAGE, CONE };
static const tess_arg_info ellipsoid_args[] = { SPECTRUM, ELLIPSOID }, ellipsoid_image_args[] = { IMAGE, ELLIPSOID };
static const tess_arg_info cross_args[] = { SPECTRUM, CROSS }, cross_image_args[] = { IMAGE, CROSS };

TESS__CALL(fourier_wedge, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].f64, opts)
TESS__CALL(fourier_cone, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
TESS__CALL(fourier_ellipsoid, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].f64, v[5].f64, opts)
TESS__CALL(fourier_cross, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
TESS__CALL(fourier_wedge_image, v[0].out, v[1].in, v[2].f64, v[3].f64, opts)
TESS__CALL(fourier_cone_image, v[0].out, v[1].in, v[2].f64, opts)
TESS__CALL(fourier_ellipsoid_image, v[0].out, v[1].in, v[2].f64, v[3].f64, v[4].f64, opts)
TESS__CALL(fourier_cross_image, v[0].out, v[1].in, v[2].f64, opts)

#define INFO(name, help, args, opts)                                                                                   \
    const tess_function_info tess__info_##name =                                                                       \
        TESS__OP_OPTS(TESS_CUT_BATCHES, name, "fourier_mask", help, args, opts);
INFO(fourier_wedge, "Keep the frequencies between two planes.", wedge_args, tess_fourier_wedge_opts)
INFO(fourier_cone, "Keep the frequencies inside a double cone.", cone_args, tess_fourier_cone_opts)
INFO(fourier_ellipsoid, "Keep the frequencies inside an ellipsoid.", ellipsoid_args, tess_fourier_ellipsoid_opts)
INFO(fourier_cross, "Keep the frequencies near the axes.", cross_args, tess_fourier_cross_opts)
INFO(fourier_wedge_image, "Keep frequencies of real arrays between two planes.", wedge_image_args,
     tess_fourier_wedge_opts)
INFO(fourier_cone_image, "Keep frequencies of real arrays inside a double cone.", cone_image_args,
     tess_fourier_cone_opts)
INFO(fourier_ellipsoid_image, "Keep frequencies of real arrays inside an ellipsoid.", ellipsoid_image_args,
     tess_fourier_ellipsoid_opts)
INFO(fourier_cross_image, "Keep frequencies of real arrays near the axes.", cross_image_args, tess_fourier_cross_opts)
#undef INFO

/* ---- What all have ---- */

/* Macros, since the options of each are a type of its own. */
#define DESCRIBE(work, c, o, shape_)                                                                                   \
    do {                                                                                                               \
        (work)->spec.kind = TESS__FILTER_MASK;                                                                         \
        (work)->spec.mode = (shape_);                                                                                  \
        (work)->spec.invert = (o)->invert;                                                                             \
        (work)->columns[TESS__MASK_WIDTH] = (o)->width;                                                                \
        (work)->columns[TESS__MASK_KEEP] = (o)->keep;                                                                  \
        for (int k_ = 0; k_ < 3; k_++) (work)->column_of[k_] = TESS__MASK_SIZE + k_;                                   \
        (c)->range = TESS__FILTER_RANGE(*(o));                                                                         \
        (c)->parameters = (o)->parameters;                                                                             \
    } while (0)

static void set_columns(tess__filter_call *c, const char *columns, int min, int max)
{
    c->columns = columns;
    c->min_columns = min;
    c->max_columns = max;
}

/* A set of D, H and W as bits 0, 1 and 2. */
static int32_t bits_of(int32_t axes) { return axes / TESS_D; }

/* The shape of a real array, which a description needs. */
static tess_status start_image(tess__filter_call *c)
{
    TESS_TRY(tess__image_check(c->fn, c->out, c->in));
    c->shape = c->in->shape;
    return TESS_OK;
}

/* ---- Wedges ---- */

static tess_status describe_wedge(tess__spectrum_filter *work, tess__filter_call *c, double first, double last,
                                  const tess_fourier_wedge_opts *o)
{
    const double half_turn = TESS_PI * (1 + 1e-12);
    char         text[2][32];
    TESS_CHECK(isfinite(first) && isfinite(last) && first <= last && last - first <= half_turn, TESS_ERANGE,
               "%s: `first` is %s and `last` is %s; they must be radians with first <= last <= first + pi", c->fn,
               tess__number_text(text[0], first), tess__number_text(text[1], last));
    DESCRIBE(work, c, o, TESS__MASK_WEDGE);
    work->spec.axes = bits_of(o->axis ? o->axis : c->shape.d > 1 ? TESS_H : TESS_D);
    work->columns[TESS__MASK_SIZE] = first;
    work->columns[TESS__MASK_SIZE + 1] = last;
    work->column_of[2] = TESS__MASK_WIDTH;
    set_columns(c, "first, last, width", 2, 3);
    return TESS_OK;
}

tess_status tess_fourier_wedge(tess_array *out, const tess_array *in, tess_shape shape, double first, double last,
                               const tess_fourier_wedge_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_wedge_opts o;
    tess__spectrum_filter   work = { .name = "fourier_wedge" };
    tess__filter_call       call = { .fn = "fourier_wedge", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_wedge, opts, &o));
    TESS_TRY(describe_wedge(&work, &call, first, last, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_fourier_wedge_image(tess_array *out, const tess_array *in, double first, double last,
                                     const tess_fourier_wedge_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_wedge_opts o;
    tess__spectrum_filter   work = { .name = "fourier_wedge_image" };
    tess__filter_call       call = { .fn = "fourier_wedge_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_fourier_wedge_image, opts, &o));
    TESS_TRY(start_image(&call));
    TESS_TRY(describe_wedge(&work, &call, first, last, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

/* ---- Cones ---- */

static tess_status describe_cone(tess__spectrum_filter *work, tess__filter_call *c, double aperture,
                                 const tess_fourier_cone_opts *o)
{
    double      *direction = work->columns + TESS__MASK_DIRECTION;
    const double asked[3] = { o->direction_d, o->direction_h, o->direction_w };
    const bool   given = !isnan(asked[0]) || !isnan(asked[1]) || !isnan(asked[2]);
    const int    usual = c->shape.d > 1 ? 0 : c->shape.h > 1 ? 1 : 2;
    char         text[32];
    TESS_CHECK(aperture >= 0 && aperture <= 0.5 * TESS_PI * (1 + 1e-12), TESS_ERANGE,
               "%s: `aperture` is %s; 0 to pi/2 radians are allowed", c->fn, tess__number_text(text, aperture));
    DESCRIBE(work, c, o, TESS__MASK_CONE);
    work->columns[TESS__MASK_SIZE] = aperture;
    bool has_length = false;
    for (int k = 0; k < 3; k++) {
        direction[k] = !given ? k == usual : isnan(asked[k]) ? 0 : asked[k];
        has_length |= direction[k] != 0;
        work->column_of[k + 1] = TESS__MASK_DIRECTION + k;
    }
    TESS_CHECK(
        has_length, TESS_ERANGE,
        "%s: `opts->direction_d`, `opts->direction_h` and `opts->direction_w` are all 0; one of them must not be 0",
        c->fn);
    set_columns(c, "aperture, direction d, h, w", 1, 4);
    return TESS_OK;
}

tess_status tess_fourier_cone(tess_array *out, const tess_array *in, tess_shape shape, double aperture,
                              const tess_fourier_cone_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_cone_opts o;
    tess__spectrum_filter  work = { .name = "fourier_cone" };
    tess__filter_call      call = { .fn = "fourier_cone", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_cone, opts, &o));
    TESS_TRY(describe_cone(&work, &call, aperture, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_fourier_cone_image(tess_array *out, const tess_array *in, double aperture,
                                    const tess_fourier_cone_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_cone_opts o;
    tess__spectrum_filter  work = { .name = "fourier_cone_image" };
    tess__filter_call      call = { .fn = "fourier_cone_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_fourier_cone_image, opts, &o));
    TESS_TRY(start_image(&call));
    TESS_TRY(describe_cone(&work, &call, aperture, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

/* ---- Ellipsoids ---- */

static tess_status describe_ellipsoid(tess__spectrum_filter *work, tess__filter_call *c, const double radii[3],
                                      const tess_fourier_ellipsoid_opts *o)
{
    static const char *const names[3] = { "radius_d", "radius_h", "radius_w" };
    for (int k = 0; k < 3; k++) {
        TESS_TRY(tess__check_positive(c->fn, names[k], radii[k]));
        work->columns[TESS__MASK_SIZE + k] = radii[k];
    }
    DESCRIBE(work, c, o, TESS__MASK_ELLIPSOID);
    set_columns(c, "radius d, h, w", 3, 3);
    return TESS_OK;
}

tess_status tess_fourier_ellipsoid(tess_array *out, const tess_array *in, tess_shape shape, double radius_d,
                                   double radius_h, double radius_w, const tess_fourier_ellipsoid_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_ellipsoid_opts o;
    tess__spectrum_filter       work = { .name = "fourier_ellipsoid" };
    tess__filter_call           call = { .fn = "fourier_ellipsoid", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_ellipsoid, opts, &o));
    TESS_TRY(describe_ellipsoid(&work, &call, (double[]){ radius_d, radius_h, radius_w }, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_fourier_ellipsoid_image(tess_array *out, const tess_array *in, double radius_d, double radius_h,
                                         double radius_w, const tess_fourier_ellipsoid_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_ellipsoid_opts o;
    tess__spectrum_filter       work = { .name = "fourier_ellipsoid_image" };
    tess__filter_call           call = { .fn = "fourier_ellipsoid_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_fourier_ellipsoid_image, opts, &o));
    TESS_TRY(describe_ellipsoid(&work, &call, (double[]){ radius_d, radius_h, radius_w }, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

/* ---- Crosses ---- */

static tess_status describe_cross(tess__spectrum_filter *work, tess__filter_call *c, double half_width,
                                  const tess_fourier_cross_opts *o)
{
    TESS_TRY(tess__check_frequency(c->fn, "half_width", half_width));
    TESS_CHECK((o->axes & ~ALL_AXES) == 0, TESS_ERANGE,
               "%s: `opts->axes` is %d; a set of d (%d), h (%d) and w (%d) is allowed", c->fn, (int)o->axes, TESS_D,
               TESS_H, TESS_W);
    DESCRIBE(work, c, o, TESS__MASK_CROSS);
    work->spec.axes = bits_of(o->axes);
    work->columns[TESS__MASK_SIZE] = half_width;
    work->column_of[1] = TESS__MASK_WIDTH;
    set_columns(c, "half_width, width", 1, 2);
    return TESS_OK;
}

tess_status tess_fourier_cross(tess_array *out, const tess_array *in, tess_shape shape, double half_width,
                               const tess_fourier_cross_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_cross_opts o;
    tess__spectrum_filter   work = { .name = "fourier_cross" };
    tess__filter_call       call = { .fn = "fourier_cross", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_fourier_cross, opts, &o));
    TESS_TRY(describe_cross(&work, &call, half_width, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_fourier_cross_image(tess_array *out, const tess_array *in, double half_width,
                                     const tess_fourier_cross_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_cross_opts o;
    tess__spectrum_filter   work = { .name = "fourier_cross_image" };
    tess__filter_call       call = { .fn = "fourier_cross_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_fourier_cross_image, opts, &o));
    TESS_TRY(describe_cross(&work, &call, half_width, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}
