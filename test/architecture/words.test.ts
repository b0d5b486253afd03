import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findReplacedWords } from './rules/words.ts';

describe('identifiers', () => {
  it.each(listPackageNames())('of %s use the words of the field', (name) => {
    const found = listTypeScript(`packages/${name}/src`).flatMap((path) =>
      findReplacedWords({ path, text: readText(path) }),
    );

    expect(found).toEqual([]);
  });
});
