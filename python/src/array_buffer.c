/* The buffer protocol of a tessera.Array on the CPU: memoryview(a), bytes(a), np.frombuffer(a).
 *
 * A view keeps the array, and so its memory, alive. Formats are those of the module struct. Complex numbers are "Zf"
 * and "Zd", as in NumPy.
 */
#include <string.h>

#include "array_export.h"

/* What the pointers of a view point to. */
typedef struct buffer_block {
    exported layout;
    char     format[3];
} buffer_block;

static void write_format(char format[3], const exported *e)
{
    static const char integers[] = " bh i   l", floats[] = "  e f   d";
    const bool        is_complex = e->kind == 'c';
    const int         bytes = is_complex ? e->itemsize / 2 : e->itemsize;
    char              letter = '?';
    if (e->kind == 'f' || is_complex) letter = floats[bytes];
    else if (e->kind != 'b') letter = bytes == 8 && sizeof(long) != 8 ? 'q' : integers[bytes];
    if (e->kind == 'u') letter = (char)(letter - 'a' + 'A');
    (void)snprintf(format, 3, "%s%c", is_complex ? "Z" : "", letter);
}

/* True if the elements lie one after the other, the last axis first, or with `fortran` the first one first. */
static bool is_contiguous(const exported *e, bool fortran)
{
    Py_ssize_t next = e->itemsize;
    for (int i = 0; i < e->ndim; i++)
        if (e->shape[i] == 0) return true;
    for (int i = 0; i < e->ndim; i++) {
        const int axis = fortran ? i : e->ndim - 1 - i;
        if (e->shape[axis] != 1 && e->strides[axis] != next) return false;
        next *= e->shape[axis];
    }
    return true;
}

static int refuse(const char *text)
{
    PyErr_SetString(PyExc_BufferError, text);
    return -1;
}

static int check_request(const array_object *object, const exported *e, int flags)
{
    const bool rows = is_contiguous(e, false), columns = is_contiguous(e, true);
    const bool wants_rows = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const bool wants_columns = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    const bool wants_any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if (object->array.device.kind != TESS_CPU) return refuse("the array is on a GPU; .numpy() copies it");
    if (flags & PyBUF_WRITABLE && object->array.flags & TESS_READ_ONLY) return refuse("the array is read-only");
    if (!rows && (wants_rows || !takes_strides)) return refuse("the array is not C-contiguous; .copy() is");
    if (!columns && wants_columns) return refuse("the array is not Fortran-contiguous");
    if (!rows && !columns && wants_any) return refuse("the array is not contiguous; .copy() is");
    return 0;
}

int array_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    static char         nothing; /* of arrays without elements */
    const array_object *object = (array_object *)self;
    const exported      layout = array_describe(object);
    view->obj = NULL;
    if (check_request(object, &layout, flags)) return -1;
    buffer_block *block = PyMem_Malloc(sizeof *block);
    if (!block) {
        PyErr_NoMemory();
        return -1;
    }
    block->layout = layout;
    write_format(block->format, &layout);
    const bool has_axes = layout.ndim > 0;
    *view = (Py_buffer){
        .buf = object->array.data ? object->array.data : &nothing,
        .obj = self,
        .len = (Py_ssize_t)tess_n_bytes(&object->array),
        .itemsize = layout.itemsize,
        .readonly = object->array.flags & TESS_READ_ONLY ? 1 : 0,
        .ndim = layout.ndim,
        .format = flags & PyBUF_FORMAT ? block->format : NULL,
        .shape = has_axes && flags & PyBUF_ND ? block->layout.shape : NULL,
        .strides = has_axes && (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? block->layout.strides : NULL,
        .internal = block,
    };
    Py_INCREF(self);
    return 0;
}

void array_release_buffer(PyObject *self, Py_buffer *view)
{
    (void)self;
    PyMem_Free(view->internal);
}
