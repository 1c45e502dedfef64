/* Nothing to cut. */

BEGIN { trunc(); }
