import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';

/** What `get` reads. */
export const getCases: CasesByName = {
  'get gives the runs in the order asked, and nothing for an id that nobody knows': async (scene) => {
    await scene.submit('a', 'b');

    const runs = await scene.broker.get(['b', 'nobody', 'a', 'b']);

    equal(
      runs.map((run) => run?.id),
      ['b', undefined, 'a', 'b'],
    );
    equal(await scene.broker.get([]), []);
  },

  'get gives what was, not what comes after': async (scene) => {
    await scene.submit('a');
    const before = await scene.read('a');

    await scene.claim();

    matches(before, { state: 'submitted', epoch: 0 });
  },
};
