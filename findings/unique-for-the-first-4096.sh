#!/usr/bin/env bash
# Identifiers that are unique for the first 4096. The counter of @sapphire/snowflake 3.5.5 goes round within 12 bits and does not look at the
# time: what is generated beyond 4096 within one millisecond are the same identifiers again, without an error. It goes on where it stood in the
# next millisecond, so that a batch of 300 may fall back within its millisecond and not sort in the order of its making. snowflake-id 1.1.0
# and nodejs-snowflake 2.0.1 wait for the next millisecond. Seen on Node 20.20.2, 2026-11-30, with the millisecond given.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @sapphire/snowflake@3.5.5 snowflake-id@1.1.0 nodejs-snowflake@2.0.1
cat >show.mjs <<'SHOW'
import { Snowflake as Sapphire } from '@sapphire/snowflake';
import { Snowflake } from 'nodejs-snowflake';
import snowflakeId from 'snowflake-id';

const tally = (name, length, generate) => {
  const ids = Array.from({ length }, () => BigInt(generate()));
  const twice = ids.length - new Set(ids).size;
  const back = ids.filter((id, index) => index > 0 && id < ids[index - 1]).length;
  console.log(`${name}: ${twice} of ${ids.length} twice, ${back} below the one before`);
};
const timestamp = Date.UTC(2026, 0, 1);
const sapphire = new Sapphire(Date.UTC(2025, 0, 1));
tally('@sapphire/snowflake', 5_000, () => sapphire.generate({ timestamp }));
tally('@sapphire/snowflake, 1 ms later', 3_000, () => sapphire.generate({ timestamp: timestamp + 1 }));
tally('@sapphire/snowflake, 2 ms later', 300, () => sapphire.generate({ timestamp: timestamp + 2 }));
const byClock = new Snowflake();
tally('nodejs-snowflake', 5_000, () => byClock.getUniqueID());
const other = new snowflakeId.default();
tally('snowflake-id', 5_000, () => other.generate());
SHOW
cat >expected <<'SEEN'
@sapphire/snowflake: 904 of 5000 twice, 1 below the one before
@sapphire/snowflake, 1 ms later: 0 of 3000 twice, 0 below the one before
@sapphire/snowflake, 2 ms later: 0 of 300 twice, 1 below the one before
nodejs-snowflake: 0 of 5000 twice, 0 below the one before
snowflake-id: 0 of 5000 twice, 0 below the one before
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
