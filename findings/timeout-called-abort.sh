#!/usr/bin/env bash
# Timeouts that blame the user. When their own timeout ends a request, airtable 0.12.2 and pusher 5.3.4 report an AbortError, "The user aborted a
# request.": the same name and text as of a call that the caller gave up, so that nothing can retry one and leave the other alone. Seen on
# Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts airtable@0.12.2 pusher@5.3.4
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import Airtable from 'airtable';
import Pusher from 'pusher';

const server = createServer((request) => request.resume()); // it never answers
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();

const clients = {
  airtable: () =>
    new Airtable({ apiKey: 'none', endpointUrl: `http://127.0.0.1:${port}`, requestTimeout: 300 }).base('appx')('t').find('recx'),
  pusher: () =>
    new Pusher({ appId: '1', key: 'k', secret: 's', host: '127.0.0.1', port, timeout: 300 }).trigger('c', 'e', {}),
};
for (const [name, call] of Object.entries(clients)) {
  const thrown = await call().catch((error) => error);
  const reason = thrown.error instanceof Error ? thrown.error : thrown;
  console.log(`${name}, after its own timeout: ${reason.name}: ${reason.message}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
airtable, after its own timeout: AbortError: The user aborted a request.
pusher, after its own timeout: AbortError: The user aborted a request.
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
