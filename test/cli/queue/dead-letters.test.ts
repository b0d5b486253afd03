import { beforeEach, expect } from 'vitest';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { describeOnServers } from './describe-on-servers.ts';
import { idOf, seedAnew } from './seed.ts';

const inPGlite = 'are planned to be redriven, and stay as they are without --apply';

describeOnServers('dead letters', { inPGlite }, (queue, it) => {
  beforeEach(() => queue().use(seedAnew));

  async function call(definition: string, ...args: readonly string[]) {
    const { out, err, exitCode } = await run([...args, '--json', ...queue().args], { now: Date.now });
    expect({ err, problems: schemaErrors(definition, out) }).toEqual({ err: '', problems: [] });
    return { exitCode, ...JSON.parse(out) };
  }

  const letters = async (...args: readonly string[]): Promise<ReadonlySet<string>> => {
    const { runs } = await call('dlq-ls', 'dlq', 'ls', ...args);
    return new Set(runs.map(({ id }: { readonly id: string }) => id));
  };

  const mails = () => new Set(['dead-1', 'dead-2', 'dead-3'].map((key) => idOf('send-email', key)));
  const image = () => new Set([idOf('resize-image', 'dead')]);
  const all = () => new Set([...mails(), ...image()]);

  it('are grouped by their cause, and listed by group, task, error and time', async () => {
    const { groups, deadLetters } = await call('dlq-groups', 'dlq', 'groups');
    const [first, second] = groups;

    expect(deadLetters).toBe(4);
    expect([first, second]).toMatchObject([
      { count: 3, lane: 'send-email@1', title: 'Error EENVELOPE: no mailbox for nobody@' },
      { count: 1, lane: 'resize-image@2' },
    ]);
    expect(await letters('--group', first.id)).toEqual(mails());
    expect(await letters('--group', second.id.slice(0, 6))).toEqual(image());
    expect(await letters('--task', 'send-email')).toEqual(mails());
    expect(await letters('--task', 'send-email@2')).toEqual(new Set());
    expect(await letters('--error', 'RangeError')).toEqual(image());
    expect(await letters('--since', '1h')).toEqual(all());
    expect(await letters('--older-than', '1h')).toEqual(new Set());
    expect((await letters('--limit', '2')).size).toBe(2);
  });

  it.each([
    [['dlq', 'groups']],
    [['dlq', 'ls']],
    [['dlq', 'redrive']],
    [['dlq', 'discard', '--apply', '--yes']],
    [['replay', '{}']],
    [['runs', 'ls']],
    [['runs', 'forget', '--apply', '--yes']],
  ])(
    'of a task that the queue does not know are none, and a note names those there are: %j',
    async (args) => {
      const ask = (task: string) => run([...args, '--task', task, ...queue().args], { now: Date.now });

      const wrong = await ask('send-emial');
      const wrongVersion = await ask('send-email@7');
      const known = await ask('send-email');

      expect([wrong.exitCode, wrongVersion.exitCode, known.exitCode]).toEqual([0, 0, 0]);
      expect(wrong.err.replace(/\s+/g, ' ')).toMatch(
        /no workers of the task send-emial\. Did you mean send-email\? It has .*send-email/,
      );
      expect(wrongVersion.err.replace(/\s+/g, ' ')).toMatch(
        /of the task send-email@7\..* It has .*send-email@1/,
      );
      expect(known.err).toBe('');
    },
  );

  it.each(['redrive', 'discard'])('that are named, and are none, are found missing: %s', async (kind) => {
    const definition = `dlq-${kind}`;
    const [known = ''] = mails();
    const ask = async (...ids: readonly string[]) => {
      const { exitCode } = await call(definition, 'dlq', kind, ...ids);
      return exitCode;
    };

    expect(await ask(known, known)).toBe(0);
    expect(await ask(known, 'send-email@nosuch')).toBe(1);
    expect(await ask('send-email@nosuch')).toBe(1);
    expect(
      await ask('send-email@nosuch', '--apply', '--reason', 'none', ...(kind === 'discard' ? ['--yes'] : [])),
    ).toBe(1);
    expect(
      await ask('--task', 'nosuch', '--apply', '--reason', 'none', ...(kind === 'discard' ? ['--yes'] : [])),
    ).toBe(0);
  });

  it.each(['redrive', 'discard'])(
    'that are named, and are none, are said to be left out: %s',
    async (kind) => {
      const [known = ''] = mails();
      const names = [known, idOf('send-email', 'ok'), 'send-email@nosuch'];
      const report = await call(`dlq-${kind}`, 'dlq', kind, ...names);
      const { out } = await run(['dlq', kind, ...names, ...queue().args]);

      expect(report.leftOut).toEqual([{ id: names[1], state: 'completed' }, { id: names[2] }]);
      expect(out).toContain(`${names[1]}  left out: it is completed, and no dead letter`);
      expect(out).toContain(`${names[2]}  there is no such run`);
    },
  );

  it('that are none are not shown as some', async () => {
    const { err, exitCode } = await run(['dlq', 'show', idOf('send-email', 'ok'), ...queue().args]);

    expect(exitCode).toBe(1);
    expect(err).toContain('is completed, and no dead letter. retry runs show');
  });

  it(inPGlite, async () => {
    const { applied, plan } = await call(
      'dlq-redrive',
      'dlq',
      'redrive',
      '--task',
      'send-email',
      '--rate',
      '2/s',
    );

    expect({ applied, count: plan.count, durationMs: plan.durationMs }).toEqual({
      applied: false,
      count: 3,
      durationMs: 1_500,
    });
    expect(await letters()).toEqual(all());
  });

  it.each([
    ['--task', 'send-email'],
    ['--task', 'send-email@1'],
    ['--error', 'Error'],
  ])('are redriven with --apply: %s %s', async (...filter) => {
    const { applied, operation } = await call(
      'dlq-redrive',
      'dlq',
      'redrive',
      ...filter,
      '--apply',
      '--reason',
      'fixed',
    );

    expect(applied).toBe(true);
    expect(operation).toMatchObject({ state: 'done', done: 3, skipped: 0, reason: 'fixed' });
    expect(await letters()).toEqual(image());
    expect((await call('operations-ls', 'operations', 'ls')).operations[0]).toMatchObject({ done: 3 });
  });

  it('are redriven by group and by id', async () => {
    const { groups } = await call('dlq-groups', 'dlq', 'groups');
    const group = groups.find(({ count }: { readonly count: number }) => count === 1).id;

    await call('dlq-redrive', 'dlq', 'redrive', '--group', group, '--since', '1h', '--apply');
    await call('dlq-redrive', 'dlq', 'redrive', idOf('send-email', 'dead-1'), '--apply');

    const left = mails();
    left.delete(idOf('send-email', 'dead-1'));
    expect(await letters()).toEqual(left);
  });

  it('are discarded with --apply, and not without', async () => {
    await call('dlq-discard', 'dlq', 'discard', '--all');
    expect(await letters()).toEqual(all());

    const { operation } = await call('dlq-discard', 'dlq', 'discard', '--all', '--apply');

    expect(operation).toMatchObject({ kind: 'discard', state: 'done', done: 4 });
    expect(await letters()).toEqual(new Set());
  });

  it('are left alone by a selection that is wrong', async () => {
    const wrong = [
      [['redrive'], 2, 'Nothing is selected.'],
      [['discard', '--state', 'stalled'], 2, 'Nothing is selected.'],
      [['redrive', 'an-id', '--task', 'a'], 2, 'Ids and filters exclude each other.'],
      [['redrive', '--all', '--task', 'a'], 2, 'Leave --all out'],
      [['redrive', '--all', '--rate', '5/s', '--spread', '5s'], 2, 'cannot be used with option'],
      [['redrive', '--group', 'zz'], 1, 'There is no error group zz.'],
      [['discard', '--task', 'resize-image', '--group', ''], 2, '--group is empty.'],
      [['discard', '--since', '1m', '--older-than', '1h'], 2, '--older-than is longer than --since'],
      [['discard', '--all', '--rate', '5/s'], 2, "unknown option '--rate'"],
    ] as const;

    for (const [args, exitCode, message] of wrong)
      expect(await run(['dlq', ...args, '--apply', ...queue().args]), args.join(' ')).toMatchObject({
        err: expect.stringContaining(message),
        exitCode,
      });
    expect(await letters()).toEqual(all());
  });

  it('are shown with their attempts, group and stack', async () => {
    const { out } = await run(['dlq', 'show', idOf('resize-image', 'dead'), ...queue().args]);

    expect(out).toMatch(/^ +1 .* retried +RangeError/m);
    expect(out).toMatch(/^ +2 .* exhausted +RangeError/m);
    expect(out).toContain('at resize (/app/resize.ts:7:11)');
  });

  it('are replayed under another policy, which changes nothing', async () => {
    const policy = '{"maxAttempts":3,"stopOn":[{"name":"RangeError"}]}';

    const summary = await call('replay', 'replay', policy);

    expect(summary).toMatchObject({ runs: 4, retried: 3, endedEarlier: 1, sparedAttempts: 1 });
    expect(await letters()).toEqual(all());
  });
});
