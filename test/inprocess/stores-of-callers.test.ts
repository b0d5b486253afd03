import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { PolicyInput } from '@retry/core';
import type { AttemptContext, RetryOptions } from '@retry/inprocess';
import { createRetryGroup, retry, tryRetry } from '@retry/inprocess';
import { publishDiagnostics } from '@retry/inprocess/node';
import { describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const store = new AsyncLocalStorage<string>();

/** What a scene gives to the way in which its calls end. */
interface Stage {
  readonly clock: FakeClock;
  readonly abort: AbortController;
  readonly drain: () => Promise<void>;
}

/** A way in which a call can end, and the reason of its `onGiveUp`; `undefined` for a success. */
interface Way {
  readonly reason: string | undefined;
  readonly fn: (context: AttemptContext) => unknown;
  readonly policy?: PolicyInput;
  readonly options?: RetryOptions;
  /** What another request does while the calls are under way. */
  readonly end?: (stage: Stage) => unknown;
}

const WAIT = { maxAttempts: 3, backoff: { type: 'constant', base: '1m' }, jitter: 'none' } as const;
const never = (): Promise<never> => new Promise(() => undefined);
const throwing = (): never => {
  throw new Error('boom');
};
const abort = ({ abort }: Stage): void => abort.abort(new Error('aborted'));

const WAYS: Readonly<Record<string, Way>> = {
  'a success after a retry': {
    reason: undefined,
    fn: ({ attempt }) => (attempt === 1 ? throwing() : 'done'),
    end: ({ clock }) => clock.advance(60_000),
  },
  'the last attempt': { reason: 'exhausted', fn: throwing, end: ({ clock }) => clock.advance(120_000) },
  'an abort during an attempt': { reason: 'aborted', fn: never, end: abort },
  'an abort during a wait': { reason: 'aborted', fn: throwing, end: abort },
  'an abort during the wait before the first attempt': {
    reason: 'aborted',
    fn: throwing,
    policy: { initialDelay: '1m' },
    end: abort,
  },
  'an abort during beforeRetry': {
    reason: 'aborted',
    fn: throwing,
    policy: { backoff: { type: 'none' } },
    options: { beforeRetry: never },
    end: abort,
  },
  'an attempt that takes too long': {
    reason: 'exhausted',
    fn: never,
    policy: { attemptTimeout: '5s' },
    end: ({ clock }) => clock.advance(200_000),
  },
  'the total timeout during an attempt': {
    reason: 'total-timeout',
    fn: never,
    policy: { totalTimeout: '5s' },
    end: ({ clock }) => clock.advance(5_000),
  },
  'the total timeout during beforeRetry': {
    reason: 'total-timeout',
    fn: throwing,
    policy: { backoff: { type: 'none' }, totalTimeout: '5s' },
    options: { beforeRetry: never },
    end: ({ clock }) => clock.advance(5_000),
  },
  'the end of its group': { reason: 'group', fn: throwing, end: ({ drain }) => drain() },
};

describe('the AsyncLocalStorage of hooks', () => {
  it.each(Object.entries(WAYS))('is that of the caller when a call ends by %s', async (_, way) => {
    const seen = await play(way, async (options, policy) => {
      await tryRetry(way.fn, policy, options);
    });

    expect(endingsOf(seen)).toEqual(way.reason === undefined ? [] : [way.reason, way.reason]);
    expect(seen.filter(({ caller, value }) => caller !== value)).toEqual([]);
  });

  it('is that of the caller when the attempt around a call is aborted', async () => {
    const seen = await play({ reason: 'aborted', fn: never, end: abort }, async (options, policy) => {
      const around = async (parent: AttemptContext): Promise<void> => {
        const { signal: _, ...own } = options;
        await tryRetry(never, policy, { ...own, parent });
      };
      await retry(around, policy, { name: options.name, signal: options.signal }).catch(() => undefined);
    });

    expect(endingsOf(seen)).toEqual(['aborted', 'aborted']);
    expect(seen.filter(({ caller, value }) => caller !== value)).toEqual([]);
  });
});

/** What a hook saw: `caller` made the call, `value` was in the store. */
interface Seen {
  readonly hook: string;
  readonly caller: string;
  readonly value: string | undefined;
  readonly reason?: unknown;
}

function endingsOf(seen: readonly Seen[]): readonly unknown[] {
  return seen.filter(({ hook }) => hook === 'onGiveUp').map(({ reason }) => reason);
}

/** Makes a call in each of two requests; a third one ends them. Returns what every hook, predicate and subscriber saw. */
async function play(
  { options, policy, end }: Way,
  call: (options: RetryOptions, policy: PolicyInput) => Promise<void>,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const clock = createFakeClock();
  const controller = new AbortController();
  const group = createRetryGroup();
  const stop = subscribeTo((hook, caller) => seen.push({ hook, caller, value: store.getStore() }));
  const optionsOf = (caller: string): RetryOptions => {
    const note = (hook: string) => (event: unknown) => {
      const { reason } = Object(event);
      seen.push({ hook, caller, value: store.getStore(), ...(reason !== undefined && { reason }) });
      throw new Error('of a hook'); // is passed to reportError
    };
    const { name, signal } = { name: caller, signal: controller.signal };
    const reportError = (): number => seen.push({ hook: 'reportError', caller, value: store.getStore() });
    const hooks = { onAttempt: note('onAttempt'), onRetry: note('onRetry'), onGiveUp: note('onGiveUp') };
    return { clock, group, name, signal, reportError, ...hooks, ...options };
  };
  const judging = (caller: string): PolicyInput => ({
    ...WAIT,
    ...policy,
    retryIf: () => seen.push({ hook: 'retryIf', caller, value: store.getStore() }) > 0,
  });

  const calls = ['first', 'second'].map((caller) =>
    store.run(caller, () => call(optionsOf(caller), judging(caller))),
  );
  await clock.advance(0);
  await store.run('another request', async () =>
    end?.({ clock, abort: controller, drain: () => group.drain() }),
  );
  await Promise.all(calls);
  stop();
  return seen;
}

/** Calls `onEvent` with what is published about each call, and the name of the call. */
function subscribeTo(onEvent: (channel: string, caller: string) => void): () => void {
  const end = publishDiagnostics();
  const channels = ['retry:attempt', 'retry:retry', 'retry:give-up'];
  const listener = (event: unknown, channel: string | symbol): void =>
    onEvent(String(channel), Object(event).name);
  for (const channel of channels) subscribe(channel, listener);
  return () => {
    for (const channel of channels) unsubscribe(channel, listener);
    end();
  };
}
