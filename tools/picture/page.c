/* A self-contained HTML page: inline style sheet, images as data URIs, drawings as inline SVG. */
#include "picture/page.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Colours are variables, which the dark scheme changes. Drawings have dark lines on white: there they are inverted,
 * with the hues turned back. On a phone they shrink, and their letters are made larger. */
static const char style[] =
    ":root{--Paper:#f6f7f9;--Card:#fff;--Ink:#1c2330;--Soft:#5c6675;--Rule:#dfe3e9;--Code:#eef1f5;--Mark:#2463b0}\n"
    "@media(prefers-color-scheme:dark){:root{--Paper:#12151a;--Card:#1b2027;--Ink:#e6e9ee;--Soft:#9aa4b2;"
    "--Rule:#2e3640;--Code:#12161c;--Mark:#7db1f0}.drawing svg{filter:invert(.9) hue-rotate(180deg)}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--Paper);color:var(--Ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',"
    "Roboto,'Helvetica Neue',Arial,sans-serif;-webkit-text-size-adjust:100%}\n"
    "header,main,footer{max-width:62rem;margin:0 auto;padding:0 1rem}\n"
    "header{padding-top:2.2rem;padding-bottom:.6rem}\n"
    "h1{font-size:clamp(1.6rem,5vw,2.3rem);line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}\n"
    "header p,footer{color:var(--Soft)}\n"
    "header p{margin:0;max-width:46rem}\n"
    "section{background:var(--Card);border:1px solid var(--Rule);border-radius:12px;padding:1.1rem;margin:1rem 0}\n"
    "h2{font-size:1.08rem;line-height:1.4;margin:0 0 .7rem;display:flex;gap:.7rem;align-items:baseline}\n"
    "h2 b{flex:none;min-width:1.9em;height:1.9em;border-radius:1em;background:var(--Mark);color:var(--Card);"
    "font-size:.8rem;line-height:1.9em;text-align:center}\n"
    "h2 span{flex:1}\n"
    ".part{font-size:1.3rem;line-height:1.3;margin:2.2rem 0 .2rem;letter-spacing:-.01em}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.8rem,1fr));gap:.7rem;margin:1rem 0}\n"
    ".figures div{background:var(--Card);border:1px solid var(--Rule);border-radius:12px;padding:.7rem .9rem}\n"
    ".figures b{display:block;font-size:1.45rem;line-height:1.3;font-variant-numeric:tabular-nums;color:var(--Mark)}\n"
    ".figures b small{font-size:.9rem;font-weight:400}\n"
    ".figures span{display:block;color:var(--Soft);font-size:.82rem;line-height:1.35}\n"
    "h2 small{flex:none;color:var(--Soft);font-weight:400;font-size:.85rem;font-variant-numeric:tabular-nums}\n"
    "pre{margin:0;background:var(--Code);border-radius:8px;padding:.7rem .8rem;overflow-x:auto;"
    "font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n"
    ".command{position:relative}\n"
    ".command pre{white-space:pre-wrap;overflow-wrap:anywhere;padding-right:4.2rem;border-left:3px solid var(--Mark)}\n"
    ".command i{white-space:nowrap;font-style:normal;color:var(--Mark)}\n"
    ".command code{user-select:all;-webkit-user-select:all}\n"
    "button{position:absolute;top:.4rem;right:.4rem;border:1px solid var(--Rule);background:var(--Card);"
    "color:var(--Soft);border-radius:6px;font:inherit;font-size:.78rem;padding:.15rem .55rem;cursor:pointer}\n"
    "button:hover,button:focus-visible{color:var(--Mark);border-color:var(--Mark)}\n"
    ".printed{margin-top:.6rem;color:var(--Soft);max-height:22rem;overflow-y:auto;tab-size:22}\n"
    "figure{margin:.8rem 0 0}\n"
    "figure img{display:block;max-width:100%;height:auto;margin:0 auto;border-radius:6px}\n"
    ".drawing svg{display:block;width:100%;height:auto;max-width:42rem;margin:0 auto;border-radius:6px}\n"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}\n"
    "td{padding:.28rem .5rem .28rem 0;border-top:1px solid var(--Rule);vertical-align:middle}\n"
    "td:first-child{max-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\n"
    "a{color:var(--Mark);text-decoration:none;display:inline-block;min-width:1.4em}\n"
    "td:nth-child(2){width:1%;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "td:last-child{width:34%;padding-right:0}\n"
    "meter{width:100%;height:.8rem}\n"
    "footer{font-size:.85rem;padding-top:.4rem;padding-bottom:2rem}\n"
    "@media(max-width:40rem){header,main,footer{padding-left:.7rem;padding-right:.7rem}section{padding:.8rem}"
    "pre{font-size:12px}"
    ".drawing svg{overflow:visible}.drawing svg text{font-size:16px}}\n";

