import type { Broker, Run, SettleAnswer } from '@retry/core/broker';
import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS } from '../case-scene.ts';
import { countsOf, deadBy, die, groupsOf } from './grouped.ts';

const MAX_GROUPS = 1_000;

/** Error groups, when several clients of one storage settle at the same time. */
export const groupsClientsCases: CasesByName = {
  'runs that several clients let die into a new group at the same time are one group': async (scene) => {
    const clients = await openClients(scene, 4);
    await scene.submit(...namesOf('run', 80));
    const claimed = await Promise.all(clients.map((client, index) => claimBy(client, `w${index}`, 20)));

    const answers = await Promise.all(
      clients.map((client, index) => settleEach(client, claimed[index] ?? [], () => 'new')),
    );

    equal(new Set(answers.flat()), new Set(['ok']));
    matches(await groupsOf(scene.broker), [{ lane: 'l', id: 'new', count: 80, attempts: 80 }]);
    matches(await scene.broker.audit(), { ended: { failed: 80 }, unbalanced: 0 });
  },

  'several clients that reach the limit of a lane at the same time leave it with 1000 groups': async (
    scene,
  ) => {
    const clients = await openClients(scene, 4);
    await die(scene, Object.fromEntries(namesOf('old', MAX_GROUPS - 2).map((id) => [id, id])));
    await scene.submit(...namesOf('run', 16));
    const claimed = await Promise.all(clients.map((client, index) => claimBy(client, `w${index}`, 4)));

    await Promise.all(
      clients.map((client, index) => settleEach(client, claimed[index] ?? [], ({ id }) => `of-${id}`)),
    );

    const { 'l/other': others, ...own } = await countsOf(scene.broker);
    equal([Object.keys(own).length, others], [MAX_GROUPS, 14]);
    matches(await scene.broker.audit(), { unbalanced: 0 });
  },

  'dead letters that leave a group while others come into it are counted exactly': async (scene) => {
    const [one = scene.broker, two = scene.broker, three = scene.broker] = await openClients(scene, 3);
    const old = namesOf('old', 30);
    await die(scene, Object.fromEntries(old.map((id) => [id, 'x'])));
    await scene.submit(...namesOf('run', 30));
    const claimed = await claimBy(scene.broker, 'w', 30);

    await Promise.all([
      settleEach(scene.broker, claimed, () => 'x'),
      ...old.slice(0, 10).map((id) => discardRuns(one, [id])),
      redriveRuns(two, old.slice(10, 20)),
      ...old.slice(5, 15).map((id) => discardRuns(three, [id])),
    ]);

    const left = (await scene.broker.get(old)).filter((run) => run?.state === 'failed').length;
    matches(await groupsOf(scene.broker), [{ id: 'x', count: 30 + left, attempts: 30 + left }]);
    equal(left, 10);
    matches(await scene.broker.audit(), { unbalanced: 0 });
  },
};

async function openClients(scene: CaseScene, count: number): Promise<readonly Broker[]> {
  return Promise.all(Array.from({ length: count }, () => scene.open()));
}

function namesOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

async function claimBy(client: Broker, worker: string, limit: number): Promise<readonly Run[]> {
  const lanes = new Map([['l', limit]]);
  const claim = { worker, requestId: `${worker}-groups`, limit, lanes, leaseMs: LONG_MS };
  return (await client.exchange({ claim })).claimed.map(({ run }) => run);
}

/** Settles runs in four calls that are sent at the same time. */
async function settleEach(
  client: Broker,
  runs: readonly Run[],
  groupOf: (run: Run) => string,
): Promise<readonly SettleAnswer[]> {
  const size = Math.ceil(runs.length / 4);
  const parts = [0, 1, 2, 3].map((part) => runs.slice(part * size, (part + 1) * size));
  const calls = parts.map((part) =>
    client.exchange({ settle: part.map((run) => deadBy(run, groupOf(run))) }),
  );
  return (await Promise.all(calls)).flatMap(({ settled }) => settled);
}
