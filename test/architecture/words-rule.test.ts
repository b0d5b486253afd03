import { describe, expect, it } from 'vitest';
import { findReplacedWords } from './rules/words.ts';

describe('findReplacedWords', () => {
  it.each([
    'const onNews = 1;',
    'function tellWorkers() {}',
    'const BREATH_MS = 8;',
    'type Lookout = string;',
    'a.hear();',
  ])('reports %s', (text) => {
    expect(findReplacedWords({ path: 'packages/core/src/a.ts', text })).toHaveLength(1);
  });

  it.each([
    'const lookup = almost.teller;',
    "// whoever hears the news\nconst text = 'nobody looks';",
    'const utmost = replacePlaceholder();',
  ])('lets %s pass', (text) => {
    expect(findReplacedWords({ path: 'packages/core/src/a.ts', text })).toEqual([]);
  });

  it('names the file, the line, the identifier and the word to write', () => {
    const found = findReplacedWords({
      path: 'packages/core/src/a.ts',
      text: '\nconst cancelWish = 1;\ncancelWish;',
    });

    expect(found).toEqual(['packages/core/src/a.ts:2 cancelWish: write cancel request']);
  });
});
