import { delayBounds, isPolicy, isRetryError } from '@retry/core';
import { fromCelery, fromCmdx, fromFluid, fromJobbers, fromTasker } from '@retry/core/dialects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const dialects = { fromFluid, fromCelery, fromJobbers, fromTasker, fromCmdx };

describe.each(Object.entries(dialects))('%s', (_name, fromDialect: (options?: never) => unknown) => {
  it('returns a frozen policy, task and list of warnings', () => {
    const dialect = fromDialect() as ReturnType<typeof fromFluid>;

    expect(isPolicy(dialect.policy)).toBe(true);
    for (const part of [dialect, dialect.policy, dialect.task, dialect.warnings, ...dialect.warnings]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('refuses an unknown key by its name', () => {
    expect(errorOf(fromDialect, { maxAttempts: 3 })).toContain('maxAttempts is not a known key');
  });

  it.each([null, 5, 'x', [], () => 1])('refuses %o, which is no object', (options) => {
    expect(errorOf(fromDialect, options)).toContain('must be an object');
  });

  it('takes or refuses any value of each of its keys, by its path', () => {
    const [, known = ''] = /Known keys are (.*)\./.exec(errorOf(fromDialect, { unknown: 1 })) ?? [];
    const value = fc.oneof(
      fc.constant(null),
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...known.split(', ')), value, (key, value) => {
        const refused = errorOf(fromDialect, { [key]: value });

        const isByPath = /^invalid \w+ options\n- /.test(refused) && refused.includes(`\n- ${key}`);
        expect(refused === 'no error' || isByPath).toBe(true);
      }),
    );
  });
});

describe('the largest numbers', () => {
  const most = Number.MAX_VALUE;
  it.each([
    ['wait and backoff of fluid', () => fromFluid({ retry: { wait: most, backoff: most } }), 60_000],
    [
      'retry_backoff of Celery',
      () => fromCelery({ autoretry_for: ['A'], retry_backoff: most, retry_jitter: false }),
      600_000,
    ],
    ['retry_delay of Jobbers', () => fromJobbers({ retry_delay: most }), 3_600_000],
    [
      'base_delay_seconds of Tasker',
      () => fromTasker({ base_delay_seconds: most, jitter_enabled: false }),
      300_000,
    ],
    ['multiplier of Tasker', () => fromTasker({ multiplier: most, jitter_enabled: false }), 300_000],
    ['delay of CMDx', () => fromCmdx({ retry_on: { exceptions: ['A'], delay: most, max_delay: 5 } }), 5_000],
  ] as const)('of %s saturate at the cap', (_name, read, capMs) => {
    expect(delayBounds(read().policy, 1)).toEqual([capMs, capMs]);
  });
});

function errorOf(fromDialect: (options?: never) => unknown, options: unknown): string {
  try {
    fromDialect(options as never);
  } catch (error) {
    return isRetryError(error, 'INVALID_OPTIONS') ? error.message : `another error: ${String(error)}`;
  }
  return 'no error';
}
