/* One run of the command: its arguments and options, parsed and checked, and how it speaks to the user. */
#ifndef TESSERA_COMMAND_JOB_H
#define TESSERA_COMMAND_JOB_H

#include <stdio.h>

#include "base/number.h"
#include "command/progress.h"
#include "command/table.h"
#include "command/verb.h"

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
    struct output_names *outputs;     /* files that it writes (files/outputs/output_names.h) */
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

/* Two numbers, the smaller first, which must have been given. */
tess_status job_range(const job *job, const char *name, double two[2]);

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

#endif
