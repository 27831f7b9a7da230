/* Markup of messages: a parser of marks, and a template expansion that spells them. */
#include "core/check/marks.h"

#include <string.h>

#include "tessera/error.h"

enum { OPEN = 1, CLOSE = 2, BEHIND_NAME = 3, NAME_SIZE = 64, TEXT_SIZE = 160, REST_SIZE = 256 };

static const char identifier[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* A mark as it stands in a message. */
typedef struct parsed {
    tess_mark_kind kind;
    const char    *name, *text; /* as C spells it, and of a phrase its text */
    size_t         n_name, n_text, length;
} parsed;

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* ---- Parsing ---- */

/* How a name goes on: "->x", ".x" or "[3]". */
static size_t part_length(const char *at)
{
    const size_t link = at[0] == '.' || at[0] == '[' ? 1 : begins(at, "->") ? 2 : 0;
    const size_t more = link ? strspn(at + link, identifier) : 0;
    if (more == 0 || (at[0] == '[' && at[link + more] != ']')) return 0;
    return link + more + (at[0] == '[');
}

static size_t name_length(const char *at)
{
    size_t n = strspn(at, identifier), more = 0;
    while (n > 0 && (more = part_length(at + n)) > 0) n += more;
    return n;
}

static tess_mark_kind kind_of(const char *name)
{
    if (begins(name, "opts->")) return TESS_MARK_OPTION;
    if (begins(name, "tess_")) return TESS_MARK_FUNCTION;
    return begins(name, "NULL\002") ? TESS_MARK_NULL : TESS_MARK_ARGUMENT;
}

/* Is a whole mark here? */
static bool parse(const char *at, parsed *mark)
{
    static const char bytes[] = " bytes";
    if (at[0] != OPEN) return false;
    const size_t n = name_length(at + 1);
    const char  *end = at + 1 + n;
    if (n == 0 || n >= NAME_SIZE) return false;
    *mark = (parsed){ .kind = kind_of(at + 1), .name = at + 1, .text = at + 1, .n_name = n };
    if (*end == BEHIND_NAME) {
        mark->kind = TESS_MARK_PHRASE;
        mark->text = ++end;
        while ((unsigned char)*end >= ' ') end++;
    } else if (strspn(at + 1, "0123456789") == n && begins(end, bytes)) {
        mark->kind = TESS_MARK_BYTES;
        end += sizeof bytes - 1;
    }
    mark->n_text = (size_t)(end - mark->text);
    mark->length = (size_t)(end + 1 - at);
    return *end == CLOSE && mark->n_text < TEXT_SIZE;
}

void tess__marks_format(char *to, size_t n, const char *format)
{
    bool   open = false;
    size_t used = 0;
    for (; format[used] && used + 1 < n; used++) {
        const char c = format[used];
        to[used] = c == '`' ? (char)(open ? CLOSE : OPEN) : c == '|' && open ? (char)BEHIND_NAME : c;
        open ^= c == '`';
    }
    to[used] = '\0';
    char *conversion = format[used] ? strrchr(to, '%') : NULL;
    if (conversion) *conversion = '\0';
}

/* ---- Keeping ---- */

static size_t put(char *to, size_t n, size_t used, const char *text, size_t length)
{
    for (size_t i = 0; i < length && used + i + 1 < n; i++) to[used + i] = text[i];
    return used + length;
}

/* What has no place is left out, a mark as a whole. */
static size_t keep_text(char *to, size_t n, size_t used, const char *text)
{
    int depth = 0; /* of marks that hold words or other marks */
    for (const char *at = text; *at && used + 1 < n; at++) {
        parsed mark;
        if (parse(at, &mark)) {
            if (used + mark.length >= n) break;
            used = put(to, n, used, at, mark.length);
            at += mark.length - 1;
        } else if (*at == OPEN) {
            depth++;
        } else if (*at == CLOSE && depth > 0) {
            depth--;
        } else {
            to[used++] = (unsigned char)*at < ' ' ? ' ' : *at;
        }
    }
    return used;
}

void tess__marks_keep(char *to, size_t n, const char *fn, bool is_in_call, const char *text)
{
    const char  *name = fn ? fn : is_in_call ? text : "";
    const size_t length = strspn(name, identifier);
    size_t       used = 0;
    if (length > 0 && length < NAME_SIZE && (fn ? !fn[length] : begins(text + length, ": "))) {
        used = put(to, n, used, "\001", 1);
        used = put(to, n, used, name, length);
        used = put(to, n, used, "\002: ", 3);
        if (!fn) text += length + 2;
    }
    used = keep_text(to, n, used, text);
    to[used] = '\0';
}

const char *tess__marks_behind_call(const char *marked)
{
    parsed mark;
    return parse(marked, &mark) && begins(marked + mark.length, ": ") ? marked + mark.length + 2 : marked;
}

/* ---- Spelling ---- */

/* The texts of a mark for the speller. */
typedef struct shown {
    char function[NAME_SIZE], name[NAME_SIZE], field[NAME_SIZE], text[TEXT_SIZE], rest[REST_SIZE];
} shown;

static void copy(char *to, size_t size, const char *from, size_t n)
{
    if (n >= size) n = size - 1;
    memcpy(to, from, n);
    to[n] = '\0';
}

/* The field of a struct is behind the first "->". */
static void show(shown *s, const parsed *mark, const char *behind)
{
    const size_t prefix = mark->kind == TESS_MARK_OPTION ? 6 : mark->kind == TESS_MARK_FUNCTION ? 5 : 0;
    copy(s->name, sizeof s->name, mark->name + prefix, mark->n_name - prefix);
    char *arrow = strstr(s->name, "->");
    copy(s->field, sizeof s->field, arrow ? arrow + 2 : "", arrow ? strlen(arrow + 2) : 0);
    if (arrow) *arrow = '\0';
    copy(s->text, sizeof s->text, mark->text, mark->n_text);
    copy(s->rest, sizeof s->rest, behind, strcspn(behind, "\001"));
}

size_t tess_spell(char *to, size_t n, const char *marked, tess_spell_fn spell, void *user)
{
    shown       s = { "", "", "", "", "" };
    parsed      mark;
    size_t      used = 0;
    if (!marked) marked = "";
    const char *behind_call = tess__marks_behind_call(marked), *at = marked;
    while (*at) {
        if (!parse(at, &mark)) {
            const size_t length = 1 + strcspn(at + 1, "\001");
            used = put(to, n, used, at, length);
            at += length;
            continue;
        }
        const bool is_call = at < behind_call;
        show(&s, &mark, at + mark.length);
        if (is_call) copy(s.function, sizeof s.function, s.name, strlen(s.name));
        const tess_mark seen = {
            is_call ? TESS_MARK_CALL : mark.kind, s.name, s.field, s.text, s.function, s.rest, at == behind_call
        };
        const char *text = spell ? spell(&seen, user) : NULL;
        if (!text) text = s.text;
        used = put(to, n, used, text, strlen(text));
        at = is_call && !*text ? behind_call : at + mark.length;
    }
    if (n > 0) to[used < n ? used : n - 1] = '\0';
    return used;
}
