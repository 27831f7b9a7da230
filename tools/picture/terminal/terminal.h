/* A picture in a terminal: by the sixel protocol where the environment says that it has it, else by
 * half-blocks in colours, else by letters. Nothing is asked of the terminal: no answer is waited for. */
#ifndef TESSERA_PICTURE_TERMINAL_TERMINAL_H
#define TESSERA_PICTURE_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "picture/canvas.h"
#include "picture/longtext.h"

typedef enum terminal_kind {
    TERMINAL_ASCII, /* shades by letters */
    TERMINAL_HALF,  /* two pixels in each character */
    TERMINAL_SIXEL
} terminal_kind;

typedef struct terminal {
    terminal_kind kind;
    int           columns, rows; /* characters of the window */
    int           width, height; /* pixels of the window; a guess where they are not known */
    int           colours;       /* 0, 256 or 1 << 24 */
    bool          utf8;          /* may characters beyond ASCII be written? */
    bool          tty;           /* is it a terminal at all? */
} terminal;

/* What the terminal behind a stream can do, by the stream and the environment. */
void terminal_detect(terminal *t, FILE *stream);

/* Take one of "auto", "ascii", "half", "sixel" instead of what was found; false if it is none. */
bool terminal_choose(terminal *t, const char *name);

/* Does it show pixels, so that texts in pictures can be read? */
bool terminal_has_pixels(const terminal *t);

/* The most pixels that a picture may have to fit the window, with two lines left free. */
void terminal_workspace(const terminal *t, int64_t *width, int64_t *height);

/* Show a picture, made smaller where it does not fit, and end with a new line. */
tess_status terminal_show(const terminal *t, const canvas *c, FILE *stream);

/* The bytes that choose a colour, red, green and blue, for what is written or behind it. */
void terminal_colour(longtext *t, const terminal *on, const uint8_t *rgb, bool background);

#endif
