/* A plot, written to a file or drawn in the terminal. */
#include "draw/plot_out.h"

#include "picture/terminal/characters.h"

static tess_status show_in_letters(const plot *p, const picture_out *out, plot_facts *info)
{
    const terminal *t = &out->terminal;
    characters     *c = NULL;
    const int       rows = t->rows > 12 ? t->rows - 2 : 10, wide = t->columns > 30 ? t->columns : 30;
    tess_status     status;
    TESS_TRY(characters_new(&c, wide, rows > 40 ? 40 : rows));
    TESS_GOTO(done, status, plot_draw(&c->surface, p, info));
    TESS_GOTO(done, status, characters_show(c, t, stdout));
done:
    characters_free(c);
    return status;
}

static tess_status show_in_pixels(const plot *p, const picture_out *out, double scale, plot_facts *info)
{
    canvas     *c = NULL;
    tess_status status;
    TESS_TRY(canvas_new(&c, p->width, p->height, scale, (colour){ 255, 255, 255, 255 }));
    TESS_GOTO(done, status, plot_draw(&c->surface, p, info));
    TESS_GOTO(done, status, terminal_show(&out->terminal, c, stdout));
done:
    canvas_free(c);
    return status;
}

tess_status plot_out(const plot *p, const picture_out *out, double scale, plot_facts *info)
{
    if (out->path) TESS_TRY(plot_write(p, out->path, scale, out->overwrite, info));
    else if (terminal_has_pixels(&out->terminal)) TESS_TRY(show_in_pixels(p, out, scale, info));
    else TESS_TRY(show_in_letters(p, out, info));
    return TESS_OK;
}
