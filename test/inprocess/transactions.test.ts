import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { createTestClock } from '@retry/inprocess/testing';
import type { Begin } from '@retry/inprocess/transactions';
import {
  mysqlTransactions,
  postgresTransactions,
  retryTransaction,
  sqliteTransactions,
} from '@retry/inprocess/transactions';
import { describe, expect, it } from 'vitest';

const FAST = { backoff: { type: 'none' } } as const;

/** A client whose transaction ends as the errors say: each of one attempt, before the COMMIT or at it. */
function failing(
  errors: readonly { readonly at: 'begin' | 'commit'; readonly error: unknown }[],
): Begin<string> {
  const left = [...errors];
  return async (run) => {
    const next = left.shift();
    if (next?.at === 'begin') throw next.error;
    const result = await run('tx');
    if (next !== undefined) throw next.error;
    return result;
  };
}

function error(code: string): Error {
  return Object.assign(new Error(code), { code });
}

async function attemptsOf(
  begin: Begin<string>,
  ...rest: [policy?: object, options?: object]
): Promise<readonly [attempts: number, outcome: unknown]> {
  let attempts = 0;
  const body = (): number => {
    attempts += 1;
    return attempts;
  };
  const outcome = await retryTransaction(begin, body, { ...FAST, ...rest[0] }, rest[1]).catch(
    (thrown) => thrown,
  );
  return [attempts, outcome];
}

