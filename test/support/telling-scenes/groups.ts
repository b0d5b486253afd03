/** Scenes of error groups: how dead letters come into them, leave them, and are listed by them. */
import type { ErrorGroupName, Run, Settlement } from '@retry/core/broker';
import { discardRuns, endRuns, MAX_GROUPS, redriveRuns } from '@retry/core/broker/kit';
import { isDeadLetter, RUN_STATES } from '@retry/core/lifecycle';
import { figuresOf } from '../../../packages/broker-contract/src/insight/figures-of.ts';
import { settlementOf } from '../settle.ts';
import type { Steps } from './scene.ts';
import { retry, runsOf, tell } from './scene.ts';

/** Runs die in another order than they end, of two lanes and three groups, in one call and in several; some end at the same instant. */
export const dieInAnyOrder = tell(async (steps) => {
  const { submit, claim, settle, now } = steps;
  await submit(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => ({ id, lane: id < 'f' ? 'l' : 'm' })));
  const [a, b, c, d, e] = runsOf(await claim());
  const [f, g] = runsOf(await claim({ lanes: ['m'] }));
  const at = (await now()) + 100;
  if (!a || !b || !c || !d || !e || !f || !g) throw new Error('not all runs were claimed');
  await settle(diedOf(b, 'x', at), diedOf(a, 'x', at - 50), diedOf(f, 'y', at - 90));
  await askAboutGroups(steps);
  await settle(diedOf(d, 'x', at, 'second'));
  await askAboutGroups(steps);
  await settle(...[c, e].map((run, index) => diedOf(run, 'x', at - 70 + index, 'third')), diedOf(g, 'z', at));
  await askAboutGroups(steps);
});

/** Runs that have failed, stalled and waited at a limit before die, each of another cause. */
export const dieAfterAttempts = tell(async (steps) => {
  const { submit, claim, settle, advance, now } = steps;
  await submit('a', 'b', 'c', 'd');
  await settle(...runsOf(await claim()).map((run) => retry(run)));
  await claim({ leaseMs: 10 });
  await advance(20);
  const at = await now();
  const stalled = await steps.broker.findExpired(9);
  const recover = [
    { type: 'stall', at },
    { type: 'recover', at, runAt: at },
  ] as const;
  await settle(...stalled.map((run) => settlementOf(run, recover, { onlyIfExpired: true })));
  const [a, b, c, d] = runsOf(await claim());
  if (!a || !b || !c || !d) throw new Error('not all runs were claimed');
  await settle(diedOf(a, 'x', at), { ...settlementOf(b, { type: 'limit', at }), group: named('x') });
  await settle({ ...settlementOf(c, { type: 'stall', at }), group: named('x') });
  await settle({ ...diedOf(d, 'x', at), next: { ...diedOf(d, 'x', at).next, isDisposable: true } });
  await askAboutGroups(steps);
  await redriveRuns(steps.broker, ['b'], { keepAttempts: true });
  await askAboutGroups(steps);
  await discardRuns(steps.broker, ['a']);
  await askAboutGroups(steps);
});

/** An operator fails runs that wait after attempts, with a group and without. */
export const dieByHand = tell(async (steps) => {
  const { submit, claim, settle, broker } = steps;
  await submit('a', 'b', { id: 'c', delayMs: 1_000 }, 'd');
  await settle(...runsOf(await claim({ limit: 2 })).map((run) => retry(run)));
  const error = { name: 'Error', message: 'no' };
  await endRuns(broker, [
    { id: 'a', as: 'failed', error, group: named('x') },
    { id: 'b', as: 'failed', error },
    { id: 'c', as: 'failed', error, group: named('x') },
    { id: 'd', as: 'completed', result: '1' },
  ]);
  await askAboutGroups(steps);
});

