import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker, Run } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import type { DrainReport } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { expect, it, vi } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/draining.ts', import.meta.url));
/** That of the fixture. */
const CONCURRENCY = 5;
const LEASE_MS = 1_500;

const task = defineTask({ name: 'drained', run: (_: null) => {} });

interface Place {
  readonly broker: Broker;
  readonly args: readonly string[];
  readonly close: () => Promise<void>;
}

interface Draining {
  /** The calls of its handler so far, as `id epoch`. */
  readonly calls: () => readonly string[];
  readonly send: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has ended by itself. */
  readonly report: Promise<DrainReport>;
}

/** Starts a drain in a process of its own. */
function startDraining(args: readonly string[], runMs: number, lease = `${LEASE_MS}ms`): Draining {
  const child = startProgram([FIXTURE, ...args, `${runMs}`, lease]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const linesOf = (kind: string): readonly string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  const report = once(child, 'close').then(([code]) => {
    expect(code, text).toBe(0);
    return JSON.parse(linesOf('report')[0] ?? '') as DrainReport; // as the fixture writes it
  });
  return { calls: () => linesOf('ran'), send: (signal) => void child.kill(signal), report };
}

function describeDrains(open: () => Promise<Place>): void {
  it('does what is due and lets its process end', async () => {
    const { broker, args, close } = await open();
    const queue = createQueue({ broker });
    await queue.submitMany(task, Array(500).fill(null));
    const later = await queue.submit(task, null, { delay: '1h' });

    const report = await startDraining(args, 0).report;

    expect(report).toMatchObject({ started: 500, completed: 500, endedBy: 'empty' });
    expect(report.nextRunAt).toBe((await queue.get(later.id))?.runAt);
    expect(await queue.counts()).toMatchObject({ submitted: 0, started: 0, scheduled: 1, unbalanced: 0 });
    await close();
  });

  it('loses nothing and runs nothing twice when it is frozen for less than its lease', async () => {
    const { broker, args, close } = await open();
    const queue = createQueue({ broker });
    const submitted = await queue.submitMany(task, Array(40).fill(null));

    const frozen = startDraining(args, 200, '20s');
    await vi.waitFor(() => expect(frozen.calls().length).toBeGreaterThan(10), { timeout: 20_000 });
    frozen.send('SIGSTOP');
    const other = startDraining(args, 1, '20s');
    await rest(2_000);
    frozen.send('SIGCONT');
    const reports = await Promise.all([frozen.report, other.report]);

    const runs = await broker.get(submitted.map(({ id }) => id));
    expect(runs.every((run) => run?.state === 'completed' && run.epoch === 1)).toBe(true);
    expect([...frozen.calls(), ...other.calls()].map((call) => call.split(' ')[0]).sort()).toEqual(
      submitted.map(({ id }) => id).sort(),
    );
    for (const report of reports) expect(report).toMatchObject({ stalled: 0, fenced: 0 });
    expect((await queue.counts()).unbalanced).toBe(0);
    await close();
  });

  it('loses nothing when it is frozen for longer than its lease, and runs nothing twice that it has not lost', async () => {
    const { broker, args, close } = await open();
    const queue = createQueue({ broker });
    const submitted = await queue.submitMany(task, Array(40).fill(null));

    const frozen = startDraining(args, 200);
    await vi.waitFor(() => expect(frozen.calls().length).toBeGreaterThan(10), { timeout: 20_000 });
    const before = frozen.calls().length;
    // A handler has just begun: between two claims there would be nothing to lose.
    await vi.waitFor(() => expect(frozen.calls().length).toBeGreaterThan(before), {
      timeout: 20_000,
      interval: 5,
    });
    frozen.send('SIGSTOP');
    await rest(LEASE_MS + 500);
    const other = startDraining(args, 1);
    const report = await other.report;
    frozen.send('SIGCONT');
    const thawed = await frozen.report;

    const runs = await broker.get(submitted.map(({ id }) => id));
    const lost = runs.filter((run) => run?.epoch === 2);
    const callsOf = (run: Run | undefined): number =>
      [...frozen.calls(), ...other.calls()].filter((call) => call.startsWith(`${run?.id} `)).length;
    expect(runs.every((run) => run?.state === 'completed' && run.epoch <= 2)).toBe(true);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(CONCURRENCY);
    for (const run of runs) {
      // The worker that thaws calls no handler of a run that it has lost before.
      if (run?.epoch === 2) expect([1, 2]).toContain(callsOf(run));
      else expect(callsOf(run)).toBe(1);
    }
    expect(report).toMatchObject({ stalled: lost.length, endedBy: 'empty' });
    expect(thawed).toMatchObject({ endedBy: 'empty', fenced: lost.length, completed: 40 - report.completed });
    expect((await queue.counts()).unbalanced).toBe(0);
    await close();
  });
}

describeOnRedis('worker.drain, on Redis', (server) => {
  describeDrains(async () => {
    const { url } = server();
    const prefix = `drain-${randomUUID()}`;
    const broker = createRedisBroker({ url, prefix });
    const close = async (): Promise<void> => {
      await broker.close();
      await removeKeys(url, prefix);
    };
    return { broker, args: ['redis', url, prefix], close };
  });
});

describeOnPostgres('worker.drain, on Postgres', (server) => {
  describeDrains(async () => {
    const { url } = server();
    const pool = openPool(url, 1);
    const schema = await createTestSchema(pool);
    const broker = createPostgresBroker({ url, schema: schema.name });
    const close = async (): Promise<void> => {
      await broker.close();
      await schema.drop();
      await pool.end();
    };
    return { broker, args: ['postgres', url, schema.name], close };
  });
});
