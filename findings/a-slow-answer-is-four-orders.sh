#!/usr/bin/env bash
# A slow answer that is four orders. When its own timeout ends a request, @discordjs/rest 2.6.3 sends it again, up to three times, and so does
# @opensearch-project/opensearch 3.9.0: a POST, too, which the server may have carried out each time. A message stands in the channel four times, a
# document without an id is indexed four times, and the caller is told of a timeout, four times as late as it was set to. No option of either tells
# a timeout from a refused connection: `retries: 0`, `maxRetries: 0` end all. @elastic/elasticsearch 9.5.1 sends one. Seen on Node 20.20.2,
# 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @discordjs/rest@2.6.3 @opensearch-project/opensearch@3.9.0 @elastic/elasticsearch@9.5.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { REST } from '@discordjs/rest';
import { Client as Elasticsearch } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';

let carriedOut = 0;
const server = createServer((request, response) => {
  if (request.method === 'POST') carriedOut += 1;
  request.resume();
  setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), 6_000);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const rest = new REST({ api: url, timeout: 1_000 }).setToken('token');
const options = { node: url, requestTimeout: 1_000 };
const posts = {
  '@discordjs/rest': () => rest.post('/channels/1/messages', { body: { content: 'hello' } }),
  '@opensearch-project/opensearch': () => new OpenSearch(options).index({ index: 'orders', body: { cents: 10 } }),
  '@elastic/elasticsearch': () => new Elasticsearch(options).index({ index: 'orders', document: { cents: 10 } }),
};
for (const [name, post] of Object.entries(posts)) {
  carriedOut = 0;
  const end = await post().catch((error) => error.name);
  console.log(`${name}: ${end}, and ${carriedOut} sent`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
@discordjs/rest: AbortError, and 4 sent
@opensearch-project/opensearch: TimeoutError, and 4 sent
@elastic/elasticsearch: TimeoutError, and 1 sent
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
