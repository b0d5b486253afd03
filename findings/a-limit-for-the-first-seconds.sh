#!/usr/bin/env bash
# A limit for the first seconds. By its documentation pm2 7.0.4 restarts an app that exits in less than `min_uptime` `max_restarts` times. It counts that
# for the first `max_restarts` times `min_uptime` after somebody has started the app, 16 s by default, and not later. With a `restart_delay` or
# `exp_backoff_restart_delay` that time is over before the number is reached, and an app that cannot start is started for ever; so is one that ran well
# for a minute and then fails at once, without any delay. Seen on Node 20.20.2, 2026-11-30, with a limit of three in twelve seconds.
set -euo pipefail
folder="$(mktemp -d)"
export PM2_HOME="$folder/home" CI=1
trap '"$folder/node_modules/.bin/pm2" kill >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts pm2@7.0.4
cat >app.js <<'APP'
// Fails at once; with an argument, its first run fails after as many seconds as that says.
const { appendFileSync, existsSync } = require('node:fs');
const [file, seconds] = process.argv.slice(2);
const isFirst = !existsSync(file);
appendFileSync(file, '.');
setTimeout(() => process.exit(1), isFirst ? Number(seconds ?? 0) * 1_000 : 0);
APP
cat >ecosystem.config.js <<'CONFIG'
const app = { script: 'app.js', min_uptime: 4_000, max_restarts: 3 };
module.exports = {
  apps: [
    { ...app, name: 'fails at once', args: 'first' },
    { ...app, name: 'fails at once, restart_delay of 7 s', args: 'second', restart_delay: 7_000 },
    { ...app, name: 'fails at once, exp_backoff_restart_delay of 7 s', args: 'third', exp_backoff_restart_delay: 7_000 },
    { ...app, name: 'is well for 13 s, and then fails at once', args: 'fourth 13' },
  ],
};
CONFIG
node_modules/.bin/pm2 start ecosystem.config.js >/dev/null 2>&1
sleep 60
cat >show.mjs <<'SHOW'
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const apps = JSON.parse(execFileSync('node_modules/.bin/pm2', ['jlist', '--silent'], { encoding: 'utf8', maxBuffer: 1e8 }));
for (const { name, pm2_env } of apps) {
  const runs = readFileSync(pm2_env.args[0], 'utf8').length;
  console.log(`${name}: ${pm2_env.status === 'errored' ? 'given up' : 'started again'} after ${runs > 4 ? 'more than four' : 'up to four'} runs`);
}
SHOW
cat >expected <<'SEEN'
fails at once: given up after up to four runs
fails at once, restart_delay of 7 s: started again after more than four runs
fails at once, exp_backoff_restart_delay of 7 s: started again after more than four runs
is well for 13 s, and then fails at once: started again after more than four runs
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
