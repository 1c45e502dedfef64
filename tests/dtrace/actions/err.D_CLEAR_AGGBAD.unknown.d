/* An aggregation that nothing fills. */

BEGIN { clear(@nosuch); }
