/* A format and no aggregation. */

BEGIN { printa("%@d"); }
