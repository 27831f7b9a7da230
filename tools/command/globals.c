/* The options that verbs share, and what they set. */
#include "command/globals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/messages.h"
#include "command/options.h"
#include "command/units.h"

const global globals[] = {
    { VALUE("output", "OUT", OPTION_FILE, "output file; - is standard output; {name} stands for the name of each input",
            .letter = 'o', .writes = true),
      GLOBAL_OUT },
    { FLAG("force", "overwrite existing files", .letter = 'f'), GLOBAL_OUT },
    { VALUE("dtype", "T", OPTION_TEXT, "data type of the output: u8 i16 f16 f32 ... [that of the result]"),
      GLOBAL_NUMBERS },
    { CHOICE("mode", "WORD", "0 0u 1 2 4 6 12", "data type as a mode of MRC; 0u: unsigned bytes"), GLOBAL_NUMBERS },
    { VALUE("compress", "WORD", OPTION_TEXT, "compression: none gzip bzip2 deflate lzw zstd [by the name]"),
      GLOBAL_NUMBERS },
    { FLAG("dry-run", "check everything, report what would be written, write nothing"), GLOBAL_OUT },
    { VALUE("as", "WHAT", OPTION_TEXT, "meaning of the sections: stack, volume, or volumes=D"), GLOBAL_READ },
    { CHOICE("bytes", "WORD", "signed unsigned imod", "signedness of the bytes of MRC mode 0 [by rule]"), GLOBAL_READ },
    { VALUE("raw", "LIST", OPTION_TEXT, "layout of raw data: shape=HxW,dtype=T,offset=N,endian=big"), GLOBAL_READ },
    { FLAG("salvage", "read what is left of a truncated file"), GLOBAL_READ },
    { FLAG("grey", "read colours of TIFF, PNG, DM and MRC mode 16 as grey"), GLOBAL_READ },
    { VALUE("root", "DIR", OPTION_FILE, "base folder of file names in STAR files [current folder]"), GLOBAL_READ },
    { VALUE("page", "N", OPTION_INTEGER, "read only this page of a TIFF, or image of a DM, EMD or SER file, from 0"),
      GLOBAL_READ },
    { VALUE("member", "NAME", OPTION_TEXT, "read this array of an NPZ file, as FILE:NAME does"), GLOBAL_READ },
    { CHOICE("eer-upsampling", "WORD", "1 2 4", "EER: pixels per side of a camera pixel [1]"), GLOBAL_READ },
    { VALUE("eer-group", "N", OPTION_INTEGER, "EER: camera frames counted into each image [1]"), GLOBAL_READ },
    { VALUE("eer-dose", "E,TOTAL", OPTION_TEXT,
            "EER: group frames by dose: E electrons/A^2 per image, TOTAL in the movie: 0.5,40"),
      GLOBAL_READ },
    { FLAG("no-flip", "keep the row order of TIFF, PNG and DM files"), GLOBAL_READ },
    { VALUE("apix", "A", OPTION_NUMBER, "pixel size in \xc3\x85, instead of the header's"), GLOBAL_APIX },
    { VALUE("slices", "LIST", OPTION_SLICES, "only these images or sections, from 0: 0-9,12,20- or ::2"),
      GLOBAL_SLICES },
    { FLAG("from-one", "count images and sections from 1"), GLOBAL_SLICES },
    { VALUE("device", "D", OPTION_TEXT, "compute on cpu, gpu, gpu:N, gpu:free, or auto: a GPU if there is one [cpu]"),
      GLOBAL_DEVICE },
    { FLAG("json", "print the result as JSON"), GLOBAL_TABLE },
    { FLAG("tsv", "print the result as tab-separated values"), GLOBAL_TABLE },
    { VALUE("digits", "N", OPTION_INTEGER, "significant digits in printed tables; --json and --tsv have all [6]"),
      GLOBAL_DIGITS },
    { VALUE("seed", "N", OPTION_INTEGER, "seed of the random numbers [0]"), GLOBAL_SEED },
    { FLAG("keep-going", "continue with the other inputs after a failure"), GLOBAL_EACH },
    { CHOICE("progress", "WORD", "auto always never", "show a progress line [auto: on a terminal]"), GLOBAL_PROGRESS },
    { VALUE("threads", "N", OPTION_INTEGER, "number of threads [all processors]", .letter = 'j'), 0 },
    { VALUE("mem", "SIZE", OPTION_MEMORY, "memory limit: 512M, 4G [half of the machine's memory]"), 0 },
    { FLAG("quiet", "print no notes", .letter = 'q'), 0 },
    { FLAG("verbose", "print more detail, and where errors came from", .letter = 'v'), 0 },
    { FLAG("help", "print the help of this verb", .letter = 'h'), 0 },
    { { .name = NULL }, 0 },
};

