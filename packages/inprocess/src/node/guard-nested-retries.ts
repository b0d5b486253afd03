import { AsyncLocalStorage } from 'node:async_hooks';
import { allowedAttempts } from '@retry/core/fields';
import { AttemptWithContext, withContext } from '../call/context.ts';
import { isObserved, notify } from '../call/hooks.ts';
import type { Call, Nesting } from '../call/plan.ts';
import { nested } from '../call/plan.ts';
import { RequestTally, watchRequests } from './repeated-requests.ts';
import { sharedSwitch } from './shared-switch.ts';

/** An attempt, and the attempts around it that had not ended when it began. */
interface Around {
  readonly attempt: AttemptWithContext;
  readonly outer: Around | undefined;
  /** What clients have sent in it. */
  readonly tally: RequestTally;
}

const storage = new AsyncLocalStorage<Around>();

const nesting: Nesting = {
  withContext,
  // An attempt that began before the guard has no context.
  enter: (attempt, run) => (attempt instanceof AttemptWithContext ? enter(attempt, run) : run()),
  current: () => binding()?.attempt,
};

/** The latest attempt of each call whose requests are counted. */
const latest = new WeakMap<Call, Around>();

/** Calls whose clients were reported: once is enough. */
const reported = new WeakSet<Call>();

function enter(attempt: AttemptWithContext, run: () => unknown): unknown {
  const { call } = attempt;
  const around = { attempt, outer: binding(), tally: new RequestTally() };
  const previous = latest.get(call);
  if (previous !== undefined) reportClient(previous);
  latest.set(call, around);
  const returned = storage.run(around, run);
  // Any other thenable may begin its work with each `then`: its attempt is reported when the next one begins.
  if (returned instanceof Promise && Object.getPrototypeOf(returned) === Promise.prototype) {
    const onEnd = (): void => reportClient(around);
    returned.then(onEnd, onEnd);
  }
  return returned;
}

/** Reports a client that sent a request again by itself, inside an attempt of a call that repeats it, too. */
function reportClient({ attempt: { call }, tally: { most: requests } }: Around): void {
  if (requests === 1 || reported.has(call) || !isObserved(call.options.onNested)) return;
  const { depth, totalAttempts, policy } = call.plan;
  const maxAttempts = allowedAttempts(policy);
  if (maxAttempts === 1) return;
  reported.add(call);
  notify('onNested', call, { depth, maxAttempts, totalAttempts: totalAttempts * requests, requests });
}

let stopWatching: (() => void) | undefined;

const turnOn = sharedSwitch({
  on: () => {
    nested.nesting = nesting;
    stopWatching ??= watchRequests(() => binding()?.tally);
  },
  off: () => {
    nested.nesting = undefined;
    stopWatching?.();
    stopWatching = undefined;
    // A storage that has been used slows every promise of Node 20 until it is disabled; not every runtime has the method.
    storage.disable?.();
  },
});

/**
 * Lets every call find the attempt that it is made in, however deep: it takes over that attempt's total timeout,
 * signal and budget, and `onNested` is called where attempts multiply. Off by default, because AsyncLocalStorage
 * has a cost. A client that sends a request again by itself, by `fetch`, undici or `node:http`, is reported by `onNested` of the call around
 * it, with the product. Work that outlives its attempt (a pool that is filled later, a timer) is bound by it no longer, unless the attempt was
 * cut short.
 *
 * @returns a function that ends it, unless another caller of this function has not ended it yet
 */
export function guardNestedRetries(): () => void {
  return turnOn();
}

function binding(): Around | undefined {
  let around = storage.getStore();
  while (around !== undefined && !around.attempt.binds) around = around.outer;
  return around;
}
