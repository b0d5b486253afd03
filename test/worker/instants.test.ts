import type { Run } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { readRetryRequest } from '../../packages/worker/src/run/requests.ts';
import { refusalOf } from '../support/wrong-input.ts';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'mail', run: (_: unknown) => {} });
const NOON_AT = Date.UTC(2026, 0, 1, 12);
const NOON = '2026-01-01T12:00:00.000Z';

/** Every option that is an instant, by its path. */
const INSTANTS: Readonly<Record<string, (at: never) => unknown>> = {
  runAt: (runAt) => setScene().queue.submit(task, 1, { runAt }),
  'runAt of many': (runAt) => setScene().queue.submitMany(task, [1], { runAt }),
  'runAt of a waited run': (runAt) => setScene().queue.submitAndWait(task, 1, { runAt, timeout: 0 }),
  'runAt of a moved run': (runAt) => setScene().queue.reschedule('a', { runAt }),
  'runAt of a new run': (runAt) => setScene().queue.resubmit('a', { runAt }),
  'spent.firstStartedAt': (firstStartedAt) =>
    setScene().queue.submit(task, 1, { spent: { attempts: 0, firstStartedAt } }),
  until: (until) => setScene().queue.hold(task, { until }),
  'until of a schedule': (until) => setScene().queue.schedule('a', { task, payload: 1, every: '1h', until }),
  from: (from) => setScene().queue.schedule('a', { task, payload: 1, every: '1h', from }),
  'from of a search': (from) => setScene().queue.search({ from }),
  to: (to) => setScene().queue.search({ to }),
  endedBefore: (endedBefore) => setScene().queue.list({ endedBefore }),
  endedAfter: (endedAfter) => setScene().queue.list({ endedAfter }),
  at: (at) => readRetryRequest({ at }),
};

describe.each(Object.entries(INSTANTS))('the instant %s', (name, call) => {
  const [path] = name.split(' ');

  it.each([1_000_000_000, 1_767_225_600, 1_767_225_600.5, 99_999_999_999, new Date(1_767_225_600)])(
    'is not %o, which is a number of seconds',
    async (seconds) => {
      const { problems } = await refusalOf(() => call(seconds as never));

      expect(problems).toEqual([
        {
          path,
          value: seconds,
          message: 'must be epoch milliseconds, and these are seconds',
          cure: 'Multiply them by 1000. A test clock that goes on for days has to begin at a real instant.',
        },
      ]);
    },
  );

  it.each(['tomorrow', '1767225600', '2026-01-01', '2026-02-30T00:00Z', Number.NaN, 1e300])(
    'is not %o',
    async (given) => {
      const { problems } = await refusalOf(() => call(given as never));

      expect(problems).toMatchObject([
        { path, value: given, message: expect.stringMatching(/^must be an instant/) },
      ]);
    },
  );
});

describe('an instant', () => {
  it.each([NOON_AT, NOON, '2026-01-01T13:00+01:00', new Date(NOON_AT)])('may be %o', async (runAt) => {
    const { broker, queue } = setScene(NOON_AT - 1_000);

    const { id } = await queue.submit(task, 1, { runAt });
    await queue.hold(task, { until: runAt });

    const [run] = await broker.get([id]);
    expect((run as Run | undefined)?.runAt).toBe(NOON_AT);
    expect(await queue.holds()).toMatchObject([{ until: NOON_AT }]);
    expect(readRetryRequest({ at: runAt }).at).toBe(NOON_AT);
  });

  it('may be one of a clock that begins at 0', async () => {
    const { queue } = setScene(createTestClock().now());

    for (const runAt of [0, 1, -1, 86_400_000])
      expect(await queue.submit(task, 1, { runAt })).toMatchObject({ isNew: true });
  });
});