bool verb_takes(const verb *v, const global *g)
{
    const option *o;
    for (int i = 0; (o = verb_own_option(v, i)); i++) /* its own of that name goes first */
        if (option_is_named(o, g->option.name)) return false;
    unsigned   taken = v->globals;
    const bool numbers = strcmp(v->subject, "pictures") != 0 && strcmp(v->subject, "tables") != 0;
    if ((taken & GLOBAL_OUT) && !(taken & GLOBAL_NO_NUMBERS) && numbers) taken |= GLOBAL_NUMBERS;
    if (v->each) taken |= GLOBAL_EACH;
    return g->groups == 0 || (g->groups & taken) != 0;
}

/* The verbs that can compute elsewhere, by name. */
static tess_status reject_device(const job *j, const char *text)
{
    char   others[1000] = "";
    size_t used = 0;
    for (int i = 0; verbs[i] && used < sizeof others - 24; i++)
        if ((verbs[i]->globals & GLOBAL_DEVICE) || verbs[i]->commands)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s, ", verbs[i]->name);
    TESS_FAIL(TESS_EARG,
              "%s runs on the CPU only, but --device is %s; verbs with --device: %sand operations (tessera ops)",
              j->verb->name, text, others);
}

/* The GPU with most free memory, where there is one and the verb can use it. */
static tess_status choose_device(job *j)
{
    const bool can = (j->verb->globals & GLOBAL_DEVICE) != 0;
    if (!can || tess_device_parse(&j->device, "gpu:free") != TESS_OK) j->device = tess_cpu();
    job_detail(j, "--device auto: %s", j->device.kind == TESS_CPU ? "cpu" : "gpu");
    return TESS_OK;
}

/* Whether the verb can use a device comes before whether there is one. */
static tess_status apply_device(job *j)
{
    const char *text = job_text(j, "device", "cpu");
    if (strcmp(text, "auto") == 0) return choose_device(j);
    if (!(j->verb->globals & GLOBAL_DEVICE) && strcmp(text, "cpu") != 0) return reject_device(j, text);
    const tess_status status = tess_device_parse(&j->device, text);
    if (status == TESS_OK) return TESS_OK;
    TESS_CHECK(status != TESS_EPARSE, TESS_EARG, "--device is \"%s\"; cpu, gpu, gpu:N, gpu:free or auto is needed",
               text);
    char why[512]; /* of the message, which the next one replaces */
    (void)snprintf(why, sizeof why, "%s", message_after("device_parse: "));
    TESS_FAIL(status, "--device %s: %s", text, why);
}

static tess_status apply_memory(job *j)
{
    tess_info_device info;
    TESS_TRY(tess_device_info(&info, tess_cpu()));
    j->memory = info.memory_total > 0 ? info.memory_total / 2 : INT64_C(1) << 30;
    const char *text = job_text(j, "mem", NULL);
    if (!text) return TESS_OK;
    quantity q;
    TESS_TRY(parse_quantity("--mem", OPTION_MEMORY, text, &q));
    TESS_TRY(to_bytes("--mem", q, &j->memory));
    TESS_CHECK(j->memory >= INT64_C(1) << 20, TESS_ERANGE, "--mem is %" PRId64 " bytes; 1M or more is needed",
               j->memory);
    return tess_memory_limit_set(j->memory);
}

