/** `npm run bench -- core`: what one decision costs, beside the same arithmetic written inline. */
import { defaultCalculateDelay } from '@lifeomic/attempt';
import { computeDelay, decide, definePolicy, matchesError } from '@retry/core';
import { simulate } from '@retry/core/simulate';
import { decorrelatedJitterGenerator, fullJitterGenerator } from 'cockatiel';
import { createTimeout } from 'retry';
import { isWanted, printHeader, printTable, rounds, say } from './report.ts';
import { timeInRounds } from './rounds.ts';

printHeader('core', []);

const BASE_MS = 100;
const MAX_MS = 1_000;
const CODES = ['ECONNRESET', 'ETIMEDOUT'];

const policy = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: BASE_MS },
  jitter: 'full',
  maxDelay: MAX_MS,
  retryOn: [{ code: CODES }],
});
const matcher = { code: CODES };
const drawn = { random: Math.random };
const failure = { error: Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }) };
const world = { now: 1_000, random: Math.random };
const cockatielOptions = {
  initialDelay: BASE_MS,
  maxDelay: MAX_MS,
  exponent: 2,
  generator: fullJitterGenerator,
};
const decorrelatedOptions = { ...cockatielOptions, generator: decorrelatedJitterGenerator };
const attemptContext = { attemptNum: 0, attemptsRemaining: 9, aborted: false, abort: () => {} };
const attemptOptions = {
  ...{
    delay: BASE_MS,
    initialDelay: 0,
    minDelay: 0,
    maxDelay: MAX_MS,
    factor: 2,
    maxAttempts: 10,
    timeout: 0,
  },
  ...{ jitter: true, initialJitter: false, handleError: null, handleTimeout: null, beforeAttempt: null },
  calculateDelay: null,
};
const retryOptions = { minTimeout: BASE_MS, maxTimeout: MAX_MS, factor: 2, randomize: true };

let count = 0;
/** 1 to 8, repeatedly: half of them reach the cap. */
function nextRetry(): number {
  count = (count & 7) + 1;
  return count;
}

function inlineDelay(retry: number): number {
  return Math.random() * Math.min(MAX_MS, BASE_MS * 2 ** (retry - 1));
}

if (isWanted('delay')) {
  const results = await timeInRounds(
    [
      { name: 'inline', run: () => inlineDelay(nextRetry()) },
      { name: 'computeDelay', run: () => computeDelay(policy, nextRetry(), drawn) },
      {
        name: 'cockatiel fullJitterGenerator',
        run: () => fullJitterGenerator(nextRetry(), cockatielOptions),
      },
      {
        name: 'cockatiel decorrelatedJitterGenerator',
        run: () => decorrelatedJitterGenerator([nextRetry(), 1], decorrelatedOptions),
      },
      {
        name: '@lifeomic/attempt defaultCalculateDelay',
        run: () => {
          attemptContext.attemptNum = nextRetry();
          return defaultCalculateDelay(attemptContext, attemptOptions);
        },
      },
      { name: 'retry createTimeout', run: () => createTimeout(nextRetry(), retryOptions) },
    ],
    { rounds },
  );
  printTable('delay', 'ns of CPU', results);
}

if (isWanted('decision')) {
  const results = await timeInRounds(
    [
      {
        name: 'inline',
        run: () => {
          const { error } = failure;
          const failures = nextRetry();
          if (!CODES.includes(error.code)) return { type: 'fail', reason: 'unexpected' };
          const delayMs = inlineDelay(failures);
          return { type: 'retry', delayMs, runAt: world.now + delayMs };
        },
      },
      { name: 'matchesError', run: () => matchesError(matcher, failure.error) },
      {
        name: 'computeDelay + matchesError',
        run: () => matchesError(matcher, failure.error) && computeDelay(policy, nextRetry(), drawn),
      },
      { name: 'decide', run: () => decide(policy, { failures: nextRetry() }, failure, world) },
    ],
    { rounds },
  );
  printTable('decision', 'ns of CPU', results);
}

if (isWanted('simulate')) {
  const runs = 30;
  const before = process.cpuUsage();
  simulate(
    definePolicy({ maxAttempts: 8 }),
    {
      traffic: { type: 'closed', clients: 10_000, calls: 1 },
      server: { type: 'capacity', perSecond: 2_000 },
      errorShare: 1,
    },
    { runs },
  );
  const { user, system } = process.cpuUsage(before);
  const mean = (user + system) / 1e6 / runs;
  say(
    `\n**simulate, 10 000 clients of 8 attempts**: ${mean.toPrecision(3)} s of processor time a seed, mean of ${runs}`,
  );
}
