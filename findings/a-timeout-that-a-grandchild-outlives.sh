#!/usr/bin/env bash
# A timeout that a grandchild outlives. `timeout` of execa 9.6.1, nano-spawn 2.1.0 and tinyexec 1.4.0 kills the process that was started. What that
# has started, the commands of a shell, a script of npm, has its pipes and lives on, and the call waits until the last of them is closed: under a
# limit of one second it takes the six that the grandchild needs, and then says that it timed out. A stronger signal, `forceKillAfterDelay` and
# `cancelSignal` change nothing. `exec` of Node closes the pipes and rejects in time, as execa does with `stdio: 'ignore'`, and the grandchild runs
# on; zx 8.8.5 ends it. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts execa@9.6.1 nano-spawn@2.1.0 tinyexec@1.4.0 zx@8.8.5
cat >show.mjs <<'SHOW'
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { execa } from 'execa';
import spawn from 'nano-spawn';
import { x } from 'tinyexec';
import { $ } from 'zx';

const command = 'sleep 6 | cat; true';
const shell = ['sh', ['-c', command]];
const timeout = 1_000;
const calls = {
  'exec of Node': () => promisify(exec)(command, { timeout }),
  execa: () => execa(...shell, { timeout }),
  'execa, SIGKILL': () => execa(...shell, { timeout, killSignal: 'SIGKILL' }),
  'execa, cancelSignal': () => execa(...shell, { cancelSignal: AbortSignal.timeout(timeout) }),
  "execa, stdio: 'ignore'": () => execa(...shell, { timeout, stdio: 'ignore' }),
  'nano-spawn': () => spawn(...shell, { timeout }),
  tinyexec: () => x(...shell, { timeout, throwOnError: true }),
  zx: () => $({ timeout })`sleep 6 | cat; true`,
};

async function measure([name, call]) {
  const startedAt = Date.now();
  const isRejected = await call().then(
    () => false,
    () => true,
  );
  const when = Date.now() - startedAt < 4_000 ? 'in time' : 'after the grandchild';
  return `${name}: ${isRejected ? 'rejects' : 'resolves'} ${when}`;
}
for (const line of await Promise.all(Object.entries(calls).map(measure))) console.log(line);
SHOW
cat >expected <<'SEEN'
exec of Node: rejects in time
execa: rejects after the grandchild
execa, SIGKILL: rejects after the grandchild
execa, cancelSignal: rejects after the grandchild
execa, stdio: 'ignore': rejects in time
nano-spawn: rejects after the grandchild
tinyexec: rejects after the grandchild
zx: rejects in time
SEEN
TZ=UTC node show.mjs 2>/dev/null | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
