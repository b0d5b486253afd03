#!/usr/bin/env bash
# Failures that come out of a pool of workers without what decides a retry. piscina 5.3.2 and tinypool 2.2.0 send errors as structured clones:
# `code`, the name of a class of one's own and the `errors` of an AggregateError are gone, and a DOMException such as `AbortSignal.timeout` gives is `{}`,
# no error. In workerpool 10.0.3 that is an error without a word. jest-worker 30.5.1 keeps `code`, loses `cause`, and makes an AggregateError of
# the letters of its message. A predicate that works in one thread decides otherwise here. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts piscina@5.3.2 tinypool@2.2.0 workerpool@10.0.3 jest-worker@30.5.1
cat >work.cjs <<'SHOW'
const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
class Busy extends Error {
  name = 'Busy';
  code = 'E_BUSY';
}
const failures = {
  busy: () => new Busy('busy', { cause: reset() }),
  all: () => new AggregateError([reset()], 'all'),
  late: () => new DOMException('late', 'TimeoutError'),
};
module.exports.fail = async (kind) => {
  throw failures[kind]();
};
SHOW
cat >work.mjs <<'SHOW'
import work from './work.cjs';

export default work.fail;
SHOW
cat >work-of-workerpool.cjs <<'SHOW'
require('workerpool').worker(require('./work.cjs'));
SHOW
cat >show.mjs <<'SHOW'
import { Worker } from 'jest-worker';
import { Piscina } from 'piscina';
import { Tinypool } from 'tinypool';
import workerpool from 'workerpool';
import work from './work.cjs';

const path = (file) => `${import.meta.dirname}/${file}`;
const piscina = new Piscina({ filename: path('work.mjs'), maxThreads: 1 });
const tinypool = new Tinypool({ filename: path('work.mjs'), minThreads: 1, maxThreads: 1 });
const pool = workerpool.pool(path('work-of-workerpool.cjs'), { maxWorkers: 1, workerType: 'thread' });
const jest = new Worker(path('work.cjs'), { numWorkers: 1, enableWorkerThreads: true, exposedMethods: ['fail'] });

const runs = {
  'no pool': (kind) => work.fail(kind),
  piscina: (kind) => piscina.run(kind),
  tinypool: (kind) => tinypool.run(kind),
  workerpool: (kind) => pool.exec('fail', [kind]),
  'jest-worker': (kind) => jest.fail(kind),
};
const codes = (errors) =>
  Array.from(errors ?? [], (error) => (typeof error === 'object' ? (error.code ?? 'no code') : error)).join(' ');
const show = {
  busy: (error) => `${error.name} ${error.code}, caused by ${error.cause?.code ?? error.cause?.message}`,
  all: (error) => `${error.name} "${error.message}" of [${codes(error.errors)}]`,
  late: (error) => `${error instanceof Error ? 'an error' : 'no error'}, ${error.name} "${error.message}"`,
};
for (const [name, run] of Object.entries(runs)) {
  for (const [kind, describe] of Object.entries(show)) {
    await run(kind).catch((error) => console.log(`${name}: ${describe(error)}`));
  }
}
await Promise.all([piscina.destroy(), tinypool.destroy(), pool.terminate(), jest.end()]);
SHOW
cat >expected <<'SEEN'
no pool: Busy E_BUSY, caused by ECONNRESET
no pool: AggregateError "all" of [ECONNRESET]
no pool: an error, TimeoutError "late"
piscina: Error undefined, caused by reset
piscina: Error "all" of []
piscina: no error, undefined "undefined"
tinypool: Error undefined, caused by reset
tinypool: Error "all" of []
tinypool: no error, undefined "undefined"
workerpool: Busy E_BUSY, caused by ECONNRESET
workerpool: Error "all" of [no code]
workerpool: an error, Error ""
jest-worker: Busy E_BUSY, caused by undefined
jest-worker: AggregateError "" of [a l l]
jest-worker: an error, Error "late"
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
