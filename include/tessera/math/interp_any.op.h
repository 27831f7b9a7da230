/* The text of interp.op.h for one type of element: included there, with the macros that it sets, and undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__INTERP_ELEMENT

#define TESS__CAT_(a, b) a##b
#define TESS__CAT(a, b) TESS__CAT_(a, b)
#define TESS__E(name) TESS__CAT(name, TESS__INTERP_ELEMENT)
#define TESS__R(name) TESS__CAT(name, TESS__INTERP_REAL_NAME)

/* The axes of a view that are interpolated, from x backwards, and what is fixed: where it is, and if inside. */
typedef struct TESS__E(tess__field_) {
    const TESS__INTERP_T *data;
    int64_t               stride[3], shape[3], fixed[2]; /* x, y, z; b, and d of images */
    int32_t               border, dims;
    int                   inside;
    const TESS__E(tess_view_) * view;
} TESS__E(tess__field_);

TESS__FAST_FN TESS__E(tess__field_) TESS__E(tess__image_)(const TESS__E(tess_view_) * v, int64_t b, int64_t d)
{
    int64_t   position[4] = { 0, 0, 0, 0 };
    const int inside =
        tess__reach(v->border, b, v->shape[0], &position[0]) & tess__reach(v->border, d, v->shape[1], &position[1]);
    TESS__E(tess__field_) f;
    f.data = v->data + tess__distance(position, v->stride, inside);
    f.stride[0] = v->stride[3];
    f.stride[1] = v->stride[2];
    f.stride[2] = v->stride[1];
    f.shape[0] = v->shape[3];
    f.shape[1] = v->shape[2];
    f.shape[2] = v->shape[1];
    f.fixed[0] = b;
    f.fixed[1] = d;
    f.border = v->border;
    f.dims = 2;
    f.inside = inside;
    f.view = v;
    return f;
}

TESS__FAST_FN TESS__E(tess__field_) TESS__E(tess__volume_)(const TESS__E(tess_view_) * v, int64_t b)
{
    int64_t   position[4] = { 0, 0, 0, 0 };
    const int inside = tess__reach(v->border, b, v->shape[0], &position[0]);
    TESS__E(tess__field_) f;
    f.data = v->data + tess__distance(position, v->stride, inside);
    f.stride[0] = v->stride[3];
    f.stride[1] = v->stride[2];
    f.stride[2] = v->stride[1];
    f.shape[0] = v->shape[3];
    f.shape[1] = v->shape[2];
    f.shape[2] = v->shape[1];
    f.fixed[0] = b;
    f.fixed[1] = 0;
    f.border = v->border;
    f.dims = 3;
    f.inside = inside;
    f.view = v;
    return f;
}

/* Element z, y, x by the border; z is 0 for images. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__field_at_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x)
{
    int64_t       position[4] = { 0, 0, 0, 0 }; /* x, y, z */
    const int64_t stride[4] = { f->stride[0], f->stride[1], f->stride[2], 0 };
    const int     flat =
        tess__reach(f->border, x, f->shape[0], &position[0]) & tess__reach(f->border, y, f->shape[1], &position[1]);
    const int deep = f->dims == 3 ? tess__reach(f->border, z, f->shape[2], &position[2]) : 1;
    const int inside = f->inside & flat & deep;
    if ((f->border == TESS__BORDER_FAULT) & !inside)
        tess__note_fault(f->view->fault, f->view->number, f->fixed[0], f->dims == 3 ? z : f->fixed[1], y, x);
    return TESS__E(tess__keep_)(inside, f->data[tess__distance(position, stride, inside)]);
}

/* Whether elements i + first to i + last of axis k are all inside: one of the first indices, of which there may be
 * less than none. That is found without a branch, so that it is done once for a loop. */
TESS__FAST_FN int TESS__E(tess__field_holds_)(const TESS__E(tess__field_) * f, int k, int64_t i, int64_t first,
                                              int64_t last)
{
    const int64_t starts = f->shape[k] - (last - first);
    return (uint64_t)(i + first) < (uint64_t)(starts & ~(starts >> 63));
}

/* ---- Windows that reach outside ---- */

