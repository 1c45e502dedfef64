/* More values at once than registers. */

BEGIN { trace((arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0+(arg0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))); }
