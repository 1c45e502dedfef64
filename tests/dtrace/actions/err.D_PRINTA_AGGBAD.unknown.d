/* An aggregation that nothing fills. */

BEGIN { printa(@nosuch); }
