/* The functions of interp.op.h for one element type: included there with macros, which are undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__INTERP_ELEMENT

#define TESS__CAT_(a, b) a##b
#define TESS__CAT(a, b) TESS__CAT_(a, b)
#define TESS__E(name) TESS__CAT(name, TESS__INTERP_ELEMENT)
#define TESS__R(name) TESS__CAT(name, TESS__INTERP_REAL_NAME)

/* The interpolated axes of a view, from x backwards, and the fixed part: its address, and whether it is inside. For
 * spectra only b is fixed in `data` and `inside`, since a conjugate tap is at -d. */
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
    const int deep = tess__is_spectrum(v->border) ? 1 : tess__reach(v->border, d, v->shape[1], &position[1]);
    const int inside = deep & tess__reach(tess__border_along(v->border, 0), b, v->shape[0], &position[0]);
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
    const int inside = tess__reach(tess__border_along(v->border, 0), b, v->shape[0], &position[0]);
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
    if (tess__is_spectrum(f->border))
        return TESS__E(tess__at_)(f->view, f->fixed[0], f->dims == 3 ? z : f->fixed[1], y, x);
    int64_t       position[4] = { 0, 0, 0, 0 }; /* x, y, z */
    const int64_t stride[4] = { f->stride[0], f->stride[1], f->stride[2], 0 };
    const int     flat =
        tess__reach(f->border, x, f->shape[0], &position[0]) & tess__reach(f->border, y, f->shape[1], &position[1]);
    const int deep = f->dims == 3 ? tess__reach(f->border, z, f->shape[2], &position[2]) : 1;
    const int inside = f->inside & flat & deep;
    if ((f->border == TESS__BORDER_FAULT) & !inside)
        tess__note_fault(f->view->fault, f->view->number, f->fixed[0], f->dims == 3 ? z : f->fixed[1], y, x);
    const TESS__INTERP_T found = TESS__E(tess__keep_)(inside, f->data[tess__distance(position, stride, inside)]);
    return f->border == TESS_BORDER_VALUE && !inside ? f->view->value : found;
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

/* Data of such a window, created only when needed, so that the hot path keeps nothing in memory for it. */
typedef struct TESS__E(tess__edge_) {
    TESS__E(tess_view_) view;
    int64_t           fixed[2], at[3]; /* as in a field; the elements below the coordinates x, y, z */
    TESS__INTERP_REAL t[3];
    int32_t           method, along, dims; /* along: as in a window */
} TESS__E(tess__edge_);

/* Weights of the window along an axis, whose taps are `index`. Whether two
 * are mixed. */
TESS__FAST_FN int TESS__E(tess__edge_shares_)(const TESS__E(tess__edge_) * e, int32_t border, int axis, int64_t *index,
                                              TESS__INTERP_REAL *w)
{
    const int taps = tess__interp_taps(e->method), slopes = e->along == axis + 1, mixes = taps == 2 && !slopes;
    int       outside = 0;
    for (int k = 0; k < taps; k++) outside |= index[k] < 0;
    if (outside && border == TESS_BORDER_NOTHING) {
        TESS__R(tess__interp_inside_)(e->method, slopes, e->t[axis], index, w);
        return 0;
    }
    TESS__R(tess__interp_shares_)(e->method, slopes, e->t[axis], w);
    for (int k = 0; k < taps; k++) {
        const TESS__INTERP_REAL weight = !mixes ? w[k] : k == 1 ? w[0] : 1 - w[0];
        if (index[k] < 0 && weight == 0) index[k] = TESS__TAP_IDLE;
    }
    return mixes;
}

