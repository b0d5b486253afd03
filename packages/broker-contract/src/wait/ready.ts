import { strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';

/** What `ready` waits for. */
export const readyCases: CasesByName = {
  'ready resolves, also when called again and after other calls': async (scene) => {
    const { ready } = scene.broker;
    if (ready === undefined) throw new Error('the broker has no ready');

    await ready();
    await scene.submit('a');

    strictEqual(await ready(), undefined);
  },
};