describe('retryTransaction', () => {
  it.each(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY_SNAPSHOT'])(
    'repeats the whole transaction after %s, also at COMMIT',
    async (code) => {
      expect(await attemptsOf(failing([{ at: 'commit', error: error(code) }]))).toEqual([2, 2]);
    },
  );

  it('repeats a transaction whose connection broke before the COMMIT was sent', async () => {
    let attempts = 0;
    const begin: Begin<string> = (run) => run('tx');

    const result = await retryTransaction(
      begin,
      async () => {
        attempts += 1;
        if (attempts === 1) throw error('ECONNRESET');
        return 'done';
      },
      FAST,
    );

    expect([attempts, result]).toEqual([2, 'done']);
  });

  it('does not repeat a COMMIT whose answer was lost', async () => {
    const lost = error('ECONNRESET');

    expect(await attemptsOf(failing([{ at: 'commit', error: lost }]))).toEqual([1, lost]);
  });

  it('repeats it where the policy says that this is idempotent', async () => {
    const begin = failing([{ at: 'commit', error: error('ECONNRESET') }]);

    expect(await attemptsOf(begin, { idempotent: true })).toEqual([2, 2]);
  });

  it.each([
    ['resolves where it was applied', true, [1, 1]],
    ['repeats it where it was not', false, [2, 2]],
  ])('asks the probe, and %s', async (_, isApplied, expected) => {
    const begin = failing([{ at: 'commit', error: error('57P01') }]);
    const asked: unknown[] = [];
    const committed = async (result: unknown): Promise<boolean> => {
      asked.push(result);
      return isApplied;
    };

    expect(await attemptsOf(begin, {}, { committed })).toEqual(expected);
    expect(asked).toEqual([1]);
  });

  it.each([1, 'yes', '', 0, null, undefined, {}])(
    'ends with the error of the COMMIT where the probe answers %j',
    async (answer) => {
      const lost = error('ECONNRESET');
      const begin = failing([{ at: 'commit', error: lost }]);

      expect(await attemptsOf(begin, {}, { committed: async () => answer })).toEqual([1, lost]);
    },
  );

  it('ends with the error of the COMMIT where the probe fails', async () => {
    const lost = error('ECONNRESET');
    const unanswered = new Error('no answer');
    const reported: unknown[] = [];
    const options = {
      committed: () => Promise.reject(unanswered),
      reportError: (thrown: unknown) => void reported.push(thrown),
    };

    expect(await attemptsOf(failing([{ at: 'commit', error: lost }]), {}, options)).toEqual([1, lost]);
    expect(reported).toEqual([unanswered]);
  });

  it('ends with the error of the COMMIT where a predicate throws, which is reported once', async () => {
    const broken = new TypeError('of the predicate');
    const lost = error('unknown to every list');
    const reported: unknown[] = [];
    const predicate = (): never => {
      throw broken;
    };
    const options = { reportError: (thrown: unknown) => void reported.push(thrown) };

    const begin = failing([{ at: 'commit', error: lost }]);
    expect(await attemptsOf(begin, { retryOn: [predicate] }, options)).toEqual([1, lost]);
    expect(reported).toEqual([broken]);
  });

  it('does not ask the probe about a transaction that was rolled back', async () => {
    const committed = (): boolean => {
      throw new Error('asked');
    };

    expect(await attemptsOf(failing([{ at: 'commit', error: error('40001') }]), {}, { committed })).toEqual([
      2, 2,
    ]);
  });

  it('throws an error that no list names at once', async () => {
    const duplicate = error('23505');

    expect(await attemptsOf(failing([{ at: 'commit', error: duplicate }]))).toEqual([1, duplicate]);
  });

  describe("with retryOn: 'everything'", () => {
    const everything = { retryOn: 'everything' };

    it.each(['ECONNRESET', 'X'])('does not repeat a COMMIT that may have been applied: %s', async (code) => {
      const lost = error(code);

      expect(await attemptsOf(failing([{ at: 'commit', error: lost }]), everything)).toEqual([1, lost]);
    });

    it('repeats every error before the COMMIT', async () => {
      const begin = failing([
        { at: 'begin', error: error('X') },
        { at: 'commit', error: error('40001') },
      ]);

      expect(await attemptsOf(begin, everything)).toEqual([2, 2]);
    });
  });

  it('obeys the gate of the policy', async () => {
    const begin = failing([{ at: 'commit', error: error('40001') }]);

    expect((await attemptsOf(begin, { retryIf: () => false }))[0]).toBe(1);
  });

  it('refuses retryIfResult, which would repeat what is committed', async () => {
    const options = { retryIfResult: () => true };

    const [attempts, outcome] = await attemptsOf(failing([]), {}, options);

    expect(attempts).toBe(0);
    expect(String(outcome)).toContain('Throw in the function');
  });

  it.each([null, 5, { retries: 3 }])('refuses the options %j', async (options) => {
    const call = retryTransaction(failing([]), () => 1, {}, options as never);

    await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('refuses what is no function', async () => {
    await expect(retryTransaction({} as never, () => 1)).rejects.toThrow(InvalidOptionsError);
    await expect(
      retryTransaction(
        (run) => run(1),
        () => 1,
        {},
        { committed: 5 } as never,
      ),
    ).rejects.toThrow('committed');
  });
});

/** A client on a clock: how long it takes to begin and to commit; a transaction whose function rejects is rolled back. */
function timed(
  clock: Clock,
  { beginMs = 0, commitMs = 0 }: Durations,
): { begin: Begin<string>; counts: Counts } {
  const counts = { committed: 0, rolledBack: 0 };
  const begin: Begin<string> = async (run) => {
    await wait(clock, beginMs);
    try {
      await run('tx');
    } catch (error) {
      counts.rolledBack += 1;
      throw error;
    }
    await wait(clock, commitMs);
    counts.committed += 1;
  };
  return { begin, counts };
}

async function wait(clock: Clock, ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
}

interface Durations {
  readonly beginMs?: number;
  readonly fnMs?: number;
  readonly commitMs?: number;
}

interface Counts {
  committed: number;
  rolledBack: number;
}

describe('a transaction whose attempt is cut off', () => {
  const slowStep: readonly [string, Durations][] = [
    ['begins late', { beginMs: 70 }],
    ['has a slow function', { fnMs: 70 }],
    ['commits slowly', { commitMs: 70 }],
  ];
  const policies = [
    ['attemptTimeout', { attemptTimeout: 40 }],
    [
      'attemptTimeout, and retryTimeouts: false',
      { attemptTimeout: 40, idempotent: false, retryTimeouts: false },
    ],
    ['attemptTimeout, and retryTimeouts: true', { attemptTimeout: 40, retryTimeouts: true }],
    ['totalTimeout', { totalTimeout: 40 }],
    ['signal', {}],
  ] as const;
  const cases = slowStep.flatMap(([step, times]) =>
    policies.map(([name, policy]) => ({ step, name, times, policy })),
  );

  it.each(cases)('is applied at most once: it $step, $name', async ({ name, times, policy }) => {
    const clock = createTestClock();
    const { begin, counts } = timed(clock, times);
    const abort = new AbortController();
    let attempts = 0;
    const fn = async (): Promise<void> => {
      attempts += 1;
      await wait(clock, times.fnMs ?? 0);
    };
    const options = { clock, signal: abort.signal };

    const outcome = retryTransaction(begin, fn, { ...FAST, maxAttempts: 3, ...policy }, options).then(
      () => 'resolved',
      () => 'rejected',
    );
    await clock.advance(40);
    if (name === 'signal') abort.abort();
    await clock.advance(1_000);

    expect(await outcome).toBe('rejected');
    // Where the COMMIT is under way, it is left alone, and nothing follows it; everything else is rolled back.
    const isCommitting = 'commitMs' in times;
    const allowed = name.startsWith('attemptTimeout') ? 3 : 1;
    expect(counts).toEqual(
      isCommitting ? { committed: 1, rolledBack: 0 } : { committed: 0, rolledBack: allowed },
    );
    expect(attempts).toBe(isCommitting ? 1 : 'fnMs' in times ? allowed : 0);
  });

  it('is repeated during its COMMIT where the policy says that this is idempotent', async () => {
    const clock = createTestClock();
    const { begin, counts } = timed(clock, { commitMs: 70 });
    const policy = { ...FAST, maxAttempts: 3, attemptTimeout: 40, idempotent: true };

    const outcome = retryTransaction(begin, () => 1, policy, { clock }).catch((error) => error.code);
    await clock.advance(1_000);

    expect([await outcome, counts.committed]).toEqual(['ATTEMPT_TIMEOUT', 3]);
  });

  it('says nothing about the attempt after it', async () => {
    const clock = createTestClock();
    let begun = 0;
    // The first transaction gets its connection while the COMMIT of the second is under way.
    const begin: Begin<string> = async (run) => {
      begun += 1;
      await wait(clock, begun === 1 ? 60 : 0);
      await run('tx');
      await wait(clock, 50);
    };

    const policy = { ...FAST, attemptTimeout: 40 };
    const outcome = retryTransaction(begin, () => 1, policy, { clock }).catch((thrown) => thrown.code);
    await clock.advance(1_000);

    expect([begun, await outcome]).toEqual([2, 'ATTEMPT_TIMEOUT']);
  });
});

describe('sqliteTransactions', () => {
  it('rolls back, and throws the error of the transaction', async () => {
    const said: string[] = [];
    const database = {
      exec(text: string): void {
        said.push(text);
        if (text === 'COMMIT' && said.length < 4) throw error('SQLITE_BUSY');
        if (text === 'ROLLBACK') throw new Error('no transaction is active');
      },
    };

    await retryTransaction(sqliteTransactions(database), () => 1, FAST);

    expect(said).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK', 'BEGIN IMMEDIATE', 'COMMIT']);
  });
});

describe('a connection that cannot be given back', () => {
  const lost = error('ECONNREFUSED'); // repeated, if it were the error of the transaction
  const failures: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw lost;
      },
    ],
    ['rejects', () => Promise.reject(lost)],
  ];

  it.each(failures)(
    'is closed, and its transaction has its own outcome: release() %s',
    async (_name, fail) => {
      const said: string[] = [];
      const say =
        (word: string, then: () => unknown = () => undefined) =>
        async (): Promise<void> => {
          said.push(word);
          await then();
        };
      const connection = {
        beginTransaction: say('begin'),
        commit: say('commit'),
        rollback: say('rollback'),
        release: () => {
          said.push('release');
          return fail();
        },
        destroy: () => {
          said.push('destroy');
          return fail();
        },
      };
      const begin = mysqlTransactions({ getConnection: async () => connection });

      const [attempts, outcome] = await attemptsOf(begin as never);
      await setImmediate();
      const refused = await retryTransaction(begin, () => Promise.reject(error('X')), FAST).catch(
        (thrown) => thrown.code,
      );
      await setImmediate();

      expect([attempts, outcome, refused]).toEqual([1, 1, 'X']);
      expect(said.join(' ')).toBe('begin commit release destroy begin rollback release destroy');
    },
  );
});

describe('postgresTransactions', () => {
  /** A pool whose server gives the answer to each COMMIT. */
  function answering(answer: unknown): { statements: string[]; connect: () => Promise<never> } {
    const statements: string[] = [];
    const client = {
      query: async (text: string) => {
        statements.push(text);
        return text === 'COMMIT' ? answer : { command: text };
      },
      release: (isBroken?: unknown) => void statements.push(isBroken === true ? 'destroy' : 'release'),
    };
    return { statements, connect: async () => client as never };
  }

  it('rejects where the COMMIT was a rollback, repeats nothing, and gives the client back', async () => {
    const pool = answering({ command: 'ROLLBACK' });

    const [attempts, outcome] = await attemptsOf(postgresTransactions(pool) as never);

    expect([attempts, outcome]).toMatchObject([1, { code: 'ROLLED_BACK' }]);
    expect(pool.statements).toEqual(['BEGIN', 'COMMIT', 'ROLLBACK', 'release']);
  });

  it.each([{ command: 'COMMIT' }, {}, undefined])(
    'resolves where the answer to the COMMIT is %j',
    async (answer) => {
      expect(await attemptsOf(postgresTransactions(answering(answer)) as never)).toEqual([1, 1]);
    },
  );
});
