/* The canvas against a count of sample points, the choice of round numbers, the font, texts of numbers, and pages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/canvas.h"
#include "picture/font.h"
#include "picture/image.h"
#include "picture/longtext.h"
#include "picture/page.h"
#include "picture/ticks.h"
#include "support/folder.h"
#include "support/test.h"

static const colour BLACK = { 0, 0, 0, 255 }, WHITE = { 255, 255, 255, 255 };

/* How dark a pixel became, 0 to 1. */
static double darkness(const canvas *c, int64_t x, int64_t y)
{
    return 1 - (double)c->rgb[(y * c->width + x) * 3] / 255;
}

static double random_in(double low, double high) { return low + (high - low) * test_random_unit(); }

/* ---- Areas ---- */

static bool in_triangle(const point p[3], double x, double y)
{
    int positive = 0, negative = 0;
    for (int i = 0; i < 3; i++) {
        const point  a = p[i], b = p[(i + 1) % 3];
        const double side = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
        positive += side > 0;
        negative += side < 0;
    }
    return positive == 0 || negative == 0;
}

static double sampled(const point p[3], int64_t x, int64_t y)
{
    enum { N = 16 };
    int inside = 0;
    for (int i = 0; i < N * N; i++) {
        inside += in_triangle(p, (double)x + (i % N + 0.5) / N, (double)y + (double)(i / N + 0.5) / N);
    }
    return (double)inside / (N * N);
}

TEST(areas_cover_what_they_cover)
{
    for (int turn = 0; turn < 300; turn++) {
        canvas *c = NULL;
        if (!CHECK_OK(canvas_new(&c, 24, 17, 1, WHITE))) return;
        const double far = turn % 3 == 0 ? 1000 : turn % 3 == 1 ? 40 : 12;
        point        p[3];
        for (int i = 0; i < 3; i++) p[i] = (point){ random_in(12 - far, 12 + far), random_in(8 - far, 8 + far) };
        if (turn % 7 == 0) p[1].x = p[0].x;
        if (turn % 5 == 0) p[2].y = floor(p[0].y);
        c->surface.fill(&c->surface, p, 3, BLACK);
        double worst = 0;
        for (int64_t y = 0; y < c->height; y++) {
            for (int64_t x = 0; x < c->width; x++) worst = fmax(worst, fabs(darkness(c, x, y) - sampled(p, x, y)));
        }
        if (worst > 0.08) {
            (void)test_failed(__FILE__, __LINE__, "round %d: off by %g for (%g %g) (%g %g) (%g %g)", turn, worst,
                              p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y);
        }
        canvas_free(c);
    }
}

TEST(whole_pixels_are_exact)
{
    canvas *c = NULL;
    if (!CHECK_OK(canvas_new(&c, 20, 10, 1, WHITE))) return;
    surface_rectangle(&c->surface, 3, 2, 5, 4, BLACK);
    for (int64_t y = 0; y < 10; y++) {
        for (int64_t x = 0; x < 20; x++) { CHECK(darkness(c, x, y) == (x >= 3 && x < 8 && y >= 2 && y < 6 ? 1 : 0)); }
    }
    canvas_free(c);
}

TEST(nothing_is_drawn_outside_the_clip)
{
    for (int turn = 0; turn < 100; turn++) {
        canvas *c = NULL;
        if (!CHECK_OK(canvas_new(&c, 40, 30, 1, WHITE))) return;
        c->surface.clip(&c->surface, 10, 5, 15, 12);
        point p[5];
        for (int i = 0; i < 5; i++) p[i] = (point){ random_in(-50, 90), random_in(-50, 80) };
        c->surface.fill(&c->surface, p, 5, BLACK);
        c->surface.line(&c->surface, p, 5, (stroke){ random_in(0.2, 9), BLACK, turn % 2 ? 3 : 0, 2 });
        c->surface.text(&c->surface, p[0], "text", (text_style){ 20, BLACK, ANCHOR_START, false, turn % 3 == 0 });
        for (int64_t y = 0; y < 30; y++) {
            for (int64_t x = 0; x < 40; x++) {
                if (x < 10 || x >= 25 || y < 5 || y >= 17) CHECK(darkness(c, x, y) == 0);
            }
        }
        canvas_free(c);
    }
}

/* ---- Lines ---- */

