/* The file that a verb writes: begun, filled and completed, with a word on values that did not fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/options.h"
#include "files/file_name.h"
#include "files/outputs/output.h"
#include "files/outputs/output_names.h"
#include "files/star_file.h"
#include "files/outputs/target.h"
#include "measure/cell_text.h"

static tess_status find_name(const job *j, const char **name)
{
    if (*name) return TESS_OK;
    *name = job_text(j, "output", NULL);
    TESS_CHECK(*name, TESS_EARG, "%s: no output; name it with -o", j->verb->name);
    return TESS_OK;
}

tess_status output_check_name(job *j, const char *what, const char *name)
{
    char    path[4096];
    target *t = NULL;
    TESS_TRY(target_parse(&t, j, name));
    const bool  fits = plain_path(path, sizeof path, t->path);
    tess_status status = fits ? output_names_add(j, what, path) : TESS_OK;
    if (status == TESS_OK) status = target_check(t, what);
    target_free(t);
    return status;
}

static bool is_output(const option *o) { return strcmp(o->name, "output") == 0; }

/* A mark such as {half} is replaced by the verb, which checks each of the names. */
static bool is_checked_later(const job *j, const struct given *g)
{
    const char *mark = g->option->mark ? g->option->mark : is_output(g->option) ? j->verb->mark : NULL;
    return (mark && strstr(g->value, mark)) || (j->verb->each == EACH_NAMES && is_output(g->option));
}

/* That of -o is the verb's affair. */
static tess_status check_ending(const job *j, const struct given *g)
{
    char called[48];
    TESS_CHECK(!is_cs_name(g->value) || g->option->is_particles || is_output(g->option), TESS_EARG,
               "%s: %s is %s; cryoSPARC's .cs files hold only particles; another extension is needed", j->verb->name,
               option_called(g->option, called), g->value);
    return TESS_OK;
}

tess_status outputs_check(job *j)
{
    for (int i = 0; i < j->n_given; i++) {
        char                called[48];
        const struct given *g = &j->given[i];
        if (!g->option->writes) continue;
        TESS_TRY(check_ending(j, g));
        if (is_checked_later(j, g) || (g->option->once && j->file > 1)) continue;
        TESS_TRY(output_check_name(j, option_called(g->option, called), g->value));
    }
    return TESS_OK;
}

tess_status output_check(job *j, bool *skip)
{
    const char *name = NULL;
    if (skip) *skip = job_has(j, "dry-run");
    TESS_TRY(find_name(j, &name));
    TESS_TRY(output_check_name(j, "-o", name));
    if (skip && *skip) (void)printf("would write %s\n", name);
    return TESS_OK;
}

tess_status output_dtype(const job *j, tess_dtype *dtype)
{
    const char *name = NULL;
    target     *t = NULL;
    TESS_TRY(find_name(j, &name));
    TESS_TRY(target_parse(&t, j, name));
    *dtype = t->opts.dtype;
    target_free(t);
    return TESS_OK;
}

tess_file_format output_format(const job *j)
{
    target *t = NULL;
    if (target_parse(&t, j, job_text(j, "output", "")) != TESS_OK) return TESS_FORMAT_DEFAULT;
    tess_file_format format = tess_file_format_of(t->path);
    target_free(t);
    return format;
}

/* PNG has one image; a stack becomes one in several ways. */
static tess_status check_picture(const target *t, tess_shape shape)
{
    const int64_t n = shape.b * shape.d;
    TESS_CHECK(n == 1 || t->opts.rgb || tess_file_format_of(t->path) != TESS_FORMAT_PNG, TESS_ESHAPE,
               "%s: PNG holds one image, but there are %lld; --slices N selects one, tessera split writes a file for "
               "each, and tessera view --montage 8x shows all",
               t->path, (long long)n);
    return TESS_OK;
}

