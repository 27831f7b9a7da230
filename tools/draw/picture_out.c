/* Where a picture goes. */
#include "draw/picture_out.h"

#include <string.h>

#include "base/text.h"

tess_status picture_out_find(picture_out *out, job *j)
{
    *out = (picture_out){ .path = job_text(j, "output", NULL), .overwrite = job_has(j, "force") };
    if (out->path) {
        const bool draws = strcmp(j->verb->name, "plot") == 0 || strcmp(j->verb->name, "star") == 0;
        const bool svg = ends_with(out->path, ".svg") && draws;
        TESS_CHECK(svg || ends_with(out->path, ".png") || strcmp(out->path, "-") == 0, TESS_EARG,
                   "%s: -o is \"%s\"; expected the extension .png%s", j->verb->name, out->path,
                   draws ? " or .svg" : "");
        TESS_TRY(output_check(j, &out->skip));
        return TESS_OK;
    }
    terminal_detect(&out->terminal, stdout);
    const char *how = job_text(j, "terminal", "auto");
    TESS_CHECK(out->terminal.tty || strcmp(how, "auto") != 0, TESS_EARG,
               "%s: no output, and standard output is not a terminal; name a picture with -o, or choose one of "
               "--terminal half ascii sixel",
               j->verb->name);
    (void)terminal_choose(&out->terminal, how);
    return TESS_OK;
}

tess_status picture_out_canvas(const picture_out *out, const canvas *c)
{
    if (out->path) TESS_TRY(canvas_write(c, out->path, out->overwrite));
    else TESS_TRY(terminal_show(&out->terminal, c, stdout));
    return TESS_OK;
}
