import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import { findLeaningComments, findReplacedWords } from './rules/words.ts';

describe('identifiers', () => {
  it.each(listPackageNames())('of %s use the words of the field', (name) => {
    const found = listTypeScript(`packages/${name}/src`).flatMap((path) =>
      findReplacedWords({ path, text: readText(path) }),
    );

    expect(found).toEqual([]);
  });
});

describe('doc comments', () => {
  it.each(listPackageNames())('of %s can be read alone', (name) => {
    const paths = ['src', 'lua', 'sql'].flatMap((folder) => listTypeScript(`packages/${name}/${folder}`));

    expect(paths.flatMap((path) => findLeaningComments({ path, text: readText(path) }))).toEqual([]);
  });
});
