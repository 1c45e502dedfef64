/* A source without a clause. */

/* only a comment */