tess_status output_planned(job *j, const char *name, tess_shape shape, tess_dtype dtype, bool *skip)
{
    *skip = job_has(j, "dry-run");
    target *t = NULL;
    TESS_TRY(find_name(j, &name));
    TESS_TRY(target_parse(&t, j, name));
    const tess_status status = check_picture(t, shape);
    if (status != TESS_OK || !*skip) {
        target_free(t);
        return status;
    }
    const char *format = tess_file_format_name(tess_file_format_of(t->path));
    (void)printf("would write %s: %s%s%s {%lld,%lld,%lld,%lld}\n", t->path, format, format[0] ? ", " : "",
                 tess_dtype_name(t->opts.dtype ? t->opts.dtype : dtype), (long long)shape.b, (long long)shape.d,
                 (long long)shape.h, (long long)shape.w);
    target_free(t);
    return TESS_OK;
}

/* Names of MRC files that are read as stacks, whatever is in them. */
static bool is_stack_name(const char *path)
{
    static const char *const ends[] = { ".mrcs", ".st", ".ali", ".preali", ".stk" };
    size_t                   n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t m = strlen(ends[i]);
        if (n > m && strcmp(path + n - m, ends[i]) == 0) return true;
    }
    return false;
}

/* MRC has no such numbers, and stores them as u16 or f32. */
static bool is_foreign_to_mrc(tess_dtype dtype, int32_t bytes)
{
    tess_kind kind = tess_dtype_kind(dtype);
    if (dtype == TESS_U8) return bytes != TESS_BYTES_UNSIGNED;
    if (kind == TESS_KIND_COMPLEX) return dtype != TESS_C32;
    return dtype == TESS_F64 || dtype == TESS_BOOL ||
           ((kind == TESS_KIND_INT || kind == TESS_KIND_UINT) && tess_dtype_size(dtype) > 2);
}

/* What --dtype asks for, where MRC has it only in a wider type. */
static void plan_dtype(output *out, job *j, tess_dtype *dtype)
{
    tess_write_opts *opts = &out->target->opts;
    /* What was scaled for a picture is one of bytes. */
    bool picture = tess_file_format_of(out->name) == TESS_FORMAT_PNG && job_has(j, "scale");
    if (picture && !opts->dtype) opts->dtype = TESS_U8;
    tess_dtype asked = opts->dtype;
    bool       mrc = tess_file_format_of(out->name) == TESS_FORMAT_MRC;
    out->dtype = asked ? asked : mrc ? *dtype : TESS_DTYPE_NONE;
    if (!mrc || !asked || !is_foreign_to_mrc(asked, opts->bytes)) return;
    bool whole = tess_dtype_kind(asked) == TESS_KIND_INT || tess_dtype_kind(asked) == TESS_KIND_UINT;
    out->cast = whole && *dtype != asked;
    if (out->cast) *dtype = asked;
    opts->dtype = TESS_DTYPE_NONE;
    job_note(j, "%s: MRC has no %s; values are stored as %s%s", out->name, tess_dtype_name(asked),
             asked == TESS_U8 ? "u16 (mode 6)" : "f32 or c32",
             asked == TESS_U8 ? "; --mode 0u writes bytes, as IMOD marks them" : "");
}

static void tell_names(const output *out, job *j, tess_shape shape)
{
    if (shape.d > 1 && is_stack_name(out->name)) {
        job_note(j, "%s: a volume with the extension of a stack; programs will read it as images", out->name);
    }
    const char *note = tess_writer_note(out->writer);
    if (note[0]) job_note(j, "%s: %s", out->name, note);
}

/* Only MRC has a place for them. */
static void tell_angles(const output *out, job *j, const tess_meta *meta)
{
    char             text[64];
    tess_file_format format = tess_file_format_of(out->name);
    if (!meta || format == TESS_FORMAT_MRC || !tess_meta_is_skew(meta, true)) return;
    job_note(j, "%s: %s cannot store the cell angles, which are %s degrees", out->name, tess_file_format_name(format),
             cell_angles_text(text, meta));
}

static tess_status check_named(output *out)
{
    if (strcmp(out->name, "-") != 0) return TESS_OK;
    output_discard(out);
    TESS_FAIL(TESS_EARG, "-o -: the output format is unknown, as there is no input; name it, as -o -:mrc");
}

