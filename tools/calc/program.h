/* An expression over files, taken apart: reductions first, each an expression of its own, then the result. */
#ifndef TESSERA_CALC_PROGRAM_H
#define TESSERA_CALC_PROGRAM_H

#include "calc/tokens.h"
#include "files/slab_pipeline.h"

enum { MAX_REDUCTIONS = 64, MAX_STATEMENTS = 64 };

/* A name and what it stands for: a file, or a number as it was typed. */
typedef struct binding {
    char  name[64];
    char  number[72]; /* "" for a file */
    input file;
    bool  used;
} binding;

/* An expression of files, reductions and indices, as an operator. */
typedef struct formula {
    tokens     text;
    tess_op   *op;
    tess_dtype real;                                             /* f32 or f64: what its reals are computed in */
    tess_dtype dtype;                                            /* of its values */
    tess_shape domain;                                           /* that its files and reductions broadcast to */
    bool       files[STREAM_INPUTS], reductions[MAX_REDUCTIONS]; /* used in it */
    bool       indices;                                          /* $b, $d, size(0) or size(1) */
    bool       ended;                                            /* what is wrong is that the user's text ends */
    int        plain; /* the file that it is, without any arithmetic; -1 if it is more */
} formula;

typedef enum reduction_kind {
    REDUCE_MEAN,
    REDUCE_SUM,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_STD,
    REDUCE_VAR,
    REDUCE_NORM,
    REDUCE_MEDIAN
} reduction_kind;

typedef struct reduction {
    reduction_kind kind;
    formula        of;
    char           name[24];
    int            level; /* 1: of files alone; else one more than the reductions in it */
    tess_array     value; /* {1,1,1,1}, or one for each volume or image */
} reduction;

typedef enum per { PER_ALL, PER_VOLUME, PER_IMAGE } per;

typedef struct program {
    const char *text;
    binding     bindings[STREAM_INPUTS];
    int         n_bindings;
    reduction   reductions[MAX_REDUCTIONS];
    int         n_reductions;
    formula     result;
    tess_dtype  real;   /* f32 or f64: what reals of files are computed in */
    tess_shape  domain; /* that all files broadcast to: of indices without a file */
    per         per;
    bool        integers; /* integers stay what they are, and are computed as in C */
    fault       fault;    /* set where a failure is TESS_EPARSE */
} program;

/* Takes the text apart; bindings are there, and those that are used are marked. */
tess_status program_read(program *p);
/* When files are open: what they have in common. */
void program_files(program *p);
void program_free(program *p);

/* Finds the domain of a formula, whose reductions have their values, and makes its operator. */
tess_status formula_make(program *p, formula *f);

/* Its values over a slab of its domain, into `out`, which was made. `files` has an array for each binding in use. */
tess_status formula_run(program *p, const formula *f, tess_array *out, const tess_array *files, const slab *s);

/* The files that a stream reads: those marked, in the order of the bindings. */
typedef struct file_list {
    input     *inputs[STREAM_INPUTS];
    tess_dtype dtypes[STREAM_INPUTS];
    int        which[STREAM_INPUTS]; /* binding of each */
    int        n;
} file_list;
void file_list_make(file_list *list, program *p, const bool *files);
/* What a stream has read, by the number of the binding. */
void file_list_sort(const file_list *list, tess_array *files, const tess_array *in);

/* Computes the values of all reductions, level by level, in passes over the files. */
tess_status reductions_run(job *j, program *p);

#endif
