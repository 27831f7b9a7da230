/* What a terminal can do, and pictures in characters. */
#include "picture/terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "picture/terminal/sixel.h"

/* ---- What it is ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool is_utf8(void)
{
    const char *names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (int i = 0; i < 3; i++) {
        const char *value = variable(names[i]);
        if (value[0] == 0) continue;
        return strstr(value, "UTF-8") || strstr(value, "utf-8") || strstr(value, "UTF8") || strstr(value, "utf8");
    }
    return false;
}

/* By the environment alone. Behind tmux or screen sixels may not come through. */
static terminal_kind find_kind(const terminal *t)
{
    const char *term = variable("TERM"), *program = variable("TERM_PROGRAM");
    if (starts(term, "screen") || starts(term, "tmux") || variable("TMUX")[0] != 0) {
        return t->utf8 && t->colours > 0 ? TERMINAL_HALF : TERMINAL_ASCII;
    }
    const bool shows = strcmp(program, "iTerm.app") == 0 || strcmp(program, "WezTerm") == 0 ||
                       strcmp(variable("LC_TERMINAL"), "iTerm2") == 0 || strstr(term, "sixel") ||
                       starts(term, "foot") || starts(term, "mlterm") || starts(term, "yaft") ||
                       starts(term, "contour") || atol(variable("KONSOLE_VERSION")) >= 220400;
    if (shows) return TERMINAL_SIXEL;
    return t->utf8 && t->colours > 0 ? TERMINAL_HALF : TERMINAL_ASCII;
}

static int find_colours(void)
{
    const char *term = variable("TERM"), *colours = variable("COLORTERM");
    if (variable("NO_COLOR")[0] != 0 || term[0] == 0 || strcmp(term, "dumb") == 0) return 0;
    if (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0 || strstr(term, "direct")) return 1 << 24;
    if (starts(term, "xterm-kitty") || starts(term, "foot") || strcmp(variable("TERM_PROGRAM"), "iTerm.app") == 0) {
        return 1 << 24;
    }
    return strstr(term, "256") ? 256 : 0;
}

static int positive(const char *text, int fallback)
{
    const long n = strtol(text, NULL, 10);
    return n > 0 && n < 10000 ? (int)n : fallback;
}

void terminal_detect(terminal *t, FILE *stream)
{
    struct winsize size = { 0 };
    const int      fd = fileno(stream);
    *t = (terminal){ .tty = isatty(fd) == 1, .utf8 = is_utf8(), .colours = find_colours() };
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) size = (struct winsize){ 0 };
    t->columns = size.ws_col > 0 ? size.ws_col : positive(variable("COLUMNS"), 80);
    t->rows = size.ws_row > 0 ? size.ws_row : positive(variable("LINES"), 24);
    t->width = size.ws_xpixel > 0 ? size.ws_xpixel : t->columns * 9;
    t->height = size.ws_ypixel > 0 ? size.ws_ypixel : t->rows * 18;
    t->kind = variable("NO_COLOR")[0] != 0 ? TERMINAL_ASCII : find_kind(t);
}

bool terminal_choose(terminal *t, const char *name)
{
    static const char *const names[] = { "ascii", "half", "sixel" };
    if (strcmp(name, "auto") == 0) return true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        t->kind = (terminal_kind)i;
        if (t->kind == TERMINAL_HALF && t->colours == 0) t->colours = 256;
        if (t->kind == TERMINAL_HALF) t->utf8 = true;
        if (t->kind == TERMINAL_ASCII) t->utf8 = false;
        if (t->kind == TERMINAL_ASCII) t->colours = 0;
        return true;
    }
    return false;
}

bool terminal_has_pixels(const terminal *t) { return t->kind > TERMINAL_HALF; }

void terminal_workspace(const terminal *t, int64_t *width, int64_t *height)
{
    const int rows = t->rows > 4 ? t->rows - 2 : 2;
    if (terminal_has_pixels(t)) {
        *width = t->width;
        *height = (int64_t)t->height * rows / t->rows;
        return;
    }
    *width = t->columns;
    *height = (int64_t)rows * 2;
}

/* ---- Characters ---- */