/* Element z, y, x of the window at indices `at`, of which `index` are those that stand for them. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__edge_at_)(const TESS__E(tess__edge_) * e, const TESS__E(tess__field_) * f,
                                                     const int64_t *at, const int64_t *index)
{
    const int     inside = f->inside & (index[0] >= 0) & (index[1] >= 0) & (index[2] >= 0);
    const int64_t offset = index[0] * f->stride[0] + index[1] * f->stride[1] + index[2] * f->stride[2];
    if ((f->border == TESS__BORDER_FAULT) & !inside)
        tess__note_fault(e->view.fault, e->view.number, e->fixed[0], f->dims == 3 ? at[2] : e->fixed[1], at[1], at[0]);
    const int idle = (index[0] == TESS__TAP_IDLE) | (index[1] == TESS__TAP_IDLE) | (index[2] == TESS__TAP_IDLE);
    const TESS__INTERP_T found = TESS__E(tess__keep_)(inside, f->data[inside ? offset : 0]);
    return f->border == TESS_BORDER_VALUE && !inside && !idle ? e->view.value : found;
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__edge_add_)(int mixes, int k, const TESS__INTERP_REAL *w,
                                                      TESS__INTERP_T value, TESS__INTERP_T sum)
{
    if (mixes) return k == 0 ? value : TESS__E(tess__mix_)(sum, value, w[0]);
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
    int               mixes[3] = { 0, 0, 0 }, inside, lost = !f.inside;
    for (int axis = 0; axis < e->dims; axis++) {
        first[axis] = e->at[axis] + tess__interp_first(e->method);
        for (int k = 0; k < taps; k++) reach[axis][k] = tess__reach_index(f.border, first[axis] + k, f.shape[axis]);
        inside = 0;
        for (int k = 0; k < taps; k++) inside |= reach[axis][k] >= 0;
        lost |= !inside;
        mixes[axis] = TESS__E(tess__edge_shares_)(e, f.border, axis, reach[axis], w[axis]);
    }
    if (lost && f.border == TESS_BORDER_VALUE)
        return TESS__E(tess__taint_)(e->along ? all : e->view.value, e->t[0] + e->t[1] + e->t[2]);
    for (int z = 0; z < deep; z++) {
        if (e->dims == 3) at[2] = first[2] + z, index[2] = reach[2][z];
        for (int y = 0; y < taps; y++) {
            at[1] = first[1] + y, index[1] = reach[1][y];
            for (int x = 0; x < taps; x++) {
                at[0] = first[0] + x, index[0] = reach[0][x];
                row = TESS__E(tess__edge_add_)(mixes[0], x, w[0], TESS__E(tess__edge_at_)(e, &f, at, index), row);
            }
            plane = TESS__E(tess__edge_add_)(mixes[1], y, w[1], row, plane);
        }
        all = e->dims == 3 ? TESS__E(tess__edge_add_)(mixes[2], z, w[2], plane, all) : plane;
    }
    return TESS__E(tess__taint_)(all, e->t[0] + e->t[1] + e->t[2]);
}

/* Where the taps of a window of a spectrum are along its axes: offsets, and whether there is one, for those that are
 * stored and for conjugates. Where all are conjugates, their sum is conjugated instead: so is that of windows which
 * follow one another in memory, and zeros have the same sign. */
typedef struct TESS__E(tess__spots_) {
    int64_t first[3], offset[2][3][TESS__INTERP_TAPS];
    int     there[2][3][TESS__INTERP_TAPS], turned;
} TESS__E(tess__spots_);

/* Whether along each axis there is a tap. */
TESS__FAST_FN int TESS__E(tess__find_spots_)(TESS__E(tess__spots_) * s, const TESS__E(tess__edge_) * e, int taps)
{
    int all = 1;
    for (int axis = 0; axis < 3; axis++) {
        int           any = 0;
        const int     fixed = axis >= e->dims, border = tess__border_along(e->view.border, 3 - axis);
        const int64_t n = e->view.shape[3 - axis], stride = e->view.stride[3 - axis];
        s->first[axis] = fixed ? e->fixed[1] : e->at[axis] + tess__interp_first(e->method);
        for (int k = 0; k < (fixed ? 1 : taps); k++)
            for (int turns = 0; turns < 2; turns++) {
                int64_t index;
                s->there[turns][axis][k] = tess__reach(border, tess__opposite(turns, s->first[axis] + k), n, &index);
                s->offset[turns][axis][k] = s->there[turns][axis][k] ? index * stride : 0;
                any |= s->there[turns][axis][k];
            }
        all &= any;
    }
    s->turned = tess__is_half_spectrum(e->view.border) & (s->first[0] + taps <= 0);
    return all;
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__spot_at_)(const TESS__E(tess__field_) * f, const TESS__E(tess__spots_) * s,
                                                     int z, int y, int x)
{
    const int            turns = tess__is_half_spectrum(f->border) & (s->first[0] + x < 0);
    const int            inside = f->inside & s->there[turns][0][x] & s->there[turns][1][y] & s->there[turns][2][z];
    const int64_t        offset = s->offset[turns][0][x] + s->offset[turns][1][y] + s->offset[turns][2][z];
    const TESS__INTERP_T found = TESS__E(tess__keep_)(inside, f->data[inside ? offset : 0]);
    return TESS__E(tess__conjugate_)(turns & !s->turned, found);
}

