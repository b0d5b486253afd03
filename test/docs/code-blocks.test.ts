import { describe, expect, it } from 'vitest';
import { listPages } from '../support/pages.ts';
import { readText } from '../support/repository.ts';

const IMPORT = /import (?:type )?\{([^}]*)\} from '(@retry\/[\w/-]+)'/g;

describe('the code of the documentation', () => {
  it.each(listPages())('imports only what there is: %s', async (page) => {
    const text = readText(page);
    const imported = [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => ({ name: name.trim(), from })),
    );

    const missing = [];
    for (const { name, from } of imported) {
      const found: object = await import(from);
      if (!name.startsWith('type ') && !(name in found)) missing.push(`${name} of ${from}`);
    }

    expect(missing).toEqual([]);
  });
});
