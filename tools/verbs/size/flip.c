/* tessera flip: mirrors, transposes and quarter turns. */
#include <string.h>

#include "files/input_meta.h"
#include "files/one_input.h"

static const option options[] = {
    FLAG("x", "mirror along x: left becomes right", .many = true),
    FLAG("y", "mirror along y", .many = true),
    FLAG("z", "mirror along z (volumes)", .many = true),
    CHOICE("transpose", "AXES", "xy xz yz", "swap two axes", .many = true),
    VALUE("rot90", "N", OPTION_INTEGER, "rotate in-plane by N quarter turns, from x towards y", .many = true),
    FLAG("hand", "change the handedness: mirror along x about n/2", .many = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera flip --y x.mrc -o mirrored.mrc",
    "tessera flip --hand volume.mrc -o other_hand.mrc",
    "tessera flip --transpose yz --rot90 1 volume.mrc -o side.mrc",
    NULL,
};

/* Element i of an axis of the result is element (sign * i + offset) modulo n of axis `from` of the input. */
typedef struct oriented_axis {
    int     from;
    int64_t n, sign, offset;
} oriented_axis;

typedef struct orientation {
    oriented_axis axis[4]; /* b, d, h, w of the result */
} orientation;

static int64_t modulo(int64_t i, int64_t n) { return (i % n + n) % n; }

/* Then look at element (-i + offset) of what is there. */
static void mirror(oriented_axis *a, int64_t offset)
{
    a->offset = modulo(a->sign * offset + a->offset, a->n);
    a->sign = -a->sign;
}

/* The axis d, h or w of the result is mirrored, and the cell that it is a part of likewise: about its middle, or about
 * its pixel n/2. */
static tess_status mirror_axis(orientation *t, tess_meta *meta, int axis, bool about_pixel)
{
    const int64_t n = t->axis[axis].n, cell = meta->grid[axis - 1];
    mirror(&t->axis[axis], about_pixel ? n / 2 * 2 : n - 1);
    return tess_meta_mirror(meta, axis - 1, about_pixel ? cell / 2 * 2 - n / 2 * 2 : cell - n);
}

static tess_status swap_axes(orientation *t, tess_meta *meta, int a, int b)
{
    const oriented_axis kept = t->axis[a];
    t->axis[a] = t->axis[b];
    t->axis[b] = kept;
    return tess_meta_swap_axes(meta, a - 1, b - 1);
}

static tess_status quarter_turns(orientation *t, tess_meta *meta, const char *text)
{
    long long n = 0;
    TESS_CHECK(sscanf(text, "%lld", &n) == 1, TESS_EARG, "flip: --rot90 is %s; an integer is needed", text);
    for (int64_t i = 0; i < modulo(n, 4); ++i) {
        TESS_TRY(swap_axes(t, meta, 2, 3));
        TESS_TRY(mirror_axis(t, meta, 3, false));
    }
    return TESS_OK;
}

static tess_status read_turns(const job *j, const input *in, orientation *t, tess_meta *meta)
{
    const tess_shape shape = in->info.shape;
    for (int i = 0; i < 4; ++i) t->axis[i] = (oriented_axis){ i, shape.dim[i], 1, 0 };
    const char *name, *value;
    int         n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        ++n;
        if (strcmp(name, "x") == 0) TESS_TRY(mirror_axis(t, meta, 3, false));
        else if (strcmp(name, "y") == 0) TESS_TRY(mirror_axis(t, meta, 2, false));
        else if (strcmp(name, "z") == 0) {
            TESS_CHECK(shape.d > 1, TESS_EARG, "flip: --z needs a volume; %s has images", in->name);
            TESS_TRY(mirror_axis(t, meta, 1, false));
        } else if (strcmp(name, "hand") == 0) TESS_TRY(mirror_axis(t, meta, 3, true));
        else if (strcmp(name, "rot90") == 0) TESS_TRY(quarter_turns(t, meta, value));
        else if (strcmp(name, "transpose") == 0) {
            const int a = 3 - (value[0] - 'x'), b = 3 - (value[1] - 'x');
            TESS_CHECK(b > 1 || shape.d > 1, TESS_EARG, "flip: --transpose %s needs a volume; %s has images", value,
                       in->name);
            TESS_TRY(swap_axes(t, meta, a, b));
        } else --n;
    }
    TESS_CHECK(n > 0, TESS_EARG, "flip: nothing to do; give --x, --y, --z, --transpose, --rot90 or --hand");
    return TESS_OK;
}

