#!/usr/bin/env bash
# An error named "200 OK". When a response breaks off, contentful 11.12.10 throws an error whose name is `200 OK` and whose message is a JSON text
# with `"status": 200`: the code ECONNRESET and the cause of axios are gone, so that nothing says that the connection was lost. Seen on Node
# 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts contentful@11.12.10
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import { createClient } from 'contentful';

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"a":');
  setTimeout(() => request.socket.destroy(), 100);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${server.address().port}`;
const client = createClient({ space: 's', accessToken: 'none', host, insecure: true, retryOnError: false });
const error = await client.getEntry('e').catch((thrown) => thrown);
console.log(`name: ${error.name}, code: ${error.code}, cause: ${error.cause}`);
console.log(`status in its message: ${JSON.parse(error.message).status}`);
process.exit();
SHOW
cat >expected <<'SEEN'
name: 200 OK, code: undefined, cause: undefined
status in its message: 200
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