static tess_status check_digits(const job *j)
{
    const int64_t digits = job_integer(j, "digits", 6);
    TESS_CHECK(digits >= 1 && digits <= 17, TESS_ERANGE, "--digits is %" PRId64 "; 1 to 17 is allowed", digits);
    TESS_CHECK(!job_has(j, "digits") || !(job_has(j, "json") || job_has(j, "tsv") || job_has(j, "field")), TESS_EARG,
               "--digits applies only to tables in columns; --json, --tsv and --field have all digits");
    return TESS_OK;
}

tess_status globals_apply(job *j)
{
    j->verbose = job_has(j, "quiet") ? -1 : job_has(j, "verbose");
    const int64_t threads = job_integer(j, "threads", 0);
    TESS_CHECK(threads >= 0 && threads <= 1024, TESS_ERANGE, "-j is %" PRId64 "; 1 to 1024 is allowed, or 0 for all",
               threads);
    TESS_TRY(tess_threads_set((int)threads));
    TESS_CHECK(!job_has(j, "json") || !job_has(j, "tsv"), TESS_EARG, "--json and --tsv cannot be combined");
    TESS_TRY(check_digits(j));
    const double apix = job_number(j, "apix", 1);
    TESS_CHECK(apix > 0 && apix < 1e9, TESS_ERANGE, "--apix is %g; a pixel size in \xc3\x85, above 0, is needed", apix);
    TESS_TRY(apply_device(j));
    return apply_memory(j);
}

tess_status parse_sizes(tess_shape *shape, const char *what, const char *text)
{
    int64_t     n[4];
    int         count = 0;
    const char *at = text;
    for (;; at++) {
        char *end;
        TESS_CHECK(count < 4, TESS_EARG, "%s is \"%s\"; it has more than the four sizes b,d,h,w", what, text);
        n[count++] = strtoll(at, &end, 10);
        TESS_CHECK(end != at && (!*end || *end == ',' || *end == 'x'), TESS_EARG,
                   "%s is \"%s\"; one to four sizes b,d,h,w are needed, as 1,1,32,32", what, text);
        at = end;
        if (!*end) break;
    }
    for (int k = 0; k < 4; k++) shape->dim[k] = k < 4 - count ? INT64_MIN : n[k - (4 - count)];
    return TESS_OK;
}

tess_status parse_shape(tess_shape *shape, const char *what, const char *text)
{
    TESS_TRY(parse_sizes(shape, what, text));
    for (int k = 0; k < 4; k++) {
        if (shape->dim[k] == INT64_MIN) shape->dim[k] = 1;
        TESS_CHECK(shape->dim[k] >= 0, TESS_ERANGE, "%s is \"%s\"; no size may be negative", what, text);
    }
    return TESS_OK;
}

tess_status parse_dtype(tess_dtype *dtype, const char *what, const char *text)
{
    TESS_CHECK(tess_dtype_parse(dtype, text) == TESS_OK, TESS_EARG,
               "%s is \"%s\"; bool, i8 to i64, u8 to u64, f16 to f64, c16 to c64 or a NumPy name is needed", what,
               text);
    return TESS_OK;
}

static tess_status read_sections(const char *text, tess_read_opts *opts)
{
    if (strcmp(text, "stack") == 0) {
        opts->as = TESS_AS_STACK;
    } else if (strcmp(text, "volume") == 0) {
        opts->as = TESS_AS_VOLUME;
    } else {
        TESS_CHECK(strncmp(text, "volumes=", 8) == 0, TESS_EARG,
                   "--as is \"%s\"; expected stack, volume or volumes=D, with D sections each", text);
        opts->as = TESS_AS_VOLUMES;
        TESS_TRY(parse_integer("--as volumes", text + 8, &opts->depth));
        TESS_CHECK(opts->depth > 0, TESS_ERANGE, "--as is \"%s\"; 1 or more sections are needed", text);
    }
    return TESS_OK;
}

