/* Axes of arguments and results: an array's own axes come last, and any number of axes in front of them counts batches.
 *
 * Each row of an array says which of the library's four axes are its own (tess_arg_info.axes). A row that says nothing
 * is of an image or a volume: two or three axes by ndim=. Four axes as in C are taken as such, and give results as in
 * C.
 */
#include "axes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "names.h"
#include "values.h"

typedef enum axis_use {
    AXIS_HIDDEN,  /* of size 1, not seen by the caller */
    AXIS_LEADING, /* counts batches */
    AXIS_OWN
} axis_use;

typedef struct layout {
    axis_use use[4];
    int64_t  size[4]; /* of an axis of fixed size; 0: any */
    int      n_own, n_leading;
} layout;

/* ---- What a row says ---- */

static int find_option(const call *c, const char *name, size_t length)
{
    for (int i = 0; i < c->function->n_parameters; i++) {
        const char *text = c->function->parameters[i].text;
        if (strlen(text) == length && strncmp(text, name, length) == 0) return i;
    }
    return -1;
}

static axis_use use_of(const call *c, const char *name, size_t length)
{
    if (isupper((unsigned char)*name)) return AXIS_LEADING;
    if (length == 1 && *name == '1') return AXIS_HIDDEN;
    if (length == 1 && *name == 'd' && c->space == 2) return AXIS_HIDDEN;
    if (name[length - 1] != '?') return AXIS_OWN;
    const int option = find_option(c, name, length - 1);
    if (option < 0) return AXIS_LEADING; /* of curves that may have it, as they have batches */
    return c->given[option] ? AXIS_OWN : AXIS_HIDDEN;
}

static layout count_axes(layout l)
{
    for (int axis = 0; axis < 4; axis++) {
        l.n_own += l.use[axis] == AXIS_OWN;
        l.n_leading += l.use[axis] == AXIS_LEADING;
    }
    return l;
}

/* "B,1,1,4" up to the end or a '|', which `next` then points behind; NULL if this is the last one. */
static layout read_layout(const call *c, const char *text, const char **next)
{
    layout        l = { .n_own = 0 };
    const int32_t lacked = c->function->multiplies ? c->axes : 0;
    for (int axis = 0; axis < 4; axis++) {
        const size_t length = strcspn(text, ",|");
        l.use[axis] = lacked & TESS_B << axis ? AXIS_HIDDEN : use_of(c, text, length);
        l.size[axis] = l.use[axis] == AXIS_OWN ? strtoll(text, NULL, 10) : 0;
        text += length;
        if (axis < 3) text++;
    }
    *next = *text == '|' ? text + 1 : NULL;
    return count_axes(l);
}

static layout layout_of_space(int space)
{
    layout l = { .use = { AXIS_LEADING } };
    for (int axis = 4 - space; axis < 4; axis++) l.use[axis] = AXIS_OWN;
    return count_axes(l);
}

/* Whether the sizes of an array of `ndim` axes can be those of a layout. The first axis of its own, if of any size, may
 * be missing: one of several. */
static bool fits(const layout *l, const Py_ssize_t *sizes, int ndim)
{
    int at = ndim - 1;
    for (int axis = 3; axis >= 0; axis--) {
        if (l->use[axis] != AXIS_OWN) continue;
        if (l->size[axis] > 0 && (at < 0 || sizes[at] != l->size[axis])) return false;
        at--;
    }
    const int in_front = at + 1;
    return in_front == -1 || in_front == 0 || (in_front > 0 && l->n_leading > 0);
}

/* The layout of a row for an array of these sizes. False: axes are as in the library. */
static bool find_layout(const call *c, const tess_arg_info *row, const Py_ssize_t *sizes, int ndim, layout *l)
{
    if (!row->axes) {
        if (!c->ndim_given) return false;
        *l = layout_of_space(c->ndim_given);
        return true;
    }
    for (const char *next = row->axes; next;) {
        *l = read_layout(c, next, &next);
        if (fits(l, sizes, ndim)) return true;
    }
    return false;
}

