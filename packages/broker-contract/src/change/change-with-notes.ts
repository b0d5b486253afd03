import type { Change, NoteWrite, SeenRun } from '@retry/core/broker';
import { cancelRuns, discardRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { atLeast, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { failEach, LONG_MS } from '../case-scene.ts';
import { listValues, readNote, versionsOf } from '../notes/notes.ts';

/** What may happen to a run between its reading and a change of it and others. */
const MOVES: readonly (readonly [what: string, move: (scene: CaseScene) => Promise<unknown>])[] = [
  ['rescheduled', ({ broker }) => rescheduleRuns(broker, [{ id: 'b', delayMs: LONG_MS }])],
  ['claimed', (scene) => scene.claim()],
  ['cancelled', ({ broker }) => cancelRuns(broker, ['b'])],
];

/** `change` with notes: runs and notes are written together, or none of them is. */
export const changeWithNotesCases: CasesByName = {
  'change with notes writes the runs and the notes': async (scene) => {
    await scene.submit('a', 'b');
    const [seen = 0] = versionsOf(await scene.broker.notes.write([{ key: 'k', value: 'old' }]));
    const changes = await cancelsOf(scene, 'a', 'b');

    const notes: readonly NoteWrite[] = [
      { key: 'k', seen, value: 'new' },
      { key: 'l', seen: 0, value: 'first', ttlMs: LONG_MS },
    ];
    equal(await scene.broker.change(changes, { notes }), ['done', 'done']);

    equal(await listValues(scene.broker), ['k=new', 'l=first']);
    atLeast((await readNote(scene.broker, 'k'))?.version, seen + 1);
    const { writtenAt = 0, expiresAt } = (await readNote(scene.broker, 'l')) ?? {};
    strictEqual(expiresAt, writtenAt + LONG_MS);
    matches(await scene.broker.audit(), { submitted: 0, ended: { cancelled: 2 } });
  },

  'change with notes redrives and forgets runs, and deletes notes': async (scene) => {
    await failEach(scene, 'a', 'b');
    await scene.broker.notes.write([{ key: 'k', value: 'old' }]);
    const { now, runs } = await scene.broker.get(['a', 'b'], { answer: 'seen' });
    const changes = runs.flatMap((one): readonly Change[] => {
      if (one === undefined) return [];
      const { run, seen } = one;
      if (run.id === 'b') return [{ id: 'b', seen, next: 'forget' }];
      const moved = transition(run, { type: 'redrive', at: now, runAt: now, keepAttempts: false });
      return moved.type === 'moved' ? [{ id: run.id, seen, next: moved.run }] : [];
    });

    equal(await scene.broker.change(changes, { notes: [{ key: 'k', value: null }] }), ['done', 'done']);

    equal(await listValues(scene.broker), []);
    equal(await scene.claimIds(), ['a']);
    matches(await scene.broker.audit(), { started: 1, forgotten: 1 });
  },

  'change with notes writes nothing if a note is %s': /* @__PURE__ */ each(
    () =>
      [
        ['another version', 'k', 1],
        ['there, though none was seen', 'k', 0],
        ['gone', 'gone', 1],
      ] as const,
    async (scene, [, key, seen]) => {
      await scene.submit('a');
      const [first = 0] = versionsOf(await scene.broker.notes.write([{ key: 'k', value: 'old' }]));
      versionsOf(await scene.broker.notes.write([{ key: 'k', value: 'newer' }]));
      const changes = await cancelsOf(scene, 'a');
      const notes = [
        { key: 'fine', seen: 0, value: 'v' },
        { key, seen: seen * first, value: 'late' },
      ];

      strictEqual(await scene.broker.change(changes, { notes }), 'fenced');
      strictEqual(await scene.broker.change([], { notes }), 'fenced');

      equal(await listValues(scene.broker), ['k=newer']);
      strictEqual((await scene.read('a')).state, 'submitted');
      equal(await scene.broker.change(changes), ['done']);
    },
  ),

  'change with notes writes nothing if a run was %s since it was read': /* @__PURE__ */ each(
    () => MOVES,
    async (scene, [_, move]) => {
      await scene.submit('b', 'a');
      const changes = await cancelsOf(scene, 'a', 'b');
      await move(scene);
      const before = await scene.read('b');
      const notes = [{ key: 'k', seen: 0, value: 'v' }];
      const own = (await scene.read('a')).state === 'submitted' ? 'done' : 'changed';

      equal(await scene.broker.change(changes, { notes }), [own, 'changed']);

      equal(await listValues(scene.broker), []);
      strictEqual((await scene.read('a')).state, own === 'done' ? 'submitted' : 'started');
      equal(await scene.read('b'), before);
    },
  ),

  'change with notes writes nothing if a run is unknown, and all without it': async (scene) => {
    await failEach(scene, 'a', 'b');
    const changes = await forgetsOf(scene, 'a', 'b');
    await discardRuns(scene.broker, ['b']);
    const notes = [{ key: 'k', seen: 0, value: 'v' }];

    equal(await scene.broker.change(changes, { notes }), ['done', 'gone']);
    equal(await listValues(scene.broker), []);
    strictEqual((await scene.read('a')).state, 'failed');

    equal(await scene.broker.change(changes.slice(0, 1), { notes }), ['done']);
    equal(await listValues(scene.broker), ['k=v']);
    matches(await scene.broker.audit(), { forgotten: 2 });
  },

  'change with notes leaves no cancel request unless all is written': async (scene) => {
    const run = await scene.start('a');
    await scene.submit('b');
    const changes = await cancelsOf(scene, 'b');
    await rescheduleRuns(scene.broker, [{ id: 'b', delayMs: LONG_MS }]);
    const requestOf = ({ seen }: SeenRun): Change => ({
      ...{ id: 'a', seen },
      next: { ...run, isCancelRequested: true },
    });
    const notes = [{ key: 'k', seen: 0, value: 'v' }];

    const requests = (await seenRuns(scene, ['a'])).map(requestOf);
    equal(await scene.broker.change([...requests, ...changes], { notes }), ['done', 'changed']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['ok']);

    const again = (await seenRuns(scene, ['a'])).map(requestOf);
    equal(await scene.broker.change(again, { notes }), ['done']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
    equal(await listValues(scene.broker), ['k=v']);
  },

  'change with notes may have no runs, or no notes': async (scene) => {
    await scene.submit('a', 'b');
    const changes = await cancelsOf(scene, 'a', 'b');

    equal(await scene.broker.change([], { notes: [{ key: 'k', seen: 0, value: 'v' }] }), []);
    equal(await listValues(scene.broker), ['k=v']);
    await cancelRuns(scene.broker, ['b']);
    equal(await scene.broker.change(changes, { notes: [] }), ['done', 'changed']);
    strictEqual((await scene.read('a')).state, 'submitted');
    equal(await scene.broker.change(changes.slice(0, 1), { notes: [] }), ['done']);
  },

  'change with notes that several callers have seen is written once': async (scene) => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await failEach(scene, ...ids);
    const changes = await forgetsOf(scene, ...ids);
    const [seen = 0] = versionsOf(await scene.broker.notes.write([{ key: 'k', value: '0' }]));

    const answers = await Promise.all(
      changes.map((change) =>
        scene.broker.change([change], { notes: [{ key: 'k', seen, value: change.id }] }),
      ),
    );

    const written = ids.filter((_, index) => answers[index] !== 'fenced');
    strictEqual(written.length, 1);
    equal(await listValues(scene.broker), [`k=${written[0]}`]);
    matches(await scene.broker.audit(), { forgotten: 1, ended: { failed: 5 } });
  },

  'change with notes refuses %s, and writes nothing': /* @__PURE__ */ each(
    () =>
      [
        ['a note without a key', { notes: [{ key: '', value: 'v' }] }, 'options.notes[0].key'],
        [
          'a hold',
          {
            notes: [
              { key: 'k', value: 'v' },
              { key: 'hold/operator/l', value: '{}' },
            ],
          },
          'options.notes[1].key',
        ],
        ['a version below 0', { notes: [{ key: 'k', seen: -1, value: 'v' }] }, 'options.notes[0].seen'],
      ] as const,
    async (scene, [, options, path]) => {
      await scene.submit('a');
      const changes = await cancelsOf(scene, 'a');

      await rejectsWith(scene.broker.change(changes, options), {
        code: 'INVALID_OPTIONS',
        problems: [{ path }],
      });

      equal(await listValues(scene.broker), []);
      strictEqual((await scene.read('a')).state, 'submitted');
    },
  ),

  'change with notes refuses more than 500 runs, and a run that is given twice': async (scene) => {
    await scene.submit('a');
    const [change] = await cancelsOf(scene, 'a');
    if (change === undefined) throw new Error('run a is not kept');
    const notes = [{ key: 'k', value: 'v' }];
    const many = Array.from({ length: 501 }, (_, index) => ({ ...change, id: `r${index}` }));

    await rejectsWith(scene.broker.change([change, change], { notes }), { code: 'INVALID_OPTIONS' });
    await rejectsWith(scene.broker.change(many, { notes }), { code: 'INVALID_OPTIONS' });
    equal(await listValues(scene.broker), []);
  },
};

async function seenRuns({ broker }: CaseScene, ids: readonly string[]): Promise<readonly SeenRun[]> {
  return (await broker.get(ids, { answer: 'seen' })).runs.flatMap((one) => one ?? []);
}

/** The changes that cancel runs as they are now. */
async function cancelsOf(scene: CaseScene, ...ids: readonly string[]): Promise<readonly Change[]> {
  return (await seenRuns(scene, ids)).flatMap(({ run, seen }) => {
    const moved = transition(run, { type: 'cancel', at: run.submittedAt ?? 0 });
    return moved.type === 'moved' ? [{ id: run.id, seen, next: moved.run }] : [];
  });
}

async function forgetsOf(scene: CaseScene, ...ids: readonly string[]): Promise<readonly Change[]> {
  return (await seenRuns(scene, ids)).map(({ run, seen }) => ({ id: run.id, seen, next: 'forget' }));
}
