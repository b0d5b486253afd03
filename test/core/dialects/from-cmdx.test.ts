import { type CmdxOptions, fromCmdx } from '@retry/core/dialects';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf, problemsOf } from './problems.ts';

const MAIN = 'main@fc92e183';

describe('fromCmdx', () => {
  it("has CMDx's defaults", () => {
    const { policy, task, warnings } = fromCmdx({ retry_on: { exceptions: [TypeError] } });

    expect(policy).toMatchObject({
      maxAttempts: 4,
      backoff: { type: 'constant', baseMs: 500 },
      jitter: 'none',
      maxDelayMs: Infinity,
      retryOn: [TypeError],
    });
    expect(task).toEqual({});
    expect(warnings).toEqual([]);
  });

  it('reads a negative delay as none, and accepts an infinite maximum', () => {
    const retry_on = { exceptions: [Error], delay: -1, max_delay: Infinity };

    expect(settingsOf(fromCmdx({ retry_on }).policy).backoff).toEqual({ type: 'none' });
    expect(settingsOf(fromCmdx({ retry_on: { ...retry_on, delay: 1 } }).policy).maxDelayMs).toBe(Infinity);
  });

  it('retries nothing without exceptions', () => {
    for (const options of [{}, { retry_on: [] }, { retry_on: { exceptions: [], limit: 5 } }]) {
      const { policy, warnings } = fromCmdx(options);

      expect(settingsOf(policy).retryOn).toBe('nothing');
      expect(codesOf(warnings)).toContain('RETRIES_NOTHING retry_on');
    }
  });

  it('warns that nothing is retried if the lines that apply list no exception', () => {
    expect(codesOf(fromCmdx({ version: MAIN, retry_on: { limit: 9 } }).warnings)).toEqual([
      'RETRIES_NOTHING retry_on',
    ]);
  });

  it('reads nil as the default, also if the parent set a value', () => {
    const parent = { retry_on: { exceptions: [Error], limit: 7, delay: 3, max_delay: 5, if: () => false } };
    const nil = { exceptions: [Error], limit: null, delay: null, max_delay: null, if: null };

    expect(fromCmdx({ retry_on: nil, parent }).policy).toMatchObject({
      maxAttempts: 4,
      backoff: { baseMs: 500 },
      maxDelayMs: Infinity,
    });
    expect(fromCmdx({ retry_on: nil, parent }).policy).not.toHaveProperty('retryIf');
  });

  it('runs once for a limit of 0', () => {
    const { policy, warnings } = fromCmdx({ retry_on: { exceptions: [Error], limit: 0 } });

    expect(settingsOf(policy).maxAttempts).toBe(1);
    expect(codesOf(warnings)).toEqual(['RUNS_ONCE retry_on.limit']);
  });

  it('merges several lines into one policy, with a warning', () => {
    const { policy, warnings } = fromCmdx({
      retry_on: [
        { exceptions: [TypeError], limit: 5 },
        { exceptions: ['ReadTimeout'], limit: 3 },
      ],
    });

    expect(policy).toMatchObject({ maxAttempts: 4, retryOn: [TypeError, { name: 'ReadTimeout' }] });
    expect(codesOf(warnings)).toEqual(['ONE_POLICY retry_on']);
  });

  it('ignores a line without exceptions as its version does, with a warning', () => {
    const parent = { retry_on: { exceptions: [Error], limit: 2 } };
    const options = { retry_on: [{ limit: 9 }, { limit: 8 }], parent };

    expect(settingsOf(fromCmdx(options).policy).maxAttempts).toBe(3);
    expect(settingsOf(fromCmdx({ ...options, version: MAIN }).policy).maxAttempts).toBe(10);
    expect(codesOf(fromCmdx({ ...options, version: MAIN }).warnings)).toEqual(['WITHOUT_EFFECT retry_on[1]']);
  });

  it('names a class that inherits from itself', () => {
    const own: { parent?: CmdxOptions } = {};
    const grandparent: { parent?: CmdxOptions } = {};
    const options: CmdxOptions = { parent: grandparent };
    own.parent = own;
    grandparent.parent = { parent: options };

    expect(problemsOf(() => fromCmdx(own))).toEqual(['parent.parent']);
    expect(problemsOf(() => fromCmdx(options))).toEqual(['parent.parent.parent.parent']);
  });

  it('names the parent of a chain of classes without an end', () => {
    class Endless {
      get parent(): CmdxOptions {
        return new Endless();
      }
    }

    expect(problemsOf(() => fromCmdx(new Endless()))).toEqual([
      expect.stringMatching(/^parent(\.parent){10,}$/),
    ]);
  });

  it("lists every problem under CMDx's names, including those of parent classes", () => {
    const options = {
      version: '2',
      retry_on: [
        { exceptions: [{ nome: 'x' }], limit: 1.5, delay: 'a', max_delay: -1, jitter: 'nobody', retries: 3 },
        { if: 'nobody', unless: 7, block: 'exponential', jitter: 5 },
        4,
      ],
      parent: { retry_on: { limit: {} }, version: MAIN },
      retriers: 5,
      task: 'me',
    };

    expect(problemsOf(() => fromCmdx(options as never))).toEqual([
      'parent.retry_on.limit',
      'parent.version',
      'retriers',
      'retry_on[0].delay',
      'retry_on[0].exceptions[0].nome',
      'retry_on[0].jitter',
      'retry_on[0].limit',
      'retry_on[0].max_delay',
      'retry_on[0].retries',
      'retry_on[1].block',
      'retry_on[1].if',
      'retry_on[1].jitter',
      'retry_on[1].unless',
      'retry_on[2]',
      'task',
      'version',
    ]);
  });

  it('does not accept an inherited method of every object by name', () => {
    const retry_on = { exceptions: [Error], jitter: 'toString', if: 'valueOf' };

    expect(problemsOf(() => fromCmdx({ retry_on }))).toEqual(['retry_on.if', 'retry_on.jitter']);
  });
});
