/* Arrays of small vectors and matrices: component views of compound elements and of the last axes of numbers. */
#include "ops/geometry/items/items.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"

/* ---- Dtypes ---- */

typedef struct compound {
    tess_dtype dtype, real;
    int        rows, columns;
} compound;

static const compound compounds[] = {
#define ROW(NAME, name, REAL, real, rows, columns) { TESS_##NAME, TESS_##REAL, rows, columns },
    TESS_COMPOUND_DTYPES(ROW)
#undef ROW
};
enum { COMPOUNDS = sizeof compounds / sizeof *compounds };

static const compound *compound_of(tess_dtype dtype)
{
    for (int i = 0; i < COMPOUNDS; i++)
        if (compounds[i].dtype == dtype) return &compounds[i];
    return NULL;
}

static tess_dtype compound_dtype(tess_dtype real, int rows, int columns)
{
    for (int i = 0; i < COMPOUNDS; i++)
        if (compounds[i].real == real && compounds[i].rows == rows && compounds[i].columns == columns)
            return compounds[i].dtype;
    return TESS_DTYPE_NONE;
}

/* ---- Components ---- */

static bool fits(const tess__item_form *form, int rows, int64_t columns)
{
    const bool sized = (!form->rows || form->rows == rows) && (!form->columns || form->columns == columns);
    if (form->kind == TESS__ITEM_VECTOR) return rows == 1 && sized && columns >= 2 && columns <= 4;
    if (form->kind == TESS__ITEM_SCALAR) return rows == 1 && columns == 1;
    return rows >= 2 && rows <= 4 && columns >= rows && columns <= rows + 1 && columns <= 4 && sized;
}

static void describe(char text[96], const tess__item_form *form)
{
    if (form->kind == TESS__ITEM_SCALAR) (void)snprintf(text, 96, "one number per item is needed");
    else if (form->kind == TESS__ITEM_VECTOR && form->columns)
        (void)snprintf(text, 96, "numbers {b,d,h,%d} or vec%d elements are needed", form->columns, form->columns);
    else if (form->kind == TESS__ITEM_VECTOR)
        (void)snprintf(text, 96, "numbers {b,d,h,2 to 4} or vec2, vec3 or vec4 elements are needed");
    else if (form->rows)
        (void)snprintf(text, 96, "numbers {b,d,%d,%d} or mat%d%d elements are needed", form->rows, form->columns,
                       form->rows, form->columns);
    else (void)snprintf(text, 96, "matrices of 2x2, 2x3, 3x3, 3x4 or 4x4 are needed, as last axes or as elements");
}

static tess_status reject(const char *fn, const char *arg, const tess_array *a, const tess__item_form *form)
{
    char text[TESS__SHAPE_TEXT], needed[96];
    describe(needed, form);
    TESS_FAIL(compound_of(a->dtype) ? TESS_EDTYPE : TESS_ESHAPE, "%s: `%s` is %s %s; %s", fn, arg,
              tess_dtype_name(a->dtype), tess__shape_text(text, a->shape.dim), needed);
}

static tess_status take_compounds(tess__items *items, const char *fn, const tess_array *a, const tess__item_form *form)
{
    const compound *c = compound_of(a->dtype);
    if (!fits(form, c->rows, c->columns)) return reject(fn, items->arg, a, form);
    items->is_compound = true;
    items->rows = c->rows;
    items->columns = c->columns;
    items->row_step = c->columns;
    items->column_step = 1;
    items->first = *a;
    items->first.dtype = c->real;
    for (int k = 0; k < 4; k++) items->first.strides.dim[k] *= c->rows * c->columns;
    return TESS_OK;
}

/* Numbers whose last axis, or last two, are components. */
static tess_status take_numbers(tess__items *items, const char *fn, const tess_array *a, const tess__item_form *form)
{
    const bool    is_matrix = form->kind == TESS__ITEM_MATRIX, is_scalar = form->kind == TESS__ITEM_SCALAR;
    const int64_t rows = is_matrix ? a->shape.h : 1, columns = is_scalar ? 1 : a->shape.w;
    if (rows > 4 || columns > 4 || !fits(form, (int)rows, columns)) return reject(fn, items->arg, a, form);
    items->is_compound = false;
    items->rows = (int)rows;
    items->columns = (int)columns;
    items->row_step = a->strides.h;
    items->column_step = a->strides.w;
    items->first = *a;
    if (!is_scalar) items->first.shape.w = 1;
    if (is_matrix) items->first.shape.h = 1;
    if (form->lists && !is_matrix && a->shape.b == 1 && a->shape.d == 1 && a->shape.h > 1) {
        items->first.shape = TESS_SHAPE(a->shape.h, 1, 1, 1);
        items->first.strides.b = a->strides.h;
    }
    return TESS_OK;
}

static tess_status take(tess__items *items, const char *fn, const tess_array *a, const tess__item_form *form)
{
    if (compound_of(a->dtype)) TESS_TRY(take_compounds(items, fn, a, form));
    else TESS_TRY(take_numbers(items, fn, a, form));
    return TESS_OK;
}

