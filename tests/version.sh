#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The version is in VERSION; who cannot read it there must agree. Prints KTAP.
#
# case: one version everywhere

cd "$(dirname "$0")/.." || exit 1
version=$(cat VERSION)
status=0

# agrees NUMBER FILE VERSION-FOUND-IN-IT
agrees() {
	if [ "$3" = "$version" ]; then
		echo "ok $1 $2"
	else
		echo "# $2 has '$3', VERSION has '$version'"
		echo "not ok $1 $2"
		status=1
	fi
}

echo "KTAP version 1"
echo "1..4"
agrees 1 dkms.conf "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)"
agrees 2 debian/changelog "$(sed -n '1s/^memsuite (\(.*\)).*/\1/p' debian/changelog)"
agrees 3 rpm/memsuite.spec "$(sed -n 's/^Version: *//p' rpm/memsuite.spec)"
# dkms replaces a module by another version's only if both tell theirs.
without=$(git grep -L MODULE_VERSION -- $(git grep -l '^module_init(' -- modules 'kmod-*'))
[ -z "$without" ] && echo "ok 4 modules" || { echo "# no MODULE_VERSION: $without"; echo "not ok 4 modules"; status=1; }
exit $status