/* Whether an array of four axes has those of a row as they are in the library. */
static bool is_as_in_c(const call *c, const tess_arg_info *row, const Py_ssize_t *sizes, int ndim)
{
    if (ndim != 4 || !row->axes || c->ndim_given) return false;
    for (const char *next = row->axes; next;) {
        const layout l = read_layout(c, next, &next);
        bool         fits_all = l.n_own + l.n_leading < 4; /* otherwise it is the same */
        for (int axis = 0; axis < 4; axis++) {
            const int64_t wanted = l.use[axis] == AXIS_HIDDEN ? 1 : l.size[axis];
            fits_all = fits_all && (wanted == 0 || sizes[axis] == wanted);
        }
        if (fits_all) return true;
    }
    return false;
}

/* ---- ndim= ---- */

static const parameter *parameter_of_ndim(const callable *f, int *at)
{
    for (*at = f->n_parameters - 1; *at >= 0; --*at)
        if (f->parameters[*at].use == USE_NDIM) return &f->parameters[*at];
    return NULL;
}

int axes_read_ndim(call *c)
{
    int              at;
    const parameter *p = parameter_of_ndim(c->function, &at);
    if (!p || !c->given[at]) return 0;
    const long ndim = PyLong_AsLong(c->given[at]);
    const bool is_image_only = !c->function->takes_volumes;
    if (ndim != 2 && (ndim != 3 || is_image_only)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: ndim is %R; expected %s", name_of(c), c->given[at],
                     is_image_only ? "2: this function takes images only" : "2 for images or 3 for volumes");
        return -1;
    }
    c->ndim_given = (int)ndim;
    return 0;
}

/* ---- Arguments ---- */

/* Sizes of an object that has more axes than the library; 0 for any other, -1 with an exception. */
static int read_many_sizes(PyObject *object, Py_ssize_t *sizes)
{
    PyObject        *shape = PyObject_GetAttr(object, names.shape);
    const Py_ssize_t n = shape && PyTuple_Check(shape) ? PyTuple_Size(shape) : 0;
    if (!shape) PyErr_Clear();
    const bool has_many = n > 4 && n <= MAX_AXES;
    for (Py_ssize_t i = 0; has_many && i < n; i++) sizes[i] = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
    Py_XDECREF(shape);
    return PyErr_Occurred() ? -1 : has_many ? (int)n : 0;
}

static Py_ssize_t product(const Py_ssize_t *sizes, int n)
{
    Py_ssize_t made = 1;
    for (int i = 0; i < n; i++) made *= sizes[i];
    return made;
}

static PyObject *reshaped(PyObject *object, const Py_ssize_t *sizes, int n)
{
    PyObject *shape = PyTuple_New(n);
    for (int i = 0; shape && i < n; i++) PyTuple_SetItem(shape, i, PyLong_FromSsize_t(sizes[i]));
    PyObject *made = shape ? PyObject_CallMethodObjArgs(object, names.reshape, shape, NULL) : NULL;
    Py_XDECREF(shape);
    return made;
}

static int too_many_axes(const call *c, const parameter *p, int ndim)
{
    PyErr_Format(PyExc_ValueError, "%s: %s has %d axes; expected at most 4%s", name_of(c), p->text, ndim,
                 c->function->takes_volumes && !p->row->axes ? ", or ndim=2 or ndim=3" : "");
    return -1;
}

/* An input of more than four axes with the leading ones merged into one. */
static int read_merged(call *c, const parameter *p, PyObject *object, const Py_ssize_t *sizes, int ndim, operand **made)
{
    layout     l;
    Py_ssize_t merged[5];
    if (!find_layout(c, p->row, sizes, ndim, &l)) return too_many_axes(c, p, ndim);
    const int n_merged = ndim - l.n_own;
    merged[0] = product(sizes, n_merged);
    memcpy(&merged[1], &sizes[n_merged], (size_t)l.n_own * sizeof *merged);
    PyObject *view = reshaped(object, merged, l.n_own + 1);
    return call_hold(c, view) ? -1 : call_operand(c, view, p->text, false, made);
}

/* Axes from `first` to `last` of an array as one; false if strides do not allow it. */
static bool merge_axes(const tess_array *a, int first, int last, int64_t *size, int64_t *stride)
{
    *size = 1;
    *stride = 0;
    for (int axis = last; axis >= first; axis--) {
        const int64_t n = a->shape.dim[axis], step = a->strides.dim[axis];
        if (n != 1 && *size > 1 && step != *size * *stride) return false;
        if (n != 1 && *size == 1) *stride = step;
        *size *= n;
    }
    return true;
}

