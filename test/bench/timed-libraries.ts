import { retry as attempt } from '@lifeomic/attempt';
import { definePolicy } from '@retry/core';
import { withRetry } from '@retry/inprocess';
import { retry as cockatiel, handleAll, TimeoutStrategy, timeout, wrap } from 'cockatiel';

type Call = () => Promise<unknown>;

const RETRIES = 3;
/** Long enough that it never ends anything here. */
const LIMIT_MS = 60_000;

/** Each library's way to bound an attempt. */
export const withAttemptTimeout: Readonly<Record<string, (fn: Call) => Call>> = {
  'hand-written loop, a timer for each attempt': (fn) => async () => {
    for (let number = 1; ; number += 1) {
      try {
        return await raceTimer(fn);
      } catch (error) {
        if (number > RETRIES) throw error;
      }
    }
  },
  withRetry: (fn) => withRetry(fn, definePolicy({ maxAttempts: RETRIES + 1, attemptTimeout: LIMIT_MS })),
  cockatiel: (fn) => {
    const policy = wrap(
      cockatiel(handleAll, { maxAttempts: RETRIES }),
      timeout(LIMIT_MS, TimeoutStrategy.Aggressive),
    );
    return () => policy.execute(fn);
  },
  '@lifeomic/attempt': (fn) => {
    const options = { maxAttempts: RETRIES + 1, timeout: LIMIT_MS };
    return () => attempt(fn, options);
  },
};

/** Each library's way to bound a call with all of its attempts. */
export const withTotalTimeout: Readonly<Record<string, (fn: Call) => Call>> = {
  'hand-written loop, one timer': (fn) => () =>
    raceTimer(async () => {
      for (let number = 1; ; number += 1) {
        try {
          return await fn();
        } catch (error) {
          if (number > RETRIES) throw error;
        }
      }
    }),
  withRetry: (fn) => withRetry(fn, definePolicy({ maxAttempts: RETRIES + 1, totalTimeout: LIMIT_MS })),
  cockatiel: (fn) => {
    const policy = wrap(
      timeout(LIMIT_MS, TimeoutStrategy.Aggressive),
      cockatiel(handleAll, { maxAttempts: RETRIES }),
    );
    return () => policy.execute(fn);
  },
};

async function raceTimer(fn: Call): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), LIMIT_MS);
  });
  try {
    return await Promise.race([fn(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