tess_status output_start(output *out, job *j, const char *name, tess_shape shape, tess_dtype dtype,
                         const tess_meta *meta)
{
    memset(out, 0, sizeof *out);
    TESS_TRY(find_name(j, &name));
    TESS_TRY(target_parse(&out->target, j, name));
    target *t = out->target;
    t->opts.meta = meta;
    out->name = t->path;
    TESS_TRY(check_named(out));
    plan_dtype(out, j, &dtype);
    tess_status status = check_picture(t, shape);
    if (status == TESS_OK) status = tess_writer_open(&out->writer, t->path, shape, dtype, &t->opts);
    if (status != TESS_OK) output_discard(out);
    else {
        tell_names(out, j, shape);
        tell_angles(out, j, meta);
    }
    return status;
}

static bool is_whole(tess_dtype dtype)
{
    tess_kind kind = tess_dtype_kind(dtype);
    return kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
}

static tess_status count_nan(int64_t *n, const tess_array *images)
{
    tess_array nan = { 0 };
    TESS_TRY(tess_is_nan(&nan, images));
    tess_status status = tess_host_count_nonzero(n, &nan);
    tess_release(&nan);
    return status;
}

/* How many numbers are others after a conversion to `dtype`. */
static tess_status count_changed(int64_t *n, const tess_array *images, tess_dtype dtype)
{
    tess_array  there = { 0 }, back = { 0 }, differ = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_cast(&there, images, dtype, NULL));
    /* Wrapped, so that what was rounded beyond the range does not come back as its limit. */
    TESS_GOTO(done, status, tess_cast(&back, &there, images->dtype, &(tess_cast_opts){ .mode = TESS_CAST_WRAP }));
    TESS_GOTO(done, status, tess_not_equal(&differ, &back, images));
    TESS_GOTO(done, status, tess_host_count_nonzero(n, &differ));
done:
    tess_release(&there);
    tess_release(&back);
    tess_release(&differ);
    return status;
}

/* In the range of a type that the file has only in a wider one. */
static tess_status append_cast(output *out, const tess_array *images)
{
    tess_array  cast = { 0 };
    int64_t     n = 0, nan = 0;
    tess_status status;
    TESS_TRY(count_changed(&n, images, out->dtype));
    if (tess_dtype_kind(images->dtype) == TESS_KIND_FLOAT) TESS_TRY(count_nan(&nan, images));
    out->n_clamped += n - nan;
    TESS_GOTO(done, status, tess_cast(&cast, images, out->dtype, NULL));
    TESS_GOTO(done, status, tess_writer_append(out->writer, &cast));
done:
    tess_release(&cast);
    return status;
}

static tess_status append_rounded(output *out, const tess_array *images)
{
    return out->cast ? append_cast(out, images) : tess_writer_append(out->writer, images);
}

/* Rounding and clamping keep the order of values: an image is constant after it if its minimum and maximum are
 * equal. */
static double stored_as(double value, tess_dtype dtype)
{
    const bool   is_signed = tess_dtype_kind(dtype) == TESS_KIND_INT;
    const double bits = (double)tess_dtype_size(dtype) * 8;
    const double low = is_signed ? -exp2(bits - 1) : 0, high = exp2(bits - is_signed) - 1;
    return fmin(fmax(rint(value), low), high);
}

static tess_status count_flat(output *out, const tess_array *images)
{
    tess_array  least = { 0 }, most = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_min(&least, images, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_max(&most, images, TESS_H | TESS_W, NULL));
    for (int64_t i = 0; i < least.shape.b * least.shape.d; i++) {
        double low, high;
        TESS_GOTO(done, status, tess_get_f64(&low, &least, i / least.shape.d, i % least.shape.d, 0, 0));
        TESS_GOTO(done, status, tess_get_f64(&high, &most, i / most.shape.d, i % most.shape.d, 0, 0));
        if (low < high && stored_as(low, out->dtype) == stored_as(high, out->dtype)) out->n_flat++;
    }
done:
    tess_release(&least);
    tess_release(&most);
    return status;
}

