/* tessera transform: rotate, shift, scale and shear, by interpolation. */
#include <math.h>
#include <string.h>

#include "command/units.h"
#include "files/box.h"
#include "files/input_meta.h"
#include "files/one_input.h"
#include "maps/matrices.h"
#include "maps/resampling.h"
#include "maps/rotations.h"
#include "measure/geometry.h"
#include "measure/unit_cell.h"

static const option options[] = {
    VALUE("rotate", "A", OPTION_ANGLE, "turn about z, from x towards y; images in their plane", .many = true),
    VALUE("rotate-x", "A", OPTION_ANGLE, "turn about x, from y towards z", .many = true),
    VALUE("rotate-y", "A", OPTION_ANGLE, "turn about y, from z towards x", .many = true),
    VALUE("euler", "A,B,C", OPTION_TEXT, "turn volumes by Euler angles, as --convention has them", .many = true),
    CONVENTION_OPTION,
    VALUE("shift", "X,Y,Z", OPTION_LENGTHS, "shift in pixels, or as 12.5A,0A,3nm", .many = true),
    VALUE("scale", "F", OPTION_NUMBER, "magnify F times; the pixel size is divided by F", .many = true),
    VALUE("matrix", "M", OPTION_TEXT,
          "a matrix, row after row in x,y,z, with or without a shift; or a text file of one, or of one a line",
          .many = true),
    VALUE("xf", "FILE", OPTION_FILE, "transforms of images as IMOD writes them, one for all or a line for each",
          .many = true),
    VALUE("star", "FILE", OPTION_FILE,
          "take each image onto its reference, by rlnOriginXAngst, rlnAnglePsi ... of its row", .many = true),
    FLAG("inverse", "do the inverse of all that"),
    VALUE("center", "X,Y,Z", OPTION_TEXT, "the point that stays, in pixels or as 120A [n/2 of each side]",
          .alias = "centre"),
    VALUE("box", "X,Y,Z", OPTION_LENGTHS, "size of the result in pixels, about the middle n/2 [that of the input]"),
    VALUE("like", "MAP", OPTION_FILE, "onto the grid of this map: its pixel size, box and origin"),
    RESAMPLING_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera transform --rotate 30 --shift 2.5,-1 --interp cubic x.mrc -o turned.mrc",
    "tessera transform --euler 20,70,35 --convention relion --interp lanczos8 volume.mrc -o view.mrc",
    "tessera transform --euler 20,70,35 --convention relion --inverse volume.mrc -o back.mrc",
    "tessera transform --matrix 0,-1,0,1,0,0,0,0,1 volume.mrc -o quarter.mrc",
    "tessera transform --like half1.mrc volume.mrc -o same_grid.mrc",
    NULL,
};

/* The picture is moved about a centre and sampled on a grid; lengths are in pixels of the input, in z, y, x. */
typedef struct transform {
    matrix_list   moves; /* from the centre; in the end inverse, from pixels of the output to those of the input */
    tess_vec3_f64 centre;
    double        pixel_size[3]; /* Å, as it is after the steps so far */
    double        scale;         /* of all steps */
    tess_shape    out;
    double        grid[3], first[3]; /* distance of the pixels of the output, and where its first one is */
    resampling    how;
    bool          volume;
} transform;

/* ---- Steps, in the order of the command line ---- */

static void then(transform *t, tess_mat34_f64 move)
{
    for (int64_t i = 0; i < t->moves.n; ++i) t->moves.at[i] = tess_mat34_mul_f64(move, t->moves.at[i]);
}

static void then_linear(transform *t, tess_mat33_f64 move)
{
    then(t, tess_mat34_of_f64(move, (tess_vec3_f64){ { 0 } }));
}

/* One for all, or one for each. */
static tess_status then_each(transform *t, const matrix_list *steps)
{
    if (steps->n > t->moves.n) {
        matrix_list all = { 0 };
        TESS_TRY(matrix_list_new(&all, steps->n));
        for (int64_t i = 0; i < all.n; ++i) all.at[i] = t->moves.at[0];
        matrix_list_free(&t->moves);
        t->moves = all;
    }
    for (int64_t i = 0; i < t->moves.n; ++i)
        t->moves.at[i] = tess_mat34_mul_f64(steps->at[steps->n > 1 ? i : 0], t->moves.at[i]);
    return TESS_OK;
}

