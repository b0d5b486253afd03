import type { PolicyInput } from '@retry/core';
import { load, type Modules, report, versioned } from '../installed.ts';
import { compareDrawn, type Exported, exportedTo } from './compare.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;

const POLICIES: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'none', maxDelay: '10s' },
  { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'full', maxDelay: '1h' },
  { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'full', maxDelay: '30s' },
  { maxAttempts: 4, backoff: { ...EXPONENTIAL, base: '3s', factor: 1.5 }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 6, backoff: { type: 'constant', base: '7s' }, jitter: 'none' },
  { maxAttempts: 6, backoff: { type: 'constant', base: '7s' }, jitter: 'full' },
  { maxAttempts: 1 },
  { maxAttempts: 2, backoff: { ...EXPONENTIAL, base: '1m' }, jitter: 'full', maxDelay: '1h' },
  { maxAttempts: 3, backoff: { ...EXPONENTIAL, base: '2s', factor: 10 }, jitter: 'none', maxDelay: '15s' },
];

/** What `Math.random` is. With 0 it would not wait at all, and nothing could be seen. */
const DRAWN = [0.25, 0.5, 1 - 2 ** -53];

/** A state machine in the Amazon States Language, run by an interpreter that is not AWS's: the delays of its retriers. */
export async function checkStepFunctions(): Promise<void> {
  const { StateMachine } = await load('aws-local-stepfunctions');
  const found: string[] = [];
  const all = exportedTo('step-functions', POLICIES);
  for (const given of all) {
    for (const drawn of DRAWN) {
      found.push(...compareDrawn(given, drawn, await record(StateMachine, given, drawn)));
    }
  }
  report(`${all.length} policies in ${versioned('aws-local-stepfunctions')}`, found);
}

/** Returns the delays of a branch that always fails, with `Math.random` at this number; none of them is waited for. */
async function record(
  StateMachine: Modules,
  { options }: Exported,
  drawn: number,
): Promise<readonly number[]> {
  const { setTimeout } = globalThis;
  const { random } = Math;
  const delays: number[] = [];
  const machine = new StateMachine({
    StartAt: 'Call',
    States: {
      Call: {
        Type: 'Parallel',
        Branches: [{ StartAt: 'Down', States: { Down: { Type: 'Fail', Error: 'Down' } } }],
        Retry: [{ ErrorEquals: ['Down'], ...options }],
        End: true,
      },
    },
  });
  Math.random = () => drawn;
  globalThis.setTimeout = ((run: () => void, delayMs = 0) => {
    delays.push(delayMs);
    return setTimeout(run, 0);
  }) as typeof setTimeout;
  try {
    await machine.run({}).result;
    return [];
  } catch {
    return delays;
  } finally {
    globalThis.setTimeout = setTimeout;
    Math.random = random;
  }
}