/* Move the last axes of `a` to the places of a layout, and merge those in front. False if strides do not allow it. */
static bool place_axes(tess_array *a, const layout *l, int ndim)
{
    const tess_array from = *a;
    int              at = 3, left = ndim, leading = l->n_leading;
    for (int axis = 3; axis >= 0; axis--) {
        int64_t *size = &a->shape.dim[axis], *stride = &a->strides.dim[axis];
        *size = 1;
        *stride = 0;
        if (l->use[axis] == AXIS_HIDDEN || left == 0) continue;
        const bool merges = l->use[axis] == AXIS_LEADING && --leading == 0;
        const int  first = merges ? 4 - ndim : at;
        if (!merge_axes(&from, first, at, size, stride)) return false;
        left -= at - first + 1;
        at = first - 1;
    }
    return left == 0;
}

static int copy_operand(operand *o)
{
    tess_array        made = { .data = NULL };
    const tess_status status = tess_copy(&made, &o->array);
    if (status != TESS_OK) return raise_status(status);
    if (o->releases) tess_release(&o->array);
    o->array = made;
    o->releases = true;
    return 0;
}

static int lay_out(call *c, const parameter *p, operand *o, const layout *l, int ndim, bool output)
{
    tess_array placed = o->array;
    if (place_axes(&placed, l, ndim)) {
        o->array.shape = placed.shape;
        o->array.strides = placed.strides;
        return 0;
    }
    if (!output) return copy_operand(o) ? -1 : lay_out(c, p, o, l, ndim, true);
    PyErr_Format(PyExc_ValueError, "%s: %s has strides that do not allow to count its leading axes as one", name_of(c),
                 p ? p->text : "out");
    return -1;
}

/* Results have the leading axes of the first array with more than one batch. */
static void note_leading(call *c, const Py_ssize_t *sizes, int n)
{
    if (n <= 0 || n > MAX_AXES) return;
    const Py_ssize_t old = product(c->leading, c->n_leading), new_one = product(sizes, n);
    if (c->n_leading > 0 && (old != new_one || n <= c->n_leading) && (old != 1 || new_one == 1)) return;
    c->n_leading = n;
    memcpy(c->leading, sizes, (size_t)n * sizeof *sizes);
}

static int too_few_axes(const call *c, const parameter *p, int ndim)
{
    PyErr_Format(PyExc_ValueError, "%s: %s has %d ax%s; expected at least %d with ndim=%d", name_of(c), p->text, ndim,
                 ndim == 1 ? "is" : "es", c->ndim_given, c->ndim_given);
    return -1;
}

/* An array without a layout has the axes of the library: a volume, and batches of volumes. */
static void note_volume(call *c, const tess_arg_info *row, const Py_ssize_t *sizes, int ndim)
{
    if (row->axes) return;
    if (ndim == 4) note_leading(c, sizes, 1);
    if (c->space < 3 && ndim > c->space) c->space = ndim < 3 ? ndim : 3;
}

static int no_image(const call *c, const parameter *p)
{
    PyErr_Format(PyExc_ValueError, "%s: %s has 1 axis; expected an image of two axes, and any number in front",
                 name_of(c), p->text);
    return -1;
}

static int place_input(call *c, const parameter *p, operand *o, const Py_ssize_t *sizes, int ndim)
{
    layout     l;
    const bool is_first = c->n_operands == 1;
    if (is_as_in_c(c, p->row, sizes, ndim)) {
        if (is_image_row(p->row)) c->space = 2;
        c->as_in_c = c->as_in_c || is_first;
        return 0;
    }
    if (!find_layout(c, p->row, sizes, ndim, &l)) {
        note_volume(c, p->row, sizes, ndim);
        return 0;
    }
    if (!p->row->axes && ndim < c->ndim_given) {
        if (!c->space && ndim > 0) return too_few_axes(c, p, ndim);
        return 0; /* it is broadcast */
    }
    if (is_image_row(p->row) && ndim == 1) return no_image(c, p);
    if (!p->row->axes || is_image_row(p->row)) c->space = l.n_own;
    const int in_array = ndim < 5 ? ndim : l.n_own + 1;
    if (l.n_leading) note_leading(c, sizes, ndim - l.n_own);
    return lay_out(c, p, o, &l, in_array, false);
}

