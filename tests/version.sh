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
echo "1..2"
agrees 1 dkms.conf "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)"
agrees 2 debian/changelog "$(sed -n '1s/^memsuite (\(.*\)).*/\1/p' debian/changelog)"
exit $status
