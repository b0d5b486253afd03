import fc from 'fast-check';
import { runsOfProperties } from './property-runs.ts';

fc.configureGlobal({ numRuns: runsOfProperties() });

const realSetTimeout = globalThis.setTimeout;
const CHECKED = 'setTimeout of tests';

/** Newer versions of Node print a warning of a negative delay: none of our packages may ask for one. */
function checkedSetTimeout(callback: () => void, delayMs = 0, ...rest: []): NodeJS.Timeout {
  const isOurs = (): boolean => /\/packages\/[^/]+\/src\//.test(new Error('where').stack ?? '');
  if (delayMs < 0 && isOurs()) throw new RangeError(`a timer got a negative delay: ${delayMs} ms`);
  return realSetTimeout(callback, delayMs, ...rest);
}

// Files of one process share their globals.
if (realSetTimeout.name !== CHECKED) {
  Object.defineProperties(checkedSetTimeout, {
    ...Object.getOwnPropertyDescriptors(realSetTimeout),
    name: { value: CHECKED },
  });
  globalThis.setTimeout = checkedSetTimeout as typeof setTimeout; // its properties are those of the real one
}
