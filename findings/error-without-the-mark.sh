#!/usr/bin/env bash
# An error that is none by its mark. The FetchError of node-fetch 2.7.0 is made by a function, not by a class: `instanceof Error` holds, but
# `util.types.isNativeError`, `Object.prototype.toString` and `structuredClone` take it for a plain object, so that a worker thread
# receives a plain object, and code that walks the causes by their mark passes it by. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node-fetch@2.7.0
cat >show.mjs <<'SHOW'
import { types } from 'node:util';
import fetch2 from 'node-fetch';

const causes = {
  'node-fetch 2': await fetch2('http://127.0.0.1:9').catch((error) => error),
  fetch: await fetch('http://127.0.0.1:9').catch((error) => error),
};
for (const [name, error] of Object.entries(causes)) {
  const clone = structuredClone(error);
  console.log(
    `${name}: instanceof Error ${error instanceof Error}, isNativeError ${types.isNativeError(error)}, ` +
      `${Object.prototype.toString.call(error)}, cloned: an Error: ${clone instanceof Error}`,
  );
}
SHOW
cat >expected <<'SEEN'
node-fetch 2: instanceof Error true, isNativeError false, [object Object], cloned: an Error: false
fetch: instanceof Error true, isNativeError true, [object Error], cloned: an Error: true
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
