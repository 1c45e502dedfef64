# The package step. Sourced by bootstrap; the list itself is bootstrap.d/packages.

packages_gcc() {
	local v

	v=$(gcc -dumpversion 2>/dev/null) || v=$(apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p' | head -n 1)
	echo "${v%%.*}"
}

# Lines "package<TAB>why" of the named uses (all of them without arguments), each package once.
packages_list() { # [build|demo|test|bench]...
	local gcc

	gcc=$(packages_gcc)
	awk -v want=" $* " -v gcc="${gcc:-12}" '
		/^#/ || !NF { next }
		want == "  " || index(want, " " $1 " ") {
			p = $2; sub(/@GCC@/, gcc, p)
			if (seen[p]++) next
			why = $0; sub(/^[^ ]+ +[^ ]+ +/, "", why)
			printf "%s\t%s\n", p, why
		}' bootstrap.d/packages
}

packages_missing() { # USE...
	local p

	packages_list "$@" | cut -f1 | while read -r p; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || echo "$p"
	done
}

packages_ensure() { # USE...
	local missing root=() command

	[ -z "${LXZONE_NO_PACKAGES:-}" ] || return 0
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		fail "this is not a Debian system: packages cannot be installed" \
			"install the equivalents of those that './bootstrap packages' lists, then set LXZONE_NO_PACKAGES=1"
	fi
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0

	echo "Missing packages:" >&2
	packages_list "$@" | while IFS=$'\t' read -r p why; do
		case " ${missing[*]} " in *" $p "*) printf '  %-28s %s\n' "$p" "$why" >&2 ;; esac
	done
	command="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			fail "packages are missing, and there is no sudo to install them" "as root: $command"
		fi
		sudo -v || fail "packages are missing, and sudo does not let this user install them" "as root: $command"
		root=(sudo)
	fi
	# An index that does not load is no reason to stop: the packages may well be in the others.
	step "Reading the package lists" "check the network and /etc/apt/sources.list" \
		sh -c '"$@" || echo "some lists could not be read; going on"' sh "${root[@]}" apt-get -q update
	step "Installing ${#missing[@]} packages" "the lines above are apt's; when mended, run this again" \
		"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${missing[@]}"
}
