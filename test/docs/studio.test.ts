import { expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { bundleStudio } from '../../.tools/page.mjs';
import { readText } from '../support/repository.ts';

it('is as `npm run studio` draws it from the sources of the page', () => {
  expect(readText('docs/studio.html') === bundleStudio(), 'Run npm run studio.').toBe(true);
});
