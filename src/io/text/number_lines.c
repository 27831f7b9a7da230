/* Sidecar files of numbers in lines: tilt angles (.tlt, .rawtlt) and transforms (.xf). */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "io/text/text.h"
#include "tessera/sidecar.h"

static const tess_arg_info tilts_args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__IN("in", "angles in degrees; any strides"),
    TESS__FLAG(tess_sidecar_opts, overwrite, "overwrite an existing file"),
};
const tess_function_info tess__info_tilts_write = TESS__INFO_OPTS(
    "tilts_write", "sidecar", "Write tilt angles to a file, one per line.", tilts_args, tess_sidecar_opts);

static const tess_arg_info xf_args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__IN("in", "transforms, mat23_f64 or mat23_f32; any strides"),
    TESS__FLAG(tess_sidecar_opts, overwrite, "overwrite an existing file"),
};
const tess_function_info tess__info_xf_write =
    TESS__INFO_OPTS("xf_write", "sidecar", "Write transforms to a file, one per line.", xf_args, tess_sidecar_opts);

/* ---- Reading ---- */

/* Lines of `per_line` numbers each; what may follow them, the same number of numbers in all lines, is not kept. */
typedef struct lines {
    const char *fn, *path;
    int         per_line;
    int         max_per_line;
    double     *numbers; /* NULL: they are only counted */
    int64_t     n;       /* lines with numbers */
    int         found;   /* numbers of the first of these */
} lines;

static tess_status check_count(lines *l, int found, int64_t number)
{
    const int least = l->per_line, most = l->max_per_line;
    TESS_CHECK(found >= least && found <= most, TESS_EFORMAT, "%s: %s: line %" PRId64 " has %d numbers; expected %d%s",
               l->fn, l->path, number, found, least, least < most ? " or one more" : "");
    if (l->n == 0) l->found = found;
    TESS_CHECK(found == l->found, TESS_EFORMAT,
               "%s: %s: line %" PRId64 " has %d numbers, but the lines before have %d; all lines must have as many",
               l->fn, l->path, number, found, l->found);
    return TESS_OK;
}

static tess_status read_line(lines *l, const char *at, const char *end, int64_t number)
{
    int found = 0;
    for (;;) {
        while (at < end && tess__is_blank(*at)) at++;
        if (at == end) break;
        const char *from = at;
        double      value;
        while (at < end && !tess__is_blank(*at)) at++;
        const int shown = at - from < 40 ? (int)(at - from) : 40;
        TESS_CHECK(tess__text_f64(&value, from, at - from), TESS_EFORMAT,
                   "%s: %s: line %" PRId64 ": \"%.*s\" is not a number", l->fn, l->path, number, shown, from);
        if (l->numbers && found < l->per_line) l->numbers[l->n * l->per_line + found] = value;
        found++;
    }
    if (found > 0) TESS_TRY(check_count(l, found, number));
    l->n += found > 0;
    return TESS_OK;
}

static tess_status read_lines(lines *l, const char *text)
{
    int64_t number = 0;
    l->n = 0;
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        TESS_TRY(read_line(l, text, end, ++number));
        text = *end ? end + 1 : end;
    }
    return TESS_OK;
}

/* The numbers as an array {n,1,1,1} of `dtype`, which has as many f64 as a line has numbers. */
static tess_status take_lines(tess_array *result, lines *l, const char *text, int64_t n_images, tess_dtype dtype)
{
    TESS_TRY(read_lines(l, text));
    TESS_CHECK(n_images == 0 || l->n == n_images, TESS_EARG,
               "%s: %s has %" PRId64 " lines; there are %" PRId64 " images", l->fn, l->path, l->n, n_images);
    TESS_TRY(tess_empty(result, TESS_SHAPE(l->n, 1, 1, 1), dtype, tess_cpu()));
    l->numbers = result->data;
    TESS_TRY(read_lines(l, text));
    return TESS_OK;
}

static tess_status hand_over(tess_array *out, tess_array *result)
{
    if (tess__is_empty_out(out)) {
        *out = *result;
        *result = (tess_array){ .data = NULL };
        return TESS_OK;
    }
    TESS_TRY(tess_cast(out, result, TESS_DTYPE_NONE, NULL));
    return TESS_OK;
}

/* A file of lines; `convert`, unless it is NULL, changes the numbers of each in place. */
static tess_status read_file(tess_array *out, lines *l, int64_t n_images, tess_dtype dtype, void (*convert)(double *))
{
    tess_array  result = { .data = NULL };
    char       *text;
    int64_t     n;
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_pointer(l->fn, "out", out));
    TESS_TRY(tess__text_read(&text, &n, l->fn, l->path));
    TESS_GOTO(done, status, take_lines(&result, l, text, n_images, dtype));
    for (int64_t i = 0; convert && i < l->n; i++) convert((double *)result.data + i * l->per_line);
    TESS_GOTO(done, status, hand_over(out, &result));
