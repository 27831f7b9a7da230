/* Arithmetic on shapes and strides: contiguity, counts, extents, and which reshapes need no copy. */
#include "core/array/layout.h"

#include <string.h>

#include "core/dtype.h"

tess_strides tess_strides_contiguous(tess_shape shape, char order)
{
    /* A size of 0 counts as 1, as in NumPy: a stride of 0 would look like a broadcast. Unsigned, since shapes that
     * nobody has checked may overflow here and must do so without harm. */
    const uint64_t d = shape.d ? (uint64_t)shape.d : 1, h = shape.h ? (uint64_t)shape.h : 1;
    const uint64_t w = shape.w ? (uint64_t)shape.w : 1;
    tess_strides   s = tess_strides_of((int64_t)(d * h * w), (int64_t)(h * w), (int64_t)w, 1);
    if (order == 'F') s.h = 1, s.w = (int64_t)h;
    return s;
}

bool tess__extent_checked(const int64_t shape[4], const int64_t strides[4], int64_t element, int64_t *lowest,
                          int64_t *highest)
{
    *lowest = *highest = 0;
    for (int k = 0; k < 4; k++) {
        int64_t reach;
        if (__builtin_mul_overflow(shape[k] - 1, strides[k], &reach)) return false;
        if (__builtin_add_overflow(reach < 0 ? *lowest : *highest, reach, reach < 0 ? lowest : highest)) return false;
    }
    return *lowest >= -TESS__MAX_BYTES / element && *highest <= TESS__MAX_BYTES / element;
}

bool tess_is_empty(const tess_array *a) { return !a || a->dtype == TESS_DTYPE_NONE || !tess__has_elements(a); }

int64_t tess_n_elements(const tess_array *a) { return tess_is_empty(a) ? 0 : tess__elements(a); }

int64_t tess_n_bytes(const tess_array *a) { return a ? tess_n_elements(a) * (int64_t)tess_dtype_size(a->dtype) : 0; }

bool tess_same_shape(const tess_array *a, const tess_array *b)
{
    return a && b && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

void tess_contiguity(bool contiguous[4], const tess_array *a)
{
    int64_t    inner = 1;
    const bool empty = tess_is_empty(a);
    for (int k = 3; k >= 0; k--) {
        contiguous[k] = empty || a->shape.dim[k] == 1 || a->strides.dim[k] == inner;
        if (!empty) inner *= a->shape.dim[k];
    }
}

bool tess_is_contiguous(const tess_array *a, char order)
{
    static const int orders[2][4] = { { 3, 2, 1, 0 }, { 2, 3, 1, 0 } }; /* from the innermost out */
    if (tess_is_empty(a)) return true;
    int64_t inner = 1;
    for (int i = 0; i < 4; i++) {
        const int k = orders[order == 'F'][i];
        if (a->shape.dim[k] != 1 && a->strides.dim[k] != inner) return false;
        inner *= a->shape.dim[k];
    }
    return true;
}

bool tess_is_flattenable(const tess_array *a)
{
    if (tess_is_empty(a)) return true;
    tess_strides strides;
    return tess__reshape_strides(a, tess_shape_of(1, 1, 1, tess_n_elements(a)), &strides);
}

bool tess_is_dense(const tess_array *a)
{
    if (tess_is_empty(a)) return true;
    /* Take dimensions from the smallest stride up: each must continue where the ones before it end. */
    bool    used[4] = { false };
    int64_t filled = 1;
    for (int taken = 0; taken < 4; taken++) {
        int next = -1;
        for (int k = 0; k < 4; k++) {
            const int64_t stride = a->strides.dim[k] < 0 ? -a->strides.dim[k] : a->strides.dim[k];
            if (!used[k] && (a->shape.dim[k] == 1 || stride == filled)) next = k;
        }
        if (next < 0) return false;
        used[next] = true;
        filled *= a->shape.dim[next];
    }
    return true;
}

bool tess__same_view(const tess_array *a, const tess_array *b)
{
    if (a->data != b->data || tess__dtypes[a->dtype].size != tess__dtypes[b->dtype].size) return false;
    for (int k = 0; k < 4; k++) {
        if (a->shape.dim[k] != b->shape.dim[k]) return false;
        if (a->shape.dim[k] > 1 && a->strides.dim[k] != b->strides.dim[k]) return false;
    }
    return true;
}

/* Groups of old dimensions and of new ones with equal products are matched from the left. Inside a group the old
 * dimensions must be contiguous among themselves; the new ones then take their strides from the group's last. */
bool tess__reshape_strides(const tess_array *a, tess_shape shape, tess_strides *strides)
{
    if (tess__is_contiguous(a)) {
        *strides = tess_strides_contiguous(shape, 'C');
        return true;
    }
    int64_t old_size[4], old_stride[4];
    int     n_old = 0;
    for (int k = 0; k < 4; k++) {
        if (a->shape.dim[k] == 1) continue;
        old_size[n_old] = a->shape.dim[k];
        old_stride[n_old++] = a->strides.dim[k];
    }
    int old_from = 0, new_from = 0;
    while (old_from < n_old && new_from < 4) {
        int     old_to = old_from + 1, new_to = new_from + 1;
        int64_t old_n = old_size[old_from], new_n = shape.dim[new_from];
        while (old_n != new_n) {
            if (new_n < old_n) new_n *= shape.dim[new_to++];
            else old_n *= old_size[old_to++];
        }
        for (int k = old_from; k + 1 < old_to; k++)
            if (old_stride[k] != old_stride[k + 1] * old_size[k + 1]) return false;
        int64_t stride = old_stride[old_to - 1];
        for (int k = new_to - 1; k >= new_from; k--) {
            strides->dim[k] = stride;
            stride *= shape.dim[k];
        }
        old_from = old_to, new_from = new_to;
    }
    /* What is left of the new shape are ones. */
    for (int k = new_from; k < 4; k++) strides->dim[k] = old_stride[n_old - 1];
    return true;
}
