import type { Run } from '@retry/core/broker';
import { redriveRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { PASS_MS, SHORT_MS } from '../case-scene.ts';
import { retryIn, settlementOf } from '../settlement-of.ts';

/** Longer than a tick of any clock. */
const STEP_MS = 5;

/** Which instants change with which moves. */
export const instantsCases: CasesByName = {
  'createdAt is the instant of the submission': async (scene) => {
    const before = await scene.now();
    await scene.submit('a');
    const after = await scene.now();

    const createdAt = createdAtOf(await scene.read('a'));

    atLeast(createdAt, before);
    atMost(createdAt, after);
  },

  'createdAt does not change by claim, release, retry, promotion and redrive': async (scene) => {
    await scene.submit('a');
    const createdAt = createdAtOf(await scene.read('a'));

    const seen: (number | undefined)[] = [];
    for (const move of [claim, release, claim, retryLater, claim, failAndRedrive]) {
      await scene.advance(STEP_MS);
      await move(scene);
      seen.push(createdAtOf(await scene.read('a')));
    }

    atLeast(createdAt, 0);
    equal(
      seen,
      seen.map(() => createdAt),
    );
  },

  'submittedAt is the latest return to the lane': async (scene) => {
    await scene.submit('a');
    for (const move of [release, retryLater, failAndRedrive]) {
      await scene.claim();
      await scene.advance(STEP_MS);
      const before = await scene.now();
      await move(scene);
      await scene.claim();

      atLeast((await scene.read('a')).submittedAt, before);
    }
  },

  'firstStartedAt is the first start, and startedAt the latest one': async (scene) => {
    const first = await scene.start('a');
    await scene.advance(STEP_MS);
    await release(scene);
    const before = await scene.now();
    await scene.claim();

    const again = await scene.read('a');

    strictEqual(first.startedAt, first.firstStartedAt);
    strictEqual(again.firstStartedAt, first.firstStartedAt);
    atLeast(again.startedAt, before);
  },

  'firstStartedAt is that of a later start, once a settlement has removed it': async (scene) => {
    const run = await scene.start('a');
    await scene.advance(STEP_MS);
    const release = { type: 'release', at: await scene.now() } as const;
    await scene.settle(settlementOf(run, release, { firstStartedAt: undefined }));
    const waiting = await scene.read('a');
    const before = await scene.now();
    await scene.claim();

    const again = await scene.read('a');

    strictEqual(waiting.firstStartedAt, undefined);
    atLeast(again.firstStartedAt, before);
    strictEqual(again.firstStartedAt, again.startedAt);
  },
};

/** Also of brokers that keep no `createdAt`: then it is absent, and the case fails. */
function createdAtOf({ createdAt }: Pick<Run, 'id'> & { readonly createdAt?: number | undefined }) {
  return createdAt;
}

async function claim(scene: CaseScene): Promise<void> {
  await scene.claim();
}

async function release(scene: CaseScene): Promise<void> {
  await scene.settleNow('release', 'a');
}

/** Settles a retry and lets its delay pass; the next claim promotes the run. */
async function retryLater(scene: CaseScene): Promise<void> {
  await scene.settleNow(retryIn(SHORT_MS), 'a');
  await scene.advance(PASS_MS);
}

async function failAndRedrive(scene: CaseScene): Promise<void> {
  await scene.settleNow('fail', 'a');
  await redriveRuns(scene.broker, ['a']);
}
