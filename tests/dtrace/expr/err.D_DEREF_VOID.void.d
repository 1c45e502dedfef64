/* * on void *. */

BEGIN { trace(*copyin(arg0, 4)); }
