/* A report as one HTML file: steps with their command lines, what they printed, pictures and curves, and timings.
 * All is inside the file, so that it can be sent and opened anywhere, on a phone or a desk, in light and dark.
 *
 * page p = { 0 }; page_start(&p, "A tour", "What was done, step by step."); page_step(&p, "The power spectrum.",
 * "tessera plot --spectrum x.mrc -o spectrum.svg", 0.12); TESS_TRY(page_drawing(&p, "spectrum.svg", "The power
 * spectrum.")); TESS_TRY(page_write(&p, "index.html", true)); page_free(&p);
 *
 * Texts are UTF-8 and need no escapes. Memory that runs out is told by page_write.
 * */
#ifndef TESSERA_PICTURE_PAGE_H
#define TESSERA_PICTURE_PAGE_H

#include "picture/longtext.h"
#include "tessera.h"

typedef struct page {
    longtext head;    /* up to the summary; what is written in the end */
    longtext figures; /* the summary */
    longtext text;    /* all steps */
    longtext times;   /* rows of the table of timings */
    bool     in_step; /* a step is open */
    int      n_steps, n_drawings;
    double   seconds; /* of all steps */
} page;

void page_start(page *p, const char *title, const char *lead);

/* A heading before the next step. */
void page_part(page *p, const char *title);

/* A result in the summary at the top, large: "4.2", "Å", "Resolution". */
void page_figure(page *p, const char *name, const char *value, const char *unit);

/* Begins a step; what is added from here on is part of it. */
void page_step(page *p, const char *title, const char *command, double seconds);

/* What a command printed, line by line; nothing is added for an empty text. */
void page_output(page *p, const char *text);

/* A PNG file as an image, and an SVG file as a drawing, whose ids get the number of the drawing so that they differ.
 * `alt` says what is seen. */
tess_status page_picture(page *p, const char *path, const char *alt);
tess_status page_drawing(page *p, const char *path, const char *alt);

/* Adds the timings, and writes it. To be freed in any case. */
tess_status page_write(page *p, const char *path, bool overwrite);
void        page_free(page *p);

#endif