static void sizes_of(const operand *o, Py_ssize_t *sizes)
{
    for (int i = 0; i < o->ndim; i++) sizes[i] = (Py_ssize_t)o->array.shape.dim[4 - o->ndim + i];
}

static int place_output(call *c, const parameter *p, operand *o)
{
    layout     l;
    Py_ssize_t sizes[4];
    sizes_of(o, sizes);
    if (is_as_in_c(c, p->row, sizes, o->ndim)) return 0;
    if (find_layout(c, p->row, sizes, o->ndim, &l)) return lay_out(c, p, o, &l, o->ndim, true);
    if (p->use == USE_CHANGED) note_volume(c, p->row, sizes, o->ndim);
    return 0;
}

int axes_operand(call *c, const parameter *p, PyObject *object, bool output, operand **made)
{
    Py_ssize_t sizes[MAX_AXES];
    if (!c->function->lays_out || p->row->type != TESS_ARG_ARRAY) return call_operand(c, object, p->text, output, made);
    const int many = output ? 0 : read_many_sizes(object, sizes);
    if (many < 0) return -1;
    if (many > 0 ? read_merged(c, p, object, sizes, many, made) : call_operand(c, object, p->text, output, made))
        return -1;
    operand *o = *made;
    if (output) return place_output(c, p, o);
    if (o->kind == OPERAND_NUMBER) return 0;
    if (many == 0) sizes_of(o, sizes);
    else o->ndim = many;
    return place_input(c, p, o, sizes, o->ndim);
}

/* ---- Shapes and axes ---- */

int axes_read_shape(call *c, const parameter *p, PyObject *object, tess_shape *shape)
{
    Py_ssize_t       sizes[MAX_AXES];
    const bool       counts = (p->row->flags & TESS_ARG_COUNTS_BATCH) != 0;
    const bool       is_list = PyTuple_Check(object) || PyList_Check(object);
    const Py_ssize_t n = is_list ? PySequence_Size(object) : 0;
    const int        space = c->space;
    if (!counts || !c->first || !space || n < space || n > MAX_AXES) return 0;
    if (!c->ndim_given && c->function->takes_volumes && n > 3) return 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PySequence_GetItem(object, i);
        sizes[i] = one ? PyNumber_AsSsize_t(one, PyExc_OverflowError) : -1;
        Py_XDECREF(one);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return 0; /* read as any other shape, which says what is wrong */
        }
    }
    const int n_leading = (int)n - space;
    *shape = TESS_SHAPE(n_leading ? product(sizes, n_leading) : c->first->array.shape.b, 1, 1, 1);
    for (int i = 0; i < space; i++) shape->dim[4 - space + i] = sizes[n_leading + i];
    return 1;
}

int axes_find(const call *c, const parameter *p, long long number, int *axis)
{
    const int  ndim = c->first ? c->ndim : 4;
    const bool is_moved = c->ndim_given || (c->function->lays_out && !c->function->takes_volumes && c->space);
    const int  own = is_moved ? c->space : ndim;
    if (number < -ndim || number >= ndim) {
        PyErr_Format(PyExc_IndexError, "%s: %s is %lld; the array has %d axes", name_of(c), p->text, number, ndim);
        return -1;
    }
    const long long from_end = number < 0 ? number : number - ndim;
    if (from_end < -own) {
        PyErr_Format(PyExc_IndexError, "%s: %s is %lld, an axis of batches; expected one of the last %d axes",
                     name_of(c), p->text, number, own);
        return -1;
    }
    *axis = (int)(from_end + 4);
    return 0;
}

/* ---- Results ---- */

/* What is hidden has the size 1. */
static void show_sizes(layout *l, const tess_array *a)
{
    for (int axis = 0; axis < 4; axis++)
        if (l->use[axis] == AXIS_HIDDEN && a->shape.dim[axis] != 1) {
            l->use[axis] = AXIS_OWN;
            l->n_own++;
        }
}

