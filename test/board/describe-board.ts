import { execFileSync } from 'node:child_process';
import type { Broker } from '@retry/core/broker';
import { holdLanes } from '@retry/core/broker/kit';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterEach, beforeEach, describe, it as everyTest, expect } from 'vitest';
import type { Rights } from '../../packages/board/src/api.ts';
import type { Board } from '../../packages/board/src/create-board.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { run } from '../cli/run-in-memory.ts';
import { ALL, ask } from './board-client.ts';

/** A broker without runs. */
export interface BoardHarness {
  readonly broker: Broker;
  readonly close: () => Promise<void>;
}

const charge = defineTask({
  name: 'charge',
  retry: { maxAttempts: 2, backoff: { type: 'none' }, retryOn: [{ name: 'BankError' }] },
  run: async ({ order }: { order: number; password?: string }) => {
    throw Object.assign(new Error(`order ${order} was refused`), { name: 'BankError', code: 'EBANK' });
  },
});

const mail = defineTask({
  name: 'mail',
  retry: { backoff: { type: 'none' } },
  maxStalls: 0,
  circuitBreaker: {},
  run: () => {},
});
const report = defineTask({ name: 'report', onStall: 'hold', circuitBreaker: {}, run: () => {} });

/** The words that a shell makes of a command. */
function shellWords(command: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** Tests what the routes answer about a queue in which runs wait and have failed. @param it - defines the tests, or some of them */
export function describeBoard(open: () => Promise<BoardHarness>, it = everyTest): void {
  let harness: BoardHarness;
  let board: Board;
  let rights: Partial<Rights>;
  const queueOf = () => createQueue({ broker: harness.broker });
  beforeEach(async () => {
    harness = await open();
    rights = ALL;
    const access = () => ({ ...rights, by: 'ada' });
    board = createBoard({ broker: harness.broker, tasks: [charge, mail, report], access });
  });
  afterEach(async () => {
    board.close();
    await harness.close();
  });

  /** Lets these orders fail twice each, by a worker. @returns the ids of their runs */
  async function failOrders(count: number): Promise<readonly string[]> {
    const queue = queueOf();
    const orders = Array.from({ length: count }, (_, order) => ({ order, password: 'hunter22' }));
    const runs = await queue.submitMany(charge, orders);
    const worker = createWorker({ broker: harness.broker, tasks: [charge], signals: [] });
    worker.start();
    let failed = 0;
    await new Promise<void>((resolve) => {
      worker.on('failed', () => {
        failed += 1;
        if (failed === count) resolve();
      });
    });
    await worker.stop();
    return runs.map(({ id }) => id);
  }

  /** Types a command that the board gives into a terminal. */
  async function type(command: string) {
    const [program, ...words] = shellWords(command);
    const { broker } = harness;
    const [first, second, ...others] = words;
    const typed = [first ?? '', second ?? '', '--json', ...others]; // nothing is an option after --
    const { exitCode, out, err } = await run(typed, { broker, now: Date.now });
    return { program, exitCode, err, answer: JSON.parse(out) };
  }

  /** Lets the lease of a run expire, as that of a worker that was killed, and a cleaner find it. */
  async function letStall(task: typeof mail): Promise<string> {
    const { id } = await queueOf().submit(task, undefined);
    const lanes = new Map([[task.lane, 1]]);
    const claim = { worker: 'killed', requestId: id, limit: 1, lanes, leaseMs: 1 };
    await harness.broker.exchange({ claim });
    const worker = createWorker({
      ...{ broker: harness.broker, tasks: [mail, report], lease: '9s', cleanerInterval: '1s', signals: [] },
    });
    const stalled = new Promise((resolve) => worker.on('stalled', resolve));
    worker.start();
    await stalled;
    await worker.stop();
    return id;
  }

  describe('the screen of failures', () => {
    it.each([
      { state: 'failed', why: 'of which no stall was left', task: mail },
      { state: 'stalled', why: 'whose task holds it', task: report },
    ] as const)('has a group for a run that stalled, $why, and redrives it', async ({ state, task }) => {
      const id = await letStall(task);

      const [group] = (await ask(board, 'GET groups')).groups;
      const params = { lane: task.lane, id: group?.id ?? '' };
      const opened = await ask(board, 'GET groups/:lane/:id', { params });
      const typed = await type(opened.command);
      const { name, version } = task;
      const plan = await ask(board, 'POST plans', {
        body: { task: name, version, group: group?.id, state: opened.state },
      });
      await ask(board, 'POST plans/:id/apply', {
        params: { id: plan.id },
        body: { kind: 'redrive', reason: 'the machine is back' },
      });

      expect(group).toMatchObject({ task: name, count: 1, title: expect.stringContaining('Stalled') });
      expect(opened).toMatchObject({ state, runs: [{ id, state }] });
      expect(typed.answer.plan.count).toBe(1);
      expect(plan.count).toBe(1);
      await expect.poll(async () => (await queueOf().get(id))?.state).toBe('submitted');
      expect((await ask(board, 'GET groups')).groups).toEqual([]);
    });

    it('gives a command that plans for the same dead letters in a terminal', async () => {
      await failOrders(2);
      const [group] = (await ask(board, 'GET groups')).groups;
      const opened = await ask(board, 'GET groups/:lane/:id', {
        params: { lane: 'charge@1', id: group?.id ?? '' },
      });

      const { program, exitCode, answer } = await type(opened.command);

      expect([program, exitCode]).toEqual(['retry', 0]);
      expect(answer).toMatchObject({ kind: 'redrive', applied: false, plan: { count: 2 } });
    });

    it('has one group for errors that differ in a number only, and opens it', async () => {
      const ids = await failOrders(3);

      const { groups, deadLetters } = await ask(board, 'GET groups');
      const [group] = groups;
      const opened = await ask(board, 'GET groups/:lane/:id', {
        params: { lane: 'charge@1', id: group?.id ?? '' },
      });

      expect([groups.length, deadLetters]).toEqual([1, 3]);
      expect(group).toMatchObject({ task: 'charge', version: '1', count: 3, share: 1, attempts: 6 });
      expect(group?.trend).toMatchObject({ searched: 3, isComplete: true });
      expect(opened.runs.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(opened.sample?.error).toMatchObject({ name: 'BankError', code: 'EBANK' });
      expect(opened.command).toBe(`retry dlq redrive --group ${group?.id} --task charge@1`);
    });

    it('plans a redrive of a group, applies it with a reason, and watches it end', async () => {
      await failOrders(3);
      const [group] = (await ask(board, 'GET groups')).groups;

      const plan = await ask(board, 'POST plans', { body: { task: 'charge', group: group?.id } });
      const { operation } = await ask(board, 'POST plans/:id/apply', {
        params: { id: plan.id },
        body: { kind: 'redrive', reason: 'the bank is back' },
      });
      const ended = await queueOf().operations.wait(operation.id);
      const { acts } = (await ask(board, 'GET operations')).acts;

      expect(plan).toMatchObject({ count: 3, isComplete: true, tasks: [{ task: 'charge', count: 3 }] });
      expect(ended).toMatchObject({ state: 'done', done: 3, reason: 'the bank is back', by: 'ada' });
      expect(acts).toMatchObject([
        { kind: 'apply-redrive', by: 'ada', reason: 'the bank is back', made: operation.id },
      ]);
      expect((await ask(board, 'GET groups')).groups).toEqual([]);
    });

    it('lists the runs of a group by their end, the latest first, over its pages', async () => {
      const ids = [...(await failOrders(2)), ...(await failOrders(1)), ...(await failOrders(2))];
      const { groups } = await ask(board, 'GET groups');
      const params = { lane: 'charge@1', id: groups[0]?.id ?? '' };
      const pageAt = (query: string) => ask(board, 'GET groups/:lane/:id', { params, query });

      const first = await pageAt('?limit=3');
      const second = await pageAt(`?limit=3&after=${first.next}`);

      const listed = [...first.runs, ...second.runs];
      const ends = listed.map(({ endedAt = 0 }) => endedAt);
      expect(ends).toEqual([...ends].sort((one, other) => other - one));
      expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(second.next).toBeUndefined();
    });

    it('says what another policy would have decided', async () => {
      await failOrders(2);

      const { summary, present } = await ask(board, 'POST replay', {
        body: { lane: 'charge@1', policy: { maxAttempts: 5 } },
      });

      const [group] = (await ask(board, 'GET groups')).groups;
      const ofGroup = await ask(board, 'POST replay', {
        body: { lane: 'charge@1', group: group?.id, policy: { maxAttempts: 1 } },
      });
      const ofAll = await ask(board, 'POST replay', { body: { policy: { maxAttempts: 5 } } });
      const first = await ask(board, 'POST replay', { body: { policy: { maxAttempts: 5 }, limit: 1 } });

      expect([summary.runs, summary.retried, present?.retried]).toEqual([2, 2, 0]);
      expect(ofGroup.summary).toMatchObject({ runs: 2, endedEarlier: 2, sparedAttempts: 2 });
      expect([ofAll.summary.retried, ofAll.present, ofAll.isComplete]).toEqual([2, undefined, true]);
      expect([first.summary.runs, first.isComplete]).toEqual([1, false]);
    });

    it('counts dead letters of every state: in the trend of a group, and where another policy is asked', async () => {
      await failOrders(1);
      await letStall(report);

      const { groups } = await ask(board, 'GET groups');
      const ofLane = await ask(board, 'POST replay', { body: { lane: 'report@1', policy: {} } });
      const ofAll = await ask(board, 'POST replay', { body: { policy: {} } });

      expect(groups.map(({ trend }) => trend?.searched)).toEqual([1, 1]);
      expect([ofLane.summary.runs, ofAll.summary.runs]).toEqual([1, 2]);
    });
  });

  describe('the screen of a run', () => {
    it('has a row for each attempt, and says which rule decided', async () => {
      const [id = ''] = await failOrders(1);

      const { run, attempts, policy, explanation, next } = await ask(board, 'GET runs/:id', {
        params: { id },
      });

      expect(run).toMatchObject({ id, state: 'failed', failures: 2 });
      expect(attempts).toMatchObject([
        { attempt: 1, reason: 'retried', waitedMs: expect.any(Number), backoffMs: expect.any(Number) },
        { attempt: 2, reason: 'exhausted', error: { name: 'BankError' } },
      ]);
      expect(
        attempts.every(({ worker, durationMs }) => worker !== undefined && durationMs !== undefined),
      ).toBe(true);
      expect(policy).toMatchObject({ from: 'task', maxAttempts: 2 });
      expect(explanation).toMatchObject({ retries: false, rule: 'maxAttempts' });
      expect(next).toEqual({ type: 'redrive', attempt: 1 });
    });

    it('gives a command that shows the same run, whatever a shell would make of its id', async () => {
      const { id } = await queueOf().submit(charge, { order: 1 }, { key: "o'clock $HOME; `x` \\ *" });

      const { command } = await ask(board, 'GET runs/:id', { params: { id } });

      expect((await type(command)).answer.run).toMatchObject({ id });
    });

    it('gives commands for runs and tasks that begin as options do', async () => {
      const dashed = defineTask({ name: '-x', run: () => {} });
      const keys = ['-rf', '--json', 'plain'];
      const ids: string[] = [];
      for (const key of keys) ids.push((await queueOf().submit(dashed, undefined, { key, delay: '1h' })).id);
      for (const id of ids) await queueOf().fail(id, new Error('boom'));

      const shown = await Promise.all(ids.map((id) => ask(board, 'GET runs/:id', { params: { id } })));
      const plan = await ask(board, 'POST plans', { body: { ids, state: 'failed' } });
      const ofTask = await ask(board, 'POST plans', { body: { task: '-x', version: '1' } });

      expect(
        await Promise.all(shown.map(async ({ command }) => (await type(command)).answer.run.id)),
      ).toEqual(ids);
      expect((await type(plan.command)).answer.plan.count).toBe(3);
      expect((await type(ofTask.command)).answer.plan.count).toBe(3);
    });

    it('says between which bounds the policy has drawn the delay before the next attempt', async () => {
      const slow = defineTask({
        ...{ name: 'slow', retry: { maxAttempts: 4, backoff: { type: 'exponential', base: '1h' } } },
        run: () => Promise.reject(new Error('busy')),
      });
      const knowing = createBoard({ broker: harness.broker, tasks: [slow], access: () => ALL });
      const { id } = await queueOf().submit(slow, undefined);
      const { id: fresh } = await queueOf().submit(slow, undefined, { delay: '1h' });
      const worker = createWorker({ broker: harness.broker, tasks: [slow], signals: [] });
      const retried = new Promise((resolve) => worker.on('retried', resolve));
      worker.start();
      await retried;
      await worker.stop();

      const { next } = await ask(knowing, 'GET runs/:id', { params: { id } });
      const first = await ask(knowing, 'GET runs/:id', { params: { id: fresh } });
      knowing.close();

      expect(next).toMatchObject({ type: 'due', attempt: 2, minMs: 0, maxMs: 3_600_000 });
      expect(first.next).toEqual({ type: 'due', attempt: 1, runAt: expect.any(Number) });
    });

    it('starts a scheduled run now, moves it, cancels it, and says who did it', async () => {
      const { id } = await queueOf().submit(charge, { order: 1 }, { delay: '1h' });
      const params = { id };

      const answers = [
        await ask(board, 'POST runs/:id/reschedule', { params, body: { delay: '2h' } }),
        await ask(board, 'POST runs/:id/run-now', { params }),
        await ask(board, 'POST runs/:id/cancel', { params, body: { reason: 'twice' } }),
        await ask(board, 'POST runs/:id/cancel', { params }),
      ];

      expect(answers.map(({ answer }) => answer)).toEqual([
        'rescheduled',
        'rescheduled',
        'cancelled',
        'ended',
      ]);
      expect((await ask(board, 'GET runs/:id', { params })).acts).toMatchObject([
        { kind: 'cancel', answer: 'ended', by: 'ada' },
        { kind: 'cancel', answer: 'cancelled', target: id, reason: 'twice' },
        { kind: 'run-now' },
        { kind: 'reschedule', on: 'run' },
      ]);
    });

    it('submits a run once more with an edited payload, which names its origin', async () => {
      const [id = ''] = await failOrders(1);

      const answer = await ask(board, 'POST runs/:id/resubmit', {
        params: { id },
        body: { payload: '{"order":7}' },
      });
      const made = 'id' in answer ? answer.id : '';
      const submitted = await queueOf().get(made);
      const actsOf = async (run: string) =>
        (await ask(board, 'GET runs/:id', { params: { id: run } })).acts.map(({ kind, target }) => [
          kind,
          target,
        ]);

      expect(submitted).toMatchObject({ origin: id, payload: { order: 7 }, state: 'submitted' });
      expect([await actsOf(id), await actsOf(made)]).toEqual([[['resubmit', id]], [['resubmit', id]]]);
    });

    it('redrives and discards dead letters, and no other run', async () => {
      const [redriven = '', discarded = ''] = await failOrders(2);
      const { id: waiting } = await queueOf().submit(charge, { order: 1 }, { delay: '1h' });
      const act = async (route: 'POST runs/:id/redrive' | 'POST runs/:id/discard', id: string) =>
        (await ask(board, route, { params: { id } })).answer;

      expect(await act('POST runs/:id/redrive', redriven)).toBe('redriven');
      expect(await act('POST runs/:id/discard', discarded)).toBe('discarded');
      expect(await act('POST runs/:id/discard', waiting)).toBe('refused');
      expect(await act('POST runs/:id/discard', discarded)).toBe('gone');
    });
  });

  describe('the other screens', () => {
    it('show lanes, holds, an audit of 0, and runs by attempt and by due time', async () => {
      await queueOf().submit(charge, { order: 1 }, { delay: '5m' });
      await queueOf().submit(charge, { order: 2 }, { delay: '3h' });
      await ask(board, 'POST lanes/hold', { body: { lane: 'charge@1', reason: 'the bank is closed' } });

      const overview = await ask(board, 'GET overview');
      const retries = await ask(board, 'GET retries');
      const storm = await ask(board, 'GET storm');
      const sum = (counts: readonly number[]) => counts.reduce((one, other) => one + other, 0);

      expect(overview.lanes).toMatchObject([{ lane: 'charge@1', scheduled: { count: 2 } }]);
      expect(overview.holds).toMatchObject([{ lane: 'charge@1', reason: 'the bank is closed', by: 'ada' }]);
      expect(overview.audit.unbalanced).toBe(0);
      expect(retries.attempts).toMatchObject([{ task: 'charge', counts: [{ attempt: 1, runs: 2 }] }]);
      expect([sum(retries.near.counts), sum(retries.far.counts)]).toEqual([1, 2]);
      expect(storm.holds).toHaveLength(1);
      expect(await ask(board, 'POST lanes/resume', { body: { lane: 'charge@1' } })).toEqual({
        answer: 'resumed',
      });
    });

    it('show which circuit breakers are open, also of a task that the board does not know', async () => {
      const names = ['charge@1', 'mail@1', 'report@1', 'other@1', 'far@1'];
      const lanes = names.map((lane) => ({ lane, starts: 40, retries: 10, ends: 5, maxLatenessMs: 3 }));
      const flow = { windowMs: 10_000, lanes };
      await harness.broker.attend({
        ...{ worker: 'w', lanes: names, ttlMs: 60_000 },
        facts: { slots: 8, slotsTaken: 1, leases: 1, flow },
      });
      const source = 'circuit-breaker';
      await holdLanes(harness.broker, [
        { lane: 'mail@1', source, forMs: 60_000, probeMs: 60_000, reason: '20 of 20 attempts failed' },
        { lane: 'far@1', source, forMs: 60_000, probeMs: 60_000 },
        { lane: 'report@1', source: 'operator' },
      ]);

      const storm = await ask(board, 'GET storm');

      expect(Object.fromEntries(storm.lanes.map(({ lane, breaker }) => [lane, breaker]))).toEqual({
        'charge@1': 'none',
        'mail@1': 'open',
        'report@1': 'closed',
        'other@1': undefined,
        'far@1': 'open',
      });
      expect(storm.holds).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ lane: 'mail@1', source, probeMs: 60_000 })]),
      );
    });

    it('finds a run by its payload, and says how many it looked at', async () => {
      const { id } = await queueOf().submit(charge, { order: 4711 });
      await queueOf().submit(charge, { order: 4712 });

      const found = await ask(board, 'GET search', { query: '?text=4711&state=submitted' });

      expect(found.runs.map((run) => run.id)).toEqual([id]);
      expect(found).toMatchObject({ searched: 2, isComplete: true });
    });
  });

  describe('a visitor who may unmask', () => {
    it('sees a run masked until it is unmasked for a reason, which is recorded', async () => {
      const [id = ''] = await failOrders(1);
      const params = { id };

      const masked = await ask(board, 'GET runs/:id', { params });
      const shown = await ask(board, 'POST runs/:id/unmask', { params, body: { reason: 'a complaint' } });
      const later = await ask(board, 'GET runs/:id', { params });

      expect([masked.run.payload?.isMasked, later.run.payload?.isMasked]).toEqual([true, true]);
      expect(shown.run.payload).toMatchObject({
        isMasked: false,
        text: expect.stringContaining('hunter22'),
      });
      expect((await ask(board, 'GET acts')).acts).toMatchObject([
        { kind: 'unmask', target: id, by: 'ada', reason: 'a complaint', answer: 'shown' },
      ]);
    });
  });

  describe('a visitor who may not unmask', () => {
    beforeEach(() => {
      rights = { ...ALL, unmask: false };
    });

    it('sees no password, cannot find one, and cannot store its mask', async () => {
      const [id = ''] = await failOrders(1);

      const { run } = await ask(board, 'GET runs/:id', { params: { id } });
      const found = await ask(board, 'GET search', { query: '?text=hunter22' });
      const body = { payload: run.payload?.text };
      const edited = ask(board, 'POST runs/:id/resubmit', { params: { id }, body });

      expect(run.payload).toMatchObject({ isMasked: true, text: expect.not.stringContaining('hunter22') });
      expect(found).toMatchObject({ runs: [], searched: 1, looked: { isMasked: true } });
      await expect(edited).rejects.toThrow('PAYLOAD_MASKED');
    });
  });
}