/** The latest run of a group dies again, in another group: then another one is shown for the first, and listed. */
export const dieElsewhere = tell(async (steps) => {
  const { submit, claim, settle, broker, now } = steps;
  await submit('a', 'b', 'c', 'd');
  const runs = runsOf(await claim());
  const at = await now();
  await settle(...runs.map((run, index) => diedOf(run, 'x', at + index)));
  await redriveRuns(broker, ['d']);
  await askAboutGroups(steps);
  await settle(...runsOf(await claim()).map((run) => diedOf(run, 'y', at + 10)));
  await askAboutGroups(steps);
  await discardRuns(broker, ['a', 'd']);
  await askAboutGroups(steps);
  await redriveRuns(broker, ['b', 'c']);
  await settle(...runsOf(await claim()).map((run) => diedOf(run, 'x', at + 20)));
  await askAboutGroups(steps);
});

/** Dead letters of one group come one by one, while what is counted is tidied up every second. */
export const dieOneByOne = tell(async (steps) => {
  const { start, settle, advance, broker } = steps;
  for (let index = 0; index < 40; index += 1) {
    const run = await start(`run-${index}`);
    await settle(diedOf(run, index === 7 ? 'once' : 'x', run.startedAt ?? 0));
    await advance(99);
  }
  await askAboutGroups(steps);
  await discardRuns(broker, ['run-0', 'run-39']);
  for (let index = 0; index < 20; index += 1)
    await settle(diedOf(await start(`more-${index}`), 'once', index));
  await advance(2_000);
  await settle();
  await askAboutGroups(steps);
});

/** A lane has as many groups as it may have, besides those without one; then one of them is empty. */
export const fillLane = tell(async (steps) => {
  const { submit, claim, settle, broker, now } = steps;
  const at = await now();
  const die = async (...groups: readonly (readonly [id: string, group: string | undefined])[]) => {
    await submit(...groups.map(([id]) => id));
    const runs = runsOf(await claim());
    const named = new Map(groups);
    await settle(...runs.map((run) => diedOf(run, named.get(run.id), at)));
  };
  await die(['plain', undefined]);
  await die(...Array.from({ length: MAX_GROUPS - 1 }, (_, index) => [`${index}`, `group-${index}`] as const));
  await die(['last', 'last'], ['more', 'more'], ['again', 'group-1']);
  await askAboutGroups(steps);
  await discardRuns(broker, ['plain', 'more']);
  await die(['over', 'over']);
  await askAboutGroups(steps);
  await discardRuns(broker, ['0']);
  await die(['late', 'late'], ['too late', 'too-late']);
  await askAboutGroups(steps);
});

/** What is known of groups, by small pages and by large ones, and the dead letters of each. */
async function askAboutGroups({ broker }: Steps): Promise<void> {
  const figures = figuresOf({ broker });
  const { groups } = await figures.groups({ limit: 1_000 });
  await figures.groups({ limit: 1, lane: 'm' });
  const { next: after } = await figures.groups({ limit: 1 });
  if (after !== undefined) await figures.groups({ limit: 1, after });
  const last = groups[1]?.id ?? 'none';
  for (const errorGroup of new Set(['x', 'y', 'other', last]))
    for (const state of RUN_STATES.filter(isDeadLetter)) {
      const { next } = await broker.list({ state, errorGroup, limit: 1 });
      if (next !== undefined) await broker.list({ state, errorGroup, limit: 100, after: next });
      await broker.list({ state, errorGroup, lane: 'l', limit: 100 });
    }
}

/** The settlement of a run that fails for good. */
function diedOf(run: Run, group: string | undefined, at: number, title?: string): Settlement {
  const error = { epoch: run.epoch, at, name: 'Error', message: 'no' };
  const settlement = settlementOf(run, { type: 'fail', at }, { errors: [...run.errors, error] });
  return group === undefined ? settlement : { ...settlement, group: named(group, title) };
}

function named(id: string, title = 'first'): ErrorGroupName {
  return { id, title: `Error: ${id}, ${title}` };
}
