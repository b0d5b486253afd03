#!/usr/bin/env bash
# An SDK that calls what never passes retryable. The AI SDK 6.0.326 marks a refused certificate, a host that does not exist and a 409 as
# `isRetryable: true`, and repeats each: with its default of two retries it calls three times, 6 seconds later with the same answer. A policy
# that trusts the mark repeats them once more. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ai@6.0.326 @ai-sdk/openai@3.0.141
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

execFileSync('openssl', [
  ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
  ...['-keyout', 'key.pem', '-out', 'cert.pem'],
], { stdio: 'ignore' });
const conflict = createServer((_request, response) => {
  response.writeHead(409, { 'content-type': 'application/json' }).end('{"error":{"message":"conflict"}}');
});
const secure = createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') });
for (const server of [conflict, secure]) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const urls = {
  'a refused certificate': `https://127.0.0.1:${secure.address().port}`,
  'an unknown host': 'http://nohost.invalid',
  'a 409': `http://127.0.0.1:${conflict.address().port}`,
};
for (const [name, baseURL] of Object.entries(urls)) {
  let calls = 0;
  const fetchCounted = (...given) => {
    calls += 1;
    return fetch(...given);
  };
  const model = createOpenAI({ apiKey: 'none', baseURL, fetch: fetchCounted })('gpt-4');
  const { errors } = await generateText({ model, prompt: 'x' }).catch((error) => error);
  console.log(`${name}: isRetryable ${errors[0].isRetryable}, ${calls} calls`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
a refused certificate: isRetryable true, 3 calls
an unknown host: isRetryable true, 3 calls
a 409: isRetryable true, 3 calls
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
