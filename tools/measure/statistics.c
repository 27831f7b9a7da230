/* Statistics of all values of a source, by the library's job. */
#include "measure/statistics.h"

#include <string.h>

#include "command/context.h"

tess_status statistics_of(double row[TESS_STATISTICS_COLUMNS], job *j, const tess_source *source)
{
    const tess_context           context = job_context(j);
    tess_stack_statistics_result r = { 0 };
    TESS_TRY(job_context_end(j, tess_stack_statistics(&r, source, NULL, &context)));
    memcpy(row, r.statistics.data, TESS_STATISTICS_COLUMNS * sizeof *row);
    tess_stack_statistics_result_release(&r);
    return TESS_OK;
}
