/* Recursive-descent parser: its state, and the functions that its files share. */
#ifndef TESS_LANG_FRONT_PARSER_H
#define TESS_LANG_FRONT_PARSER_H

#include "lang/front/build.h"
#include "lang/front/lex.h"
#include "lang/front/names.h"
#include "lang/front/parse.h"

typedef struct tess__parser {
    tess__builder             b;
    tess__lexer               lexer;
    tess__token               token;    /* the next one */
    int32_t                   end;      /* of the one before */
    int32_t                   nesting;  /* of blocks, parentheses and signs */
    int32_t                   loops;    /* around this statement */
    bool                      function; /* in the body of one */
    const tess_op_parse_opts *limits;
} tess__parser;

/* ---- Tokens (parse_token.c) ---- */

/* Go on to the next token; at the end, and after an error, it stays TESS__TOKEN_END. */
void tess__advance(tess__parser *p);

void tess__wrong(tess__parser *p, tess__bytes where, const char *format, ...) TESS_COLD TESS_PRINTF(3, 4);

/* Where to point for the next token; at the end of the text, behind the last token. */
tess__bytes tess__here(const tess__parser *p);

static inline bool tess__is_mark(const tess__parser *p, int32_t mark)
{
    return p->token.kind == TESS__TOKEN_MARK && p->token.mark == mark;
}
#define TESS__AT_KEYWORD(p, literal)                                                                                   \
    ((p)->token.kind == TESS__TOKEN_NAME && TESS__IS((p)->b.source->text, (p)->token.span, literal))

/* Take the punctuator if it is next. */
bool tess__accept(tess__parser *p, int32_t mark);
/* Take it, or report that it is missing; `why` is "" or begins with "; ". */
bool tess__expect(tess__parser *p, int32_t mark, const char *why);
/* "'x'", "the end of the text": what is there instead. */
tess__hint tess__found(const tess__parser *p);
/* A name that may be given to something; `what` it names. */
tess__bytes tess__new_name(tess__parser *p, const char *what);
/* The type that the next token names, or 0. */
int32_t tess__at_type(const tess__parser *p);
/* A type, 0 with an error. */
int32_t tess__read_type(tess__parser *p);
/* The same where a struct is possible too. */
int32_t tess__read_type_or_struct(tess__parser *p);

/* One level deeper; false with an error where that is too deep. */
bool tess__enter(tess__parser *p);

int32_t tess__add(tess__parser *p, int32_t kind, tess__bytes span);

/* ---- Structs (parse_struct.c) ---- */

/* The type of the struct that a name is, or 0. */
int32_t tess__struct_named(const tess__parser *p, tess__bytes name);
/* "struct name { f64 x; f32 m[6]; }", in a macro "struct name(f64 x, f32 m[6])"; the next token is its keyword. */
void tess__read_struct(tess__parser *p);
/* Place a struct behind those of the parameters before. */
void tess__place_struct(tess__parser *p, tess__param *param);

/* ---- Expressions (parse_expression.c), statements (parse_statement.c), parameters (parse_params.c) ---- */

int32_t tess__read_expression(tess__parser *p);
/* "{ … }", or in a macro also one statement; 0 with an error. */
int32_t tess__read_block(tess__parser *p);
/* Statements up to a punctuator, or up to the end of the text, as a TESS__BLOCK. */
int32_t tess__read_statements(tess__parser *p, int32_t until, tess__bytes span);
void    tess__read_params(tess__parser *p);
void    tess__read_macro_params(tess__parser *p);

#endif
