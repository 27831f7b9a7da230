/* Counting of events in pixels of one type; included by decode.c with PIXEL and COUNT defined. */

static void COUNT(const tess__eer_image *image, const tess__eer_file *movie, tess__eer_cursor c, int64_t end_row)
{
    const int      run_bits = movie->code.run_bits, x_bits = movie->code.x_bits, y_bits = movie->code.y_bits;
    const int      shift = movie->shift, x_drop = x_bits - shift, y_drop = y_bits - shift;
    const unsigned longest = (1u << run_bits) - 1;
    /* Positions in a pixel are signed: with the sign bit inverted they count from its first edge. */
    const unsigned x_sign = (1u << x_bits) >> 1, y_sign = (1u << y_bits) >> 1;
    const int64_t  width = movie->width, pitch = image->pitch;
    PIXEL *const   pixels = image->pixels;
    int64_t        x = c.at % width, y = c.at / width;
    while (y < end_row) {
        if (c.is_event) {
            const unsigned in_x = take(&c, x_bits) ^ x_sign, in_y = take(&c, y_bits) ^ y_sign;
            const int64_t  column = x << shift | in_x >> x_drop, row = y << shift | in_y >> y_drop;
            PIXEL *const   pixel = pixels + row * pitch + column;
            *pixel = (PIXEL)(*pixel + 1);
            x++;
        }
        if (c.n < MAX_BITS && !refill(&c)) return; /* behind the last event of the frame */
        const unsigned run = take(&c, run_bits);
        for (x += run; x >= width; x -= width) y++;
        c.is_event = run != longest;
    }
}

#undef PIXEL
#undef COUNT
