import { retry as attempt } from '@lifeomic/attempt';
import { definePolicy, type Policy } from '@retry/core';
import { retry, withRetry } from '@retry/inprocess';
import asyncRetry from 'async-retry';
import { ConstantBackoff, retry as cockatiel, handleAll } from 'cockatiel';
import { retry as esToolkit } from 'es-toolkit';
import { backOff } from 'exponential-backoff';
import pRetry from 'p-retry';
import { operation } from 'retry';
import { bareLoop } from './bare-loop.ts';

type Call = () => Promise<unknown>;

interface Plan {
  readonly retries: number;
  /** The delay before every retry. */
  readonly delayMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Each library's way to retry `fn`; objects that can be reused are created once.
 * cockatiel 4 asks for Node 22 and runs on Node 20; p-retry is 7 because 8 and 9 ask for Node 22.
 */
export const libraries: Readonly<Record<string, (fn: Call, plan: Plan) => Call>> = {
  'hand-written loop': handWritten,
  'bare: the loop, with what withRetry promises': bareLoop,
  withRetry: (fn, plan) => withRetry(fn, policyOf(plan), { signal: plan.signal }),
  'withRetry with a signal': (fn, { signal = new AbortController().signal, ...plan }) =>
    withRetry(fn, policyOf(plan), { signal }),
  'our retry(fn, policy)': (fn, plan) => {
    const policy = policyOf(plan);
    return () => retry(fn, policy, plan.signal && { signal: plan.signal });
  },
  retry: callWithOperation,
  'p-retry': (fn, { retries, delayMs, signal }) => {
    const options = { retries, minTimeout: delayMs, factor: 1, signal };
    return () => pRetry(fn, options);
  },
  cockatiel: (fn, { retries, delayMs }) => {
    const policy = cockatiel(handleAll, { maxAttempts: retries, backoff: new ConstantBackoff(delayMs) });
    return () => policy.execute(fn);
  },
  'async-retry': (fn, { retries, delayMs }) => {
    const options = { retries, minTimeout: delayMs, factor: 1, randomize: false };
    return () => asyncRetry(fn, options);
  },
  'exponential-backoff': (fn, { retries, delayMs }) => {
    const options = { numOfAttempts: retries + 1, startingDelay: delayMs, timeMultiple: 1 };
    return () => backOff(fn, options);
  },
  '@lifeomic/attempt': (fn, { retries, delayMs }) => {
    const options = { maxAttempts: retries + 1, delay: delayMs };
    return () => attempt(fn, options);
  },
  'es-toolkit': (fn, { retries, delayMs }) => {
    const options = { retries, delay: delayMs };
    return () => esToolkit(fn, options);
  },
};

function policyOf({ retries, delayMs }: Plan): Policy {
  return definePolicy({
    maxAttempts: retries + 1,
    backoff: { type: 'constant', base: delayMs },
    jitter: 'none',
  });
}

/** The baseline: a hand-written loop. */
function handWritten(fn: Call, { retries, delayMs }: Plan): Call {
  return async () => {
    for (let number = 1; ; number += 1) {
      try {
        return await fn();
      } catch (error) {
        if (number > retries) throw error;
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };
}

/** `retry` has callbacks only; this is the promise wrapper of its readme. */
function callWithOperation(fn: Call, { retries, delayMs }: Plan): Call {
  const options = { retries, minTimeout: delayMs, factor: 1 };
  return () =>
    new Promise((resolve, reject) => {
      const current = operation(options);
      current.attempt(() => {
        fn().then(resolve, (error: unknown) => {
          if (!current.retry(error)) reject(error);
        });
      });
    });
}
