import type { Broker, Notes, WaitOptions } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import type { Stage } from './stage.ts';

/** Turns of the event loop that a test needs after an answer of the server: the same as in `createTestClock`. */
const TURNS = 20;

/** How far the server's clock is ahead of the virtual one, unless a test says so. */
const AHEAD_MS = 1_000_000_000;

/** Verbs that may give a lane work, so that waits for work end after them. */
const WAKING: ReadonlySet<string> = new Set<keyof Broker | keyof Notes>([
  'submit',
  'exchange',
  'change',
  'write',
]);

/**
 * A stage over a broker on a server: each call sets the server's clock first, and the virtual clock moves only when
 * every call has been answered and the event loop is idle. How fast the server is changes nothing of what happens.
 *
 * @param setTime - sets the server's clock, in whole epoch milliseconds
 * @param aheadMs - how far the server's clock is ahead of the virtual one
 */
export function clockBroker(
  broker: Broker,
  setTime: (at: number) => Promise<unknown>,
  aheadMs: number = AHEAD_MS,
): Stage {
  const underWay = new Set<Promise<unknown>>();
  const waiters = new Set<() => void>();
  const clock = createVirtualClock({ settle: () => untilQuiet(underWay) });
  const call = async (verb: Verb, name: string, args: readonly unknown[]): Promise<unknown> => {
    await setTime(aheadMs + Math.floor(clock.now()));
    const answer = await verb(...args);
    if (WAKING.has(name)) for (const wake of [...waiters]) wake();
    return answer;
  };
  const answered = inStep();
  const track = (verb: Verb, name: string, args: readonly unknown[]): Promise<unknown> => {
    const answer = answered(call(verb, name, args));
    underWay.add(answer);
    const forget = (): void => void underWay.delete(answer);
    answer.then(forget, forget);
    return answer;
  };
  const tracked = (verbs: object): object =>
    Object.fromEntries(
      Object.entries(verbs)
        .filter((entry): entry is [string, Verb] => typeof entry[1] === 'function')
        .map(([name, verb]) => [name, (...args: readonly unknown[]) => track(verb, name, args)]),
    );
  // The broker's own wait for work takes real time; the broker contract tests it.
  const wait: Broker['wait'] = (request) =>
    request.lanes === undefined ? broker.wait(request) : waitFor(clock, waiters, request);
  const clocked: Broker = {
    ...broker,
    ...tracked(broker),
    notes: { ...broker.notes, ...tracked(broker.notes) },
    wait,
  };
  return { clock, broker: clocked, aheadMs, close: () => broker.close() };
}

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * Returns a function that delays answers: those to all calls that are under way together come together, in the order of the calls. A
 * worker does other things when two answers come in one turn of the event loop than when they come in two.
 */
function inStep(): (call: Promise<unknown>) => Promise<unknown> {
  let unanswered = 0;
  let release: (() => void)[] = [];
  return (call) =>
    new Promise((resolve, reject) => {
      unanswered += 1;
      const at = release.push(() => {}) - 1;
      const answer = (then: () => void): void => {
        release[at] = then;
        unanswered -= 1;
        if (unanswered > 0) return;
        const all = release;
        release = [];
        for (const one of all) one();
      };
      call.then(
        (value) => answer(() => resolve(value)),
        (error) => answer(() => reject(error)),
      );
    });
}

async function untilQuiet(underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  for (let turns = 0; turns < TURNS; turns += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (underWay.size === 0) continue;
    await Promise.allSettled(underWay);
    turns = 0;
  }
}

function waitFor(
  clock: VirtualClock,
  waiters: Set<() => void>,
  { timeoutMs, signal }: WaitOptions,
): Promise<void> {
  if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      waiters.delete(end);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.setTimer(end, timeoutMs);
    waiters.add(end);
    signal?.addEventListener('abort', end);
  });
}
