#!/usr/bin/env bash
# A condition that counts by the way it is written. retry-as-promised 7.1.1, by which Sequelize repeats its queries, takes classes and functions in
# `match`, and tells them apart by trying `instanceof`: an arrow is asked, the same condition as a `function` is taken for the class of another error
# and stops all retries, without being called, and an async one allows each, as its answer is a promise. And a callback that throws before there is
# a promise, which its types allow, is not repeated at all, where an async one is. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts retry-as-promised@7.1.1
cat >show.mjs <<'SHOW'
import promised from 'retry-as-promised';

async function show(name, match, createCallback) {
  let calls = 0;
  const fail = () => {
    calls += 1;
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  };
  await promised.retryAsPromised(createCallback(fail), { max: 3, backoffBase: 1, match }).catch(() => undefined);
  console.log(`${name}: ${calls} of 3`);
}
const asynchronous = (fail) => async () => fail();
const isBusy = (error) => error.code === 'SQLITE_BUSY';
await show('an arrow that says yes', isBusy, asynchronous);
await show('a function that says yes', function (error) { return isBusy(error); }, asynchronous);
await show('an arrow that says no', () => false, asynchronous);
await show('an async arrow that says no', async () => false, asynchronous);
await show('no match, a plain callback', undefined, (fail) => fail);
await show('no match, an async callback', undefined, asynchronous);
SHOW
cat >expected <<'SEEN'
an arrow that says yes: 3 of 3
a function that says yes: 1 of 3
an arrow that says no: 1 of 3
an async arrow that says no: 3 of 3
no match, a plain callback: 1 of 3
no match, an async callback: 3 of 3
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
