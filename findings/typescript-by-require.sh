#!/usr/bin/env bash
# A loader that finds itself by `import` only. tsx 4.23.15 documents `tsImport` of `tsx/esm/api`, by which a program runs a configuration in
# TypeScript. A CommonJS program that takes it by `require` gets the function, and its first call ends the process, by an error that no
# `catch` of the call gets: what it registers is looked for in `dist/esm/api/esm`, where there is nothing. By `import` the same call
# returns the module. Of a package that is no ES module, that has its default export in a second `default`. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund tsx@4.23.15
npm pkg delete type main >/dev/null
mkdir modules && echo '{ "type": "module" }' >modules/package.json
echo 'const retry: { attempts: number } = { attempts: 3 }; export default retry;' | tee retry.config.ts >modules/retry.config.ts
cat >by-require.cjs <<'SHOW'
const { tsImport } = require('tsx/esm/api');
tsImport('./retry.config.ts', __filename).then(
  (module) => console.log(`by require: ${JSON.stringify(module.default)}`),
  (error) => console.log(`by require: rejected with ${error.code}`),
);
SHOW
cat >by-import.mjs <<'SHOW'
import { tsImport } from 'tsx/esm/api';

for (const file of ['./retry.config.ts', './modules/retry.config.ts']) {
  const module = await tsImport(file, import.meta.url);
  console.log(`by import, ${file}: ${JSON.stringify(module.default)}`);
}
SHOW
cat >expected <<'SEEN'
by require: exit 1, ERR_MODULE_NOT_FOUND
by import, ./retry.config.ts: {"default":{"attempts":3}}
by import, ./modules/retry.config.ts: {"attempts":3}
SEEN
{
  ended=0
  error="$(node by-require.cjs 2>&1)" || ended=$?
  echo "by require: exit $ended, $(grep -om1 'ERR_[A-Z_]*' <<<"$error" | head -1)"
  node by-import.mjs
} | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
