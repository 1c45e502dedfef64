/* An enumerator beyond int. */

enum e { A = 2147483647, B };

BEGIN {}
