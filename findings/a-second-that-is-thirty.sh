#!/usr/bin/env bash
# A second that is thirty. `headersTimeout` and `requestTimeout` of a server of Node 20.20.2 are the time in which it has to receive a request, by their
# documentation. It looks for requests that are late each 30 s: under a limit of a second a client that says no more in the middle of its request may
# keep its connection for half a minute, and under one of a minute for ninety seconds. `connectionsCheckingInterval`, an option of `createServer`, is
# how often it looks. Seen on 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import { connect } from 'node:net';

/** Sends the beginning of a request, and no more. Returns the line by which it is answered, and when. */
const show = (name, options, text) =>
  new Promise((resolve) => {
    const server = createServer({ headersTimeout: 1_000, requestTimeout: 1_000, ...options }, (request) => request.resume());
    server.listen(0, '127.0.0.1', () => {
      const start = performance.now();
      let answer = '';
      const client = connect(server.address().port, '127.0.0.1', () => client.write(text));
      client.on('data', (piece) => (answer += piece));
      client.on('close', () => {
        server.close();
        const seconds = (performance.now() - start) / 1_000;
        const end = seconds < 5 ? 'within five seconds' : seconds > 25 && seconds < 40 ? 'after some thirty seconds' : `after ${seconds} s`;
        resolve(`${name}: ${answer.split('\r\n')[0]} ${end}`);
      });
    });
  });
const head = 'POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n';
const often = { connectionsCheckingInterval: 500 };
const shown = await Promise.all([
  show('half of the headers', {}, head),
  show('half of the body', {}, `${head}\r\n12345`),
  show('half of the headers, looked at each half second', often, head),
  show('half of the body, looked at each half second', often, `${head}\r\n12345`),
]);
console.log(shown.join('\n'));
SHOW
cat >expected <<'SEEN'
half of the headers: HTTP/1.1 408 Request Timeout after some thirty seconds
half of the body: HTTP/1.1 408 Request Timeout after some thirty seconds
half of the headers, looked at each half second: HTTP/1.1 408 Request Timeout within five seconds
half of the body, looked at each half second: HTTP/1.1 408 Request Timeout within five seconds
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
