/* tessera select: some images of a stack, or some sections of a volume. */
#include <stdlib.h>
#include <string.h>

#include "files/one_input.h"
#include "files/star_rows.h"

/* Each n-th of what --slices left. */
static tess_status choose_every(job *j, input *in)
{
    int64_t every = job_integer(j, "every", 1), n = input_indices(in), count = 0;
    TESS_CHECK(every > 0, TESS_ERANGE, "--every: %lld; 1 or more is allowed", (long long)every);
    if (every == 1) return TESS_OK;
    int64_t *indices = malloc(sizeof *indices * (size_t)(n > 0 ? n : 1));
    TESS_CHECK(indices, TESS_ENOMEM, "select: no memory for a list of %lld images", (long long)n);
    for (int64_t i = 0; i < n; i += every) indices[count++] = i;
    tess_status status = input_choose(in, j, indices, count);
    free(indices);
    return status;
}

static tess_status select_images(job *j, input *in)
{
    bool skip;
    TESS_TRY(choose_every(j, in));
    TESS_CHECK(input_indices(in) > 0, TESS_ERANGE, "%s: nothing is selected", in->name);
    TESS_TRY(output_planned(j, NULL, in->info.shape, in->info.dtype, &skip));
    if (skip) return TESS_OK;
    const char *star = job_text(j, "star", NULL);
    TESS_CHECK(!star || in->listed, TESS_EARG, "--star: %s is not a STAR file; there is no list to write", in->name);
    const stream_plan plan = plan_of_images(in);
    TESS_TRY(stream_run(j, in, &plan, NULL, NULL));
    return star ? restar(j, in, job_text(j, "output", ""), star) : TESS_OK;
}

static tess_status run(job *j)
{
    TESS_TRY(output_check(j, NULL));
    return on_input(j, select_images);
}

static const option options[] = {
    VALUE("every", "N", OPTION_INTEGER, "keep only every N-th of these [1]"),
    VALUE("star", "OUT", OPTION_FILE, "with STAR input: write its rows for the new stack", .writes = true,
          .is_particles = true),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera select stack.mrcs --slices 0-2,5 -o some.mrcs",
    "tessera select stack.mrcs --every 2 -o half.mrcs",
    "tessera select particles.star --slices 0-3 -o few.mrcs --star few.star",
    NULL,
};

const verb verb_select = {
    .name = "select",
    .subject = "files",
    .summary = "select images of a stack or sections of a volume",
    .arguments = "INPUT... -o OUT",
    .text = "Images count from 0, ranges include both ends, and images come in the order of the list: 5,0-2 begins "
            "with number 5. --every N then takes the first and every N-th after it. From a volume, sections are "
            "selected; the origin moves with the first section, and with --every N pixels become N times as large "
            "along z. Records of the extended header stay with their images.\n\nFrom a STAR file, images come from all "
            "stacks it names; --star writes its rows again, with names and numbers of the new stack.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
