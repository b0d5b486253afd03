import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { settlementOf } from '../settlement-of.ts';

const listOddTexts = (): readonly string[] => [
  '__proto__',
  'constructor',
  'toString',
  '{}',
  '[]',
  '0',
  'null',
  ' ',
  ' spaces around ',
  'new\nline',
  'tab\tand\rreturn',
  `quotes ' " \``,
  'back\\slash',
  "'; DROP TABLE runs; --",
  '$1 %s {0}',
  'colon:comma,semicolon;pipe|',
  'ünïcödé',
  '日本語',
  '🚀👩‍👩‍👧‍👦',
  '\u202eright to left',
  '\u0007bell',
  'x'.repeat(512),
  '🚀'.repeat(128),
];

/** Text is kept unchanged in every field. */
export const oddTextCases: CasesByName = {
  'odd text is kept as id, lane, payload, key and result': /* @__PURE__ */ each(
    listOddTexts,
    async (scene, text) => {
      const concurrency = { key: text, limit: 1, whenFull: 'wait' } as const;
      const payload = JSON.stringify({ [text]: text });
      await scene.submit({ id: text, lane: text, payload, concurrency }, 'other');

      const claimed = await scene.claimIds({ worker: text, requestId: text, lanes: [text] });
      const again = await scene.claimIds({ worker: text, requestId: text, lanes: [text] });
      const run = await scene.read(text);
      const at = await scene.now();
      const errors = [{ epoch: 1, at, name: text, message: text, stack: text }];
      const settled = await scene.settle(
        settlementOf(run, { type: 'fail', at }, { result: payload, errors }),
      );

      equal([claimed, again], [[text], [text]]);
      matches(run, { id: text, lane: text, payload, concurrency });
      equal(settled, ['ok']);
      const query = { state: 'failed', lane: text, errorName: text, limit: 10 } as const;
      const [listed] = (await scene.broker.list(query)).runs;
      matches(listed, { id: text, payload, result: payload, errors });
      equal(await redriveRuns(scene.broker, [text]), ['redriven']);
      equal(await cancelRuns(scene.broker, [text]), ['cancelled']);
      equal(await discardRuns(scene.broker, [text]), ['discarded']);
    },
  ),

  'odd ids are distinct': async (scene) => {
    const ids = listOddTexts();
    await scene.submit(...ids.map((id) => ({ id, payload: JSON.stringify(id) })));

    const runs = await scene.broker.get(ids);

    equal(
      runs.map((run) => run?.payload),
      ids.map((id) => JSON.stringify(id)),
    );
    equal(await scene.claimIds(), ids);
  },

  'a payload of a megabyte is kept': async (scene) => {
    const payload = JSON.stringify('é'.repeat(500_000));

    await scene.submit({ id: 'a', payload });

    strictEqual((await scene.read('a')).payload === payload, true);
    strictEqual((await scene.claim())[0]?.run.payload === payload, true);
  },
};
