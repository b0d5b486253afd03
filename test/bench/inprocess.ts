/** `npm run bench -- inprocess`: what a call costs beside a hand-written loop and the other libraries. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withRetry } from '@retry/inprocess';
import { readVersions } from './harness/versions.ts';
import { libraries } from './libraries.ts';
import { isWanted, printHeader, printTable, rounds, roundsOr } from './report.ts';
import { inRounds, type Row, timeInRounds } from './rounds.ts';
import { inprocessTargets } from './targets/inprocess.ts';
import { withAttemptTimeout, withTotalTimeout } from './timed-libraries.ts';

/** What a refused connection has besides its message. */
const SYSTEM_ERROR = { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 1 };

const realSetTimeout = globalThis.setTimeout;

printHeader(
  'inprocess',
  readVersions(['p-retry', 'cockatiel', 'async-retry', 'retry', 'exponential-backoff']),
);

if (isWanted('happy path')) {
  const results = await timeInRounds(
    rowsOf(() => async () => 1, { retries: 3, delayMs: 100 }),
    { rounds },
  );
  printTable('happy path', 'ns of CPU', results);
}

for (const [title, wrappers] of [
  ['happy path, attempt timeout', withAttemptTimeout],
  ['happy path, total timeout', withTotalTimeout],
] as const) {
  if (!isWanted(title)) continue;
  const rows = Object.entries(wrappers).map(([name, wrap]) => ({ name, run: wrap(async () => 1) }));
  printTable(title, 'ns of CPU', await timeInRounds(rows, { rounds }), inprocessTargets.timeouts);
}

if (isWanted('failures, CPU')) {
  globalThis.setTimeout = asMicrotask as unknown as typeof setTimeout; // only the libraries below call it
  const results = await timeInRounds(rowsOf(failing, { retries: 5, delayMs: 0 }), { rounds });
  globalThis.setTimeout = realSetTimeout;
  const title = 'failures, CPU: five, without delay, timers replaced by microtasks';
  printTable(title, 'ns of CPU', results, inprocessTargets.failures);
}

if (isWanted('failures, reading')) {
  globalThis.setTimeout = asMicrotask as unknown as typeof setTimeout;
  const coded = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), SYSTEM_ERROR);
  for (const [kind, error] of [
    ['a plain error', new Error('failed')],
    ['an error of the system', coded],
  ] as const) {
    const rows = (['ignore', 'floor'] as const).map((mode) => ({
      name: mode === 'ignore' ? 'withRetry, retryAfter ignored' : 'withRetry',
      run: withRetry(failing(error), { maxAttempts: 6, backoff: { type: 'none' }, retryAfter: { mode } }),
    }));
    const results = await timeInRounds(rows, { rounds: roundsOr(101) });
    const title = `failures, reading: five, is there a delay in ${kind}?`;
    printTable(title, 'ns of CPU', results, inprocessTargets.reading);
  }
  globalThis.setTimeout = realSetTimeout;
}

if (isWanted('failures, real')) {
  const results = await timeInRounds(rowsOf(failing, { retries: 5, delayMs: 0 }), {
    rounds,
    stopwatch: 'wall',
  });
  printTable('failures, real: five, without delay', 'ns', results, inprocessTargets.failures);
}

// Bytes hardly differ between runs, and each sample is a separate process.
if (isWanted('memory')) await compareWaiting('memory', 'heap bytes per waiting call', 3);

if (isWanted('shared signal')) {
  const names = ['p-retry', 'withRetry'];
  // Few rounds: one row takes half a minute, the other half a second.
  await compareWaiting(
    'shared signal',
    'ms of CPU to set up and abort 40000 waiters on one signal',
    roundsOr(5),
    names,
  );
}

function rowsOf(
  makeFunction: () => () => Promise<unknown>,
  plan: { retries: number; delayMs: number },
): Row[] {
  return Object.entries(libraries).map(([name, make]) => ({ name, run: make(makeFunction(), plan) }));
}

/** Fails five times, then succeeds, repeatedly; with one error object, because creating one costs more than a retry. */
function failing(error = new Error('failed')): () => Promise<number> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % 6 !== 0) throw error;
    return calls;
  };
}

function asMicrotask(callback: (...args: unknown[]) => void, _delayMs: number, ...args: unknown[]): object {
  queueMicrotask(() => callback(...args));
  return { ref: () => {}, unref: () => {} };
}

async function compareWaiting(
  title: string,
  unit: string,
  times: number,
  names: readonly string[] = Object.keys(libraries),
): Promise<void> {
  const rows = names.map((name) => ({ name }));
  const results = await inRounds(rows, times, (index) => {
    const args = ['--expose-gc', join(import.meta.dirname, 'waiting.mjs'), title, names[index] ?? ''];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${names[index]} did not get through: ${stderr}`);
    return Number(stdout);
  });
  printTable(title, unit, results);
}
