#!/usr/bin/env bash
# A backoff that never grows. launchdarkly-eventsource 2.2.0 doubles its delays up to `maxBackoffMillis`, and begins anew only after a connection that
# lasted for `retryResetIntervalMillis`. A server that greets each connection with a `retry:` field, as the standard offers it, resets the
# count with each greeting, though the delay that it asks for is the one of before: if its connections break at once, all clients
# come back after the first delay for ever. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts launchdarkly-eventsource@2.2.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import launchdarkly from 'launchdarkly-eventsource';

async function show(name, greeting) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`${greeting}data: hello\n\n`);
    setTimeout(() => response.destroy(), 30);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const options = { initialRetryDelayMillis: 100, maxBackoffMillis: 30_000, retryResetIntervalMillis: 60_000 };
  const source = new launchdarkly.EventSource(`http://127.0.0.1:${server.address().port}/`, options);
  source.onerror = () => undefined;
  const delays = [];
  await new Promise((resolve) => {
    source.onretrying = ({ delayMillis }) => {
      delays.push(delayMillis);
      if (delays.length === 5) resolve();
    };
  });
  source.close();
  console.log(`${name}: delays ${delays.join(', ')}`);
}
await show('no retry field', '');
await show('retry: 100', 'retry: 100\n\n');
process.exit();
SHOW
cat >expected <<'SEEN'
no retry field: delays 100, 200, 400, 800, 1600
retry: 100: delays 100, 100, 100, 100, 100
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
