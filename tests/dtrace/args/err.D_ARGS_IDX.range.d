/* Beyond the arguments. */

syscall::close:entry { trace(args[5]); }
