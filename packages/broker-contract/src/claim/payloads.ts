import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';

/** What a broker may have to carry in another way than a short line of text. */
const PAYLOADS: readonly string[] = /* @__PURE__ */ [
  '"short"',
  '',
  '{\n  "broken": "into lines"\n}',
  `"${'large '.repeat(2_000)}"`,
  '\n',
  '"a \\"quoted\\" \\\\ ünïcode 🎈 \u0001"',
  `"${'x'.repeat(1_997)}"`,
  `"${'x'.repeat(1_998)}"`,
  '"last"',
];

/** Payloads of every form come back as they were submitted, each with its own run. */
export const payloadCases: CasesByName = {
  'payloads of every form are claimed as they were submitted, each with its run': async (scene) => {
    const runs = PAYLOADS.map((payload, index) => ({
      id: `run-${index}`,
      lane: index % 2 === 0 ? 'l' : 'm',
      payload,
    }));
    await scene.submit(...runs);

    const claimed = await scene.claim({ lanes: ['m', 'none', 'l'] });

    const inOrder = ['m', 'l'].flatMap((lane) => runs.filter((run) => run.lane === lane));
    equal(
      claimed.map(({ run: { id, lane, payload } }) => ({ id, lane, payload })),
      inOrder,
    );
  },

  'payloads of every form are claimed beside ids with line breaks and concurrency keys': async (scene) => {
    const concurrency = { key: 'k', limit: 9, whenFull: 'wait' } as const;
    const runs = PAYLOADS.flatMap((payload, index) => [
      { id: `plain-${index}`, payload },
      { id: `key\n${index}`, payload, ...(index % 2 === 0 && { concurrency }) },
    ]);
    await scene.submit(...runs);

    const first = await scene.claim({ requestId: 'lost', limit: 5 });
    const again = await scene.claim({ requestId: 'lost', limit: 5 });
    const rest = await scene.claim();

    const shown = (claimed: typeof first) => claimed.map(({ run: { id, payload } }) => ({ id, payload }));
    equal(shown(again), shown(first));
    equal(
      shown([...first, ...rest]),
      runs.map(({ id, payload }) => ({ id, payload })),
    );
  },

  'payloads of many lanes are claimed in the order in which the lanes were asked': async (scene) => {
    const lanes = Array.from({ length: 400 }, (_, index) => `lane-${index}`);
    const filled = ['lane-7', 'lane-250', 'lane-399'];
    await scene.submit(...filled.flatMap((lane) => [1, 2].map((n) => ({ id: `${lane}/${n}`, lane }))));

    equal(await scene.claimIds({ lanes, limit: 3 }), ['lane-7/1', 'lane-7/2', 'lane-250/1']);
    equal(await scene.claimIds({ lanes: [...lanes].reverse().map((lane) => [lane, 1] as const) }), [
      'lane-399/1',
      'lane-250/2',
    ]);
  },
};
