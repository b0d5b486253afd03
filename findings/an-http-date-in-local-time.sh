#!/usr/bin/env bash
# A date of HTTP in local time. By RFC 9110 who reads a date has to take three forms of it, and all of them are GMT. The oldest, that of C's `asctime`, has
# no zone, and `new Date` takes what has none for local time, as do those who read `Retry-After` by it. "In three seconds" is at once to got 14.6.6,
# axios-retry 4.5.0 and the RetryAgent of undici 7.30.2 in Tokyo, and five hours later in New York, for which got waits if nothing bounds it; retry-axios
# 4.0.3 gives up in both. In UTC, where tests run, each of them waits for three seconds, and so it is everywhere with the other forms. Seen on Node
# 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts got@14.6.6 axios@1.21.1 axios-retry@4.5.0 retry-axios@4.0.3 undici@7.30.2
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import * as rax from 'retry-axios';
import { Agent, RetryAgent, request } from 'undici';

const forms = {
  asctime: (date) => date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, (_, weekday, day, month, year, time) => `${weekday} ${month} ${`${Number(day)}`.padStart(2)} ${time} ${year}`),
  usual: (date) => date.toUTCString(),
};
const asked = {};
const server = createServer((incoming, response) => {
  const [, form] = incoming.url.split('/');
  (asked[incoming.url] ??= []).push(performance.now());
  if (asked[incoming.url].length > 1) return response.end('{}');
  return response.writeHead(503, { 'Retry-After': forms[form](new Date(Date.now() + 3_000)) }).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const withRetry = axios.create();
axiosRetry(withRetry, { retries: 1 });
const withRax = axios.create({ raxConfig: { retry: 1 } });
rax.attach(withRax);
const dispatcher = new RetryAgent(new Agent(), { maxTimeout: 86_400_000 });
const clients = {
  got: (url) => got(url, { retry: { limit: 1 } }),
  'axios-retry': (url) => withRetry.get(url),
  'retry-axios': (url) => withRax.get(url),
  undici: (url) => request(url, { dispatcher }),
};
async function show(client, form) {
  const path = `/${form}/${client}`;
  const call = clients[client](`http://127.0.0.1:${server.address().port}${path}`).then(
    () => 'answered',
    () => 'rejected',
  );
  const end = await Promise.race([call, sleep(8_000, 'still waiting after 8 s')]);
  const [first, second] = asked[path];
  const waited = second === undefined ? '' : second - first < 1_500 ? ' at once' : second - first < 6_000 ? ' after the delay' : ' late';
  return `${process.env.TZ}, ${form}, ${client}: ${end}${waited}`;
}
const lines = await Promise.all(Object.keys(forms).flatMap((form) => Object.keys(clients).map((client) => show(client, form))));
console.log(lines.join('\n'));
process.exit();
SHOW
for zone in UTC Asia/Tokyo America/New_York; do TZ="$zone" node show.mjs; done | tee seen
cat >expected <<'SEEN'
UTC, asctime, got: answered after the delay
UTC, asctime, axios-retry: answered after the delay
UTC, asctime, retry-axios: answered after the delay
UTC, asctime, undici: answered after the delay
UTC, usual, got: answered after the delay
UTC, usual, axios-retry: answered after the delay
UTC, usual, retry-axios: answered after the delay
UTC, usual, undici: answered after the delay
Asia/Tokyo, asctime, got: answered at once
Asia/Tokyo, asctime, axios-retry: answered at once
Asia/Tokyo, asctime, retry-axios: rejected
Asia/Tokyo, asctime, undici: answered at once
Asia/Tokyo, usual, got: answered after the delay
Asia/Tokyo, usual, axios-retry: answered after the delay
Asia/Tokyo, usual, retry-axios: answered after the delay
Asia/Tokyo, usual, undici: answered after the delay
America/New_York, asctime, got: still waiting after 8 s
America/New_York, asctime, axios-retry: still waiting after 8 s
America/New_York, asctime, retry-axios: rejected
America/New_York, asctime, undici: still waiting after 8 s
America/New_York, usual, got: answered after the delay
America/New_York, usual, axios-retry: answered after the delay
America/New_York, usual, retry-axios: answered after the delay
America/New_York, usual, undici: answered after the delay
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
