/* One run of the command: its arguments and options, parsed and checked, and how it speaks to the user. */
#ifndef TESSERA_MAIN_JOB_H
#define TESSERA_MAIN_JOB_H

#include <stdio.h>

#include "main/verb.h"

/* Exit codes. A status becomes EXIT_IO for TESS_EIO, TESS_EFORMAT and TESS_EUNSUPPORTED, EXIT_DEVICE for TESS_ENOMEM
 * and TESS_EDEVICE, EXIT_USAGE for all others. */
enum { EXIT_DONE = 0, EXIT_DIFFERS = 1, EXIT_USAGE = 2, EXIT_IO = 3, EXIT_DEVICE = 4 };

/* The verb that runs, in messages of what several verbs share: TESS_FAIL(status, VERB ": no memory"). It is a mark of
 * tess_spell. */
#define VERB "\001verb\002"

struct job {
    const verb               *verb;
    const tess_function_info *op;        /* of a verb that is an operation */
    tess_device               device;    /* --device */
    const char *const        *arguments; /* those that are not options, in order */
    int                       n_arguments;
    const char *const        *inputs; /* of a verb that is run for each input: all n_files of them */
    int                exit_code; /* what to return where a status is not the way: set by the verb, the highest wins */
    int                verbose;   /* -1 -q, 0, 1 -v */
    int64_t            memory;    /* --mem in bytes, or half of the machine's: no more than this at a time */
    const char        *command;   /* "tessera bin --factor 2 x.mrc -o y.mrc", for labels */
    struct given      *given;     /* options as they came */
    int                n_given;
    struct told       *told; /* warnings so far */
    int                n_told;
    tess_file_format   input_format;  /* of the first file that was opened: the one of -o - */
    int                file, n_files; /* of a verb that is run for each input: which it is, from 1; 0: it is not */
    double             began;         /* when that began, as clock_seconds */
    struct input_list *lists;         /* texts of lists that its arguments came from (files/input_lists.h) */
    struct output_names *outputs;     /* files that it writes (files/output_names.h) */
    struct table        *table;       /* of a verb that is run for several inputs: what they print (table_share) */
    struct progress     *bar;         /* the line of the stage that a job of the library is in, or NULL */
    int64_t              shown;       /* how much of that stage was told */
    tess_star           *star;        /* what inputs so far have put into a STAR file for all of them, or NULL */
};

/* ---- Options: by their long name, also those of globals.c ("output", "force", …). Types were checked before the verb
 * runs. A name that the verb does not have is like one that was not given. ---- */

bool        job_has(const job *job, const char *name);
const char *job_text(const job *job, const char *name, const char *fallback);
int64_t     job_integer(const job *job, const char *name, int64_t fallback);
double      job_number(const job *job, const char *name, double fallback);

/* The i-th of all options as they came, for verbs where the order counts; false after the last. */
bool job_option(const job *job, int i, const char **name, const char **value);

/* Quantities with units. `pixel_size` in Å, 0 if it is not known: an error that names --apix, where it is needed.
 * Lengths come back in pixels, cut-offs and edges in cycles per pixel (n: pixels of the smallest side, for shells),
 * angles in radians, defoci in micrometres. Nothing is set where the option was not given. */
tess_status job_length(const job *job, const char *name, double pixel_size, double *pixels);
tess_status job_cutoff(const job *job, const char *name, double pixel_size, int64_t n, double *cycles);
tess_status job_edge(const job *job, const char *name, int64_t n, double *cycles);
tess_status job_angle(const job *job, const char *name, double *radians);
tess_status job_defocus(const job *job, const char *name, double *micrometres);
tess_status job_xyz(const job *job, const char *name, double xyz[3], int *n);

/* The same of lengths, in pixels; `pixel_size` is z,y,x. One length is for `all` axes. Those that came in Å, nm or µm
 * are rounded to whole pixels. */
tess_status job_lengths(const job *job, const char *name, const double pixel_size[3], int all, double xyz[3], int *n);

/* A list as --slices takes it, of n indices: which are chosen, in the order given. To be freed. */
tess_status job_slices(const job *job, const char *name, int64_t n, int64_t **chosen, int64_t *n_chosen);

/* ---- Speaking: data to stdout, all else to stderr ---- */

void job_note(job *job, const char *format, ...) TESS_PRINTF(2, 3);   /* "tessera: note: …", not with -q */
void job_warn(job *job, const char *format, ...) TESS_PRINTF(2, 3);   /* "tessera: warning: …" */
void job_detail(job *job, const char *format, ...) TESS_PRINTF(2, 3); /* only with -v */

/* Say what went wrong, with the record of the library, and set the exit code: for verbs that go on with the next
 * file. */
void job_failed(job *job, tess_status status, const char *file);

/* A progress line on a terminal; `unit` as "images". Made with the total, moved on, and taken away. */
typedef struct progress progress;
tess_status             progress_start(progress **p, job *job, const char *unit, int64_t total, int64_t bytes_each);
void                    progress_add(progress *p, int64_t n);
void                    progress_end(progress *p);

/* ---- Tables: one row per file or image; --json, --tsv, or columns for people, whose numbers have --digits, 6 by
 * default ---- */

typedef struct table table;
table               *table_new(job *job, FILE *out);
void                 table_number(table *t, const char *column, double value); /* shortest text that reads back equal */
void                 table_number_as(table *t, const char *column, double value, tess_dtype dtype);
void                 table_integer(table *t, const char *column, int64_t value);
void                 table_text(table *t, const char *column, const char *value);
void                 table_null(table *t, const char *column); /* null in JSON, else nothing */

/* Numbers with blanks or commas between them: an array in JSON, where a word such as "unknown", and what is not finite,
 * is null. */
void table_list(table *t, const char *column, const char *numbers);

/* Texts, without blanks at their ends, and `more` that are not at hand: an array in JSON, elsewhere how many there
 * are. */
void table_texts(table *t, const char *column, const char *const *texts, int n, int more);
/* With tabs, unless it is JSON. */
void table_tabs(table *t);

bool table_is_json(const table *t);
/* One table for all inputs of a verb that is run for each: table_new gives it every time, its first column is "file",
 * table_end keeps the rows of an input and table_free drops them. table_print_shared prints it, if it was used. */
void table_share(job *j);
void table_print_shared(job *j);

void table_row(table *t);  /* end of a row */
void table_end(table *t);  /* print what is left, and free it */
void table_free(table *t); /* without printing */

/* The shortest text that reads back equal, with a point whatever the locale. */
char *number_text(char text[32], double value);

/* The same, equal when read as a number of this dtype: 0.1 for the f32 nearest to it. */
char *number_text_as(char text[32], double value, tess_dtype dtype);

/* The same, rounded to at most `digits` significant digits; whole numbers below 1e15 keep all. */
char *number_text_digits(char text[32], double value, tess_dtype dtype, int digits);

#endif
