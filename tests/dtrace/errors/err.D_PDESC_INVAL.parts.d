/* A description of five parts. */

a:b:c:d:e { trace(1); }
