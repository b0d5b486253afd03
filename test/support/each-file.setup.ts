import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { runsOfProperties } from './property-runs.ts';
import { watchOutput } from './watch-output.ts';

fc.configureGlobal({ numRuns: runsOfProperties() });

// Files of one process share their globals, and so one watch.
const OUTPUT = Symbol.for('the watch of the output of tests');
const shared = globalThis as { [OUTPUT]?: ReturnType<typeof watchOutput> }; // a name of ours
shared[OUTPUT] ??= watchOutput();
const takeOutput = shared[OUTPUT];

/**
 * Tests that pass print nothing, so that what is printed is read: this runs after all hooks of the file. Only `npm test` is failed by it: on
 * servers, and on busy machines, a worker may warn because time has passed, and no test is to fail for that.
 */
afterAll(async () => {
  await setImmediate(); // process warnings come a tick later
  const output = takeOutput();
  if (output.length > 0 && process.env['RETRY_TESTS'] === 'quick')
    throw new AggregateError(output, 'the tests of this file let output out');
});

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
