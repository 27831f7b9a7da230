/* tessera plot: curves from tables, histograms and radial means of files, as a picture or in the terminal. */
#include <stdlib.h>

#include "draw/plotter.h"

/* ---- Drawing ---- */

static tess_status draw(const plotter *p)
{
    const double scale = job_number(p->job, "scale", 2);
    plot_facts   info = { 0 };
    TESS_CHECK(scale >= 0.25 && scale <= 16, TESS_ERANGE, "plot: --scale is %g; 0.25 to 16 is allowed", scale);
    TESS_TRY(plot_out(&p->plot, &p->out, scale, &info));
    if (info.left_out > 0 && p->from != FROM_HISTOGRAM) {
        job_note(p->job, "%lld points are not drawn: NaN or infinite%s", (long long)info.left_out,
                 p->plot.x.log || p->plot.y.log ? ", or not above 0 on a logarithmic axis" : "");
    }
    return TESS_OK;
}

static tess_status make(plotter *p)
{
    TESS_TRY(plotter_read_options(p));
    if (p->from != FROM_TABLE) TESS_TRY(plotter_add_files(p));
    for (int i = 0; p->from == FROM_TABLE && i < p->job->n_arguments; i++) TESS_TRY(plotter_add_table(p, i));
    TESS_CHECK(p->plot.n_curves > 0, TESS_EARG, "plot: %s has no second column with numbers", p->job->arguments[0]);
    if (!p->out.skip) TESS_TRY(draw(p));
    return TESS_OK;
}

static tess_status run(job *j)
{
    plotter *p = calloc(1, sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "plot: no memory");
    p->job = j;
    p->tables = calloc((size_t)j->n_arguments, sizeof *p->tables);
    tess_status status = p->tables ? picture_out_find(&p->out, j) : TESS_OK;
    const bool  enough = p->tables != NULL;
    if (enough && status == TESS_OK) status = make(p);
    for (int i = 0; i < p->n_owned; i++) free(p->owned[i]);
    for (int i = 0; enough && i < j->n_arguments; i++) columns_free(&p->tables[i]);
    free(p->tables);
    free(p);
    TESS_CHECK(enough, TESS_ENOMEM, "plot: no memory for %d tables", j->n_arguments);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

static const option options[] = {
    VALUE("x", "COL", OPTION_TEXT, "column for the x axis, by name or number from 1 [1]"),
    VALUE("y", "COLS", OPTION_TEXT, "columns to plot: 2,3 or names [all others]"),
    VALUE("table", "NAME", OPTION_TEXT, "table of a STAR file, as fsc [the only one with these columns]"),
    FLAG("points", "draw points instead of lines"),
    FLAG("histogram", "plot the histogram of the values of each file"),
    VALUE("bins", "N", OPTION_INTEGER, "number of bars of the histogram [100]"),
    VALUE("range", "LOW,HIGH", OPTION_XYZ, "range of the histogram [minimum to maximum]"),
    FLAG("radial", "plot the rotational average of each file"),
    FLAG("spectrum", "plot the mean power of each file by spatial frequency"),
    VALUE("title", "TEXT", OPTION_TEXT, "title of the plot"),
    VALUE("xlabel", "TEXT", OPTION_TEXT, "title of the x axis [name of the column or quantity]"),
    VALUE("ylabel", "TEXT", OPTION_TEXT, "title of the y axis [name of the only column, or the quantity]"),
    VALUE("xrange", "LOW,HIGH", OPTION_XYZ, "range of the x axis [that of the data]"),
    VALUE("yrange", "LOW,HIGH", OPTION_XYZ, "range of the y axis [that of the data]"),
    FLAG("logx", "logarithmic x axis"),
    FLAG("logy", "logarithmic y axis [always with --spectrum]"),
    FLAG("angstrom", "x is in 1/\xc3\x85: show resolutions in \xc3\x85 along the top"),
    VALUE("line", "Y", OPTION_TEXT, "horizontal reference line at Y, or Y=LABEL", .many = true),
    VALUE("vline", "X", OPTION_TEXT, "vertical reference line at X, or X=LABEL", .many = true),
    VALUE("size", "WxH", OPTION_TEXT, "size of the picture in pixels [800x500]"),
    VALUE("scale", "N", OPTION_NUMBER, "pixels of a PNG per pixel of --size [2]"),
    TERMINAL_OPTION,
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera stats --each stack.mrcs --tsv > stats.tsv",
    "tessera plot stats.tsv --x image --y mean,sd -o stats.svg",
    "tessera plot --histogram x.mrc --logy -o histogram.png",
    "tessera plot --spectrum x.mrc --angstrom --vline 0.1 -o spectrum.svg",
    "tessera plot --radial volume.mrc --terminal ascii",
    NULL,
};

const verb verb_plot = {
    .name = "plot",
    .subject = "pictures",
    .summary = "plot tables, or histograms and rotational averages of files",
    .arguments = "INPUT... [-o OUT]",
    .text = "Tables have columns of numbers separated by tabs, commas or spaces, and may begin with a line of names; - "
            "is standard input. Each column becomes a curve. Columns of a STAR file are named by their labels, with or "
            "without the underscore: plot postprocess.star --x rlnResolution --y rlnFourierShellCorrelationCorrected. "
            "If several tables have these columns, --table chooses one; the message lists tables and columns. Values "
            "that are not numbers, and on a logarithmic axis values of 0 or less, are left out.\n\nThe colours are "
            "suitable for colour-blind people. Without -o the plot is drawn in the terminal.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT,
    VERB_OF_FILE(1, -1),
};