/* What is left of images when their fractions were rounded. */
static tess_status count_rounded(output *out, const tess_array *images, const tess_array *rounded)
{
    int64_t before = 0, after = 0;
    TESS_TRY(tess_host_count_nonzero(&before, images));
    TESS_TRY(tess_host_count_nonzero(&after, rounded));
    out->n_nonzero += before;
    out->n_zeroed += before - after;
    return count_flat(out, images);
}

/* As integers have it: so that statistics are those of what is stored. */
static tess_status make_nan_zero(tess_array *images)
{
    tess_array nan = { 0 };
    TESS_TRY(tess_is_nan(&nan, images));
    tess_status status = tess_where(images, &nan, &tess_num(0), images);
    tess_release(&nan);
    return status;
}

/* Fractions are rounded to integers, not truncated. */
static tess_status append_part(output *out, const tess_array *images)
{
    if (tess_dtype_kind(images->dtype) != TESS_KIND_FLOAT || !is_whole(out->dtype)) return append_rounded(out, images);
    tess_array  rounded = { 0 };
    int64_t     nan = 0;
    tess_status status;
    TESS_TRY(count_nan(&nan, images));
    TESS_GOTO(done, status, tess_rint(&rounded, images));
    TESS_GOTO(done, status, count_rounded(out, images, &rounded));
    if (nan > 0) TESS_GOTO(done, status, make_nan_zero(&rounded));
    TESS_GOTO(done, status, append_rounded(out, &rounded));
done:
    tess_release(&rounded);
    return status;
}

/* What is converted here goes in small parts, so that what is made on the way takes little memory, and stays in the
 * cache. */
static tess_status append_in_parts(output *out, const tess_array *images)
{
    enum { PART = 1 << 18 }; /* elements */
    const tess_shape shape = images->shape;
    const int64_t    fit = PART / (shape.h * shape.w), n = fit > 1 ? fit : 1;
    if (shape.d == 1) {
        for (int64_t b = 0; b < shape.b; b += n) {
            tess_array part;
            TESS_TRY(tess_slice(&part, images, 0, b, b + n < shape.b ? b + n : shape.b, 1));
            TESS_TRY(append_part(out, &part));
        }
        return TESS_OK;
    }
    for (int64_t i = 0, sections = (shape.d + n - 1) / n; i < shape.b * sections; i++) {
        const int64_t z = i % sections * n;
        tess_array    volume, part;
        TESS_TRY(tess_index(&volume, images, 0, i / sections));
        TESS_TRY(tess_slice(&part, &volume, 1, z, z + n < shape.d ? z + n : shape.d, 1));
        TESS_TRY(append_part(out, &part));
    }
    return TESS_OK;
}

/* Floating-point numbers with a smaller range in the file. */
static bool is_narrowed(const output *out, tess_dtype from)
{
    tess_losses losses;
    tess_writer_losses(&losses, out->writer);
    const tess_kind to = tess_dtype_kind((tess_dtype)losses.dtype);
    return tess_dtype_kind(from) == TESS_KIND_FLOAT && to == TESS_KIND_FLOAT &&
           tess_dtype_size((tess_dtype)losses.dtype) < tess_dtype_size(from);
}

tess_status output_append(output *out, const tess_array *images)
{
    const bool round = tess_dtype_kind(images->dtype) == TESS_KIND_FLOAT && is_whole(out->dtype);
    const bool here = round || out->cast;
    out->n_values += tess_n_elements(images);
    TESS_TRY(nonfinite_add(&out->odd, images));
    if (is_narrowed(out, images->dtype)) {
        int64_t nonzero = 0; /* small ones become 0: whether all did, the statistics of the file say */
        TESS_TRY(tess_host_count_nonzero(&nonzero, images));
        out->n_nonzero += nonzero;
    }
    if (tess_is_empty(images) || !here) return tess_writer_append(out->writer, images);
    return out->target->opts.rgb ? append_part(out, images) : append_in_parts(out, images);
}