done:
    tess__free(text);
    tess_release(&result);
    return status;
}

tess_status tess_tilts_read(tess_array *out, const char *path, int64_t n_images)
{
    lines l = { .fn = "tilts_read", .path = path, .per_line = 1, .max_per_line = 2 };
    TESS_TRY(read_file(out, &l, n_images, TESS_F64, NULL));
    return TESS_OK;
}

/* Convert a11 a12 a21 a22 dx dy of (x, y) to the rows of a matrix of (y, x), in place; and back. */
static void to_matrix(double *m)
{
    const double line[6] = { m[0], m[1], m[2], m[3], m[4], m[5] };
    m[0] = line[3], m[1] = line[2], m[2] = line[5];
    m[3] = line[1], m[4] = line[0], m[5] = line[4];
}

static void from_matrix(double *line, const double *m)
{
    line[0] = m[4], line[1] = m[3], line[2] = m[1], line[3] = m[0];
    line[4] = m[5], line[5] = m[2];
}

tess_status tess_xf_read(tess_array *out, const char *path, int64_t n_images)
{
    lines l = { .fn = "xf_read", .path = path, .per_line = 6, .max_per_line = 6 };
    TESS_TRY(read_file(out, &l, n_images, TESS_MAT23_F64, to_matrix));
    return TESS_OK;
}

/* ---- Writing ---- */

/* A line of numbers. */
static tess_status put_numbers(tess__text_out *out, const double *numbers, int per_line)
{
    char text[32];
    for (int k = 0; k < per_line; k++) {
        if (k) TESS_TRY(tess__text_put(out, " ", 1));
        TESS_TRY(tess__text_put_string(out, tess__number_text(text, numbers[k])));
    }
    TESS_TRY(tess__text_put(out, "\n", 1));
    return TESS_OK;
}

static tess_status write_lines(const char *fn, const char *path, const double *numbers, int64_t n, int per_line,
                               bool overwrite)
{
    tess__text_out *out;
    tess_status     status = TESS_OK;
    TESS_TRY(tess__text_out_open(&out, fn, path, overwrite));
    for (int64_t i = 0; i < n && status == TESS_OK; i++) status = put_numbers(out, numbers + i * per_line, per_line);
    TESS_TRY(tess__text_out_close(out, status));
    return TESS_OK;
}

tess_status tess_tilts_write(const char *path, const tess_array *in, const tess_sidecar_opts *opts)
{
    tess_sidecar_opts o;
    tess_array        copy = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_tilts_write, opts, &o));
    TESS_TRY(tess__check_numbers("tilts_write", "in", in));
    TESS_TRY(tess__check_ordered("tilts_write", "in", in->dtype));
    TESS_TRY(tess__check_on_host("tilts_write", "in", in));
    TESS_GOTO(done, status, tess_cast(&copy, in, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__sync("tilts_write", tess_cpu()));
    TESS_GOTO(done, status, write_lines("tilts_write", path, copy.data, tess_n_elements(in), 1, o.overwrite != 0));
done:
    tess_release(&copy);
    return status;
}

/* The matrices of an array as lines of numbers, in `lines`. */
static void fill_lines(double *to, const tess_array *matrices)
{
    const int64_t n = tess_n_elements(matrices);
    for (int64_t i = 0; i < n; i++) {
        double m[6];
        for (int k = 0; k < 6; k++)
            m[k] = matrices->dtype == TESS_MAT23_F64 ? ((const double *)matrices->data)[6 * i + k]
                                                     : (double)((const float *)matrices->data)[6 * i + k];
        from_matrix(to + 6 * i, m);
    }
}

tess_status tess_xf_write(const char *path, const tess_array *in, const tess_sidecar_opts *opts)
{
    tess_sidecar_opts o;
    tess_array        copy = { .data = NULL }, numbers = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_xf_write, opts, &o));
    TESS_TRY(tess__check_array("xf_write", "in", in));
    TESS_CHECK(in->dtype == TESS_MAT23_F64 || in->dtype == TESS_MAT23_F32, TESS_EDTYPE,
               "xf_write: `in` is of %s; expected mat23_f64 or mat23_f32", tess_dtype_name(in->dtype));
    TESS_TRY(tess__check_on_host("xf_write", "in", in));
    TESS_GOTO(done, status, tess_copy(&copy, in));
    TESS_GOTO(done, status, tess__sync("xf_write", tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&numbers, TESS_SHAPE(1, 1, tess_n_elements(in), 6), TESS_F64, tess_cpu()));
    fill_lines(numbers.data, &copy);
    TESS_GOTO(done, status, write_lines("xf_write", path, numbers.data, tess_n_elements(in), 6, o.overwrite != 0));
done:
    tess_release(&copy);
    tess_release(&numbers);
    return status;
}
