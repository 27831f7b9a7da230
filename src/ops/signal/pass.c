/* Low-pass, high-pass and band-pass filters of spectra and of real arrays. */
#include "core/device/cancel.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/signal/filter.h"
#include "tessera/filter.h"

static const tess_choice edges[] = {
    { "cosine", TESS_FILTER_COSINE, "raised cosine" },
    { "gaussian", TESS_FILTER_GAUSSIAN, "Gaussian, width is its sigma" },
    { "butterworth", TESS_FILTER_BUTTERWORTH, "Butterworth, of the given order" },
    { NULL, 0, NULL },
};

/* ---- Descriptions ---- */

#define CUTOFF(help) TESS__NEED_FREQUENCY("cutoff", help)
#define EDGES(opts)                                                                                                    \
    TESS__OPT_CHOICE(opts, edge, TESS_FILTER_COSINE, edges, "shape of the edge of the filter"),                        \
        TESS__OPT_I32(opts, order, "", 4, 1, 64, "order of a Butterworth edge"),                                       \
        TESS__FLAG(opts, centred, "centre a cosine edge on the cutoff, where the filter is then 1/2"),                 \
        TESS__FILTER_ROWS(opts), TESS__METRIC_ROWS(opts)
#define SIDE                                                                                                           \
    TESS__OPT_F64(tess_lowpass_opts, width, "cycles per pixel", 0, 0, 1e6,                                             \
                  "width of the soft edge outside the pass band; up to 1e-6: hard"),                                   \
        TESS__OPT_ROWS(tess_lowpass_opts, parameters, "{b,1,1,m}: cutoff and width of each batch",                     \
                       .sample = "b,1,1,2", .axes = "B,1,1,m"),                                                        \
        EDGES(tess_lowpass_opts)
#define BAND                                                                                                           \
    TESS__NEED_FREQUENCY("low", "lower end of the pass band"),                                                         \
        TESS__NEED_FREQUENCY("high", "upper end of the pass band", .sample = "2"),                                     \
        TESS__OPT_F64(tess_bandpass_opts, low_width, "cycles per pixel", 0, 0, 1e6,                                    \
                      "width of the soft edge below the pass band; up to 1e-6: hard"),                                 \
        TESS__OPT_F64(tess_bandpass_opts, high_width, "cycles per pixel", 0, 0, 1e6,                                   \
                      "width of the soft edge above the pass band; up to 1e-6: hard"),                                 \
        TESS__OPT_ROWS(tess_bandpass_opts, parameters, "{b,1,1,m}: low, high, low_width, high_width of each batch",    \
                       .sample = "b,1,1,4", .axes = "B,1,1,m"),                                                        \
        EDGES(tess_bandpass_opts)

static const tess_arg_info lowpass_args[] = { TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE,
                                              CUTOFF("upper end of the pass band"), SIDE };
static const tess_arg_info highpass_args[] = { TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE,
                                               CUTOFF("lower end of the pass band"), SIDE };
static const tess_arg_info bandpass_args[] = { TESS__FILTER_OUT, TESS__FILTER_IN, TESS__FILTER_SHAPE, BAND };
static const tess_arg_info lowpass_image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN,
                                                    CUTOFF("upper end of the pass band"), SIDE };
static const tess_arg_info highpass_image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN,
                                                     CUTOFF("lower end of the pass band"), SIDE };
static const tess_arg_info bandpass_image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN, BAND };

TESS__CALL(lowpass, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
TESS__CALL(highpass, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
TESS__CALL(bandpass, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].f64, opts)
TESS__CALL(lowpass_image, v[0].out, v[1].in, v[2].f64, opts)
TESS__CALL(highpass_image, v[0].out, v[1].in, v[2].f64, opts)
TESS__CALL(bandpass_image, v[0].out, v[1].in, v[2].f64, v[3].f64, opts)

const tess_function_info tess__info_lowpass =
    TESS__OP_OPTS(TESS_CUT_BATCHES, lowpass, "filter", "Low-pass filter spectra.", lowpass_args, tess_lowpass_opts);
const tess_function_info tess__info_highpass =
    TESS__OP_OPTS(TESS_CUT_BATCHES, highpass, "filter", "High-pass filter spectra.", highpass_args, tess_highpass_opts);
const tess_function_info tess__info_bandpass =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bandpass, "filter", "Band-pass filter spectra.", bandpass_args, tess_bandpass_opts);
const tess_function_info tess__info_lowpass_image = TESS__OP_OPTS(
    TESS_CUT_BATCHES, lowpass_image, "filter", "Low-pass filter real arrays.", lowpass_image_args, tess_lowpass_opts);
const tess_function_info tess__info_highpass_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, highpass_image, "filter", "High-pass filter real arrays.", highpass_image_args,
                  tess_highpass_opts);
const tess_function_info tess__info_bandpass_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bandpass_image, "filter", "Band-pass filter real arrays.", bandpass_image_args,
                  tess_bandpass_opts);

/* ---- Functions ---- */

static const tess__filter_column side_columns[] = { { "cutoff", tess__check_frequency },
                                                    { "width", tess__check_frequency } };
static const tess__filter_column band_columns[] = { { "low", tess__check_frequency },
                                                    { "high", tess__check_frequency },
                                                    { "low_width", tess__check_frequency },
                                                    { "high_width", tess__check_frequency } };

