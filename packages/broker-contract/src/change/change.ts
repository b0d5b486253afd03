import type { Change, Run, SeenRun } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { atLeast, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { failEach, LONG_MS } from '../case-scene.ts';

/** What may happen to a waiting run between its reading and its change. */
const MOVES: readonly (readonly [what: string, move: (scene: CaseScene) => Promise<unknown>])[] = [
  ['claimed', (scene) => scene.claim()],
  [
    'claimed and released',
    async (scene) => {
      await scene.settleNow('release', ...(await scene.claim()));
    },
  ],
  ['rescheduled', (scene) => rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }])],
  ['cancelled', (scene) => cancelRuns(scene.broker, ['a'])],
];

/** `read` and `change`: a run is written if it is still what was read, and no worker holds it. */
export const changeCases: CasesByName = {
  'get for a change returns runs without payloads, in order, and the clock': async (scene) => {
    const before = await scene.now();
    await scene.submit({ id: 'a', payload: '"long"' }, { id: 'b', delayMs: LONG_MS });

    const { now, runs } = await scene.broker.get(['b', 'unknown', 'a'], { answer: 'seen' });

    equal(
      runs.map((one) => one?.run),
      [{ ...(await scene.read('b')), payload: '' }, undefined, { ...(await scene.read('a')), payload: '' }],
    );
    atLeast(now, before);
    atLeast((await scene.broker.get([], { answer: 'seen' })).now, before);
  },

  'change writes nothing over a run that was %s since it was read': /* @__PURE__ */ each(
    () => MOVES,
    async (scene, [_, move]) => {
      await scene.submit('a');
      const { seen, run } = await readOne(scene);
      await move(scene);
      const moved = await scene.read('a');

      equal(await scene.broker.change([cancelOf(run, seen)]), ['changed']);
      equal(await scene.broker.change([{ id: 'a', seen, next: 'forget' }]), ['changed']);

      equal(await scene.read('a'), moved);
    },
  ),

  'change writes nothing over another run of the same id': async (scene) => {
    await scene.submit('a');
    await cancelRuns(scene.broker, ['a']);
    const { seen } = await readOne(scene);
    await discardRuns(scene.broker, ['a']);
    equal(await scene.broker.change([{ id: 'a', seen, next: 'forget' }]), ['gone']);
    await scene.submit('a');

    equal(await scene.broker.change([{ id: 'a', seen, next: 'forget' }]), ['changed']);
    equal(await scene.claimIds(), ['a']);
  },

  'change writes nothing over a dead letter that died again': async (scene) => {
    await failEach(scene, 'a');
    const { seen } = await readOne(scene);
    await redriveRuns(scene.broker, ['a'], { keepAttempts: true });
    await scene.settleNow('fail', ...(await scene.claim()));

    equal(await scene.broker.change([{ id: 'a', seen, next: 'forget' }]), ['changed']);
    matches(await scene.read('a'), { state: 'failed', failures: 2 });
  },

  'change of one run twice in a call is written once': async (scene) => {
    await scene.submit('a', 'b');
    const { seen, run } = await readOne(scene);
    const change = cancelOf(run, seen);

    equal(await scene.broker.change([change, change]), ['done', 'changed']);
    matches(await scene.broker.audit(), { submitted: 1, ended: { cancelled: 1 } });
  },

  'change leaves a started run to its worker, but for a cancel request': async (scene) => {
    const started = await scene.start('a');
    const { seen, run } = await readOne(scene);

    equal(await scene.broker.change([cancelOf({ ...run, state: 'submitted' }, seen)]), ['changed']);
    equal(await scene.broker.change([{ id: 'a', seen, next: 'forget' }]), ['changed']);
    equal(await scene.read('a'), started);

    const next = { ...run, isCancelRequested: true, failures: 7, startedAt: 1 };
    equal(await scene.broker.change([{ id: 'a', seen, next }]), ['done']);
    equal(await scene.read('a'), { ...started, isCancelRequested: true });
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
  },

  'change leaves no cancel request for a later claim than was seen': async (scene) => {
    const started = await scene.start('a');
    const { seen, run } = await readOne(scene);
    await scene.settleNow('release', started);
    await scene.claim();

    equal(await scene.broker.change([{ id: 'a', seen, next: { ...run, isCancelRequested: true } }]), [
      'changed',
    ]);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 2 }], LONG_MS), ['ok']);
  },

  'change neither forgets what waits nor ends what has ended': async (scene) => {
    await scene.submit('a');
    const waiting = await readOne(scene);
    equal(await scene.broker.change([{ id: 'a', seen: waiting.seen, next: 'forget' }]), ['changed']);
    await cancelRuns(scene.broker, ['a']);
    const ended = await readOne(scene);

    const again = { ...ended.run, state: 'failed' } as const;
    equal(await scene.broker.change([{ id: 'a', seen: ended.seen, next: again }]), ['changed']);
    strictEqual((await scene.read('a')).state, 'cancelled');
  },

  'change does not give up a stalled run, which has ended': async (scene) => {
    await scene.settleNow('stall', await scene.start('a'));
    const { seen, run } = await readOne(scene);
    const givenUp = transition(run, { type: 'giveUp', at: await scene.now() });
    if (givenUp.type === 'rejected') throw new Error('the lifecycle gives stalled runs up');

    equal(await scene.broker.change([{ id: 'a', seen, next: givenUp.run }]), ['changed']);

    strictEqual((await scene.read('a')).state, 'stalled');
  },

  'change alters nothing that a run was submitted with': async (scene) => {
    await scene.submit({ id: 'a', lane: 'm', payload: '"own"', origin: 'o', context: 'c' });
    const { seen, run } = await readOne(scene);
    const other = { payload: '"other"', origin: 'x', context: 'x' };

    equal(await scene.broker.change([{ ...cancelOf(run, seen), next: { ...cancelled(run), ...other } }]), [
      'done',
    ]);

    matches(await scene.read('a'), { lane: 'm', payload: '"own"', origin: 'o', context: 'c' });
  },

  'change answers each of a batch, in order': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const { runs } = await scene.broker.get(['a', 'b', 'c'], { answer: 'seen' });
    await cancelRuns(scene.broker, ['b']);
    const changes = runs.flatMap((one) => (one === undefined ? [] : [cancelOf(one.run, one.seen)]));

    equal(await scene.broker.change([{ id: 'x', seen: '1', next: 'forget' }, ...changes]), [
      'gone',
      'done',
      'changed',
      'done',
    ]);
    equal(await scene.broker.change([]), []);
  },

  'change refuses what no broker could keep, and changes nothing': async (scene) => {
    await scene.submit('a', 'b');
    const { seen, run } = await readOne(scene);
    const good = cancelOf(run, seen);
    const refused = scene.broker.change([good, { ...good, id: 'b', next: { ...run, epoch: -1 } }]);

    await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: '[1].next.epoch' }] });
    equal(await scene.claimIds(), ['a', 'b']);
  },
};

/** Run `a` as it is read. */
async function readOne({ broker }: CaseScene): Promise<SeenRun> {
  const [seen] = (await broker.get(['a'], { answer: 'seen' })).runs;
  if (seen === undefined) throw new Error('run a is not kept');
  return seen;
}

function cancelOf(run: Run, seen: string): Change {
  return { id: run.id, seen, next: cancelled(run) };
}

function cancelled(run: Run): Run {
  const moved = transition(run, { type: 'cancel', at: run.submittedAt ?? 0 });
  return moved.type === 'moved' ? moved.run : run;
}