/* All that such a window needs, made where there is one: what is hot keeps nothing in memory for it. */
typedef struct TESS__E(tess__edge_) {
    TESS__E(tess_view_) view;
    int64_t           fixed[2], at[3]; /* as in a field; the elements below the coordinates x, y, z */
    TESS__INTERP_REAL t[3];
    int32_t           method, dims;
} TESS__E(tess__edge_);

/* Element z, y, x of the window at indices `at`, of which `index` are those that stand for them, -1: none. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__edge_at_)(const TESS__E(tess__edge_) * e, const TESS__E(tess__field_) * f,
                                                     const int64_t *at, const int64_t *index)
{
    const int     inside = f->inside & (index[0] >= 0) & (index[1] >= 0) & (index[2] >= 0);
    const int64_t offset = index[0] * f->stride[0] + index[1] * f->stride[1] + index[2] * f->stride[2];
    if ((f->border == TESS__BORDER_FAULT) & !inside)
        tess__note_fault(e->view.fault, e->view.number, e->fixed[0], f->dims == 3 ? at[2] : e->fixed[1], at[1], at[0]);
    return TESS__E(tess__keep_)(inside, f->data[inside ? offset : 0]);
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__edge_add_)(int taps, int k, const TESS__INTERP_REAL *w, TESS__INTERP_T value,
                                                      TESS__INTERP_T sum)
{
    if (taps == 2) return k == 0 ? value : TESS__E(tess__mix_)(sum, value, w[0]);
    return TESS__E(tess__tap_)(k, w, value, sum);
}

/* Any window of a method that has weights, by the border. */
TESS__SLOW_FN TESS__INTERP_T TESS__E(tess__edge_sum_)(const TESS__E(tess__edge_) * e)
{
    const TESS__E(tess__field_) f = e->dims == 3 ? TESS__E(tess__volume_)(&e->view, e->fixed[0])
                                                 : TESS__E(tess__image_)(&e->view, e->fixed[0], e->fixed[1]);
    const int         taps = tess__interp_taps(e->method), deep = e->dims == 3 ? taps : 1;
    int64_t           at[3] = { 0, 0, 0 }, index[3] = { 0, 0, 0 }, reach[3][TESS__INTERP_TAPS];
    TESS__INTERP_REAL w[3][TESS__INTERP_TAPS];
    TESS__INTERP_T    all = TESS__E(tess__keep_)(0, *f.data), plane = all, row = all;
    int64_t           first[3];
    for (int axis = 0; axis < e->dims; axis++) {
        first[axis] = e->at[axis] + tess__interp_first(e->method);
        TESS__R(tess__interp_shares_)(e->method, e->t[axis], w[axis]);
        for (int k = 0; k < taps; k++) reach[axis][k] = tess__reach_index(f.border, first[axis] + k, f.shape[axis]);
    }
    for (int z = 0; z < deep; z++) {
        if (e->dims == 3) at[2] = first[2] + z, index[2] = reach[2][z];
        for (int y = 0; y < taps; y++) {
            at[1] = first[1] + y, index[1] = reach[1][y];
            for (int x = 0; x < taps; x++) {
                at[0] = first[0] + x, index[0] = reach[0][x];
                row = TESS__E(tess__edge_add_)(taps, x, w[0], TESS__E(tess__edge_at_)(e, &f, at, index), row);
            }
            plane = TESS__E(tess__edge_add_)(taps, y, w[1], row, plane);
        }
        all = e->dims == 3 ? TESS__E(tess__edge_add_)(taps, z, w[2], plane, all) : plane;
    }
    return all;
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__window_edge_)(const TESS__E(tess__field_) * f, int32_t method,
                                                         const int64_t *at, const TESS__INTERP_REAL *t)
{
    TESS__E(tess__edge_) e;
    e.view = *f->view;
    e.fixed[0] = f->fixed[0];
    e.fixed[1] = f->fixed[1];
    e.at[0] = at[0];
    e.at[1] = at[1];
    e.at[2] = at[2];
    e.t[0] = t[0];
    e.t[1] = t[1];
    e.t[2] = t[2];
    e.method = method;
    e.dims = f->dims;
    return TESS__E(tess__edge_sum_)(&e);
}

/* ---- Windows ---- */

