#!/usr/bin/env bash
# Events that a reconnect loses. A stream of events is resumed after the id in `Last-Event-ID`, which by the standard is that of the last event that
# was complete. @microsoft/fetch-event-source 2.0.1 and extended-eventsource 2.1.0 take an id as soon as its line is read: when the
# connection breaks before the empty line that ends the event, they ask for what comes after an event that they never handed over, and
# nobody misses it. eventsource 4.1.1 and eventsource-client 1.2.0 get it again. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @microsoft/fetch-event-source@2.0.1 extended-eventsource@2.1.0 \
  eventsource@4.1.1 eventsource-client@1.2.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { createEventSource } from 'eventsource-client';
import { EventSource as ExtendedEventSource } from 'extended-eventsource';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const print = console.log;
console.log = console.warn = console.error = () => undefined;
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };

const events = [1, 2, 3].map((id) => [id, `id: ${id}\ndata: event ${id}\n\n`]);
async function show(name, listen) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const last = request.headers['last-event-id'] ?? '0';
    asked.push(last);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 200\n\n');
    if (asked.length > 1) {
      for (const [id, text] of events) if (id > Number(last)) response.write(text);
      return;
    }
    response.write(events[0][1]);
    await sleep(50);
    response.write(events[1][1].slice(0, 10));
    await sleep(50);
    request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen = [];
  const end = listen(`http://127.0.0.1:${server.address().port}/`, (data) => data && seen.push(data));
  while (asked.length < 2) await sleep(50);
  await sleep(500);
  end();
  print(`${name}: resumed after ${asked[1]}, seen ${seen.join(', ')}`);
}

await show('fetch-event-source', (url, onData) => {
  const controller = new AbortController();
  const onmessage = ({ data }) => onData(data);
  fetchEventSource(url, { signal: controller.signal, openWhenHidden: true, onmessage }).catch(() => undefined);
  return () => controller.abort();
});
for (const [name, Source] of [['extended-eventsource', ExtendedEventSource], ['eventsource', EventSource]]) {
  await show(name, (url, onData) => {
    const source = new Source(url);
    source.onmessage = ({ data }) => onData(data);
    return () => source.close();
  });
}
await show('eventsource-client', (url, onData) => {
  const source = createEventSource({ url, onMessage: ({ data }) => onData(data) });
  return () => source.close();
});
process.exit();
SHOW
cat >expected <<'SEEN'
fetch-event-source: resumed after 2, seen event 1, event 3
extended-eventsource: resumed after 2, seen event 1, event 3
eventsource: resumed after 1, seen event 1, event 2, event 3
eventsource-client: resumed after 1, seen event 1, event 2, event 3
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