/* A turn in space is one of pixels where these are as large along all axes; else it goes by way of lengths. */
static void then_turn(transform *t, tess_mat33_f64 turn)
{
    const double *size = t->pixel_size;
    for (int i = 0; i < 9; ++i) {
        const double from = size[i % 3], to = size[i / 3];
        if (from > 0 && to > 0 && fabs(from / to - 1) > 1e-6) turn.at[i] *= from / to;
    }
    then_linear(t, turn);
}

static tess_status add_rotation(const job *j, transform *t, const char *name, const char *text)
{
    tess_mat33_f64 turn;
    char           what[16];
    const bool     euler = strcmp(name, "euler") == 0, about_z = strcmp(name, "rotate") == 0;
    (void)snprintf(what, sizeof what, "--%s", name);
    TESS_CHECK(t->volume || about_z, TESS_EARG, "transform: %s is for volumes; images are turned by --rotate", what);
    if (euler) TESS_TRY(rotation_of_euler(&turn, j, what, text));
    else TESS_TRY(rotation_about(&turn, what, text, about_z ? 'z' : name[7]));
    then_turn(t, turn);
    return TESS_OK;
}

static tess_status add_shift(transform *t, const char *text)
{
    quantity      q[3];
    int           n;
    const int     axes = t->volume ? 3 : 2;
    tess_vec3_f64 shift = { { 0 } };
    TESS_TRY(parse_lengths("--shift", text, q, &n));
    TESS_CHECK(n == axes, TESS_EARG, "transform: --shift is \"%s\"; %s are needed for %s", text,
               axes == 3 ? "three lengths x,y,z" : "two lengths x,y", axes == 3 ? "volumes" : "images");
    for (int i = 0; i < n; ++i) TESS_TRY(to_pixels("--shift", q[i], t->pixel_size[2 - i], &shift.at[2 - i]));
    then(t, tess_translate_3d_f64(shift));
    return TESS_OK;
}

static tess_status add_scale(transform *t, const char *text)
{
    quantity q;
    TESS_TRY(parse_quantity("--scale", OPTION_NUMBER, text, &q));
    TESS_CHECK(q.value >= 1e-6 && q.value <= 1e6, TESS_ERANGE, "transform: --scale is %s; 1e-6 to 1e6 is allowed",
               text);
    then_linear(t, tess_scale_3d_f64((tess_vec3_f64){ { t->volume ? q.value : 1, q.value, q.value } }));
    for (int i = 0; i < 3; ++i) t->pixel_size[i] /= q.value;
    t->scale *= q.value;
    return TESS_OK;
}

/* Lines of .xf files are about the middle of the image, (n - 1) / 2. */
static void put_about_middle(const transform *t, tess_shape shape, matrix_list *lines)
{
    const tess_vec3_f64 to = { { 0, (double)(shape.h - 1) / 2 - t->centre.at[1],
                                 (double)(shape.w - 1) / 2 - t->centre.at[2] } };
    const tess_vec3_f64 back = { { -to.at[0], -to.at[1], -to.at[2] } };
    for (int64_t i = 0; i < lines->n; ++i)
        lines->at[i] = tess_mat34_mul_f64(tess_translate_3d_f64(to),
                                          tess_mat34_mul_f64(lines->at[i], tess_translate_3d_f64(back)));
}

static tess_status add_matrices(transform *t, const input *in, const char *name, const char *text)
{
    matrix_list list = { 0 };
    char        what[16];
    tess_status status;
    (void)snprintf(what, sizeof what, "--%s", name);
    const bool xf = strcmp(name, "xf") == 0;
    TESS_CHECK(!xf || !t->volume, TESS_EARG,
               "transform: --xf is for images; %s has volumes, unless --as stack is given", in->name);
    if (xf) TESS_GOTO(done, status, matrix_list_of_xf(&list, text));
    else if (strcmp(name, "star") == 0)
        TESS_GOTO(done, status, matrix_list_of_star(&list, text, t->volume, t->pixel_size[2]));
    else TESS_GOTO(done, status, matrix_list_of_numbers(&list, what, text, t->volume));
    TESS_GOTO(done, status, matrix_list_fit(&list, in, what));
    if (xf) put_about_middle(t, in->info.shape, &list);
    TESS_GOTO(done, status, then_each(t, &list));
done:
    matrix_list_free(&list);
    return status;
}

