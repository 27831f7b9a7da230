/* tessera sym: the mean over the rotations of a point group. */
#include <math.h>
#include <string.h>

#include "files/box.h"
#include "files/one_input.h"
#include "maps/matrices.h"
#include "maps/resampling.h"
#include "maps/rotations.h"

static const option options[] = {
    VALUE("sym", "GROUP", OPTION_TEXT, "point group with RELION's axes: C<n>, D<n>, T, O, I1 or I2; images: C<n>, D<n>",
          .alias = "group"),
    VALUE("center", "X,Y,Z", OPTION_TEXT, "point that the axes pass through, in pixels or as 120A [n/2 of each side]"),
    VALUE("before", "A,B,C", OPTION_TEXT,
          "first rotate the map by these Euler angles; images: by one angle from x towards y"),
    VALUE("after", "A,B,C", OPTION_TEXT, "rotate the result by these angles"),
    FLAG("back", "rotate the result back, undoing --before"),
    CONVENTION_OPTION,
    RESAMPLING_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera sym --sym d7 volume.mrc -o d7.mrc",
    "tessera sym --sym c3 --before 0,90,0 --back --convention relion --interp cubic volume.mrc -o c3.mrc",
    "tessera sym --sym c4 stack.mrcs -o c4.mrcs",
    NULL,
};

typedef struct symmetry {
    const char          *group;
    tess_mat34_f64       before[1], after[1]; /* inverse, on coordinates of pixels z, y, x */
    bool                 has_before, has_after;
    tess_symmetrize_opts opts;
} symmetry;

/* A turn of the picture as the inverse matrix about the centre. */
static tess_mat34_f64 inverse_about(tess_mat33_f64 turn, tess_vec3_f64 centre)
{
    return tess_about_3d_f64(tess_mat33_transpose_f64(turn), centre);
}

static tess_status read_turn(const job *j, const char *name, bool volume, tess_mat33_f64 *turn, bool *given)
{
    char what[32];
    *given = job_has(j, name);
    if (!*given) return TESS_OK;
    (void)snprintf(what, sizeof what, "--%s", name);
    const char *text = job_text(j, name, "");
    return volume ? rotation_of_euler(turn, j, what, text) : rotation_about(turn, what, text, 'z');
}

static tess_status read_turns(const job *j, bool volume, tess_vec3_f64 centre, symmetry *s)
{
    tess_mat33_f64 before, after;
    TESS_TRY(read_turn(j, "before", volume, &before, &s->has_before));
    TESS_TRY(read_turn(j, "after", volume, &after, &s->has_after));
    TESS_CHECK(!job_has(j, "back") || (s->has_before && !s->has_after), TESS_EARG,
               "sym: --back requires --before, which it undoes, and cannot be combined with --after");
    TESS_CHECK(!job_has(j, "convention") || (volume && (s->has_before || s->has_after)), TESS_EARG,
               "sym: --convention applies to the Euler angles of --before and --after; none were given");
    if (job_has(j, "back")) after = tess_mat33_transpose_f64(before), s->has_after = true;
    if (s->has_before) s->before[0] = inverse_about(before, centre);
    if (s->has_after) s->after[0] = inverse_about(after, centre);
    return TESS_OK;
}

/* Rotations of a map are those of space if its pixels are alike along its axes, which are at right angles. */
static tess_status need_cubes(const job *j, const input *in)
{
    const double *size = in->info.meta.pixel_size;
    const bool    volume = in->info.shape.d > 1;
    TESS_TRY(need_right_angles(j, in, volume, "a point group"));
    const bool known = size[1] > 0 && size[2] > 0 && (!volume || size[0] > 0);
    const bool alike = fabs(size[1] / size[2] - 1) < 1e-3 && (!volume || fabs(size[0] / size[2] - 1) < 1e-3);
    TESS_CHECK(!known || alike, TESS_EUNSUPPORTED,
               "sym: pixels of %s are %g x %g x %g A; a point group needs equal pixel sizes along all axes", in->name,
               size[2], size[1], size[0]);
    return TESS_OK;
}