/* The picture made smaller by the mean of areas, three bytes a pixel; to be freed. */
static tess_status shrink(const canvas *c, int64_t width, int64_t height, uint8_t **small)
{
    *small = malloc((size_t)(width * height * 3));
    TESS_CHECK(*small, TESS_ENOMEM, "picture: no memory for %lld x %lld pixels", (long long)width, (long long)height);
    for (int64_t y = 0; y < height; y++) {
        const int64_t top = y * c->height / height, bottom = ((y + 1) * c->height + height - 1) / height;
        for (int64_t x = 0; x < width; x++) {
            const int64_t left = x * c->width / width, right = ((x + 1) * c->width + width - 1) / width;
            int64_t       sum[3] = { 0 };
            for (int64_t row = top; row < bottom; row++) {
                for (int64_t column = left; column < right; column++) {
                    for (int i = 0; i < 3; i++) sum[i] += c->rgb[(row * c->width + column) * 3 + i];
                }
            }
            const int64_t n = (bottom - top) * (right - left);
            for (int i = 0; i < 3; i++) (*small)[(y * width + x) * 3 + i] = (uint8_t)((sum[i] + n / 2) / n);
        }
    }
    return TESS_OK;
}

/* The nearest of the 24 greys or of the 6 x 6 x 6 colours of a terminal with 256. */
static int nearest_of_256(const uint8_t *p)
{
    static const int levels[6] = { 0, 95, 135, 175, 215, 255 };
    const int        low = p[0] < p[1] ? (p[0] < p[2] ? p[0] : p[2]) : (p[1] < p[2] ? p[1] : p[2]);
    const int        high = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : (p[1] > p[2] ? p[1] : p[2]);
    if (high - low < 12) {
        const int grey = (p[0] + p[1] + p[2]) / 3;
        if (grey < 4) return 16;
        if (grey > 246) return 231;
        const int step = (grey - 3) / 10;
        return 232 + (step > 23 ? 23 : step);
    }
    int at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = 0;
        for (int k = 1; k < 6; k++) {
            if (abs(levels[k] - p[i]) < abs(levels[at[i]] - p[i])) at[i] = k;
        }
    }
    return 16 + 36 * at[0] + 6 * at[1] + at[2];
}

void terminal_colour(longtext *t, const terminal *on, const uint8_t *p, bool background)
{
    const int ground = background ? 48 : 38;
    if (on->colours > 256) longtext_add(t, "\033[%d;2;%d;%d;%dm", ground, p[0], p[1], p[2]);
    else longtext_add(t, "\033[%d;5;%dm", ground, nearest_of_256(p));
}

static void add_half_blocks(longtext *t, const terminal *on, const uint8_t *rgb, int64_t width, int64_t height)
{
    for (int64_t y = 0; y < height; y += 2) {
        const uint8_t *last[2] = { NULL, NULL };
        for (int64_t x = 0; x < width; x++) {
            const uint8_t *top = rgb + (y * width + x) * 3, *low = top + width * 3;
            if (!last[0] || memcmp(last[0], top, 3) != 0) terminal_colour(t, on, top, false);
            if (y + 1 < height && (!last[1] || memcmp(last[1], low, 3) != 0)) terminal_colour(t, on, low, true);
            last[0] = top;
            last[1] = low;
            longtext_add(t, "\xe2\x96\x80");
        }
        longtext_add(t, "\033[0m\n");
    }
}

static void add_letters(longtext *t, const uint8_t *rgb, int64_t width, int64_t height)
{
    static const char shades[] = " .:-=+*#%@";
    for (int64_t y = 0; y < height; y += 2) {
        for (int64_t x = 0; x < width; x++) {
            const uint8_t *top = rgb + (y * width + x) * 3, *low = y + 1 < height ? top + width * 3 : top;
            const int      grey = (top[0] + top[1] + top[2] + low[0] + low[1] + low[2]) / 6;
            longtext_bytes(t, &shades[grey * 10 / 256], 1);
        }
        longtext_add(t, "\n");
    }
}

tess_status terminal_show(const terminal *t, const canvas *c, FILE *stream)
{
    int64_t width, height;
    terminal_workspace(t, &width, &height);
    const double factor = fmin(1, fmin((double)width / (double)c->width, (double)height / (double)c->height));
    width = (int64_t)fmax(1, floor((double)c->width * factor));
    height = (int64_t)fmax(1, floor((double)c->height * factor));
    uint8_t *rgb = NULL;
    TESS_TRY(shrink(c, width, height, &rgb));
    longtext out = { 0 };
    if (t->kind == TERMINAL_SIXEL) sixel_add(&out, rgb, width, height);
    if (t->kind == TERMINAL_HALF) add_half_blocks(&out, t, rgb, width, height);
    if (t->kind == TERMINAL_ASCII) add_letters(&out, rgb, width, height);
    const bool complete = !out.failed;
    const bool written = complete && fwrite(out.bytes, 1, out.length, stream) == out.length && fflush(stream) == 0;
    free(rgb);
    longtext_free(&out);
    TESS_CHECK(complete, TESS_ENOMEM, "picture: no memory to show %lld x %lld pixels", (long long)width,
               (long long)height);
    TESS_CHECK(written, TESS_EIO, "picture: the terminal could not be written to");
    return TESS_OK;
}