/* Any window of a spectrum, of a method that has weights. */
TESS__SLOW_FN TESS__INTERP_T TESS__E(tess__edge_of_spectrum_)(const TESS__E(tess__edge_) * e)
{
    const TESS__E(tess__field_) f = e->dims == 3 ? TESS__E(tess__volume_)(&e->view, e->fixed[0])
                                                 : TESS__E(tess__image_)(&e->view, e->fixed[0], e->fixed[1]);
    const int taps = tess__interp_taps(e->method), deep = e->dims == 3 ? taps : 1;
    TESS__E(tess__spots_) spots;
    TESS__INTERP_REAL w[3][TESS__INTERP_TAPS];
    TESS__INTERP_T    all = TESS__E(tess__keep_)(0, *f.data), plane = all, row = all;
    int               mixes[3] = { 0, 0, 0 };
    const int         any = TESS__E(tess__find_spots_)(&spots, e, taps);
    for (int axis = 0; axis < e->dims; axis++) {
        mixes[axis] = taps == 2 && e->along != axis + 1;
        TESS__R(tess__interp_shares_)(e->method, e->along == axis + 1, e->t[axis], w[axis]);
    }
    for (int z = 0; z < deep && any; z++) {
        for (int y = 0; y < taps; y++) {
            for (int x = 0; x < taps; x++)
                row = TESS__E(tess__edge_add_)(mixes[0], x, w[0], TESS__E(tess__spot_at_)(&f, &spots, z, y, x), row);
            plane = TESS__E(tess__edge_add_)(mixes[1], y, w[1], row, plane);
        }
        all = e->dims == 3 ? TESS__E(tess__edge_add_)(mixes[2], z, w[2], plane, all) : plane;
    }
    return TESS__E(tess__taint_)(TESS__E(tess__conjugate_)(spots.turned, all), e->t[0] + e->t[1] + e->t[2]);
}

TESS__FAST_FN TESS__E(tess__edge_) TESS__E(tess__edge_in_)(const TESS__E(tess__field_) * f, int32_t method, int along,
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
    e.along = along;
    e.dims = f->dims;
    return e;
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__window_edge_)(const TESS__E(tess__field_) * f, int32_t method, int along,
                                                         const int64_t *at, const TESS__INTERP_REAL *t)
{
    const TESS__E(tess__edge_) e = TESS__E(tess__edge_in_)(f, method, along, at, t);
    return TESS__E(tess__edge_sum_)(&e);
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__spectrum_edge_)(const TESS__E(tess__field_) * f, int32_t method, int along,
                                                           const int64_t *at, const TESS__INTERP_REAL *t)
{
    const TESS__E(tess__edge_) e = TESS__E(tess__edge_in_)(f, method, along, at, t);
    return TESS__E(tess__edge_of_spectrum_)(&e);
}

/* ---- Windows ---- */