static double distance(point a, point b, double x, double y)
{
    const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    double       t = length > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

TEST(lines_are_as_wide_as_asked)
{
    for (int turn = 0; turn < 300; turn++) {
        canvas *c = NULL;
        if (!CHECK_OK(canvas_new(&c, 30, 30, 1, WHITE))) return;
        const double far = turn % 2 ? 60 : 14, width = random_in(1, 6);
        point        p[3];
        for (int i = 0; i < 3; i++) p[i] = (point){ random_in(15 - far, 15 + far), random_in(15 - far, 15 + far) };
        c->surface.line(&c->surface, p, 3, (stroke){ width, BLACK, 0, 0 });
        for (int64_t y = 0; y < 30; y++) {
            for (int64_t x = 0; x < 30; x++) {
                const double at_x = (double)x + 0.5, at_y = (double)y + 0.5;
                const double near = fmin(distance(p[0], p[1], at_x, at_y), distance(p[1], p[2], at_x, at_y));
                const double want = fmin(fmax(width / 2 + 0.5 - near, 0), 1);
                if (fabs(darkness(c, x, y) - want) > 0.01) {
                    (void)test_failed(__FILE__, __LINE__, "round %d at %d,%d: %g, not %g", turn, (int)x, (int)y,
                                      darkness(c, x, y), want);
                }
            }
        }
        canvas_free(c);
    }
}

TEST(upright_lines_are_sharp)
{
    for (int turn = 0; turn < 50; turn++) {
        canvas *c = NULL;
        if (!CHECK_OK(canvas_new(&c, 20, 20, 1, WHITE))) return;
        const double x = random_in(4, 16);
        surface_segment(&c->surface, x, 0, x, 20, (stroke){ 1, BLACK, 0, 0 });
        int dark = 0;
        for (int64_t k = 0; k < 20; k++) {
            CHECK(darkness(c, k, 9) == 0 || darkness(c, k, 9) == 1);
            dark += darkness(c, k, 9) == 1;
        }
        CHECK_I64(dark, 1);
        canvas_free(c);
    }
}

TEST(odd_numbers_draw_nothing)
{
    canvas *c = NULL;
    if (!CHECK_OK(canvas_new(&c, 20, 20, 1, WHITE))) return;
    const point p[4] = { { NAN, 3 }, { INFINITY, 4 }, { 1e300, -1e300 }, { 5, NAN } };
    c->surface.fill(&c->surface, p, 4, BLACK);
    c->surface.line(&c->surface, p, 4, (stroke){ 2, BLACK, 0, 0 });
    c->surface.line(&c->surface, p, 1, (stroke){ 2, BLACK, 0, 0 });
    c->surface.line(&c->surface, p, 0, (stroke){ 2, BLACK, 0, 0 });
    c->surface.fill(&c->surface, p, 0, BLACK);
    c->surface.text(&c->surface, p[0], "", (text_style){ 12, BLACK, ANCHOR_END, false, false });
    CHECK(darkness(c, 10, 10) == 0);
    canvas_free(c);
    CHECK_FAILS(canvas_new(&c, 0, 5, 1, WHITE), TESS_ERANGE, "0 x 5 pixels");
    CHECK_FAILS(canvas_new(&c, 1e9, 1e9, 1, WHITE), TESS_ERANGE, "are allowed");
}

/* ---- Round numbers ---- */

static bool is_round(double step)
{
    const double part = step / pow(10, floor(log10(step) + 1e-9));
    return fabs(part - 1) < 1e-6 || fabs(part - 2) < 1e-6 || fabs(part - 5) < 1e-6;
}

TEST(ticks_are_round_and_few)
{
    for (int turn = 0; turn < 5000; turn++) {
        const double size = pow(10, random_in(-12, 12)), low = turn % 4 ? random_in(-1, 1) * size : 0;
        const double high = low + size * random_in(1e-3, 2);
        const int    most = (int)test_random_in(2, 12);
        ticks        t;
        ticks_linear(&t, low, high, most);
        if (!CHECK(t.n <= most && is_round(t.step))) return;
        CHECK((high - low) / t.step >= t.n - 1 - 1e-6 && (most < 5 || t.n >= 2));
        for (int i = 0; i < t.n; i++) {
            const double slack = t.step * 1e-6;
            CHECK(t.at[i] >= low - slack && t.at[i] <= high + slack);
            CHECK(fabs(t.at[i] / t.step - round(t.at[i] / t.step)) < 1e-6);
            const bool   minus = strncmp(t.label[i], "\xe2\x88\x92", 3) == 0;
            const double shown = (minus ? -1 : 1) * atof(t.label[i] + (minus ? 3 : 0));
            if (fabs(low) < 100 * (high - low)) { CHECK(fabs(shown * pow(10, t.exponent) - t.at[i]) <= t.step * 1e-6); }
        }
    }
}

TEST(widened_ranges_hold_the_first)
{
    for (int turn = 0; turn < 2000; turn++) {
        const bool   is_log = turn % 2;
        const double size = pow(10, random_in(-9, 9)), low = is_log ? size : random_in(-1, 1) * size;
        const double high = low + (turn % 10 == 0 ? 0 : size * random_in(0, 1000));
        double       wide_low = low, wide_high = high;
        ticks_widen(&wide_low, &wide_high, 6, is_log);
        const double slack = 1e-8 * fmax(fabs(low), fabs(high));
        CHECK(wide_low <= low + slack && wide_high >= high - slack && wide_high > wide_low &&
              (!is_log || wide_low > 0));
    }
}

TEST(logarithmic_ticks)
{
    ticks t;
    ticks_log(&t, 1, 1000, 8);
    CHECK(t.n == 28 && strcmp(t.label[0], "1") == 0 && t.label[1][0] == 0 && strcmp(t.label[27], "1000") == 0);
    ticks_log(&t, 1e-9, 1e9, 8);
    CHECK(t.n == 19 && strcmp(t.label[9], "10\xe2\x81\xb0") == 0);
    ticks_log(&t, 0, 10, 8);
    CHECK_I64(t.n, 0);
    ticks_log(&t, 2, 8, 8);
    CHECK(t.n == 7 && strcmp(t.label[0], "2") == 0 && strcmp(t.label[3], "5") == 0);
}

TEST(reciprocal_ticks)
{
    ticks t;
    ticks_reciprocal(&t, 0, 0.5, 0.03);
    CHECK(t.n >= 5);
    for (int i = 0; i < t.n; i++) {
        CHECK(fabs(1 / atof(t.label[i]) - t.at[i]) < 1e-12);
        CHECK(i == 0 || t.at[i] - t.at[i - 1] >= 0.03);
    }
    ticks_reciprocal(&t, 0, 0, 0.1);
    CHECK_I64(t.n, 0);
}

TEST(lengths_of_scale_bars)
{
    char text[40];
    CHECK_TEXT(length_text(text, 50), "50 \xc3\x85");
    CHECK_TEXT(length_text(text, 100), "100 \xc3\x85");
    CHECK_TEXT(length_text(text, 200), "20 nm");
    CHECK_TEXT(length_text(text, 5000), "500 nm");
    CHECK_TEXT(length_text(text, 20000), "2 \xc2\xb5m");
    CHECK_TEXT(length_text(text, 0.5), "0.5 \xc3\x85");
    CHECK(round_length(0.99) == 0.5 && round_length(1) == 1 && round_length(499) == 200 && round_length(7e6) == 5e6);
    CHECK(round_length(0) == 0 && round_length(-1) == 0 && round_length(NAN) == 0);
}

TEST(numbers_as_text)
{
    char text[TICK_TEXT];
    CHECK_TEXT(tick_number(text, 3.14159, 3), "3.14");
    CHECK_TEXT(tick_number(text, -0.25, 3), "\xe2\x88\x92"
                                            "0.25");
    CHECK_TEXT(tick_number(text, 1500, 3), "1500");
    CHECK_TEXT(tick_number(text, 2e7, 3), "2\xc3\x97"
                                          "10\xe2\x81\xb7");
    CHECK_TEXT(tick_number(text, 0, 3), "0");
    CHECK_TEXT(tick_power(text, -12), "10\xe2\x81\xbb\xc2\xb9\xc2\xb2");
    longtext t = { 0 };
    longtext_number(&t, -0.004);
    longtext_add(&t, " ");
    longtext_number(&t, -1.5);
    longtext_add(&t, " ");
    longtext_number(&t, 12.345);
    CHECK_TEXT(t.bytes, "0 -1.5 12.35");
    longtext_free(&t);
}

/* ---- The font ---- */

static void widen_box(void *context, double x0, double y0, double x1, double y1)
{
    double *box = context;
    box[0] = fmin(box[0], fmin(x0, x1));
    box[1] = fmin(box[1], fmin(y0, y1));
    box[2] = fmax(box[2], fmax(x0, x1));
    box[3] = fmax(box[3], fmax(y0, y1));
}

TEST(every_letter_is_drawn_inside_its_width)
{
    for (char letter = '!'; letter <= '~'; letter++) {
        const char   text[2] = { letter, 0 };
        double       box[4] = { 100, 100, -100, -100 };
        const double width = font_width(text, 1, false), pen = font_pen(1, false);
        font_strokes(text, 1, false, widen_box, box);
        if (!(box[0] - pen / 2 > -0.06 && box[2] + pen / 2 < width + 0.06 && box[1] >= -0.26 && box[3] <= 0.80)) {
            (void)test_failed(__FILE__, __LINE__, "'%c': %g %g to %g %g, width %g", letter, box[0], box[1], box[2],
                              box[3], width);
        }
    }
}

TEST(text_is_read_as_utf8)
{
    const char    *text = "a\xc3\x85\xe2\x88\x92\xf0\x9f\x98\x80\xff\xc3";
    const uint32_t codes[] = { 'a', 0xc5, 0x2212, 0x1f600, 0xfffd, 0xfffd, 0 };
    for (int i = 0; i < 7; i++) CHECK(font_next(&text) == codes[i]);
    CHECK_I64(font_count("\xc2\xb5m"), 2);
    CHECK(font_width("", 12, true) == 0 && font_width("AB", 10, false) == font_width("A", 10, false) * 2);
}

/* ---- Pages ---- */

TEST(pages_escape_texts_and_tell_drawings_apart)
{
    page              p = { .n_steps = 0 };
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg><g id=\"a\"/><g clip-path=\"url(#a)\"/></svg>\n";
    put_file("page.svg", svg, sizeof svg - 1);
    page_start(&p, "a < b", "\"quoted\" & \xc3\x85");
    page_part(&p, "part & one");
    page_step(&p, "first", "tessera calc 'a - b' --apix 1 -o x.mrc", 0.25);
    page_output(&p, "");
    CHECK_OK(page_drawing(&p, in_folder("page.svg"), "one"));
    page_part(&p, "part two");
    page_step(&p, "second", "tessera", 0);
    page_figure(&p, "off < 1", "4.2", "px");
    page_output(&p, "1 < 2\n");
    CHECK_OK(page_drawing(&p, in_folder("page.svg"), "two"));
    CHECK_OK(page_write(&p, in_folder("page.html"), true));
    static const char *const parts[] = {
        "<h1>a &lt; b</h1>",
        "&quot;quoted&quot; &amp; \xc3\x85",
        "tessera calc 'a - b' <i>--apix</i> 1 <i>-o</i> x.mrc</code>",
        "<small>0.25 s</small>",
        "<small>&lt; 0.01 s</small>",
        "<pre class=\"printed\">1 &lt; 2\n</pre>",
        "aria-label=\"one\"><svg><g id=\"drawing1-a\"/><g clip-path=\"url(#drawing1-a)\"/></svg>",
        "aria-label=\"two\"><svg><g id=\"drawing2-a\"/>",
        "max=\"0.250\" value=\"0.250\"",
        "aria-level=\"2\">part &amp; one</div>\n<section id=\"step1\">",
        "</section>\n<div class=\"part\" role=\"heading\" aria-level=\"2\">part two</div>\n<section id=\"step2\">",
        "<main>\n<div class=\"figures\">\n<div><b>4.2 <small>px</small></b><span>off &lt; 1</span></div>\n</div>\n<div",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(p.head.bytes, parts[i])) (void)test_failed(__FILE__, __LINE__, "the page lacks %s", parts[i]);
    page_free(&p);
}

TEST(pages_name_files_that_cannot_be_taken)
{
    page p = { .n_steps = 0 };
    put_file("page.txt", "no drawing", 10);
    CHECK_FAILS(page_picture(&p, "none.png", ""), TESS_EIO, "none.png", "opened");
    CHECK_FAILS(page_drawing(&p, "none.svg", ""), TESS_EIO, "none.svg", "opened");
    CHECK_FAILS(page_drawing(&p, in_folder("page.txt"), ""), TESS_EFORMAT, "page.txt", "no SVG");
    page_free(&p);
}