/* The buttons; without it, a click into a command line selects all of it. */
static const char script[] =
    "document.querySelectorAll('.command button').forEach(function(button){\n"
    "  button.onclick=function(){\n"
    "    var code=button.parentNode.querySelector('code');\n"
    "    getSelection().selectAllChildren(code);\n"
    "    var done=function(){button.textContent='copied';setTimeout(function(){button.textContent='copy'},1500)};\n"
    "    if(navigator.clipboard)navigator.clipboard.writeText(code.textContent).then(done,function(){});\n"
    "    else if(document.execCommand('copy'))done();\n"
    "  };\n"
    "});\n";

void page_start(page *p, const char *title, const char *lead)
{
    longtext *t = &p->head;
    longtext_add(t,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    longtext_escaped(t, title);
    longtext_add(t, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", style);
    longtext_escaped(t, title);
    longtext_add(t, "</h1>\n<p>");
    longtext_escaped(t, lead);
    longtext_add(t, "</p>\n</header>\n<main>\n");
}

/* "0.12 s" */
static void add_seconds(longtext *t, double seconds)
{
    if (seconds < 0.01) longtext_add(t, "&lt; 0.01");
    else longtext_number(t, seconds);
    longtext_add(t, " s");
}

/* Is there a blank, and then the name of an option? */
static bool is_option(const char *at)
{
    return at[0] == ' ' && at[1] == '-' && (at[2] == '-' || isalpha((unsigned char)at[2]));
}

/* A command line, word by word; options are marked, and lines do not break within their names. */
static void add_command(longtext *t, const char *command)
{
    while (*command) {
        const size_t n = strcspn(command + 1, " ") + 1;
        if (is_option(command)) longtext_add(t, " <i>");
        longtext_escaped_bytes(t, command + is_option(command), n - is_option(command));
        if (is_option(command)) longtext_add(t, "</i>");
        command += n;
    }
}

/* What is open of the step before ends. */
static void end_step(page *p)
{
    if (p->in_step) longtext_add(&p->text, "</section>\n");
    p->in_step = false;
}

void page_part(page *p, const char *title)
{
    end_step(p);
    longtext_add(&p->text, "<div class=\"part\" role=\"heading\" aria-level=\"2\">");
    longtext_escaped(&p->text, title);
    longtext_add(&p->text, "</div>\n");
}

void page_figure(page *p, const char *name, const char *value, const char *unit)
{
    longtext *t = &p->figures;
    longtext_add(t, "<div><b>");
    longtext_escaped(t, value);
    longtext_add(t, " <small>");
    longtext_escaped(t, unit);
    longtext_add(t, "</small></b><span>");
    longtext_escaped(t, name);
    longtext_add(t, "</span></div>\n");
}

void page_step(page *p, const char *title, const char *command, double seconds)
{
    longtext *t = &p->text;
    end_step(p);
    p->in_step = true;
    p->n_steps++;
    p->seconds += seconds;
    longtext_add(t, "<section id=\"step%d\">\n<h2><b>%d</b><span>", p->n_steps, p->n_steps);
    longtext_escaped(t, title);
    longtext_add(t, "</span><small>");
    add_seconds(t, seconds);
    longtext_add(t, "</small></h2>\n<div class=\"command\"><pre><code>");
    add_command(t, command);
    longtext_add(t, "</code></pre><button type=\"button\">copy</button></div>\n");
    longtext_add(&p->times, "<tr><td><a href=\"#step%d\">%d</a> ", p->n_steps, p->n_steps);
    longtext_escaped(&p->times, title);
    longtext_add(&p->times, "</td><td>");
    add_seconds(&p->times, seconds);
    longtext_add(&p->times, "</td><td><meter min=\"0\" max=\"@\" value=\"%.3f\"></meter></td></tr>\n", seconds);
}

void page_output(page *p, const char *text)
{
    if (*text == 0) return;
    longtext_add(&p->text, "<pre class=\"printed\">");
    longtext_escaped(&p->text, text);
    longtext_add(&p->text, "</pre>\n");
}

/* ---- Pictures ---- */

static tess_status read_file(longtext *content, const char *path)
{
    char  part[65536];
    FILE *file = fopen(path, "rb");
    TESS_CHECK(file, TESS_EIO, "page: %s cannot be opened: %s", path, strerror(errno));
    for (size_t n = 1; n > 0;) {
        n = fread(part, 1, sizeof part, file);
        longtext_bytes(content, part, n);
    }
    const bool failed = ferror(file);
    (void)fclose(file);
    TESS_CHECK(!failed, TESS_EIO, "page: %s cannot be read", path);
    TESS_CHECK(!content->failed, TESS_ENOMEM, "page: no memory for %s", path);
    return TESS_OK;
}

tess_status page_picture(page *p, const char *path, const char *alt)
{
    longtext    content = { 0 };
    tess_status status = read_file(&content, path);
    if (status == TESS_OK) {
        longtext_add(&p->text, "<figure><img loading=\"lazy\" alt=\"");
        longtext_escaped(&p->text, alt);
        longtext_add(&p->text, "\" src=\"data:image/png;base64,");
        longtext_base64(&p->text, content.bytes, content.length);
        longtext_add(&p->text, "\"></figure>\n");
    }
    longtext_free(&content);
    return status;
}

/* An SVG text from its first element on, with the number of the drawing before each id and each use of one. */
static void add_with_ids(page *p, const char *svg)
{
    static const char *const uses[] = { " id=\"", "url(#" };
    while (*svg) {
        const char *next = NULL;
        size_t      n = 0;
        for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
            const char *found = strstr(svg, uses[i]);
            if (found && (!next || found < next)) next = found, n = strlen(uses[i]);
        }
        if (!next) break;
        longtext_bytes(&p->text, svg, (size_t)(next - svg) + n);
        longtext_add(&p->text, "drawing%d-", p->n_drawings);
        svg = next + n;
    }
    longtext_bytes(&p->text, svg, strlen(svg));
}

tess_status page_drawing(page *p, const char *path, const char *alt)
{
    longtext    content = { 0 };
    tess_status status = read_file(&content, path);
    const char *svg = status == TESS_OK && content.bytes ? strstr(content.bytes, "<svg") : NULL;
    if (svg) {
        p->n_drawings++;
        longtext_add(&p->text, "<figure class=\"drawing\" role=\"img\" aria-label=\"");
        longtext_escaped(&p->text, alt);
        longtext_add(&p->text, "\">");
        add_with_ids(p, svg);
        longtext_add(&p->text, "</figure>\n");
    }
    longtext_free(&content);
    TESS_TRY(status);
    TESS_CHECK(svg, TESS_EFORMAT, "page: %s holds no SVG", path);
    return TESS_OK;
}

/* ---- The end ---- */

/* The rows of timings; bars are parts of all the time, which is known only now. */
static void add_times(page *p)
{
    const char *rows = p->times.bytes ? p->times.bytes : "";
    longtext_add(&p->text, "<section id=\"timings\">\n<h2><span>Timings</span><small>");
    add_seconds(&p->text, p->seconds);
    longtext_add(&p->text, " in all</small></h2>\n<table>\n");
    for (const char *at; (at = strstr(rows, "max=\"@")) != NULL; rows = at + 6) {
        longtext_bytes(&p->text, rows, (size_t)(at - rows));
        longtext_add(&p->text, "max=\"%.3f", p->seconds > 0.001 ? p->seconds : 0.001);
    }
    longtext_bytes(&p->text, rows, strlen(rows));
    longtext_add(&p->text, "</table>\n</section>\n");
}

tess_status page_write(page *p, const char *path, bool overwrite)
{
    longtext *t = &p->head;
    end_step(p);
    add_times(p);
    if (p->figures.length > 0) {
        longtext_add(t, "<div class=\"figures\">\n");
        longtext_bytes(t, p->figures.bytes, p->figures.length);
        longtext_add(t, "</div>\n");
    }
    longtext_bytes(t, p->text.bytes, p->text.length);
    longtext_add(t, "</main>\n<footer>Made by tessera %s.</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                 tess_version(), script);
    t->failed |= p->text.failed || p->times.failed || p->figures.failed;
    return longtext_write(t, path, overwrite);
}

void page_free(page *p)
{
    longtext_free(&p->head);
    longtext_free(&p->figures);
    longtext_free(&p->text);
    longtext_free(&p->times);
}
