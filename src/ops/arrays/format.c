/* Formatting of arrays as text, in NumPy's layout. Vectors get one more pair of brackets and matrices two.
 *
 * Three walks over the elements that are shown, without memory of its own: see the range of the numbers, measure their
 * texts, print them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/arrays/number_text.h"

static const tess_arg_info args[] = {
    TESS__OPT_I64(tess_format_opts, threshold, "elements", 1000, 1, 0x1p63,
                  "number of elements above which an array is summarised"),
    TESS__OPT_I32(tess_format_opts, edge, "elements", 3, 1, INT32_MAX,
                  "elements shown at each end of a summarised axis"),
    TESS__OPT_I32(tess_format_opts, precision, "digits", 8, 1, 100, "maximum number of digits after the decimal point"),
    TESS__OPT_I32(tess_format_opts, width, "characters", 75, 1, INT32_MAX, "maximum length of a line"),
    TESS__FLAG(tess_format_opts, no_header, "leave out the line with dtype, shape, strides and device"),
    TESS__FLAG(tess_format_opts, all_axes, "write four pairs of brackets, also for leading axes of size 1"),
    TESS__FLAG(tess_format_opts, commas, "text between elements"),
};
static const tess_function_info info =
    TESS__INFO_OPTS("format", "array", "Format an array as text.", args, tess_format_opts);

/* Columns of each compound type; 0 for scalars. */
static const uint8_t compound_columns[TESS_DTYPE_COUNT] = {
#define COLUMNS(NAME, name, REAL, real, rows, columns) [TESS_##NAME] = (columns),
    TESS_COMPOUND_DTYPES(COLUMNS)
#undef COLUMNS
};

/* A real as the widest type of its kind. */
typedef union number {
    int64_t  i;
    uint64_t u;
    double   f;
} number;

/* An axis of brackets. */
typedef struct bracket_axis {
    int64_t n;
    int64_t step; /* bytes */
    int64_t edge; /* indices shown at each end; 0: all */
    int64_t gone; /* indices between them that are not in memory */
} bracket_axis;

enum { MAX_AXES = 6 };

typedef struct printer {
    bracket_axis axes[MAX_AXES];
    int          n_axes;

    tess_dtype  real;
    tess_dtype  wide;     /* what reals are read as */
    tess_kind   kind;     /* of a real */
    int         n_parts;  /* reals that make one number: 2 for complex, else 1 */
    tess__style parts[2]; /* of floating types */
    int         digits;   /* the widest number of integer types */

    char   *text;
    size_t  size, length;
    int64_t column;  /* characters in this line, pending spaces included */
    int64_t pending; /* spaces that are dropped if the line ends here */
    int64_t width;
    bool    commas;
} printer;

static void add_axis(printer *p, int64_t n, int64_t step, int64_t edge, int64_t gone)
{
    p->axes[p->n_axes++] = (bracket_axis){ n, step, n > 2 * edge ? edge : 0, gone };
}

/* Indices shown at each end of an axis; 0: all of them, of every axis. */
static int64_t edge_of(const tess_array *a, const tess_format_opts *o)
{
    return tess_n_elements(a) > o->threshold ? o->edge : 0;
}

/* `shown` has the elements of `a`, or those of them that are shown. */
static void set_axes(printer *p, const tess_array *a, const tess_array *shown, const tess_format_opts *o)
{
    const int64_t size = tess__dtype_size(a->dtype), real = tess__dtype_size(p->real);
    const int64_t columns = compound_columns[a->dtype];
    int           first = 0;
    while (!o->all_axes && first < 3 && a->shape.dim[first] == 1) first++;
    for (int k = first; k < 4; k++)
        add_axis(p, a->shape.dim[k], shown->strides.dim[k] * size, edge_of(a, o),
                 a->shape.dim[k] - shown->shape.dim[k]);
    if (columns == 0) return;
    const int64_t rows = tess_dtype_reals(a->dtype) / columns;
    if (rows > 1) add_axis(p, rows, columns * real, 0, 0);
    add_axis(p, columns, real, 0, 0);
}

static void set_numbers(printer *p, const tess_array *a, const tess_format_opts *o)
{
    p->real = tess_dtype_real(a->dtype);
    p->kind = tess_dtype_kind(p->real);
    p->wide = p->kind == TESS_KIND_FLOAT ? TESS_F64 : p->kind == TESS_KIND_INT ? TESS_I64 : TESS_U64;
    p->n_parts = tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX ? 2 : 1;
    for (int k = 0; k < 2; k++)
        p->parts[k] = (tess__style){ .real = p->real, .imaginary = k == 1, .precision = o->precision };
}

