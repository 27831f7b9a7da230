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
TESS_FN TESS__INTERP_T TESS__E(tess__field_at_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x)
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

/* ---- Linear ---- */

/* The four elements at y, x, where p is element y, x; then of the edge, each by the border. */
TESS__FAST_FN TESS__INTERP_T TESS__E(tess__four_)(const TESS__INTERP_T *p, int64_t sy, int64_t sx, TESS__INTERP_REAL ty,
                                                  TESS__INTERP_REAL tx)
{
    const TESS__INTERP_T top = TESS__E(tess__mix_)(p[0], p[sx], tx);
    const TESS__INTERP_T bottom = TESS__E(tess__mix_)(p[sy], p[sy + sx], tx);
    return TESS__E(tess__mix_)(top, bottom, ty);
}

TESS_FN TESS__INTERP_T TESS__E(tess__four_edge_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x,
                                                 TESS__INTERP_REAL ty, TESS__INTERP_REAL tx)
{
    const TESS__INTERP_T a = TESS__E(tess__field_at_)(f, z, y, x), b = TESS__E(tess__field_at_)(f, z, y, x + 1);
    const TESS__INTERP_T c = TESS__E(tess__field_at_)(f, z, y + 1, x);
    const TESS__INTERP_T d = TESS__E(tess__field_at_)(f, z, y + 1, x + 1);
    return TESS__E(tess__mix_)(TESS__E(tess__mix_)(a, b, tx), TESS__E(tess__mix_)(c, d, tx), ty);
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__linear2_)(const TESS__E(tess__field_) * f, int64_t y, int64_t x,
                                                     TESS__INTERP_REAL ty, TESS__INTERP_REAL tx)
{
    const int64_t sy = f->stride[1], sx = f->stride[0];
    const int     inside = TESS__E(tess__field_holds_)(f, 1, y, 0, 1) & TESS__E(tess__field_holds_)(f, 0, x, 0, 1);
    if (inside & f->inside) return TESS__E(tess__four_)(f->data + (y * sy + x * sx), sy, sx, ty, tx);
    if ((f->border == TESS_BORDER_ZERO) & ((y < -1) | (y >= f->shape[1]) | (x < -1) | (x >= f->shape[0]))) {
        static const TESS__INTERP_T zeros[4] = TESS__VIEW_ZERO; /* NaN stays */
        return TESS__E(tess__four_)(zeros, 2, 1, ty, tx);
    }
    return TESS__E(tess__four_edge_)(f, 0, y, x, ty, tx);
}

TESS__FAST_FN TESS__INTERP_T TESS__E(tess__linear3_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x,
                                                     TESS__INTERP_REAL tz, TESS__INTERP_REAL ty, TESS__INTERP_REAL tx)
{
    const int64_t sz = f->stride[2], sy = f->stride[1], sx = f->stride[0];
    const int     inside = TESS__E(tess__field_holds_)(f, 2, z, 0, 1) & TESS__E(tess__field_holds_)(f, 1, y, 0, 1) &
                       TESS__E(tess__field_holds_)(f, 0, x, 0, 1);
    if (inside & f->inside) {
        const TESS__INTERP_T *p = f->data + (z * sz + y * sy + x * sx);
        return TESS__E(tess__mix_)(TESS__E(tess__four_)(p, sy, sx, ty, tx),
                                   TESS__E(tess__four_)(p + sz, sy, sx, ty, tx), tz);
    }
    return TESS__E(tess__mix_)(TESS__E(tess__four_edge_)(f, z, y, x, ty, tx),
                               TESS__E(tess__four_edge_)(f, z + 1, y, x, ty, tx), tz);
}

/* ---- Cubic ---- */

/* Of the sixteen elements around y, x of plane z; `safe`: all of them are inside. */
TESS_FN TESS__INTERP_T TESS__E(tess__cubic_plane_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x,
                                                   const TESS__INTERP_REAL *wy, const TESS__INTERP_REAL *wx, int safe)
{
    TESS__INTERP_T rows[4], v[4];
    const int64_t  depth = safe && f->dims == 3 ? z * f->stride[2] : 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            v[j] = safe ? f->data[depth + (y + i - 1) * f->stride[1] + (x + j - 1) * f->stride[0]]
                        : TESS__E(tess__field_at_)(f, z, y + i - 1, x + j - 1);
        rows[i] = TESS__CAT(TESS__E(tess__sum4_), _of)(v, wx);
    }
    return TESS__CAT(TESS__E(tess__sum4_), _of)(rows, wy);
}

TESS_FN TESS__INTERP_T TESS__E(tess__cubic2_)(const TESS__E(tess__field_) * f, int64_t y, int64_t x,
                                              TESS__INTERP_REAL ty, TESS__INTERP_REAL tx)
{
    TESS__INTERP_REAL wy[4], wx[4];
    TESS__R(tess__weights_)(wy, ty);
    TESS__R(tess__weights_)(wx, tx);
    const int inside = TESS__E(tess__field_holds_)(f, 1, y, -1, 2) & TESS__E(tess__field_holds_)(f, 0, x, -1, 2);
    if (inside & f->inside) return TESS__E(tess__cubic_plane_)(f, 0, y, x, wy, wx, 1);
    return TESS__E(tess__cubic_plane_)(f, 0, y, x, wy, wx, 0);
}

TESS_FN TESS__INTERP_T TESS__E(tess__cubic3_)(const TESS__E(tess__field_) * f, int64_t z, int64_t y, int64_t x,
                                              TESS__INTERP_REAL tz, TESS__INTERP_REAL ty, TESS__INTERP_REAL tx)
{
    TESS__INTERP_REAL wz[4], wy[4], wx[4];
    TESS__INTERP_T    planes[4];
    TESS__R(tess__weights_)(wz, tz);
    TESS__R(tess__weights_)(wy, ty);
    TESS__R(tess__weights_)(wx, tx);
    const int inside = TESS__E(tess__field_holds_)(f, 2, z, -1, 2) & TESS__E(tess__field_holds_)(f, 1, y, -1, 2) &
                       TESS__E(tess__field_holds_)(f, 0, x, -1, 2) & f->inside;
    for (int k = 0; k < 4; k++)
        planes[k] = inside ? TESS__E(tess__cubic_plane_)(f, z + k - 1, y, x, wy, wx, 1)
                           : TESS__E(tess__cubic_plane_)(f, z + k - 1, y, x, wy, wx, 0);
    return TESS__CAT(TESS__E(tess__sum4_), _of)(planes, wz);
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