/* Of one plane, whose first element is at p. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__plane_)(const TESS__INTERP_T *p, const int64_t *stride, int taps,
                                                   const TESS__INTERP_REAL *wy, const TESS__INTERP_REAL *wx)
{
    const int64_t sx = stride[0], sy = stride[1];
    if (taps == 2)
        return TESS__E(tess__mix_)(TESS__E(tess__mix_)(p[0], p[sx], wx[0]),
                                   TESS__E(tess__mix_)(p[sy], p[sy + sx], wx[0]), wy[0]);
    TESS__INTERP_T all = *p, row = *p;
    TESS__UNROLL_FEW
    for (int y = 0; y < taps; y++) {
        TESS__UNROLL_FEW
        for (int x = 0; x < taps; x++) row = TESS__E(tess__tap_)(x, wx, p[y * sy + x * sx], row);
        all = TESS__E(tess__tap_)(y, wy, row, all);
    }
    return all;
}

/* Whether no element of a window is inside. */
TESS__FAST_FN int TESS__E(tess__field_lacks_)(const TESS__E(tess__field_) * f, const int64_t *at, int first, int last)
{
    const int flat =
        (at[0] + last < 0) | (at[0] + first >= f->shape[0]) | (at[1] + last < 0) | (at[1] + first >= f->shape[1]);
    const int deep = f->dims == 3 ? (at[2] + last < 0) | (at[2] + first >= f->shape[2]) : 0;
    return flat | deep | !f->inside;
}

/* Between the elements at x, y, z and the next ones, for a method that has weights; of images z and its t are 0. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__window_)(const TESS__E(tess__field_) * f, int32_t method, const int64_t *at,
                                                    const TESS__INTERP_REAL *t)
{
    const int taps = tess__interp_taps(method), first = tess__interp_first(method), last = first + taps - 1;
    const int flat =
        TESS__E(tess__field_holds_)(f, 0, at[0], first, last) & TESS__E(tess__field_holds_)(f, 1, at[1], first, last);
    const int deep = f->dims == 3 ? TESS__E(tess__field_holds_)(f, 2, at[2], first, last) : 1;
    if (f->inside & flat & deep) {
        TESS__INTERP_REAL     wx[TESS__INTERP_TAPS], wy[TESS__INTERP_TAPS], wz[TESS__INTERP_TAPS];
        const int64_t         sz = f->stride[2], z = f->dims == 3 ? at[2] + first : 0;
        const TESS__INTERP_T *p = f->data + (z * sz + (at[1] + first) * f->stride[1] + (at[0] + first) * f->stride[0]);
        TESS__R(tess__interp_shares_)(method, t[0], wx);
        TESS__R(tess__interp_shares_)(method, t[1], wy);
        const TESS__INTERP_T plane = TESS__E(tess__plane_)(p, f->stride, taps, wy, wx);
        if (f->dims == 2) return plane;
        TESS__R(tess__interp_shares_)(method, t[2], wz);
        if (taps == 2) return TESS__E(tess__mix_)(plane, TESS__E(tess__plane_)(p + sz, f->stride, taps, wy, wx), wz[0]);
        TESS__INTERP_T all = TESS__E(tess__tap_)(0, wz, plane, plane);
        for (int k = 1; k < taps; k++)
            all = TESS__E(tess__tap_)(k, wz, TESS__E(tess__plane_)(p + k * sz, f->stride, taps, wy, wx), all);
        return all;
    }
    if (f->border == TESS_BORDER_ZERO && TESS__E(tess__field_lacks_)(f, at, first, last))
        return TESS__E(tess__taint_)(TESS__E(tess__keep_)(0, *f->data), t[0] + t[1] + t[2]);
    return TESS__E(tess__window_edge_)(f, method, at, t);
}

/* ---- With coordinates of either type ---- */

#define TESS__INTERP_COORDINATE f32
#define TESS__INTERP_C float
#include "tessera/math/interp_coordinate.op.h"

#define TESS__INTERP_COORDINATE f64
#define TESS__INTERP_C double
#include "tessera/math/interp_coordinate.op.h"

#undef TESS__E
#undef TESS__R
#undef TESS__CAT
#undef TESS__CAT_
#undef TESS__INTERP_ELEMENT
#undef TESS__INTERP_T
#undef TESS__INTERP_REAL_NAME
#undef TESS__INTERP_REAL

#endif