/* Values too close together for integers: the user wanted them scaled. */
static void tell_rounding(const output *out, job *j, const tess_meta *stats, tess_dtype stored)
{
    const char *dtype = tess_dtype_name(out->dtype);
    const char *advice = strcmp(j->verb->name, "convert") == 0 ? "" : "tessera convert ";
    if (tess_dtype_kind(stored) == TESS_KIND_FLOAT && out->n_nonzero > 0 && (stats->stats & TESS_STATS_MINMAX) &&
        stats->min == 0 && stats->max == 0) {
        job_warn(j,
                 "%s: all %lld values that were not 0 are too small for %s and became 0; %s--scale full spreads them",
                 out->name, (long long)out->n_nonzero, tess_dtype_name(stored), advice);
    }
    if (out->n_zeroed > out->n_nonzero / 2) {
        job_warn(j,
                 "%s: %lld of %lld values that were not 0 became 0 when they were rounded to %s; %s--scale full or "
                 "%s--scale sigma=3 spreads them over its range",
                 out->name, (long long)out->n_zeroed, (long long)out->n_nonzero, dtype, advice, advice);
    } else if (out->n_flat > 0) {
        job_warn(j,
                 "%s: %lld image%s only one value after rounding to %s; %s--scale full or %s--scale sigma=3 spreads "
                 "them over its range",
                 out->name, (long long)out->n_flat, out->n_flat == 1 ? " has" : "s have", dtype, advice, advice);
    }
}

/* Integers have none; f16 and wider keep them. */
static void tell_nonfinite(const output *out, job *j)
{
    char       limits[60] = "";
    const bool whole = is_whole(out->dtype), mrc = tess_file_format_of(out->name) == TESS_FORMAT_MRC;
    if (whole) (void)snprintf(limits, sizeof limits, " (stored as a limit of %s)", tess_dtype_name(out->dtype));
    else if (mrc && out->odd.n_nan > 0) (void)snprintf(limits, sizeof limits, "; its header has no statistics");
    nonfinite_tell(&out->odd, j, out->name, whole ? " (stored as 0)" : out->odd.n_inf > 0 ? "" : limits, limits);
}

static void tell_losses(const output *out, job *j)
{
    tess_meta   stats = { 0 };
    tess_losses losses;
    char        text[160];
    tess_writer_stats(&stats, NULL, NULL, out->writer);
    tess_writer_losses(&losses, out->writer);
    const tess_dtype  dtype = out->dtype ? out->dtype : (tess_dtype)losses.dtype;
    const tess_losses limited = { .n_values = out->n_values,
                                  .n_clamped = losses.n_clamped + out->n_clamped - out->odd.n_inf,
                                  .dtype = (int32_t)dtype };
    if (is_whole(dtype) && tess_losses_text(text, sizeof text, &limited, 0)) job_warn(j, "%s: %s", out->name, text);
    losses.n_clamped = losses.n_nan = 0; /* told here */
    for (int i = 0; tess_losses_text(text, sizeof text, &losses, i); i++) job_warn(j, "%s: %s", out->name, text);
    tell_rounding(out, j, &stats, (tess_dtype)losses.dtype);
    tell_nonfinite(out, j);
}

tess_status output_finish(output *out, job *j)
{
    tell_losses(out, j);
    tess_status status = tess_writer_finish(out->writer);
    out->writer = NULL;
    if (status == TESS_OK) job_detail(j, "wrote %s", out->name);
    output_discard(out);
    return status;
}

void output_discard(output *out)
{
    tess_writer_discard(out->writer);
    target_free(out->target);
    memset(out, 0, sizeof *out);
}

tess_status output_end(output *out, job *j, tess_status status)
{
    if (status == TESS_OK) return output_finish(out, j);
    output_discard(out);
    return status;
}

tess_status output_write(job *j, const char *name, const tess_array *in, const tess_meta *meta)
{
    output out;
    TESS_TRY(output_start(&out, j, name, in->shape, in->dtype, meta));
    return output_end(&out, j, output_append(&out, in));
}
