import { cancelRuns } from '@retry/core/broker/kit';
import { atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { settlementOf } from '../settlement-of.ts';

/** What `submit` does. */
export const submitCases: CasesByName = {
  'submit keeps a run that waits in its lane': async (scene) => {
    const payload = '{"to":"ada"}';

    const answers = await scene.broker.submit([{ id: 'a', lane: 'mail@1', payload }]);

    const now = await scene.now();
    const run = await scene.read('a');
    equal(answers, ['created']);
    matches(run, { id: 'a', lane: 'mail@1', payload, state: 'submitted', errors: [] });
    matches(run, {
      epoch: 0,
      failures: 0,
      stalls: 0,
      releases: 0,
      rateLimits: 0,
      redrives: 0,
    });
    atMost(run.submittedAt, now);
    strictEqual(run.firstStartedAt, undefined);
    strictEqual(run.endedAt, undefined);
  },

  'submit and exchange do the same with whenLocked, where no transaction has anything': async (scene) => {
    const submission = { id: 'a', lane: 'l', payload: '1', keyed: true };
    const unique = { key: 'k', until: 'ended', onConflict: 'keep' } as const;
    const answered = { whenLocked: 'answer' } as const;

    const answers = [
      await scene.broker.submit([submission, { id: '{k}b', lane: 'l', payload: '2', unique }], answered),
      await scene.broker.submit([submission], answered),
    ];
    const [{ run } = {}] = await scene.claim({ limit: 1 });
    const settlement = run && settlementOf(run, { type: 'complete', at: await scene.now() });
    const settle = settlement === undefined ? [] : [settlement];
    const reply = await scene.broker.exchange({ settle, ...answered });

    equal(answers, [['created', 'created'], ['exists']]);
    equal(reply.settled, ['ok']);
    equal((await scene.broker.exchange({ settle, ...answered })).settled, ['already']);
    atMost(reply.now, await scene.now());
    matches(await scene.broker.audit(), { submitted: 1, ended: { completed: 1 } });
  },

  'submit answers exists to an id that it keeps, and leaves that run as it is': async (scene) => {
    await scene.submit({ id: 'a', payload: '1' });

    const answers = await scene.broker.submit([{ id: 'a', lane: 'other', payload: '2' }]);

    equal(answers, ['exists']);
    matches(await scene.read('a'), { lane: 'l', payload: '1' });
    matches(await scene.broker.audit(), { created: 1, submitted: 1 });
  },

  'submit keeps the first of two runs with one id in one batch, and answers in order': async (scene) => {
    const answers = await scene.broker.submit([
      { id: 'a', lane: 'l', payload: '1' },
      { id: 'b', lane: 'l', payload: '2' },
      { id: 'a', lane: 'l', payload: '3' },
      { id: 'c', lane: 'l', payload: '4' },
    ]);

    equal(answers, ['created', 'created', 'exists', 'created']);
    strictEqual((await scene.read('a')).payload, '1');
  },

  'submit answers exists to the id of a run that is started, and of one that ended': async (scene) => {
    const started = await scene.start('a');
    const whileStarted = await scene.broker.submit([{ id: 'a', lane: 'l', payload: '2' }]);
    await cancelRuns(scene.broker, ['a']);
    await scene.submit('b');
    await cancelRuns(scene.broker, ['b']);

    const answers = await scene.broker.submit([{ id: 'b', lane: 'l', payload: '2' }]);

    equal(whileStarted, ['exists']);
    equal(answers, ['exists']);
    strictEqual((await scene.read('a')).epoch, started.epoch);
  },

  'submit keeps the concurrency of a run': async (scene) => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;

    await scene.submit({ id: 'a', concurrency });

    equal((await scene.read('a')).concurrency, concurrency);
  },

  'submit accepts an empty batch': async (scene) => {
    equal(await scene.broker.submit([]), []);
  },
};
