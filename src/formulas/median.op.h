/* Selection networks of medians: compare and exchange at constant indices, for CPU kernels and GPUs.
 *
 * The program defines NETWORK_T, the type of what is compared, and NETWORK_FN, the words before each function, and
 * includes this once for each type, with NETWORK(name) as the names of the functions. Values that nobody reads are not
 * computed: half an exchange is a minimum or a maximum. */

/* The smaller of v[a] and v[b] goes to v[a]. */
#define EXCHANGE(a, b)                                                                                                 \
    do {                                                                                                               \
        const NETWORK_T x_ = v[a], y_ = v[b];                                                                          \
        v[a] = y_ < x_ ? y_ : x_;                                                                                      \
        v[b] = y_ < x_ ? x_ : y_;                                                                                      \
    } while (0)

NETWORK_FN void NETWORK(sort_3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(1, 2);
    EXCHANGE(0, 1);
}

NETWORK_FN void NETWORK(sort_5)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(3, 4);
    EXCHANGE(2, 4);
    EXCHANGE(2, 3);
    EXCHANGE(1, 4);
    EXCHANGE(0, 3);
    EXCHANGE(0, 2);
    EXCHANGE(1, 3);
    EXCHANGE(1, 2);
}

NETWORK_FN NETWORK_T NETWORK(median_3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(1, 2);
    EXCHANGE(0, 1);
    return v[1];
}

NETWORK_FN NETWORK_T NETWORK(median_5)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(3, 4);
    EXCHANGE(0, 3);
    EXCHANGE(1, 4);
    EXCHANGE(1, 2);
    EXCHANGE(2, 3);
    EXCHANGE(1, 2);
    return v[2];
}

NETWORK_FN NETWORK_T NETWORK(median_7)(NETWORK_T *v)
{
    EXCHANGE(0, 5);
    EXCHANGE(0, 3);
    EXCHANGE(1, 6);
    EXCHANGE(2, 4);
    EXCHANGE(0, 1);
    EXCHANGE(3, 5);
    EXCHANGE(2, 6);
    EXCHANGE(2, 3);
    EXCHANGE(3, 6);
    EXCHANGE(4, 5);
    EXCHANGE(1, 4);
    EXCHANGE(1, 3);
    EXCHANGE(3, 4);
    return v[3];
}

/* Of a 3 x 3 window whose columns are sorted; v[3 row + column]. It is the median of the largest minimum, the median of
 * the medians and the smallest maximum. */
NETWORK_FN NETWORK_T NETWORK(median_3x3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(1, 2);
    EXCHANGE(3, 4);
    EXCHANGE(4, 5);
    EXCHANGE(3, 4);
    EXCHANGE(7, 8);
    EXCHANGE(6, 7);
    EXCHANGE(2, 4);
    EXCHANGE(4, 6);
    EXCHANGE(2, 4);
    return v[4];
}

/* Of five, the largest goes to v[4] and the next to v[3]. */
NETWORK_FN void NETWORK(upper_2)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(2, 3);
    EXCHANGE(1, 3);
    EXCHANGE(0, 2);
    EXCHANGE(2, 1);
    EXCHANGE(3, 4);
    EXCHANGE(1, 3);
}

/* The largest goes to v[4], the next two to v[3] and v[1]. */
NETWORK_FN void NETWORK(upper_3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(2, 3);
    EXCHANGE(1, 3);
    EXCHANGE(0, 2);
    EXCHANGE(2, 1);
    EXCHANGE(3, 4);
    EXCHANGE(1, 3);
    EXCHANGE(2, 1);
}

/* Those in the middle, in order, go to v[1], v[4] and v[2]. */
NETWORK_FN void NETWORK(middle_3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(2, 3);
    EXCHANGE(0, 2);
    EXCHANGE(1, 3);
    EXCHANGE(1, 2);
    EXCHANGE(0, 4);
    EXCHANGE(4, 3);
    EXCHANGE(1, 4);
    EXCHANGE(4, 2);
}

/* The smallest goes to v[0], the next two to v[2] and v[1]. */
NETWORK_FN void NETWORK(lower_3)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(2, 3);
    EXCHANGE(0, 2);
    EXCHANGE(1, 3);
    EXCHANGE(2, 1);
    EXCHANGE(0, 4);
    EXCHANGE(2, 4);
    EXCHANGE(1, 4);
}

/* The smallest goes to v[0] and the next to v[2]. */
NETWORK_FN void NETWORK(lower_2)(NETWORK_T *v)
{
    EXCHANGE(0, 1);
    EXCHANGE(2, 3);
    EXCHANGE(0, 2);
    EXCHANGE(1, 3);
    EXCHANGE(2, 1);
    EXCHANGE(0, 4);
    EXCHANGE(2, 4);
}

/* Of a 5 x 5 window whose columns are sorted; v[5 row + column]. Rows are sorted as far as the median can be in them.
 * Among the 13 that are left it is found by 20 exchanges, which a search over all zeros and ones in a matrix of sorted
 * rows and columns has shown to be enough. */
NETWORK_FN NETWORK_T NETWORK(median_5x5)(NETWORK_T *v)
{
    NETWORK(upper_2)(v);
    NETWORK(upper_3)(v + 5);
    NETWORK(middle_3)(v + 10);
    NETWORK(lower_3)(v + 15);
    NETWORK(lower_2)(v + 20);
    EXCHANGE(17, 8);
    EXCHANGE(17, 14);
    EXCHANGE(8, 14);
    EXCHANGE(20, 4);
    EXCHANGE(3, 15);
    EXCHANGE(22, 9);
    EXCHANGE(16, 12);
    EXCHANGE(6, 11);
    EXCHANGE(4, 22);
    EXCHANGE(20, 15);
    EXCHANGE(8, 20);
    EXCHANGE(22, 20);
    EXCHANGE(14, 4);
    EXCHANGE(11, 15);
    EXCHANGE(14, 15);
    EXCHANGE(17, 11);
    EXCHANGE(14, 16);
    EXCHANGE(11, 14);
    EXCHANGE(22, 15);
    EXCHANGE(14, 22);
    return v[22];
}

#undef EXCHANGE
