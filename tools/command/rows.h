/* Rows of descriptors as arguments and options of the command line. */
#ifndef TESSERA_COMMAND_ROWS_H
#define TESSERA_COMMAND_ROWS_H

#include "command/verb.h"

/* Rows of a descriptor that an operation may have at most; more do not compile a verb. */
enum { MAX_ROWS = 24 };

/* Is there a verb for it? Not for what reads and writes files, which every verb does, and for what only allocates. */
bool is_operation_verb(const tess_function_info *op);

/* Does a row become an argument, that is, a file that is read? */
bool is_file_argument(const tess_arg_info *row);

/* Does it become an option that names a file that is read? */
bool is_file_option(const tess_arg_info *row);

/* Does it become a flag with which a number is printed? */
bool is_printed_option(const tess_arg_info *row);

/* Is it a frequency in cycles per pixel, which may be written as a resolution? */
bool is_frequency(const tess_arg_info *row);

/* Is it a pixel size, which the file may know? */
bool is_pixel_size(const tess_arg_info *row);

/* Does a row become a file that is written: the first by -o, others by their names? */
bool is_file_written(const tess_arg_info *row);

/* Does a row become an option? */
bool is_verb_option(const tess_function_info *op, const tess_arg_info *row);

/* The option that a row becomes, in memory that stays; false if there is none. */
bool option_of_row(option *o, const tess_arg_info *row);

/* The option that a row becomes, as it is written: "--in-shape". */
enum { ROW_CALLED = 64 };
const char *row_called(char text[ROW_CALLED], const char *name);

/* Which row is written to -o; NULL if there is none. */
const tess_arg_info *main_output(const tess_function_info *op);

/* What stands for a row's value: "X,Y"; NULL for a flag. */
const char *row_value(const tess_arg_info *row);

/* The name of a row with '-' in place of '_', or any text, in memory that stays until it is freed; NULL: no memory. */
char *name_of_row(const char *name);
char *keep_text(const char *text);

#endif
