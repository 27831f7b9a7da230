/* Opens one file for a verb: what its sections are by what the verb needs, its warnings told once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/open_file.h"
#include "files/outputs/output_names.h"

/* Files whose warnings were told. */
static struct told {
    struct told *next;
    char         path[];
} * told;

static bool is_silent;

void silence_warnings(bool silent) { is_silent = silent; }

static bool was_told(const char *path)
{
    for (const struct told *t = told; t; t = t->next) {
        if (strcmp(t->path, path) == 0) return true;
    }
    struct told *t = malloc(sizeof *t + strlen(path) + 1);
    if (t) {
        strcpy(t->path, path);
        t->next = told;
        told = t;
    }
    return false;
}

static void tell_from(job *j, const char *path, const tess_info_file *info, int first)
{
    for (int i = first; i < info->n_warnings; i++) {
        const tess_file_warning *w = &info->warnings[i];
        bool                     guess = w->code == TESS_ODD_SECTIONS || w->code == TESS_ODD_BYTES;
        if (guess) job_note(j, "%s: %s", path, w->text);
        else job_warn(j, "%s: %s", path, w->text);
    }
    if (info->more_warnings > 0) job_warn(j, "%s: and %d more", path, info->more_warnings);
}

void tell_warnings(job *j, const char *path, const tess_info_file *info)
{
    if (is_silent || info->n_warnings == 0 || was_told(path)) return;
    tell_from(j, path, info, 0);
}

void tell_later_warnings(job *j, const char *path, const tess_info_file *info, int n_told)
{
    if (!is_silent && info->n_warnings > n_told) tell_from(j, path, info, n_told);
}

/* A file settled by the rules is not taken for something else. */
static tess_status check_need(const char *path, const tess_info_file *info, input_need need)
{
    const tess_shape s = info->shape;
    TESS_CHECK(
        need != NEED_IMAGES || s.d == 1, TESS_EARG,
        "%s: it holds %s {%lld,%lld,%lld,%lld}; images {n,1,h,w} are needed: --as stack reads its sections as images",
        path, s.b > 1 ? "volumes" : "a volume", (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    TESS_CHECK(need != NEED_VOLUME || s.d > 1, TESS_EARG, "%s: it holds %s {%lld,%lld,%lld,%lld}; a volume is needed%s",
               path, s.b > 1 ? "images" : "an image", (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w,
               s.b > 1 ? ": --as volume reads its images as sections" : "");
    return TESS_OK;
}

static tess_status settle(tess_file **file, job *j, const char *path, const tess_read_opts *opts, input_need need)
{
    const tess_info_file *info = tess_file_info(*file);
    int32_t               wanted = need == NEED_VOLUME ? TESS_AS_VOLUME : TESS_AS_STACK;
    if (need != NEED_ANY && info->sections_rule == 7 && strcmp(path, "-") != 0) {
        tess_read_opts again = *opts;
        again.as = wanted;
        tess_file_close(*file);
        *file = NULL;
        TESS_TRY(tess_open(file, path, &again));
        info = tess_file_info(*file);
    }
    tell_warnings(j, path, info);
    return check_need(path, info, need);
}

/* "0.5,40": of an EER movie of 40 electrons/Å^2, as many frames become an image as have 0.5. */
static tess_status parse_dose(const char *text, double *each, double *total)
{
    char *end = NULL;
    *each = strtod(text, &end);
    const bool two = *end == ',';
    *total = two ? strtod(end + 1, &end) : 0;
    TESS_CHECK(two && *end == 0 && *each > 0 && *total >= *each && isfinite(*total), TESS_EARG,
               "--eer-dose is \"%s\"; electrons/A^2 per image and of the whole movie are needed, as 0.5,40", text);
    return TESS_OK;
}

/* Of an EER movie that was opened frame by frame, open the groups that --eer-dose asks for. */
static tess_status group_by_dose(tess_file **file, job *j, const char *path, const tess_read_opts *opts)
{
    const char           *text = job_text(j, "eer-dose", NULL);
    const tess_info_file *info = tess_file_info(*file);
    double                each, total;
    if (!text || info->format != TESS_FORMAT_EER) return TESS_OK;
    TESS_TRY(parse_dose(text, &each, &total));
    const int64_t  frames = info->shape.b;
    const double   group = fmin(fmax(rint((double)frames * each / total), 1), fmin((double)frames, 65535));
    tess_read_opts again = *opts;
    again.eer_group = (int32_t)group;
    tess_file_close(*file);
    *file = NULL;
    TESS_TRY(tess_open(file, path, &again));
    job_note(j, "%s: %d of %lld frames in each image, %.4g electrons/A^2", path, again.eer_group, (long long)frames,
             total * group / (double)frames);
    return TESS_OK;
}

tess_status open_file(tess_file **file, job *j, const char *path, const tess_read_opts *opts, input_need need)
{
    *file = NULL;
    TESS_TRY(output_names_check_input(j, path));
    tess_status status = tess_open(file, path, opts);
    if (status == TESS_OK) status = group_by_dose(file, j, path, opts);
    TESS_TRY(status);
    status = settle(file, j, path, opts, need);
    if (status != TESS_OK) {
        tess_file_close(*file);
        *file = NULL;
    }
    return status;
}
