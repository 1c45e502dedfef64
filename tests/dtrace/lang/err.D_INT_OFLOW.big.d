/* A constant beyond 64 bits. */

BEGIN { trace(18446744073709551616); }
