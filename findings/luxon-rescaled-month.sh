#!/usr/bin/env bash
# luxon 3.7.2: `rescale()` lengthens what it makes readable. It goes from milliseconds up through weeks, where four weeks are a month and
# twelve months a year, and reads a month back as 30 days: 30 days become "P1M2D" and count as 32, 45 days 47, a year a year, a month
# and a day (396 days). A retention or a deadline that was stored so comes back later. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts luxon@3.7.2
cat >show.mjs <<'SHOW'
import { Duration } from 'luxon';

for (const days of [27, 30, 45, 365]) {
  const rescaled = Duration.fromObject({ days }).rescale();
  console.log(`${days} days: ${rescaled.toISO()}, ${rescaled.as('days')} days`);
}
SHOW
cat >expected <<'SEEN'
27 days: P3W6D, 27 days
30 days: P1M2D, 32 days
45 days: P1M2W3D, 47 days
365 days: P1Y1M1D, 396 days
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
