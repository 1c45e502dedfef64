/* Nine characters. */

BEGIN { trace('123456789'); }
