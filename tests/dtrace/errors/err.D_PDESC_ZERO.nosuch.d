/* A call that does not exist. */

syscall::nosuchcall:entry { trace(1); }
