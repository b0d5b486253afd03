import { expect, it } from 'vitest';
import { listTypeScript, readText } from '../support/repository.ts';

it('no program that a test starts writes past it: test/support/programs/start-program.ts hears what it says', () => {
  const paths = listTypeScript('test').filter((path) => path.endsWith('.test.ts'));

  const unheard = paths.filter((path) => /stdio\W[^\n]*\binherit\b/.test(readText(path)));

  expect(paths).not.toEqual([]);
  expect(unheard).toEqual([]);
});