tess_status tess__items_of(tess__items *items, const char *fn, const char *arg, const tess_array *in,
                           tess__item_form form)
{
    memset(items, 0, sizeof *items);
    items->arg = arg;
    TESS_TRY(tess__check_array(fn, arg, in));
    TESS_CHECK(tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: `%s` is %s; real numbers are needed",
               fn, arg, tess_dtype_name(in->dtype));
    TESS_TRY(take(items, fn, in, &form));
    if (items->first.dtype == TESS_F32 || items->first.dtype == TESS_F64) return TESS_OK;
    tess_array as_floats = { .data = NULL };
    TESS_TRY(tess_cast(&as_floats, in, in->dtype == TESS_F16 ? TESS_F32 : TESS_F64, NULL));
    TESS_TRY(take(items, fn, &as_floats, &form)); /* the shape is the same: this cannot fail */
    items->held = as_floats;
    return TESS_OK;
}

void tess__items_end(tess__items *items) { tess_release(&items->held); }

tess_array tess__items_component(const tess__items *items, int row, int column)
{
    tess_array    c = items->first;
    const int64_t offset = row * items->row_step + column * items->column_step;
    c.data = (char *)c.data + offset * tess__dtype_size(c.dtype);
    return c;
}

tess__items tess__items_rows(const tess__items *items, int first, int n)
{
    tess__items rows = *items;
    rows.first = tess__items_component(items, first, 0);
    rows.rows = n;
    return rows;
}

/* ---- Outputs ---- */

static tess_status items_shape(tess_shape *shape, const char *fn, const tess__items *const *inputs, int n)
{
    const char       *names[3];
    const tess_array *arrays[3];
    for (int k = 0; k < n; k++) names[k] = inputs[k]->arg, arrays[k] = &inputs[k]->first;
    TESS_TRY(tess__common_shape(shape, fn, names, arrays, n));
    return TESS_OK;
}

/* The shape of numbers that hold items of this shape. */
static tess_status numbers_shape(tess_shape *shape, const char *fn, const tess__item_form *form)
{
    char       text[TESS__SHAPE_TEXT];
    const bool is_matrix = form->kind == TESS__ITEM_MATRIX;
    if (form->kind == TESS__ITEM_SCALAR) return TESS_OK;
    TESS_CHECK(shape->w == 1 && (!is_matrix || shape->h == 1), TESS_ESHAPE,
               "%s: the items have shape %s; an `out` of numbers can hold items along %s only: use vec or mat elements",
               fn, tess__shape_text(text, shape->dim), is_matrix ? "b and d" : "b, d and h");
    shape->w = form->columns;
    if (is_matrix) shape->h = form->rows;
    return TESS_OK;
}

static tess_status make(tess_array *out, const char *fn, const tess__item_form *form, tess_shape shape,
                        const tess__items *like)
{
    const tess_dtype real = like->first.dtype;
    tess_dtype       dtype = real;
    if (like->is_compound && form->kind != TESS__ITEM_SCALAR) dtype = compound_dtype(real, form->rows, form->columns);
    else TESS_TRY(numbers_shape(&shape, fn, form));
    TESS_TRY(tess__make(fn, out, shape, dtype, like->first.device, false));
    return TESS_OK;
}

tess_status tess__items_output(tess__items *items, const char *fn, tess_array *out, tess__item_form form,
                               const tess__items *const *inputs, int n)
{
    char       text[2][TESS__SHAPE_TEXT];
    tess_shape shape;
    memset(items, 0, sizeof *items);
    items->arg = "out";
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(items_shape(&shape, fn, inputs, n));
    if (tess__is_empty_out(out)) TESS_TRY(make(out, fn, &form, shape, inputs[0]));
    else TESS_TRY(tess__check_writable(fn, "out", out));
    const tess_dtype real = tess_dtype_real(out->dtype);
    TESS_CHECK(real == TESS_F32 || real == TESS_F64, TESS_EDTYPE, "%s: `out` is %s; f32 or f64 is needed", fn,
               tess_dtype_name(out->dtype));
    TESS_TRY(take(items, fn, out, &form));
    TESS_CHECK(tess__same_sizes(&items->first.shape, &shape), TESS_ESHAPE,
               "%s: `out` has %s items, but the inputs have %s", fn, tess__shape_text(text[0], items->first.shape.dim),
               tess__shape_text(text[1], shape.dim));
    return TESS_OK;
}

tess_status tess__items_check(const char *fn, const tess__items *out, const tess_array *given, const tess__items *in,
                              const tess_array *input, bool exact)
{
    TESS_TRY(tess__check_device_of(fn, "out", given, in->arg, input));
    const bool alike = out->rows == in->rows && out->columns == in->columns && out->is_compound == in->is_compound;
    TESS_TRY(tess__check_overlap(fn, given, in->arg, input, exact && alike));
    return TESS_OK;
}
