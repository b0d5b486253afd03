import { expect, it } from 'vitest';
import { withSystems } from '../../docs/systems-tables.ts';
import { readText } from '../support/repository.ts';

it('docs/dialects.md has every system as `npm run systems` writes it', () => {
  const page = readText('docs/dialects.md');

  expect(withSystems(page)).toBe(page);
});
