import { describe, expect, it } from 'vitest';
import { findCircles } from './rules/circles.ts';

describe('findCircles', () => {
  const files = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, text]) => ({ path: `packages/core/src/${name}`, text }));

  it('reports files that import each other, once', () => {
    const found = findCircles(
      files({
        'a.ts': "import { b } from './b.ts';",
        'b.ts': "import { c } from './folder/c.ts';",
        'folder/c.ts': "export { a } from '../a.ts';",
      }),
    );

    expect(found).toEqual([
      'packages/core/src/a.ts -> packages/core/src/b.ts -> packages/core/src/folder/c.ts -> packages/core/src/a.ts',
    ]);
  });

  it('reports a circle of types, and a file that imports itself', () => {
    const found = findCircles(
      files({
        'a.ts': "import type { B } from './b.ts';",
        'b.ts': "type A = import('./a.ts').A;",
        'c.ts': "import { c } from './c.ts';",
      }),
    );

    expect(found).toHaveLength(2);
  });

  it('accepts several files that import one', () => {
    const found = findCircles(
      files({
        'a.ts': "import { c } from './c.ts';\nimport { b } from './b.ts';",
        'b.ts': "import { c } from './c.ts';",
        'c.ts': "import { d } from '@retry/core';",
      }),
    );

    expect(found).toEqual([]);
  });
});
