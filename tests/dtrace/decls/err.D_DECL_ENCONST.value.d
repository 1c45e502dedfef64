/* An enumerator that is no constant. */

enum e { A = pid };

BEGIN {}