static tess_status add_step(const job *j, transform *t, const input *in, const char *name, const char *value, int *n)
{
    ++*n;
    if (strncmp(name, "rotate", 6) == 0 || strcmp(name, "euler") == 0) return add_rotation(j, t, name, value);
    if (strcmp(name, "shift") == 0) return add_shift(t, value);
    if (strcmp(name, "scale") == 0) return add_scale(t, value);
    if (strcmp(name, "matrix") == 0 || strcmp(name, "xf") == 0 || strcmp(name, "star") == 0)
        return add_matrices(t, in, name, value);
    --*n;
    return TESS_OK;
}

static tess_status add_steps(const job *j, transform *t, const input *in)
{
    const char *name, *value;
    int         n = 0;
    TESS_TRY(matrix_list_new(&t->moves, 1));
    t->moves.at[0] = tess_translate_3d_f64((tess_vec3_f64){ { 0 } });
    for (int i = 0; job_option(j, i, &name, &value); ++i) TESS_TRY(add_step(j, t, in, name, value, &n));
    TESS_CHECK(n > 0 || job_has(j, "like"), TESS_EARG,
               "transform: nothing to do; give --rotate, --rotate-x, --rotate-y, --euler, --shift, --scale, --matrix, "
               "--xf, --star or --like");
    TESS_CHECK(!job_has(j, "convention") || job_has(j, "euler"), TESS_EARG,
               "transform: --convention is for --euler, which was not given");
    return TESS_OK;
}

/* ---- The grid of the result ---- */

/* Where the first pixel is, in Å: the origin, or if that is 0 the start. */
static double position_of(const tess_meta *meta, int axis)
{
    const bool by_origin = meta->origin[0] != 0 || meta->origin[1] != 0 || meta->origin[2] != 0;
    return by_origin ? meta->origin[axis] : (double)meta->start[axis] * meta->pixel_size[axis];
}

/* What the header of the map of --like says; its sections are what those of the input are. */
static tess_status read_like(const job *j, const transform *t, const char *path, tess_info_file *like)
{
    const tess_read_opts opts = { .as = t->volume ? TESS_AS_VOLUME : TESS_AS_STACK };
    const int            needed = t->volume ? 3 : 2;
    TESS_CHECK(!job_has(j, "box") && t->scale == 1, TESS_EARG,
               "transform: --like says what size pixels and box have; --%s does not go with it",
               job_has(j, "box") ? "box" : "scale");
    TESS_TRY(tess_info(like, path, &opts));
    TESS_CHECK((like->shape.d > 1) == t->volume, TESS_ESHAPE, "transform: --like %s is an image; a volume is needed",
               path);
    TESS_CHECK(!tess_meta_is_skew(&like->meta, t->volume), TESS_EUNSUPPORTED,
               "transform: the cell of --like %s has axes that are not at right angles", path);
    for (int i = 3 - needed; i < 3; ++i)
        TESS_CHECK(like->meta.pixel_size[i] > 0, TESS_EARG,
                   "transform: the map of --like, %s, has no pixel size; tessera edit --apix gives it one", path);
    return TESS_OK;
}

static tess_status grid_of_map(const job *j, transform *t, const input *in, tess_meta *meta)
{
    tess_info_file   like;
    const tess_meta *from = &in->info.meta;
    double           size;
    TESS_TRY(read_like(j, t, job_text(j, "like", ""), &like));
    TESS_TRY(input_pixel_size(in, &size));
    for (int i = t->volume ? 0 : 1; i < 3; ++i) {
        const double each = from->pixel_size[i] > 0 ? from->pixel_size[i] : size;
        t->out.dim[i + 1] = like.shape.dim[i + 1];
        t->grid[i] = like.meta.pixel_size[i] / each;
        t->first[i] = (position_of(&like.meta, i) - position_of(from, i)) / each;
    }
    memcpy(meta->pixel_size, like.meta.pixel_size, sizeof meta->pixel_size);
    memcpy(meta->origin, like.meta.origin, sizeof meta->origin);
    memcpy(meta->start, like.meta.start, sizeof meta->start);
    return TESS_OK;
}

