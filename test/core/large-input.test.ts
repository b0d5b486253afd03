import type { Problem } from '@retry/core';
import { definePolicy, extendPolicy, InvalidOptionsError, parsePolicy } from '@retry/core';
import { fromCelery, fromCmdx } from '@retry/core/dialects';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../support/processor-time.ts';

/** It takes no memory, and a minute to be gone through. */
const sparse = (): never[] => new Array<never>(2 ** 32 - 1);

const manyKeys = (prefix = 'k'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`${prefix}${index}`, index]));

function problemsOf(read: () => unknown): {
  readonly problems: readonly Problem[];
  readonly message: string;
} {
  const before = processorMs();
  try {
    read();
  } catch (error) {
    expect(processorMs() - before).toBeLessThan(10_000);
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('very large input is refused before it is gone through', () => {
  it.each<[string, (list: never[]) => unknown]>([
    ['matchers', (list) => definePolicy({ retryOn: list })],
    ['matchers that never match', (list) => definePolicy({ stopOn: list })],
    ['names', (list) => definePolicy({ stopOn: [{ name: list }] })],
    ['codes of a cause', (list) => definePolicy({ stopOn: [{ cause: { code: list } }] })],
    ['messages', (list) => definePolicy({ stopOn: [{ message: list }] })],
    [
      'globs that are left out',
      (list) => definePolicy({ stopOn: [{ message: { glob: 'x', except: list } }] }),
    ],
    ['delays', (list) => definePolicy({ backoff: { type: 'list', delays: list } })],
    ['matchers of a patch', (list) => extendPolicy({}, { retryOn: list })],
    ['exceptions of Celery', (list) => fromCelery({ autoretry_for: list })],
    ['exceptions of Celery within each other', (list) => fromCelery({ autoretry_for: [list] as never })],
    ['declarations of CMDx', (list) => fromCmdx(list as never)],
    ['exceptions of CMDx', (list) => fromCmdx({ retry_on: [list] } as never)],
  ])('a list of 2³² %s', (_name, read) => {
    expect(problemsOf(() => read(sparse())).problems.length).toBeGreaterThan(0);
  });

  it.each<[string, unknown]>([
    ['a policy', sparse()],
    ['an unknown key', { retries: sparse() }],
    ['a list within a list', { maxAttempts: [sparse()] }],
    ['a list many times', { maxAttempts: new Array(5_000).fill(new Array(5_000).fill(new Array(5_000))) }],
  ])('a list of 2³² items as %s', (_name, input) => {
    expect(problemsOf(() => parsePolicy(input)).problems.length).toBeGreaterThan(0);
  });

  it('counts problems after the first hundred', () => {
    const { problems, message } = problemsOf(() => parsePolicy(manyKeys()));

    expect(problems).toHaveLength(100);
    expect(problems[99]).toMatchObject({
      path: 'k99',
      value: 99,
      cure: expect.stringContaining('Known keys'),
    });
    expect(message.split('\n').at(-1)).toBe('- and 99900 more');
  });

  it('does not look for the meaning of keys of a hundred thousand characters', () => {
    const { problems } = problemsOf(() => parsePolicy(Object.fromEntries([['_'.repeat(1_000_000), 1]])));

    expect(problems).toHaveLength(1);
  });

  it('takes 1 000 matchers and 1 000 more, each once', () => {
    const matchers = (from: number) =>
      Array.from({ length: 1_000 }, (_, index) => ({ code: `E${from + index}` }));

    const policy = extendPolicy({ retryOn: matchers(0) }, { retryOn: [...matchers(500), ...matchers(0)] });

    expect(policy).toMatchObject({ retryOn: expect.objectContaining({ length: 1_500 }) });
  });
});
