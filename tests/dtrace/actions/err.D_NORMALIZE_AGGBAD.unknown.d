/* An aggregation that nothing fills. */

BEGIN { normalize(@nosuch, 2); }
