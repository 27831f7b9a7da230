/* Texts on a terminal and in JSON. */
#include "base/text.h"

#include <string.h>
#include <strings.h>

static const char *ending(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m ? text + n - m : "";
}

bool ends_with(const char *text, const char *end) { return strcmp(ending(text, end), end) == 0; }

bool ends_with_any_case(const char *text, const char *end) { return strcasecmp(ending(text, end), end) == 0; }

static int columns_of(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

int text_columns(const char *text) { return columns_of(text, strlen(text)); }

/* One paragraph, up to a line break. */
static void print_paragraph(FILE *out, const char *text, size_t length, int indent, int used, int columns)
{
    const char *end = text + length;
    bool        begins = true; /* no word on this line yet */
    for (int at = used; text < end; begins = false) {
        const size_t n = strcspn(text, " \n");
        const int    width = columns_of(text, n);
        if (!begins && at + 1 + width > columns) {
            (void)fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!begins) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fwrite(text, 1, n, out);
        at += width;
        text += n;
        while (text < end && *text == ' ') text++;
    }
}

void print_wrapped(FILE *out, const char *text, int indent, int used, int columns)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        if (text[0] == ' ') (void)fprintf(out, "%.*s", (int)n, text);
        else print_paragraph(out, text, n, indent, used, columns);
        (void)fputc('\n', out);
        text += n + (text[n] == '\n');
        if (*text && *text != '\n') (void)fprintf(out, "%*s", indent, "");
        used = indent;
    }
}

/* Bytes of the UTF-8 letter here; 0 if it is none. */
static int letter_bytes(const unsigned char *s)
{
    const int n = s[0] < 0x80                   ? 1
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                  : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)) return 0; /* too long; half of a pair */
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)) return 0;
    return n;
}

void print_clean(FILE *out, const char *text, int n)
{
    const unsigned char *s = (const unsigned char *)text;
    for (int i = 0; (n < 0 || i < n) && s[i]; i++) {
        const bool two = s[i] == 0xc2 && s[i + 1] >= 0x80 && s[i + 1] < 0xa0; /* U+0080 to U+009F */
        const bool control = s[i] < 0x20 || s[i] == 0x7f || two;
        (void)fputc(control ? '?' : s[i], out);
        i += two;
    }
}

void print_json_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = letter_bytes(s);
        if (n == 0) (void)fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\') (void)fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f) (void)fprintf(out, "\\u%04x", *s);
        else (void)fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    (void)fputc('"', out);
}
