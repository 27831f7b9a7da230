/* The name of an output with its options in brackets, and what -f, --dtype, --mode, --compress … add to it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/globals.h"
#include "files/file_name.h"
#include "files/outputs/target.h"

static tess_status set_mode(target *t, const char *mode, const char *what)
{
    static const struct {
        const char *mode;
        int32_t     dtype, bytes;
    } modes[] = { { "0", TESS_I8, 0 },  { "0u", TESS_U8, TESS_BYTES_UNSIGNED },
                  { "1", TESS_I16, 0 }, { "2", TESS_F32, 0 },
                  { "4", TESS_C32, 0 }, { "6", TESS_U16, 0 },
                  { "12", TESS_F16, 0 } };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].mode) != 0) continue;
        TESS_CHECK(t->opts.dtype == TESS_DTYPE_NONE || t->opts.dtype == modes[i].dtype, TESS_EARG,
                   "%s: mode %s is %s, which conflicts with dtype %s; give only one", what, mode,
                   tess_dtype_name(modes[i].dtype), tess_dtype_name(t->opts.dtype));
        t->opts.dtype = modes[i].dtype;
        t->opts.bytes = modes[i].bytes;
        return TESS_OK;
    }
    TESS_FAIL(TESS_EARG, "%s: unknown mode '%s'; expected 0, 0u, 1, 2, 4, 6 or 12", what, mode);
}

static tess_status set_dtype(target *t, const char *text, const char *what)
{
    char called[300];
    (void)snprintf(called, sizeof called, what[0] == '-' ? "%.250s" : "%.250s: dtype in brackets", what);
    TESS_TRY(parse_dtype(&t->opts.dtype, called, text));
    TESS_CHECK(t->opts.dtype < TESS_SCALAR_DTYPE_COUNT, TESS_EDTYPE, "%s: %s cannot be stored in files", what, text);
    return TESS_OK;
}

static tess_status set_compression(target *t, const char *text, const char *what)
{
    static const struct {
        const char *name;
        int32_t     value;
    } names[] = { { "none", TESS_COMPRESSION_NONE },       { "gzip", TESS_COMPRESSION_GZIP },
                  { "bzip2", TESS_COMPRESSION_BZIP2 },     { "gz", TESS_COMPRESSION_GZIP },
                  { "bz2", TESS_COMPRESSION_BZIP2 },       { "lzw", TESS_COMPRESSION_LZW },
                  { "deflate", TESS_COMPRESSION_DEFLATE }, { "zstd", TESS_COMPRESSION_ZSTD } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i].name) != 0) continue;
        t->opts.compression = names[i].value;
        return TESS_OK;
    }
    TESS_FAIL(TESS_EARG,
              "%s: '%s' is not one of none, gzip, bzip2 (MRC, NPY, raw), lzw, deflate, zstd (TIFF), deflate (NPZ)",
              what, text);
}

static tess_status set_endian(target *t, const char *text, const char *what)
{
    t->opts.big_endian = strcmp(text, "big") == 0;
    TESS_CHECK(t->opts.big_endian || strcmp(text, "little") == 0, TESS_EARG, "%s: '%s' is not one of little, big", what,
               text);
    return TESS_OK;
}

static tess_status set_level(target *t, const char *text, const char *what)
{
    TESS_CHECK(text[0] >= '1' && text[0] <= '9' && text[1] == 0, TESS_EARG, "%s: '%s' is not a level of 1 to 9", what,
               text);
    t->opts.level = text[0] - '0';
    return TESS_OK;
}

static tess_status set_member(target *t, const char *text, const char *what)
{
    free(t->member);
    t->member = strdup(text);
    TESS_CHECK(t->member, TESS_ENOMEM, "%s: no memory", what);
    t->opts.member = t->member;
    return TESS_OK;
}

/* What may stand in brackets; the same names are options of the command. */
static const struct setting {
    const char *name;
    tess_status (*set)(target *t, const char *text, const char *what);
} settings[] = { { "dtype", set_dtype },   { "mode", set_mode },   { "compress", set_compression },
                 { "endian", set_endian }, { "level", set_level }, { "member", set_member } };
enum { N_SETTINGS = sizeof settings / sizeof *settings };

static tess_status set_by_name(target *t, char *item)
{
    char *value = strchr(item, '=');
    if (value) *value++ = 0;
    for (int i = 0; value && i < N_SETTINGS; i++) {
        if (strcmp(item, settings[i].name) == 0) return settings[i].set(t, value, t->path);
    }
    TESS_FAIL(TESS_EARG,
              "%s: '%s%s%s' in brackets is not one of dtype=, mode=, compress=, level=, endian=, member=", t->path,
              item, value ? "=" : "", value ? value : "");
}

