#!/usr/bin/env bash
# Half past two is a text, half past twelve a number. In YAML 1.1 digits with a colon are a number to the base of sixty: js-yaml 3.14.2 and PyYAML
# 6.0, which Ansible reads with, make `at: 12:30` 750 and `timeout: 1:30` 90, and leave `at: 02:30` a text, as no number begins with 0. `010` retries
# are eight. In YAML 1.2, of js-yaml 4.3.2 and yaml 2.9.1, all three are texts, and 010 is ten; `1_000` is a thousand to the former and a text to the
# latter, and `1e3` a number to all but PyYAML. One schedule, read by two programs, is two. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-yaml=6.0-3+b2 >/dev/null 2>&1
dpkg-deb --extract python3-yaml_*.deb .
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts js-yaml@3.14.2 yaml@2.9.1 js-yaml-4@npm:js-yaml@4.3.2
cat >schedule.yaml <<'YAML'
at_night: 02:30
at_noon: 12:30
timeout: 1:30
delay: 1e3
retries: 010
limit: 1_000
YAML
cat >show.mjs <<'SHOW'
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import yaml3 from 'js-yaml';
import * as yaml4 from 'js-yaml-4';
import { parse } from 'yaml';

const text = readFileSync('schedule.yaml', 'utf8');
const python = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))';
const readers = {
  'js-yaml 3': yaml3.safeLoad(text),
  'PyYAML': JSON.parse(execFileSync('/usr/bin/python3', ['-c', python], { input: text, env: { PYTHONPATH: 'usr/lib/python3/dist-packages' } })),
  'js-yaml 4': yaml4.load(text),
  yaml: parse(text),
};
for (const [name, read] of Object.entries(readers)) console.log(`${name}: ${JSON.stringify(read)}`);
SHOW
cat >expected <<'SEEN'
js-yaml 3: {"at_night":"02:30","at_noon":750,"timeout":90,"delay":1000,"retries":8,"limit":1000}
PyYAML: {"at_night":"02:30","at_noon":750,"timeout":90,"delay":"1e3","retries":8,"limit":1000}
js-yaml 4: {"at_night":"02:30","at_noon":"12:30","timeout":"1:30","delay":1000,"retries":10,"limit":"1_000"}
yaml: {"at_night":"02:30","at_noon":"12:30","timeout":"1:30","delay":1000,"retries":10,"limit":"1_000"}
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