typedef struct seen {
    Py_ssize_t sizes[MAX_AXES + 4];
    int        n;
} seen;

static int64_t count_batches(const layout *l, const tess_array *a)
{
    int64_t n = 1;
    for (int axis = 0; axis < 4; axis++)
        if (l->use[axis] == AXIS_LEADING) n *= a->shape.dim[axis];
    return n;
}

/* The leading axes of the caller's arrays, or where a result has other batches, the axes of these. */
static void see_leading(const call *c, const layout *l, const tess_array *a, seen *s)
{
    if (count_batches(l, a) == product(c->leading, c->n_leading)) {
        memcpy(s->sizes, c->leading, (size_t)c->n_leading * sizeof *c->leading);
        s->n = c->n_leading;
        return;
    }
    for (int axis = 0; axis < 4; axis++)
        if (l->use[axis] == AXIS_LEADING && (s->n > 0 || a->shape.dim[axis] != 1))
            s->sizes[s->n++] = (Py_ssize_t)a->shape.dim[axis];
}

static void see_own(const layout *l, const tess_array *a, seen *s)
{
    for (int axis = 0; axis < 4; axis++)
        if (l->use[axis] == AXIS_OWN) s->sizes[s->n++] = (Py_ssize_t)a->shape.dim[axis];
}

static PyObject *object_of_shape(const call *c, tess_array *a, const seen *s)
{
    tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
    if (s->n > 4) {
        PyObject *flat = object_of_kind(c->first, a, 4), *made = flat ? reshaped(flat, s->sizes, s->n) : NULL;
        Py_XDECREF(flat);
        return made;
    }
    for (int i = 0; i < s->n; i++) shape.dim[4 - s->n + i] = s->sizes[i];
    const tess_status status = tess_reshape(a, a, shape);
    if (status == TESS_OK) return object_of_kind(c->first, a, s->n);
    (void)raise_status(status);
    return NULL;
}

/* Coordinates of a place in an image or a volume whose first axes have the size 1: 0 along these. */
static int complete_rank(const call *c, tess_array *a)
{
    tess_array made = { .data = NULL }, last = { .data = NULL };
    tess_shape shape = a->shape;
    const int  missing = c->space - (int)a->shape.w;
    const bool may_be_images = c->ndim == 4 && !c->ndim_given; /* {b,1,h,w} as in C */
    if (missing <= 0 || may_be_images) return 0;
    shape.w = c->space;
    tess_status status = tess_zeros(&made, shape, a->dtype, a->device);
    if (status == TESS_OK) status = tess_slice(&last, &made, 3, missing, c->space, 1);
    if (status == TESS_OK) status = tess_copy(&last, a);
    if (status != TESS_OK) {
        tess_release(&made);
        return raise_status(status);
    }
    tess_release(a);
    *a = made;
    return 0;
}

static bool is_place(const tess_arg_info *row)
{
    const char *last = row->axes ? strrchr(row->axes, ',') : NULL;
    return last && strcmp(last, ",rank") == 0;
}

PyObject *axes_result(const call *c, result *r)
{
    if (is_place(r->row) && complete_rank(c, &r->array)) return NULL;
    if (c->as_in_c) return object_of_kind(c->first, &r->array, 4);
    const char *next;
    seen        s = { .n = 0 };
    layout      l = r->row->axes ? read_layout(c, r->row->axes, &next) : layout_of_space(c->space);
    show_sizes(&l, &r->array);
    see_leading(c, &l, &r->array, &s);
    see_own(&l, &r->array, &s);
    return object_of_shape(c, &r->array, &s);
}

PyObject *axes_shape(const call *c, const result *r)
{
    const char  *next;
    const layout l = r->row->axes ? read_layout(c, r->row->axes, &next) : layout_of_space(3);
    PyObject    *made = PyTuple_New(l.n_own + l.n_leading);
    int          at = 0;
    for (int axis = 0; made && axis < 4; axis++)
        if (l.use[axis] != AXIS_HIDDEN) PyTuple_SetItem(made, at++, PyLong_FromLongLong(r->shape.dim[axis]));
    return made;
}
