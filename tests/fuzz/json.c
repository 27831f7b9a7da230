/* JSON texts that went wrong; see tests/fuzz/mutate.h. In those that are still JSON, the value that is found is that of a
 * recursive-descent parser. */
#include "fuzz/mutate.h"
#include "io/hdf5/json.h"

/* ---- The reference ---- */

enum { DEEPEST = 200 };

typedef struct parser {
    const char *at, *end;
    const char *path;           /* what is left of it; NULL: it was found, or is not below here */
    const char *value, *beyond; /* the scalar that was found */
} parser;

static void skip_space(parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at) p->at++;
}

static bool take(parser *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool parse_string(parser *p, const char **from, const char **to)
{
    if (!take(p, '"')) return false;
    *from = p->at;
    while (p->at < p->end && *p->at != '"') {
        if ((unsigned char)*p->at < 32) return false;
        if (*p->at == '\\' && (++p->at == p->end || !*p->at || !strchr("\"\\/bfnrtu", *p->at))) return false;
        p->at++;
    }
    *to = p->at;
    return take(p, '"');
}

static bool parse_digits(parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
    return p->at > from;
}

static bool parse_number(parser *p)
{
    if (p->at < p->end && *p->at == '-') p->at++;
    if (p->at < p->end && *p->at == '0') p->at++;
    else if (!parse_digits(p)) return false;
    if (p->at < p->end && *p->at == '.' && (p->at++, !parse_digits(p))) return false;
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (p->at < p->end && (*p->at == '+' || *p->at == '-')) p->at++;
        return parse_digits(p);
    }
    return true;
}

static bool parse_word(parser *p)
{
    static const char *const words[] = { "true", "false", "null" };
    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(words[i]);
        if ((size_t)(p->end - p->at) < n || memcmp(p->at, words[i], n) != 0) continue;
        p->at += n;
        return true;
    }
    return false;
}

static bool parse_value(parser *p, int depth);

/* Members; the first that has the next name of the path is gone into. */
static bool parse_object(parser *p, int depth)
{
    const char  *path = p->path && *p->path ? p->path : NULL, *from, *to;
    const size_t n = path ? strcspn(path, ".") : 0;
    if (!take(p, '{')) return false;
    p->path = NULL;
    if (take(p, '}')) return true;
    do {
        if (!parse_string(p, &from, &to) || !take(p, ':')) return false;
        if (path && (size_t)(to - from) == n && memcmp(from, path, n) == 0) {
            p->path = path[n] ? path + n + 1 : "";
            path = NULL;
        }
        if (!parse_value(p, depth + 1)) return false;
        p->path = NULL;
    } while (take(p, ','));
    return take(p, '}');
}

static bool parse_list(parser *p, int depth)
{
    p->path = NULL;
    if (!take(p, '[')) return false;
    if (take(p, ']')) return true;
    do {
        if (!parse_value(p, depth + 1)) return false;
    } while (take(p, ','));
    return take(p, ']');
}

static bool parse_value(parser *p, int depth)
{
    skip_space(p);
    if (depth > DEEPEST || p->at == p->end) return false;
    if (*p->at == '{') return parse_object(p, depth);
    if (*p->at == '[') return parse_list(p, depth);
    const bool  is_wanted = p->path && !*p->path;
    const char *from = p->at, *to = NULL;
    const bool  is_string = *from == '"';
    if (is_string ? !parse_string(p, &from, &to) : !parse_word(p) && !parse_number(p)) return false;
    if (!is_string) to = p->at;
    if (is_wanted) p->value = from, p->beyond = to;
    return true;
}

/* ---- The comparison ---- */

static void compare(const char *text, size_t n, const char *path, int64_t size)
{
    char       value[64];
    parser     p = { .at = text, .end = text + n, .path = path };
    const bool is_json = parse_value(&p, 0);
    const bool found = tess__json_find(value, size, text, (int64_t)n, path);
    if (found && !memchr(value, '\0', (size_t)size)) fuzz_fail("a value without an end");
    if (!is_json) return;
    const size_t length = (size_t)(p.beyond - p.value);
    const bool   fits = p.value && (int64_t)length < size;
    if (found != fits) fuzz_fail(found ? "a value that there is not" : "a value is not found");
    if (found && (strlen(value) != length || memcmp(value, p.value, length) != 0)) fuzz_fail("another value");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const paths[] = { "BinaryResult.PixelSize.width", "BinaryResult.PixelUnitX",
                                         "BinaryResult.Detector", "a", "a.b" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        compare((const char *)data, n, paths[i], n % 3 ? 64 : 1 + (int64_t)(n % 16));
    return 0;
}

void fuzz_seeds(void)
{
    static const char *const words[] = {
        "{",  "}",    "[",   "]",    "\"",   "\\",   "\\\"",    ",",      ":",          "\"a\":1",           "{}",
        "[]", "\"\"", "1e5", "-0.5", "null", "true", ",\"a\":", "[1,{}]", "\"b\":\"\"", "{\"a\":{\"b\":7}}", " ",
        "\n", NULL
    };
    static const char *const texts[] = {
        "{\"Core\": {\"list\": [1, {\"a]\": \"}\\\"\"}], \"none\": null}, \"BinaryResult\": {\"Detector\": \"HAADF\", "
        "\"PixelSize\": {\"width\": \"1.5e-10\", \"height\": \"1.5e-10\"}, \"PixelUnitX\": \"m\", \"PixelUnitY\": "
        "\"m\"}}",
        "{\"BinaryResult\":{\"PixelSize\":{\"height\":2e-10,\"width\":-2.5E+3},\"PixelUnitX\":\"1/m\",\"Detector\":0}}",
        "{\"a\" : {\"c\": [[], [{}], \"b\"], \"b\": \"x y\"}, \"a\": 5}",
        "{\"x\": [true, false, null], \"a\": 0.125}",
        "{\"BinaryResult\": {}, \"BinaryResult.PixelUnitX\": \"m\"}",
        "[{\"a\": 1}]",
        "\"a\"",
    };
    fuzz_words = words;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) fuzz_add(texts[i], strlen(texts[i]));
}
