/* Files as arguments: what an argument names is opened, its warnings are told, and some of its images are chosen. */
#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "command/spelling.h"
#include "files/input.h"
#include "files/input_meta.h"
#include "files/listing.h"
#include "files/open_file.h"
#include "tessera/cryosparc.h"

/* The file as a whole: what indices were counted in before anything was chosen. */
static tess_shape whole_shape(const input *in)
{
    return in->file ? tess_file_info(in->file)->shape : in->listed->info.shape;
}

bool input_along_b(const input *in) { return whole_shape(in).b > 1; }

int64_t input_indices(const input *in)
{
    if (in->chosen) return in->n_chosen;
    return input_along_b(in) ? in->info.shape.b : in->info.shape.d;
}

tess_status input_choose(input *in, job *j, const int64_t *indices, int64_t n)
{
    bool     along_b = input_along_b(in);
    int64_t *chosen = malloc(sizeof *chosen * (size_t)(n > 0 ? n : 1));
    TESS_CHECK(chosen, TESS_ENOMEM, "%s: no memory for a list of %lld images", in->name, (long long)n);
    for (int64_t i = 0; i < n; i++) chosen[i] = in->chosen ? in->chosen[indices[i]] : indices[i];
    tess_status status = meta_choose(in, j, along_b, chosen, n);
    free(in->chosen);
    in->chosen = chosen;
    in->n_chosen = n;
    if (along_b) in->info.shape.b = n;
    else in->info.shape.d = n;
    return status;
}

/* "12@stack.mrcs": the number, from 1, and what comes behind it; 0 if there is none. */
static int64_t numbered(const char *argument, const char **path)
{
    size_t digits = strspn(argument, "0123456789");
    *path = argument;
    if (digits == 0 || digits > 18 || argument[digits] != '@') return 0;
    *path = argument + digits + 1;
    return strtoll(argument, NULL, 10);
}

static tess_status choose_numbered(input *in, job *j, int64_t number)
{
    tess_shape shape = in->info.shape;
    int64_t    indices = input_indices(in);
    TESS_CHECK(shape.b == 1 || shape.d == 1, TESS_EARG,
               "%s: the file holds volumes {%lld,%lld,%lld,%lld}; N@ needs images", in->name, (long long)shape.b,
               (long long)shape.d, (long long)shape.h, (long long)shape.w);
    TESS_CHECK(number <= indices, TESS_ERANGE, "%s: the file has images 1 to %lld", in->name, (long long)indices);
    return input_choose(in, j, &(int64_t){ number - 1 }, 1);
}

static tess_status choose_slices(input *in, job *j)
{
    int64_t *indices = NULL, n = 0;
    if (!job_has(j, "slices")) return TESS_OK;
    TESS_TRY_NOTE(job_slices(j, "slices", input_indices(in), &indices, &n), "of %s", in->name);
    tess_status status = input_choose(in, j, indices, n);
    free(indices);
    return status;
}

/* What is known of the file; its warnings in the words of the command. */
static void take_info(input *in)
{
    in->info = *tess_file_info(in->file);
    for (int i = 0; i < in->info.n_warnings; i++)
        spell_message(in->info.warnings[i].text, sizeof in->info.warnings[i].text, in->job,
                      tess_file_warning_marked(in->file, i));
}

static tess_status open_argument(input *in, job *j, const char *argument, input_need need)
{
    tess_read_opts opts;
    const char    *path = NULL;
    TESS_TRY(globals_read_opts(j, &opts));
    in->keep_rows = opts.keep_rows;
    int64_t number = numbered(argument, &path);
    TESS_CHECK(path == argument || number > 0, TESS_ERANGE, "%s: images are counted from 1", argument);
    if (number == 0 && tess_star_is_named(path)) {
        TESS_CHECK(need != NEED_VOLUME, TESS_EARG, "%s: a list of images; a volume is needed", argument);
        TESS_TRY(listing_open(&in->listed, j, path, &opts));
        in->info = in->listed->info;
    } else {
        TESS_TRY(open_file(&in->file, j, path, &opts, number ? NEED_IMAGES : need));
        take_info(in);
    }
    if (!j->input_format) j->input_format = (tess_file_format)in->info.format;
    if (job_has(j, "apix")) {
        double apix = job_number(j, "apix", 0);
        for (int i = 0; i < 3; i++) in->info.meta.pixel_size[i] = apix;
    }
    if (number) TESS_TRY(choose_numbered(in, j, number));
    else TESS_TRY(choose_slices(in, j));
    return TESS_OK;
}

tess_status input_open(input *in, job *j, const char *argument, input_need need)
{
    memset(in, 0, sizeof *in);
    in->name = argument;
    in->job = j;
    tess_status status = open_argument(in, j, argument, need);
    if (status != TESS_OK) input_close(in);
    return status;
}

static tess_status open_beside(input *in, job *j, const char *path, input_need need, bool keep_rows)
{
    tess_read_opts all;
    TESS_TRY(globals_read_opts(j, &all));
    const tess_read_opts opts = {
        .keep_rows = all.keep_rows || keep_rows, .salvage = all.salvage, .grey = all.grey, .bytes = all.bytes
    };
    in->keep_rows = opts.keep_rows;
    TESS_TRY(open_file(&in->file, j, path, &opts, need));
    take_info(in);
    return TESS_OK;
}

