import { InvalidOptionsError } from '@retry/core';
import type { Begin } from '@retry/inprocess/transactions';
import { retryTransaction, sqliteTransactions } from '@retry/inprocess/transactions';
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

  it('ends with the error of the COMMIT where the probe fails', async () => {
    const lost = error('ECONNRESET');
    const committed = async (): Promise<boolean> => {
      throw new Error('no answer');
    };

    expect(await attemptsOf(failing([{ at: 'commit', error: lost }]), {}, { committed })).toEqual([1, lost]);
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

  it('obeys the gate of the policy', async () => {
    const begin = failing([{ at: 'commit', error: error('40001') }]);

    expect((await attemptsOf(begin, { retryIf: () => false }))[0]).toBe(1);
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
