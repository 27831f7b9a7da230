/* Dark and gain images by options. */
#include "movies/correction.h"

#include <string.h>

#include "command/context.h"

/* TIFF files with this ending multiply. */
static bool is_gain_file(const char *path)
{
    const size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".gain") == 0;
}

void note_gain_sense(job *j, const input *movie)
{
    const char *path = job_text(j, "gain", NULL);
    if (!path || job_has(j, "gain-sense") || movie->info.format != TESS_FORMAT_EER || is_gain_file(path)) return;
    job_note(j, "%s: gain references of EER movies divide; use --gain-sense multiply if this one multiplies", path);
}

static tess_status open_image(input *in, job *j, const char *name, const tess_source **source)
{
    if (!job_has(j, name)) return TESS_OK;
    TESS_TRY(input_open_beside(in, j, job_text(j, name, ""), NEED_IMAGES, false));
    *source = input_source(in);
    return TESS_OK;
}

tess_status correction_open(tess_camera *camera, job *j, input *in)
{
    const tess_context context = job_context(j);
    const char        *sense = job_text(j, "gain-sense", "");
    tess_camera_opts   opts = { .gain_sense = sense[0] == 'd'   ? TESS_GAIN_DIVIDE
                                              : sense[0] == 'm' ? TESS_GAIN_MULTIPLY
                                                                : TESS_GAIN_DEFAULT };
    input              dark = { 0 }, gain = { 0 };
    tess_status        status = TESS_OK;
    TESS_GOTO(done, status, open_image(&dark, j, "dark", &opts.dark));
    TESS_GOTO(done, status, open_image(&gain, j, "gain", &opts.gain));
    TESS_GOTO(done, status, tess_camera_open(camera, input_source(in), &opts, &context));
    note_gain_sense(j, in);
done:
    input_close(&dark);
    input_close(&gain);
    return status;
}

tess_status correction_apply(const tess_camera *camera, tess_array *corrected, const tess_array **part, int64_t row,
                             int64_t column)
{
    if (!camera->op) return TESS_OK;
    TESS_TRY(tess_camera_correct(camera, corrected, *part, row, column));
    *part = corrected;
    return TESS_OK;
}
