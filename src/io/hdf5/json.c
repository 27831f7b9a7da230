/* JSON: search of a value by a path of names, without a tree. */
#include "io/hdf5/json.h"

#include <string.h>

typedef struct cursor {
    const char *at, *end;
} cursor;

static char next(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n')) c->at++;
    return c->at < c->end ? *c->at : '\0';
}

/* A string in quotes: what is between them, escapes as they are. */
static bool take_string(cursor *c, cursor *inside)
{
    if (next(c) != '"') return false;
    inside->at = ++c->at;
    for (; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\' && c->at + 1 < c->end) c->at++;
    if (c->at >= c->end) return false;
    inside->end = c->at++;
    return true;
}

/* A string, or letters and digits up to a comma or a bracket. */
static bool take_scalar(cursor *c, cursor *inside)
{
    if (next(c) == '"') return take_string(c, inside);
    inside->at = c->at;
    while (c->at < c->end && !strchr(",:{}[]\" \t\r\n", *c->at)) c->at++;
    inside->end = c->at;
    return inside->end > inside->at;
}

/* Any value; objects and lists are left by counting brackets outside strings. */
static bool skip_value(cursor *c)
{
    cursor  inside;
    int64_t depth = 0;
    do {
        const char now = next(c);
        if (now == '{' || now == '[') depth++, c->at++;
        else if (now == '}' || now == ']') depth--, c->at++;
        else if ((now == ',' || now == ':') && depth > 0) c->at++;
        else if (now == '\0' || !take_scalar(c, &inside)) return false;
    } while (depth > 0);
    return depth == 0;
}

/* Go to the value of a member of the object that the cursor is at. */
static bool enter(cursor *c, const char *name, size_t n)
{
    cursor key;
    if (next(c) != '{') return false;
    c->at++;
    while (take_string(c, &key)) {
        if (next(c) != ':') return false;
        c->at++;
        if ((size_t)(key.end - key.at) == n && memcmp(key.at, name, n) == 0) return true;
        if (!skip_value(c) || next(c) != ',') return false;
        c->at++;
    }
    return false;
}

bool tess__json_find(char *value, int64_t size, const char *text, int64_t n, const char *path)
{
    cursor c = { text, text + n }, found;
    for (const char *name = path; *name;) {
        const size_t length = strcspn(name, ".");
        if (!enter(&c, name, length)) return false;
        name += length + (name[length] == '.');
    }
    if (!take_scalar(&c, &found) || found.end - found.at >= size) return false;
    memcpy(value, found.at, (size_t)(found.end - found.at));
    value[found.end - found.at] = '\0';
    return true;
}