/* Cut the brackets off the path, and do what they say. */
static tess_status take_brackets(target *t)
{
    size_t n = strlen(t->path);
    char  *open = n > 0 && t->path[n - 1] == ']' ? strrchr(t->path, '[') : NULL;
    if (!open) return TESS_OK;
    t->path[n - 1] = 0;
    *open = 0;
    for (char *item = open + 1; item;) {
        char *next = strchr(item, ',');
        if (next) *next++ = 0;
        TESS_TRY(set_by_name(t, item));
        item = next;
    }
    return TESS_OK;
}

void make_label(char label[81], const job *j)
{
    char        stamp[24] = "";
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t      now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm   parts;
    if (fixed ? gmtime_r(&now, &parts) : localtime_r(&now, &parts)) {
        (void)strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
    }
    const int width = 80 - 20;
    size_t    length = strlen(j->command);
    if (length <= (size_t)width) (void)snprintf(label, 81, "%s %s", j->command, stamp);
    else (void)snprintf(label, 81, "%.*s... %s", width - 3, j->command, stamp);
    for (char *c = label; *c; c++) {
        if (*c < ' ' || *c > '~') *c = '?';
    }
}

/* Standard output has no name that tells a format: it is that of the first input, once it was opened. */
static tess_status name_format(target *t, const job *j)
{
    char name[32];
    if (strcmp(t->path, "-") != 0 || !j->input_format) return TESS_OK;
    const bool is_written = tess_file_format_writes(j->input_format);
    (void)snprintf(name, sizeof name, "-:%s", tess_file_format_name(is_written ? j->input_format : TESS_FORMAT_MRC));
    free(t->path);
    t->path = strdup(name);
    TESS_CHECK(t->path, TESS_ENOMEM, "%s: no memory", name);
    return TESS_OK;
}

/* --mode of correlate is how it correlates; --dtype of an operation is that of its result, and of the file. */
static bool is_of_operation(const job *j, const char *name)
{
    for (size_t i = 0; j->op && i < j->op->n_args; i++)
        if (strcmp(j->op->args[i].name, name) == 0) return strcmp(name, "dtype") != 0;
    return false;
}

static tess_status fill(target *t, const job *j, const char *name)
{
    t->path = strdup(name);
    TESS_CHECK(t->path, TESS_ENOMEM, "%s: no memory", name);
    TESS_TRY(take_brackets(t));
    TESS_TRY(name_format(t, j));
    for (int i = 0; i < N_SETTINGS; i++) {
        const char *text = job_text(j, settings[i].name, NULL);
        char        what[24];
        (void)snprintf(what, sizeof what, "--%s", settings[i].name);
        if (text && strcmp(settings[i].name, "member") != 0 && !is_of_operation(j, settings[i].name))
            TESS_TRY(settings[i].set(t, text, what));
    }
    t->opts.overwrite = job_has(j, "force");
    t->opts.keep_rows = job_has(j, "no-flip");
    t->opts.compat_imod = job_has(j, "compat");
    make_label(t->label, j);
    t->opts.label = t->label;
    return TESS_OK;
}

tess_status target_parse(target **t, const job *j, const char *name)
{
    *t = calloc(1, sizeof **t);
    TESS_CHECK(*t, TESS_ENOMEM, "%s: no memory", name);
    tess_status status = fill(*t, j, name);
    if (status == TESS_OK) return TESS_OK;
    target_free(*t);
    *t = NULL;
    return status;
}

void target_free(target *t)
{
    if (!t) return;
    free(t->path);
    free(t->member);
    free(t);
}

tess_status target_check(const target *t, const char *what)
{
    char        path[4096];
    struct stat info;
    TESS_CHECK(plain_path(path, sizeof path, t->path), TESS_EARG,
               "%s: the name has %zu letters; fewer than %zu are allowed", what, strlen(t->path), sizeof path);
    if (strcmp(path, "-") == 0) {
        TESS_CHECK(!isatty(STDOUT_FILENO), TESS_EARG,
                   "%s -: standard output is a terminal; name a file, or redirect the output with | or >", what);
        return TESS_OK;
    }
    TESS_CHECK(path[0], TESS_EARG, "%s: a name is needed", what);
    if (stat(path, &info) == 0) {
        TESS_CHECK(!S_ISDIR(info.st_mode), TESS_EIO, "%s: is a folder; %s needs the name of a file", path, what);
        TESS_CHECK(t->opts.overwrite, TESS_EEXIST, "%s: the file exists already; -f overwrites it", path);
    }
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = 0;
    const char *folder = slash ? path : ".";
    TESS_CHECK(access(folder, F_OK) == 0 || errno != ENOENT, TESS_EIO,
               "%s: no such folder: %s; create it with mkdir -p %s", t->path, folder, folder);
    TESS_CHECK(access(folder, W_OK | X_OK) == 0, TESS_EIO, "%s: its folder is not writable: %s", t->path,
               strerror(errno));
    return TESS_OK;
}
