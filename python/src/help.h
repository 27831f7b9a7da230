/* Texts of descriptions in words of Python's, for help(). */
#ifndef TESS_PYTHON_HELP_H
#define TESS_PYTHON_HELP_H

#include "function.h"

/* A text that grows; `failed` if there was no memory for it. */
typedef struct text {
    char  *at;
    size_t used, size;
    bool   failed;
} text;

void append(text *t, const char *format, ...) TESS_PRINTF(2, 3);

/* Words of a row in those of Python. */
void append_words(text *t, const tess_arg_info *row, const char *words);

/* The help of a row, in which shapes are those of the caller's arrays. Jobs take and give arrays of four axes. */
void append_help(text *t, const tess_arg_info *row, bool of_job);

/* "B,1,1,shells" as "; shape (..., shells)", if a row has axes of its own and its help does not say so. */
void append_shape(text *t, const tess_arg_info *row);

#endif
