import { computeDelay, decide, explain, type Policy } from '@retry/core';
import { fromCmdx } from '@retry/core/dialects';
import { describe, expect, it, vi } from 'vitest';
import { codesOf } from './problems.ts';

const MAIN = 'main@fc92e183';

describe("fromCmdx's strategies", () => {
  it('never calls the strategy without a positive delay', () => {
    const jitter = vi.fn(() => 1);
    const { policy, warnings } = fromCmdx({ retry_on: { exceptions: [Error], delay: 0, jitter } });

    expect(delayOf(policy)).toBe(0);
    expect(jitter).not.toHaveBeenCalled();
    expect(codesOf(warnings)).toEqual(['WITHOUT_EFFECT retry_on.jitter']);
  });

  it('passes a custom strategy the attempt, counted from 0, and seconds', () => {
    const jitter = vi.fn(() => 2);
    const { policy } = fromCmdx({ version: MAIN, retry_on: { exceptions: [Error], delay: 1.5, jitter } });

    expect(delayOf(policy)).toBe(2_000);
    computeDelay(policy, 2, { random: () => 0, previousDelayMs: 700 });

    expect(jitter.mock.calls).toEqual([
      [0, 1.5, undefined],
      [1, 1.5, 0.7],
    ]);
  });

  it('passes the previous delay only to a retrier in v2.0.1', () => {
    const own = vi.fn(() => 2);
    const retrier = vi.fn(() => 2);
    const context = { random: () => 0, previousDelayMs: 700 };

    computeDelay(fromCmdx({ retry_on: { exceptions: [Error], jitter: own } }).policy, 2, context);
    const retriers = { mine: retrier };
    computeDelay(
      fromCmdx({ retry_on: { exceptions: [Error], jitter: 'mine' }, retriers }).policy,
      2,
      context,
    );

    expect(own).toHaveBeenCalledWith(1, 0.5);
    expect(retrier).toHaveBeenCalledWith(1, 0.5, 0.7);
  });

  it('accepts a strategy as function, object, method, retrier and block', () => {
    const call = (): number => 9;
    const task = { own_delay: call };

    for (const options of [
      { retry_on: { exceptions: [Error], jitter: call } },
      { retry_on: { exceptions: [Error], jitter: { call } } },
      { retry_on: { exceptions: [Error], jitter: 'own_delay' }, task },
      { retry_on: { exceptions: [Error], jitter: 'mine' }, retriers: { mine: { call } } },
      { retry_on: { exceptions: [Error], block: call } },
      // A registered strategy takes the place of the built-in one.
      { retry_on: { exceptions: [Error], jitter: 'linear' }, retriers: { linear: call } },
    ]) {
      expect(delayOf(fromCmdx(options).policy)).toBe(9_000);
    }
  });

  it('prefers jitter to a block, and ignores an object without call', () => {
    const block = (): number => 9;

    expect(delayOf(fromCmdx({ retry_on: { exceptions: [Error], block, jitter: 'linear' } }).policy)).toBe(
      500,
    );
    const { policy, warnings } = fromCmdx({ retry_on: { exceptions: [Error], jitter: {} } });
    expect(delayOf(policy)).toBe(500);
    expect(codesOf(warnings)).toEqual(['WITHOUT_EFFECT retry_on.jitter']);
  });

  it('waits the base if the strategy does not return a number', () => {
    const jitter = (): unknown => '7';

    expect(delayOf(fromCmdx({ retry_on: { exceptions: [Error], jitter } }).policy)).toBe(500);
  });

  it('uses the block if jitter is nil', () => {
    const block = (): number => 9;

    expect(delayOf(fromCmdx({ retry_on: { exceptions: [Error], block, jitter: null } }).policy)).toBe(9_000);
  });

  it('calls methods with the task as this', () => {
    const task = {
      seconds: 4,
      own_delay(): number {
        return this.seconds;
      },
    };

    expect(delayOf(fromCmdx({ retry_on: { exceptions: [Error], jitter: 'own_delay' }, task }).policy)).toBe(
      4_000,
    );
  });
});

