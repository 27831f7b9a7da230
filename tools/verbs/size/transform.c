/* tessera transform: rotate, shift, scale and shear, by interpolation. */
#include <string.h>

#include "files/box.h"
#include "files/one_input.h"
#include "maps/rotations.h"
#include "maps/transform.h"

static const option options[] = {
    VALUE("rotate", "A", OPTION_ANGLE, "rotate about z, from x towards y; images in-plane", .many = true),
    VALUE("rotate-x", "A", OPTION_ANGLE, "rotate about x, from y towards z", .many = true),
    VALUE("rotate-y", "A", OPTION_ANGLE, "rotate about y, from z towards x", .many = true),
    VALUE("euler", "A,B,C", OPTION_TEXT, "rotate volumes by Euler angles (see --convention)", .many = true),
    CONVENTION_OPTION,
    VALUE("shift", "X,Y,Z", OPTION_LENGTHS, "shift in pixels, or as 12.5A,0A,3nm", .many = true),
    VALUE("scale", "F", OPTION_NUMBER, "magnify F times; the pixel size is divided by F", .many = true),
    VALUE("matrix", "M", OPTION_TEXT,
          "matrix, row by row in x,y,z, with or without a shift; or a text file of one, or of one per line",
          .many = true),
    VALUE("xf", "FILE", OPTION_FILE, "IMOD transforms: one for all images, or one per image", .many = true),
    VALUE("star", "FILE", OPTION_FILE,
          "align each image to its reference, by rlnOriginXAngst, rlnAnglePsi ... of its row", .many = true),
    FLAG("inverse", "invert the whole transform"),
    VALUE("center", "X,Y,Z", OPTION_TEXT, "fixed point, in pixels or as 120A [n/2 of each side]"),
    VALUE("box", "X,Y,Z", OPTION_LENGTHS, "size of the result in pixels, about the middle n/2 [that of the input]"),
    VALUE("like", "MAP", OPTION_FILE, "resample onto this map's grid: pixel size, box, origin"),
    RESAMPLING_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera transform --rotate 30 --shift 2.5,-1 --interp cubic x.mrc -o rotated.mrc",
    "tessera transform --euler 20,70,35 --convention relion --interp lanczos8 volume.mrc -o view.mrc",
    "tessera transform --euler 20,70,35 --convention relion --inverse volume.mrc -o back.mrc",
    "tessera transform --matrix 0,-1,0,1,0,0,0,0,1 volume.mrc -o quarter.mrc",
    "tessera transform --like half1.mrc volume.mrc -o same_grid.mrc",
    NULL,
};

static tess_status transform_slab(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const transform          *t = context;
    const bool                one = t->moves.n == 1;
    tess_array                matrices = { 0 };
    const tess_transform_opts opts = {
        .interp = t->how.interp, .border = t->how.border, .prefilter = t->how.prefilter, .value = t->how.value
    };
    TESS_TRY(matrices_array(&matrices, t->moves.at + (one ? 0 : first), one ? 1 : in->shape.b, t->volume));
    const tess_status status =
        t->volume ? tess_transform_3d(out, in, &matrices, &opts) : tess_transform_2d(out, in, &matrices, &opts);
    tess_release(&matrices);
    return status;
}

static tess_status plan_transform(job *j, input *in, transform *t, tess_meta *meta)
{
    const tess_shape shape = in->info.shape;
    TESS_TRY(need_real(j, in));
    TESS_TRY(need_right_angles(j, in, shape.d > 1, "a transform"));
    *t = (transform){ .scale = 1, .out = shape, .grid = { 1, 1, 1 }, .volume = shape.d > 1 };
    for (int i = 0; i < 3; ++i) t->centre.at[i] = (double)(shape.dim[i + 1] / 2);
    memcpy(t->pixel_size, in->info.meta.pixel_size, sizeof t->pixel_size);
    TESS_TRY(resampling_of_options(j, &t->how));
    TESS_TRY(option_point_xyz(j, "center", in, t->centre.at));
    TESS_TRY(transform_add_steps(j, t, in));
    if (job_has(j, "inverse")) t->scale = 1 / t->scale;
    tess_meta_forget_cell(meta);
    if (t->volume) tess_meta_forget_extended(meta);
    TESS_TRY(job_has(j, "like") ? transform_grid_of_map(j, t, in, meta) : transform_grid_of_box(j, t, in, meta));
    return transform_invert(j, t);
}

static tess_status transform_file(job *j, input *in)
{
    transform   t = { 0 };
    stream_plan plan = plan_to_compute(in);
    tess_status status;
    TESS_GOTO(done, status, plan_transform(j, in, &t, &plan.meta));
    tell_lost_cell(j, in, &plan.meta);
    const tess_shape shape = in->info.shape;
    plan.out_shape = t.out;
    if (t.how.prefilter) plan.extra = shape.d * shape.h * shape.w * (int64_t)tess_dtype_size(plan.in_dtype);
    TESS_GOTO(done, status, stream_run(j, in, &plan, transform_slab, &t));
done:
    matrix_list_free(&t.moves);
    return status;
}

static tess_status run(job *j) { return on_input_to_output(j, transform_file); }

const verb verb_transform = {
    .name = "transform",
    .subject = "size and place",
    .summary = "rotate, shift, scale or shear, or resample onto another map's grid",
    .arguments = "INPUT... -o OUT",
    .text =
        "Steps are applied in the order of the command line, about the middle pixel n/2 or --center, and values are "
        "interpolated once. Matrices and angles describe how the picture moves: out(p) = in(M^-1 p). --inverse inverts "
        "the whole transform: a matrix then leads from the output to the input, and the command undoes the same "
        "command without --inverse.\n\nThe Euler angles of a program rotate a map to what images with these angles "
        "show: the result, summed along z, is that projection of the map. They are rot,tilt,psi of relion and xmipp, "
        "phi,theta,psi of spider and cistem, az,alt,phi of eman2, tdrot,tilt,narot of dynamo; imod is z,y,x as in "
        "rotatevol. Conventions named by axes, such as zyz or zyx-extrinsic, rotate the map by a right-handed rotation "
        "about each axis, in degrees, intrinsic unless stated. There is no default.\n\nA line of an .xf file applies "
        "about the centre of an image, (n-1)/2, as in IMOD. --star shifts an image by its origin and rotates it by psi "
        "from x towards y, as relion_stack_create can; volumes are rotated by all three angles. Files with several "
        "matrices need one per image or volume.\n\nThe result keeps the position, pixel size and origin of the input; "
        "--scale and --box change them accordingly, and --like takes those of another map and places the picture by "
        "its coordinates in A. Coarser pixels cause aliasing: apply filter --lowpass first. If the pixel size differs "
        "between axes, rotations are those in space; --matrix and --xf act on pixels.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
