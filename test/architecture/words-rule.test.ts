import { describe, expect, it } from 'vitest';
import { findLeaningComments, findReplacedWords } from './rules/words.ts';

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

describe('findLeaningComments', () => {
  it.each(['/** Of these runs. */', '/**\n * The same for a pool.\n */', '  /** By lane. */'])(
    'reports %j',
    (text) => {
      expect(findLeaningComments({ path: 'a.ts', text: `const one = 1;\n${text}` })).toEqual([
        expect.stringMatching(/^a\.ts:2 begins with "(Of|The same|By)": say what it is$/),
      ]);
    },
  );

  it.each(['/** Leases of the runs that this worker holds. */', '// It may have ended.', '/** Itself. */'])(
    'lets %j pass',
    (text) => {
      expect(findLeaningComments({ path: 'a.ts', text })).toEqual([]);
    },
  );
});