describe("fromCmdx's functions", () => {
  const task = { name: 'sync', most: 1 };

  it('receive the task: functions and methods as this, objects as the first argument', () => {
    // CMDx: instance_exec(error, attempt) of a proc, send of a method, call(task, error, attempt) of an object
    const seen: unknown[] = [];
    function gate(this: unknown, ...given: readonly unknown[]): boolean {
      seen.push([this, ...given]);
      return true;
    }
    const object = { call: (...given: readonly unknown[]) => seen.push(given) > 0 };
    const error = new Error('x');
    const methods = { ...task, gate };

    for (const options of [
      { retry_on: { exceptions: [Error], if: gate }, task },
      { retry_on: { exceptions: [Error], if: object }, task },
      { retry_on: { exceptions: [Error], if: 'gate' }, task: methods },
    ])
      explain(fromCmdx(options).policy, error);

    expect(seen).toEqual([
      [task, error, 0],
      [task, error, 0],
      [methods, error, 0],
    ]);
  });

  it('receive it as strategies and blocks, too; an object has itself as this', () => {
    function delay(this: unknown): number {
      return (this as typeof task).most;
    }
    const object = { most: 7, call: delay };
    const of = (line: object): number =>
      delayOf(fromCmdx({ retry_on: { exceptions: [Error], ...line }, task }).policy);

    expect([of({ jitter: delay }), of({ block: delay }), of({ jitter: object })]).toEqual([
      1_000, 1_000, 7_000,
    ]);
  });
});

describe("fromCmdx's exceptions", () => {
  it('may be nested lists, which are flattened as in Ruby', () => {
    const { policy } = fromCmdx({ retry_on: { exceptions: [[RangeError, ['ReadTimeout']], TypeError] } });

    expect(explain(policy, new RangeError()).retries).toBe(true);
    expect(explain(policy, Object.assign(new Error(), { name: 'ReadTimeout' })).retries).toBe(true);
    expect(explain(policy, new TypeError()).retries).toBe(true);
    expect(explain(policy, new Error()).retries).toBe(false);
  });

  it('are refused if a list contains itself', () => {
    const exceptions: unknown[] = [Error];
    exceptions.push(exceptions);

    expect(() => fromCmdx({ retry_on: { exceptions: exceptions as never } })).toThrow('retry_on.exceptions[');
  });
});

describe("fromCmdx's gates", () => {
  it('are both called with the attempt, counted from 0, in every form', () => {
    const call = (_error: unknown, attempt: number): boolean => attempt === 0;
    for (const [options, allowed] of [
      [{ retry_on: { exceptions: [Error], if: call } }, [true, false]],
      [
        {
          retry_on: {
            exceptions: [Error],
            unless: { call: (_: object, error: unknown, at: number) => call(error, at) },
          },
        },
        [false, true],
      ],
      [
        { retry_on: { exceptions: [Error], if: 'fresh', unless: false }, task: { fresh: call } },
        [true, false],
      ],
      [{ retry_on: { exceptions: [Error], if: true, unless: call } }, [false, true]],
      [{ retry_on: { exceptions: [Error], if: call, unless: call } }, [false, false]],
    ] as const) {
      const { policy } = fromCmdx(options);
      const answers = [1, 2].map((failures) => explain(policy, new Error('x'), { failures }).retries);

      expect(answers).toEqual(allowed);
    }
  });

  it('refuse the retry if they return nil', () => {
    const retriesWith = (gates: object): boolean =>
      explain(fromCmdx({ retry_on: { exceptions: [Error], ...gates } }).policy, new Error('x')).retries;

    expect(retriesWith({ if: () => null })).toBe(false);
    expect(retriesWith({ unless: () => null })).toBe(true);
  });

  it('may not return a promise', () => {
    for (const key of ['if', 'unless']) {
      const { policy } = fromCmdx({ retry_on: { exceptions: [Error], [key]: async () => true } });
      const decision = decide(
        policy,
        { failures: 1 },
        { error: new Error('x') },
        { now: 0, random: () => 0 },
      );

      expect(decision).toMatchObject({ type: 'fail', reason: 'stopped', thrown: { code: 'ASYNC_GATE' } });
    }
  });
});

function delayOf(policy: Policy): number {
  return computeDelay(policy, 1, { random: () => 0.5 });
}
