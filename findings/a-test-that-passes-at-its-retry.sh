#!/usr/bin/env bash
# A test that passes at its retry. jest-specific-snapshot 8.0.0 numbers the snapshots of a test, and does not begin anew when jest 30.5.2 repeats it
# by `retryTimes`: the first try compares with the stored one and fails, the second finds none with its number, stores what it sees, and passes. A
# changed price is green, its old and its new value are both in the file, and from then on it passes with `--ci` as well. The snapshots of jest itself
# fail in all three tries. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts jest@30.5.2 jest-specific-snapshot@8.0.0
cat >price.test.js <<'TEST'
require('jest-specific-snapshot');

if (process.env.RETRIES) jest.retryTimes(Number(process.env.RETRIES));
const price = Number(process.env.PRICE);

test('of jest', () => expect({ price }).toMatchSnapshot());
test('of jest-specific-snapshot', () => expect({ price }).toMatchSpecificSnapshot('./price.snap'));
TEST
run() { # name, options of jest
  name="$1"
  shift
  npx jest --json --outputFile=result.json "$@" >/dev/null 2>&1 || true
  node -e '
    const { testResults } = JSON.parse(require("fs").readFileSync("result.json", "utf8"));
    for (const { title, status, invocations } of testResults[0].assertionResults) console.log(`${process.argv[1]}, ${title}: ${status}, run ${invocations} times`);
  ' "$name"
}
{
  PRICE=10 run 'a price of 10 is stored'
  PRICE=12 run 'then it is 12'
  PRICE=12 RETRIES=2 run 'it is 12, with retryTimes(2)'
  PRICE=12 RETRIES=2 run 'again' --ci
  echo "stored for the one test of jest-specific-snapshot: $(grep -c '^exports' price.snap) snapshots"
} | tee seen
cat >expected <<'SEEN'
a price of 10 is stored, of jest: passed, run 1 times
a price of 10 is stored, of jest-specific-snapshot: passed, run 1 times
then it is 12, of jest: failed, run 1 times
then it is 12, of jest-specific-snapshot: failed, run 1 times
it is 12, with retryTimes(2), of jest: failed, run 3 times
it is 12, with retryTimes(2), of jest-specific-snapshot: passed, run 2 times
again, of jest: failed, run 3 times
again, of jest-specific-snapshot: passed, run 2 times
stored for the one test of jest-specific-snapshot: 2 snapshots
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
