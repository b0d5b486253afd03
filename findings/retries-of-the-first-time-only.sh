#!/usr/bin/env bash
# Retries that a recurring job has once. agenda 6.2.6 counts the failures of a job since its last success, over all its runs: after one run that
# used its retries up the next ones, days later, have none, until one goes well at the first try. In `combine` each strategy is given
# the count of the whole job, not its own: the example of its documentation, two quick retries and "3 more" with exponential delays,
# makes three in all, and the third waits for four times the first delay. Seen on Node 20.20.2, 2026-11-29, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts agenda@6.2.6 @agendajs/redis-backend@3.0.7
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { RedisBackend } from '@agendajs/redis-backend';
import { Agenda, combine, constant, exponential } from 'agenda';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const backend = new RedisBackend({ redisOptions: { path: process.argv[2] } });
const agenda = new Agenda({ backend, processEvery: 50 });
const fail = async () => {
  throw new Error('busy');
};

const quickAtFirst = ({ attempt }) => (attempt <= 2 ? 100 : null);
agenda.define('mail', fail, { backoff: combine(quickAtFirst, exponential({ delay: 300, maxRetries: 3 })) });
const delays = [];
agenda.on('retry:mail', (_job, { delay }) => delays.push(delay));

const starts = [];
const failAndNote = async () => {
  starts.push(Date.now());
  throw new Error('busy');
};
agenda.define('report', failAndNote, { backoff: constant({ delay: 100, maxRetries: 2 }) });

await agenda.start();
await agenda.now('mail', {});
await agenda.every('2 seconds', 'report');
await sleep(7_500);
console.log(`two quick retries and three more, delays: ${delays.join(', ')}`);
const runs = [];
for (const [index, at] of starts.entries()) {
  if (index === 0 || at - starts[index - 1] > 1_000) runs.push(0);
  runs[runs.length - 1] += 1;
}
console.log(`every two seconds with two retries, attempts: ${runs.slice(0, 3).join(', then ')}`);
process.exit();
SHOW
cat >expected <<'SEEN'
two quick retries and three more, delays: 100, 100, 1200
every two seconds with two retries, attempts: 3, then 1, then 1
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