/* The box about the middle pixel, n/2; pixels are so many times smaller as the picture was made larger. */
static tess_status grid_of_box(const job *j, transform *t, const input *in, tess_meta *meta)
{
    const tess_shape shape = in->info.shape;
    double           factor[3], shift[3];
    bool             moved = t->scale != 1;
    TESS_TRY(option_pixels_xyz(j, "box", in, 1, &t->out));
    TESS_CHECK(t->volume || t->out.d == 1, TESS_EARG, "transform: --box has z %lld; %s has images", (long long)t->out.d,
               in->name);
    for (int i = 0; i < 3; ++i) {
        const bool along = i > 0 || t->volume;
        t->first[i] = (double)(shape.dim[i + 1] / 2 - t->out.dim[i + 1] / 2);
        factor[i] = along ? 1 / t->scale : 1;
        shift[i] = along ? t->centre.at[i] + (t->first[i] - t->centre.at[i]) / t->scale : 0;
        moved = moved || shift[i] != 0;
    }
    if (moved) meta_scale(meta, factor, shift);
    return TESS_OK;
}

/* Moves become matrices from pixels of the output to those of the input. */
static tess_status invert_moves(const job *j, transform *t)
{
    const tess_vec3_f64  c = t->centre, back = { { -c.at[0], -c.at[1], -c.at[2] } };
    const tess_mat33_f64 spread = tess_scale_3d_f64((tess_vec3_f64){ { t->grid[0], t->grid[1], t->grid[2] } });
    const tess_mat34_f64 grid = tess_mat34_of_f64(spread, (tess_vec3_f64){ { t->first[0], t->first[1], t->first[2] } });
    for (int64_t i = 0; i < t->moves.n; ++i) {
        tess_mat34_f64 *m = &t->moves.at[i], inverse = *m;
        if (!job_has(j, "inverse") && tess_invert_mat34(&inverse, m) != TESS_OK)
            TESS_FAIL(TESS_ERANGE, "transform: the matrix of image %lld has the determinant %g, and no inverse",
                      (long long)i, tess_mat33_determinant_f64(tess_mat34_linear_f64(*m)));
        inverse = tess_mat34_mul_f64(inverse, tess_mat34_mul_f64(tess_translate_3d_f64(back), grid));
        *m = tess_mat34_mul_f64(tess_translate_3d_f64(c), inverse);
    }
    return TESS_OK;
}

/* ---- The work ---- */

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
    TESS_TRY(add_steps(j, t, in));
    if (job_has(j, "inverse")) t->scale = 1 / t->scale;
    unit_cell_forget(meta);
    if (t->volume) meta_drop_records(meta);
    TESS_TRY(job_has(j, "like") ? grid_of_map(j, t, in, meta) : grid_of_box(j, t, in, meta));
    return invert_moves(j, t);
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
    .summary = "rotate, shift, scale and shear images and volumes, or put them onto the grid of another map",
    .arguments = "INPUT... -o OUT",
    .text = "What is asked for is done in the order of the command line, about the middle pixel n/2 or --center, and "
            "values are interpolated once. Matrices and angles say how the picture moves: out(p) = in(M^-1 p). "
            "--inverse does the inverse of all, so that it takes a matrix from the output to the input, and undoes the "
            "same command without it.\n"
            "\n"
            "By the Euler angles of a program a map is turned to what images with these angles show: the result, "
            "summed along z, is that projection of the map. They are rot,tilt,psi of relion and xmipp, phi,theta,psi "
            "of spider and cistem, az,alt,phi of eman2, tdrot,tilt,narot of dynamo; imod is z,y,x as rotatevol takes "
            "them. Axes as zyz, or zyx-extrinsic, turn the map by a right-handed rotation about each, in degrees, "
            "intrinsic unless they say so. There is no default.\n"
            "\n"
            "A line of an .xf file is for the middle of an image, (n-1)/2, as in IMOD. --star moves an image by its "
            "origin and turns it by psi from x towards y, as relion_stack_create can; volumes are turned by all three "
            "angles. Files of several matrices have one for each image or volume.\n"
            "\n"
            "The result lies where the input does, with its pixel size and origin; --scale and --box change them as "
            "they must, and --like takes those of another map, onto which the picture is put by its place in A. "
            "Coarser pixels fold frequencies: use filter --lowpass first. Where pixels are not as large along all "
            "axes, turns are those in space; --matrix and --xf are for pixels.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
