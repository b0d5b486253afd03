import { holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { atMost, equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** Submits runs that wait, after others that have become due one after another. */
async function submitBoth(
  scene: CaseScene,
  due: readonly string[],
  waiting: readonly string[],
): Promise<void> {
  // Not by `runAt`: an instant that has passed when the call arrives is now.
  await scene.submit(...due.map((id, index) => ({ id, delayMs: SHORT_MS + index })));
  await scene.advance(PASS_MS);
  await scene.submit(...waiting);
}

const ONE = new Map([['l', 1]]);

/** Claims that limit how many due runs they take. */
export const dueLimitsCases: CasesByName = {
  'a limit of due runs takes so many, earliest due first, before those that wait': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2', 'due-3'], ['a', 'b', 'c', 'd', 'e']);

    const first = await scene.claimIds({ limit: 3, dueLimits: new Map([['l', 2]]) });
    const second = await scene.claimIds({ limit: 2, dueLimits: ONE });

    equal(first, ['due-1', 'due-2', 'a']);
    equal(second, ['due-3', 'b']);
  },

  'a limit of due runs leaves the others scheduled, and says that they are due': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2'], ['a', 'b']);

    const lanes = new Map([['l', 2]]);
    const claim = { worker: 'w', requestId: 'r', limit: 2, lanes, leaseMs: 60_000, dueLimits: ONE };
    const { now, nextRunAt = Infinity } = await scene.broker.exchange({ claim });

    atMost(nextRunAt, now);
    matches(await scene.read('due-2'), { state: 'scheduled' });
    matches(await scene.broker.audit(), { started: 2, scheduled: 1, submitted: 1 });
  },

  'a limit of 0 due runs takes none while enough others wait': async (scene) => {
    await submitBoth(scene, ['due'], ['a', 'b']);

    equal(await scene.claimIds({ limit: 2, dueLimits: new Map([['l', 0]]) }), ['a', 'b']);
  },

  'due runs beyond their limit fill the room that nothing else takes': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2', 'due-3', 'due-4'], ['a']);

    const filled = await scene.claimIds({ limit: 3, dueLimits: new Map([['l', 0]]) });
    const rest = await scene.claimIds({ dueLimits: new Map([['l', 0]]) });

    equal(filled, ['due-1', 'due-2', 'a']);
    equal(rest, ['due-3', 'due-4']);
  },

  'due runs fill only the room that lanes before theirs leave': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2'], ['a', 'b']);
    await scene.submit({ id: 'other-1', lane: 'other' }, { id: 'other-2', lane: 'other' });

    const lanes = ['other', 'l'];
    const first = await scene.claimIds({ lanes, limit: 4, dueLimits: new Map([['l', 0]]) });
    const second = await scene.claimIds({ lanes, limit: 4, dueLimits: new Map([['l', 0]]) });

    equal(first, ['other-1', 'other-2', 'a', 'b']);
    equal(second, ['due-1', 'due-2']);
  },

  'a limit of due runs in one lane changes no other one': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2'], ['a', 'b']);

    const other = new Map([['other', 0]]);
    equal(await scene.claimIds({ lanes: ['l', 'other'], dueLimits: other }), ['a', 'b', 'due-1', 'due-2']);
  },

  'a limit of due runs takes none of a lane on hold': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2'], ['a', 'b']);
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    const held = await scene.claimIds({ dueLimits: ONE });
    await resumeLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    equal(held, []);
    equal(await scene.claimIds({ limit: 2, dueLimits: ONE }), ['due-1', 'a']);
  },

  'a claim with a limit of due runs that is repeated returns the same runs': async (scene) => {
    await submitBoth(scene, ['due-1', 'due-2'], ['a', 'b']);

    const input = { requestId: 'same', limit: 2, dueLimits: ONE };
    equal(
      [await scene.claimIds(input), await scene.claimIds(input)],
      [
        ['due-1', 'a'],
        ['due-1', 'a'],
      ],
    );
  },

  'due runs with a concurrency key that is full wait for it, and let the others pass': async (scene) => {
    await scene.start({ id: 'holder', concurrency });
    await scene.submit(
      { id: 'due-1', delayMs: SHORT_MS, concurrency },
      { id: 'due-2', delayMs: SHORT_MS + 1 },
    );
    await scene.advance(PASS_MS);
    await scene.submit('a', 'b');

    equal(await scene.claimIds({ limit: 2, dueLimits: ONE }), ['a', 'b']);
    equal(await scene.claimIds({ dueLimits: ONE }), ['due-2']);
  },
};
