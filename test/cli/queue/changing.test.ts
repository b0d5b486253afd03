import { beforeEach, expect } from 'vitest';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { describeOnServers } from './describe-on-servers.ts';
import { idOf, seedAnew } from './seed.ts';

const inPGlite = 'cancels what waits, and answers for each id';

describeOnServers('commands that change a queue', { inPGlite }, (queue, it) => {
  beforeEach(() => queue().use(seedAnew));

  async function call(definition: string, ...args: readonly string[]) {
    const { out, err, exitCode } = await run([...args, '--json', ...queue().args]);
    expect({ err, problems: schemaErrors(definition, out) }).toEqual({ err: '', problems: [] });
    return { exitCode, ...JSON.parse(out) };
  }

  it(inPGlite, async () => {
    const id = idOf('report', 'two');

    const { runs, exitCode } = await call('runs-cancel', 'runs', 'cancel', id, 'no-such-run');

    expect(exitCode).toBe(1);
    expect(runs).toEqual([
      { id, answer: 'cancelled' },
      { id: 'no-such-run', answer: 'gone' },
    ]);
    expect((await call('runs-show', 'runs', 'show', id)).run.state).toBe('cancelled');
  });

  it('lets a scheduled run start now, and moves it to another start', async () => {
    const id = idOf('report', 'later');

    const now = await call('runs-run-now', 'runs', 'run-now', id);
    const before = await call('runs-show', 'runs', 'show', id);
    const moved = await call('runs-reschedule', 'runs', 'reschedule', id, '--in', '2h');
    const after = await call('runs-show', 'runs', 'show', id);

    expect([now, moved].map(({ runs, exitCode }) => [runs[0].answer, exitCode])).toEqual([
      ['rescheduled', 0],
      ['rescheduled', 0],
    ]);
    expect([before.run.state, after.run.state]).toEqual(['submitted', 'scheduled']);
  });

  it('puts lanes on hold with a reason, and resumes them', async () => {
    const lane = 'send-email@1';

    const held = await call('lanes-hold', 'lanes', 'hold', lane, '--reason', 'the provider is down');
    const { lanes } = await call('lanes-ls', 'lanes', 'ls', lane);
    const resumed = await call('lanes-resume', 'lanes', 'resume', lane);
    const again = await call('lanes-resume', 'lanes', 'resume', lane);

    expect(held.lanes).toEqual([{ lane, answer: 'held' }]);
    expect(lanes[0].holds).toMatchObject([{ source: 'operator', reason: 'the provider is down' }]);
    expect([resumed, again].map(({ exitCode }) => exitCode)).toEqual([0, 1]);
  });

  it('says of a lane on hold that it has neither runs nor workers', async () => {
    const held = await call('lanes-hold', 'lanes', 'hold', 'report@1', 'send-emial@1', '--for', '1s');
    const { out } = await run(['lanes', 'hold', 'send-emial@1', '--for', '1s', ...queue().args]);

    expect(held.lanes).toEqual([
      { lane: 'report@1', answer: 'held' },
      { lane: 'send-emial@1', answer: 'held', isEmpty: true },
    ]);
    expect(out).toContain('It has no runs and no workers');
  });

  it('says that a run has not ended when it stops watching', async () => {
    const watch = ['runs', 'watch', idOf('report', 'one'), '--timeout', '10ms', ...queue().args];

    const { out, err, exitCode } = await run(watch);

    expect(exitCode).toBe(1);
    expect(out).toContain('submitted');
    expect(err).toContain('It has not ended within 10ms');
  });

  it('puts all lanes on hold by one hold', async () => {
    await call('lanes-hold', 'lanes', 'hold', '--all', '--for', '1h');
    const { lanes } = await call('lanes-ls', 'lanes', 'ls', 'resize-image@2');
    await call('lanes-resume', 'lanes', 'resume', '--all');

    expect(lanes[0].holds).toHaveLength(1);
  });

  it('finds runs by state, task, error, text and time', async () => {
    const ids = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await call('runs-ls', 'runs', 'ls', ...args)).runs.map(({ id }: { readonly id: string }) => id);
    const dead = ['dead-1', 'dead-2', 'dead-3'].map((key) => idOf('send-email', key));

    expect(new Set(await ids('--state', 'failed', '--task', 'send-email'))).toEqual(new Set(dead));
    expect(await ids('--task', 'resize-image@1')).toEqual([]);
    expect(await ids('--error', 'RangeError')).toEqual([idOf('resize-image', 'dead')]);
    expect(await ids('--text', 'MUST BE POSITIVE')).toEqual([idOf('resize-image', 'dead')]);
    expect(await ids('--state', 'completed', '--attempt', '1')).toEqual([idOf('send-email', 'ok')]);
  });

  it('lists page after page', async () => {
    const first = await call('runs-ls', 'runs', 'ls', '--state', 'failed', '--limit', '3');
    const second = await call('runs-ls', 'runs', 'ls', '--state', 'failed', '--after', first.next);

    expect([first.runs.length, second.runs.length]).toEqual([3, 1]);
  });

  it('shows no run that is not there, with exit status 1', async () => {
    const { err, exitCode } = await run(['runs', 'show', 'none', ...queue().args]);

    expect(exitCode).toBe(1);
    expect(err).toContain('There is no run none.');
  });

  it('answers for an operation that is not there, with exit status 1', async () => {
    for (const verb of ['pause', 'resume', 'cancel']) {
      const { operations, exitCode } = await call(`operations-${verb}`, 'operations', verb, 'none');

      expect({ operations, exitCode }).toEqual({
        operations: [{ id: 'none', answer: 'gone' }],
        exitCode: 1,
      });
    }
  });

  it('deletes nothing where a person is there and the question cannot be shown', async () => {
    for (const args of [
      ['runs', 'forget', '--all'],
      ['dlq', 'discard', '--all'],
    ]) {
      const { err, exitCode } = await run([...args, '--apply', ...queue().args], { isStdinTerminal: true });

      expect({ err, exitCode }).toEqual({ err: expect.stringContaining('--yes'), exitCode: 2 });
    }
    expect((await call('dlq-groups', 'dlq', 'groups')).deadLetters).toBe(4);
  });

  it('forgets ended runs, by id and by filters, and nothing without --apply', async () => {
    const [waiting, done] = [idOf('report', 'one'), idOf('send-email', 'ok')];

    const dry = await call('runs-forget', 'runs', 'forget', done);
    const still = await call('runs-show', 'runs', 'show', done);
    const gone = await call('runs-forget', 'runs', 'forget', done, waiting, '--apply');
    const again = await call('runs-forget', 'runs', 'forget', done, '--apply');
    const dead = await call(
      'runs-forget',
      'runs',
      'forget',
      '--task',
      'resize-image',
      '--state',
      'failed',
      '--apply',
    );
    const shown = await run(['runs', 'show', done, ...queue().args]);

    expect(
      [dry, gone, again].map(({ applied, ids, leftOut, exitCode }) => ({ applied, ids, leftOut, exitCode })),
    ).toEqual([
      { applied: false, ids: [done], leftOut: [], exitCode: 0 },
      { applied: true, ids: [done], leftOut: [waiting], exitCode: 1 },
      { applied: false, ids: [], leftOut: [done], exitCode: 1 },
    ]);
    expect(dead).toMatchObject({ applied: true, ids: [idOf('resize-image', 'dead')], exitCode: 0 });
    expect([still.run.state, shown.exitCode]).toEqual(['completed', 1]);
  });

  it('refuses to forget without ids and filters, and both together', async () => {
    const none = await run(['runs', 'forget', ...queue().args]);
    const both = await run(['runs', 'forget', 'a', '--task', 'report', ...queue().args]);

    expect([none.exitCode, both.exitCode]).toEqual([2, 2]);
    expect(none.err).toContain('Nothing is selected.');
    expect(both.err).toContain('exclude each other');
  });
});
