import { createCloseGate } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

describe('a close gate', () => {
  it('passes answers and rejections of calls', async () => {
    const gate = createCloseGate('Redis');

    await expect(gate.pass(() => 1)).resolves.toBe(1);
    await expect(gate.pass(async () => 2)).resolves.toBe(2);
    await expect(gate.pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(
      gate.pass(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(gate.isClosed()).toBe(false);
  });

  it('rejects calls after close without making them', async () => {
    const gate = createCloseGate('Redis');
    let calls = 0;
    await gate.close();

    const answer = gate.pass(() => {
      calls += 1;
    });

    await expect(answer).rejects.toMatchObject({
      code: 'BROKER_CLOSED',
      message: 'the Redis broker is closed. Create another one.',
    });
    expect(calls).toBe(0);
    expect(gate.isClosed()).toBe(true);
  });

  it('closes once the calls under way have been answered, whatever their outcome', async () => {
    const gate = createCloseGate('Postgres');
    const events: string[] = [];
    const first = deferred();
    const second = deferred();
    const answers = [gate.pass(() => first.promise), gate.pass(() => second.promise)];
    const closed = gate.close().then(() => events.push('closed'));

    first.resolve();
    await answers[0];
    events.push('first');
    second.reject(new Error('lost'));
    await expect(answers[1]).rejects.toThrow('lost');
    await closed;

    expect(events).toEqual(['first', 'closed']);
  });
});
