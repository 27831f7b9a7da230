/* Opens one file for a verb: what its sections are by what the verb needs, its warnings told once. */
#ifndef TESSERA_FILES_OPEN_FILE_H
#define TESSERA_FILES_OPEN_FILE_H

#include "files/input.h"

tess_status open_file(tess_file **file, job *job, const char *path, const tess_read_opts *opts, input_need need);

/* From now on, tell nothing: for verbs that print warnings themselves. */
void silence_warnings(bool silent);

/* Tell what was odd about a file, unless it was told before. */
void tell_warnings(job *job, const char *path, const tess_info_file *info);

/* The same of those that came up while it was read, behind the first n_told. */
void tell_later_warnings(job *job, const char *path, const tess_info_file *info, int n_told);

#endif
