# Where to build. Sourced by bootstrap. Root and a user can share a checkout in either order: the first has build/, the other
# a folder of its own; nobody writes into somebody else's.

choose_builddir() {
	local owner me

	me=$(id -u)
	if [ -n "${LXZONE_BUILD:-}" ]; then
		BUILD=$(realpath -m "$LXZONE_BUILD")
	elif [ ! -e build ] && [ -w . ]; then
		BUILD=$top/build
	elif [ -e build ] && [ "$(stat -c %u build)" = "$me" ] && [ -w build ]; then
		BUILD=$top/build
	elif [ "$me" -eq 0 ]; then
		BUILD=$top/build-root
	elif [ -w . ]; then
		BUILD=$top/build-$me
	else
		BUILD=${XDG_CACHE_HOME:-$HOME/.cache}/lxzone/build$(tr / - <<<"$top")
	fi
	if [ "$BUILD" != "$top/build" ] && [ -z "${LXZONE_BUILD:-}" ]; then
		echo "build/ is another user's: building in $BUILD" >&2
	fi
	mkdir -p "$BUILD" 2>/dev/null || fail "cannot make $BUILD" "set LXZONE_BUILD to a folder that you can write"
	[ -w "$BUILD" ] || fail "cannot write $BUILD" "set LXZONE_BUILD to a folder that you can write"
}