/* One "name=value" of --raw. A shape has 'x' between its lengths, since commas stand between the parts. */
static tess_status read_raw_part(const char *part, tess_read_opts *opts)
{
    const char  *value = strchr(part, '=');
    const size_t n = value ? (size_t)(value++ - part) : 0;
    tess_dtype   dtype;
    if (n == 5 && strncmp(part, "shape", n) == 0) return parse_shape(&opts->shape, "--raw shape", value);
    if (n == 6 && strncmp(part, "offset", n) == 0) {
        TESS_TRY(parse_integer("--raw offset", value, &opts->offset));
        TESS_CHECK(opts->offset >= 0, TESS_ERANGE, "--raw offset is %s; 0 or more bytes are needed", value);
        return TESS_OK;
    }
    if (n == 5 && strncmp(part, "dtype", n) == 0) {
        TESS_TRY(parse_dtype(&dtype, "--raw dtype", value));
        opts->raw_dtype = (int32_t)dtype;
        return TESS_OK;
    }
    TESS_CHECK(n == 6 && strncmp(part, "endian", n) == 0, TESS_EARG,
               "--raw has \"%s\"; shape=HxW, dtype=T, offset=N and endian=big or little are allowed", part);
    opts->big_endian = strcmp(value, "big") == 0;
    TESS_CHECK(opts->big_endian || strcmp(value, "little") == 0, TESS_EARG,
               "--raw endian is \"%s\"; big or little is needed", value);
    return TESS_OK;
}

static tess_status read_raw(const char *text, tess_read_opts *opts)
{
    char part[128];
    opts->format = TESS_FORMAT_RAW;
    while (*text) {
        const size_t n = strcspn(text, ",");
        TESS_CHECK(n < sizeof part, TESS_EARG, "--raw has a part of %zu letters; fewer than 128 are allowed", n);
        (void)snprintf(part, sizeof part, "%.*s", (int)n, text);
        TESS_TRY(read_raw_part(part, opts));
        text += n + (text[n] == ',');
    }
    TESS_CHECK(opts->shape.w > 0 && opts->raw_dtype, TESS_EARG,
               "--raw needs shape= and dtype=, as in "
               "--raw shape=100x64x64,dtype=f32");
    return TESS_OK;
}

tess_status globals_read_opts(const job *j, tess_read_opts *opts)
{
    *opts = (tess_read_opts){ .salvage = job_has(j, "salvage"),
                              .keep_rows = job_has(j, "no-flip"),
                              .grey = job_has(j, "grey"),
                              .member = job_text(j, "member", NULL),
                              .n_pages = job_has(j, "page"),
                              .eer_upsampling = job_text(j, "eer-upsampling", "1")[0] - '0' };
    const int64_t group = job_integer(j, "eer-group", 1);
    TESS_CHECK(group >= 1 && group <= 65535, TESS_ERANGE, "--eer-group is %" PRId64 "; 1 to 65535 frames are allowed",
               group);
    opts->eer_group = (int32_t)group;
    TESS_CHECK(!job_has(j, "eer-group") || !job_has(j, "eer-dose"), TESS_EARG,
               "--eer-group is %" PRId64 " and --eer-dose %s; give only one of them", group,
               job_text(j, "eer-dose", ""));
    const int64_t page = job_integer(j, "page", 0);
    TESS_CHECK(page >= 0, TESS_ERANGE, "--page is %" PRId64 "; pages count from 0", page);
    if (job_has(j, "page")) opts->page = page ? page : TESS_ZERO_INT;
    const char *as = job_text(j, "as", NULL), *bytes = job_text(j, "bytes", NULL), *raw = job_text(j, "raw", NULL);
    if (as) TESS_TRY(read_sections(as, opts));
    if (raw) TESS_TRY(read_raw(raw, opts));
    if (bytes)
        opts->bytes = bytes[0] == 's' ? TESS_BYTES_SIGNED : bytes[0] == 'u' ? TESS_BYTES_UNSIGNED : TESS_BYTES_IMOD;
    return TESS_OK;
}
