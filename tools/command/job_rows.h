/* The options that the rows of a job become. */
#ifndef TESSERA_COMMAND_JOB_ROWS_H
#define TESSERA_COMMAND_JOB_ROWS_H

#include "command/verb.h"

/* The options that the rows of a job become, but for those that a verb fills itself (`fills` of verb), ended by a NULL
 * name. They live until the end of the process. */
const option *job_row_options(const tess_job_info *info, const char *fills);

/* Is a row an option of the verb that runs the job? */
bool is_job_option(const tess_arg_info *row);

/* The row with its range and default in degrees, where they are in radians. */
tess_arg_info row_in_degrees(const tess_arg_info *row);

#endif