/* The sections of the input, where z is not swapped with another axis: it is only ever reversed. */
static void sections(const void *context, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const oriented_axis *a = &((const orientation *)context)->axis[1];
    *from = a->sign > 0 ? z : a->n - z - nz;
    *n = nz;
}

/* The part of an axis from i on that comes from one run of the input, as a range of it; its length is returned. */
static int64_t run_of_axis(const oriented_axis *a, int64_t i, int64_t n, tess_range *range)
{
    const int64_t at = modulo(a->sign * i + a->offset, a->n);
    int64_t       length = a->sign > 0 ? a->n - at : at + 1;
    if (length > n - i) length = n - i;
    const int64_t end = at + a->sign * length;
    *range = tess_from_to_step(at, end < 0 ? TESS_NONE : end, a->sign);
    return length;
}

static tess_status copy_turned(tess_array *out, const tess_array *in, oriented_axis depth, oriented_axis height,
                               oriented_axis width)
{
    for (int64_t h = 0, nh; h < out->shape.h; h += nh) {
        tess_region from = { 0 };
        (void)run_of_axis(&depth, 0, out->shape.d, &from.d);
        nh = run_of_axis(&height, h, out->shape.h, &from.h);
        for (int64_t w = 0, nw; w < out->shape.w; w += nw) {
            nw = run_of_axis(&width, w, out->shape.w, &from.w);
            const tess_region to = { .h = tess_from_to(h, h + nh), .w = tess_from_to(w, w + nw) };
            tess_array        source, target;
            TESS_TRY(tess_subregion(&source, in, from));
            TESS_TRY(tess_subregion(&target, out, to));
            TESS_TRY(tess_copy(&target, &source));
        }
    }
    return TESS_OK;
}

static tess_status flip_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)s;
    const orientation *t = context;
    tess_array         view;
    oriented_axis      depth = t->axis[1];
    TESS_TRY(tess_permute(&view, in, 0, t->axis[1].from, t->axis[2].from, t->axis[3].from));
    if (depth.from == 1) {
        depth.n = out->shape.d;
        depth.offset = depth.sign > 0 ? 0 : depth.n - 1;
    }
    return copy_turned(out, &view, depth, t->axis[2], t->axis[3]);
}

static tess_status flip_file(job *j, input *in)
{
    orientation t;
    tess_meta   meta = meta_of(in);
    TESS_TRY(read_turns(j, in, &t, &meta));
    tess_meta_forget_symmetry(&meta);
    tell_lost_cell(j, in, &meta);
    tess_shape out;
    for (int i = 0; i < 4; ++i) out.dim[i] = t.axis[i].n;
    slab_plan plan = plan_of_sections(&in, out);
    plan.whole = t.axis[1].from != 1;
    if (!plan.whole) plan.need = sections, plan.context = &t;
    return stream_slabs_to_file(j, &plan, &meta, flip_slab, &t);
}

static tess_status run(job *j) { return on_input_to_output(j, flip_file); }

const verb verb_flip = {
    .name = "flip",
    .subject = "size and place",
    .summary = "mirror, transpose or rotate by 90 degrees",
    .arguments = "INPUT... -o OUT",
    .text = "Operations are applied in the order of the command line. Rows count from the bottom of the picture, so a "
            "quarter turn from x towards y is counter-clockwise. Cell angles follow the axes; the symmetry of a "
            "crystal does not, and its space group becomes 1. A part of a cell is mirrored with the cell, so its start "
            "changes; other boxes are mirrored where they are.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
