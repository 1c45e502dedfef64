/* An aggregation that nothing fills. */

BEGIN { trunc(@nosuch); }
