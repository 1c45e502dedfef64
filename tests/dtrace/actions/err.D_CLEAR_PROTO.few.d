/* Nothing to clear. */

BEGIN { clear(); }
