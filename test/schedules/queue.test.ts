import { defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../support/wrong-input.ts';
import { setScene } from '../worker/scene.ts';

const START_AT = Date.parse('2026-11-28T12:00Z');
const report = defineTask({ name: 'report', version: '2', run: (_: { readonly to: string }) => {} });
const payload = { to: 'ada' };

describe('queue.schedule', () => {
  it('returns the schedule, and lists it by when it fires next', async () => {
    const { queue } = setScene(START_AT);

    const nightly = await queue.schedule('nightly', {
      ...{ task: report, payload, cron: '30  2 * * *', timeZone: 'Europe/Berlin', missed: 'skip' },
    });
    await queue.schedule('often', { task: report, payload, every: '90m', until: '2026-12-01T00:00Z' });

    expect(nightly).toEqual({
      ...{ id: 'nightly', task: 'report', version: '2', payload, cron: '30 2 * * *' },
      ...{ timeZone: 'Europe/Berlin', missed: 'skip', createdAt: START_AT },
      nextAt: Date.parse('2026-11-29T01:30Z'),
    });
    const { schedules, next } = await queue.schedules({ times: 'iso' });
    expect(schedules.map(({ id, nextAt }) => [id, nextAt])).toEqual([
      ['often', '2026-11-28T13:30:00.000Z'],
      ['nightly', '2026-11-29T01:30:00.000Z'],
    ]);
    expect(schedules[0]).toMatchObject({
      everyMs: 5_400_000,
      untilAt: '2026-12-01T00:00:00.000Z',
      missed: 'latest',
    });
    expect(next).toBeUndefined();
  });

  it('lists page by page', async () => {
    const { queue } = setScene(START_AT);
    for (const id of ['a', 'b', 'c']) await queue.schedule(id, { task: report, payload, every: '1h' });

    const first = await queue.schedules({ limit: 2 });
    const last = await queue.schedules({ limit: 2, after: first.next ?? '' });

    expect([first, last].map(({ schedules }) => schedules.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
    expect(last.next).toBeUndefined();
  });

  it.each([
    ['in another form', (value: string) => value.replace('"form":1', '"form":2'), 'its form is 2'],
    ['no JSON', () => 'garbage', 'JSON'],
  ])('names one that it cannot read, lists the others, and removes it: %s', async (_name, spoil, why) => {
    const { broker, queue } = setScene(START_AT);
    for (const id of ['a', 'b/c', 'd']) await queue.schedule(id, { task: report, payload, every: '1h' });
    const { notes } = await broker.notes.read({ prefix: 'schedule/at/', limit: 10 });
    const note = notes.find(({ key }) => key.endsWith('/b/c'));
    await broker.notes.write([{ key: note?.key ?? '', value: spoil(note?.value ?? '') }]);

    const { schedules, unreadable } = await queue.schedules();
    const changing = queue.schedule('b/c', { task: report, payload, every: '2h' });

    expect([schedules.map(({ id }) => id), unreadable]).toEqual([['a', 'd'], ['b/c']]);
    await expect(changing).rejects.toThrow(/^the schedule "b\/c" cannot be read: /);
    await expect(changing).rejects.toThrow(why);
    expect(await queue.unschedule('b/c')).toBe('removed');
    expect(await queue.unschedule('b/c')).toBe('gone');
    expect(await queue.schedules()).toEqual({ schedules });
    expect((await broker.notes.read({ prefix: 'schedule/', limit: 10 })).notes).toHaveLength(4);
  });

  it('leaves a schedule as it is that says the same', async () => {
    const { clock, queue } = setScene(START_AT);
    const options = { task: report, payload, every: '1h', from: new Date(START_AT + 5_000) } as const;
    const first = await queue.schedule('hourly', options);
    await clock.advance('30m');

    expect(await queue.schedule('hourly', { ...options, from: START_AT + 5_000 })).toEqual(first);
  });

  it('keeps the rhythm of a schedule whose payload changes', async () => {
    const { clock, queue } = setScene(START_AT);
    await queue.schedule('hourly', { task: report, payload, every: '1h' });
    await clock.advance('30m');

    const changed = await queue.schedule('hourly', { task: report, payload: { to: 'bob' }, every: '1h' });

    expect(changed).toMatchObject({ payload: { to: 'bob' }, nextAt: START_AT + 3_600_000 });
  });

  it.each([
    ['', { cron: '0 2 * * *' }, 'id must not be empty'],
    ['x'.repeat(257), { cron: '0 2 * * *' }, 'id must be at most 256 bytes'],
    ['a', {}, 'must have cron or every'],
    ['a', { cron: '0 2 * * *', every: '1h' }, 'every cannot be combined with cron, got "1h"'],
    [
      'a',
      { cron: '0 25 * * *' },
      'cron cannot be read at the hour 25, got "0 25 * * *". The hour is 0 to 23',
    ],
    ['a', { cron: '0 2 * MON *' }, 'cron cannot be read at the month MON'],
    ['a', { cron: '0 2 * * 1-FRI/x' }, 'cron cannot be read at the day of the week 1-FRI/x'],
    ['a', { cron: '0 60 2 * * *' }, 'cron cannot be read at the minute 60'],
    ['a', { cron: 'UTC 0 2 * * *' }, 'cron cannot be read at the second UTC'],
    ['a', { cron: '0 0 2 * * * 0' }, 'cron cannot be read at the year 0'],
    ['a', { cron: '0 2,/2 * * *' }, 'cron cannot be read at the hour 2,/2'],
    ['a', { cron: '*/90 * * * *' }, 'cron cannot be read at the minute */90'],
    ['a', { cron: '2026-11-29T02:00:00Z' }, 'cron must be a cron pattern of five to seven fields'],
    ['a', { cron: '@never' }, 'cron must be a cron pattern of five to seven fields'],
    ['a', { cron: '@never' }, 'Of names there are @hourly, @daily, @weekly, @monthly and @yearly.'],
    ['a', { cron: '@reboot' }, 'Submit the run where the program starts: queue.submit(task, payload).'],
    ['a', { cron: '@every 5m' }, "Use every: '5m'."],
    ['a', { cron: '0 22-2 * * *' }, 'Write a range that wraps around as two: 22-23,0-2.'],
    ['a', { cron: 5 }, 'cron must be text'],
    ['a', { cron: '0 0 30 2 *' }, 'must leave an instant to come'],
    ['a', { cron: '0 2 * * *', timeZone: 'Europe/Atlantis' }, 'timeZone must be a time zone'],
    ['a', { every: '999ms' }, 'every must be a finite duration of at least 1s, got "999ms"'],
    ['a', { every: '1h', timeZone: 'UTC' }, 'timeZone belongs to cron'],
    ['a', { every: '1h', until: START_AT }, 'must leave an instant to come'],
    ['a', { cron: '@daily', until: '2020-01-01T00:00Z' }, 'until must leave an instant to come'],
    ['a', { cron: '0 0 30 2 *', until: '2030-01-01T00:00Z' }, 'cron must leave an instant to come'],
    ['a', { every: '1h', from: START_AT + 5, until: START_AT + 4 }, 'until must not be before from'],
    ['a', { every: '1h', missed: { all: 0 } }, 'missed.all must be an integer from 1 to 1000'],
    ['a', { every: '1h', missed: 'all' }, 'missed is not one of the choices'],
    ['a', { every: '1h', tz: 'UTC' }, 'Use timeZone'],
    ['a', { every: '1h', task: 'report' }, 'task must be a task'],
  ])('refuses %j with %j', async (id, options, message) => {
    const { queue } = setScene(START_AT);

    const refused = queue.schedule(id, { task: report, payload, ...options } as never);

    await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(refused).rejects.toThrow(message);
    expect((await queue.schedules()).schedules).toEqual([]);
  });

  it.each([
    ['', { payload: 1 }],
    ['every', { cron: '0 2 * * *', every: '1h' }],
    ['cron', { cron: ' 0 25  * * *' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '0 0 30 2 *', until: '2030-01-01T00:00Z' }],
    ['timeZone', { every: '1h', timeZone: 'UTC' }],
    ['until', { every: '1h', until: '2020-01-01T00:00:00+02:00' }],
    ['until', { cron: '@daily', until: new Date(START_AT) }],
    ['until', { every: '1h', from: '2030-01-02T00:00Z', until: '2030-01-01T00:00Z' }],
    ['missed', { every: '1h', missed: 'all' }],
  ])('shows the value of %s as it was written in %j', async (path, given) => {
    const options: Readonly<Record<string, unknown>> = { task: report, payload, ...given };

    const { problems } = await refusalOf(() => setScene(START_AT).queue.schedule('a', options as never));

    expect(problems.map((problem) => [problem.path, problem.value])).toEqual([
      // Of a long object an error keeps the beginning of its text.
      [path, path === '' ? expect.stringContaining('report') : options[path]],
    ]);
  });

  it('refuses a payload that the schema of its task refuses, or that is too large', async () => {
    const { queue } = setScene(START_AT);
    const task = defineTask({ name: 'strict', schema: z.object({ to: z.email() }), run: () => {} });

    const invalid = queue.schedule('a', { task, payload: { to: 'nobody' }, every: '1h' });
    const large = queue.schedule('a', { task: report, payload: { to: 'x'.repeat(40_000) }, every: '1h' });

    await expect(invalid).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    await expect(large).rejects.toThrow(
      'the payload of a schedule has 40009 bytes, more than the maximum of 32768',
    );
  });

  it('makes one of many at the same time, and the last one to change it wins', async () => {
    const { queue } = setScene(START_AT);
    const all = Array.from({ length: 20 }, (_, index) => ({ to: `${index}` }));

    await Promise.all(all.map((each) => queue.schedule('one', { task: report, payload: each, every: '1h' })));

    const { schedules } = await queue.schedules();
    expect(schedules).toHaveLength(1);
    expect(all).toContainEqual(schedules[0]?.payload);
  });

  it('takes the payload of the task', async () => {
    const { queue } = setScene(START_AT);

    // @ts-expect-error the payload of another task
    await queue.schedule('a', { task: report, payload: 1, cron: '@daily' });

    const { schedules } = await queue.schedules();
    expectTypeOf(schedules[0]?.nextAt).toEqualTypeOf<number | undefined>();
  });
});
