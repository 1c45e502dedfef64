/* A provider that does not exist here. */

fbt:::entry { trace(1); }