static tess_status read_options(const job *j, const input *in, symmetry *s)
{
    const tess_shape shape = in->info.shape;
    const bool       volume = shape.d > 1;
    int64_t          order;
    resampling       r;
    s->group = job_text(j, "sym", "");
    TESS_CHECK(s->group[0], TESS_EARG, "sym: --sym is missing; C<n>, D<n>, T, O, I1 or I2 is needed");
    TESS_CHECK(tess_symmetry_order(&order, s->group) == TESS_OK, TESS_EARG,
               "sym: --sym is \"%.40s\"; C<n> or D<n> with n from 1 to 1024, T, O, I1 or I2 is needed", s->group);
    TESS_CHECK(volume || strchr("cCdD", s->group[0]), TESS_EARG,
               "sym: --sym is %s; %s has images, for which C<n> or D<n> is needed", s->group, in->name);
    TESS_TRY(resampling_of_options(j, &r));
    tess_vec3_f64       centre = { { (double)(shape.d / 2), (double)(shape.h / 2), (double)(shape.w / 2) } };
    const tess_vec3_f64 middle = centre;
    TESS_TRY(option_point_xyz(j, "center", in, centre.at));
    TESS_TRY(read_turns(j, volume, centre, s));
    s->opts = (tess_symmetrize_opts){ .interp = r.interp,
                                      .border = r.border,
                                      .prefilter = r.prefilter,
                                      .value = r.value,
                                      .shift_d = centre.at[0] - middle.at[0],
                                      .shift_h = centre.at[1] - middle.at[1],
                                      .shift_w = centre.at[2] - middle.at[2] };
    return TESS_OK;
}

/* ---- The work ---- */

static tess_status sym_slab(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const symmetry      *s = context;
    tess_symmetrize_opts opts = s->opts;
    tess_array           before = { 0 }, after = { 0 };
    tess_status          status = TESS_OK;
    if (s->has_before) TESS_GOTO(done, status, matrices_array(&before, s->before, 1, in->shape.d > 1));
    if (s->has_after) TESS_GOTO(done, status, matrices_array(&after, s->after, 1, in->shape.d > 1));
    opts.before = s->has_before ? &before : NULL;
    opts.after = s->has_after ? &after : NULL;
    TESS_GOTO(done, status, tess_symmetrize(out, in, s->group, &opts));
done:
    tess_release(&before);
    tess_release(&after);
    return status;
}

static tess_status sym_file(job *j, input *in)
{
    symmetry s = { 0 };
    TESS_TRY(need_real(j, in));
    TESS_TRY(need_cubes(j, in));
    TESS_TRY(read_options(j, in, &s));
    stream_plan      plan = plan_to_compute(in);
    const tess_shape shape = in->info.shape;
    if (s.opts.prefilter) plan.extra = shape.d * shape.h * shape.w * (int64_t)tess_dtype_size(plan.in_dtype);
    tess_meta_forget_cell(&plan.meta);
    tell_lost_cell(j, in, &plan.meta);
    return stream_run(j, in, &plan, sym_slab, &s);
}

static tess_status run(job *j) { return on_input_to_output(j, sym_file); }

const verb verb_sym = {
    .name = "sym",
    .subject = "size and place",
    .summary = "average images and volumes over the rotations of a point group",
    .arguments = "--sym GROUP INPUT... -o OUT",
    .text = "Groups are named as in RELION, in upper or lower case: C<n> and D<n> have their n-fold axis along z, D<n> "
            "a 2-fold axis along x; T has a 3-fold axis along z, O 4-fold axes along x, y and z; I1 and I2 have 2-fold "
            "axes along x, y and z, and differ by a rotation of 90 degrees about z. `tessera symmetry_matrices --name "
            "I1` prints the rotations.\n\nIf the axes of a map lie elsewhere, --before rotates the map first, and "
            "--after or --back rotates the result. All of this is one pass, so values are interpolated once. `tessera "
            "help transform` explains the angles. Pixel size and origin do not change.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
