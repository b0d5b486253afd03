#!/usr/bin/env bash
# No time left is all the time there is. What remains of a deadline is handed on as a timeout, `Math.max(0, deadline - now)`, and when the deadline is
# over that is 0. To axios 1.21.1, node-fetch 2.7.0, needle 3.5.0, superagent 10.4.2, ofetch 1.5.1, undici 7.30.2, to `execFile` of Node, and to curl,
# wget and `timeout` of Debian 12 it means none: the call that should not be made any more is the one without a limit. got 14.6.6, ky 2.1.0, p-timeout
# 7.0.2 and `AbortSignal.timeout` end at once. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 got@14.6.6 ky@2.1.0 superagent@10.4.2 needle@3.5.0 node-fetch@2.7.0 ofetch@1.5.1 undici@7.30.2 p-timeout@7.0.2
cat >show.mjs <<'SHOW'
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import needle from 'needle';
import nodeFetch from 'node-fetch';
import { ofetch } from 'ofetch';
import pTimeout from 'p-timeout';
import superagent from 'superagent';
import { request } from 'undici';

const run = promisify(execFile);
const server = createServer((_, response) => setTimeout(() => response.end('late'), 2_500)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

// A deadline that is over: what is left of it is no time.
const left = Math.max(0, Date.parse('2026-11-30T00:00:00Z') - Date.parse('2026-11-30T00:00:01Z'));
const calls = {
  'axios, timeout': () => axios.get(url, { timeout: left }),
  'node-fetch 2, timeout': () => nodeFetch(url, { timeout: left }).then((response) => response.text()),
  'needle, response_timeout': () => needle('get', url, { response_timeout: left }),
  'superagent, timeout': () => superagent.get(url).timeout(left),
  'ofetch, timeout': () => ofetch(url, { timeout: left, retry: 0 }),
  'undici, headersTimeout': () => request(url, { headersTimeout: left }).then(({ body }) => body.text()),
  'got, timeout.request': () => got(url, { timeout: { request: left }, retry: { limit: 0 } }),
  'ky, timeout': () => ky(url, { timeout: left, retry: 0 }).text(),
  'fetch, AbortSignal.timeout': () => fetch(url, { signal: AbortSignal.timeout(left) }),
  'p-timeout, milliseconds': () => pTimeout(fetch(url), { milliseconds: left }),
  'curl --max-time': () => run('curl', ['--silent', '--fail', '--max-time', `${left}`, url]),
  'wget --timeout': () => run('wget', ['--quiet', '--tries=1', '--timeout', `${left}`, '--output-document=-', url]),
  'timeout of coreutils': () => run('timeout', [`${left}`, 'sleep', '2.5']),
  'execFile of Node, timeout': () => run('sleep', ['2.5'], { timeout: left }),
};
const ends = await Promise.all(Object.entries(calls).map(async ([name, call]) => {
  const startedAt = Date.now();
  const end = await call().then(() => 'waits', () => 'is over');
  return `${name}: ${end}${end === 'is over' && Date.now() - startedAt > 2_000 ? ', late' : ''}`;
}));
console.log(ends.join('\n'));
process.exit();
SHOW
cat >expected <<'SEEN'
axios, timeout: waits
node-fetch 2, timeout: waits
needle, response_timeout: waits
superagent, timeout: waits
ofetch, timeout: waits
undici, headersTimeout: waits
got, timeout.request: is over
ky, timeout: is over
fetch, AbortSignal.timeout: is over
p-timeout, milliseconds: is over
curl --max-time: waits
wget --timeout: waits
timeout of coreutils: waits
execFile of Node, timeout: waits
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
