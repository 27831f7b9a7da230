/* tessera convert: another format, type, byte order or compression. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/one_input.h"
#include "measure/statistics.h"
#include "tessera/scalar.h"

/* y = x * factor + shift. */
typedef struct scaling {
    bool   on;
    double factor, shift;
} scaling;

/* What a dtype can hold; floating types are scaled to 0 to 1. */
static void range_of(tess_dtype dtype, double *low, double *high)
{
    double bits = (double)tess_dtype_size(dtype) * 8;
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_UINT: *low = 0, *high = exp2(bits) - 1; break;
    case TESS_KIND_INT: *low = -exp2(bits - 1), *high = exp2(bits - 1) - 1; break;
    default: *low = 0, *high = 1; break;
    }
}

static tess_status parse_scale(const char *text, double *sigmas)
{
    char *end = NULL;
    *sigmas = 0;
    if (strcmp(text, "full") == 0) return TESS_OK;
    if (strncmp(text, "sigma=", 6) == 0) *sigmas = strtod(text + 6, &end);
    TESS_CHECK(end && end != text + 6 && *end == 0 && *sigmas > 0 && isfinite(*sigmas), TESS_EARG,
               "--scale: '%s' is not one of none, full, sigma=3", text);
    return TESS_OK;
}

static tess_status find_scaling(job *j, input *in, tess_dtype dtype, scaling *s)
{
    const char *text = job_text(j, "scale", "none");
    double      sigmas, from, to, low, high;
    double      all[TESS_STATISTICS_COLUMNS];
    if (strcmp(text, "none") == 0) return TESS_OK;
    TESS_TRY(parse_scale(text, &sigmas));
    TESS_TRY(need_real(j, in));
    TESS_TRY(statistics_of(all, j, input_source(in)));
    const double mean = all[TESS_STATISTICS_MEAN], sd = all[TESS_STATISTICS_SD];
    from = sigmas > 0 ? mean - sigmas * sd : all[TESS_STATISTICS_MIN];
    to = sigmas > 0 ? mean + sigmas * sd : all[TESS_STATISTICS_MAX];
    TESS_CHECK(isfinite(from) && isfinite(to), TESS_ERANGE,
               "%s: infinite values (%.0f) leave no range to scale; --scale none does not need one", in->name,
               all[TESS_STATISTICS_N_INF]);
    range_of(dtype, &low, &high);
    s->on = true;
    s->factor = to > from ? (high - low) / (to - from) : 0;
    s->shift = low - from * s->factor;
    char a[32], b[32], c[32], d[32];
    job_note(j, "%s: %s to %s become %s to %s", in->name, number_text(a, from), number_text(b, to), number_text(c, low),
             number_text(d, high));
    return TESS_OK;
}

static tess_status scale_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const scaling *s = context;
    return tess_fma(out, in, &tess_num(s->factor), &tess_num(s->shift));
}

/* The type of the numbers in the file; pictures are of bytes where nothing else was asked for. */
static tess_status choose_dtype(job *j, input *in, tess_dtype *dtype)
{
    tess_dtype from = in->info.dtype;
    bool       picture = output_format(j) == TESS_FORMAT_PNG;
    TESS_TRY(output_dtype(j, dtype));
    TESS_CHECK(!picture || *dtype || job_has(j, "scale") || from == TESS_U8 || from == TESS_U16, TESS_EARG,
               "%s: PNG holds u8 and u16, but the values are %s; --scale full or sigma=3 converts them to bytes",
               in->name, tess_dtype_name(from));
    if (!*dtype) *dtype = picture && job_has(j, "scale") ? TESS_U8 : from;
    return TESS_OK;
}

static tess_status convert(job *j, input *in)
{
    tess_dtype dtype;
    scaling    s = { 0 };
    bool       skip;
    TESS_TRY(choose_dtype(j, in, &dtype));
    TESS_TRY(output_planned(j, NULL, in->info.shape, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(find_scaling(j, in, dtype, &s));
    stream_plan plan = plan_of_images(in);
    if (s.on) plan.in_dtype = plan.out_dtype = TESS_F64; /* values may lie far from 0 and close together */
    plan.meta.stats = 0;
    return stream_run(j, in, &plan, s.on ? scale_images : NULL, &s);
}

static tess_status run(job *j) { return on_input_to_output(j, convert); }

static const option options[] = {
    VALUE("scale", "HOW", OPTION_TEXT,
          "scale values to the range of the type: none, full (minimum to maximum), sigma=3 (3 sd around the mean) "
          "[none]"),
    CHOICE("endian", "WORD", "little big", "byte order of the file [little]"),
    VALUE("level", "N", OPTION_INTEGER, "compression level, 1 to 9 [6]"),
    CHOICE("compat", "WORD", "imod", "write stack headers for older programs: MZ = NZ"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera convert movie.tif -o movie.mrcs",
    "tessera convert x.mrc --dtype f16 -o half.mrc",
    "tessera convert x.mrc --mode 0u --scale sigma=3 -o bytes.mrc",
    "tessera convert stack.mrcs -o 'stack.tif[compress=deflate]'",
    "tessera convert x.mrc --scale full -o x.png",
    NULL,
};

const verb verb_convert = {
    .name = "convert",
    .subject = "files",
    .summary = "convert format, data type, byte order or compression",
    .arguments = "INPUT... -o OUT",
    .text = "The output format is that of the extension: .mrc .mrcs .map .npy .npz .tif .png; .gz or .bz2 may follow "
            "some of them, and out.dat:mrc states the format explicitly. `tessera formats` lists them all. Options may "
            "follow the name in brackets: out.tif[compress=zstd], with dtype, mode, compress, level, endian and "
            "member.\n\nValues beyond the range of the output type become its limits, and are counted. Fractions are "
            "rounded to the nearest integer. Rows of TIFF and PNG are reversed, because their first row is the top and "
            "that of MRC the bottom; --no-flip keeps the order of the file.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
