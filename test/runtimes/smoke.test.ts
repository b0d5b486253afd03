import { expect, it } from 'vitest';
import { smoke } from './smoke.js';

// `npm run test:runtimes` and `test:browser` run the same checks elsewhere: here they are held true to the sources.
it('passes every check that each runtime must pass', async () => {
  expect((await smoke()).failed).toEqual([]);
});
