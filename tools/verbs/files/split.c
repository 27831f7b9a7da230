/* tessera split: a file for each image or volume. */
#include <stdlib.h>
#include <string.h>

#include "files/append_input.h"
#include "files/file_name.h"
#include "files/listing.h"
#include "files/one_input.h"

enum { MAX_NAME = 4096 };

/* How the names of the files are made: what is before and behind the number, and its digits. */
typedef struct pattern {
    char before[MAX_NAME], behind[MAX_NAME];
    int  digits;
} pattern;

static int digits_of(int64_t n)
{
    int digits = 1;
    for (; n >= 10; n /= 10) digits++;
    return digits;
}

/* n letters of a pattern, with % for each %%. */
static void put_letters(char out[MAX_NAME], const char *text, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        out[used++] = text[i];
        if (text[i] == '%') i++;
    }
    out[used] = 0;
}

/* The next % that is not one of %%; NULL if there is none. */
static const char *next_percent(const char *text)
{
    while ((text = strchr(text, '%')) && text[1] == '%') text += 2;
    return text;
}

/* What "%d" or "%04d" stands between; digits that it asks for, or 0. */
static tess_status split_pattern(pattern *p, const char *name, const char *percent, int *digits)
{
    const size_t count = strspn(percent + 1, "0123456789");
    const char  *behind = percent + 2 + count;
    TESS_CHECK(percent[1 + count] == 'd' && count <= 3 && !next_percent(behind), TESS_EARG,
               "-o: '%s' has an invalid %%; expected %%d or %%04d at most once, and %%%% for a %% itself", name);
    *digits = count ? atoi(percent + 1) : 1;
    TESS_CHECK(*digits <= 18, TESS_ERANGE, "-o: %d digits; 1 to 18 are allowed", *digits);
    put_letters(p->before, name, (size_t)(percent - name));
    put_letters(p->behind, behind, strlen(behind));
    return TESS_OK;
}

/* "%d" or "%04d" stands for the number; without one it goes before the end of the name. */
static tess_status make_pattern(pattern *p, job *j, const char *name, int64_t last)
{
    const char   *percent = next_percent(name);
    const int64_t asked = job_integer(j, "digits", 0);
    const size_t  n = strlen(name);
    TESS_CHECK(n + 32 < MAX_NAME, TESS_EARG, "-o: the name has %zu letters; fewer than 4000 are allowed", n);
    TESS_CHECK(asked >= 0 && asked <= 18, TESS_ERANGE, "--digits: %lld; 1 to 18 are allowed", (long long)asked);
    if (percent) TESS_TRY(split_pattern(p, name, percent, &p->digits));
    else {
        put_letters(p->before, name, n);
        const size_t end = name_end(p->before);
        (void)snprintf(p->behind, sizeof p->behind, "%s", p->before + end);
        (void)snprintf(p->before + end, sizeof p->before - end, "_");
        p->digits = digits_of(last) > 4 ? digits_of(last) : 4;
    }
    if (asked) p->digits = (int)asked;
    return TESS_OK;
}

static tess_status name_of(const pattern *p, int64_t number, char name[MAX_NAME])
{
    int n = snprintf(name, MAX_NAME, "%s%0*lld%s", p->before, p->digits, (long long)number, p->behind);
    TESS_CHECK(n > 0 && n < MAX_NAME, TESS_EARG, "-o: the names would be too long");
    return TESS_OK;
}

/* Write one image or volume of an input; `piece` is a copy of it that has chosen nothing. */
static tess_status write_piece(job *j, input *piece, int64_t index, const char *name, progress *bar)
{
    output out;
    TESS_TRY(input_choose(piece, j, &index, 1));
    TESS_TRY(output_start(&out, j, name, piece->info.shape, piece->info.dtype, &piece->info.meta));
    return output_end(&out, j, append_input(j, piece, &out, TESS_DTYPE_NONE, bar));
}

static tess_status write_one(job *j, const input *in, int64_t i, const char *name, progress *bar)
{
    input piece = *in;
    piece.chosen = NULL;
    piece.records = NULL;
    piece.info = in->listed ? in->listed->info : *tess_file_info(in->file);
    memcpy(piece.info.meta.pixel_size, in->info.meta.pixel_size, sizeof piece.info.meta.pixel_size);
    tess_status status = write_piece(j, &piece, in->chosen ? in->chosen[i] : i, name, bar);
    free(piece.chosen);
    free(piece.records);
    return status;
}

static tess_status split(job *j, input *in)
{
    pattern     p;
    char        name[MAX_NAME];
    const char *wanted = job_text(j, "output", NULL);
    int64_t     n = input_indices(in), first = job_has(j, "from-one");
    TESS_CHECK(wanted, TESS_EARG, "split: no output; name it with -o");
    TESS_CHECK(strcmp(wanted, "-") != 0, TESS_EARG, "split: -o -: several files cannot be written to standard output");
    TESS_TRY(make_pattern(&p, j, wanted, n - 1 + first));
    for (int64_t i = 0; i < n; i++) {
        bool       skip;
        tess_shape shape = in->info.shape;
        TESS_TRY(name_of(&p, i + first, name));
        TESS_TRY(output_check_name(j, "-o", name));
        TESS_TRY(output_planned(j, name, TESS_SHAPE(1, input_along_b(in) ? shape.d : 1, shape.h, shape.w),
                                in->info.dtype, &skip));
    }
    progress *bar = NULL;
    if (job_has(j, "dry-run")) return TESS_OK;
    TESS_TRY(progress_start(&bar, j, "images", in->info.shape.b * in->info.shape.d, 0));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < n && status == TESS_OK; i++) {
        status = name_of(&p, i + first, name);
        if (status == TESS_OK) status = write_one(j, in, i, name, bar);
    }
    progress_end(bar);
    return status;
}

static tess_status run(job *j) { return on_input(j, split); }

static const option options[] = {
    VALUE("digits", "N", OPTION_INTEGER, "digits of the file numbers [4, or more if needed]"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera split stack.mrcs -o image.mrc",
    "tessera split stack.mrcs -o 'part_%03d.mrc' --slices 1-3 --from-one",
    "tessera split volume.mrc -o section.tif --digits 2",
    NULL,
};

const verb verb_split = {
    .name = "split",
    .subject = "files",
    .summary = "write each image or volume to a file of its own",
    .arguments = "INPUT... -o NAME",
    .text = "Each image of a stack, each volume of a stack of volumes, or each section of a volume becomes a file. Its "
            "number, from 0 (with --from-one from 1), replaces %d or %03d in NAME (%% is a % itself), or else precedes "
            "the extension: x.mrc becomes x_0000.mrc, x_0001.mrc … With --slices, the selected ones are numbered. "
            "Nothing is written if one of the files exists, unless -f is given.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_NAMES),
};