static const char *item_at(const bracket_axis *a, const char *at, int64_t i)
{
    return at + (a->edge && i >= a->edge ? i - a->gone : i) * a->step;
}

/* What a walk does with each number that is shown, by its address. */
typedef tess_status visitor(printer *p, const char *at);

static tess_status each_number(printer *p, int axis, const char *at, visitor *visit)
{
    if (axis == p->n_axes) {
        TESS_TRY(visit(p, at));
        return TESS_OK;
    }
    const bracket_axis *a = &p->axes[axis];
    for (int64_t i = 0; i < a->n; i++) {
        if (a->edge && i == a->edge) i = a->n - a->edge;
        TESS_TRY(each_number(p, axis + 1, item_at(a, at, i), visit));
    }
    return TESS_OK;
}

static tess_status read_part(const printer *p, const char *at, int part, number *value)
{
    TESS_TRY(tess__convert(value, p->wide, at + part * tess__dtype_size(p->real), p->real));
    return TESS_OK;
}

static void write_part(tess__slot *w, const printer *p, int part, number value)
{
    char text[32];
    if (p->kind == TESS_KIND_FLOAT) {
        tess__style_write(w, &p->parts[part], value.f);
        return;
    }
    if (p->kind == TESS_KIND_BOOL) (void)snprintf(text, sizeof text, "%s", value.u ? " True" : "False");
    else if (p->kind == TESS_KIND_UINT) (void)snprintf(text, sizeof text, "%*" PRIu64, p->digits, value.u);
    else (void)snprintf(text, sizeof text, "%*" PRId64, p->digits, value.i);
    tess__slot_add(w, text);
}

static tess_status see_float(printer *p, const char *at)
{
    number value;
    for (int k = 0; k < p->n_parts; k++) {
        TESS_TRY(read_part(p, at, k, &value));
        tess__style_see(&p->parts[k], value.f);
    }
    return TESS_OK;
}

static tess_status measure_float(printer *p, const char *at)
{
    number value;
    for (int k = 0; k < p->n_parts; k++) {
        TESS_TRY(read_part(p, at, k, &value));
        tess__style_measure(&p->parts[k], value.f);
    }
    return TESS_OK;
}

static tess_status measure_integer(printer *p, const char *at)
{
    number     value;
    tess__slot w;
    w.n = 0;
    TESS_TRY(read_part(p, at, 0, &value));
    write_part(&w, p, 0, value);
    p->digits = w.n;
    return TESS_OK;
}

static tess_status find_widths(printer *p, const tess_array *a)
{
    if (p->kind != TESS_KIND_FLOAT) {
        TESS_TRY(each_number(p, 0, a->data, measure_integer));
        return TESS_OK;
    }
    TESS_TRY(each_number(p, 0, a->data, see_float));
    for (int k = 0; k < p->n_parts; k++) TESS_TRY(tess__style_choose(&p->parts[k]));
    TESS_TRY(each_number(p, 0, a->data, measure_float));
    for (int k = 0; k < p->n_parts; k++) tess__style_settle(&p->parts[k]);
    return TESS_OK;
}

static void put_raw(printer *p, char c)
{
    if (p->length + 1 < p->size) p->text[p->length] = c;
    p->length++;
}

/* Spaces wait until something follows them in the line. */
static void put(printer *p, char c)
{
    p->column++;
    if (c == ' ') {
        p->pending++;
        return;
    }
    for (; p->pending > 0; p->pending--) put_raw(p, ' ');
    put_raw(p, c);
}

static void put_new_line(printer *p, int indent)
{
    put_raw(p, '\n');
    p->column = p->pending = 0;
    while (indent-- > 0) put(p, ' ');
}

static void put_text(printer *p, const char *text, int n)
{
    for (int i = 0; i < n; i++) put(p, text[i]);
}

/* Space is left for the closing brackets. A line that has no word yet takes one of any length. */
static void put_word(printer *p, const char *text, int n)
{
    if (p->column > p->n_axes && p->column + n > p->width - p->n_axes) put_new_line(p, p->n_axes);
    put_text(p, text, n);
}

static tess_status put_number(printer *p, const char *at)
{
    tess__slot w;
    w.n = 0;
    for (int k = 0; k < p->n_parts; k++) {
        number value;
        TESS_TRY(read_part(p, at, k, &value));
        write_part(&w, p, k, value);
    }
    put_word(p, w.text, w.n);
    return TESS_OK;
}

/* What stands between two items of an axis, behind a comma: a space in a row, then one line break, then one blank
 * line more for each axis further out. */
static void put_separator(printer *p, int axis)
{
    const int inner = p->n_axes - 1 - axis;
    if (p->commas) put(p, ',');
    if (inner == 0) put(p, ' ');
    for (int k = 0; k < inner; k++) put_new_line(p, k == inner - 1 ? axis + 1 : 0);
}

