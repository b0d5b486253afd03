import type { Broker } from '@retry/core/broker';
import { cancelRuns, listHolds } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { idOf, seedQueue } from './seed.ts';

const AWAY = new Error('the server is away');
const NOT_REACHED =
  'retry: The server of the given broker was not reached: the server is away. Start it, or correct the given broker.\n';

/** Returns a function that fails from this call on. */
function failingFrom<Args extends readonly unknown[], Answer>(
  first: number,
  whole: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  let calls = 0;
  return async (...args) => {
    calls += 1;
    if (calls >= first) throw AWAY;
    return whole(...args);
  };
}

/** Returns a broker whose notes cannot be written from this write on. */
function withNotesFailingFrom(first: number, broker: Broker): Broker {
  const { notes } = broker;
  return { ...broker, notes: { ...notes, write: failingFrom(first, notes.write) } };
}

const report = defineTask({ name: 'report', run: async (_: object) => {} });

describe('a call whose server goes away when a part is done', () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  let broker = createMemoryBroker({ clock });
  beforeEach(async () => {
    broker = createMemoryBroker({ clock });
    await seedQueue({ broker, clock });
  });

  it('says which schedules were removed, and of which it has no answer', async () => {
    const queue = createQueue({ broker, clock });
    for (const id of ['hourly', 'daily'])
      await queue.schedule(id, { task: report, payload: {}, every: '1h' });
    const remove = ['schedules', 'rm', 'hourly', 'daily'];

    const people = await run(remove, { broker: withNotesFailingFrom(2, broker) });
    await queue.schedule('hourly', { task: report, payload: {}, every: '1h' });
    const programs = await run([...remove, '--json'], { broker: withNotesFailingFrom(2, broker) });

    expect(people).toMatchObject({
      out: 'hourly  removed\ndaily  no answer: whether this was done is not known\n',
      err: NOT_REACHED,
      exitCode: 3,
    });
    expect(schemaErrors('schedules-rm', programs.out)).toEqual([]);
    expect(JSON.parse(programs.out)).toEqual({ schedules: [{ id: 'hourly', answer: 'removed' }] });
    expect(schemaErrors('error', programs.err)).toEqual([]);
    expect(programs.exitCode).toBe(3);
  });

  it('prints the error alone where nothing was answered', async () => {
    const cancel = ['runs', 'cancel', idOf('report', 'one')];

    const { out, err, exitCode } = await run(cancel, {
      broker: { ...broker, change: failingFrom(1, broker.change) },
    });

    expect({ out, err, exitCode }).toEqual({ out: '', err: NOT_REACHED, exitCode: 3 });
  });

  it('says which lanes are on hold', async () => {
    const hold = ['lanes', 'hold', 'send-email@1', 'resize-image@2'];

    const { out, err, exitCode } = await run(hold, { broker: withNotesFailingFrom(2, broker) });

    expect({ out, err, exitCode }).toEqual({
      out: 'send-email@1 is on hold.\nresize-image@2: no answer; whether this was done is not known.\n',
      err: NOT_REACHED,
      exitCode: 3,
    });
    expect((await listHolds(broker)).map(({ lane }) => lane)).toEqual(['report@1', 'send-email@1']);
  });

  it('says that a lane is on hold whose figures cannot be read', async () => {
    const hold = ['lanes', 'hold', 'send-email@1', '--json'];

    const { out, exitCode } = await run(hold, {
      broker: { ...broker, figures: () => Promise.reject(AWAY) },
    });

    expect(JSON.parse(out)).toEqual({ lanes: [{ lane: 'send-email@1', answer: 'held' }] });
    expect(exitCode).toBe(3);
  });

  it('says which lanes are resumed', async () => {
    const resume = ['lanes', 'resume', 'report@1', 'resize-image@2', '--json'];

    const { out, err, exitCode } = await run(resume, { broker: withNotesFailingFrom(2, broker) });

    expect(JSON.parse(out)).toEqual({ lanes: [{ lane: 'report@1', answer: 'resumed' }] });
    expect(schemaErrors('error', err)).toEqual([]);
    expect(exitCode).toBe(3);
  });

  it('names the operation that it has begun, which workers carry on', async () => {
    const redrive = ['dlq', 'redrive', '--task', 'send-email', '--rate', '1/h', '--apply'];
    const { read, write } = broker.notes;
    let readsSince: number | undefined;
    const notes: Broker['notes'] = {
      read: async (query) => {
        if (readsSince !== undefined && ++readsSince > 1) throw AWAY;
        return read(query);
      },
      write: async (writes) => {
        if (readsSince !== undefined) throw AWAY;
        readsSince = 0;
        return write(writes);
      },
    };

    const { out, err, exitCode } = await run(redrive, { broker: { ...broker, notes } });

    const [operation] = await createQueue({ broker, clock }).operations.list();
    expect(out).toContain(`Operation ${operation?.id} is running`);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`retry operations cancel ${operation?.id} stops it.`);
    expect(err).toContain(NOT_REACHED);
    expect(exitCode).toBe(3);
  });
});

describe('what is done while a person or a program waits', () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
  it('is deleted only as it was asked about, and not what has ended since', async () => {
    const broker = createMemoryBroker({ clock });
    const queue = createQueue({ broker, clock });
    const [before, since] = [await queue.submit(report, {}), await queue.submit(report, {})];
    await cancelRuns(broker, [before.id]);
    let isAsked = false;
    const list: Broker['list'] = async (query) => {
      const page = await broker.list(query);
      if (!isAsked && query.state === 'cancelled') await cancelRuns(broker, [since.id]);
      isAsked ||= query.state === 'cancelled';
      return page;
    };

    const { out, exitCode } = await run(['runs', 'forget', '--all', '--apply', '--json'], {
      broker: { ...broker, list },
    });

    expect({ out: JSON.parse(out), exitCode }).toEqual({
      out: { applied: true, ids: [before.id], leftOut: [] },
      exitCode: 0,
    });
    expect((await queue.get(since.id))?.state).toBe('cancelled');
  });

  it('ends with exit status 1 where another person has cancelled the operation', async () => {
    const broker = createMemoryBroker({ clock });
    await seedQueue({ broker, clock });
    const { operations } = createQueue({ broker, clock });
    const write: Broker['notes']['write'] = async (writes) => {
      const written = await broker.notes.write(writes);
      for (const { id, state } of await operations.list()) {
        if (state === 'running') await operations.cancel(id);
      }
      return written;
    };

    const redrive = ['dlq', 'redrive', '--task', 'send-email', '--rate', '1/h', '--apply'];
    const { out, exitCode } = await run(redrive, {
      broker: { ...broker, notes: { ...broker.notes, write } },
    });

    expect((await operations.list()).map(({ state }) => state)).toEqual(['cancelled']);
    expect(out).toContain('is cancelled');
    expect(exitCode).toBe(1);
  });
});
