/* tessera completion: what a shell needs to complete command lines. */
#include "command/job.h"
#include "main/completion.h"

static tess_status run(job *j) { return completion_print(stdout, j->arguments[0]); }

static const char *const examples[] = { "tessera completion bash > tessera.bash", "tessera completion zsh > _tessera",
                                        "tessera completion fish > tessera.fish", NULL };

const verb verb_completion = {
    .name = "completion",
    .subject = "about the command",
    .summary = "print shell completion for bash, zsh or fish",
    .arguments = "bash|zsh|fish",
    .text = "make install puts the files where the shells look for them. To install your own copy:\n\n"
            "  bash: tessera completion bash > ~/.local/share/bash-completion/completions/tessera\n"
            "  zsh: tessera completion zsh > _tessera, in a folder of $fpath\n"
            "  fish: tessera completion fish > ~/.config/fish/completions/tessera.fish",
    .examples = examples,
    .min = 1,
    .max = 1,
    .run = run,
};
