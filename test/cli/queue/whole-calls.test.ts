import { getOperation, listHolds } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../run-in-memory.ts';
import { idOf, seedQueue } from './seed.ts';

describe('a call that is wrong in a part', () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  let broker = createMemoryBroker({ clock });
  beforeEach(async () => {
    broker = createMemoryBroker({ clock });
    await seedQueue({ broker, clock });
  });

  it('cancels no run when one of the ids is none', async () => {
    const waiting = idOf('report', 'one');

    const { err, exitCode } = await run(['runs', 'cancel', waiting, ''], { broker });

    expect({ err, exitCode }).toEqual({
      err: 'retry: An id must not be empty, got "". Nothing was changed: leave it out, and call again.\n',
      exitCode: 2,
    });
    expect((await broker.get([waiting]))[0]?.state).toBe('submitted');
  });

  it('puts no lane on hold when one of the lanes is none', async () => {
    const { err, exitCode } = await run(['lanes', 'hold', 'send-email@1', 'resize-image'], { broker });

    expect({ err, exitCode }).toEqual({
      err: 'retry: "resize-image" is no lane, and nothing was changed. Write the name and the version of the task, as retry lanes ls does: send-email@1.\n',
      exitCode: 2,
    });
    expect((await listHolds(broker)).map(({ lane }) => lane)).toEqual(['report@1']);
  });

  it('resumes no lane when one of the lanes is none', async () => {
    const { exitCode } = await run(['lanes', 'resume', 'report@1', 'resize-image'], { broker });

    expect(exitCode).toBe(2);
    expect((await listHolds(broker)).map(({ lane }) => lane)).toEqual(['report@1']);
  });

  it('pauses no operation when one of the ids is none', async () => {
    const plan = await createQueue({ broker, clock }).deadLetters.plan({ task: 'send-email' });
    const { id } = await plan.apply({ perSecond: 0.001 });

    const { exitCode } = await run(['operations', 'cancel', id, ''], { broker });

    expect(exitCode).toBe(2);
    expect((await getOperation(broker, id))?.state).toBe('running');
  });
});

describe('a lane that is named twice', () => {
  it('is resumed once', async () => {
    const broker = createMemoryBroker();
    await createQueue({ broker }).hold({ lane: 'report@1' });

    const { out, exitCode } = await run(['lanes', 'resume', 'report@1', 'report@1'], { broker });

    expect({ out, exitCode }).toEqual({ out: 'report@1 is resumed.\n', exitCode: 0 });
  });
});

describe('a state that is given with ids', () => {
  it('leaves out the dead letters of another state, and says so', async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
    const broker = createMemoryBroker({ clock });
    await seedQueue({ broker, clock });
    const dead = idOf('resize-image', 'dead');

    const call = ['dlq', 'discard', dead, '--state', 'stalled', '--apply'];
    const { out, exitCode } = await run(call, { broker });

    expect({ out, exitCode }).toEqual({
      out: expect.stringContaining(`${dead}  left out: it is failed\n`),
      exitCode: 1,
    });
    expect((await broker.get([dead]))[0]?.state).toBe('failed');
  });
});

describe('an instant', () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  const broker = createMemoryBroker({ clock });
  beforeAll(() => seedQueue({ broker, clock }));

  it.each([
    'tomorrow 9',
    '10',
    '9:30',
    'in 5 minutes',
    '2026-02-30T09:00:00Z',
    '2026-13-01',
    '01/02/2027',
    '',
  ])('that is no date and time does not start a run: %s', async (text) => {
    const id = idOf('report', 'later');

    const { err, exitCode } = await run(['runs', 'reschedule', id, '--at', text], { broker });

    expect(exitCode).toBe(2);
    expect(err).toContain('Write a date and a time: 2026-05-01T09:00:00Z.');
    expect((await broker.get([id]))[0]?.state).toBe('scheduled');
  });

  it.each([
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2027-05-01T09:00Z', Date.UTC(2027, 4, 1, 9)],
    ['2027-05-01 09:00:00.5+02:00', Date.UTC(2027, 4, 1, 7, 0, 0, 500)],
  ])('is read as it is written: %s', async (text, at) => {
    const id = idOf('report', 'later');

    await run(['runs', 'reschedule', id, '--at', text], { broker });

    expect((await broker.get([id]))[0]?.runAt).toBe(at);
  });
});

describe('a hold', () => {
  const broker = createMemoryBroker({ clock: createTestClock(Date.UTC(2026, 0, 1, 12)) });

  it.each([
    [['--for', '0'], '--for 0 is no time'],
    [['--until', '2026-01-01T11:59:00Z'], '--until 2026-01-01T11:59:00.000Z is over'],
    [['--for', '0', '--until', '2026-01-01T12:00:00Z'], '--until 2026-01-01T12:00:00.000Z is over'],
  ])('that is over when it begins is not said to hold: %s', async (options, what) => {
    const { out, err, exitCode } = await run(['lanes', 'hold', 'report@1', ...options], { broker });

    expect({ out, err, exitCode }).toEqual({
      out: '',
      err: `retry: ${what}: nothing was put on hold. Give a longer time; retry lanes resume ends a hold.\n`,
      exitCode: 2,
    });
  });

  it('lasts until the later of both ends', async () => {
    const options = ['--for', '1h', '--until', '2026-01-01T11:00:00Z'];

    const { exitCode } = await run(['lanes', 'hold', 'report@1', ...options], { broker });

    expect(exitCode).toBe(0);
    expect((await listHolds(broker)).map(({ until }) => until)).toEqual([Date.UTC(2026, 0, 1, 13)]);
  });
});

it('watches a run for no longer than --timeout, however seldom it looks', async () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  const broker = createMemoryBroker({ clock });
  await seedQueue({ broker, clock });

  const watch = ['runs', 'watch', idOf('report', 'one'), '--timeout', '20ms', '--every', '1h'];
  const { err, exitCode } = await run(watch, { broker });

  expect(exitCode).toBe(1);
  expect(err).toContain('It has not ended within 20ms');
});

it('prints nothing on standard error with --json while what fails is tried again', async () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  const memory = createMemoryBroker({ clock });
  await seedQueue({ broker: memory, clock });
  let calls = 0;
  const change: typeof memory.change = async (...args) => {
    if (++calls === 1) throw new Error('the server is away');
    return memory.change(...args);
  };

  const redrive = ['dlq', 'redrive', idOf('resize-image', 'dead'), '--apply', '--json'];
  const { out, err, exitCode } = await run(redrive, { broker: { ...memory, change } });

  expect({ calls, err, exitCode }).toEqual({ calls: 2, err: '', exitCode: 0 });
  expect(JSON.parse(out).operation.done).toBe(1);
});

it('says what fails while it carries a redrive on, and not that a listener is missing', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  const memory = createMemoryBroker({ clock });
  await seedQueue({ broker: memory, clock });
  let calls = 0;
  const change: typeof memory.change = async (...args) => {
    if (++calls === 1) throw new Error('the server is away');
    return memory.change(...args);
  };

  const redrive = ['dlq', 'redrive', idOf('resize-image', 'dead'), '--apply'];
  const { out, err, exitCode } = await run(redrive, { broker: { ...memory, change } });

  expect({ out, err, exitCode }).toEqual({
    out: '1/1 redriven.\n',
    err: 'retry: carrying an operation on failed. Error: the server is away\n',
    exitCode: 0,
  });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
