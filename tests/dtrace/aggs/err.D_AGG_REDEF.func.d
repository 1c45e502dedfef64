/* Two functions for one aggregation. */

BEGIN { @a = count(); @a = sum(1); }
