/* Jobs: what is asked for in one sentence, as to correct a movie or to refine particles, on arrays or on files. */
#ifndef TESSERA_JOBS_H
#define TESSERA_JOBS_H

#include "tessera/jobs/align2d.h"
#include "tessera/jobs/camera.h"
#include "tessera/jobs/context.h"
#include "tessera/jobs/correct_ctf.h"
#include "tessera/jobs/dose_weight_stack.h"
#include "tessera/jobs/extract_particles.h"
#include "tessera/jobs/fit_ctf.h"
#include "tessera/jobs/half_map_fsc.h"
#include "tessera/jobs/local_resolution.h"
#include "tessera/jobs/make_mask.h"
#include "tessera/jobs/motion_correct.h"
#include "tessera/jobs/particles.h"
#include "tessera/jobs/pick.h"
#include "tessera/jobs/project_map.h"
#include "tessera/jobs/reconstruct.h"
#include "tessera/jobs/refine.h"
#include "tessera/jobs/render_eer.h"
#include "tessera/jobs/sharpen.h"
#include "tessera/jobs/simulate_atoms.h"
#include "tessera/jobs/simulate_movie.h"
#include "tessera/jobs/simulate_particles.h"
#include "tessera/jobs/sink.h"
#include "tessera/jobs/slabs.h"
#include "tessera/jobs/source.h"
#include "tessera/jobs/star_rows.h"
#include "tessera/jobs/table.h"
#include "tessera/jobs/unit_cell.h"
#include "tessera/jobs/tilts.h"

#endif