tess_status input_open_beside(input *in, job *j, const char *path, input_need need, bool keep_rows)
{
    memset(in, 0, sizeof *in);
    in->name = path;
    in->job = j;
    const tess_status status = open_beside(in, j, path, need, keep_rows);
    if (status != TESS_OK) input_close(in);
    return status;
}

void input_close(input *in)
{
    if (in->file) tell_later_warnings(in->job, in->name, tess_file_info(in->file), in->info.n_warnings);
    tess_file_close(in->file);
    listing_close(in->listed);
    free(in->chosen);
    free(in->records);
    memset(in, 0, sizeof *in);
}

/* Image i of what was chosen, counted in the whole file. */
static int64_t whole_index(const input *in, int64_t i)
{
    const tess_shape whole = whole_shape(in);
    if (!in->chosen) return i;
    return whole.b > 1 ? in->chosen[i / whole.d] * whole.d + i % whole.d : in->chosen[i];
}

/* Rows h and columns w of images of one file that follow each other, into {n,1,h,w}. */
static tess_status read_run(tess_file *file, const tess_array *out, int64_t image, tess_range h, tess_range w)
{
    tess_shape whole = tess_file_info(file)->shape;
    for (int64_t done = 0, n = out->shape.b; done < n;) {
        int64_t     index = image + done, section = index % whole.d, count = n - done;
        tess_region region = { .b = tess_from_to(index, index + count), .h = h, .w = w };
        tess_array  part;
        if (whole.d > 1) {
            if (count > whole.d - section) count = whole.d - section;
            region.b = tess_only(index / whole.d);
            region.d = tess_from_to(section, section + count);
        }
        TESS_TRY(tess_slice(&part, out, 0, done, done + count, 1));
        if (whole.d > 1) TESS_TRY(tess_permute(&part, &part, 1, 0, 2, 3));
        TESS_TRY(tess_file_read(&part, file, region));
        done += count;
    }
    return TESS_OK;
}

tess_status input_read_part(input *in, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    for (int64_t done = 0, n = out->shape.b; done < n;) {
        const int64_t image = whole_index(in, first + done);
        int64_t       count = 1;
        tess_array    part;
        while (done + count < n && whole_index(in, first + done + count) == image + count) count++;
        TESS_TRY(tess_slice(&part, out, 0, done, done + count, 1));
        if (in->listed) TESS_TRY(tess_source_read_part(&in->listed->source, &part, image, rows, columns));
        else
            TESS_TRY_NOTE(read_run(in->file, &part, image, rows, columns), "images %lld to %lld of %s",
                          (long long)image, (long long)(image + count - 1), in->name);
        done += count;
    }
    return TESS_OK;
}

static tess_status read_images(input *in, const tess_array *out, int64_t first)
{
    const tess_range all = { .kind = TESS_RANGE_ALL };
    return input_read_part(in, out, first, all, all);
}

tess_status input_read(input *in, tess_array *out, int64_t first, int64_t n, tess_dtype dtype)
{
    tess_shape shape = in->info.shape;
    bool       made = out->data == NULL;
    if (made) {
        TESS_TRY(tess_empty(out, TESS_SHAPE(n, 1, shape.h, shape.w), dtype ? dtype : in->info.dtype, tess_cpu()));
    }
    tess_status status = read_images(in, out, first);
    if (status != TESS_OK && made) tess_release(out);
    return status;
}

tess_status input_read_all(input *in, job *j, tess_array *out, tess_dtype dtype)
{
    tess_shape shape = in->info.shape;
    bool       made = out->data == NULL;
    if (!dtype) dtype = in->info.dtype;
    double bytes =
        (double)shape.b * (double)shape.d * (double)shape.h * (double)shape.w * (double)tess_dtype_size(dtype);
    TESS_CHECK(bytes <= (double)j->memory, TESS_ENOMEM,
               "%s: {%lld,%lld,%lld,%lld} of %s are %.0f MiB, more than the %.0f MiB of --mem", in->name,
               (long long)shape.b, (long long)shape.d, (long long)shape.h, (long long)shape.w, tess_dtype_name(dtype),
               bytes / 1048576, (double)j->memory / 1048576);
    if (made) TESS_TRY(tess_empty(out, shape, dtype, tess_cpu()));
    tess_status status;
    if (in->file && !in->chosen) {
        status = tess_file_read(out, in->file, (tess_region){ 0 });
    } else {
        tess_array images;
        status = tess_reshape(&images, out, TESS_SHAPE(shape.b * shape.d, 1, shape.h, shape.w));
        if (status == TESS_OK) status = read_images(in, &images, 0);
    }
    if (status != TESS_OK && made) tess_release(out);
    return status;
}

tess_status input_pixel_size(const input *in, double *x)
{
    const double *size = in->info.meta.pixel_size;
    TESS_CHECK(size[2] > 0, TESS_EARG, "%s: the pixel size is not known; give it with --apix", in->name);
    *x = size[2];
    return TESS_OK;
}

static tess_status read_source(void *in, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    return input_read_part(in, out, first, rows, columns);
}

const tess_source *input_source(input *in)
{
    in->source = (tess_source){ .name = in->name,
                                .shape = in->info.shape,
                                .dtype = in->info.dtype,
                                .format = in->info.format,
                                .keep_rows = in->keep_rows,
                                .meta = &in->info.meta,
                                .read = read_source,
                                .user = in };
    return &in->source;
}