static tess_status put_axis(printer *p, int axis, const char *at)
{
    if (axis == p->n_axes) {
        TESS_TRY(put_number(p, at));
        return TESS_OK;
    }
    const bracket_axis *a = &p->axes[axis];
    put(p, '[');
    for (int64_t i = 0; i < a->n; i++) {
        if (i > 0) put_separator(p, axis);
        if (a->edge && i == a->edge) {
            if (axis == p->n_axes - 1) put_word(p, "...", 3);
            else put_text(p, "...", 3);
            put_separator(p, axis);
            i = a->n - a->edge;
        }
        TESS_TRY(put_axis(p, axis + 1, item_at(a, at, i)));
    }
    put(p, ']');
    return TESS_OK;
}

static void put_header(printer *p, const tess_array *a)
{
    char      text[3 * TESS__SHAPE_TEXT], shape[TESS__SHAPE_TEXT], strides[TESS__SHAPE_TEXT], device[24];
    const int n = snprintf(text, sizeof text, "%s array, shape %s, strides %s, %s", tess_dtype_name(a->dtype),
                           tess__shape_text(shape, a->shape.dim), tess__shape_text(strides, a->strides.dim),
                           tess_device_name(device, sizeof device, a->device));
    put_text(p, text, n);
    put_new_line(p, 0);
}

static tess_status print(printer *p, const tess_array *a, const tess_array *shown, const tess_format_opts *o)
{
    set_numbers(p, a, o);
    set_axes(p, a, shown, o);
    if (!tess_is_empty(a)) TESS_TRY(find_widths(p, shown));
    if (!o->no_header) put_header(p, a);
    if (tess_is_empty(a)) put_text(p, "[]", 2);
    else TESS_TRY(put_axis(p, 0, shown->data));
    if (p->size > 0) p->text[p->length < p->size ? p->length : p->size - 1] = '\0';
    return TESS_OK;
}

/* The part of an array that has along axis k the first n[k] indices, or the last ones if bit k of `ends` is set. */
static tess_array part_of(const tess_array *a, const int64_t n[4], int ends)
{
    tess_array part = *a;
    int64_t    offset = 0;
    for (int k = 0; k < 4; k++) {
        if (ends >> k & 1) offset += (a->shape.dim[k] - n[k]) * a->strides.dim[k];
        part.shape.dim[k] = n[k];
    }
    part.data = (char *)a->data + offset * tess__dtype_size(a->dtype);
    return part;
}

/* Of an array on another device, what is shown: an axis that is summarised has its two ends. */
static tess_status fetch(tess_array *shown, const tess_array *a, int64_t edge)
{
    tess_shape shape = a->shape;
    int64_t    n[4];
    int        cut = 0;
    for (int k = 0; k < 4; k++) {
        const bool summarised = edge && shape.dim[k] > 2 * edge;
        if (summarised) shape.dim[k] = 2 * edge;
        n[k] = summarised ? edge : shape.dim[k];
        cut |= summarised ? 1 << k : 0;
    }
    TESS_TRY(tess__sync("format", a->device)); /* deferred errors of earlier work are reported under their own name */
    TESS_TRY(tess__make("format", shown, shape, a->dtype, tess_cpu(), false));
    for (int ends = 0; ends < 16; ends++) {
        if (ends & ~cut) continue;
        tess_array       here = part_of(shown, n, ends);
        const tess_array there = part_of(a, n, ends);
        TESS_TRY(tess__error_under(tess_to_device(&here, &there, tess_cpu()), "format"));
    }
    return TESS_OK;
}

tess_status tess_format(char *text, size_t size, size_t *length, const tess_array *a, const tess_format_opts *opts)
{
    tess_format_opts o;
    TESS_TRY(tess__resolve(&info, opts, &o));
    TESS_CHECK(text || size == 0, TESS_EARG,
               "format: `text` is `NULL` and `size` is %zu; `NULL` is allowed with size 0 only", size);
    TESS_TRY(tess__check_array("format", "a", a));
    tess_array  shown = { .data = NULL };
    tess_status status;
    const bool  far = a->device.kind != TESS_CPU && !tess_is_empty(a);
    printer     p = { .text = text, .size = size, .width = o.width, .commas = o.commas };
    if (far) TESS_GOTO(done, status, fetch(&shown, a, edge_of(a, &o)));
    TESS_GOTO(done, status, tess__sync("format", tess_cpu()));
    TESS_GOTO(done, status, print(&p, a, far ? &shown : a, &o));
    if (length) *length = p.length;
done:
    tess_release(&shown);
    return status;
}