/* Two elements: mixed, or their weighted sum. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__tap_pair_)(int mixes, TESS__INTERP_T a, TESS__INTERP_T b,
                                                      const TESS__INTERP_REAL *w)
{
    return mixes ? TESS__E(tess__mix_)(a, b, w[0]) : TESS__E(tess__tap_)(1, w, b, TESS__E(tess__tap_)(0, w, a, a));
}

/* Of one plane, whose first element is at p. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__plane_)(const TESS__INTERP_T *p, const int64_t *stride, int taps, int along,
                                                   const TESS__INTERP_REAL *wy, const TESS__INTERP_REAL *wx)
{
    const int64_t sx = stride[0], sy = stride[1];
    if (taps == 2)
        return TESS__E(tess__tap_pair_)(along != 2, TESS__E(tess__tap_pair_)(along != 1, p[0], p[sx], wx),
                                        TESS__E(tess__tap_pair_)(along != 1, p[sy], p[sy + sx], wx), wy);
    TESS__INTERP_T all = *p, row = *p;
    TESS__UNROLL_FEW
    for (int y = 0; y < taps; y++) {
        TESS__UNROLL_FEW
        for (int x = 0; x < taps; x++) row = TESS__E(tess__tap_)(x, wx, p[y * sy + x * sx], row);
        all = TESS__E(tess__tap_)(y, wy, row, all);
    }
    return all;
}

/* Of all planes of a window, whose first element is at p. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__planes_)(const TESS__INTERP_T *p, const int64_t *stride, int dims,
                                                    int32_t method, int along, const TESS__INTERP_REAL *t)
{
    const int         taps = tess__interp_taps(method);
    const int64_t     sz = stride[2];
    TESS__INTERP_REAL wx[TESS__INTERP_TAPS], wy[TESS__INTERP_TAPS], wz[TESS__INTERP_TAPS];
    TESS__R(tess__interp_shares_)(method, along == 1, t[0], wx);
    TESS__R(tess__interp_shares_)(method, along == 2, t[1], wy);
    const TESS__INTERP_T plane = TESS__E(tess__plane_)(p, stride, taps, along, wy, wx);
    if (dims == 2) return plane;
    TESS__R(tess__interp_shares_)(method, along == 3, t[2], wz);
    if (taps == 2)
        return TESS__E(tess__tap_pair_)(along != 3, plane, TESS__E(tess__plane_)(p + sz, stride, taps, along, wy, wx),
                                        wz);
    TESS__INTERP_T all = TESS__E(tess__tap_)(0, wz, plane, plane);
    for (int k = 1; k < taps; k++)
        all = TESS__E(tess__tap_)(k, wz, TESS__E(tess__plane_)(p + k * sz, stride, taps, along, wy, wx), all);
    return all;
}

/* A window of a spectrum: taps that follow one another in memory, all stored or all conjugates, or any others. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__window_of_spectrum_)(const TESS__E(tess__field_) * f, int32_t method,
                                                                int along, const int64_t *at,
                                                                const TESS__INTERP_REAL *t)
{
    const int     taps = tess__interp_taps(method), first = tess__interp_first(method), deep = f->dims == 3 ? taps : 1;
    const int64_t x = at[0] + first, y = at[1] + first, z = f->dims == 3 ? at[2] + first : f->fixed[1];
    const int     turns = tess__is_half_spectrum(f->border) & (x + taps <= 0);
    int64_t       index[4] = { 0, 0, 0, 0 }; /* x, y, z */
    const int     flat = tess__spectrum_run(f->border, 3, x, taps, turns, f->shape[0], &index[0]) &
                     tess__spectrum_run(f->border, 2, y, taps, turns, f->shape[1], &index[1]);
    if (!(f->inside & flat & tess__spectrum_run(f->border, 1, z, deep, turns, f->shape[2], &index[2])))
        return TESS__E(tess__spectrum_edge_)(f, method, along, at, t);
    const int64_t forward[4] = { f->stride[0], f->stride[1], f->stride[2], 0 };
    const int64_t stride[3] = { turns ? -forward[0] : forward[0], turns ? -forward[1] : forward[1],
                                turns ? -forward[2] : forward[2] };
    const TESS__INTERP_T *p = f->data + tess__distance(index, forward, 1);
    return TESS__E(tess__conjugate_)(turns, TESS__E(tess__planes_)(p, stride, f->dims, method, along, t));
}

/* Whether no element of a window is inside. */
TESS__FAST_FN int TESS__E(tess__field_lacks_)(const TESS__E(tess__field_) * f, const int64_t *at, int first, int last)
{
    const int flat =
        (at[0] + last < 0) | (at[0] + first >= f->shape[0]) | (at[1] + last < 0) | (at[1] + first >= f->shape[1]);
    const int deep = f->dims == 3 ? (at[2] + last < 0) | (at[2] + first >= f->shape[2]) : 0;
    return flat | deep | !f->inside;
}

/* Between the elements at x, y, z and the next ones, for a method that has weights; of images z and its t are 0. With
 * `along` 1, 2 or 3 it is the derivative along x, y or z. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__window_)(const TESS__E(tess__field_) * f, int32_t method, int along,
                                                    const int64_t *at, const TESS__INTERP_REAL *t)
{
    if (tess__is_spectrum(f->border)) return TESS__E(tess__window_of_spectrum_)(f, method, along, at, t);
    const int taps = tess__interp_taps(method), first = tess__interp_first(method), last = first + taps - 1;
    const int flat =
        TESS__E(tess__field_holds_)(f, 0, at[0], first, last) & TESS__E(tess__field_holds_)(f, 1, at[1], first, last);
    const int deep = f->dims == 3 ? TESS__E(tess__field_holds_)(f, 2, at[2], first, last) : 1;
    if (f->inside & flat & deep) {
        const int64_t         z = f->dims == 3 ? (at[2] + first) * f->stride[2] : 0;
        const TESS__INTERP_T *p = f->data + (z + (at[1] + first) * f->stride[1] + (at[0] + first) * f->stride[0]);
        return TESS__E(tess__planes_)(p, f->stride, f->dims, method, along, t);
    }
    if (f->border == TESS_BORDER_ZERO && TESS__E(tess__field_lacks_)(f, at, first, last))
        return TESS__E(tess__taint_)(TESS__E(tess__keep_)(0, *f->data), t[0] + t[1] + t[2]);
    return TESS__E(tess__window_edge_)(f, method, along, at, t);
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
