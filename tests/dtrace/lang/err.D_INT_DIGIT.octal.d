/* A digit that octal numbers do not have. */

BEGIN { trace(089); }
