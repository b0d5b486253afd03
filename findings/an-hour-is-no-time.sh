#!/usr/bin/env bash
# "An hour" is no time. human-interval 2.0.1, by which agenda and Bree read intervals in words, knows "hour" and "one hour", and reads "an hour",
# "half an hour", "Five minutes" and "every 5 minutes" as 0, "1,000 seconds" as one second, and "500 milliseconds" as 500 seconds. None is
# an error, so that agenda 6.2.6, which refuses what it cannot read, runs a job of "an hour" again as soon as it has ended. Seen on
# Node 20.20.2, 2026-11-29, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts human-interval@2.0.1 agenda@6.2.6 @agendajs/redis-backend@3.0.7
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { RedisBackend } from '@agendajs/redis-backend';
import { Agenda } from 'agenda';
import humanInterval from 'human-interval';

const words = ['hour', 'one hour', 'an hour', 'half an hour', 'five minutes', 'Five minutes', 'every 5 minutes'];
for (const text of [...words, '2.5 minutes', '2 and a half minutes', '1000 seconds', '1,000 seconds', '500 milliseconds']) {
  console.log(`${text}: ${humanInterval(text) / 1_000} s`);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const agenda = new Agenda({ backend: new RedisBackend({ redisOptions: { path: process.argv[2] } }), processEvery: 50 });
const runs = { 'one hour': 0, 'an hour': 0 };
for (const text of Object.keys(runs)) {
  agenda.define(text, async () => {
    runs[text] += 1;
  });
}
await agenda.start();
for (const text of Object.keys(runs)) await agenda.every(text, text);
await sleep(3_000);
for (const [text, count] of Object.entries(runs)) console.log(`agenda, every "${text}": ${count === 1 ? 'one run' : 'many runs'} in 3 s`);
process.exit();
SHOW
cat >expected <<'SEEN'
hour: 3600 s
one hour: 3600 s
an hour: 0 s
half an hour: 0 s
five minutes: 300 s
Five minutes: 0 s
every 5 minutes: 0 s
2.5 minutes: 150 s
2 and a half minutes: 120 s
1000 seconds: 1000 s
1,000 seconds: 1 s
500 milliseconds: 500 s
agenda, every "one hour": one run in 3 s
agenda, every "an hour": many runs in 3 s
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
