/* Args[] of calls that differ. */

syscall:::entry { trace(args[2]); }
