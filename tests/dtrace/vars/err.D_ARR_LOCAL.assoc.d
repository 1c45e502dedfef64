/* An associative array in a clause. */

BEGIN { this->a[1] = 2; }
