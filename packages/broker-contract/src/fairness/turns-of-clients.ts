import { cancelRuns } from '@retry/core/broker/kit';
import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { idsIn, LONG_MS } from '../case-scene.ts';
import { idsOf, keyed } from './keyed.ts';

/** Several clients of one storage. */
export const fairnessClientsCases: CasesByName = {
  'fairness: two clients take turns from one lane': async (scene) => {
    const other = await scene.open();
    await scene.submit(...keyed('t1', 't2', 't3'));
    await other.submit(keyed('b1', 'b2').map((run) => ({ lane: 'l', payload: '{}', ...run })));
    const claim = { worker: 'other', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS };

    const claimed: string[] = [];
    for (let round = 0; round < 3; round++) {
      claimed.push(...(await scene.claimIds({ limit: 1 })));
      const reply = await other.exchange({ claim: { ...claim, requestId: `r${round}` } });
      claimed.push(...idsIn(reply.claimed));
    }

    equal(claimed, ['t1', 'b1', 't2', 'b2', 't3']);
  },

  'fairness: each client that waits gets a run of one key, submitted by one call': async (scene) => {
    const other = await scene.open();
    const claimWhenThere = async (broker: CaseScene['broker'], worker: string): Promise<string> => {
      for (let round = 0; ; round++) {
        await broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });
        const claim = {
          worker,
          requestId: `${round}`,
          limit: 1,
          lanes: new Map([['l', 1]]),
          leaseMs: LONG_MS,
        };
        const [first] = (await broker.exchange({ claim })).claimed;
        if (first !== undefined) return first.run.id;
      }
    };
    const both = [claimWhenThere(scene.broker, 'one'), claimWhenThere(other, 'other')];

    await scene.submit(...keyed('t1', 't2'));

    equal((await Promise.all(both)).sort(), ['t1', 't2']);
  },

  'fairness: no run is lost or started twice by clients that submit, claim and cancel at the same time':
    async (scene) => {
      const other = await scene.open();
      const gone: string[] = [];
      for (let round = 0; round < 8; round++)
        gone.push(...(await Promise.all(actsOf(round, [scene.broker, other]))).flat());
      // A claim may find none of a run that was committed late, and a later one finds it.
      while ((await scene.broker.audit()).submitted > 0) gone.push(...(await scene.claimIds()));

      equal([gone.length, new Set(gone).size], [80, 80]);
    },
};

/** What two clients do at the same time: ten runs come, and some of those before them go. Each returns the runs that are gone. */
function actsOf(
  round: number,
  [one, other]: readonly [CaseScene['broker'], CaseScene['broker']],
): readonly Promise<readonly string[]>[] {
  const submit = async (broker: CaseScene['broker'], ids: readonly string[]): Promise<readonly string[]> => {
    await broker.submit(keyed(...ids).map((run) => ({ lane: 'l', payload: '{}', ...run })));
    return [];
  };
  const claim = async (broker: CaseScene['broker'], worker: string): Promise<readonly string[]> => {
    const lanes = new Map([['l', 3]]);
    const request = { worker, requestId: `${round}`, limit: 3, lanes, leaseMs: LONG_MS };
    return idsIn((await broker.exchange({ claim: request })).claimed);
  };
  const cancel = async (id: string): Promise<readonly string[]> =>
    (await cancelRuns(other, [id]))[0] === 'cancelled' ? [id] : [];
  const before = round - 1;
  return [
    submit(one, idsOf(`t${round}-`, 6)),
    submit(other, [...idsOf(`b${round}-`, 2), ...idsOf(`t${round}--`, 2)]),
    ...[claim(one, 'one'), claim(other, 'other')],
    ...[`t${before}-1`, `t${before}-3`, `b${before}-2`].map(cancel),
  ];
}
