import { expect, it } from 'vitest';
import { smoke as smokeOfBoard } from './board.js';
import { smoke } from './smoke.js';

// `npm run test:runtimes` and `test:browser` run the same checks elsewhere: here they are held true to the sources.
it('passes every check that each runtime must pass', async () => {
  expect((await smoke()).failed).toEqual([]);
});

it('passes every check of the board that each runtime with a server must pass', async () => {
  expect((await smokeOfBoard()).failed).toEqual([]);
});