_Static_assert(TESS__EDGE_COSINE == TESS_FILTER_COSINE && TESS__EDGE_GAUSSIAN == TESS_FILTER_GAUSSIAN &&
                   TESS__EDGE_BUTTERWORTH == TESS_FILTER_BUTTERWORTH,
               "edges are numbered twice");

static tess_status set_edge(tess__spectrum_filter *work, const char *fn, int edge, int order, int centred)
{
    TESS_CHECK(!centred || edge == TESS_FILTER_COSINE, TESS_EARG,
               "%s: `opts->centred` is 1, which requires `opts->edge` to be \"cosine\"", fn);
    work->spec.kind = TESS__FILTER_PASS;
    work->spec.edge = edge;
    work->spec.order = order;
    work->spec.centred = centred;
    return TESS_OK;
}

/* One side of a band, as opts of a low-pass or high-pass have it. */
static tess_status describe_side(tess__spectrum_filter *work, tess__filter_call *c, bool high, double cutoff,
                                 const tess_lowpass_opts *o)
{
    const int at = high ? TESS__PASS_HIGH : TESS__PASS_LOW;
    TESS_TRY(tess__check_frequency(c->fn, "cutoff", cutoff));
    TESS_TRY(tess__metric_of(&work->spec.metric, c->fn, &o->metric));
    TESS_TRY(set_edge(work, c->fn, o->edge, o->order, o->centred));
    work->spec.has_high = high;
    work->spec.has_low = !high;
    for (int k = 0; k < 2; k++) work->column_of[k] = at + k;
    work->columns[at] = cutoff;
    work->columns[at + 1] = o->width;
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = o->parameters;
    c->columns = "cutoff, width";
    c->min_columns = 1;
    c->max_columns = 2;
    c->checks = side_columns;
    return TESS_OK;
}

static tess_status describe_band(tess__spectrum_filter *work, tess__filter_call *c, double low, double high,
                                 const tess_bandpass_opts *o)
{
    static const int32_t columns[] = { TESS__PASS_LOW, TESS__PASS_HIGH, TESS__PASS_LOW_WIDTH, TESS__PASS_HIGH_WIDTH };
    TESS_TRY(tess__check_frequency(c->fn, "low", low));
    TESS_TRY(tess__check_frequency(c->fn, "high", high));
    TESS_TRY(tess__metric_of(&work->spec.metric, c->fn, &o->metric));
    TESS_TRY(set_edge(work, c->fn, o->edge, o->order, o->centred));
    work->spec.has_high = work->spec.has_low = 1;
    for (int k = 0; k < 4; k++) work->column_of[k] = columns[k];
    work->columns[TESS__PASS_LOW] = low;
    work->columns[TESS__PASS_LOW_WIDTH] = o->low_width;
    work->columns[TESS__PASS_HIGH] = high;
    work->columns[TESS__PASS_HIGH_WIDTH] = o->high_width;
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = o->parameters;
    c->columns = "low, high, low_width, high_width";
    c->min_columns = 2;
    c->max_columns = 4;
    c->checks = band_columns;
    return TESS_OK;
}

tess_status tess_lowpass(tess_array *out, const tess_array *in, tess_shape shape, double cutoff,
                         const tess_lowpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_lowpass_opts     o;
    tess__spectrum_filter work = { .name = "lowpass" };
    tess__filter_call     call = { .fn = "lowpass", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_lowpass, opts, &o));
    TESS_TRY(describe_side(&work, &call, true, cutoff, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_highpass(tess_array *out, const tess_array *in, tess_shape shape, double cutoff,
                          const tess_highpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_highpass_opts    o;
    tess__spectrum_filter work = { .name = "highpass" };
    tess__filter_call     call = { .fn = "highpass", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_highpass, opts, &o));
    TESS_TRY(describe_side(&work, &call, false, cutoff, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_bandpass(tess_array *out, const tess_array *in, tess_shape shape, double low, double high,
                          const tess_bandpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_bandpass_opts    o;
    tess__spectrum_filter work = { .name = "bandpass" };
    tess__filter_call     call = { .fn = "bandpass", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_bandpass, opts, &o));
    TESS_TRY(describe_band(&work, &call, low, high, &o));
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_lowpass_image(tess_array *out, const tess_array *in, double cutoff, const tess_lowpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_lowpass_opts     o;
    tess__spectrum_filter work = { .name = "lowpass_image" };
    tess__filter_call     call = { .fn = "lowpass_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_lowpass_image, opts, &o));
    TESS_TRY(describe_side(&work, &call, true, cutoff, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

tess_status tess_highpass_image(tess_array *out, const tess_array *in, double cutoff, const tess_highpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_highpass_opts    o;
    tess__spectrum_filter work = { .name = "highpass_image" };
    tess__filter_call     call = { .fn = "highpass_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_highpass_image, opts, &o));
    TESS_TRY(describe_side(&work, &call, false, cutoff, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

tess_status tess_bandpass_image(tess_array *out, const tess_array *in, double low, double high,
                                const tess_bandpass_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_bandpass_opts    o;
    tess__spectrum_filter work = { .name = "bandpass_image" };
    tess__filter_call     call = { .fn = "bandpass_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_bandpass_image, opts, &o));
    TESS_TRY(describe_band(&work, &call, low, high, &o));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}
