#!/usr/bin/env bash
# Clients that stand in one line. By its documentation the throttling of @octokit/plugin-throttling 11.0.5 is shared by clients with the same `id`
# that use the same Redis server. Without Redis, the default, it is shared as well, by all clients of the process, whatever token they have, as the
# `id` of each is "no-id": a server that writes for a hundred users, each by a token of their own, writes once a second for all of them, and opens
# an issue every three. An `id` for each client parts them. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @octokit/core@7.0.6 @octokit/plugin-throttling@11.0.5
cat >show.mjs <<'SHOW'
import { Octokit } from '@octokit/core';
import { throttling } from '@octokit/plugin-throttling';

const ThrottledOctokit = Octokit.plugin(throttling);

async function show(name, idOf) {
  const started = performance.now();
  const write = async (token) => {
    const respond = async () => {
      console.log(`${name}: ${token} writes at ${Math.round((performance.now() - started) / 1_000)} s`);
      return new Response('{}', { status: 201, headers: { 'content-type': 'application/json' } });
    };
    const throttle = { ...idOf(token), onRateLimit: () => false, onSecondaryRateLimit: () => false };
    const octokit = new ThrottledOctokit({ auth: token, throttle, request: { fetch: respond } });
    await octokit.request('POST /user/repos', { name: 'example' });
  };
  await Promise.all(['token-a', 'token-b', 'token-c'].map(write));
}
await show('no id', () => ({}));
await show('an id each', (token) => ({ id: token }));
process.exit();
SHOW
cat >expected <<'SEEN'
no id: token-a writes at 0 s
no id: token-b writes at 1 s
no id: token-c writes at 2 s
an id each: token-a writes at 0 s
an id each: token-b writes at 0 s
an id each: token-c writes at 0 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
