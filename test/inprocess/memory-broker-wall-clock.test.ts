import type { Clock } from '@retry/core';
import { newRun } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/inprocess/testing';
import { describe, expect, it } from 'vitest';

const HOUR_MS = 3_600_000;
const MAIL = 'mail@1';

function setStage() {
  const clock = createTestClock(1_000_000_000);
  let aheadMs = 0;
  const stepped: Clock = { ...clock, wallNow: () => clock.now() + aheadMs };
  const broker = createMemoryBroker({ clock: stepped });
  const claim = async (id: string) => {
    const lanes = new Map([[MAIL, 10]]);
    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId: id, lanes, limit: 10, leaseMs: 30_000 },
    });
    return claimed.map(({ run }) => run.id);
  };
  const submit = (id: string, due: object = {}) =>
    broker.submit([{ ...newRun({ id, lane: MAIL, payload: '1' }), ...due } as never]); // what a queue submits
  const expired = async () => (await broker.findExpired(10)).map(({ id }) => id);
  const set = (stepMs: number): void => {
    aheadMs += stepMs;
  };
  return { clock, broker, claim, submit, expired, set };
}

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a memory broker whose wall clock is set %s by an hour', (_name, stepMs) => {
  it('starts a run at the instant that it was submitted for', async () => {
    const { clock, submit, claim, set } = setStage();
    set(stepMs);
    await submit('a', { runAt: 1_000_000_000 + stepMs + 60_000 });

    await clock.advance(59_000);
    expect(await claim('1')).toEqual([]);
    await clock.advance(1_000);
    expect(await claim('2')).toEqual(['a']);
  });

  it('leaves each lease as long as it had left', async () => {
    const { clock, submit, claim, expired, set } = setStage();
    await submit('a');
    expect(await claim('1')).toEqual(['a']);
    await clock.advance(10_000);

    set(stepMs);
    expect(await expired()).toEqual([]);
    await clock.advance(19_999);
    expect(await expired()).toEqual([]);
    await clock.advance(1);
    expect(await expired()).toEqual(['a']);
  });
});

it('starts a run that fell due while the computer slept', async () => {
  const { submit, claim, set } = setStage();
  await submit('a', { delayMs: HOUR_MS });

  expect(await claim('1')).toEqual([]);
  set(HOUR_MS);
  expect(await claim('2')).toEqual(['a']);
});
