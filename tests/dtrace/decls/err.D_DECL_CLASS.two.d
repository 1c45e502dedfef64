/* Two storage classes. */

self this int x;

BEGIN {}
