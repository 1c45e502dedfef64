/* An index that is no constant. */

syscall::close:entry { x = 1; trace(args[x]); }
