/* tessera edit: the header of an MRC file, changed where it stands. */
#include <stdio.h>
#include <string.h>

#include "command/globals.h"
#include "tessera/mrc.h"

/* Three numbers x,y,z, or one for all, as z,y,x. */
static tess_status three(const job *j, const char *name, bool one_for_all, double zyx[3], const double **set)
{
    const char *what = strcmp(name, "angles") == 0 ? "alpha,beta,gamma" : "x,y,z";
    double      xyz[3] = { 0 };
    int         n = 0;
    if (!job_has(j, name)) return TESS_OK;
    TESS_TRY(job_xyz(j, name, xyz, &n));
    TESS_CHECK(n == 3 || (n == 1 && one_for_all), TESS_EARG, "--%s: '%s' is not %sthree numbers %s", name,
               job_text(j, name, ""), one_for_all ? "one number or " : "", what);
    for (int i = 0; i < 3; i++) zyx[2 - i] = n == 1 ? xyz[0] : xyz[i];
    *set = zyx;
    return TESS_OK;
}

/* What the options of the library point to. */
typedef struct numbers {
    double size[3], origin[3], angles[3];
} numbers;

static tess_status find_changes(const job *j, tess_mrc_edit_opts *opts, numbers *n)
{
    tess_read_opts read;
    TESS_TRY(globals_read_opts(j, &read));
    TESS_TRY(three(j, "apix", true, n->size, &opts->pixel_size));
    TESS_TRY(three(j, "origin", false, n->origin, &opts->origin));
    TESS_TRY(three(j, "angles", false, n->angles, &opts->angles));
    if (opts->angles) { /* alpha, beta, gamma in the library too */
        const double gamma = n->angles[0];
        n->angles[0] = n->angles[2];
        n->angles[2] = gamma;
    }
    opts->as = read.as;
    opts->depth = read.depth;
    opts->bytes = read.bytes;
    opts->label = job_text(j, "label", NULL);
    opts->stats = job_has(j, "stats");
    TESS_CHECK(
        opts->pixel_size || opts->origin || opts->angles || opts->as || opts->bytes || opts->label || opts->stats,
        TESS_EARG, "edit: nothing to change; give --apix, --origin, --angles, --as, --bytes, --label or --stats");
    return TESS_OK;
}

/* The end of a name counts more than the header: say so where it does. */
static tess_status tell_sections(job *j, const char *path, const tess_mrc_edit_opts *opts)
{
    tess_file *file = NULL;
    TESS_TRY(tess_open(&file, path, NULL));
    const tess_info_file *info = tess_file_info(file);
    const bool            volume = opts->as != TESS_AS_STACK;
    if ((info->sections_rule == 4 && volume) || (info->sections_rule == 5 && !volume)) {
        job_note(j,
                 "%s: the header now says %s, but the extension says %s and takes precedence: rename the file, or read "
                 "it with --as %s",
                 path, volume ? "volume" : "stack", volume ? "stack" : "volume", volume ? "volume" : "stack");
    }
    tess_file_close(file);
    return TESS_OK;
}

/* A header of MRC that is at fault can still be changed; one of another format is none. */
static tess_status need_mrc(const char *path)
{
    tess_info_file         info;
    const tess_status      status = tess_info(&info, path, NULL);
    const tess_file_format named = tess_file_format_of(path);
    if (status != TESS_OK && named == TESS_FORMAT_MRC) {
        tess_error_clear();
        return TESS_OK;
    }
    TESS_TRY(status);
    TESS_CHECK(info.format == TESS_FORMAT_MRC, TESS_EUNSUPPORTED,
               "edit: %s has the format %s; only headers of MRC files can be edited", path,
               tess_file_format_name((tess_file_format)info.format));
    TESS_CHECK(info.compression <= TESS_COMPRESSION_NONE, TESS_EUNSUPPORTED,
               "edit: %s is compressed; decompress it first: tessera convert %s -o NEW.mrc", path, path);
    return TESS_OK;
}

static tess_status edit_file(job *j, const char *path, const tess_mrc_edit_opts *opts)
{
    TESS_TRY(need_mrc(path));
    TESS_TRY(tess_mrc_edit(path, opts));
    job_detail(j, "%s: header changed", path);
    return opts->as ? tell_sections(j, path, opts) : TESS_OK;
}

static tess_status run(job *j)
{
    tess_mrc_edit_opts opts = { 0 };
    numbers            n;
    TESS_TRY(find_changes(j, &opts, &n));
    for (int i = 0; i < j->n_arguments; i++) {
        if (job_has(j, "dry-run")) {
            (void)printf("would change the header of %s\n", j->arguments[i]);
            continue;
        }
        const tess_status status = edit_file(j, j->arguments[i], &opts);
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    return TESS_OK;
}

static const option options[] = {
    VALUE("apix", "A", OPTION_XYZ, "pixel size in \xc3\x85: one number, or x,y,z; 0: unknown"),
    VALUE("origin", "X,Y,Z", OPTION_XYZ, "origin in \xc3\x85"),
    VALUE("angles", "A,B,C", OPTION_XYZ,
          "cell angles alpha, beta, gamma in degrees: between y and z, z and x, x and y"),
    VALUE("as", "WHAT", OPTION_TEXT, "meaning of the sections: stack, volume, or volumes=D"),
    CHOICE("bytes", "WORD", "signed unsigned", "signedness of the bytes of mode 0, marked as in IMOD"),
    VALUE("label", "TEXT", OPTION_TEXT, "add a label of up to 80 characters"),
    FLAG("stats", "set minimum, maximum, mean and sd from the data"),
    FLAG("dry-run", "check the options, change nothing"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera edit x.mrc --apix 1.35",
    "tessera edit volume.mrc --as volume --origin 0,0,0 --stats",
    "tessera edit stack.mrcs --label 'picked by hand'",
    NULL,
};

const verb verb_edit = {
    .name = "edit",
    .subject = "files",
    .summary = "change the headers of MRC files in place",
    .arguments = "FILE... --apix A ...",
    .text = "Only the first 1024 bytes of a file are written; the data and all fields not named stay unchanged. "
            "Compressed files cannot be edited; convert them first.",
    VERB_OF_FILE(1, -1),
};
