/* Opening files: detection of the format, and its header. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/marks.h"
#include "core/device/memory.h"
#include "io/file/file.h"
#include "io/file/names.h"

/* ---- What formats use ---- */

static void keep(char *to, size_t size, const char *from) { (void)snprintf(to, size, "%s", from ? from : ""); }

void tess__file_warn(tess_file *file, tess_file_oddity code, const char *field, const char *found, const char *used,
                     const char *format, ...)
{
    tess_info_file *info = &file->info;
    if (info->n_warnings == TESS_MAX_FILE_WARNINGS) {
        info->more_warnings++;
        return;
    }
    tess_file_warning *w = &info->warnings[info->n_warnings++];
    va_list            arguments;
    w->code = (int32_t)code;
    keep(w->field, sizeof w->field, field);
    keep(w->found, sizeof w->found, found);
    keep(w->used, sizeof w->used, used);
    char *kept = file->warnings[info->n_warnings - 1], marked[TESS__MARKED_WARNING], text[TESS__MARKED_WARNING];
    tess__marks_format(marked, sizeof marked, format);
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, marked, arguments);
    va_end(arguments);
    tess__marks_keep(kept, TESS__MARKED_WARNING, NULL, false, text);
    (void)tess_spell(w->text, sizeof w->text, kept, NULL, NULL);
}

bool tess__bytes_of(int64_t *bytes, const int64_t *sizes, int n, int64_t element)
{
    const int64_t max = INT64_C(1) << 62;
    int64_t       product = element;
    bool          empty = false;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0) return false;
        empty |= sizes[i] == 0;
    }
    for (int i = 0; i < n && !empty; i++) {
        if (product > max / sizes[i]) return false;
        product *= sizes[i];
    }
    *bytes = empty ? 0 : product;
    return true;
}

tess_status tess__file_check_size(tess_file *file, int64_t offset, int64_t n, const char *what)
{
    const int64_t size = tess__source_size(file->source);
    char          found[32], used[32];
    TESS_CHECK(n <= INT64_MAX - offset, TESS_EFORMAT, "open: %s: %s lie beyond the largest possible file size",
               tess__source_name(file->source), what);
    if (size < 0) return TESS_OK; /* known when it is read */
    (void)snprintf(found, sizeof found, "%" PRId64, size);
    (void)snprintf(used, sizeof used, "%" PRId64, offset + n);
    if (size < offset + n) {
        TESS_CHECK(file->opts.salvage, TESS_EFORMAT,
                   "open: %s: %s need %" PRId64 " bytes; the file has %" PRId64
                   " (`opts->salvage` reads what there is)",
                   tess__source_name(file->source), what, offset + n, size);
        tess__file_warn(file, TESS_ODD_LENGTH, "size", found, used,
                        "%s need %" PRId64 " bytes, the file has %" PRId64 ": missing values are read as 0", what,
                        offset + n, size);
    } else if (size > offset + n) {
        tess__file_warn(file, TESS_ODD_LENGTH, "size", found, used,
                        "the file has %" PRId64 " bytes, %" PRId64 " more than %s need", size, size - offset - n, what);
    }
    return TESS_OK;
}

/* ---- Which format ---- */

static tess_status fail_unknown(const tess_file *file, const unsigned char *start, int64_t n)
{
    char        bytes[64] = "", formats[TESS__FORMAT_NAMES];
    const char *elsewhere = tess__known_elsewhere(start, n);
    TESS_CHECK(!elsewhere, TESS_EUNSUPPORTED, "open: %s is %s, which is not supported; supported formats: %s",
               file->path, elsewhere, tess__format_names(formats, false));
    TESS_CHECK(n > 0, TESS_EFORMAT, "open: %s is empty", file->path);
    for (int i = 0; i < n && i < 16; i++)
        (void)snprintf(bytes + 3 * i, sizeof bytes - 3 * (size_t)i, "%02x ", start[i]);
    bytes[strlen(bytes) - 1] = '\0';
    const tess_file_format named = tess_file_format_of(file->path);
    TESS_CHECK(!named || named == TESS_FORMAT_RAW, TESS_EFORMAT,
               "open: %s is not a %s file, nor of any other known format; it has %" PRId64 " bytes and begins with %s",
               file->path, tess_file_format_name(named), tess__source_size(file->source), bytes);
    TESS_FAIL(TESS_EFORMAT, "open: %s: unknown format; it begins with %s; supported formats: %s", file->path, bytes,
              tess__format_names(formats, false));
}

/* Ask the formats of one kind of evidence. */
static tess_status ask(tess_file *file, tess__evidence evidence, const unsigned char *start, int64_t n)
{
    for (const tess__format *const *f = tess__formats; *f && !file->format; f++) {
        bool is_one = (*f)->evidence == evidence && (*f)->recognises && (*f)->recognises(start, n);
        if (is_one && (*f)->recognises_source) TESS_TRY((*f)->recognises_source(&is_one, file->source));
        if (is_one) file->format = *f;
    }
    return TESS_OK;
}

