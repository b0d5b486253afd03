import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';

/** What `get` reads. */
export const getCases: CasesByName = {
  'get returns the runs in the order of the ids, and undefined for an unknown id': async (scene) => {
    await scene.submit('a', 'b');

    const runs = await scene.broker.get(['b', 'unknown', 'a', 'b']);

    equal(
      runs.map((run) => run?.id),
      ['b', undefined, 'a', 'b'],
    );
    equal(await scene.broker.get([]), []);
  },

  'get returns a snapshot that later calls do not change': async (scene) => {
    await scene.submit('a');
    const before = await scene.read('a');

    await scene.claim();

    matches(before, { state: 'submitted', epoch: 0 });
  },
};
