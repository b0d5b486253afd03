#!/usr/bin/env bash
# Work that is done and reported as failed. `using` of redlock 5.0.0-beta.2 and @sesamecare-oss/redlock 1.4.0 promises the value of the routine, and
# tells it by a signal when the lock could not be extended. After the routine it releases the lock, and if that is gone, as after half a second in
# which the event loop was busy, it tries eleven times, for two seconds, and rejects with that: the value of work that is done is lost, an error of
# the routine is replaced, and who repeats what rejects does it twice. The signal, too, comes two seconds late. That a release may fail without harm
# is said of `release`, not of `using`. Seen on Node 20.20.2, 2026-11-30, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts redlock@5.0.0-beta.2 @sesamecare-oss/redlock@1.4.0 ioredis@5.11.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { Redlock as SesamecareRedlock } from '@sesamecare-oss/redlock';
import { Redis } from 'ioredis';
import Redlock from 'redlock';

const redis = new Redis(process.argv[2]);
const work = (ms) => {
  const endsAt = Date.now() + ms;
  while (Date.now() < endsAt);
};

async function show(name, lock) {
  const using = async (ms, end) => {
    const routine = async () => {
      work(ms);
      return end();
    };
    return await lock.using(['order:1'], 700, routine).catch((error) => `rejects with ${error.name}: ${error.message}`);
  };
  const fail = () => {
    throw new Error('card declined');
  };
  console.log(`${name}, 10 ms: ${await using(10, () => 'paid')}`);
  console.log(`${name}, 10 ms, failing: ${await using(10, fail)}`);
  console.log(`${name}, 1000 ms: ${await using(1_000, () => 'paid')}`);
  console.log(`${name}, 1000 ms, failing: ${await using(1_000, fail)}`);
}
await show('redlock', new Redlock([redis]));
await show('sesamecare', new SesamecareRedlock([redis]));
redis.disconnect();
SHOW
cat >expected <<'SEEN'
redlock, 10 ms: paid
redlock, 10 ms, failing: rejects with Error: card declined
redlock, 1000 ms: rejects with ExecutionError: The operation was unable to achieve a quorum during its retry window.
redlock, 1000 ms, failing: rejects with ExecutionError: The operation was unable to achieve a quorum during its retry window.
sesamecare, 10 ms: paid
sesamecare, 10 ms, failing: rejects with Error: card declined
sesamecare, 1000 ms: rejects with ExecutionError: The operation was unable to achieve a quorum during its retry window.
sesamecare, 1000 ms, failing: rejects with ExecutionError: The operation was unable to achieve a quorum during its retry window.
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