static tess_status recognise(tess_file *file, const unsigned char *start, int64_t n)
{
    for (int evidence = 0; evidence < TESS__N_EVIDENCE; evidence++)
        TESS_TRY(ask(file, (tess__evidence)evidence, start, n));
    return TESS_OK;
}

static tess_status choose_format(tess_file *file, const tess__name *name)
{
    unsigned char start[1024];
    int64_t       n;
    if (file->opts.format) file->format = tess__format_of_id((tess_file_format)file->opts.format);
    else if (name->word[0] && !name->member) file->format = name->format;
    if (!file->format && file->opts.raw_dtype) file->format = &tess__format_raw;
    if (file->format) return TESS_OK;
    TESS_TRY(tess__source_read(file->source, 0, start, sizeof start, &n));
    TESS_TRY(recognise(file, start, n));
    if (!file->format) TESS_TRY(fail_unknown(file, start, n));
    return TESS_OK;
}

/* ---- Opening ---- */

static void take_word(tess_file *file, const tess__name *name)
{
    if (name->member && !file->opts.member) file->opts.member = name->word;
    if (file->opts.as || name->member) return;
    if (strcmp(name->word, "mrcs") == 0) file->opts.as = TESS_AS_STACK;
    if (strcmp(name->word, "mrc") == 0) file->opts.as = TESS_AS_VOLUME;
}

/* A choice among arrays or pages is of formats that have several. */
static tess_status check_choice(const tess_file *file)
{
    const tess_read_opts *o = &file->opts;
    TESS_CHECK(!o->member || file->format->has_members, TESS_EARG,
               "open: %s: `opts->member` is '%.60s', but %s files have no members", file->path, o->member,
               file->format->name);
    TESS_CHECK((o->page < 0 && !o->n_pages) || file->format->has_pages, TESS_EARG,
               "open: %s: `opts->%s` is %" PRId64 ", but %s files have no pages", file->path,
               o->page < 0 ? "n_pages" : "page", o->page < 0 ? o->n_pages : o->page, file->format->name);
    return TESS_OK;
}

static tess_status open_named(tess_file *file, const tess__name *name)
{
    memcpy(file->extension, name->extension, sizeof file->extension);
    take_word(file, name);
    TESS_TRY(tess__source_open(&file->source, file->path));
    if (file->opts.salvage) tess__source_forgive(file->source);
    TESS_TRY(choose_format(file, name));
    TESS_TRY(check_choice(file));
    file->info.format = (int32_t)file->format->id;
    file->info.compression = (int32_t)tess__source_compression(file->source);
    file->info.file_size = tess__source_file_size(file->source);
    file->info.mode = -1;
    file->info.rank = -1;
    file->info.data_offset = -1;
    TESS_CHECK(file->info.compression == TESS_COMPRESSION_NONE || file->format->whole_compression, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for %s files; decompress it first", file->path,
               file->format->name);
    TESS_TRY(file->format->open(file));
    return TESS_OK;
}

tess_status tess_open(tess_file **file, const char *path, const tess_read_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_read_opts o;
    tess__name     name;
    tess_status    status = TESS_OK;
    TESS_CHECK(file, TESS_EARG, "open: `file` is `NULL`; a pointer that receives the open file is required");
    TESS_TRY(tess__read_opts_take(&o, opts));
    TESS_TRY(tess__name_take(&name, "open", path));
    tess_file *f = tess__alloc(sizeof *f);
    if (!f) {
        tess__free(name.path);
        TESS_FAIL(TESS_ENOMEM, "open: %s: no memory to open a file", path);
    }
    memset(f, 0, sizeof *f);
    f->path = name.path;
    f->opts = o;
    TESS_GOTO(failed, status, open_named(f, &name));
    f->info.meta.extended = f->extended;
    *file = f;
    return TESS_OK;
failed:
    tess_file_close(f);
    return status;
}

const tess_info_file *tess_file_info(const tess_file *file) { return file ? &file->info : NULL; }

const char *tess_file_warning_marked(const tess_file *file, int i)
{
    return file && i >= 0 && i < file->info.n_warnings ? file->warnings[i] : "";
}

void tess_file_close(tess_file *file)
{
    if (!file) return;
    if (file->format && file->format->close) file->format->close(file);
    tess__source_close(file->source);
    tess__free(file->extended);
    tess__free(file->path);
    tess__free(file);
}

tess_status tess_info(tess_info_file *info, const char *path, const tess_read_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_file *file;
    TESS_CHECK(info, TESS_EARG, "info: `info` is `NULL`; a pointer that receives the info is required");
    TESS_TRY(tess__error_under(tess_open(&file, path, opts), "info"));
    *info = file->info;
    info->meta.extended = NULL;
    tess_file_close(file);
    return TESS_OK;
}
